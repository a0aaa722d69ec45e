//! The Cholesky factor of a small symmetric matrix, by rows.

use crate::math::dot;

/// A pivot of less than this part of its diagonal entry is rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Replaces the lower half of a matrix of `d` rows by its factor; the error is a pivot that is not positive.
pub(super) fn factor(matrix: &mut [f64], d: usize) -> Result<(), f64> {
    for j in 0..d {
        let size = matrix[j * d + j].abs();
        let (done, rest) = matrix.split_at_mut((j + 1) * d);
        let row = &mut done[j * d..];
        let pivot = row[j] - dot(&row[..j], &row[..j]);
        if pivot.is_nan() || pivot <= ROUNDING * size {
            return Err(pivot);
        }
        row[j] = pivot.sqrt();
        for other in rest.chunks_exact_mut(d) {
            other[j] = (other[j] - dot(&other[..j], &row[..j])) / row[j];
        }
    }
    Ok(())
}

/// Solves with the factor.
pub(super) fn solve(factor: &[f64], x: &mut [f64]) {
    let d = x.len();
    for i in 0..d {
        x[i] = (x[i] - dot(&factor[i * d..i * d + i], &x[..i])) / factor[i * d + i];
    }
    for i in (0..d).rev() {
        let sum: f64 = (i + 1..d).map(|k| factor[k * d + i] * x[k]).sum();
        x[i] = (x[i] - sum) / factor[i * d + i];
    }
}
