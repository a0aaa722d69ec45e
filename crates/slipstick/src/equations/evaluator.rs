//! What a run asks of equations: right-hand sides, slopes, guards, resets, and the terms of a mechanism.
//!
//! Nothing has a default: a new need is a compile error wherever equations are evaluated.

use super::{ExpandGuards, Locked, Terms};
use crate::expr::Bounds;

/// Where something is evaluated: what is locked, the time, and the state.
pub type At<'a> = (Locked<'a>, f64, &'a [f64]);

/// A system together with the scratch that its evaluation needs. Nothing here allocates after construction.
pub trait Evaluator: FieldSlopes + GuardFunctions + ExpandGuards {
    /// The right-hand side: `dy = f(t, y)` with the discrete quantities locked.
    fn derivative(&mut self, locked: Locked<'_>, t: f64, y: &[f64], dy: &mut [f64]);

    /// The terms of the equations of motion; none if the system is no mechanism.
    fn mechanism(&mut self) -> Option<&mut dyn MechanismTerms>;

    /// Whether the rates of positions are something else than the speeds: `q' = T(t, q) v`.
    fn has_kinematics(&self) -> bool;

    /// Turns the gradient of a surface into a direction to it that stays on the constraints.
    fn allow(&mut self, locked: Locked<'_>, t: f64, y: &[f64], direction: &mut [f64]);

    /// Applies the reset of one guard: `after` comes in as what was made so far, `before` is the state before
    /// the event, and `locked` has the discrete variables before it.
    fn reset(&mut self, locked: Locked<'_>, guard: usize, t: f64, before: &[f64], after: Reset<'_>);
}

/// Where a reset goes: state and discrete variables after an event. What it does not set is left as it is.
#[derive(Debug)]
pub struct Reset<'a> {
    /// The state.
    pub state: &'a mut [f64],
    /// The discrete variables.
    pub discrete: &'a mut [f64],
}

/// How the right-hand side changes, and the matrix before the derivatives. What is exact is told; false means
/// that it is not known, and differences must do.
pub trait FieldSlopes {
    /// Tells each entry of the Jacobian `∂f/∂y` that is not always zero, with its place by rows.
    fn jacobian_entries(&mut self, at: At<'_>, each: &mut dyn FnMut(usize, f64)) -> bool;

    /// The Jacobian `∂f/∂y` by rows.
    fn jacobian(&mut self, locked: Locked<'_>, t: f64, y: &[f64], jacobian: &mut [f64]) -> bool;

    /// The derivative `∂f/∂t`.
    fn time_derivative(&mut self, locked: Locked<'_>, t: f64, y: &[f64], out: &mut [f64]) -> bool;

    /// The mass matrix by rows. Only called if the system says that it has one.
    fn mass(&mut self, locked: Locked<'_>, t: f64, y: &[f64], mass: &mut [f64]);

    /// Tells when what drives a mechanism by time alone comes to peaks that samples between two times do not show.
    fn hidden_peaks(&mut self, locked: Locked<'_>, between: (f64, f64), each: &mut dyn FnMut(f64));

    /// How `M rate` changes with the states, `∂(M rate)/∂y` by rows, and with time.
    fn mass_slopes(&mut self, at: At<'_>, rate: &[f64], slopes: (&mut [f64], &mut [f64])) -> bool;
}

/// Guards: their values and how these change. Those of other modes than the locked one are not watched.
pub trait GuardFunctions {
    /// The values of the watched guards; other entries are left as they are.
    fn guards(&mut self, locked: Locked<'_>, t: f64, y: &[f64], values: &mut [f64]);

    /// The value of one watched guard.
    fn guard(&mut self, locked: Locked<'_>, guard: usize, t: f64, y: &[f64]) -> f64;

    /// The gradient of one watched guard and its rate in time. `y` is restored.
    fn guard_gradient(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        t: f64,
        y: &mut [f64],
        gradient: &mut [f64],
    ) -> f64;

    /// Whether the gradient of a watched guard comes from differences of its values: then it is only as exact
    /// as [`difference_error`](super::difference_error) says.
    fn differences_guard(&self, locked: Locked<'_>, guard: usize) -> bool;

    /// What is certain of one watched guard while time and states move within bounds: `input` tells those of
    /// time (0) or of a state (from 1 on), where the guard depends on it. None if there is no formula to
    /// tell.
    fn guard_bounds(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        input: &dyn Fn(usize) -> Bounds,
    ) -> Option<Bounds>;

    /// Tells which of the watched guards the motion depends on, or somebody asks for, while signs and counts
    /// stay as they are: a lock in a branch that is not taken is not among them.
    fn find_needed(&mut self, locked: Locked<'_>, needed: &mut [bool]);

    /// The conditions of what changes only at events, see
    /// [`GuardCondition::Discrete`](super::GuardCondition::Discrete): greater than zero where they hold.
    /// There are as many as [`Shape::condition_number`](super::Shape::condition_number) says.
    fn conditions(&mut self, locked: Locked<'_>, values: &mut [f64]);

    /// The times of scheduled guards; other entries are left as they are.
    fn schedule(&mut self, locked: Locked<'_>, times: &mut [f64]);
}

/// The equations of motion of a mechanism and its constraints, of which those named in [`Locked::rows`] have
/// rows. Where a method gives a truth value, false means that differences must do.
pub trait MechanismTerms {
    /// The terms of the equations of motion.
    fn terms(&mut self, at: At<'_>, want: TermsWanted, terms: &mut Terms);

    /// How far the constraints are from being met: those of positions, and the rates of all.
    fn residuals(&mut self, at: At<'_>, want: ResidualsWanted<'_>, residuals: (&mut [f64], &mut [f64]));

    /// Of the residuals, the rates; those of positions may be filled in too. True if, at little cost, the
    /// gradients of the constraints are filled in with them.
    fn rates(&mut self, at: At<'_>, residuals: (&mut [f64], &mut [f64]), terms: &mut Terms) -> bool;

    /// How the gradients of the constraints change along a change of positions, at the point for which terms
    /// and [residuals of them](ResidualsWanted::OfTerms) were asked last: the entries of `D²g(change, ·)`, in
    /// the places of `G`. False also if there is more than constraints `g(q) = 0`.
    fn turn(&mut self, locked: Locked<'_>, change: &[f64], turned: &mut [f64]) -> bool;

    /// The gradients of the rates of all constraints by positions.
    fn rate_slopes(&mut self, at: At<'_>, places: SlopePlaces, slopes: &mut [f64]) -> bool;

    /// How what is left of the equations of motion, `M v' - f + Gᵀ λ`, changes along a change of the whole
    /// state, with accelerations and multipliers as they were set.
    fn tangent(&mut self, at: At<'_>, change: &[f64], out: &mut [f64]) -> bool;

    /// Takes a change of the speeds' kind off the positions, which are `q` of the state: `q - T change`.
    fn shift_positions(&mut self, t: f64, q: &mut [f64], change: &[f64]);

    /// Tells which constraints are shut: the others are zero whatever the state is, while everything discrete
    /// stays as it is, and no equations at all.
    fn joints(&mut self, locked: Locked<'_>, shut: &mut [bool]);

    /// The numbers of laws: of contacts [`LAW_NUMBERS`](super::LAW_NUMBERS) for each, restitution and friction while it
    /// sticks and while it slides; of impulses [`impulse_numbers`](super::impulse_numbers) for each.
    fn laws(&mut self, at: At<'_>, want: LawsWanted, laws: &mut [f64]);

    /// Accelerations, multipliers and reactions at the point where the derivative or rates of guards are
    /// asked for next.
    fn set_motion(&mut self, motion: &[f64]);
}

/// Which terms of the equations of motion are wanted; others may be filled in too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermsWanted {
    /// All of them.
    All,
    /// All but the level.
    Driving,
    /// The gradients of the constraints.
    Gradients,
}

/// Of what the numbers of laws are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LawsWanted {
    /// Of all contacts.
    Contacts,
    /// Of all impulses that events give.
    Impulses,
}

/// Which residuals are wanted; others may be filled in too.
#[derive(Clone, Copy, Debug)]
pub enum ResidualsWanted<'a> {
    /// All of them.
    All,
    /// Those of positions.
    Positions,
    /// All of them, at the point for which these terms were found last: much of them may be known.
    OfTerms(&'a Terms),
}

/// Where the slopes of rates go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlopePlaces {
    /// A full matrix by rows.
    Full,
    /// The places that the system names, in their order.
    Named,
}

/// A mechanism's part, for those who know that they have one; others get what a system without one has.
impl dyn Evaluator + '_ {
    /// All terms of the equations of motion.
    pub fn terms(&mut self, locked: Locked<'_>, t: f64, y: &[f64], terms: &mut Terms) {
        if let Some(mechanism) = self.mechanism() {
            mechanism.terms((locked, t, y), TermsWanted::All, terms);
        }
    }

    /// How far the constraints are from being met: those of positions, and the rates of all.
    pub fn residuals(
        &mut self,
        locked: Locked<'_>,
        t: f64,
        y: &[f64],
        position: &mut [f64],
        velocity: &mut [f64],
    ) {
        if let Some(mechanism) = self.mechanism() {
            mechanism.residuals((locked, t, y), ResidualsWanted::All, (position, velocity));
        }
    }

    /// Takes a change of the speeds' kind off the positions.
    pub fn shift_positions(&mut self, t: f64, q: &mut [f64], change: &[f64]) {
        if let Some(mechanism) = self.mechanism() {
            mechanism.shift_positions(t, q, change);
        }
    }

    /// Tells which constraints are shut.
    pub fn joints(&mut self, locked: Locked<'_>, shut: &mut [bool]) {
        if let Some(mechanism) = self.mechanism() {
            mechanism.joints(locked, shut);
        }
    }

    /// Tells the motion at the point that is asked for next.
    pub fn set_motion(&mut self, motion: &[f64]) {
        if let Some(mechanism) = self.mechanism() {
            mechanism.set_motion(motion);
        }
    }
}
