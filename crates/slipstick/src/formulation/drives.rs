//! What drives a mechanism by time alone, seen from a step: whether a pulse is hidden in it that counts.

use super::constraints::ConstraintsView;
use crate::equations::{ActiveRows, Locked, Terms};

/// A change of the forces below this part of all forces is not looked for: a vibration as small as that moves nothing that
/// is at rest, unless it is at its limit.
const COUNTS: f64 = 1e-3;

impl ConstraintsView<'_, '_> {
    /// The first time between two at which what drives the mechanism comes to a peak that samples in between do not show,
    /// if forces or constraints change there by more than a small part. The state is taken to stay as it is.
    pub fn hidden_peak(&mut self, (from, to): (f64, f64), y: &[f64]) -> Option<f64> {
        let locked = self.in_mode.locked;
        let inner = &mut *self.in_mode.mechanism.as_mut()?.inner;
        let mut peaks = Vec::new();
        inner.hidden_peaks(locked, (from, to), &mut |peak| peaks.push(peak));
        if peaks.is_empty() {
            return None;
        }
        let mut holds = vec![true; self.system.constraints().len()];
        inner.joints(locked, &mut holds);
        let rows = ActiveRows::of(self.system.constraints(), |k| holds[k]);
        let locked = Locked { rows: Some(&rows), ..locked };
        let [mut here, mut there] = [(); 2].map(|()| self.system.room_for_terms(&rows));
        inner.terms(locked, from, y, &mut here);
        peaks.retain(|&peak| {
            inner.terms(locked, peak, y, &mut there);
            let all = size(&here, |terms, i| terms.force[i], |terms, k| terms.level[k]);
            let change = size(
                &there,
                |terms, i| terms.force[i] - here.force[i],
                |terms, k| terms.level[k] - here.level[k],
            );
            change > COUNTS * COUNTS * all
        });
        peaks.into_iter().min_by(f64::total_cmp)
    }
}

/// The squares of forces and of the accelerations of constraints, in one unit: `f² / M` and `γ² / (G M⁻¹ Gᵀ)`, with the
/// diagonal of `M`.
fn size(terms: &Terms, force: impl Fn(&Terms, usize) -> f64, level: impl Fn(&Terms, usize) -> f64) -> f64 {
    let mass = |i: usize| terms.mass.slot(i, i).map_or(0.0, |slot| terms.mass.values[slot]);
    let of_forces = (0..terms.force.len()).map(|i| force(terms, i).powi(2) / mass(i));
    let of_levels = (0..terms.level.len()).map(|k| {
        let response: f64 = terms.jacobian.row(k).map(|(j, g)| g * g / mass(j)).sum();
        level(terms, k).powi(2) / response
    });
    of_forces.chain(of_levels).filter(|square| square.is_finite()).sum()
}
