//! Who makes steps next to singular configurations of a mechanism (`formulation/singular.rs`), and when.
//!
//! Beside the constraints the field has slopes there that grow without bound: an implicit method takes them
//! for stiffness and comes nearer and nearer by steps that are good, until rounding decides on which branch
//! it goes on. An explicit method whose stages are brought to the constraints needs no slopes, and one of
//! high order makes few and long steps. So such steps are made by one. If the motion is stiff, they are as
//! short as its stability asks for, next to the configuration only.
//!
//! On the stabilised form matrices of one point serve for all stages of a step only if what is left of each
//! row of constraints beside the others changes little within it. In a step across a singular configuration
//! it changes its sign, and shorter steps only come nearer: the iteration fails.
//!
//! Where `d` is left of a row of constraints, rounding `e` of positions is `e/d` along what is lost, `e/d²`
//! in speeds, and `e/d³` in accelerations. At tight tolerances steps of order 2 are short: many of them end
//! next to the configuration, and the nearest has an error that no shorter one takes back, so that rounding
//! decides on which branch the motion goes on. Long steps hardly ever end there. So where such a
//! configuration comes nearer, the explicit method leaps over it, with the configuration in the widest gap
//! between its stages and its end on the constraints. The tighter the tolerance, the further off it begins.
//! Where that method is not good enough, as in stiff motion, the other one goes on if it is.

use crate::formulation::Flow;
use crate::step::{Fault, Method, Tolerances, Trial, smallest_relative};

/// A step on the stabilised form may go across a singular configuration if less than this part of a row is
/// left at its start.
const NEAR: f64 = 0.1;
/// The middle of the widest gap between the stages of the explicit method, as a part of the step.
const WIDEST_GAP: f64 = 7.0 / 15.0;
/// A leap begins where what is left of a row is less than a part of the most it has been: this times the root
/// of rounding over the tolerance, within bounds.
const OF_ROUNDING: f64 = 1000.0;
const NEAREST: f64 = 0.05;
const FURTHEST: f64 = 0.3;

/// When an explicit method stands in for an implicit one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StandIn {
    /// In steps next to a singular configuration.
    NearBy,
    /// There, where the iteration has failed.
    AfterFault,
    /// In steps that leap over it.
    Leaps,
}

impl StandIn {
    /// For a method, on the stabilised form or not: with the explicit one.
    pub(super) fn of(method: Method, is_ggl: bool) -> Option<(Self, Method)> {
        match method.facts().implicit {
            false => None,
            true if is_ggl => Some((Self::AfterFault, Method::DormandPrince5)),
            true if method.has_rho() => Some((Self::Leaps, Method::DormandPrince8)),
            true => Some((Self::NearBy, Method::DormandPrince8)),
        }
    }

    /// Whether the step just tried is to be made by the explicit method.
    pub(super) fn is_needed(self, flow: &mut Flow<'_>, trial: &Trial) -> bool {
        match self {
            Self::NearBy => flow.singular().is_near(trial.is_good()),
            Self::AfterFault => {
                let fails = matches!(trial.fault, Some(Fault::NoConvergence | Fault::SingularMatrix { .. }));
                fails && flow.singular().narrowest() < NEAR
            }
            Self::Leaps => {
                let ends = [(trial.t, &trial.start[..]), (trial.t + trial.h, &trial.end)];
                let known = if trial.fault.is_some() { 1 } else { 2 };
                flow.singular().is_at(trial.is_good(), &ends[..known])
            }
        }
    }

    /// Brings the end of a step of the explicit method to the constraints, where the method that it stands in
    /// for solves for them.
    pub(super) fn land(self, flow: &mut Flow<'_>, trial: &mut Trial) {
        let t_end = trial.t + trial.h;
        match self {
            Self::NearBy => {}
            Self::AfterFault => flow.projection().project_end(t_end, &mut trial.end),
            Self::Leaps => flow.projection().project_state(t_end, &mut trial.end),
        }
    }
}

/// What is known of the singular configuration ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SingularPassage {
    /// Whether this step may leap, whether it does, and whether the last that did could not.
    may_leap: bool,
    leaps: bool,
    gave_up: bool,
    /// How long the step behind this one should be: to leap, or to go on.
    leap: Option<f64>,
    usual: Option<f64>,
    /// The size of the last good step that was no leap.
    own_h: f64,
}

impl SingularPassage {
    /// A step of a length is tried. Gives whether it is a leap: one that is no longer than others, because it
    /// must not be or cannot be, is none.
    #[inline]
    pub(super) fn begin_step(&mut self, h: f64) -> bool {
        (self.leap, self.usual) = (None, None);
        self.leaps = self.may_leap && h > self.own_h;
        self.leaps
    }

    /// Finds how long the step behind the one just tried should be: over a configuration that comes nearer,
    /// or as usual behind one. Says whether the explicit method has made it.
    pub(super) fn look_ahead(
        &mut self,
        flow: &mut Flow<'_>,
        tolerances: &Tolerances,
        trial: &Trial,
        stood_in: bool,
    ) {
        self.gave_up = if self.leaps { trial.is_good() && !stood_in } else { self.gave_up };
        if !trial.is_good() {
            return;
        }
        self.note_size(trial.h, stood_in);
        let rounding = f64::EPSILON / smallest_relative(trial.start.len(), tolerances);
        let near = (OF_ROUNDING * rounding.sqrt()).clamp(NEAREST, FURTHEST) * flow.singular().widest();
        if flow.singular().narrowest_in_step() > near {
            self.gave_up = false;
        } else if !self.gave_up {
            let before = flow.singular().left_at(trial.t, &trial.start);
            let behind = flow.singular().left_at(trial.t + trial.h, &trial.end);
            self.plan_leap(trial.h, before, behind);
        }
    }

    /// A good step had this size. Behind one of the explicit method steps are as they were before.
    fn note_size(&mut self, h: f64, stood_in: bool) {
        if stood_in {
            self.usual = Some(if self.own_h > 0.0 { self.own_h } else { h });
        } else {
            self.own_h = h;
        }
    }

    /// Leaps over where nothing is left of a row, of which there was so much before and behind this step.
    fn plan_leap(&mut self, h: f64, before: f64, behind: f64) {
        let leap = h * behind / (before - behind) / WIDEST_GAP;
        self.leap = Some(leap).filter(|_| behind < before && leap > self.own_h);
    }

    /// The step was taken.
    #[inline]
    pub(super) fn advance(&mut self) {
        self.may_leap = self.leap.is_some();
    }

    /// Something else holds than before.
    pub(super) fn restart(&mut self) {
        self.may_leap = false;
    }

    /// How long the next step should be, if more is known than the error of the last.
    #[inline]
    pub(super) fn proposed_step(&self) -> Option<f64> {
        self.leap.or(self.usual)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn implicit_methods_alone_have_an_explicit_one_that_stands_in() {
        for &method in Method::ALL {
            let stand_in = StandIn::of(method, false);
            assert_eq!(stand_in.is_some(), method.facts().implicit, "{}", method.name());
            assert!(stand_in.is_none_or(|(_, other)| !other.facts().implicit), "{}", method.name());
        }
    }

    #[test]
    fn a_leap_goes_over_what_comes_nearer_and_steps_are_as_usual_behind_it() {
        let mut passage = SingularPassage::default();
        assert!(!passage.begin_step(0.1));
        passage.note_size(0.1, false);
        passage.plan_leap(0.1, 0.3, 0.2);
        let leap = passage.proposed_step().expect("it comes nearer");
        assert!((leap * WIDEST_GAP - 0.2).abs() < 1e-15, "two more steps lead there: {leap}");
        assert!(!passage.begin_step(leap), "the step before was not taken");
        passage.plan_leap(0.1, 0.3, 0.2);
        passage.advance();
        assert!(!passage.begin_step(0.1) && passage.begin_step(leap));
        passage.note_size(leap, true);
        assert_eq!(passage.proposed_step(), Some(0.1));
        passage.advance();
        assert!(!passage.begin_step(leap), "what is behind is not leapt over again");
    }

    #[test]
    fn what_goes_away_or_is_reached_within_a_step_is_not_leapt_over() {
        let mut passage = SingularPassage::default();
        passage.note_size(0.1, false);
        for (before, behind) in [(0.2, 0.3), (0.2, 0.2), (0.3, 0.01)] {
            passage.plan_leap(0.1, before, behind);
            assert_eq!(passage.proposed_step(), None, "{before} {behind}");
        }
        passage.plan_leap(0.1, 0.3, 0.2);
        passage.advance();
        passage.restart();
        assert!(!passage.begin_step(1.0), "an event lies between");
    }
}
