//! Rows of constraints that are short because of their scale, and not because of where the mechanism is.
//!
//! At a singular position a row vanishes, and is long again some way off. One with a factor that grows or falls in time is as long around a position as there: it fixes as much as ever.

use super::Flow;
use super::engine::Engine;
use super::landing::largest;
use crate::equations::{Locked, Terms};

/// A row that is nowhere around so many times longer has been scaled.
const LONGER: f64 = 10.0;
/// Where it is looked around, as parts of the largest coordinate: not all of them are multiples of half a turn.
const AROUND: [f64; 4] = [-1.0, -0.37, 0.37, 1.0];

impl Flow<'_> {
    /// Whether the row of a constraint is about as long all around a state as it is there.
    pub fn is_only_scaled(&mut self, row: usize, t: f64, y: &[f64]) -> bool {
        let Engine::Mechanism(mechanism) = &mut self.evaluator else { return false };
        let (locked, positions) = (self.mode.locked(self.system.parameters()), mechanism.positions);
        // The terms of the mechanism may still be asked for.
        let mut terms = mechanism.terms.clone();
        let mut length = |locked: Locked<'_>, y: &[f64], terms: &mut Terms| {
            mechanism.inner.gradients(locked, t, y, terms);
            terms.jacobian.row(row).map(|(_, g)| g * g).sum::<f64>().sqrt()
        };
        let here = length(locked, y, &mut terms);
        let columns: Vec<usize> = terms.jacobian.row(row).map(|(column, _)| column).collect();
        let (far, mut moved) = (largest(&y[..positions]), y.to_vec());
        columns.into_iter().filter(|&column| column < positions).all(|column| {
            AROUND.into_iter().all(|part| {
                moved[column] = y[column] + part * far;
                let there = length(locked, &moved, &mut terms);
                moved[column] = y[column];
                there < LONGER * here
            })
        })
    }
}
