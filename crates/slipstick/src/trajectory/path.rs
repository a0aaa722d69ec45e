//! A trajectory together with the equations that it belongs to: between the ends of steps, states are put
//! back onto the surfaces that the motion slides on, and to where the constraints of a mechanism are met.

use super::Trajectory;
use crate::contact::Status;
use crate::equations::{ContactShape, Evaluator, LAW_NUMBERS, LawsWanted, Observer, System};
use crate::formulation::Mixture;
use crate::mode::State;

/// What [`Trajectory::of`] gives: the states of a run, kept where they belong.
pub struct Path<'a> {
    trajectory: &'a Trajectory,
    system: &'a dyn System,
    mixture: Mixture<'a>,
    /// What knows the laws of contacts, once they were asked for.
    evaluator: Option<Box<dyn Evaluator + 'a>>,
}

/// What a contact does at some time, and the forces in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForces {
    /// What it does.
    pub status: Status,
    /// The force that pushes its sides apart, `force.n` in model files.
    pub normal: f64,
    /// The friction on the side whose velocity counts positive in the slip, `force.t` in model files.
    pub tangent: f64,
}

/// The forces in the joints of a mechanism at some time.
#[derive(Clone, Debug, PartialEq)]
pub struct JointForces {
    /// The multiplier of each constraint, `lambda` in model files, in the order of
    /// [`MechanismShape::constraints`](crate::equations::MechanismShape::constraints).
    pub multipliers: Vec<f64>,
    /// The force of all constraints together on each coordinate, `-Gᵀ λ`: `reaction` in model files.
    pub reactions: Vec<f64>,
}

impl Trajectory {
    /// This trajectory as one of `system`, which must be the one that made it.
    ///
    /// The dense output of a step is as accurate as the method, so on a curved surface that the motion slides
    /// on it is only that near. The states of a [`Path`] are on the surface to rounding.
    pub fn of<'a>(&'a self, system: &'a dyn System) -> Path<'a> {
        let mixture = Mixture::new(system, Observer::of_forces(system.layout().v));
        Path { trajectory: self, system, mixture: mixture.with_parameters(&self.parameters), evaluator: None }
    }
}

impl Path<'_> {
    /// As [`Trajectory::state_after`].
    pub fn state_after(&mut self, t: f64) -> Option<State> {
        let state = self.trajectory.state_after(t)?;
        Some(self.put_back(state))
    }

    /// As [`Trajectory::state_before`].
    pub fn state_before(&mut self, t: f64) -> Option<State> {
        let state = self.trajectory.state_before(t)?;
        Some(self.put_back(state))
    }

    /// The forces in the joints at a time, after any event at that time; `None` outside the run, and for what
    /// is no mechanism.
    pub fn forces_after(&mut self, t: f64) -> Option<JointForces> {
        let state = self.state_after(t)?;
        self.forces(&state)
    }

    /// The forces in the joints at a time, before any event at that time; `None` outside the run, and for
    /// what is no mechanism.
    pub fn forces_before(&mut self, t: f64) -> Option<JointForces> {
        let state = self.state_before(t)?;
        self.forces(&state)
    }

    /// What contacts do at a time, after any event at that time, in the order of
    /// [`MechanismShape::contacts`](crate::equations::MechanismShape::contacts); `None` outside the run, and for what
    /// is no mechanism.
    pub fn contacts_after(&mut self, t: f64) -> Option<Vec<ContactForces>> {
        let state = self.state_after(t)?;
        self.contacts(&state)
    }

    /// The same before any event at that time.
    pub fn contacts_before(&mut self, t: f64) -> Option<Vec<ContactForces>> {
        let state = self.state_before(t)?;
        self.contacts(&state)
    }

    fn contacts(&mut self, state: &State) -> Option<Vec<ContactForces>> {
        let (multipliers, system) = (self.forces(state)?.multipliers, self.system);
        let mut laws = vec![0.0; LAW_NUMBERS * system.contacts().len()];
        let evaluator = self.evaluator.get_or_insert_with(|| system.evaluator());
        if let Some(mechanism) = evaluator.mechanism() {
            let locked = state.mode.locked(&self.trajectory.parameters);
            mechanism.laws((locked, state.t, &state.y), LawsWanted::Contacts, &mut laws);
        }
        let forces = |(contact, law): (&ContactShape, &[f64])| {
            let status = state.mode.status(contact);
            let normal = contact.pressing(law[0], &multipliers);
            let tangent = match (status, contact.tangent) {
                (Status::Slides(direction), _) => -law[2] * direction * normal,
                (Status::Sticks, Some(tangent)) => 0.0 - multipliers[tangent],
                _ => 0.0,
            };
            ContactForces { status, normal, tangent }
        };
        Some(system.contacts().iter().zip(laws.chunks_exact(LAW_NUMBERS)).map(forces).collect())
    }

    fn forces(&mut self, state: &State) -> Option<JointForces> {
        let (speeds, constraints) = (self.system.layout().v, self.system.constraints().len());
        if speeds == 0 {
            return None;
        }
        let mut multipliers = vec![0.0; constraints + speeds];
        self.mixture.observe(&state.mode, state.t, &state.y, &mut multipliers);
        let reactions = multipliers.split_off(constraints);
        Some(JointForces { multipliers, reactions })
    }

    fn put_back(&mut self, mut state: State) -> State {
        self.mixture.put_back(&state.mode, state.t, &mut state.y);
        state
    }
}
