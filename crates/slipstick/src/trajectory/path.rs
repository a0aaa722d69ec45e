//! A trajectory together with the equations that it belongs to: between the ends of steps, states are put
//! back onto the surfaces that the motion slides on, and to where the constraints of a mechanism are met.

use super::Trajectory;
use crate::equations::{Observer, System};
use crate::formulation::Mixture;
use crate::mode::State;

/// What [`Trajectory::of`] gives: the states of a run, kept where they belong.
pub struct Path<'a> {
    trajectory: &'a Trajectory,
    system: &'a dyn System,
    mixture: Mixture<'a>,
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
        Path { trajectory: self, system, mixture: mixture.with_parameters(&self.parameters) }
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
