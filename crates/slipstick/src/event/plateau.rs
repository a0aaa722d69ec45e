//! Guards that come to rest at zero.
//!
//! Zero is the old side: a guard that a lock brings to rest at zero has not crossed, also where rounding has carried it a few units behind. From
//! there it counts as zero until it moves. The same is so where a joint of a mechanism shuts that holds a guard at zero: the sign of what rounding leaves of it
//! means nothing.

use super::Detector;
use super::begin::first_sign;
use crate::formulation::Flow;

/// How many times its rounding a guard can be away from where it rests.
const NEAR: f64 = 8.0;

impl Detector {
    /// Marks the guards among those that fire which stand at zero and do not move, with the locks that hold now. Where one has reset something,
    /// the motion goes on elsewhere.
    pub(super) fn find_plateaus(&mut self, flow: &mut Flow<'_>, t: f64, y: &[f64]) {
        let guards = flow.system().guards();
        let acts = |g: usize| guards[g].response.reset || guards[g].response.mode.is_some();
        let resets = |g: &usize| guards[*g].response.switch.is_some() && acts(*g);
        if self.fired.iter().any(resets) {
            return;
        }
        let rates = (&mut self.first_rates[..], &mut self.second_rates[..]);
        flow.guard_rates(t, y, 0.0, rates);
        for i in 0..self.fired.len() {
            let g = self.fired[i];
            let still = self.first_rates[g] == 0.0 && self.second_rates[g] == 0.0;
            if still && !guards[g].closed && !guards[g].touches && guards[g].response.switch.is_none() {
                self.state.copy_from_slice(y);
                let rounding = NEAR * flow.noise_of(g, t, &mut self.state);
                let near = flow.guard(g, t, y).abs() <= rounding;
                self.plateaus[g] = if near { rounding } else { 0.0 };
            }
        }
    }

    /// Nothing is known to be held at zero. What was is still there, as far as can be told.
    pub fn hold_none(&mut self) {
        for (plateau, held) in self.plateaus.iter_mut().zip(&mut self.held) {
            *plateau = plateau.max(std::mem::take(held));
        }
    }

    /// The constraints of a mechanism hold a guard at zero, but for `rounding`; within a step dense output can be off by `band`. Within that its sign means nothing.
    pub fn hold(&mut self, g: usize, rounding: f64, band: f64) {
        (self.plateaus[g], self.held[g]) = (rounding, band.max(rounding));
    }

    /// Where a guard that is zero goes: the sign of its first rate that is not zero. One that has rested moves by its first rate alone only if that takes it out of its
    /// rounding: a joint that opens leaves speeds of rounding.
    pub(super) fn heading_of(&self, g: usize) -> f64 {
        let (first, second) = self.rates_of(g);
        first_sign(first, second)
    }

    /// The rates with which a guard leaves zero.
    pub(super) fn rates_of(&self, g: usize) -> (f64, f64) {
        let (first, second) = (self.first_rates[g], self.second_rates[g]);
        let comes_back = first * second < 0.0 && first * first <= 2.0 * second.abs() * self.plateaus[g];
        (if comes_back { 0.0 } else { first }, second)
    }

    /// A guard that has moved away does not rest.
    pub(super) fn leave_plateau(&mut self, g: usize) {
        if self.next.values[g].abs() > self.plateaus[g] {
            self.plateaus[g] = 0.0;
        }
    }
}
