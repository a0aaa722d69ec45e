//! Step-size control: for explicit methods the proportional-integral rule of Gustafsson as in Hairer, Wanner
//! II, section IV.2; for implicit ones his predictive rule as in section IV.8, with a dead band in which the
//! step is kept, because a step of the same size saves a factorisation.

use super::Method;
use super::tolerance::larger;
use crate::math::{rough_exp2, rough_log2, rough_power};

/// The part of the memory of the last error that the exponent of this one makes up for (Hairer, Wanner II,
/// section IV.2).
const MADE_UP: f64 = 0.75;
/// Errors below this, in tolerances, say no more than that there is none.
const LEAST_ERROR: f64 = 1e-16;
const LEAST_PID_ERROR: f64 = 1e-10;
/// No error counts as less than this, in tolerances, when the trend is carried on by an implicit method.
const LEAST_TREND: f64 = 1e-2;
/// A step of a method that keeps its factors is changed only if it can grow by more than this factor.
const KEEP_FACTORS: f64 = 1.2;
/// The factor after an error that is not finite, which says nothing about the right size.
const AFTER_NOT_FINITE: f64 = 0.25;
/// The weights of the last three errors, times the exponent (Kennedy, Carpenter 2003).
const PID: [f64; 3] = [-0.58, 0.21, -0.1];

/// How step sizes are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Control {
    /// As suits the method: proportional-integral for explicit ones, predictive for implicit ones.
    #[default]
    Standard,
    /// Proportional, integral and derivative: step sizes change more smoothly.
    Pid,
}

/// Chooses the next step size from the error of the last one and of the one before.
#[derive(Clone, Debug)]
pub struct Controller {
    rule: ControlLaw,
    /// The part of the step that would just be good enough which is tried.
    safety: f64,
    /// The largest growth of the next step: none after a rejection, a lot at the start or an event.
    most: f64,
}

// With a tag of its own, it is told in one comparison.
#[derive(Clone, Debug)]
#[repr(u8)]
enum ControlLaw {
    /// Explicit methods: the last error, kept as its binary logarithm, damps the choice.
    ProportionalIntegral { exponent: f64, last_log: f64 },
    /// On request, for any method: the last three errors count (Kennedy, Carpenter, Appl. Numer. Math. 44,
    /// 2003). They are kept, if there are any.
    Pid { exponent: f64, before: Option<[f64; 2]> },
    /// Implicit methods: the trend of errors and step sizes is carried on. The last step is kept with its
    /// error, if there is one. A factor from 1 up to the end of the dead band is not worth a change of the
    /// step.
    Predictive { exponent: f64, last: Option<(f64, f64)>, dead_band: f64 },
}

/// The usual part of the step that would just be good enough which is tried.
pub const SAFETY: f64 = 0.9;
const SHRINK_LIMIT: f64 = 0.2;
const GROWTH_LIMIT: f64 = 10.0;
/// A first step may be far too small, as after a contact opens: its error tells more than its size.
const FIRST_GROWTH_LIMIT: f64 = 1e3;
const MEMORY: f64 = 0.04;
/// No error counts as less than 1e-4 in the next step. Its binary logarithm.
const LEAST_LOG: f64 = -13.287712379549449;

impl Controller {
    /// For an explicit method whose error estimate has the given order.
    pub fn new(error_order: u32) -> Self {
        let exponent = 1.0 / f64::from(error_order + 1) - MADE_UP * MEMORY;
        let rule = ControlLaw::ProportionalIntegral { exponent, last_log: LEAST_LOG };
        Self { rule, safety: SAFETY, most: FIRST_GROWTH_LIMIT }
    }

    /// The rule that is asked for, or the one that suits the method.
    pub fn for_method(method: Method, control: Control, safety: f64) -> Self {
        let facts = method.facts();
        let order = facts.error_order.unwrap_or(1);
        if control == Control::Pid {
            let rule = ControlLaw::Pid { exponent: 1.0 / f64::from(order + 1), before: None };
            return Self { rule, safety, most: FIRST_GROWTH_LIMIT };
        }
        if !facts.implicit {
            return Self { safety, ..Self::new(order) };
        }
        let dead_band = if facts.keeps_factors { KEEP_FACTORS } else { 1.0 };
        let rule = ControlLaw::Predictive { exponent: 1.0 / f64::from(order + 1), last: None, dead_band };
        Self { rule, safety, most: FIRST_GROWTH_LIMIT }
    }

    /// The factor for the next step after an accepted one of size `h`. No growth right after a rejection.
    #[inline(always)]
    pub fn accept(&mut self, h: f64, error: f64) -> f64 {
        let safety = self.safety;
        let factor = match &mut self.rule {
            ControlLaw::ProportionalIntegral { exponent, last_log } => {
                let log = rough_log2(larger(error, LEAST_ERROR));
                let factor = safety * rough_exp2(MEMORY * *last_log - *exponent * log);
                *last_log = larger(log, LEAST_LOG);
                factor
            }
            ControlLaw::Pid { exponent, before } => pid_factor((safety, *exponent), before, error),
            ControlLaw::Predictive { exponent, last, dead_band } => {
                let factor = predicted_factor((safety, *exponent), last, h, error);
                if (1.0..=*dead_band).contains(&factor) { 1.0 } else { factor }
            }
        };
        let most = std::mem::replace(&mut self.most, GROWTH_LIMIT);
        let factor = larger(factor, SHRINK_LIMIT);
        if factor < most { factor } else { most }
    }

    /// The factor to try again with. An error that is not finite shrinks the step by a fixed amount.
    pub fn reject(&mut self, error: f64) -> f64 {
        self.most = 1.0;
        let exponent = match self.rule {
            ControlLaw::ProportionalIntegral { exponent, .. }
            | ControlLaw::Pid { exponent, .. }
            | ControlLaw::Predictive { exponent, .. } => exponent,
        };
        if error.is_finite() {
            (self.safety * rough_power(error, -exponent)).clamp(SHRINK_LIMIT, 1.0)
        } else {
            AFTER_NOT_FINITE
        }
    }

    /// The factor to try again with when Newton's iteration did not converge: half a step is usually enough.
    pub fn reject_by_half(&mut self) -> f64 {
        self.most = 1.0;
        0.5
    }

    /// Forgets the error history at a discontinuity.
    pub fn restart(&mut self) {
        match &mut self.rule {
            ControlLaw::ProportionalIntegral { last_log, .. } => *last_log = LEAST_LOG,
            ControlLaw::Pid { before, .. } => *before = None,
            ControlLaw::Predictive { last, .. } => *last = None,
        }
        self.most = FIRST_GROWTH_LIMIT;
    }
}

#[inline(never)]
fn pid_factor((safety, exponent): (f64, f64), before: &mut Option<[f64; 2]>, error: f64) -> f64 {
    let error = error.max(LEAST_PID_ERROR);
    let [first, second] = before.unwrap_or([error; 2]);
    *before = Some([error, first]);
    let log = PID[0] * rough_log2(error) + PID[1] * rough_log2(first) + PID[2] * rough_log2(second);
    safety * rough_exp2(log * exponent)
}

#[inline(never)]
fn predicted_factor(
    (safety, exponent): (f64, f64),
    last: &mut Option<(f64, f64)>,
    h: f64,
    error: f64,
) -> f64 {
    let error = error.max(LEAST_ERROR);
    let plain = safety * rough_power(error, -exponent);
    let predicted = last.map_or(plain, |(last_h, last_error)| {
        safety * (h / last_h) * rough_power(last_error / (error * error), exponent)
    });
    *last = Some((h, error.max(LEAST_TREND)));
    plain.min(predicted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tiny_error_grows_the_step_and_a_large_one_shrinks_it() {
        let pid = Controller::for_method(Method::DormandPrince5, Control::Pid, SAFETY);
        for mut control in
            [Controller::new(4), Controller::for_method(Method::Radau5, Control::Standard, SAFETY), pid]
        {
            assert!(control.accept(1.0, 0.0) > 5.0);
            assert_eq!(control.reject(1e9), SHRINK_LIMIT);
            assert!(control.accept(1.0, 1e-12) <= 1.0, "no growth right after a rejection");
            assert_eq!(control.reject(f64::NAN), 0.25);
            assert_eq!(control.reject_by_half(), 0.5);
        }
    }

    #[test]
    fn a_step_that_would_hardly_grow_is_kept_where_that_saves_a_factorisation() {
        // 0.9 / 0.5^(1/4) = 1.07.
        assert_eq!(Controller::for_method(Method::Radau5, Control::Standard, SAFETY).accept(1.0, 0.5), 1.0);
        assert!(Controller::for_method(Method::Radau5, Control::Standard, SAFETY).accept(1.0, 0.2) > 1.2);
        assert!(Controller::for_method(Method::Radau5, Control::Standard, SAFETY).accept(1.0, 0.99) < 1.0);
    }

    #[test]
    fn errors_that_grow_are_expected_to_go_on_growing() {
        let mut control = Controller::for_method(Method::Radau5, Control::Standard, SAFETY);
        control.accept(1.0, 0.1);
        let plain = Controller::for_method(Method::Radau5, Control::Standard, SAFETY).accept(1.0, 0.8);
        assert!(control.accept(1.0, 0.8) < plain);
    }
}
