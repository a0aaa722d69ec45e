//! How contacts that stick share friction: as they share what presses on them, times how rough they are.
//!
//! On a plane a body slides where the friction in all of its contacts together is too large. With equal parts of what
//! each can bear, all reach their limits at once, and none before.

use super::env::Env;
use crate::contact::share_friction;
use crate::equations::{ActiveRows, LAW_NUMBERS, System};
use crate::math::Matrix;

/// The contacts that stick.
pub(super) struct Cones {
    /// For each the contact, and the rows of its normal and its tangent.
    sticking: Vec<(usize, usize, usize)>,
    laws: Vec<f64>,
}

impl Cones {
    pub(super) fn new(system: &dyn System, rows: &ActiveRows) -> Self {
        let contacts = system.contacts().iter().enumerate();
        let sticking = contacts
            .filter_map(|(k, contact)| Some((k, rows.row(contact.normal)?, rows.row(contact.tangent?)?)))
            .collect();
        Self { sticking, laws: vec![0.0; LAW_NUMBERS * system.contacts().len()] }
    }

    /// Shares friction by the normal forces, without a change of its sum.
    pub(super) fn share(&mut self, env: &mut Env<'_>, y: &[f64], jacobian: &Matrix, multipliers: &mut [f64]) {
        if self.sticking.len() < 2 {
            return;
        }
        env.laws(y, &mut self.laws);
        let bears = |&(contact, normal, _): &(usize, usize, usize)| {
            (self.laws[LAW_NUMBERS * contact + 1] * multipliers[normal]).abs()
        };
        let weights: Vec<f64> = self.sticking.iter().map(bears).collect();
        let tangents = || self.sticking.iter().map(|(_, _, tangent)| *tangent);
        let mut other = vec![0.0; jacobian.columns()];
        let mut products = Vec::new();
        for row in tangents() {
            other.fill(0.0);
            jacobian.row(row).for_each(|(j, g)| other[j] = g);
            products.extend(tangents().map(|row| jacobian.row_times(row, &other)));
        }
        let friction: Vec<f64> = tangents().map(|row| multipliers[row]).collect();
        let shared = share_friction(&products, &friction, &weights);
        tangents().zip(shared).for_each(|(row, share)| multipliers[row] = share);
    }
}
