//! Equations in which some `w` vanish while all `z` but some vanish: `M_RS z_S = -q_R`.

use super::super::RealLu;
use super::scaled::Scaled;

/// A pivot below this part of the largest entry is zero by rounding.
const ZERO_PIVOT: f64 = 64.0 * f64::EPSILON;
/// What is added to the diagonal of a singular block, as a part of its largest entry: the root of rounding,
/// so that each step of refinement gains half of the digits.
const REGULARISATION: f64 = 1.0 / (1_u64 << 26) as f64;
/// Solutions are refined once, and once more where rounding was unlucky. Where a block is singular, refinement
/// converges to a solution only slowly.
const STEPS: usize = 3;
const STEPS_IF_SINGULAR: usize = 20;

/// Rows in which `w` vanishes and columns in which `z` need not; as many of each.
pub(super) struct BlockFit<'a> {
    pub(super) rows: &'a [usize],
    pub(super) columns: &'a [usize],
}

/// The `z` that meets the equations; if they are singular, one near the guess. None if not finite.
pub(super) fn fit(problem: &Scaled, block: &BlockFit, guess: &[f64]) -> Option<Vec<f64>> {
    let (lu, steps) = match factor(problem, block, 0.0) {
        Some((lu, part)) if part > ZERO_PIVOT => (lu, STEPS),
        _ => (factor(problem, block, REGULARISATION)?.0, STEPS_IF_SINGULAR),
    };
    refine(problem, block, guess, (&lu, steps))
}

/// The `z` that meets the equations, and whether they are far from singular (by this part of the largest
/// entry). None if they are singular.
pub(super) fn fit_regular(problem: &Scaled, block: &BlockFit, far: f64) -> (Option<Vec<f64>>, bool) {
    match factor(problem, block, 0.0) {
        Some((lu, part)) if part > ZERO_PIVOT => {
            (refine(problem, block, &vec![0.0; problem.n], (&lu, STEPS)), part > far)
        }
        _ => (None, false),
    }
}

fn refine(
    problem: &Scaled,
    block: &BlockFit,
    guess: &[f64],
    (lu, steps): (&RealLu, usize),
) -> Option<Vec<f64>> {
    let mut z = vec![0.0; problem.n];
    for &j in block.columns {
        z[j] = guess[j];
    }
    for _ in 0..steps {
        let mut step: Vec<f64> = block.rows.iter().map(|i| -problem.residual(*i, &z)).collect();
        lu.solve(&mut step);
        for (&j, step) in block.columns.iter().zip(&step) {
            z[j] += step;
        }
    }
    z.iter().all(|z| z.is_finite()).then_some(z)
}

/// The factors of a block, and its smallest pivot as a part of its largest entry.
fn factor(problem: &Scaled, block: &BlockFit, regularisation: f64) -> Option<(RealLu, f64)> {
    let size = block.rows.len();
    let mut lu = RealLu::new(size);
    let entries = lu.entries_mut();
    for (k, &i) in block.rows.iter().enumerate() {
        for (l, &j) in block.columns.iter().enumerate() {
            entries[k * size + l] = problem.row(i)[j];
        }
    }
    let largest = entries.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    for k in 0..size {
        entries[k * size + k] += regularisation * largest;
    }
    lu.factor().ok()?;
    let least = (0..size).map(|k| lu.entries()[k * size + k].abs()).fold(f64::INFINITY, f64::min);
    Some((lu, if size == 0 { 1.0 } else { least / largest }))
}

/// Moves `z` in some columns so that `w` is least in more rows than that, in the sense of least squares: normal
/// equations, which are exact enough for a small change that is refined. None if they are singular.
pub(super) fn spread(problem: &Scaled, block: &BlockFit, mut z: Vec<f64>) -> Option<Vec<f64>> {
    let size = block.columns.len();
    let mut lu = RealLu::new(size);
    let product = |j: usize, l: usize| -> f64 {
        block.rows.iter().map(|i| problem.row(*i)[j] * problem.row(*i)[l]).sum()
    };
    for (k, entry) in lu.entries_mut().iter_mut().enumerate() {
        *entry = product(block.columns[k / size], block.columns[k % size]);
    }
    lu.factor().ok()?;
    for _ in 0..STEPS {
        let residuals: Vec<f64> = block.rows.iter().map(|i| problem.residual(*i, &z)).collect();
        let slope = |j: &usize| -> f64 {
            block.rows.iter().zip(&residuals).map(|(i, r)| -problem.row(*i)[*j] * r).sum()
        };
        let mut step: Vec<f64> = block.columns.iter().map(slope).collect();
        lu.solve(&mut step);
        for (&j, step) in block.columns.iter().zip(&step) {
            z[j] += step;
        }
    }
    z.iter().all(|z| z.is_finite()).then_some(z)
}
