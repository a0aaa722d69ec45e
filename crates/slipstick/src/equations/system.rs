//! Equations that do not change during a run: their shape, their guards, and what evaluates them.

use super::inputs::locked_input;
use super::{
    ActiveRows, BadContact, BadPlace, Constraint, ContactGuard, ContactShape, Evaluator, GuardCondition,
    ImpulseShape, Observer, Terms, WrongGradient,
};
use crate::model::{ContactChange, Direction, Side};

/// How the flat state is split: positions `q`, velocities `v`, first-order states `z`, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Number of position coordinates.
    pub q: usize,
    /// Number of velocity coordinates.
    pub v: usize,
    /// Number of first-order states; an equation model has only these.
    pub z: usize,
}

impl Layout {
    /// A system of `z` first-order equations.
    pub fn first_order(z: usize) -> Self {
        Self { q: 0, v: 0, z }
    }

    /// The length of the flat state.
    pub fn dimension(self) -> usize {
        self.q + self.v + self.z
    }
}

/// What happens when a guard fires. A guard with no response only leaves an entry in the event log.
///
/// The order of actions is fixed: resets (all from the values before the event), then switch signs and
/// counts, then the mode, then the stop.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Response {
    /// The state is changed by [`Evaluator::reset`].
    pub reset: bool,
    /// The impulse that the mechanism is given, by its place among those of the system.
    pub impulse: Option<usize>,
    /// This switch takes the sign of the side that the guard goes to.
    pub switch: Option<usize>,
    /// This has happened to a compliant contact.
    pub of_contact: Option<ContactChange>,
    /// A count goes up or down.
    pub count: Option<Count>,
    /// The run goes on in this mode.
    pub mode: Option<usize>,
    /// The run stops when the guard has fired this many times.
    pub stop_after: Option<u64>,
    /// The guard that fires in the place of this one when its events accumulate: what holds from then on.
    pub at_rest: Option<usize>,
    /// The guards that fire after this one, at the same instant.
    pub followers: Vec<usize>,
}

/// What a guard does to a count, which is a locked whole number: the value of a `floor`, or how often a clock
/// has struck.
///
/// The surface of such a guard is measured in counts: it grows by one where the count should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// Which count.
    pub index: usize,
    /// Up when the guard rises through zero, or down when it falls.
    pub up: bool,
    /// Whether it only says how often a clock has struck: the motion does not depend on it.
    pub clock: bool,
}

/// How the time at which a guard crosses is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum GuardKind {
    /// It is the zero of a function of time and state, to be found in every step.
    #[default]
    Surface,
    /// It is known beforehand, see [`GuardFunctions::schedule`](super::GuardFunctions::schedule).
    Scheduled {
        /// Whether the surface rises there.
        rising: bool,
    },
    /// It has no surface: it fires when the events of another guard accumulate, see [`Response::at_rest`].
    Rest,
    /// It has no surface: it fires after another guard, see [`Response::followers`], or is what that has come to.
    Follows,
    /// It has no surface: it fires when its [`GuardCondition`] becomes true.
    Compound,
    /// It is a comparison in the condition of other guards, and does nothing by itself.
    Comparison {
        /// Whether the surface rises where it crosses, if that time is known beforehand.
        scheduled: Option<bool>,
    },
}

impl GuardKind {
    /// Whether there is a function of time and state.
    pub fn has_formula(self) -> bool {
        !matches!(self, Self::Rest | Self::Follows | Self::Compound)
    }
}

impl Response {
    /// Whether anything happens beyond an entry in the log.
    pub fn acts(&self) -> bool {
        self.sets_state() || self.mode.is_some() || self.stop_after.is_some()
    }

    /// Whether it changes the state: by a reset, or by an impulse.
    pub fn sets_state(&self) -> bool {
        self.reset || self.impulse.is_some()
    }
}

/// A scalar function of time and state whose zeros are events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The name in the user's words.
    pub name: String,
    /// Which crossings fire.
    pub direction: Direction,
    /// On which side of the root the event is placed.
    pub side: Side,
    /// What happens then.
    pub response: Response,
    /// The mode in which it is watched; `None` is every mode.
    pub mode: Option<usize>,
    /// How the time at which it crosses is known.
    pub kind: GuardKind,
    /// Whether a touch of zero without a crossing is an event too, and not only a note.
    pub touches: bool,
    /// Whether zero itself belongs to the side that fires, as in `n >= 3`: that counts where a reset puts the
    /// guard to zero and it stays there. Of a comparison, whether zero belongs to the positive side.
    pub closed: bool,
    /// Whether it locks a branch that other guards have in their formulas.
    pub is_used: bool,
    /// When it holds.
    pub condition: GuardCondition,
    /// What it does where it is true as its mode is entered, or the run begins.
    pub on_entry: EntryRule,
    /// Of guards that fire together and contradict each other, the one with the highest number is obeyed.
    pub priority: i64,
    /// The constraints whose multipliers it reads; a reaction is made of all. It is watched while one of them
    /// holds.
    pub multipliers: Vec<usize>,
    /// The contact that it belongs to, if it does: it is watched in the states in which it can happen.
    pub contact: Option<ContactGuard>,
    /// What it is the border of, if it locks a branch.
    pub border: Border,
}

/// What a locked branch is the border of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Border {
    /// A branch of any formula.
    #[default]
    Switch,
    /// A zone in the friction of these contacts.
    Zones(Vec<usize>),
    /// A part of an outline that a contact of shapes touches.
    Corner,
}

impl Border {
    /// The contacts in whose friction it locks a branch.
    pub fn zones(&self) -> &[usize] {
        if let Self::Zones(contacts) = self { contacts } else { &[] }
    }
}

/// What a guard does that is true as its mode is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EntryRule {
    /// It fires at once.
    #[default]
    Fires,
    /// It waits until it has been false.
    Waits,
}

impl Guard {
    /// A surface that is watched in every mode, and leaves an entry in the log where it crosses zero.
    pub fn new(name: impl Into<String>, direction: Direction) -> Self {
        Self {
            name: name.into(),
            direction,
            side: Side::After,
            response: Response::default(),
            mode: None,
            kind: GuardKind::Surface,
            touches: false,
            closed: false,
            is_used: false,
            condition: GuardCondition::Crossing,
            on_entry: EntryRule::Fires,
            priority: 0,
            multipliers: Vec::new(),
            contact: None,
            border: Border::Switch,
        }
    }
}

/// A point of a motion: time, state, and how fast the state changes.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// The time.
    pub t: f64,
    /// The state.
    pub y: &'a [f64],
    /// The rate of the state.
    pub dy: &'a [f64],
}

/// What is fixed during a step: parameters, which are fixed for a run, and all that is discrete.
///
/// All lists are as long as the system says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Locked<'a> {
    /// The index of the mode.
    pub mode: usize,
    /// The values of the parameters, in the order of [`Shape::parameters`].
    pub parameters: &'a [f64],
    /// The sign of each switch, +1 or -1.
    pub signs: &'a [f64],
    /// The counts, whole numbers.
    pub counts: &'a [f64],
    /// The values of the discrete variables.
    pub discrete: &'a [f64],
    /// Of signs, counts and discrete variables: those with the same stamp are equal, so that they need not be
    /// looked at. Zero says nothing.
    pub stamp: u64,
    /// The constraints with rows in terms and residuals; all of them if not given.
    pub rows: Option<&'a ActiveRows>,
}

impl Locked<'_> {
    /// The same in the mode that a guard belongs to: while the motion slides between two modes, guards of both are
    /// watched.
    #[inline]
    #[must_use]
    pub fn in_mode_of(self, guard: &Guard) -> Self {
        Self { mode: guard.mode.unwrap_or(self.mode), ..self }
    }

    /// The input of formulas of this place behind time and states; none if it is of the motion.
    pub fn input(self, index: usize) -> Option<f64> {
        locked_input(self, index)
    }
}

/// What a reset sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResetTargets<'a> {
    /// Indices of states.
    pub states: &'a [usize],
    /// Indices of discrete variables.
    pub discrete: &'a [usize],
}

/// What stands before the derivatives: `M y' = f(t, y)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MassKind {
    /// Nothing: `y' = f(t, y)`.
    #[default]
    Identity,
    /// A matrix that does not change. It may be singular (algebraic equations) if the method can take that.
    Constant,
    /// A matrix that depends on time or state.
    Varying,
}

/// What holds a mechanism.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct MechanismShape {
    /// The constraints: those of positions first.
    pub constraints: Vec<Constraint>,
    /// The contacts.
    pub contacts: Vec<ContactShape>,
    /// Constraints of joints, each with the discrete variable that keeps its impulse in the last hit.
    pub kept_impulses: Vec<(usize, usize)>,
    /// The impulses that events give.
    pub impulses: Vec<ImpulseShape>,
    /// What is kept while the start is put together.
    pub start: StartPins,
}

/// What is kept while the start of bodies is put together, by indices of coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StartPins {
    /// Coordinates that stay.
    pub pinned: Vec<usize>,
    /// Coordinates that stay if the others can be put together without them.
    pub drawn: Vec<usize>,
    /// Coordinates whose velocities stay.
    pub velocities: Vec<usize>,
    /// Angles that are positive or negative.
    pub branches: Vec<StartBranch>,
    /// How much more than others coordinates resist being moved.
    pub weights: Vec<(usize, f64)>,
}

/// An angle that is positive or negative where a mechanism is put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartBranch {
    /// Its name.
    pub name: String,
    /// The first coordinate less the second; none is zero.
    pub angles: [Option<usize>; 2],
    /// Whether it is positive.
    pub positive: bool,
}

/// What there is to know about equations before they are evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// How the flat state is split.
    pub layout: Layout,
    /// One name for each component of the state.
    pub state_names: Vec<String>,
    /// One name for each mode; a system without modes has exactly one, with an empty name.
    pub mode_names: Vec<String>,
    /// One name for each switch.
    pub switch_names: Vec<String>,
    /// The parameters of the model. Evaluations take them from [`Locked`], so a run may have others.
    pub parameters: Vec<f64>,
    /// One name for each discrete variable: it has one value between two events, and is set by resets.
    pub discrete_names: Vec<String>,
    /// The values of the discrete variables at the start.
    pub discrete_start: Vec<f64>,
    /// How many conditions of what changes only at events there are in guards.
    pub condition_number: usize,
    /// How many counts there are.
    pub count_number: usize,
    /// What stands before the derivatives.
    pub mass_kind: MassKind,
    /// What holds a mechanism.
    pub mechanism: MechanismShape,
    /// All guards of all modes. Values and rates are always given in this order.
    pub guards: Vec<Guard>,
    /// For each guard, by how much it can change at most when time and all states change by at most one;
    /// infinity where that is not known, and empty where it is not known for any.
    pub guard_growth: Vec<f64>,
    /// The guards that strike again and again whose periods have not been checked, each with its period.
    pub clocks: Vec<(usize, f64)>,
    /// Whether guards are formulas, of which intervals tell what is certain.
    pub has_formulas: bool,
}

/// Equations that do not change during a run.
pub trait System: Send + Sync {
    /// What there is to know before they are evaluated.
    fn shape(&self) -> &Shape;
    /// The scratch to evaluate this system with.
    fn evaluator(&self) -> Box<dyn Evaluator + '_>;
    /// What is known of a mechanism; none if it is not one.
    fn mechanism(&self) -> Option<&dyn MechanismStructure>;
    /// What the reset of a guard sets; none if that is not known, and what has changed has been set.
    fn reset_targets(&self, guard: usize) -> Option<ResetTargets<'_>>;
    /// Whether a reset of one guard can change where another goes: its value, or its first two rates.
    fn reset_can_turn(&self, mode: usize, reset: usize, guard: usize) -> bool;
    /// Whether it can run with these parameters, which are as many as its own: some of what was decided when
    /// it was made may not hold for them.
    fn admits(&self, parameters: &[f64]) -> bool;
    /// The right-hand side, if it is a plain function: then nothing stands between it and a method.
    fn plain_field(&self) -> Option<&PlainField>;
}

/// What there is to know about a mechanism before its terms are evaluated.
pub trait MechanismStructure {
    /// What evaluates its energies in a mode: kinetic, potential, the power from outside, and that of each
    /// applied force.
    fn energies(&self, mode: usize) -> Option<Observer<'_>>;
    /// Room for the terms of its equations of motion, with these constraints.
    fn room_for_terms(&self, rows: &ActiveRows) -> Terms;
    /// The states that are in each row of the equations of motion, `M v' - f + Gᵀ λ`, and behind them of the
    /// rates of further states, as rows and states; none if that is not known.
    fn tangent_places(&self, rows: &ActiveRows) -> Option<Vec<(usize, usize)>>;
    /// The positions that are in the rate of each constraint beside the speeds, as rows and positions, where
    /// [`SlopePlaces::Named`](super::SlopePlaces::Named) slopes are given.
    fn rate_slope_places(&self, rows: &ActiveRows) -> Vec<(usize, usize)>;
    /// A place that was given for an entry of a matrix and is outside of it.
    fn bad_place(&self) -> Option<BadPlace>;
    /// The first joint whose gradient, as it was given, is wrong at a point.
    fn wrong_gradient(&self, t: f64, y: &[f64]) -> Option<WrongGradient>;
    /// The first contact that cannot be what it says, as far as a point tells.
    fn bad_contact(&self, t: f64, y: &[f64]) -> Option<(usize, BadContact)>;
    /// An asymmetric entry of the mass matrix at a point: row, column, and both entries.
    fn uneven_mass(&self, t: f64, y: &[f64]) -> Option<(usize, usize, (f64, f64))>;
}

/// The shape, and what a mechanism has, piece by piece.
impl dyn System + '_ {
    /// How the flat state is split.
    pub fn layout(&self) -> Layout {
        self.shape().layout
    }
    /// One name for each component of the state.
    pub fn state_names(&self) -> &[String] {
        &self.shape().state_names
    }
    /// One name for each mode.
    pub fn mode_names(&self) -> &[String] {
        &self.shape().mode_names
    }
    /// One name for each switch.
    pub fn switch_names(&self) -> &[String] {
        &self.shape().switch_names
    }
    /// One name for each discrete variable.
    pub fn discrete_names(&self) -> &[String] {
        &self.shape().discrete_names
    }
    /// The parameters of the model.
    pub fn parameters(&self) -> &[f64] {
        &self.shape().parameters
    }
    /// The constraints of a mechanism: those of positions first.
    pub fn constraints(&self) -> &[Constraint] {
        &self.shape().mechanism.constraints
    }
    /// The contacts of a mechanism.
    pub fn contacts(&self) -> &[ContactShape] {
        &self.shape().mechanism.contacts
    }
    /// The impulses that events give to a mechanism.
    pub fn impulses(&self) -> &[ImpulseShape] {
        &self.shape().mechanism.impulses
    }
    /// All guards of all modes.
    pub fn guards(&self) -> &[Guard] {
        &self.shape().guards
    }
    /// How fast guards can change at most.
    pub fn guard_growth(&self) -> &[f64] {
        &self.shape().guard_growth
    }
    /// What stands before the derivatives.
    pub fn mass_kind(&self) -> MassKind {
        self.shape().mass_kind
    }
    /// Whether guards are formulas.
    pub fn has_formulas(&self) -> bool {
        self.shape().has_formulas
    }
    /// How many conditions of what changes only at events there are in guards.
    pub fn condition_number(&self) -> usize {
        self.shape().condition_number
    }
    /// Room for the terms of a mechanism's equations of motion, with these constraints.
    pub fn room_for_terms(&self, rows: &ActiveRows) -> Terms {
        self.mechanism().map_or_else(|| Terms::full(0, 0), |mechanism| mechanism.room_for_terms(rows))
    }
}

/// A right-hand side `f(t, y, dy)` that needs no scratch and does not depend on anything discrete.
pub type PlainField = dyn Fn(f64, &[f64], &mut [f64]) + Send + Sync;
