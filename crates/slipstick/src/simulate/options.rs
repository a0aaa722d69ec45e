//! What is asked of a run.

use super::Concurrency;
use crate::equations::{ActiveRows, System};
use crate::formulation::{Metric, PerConstraint, Stabilisation, Upkeep};
use crate::model::{Detection, Location};
use crate::step::{Automatic, Control, Keeps, Method, Partners, SAFETY, Step, Tolerances, USUAL_RHO};

/// Where a run begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// The time.
    pub t: f64,
    /// The state.
    pub y: Vec<f64>,
    /// The index of the mode.
    pub mode: usize,
}

impl Start {
    /// Time zero, the first mode, the given state.
    pub fn at(y: impl Into<Vec<f64>>) -> Self {
        Self { t: 0.0, y: y.into(), mode: 0 }
    }
}

/// Limits that are always on; reaching one is an outcome, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most events.
    pub events: u64,
    /// The most steps, taken or not.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { events: 100_000, steps: 1_000_000 }
    }
}

/// How much of a run is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Keep {
    /// The dense output of every step: the trajectory can be evaluated at any time.
    #[default]
    Dense,
    /// Both ends of every step, and the events. Between them the trajectory is a straight line, unless events were looked for there: no work is done for what nobody asks.
    Steps,
    /// Only both ends of every segment, and the events: for long runs and many of them.
    Ends,
}

/// What is asked of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The end time.
    pub until: f64,
    /// The one-step method.
    pub method: Method,
    /// For generalized-α methods, and for no others: the part of an oscillation of infinite frequency that is left after a step, `ρ∞`, from 0 to 1.
    pub rho_infinity: Option<f64>,
    /// What error of a step is good enough.
    pub tolerances: Tolerances,
    /// How step sizes are chosen.
    pub control: Control,
    /// The part of the step that would just be good enough which is tried, from 0 to 1: less of it rejects fewer steps, but makes more.
    pub safety: f64,
    /// The first step; chosen automatically if not given.
    pub first_step: Option<f64>,
    /// The longest step; the whole interval if not given.
    pub longest_step: Option<f64>,
    /// Every step has this size and none is rejected: for teaching and for measuring order.
    pub fixed_step: Option<f64>,
    /// Where in a step guards are looked at: the whole of it, unless something else is asked for.
    pub detection: Detection,
    /// Where events are located; chosen to suit the method if not given.
    pub location: Option<Location>,
    /// Whether nearly concurrent events become one.
    pub concurrency: Option<Concurrency>,
    /// What keeps the constraints of a mechanism met. Methods that [keep positions by themselves](Method::keeps_positions) have no use for corrections: the usual
    /// [`Twice`](Stabilisation::Twice) means nothing to them, and any other is refused.
    pub stabilisation: Stabilisation,
    /// Whether somebody asked for just this stabilisation, also if it is the usual one. If not, [`Automatic`](Method::Automatic) may solve the stabilised index-2 form where a mechanism is stiff, which needs no corrections.
    pub stabilisation_is_said: bool,
    /// The metric in which corrections of a mechanism are the least change.
    pub metric: Metric,
    /// Steps of a mechanism that end with no residual of a constraint above this are not corrected; zero corrects every step.
    pub drift_tolerance: f64,
    /// How fast sliding-mode control approaches the surface of each constraint.
    pub reach: PerConstraint,
    /// How fast the positions of constraints close under sliding-mode control.
    pub speed: PerConstraint,
    /// Coordinates that are not changed to make the start consistent.
    pub pinned: Vec<usize>,
    /// How much of the run is kept.
    pub keep: Keep,
    /// Limits on the work.
    pub limits: Limits,
}

impl Options {
    /// Good defaults for a run to the given time.
    pub fn until(until: f64) -> Self {
        Self {
            until,
            method: Method::default(),
            rho_infinity: None,
            tolerances: Tolerances::default(),
            control: Control::default(),
            safety: SAFETY,
            first_step: None,
            longest_step: None,
            fixed_step: None,
            detection: Detection::default(),
            location: None,
            concurrency: None,
            stabilisation: Stabilisation::Twice,
            stabilisation_is_said: false,
            metric: Metric::default(),
            drift_tolerance: 0.0,
            reach: PerConstraint::Same(1.0),
            speed: PerConstraint::Same(10.0),
            pinned: Vec::new(),
            keep: Keep::default(),
            limits: Limits::default(),
        }
    }

    /// The same with uniform tolerances.
    #[must_use]
    pub fn tolerances(mut self, relative: f64, absolute: f64) -> Self {
        self.tolerances = Tolerances::uniform(relative, absolute);
        self
    }

    /// The same with another method. What that cannot take and others can is as usual again: `rho_infinity`, the stabilised index-2 form, corrections.
    #[must_use]
    pub fn with_method(mut self, method: Method) -> Self {
        self.method = method;
        self.rho_infinity = self.rho_infinity.filter(|_| method.has_rho());
        let corrects = !self.stabilisation.changes_the_motion() && self.stabilisation != Stabilisation::None;
        let for_another = self.stabilisation == Stabilisation::Ggl && !method.takes_ggl();
        if for_another || corrects && method.keeps_positions() {
            (self.stabilisation, self.stabilisation_is_said) = (Stabilisation::Twice, false);
        }
        self.without_idle_corrections()
    }

    /// The same without what is said about corrections, if none are made.
    #[must_use]
    pub fn without_idle_corrections(mut self) -> Self {
        if !self.makes_corrections() {
            (self.metric, self.drift_tolerance) = (Metric::default(), 0.0);
        }
        self
    }

    /// The method with scratch for a system, from a time on.
    pub(super) fn build_method(&self, system: &dyn System, from: f64) -> Box<dyn Step> {
        let mut step = self.choose_method(system, from);
        if self.fixed_step.is_some() {
            step.iterate_to_stall();
        }
        step
    }

    fn choose_method(&self, system: &dyn System, from: f64) -> Box<dyn Step> {
        let dimension = system.layout().dimension();
        if self.stabilisation == Stabilisation::Ggl
            && let Some(step) = self.method.build_ggl(dimension)
        {
            return step;
        }
        let alpha = self.method.build_alpha(self.rho_infinity.unwrap_or(USUAL_RHO));
        alpha.unwrap_or_else(|| match self.method {
            Method::Automatic => {
                Box::new(Automatic::new(dimension, &self.partners(system, self.until - from)))
            }
            single => single.build(dimension),
        })
    }

    /// What `auto` is made of.
    fn partners(&self, system: &dyn System, span: f64) -> Partners {
        if system.layout().v > 0 {
            let keeps = if has_feedback(system) { Keeps::OnIndex1 } else { self.keeps() };
            Partners::for_mechanism(&self.tolerances, span, keeps)
        } else {
            Partners::for_equations(&self.tolerances, system.mass_kind())
        }
    }

    /// What keeps the constraints of a mechanism met with `auto`: whatever is best, unless something was asked for.
    fn keeps(&self) -> Keeps {
        let says_more = self.metric != Metric::default() || self.drift_tolerance != 0.0;
        if self.stabilisation.changes_the_motion() {
            Keeps::OnIndex1
        } else if self.stabilisation_is_said || says_more || self.stabilisation != Stabilisation::Twice {
            Keeps::ByCorrections
        } else {
            Keeps::Freely
        }
    }

    /// Whether the ends of steps are corrected to keep the constraints of a mechanism met: some methods and stabilisations do so by other means.
    pub fn makes_corrections(&self) -> bool {
        let terms =
            self.stabilisation.changes_the_motion() && self.stabilisation != Stabilisation::SlidingMode;
        !self.method.keeps_positions()
            && !terms
            && !matches!(self.stabilisation, Stabilisation::None | Stabilisation::Ggl)
    }

    /// How the constraints of a mechanism are kept met.
    pub fn upkeep(&self) -> Upkeep {
        Upkeep {
            stabilisation: self.stabilisation,
            metric: self.metric,
            drift_tolerance: self.drift_tolerance,
            reach: self.reach.clone(),
            speed: self.speed.clone(),
        }
    }
}

/// Whether forces depend on multipliers.
pub(super) fn has_feedback(system: &dyn System) -> bool {
    let terms = system.room_for_terms(&ActiveRows::all(system.constraints()));
    !terms.feedback.values.is_empty()
}
