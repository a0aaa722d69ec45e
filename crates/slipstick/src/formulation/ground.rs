//! Where a motion belongs between the ends of its steps: on the surfaces that it slides on, and where the
//! constraints of a mechanism are met.
//!
//! Dense output is as accurate as the method, and no better on a curved surface. What is looked at there is
//! put back first.

use super::engine::Engine;
use super::{FieldEnv, Sliding, SlidingMotions, Stabilisation, Surface, WorkCounts};
use crate::equations::System;
use crate::mode::Mode;

/// The surfaces and constraints that a motion of a system keeps, with the scratch to put states back to them.
pub struct Ground<'a> {
    pub(super) system: &'a dyn System,
    pub(super) evaluator: Engine<'a>,
    pub(super) parameters: Vec<f64>,
    /// The surfaces slid on where it was last looked.
    pub(super) sliding: Option<Sliding>,
    /// The mode that is looked at.
    pub(super) mode: Mode,
    /// What that took: it is not work of a run.
    counts: WorkCounts,
}

impl<'a> Ground<'a> {
    /// For motions of a system.
    pub fn new(system: &'a dyn System) -> Self {
        let (evaluator, mode) = (Engine::new(system, Stabilisation::Project.into()), Mode::new(0, 0, 0));
        let parameters = system.parameters().to_vec();
        Self { system, evaluator, parameters, sliding: None, mode, counts: WorkCounts::default() }
    }

    /// Moves a state of a motion in some mode back to where it belongs.
    pub fn put_back(&mut self, mode: &Mode, t: f64, y: &mut [f64]) {
        if !mode.structure.sliding.is_empty() {
            self.slide_on(mode, t, y);
            if let (Some(sliding), mut env) = self.on_surfaces(t) {
                sliding.project(&mut env, y);
            }
        }
        // What does not meet its constraints yet is not to be moved.
        if let (Engine::Mechanism(mechanism), true) =
            (&mut self.evaluator, mode.structure.reaching.is_empty())
        {
            let (form, mut env) = mechanism.at(mode.locked(&self.parameters), t, y);
            form.project_end(&mut env, y);
        }
    }

    /// Finds out which constraints are independent next to a state of a motion: these count from now on, even
    /// where they are not quite met, as in the run.
    pub fn enter_form(&mut self, mode: &Mode, t: f64, y: &[f64]) {
        let mut met = y.to_vec();
        self.put_back(mode, t, &mut met);
        if let (Engine::Mechanism(mechanism), true) =
            (&mut self.evaluator, mode.structure.reaching.is_empty())
        {
            mechanism.enter(mode.locked(&self.parameters), t, &met);
        }
    }

    /// The surfaces slid on, with the equations at a time.
    pub(super) fn on_surfaces(&mut self, t: f64) -> (Option<&mut Sliding>, FieldEnv<'_>) {
        let parameters = &self.parameters;
        let (eval, mode, counts) = (&mut *self.evaluator, &mut self.mode, &mut self.counts);
        (self.sliding.as_mut(), FieldEnv { eval, mode, parameters, t, counts })
    }

    /// Looks at a motion that slides, at a point.
    pub(super) fn slide_on(&mut self, mode: &Mode, t: f64, y: &[f64]) {
        let is_new = self.mode.structure.sliding != mode.structure.sliding
            || self.mode.values.counts != mode.values.counts;
        self.mode.clone_from(mode);
        if is_new {
            let guards = self.system.guards();
            let surfaces: Vec<Surface> =
                mode.structure.sliding.iter().filter_map(|&g| Surface::of(guards, mode, g)).collect();
            let (system, (_, env)) = (self.system, self.on_surfaces(t));
            self.sliding = Some(SlidingMotions::default().meet(system, env, &surfaces, y));
        }
    }
}
