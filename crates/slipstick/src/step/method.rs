//! The interface of all one-step methods; `methods.rs` lists those there are.

use super::{Method, Tolerances, Trial};
use crate::formulation::Flow;

/// A one-step method with its scratch. After the first step nothing here allocates.
pub trait Step {
    /// Tries the step that `trial` describes (its `t`, `h` and `start` are set) and fills in `end`, `error`
    /// and `fault`.
    fn attempt(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial);

    /// Fills in the dense output of the trial just made. May evaluate the field.
    fn interpolate(&mut self, field: &mut Flow<'_>, trial: &mut Trial);

    /// As [`interpolate`](Self::interpolate), with the most accurate dense output there is, at the price of
    /// further evaluations. It can be trusted up to 1.3 steps.
    fn interpolate_finely(&mut self, field: &mut Flow<'_>, trial: &mut Trial) {
        self.interpolate(field, trial);
    }

    /// The trial just made is taken as a whole: its end is the next start, so what is known there is kept.
    fn advance(&mut self);

    /// Whatever was known at the start is no longer true (an event, a projection): forget it.
    fn restart(&mut self);

    /// Said once: no shorter step is tried after a failure, so iterations run while they converge.
    fn be_patient(&mut self) {}

    /// Other equations hold from here on.
    fn expect_change(&mut self) {}

    /// Whether the derivative at the end is the last that the trial just made has evaluated.
    fn knows_derivative_at_end(&self) -> bool {
        false
    }

    /// How near the trial just made is to the limit of stability: above 1, stability and not accuracy limits
    /// the step. `None` if the method cannot tell.
    fn stiffness(&self, _trial: &Trial) -> Option<f64> {
        None
    }

    /// Looks at the trial just made, behind [`advance`](Self::advance) if it was taken: a method that is made
    /// of several decides which goes on. Tells if that is another one, or has been settled.
    fn reconsider(&mut self, _trial: &Trial, _is_taken: bool) -> Option<Change> {
        None
    }

    /// The method that makes the next step.
    fn method(&self) -> Method;

    /// Takes off a correction of the end of the trial just made what would excite stiff parts, which the
    /// method would not follow. The correction of so many positions comes first. False if nothing in it
    /// matters.
    fn calm(&mut self, _positions: usize, _correction: &mut [f64]) -> bool {
        false
    }

    /// Whether it solves the stabilised index-2 form of a mechanism, and so needs no corrections.
    fn is_ggl(&self) -> bool {
        false
    }

    /// The multipliers of a mechanism's constraints that the trial just made has found for its end; none if
    /// the method does not solve for them there.
    fn multipliers(&self) -> &[f64] {
        &[]
    }

    /// The length of the next step, if the method knows better than the error.
    fn wanted_step(&self) -> Option<f64> {
        None
    }

    /// Matrix factorisations so far.
    fn factorisations(&self) -> u64 {
        0
    }
}

/// Another method goes on, or the one at work is found to be the best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The step to begin with, where another one goes on.
    pub h: Option<f64>,
    /// Whether it is more than a try.
    pub is_settled: bool,
}
