//! The inverse of a small matrix in full, with room for what has none.
//!
//! In: a symmetric matrix `[M Gᵀ; G 0]`. Out: its inverse, in which rows of G that are zero or follow from
//! others are zero, and so are their columns. Pivots are the largest entries that are left, after masses and
//! rows are scaled to one.

/// Pivots below this, in a matrix whose entries are scaled to one, are of rows that follow from others.
const LEAST_PIVOT: f64 = 1e-11;

/// Room for the inverse of matrices of one size.
#[derive(Clone, Debug)]
pub struct FullInverse {
    size: usize,
    /// The first rows and columns are those of M.
    masses: usize,
    work: Vec<f64>,
    scale: Vec<f64>,
    /// The column that each row has its pivot in, and whether a column has one.
    column_of: Vec<Option<usize>>,
    taken: Vec<bool>,
    inverse: Vec<f64>,
}

impl FullInverse {
    /// Room for matrices with so many rows, of which the first are those of M.
    pub fn new(size: usize, masses: usize) -> Self {
        let zeros = vec![0.0; size * size];
        Self {
            size,
            masses,
            work: zeros.clone(),
            scale: vec![0.0; size],
            column_of: vec![None; size],
            taken: vec![false; size],
            inverse: zeros,
        }
    }

    /// The rows of the inverse.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.inverse.chunks(self.size.max(1))
    }

    /// Finds the inverse of a matrix that is given by rows.
    pub fn invert(&mut self, entries: impl Iterator<Item = f64>) {
        for (place, entry) in self.work.iter_mut().zip(entries) {
            *place = entry;
        }
        self.find_scales();
        let (size, scale) = (self.size, &self.scale);
        for (place, entry) in self.work.iter_mut().enumerate() {
            *entry *= scale[place / size] * scale[place % size];
        }
        self.column_of.fill(None);
        self.taken.fill(false);
        while let Some((row, column)) = self.pivot() {
            self.exchange(row, column);
            (self.column_of[row], self.taken[column]) = (Some(column), true);
        }
        self.take_inverse();
    }

    /// Factors that bring masses to one on the diagonal, and the rows of G to one at their largest entry.
    fn find_scales(&mut self) {
        let Self { size, masses, work, scale, .. } = self;
        let inverse = |x: f64| if x > 0.0 { 1.0 / x } else { 0.0 };
        scale.fill(1.0);
        for row in 0..*masses {
            scale[row] = inverse(largest(&work[row * *size..][..*masses], &[]).sqrt());
        }
        // A coordinate without a mass moves with those that have one.
        let common = scale[..*masses].iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        scale[..*masses].iter_mut().filter(|scale| **scale == 0.0).for_each(|scale| *scale = common);
        for row in *masses..*size {
            scale[row] = inverse(largest(&work[row * *size..][..*masses], scale));
        }
    }

    /// The largest entry in rows and columns that have no pivot yet, if it is not too small.
    fn pivot(&self) -> Option<(usize, usize)> {
        let mut best = (LEAST_PIVOT, None);
        for row in (0..self.size).filter(|&row| self.column_of[row].is_none()) {
            for column in (0..self.size).filter(|&column| !self.taken[column]) {
                let entry = self.work[row * self.size + column].abs();
                if entry > best.0 {
                    best = (entry, Some((row, column)));
                }
            }
        }
        best.1
    }

    /// Lets a row and a column of `y = A x` change places: afterwards the row gives x.
    fn exchange(&mut self, row: usize, column: usize) {
        let size = self.size;
        let (before, rest) = self.work.split_at_mut(row * size);
        let (pivots, after) = rest.split_at_mut(size);
        let inverse = 1.0 / pivots[column];
        for other in before.chunks_mut(size).chain(after.chunks_mut(size)) {
            let factor = other[column] * inverse;
            for (entry, pivot) in other.iter_mut().zip(&*pivots) {
                *entry -= factor * pivot;
            }
            other[column] = factor;
        }
        for entry in &mut *pivots {
            *entry *= -inverse;
        }
        pivots[column] = inverse;
    }

    fn take_inverse(&mut self) {
        let Self { size, work, scale, column_of, inverse, .. } = self;
        inverse.fill(0.0);
        for (row, x) in column_of.iter().enumerate().filter_map(|(row, x)| Some((row, (*x)?))) {
            for (y, column) in column_of.iter().enumerate().filter_map(|(y, column)| Some((y, (*column)?))) {
                inverse[x * *size + y] = scale[x] * scale[y] * work[row * *size + column];
            }
        }
    }
}

/// The largest entry of a row, each times its weight; without weights as it is.
fn largest(row: &[f64], weights: &[f64]) -> f64 {
    let weighted = |(k, entry): (usize, &f64)| entry.abs() * weights.get(k).copied().unwrap_or(1.0);
    row.iter().enumerate().map(weighted).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_leaves_out_what_follows() {
        // Masses 2 and 3, one joint twice, and one that says nothing.
        let mut a = vec![0.0; 25];
        (a[0], a[6]) = (2.0, 3.0);
        for (k, g) in [1.0, -2.0].into_iter().enumerate() {
            (a[10 + k], a[k * 5 + 2]) = (g, g);
            (a[15 + k], a[k * 5 + 3]) = (1e6 * g, 1e6 * g);
        }
        let mut inverse = FullInverse::new(5, 2);
        inverse.invert(a.into_iter());
        // For the forces (1, 1) the motion is along (2, 1): 3 = (8 + 3) c.
        let solved: Vec<f64> = inverse.rows().map(|row| row[0] + row[1]).collect();
        assert!((solved[0] - 6.0 / 11.0).abs() < 1e-15 && (solved[1] - 3.0 / 11.0).abs() < 1e-15);
        assert!(
            solved[4] == 0.0 && (solved[2] == 0.0 || solved[3] == 0.0),
            "one of two equal joints carries"
        );
    }

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let a = [4.0, 1.0, 0.3, 1.0, 1e-6, -2e-3, 0.3, -2e-3, 0.0];
        let mut inverse = FullInverse::new(3, 2);
        inverse.invert(a.into_iter());
        for (i, row) in a.chunks(3).enumerate() {
            for j in 0..3 {
                let entry: f64 = row.iter().zip(inverse.rows()).map(|(a, x)| a * x[j]).sum();
                let size: f64 = row.iter().zip(inverse.rows()).map(|(a, x)| (a * x[j]).abs()).sum();
                let expected = f64::from(u8::from(i == j));
                assert!((entry - expected).abs() < 1e-13 * size.max(1.0), "{i} {j}: {entry}");
            }
        }
    }
}
