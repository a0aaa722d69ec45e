//! Two corrections of positions and speeds with one factorisation (`PStab`, paper 003, equation (3.68)), with as few evaluations as will do.
//!
//! Positions are corrected first, so that speeds are corrected for where the positions are then; residuals are evaluated three times and not four, and what is rounding already
//! is not corrected again.

use super::landing::take_off;
use super::{Index1, Stabilisation};
use crate::equations::Locked;

impl Index1<'_> {
    /// Corrects positions and speeds twice; the linear system has been factored.
    pub(super) fn correct_twice(&mut self, locked: Locked<'_>, t: f64, y: &mut [f64]) {
        self.inner.residuals(locked, t, y, &mut self.position, &mut self.velocity);
        if self.corrects_positions() {
            self.correct_positions(t, y);
            self.inner.residuals(locked, t, y, &mut self.position, &mut self.velocity);
            self.correct_positions(t, y);
        }
        if self.correct_speeds(y) {
            self.inner.residuals(locked, t, y, &mut self.position, &mut self.velocity);
            self.correct_speeds(y);
        }
    }

    fn correct_positions(&mut self, t: f64, y: &mut [f64]) {
        if !is_rounding(&self.position, self.kkt.lengths(), &y[..self.positions]) {
            self.multipliers.fill(0.0);
            self.multipliers[..self.holonomic].copy_from_slice(&self.position);
            self.find_least_change();
            self.inner.shift_positions(t, &mut y[..self.positions], &self.motion);
        }
    }

    /// Gives whether there was something to correct.
    pub(super) fn correct_speeds(&mut self, y: &mut [f64]) -> bool {
        let speeds = &mut y[self.positions..self.positions + self.n];
        let open = !is_rounding(&self.velocity, self.kkt.lengths(), speeds);
        if open {
            self.multipliers.copy_from_slice(&self.velocity);
            self.find_least_change();
            take_off(speeds, &self.motion);
        }
        open
    }

    fn find_least_change(&mut self) {
        let own = self.landing.own.as_mut().filter(|_| self.upkeep.stabilisation != Stabilisation::Full);
        let kkt = own.unwrap_or(&mut self.kkt);
        kkt.least_change(&self.multipliers, &mut self.motion);
    }
}

/// Whether residuals of rows of the given lengths are no more than rounding makes.
fn is_rounding(residuals: &[f64], lengths: &[f64], values: &[f64]) -> bool {
    let size = values.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    residuals.iter().zip(lengths).all(|(x, length)| x.abs() <= f64::EPSILON * length * size)
}
