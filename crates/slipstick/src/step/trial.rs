//! The meeting place of methods and events: one attempted step with its error and dense output.

use super::tolerance::larger;
use super::{Interpolant, PerComponent, Tolerances};
use crate::math::{Norm, larger_or_nan, scaled_max, scaled_rms};

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

    /// Sets `error` to the norm of the errors, each divided by what is allowed; `usual` is the norm if the tolerances do not say.
    #[inline(always)]
    pub fn judge(&mut self, errors: &[f64], tolerances: &Tolerances, usual: Norm) {
        self.error = match tolerances.norm.unwrap_or(usual) {
            Norm::Worst => self.largest(errors, tolerances),
            Norm::Mean => self.mean(errors, tolerances),
        };
        if !self.is_good() {
            self.worst = self.find_worst(errors, tolerances);
        }
    }

    /// The component with the largest scaled error.
    #[inline(never)]
    fn find_worst(&self, errors: &[f64], tolerances: &Tolerances) -> usize {
        let (mut worst, mut largest) = (0, -1.0);
        for (i, (error, (start, end))) in errors.iter().zip(self.start.iter().zip(&self.end)).enumerate() {
            let share = error.abs() / tolerances.scale(i, larger(start.abs(), end.abs()));
            if share > largest {
                (worst, largest) = (i, share);
            }
            // NaN is the worst of all.
            if share.is_nan() {
                return i;
            }
        }
        worst
    }

    /// The root mean square of the errors, each divided by what is allowed.
    #[inline(always)]
    fn mean(&self, errors: &[f64], tolerances: &Tolerances) -> f64 {
        let (start, end) = (&self.start[..errors.len()], &self.end[..errors.len()]);
        let magnitudes = || start.iter().zip(end).map(|(a, b)| larger(a.abs(), b.abs()));
        match (&tolerances.relative, &tolerances.absolute) {
            (PerComponent::Same(r), PerComponent::Same(a)) => {
                scaled_rms(errors, magnitudes().map(|m| a + r * m))
            }
            _ => scaled_rms(errors, magnitudes().enumerate().map(|(i, m)| tolerances.scale(i, m))),
        }
    }

    /// The largest of the errors, each divided by what is allowed.
    #[inline(always)]
    fn largest(&self, errors: &[f64], tolerances: &Tolerances) -> f64 {
        let (start, end) = (&self.start[..errors.len()], &self.end[..errors.len()]);
        let magnitudes = || start.iter().zip(end).map(|(a, b)| larger(a.abs(), b.abs()));
        match (&tolerances.relative, &tolerances.absolute) {
            // By far the most frequent case, and the loop can be vectorised.
            (PerComponent::Same(r), PerComponent::Same(a)) => {
                scaled_max(errors, magnitudes().map(|m| larger(r * m, *a)))
            }
            _ => scaled_max(errors, magnitudes().enumerate().map(|(i, m)| tolerances.bound(i, m))),
        }
    }

    /// Joins two estimates of different order as DOP853 does: the higher one alone, unless the lower one says that it cannot be trusted. The
    /// lower one is given without the rise of the step, which is a part of it.
    #[inline(always)]
    pub fn judge_joined(&mut self, higher: &[f64], lower: &[f64], tolerances: &Tolerances) {
        let (high, low) = match tolerances.norm {
            Some(Norm::Mean) => self.mean_pair(higher, lower, tolerances),
            _ => self.largest_pair(higher, lower, tolerances),
        };
        let joined = (high * high + 0.01 * low * low).sqrt();
        self.error = if joined > 0.0 { high * high / joined } else { joined };
        if !self.is_good() {
            self.worst = self.find_worst(higher, tolerances);
        }
    }

    #[inline(always)]
    fn largest_pair(&self, higher: &[f64], lower: &[f64], tolerances: &Tolerances) -> (f64, f64) {
        let n = higher.len();
        let (start, end, lower) = (&self.start[..n], &self.end[..n], &lower[..n]);
        let (mut high, mut low) = (0.0, 0.0);
        for i in 0..n {
            let bound = tolerances.bound(i, larger(start[i].abs(), end[i].abs()));
            high = larger_or_nan(high, (higher[i] / bound).abs());
            low = larger_or_nan(low, ((lower[i] + (end[i] - start[i])) / bound).abs());
        }
        (high, low)
    }

    #[inline(always)]
    fn mean_pair(&self, higher: &[f64], lower: &[f64], tolerances: &Tolerances) -> (f64, f64) {
        let n = higher.len();
        let (start, end, lower) = (&self.start[..n], &self.end[..n], &lower[..n]);
        let (mut high, mut low) = (0.0, 0.0);
        for i in 0..n {
            let scale = tolerances.scale(i, larger(start[i].abs(), end[i].abs()));
            high += (higher[i] / scale).powi(2);
            low += ((lower[i] + (end[i] - start[i])) / scale).powi(2);
        }
        ((high / n.max(1) as f64).sqrt(), (low / n.max(1) as f64).sqrt())
    }

    /// Joins two estimates as HEM5 does (paper 001, equation (34)): `e₁² / (e₁ + 0.01 e₂)`, of a higher order than both.
    pub(super) fn judge_damped(
        &mut self,
        first: &[f64],
        second: &[f64],
        tolerances: &Tolerances,
        usual: Norm,
    ) {
        self.judge(second, tolerances, usual);
        let lower = self.error;
        self.judge(first, tolerances, usual);
        let joined = self.error + 0.01 * lower;
        self.error = if joined > 0.0 { self.error * (self.error / joined) } else { joined };
    }

    /// The cubic through values and slopes at both ends: `c₀ … c₃` of the dense output, with room for a degree.
    #[inline]
    pub(super) fn fill_cubic(&mut self, first: &[f64], last: &[f64], degree: usize) {
        let (n, h) = (first.len(), self.h);
        let c = self.dense.coefficients_mut(degree);
        for i in 0..n {
            let rise = self.end[i] - self.start[i];
            let bend = h * first[i] - rise;
            c[i] = self.start[i];
            c[n + i] = rise;
            c[2 * n + i] = bend;
            c[3 * n + i] = rise - h * last[i] - bend;
        }
    }

    /// The first rate that is not finite, of stages one after the other at the given parts of the step.
    pub(super) fn find_fault(&self, stages: &[f64], nodes: &[f64]) -> Option<Fault> {
        let n = self.start.len();
        let position = stages.iter().position(|k| !k.is_finite())?;
        let t = self.t + nodes[position / n] * self.h;
        Some(Fault::NotFinite { component: position % n, t, value: stages[position] })
    }

    /// For methods without an error estimate: the step is as good as it is, unless it is not finite.
    pub fn accept_unjudged(&mut self) {
        self.error = if self.end.iter().all(|y| y.is_finite()) { 0.0 } else { f64::NAN };
    }

    /// The fault of the trial before is no longer of interest. There hardly ever is one, and looking is cheaper than writing.
    #[inline(always)]
    pub(super) fn forget_fault(&mut self) {
        if self.fault.is_some() {
            self.fault = None;
        }
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

    /// The same for one component.
    pub fn reach_of(&self, component: usize) -> f64 {
        self.dense.reach_of(component)
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
