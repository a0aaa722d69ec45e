//! The meeting place of methods and events: one attempted step with its error and dense output.

use super::{Interpolant, PerComponent, Tolerances};
use crate::math::scaled_rms;

/// Why a trial has no error to be judged by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// A derivative is not finite.
    NotFinite {
        /// The component whose derivative it is.
        component: usize,
        /// The time of the stage.
        t: f64,
        /// The value: NaN or an infinity.
        value: f64,
    },
    /// Newton's iteration did not converge.
    NoConvergence,
    /// The matrix of Newton's iteration is singular.
    SingularMatrix {
        /// The component in whose column no pivot was found.
        component: usize,
    },
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
    /// Why there is no error, if there is none.
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
        self.error = self.scaled(errors, tolerances);
        if !self.is_good() {
            let scale = |i: usize| tolerances.scale(i, larger(self.start[i].abs(), self.end[i].abs()));
            let share = |i: &usize| (errors[*i] / scale(*i)).abs();
            self.worst = (0..errors.len()).max_by(|a, b| share(a).total_cmp(&share(b))).unwrap_or(0);
        }
    }

    /// The norm of the errors, each divided by what is allowed.
    fn scaled(&self, errors: &[f64], tolerances: &Tolerances) -> f64 {
        let magnitudes = || self.start.iter().zip(&self.end).map(|(a, b)| larger(a.abs(), b.abs()));
        match (&tolerances.relative, &tolerances.absolute) {
            // By far the most frequent case, and the loop can be vectorised.
            (PerComponent::Same(r), PerComponent::Same(a)) => {
                scaled_rms(errors, magnitudes().map(|m| a + r * m))
            }
            _ => scaled_rms(errors, magnitudes().enumerate().map(|(i, m)| tolerances.scale(i, m))),
        }
    }

    /// Joins two estimates of different order as DOP853 does: the higher one alone, unless the lower one says that it cannot be trusted.
    pub fn judge_joined(&mut self, fifth: &[f64], third: &[f64], tolerances: &Tolerances) {
        let low = self.scaled(third, tolerances);
        self.judge(fifth, tolerances);
        let joined = (self.error.powi(2) + 0.01 * low.powi(2)).sqrt();
        if joined > 0.0 {
            self.error = self.error.powi(2) / joined;
        }
    }

    /// For methods without an error estimate: the step is as good as it is, unless it is not finite.
    pub fn accept_unjudged(&mut self) {
        self.error = if self.end.iter().all(|y| y.is_finite()) { 0.0 } else { f64::NAN };
    }

    /// There is no result: `error` becomes infinite and the reason is kept.
    pub fn fail(&mut self, fault: Fault) {
        self.error = f64::INFINITY;
        self.fault = Some(fault);
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

    /// As [`state_at`](Self::state_at), with the rate at which the state changes there, by dense output.
    pub fn rate_at(&self, offset: f64, y: &mut [f64], dy: &mut [f64]) {
        self.dense.evaluate_with_slope(offset / self.h, y, dy);
        for dy in &mut *dy {
            *dy /= self.h;
        }
        if offset == self.h {
            y.copy_from_slice(&self.end);
        }
    }

    /// A distance that no component of the state is ever further from its start than, within the step, by dense output.
    pub fn reach(&self) -> f64 {
        self.dense.reach()
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

/// The larger of two numbers that are not NaN: an end that is NaN shows in its error.
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}
