//! Where an event of a mechanism is: on the path of states that meet the constraints.
//!
//! Dense output meets them only at the ends of steps, and guards can be as different there as constraints are open: two that say the same where joints are shut would
//! cross one after the other, and each could be carried back by the correction at the event of the other. So the crossing that dense output shows is narrowed once more, on states
//! that are landed like the ends of steps.

use super::run::Run;
use crate::event::Crossing;
use crate::math::{Bracket, Probe, narrow};

/// How far from the crossing on dense output the other one is looked for, as parts of the step.
const FAR: [f64; 3] = [2e-3, 2e-2, 2e-1];

impl Run<'_> {
    /// The state of the trial at an offset, where the constraints are met.
    pub(super) fn landed_state_at(&mut self, offset: f64) {
        self.trial.state_at(offset, &mut self.before);
        if self.lands_within() {
            let keeps_speeds = self.step.is_ggl() || self.keeps_joints();
            self.flow.land_within(self.trial.t + offset, &mut self.before, keeps_speeds);
        }
        let keeps_joints = self.keeps_joints();
        self.flow.land_on_surfaces(self.trial.t + offset, &mut self.before, keeps_joints);
    }

    /// Whether the method keeps speeds on their constraints to rounding, so that surfaces must not lead away from there.
    pub(super) fn keeps_joints(&self) -> bool {
        self.step.method().facts().mechanisms_only && !self.flow.is_reaching()
    }

    /// Whether the path of the method meets the constraints of positions and speeds.
    fn lands_within(&self) -> bool {
        self.flow.is_mechanism() && !self.flow.is_reaching()
    }

    /// An event that sets states must find a mechanism that is closed: what a method leaves open is no part of what is set.
    pub(super) fn close_before_reset(&mut self, t: f64) {
        let guards = self.flow.system().guards();
        let resets = self.detector.fired().iter().any(|&g| guards[g].response.reset);
        if !resets || !self.flow.is_mechanism() || self.flow.is_reaching() {
            return;
        }
        self.after.copy_from_slice(&self.before);
        if self.flow.assemble(t, &mut self.after, &[]).is_ok() {
            self.before.copy_from_slice(&self.after);
        }
    }

    /// The crossing of the guards that have fired, where the constraints are met, if there is one.
    pub(super) fn land_crossing(&mut self, crossing: &Crossing) -> Option<Crossing> {
        let at_roots = self.options.concurrency.is_none() && crossing.offset <= self.trial.h;
        if !self.lands_within() || !at_roots || self.flow.sliding().is_some() {
            return None;
        }
        let (lo, hi) = self.ends_around(crossing)?;
        let offsets = narrow(lo, hi, -1.0, crossing.offsets.width(), |x| self.crossed_by(x));
        let after = crossing.offset == crossing.offsets.hi;
        Some(Crossing { offsets, offset: if after { offsets.hi } else { offsets.lo } })
    }

    /// How far the guards that have fired are beyond zero at an offset, all of them; NaN if none has a crossing.
    fn crossed_by(&mut self, offset: f64) -> f64 {
        self.landed_state_at(offset);
        self.detector.crossed_by(&mut self.flow, self.trial.t + offset, &self.before)
    }

    /// Points of the step around the bracket: at the first the guards have not crossed yet, at the second they have.
    fn ends_around(&mut self, crossing: &Crossing) -> Option<(Probe, Probe)> {
        let Bracket { lo, hi } = crossing.offsets;
        let h = self.trial.h;
        let probe = |run: &mut Self, x: f64| Probe { x, value: run.crossed_by(x) };
        let mut last = probe(self, hi);
        if last.value.is_nan() {
            return None;
        }
        let mut first = last;
        for far in FAR {
            if last.value <= 0.0 {
                first = last;
                last = probe(self, (hi + far * h).min(h));
            } else if first.value > 0.0 {
                last = first;
                first = probe(self, (lo - far * h).max(0.0));
            }
        }
        (first.value <= 0.0 && last.value > 0.0).then_some((first, last))
    }
}
