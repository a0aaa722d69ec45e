//! All extreme solutions of a small problem, by trying: the oracle of the tests.
//!
//! A solution with `z_S > 0` has `w_S = 0`. If `M_SS` is regular, that is all there is. If it is singular, the
//! solutions with these signs are a polyhedron without a line in it: if it is not empty it has a corner, at
//! which `z_S` is determined by as many rows with `w_R = 0`. So all square blocks are tried, and no solution
//! found means that there is none.

use super::block::{BlockFit, fit, fit_regular};
use super::judge::judge;
use super::scaled::Scaled;
use super::{Problem, Solution};

/// The largest dimension that is enumerated: 2⁸ blocks, and 12870 if all are singular.
pub const LARGEST_ENUMERATED: usize = 8;
/// A block is far from singular if its smallest pivot is not below this part of its largest entry.
const FAR_FROM_SINGULAR: f64 = 1e-9;
/// Solutions that differ by less than this part of their largest entry, in scaled units, are the same.
const SAME: f64 = 1e-9;

/// All extreme solutions; an empty list proves that there is none. Refused (none) above dimension
/// [`LARGEST_ENUMERATED`], and for problems that are not square or not finite.
pub fn enumerate(problem: &Problem) -> Option<Vec<Solution>> {
    if problem.constant.len() > LARGEST_ENUMERATED {
        return None;
    }
    let scaled = Scaled::new(problem)?;
    let n = scaled.n;
    let mut found = Candidates { problem: &scaled, scaled: Vec::new(), all: Vec::new() };
    for mask in 0..1_u32 << n {
        let columns = members(mask, n);
        if !found.try_block(&columns, &columns) {
            // Where rounding has made a consistent block inconsistent, no corner fits all its rows.
            found.add(fit(&scaled, &BlockFit { rows: &columns, columns: &columns }, &vec![0.0; n]), &columns);
            let others = (0..1_u32 << n).filter(|rows| rows.count_ones() == mask.count_ones());
            for rows in others {
                found.try_block(&members(rows, n), &columns);
            }
        }
    }
    Some(found.all)
}

/// What was found, in scaled units and in those of the problem.
struct Candidates<'a> {
    problem: &'a Scaled,
    scaled: Vec<Vec<f64>>,
    all: Vec<Solution>,
}

impl Candidates<'_> {
    /// Adds the solution of one block, if there is one that is new; tells whether the block is far from
    /// singular.
    fn try_block(&mut self, rows: &[usize], columns: &[usize]) -> bool {
        let (z, regular) = fit_regular(self.problem, &BlockFit { rows, columns }, FAR_FROM_SINGULAR);
        self.add(z, columns);
        regular
    }

    fn add(&mut self, z: Option<Vec<f64>>, columns: &[usize]) {
        let Some(z) = z else { return };
        let z: Vec<f64> = z.into_iter().map(|z| z.max(0.0)).collect();
        let mut basic = vec![false; self.problem.n];
        for &j in columns {
            basic[j] = true;
        }
        if let Some(solution) = judge(self.problem, &z, &basic)
            && !self.scaled.iter().any(|other| same(other, &z))
        {
            self.scaled.push(z);
            self.all.push(solution);
        }
    }
}

fn members(mask: u32, n: usize) -> Vec<usize> {
    (0..n).filter(|i| mask >> i & 1 == 1).collect()
}

fn same(a: &[f64], b: &[f64]) -> bool {
    let largest = a.iter().chain(b).fold(0.0_f64, |largest, x| largest.max(x.abs()));
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME * largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solution_without_a_regular_basis_is_found() {
        let problem = Problem { matrix: &[0.0, 1.0, 0.0, 0.0], constant: &[-1.0, 0.0] };
        let all = enumerate(&problem).unwrap();
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].z.as_slice(), all[0].w.as_slice()), (&[0.0, 1.0][..], &[0.0, 0.0][..]));
    }

    #[test]
    fn large_problems_are_refused() {
        assert_eq!(enumerate(&Problem { matrix: &[1.0; 81], constant: &[1.0; 9] }), None);
    }
}
