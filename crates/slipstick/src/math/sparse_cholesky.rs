//! The factors `L D Lᵀ` of a symmetric matrix with few entries, row by row (Davis, Direct Methods for Sparse Linear Systems, SIAM 2006, chapter 4).
//!
//! The order and the places of entries are found once (`elimination.rs`). Pivots that vanish can be left out, as those of rows that follow from others.

use super::elimination::{Elimination, NONE};

/// Factors of a symmetric matrix whose places do not change.
#[derive(Clone, Debug)]
pub(super) struct SparseCholesky {
    tree: Elimination,
    /// `L` by columns, without its diagonal of ones, and `D`.
    filled: Vec<usize>,
    rows: Vec<usize>,
    lower: Vec<f64>,
    diagonal: Vec<f64>,
    /// The unknown whose pivot is least beside its diagonal entry, of those that were not left out, and which part it is.
    least_pivot: (usize, f64),
    /// The row that is being made, the columns in which it has entries, and marks.
    work: Vec<f64>,
    pattern: Vec<usize>,
    marks: Vec<usize>,
}

impl SparseCholesky {
    /// For `n` unknowns and entries at the given places of one half, or both; those of the diagonal too.
    pub(super) fn new(n: usize, places: &[(usize, usize)]) -> Self {
        let tree = Elimination::new((n, n), places);
        Self {
            filled: vec![0; n],
            rows: vec![0; tree.filled()],
            lower: vec![0.0; tree.filled()],
            tree,
            diagonal: vec![0.0; n],
            least_pivot: (0, 1.0),
            work: vec![0.0; n],
            pattern: Vec::with_capacity(n),
            marks: vec![NONE; n],
        }
    }

    /// About how many multiplications the factors take.
    pub(super) fn work(&self) -> f64 {
        self.tree.work()
    }

    /// The place of an unknown in the order.
    pub(super) fn place(&self, unknown: usize) -> usize {
        self.tree.place[unknown]
    }

    /// The pivot at a place; infinite if it was left out.
    pub(super) fn pivot(&self, place: usize) -> f64 {
        self.diagonal[place]
    }

    /// The unknown whose pivot is least beside its diagonal entry, of those that were not left out, and which part it is.
    pub(super) fn least_pivot(&self) -> (usize, f64) {
        self.least_pivot
    }

    /// Factors the matrix with these entries, in the order of their places. A pivot of at most `least` of its diagonal entry is handed to `vanish`,
    /// with its unknown, and left out; its answer `false` gives the matrix up.
    pub(super) fn factor(
        &mut self,
        values: &[f64],
        least: impl Fn(usize) -> f64,
        mut vanish: impl FnMut(usize, f64) -> bool,
    ) -> bool {
        self.filled.fill(0);
        self.marks.fill(NONE);
        self.least_pivot = (0, 1.0);
        for k in 0..self.diagonal.len() {
            let size = self.gather_row(k, values);
            let pivot = self.eliminate(k);
            self.diagonal[k] = pivot;
            if pivot.is_nan() || pivot <= least(self.tree.order[k]) * size {
                self.diagonal[k] = f64::INFINITY;
                if !vanish(self.tree.order[k], pivot) {
                    return false;
                }
            } else if pivot < self.least_pivot.1 * size {
                self.least_pivot = (self.tree.order[k], pivot / size);
            }
        }
        true
    }

    /// Brings row `k` of the matrix to the work, and the columns in which that row of `L` has entries to the pattern. Gives the diagonal entry.
    fn gather_row(&mut self, k: usize, values: &[f64]) -> f64 {
        self.tree.find_pattern(k, &mut self.marks, &mut self.pattern);
        for entry in self.tree.entries(k) {
            self.work[entry.row] += values[entry.number];
        }
        self.work[k]
    }

    /// Takes the columns before off row `k`; gives what is left on the diagonal.
    fn eliminate(&mut self, k: usize) -> f64 {
        let mut pivot = std::mem::take(&mut self.work[k]);
        for &i in &self.pattern {
            let entry = std::mem::take(&mut self.work[i]);
            let start = self.tree.column_starts[i];
            let column = start..start + self.filled[i];
            for (row, lower) in self.rows[column.clone()].iter().zip(&self.lower[column.clone()]) {
                self.work[*row] -= lower * entry;
            }
            let scaled = entry / self.diagonal[i];
            pivot -= scaled * entry;
            self.rows[column.end] = k;
            self.lower[column.end] = scaled;
            self.filled[i] += 1;
        }
        pivot
    }

    /// `x ← L⁻¹ x`, in the new order.
    pub(super) fn forward(&self, x: &mut [f64]) {
        for i in 0..x.len() {
            self.forward_from(i, x);
        }
    }

    /// Takes column `i` of `L` off, times `x` there.
    #[inline]
    pub(super) fn forward_from(&self, i: usize, x: &mut [f64]) {
        let here = x[i];
        for (row, lower) in self.column(i) {
            x[row] -= lower * here;
        }
    }

    pub(super) fn tree(&self) -> &Elimination {
        &self.tree
    }

    #[inline]
    fn column(&self, i: usize) -> impl Iterator<Item = (usize, f64)> {
        let column = self.tree.column_starts[i]..self.tree.column_starts[i + 1];
        self.rows[column.clone()].iter().copied().zip(self.lower[column].iter().copied())
    }

    /// Solves for the unknowns of a right-hand side in their own order; `scratch` has the same length.
    pub(super) fn solve(&self, x: &mut [f64], scratch: &mut [f64]) {
        for (scratch, &unknown) in scratch.iter_mut().zip(&self.tree.order) {
            *scratch = x[unknown];
        }
        self.forward(scratch);
        for (scratch, pivot) in scratch.iter_mut().zip(&self.diagonal) {
            *scratch /= pivot;
        }
        for i in (0..scratch.len()).rev() {
            let sum: f64 = self.column(i).map(|(row, lower)| lower * scratch[row]).sum();
            scratch[i] -= sum;
        }
        // What was left out is zero: its multiplier is carried by others.
        for (k, &unknown) in self.tree.order.iter().enumerate() {
            x[unknown] = if self.diagonal[k].is_infinite() { 0.0 } else { scratch[k] };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A symmetric positive definite matrix by its lower half, with entries where the seeds are large.
    fn definite(n: usize, seeds: &[f64]) -> (Vec<(usize, usize)>, Vec<f64>) {
        let mut entries = Vec::new();
        for i in 0..n {
            for j in 0..i {
                let seed = seeds[(7 * i + 3 * j) % seeds.len()];
                if seed.abs() > 0.6 {
                    entries.push(((i, j), seed));
                }
            }
            entries.push(((i, i), n as f64 + seeds[i % seeds.len()]));
        }
        entries.into_iter().unzip()
    }

    fn residual(places: &[(usize, usize)], values: &[f64], x: &[f64], b: &[f64]) -> f64 {
        let mut left = b.to_vec();
        for (&(i, j), value) in places.iter().zip(values) {
            left[i] -= value * x[j];
            if i != j {
                left[j] -= value * x[i];
            }
        }
        left.into_iter().fold(0.0, |worst: f64, r| worst.max(r.abs()))
    }

    proptest! {
        #[test]
        fn the_solution_meets_the_equations(n in 1..40_usize, seeds in prop::collection::vec(-1.0..1.0_f64, 53)) {
            let (places, values) = definite(n, &seeds);
            let mut factors = SparseCholesky::new(n, &places);
            for _ in 0..2 {
                prop_assert!(factors.factor(&values, |_| 0.0, |_, _| false));
                let b: Vec<f64> = (0..n).map(|i| seeds[i % 53]).collect();
                let (mut x, mut scratch) = (b.clone(), vec![0.0; n]);
                factors.solve(&mut x, &mut scratch);
                prop_assert!(residual(&places, &values, &x, &b) < 1e-12);
            }
        }
    }

    #[test]
    fn an_arrow_fills_nothing_whichever_way_it_points() {
        for tip in [0, 49] {
            let places: Vec<(usize, usize)> =
                (0..50).flat_map(|i| [(i, i), (i.max(tip), i.min(tip))]).collect();
            assert_eq!(SparseCholesky::new(50, &places).lower.len(), 49);
        }
    }

    #[test]
    fn pivots_that_vanish_are_left_out() {
        // The third unknown is the sum of the others.
        let places = [(0, 0), (1, 1), (2, 0), (2, 1), (2, 2)];
        let values = [1.0, 1.0, 1.0, 1.0, 2.0];
        let mut factors = SparseCholesky::new(3, &places);
        let mut left_out = Vec::new();
        assert!(factors.factor(
            &values,
            |_| 1e-12,
            |unknown, _| {
                left_out.push(unknown);
                true
            }
        ));
        assert_eq!(left_out.len(), 1);
        let (mut x, mut scratch) = (vec![1.0, 2.0, 3.0], vec![0.0; 3]);
        factors.solve(&mut x, &mut scratch);
        assert!(residual(&places, &values, &x, &[1.0, 2.0, 3.0]) < 1e-14, "{x:?}");
        assert!(!factors.factor(&values, |_| 1e-12, |_, _| false));
    }
}
