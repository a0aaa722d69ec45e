//! An orthonormal basis of some rows of a matrix.

use crate::math::{Matrix, dot};
use std::ops::Range;

/// Less than this part of a row that is left beside the others is rounding.
const NOTHING_LEFT: f64 = 1e-10;

/// Directions of length one across each other. One of a row that follows from others is zero.
#[derive(Clone, Debug)]
pub struct RowBasis {
    n: usize,
    directions: Vec<f64>,
}

impl RowBasis {
    /// Room for the basis of some rows with `n` entries.
    pub fn new(n: usize, rows: usize) -> Self {
        Self { n, directions: vec![0.0; n * rows] }
    }

    /// The directions.
    pub fn directions(&self) -> impl Iterator<Item = &[f64]> {
        self.directions.chunks_exact(self.n.max(1))
    }

    /// Takes the rows of a matrix, each less what it has along those before it.
    pub fn fill(&mut self, of: &Matrix, rows: Range<usize>) {
        for (k, row) in rows.enumerate() {
            let (found, rest) = self.directions.split_at_mut(k * self.n);
            let own = &mut rest[..self.n];
            own.fill(0.0);
            of.row(row).for_each(|(column, g)| own[column] = g);
            let whole = dot(own, own).sqrt();
            // Twice: the first time leaves rounding of what it takes off.
            for _ in 0..2 {
                found.chunks_exact(self.n.max(1)).for_each(|direction| take_along(own, direction));
            }
            let length = dot(own, own).sqrt();
            let factor = if length > NOTHING_LEFT * whole { 1.0 / length } else { 0.0 };
            for x in own {
                *x *= factor;
            }
        }
    }

    /// Takes off a vector what it has along the rows.
    pub fn take_off(&self, x: &mut [f64]) {
        self.directions().for_each(|direction| take_along(x, direction));
    }
}

fn take_along(x: &mut [f64], direction: &[f64]) {
    let along = dot(x, direction);
    x.iter_mut().zip(direction).for_each(|(x, direction)| *x -= along * direction);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_across_all_rows() {
        let mut rows = Matrix::full(3, 3);
        rows.values = vec![9.0, 9.0, 9.0, 1.0, 1.0, 0.0, 2.0, 2.0, 0.0];
        let mut basis = RowBasis::new(3, 2);
        basis.fill(&rows, 1..3);
        assert_eq!(basis.directions().nth(1), Some(&[0.0; 3][..]), "twice the first");
        let mut x = [3.0, 1.0, 5.0];
        basis.take_off(&mut x);
        assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] + 1.0).abs() < 1e-15 && x[2] == 5.0, "{x:?}");
    }
}
