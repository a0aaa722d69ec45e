//! A closure system whose guards say more than closures can: touches that count, and what holds when events
//! accumulate.

use crate::equations::{
    ClosureSystem, Evaluator, GuardKind, MechanismStructure, PlainField, ResetTargets, Shape, System,
};

/// Closures with other descriptions of their guards.
pub(super) struct Marked {
    closures: ClosureSystem,
    shape: Shape,
}

impl Marked {
    pub(super) fn new(closures: ClosureSystem) -> Self {
        // Nothing is known of how fast its guards change.
        let shape = Shape { guard_growth: Vec::new(), ..closures.shape().clone() };
        Self { closures, shape }
    }

    /// A touch of zero is an event of this guard too.
    pub(super) fn touches(mut self, guard: usize) -> Self {
        self.shape.guards[guard].touches = true;
        self
    }

    /// `rest` has no surface: it fires in the place of `guard` when the events of `guard` accumulate.
    pub(super) fn comes_to_rest(mut self, guard: usize, rest: usize) -> Self {
        self.shape.guards[guard].response.at_rest = Some(rest);
        self.shape.guards[rest].kind = GuardKind::Rest;
        self
    }
}

impl System for Marked {
    fn shape(&self) -> &Shape {
        &self.shape
    }
    fn evaluator(&self) -> Box<dyn Evaluator + '_> {
        self.closures.evaluator()
    }
    fn mechanism(&self) -> Option<&dyn MechanismStructure> {
        None
    }
    fn reset_targets(&self, guard: usize) -> Option<ResetTargets<'_>> {
        self.closures.reset_targets(guard)
    }
    fn reset_can_turn(&self, mode: usize, reset: usize, guard: usize) -> bool {
        self.closures.reset_can_turn(mode, reset, guard)
    }
    fn admits(&self, parameters: &[f64]) -> bool {
        self.closures.admits(parameters)
    }
    fn plain_field(&self) -> Option<&PlainField> {
        None
    }
}
