//! Projected block Gauss-Seidel: Cottle, Pang, Stone, chapter 5.
//!
//! Blocks are solved in turn with the others held. That converges for symmetric semidefinite matrices with a
//! solution, slowly; so once the set of positive `z` has settled, its equations are solved instead.

use std::ops::Range;

use super::judge::{judge, outcome, polish};
use super::lemke::lemke;
use super::scaled::Scaled;
use super::{LcpOutcome, Problem, Solution};

/// A set that stays for so many sweeps has settled.
const SETTLED: usize = 4;

/// Solves a problem by at most so many sweeps over its blocks. Blocks of more than one row are solved by
/// Lemke's method; rows in no block keep `z = 0`.
pub fn gauss_seidel(problem: &Problem, blocks: &[Range<usize>], sweeps: usize) -> LcpOutcome {
    let Some(scaled) = Scaled::new(problem) else { return LcpOutcome::Limit };
    if blocks.iter().any(|block| block.start > block.end || block.end > scaled.n) {
        return LcpOutcome::Limit;
    }
    outcome(sweep(&scaled, blocks, sweeps).0)
}

/// The solution, if one was found, and where the sweeps ended, in scaled units.
pub(super) fn sweep(
    problem: &Scaled,
    blocks: &[Range<usize>],
    sweeps: usize,
) -> (Option<Solution>, Vec<f64>) {
    let mut z = vec![0.0; problem.n];
    let (mut set, mut stays) = (vec![false; problem.n], 0);
    for _ in 0..sweeps {
        if !blocks.iter().all(|block| relax(problem, block, &mut z)) {
            break;
        }
        let now: Vec<bool> = z.iter().map(|z| *z > 0.0).collect();
        stays = if now == set { stays + 1 } else { 0 };
        set = now;
        if stays == SETTLED
            && let Some(solution) = polish(problem, &set, &z)
        {
            return (Some(solution), z);
        }
    }
    (judge(problem, &z, &set).or_else(|| polish(problem, &set, &z)), z)
}

/// Solves one block; false if it has no solution.
fn relax(problem: &Scaled, block: &Range<usize>, z: &mut [f64]) -> bool {
    if block.len() == 1 {
        let i = block.start;
        let diagonal = problem.row(i)[i];
        let next = (z[i] - problem.residual(i, z) / diagonal).max(0.0);
        z[i] = next;
        return diagonal > 0.0 && next.is_finite();
    }
    z[block.clone()].fill(0.0);
    let constant: Vec<f64> = block.clone().map(|i| problem.residual(i, z)).collect();
    let matrix: Vec<f64> =
        block.clone().flat_map(|i| problem.row(i)[block.clone()].iter().copied()).collect();
    let found = lemke(&Problem { matrix: &matrix, constant: &constant }).solution();
    found.is_some_and(|solution| {
        z[block.clone()].copy_from_slice(&solution.z);
        true
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stack of `n` equal bodies: contacts one above the other, each coupled to its neighbours.
    fn stack(n: usize) -> Vec<f64> {
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        };
        (0..n * n).map(|k| entry(k / n, k % n)).collect()
    }

    #[test]
    fn blocks_of_any_size_lead_to_the_same_solution() {
        let n = 12;
        let (matrix, constant) = (stack(n), (0..n).map(|i| (i as f64).sin()).collect::<Vec<f64>>());
        let problem = Problem { matrix: &matrix, constant: &constant };
        let exact = lemke(&problem).solution().unwrap();
        for size in [1, 3, 5] {
            let blocks: Vec<_> = (0..n).step_by(size).map(|i| i..(i + size).min(n)).collect();
            let solution = gauss_seidel(&problem, &blocks, 1000).solution().unwrap();
            assert_eq!(solution.basic, exact.basic);
            assert!(solution.z.iter().zip(&exact.z).all(|(a, b)| (a - b).abs() < 1e-12 * (1.0 + b)));
        }
    }

    #[test]
    fn what_does_not_converge_is_a_limit() {
        let problem = Problem { matrix: &[0.0, 1.0, -1.0, 0.0], constant: &[-1.0, 1.0] };
        assert_eq!(gauss_seidel(&problem, &[0..1, 1..2], 50), LcpOutcome::Limit);
        assert_eq!(gauss_seidel(&problem, std::slice::from_ref(&(1..7)), 50), LcpOutcome::Limit);
        assert!(gauss_seidel(&problem, std::slice::from_ref(&(0..2)), 50).solution().is_some());
    }
}
