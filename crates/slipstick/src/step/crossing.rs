//! Steps of implicit methods next to singular positions of a mechanism (`formulation/singular.rs`).
//!
//! Beside the constraints the field has slopes there that grow without bound: an implicit method takes them for stiffness and comes nearer and nearer by steps that are good, until rounding decides
//! on which branch it goes on. An explicit method whose stages are brought to the constraints needs no slopes, and one of high order makes few and long steps. So such steps are made by one. If
//! the motion is stiff, they are as short as its stability asks for, next to the position only.

use super::{Method, Step, Tolerances, Trial};
use crate::formulation::Flow;

/// The explicit method, once it was needed.
#[derive(Default)]
pub(super) struct Crossing {
    step: Option<Box<dyn Step>>,
    is_on: bool,
}

impl Crossing {
    /// Makes the step of a trial again, if that is one next to a singular position.
    #[inline]
    pub(super) fn attempt(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        self.is_on = field.is_next_to_singular(trial.is_good());
        if self.is_on {
            self.cross(field, tolerances, trial);
        }
    }

    #[cold]
    fn cross(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        let n = trial.start.len();
        let step = self.step.get_or_insert_with(|| Method::DormandPrince8.build(n));
        step.restart();
        step.attempt(field, tolerances, trial);
    }

    /// Whether the last step was made here.
    pub(super) fn is_on(&self) -> bool {
        self.is_on
    }

    /// Fills in the dense output, if the step was made here. Tells whether it was.
    pub(super) fn interpolate(&mut self, field: &mut Flow<'_>, trial: &mut Trial) -> bool {
        if let Some(step) = self.step.as_mut().filter(|_| self.is_on) {
            step.interpolate(field, trial);
        }
        self.is_on
    }
}
