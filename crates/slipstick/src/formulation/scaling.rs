//! Rows of constraints that are short because of their scale, and not because of where the mechanism is.
//!
//! At a singular position a row vanishes, and is long again some way off. One with a factor that grows or
//! falls in time is as long around a position as there: it fixes as much as ever.

use super::env::Env;
use super::linear_system::LinearSystem;
use super::residuals::largest;
use crate::equations::Terms;

/// A row that is nowhere around so many times longer has been scaled.
const LONGER: f64 = 10.0;
/// Where it is looked around, as parts of the largest coordinate: not all of them are multiples of half a
/// turn.
const AROUND: [f64; 4] = [-1.0, -0.37, 0.37, 1.0];

impl LinearSystem {
    /// Whether a row is about as long all around a state as it is there.
    pub(super) fn is_only_scaled(&self, env: &mut Env<'_>, row: usize, y: &[f64]) -> bool {
        // The terms of the form may still be asked for.
        let mut terms = self.terms.clone();
        let mut length = |y: &[f64], terms: &mut Terms| {
            env.gradients(y, terms);
            terms.jacobian.row(row).map(|(_, g)| g * g).sum::<f64>().sqrt()
        };
        let here = length(y, &mut terms);
        let columns: Vec<usize> = terms.jacobian.row(row).map(|(column, _)| column).collect();
        let (far, mut moved) = (largest(&y[..self.sizes.positions]), y.to_vec());
        columns.into_iter().filter(|&column| column < self.sizes.positions).all(|column| {
            AROUND.into_iter().all(|part| {
                moved[column] = y[column] + part * far;
                let there = length(&moved, &mut terms);
                moved[column] = y[column];
                there < LONGER * here
            })
        })
    }
}
