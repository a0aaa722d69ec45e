//! The literature's test problems, each once, with its truth and its source.
//!
//! Tests, benchmarks and `slipstick bench` all take them from here. A truth is a closed form or the digits of an oracle: extrapolation
//! in 50 digits with two different orders and tolerances, started from the very doubles that the problem is stated with.

mod smooth;

pub use smooth::smooth;

use crate::equations::System;
use crate::simulate::Start;

/// A test problem with its truth.
pub struct Problem {
    /// The name in benchmark rows.
    pub name: &'static str,
    /// Where it comes from, and where its truth does.
    pub source: &'static str,
    /// The equations.
    pub system: Box<dyn System>,
    /// Where it begins.
    pub start: Start,
    /// When it ends.
    pub until: f64,
    /// The true state at the end.
    pub end: Vec<f64>,
    /// How many times the tolerance the error at the end may be, for any method and tolerance. It is large for problems that
    /// magnify small errors.
    pub promise: f64,
    /// A quantity that stays constant, if there is one.
    pub invariant: Option<fn(&[f64]) -> f64>,
}

/// The names of the suites that hold problems.
pub const SUITES: &[(&str, &str)] = &[(
    "smooth",
    "smooth problems without events: harmonic oscillator, Arenstorf orbit, Pleiades, van der Pol",
)];

/// The problems of a suite.
pub fn suite(name: &str) -> Option<Vec<Problem>> {
    match name {
        "smooth" => Some(smooth()),
        _ => None,
    }
}
