//! The factors `L D U` of a matrix with few entries that need not be symmetric, but whose places are taken to
//! be: row by row, without exchanges (Davis, Direct Methods for Sparse Linear Systems, SIAM 2006, chapters 4
//! and 6).
//!
//! It is made for matrices that are near to symmetric ones that need no exchanges: definite ones, and those
//! of constrained mechanics, if each constraint comes behind all coordinates in it. Pivots that vanish can be
//! left out.

use super::elimination::{Elimination, NONE};
use crate::math::Scalar;

/// Factors of a matrix whose places do not change.
#[derive(Clone, Debug)]
pub(super) struct SparseLu<S = f64> {
    tree: Elimination,
    /// Whether the matrix is symmetric: then there is no `U` but the mirror image of `L`.
    is_symmetric: bool,
    /// `L` by columns and `U` by rows, without their diagonals of ones; they have the same places. And `D`.
    filled: Vec<usize>,
    others: Vec<usize>,
    lower: Vec<S>,
    upper: Vec<S>,
    diagonal: Vec<S>,
    left_out: Vec<bool>,
    /// The row of `L` and the column of `U` that are being made, the places at which they have entries, and
    /// marks.
    row: Vec<S>,
    column: Vec<S>,
    pattern: Vec<usize>,
    marks: Vec<usize>,
}

impl<S: Scalar> SparseLu<S> {
    /// For `n` unknowns and entries at the given places, each with its mirror image; those of the diagonal
    /// too. Unknowns from `late` on come behind all others that they share a place with.
    pub(super) fn new((n, late): (usize, usize), places: &[(usize, usize)]) -> Self {
        let tree = Elimination::new((n, late), places);
        let filled = tree.filled();
        Self {
            tree,
            is_symmetric: false,
            filled: vec![0; n],
            others: vec![0; filled],
            lower: vec![S::default(); filled],
            upper: vec![S::default(); filled],
            diagonal: vec![S::default(); n],
            left_out: vec![false; n],
            row: vec![S::default(); n],
            column: vec![S::default(); n],
            pattern: Vec::with_capacity(n),
            marks: vec![NONE; n],
        }
    }

    /// About how many multiplications the factors take.
    pub(super) fn work(&self) -> f64 {
        2.0 * self.tree.work()
    }

    /// How many entries the factors have.
    pub(super) fn entries(&self) -> f64 {
        (2 * self.tree.filled() + self.diagonal.len()) as f64
    }

    /// Factors the matrix with these entries, in the order of their places, and these mirror images of them;
    /// the same if there are none. The size of a pivot is handed to `vanishes`, with its unknown and the size
    /// of what it is made of; `Some` leaves it out, and `Some(false)` gives the matrix up.
    pub(super) fn factor(
        &mut self,
        entries: &[S],
        mirrored: Option<&[S]>,
        mut vanishes: impl FnMut(usize, f64, f64) -> Option<bool>,
    ) -> bool {
        self.filled.fill(0);
        self.marks.fill(NONE);
        self.is_symmetric = mirrored.is_none();
        for k in 0..self.diagonal.len() {
            self.tree.find_pattern(k, &mut self.marks, &mut self.pattern);
            self.gather(k, entries, mirrored);
            let (pivot, size) = if self.is_symmetric { self.eliminate_half(k) } else { self.eliminate(k) };
            self.diagonal[k] = pivot;
            self.left_out[k] = false;
            if let Some(goes_on) = vanishes(self.tree.order[k], pivot.size(), size) {
                // What is divided by that is nothing.
                self.diagonal[k] = S::from(f64::INFINITY);
                self.left_out[k] = true;
                if !goes_on {
                    return false;
                }
            }
        }
        true
    }

    /// Brings row and column `k` of the matrix to where they are made.
    fn gather(&mut self, k: usize, entries: &[S], mirrored: Option<&[S]>) {
        for entry in self.tree.entries(k) {
            let given = entries[entry.number];
            match mirrored {
                None => self.row[entry.row] += given,
                Some(mirrored) => {
                    let both = (given, mirrored[entry.number]);
                    let (below, above) = if entry.below { both } else { (both.1, both.0) };
                    self.row[entry.row] += below;
                    self.column[entry.row] += above;
                }
            }
        }
    }

    /// Takes what is before off row `k` of a symmetric matrix; gives what is left on the diagonal, and the
    /// size of what it is made of.
    fn eliminate_half(&mut self, k: usize) -> (S, f64) {
        let mut pivot = std::mem::take(&mut self.row[k]);
        let mut size = pivot.size();
        for &i in &self.pattern {
            let below = std::mem::take(&mut self.row[i]);
            let start = self.tree.column_starts[i];
            let end = start + self.filled[i];
            for (other, lower) in self.others[start..end].iter().zip(&self.lower[start..end]) {
                self.row[*other] -= *lower * below;
            }
            let scaled = below / self.diagonal[i];
            pivot -= scaled * below;
            size += (scaled * below).size();
            self.others[end] = k;
            self.lower[end] = scaled;
            self.filled[i] += 1;
        }
        (pivot, size)
    }

    /// Takes what is before off row and column `k`; gives what is left on the diagonal, and the size of what
    /// it is made of.
    fn eliminate(&mut self, k: usize) -> (S, f64) {
        let mut pivot = std::mem::take(&mut self.row[k]);
        let mut size = pivot.size();
        self.column[k] = S::default();
        for &i in &self.pattern {
            let (below, above) = (std::mem::take(&mut self.row[i]), std::mem::take(&mut self.column[i]));
            let start = self.tree.column_starts[i];
            let end = start + self.filled[i];
            let factors = self.lower[start..end].iter().zip(&self.upper[start..end]);
            for (other, (lower, upper)) in self.others[start..end].iter().zip(factors) {
                self.row[*other] -= *upper * below;
                self.column[*other] -= *lower * above;
            }
            let scaled = below / self.diagonal[i];
            pivot -= scaled * above;
            size += (scaled * above).size();
            self.others[end] = k;
            self.lower[end] = scaled;
            self.upper[end] = above / self.diagonal[i];
            self.filled[i] += 1;
        }
        (pivot, size)
    }

    #[inline]
    fn range(&self, i: usize) -> std::ops::Range<usize> {
        self.tree.column_starts[i]..self.tree.column_starts[i + 1]
    }

    /// Solves for the unknowns of a right-hand side in their own order; `scratch` has the same length.
    pub(super) fn solve(&self, x: &mut [S], scratch: &mut [S]) {
        for (scratch, &unknown) in scratch.iter_mut().zip(&self.tree.order) {
            *scratch = x[unknown];
        }
        for i in 0..scratch.len() {
            let here = scratch[i];
            for (other, lower) in self.others[self.range(i)].iter().zip(&self.lower[self.range(i)]) {
                scratch[*other] -= *lower * here;
            }
            scratch[i] = scratch[i] / self.diagonal[i];
        }
        let upper = if self.is_symmetric { &self.lower } else { &self.upper };
        for i in (0..scratch.len()).rev() {
            let mut sum = S::default();
            for (other, upper) in self.others[self.range(i)].iter().zip(&upper[self.range(i)]) {
                sum += *upper * scratch[*other];
            }
            scratch[i] -= sum;
        }
        // What was left out is zero: its multiplier is carried by others.
        for (k, &unknown) in self.tree.order.iter().enumerate() {
            x[unknown] = if self.left_out[k] { S::default() } else { scratch[k] };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A matrix whose diagonal outweighs the rest, but which is not symmetric.
        #[test]
        fn the_solution_meets_the_equations(n in 1..40_usize, seeds in prop::collection::vec(-1.0..1.0_f64, 53)) {
            let number = |k: usize| seeds[k % 53];
            let off = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).filter(|(i, j)| number(7 * i + 3 * j).abs() > 0.6);
            // Some places are given in the other half.
            let places: Vec<(usize, usize)> =
                off.map(|(i, j)| if (i + j) % 2 == 0 { (i, j) } else { (j, i) }).chain((0..n).map(|i| (i, i))).collect();
            let diagonal = |&(i, j): &(usize, usize)| if i == j { n as f64 } else { 0.0 };
            let entries: Vec<f64> = places.iter().enumerate().map(|(k, p)| number(k) + diagonal(p)).collect();
            let mirrored: Vec<f64> =
                places.iter().enumerate().map(|(k, p)| if p.0 == p.1 { entries[k] } else { number(5 * k + 2) }).collect();
            let mut factors = SparseLu::new((n, n), &places);
            for _ in 0..2 {
                prop_assert!(factors.factor(&entries, Some(&mirrored), |_, pivot, _| (pivot == 0.0).then_some(false)));
                let b: Vec<f64> = (0..n).map(number).collect();
                let (mut x, mut scratch, mut left) = (b.clone(), vec![0.0; n], b);
                factors.solve(&mut x, &mut scratch);
                for (k, &(i, j)) in places.iter().enumerate() {
                    left[i] -= entries[k] * x[j];
                    if i != j {
                        left[j] -= mirrored[k] * x[i];
                    }
                }
                prop_assert!(left.iter().all(|left| left.abs() < 1e-12), "{:?}", left);
            }
        }

        /// With its own mirror image, a matrix is factored in half the work and solved alike.
        #[test]
        fn a_symmetric_matrix_has_one_half(n in 1..40_usize, seeds in prop::collection::vec(-1.0..1.0_f64, 53)) {
            let number = |k: usize| seeds[k % 53];
            let off = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).filter(|(i, j)| number(7 * i + 3 * j).abs() > 0.6);
            let places: Vec<(usize, usize)> = off.chain((0..n).map(|i| (i, i))).collect();
            let entries: Vec<f64> = places.iter().enumerate().map(|(k, p)| number(k) + if p.0 == p.1 { n as f64 } else { 0.0 }).collect();
            let solve = |mirrored: Option<&[f64]>| {
                let mut factors = SparseLu::new((n, n), &places);
                assert!(factors.factor(&entries, mirrored, |_, pivot, _| (pivot == 0.0).then_some(false)));
                let (mut x, mut scratch) = ((0..n).map(number).collect::<Vec<f64>>(), vec![0.0; n]);
                factors.solve(&mut x, &mut scratch);
                x
            };
            for (a, b) in solve(None).iter().zip(solve(Some(&entries))) {
                prop_assert!((a - b).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn an_arrow_fills_nothing_whichever_way_it_points() {
        for tip in [0, 49] {
            let places: Vec<(usize, usize)> =
                (0..50).flat_map(|i| [(i, i), (i.max(tip), i.min(tip))]).collect();
            assert_eq!(SparseLu::<f64>::new((50, 50), &places).lower.len(), 49);
        }
    }

    #[test]
    fn pivots_that_vanish_are_left_out() {
        // The third unknown is the sum of the others.
        let places = [(0, 0), (1, 1), (2, 0), (2, 1), (2, 2)];
        let values = [1.0, 1.0, 1.0, 1.0, 2.0];
        let mut factors = SparseLu::new((3, 3), &places);
        let vanishes = |pivot: f64, size: f64| pivot <= 1e-12 * size;
        let mut left_out = 0;
        assert!(factors.factor(&values, None, |_, pivot, size| {
            left_out += usize::from(vanishes(pivot, size));
            vanishes(pivot, size).then_some(true)
        }));
        assert_eq!(left_out, 1);
        let (mut x, mut scratch) = (vec![1.0, 2.0, 3.0], vec![0.0; 3]);
        factors.solve(&mut x, &mut scratch);
        let sums = [x[0] + x[2] - 1.0, x[1] + x[2] - 2.0, x[0] + x[1] + 2.0 * x[2] - 3.0];
        assert!(sums.iter().all(|left| left.abs() < 1e-14), "{x:?}");
        assert!(!factors.factor(&values, None, |_, pivot, size| vanishes(pivot, size).then_some(false)));
    }
}
