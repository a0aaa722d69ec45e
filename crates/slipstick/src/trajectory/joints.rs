//! How far the joints of a mechanism were open: the largest residuals of its constraints at the ends of steps.

use super::Trajectory;
use crate::equations::System;
use crate::mode::Mode;

/// The largest residual of any constraint, with its moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opening {
    /// The index of the constraint.
    pub constraint: usize,
    /// How far it was from zero.
    pub value: f64,
    /// When.
    pub t: f64,
}

/// A change that was made after a step to keep the constraints met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adjustment {
    /// The index of the state that was changed.
    pub state: usize,
    /// By how much.
    pub size: f64,
    /// When.
    pub t: f64,
}

/// How far the joints were open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joints {
    /// Of the constraints on positions; none if there are none.
    pub position: Option<Opening>,
    /// Of the rates of all constraints.
    pub velocity: Opening,
}

impl Joints {
    /// Looks at every accepted step and at both sides of every event; none if the system has no constraints.
    pub fn of(system: &dyn System, trajectory: &Trajectory) -> Option<Self> {
        let constraints = system.constraints();
        let holonomic = constraints.iter().filter(|c| c.holonomic).count();
        let (mut position, mut velocity) = (vec![0.0; holonomic], vec![0.0; constraints.len()]);
        let mut evaluator = system.evaluator();
        let mut worst: [Option<Opening>; 2] = [None; 2];
        let mut look = |mode: &Mode, t: f64, y: &[f64]| {
            evaluator.residuals(mode.locked(), t, y, &mut position, &mut velocity);
            for (worst, residuals) in worst.iter_mut().zip([&position, &velocity]) {
                raise(worst, residuals, t);
            }
        };
        for segment in &trajectory.segments {
            for step in segment.steps() {
                look(&segment.mode, step.t, &segment.state(step.t));
            }
            look(&segment.mode, segment.end_time, &segment.end);
        }
        let [position, velocity] = worst;
        Some(Self { position, velocity: velocity? })
    }
}

fn raise(worst: &mut Option<Opening>, residuals: &[f64], t: f64) {
    for (constraint, residual) in residuals.iter().enumerate() {
        // What is not a number is the worst of all.
        if worst.is_none_or(|w| residual.abs() > w.value || residual.is_nan()) {
            *worst = Some(Opening { constraint, value: residual.abs(), t });
        }
    }
}
