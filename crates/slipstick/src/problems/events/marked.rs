//! A closure system whose guards say more than closures can: touches that count, and what holds when events
//! accumulate.

use crate::equations::{ClosureSystem, Evaluator, Guard, GuardKind, Layout, ResetTargets, System};

/// Closures with other descriptions of their guards.
pub(super) struct Marked {
    closures: ClosureSystem,
    guards: Vec<Guard>,
}

impl Marked {
    pub(super) fn new(closures: ClosureSystem) -> Self {
        let guards = closures.guards().to_vec();
        Self { closures, guards }
    }

    /// A touch of zero is an event of this guard too.
    pub(super) fn touches(mut self, guard: usize) -> Self {
        self.guards[guard].touches = true;
        self
    }

    /// `rest` has no surface: it fires in the place of `guard` when the events of `guard` accumulate.
    pub(super) fn comes_to_rest(mut self, guard: usize, rest: usize) -> Self {
        self.guards[guard].response.at_rest = Some(rest);
        self.guards[rest].kind = GuardKind::Rest;
        self
    }
}

impl System for Marked {
    fn layout(&self) -> Layout {
        self.closures.layout()
    }
    fn state_names(&self) -> &[String] {
        self.closures.state_names()
    }
    fn mode_names(&self) -> &[String] {
        self.closures.mode_names()
    }
    fn switch_names(&self) -> &[String] {
        self.closures.switch_names()
    }
    fn parameters(&self) -> &[f64] {
        self.closures.parameters()
    }
    fn discrete_names(&self) -> &[String] {
        self.closures.discrete_names()
    }
    fn discrete_start(&self) -> &[f64] {
        self.closures.discrete_start()
    }
    fn reset_targets(&self, guard: usize) -> Option<ResetTargets<'_>> {
        self.closures.reset_targets(guard)
    }
    fn guards(&self) -> &[Guard] {
        &self.guards
    }
    fn evaluator(&self) -> Box<dyn Evaluator + '_> {
        self.closures.evaluator()
    }
}
