//! What the loop asks of a set of equations: right-hand sides, guards, rates of guards, resets.

use super::differences::gradient_by_differences;
use super::{ActiveRows, BadPlace, Constraint, Terms, WrongGradient};
use super::{Condition, ExpandGuards, Observer};
use crate::expr::Bounds;
use crate::model::{Direction, Side};

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
/// The order of actions is fixed: resets (all from the values before the event), then switch signs and counts, then the mode, then the stop.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Response {
    /// The state is changed by [`Evaluator::reset`].
    pub reset: bool,
    /// This switch takes the sign of the side that the guard goes to.
    pub switch: Option<usize>,
    /// A count goes up or down.
    pub count: Option<Count>,
    /// The run goes on in this mode.
    pub mode: Option<usize>,
    /// The run stops when the guard has fired this many times.
    pub stop_after: Option<u64>,
    /// The guard that fires in the place of this one when its events accumulate: what holds from then on.
    pub at_rest: Option<usize>,
}

/// What a guard does to a count, which is a locked whole number: the value of a `floor`, or how often a clock has struck.
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
    /// It is known beforehand, see [`Evaluator::schedule`].
    Scheduled {
        /// Whether the surface rises there.
        rising: bool,
    },
    /// It has no surface: it fires when the events of another guard accumulate, see [`Response::at_rest`].
    Rest,
    /// It has no surface: it fires when its [`Condition`] becomes true.
    Compound,
    /// It is a comparison in the condition of other guards, and does nothing by itself.
    Comparison {
        /// Whether the surface rises where it crosses, if that time is known beforehand.
        scheduled: Option<bool>,
    },
}

impl GuardKind {
    /// Whether there is a function of time and state.
    pub fn has_surface(self) -> bool {
        !matches!(self, Self::Rest | Self::Compound)
    }
}

impl Response {
    /// Whether anything happens beyond an entry in the log.
    pub fn acts(&self) -> bool {
        self.reset || self.mode.is_some() || self.stop_after.is_some()
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
    /// Whether zero itself belongs to the side that fires, as in `n >= 3`: that counts where a reset puts the guard to zero and it stays there. Of a
    /// comparison, whether zero belongs to the positive side.
    pub closed: bool,
    /// Whether it locks a branch that other guards have in their formulas.
    pub is_used: bool,
    /// When it holds.
    pub condition: Condition,
    /// What it does where it is true as its mode is entered, or the run begins.
    pub on_entry: OnEntry,
    /// Of guards that fire together and contradict each other, the one with the highest number is obeyed.
    pub priority: i64,
    /// The constraints whose multipliers it reads; a reaction is made of all. It is watched while one of them holds.
    pub multipliers: Vec<usize>,
}

/// What a guard does that is true as its mode is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OnEntry {
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
            condition: Condition::Crossing,
            on_entry: OnEntry::Fires,
            priority: 0,
            multipliers: Vec::new(),
        }
    }
}

/// Where the rates of guards go.
#[derive(Debug)]
pub struct GuardRates<'a> {
    /// The right-hand side at the point, if it is known.
    pub slope: Option<&'a [f64]>,
    /// First derivatives along the flow.
    pub first: &'a mut [f64],
    /// Second derivatives along the flow.
    pub second: &'a mut [f64],
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

/// What is fixed during a step: the values of the parameters, which do not change during a run, and everything discrete.
///
/// All lists are as long as the system says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Locked<'a> {
    /// The index of the mode.
    pub mode: usize,
    /// The values of the parameters, in the order of [`System::parameters`].
    pub parameters: &'a [f64],
    /// The sign of each switch, +1 or -1.
    pub signs: &'a [f64],
    /// The counts, whole numbers.
    pub counts: &'a [f64],
    /// The values of the discrete variables.
    pub discrete: &'a [f64],
    /// The constraints that are asked for, which have rows in terms and residuals; all of them if that is not said.
    pub rows: Option<&'a ActiveRows>,
}

/// Where a reset goes: state and discrete variables after an event. What it does not set is left as it is.
#[derive(Debug)]
pub struct Reset<'a> {
    /// The state.
    pub state: &'a mut [f64],
    /// The discrete variables.
    pub discrete: &'a mut [f64],
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

/// Equations that do not change during a run.
pub trait System: Send + Sync {
    /// How the flat state is split.
    fn layout(&self) -> Layout;
    /// One name for each component of the state.
    fn state_names(&self) -> &[String];
    /// One name for each mode; a system without modes has exactly one, with an empty name.
    fn mode_names(&self) -> &[String];
    /// One name for each switch.
    fn switch_names(&self) -> &[String];
    /// What evaluates the energies of a mechanism in a mode: kinetic, potential, the power from outside, and that of each applied force; none if it is no mechanism.
    fn energies(&self, _mode: usize) -> Option<Observer<'_>> {
        None
    }
    /// The values of the parameters that the model has. An evaluation takes them from [`Locked`], so a run may have others.
    fn parameters(&self) -> &[f64];
    /// One name for each discrete variable: it has one value between two events, and is set by resets.
    fn discrete_names(&self) -> &[String];
    /// The values of the discrete variables at the start.
    fn discrete_start(&self) -> &[f64];
    /// What the reset of a guard sets; none if that is not known, and what has changed has been set.
    fn reset_targets(&self, guard: usize) -> Option<ResetTargets<'_>>;
    /// How many conditions of what changes only at events there are in guards.
    fn condition_number(&self) -> usize {
        0
    }
    /// How many counts there are.
    fn count_number(&self) -> usize {
        0
    }
    /// What stands before the derivatives.
    fn mass_kind(&self) -> MassKind {
        MassKind::Identity
    }
    /// The constraints of a mechanism: those of positions first.
    fn constraints(&self) -> &[Constraint] {
        &[]
    }
    /// Room for the terms of a mechanism's equations of motion, with these constraints.
    fn room_for_terms(&self, rows: &ActiveRows) -> Terms {
        Terms::full(self.layout().v, rows.len())
    }
    /// The states that are in each row of the equations of motion, `M v' - f + Gᵀ λ`, and behind them of the rates of further states, as rows and states; none if that is not known.
    fn tangent_places(&self, _rows: &ActiveRows) -> Option<Vec<(usize, usize)>> {
        None
    }
    /// The positions that are in the rate of each constraint beside the speeds, as rows and positions, where [`Evaluator::rate_slope_entries`] gives slopes.
    fn rate_slope_places(&self, _rows: &ActiveRows) -> Vec<(usize, usize)> {
        Vec::new()
    }
    /// A place that was given for an entry of a matrix and is outside of it.
    fn bad_place(&self) -> Option<BadPlace> {
        None
    }
    /// The first joint whose gradient, as it was given, is wrong at a point.
    fn wrong_gradient(&self, _t: f64, _y: &[f64]) -> Option<WrongGradient> {
        None
    }
    /// An entry of the mass matrix that is not that of its other half at a point: row, column, and both entries.
    fn uneven_mass(&self, _t: f64, _y: &[f64]) -> Option<(usize, usize, (f64, f64))> {
        None
    }
    /// All guards of all modes. Values and rates are always given in this order.
    fn guards(&self) -> &[Guard];
    /// For each guard, by how much it can change at most when time and all states change by at most one; infinity where that is not
    /// known, and empty where it is not known for any.
    fn guard_growth(&self) -> &[f64] {
        &[]
    }
    /// The guards that strike again and again whose periods have not been checked, each with its period.
    fn clocks(&self) -> Vec<(usize, f64)> {
        Vec::new()
    }
    /// Whether where a guard goes depends on a state: its value, or its first two rates along the flow.
    fn guard_depends_on(&self, _mode: usize, _guard: usize, _state: usize) -> bool {
        true
    }
    /// Whether a reset of one guard can change where another goes.
    fn reset_can_turn(&self, _mode: usize, _reset: usize, _guard: usize) -> bool {
        true
    }
    /// Whether guards are formulas, of which intervals tell what is certain.
    fn has_formulas(&self) -> bool {
        false
    }
    /// The right-hand side, if it is a plain function: then nothing stands between it and a method.
    fn plain_field(&self) -> Option<&PlainField> {
        None
    }
    /// The scratch to evaluate this system with.
    fn evaluator(&self) -> Box<dyn Evaluator + '_>;
}

/// A right-hand side `f(t, y, dy)` that needs no scratch and does not depend on anything discrete.
pub type PlainField = dyn Fn(f64, &[f64], &mut [f64]) + Send + Sync;

/// A system together with the scratch that its evaluation needs. Nothing here allocates after construction.
pub trait Evaluator: ExpandGuards {
    /// The right-hand side: `dy = f(t, y)` with the discrete quantities locked.
    fn derivative(&mut self, locked: Locked<'_>, t: f64, y: &[f64], dy: &mut [f64]);

    /// Tells each entry of the Jacobian `∂f/∂y` that is not always zero, with its place by rows, exactly; false if they are not known, and differences must do.
    fn jacobian_entries(&mut self, _: (Locked<'_>, f64, &[f64]), _: &mut dyn FnMut(usize, f64)) -> bool {
        false
    }

    /// The Jacobian `∂f/∂y` by rows, exactly; false if it is not known, and differences must do.
    fn jacobian(&mut self, locked: Locked<'_>, t: f64, y: &[f64], jacobian: &mut [f64]) -> bool {
        jacobian.fill(0.0);
        self.jacobian_entries((locked, t, y), &mut |place, value| jacobian[place] = value)
    }

    /// The derivative `∂f/∂t`, exactly; false if it is not known.
    fn time_derivative(&mut self, _locked: Locked<'_>, _t: f64, _y: &[f64], _out: &mut [f64]) -> bool {
        false
    }

    /// The mass matrix by rows. Only called if the system says that it has one.
    fn mass(&mut self, _locked: Locked<'_>, _t: f64, _y: &[f64], _mass: &mut [f64]) {}

    /// How `M rate` changes with the states, `∂(M rate)/∂y` by rows, and with time, exactly; false if that is not known, and differences must do.
    fn mass_slopes(
        &mut self,
        _at: (Locked<'_>, f64, &[f64]),
        _rate: &[f64],
        _slopes: (&mut [f64], &mut [f64]),
    ) -> bool {
        false
    }

    /// The terms of the equations of motion, if the system is a mechanism.
    fn terms(&mut self, _locked: Locked<'_>, _t: f64, _y: &[f64], _terms: &mut Terms) {}

    /// Of the terms of the equations of motion, all but the level; it may be filled in too.
    fn driving_terms(&mut self, locked: Locked<'_>, t: f64, y: &[f64], terms: &mut Terms) {
        self.terms(locked, t, y, terms);
    }

    /// Of the terms of the equations of motion, the gradients of the constraints; others may be filled in too.
    fn gradients(&mut self, locked: Locked<'_>, t: f64, y: &[f64], terms: &mut Terms) {
        self.terms(locked, t, y, terms);
    }

    /// How far the constraints are from being met: those of positions, and the rates of all.
    fn residuals(
        &mut self,
        _locked: Locked<'_>,
        _t: f64,
        _y: &[f64],
        _position: &mut [f64],
        _velocity: &mut [f64],
    ) {
    }

    /// The residuals at the point for which [`terms`](Self::terms) was called last and gave these terms, where much of them may be known.
    fn residuals_of_terms(
        &mut self,
        (locked, t, y): (Locked<'_>, f64, &[f64]),
        _terms: &Terms,
        position: &mut [f64],
        velocity: &mut [f64],
    ) {
        self.residuals(locked, t, y, position, velocity);
    }

    /// How the gradients of the constraints change along a change of positions, at the point for which [`terms`](Self::terms) and
    /// [`residuals_of_terms`](Self::residuals_of_terms) were called last: the entries of `D²g(change, ·)`, in the places of `G`. False if that is not known, or if there is more than constraints `g(q) = 0`.
    fn turn(&mut self, _locked: Locked<'_>, _change: &[f64], _turned: &mut [f64]) -> bool {
        false
    }

    /// Of the residuals, those of positions; others may be filled in too.
    fn position_residuals(
        &mut self,
        locked: Locked<'_>,
        t: f64,
        y: &[f64],
        position: &mut [f64],
        velocity: &mut [f64],
    ) {
        self.residuals(locked, t, y, position, velocity);
    }

    /// Of the residuals, the rates; those of positions may be filled in too. True if, at little cost, the gradients of the constraints are
    /// filled in with them.
    fn rates(
        &mut self,
        locked: Locked<'_>,
        t: f64,
        y: &[f64],
        position: &mut [f64],
        velocity: &mut [f64],
        _terms: &mut Terms,
    ) -> bool {
        self.residuals(locked, t, y, position, velocity);
        false
    }

    /// The gradients of the rates of all constraints by positions, by rows, exactly; false if they are not known, and differences must do.
    fn rate_slopes(&mut self, _locked: Locked<'_>, _t: f64, _y: &[f64], _slopes: &mut [f64]) -> bool {
        false
    }

    /// The same at the places that the system names, in their order.
    fn rate_slope_entries(&mut self, _locked: Locked<'_>, _t: f64, _y: &[f64], _slopes: &mut [f64]) -> bool {
        false
    }

    /// How what is left of the equations of motion, `M v' - f + Gᵀ λ`, changes along a change of the whole state, with accelerations and multipliers as they were
    /// set, exactly; false if it is not known, and differences must do.
    fn tangent(
        &mut self,
        _locked: Locked<'_>,
        _t: f64,
        _y: &[f64],
        _change: &[f64],
        _out: &mut [f64],
    ) -> bool {
        false
    }

    /// Whether the rates of positions are something else than the speeds: `q' = T(t, q) v`.
    fn has_kinematics(&self) -> bool {
        false
    }

    /// Takes a change of the speeds' kind off the positions, which are `q` of the state: `q - T change`.
    fn shift_positions(&mut self, _t: f64, q: &mut [f64], change: &[f64]) {
        for (q, change) in q.iter_mut().zip(change) {
            *q -= change;
        }
    }

    /// Turns the gradient of a surface into the direction in which a state is moved to it. In a mechanism that must not leave the constraints.
    fn allow(&mut self, _locked: Locked<'_>, _t: f64, _y: &[f64], _direction: &mut [f64]) {}

    /// Accelerations, multipliers and reactions at the point where the derivative or the rates of guards are asked for next.
    fn set_motion(&mut self, _motion: &[f64]) {}

    /// The values of the guards watched in the locked mode; those of other modes are left as they are.
    fn guards(&mut self, locked: Locked<'_>, t: f64, y: &[f64], values: &mut [f64]);

    /// The value of one watched guard.
    fn guard(&mut self, locked: Locked<'_>, guard: usize, t: f64, y: &[f64]) -> f64;

    /// What is certain of one watched guard while time and states move within bounds: `input` tells those of time (0) or of a state (from 1 on),
    /// where the guard depends on it. None if there is no formula to tell.
    fn guard_bounds(
        &mut self,
        _locked: Locked<'_>,
        _guard: usize,
        _input: &dyn Fn(usize) -> Bounds,
    ) -> Option<Bounds> {
        None
    }

    /// Tells which of the watched guards the motion depends on, or somebody asks for, while signs and counts stay as they are: a lock in a branch
    /// that is not taken is not among them.
    fn find_needed(&mut self, _locked: Locked<'_>, needed: &mut [bool]) {
        needed.fill(true);
    }

    /// The gradient of one watched guard with respect to the state, and its rate in time. `y` is as before afterwards.
    fn guard_gradient(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        t: f64,
        y: &mut [f64],
        gradient: &mut [f64],
    ) -> f64 {
        gradient_by_differences(&mut |t, y| self.guard(locked, guard, t, y), t, y, gradient)
    }

    /// Whether the gradient of a watched guard comes from differences of its values: then it is only as exact as [`difference_error`](super::difference_error) says.
    fn differences_guard(&self, _locked: Locked<'_>, _guard: usize) -> bool {
        true
    }

    /// Tells which constraints of a mechanism are shut: the others are zero whatever the state is, while everything discrete stays as it is, and no
    /// equations at all.
    fn joints(&mut self, _locked: Locked<'_>, shut: &mut [bool]) {
        shut.fill(true);
    }

    /// The conditions of what changes only at events, see [`Condition::Discrete`]: greater than zero where they hold. There are as many as
    /// [`System::condition_number`] says.
    fn conditions(&mut self, _locked: Locked<'_>, _values: &mut [f64]) {}

    /// The times at which the scheduled guards cross, given the locked quantities; other entries are left as they are.
    fn schedule(&mut self, _locked: Locked<'_>, _times: &mut [f64]) {}

    /// First and second derivative of each watched guard along the flow, for guards that are zero. `reach` is about the step size, for those
    /// who must use differences. Gives how many right-hand sides were evaluated.
    fn guard_rates(
        &mut self,
        locked: Locked<'_>,
        t: f64,
        y: &[f64],
        reach: f64,
        rates: GuardRates<'_>,
    ) -> u64;

    /// The right-hand side at the point of the last [`guard_rates`](Self::guard_rates), if it was evaluated there.
    fn slope_of_rates(&self) -> Option<&[f64]> {
        None
    }

    /// Applies the reset of one guard: `after` comes in as what was made so far, `before` is the state before the event, and `locked` has the
    /// discrete variables before it.
    fn reset(&mut self, locked: Locked<'_>, guard: usize, t: f64, before: &[f64], after: Reset<'_>);
}
