//! The flow of a system whose mode is locked: first-order equations integrated as they stand. Work is counted here.

use super::Field;
use crate::equations::{Evaluator, System};
use crate::mode::Mode;

/// A system in a mode, with the scratch to evaluate it and the count of what was evaluated.
pub struct Flow<'a> {
    system: &'a dyn System,
    evaluator: Box<dyn Evaluator + 'a>,
    /// The discrete state that holds now.
    pub mode: Mode,
    /// Right-hand sides evaluated so far.
    pub derivative_count: u64,
    /// Evaluations of the whole set of guards so far.
    pub guard_count: u64,
}

impl<'a> Flow<'a> {
    /// The flow of `system` in `mode`.
    pub fn new(system: &'a dyn System, mode: Mode) -> Self {
        let evaluator = system.evaluator();
        Self { system, evaluator, mode, derivative_count: 0, guard_count: 0 }
    }

    /// The equations.
    pub fn system(&self) -> &'a dyn System {
        self.system
    }

    /// Whether a guard is watched in the mode that holds.
    pub fn watches(&self, guard: usize) -> bool {
        self.system.guards()[guard].mode.is_none_or(|mode| mode == self.mode.index)
    }

    /// The values of the watched guards.
    pub fn guards(&mut self, t: f64, y: &[f64], values: &mut [f64]) {
        self.guard_count += 1;
        self.evaluator.guards(self.mode.locked(), t, y, values);
    }

    /// First and second derivative of each watched guard along the flow.
    pub fn guard_rates(&mut self, t: f64, y: &[f64], first: &mut [f64], second: &mut [f64]) {
        self.guard_count += 1;
        self.evaluator.guard_rates(self.mode.locked(), t, y, first, second);
    }

    /// Applies the reset of one guard to `after`.
    pub fn reset(&mut self, guard: usize, t: f64, before: &[f64], after: &mut [f64]) {
        self.evaluator.reset(self.mode.locked(), guard, t, before, after);
    }
}

impl Field for Flow<'_> {
    fn dimension(&self) -> usize {
        self.system.layout().dimension()
    }

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        self.derivative_count += 1;
        self.evaluator.derivative(self.mode.locked(), t, y, dy);
    }
}
