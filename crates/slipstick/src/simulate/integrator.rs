//! A method at work on a form: it tries steps, and brings their ends and what lies between back to where the form holds.
//!
//! In: a state and the mode of the flow. Out: a [`Trial`] whose end lies on the constraints and on the surfaces that the motion slides on.

use super::Options;
use super::contradiction::Redundant;
use crate::equations::System;
use crate::formulation::Flow;
use crate::mode::Mode;
pub(super) use crate::step::Restart;
use crate::step::{DenseDetail, Step, Trial};

/// A method on a form, with the step that it has tried last.
pub(super) struct Integrator<'a> {
    pub(super) flow: Flow<'a>,
    pub(super) step: Box<dyn Step>,
    pub(super) trial: Trial,
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
        Self {
            flow: Flow::stabilised(system, mode, options.upkeep()),
            step: options.build_method(system, t),
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
        self.trial.refuse_if_not_finite();
    }

    /// Whether the step just tried may be taken: its error is within the tolerance, or its size is fixed and its end finite.
    pub(super) fn is_acceptable(&self) -> bool {
        let most = if self.options.fixed_step.is_some() { f64::MAX } else { 1.0 };
        self.trial.error <= most
    }

    /// Fills in the dense output of the step just tried.
    pub(super) fn interpolate(&mut self) {
        self.dense_number += 1;
        self.step.interpolate(&mut self.flow, &mut self.trial, DenseDetail::Usual);
    }

    /// Fills in the most accurate dense output that the method has. Gives the right-hand sides that it took.
    pub(super) fn interpolate_finely(&mut self) -> u64 {
        self.dense_number += 1;
        let before = self.flow.derivative_count;
        self.step.interpolate(&mut self.flow, &mut self.trial, DenseDetail::Finest);
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
        self.step.restart(restart);
    }
}
