//! Matrices with entries at places that do not change, by rows. A full one has its entries where a plain
//! array by rows has them.

/// A matrix with a fixed structure.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    columns: usize,
    /// Where the entries of each row begin, and behind them where the last ends.
    starts: Vec<usize>,
    /// The column of each entry, ascending in a row.
    places: Vec<usize>,
    /// The entries.
    pub values: Vec<f64>,
}

impl Matrix {
    /// A matrix of zeros that has an entry everywhere.
    pub fn full(rows: usize, columns: usize) -> Self {
        let starts = (0..=rows).map(|row| row * columns).collect();
        let places = (0..rows * columns).map(|k| k % columns).collect();
        Self { columns, starts, places, values: vec![0.0; rows * columns] }
    }

    /// A matrix of zeros with entries at the given places, which are sorted and made unique.
    pub fn with_places(rows: usize, columns: usize, places: &[(usize, usize)]) -> Self {
        let mut sorted = places.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let mut starts = vec![0; rows + 1];
        for (row, _) in &sorted {
            starts[row + 1] += 1;
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        let places: Vec<usize> = sorted.into_iter().map(|(_, column)| column).collect();
        Self { columns, starts, values: vec![0.0; places.len()], places }
    }

    /// The matrix that is one on its diagonal.
    pub fn identity(n: usize) -> Self {
        let places: Vec<(usize, usize)> = (0..n).map(|i| (i, i)).collect();
        let mut identity = Self::with_places(n, n, &places);
        identity.values.fill(1.0);
        identity
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Whether there is an entry everywhere.
    pub fn is_full(&self) -> bool {
        self.places.len() == self.rows() * self.columns
    }

    /// The places of all entries, in their order.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.rows()).flat_map(|row| self.places_of(row).iter().map(move |&column| (row, column)))
    }

    /// The columns in which a row has entries.
    #[inline]
    pub fn places_of(&self, row: usize) -> &[usize] {
        &self.places[self.starts[row]..self.starts[row + 1]]
    }

    /// The entries of a row, with their columns.
    #[inline]
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.starts[row]..self.starts[row + 1];
        self.places[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// The entries of a row, to be changed.
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[self.starts[row]..self.starts[row + 1]]
    }

    /// Where the entry of a row and column is among the values, if there is one.
    pub fn slot(&self, row: usize, column: usize) -> Option<usize> {
        self.places_of(row).binary_search(&column).ok().map(|k| self.starts[row] + k)
    }

    /// Writes all entries to an array by rows, zero elsewhere.
    pub fn spread(&self, out: &mut [f64]) {
        if self.values.len() == out.len() {
            return out.copy_from_slice(&self.values);
        }
        out.fill(0.0);
        for (row, out) in out.chunks_exact_mut(self.columns.max(1)).enumerate() {
            for (column, value) in self.row(row) {
                out[column] = value;
            }
        }
    }

    /// A row times a vector.
    #[inline]
    pub fn row_times(&self, row: usize, x: &[f64]) -> f64 {
        self.row(row).map(|(column, value)| value * x[column]).sum()
    }

    /// The matrix times a vector.
    #[inline]
    pub fn times(&self, x: &[f64], out: &mut [f64]) {
        let mut first = 0;
        for (&end, out) in self.starts[1..].iter().zip(out) {
            let entries = self.places[first..end].iter().zip(&self.values[first..end]);
            *out = entries.map(|(&column, value)| value * x[column]).sum();
            first = end;
        }
    }

    /// Adds a multiple of the transposed matrix times `x` to `out`.
    pub fn add_transposed(&self, factor: f64, x: &[f64], out: &mut [f64]) {
        for (row, x) in x.iter().enumerate() {
            for (column, value) in self.row(row) {
                out[column] += factor * value * x;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_matrix_is_an_array_by_rows() {
        let mut full = Matrix::full(2, 3);
        full.values = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert!(full.is_full() && full.row(1).eq([(0, 4.0), (1, 5.0), (2, 6.0)]));
        let mut out = [0.0; 6];
        full.spread(&mut out);
        assert_eq!(out, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(full.row_times(0, &[1.0, 0.0, 2.0]), 7.0);
    }

    #[test]
    fn places_are_sorted_and_counted_once() {
        let mut some = Matrix::with_places(3, 3, &[(2, 1), (0, 0), (2, 1), (2, 0)]);
        assert!(some.places().eq([(0, 0), (2, 0), (2, 1)]) && !some.is_full());
        some.values = vec![1.0, 2.0, 3.0];
        let mut out = [9.0; 9];
        some.spread(&mut out);
        assert_eq!(out, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 3.0, 0.0]);
        let mut along = [0.0; 3];
        some.add_transposed(2.0, &[1.0, 1.0, 1.0], &mut along);
        assert_eq!(along, [6.0, 6.0, 0.0]);
    }
}
