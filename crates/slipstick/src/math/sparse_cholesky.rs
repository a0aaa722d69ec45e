//! The factors `L D Lᵀ` of a symmetric matrix with few entries, row by row (Davis, Direct Methods for Sparse Linear Systems, SIAM 2006, chapter 4), in an
//! order that keeps the factors small: the unknown with the fewest neighbours first.
//!
//! The order and the places of entries are found once. Pivots that vanish can be left out, as those of rows that follow from others.

use std::collections::BTreeSet;

/// No column.
const NONE: usize = usize::MAX;

/// Factors of a symmetric matrix whose places do not change.
#[derive(Clone, Debug)]
pub(super) struct SparseCholesky {
    /// The unknown at each place of the order, and the place of each unknown.
    order: Vec<usize>,
    place: Vec<usize>,
    /// By columns of the upper half, in the new order: where the column begins, and for each entry its row and its number among the values.
    starts: Vec<usize>,
    entries: Vec<(usize, usize)>,
    parent: Vec<usize>,
    /// `L` by columns, without its diagonal of ones, and `D`.
    column_starts: Vec<usize>,
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
        let order = fewest_neighbours_first(n, places);
        let mut place = vec![0; n];
        for (k, &unknown) in order.iter().enumerate() {
            place[unknown] = k;
        }
        let (starts, entries) = upper_half(n, places, &place);
        let mut this = Self {
            order,
            place,
            starts,
            entries,
            parent: vec![NONE; n],
            column_starts: vec![0; n + 1],
            filled: vec![0; n],
            rows: Vec::new(),
            lower: Vec::new(),
            diagonal: vec![0.0; n],
            least_pivot: (0, 1.0),
            work: vec![0.0; n],
            pattern: Vec::with_capacity(n),
            marks: vec![NONE; n],
        };
        this.find_places();
        this
    }

    /// The elimination tree, and how many entries each column of `L` has.
    fn find_places(&mut self) {
        let n = self.order.len();
        for k in 0..n {
            self.marks[k] = k;
            for index in self.starts[k]..self.starts[k + 1] {
                let mut i = self.entries[index].0;
                while self.marks[i] != k {
                    if self.parent[i] == NONE {
                        self.parent[i] = k;
                    }
                    self.filled[i] += 1;
                    self.marks[i] = k;
                    i = self.parent[i];
                }
            }
        }
        for k in 0..n {
            self.column_starts[k + 1] = self.column_starts[k] + self.filled[k];
        }
        self.rows = vec![0; self.column_starts[n]];
        self.lower = vec![0.0; self.column_starts[n]];
    }

    /// About how many multiplications the factors take.
    pub(super) fn work(&self) -> f64 {
        self.column_starts.windows(2).map(|pair| ((pair[1] - pair[0] + 1) as f64).powi(2)).sum()
    }

    /// The place of an unknown in the order.
    pub(super) fn place(&self, unknown: usize) -> usize {
        self.place[unknown]
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
        least: f64,
        mut vanish: impl FnMut(usize, f64) -> bool,
    ) -> bool {
        self.filled.fill(0);
        self.marks.fill(NONE);
        self.least_pivot = (0, 1.0);
        for k in 0..self.order.len() {
            let size = self.gather_row(k, values);
            let pivot = self.eliminate(k);
            self.diagonal[k] = pivot;
            if pivot.is_nan() || pivot <= least * size {
                self.diagonal[k] = f64::INFINITY;
                if !vanish(self.order[k], pivot) {
                    return false;
                }
            } else if pivot < self.least_pivot.1 * size {
                self.least_pivot = (self.order[k], pivot / size);
            }
        }
        true
    }

    /// Brings row `k` of the matrix to the work, and the columns in which that row of `L` has entries to the pattern. Gives the diagonal entry.
    fn gather_row(&mut self, k: usize, values: &[f64]) -> f64 {
        self.pattern.clear();
        self.marks[k] = k;
        for index in self.starts[k]..self.starts[k + 1] {
            let (mut i, number) = self.entries[index];
            self.work[i] += values[number];
            while self.marks[i] != k {
                self.pattern.push(i);
                self.marks[i] = k;
                i = self.parent[i];
            }
        }
        // Columns must be taken off in ascending order.
        self.pattern.sort_unstable();
        self.work[k]
    }

    /// Takes the columns before off row `k`; gives what is left on the diagonal.
    fn eliminate(&mut self, k: usize) -> f64 {
        let mut pivot = std::mem::take(&mut self.work[k]);
        for &i in &self.pattern {
            let entry = std::mem::take(&mut self.work[i]);
            let column = self.column_starts[i]..self.column_starts[i] + self.filled[i];
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

    /// The places above `i` in the elimination tree: what can be changed by `x` there, when `L` is taken off.
    pub(super) fn above(&self, i: usize) -> impl Iterator<Item = usize> {
        let next = |&i: &usize| Some(self.parent[i]).filter(|&parent| parent != NONE);
        std::iter::successors(next(&i), move |i| next(i))
    }

    #[inline]
    fn column(&self, i: usize) -> impl Iterator<Item = (usize, f64)> {
        let column = self.column_starts[i]..self.column_starts[i + 1];
        self.rows[column.clone()].iter().copied().zip(self.lower[column].iter().copied())
    }

    /// Solves for the unknowns of a right-hand side in their own order; `scratch` has the same length.
    pub(super) fn solve(&self, x: &mut [f64], scratch: &mut [f64]) {
        for (scratch, &unknown) in scratch.iter_mut().zip(&self.order) {
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
        for (k, &unknown) in self.order.iter().enumerate() {
            x[unknown] = if self.diagonal[k].is_infinite() { 0.0 } else { scratch[k] };
        }
    }
}

/// The entries of the upper half by columns in the new order.
fn upper_half(n: usize, places: &[(usize, usize)], place: &[usize]) -> (Vec<usize>, Vec<(usize, usize)>) {
    let mut seen = BTreeSet::new();
    let mut sorted: Vec<(usize, usize, usize)> = Vec::new();
    for (number, &(i, j)) in places.iter().enumerate() {
        let (row, column) = (place[i].min(place[j]), place[i].max(place[j]));
        if seen.insert((column, row)) {
            sorted.push((column, row, number));
        }
    }
    sorted.sort_unstable();
    let mut starts = vec![0; n + 1];
    for (column, _, _) in &sorted {
        starts[column + 1] += 1;
    }
    for k in 0..n {
        starts[k + 1] += starts[k];
    }
    (starts, sorted.into_iter().map(|(_, row, number)| (row, number)).collect())
}

/// The unknowns in an order in which each has as few neighbours as possible when it is eliminated; its neighbours then are neighbours of each other.
fn fewest_neighbours_first(n: usize, places: &[(usize, usize)]) -> Vec<usize> {
    let mut neighbours = vec![BTreeSet::new(); n];
    for &(i, j) in places {
        if i != j {
            neighbours[i].insert(j);
            neighbours[j].insert(i);
        }
    }
    let mut queue: BTreeSet<(usize, usize)> = (0..n).map(|i| (neighbours[i].len(), i)).collect();
    let mut order = Vec::with_capacity(n);
    while let Some((_, next)) = queue.pop_first() {
        order.push(next);
        let around: Vec<usize> = std::mem::take(&mut neighbours[next]).into_iter().collect();
        for &i in &around {
            queue.remove(&(neighbours[i].len(), i));
            neighbours[i].remove(&next);
            neighbours[i].extend(around.iter().filter(|&&j| j != i));
            queue.insert((neighbours[i].len(), i));
        }
    }
    order
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
                prop_assert!(factors.factor(&values, 0.0, |_, _| false));
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
        assert!(factors.factor(&values, 1e-12, |unknown, _| {
            left_out.push(unknown);
            true
        }));
        assert_eq!(left_out.len(), 1);
        let (mut x, mut scratch) = (vec![1.0, 2.0, 3.0], vec![0.0; 3]);
        factors.solve(&mut x, &mut scratch);
        assert!(residual(&places, &values, &x, &[1.0, 2.0, 3.0]) < 1e-14, "{x:?}");
        assert!(!factors.factor(&values, 1e-12, |_, _| false));
    }
}
