//! Corrections of the ends of steps, and what a run says of them.

use super::run::Run;
use crate::math::larger_or_nan;
use crate::trajectory::Adjustment;

/// How often a correction is made calm, and what is left of it to correct after each time at most.
const CALM_ROUNDS: usize = 8;
const CALMER: f64 = 0.2;

impl Run<'_> {
    /// Corrects the end of a step. The least change in the metric of the masses moves light bodies most; if one of them hangs on a stiff spring, that is excited in every step. What is stiff in a correction is
    /// taken off again, which leaves the constraints open by a small part of what they were, and the rest is corrected again.
    pub(super) fn land_calmly(&mut self, t_end: f64) {
        let positions = self.flow.system().layout().q;
        self.before.copy_from_slice(&self.trial.end);
        self.flow.land(t_end, &mut self.trial.end);
        self.plain_end.copy_from_slice(&self.trial.end);
        let mut last = self.find_moved();
        for _ in 0..CALM_ROUNDS {
            let is_plain = last == 0.0 || self.flow.is_next_to_singular(true);
            if is_plain || !self.step.calm(positions, &mut self.after) {
                return;
            }
            self.before.iter_mut().zip(&self.after).for_each(|(before, moved)| *before += moved);
            self.trial.end.copy_from_slice(&self.before);
            self.flow.land(t_end, &mut self.trial.end);
            let left = self.find_moved();
            if left > CALMER * last || left.is_nan() {
                // Something else than a stiff spring is at work, as a motion that grows.
                return self.trial.end.copy_from_slice(&self.plain_end);
            }
            last = left;
        }
    }

    /// How far the last landing has moved each state; gives the farthest.
    fn find_moved(&mut self) -> f64 {
        let ends = self.trial.end.iter().zip(&self.before);
        for (moved, (end, before)) in self.after.iter_mut().zip(ends) {
            *moved = end - before;
        }
        self.after.iter().fold(0.0, |most, moved| larger_or_nan(most, moved.abs()))
    }

    /// Keeps the largest adjustment of a step, and says when one is larger than what the step is uncertain by: it then steers the motion, and
    /// does not only keep it on the constraints (paper 000, section 3.4.1).
    pub(super) fn look_at_adjustment(&mut self) {
        let t = self.trial.t + self.trial.h;
        let mut worst: Option<(usize, f64, f64)> = None;
        for (state, &size) in self.flow.adjustment().iter().enumerate() {
            if self.record.adjustment.is_none_or(|known| size > known.size) && size > 0.0 {
                self.record.adjustment = Some(Adjustment { state, size, t });
            }
            let value = self.trial.end[state];
            if size <= self.step_error(state, value) {
                continue;
            }
            let bound = self.uncertainty_of(state, value);
            if size > bound && worst.is_none_or(|(_, s, b)| size / bound > s / b) {
                worst = Some((state, size, bound));
            }
        }
        if let Some((state, size, bound)) = worst {
            self.note_adjustment(t, state, size, bound);
        }
    }

    /// Once is enough.
    fn note_adjustment(&mut self, t: f64, state: usize, size: f64, bound: f64) {
        let text = format!(
            "to keep the constraints met, `{}` was moved by {size:.1e} after a step, which is more than the step is uncertain by ({bound:.1e}); \
             choose smaller steps or tolerances, or check the constraints",
            self.flow.system().state_names()[state]
        );
        // One of them is enough, whichever state it is about.
        self.record.notes.once("large-adjustment", "", t, || text);
    }

    /// The error that a step is asked for in a state, or with steps of one size what it leaves uncertain.
    pub(super) fn step_error(&self, state: usize, value: f64) -> f64 {
        let bound = match self.options.fixed_step {
            None => self.options.tolerances.scale(state, value.abs()),
            Some(h) => h.powf(f64::from(self.step.method().facts().order) - 1.0),
        };
        bound.max(16.0 * f64::EPSILON * (1.0 + value.abs()))
    }

    /// What a step leaves uncertain in a state: `h^(p-1)` for order `p` (paper 000). Under error control the error of a step, `h^(p+1)`, is the tolerance, in
    /// parts of the state; so it is the tolerance to the power of `(p-1)/(p+1)` there.
    pub(super) fn uncertainty_of(&self, state: usize, value: f64) -> f64 {
        let order = f64::from(self.step.method().facts().order);
        let part = self.options.tolerances.relative.get(state).max(f64::EPSILON);
        let slack = if self.options.fixed_step.is_some() { 1.0 } else { part.powf(-2.0 / (order + 1.0)) };
        slack * self.step_error(state, value)
    }
}
