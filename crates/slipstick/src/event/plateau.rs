//! Guards that come to rest at zero.
//!
//! Zero is the old side: a guard that a lock brings to rest at zero has not crossed, also where rounding has carried it a few units behind. From
//! there it counts as zero until it moves.

use super::Detector;
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

    /// A guard that has moved away does not rest.
    pub(super) fn leave_plateau(&mut self, g: usize) {
        if self.next.values[g].abs() > self.plateaus[g] {
            self.plateaus[g] = 0.0;
        }
    }
}
