//! The right-hand side where a segment begins.
//!
//! It is wanted several times there: to settle how the motion goes on at a switching surface, to see where guards are heading, to choose the size of the
//! first step, and by that step. It is evaluated once.

use super::engine::Engine;
use super::{Field, Flow};
use crate::mode::Mode;

/// Points that differ by no more than this part, in each component, are the same to rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// A point and the right-hand side there, in a mode.
#[derive(Clone, Debug)]
pub(super) struct StartSlope {
    is_known: bool,
    t: f64,
    y: Vec<f64>,
    mode: Mode,
    slope: Vec<f64>,
    /// How often it was known when it was wanted.
    pub(super) reused: u64,
}

impl StartSlope {
    pub(super) fn new(mode: Mode) -> Self {
        Self { is_known: false, t: 0.0, y: Vec::new(), mode, slope: Vec::new(), reused: 0 }
    }

    /// Keeps it for a point.
    pub(super) fn keep(&mut self, mode: &Mode, t: f64, y: &[f64], slope: &[f64]) {
        self.y.clear();
        self.y.extend_from_slice(y);
        self.slope.clear();
        self.slope.extend_from_slice(slope);
        self.mode.clone_from(mode);
        (self.is_known, self.t) = (true, t);
    }

    /// The right-hand side at a point, if it is known.
    pub(super) fn at(&self, mode: &Mode, t: f64, y: &[f64]) -> Option<&[f64]> {
        let same = |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= ROUNDING * b.abs();
        let known = self.is_known && self.t == t && self.mode == *mode && self.y.iter().zip(y).all(same);
        known.then_some(&self.slope)
    }
}

impl Flow<'_> {
    /// The right-hand side where a segment begins, which may be known.
    #[cold]
    pub fn first_derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        // Elsewhere an evaluation leaves more behind than its value, or is not the field of one side.
        let is_plain = matches!(self.evaluator, Engine::Plain(_)) && !self.one_sided.is_on();
        if !is_plain || self.sliding.is_some() {
            return self.derivative(t, y, dy);
        }
        if let Some(slope) = self.start_slope.at(&self.mode, t, y) {
            dy.copy_from_slice(slope);
            self.start_slope.reused += 1;
            return;
        }
        self.derivative(t, y, dy);
        self.start_slope.keep(&self.mode, t, y, dy);
    }

    /// How often the right-hand side where a segment begins was known already.
    pub fn reused(&self) -> u64 {
        self.start_slope.reused
    }
}
