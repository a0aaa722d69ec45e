//! Guards far from zero cost next to nothing: they are not even looked at until they can have come to zero.

use super::surroundings::{Resize, Surroundings};
use crate::formulation::Flow;
use crate::step::Trial;

/// Surroundings that are left after fewer steps were much too small.
const SHORT: u32 = 10;
const MOST_PATIENCE: u32 = 256;

/// What is to be done about a step.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Next {
    /// Nothing: no guard can come to zero.
    Sleep,
    /// The values at its start tell whether one can.
    Ask,
    /// One can, as far as is known.
    Look,
}

/// While no guard can have come to zero, none is looked at. The path is how far time and state have gone; a guard that grows by at most L
/// for each unit of it sleeps until it has gone by its value divided by L. Where no L holds everywhere, one that holds in the surroundings
/// does as long as the motion stays in them.
pub(super) struct Sleep {
    /// How fast each guard can grow; for those of the surroundings, in them.
    growth: Vec<f64>,
    surroundings: Surroundings,
    /// The path at the start and at the end of the step, from where the guards were last evaluated: a path from further back would be too long beside a
    /// short step to notice it.
    start: f64,
    end: f64,
    length: f64,
    /// The path at which the first guard may be at zero, and which guard that is.
    due: f64,
    first: usize,
    /// The same for guards whose bounds hold everywhere.
    due_everywhere: f64,
    /// Steps since there were new surroundings.
    age: u32,
    /// How often surroundings are kept before they grow, and have been.
    patience: u32,
    waited: u32,
    /// Whether `last` holds the values at the start of the step.
    pub(super) last_known: bool,
    /// Whether no step was looked at since the last event.
    fresh: bool,
}

impl Sleep {
    pub(super) fn new(flow: &Flow<'_>) -> Self {
        let known = flow.system().guard_growth();
        let growth =
            if known.is_empty() { vec![f64::INFINITY; flow.system().guards().len()] } else { known.to_vec() };
        let surroundings = Surroundings::new(flow, &growth);
        Self {
            growth,
            surroundings,
            start: 0.0,
            end: 0.0,
            length: 0.0,
            due: 0.0,
            first: 0,
            due_everywhere: 0.0,
            age: 0,
            patience: 0,
            waited: 0,
            last_known: true,
            fresh: true,
        }
    }

    /// Nothing is known any more: an event.
    pub(super) fn wake(&mut self) {
        self.surroundings.forget(&mut self.growth);
        (self.due, self.due_everywhere) = (self.end, self.end);
        (self.last_known, self.fresh) = (true, true);
    }

    /// Whether all guards can sleep through a step, which is then gone, by what is known of them.
    pub(super) fn through(&mut self, trial: &Trial) -> bool {
        self.length = trial.h + trial.reach();
        (self.start, self.end) = (self.end, self.end + self.length);
        self.age += 1;
        self.surroundings.hold(trial) && self.is_asleep()
    }

    /// Looks around if what is known does not hold for the step, or is too little. Tells what is to be done then.
    pub(super) fn look_around(&mut self, flow: &mut Flow<'_>, trial: &Trial, guards: &[usize]) -> Next {
        let hold = self.surroundings.hold(trial);
        let shrink = hold && self.last_known && !self.fresh && self.surroundings.concern(self.first);
        if hold && !(shrink && self.surroundings.can_shrink(trial)) {
            return if self.last_known { Next::Look } else { Next::Ask };
        }
        let resize = self.resize(shrink);
        self.age = 0;
        let mut none = self.surroundings.renew(flow, trial, resize, guards, &mut self.growth);
        if !none && resize.grows() {
            self.be_patient();
            none = self.surroundings.renew(flow, trial, Resize::Back, guards, &mut self.growth);
        }
        // When the others are due is not known before they have been asked.
        self.due = if none { self.due_everywhere } else { self.start };
        if self.fresh {
            Next::Look
        } else if self.is_asleep() {
            Next::Sleep
        } else {
            Next::Ask
        }
    }

    /// What becomes of the size of the surroundings. They grow if the guards slept until they were left; but the more often they were too large,
    /// the longer they are kept as they are.
    fn resize(&mut self, shrink: bool) -> Resize {
        if shrink {
            self.be_patient();
            return Resize::Shrink;
        }
        if self.start >= self.due {
            return Resize::Keep;
        }
        self.waited += 1;
        if self.waited <= self.patience {
            return Resize::Keep;
        }
        self.waited = 0;
        if self.age < SHORT && self.patience == 0 { Resize::Leap } else { Resize::Grow }
    }

    fn be_patient(&mut self) {
        (self.patience, self.waited) = ((2 * self.patience).clamp(1, MOST_PATIENCE), 0);
    }

    /// While it slides, a motion is put back onto its surfaces after each step: what is around it does not count.
    pub(super) fn forget_surroundings(&mut self) {
        self.surroundings.forget(&mut self.growth);
    }

    fn is_asleep(&mut self) -> bool {
        let sleeps = self.end < self.due;
        self.last_known &= !sleeps;
        sleeps
    }

    /// Whether a guard of this value cannot come to zero on a path of this length.
    pub(super) fn is_far(&self, guard: usize, value: f64, path: f64) -> bool {
        0.999_999 * value.abs() > self.growth[guard] * path
    }

    /// Finds the next time to wake up from the values at the start of the step. Tells whether that is behind its end.
    pub(super) fn set_at_start(&mut self, guards: &[usize], values: &[f64]) -> bool {
        (self.start, self.end) = (0.0, self.length);
        self.set(guards, values);
        self.is_asleep()
    }

    /// The same from the values at the end of a step that was looked at.
    pub(super) fn set_at_end(&mut self, guards: &[usize], values: &[f64]) {
        self.fresh = false;
        (self.start, self.end) = (0.0, 0.0);
        self.set(guards, values);
    }

    fn set(&mut self, guards: &[usize], values: &[f64]) {
        let (mut shortest, mut everywhere) = (f64::INFINITY, f64::INFINITY);
        for &g in guards {
            let rest = values[g].abs() / self.growth[g];
            if rest < shortest {
                (shortest, self.first) = (rest, g);
            }
            if rest < everywhere && !self.surroundings.concern(g) {
                everywhere = rest;
            }
            // A closure without a bound keeps all awake.
            if everywhere == 0.0 {
                break;
            }
        }
        // A little less, for rounding.
        self.due = 0.999_999 * shortest;
        self.due_everywhere = 0.999_999 * everywhere;
    }
}
