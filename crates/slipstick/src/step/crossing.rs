//! Steps of implicit methods next to singular positions of a mechanism (`formulation/singular.rs`).
//!
//! Beside the constraints the field has slopes there that grow without bound: an implicit method takes them
//! for stiffness and comes nearer and nearer by steps that are good, until rounding decides on which branch
//! it goes on. An explicit method whose stages are brought to the constraints needs no slopes, and one of
//! high order makes few and long steps. So such steps are made by one. If the motion is stiff, they are as
//! short as its stability asks for, next to the position only.

use super::{Change, DenseDetail, Memory, Method, Restart, Step, StepReport, Tolerances, Trial};
use crate::formulation::Flow;

/// An implicit method, and beside it the explicit one, once it was needed.
pub(super) struct Crossing<S> {
    implicit: S,
    explicit: Option<Box<dyn Step>>,
    /// Whether the explicit one has made the last step.
    is_on: bool,
}

impl<S: Step> Crossing<S> {
    pub(super) fn with(implicit: S) -> Self {
        Self { implicit, explicit: None, is_on: false }
    }

    #[cold]
    fn cross(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        let n = trial.start.len();
        let step = self.explicit.get_or_insert_with(|| Method::DormandPrince8.build(n));
        step.restart(Restart::Continuous);
        step.attempt(field, tolerances, trial);
    }
}

impl<S: Step> Memory for Crossing<S> {
    fn advance(&mut self) {
        if self.is_on { self.implicit.restart(Restart::Continuous) } else { self.implicit.advance() }
    }

    fn restart(&mut self, restart: Restart) {
        self.implicit.restart(restart);
    }

    fn renew(&mut self, _span: f64) -> bool {
        false
    }

    fn iterate_to_stall(&mut self) {
        self.implicit.iterate_to_stall();
    }

    fn report(&self) -> StepReport<'_> {
        StepReport::plain(self.implicit.report().method)
    }

    fn stiffness(&self, trial: &Trial) -> Option<f64> {
        self.implicit.stiffness(trial)
    }

    fn reconsider(&mut self, _trial: &Trial, _is_taken: bool) -> Option<Change> {
        None
    }

    fn factorisations(&self) -> u64 {
        self.implicit.factorisations()
    }
}

impl<S: Step> Step for Crossing<S> {
    fn attempt(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        self.implicit.attempt(field, tolerances, trial);
        self.is_on = field.singular().is_near(trial.is_good());
        if self.is_on {
            self.cross(field, tolerances, trial);
        }
    }

    fn interpolate(&mut self, field: &mut Flow<'_>, trial: &mut Trial, _detail: DenseDetail) {
        match self.explicit.as_mut().filter(|_| self.is_on) {
            Some(step) => step.interpolate(field, trial, DenseDetail::Usual),
            None => self.implicit.interpolate(field, trial, DenseDetail::Usual),
        }
    }

    fn smooth(&mut self, positions: usize, correction: &mut [f64]) -> bool {
        !self.is_on && self.implicit.smooth(positions, correction)
    }
}
