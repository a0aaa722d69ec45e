//! The interface of all one-step methods; `methods.rs` lists those there are.
//!
//! A method tries steps ([`Step`]) and remembers what helps the next one ([`Memory`]). Nothing has a default:
//! a new need is a compile error in every method.

use super::{Method, Tolerances, Trial};
use crate::formulation::Flow;

/// What a method keeps from one step to the next.
pub trait Memory {
    /// The trial just made is taken as a whole: its end is the next start, so what is known there is kept.
    fn advance(&mut self);

    /// What was known at the start no longer holds (an event, a projection): forget it.
    fn restart(&mut self, restart: Restart);

    /// Becomes as new, for another run; what was said of iterations holds on. False if it cannot, and has to be
    /// built again.
    fn renew(&mut self) -> bool;

    /// Said once: no shorter step is tried after a failure, so iterations run until they stall.
    fn iterate_to_stall(&mut self);

    /// What the method is at work on, and what it found in the trial just made.
    fn report(&self) -> StepReport<'_>;

    /// How near the trial just made is to the limit of stability: above 1, stability and not accuracy limits
    /// the step. None if the method cannot tell.
    fn stiffness(&self, trial: &Trial) -> Option<f64>;

    /// Matrix factorisations so far.
    fn factorisations(&self) -> u64;
}

/// A one-step method with its scratch. After the first step nothing here allocates.
pub trait Step: Memory {
    /// Tries the step that `trial` describes (its `t`, `h` and `start` are set) and fills in `end`, `error`
    /// and `fault`.
    fn attempt(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial);

    /// Fills in the dense output of the trial just made. May evaluate the field.
    fn interpolate(&mut self, field: &mut Flow<'_>, trial: &mut Trial, detail: DenseDetail);

    /// Smooths a correction of the end of the trial just made: takes off what would excite stiff parts, which
    /// the method does not follow. The first entries are those of positions. False if nothing in it matters.
    fn smooth(&mut self, positions: usize, correction: &mut [f64]) -> bool;
}

/// What a method says of itself, and of the trial just made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport<'a> {
    /// The method.
    pub method: Method,
    /// Whether the derivative at the end is the last that the trial has evaluated.
    pub knows_end: bool,
    /// The multipliers of a mechanism's constraints at the end; empty if the method does not solve for them.
    pub multipliers: &'a [f64],
}

impl StepReport<'_> {
    /// Of a method that has nothing to say but its name.
    pub fn plain(method: Method) -> Self {
        Self { method, knows_end: false, multipliers: &[] }
    }
}

/// What is different at the start of a segment from the end of the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// It is the start of the run.
    Initial,
    /// The state, a switch or the mode has changed.
    Discontinuous,
    /// Nothing: an event was recorded.
    Continuous,
}

/// How accurate dense output is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DenseDetail {
    /// As accurate as the steps need.
    Usual,
    /// The most accurate there is, at the price of further evaluations. It can be trusted up to 1.3 steps.
    Finest,
}
