//! A method at work on a form: it tries steps, and brings their ends and what lies between back to where the form holds.
//!
//! In: a state and the mode of the flow. Out: a [`Trial`] whose end lies on the constraints and on the surfaces that the motion slides on.

use super::Options;
use super::contradiction::Redundant;
use super::sizes::{Beginning, Sizes};
use crate::equations::System;
use crate::formulation::Flow;
use crate::mode::Mode;
use crate::step::{Counts, Step, Trial, first_step};
use crate::trajectory::Statistics;

/// What is different at the start of a segment from the end of the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Restart {
    /// It is the start of the run.
    Initial,
    /// The state, a switch or the mode has changed.
    Discontinuous,
    /// Nothing: an event was recorded.
    Continuous,
}

/// A method on a form, with the step that it has tried last and the size of the next.
pub(super) struct Integrator<'a> {
    pub(super) flow: Flow<'a>,
    pub(super) step: Box<dyn Step>,
    pub(super) trial: Trial,
    pub(super) sizes: Sizes<'a>,
    pub(super) options: &'a Options,
    /// The constraints of a mechanism that followed from others at the start.
    pub(super) redundant: Redundant,
    pub(super) scratch: Scratch,
    /// The time at which the run began.
    pub(super) start_time: f64,
    /// Which dense output is at hand.
    pub(super) dense_number: u64,
}

/// Room for what corrections do.
pub(super) struct Scratch {
    pub(super) before: Vec<f64>,
    pub(super) moved: Vec<f64>,
    /// The end of a step as corrections leave it that do not care for what is stiff.
    pub(super) plain_end: Vec<f64>,
}

impl<'a> Integrator<'a> {
    pub(super) fn new(
        system: &'a dyn System,
        mode: Mode,
        start: (f64, &[f64]),
        options: &'a Options,
    ) -> Self {
        let (t, y) = start;
        let step = options.build_method(system, t);
        Self {
            flow: Flow::stabilised(system, mode, options.upkeep()),
            sizes: Sizes::new(options, step.method(), t, system.guards().len()),
            step,
            trial: Trial::new(t, y),
            options,
            redundant: Redundant::default(),
            scratch: Scratch { before: y.to_vec(), moved: y.to_vec(), plain_end: y.to_vec() },
            start_time: t,
            dense_number: 0,
        }
    }

    /// Tries a step of the given size from the trial's start.
    pub(super) fn attempt(&mut self, h: f64) {
        self.trial.h = h;
        self.flow.forget_visits();
        self.flow.watch_rank(self.trial.t, &self.trial.start);
        self.step.attempt(&mut self.flow, &self.options.tolerances, &mut self.trial);
        self.project_end();
        if self.flow.sliding().is_some() && self.trial.error.is_finite() {
            let keeps_joints = self.keeps_joints();
            self.flow.land_on_surfaces(self.trial.t + h, &mut self.trial.end, keeps_joints);
        }
    }

    /// Whether the step just tried may be taken: its error is within the tolerance, or its size is fixed and its end finite.
    pub(super) fn is_acceptable(&self) -> bool {
        let most = if self.options.fixed_step.is_some() { f64::MAX } else { 1.0 };
        self.trial.error <= most
    }

    /// Fills in the dense output of the step just tried.
    pub(super) fn interpolate(&mut self) {
        self.dense_number += 1;
        self.step.interpolate(&mut self.flow, &mut self.trial);
    }

    /// Fills in the most accurate dense output that the method has. Gives the right-hand sides that it took.
    pub(super) fn interpolate_finely(&mut self) -> u64 {
        self.dense_number += 1;
        let before = self.flow.derivative_count;
        self.step.interpolate_finely(&mut self.flow, &mut self.trial);
        self.flow.derivative_count - before
    }

    /// The state at an offset within the step just tried, where the form holds.
    pub(super) fn state_at(&mut self, offset: f64, y: &mut [f64]) {
        self.trial.state_at(offset, y);
        if offset > 0.0 && offset != self.trial.h {
            self.project_within(self.trial.t + offset, y);
            let keeps_joints = self.keeps_joints();
            self.flow.land_on_surfaces(self.trial.t + offset, y, keeps_joints);
        }
    }

    /// The next step begins at this state.
    pub(super) fn restart(&mut self, t: f64, y: &[f64], restart: Restart) {
        self.trial.restart(t, y);
        self.step.restart();
        if restart != Restart::Continuous {
            self.step.expect_change();
        }
    }

    /// Chooses the first step of a segment that begins with an event. Gives whether the field was asked for it.
    pub(super) fn choose_first_step(&mut self, restart: Restart, beginning: Option<Beginning>) -> bool {
        let Self { flow, step, trial, options, sizes, .. } = self;
        sizes.restart(restart, trial.t, beginning, |longest| {
            first_step(flow, trial.t, &trial.start, longest, step.method().facts().order, &options.tolerances)
        })
    }

    /// What was done so far.
    pub(super) fn counts(&self) -> Counts {
        Counts::of(&self.flow, self.step.factorisations())
    }

    /// Adds all that was done to the statistics of the run.
    pub(super) fn add_work(&self, statistics: &mut Statistics) {
        let (flow, counts) = (&self.flow, self.counts());
        statistics.derivatives = counts.derivatives;
        statistics.jacobians = counts.jacobians;
        statistics.factorisations = counts.factorisations;
        statistics.guards = flow.guard_count;
        statistics.corrected = counts.corrected;
        statistics.motion_factorisations = counts.motion_factorisations;
        statistics.settling += flow.heading_count;
        statistics.reused = flow.reused();
    }

    /// The step just tried is good: the size of the next follows from it.
    pub(super) fn accept(&mut self) {
        self.sizes.accept(&self.trial, self.step.wanted_step());
    }
}
