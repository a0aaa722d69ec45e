//! A trajectory together with the equations that it belongs to: between the ends of steps, states are put back onto the surfaces that the motion slides
//! on, and to where the constraints of a mechanism are met.

use super::Trajectory;
use crate::equations::System;
use crate::formulation::Ground;
use crate::mode::State;

/// What [`Trajectory::of`] gives: the states of a run, kept where they belong.
pub struct Path<'a> {
    trajectory: &'a Trajectory,
    ground: Ground<'a>,
}

impl Trajectory {
    /// This trajectory as one of `system`, which must be the one that made it.
    ///
    /// The dense output of a step is as accurate as the method, so on a curved surface that the motion slides on it is only that near. The
    /// states of a [`Path`] are on the surface to rounding.
    pub fn of<'a>(&'a self, system: &'a dyn System) -> Path<'a> {
        Path { trajectory: self, ground: Ground::new(system) }
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

    fn put_back(&mut self, mut state: State) -> State {
        self.ground.put_back(&state.mode, state.t, &mut state.y);
        state
    }
}
