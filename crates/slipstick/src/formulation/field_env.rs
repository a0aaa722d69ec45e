//! What sliding is lent for a call.

use super::WorkCounts;
use crate::equations::Evaluator;
use crate::mode::Mode;

/// The equations at a time, with the mode to be locked to sides of switching surfaces.
pub struct FieldEnv<'e> {
    pub(super) eval: &'e mut (dyn Evaluator + 'e),
    pub(super) mode: &'e mut Mode,
    pub(super) parameters: &'e [f64],
    pub(super) t: f64,
    pub(super) counts: &'e mut WorkCounts,
}

impl FieldEnv<'_> {
    /// The right-hand side in the mode that is locked.
    pub(super) fn derivative(&mut self, y: &[f64], dy: &mut [f64]) {
        self.counts.derivatives += 1;
        self.eval.derivative(self.mode.locked(self.parameters), self.t, y, dy);
    }

    /// Turns the gradient of a surface into a direction to it that stays on the constraints.
    pub(super) fn allow(&mut self, y: &[f64], direction: &mut [f64]) {
        self.eval.allow(self.mode.locked(self.parameters), self.t, y, direction);
    }

    /// The value of the surface of a guard.
    pub(super) fn guard(&mut self, guard: usize, y: &[f64]) -> f64 {
        self.counts.guards += 1;
        self.eval.guard(self.mode.locked(self.parameters), guard, self.t, y)
    }

    /// The gradient of the surface of a guard; gives its rate in time. `y` is as before afterwards.
    pub(super) fn gradient(&mut self, guard: usize, y: &mut [f64], gradient: &mut [f64]) -> f64 {
        self.eval.guard_gradient(self.mode.locked(self.parameters), guard, self.t, y, gradient)
    }

    /// Whether the gradient of a guard comes from differences.
    pub(super) fn differences_guard(&self, guard: usize) -> bool {
        self.eval.differences_guard(self.mode.locked(self.parameters), guard)
    }

    /// The mass matrix by rows.
    pub(super) fn mass(&mut self, y: &[f64], mass: &mut [f64]) {
        self.eval.mass(self.mode.locked(self.parameters), self.t, y, mass);
    }
}
