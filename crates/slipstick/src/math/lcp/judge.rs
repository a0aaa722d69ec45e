//! What counts as a solution, for all solvers.
//!
//! `z` is nowhere negative; with `s = |q| + |M||z|`, the size of the terms of a row, `w ≥ -10 eps s`, and
//! `w ≤ 10 eps s` where `z` is positive. Then `z` is an exact solution for a constant that differs from `q` by
//! at most `10 eps s` in each row: the same as `max |min(z, w/d)| ≤ 10 eps s/d` for any `d > 0`, so that the
//! choice of `d` does not matter.

use super::block::{BlockFit, fit, spread};
use super::scaled::Scaled;
use super::{LcpOutcome, Solution};

/// How many units in the last place of its terms a row may be off.
const ROUNDINGS: f64 = 10.0;
/// If rounding comes to more than this part of the largest constant, `z` is so large that the constants do not
/// matter: that proves nothing about them. (Nearly parallel surfaces that cannot be met make such `z`.)
const LARGEST_ROUNDING: f64 = 1.0 / 1024.0;

/// What is below this part of the largest `z` may be zero in truth.
const MAYBE_ZERO: f64 = 1e-9;

/// The solution with this `z`, in scaled units, if it is one. Negative entries count as zero.
pub(super) fn judge(problem: &Scaled, z: &[f64], basic: &[bool]) -> Option<Solution> {
    let n = problem.n;
    let z: Vec<f64> = z.iter().map(|z| z.max(0.0)).collect();
    let mut w = vec![0.0; n];
    let largest = problem.q.iter().fold(0.0_f64, |largest, q| largest.max(q.abs()));
    for i in 0..n {
        let allowed = ROUNDINGS * f64::EPSILON * size(problem, i, &z);
        let residual = problem.residual(i, &z);
        let zero = residual.abs() <= allowed;
        let holds = zero || (residual > 0.0 && z[i] == 0.0);
        if !(holds && z[i].is_finite() && allowed <= LARGEST_ROUNDING * largest) {
            return None;
        }
        w[i] = if zero { 0.0 } else { residual };
    }
    // What is positive is basic, and a basis whose `w` is not zero is none.
    let basic = (0..n).map(|i| w[i] == 0.0 && (basic[i] || z[i] > 0.0)).collect();
    problem.in_units(&z, &w, basic)
}

/// The solution in which `z` is basic where told, from a guess. If that is none, what comes out negative or
/// near zero is degenerate: it becomes zero, the least first.
pub(super) fn polish(problem: &Scaled, basic: &[bool], guess: &[f64]) -> Option<Solution> {
    let mut inside: Vec<usize> = (0..problem.n).filter(|i| basic[*i]).collect();
    loop {
        let z = fit(problem, &BlockFit { rows: &inside, columns: &inside }, guess)?;
        if let Some(solution) = judge(problem, &z, basic) {
            return Some(solution);
        }
        let least = (0..inside.len()).min_by(|k, l| z[inside[*k]].total_cmp(&z[inside[*l]]))?;
        let largest = z.iter().fold(0.0_f64, |largest, z| largest.max(*z));
        if z[inside[least]] > MAYBE_ZERO * largest {
            return share_rounding(problem, &z, basic);
        }
        inside.remove(least);
    }
}

/// The solution near `z` in which `w` vanishes wherever it nearly does, if there is one. Dependent rows that
/// vanish together (redundant contacts) do so only to the rounding of their entries; solving some of them
/// leaves the rounding of all to the rest.
fn share_rounding(problem: &Scaled, z: &[f64], basic: &[bool]) -> Option<Solution> {
    let largest = z.iter().fold(0.0_f64, |largest, z| largest.max(*z));
    let columns: Vec<usize> = (0..problem.n).filter(|i| z[*i] > MAYBE_ZERO * largest).collect();
    let inside: Vec<f64> = z.iter().map(|z| if *z > MAYBE_ZERO * largest { *z } else { 0.0 }).collect();
    let vanishes = |i: &usize| problem.residual(*i, z).abs() <= MAYBE_ZERO * size(problem, *i, z);
    let rows: Vec<usize> = (0..problem.n).filter(vanishes).collect();
    let z = spread(problem, &BlockFit { rows: &rows, columns: &columns }, inside)?;
    judge(problem, &z, basic)
}

/// The size of the terms of a row.
fn size(problem: &Scaled, i: usize, z: &[f64]) -> f64 {
    problem.q[i].abs() + problem.row(i).iter().zip(z).map(|(m, z)| (m * z).abs()).sum::<f64>()
}

/// A solution or none as an outcome.
pub(super) fn outcome(solution: Option<Solution>) -> LcpOutcome {
    solution.map_or(LcpOutcome::Limit, LcpOutcome::Solution)
}
