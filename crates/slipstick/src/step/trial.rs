//! The meeting place of methods and events: one attempted step with its error and dense output.

use super::PerComponent::Same;
use super::tolerance::larger;
use super::{Interpolant, Tolerances};
use crate::math::{Norm, largest, rms};

/// An error for which the next attempt is about a quarter shorter.
const LITTLE_TOO_LARGE: f64 = 3.0;

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
    /// A state at the end of the step is not finite.
    EndNotFinite {
        /// The state.
        component: usize,
        /// The value: NaN or an infinity.
        value: f64,
    },
    /// Newton's iteration did not converge.
    NoConvergence,
    /// The constraint of a mechanism that a correction cannot close behind the step, and what is left of it.
    LeftOpen {
        /// The constraint.
        constraint: usize,
        /// What is left of it.
        left: f64,
    },
    /// The matrix of Newton's iteration is singular.
    SingularMatrix {
        /// The component in whose column no pivot was found.
        component: usize,
    },
}

/// The weight of the estimate of lower order beside the one of higher order, in DOP853 (of its square) and in
/// HEM5.
const LOWER_PART: f64 = 0.01;

/// One attempted step. It is made once and used again for every step of a run.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The time at the start.
    pub t: f64,
    /// The step size.
    pub h: f64,
    /// Whether stages are brought to the constraints of a mechanism, next to a singular configuration.
    pub(crate) closes_stages: bool,
    /// The state at the start.
    pub start: Vec<f64>,
    /// The state at the end.
    pub end: Vec<f64>,
    /// The scaled error estimate: at most 1 is good enough; not finite when a stage was not.
    pub error: f64,
    /// The error in each component over what is allowed, as last judged.
    pub(super) shares: Vec<f64>,
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
            closes_stages: false,
            start: start.to_vec(),
            end: start.to_vec(),
            error: 0.0,
            shares: vec![0.0; start.len()],
            fault: None,
            dense: Interpolant::new(start.len()),
        }
    }

    /// Becomes as new, for another run that starts at the given point.
    pub(crate) fn renew(&mut self, t: f64, start: &[f64]) {
        let Self { t: own_t, h, closes_stages: _, start: own_start, end, error, shares, fault, dense } = self;
        (*own_t, *h, *error, *fault) = (t, 0.0, 0.0, None);
        own_start.copy_from_slice(start);
        end.copy_from_slice(start);
        shares.fill(0.0);
        dense.renew();
    }

    /// Sets `error` to the norm of scaled errors; `usual` is the norm if tolerances have none.
    #[inline(always)]
    pub fn judge(&mut self, errors: &[f64], tolerances: &Tolerances, usual: Norm) {
        self.error = self.norm(errors, tolerances, tolerances.norm.unwrap_or(usual));
    }

    /// The component with the largest error over what is allowed, as last judged. NaN is the worst of all.
    pub fn worst(&self) -> usize {
        let (mut worst, mut largest) = (0, -1.0);
        for (i, &share) in self.shares.iter().enumerate() {
            if share > largest {
                (worst, largest) = (i, share);
            }
            if share.is_nan() {
                return i;
            }
        }
        worst
    }

    /// The norm of the shares, after finding them.
    #[inline(always)]
    fn norm(&mut self, errors: &[f64], tolerances: &Tolerances, norm: Norm) -> f64 {
        let n = errors.len();
        let (start, end, shares) = (&self.start[..n], &self.end[..n], &mut self.shares[..n]);
        // The same for all is by far the most frequent case, and its loop can be vectorised.
        let (&Same(r), &Same(a)) = (&tolerances.relative, &tolerances.absolute) else {
            return self.norm_of_each(errors, tolerances, norm);
        };
        match norm {
            Norm::Worst => {
                share(errors, start, end, shares, |_, m| larger(r * m, a));
                largest(shares)
            }
            Norm::Mean => {
                share(errors, start, end, shares, |_, m| a + r * m);
                rms(shares)
            }
        }
    }

    /// The same where components have tolerances of their own.
    #[inline(never)]
    fn norm_of_each(&mut self, errors: &[f64], tolerances: &Tolerances, norm: Norm) -> f64 {
        let n = errors.len();
        let (start, end, shares) = (&self.start[..n], &self.end[..n], &mut self.shares[..n]);
        match norm {
            Norm::Worst => {
                share(errors, start, end, shares, |i, m| tolerances.bound(i, m));
                largest(shares)
            }
            Norm::Mean => {
                share(errors, start, end, shares, |i, m| tolerances.scale(i, m));
                rms(shares)
            }
        }
    }

    /// Joins two estimates of different order as DOP853 does: the higher one alone, unless the lower one says
    /// that it cannot be trusted. The lower one is given without the rise of the step, which is a part of it.
    #[inline(always)]
    pub fn judge_joined(&mut self, higher: &[f64], lower: &mut [f64], tolerances: &Tolerances) {
        let norm = tolerances.norm.unwrap_or(Norm::Worst);
        let n = lower.len();
        for (lower, (start, end)) in lower.iter_mut().zip(self.start[..n].iter().zip(&self.end[..n])) {
            *lower += end - start;
        }
        let low = self.norm(lower, tolerances, norm);
        let high = self.norm(higher, tolerances, norm);
        let joined = (high * high + LOWER_PART * low * low).sqrt();
        self.error = if joined > 0.0 { high * high / joined } else { joined };
    }

    /// Joins two estimates as HEM5 does: `e₁² / (e₁ + 0.01 e₂)` (paper 001, (34)), of higher order.
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
        let joined = self.error + LOWER_PART * lower;
        self.error = if joined > 0.0 { self.error * (self.error / joined) } else { joined };
    }

    /// The cubic through both ends with slopes: `c₀ … c₃` of dense output, with space for a degree.
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

    /// Dense output that is a straight line.
    pub fn fill_line(&mut self) {
        let n = self.start.len();
        let c = self.dense.coefficients_mut(1);
        c[..n].copy_from_slice(&self.start);
        for (i, rise) in c[n..].iter_mut().enumerate() {
            *rise = self.end[i] - self.start[i];
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

    /// A step with closed stages (`formulation/singular.rs`) that is not good has a stage next to the
    /// singular position, where rounding is large. Not a shorter step helps against that, which may come
    /// nearer, but one that has its stages elsewhere: the next attempt is to be little shorter.
    pub(crate) fn judge_closed(&mut self) {
        if self.error.is_finite() {
            self.error = self.error.min(LITTLE_TOO_LARGE);
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

    /// One component of the state at `t + offset`.
    pub fn component_at(&self, component: usize, offset: f64) -> f64 {
        if offset == self.h {
            self.end[component]
        } else {
            self.dense.component_at(component, offset / self.h)
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

    /// Makes the end of this trial the start of the next.
    pub fn advance(&mut self, t: f64) {
        self.t = t;
        std::mem::swap(&mut self.start, &mut self.end);
    }

    /// A step with an end that is not finite is not good, however small its error is said to be.
    pub fn refuse_if_not_finite(&mut self) {
        if all_finite(&self.end) || !self.error.is_finite() {
            return;
        }
        self.error = f64::NAN;
        let bad = self.end.iter().position(|y| !y.is_finite());
        self.fault = bad.map(|component| Fault::EndNotFinite { component, value: self.end[component] });
    }

    /// Begins anew at another point.
    pub fn restart(&mut self, t: f64, start: &[f64]) {
        self.t = t;
        self.start.copy_from_slice(start);
    }
}

/// Scaled errors, one per component; stored, so that divisions go in pairs.
#[inline(always)]
fn share(
    errors: &[f64],
    start: &[f64],
    end: &[f64],
    shares: &mut [f64],
    allowed: impl Fn(usize, f64) -> f64,
) {
    for (i, share) in shares.iter_mut().enumerate() {
        *share = (errors[i] / allowed(i, larger(start[i].abs(), end[i].abs()))).abs();
    }
}

/// Whether all numbers are finite. It is asked in every step: the exponent of one that is not is all ones,
/// and carries over when one is added.
fn all_finite(values: &[f64]) -> bool {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    const ONE: u64 = 0x0010_0000_0000_0000;
    let carries = values.iter().fold(0, |carries, y| carries | ((y.to_bits() & EXPONENT) + ONE));
    carries >> 63 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_that_has_become_as_new_has_nothing_of_the_last() {
        let mut trial = Trial::new(0.0, &[1.0, 2.0]);
        (trial.h, trial.end) = (0.5, vec![3.0, 4.0]);
        trial.judge(&[1.0, f64::NAN], &Tolerances::default(), Norm::Worst);
        trial.fill_line();
        trial.fail(Fault::NoConvergence);
        trial.renew(7.0, &[5.0, 6.0]);
        assert_eq!(format!("{trial:?}"), format!("{:?}", Trial::new(7.0, &[5.0, 6.0])));
    }

    #[test]
    fn what_is_not_finite_is_seen() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(!super::all_finite(&[1.0, bad, -2.0]));
        }
        assert!(super::all_finite(&[f64::MAX, f64::MIN, 0.0, -0.0, 5e-324]));
    }
}
