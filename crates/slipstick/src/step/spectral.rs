//! How fast the fastest motion around a point is, by power iteration with differences (as in RKC; Sommeijer, Shampine, Verwer, J. Comput. Appl. Math. 88, 1998).
//!
//! In a mechanism positions and speeds are of different size, and the Jacobian takes one to the other and back: so the growth over two multiplications is measured, which is the square
//! of the spectral radius.

use super::Trial;
use crate::formulation::{Field, Flow};

/// So many pairs of multiplications.
const PAIRS: usize = 3;

/// The spectral radius of the Jacobian at the start of a trial, about; none if the field is not finite around it. Takes seven right-hand sides.
pub(super) fn spectral_radius(field: &mut Flow<'_>, trial: &Trial) -> Option<f64> {
    let (t, y, n) = (trial.t, &trial.start, trial.start.len());
    let (mut here, mut there, mut beside) = (vec![0.0; n], vec![0.0; n], y.clone());
    field.derivative(t, y, &mut here);
    // A direction without zeros in which no two entries are likely to make up for each other.
    let mut x: Vec<f64> = (0..n).map(|i| 1.0 + 0.7 * (1.7 * i as f64).sin()).collect();
    let mut square = 0.0;
    for _ in 0..PAIRS {
        square = 1.0;
        for _ in 0..2 {
            let length = norm(&x);
            let reach = f64::EPSILON.sqrt() * norm(y).max(1.0) / length;
            beside.iter_mut().zip(y.iter().zip(&x)).for_each(|(b, (y, x))| *b = y + reach * x);
            field.derivative(t, &beside, &mut there);
            x.iter_mut().zip(there.iter().zip(&here)).for_each(|(x, (a, b))| *x = (a - b) / reach);
            square *= norm(&x) / length;
        }
        if !(square > 0.0 && square.is_finite()) {
            return None;
        }
    }
    Some(square.sqrt())
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
