//! Guards far from zero cost next to nothing: they are not even looked at until they can have come to zero.

use crate::formulation::Flow;
use crate::step::Trial;

/// While no guard can have come to zero, none is looked at. The path is how far time and state have gone; a guard that grows by at most L
/// for each unit of it sleeps until it has gone by its value divided by L.
pub(super) struct Sleep {
    growth: Vec<f64>,
    path: f64,
    /// The path at which the first guard may be at zero.
    due: f64,
    /// Whether `last` holds the values at the start of the step.
    pub(super) last_known: bool,
}

impl Sleep {
    pub(super) fn new(flow: &Flow<'_>) -> Self {
        let known = flow.system().guard_growth();
        let growth =
            if known.is_empty() { vec![f64::INFINITY; flow.system().guards().len()] } else { known.to_vec() };
        Self { growth, path: 0.0, due: 0.0, last_known: true }
    }

    /// Nothing is known any more: an event.
    pub(super) fn wake(&mut self) {
        (self.due, self.last_known) = (self.path, true);
    }

    /// Whether all guards can sleep through a step, which is then gone.
    pub(super) fn through(&mut self, trial: &Trial) -> bool {
        self.path += trial.h + trial.reach();
        let sleeps = self.path < self.due;
        self.last_known &= !sleeps;
        sleeps
    }

    /// Whether a guard of this value cannot come to zero on a path of this length.
    pub(super) fn is_far(&self, guard: usize, value: f64, path: f64) -> bool {
        0.999_999 * value.abs() > self.growth[guard] * path
    }

    /// Finds the next time to wake up from values that are just known.
    pub(super) fn set(&mut self, guards: &[usize], values: &[f64]) {
        let rest = |g: &usize| values[*g].abs() / self.growth[*g];
        // A little less, for rounding.
        self.due = self.path + 0.999_999 * guards.iter().map(rest).fold(f64::INFINITY, f64::min);
    }
}
