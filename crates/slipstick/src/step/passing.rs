//! Steps of generalized-α methods next to singular positions of a mechanism (`formulation/singular.rs`).
//!
//! Where `d` is left of a row of constraints, rounding `e` of positions is `e/d` along what is lost, `e/d²`
//! in speeds, and `e/d³` in accelerations. At tight tolerances steps of order 2 are short: many of them end
//! next to the position, and the nearest has an error that no shorter one takes back, so that rounding
//! decides on which branch the motion goes on. Long steps hardly ever end there. So where such a position
//! comes nearer, an explicit method of high order on the index-1 form leaps over it, with the position in the
//! widest gap between its stages and its end on the constraints. The tighter the tolerance, the further off
//! it begins. Where that method is not good enough, as in stiff motion, the other one goes on if it is.

use super::alpha::GeneralizedAlpha;
use super::implicit::smallest_relative;
use super::{Change, DenseDetail, Memory, Method, Restart, Step, StepReport, Tolerances, Trial};
use crate::formulation::Flow;

/// The middle of the widest gap between the stages of the explicit method, as a part of the step.
const WIDEST_GAP: f64 = 7.0 / 15.0;
/// A leap begins where what is left of a row is less than a part of the most it has been: this times the root
/// of rounding over the tolerance, within bounds.
const OF_ROUNDING: f64 = 1000.0;
const NEAREST: f64 = 0.05;
const FURTHEST: f64 = 0.3;

/// A generalized-α method, and beside it the explicit one, once it was needed.
pub(super) struct Passing {
    alpha: GeneralizedAlpha,
    explicit: Option<Box<dyn Step>>,
    /// Whether the explicit one has made the last step.
    is_on: bool,
    /// Whether it is to make this step, and whether it could not make the last that it was to make.
    leaps: bool,
    gave_up: bool,
    /// How long the step behind this one should be: to leap, or to go on.
    leap: Option<f64>,
    usual: Option<f64>,
    /// The size of the last good step of the method itself.
    own_h: f64,
}

impl Passing {
    pub(super) fn with(alpha: GeneralizedAlpha) -> Self {
        let (is_on, leaps, gave_up) = (false, false, false);
        Self { alpha, explicit: None, is_on, leaps, gave_up, leap: None, usual: None, own_h: 0.0 }
    }

    /// Makes the step by the explicit method, or by the method itself where only that is good enough. If
    /// neither is, the error of the former says how much shorter to try.
    #[cold]
    fn pass(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        let n = trial.start.len();
        let step = self.explicit.get_or_insert_with(|| Method::DormandPrince8.build(n));
        step.restart(Restart::Continuous);
        step.attempt(field, tolerances, trial);
        self.is_on = trial.is_good();
        if self.is_on {
            return field.projection().project_state(trial.t + trial.h, &mut trial.end);
        }
        let error = trial.error;
        self.alpha.attempt(field, tolerances, trial);
        if trial.fault.is_none() && !trial.is_good() {
            trial.error = error;
        }
    }

    /// Makes the step by the method itself, or by the explicit one where it is next to a singular position.
    fn make(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        self.alpha.attempt(field, tolerances, trial);
        let ends = [(trial.t, &trial.start[..]), (trial.t + trial.h, &trial.end)];
        let known = if trial.fault.is_some() { 1 } else { 2 };
        if field.singular().is_at(trial.is_good(), &ends[..known]) {
            self.pass(field, tolerances, trial);
        }
    }

    /// How long the next step should be: over a position that comes nearer, or as usual behind one.
    fn look_ahead(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &Trial) {
        let rounding = f64::EPSILON / smallest_relative(trial.start.len(), tolerances);
        let near = (OF_ROUNDING * rounding.sqrt()).clamp(NEAREST, FURTHEST) * field.singular().widest();
        if self.is_on {
            self.usual = Some(if self.own_h > 0.0 { self.own_h } else { trial.h });
        } else {
            self.own_h = trial.h;
        }
        if field.singular().narrowest_in_step() > near {
            self.gave_up = false;
        } else if !self.gave_up {
            let before = field.singular().left_at(trial.t, &trial.start);
            let behind = field.singular().left_at(trial.t + trial.h, &trial.end);
            let leap = trial.h * behind / (before - behind) / WIDEST_GAP;
            self.leap = Some(leap).filter(|_| behind < before && leap > self.own_h);
        }
    }
}

impl Memory for Passing {
    fn advance(&mut self) {
        self.leaps = self.leap.is_some();
        if self.is_on { self.alpha.restart(Restart::Continuous) } else { self.alpha.advance() }
    }

    fn restart(&mut self, restart: Restart) {
        self.leaps = false;
        self.alpha.restart(restart);
    }

    fn renew(&mut self, _span: f64) -> bool {
        false
    }

    fn iterate_to_stall(&mut self) {
        self.alpha.iterate_to_stall();
    }

    fn report(&self) -> StepReport<'_> {
        let StepReport { method, multipliers, .. } = self.alpha.report();
        StepReport {
            method,
            is_ggl: false,
            knows_end: false,
            multipliers: if self.is_on { &[] } else { multipliers },
            proposed_step: self.leap.or(self.usual),
        }
    }

    fn stiffness(&self, _trial: &Trial) -> Option<f64> {
        None
    }

    fn reconsider(&mut self, _trial: &Trial, _is_taken: bool) -> Option<Change> {
        None
    }

    fn factorisations(&self) -> u64 {
        self.alpha.factorisations()
    }
}

impl Step for Passing {
    fn attempt(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        (self.is_on, self.leap, self.usual) = (false, None, None);
        // A step that is no longer than others, because it must not be or cannot be, is no leap.
        if self.leaps && trial.h > self.own_h {
            self.pass(field, tolerances, trial);
            self.gave_up = trial.is_good() && !self.is_on;
        } else {
            self.make(field, tolerances, trial);
        }
        if trial.is_good() {
            self.look_ahead(field, tolerances, trial);
        }
    }

    fn interpolate(&mut self, field: &mut Flow<'_>, trial: &mut Trial, _detail: DenseDetail) {
        match self.explicit.as_mut().filter(|_| self.is_on) {
            Some(step) => step.interpolate(field, trial, DenseDetail::Usual),
            None => self.alpha.interpolate(field, trial, DenseDetail::Usual),
        }
    }

    fn smooth(&mut self, _positions: usize, _correction: &mut [f64]) -> bool {
        false
    }
}
