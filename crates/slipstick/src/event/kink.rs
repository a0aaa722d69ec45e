//! Crossings that are not there: a motion that has died out on a kink.
//!
//! Where `max(x, 0)` changes its branch, the field has a kink but does not jump, and the motion crosses where the field leads across. Once an oscillation
//! about a kink is below the tolerance, steps are long against it, and their dense output also crosses where the field leads back: by less than the
//! error that is allowed, but again and again. Such a crossing is no event. The branch that is locked is off by as little as the
//! guard is away from zero; it is locked anew when the motion leaves the kink by more than the tolerance.

use super::Detector;
use super::locate::Candidate;
use crate::equations::MassKind;
use crate::formulation::{Field, Flow};
use crate::math::{Probe, narrow};
use crate::step::Trial;

/// How much the fields of both sides may differ on the surface, as a part of them: what is left is the distance from the surface.
const NO_JUMP: f64 = 1e-9;

impl Detector {
    /// Whether a guard begins the step on the other side than the one that is locked.
    pub(super) fn is_let_go(&self, g: usize) -> bool {
        self.kinks[g] && self.last.values[g] * self.sides[g] < 0.0
    }

    /// Whether a crossing is none.
    pub(super) fn lets_go(&mut self, flow: &mut Flow<'_>, trial: &Trial, crossing: Candidate) -> bool {
        // Where fields are only evaluated on their own side, nothing is known of the other.
        let comparable = flow.mode.structure.sliding.is_empty() && !flow.stays_on_this_side();
        self.kinks[crossing.guard]
            && comparable
            && flow.mass_kind() != MassKind::Varying
            && self.is_slight(flow, trial, crossing.guard)
            && self.leads_back(flow, trial, crossing)
    }

    /// Locks the branch anew that has been let go, if the motion leaves the kink in this step.
    pub(super) fn catch_kink(&mut self, flow: &mut Flow<'_>, trial: &Trial, g: usize, from: f64) {
        if !self.is_slight(flow, trial, g) {
            let start = Probe { x: from, value: self.last.values[g] };
            self.candidates.push(Candidate { guard: g, side: self.sides[g], lo: start, hi: start });
        }
    }

    /// Whether a guard is nearer to zero in all the step than the tolerances tell apart, and was on its last two excursions: a contact that is
    /// hardly entered is left for a flight.
    fn is_slight(&mut self, flow: &mut Flow<'_>, trial: &Trial, g: usize) -> bool {
        let widths: Vec<f64> =
            trial.start.iter().enumerate().map(|(i, y)| self.tolerances.scale(i, y.abs())).collect();
        self.state.copy_from_slice(&trial.start);
        self.extents[g].into_iter().fold(self.range_of(g), f64::max)
            <= flow.spread_of(g, trial.t, &mut self.state, &widths)
    }

    /// Whether the field is the same on both sides where a guard crosses, and leads back to where it comes from.
    fn leads_back(&mut self, flow: &mut Flow<'_>, trial: &Trial, crossing: Candidate) -> bool {
        let Candidate { guard, side, lo, hi } = crossing;
        let Some(switch) = flow.system().guards()[guard].response.switch else { return false };
        let x = narrow(lo, hi, side, 0.0, |x| self.value_at(flow, trial, guard, x)).hi;
        trial.state_at(x, &mut self.state);
        let old = flow.mode.values.signs[switch];
        let [above, below] = [1.0, -1.0].map(|sign| {
            let mut field = vec![0.0; self.state.len()];
            flow.mode.values.signs[switch] = sign;
            flow.derivative(trial.t + x, &self.state, &mut field);
            field
        });
        flow.mode.values.signs[switch] = old;
        self.compared += 1;
        let same = above.iter().zip(below).all(|(a, b)| (a - b).abs() <= NO_JUMP * (a.abs() + b.abs()));
        same && flow.rate_of(guard, trial.t + x, &mut self.state, &above) * side > 0.0
    }

    /// How often the fields of both sides of a surface were compared.
    pub fn compared(&self) -> u64 {
        self.compared
    }
}
