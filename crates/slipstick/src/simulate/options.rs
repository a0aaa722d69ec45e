//! What is asked of a run.

use super::Concurrency;
use super::automatic::{Keeps, Partners};
use crate::equations::{InitialValues, System};
use crate::formulation::{Metric, PerConstraint, Stabilisation, Upkeep};
use crate::model::{Detection, Location};
use crate::step::{Control, Method, SAFETY, Tolerances};

/// How fast sliding-mode control approaches the surface of a constraint, in the unit of its velocity per unit
/// of time, unless something else is asked for: a mechanism of metres and seconds is on it within its first
/// second or so.
const USUAL_REACH: f64 = 1.0;
/// How fast the positions of constraints close under sliding-mode control, per unit of time, unless something
/// else is asked for: an error of positions falls to a tenth in a quarter of it.
pub(super) const USUAL_SPEED: f64 = 10.0;

/// Where a run begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// The time.
    pub t: f64,
    /// The state.
    pub y: Vec<f64>,
    /// The index of the mode.
    pub mode: usize,
    /// The values of the discrete variables; those of the system if not given.
    pub discrete: Option<Vec<f64>>,
}

impl Start {
    /// Time zero, the first mode, the given state.
    pub fn at(y: impl Into<Vec<f64>>) -> Self {
        Self { t: 0.0, y: y.into(), mode: 0, discrete: None }
    }

    /// The same time and mode, with the values that other parameters begin with.
    #[must_use]
    pub fn with(&self, values: &InitialValues) -> Self {
        let (y, discrete) = (values.state.clone(), Some(values.discrete.clone()));
        Self { t: self.t, y, mode: self.mode, discrete }
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
    /// Both ends of every step, and the events. Between them the trajectory is a straight line, unless events
    /// were looked for there: no work is done for what nobody asks.
    Steps,
    /// Only both ends of every segment, and the events: for long runs and many of them.
    Ends,
}

/// How the sizes of steps are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepOptions {
    /// The rule that makes the next size from the errors of steps.
    pub control: Control,
    /// The part of the step that would just be good enough which is tried, from 0 to 1. A smaller part
    /// rejects fewer steps, but makes more.
    pub safety: f64,
    /// The first step; chosen automatically if not given.
    pub first: Option<f64>,
    /// The longest step; the whole interval if not given.
    pub longest: Option<f64>,
    /// Every step has this size and none is rejected: for teaching and for measuring order.
    pub fixed: Option<f64>,
}

impl Default for StepOptions {
    fn default() -> Self {
        Self { control: Control::default(), safety: SAFETY, first: None, longest: None, fixed: None }
    }
}

/// How events are found.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct EventOptions {
    /// Where in a step guards are looked at: the whole of it, unless something else is asked for.
    pub detection: Detection,
    /// Where events are located; chosen to suit the method if not given.
    pub location: Option<Location>,
    /// Whether nearly concurrent events become one.
    pub concurrency: Option<Concurrency>,
    /// Whether the run ends where a contact slides with more friction than its motion can have (Painlevé), and does not
    /// go on with a warning.
    pub stops_at_painleve: bool,
}

/// How the constraints of a mechanism are kept met.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintOptions {
    /// What keeps them met. Methods that [keep positions by themselves](Method::keeps_positions) have no use
    /// for corrections: the usual [`Twice`](Stabilisation::Twice) means nothing to them, and any other is
    /// refused.
    pub stabilisation: Stabilisation,
    /// Whether somebody asked for just this stabilisation, also if it is the usual one. If not,
    /// [`Automatic`](Method::Automatic) may solve the stabilised index-2 form where a mechanism is stiff,
    /// which needs no corrections.
    pub stabilisation_is_said: bool,
    /// The metric in which corrections are the least change.
    pub metric: Metric,
    /// Steps that end with no residual of a constraint above this are not corrected; zero corrects every
    /// step.
    pub drift_tolerance: f64,
    /// How fast sliding-mode control approaches the surface of each constraint.
    pub reach: PerConstraint,
    /// How fast the positions of constraints close under sliding-mode control.
    pub speed: PerConstraint,
    /// Coordinates that consistent initialisation does not change.
    pub pinned: Vec<usize>,
}

impl Default for ConstraintOptions {
    fn default() -> Self {
        Self {
            stabilisation: Stabilisation::Twice,
            stabilisation_is_said: false,
            metric: Metric::default(),
            drift_tolerance: 0.0,
            reach: PerConstraint::Same(USUAL_REACH),
            speed: PerConstraint::Same(USUAL_SPEED),
            pinned: Vec::new(),
        }
    }
}

impl ConstraintOptions {
    /// Whether the ends of steps are corrected by this stabilisation, with a method that does not keep
    /// positions by itself.
    fn corrects(&self) -> bool {
        match self.stabilisation {
            Stabilisation::None | Stabilisation::Ggl => false,
            Stabilisation::SlidingMode => true,
            other => !other.changes_the_motion(),
        }
    }

    /// What may keep the constraints met with `auto`: whatever is best, unless something was asked for.
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

    /// These as the policy of a form.
    fn upkeep(&self) -> Upkeep {
        Upkeep {
            stabilisation: self.stabilisation,
            metric: self.metric,
            drift_tolerance: self.drift_tolerance,
            reach: self.reach.clone(),
            speed: self.speed.clone(),
        }
    }
}

/// What becomes of the events of contacts that are too dense to be located one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum DenseEvents {
    /// Time stepping goes over them, with a warning.
    #[default]
    Capture,
    /// They are located one by one all the same, as far as that goes.
    Locate,
    /// The run ends.
    Stop,
}

impl DenseEvents {
    /// The word for it in model files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Capture => "capture",
            Self::Locate => "locate",
            Self::Stop => "stop",
        }
    }
}

/// How contacts are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct ContactOptions {
    /// What becomes of events that are too dense.
    pub dense_events: DenseEvents,
    /// The whole run is time stepping over its contacts, with steps of this length and of first order, and
    /// none of their events is located: to compare with. Models in which something follows the hits of a contact, or
    /// reads its force, are run by events all the same.
    pub time_step: Option<f64>,
}

/// What is asked of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The end time.
    pub until: f64,
    /// The one-step method.
    pub method: Method,
    /// For generalized-α methods, and for no others: the part of an oscillation of infinite frequency that is
    /// left after a step, `ρ∞`, from 0 to 1.
    pub rho_infinity: Option<f64>,
    /// What error of a step is good enough.
    pub tolerances: Tolerances,
    /// How step sizes are chosen.
    pub steps: StepOptions,
    /// How events are found.
    pub events: EventOptions,
    /// What keeps the constraints of a mechanism met.
    pub constraints: ConstraintOptions,
    /// How contacts are resolved.
    pub contacts: ContactOptions,
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
            steps: StepOptions::default(),
            events: EventOptions::default(),
            constraints: ConstraintOptions::default(),
            contacts: ContactOptions::default(),
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

    /// The same with steps of this size, none of which is rejected.
    #[must_use]
    pub fn fixed_step(mut self, size: impl Into<Option<f64>>) -> Self {
        self.steps.fixed = size.into();
        self
    }

    /// The same with a first step of this size.
    #[must_use]
    pub fn first_step(mut self, size: impl Into<Option<f64>>) -> Self {
        self.steps.first = size.into();
        self
    }

    /// The same with no step longer than this.
    #[must_use]
    pub fn longest_step(mut self, size: impl Into<Option<f64>>) -> Self {
        self.steps.longest = size.into();
        self
    }

    /// The same with another part of the step that would just be good enough.
    #[must_use]
    pub fn safety(mut self, part: f64) -> Self {
        self.steps.safety = part;
        self
    }

    /// The same with step sizes by another rule.
    #[must_use]
    pub fn control(mut self, control: Control) -> Self {
        self.steps.control = control;
        self
    }

    /// The same with events located in this way.
    #[must_use]
    pub fn location(mut self, location: impl Into<Option<Location>>) -> Self {
        self.events.location = location.into();
        self
    }

    /// The same with nearly concurrent events taken for one.
    #[must_use]
    pub fn concurrency(mut self, concurrency: Concurrency) -> Self {
        self.events.concurrency = Some(concurrency);
        self
    }

    /// The same, with time stepping over contacts in steps of this length instead of events.
    #[must_use]
    pub fn time_stepping(mut self, step: impl Into<Option<f64>>) -> Self {
        self.contacts.time_step = step.into();
        self
    }

    /// The same with another stabilisation of constraints.
    #[must_use]
    pub fn stabilisation(mut self, stabilisation: Stabilisation) -> Self {
        self.constraints.stabilisation = stabilisation;
        self
    }

    /// The same with coordinates that consistent initialisation does not change.
    #[must_use]
    pub fn pinned(mut self, pinned: impl Into<Vec<usize>>) -> Self {
        self.constraints.pinned = pinned.into();
        self
    }

    /// The same with another method. What that cannot take and others can is as usual again: `rho_infinity`,
    /// the stabilised index-2 form, corrections.
    #[must_use]
    pub fn with_method(mut self, method: Method) -> Self {
        self.method = method;
        self.rho_infinity = self.rho_infinity.filter(|_| method.has_rho());
        let constraints = &mut self.constraints;
        let stabilisation = constraints.stabilisation;
        let corrects = !stabilisation.changes_the_motion() && stabilisation != Stabilisation::None;
        let for_another = stabilisation == Stabilisation::Ggl && !method.takes_ggl();
        if for_another || corrects && method.keeps_positions() {
            (constraints.stabilisation, constraints.stabilisation_is_said) = (Stabilisation::Twice, false);
        }
        self.without_idle_corrections()
    }

    /// The same without what is said about corrections, if none are made.
    #[must_use]
    pub fn without_idle_corrections(mut self) -> Self {
        if !self.makes_corrections() {
            let constraints = &mut self.constraints;
            (constraints.metric, constraints.drift_tolerance) = (Metric::default(), 0.0);
        }
        self
    }

    /// The method, or those that `auto` is made of.
    pub(super) fn partners(&self, system: &dyn System, span: f64) -> Partners {
        if self.method != Method::Automatic {
            let is_ggl = self.constraints.stabilisation == Stabilisation::Ggl && self.method.takes_ggl();
            Partners::one(self.method, is_ggl)
        } else if system.layout().v > 0 {
            Partners::for_mechanism(&self.tolerances, span, self.constraints.keeps())
        } else {
            Partners::for_equations(&self.tolerances, system.mass_kind())
        }
    }

    /// Whether the ends of steps are corrected to keep the constraints of a mechanism met: some methods and
    /// stabilisations do so by other means.
    pub fn makes_corrections(&self) -> bool {
        !self.method.keeps_positions() && self.constraints.corrects()
    }

    /// How the constraints of a mechanism are kept met.
    pub fn upkeep(&self) -> Upkeep {
        self.constraints.upkeep()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builders_set_what_they_are_named_after() {
        let options = Options::until(1.0).fixed_step(0.5).first_step(0.25).longest_step(None).safety(0.8);
        let expected = StepOptions { fixed: Some(0.5), first: Some(0.25), safety: 0.8, ..Default::default() };
        assert_eq!(options.steps, expected);
        let options = options.location(Location::Dense).stabilisation(Stabilisation::Project).pinned([1]);
        assert_eq!(options.events, EventOptions { location: Some(Location::Dense), ..Default::default() });
        assert_eq!(options.constraints.stabilisation, Stabilisation::Project);
        assert_eq!(options.constraints.pinned, [1]);
    }

    #[test]
    fn ends_of_steps_are_corrected_unless_something_else_keeps_the_constraints() {
        let corrects = |stabilisation| ConstraintOptions { stabilisation, ..Default::default() }.corrects();
        assert!(
            [Stabilisation::Twice, Stabilisation::Project, Stabilisation::SlidingMode].map(corrects)
                == [true; 3]
        );
        let terms = Stabilisation::Baumgarte { rate: 20.0, position: 100.0 };
        assert!([Stabilisation::None, Stabilisation::Ggl, terms].map(corrects) == [false; 3]);
        assert!(!Options::until(1.0).with_method(Method::GeneralizedAlpha).makes_corrections());
    }

    #[test]
    fn auto_is_free_only_if_nothing_was_asked_for() {
        let usual = ConstraintOptions::default();
        assert_eq!(usual.keeps(), Keeps::Freely);
        let said = ConstraintOptions { stabilisation_is_said: true, ..usual.clone() };
        let loose = ConstraintOptions { drift_tolerance: 1e-6, ..usual.clone() };
        assert_eq!([said.keeps(), loose.keeps()], [Keeps::ByCorrections; 2]);
        let control = ConstraintOptions { stabilisation: Stabilisation::SlidingMode, ..usual };
        assert_eq!(control.keeps(), Keeps::OnIndex1);
    }
}
