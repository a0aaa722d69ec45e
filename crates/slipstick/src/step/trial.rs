//! The meeting place of methods and events: one attempted step with its error and dense output.

use super::{Interpolant, Tolerances};
use crate::math::scaled_rms;

/// Where a trial met a value that is not finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fault {
    /// The component whose derivative is not finite.
    pub component: usize,
    /// The time of the stage.
    pub t: f64,
    /// The value: NaN or an infinity.
    pub value: f64,
}

/// One attempted step. It is made once and used again for every step of a run.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The time at the start.
    pub t: f64,
    /// The step size.
    pub h: f64,
    /// The state at the start.
    pub start: Vec<f64>,
    /// The state at the end.
    pub end: Vec<f64>,
    /// The scaled error estimate: at most 1 is good enough; not finite when a stage was not.
    pub error: f64,
    /// The component with the largest scaled error.
    pub worst: usize,
    /// The first value that was not finite, if any.
    pub fault: Option<Fault>,
    /// The solution within the step, once [`Step::interpolate`](super::Step::interpolate) has filled it in.
    pub dense: Interpolant,
}

impl Trial {
    /// A trial that starts at the given point.
    pub fn new(t: f64, start: &[f64]) -> Self {
        Self {
            t,
            h: 0.0,
            start: start.to_vec(),
            end: start.to_vec(),
            error: 0.0,
            worst: 0,
            fault: None,
            dense: Interpolant::new(start.len()),
        }
    }

    /// Scales the error of each component by what is allowed and sets `error` and `worst`.
    pub fn judge(&mut self, errors: &[f64], tolerances: &Tolerances) {
        let magnitude = |i: usize| self.start[i].abs().max(self.end[i].abs());
        let scale = |i: usize| tolerances.scale(i, magnitude(i));
        self.error = scaled_rms(errors, (0..errors.len()).map(scale));
        if !self.is_good() {
            let share = |i: &usize| (errors[*i] / scale(*i)).abs();
            self.worst = (0..errors.len()).max_by(|a, b| share(a).total_cmp(&share(b))).unwrap_or(0);
        }
    }

    /// Whether the step is accurate enough to be taken.
    pub fn is_good(&self) -> bool {
        self.error <= 1.0
    }

    /// The state at `t + offset`, by dense output.
    pub fn state_at(&self, offset: f64, y: &mut [f64]) {
        if offset == self.h {
            y.copy_from_slice(&self.end);
        } else {
            self.dense.evaluate(offset / self.h, y);
        }
    }

    /// Makes the end of this trial the start of the next.
    pub fn advance(&mut self, t: f64) {
        self.t = t;
        std::mem::swap(&mut self.start, &mut self.end);
    }

    /// Begins anew at another point.
    pub fn restart(&mut self, t: f64, start: &[f64]) {
        self.t = t;
        self.start.copy_from_slice(start);
    }
}
