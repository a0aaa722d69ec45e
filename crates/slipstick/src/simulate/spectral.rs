//! How fast the fastest motion around a point is, by power iteration with differences (as in RKC; Sommeijer,
//! Shampine, Verwer, J. Comput. Appl. Math. 88, 1998).
//!
//! In a mechanism positions and speeds are of different size, and the Jacobian takes one to the other and
//! back: so the growth over two multiplications is measured, which is the square of the spectral radius.

use crate::formulation::{Field, Flow};
use crate::math::generic_entry;
use crate::step::Trial;

/// So many pairs of multiplications.
const PAIRS: usize = 3;

/// The scratch.
pub(super) struct Spectral {
    here: Vec<f64>,
    there: Vec<f64>,
    beside: Vec<f64>,
    x: Vec<f64>,
}

impl Spectral {
    pub(super) fn new(dimension: usize) -> Self {
        let zeros = || vec![0.0; dimension];
        Self { here: zeros(), there: zeros(), beside: zeros(), x: zeros() }
    }

    /// The approximate spectral radius at the start of a trial, by seven right-hand sides; none if not
    /// finite.
    pub(super) fn radius(&mut self, field: &mut Flow<'_>, trial: &Trial) -> Option<f64> {
        field.derivative(trial.t, &trial.start, &mut self.here);
        self.x.iter_mut().enumerate().for_each(|(i, x)| *x = generic_entry(i));
        let mut square = 0.0;
        for _ in 0..PAIRS {
            square = self.multiply(field, trial) * self.multiply(field, trial);
            if !(square > 0.0 && square.is_finite()) {
                return None;
            }
        }
        Some(square.sqrt())
    }

    /// Multiplies the direction by the Jacobian; gives by how much it grows.
    fn multiply(&mut self, field: &mut Flow<'_>, trial: &Trial) -> f64 {
        let (y, length) = (&trial.start, norm(&self.x));
        let reach = f64::EPSILON.sqrt() * norm(y).max(1.0) / length;
        self.beside.iter_mut().zip(y.iter().zip(&self.x)).for_each(|(b, (y, x))| *b = y + reach * x);
        field.derivative(trial.t, &self.beside, &mut self.there);
        let differences = self.there.iter().zip(&self.here).map(|(a, b)| (a - b) / reach);
        self.x.iter_mut().zip(differences).for_each(|(x, difference)| *x = difference);
        norm(&self.x) / length
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
