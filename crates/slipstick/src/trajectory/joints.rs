//! How far the joints of a mechanism were open: the largest residuals of its constraints at the ends of
//! steps.

use super::Trajectory;
use crate::equations::{Evaluator, System};
use crate::formulation::{Flow, Upkeep};

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
    /// Of all constraints at the level of accelerations.
    pub acceleration: Opening,
}

impl Joints {
    /// Looks at every accepted step and at both sides of every event, with accelerations as they were found
    /// in the run with these options (`Options::upkeep`); none if the system has no constraints. Where only
    /// the ends of segments were kept, these are all that is looked at.
    pub fn of(system: &dyn System, upkeep: &Upkeep, trajectory: &Trajectory) -> Option<Self> {
        let constraints = system.constraints();
        let first = trajectory.segments.first().filter(|_| !constraints.is_empty())?;
        let flow = Flow::stabilised(system, first.mode.clone(), upkeep.clone());
        let mut look = ConstraintAudit::new(flow.with_parameters(&trajectory.parameters));
        for segment in &trajectory.segments {
            look.flow.mode.clone_from(&segment.mode);
            look.flow.reach(&segment.mode.structure.reaching);
            look.at(segment.start_time, &segment.start);
            for step in segment.steps().iter().skip(1) {
                look.at(step.t, &segment.state(step.t));
            }
            look.at(segment.end_time, &segment.end);
        }
        let [position, velocity, acceleration] = look.worst;
        Some(Self { position, velocity: velocity?, acceleration: acceleration? })
    }
}

/// The scratch to look at constraints with, and the worst so far: positions, rates, accelerations.
struct ConstraintAudit<'a> {
    flow: Flow<'a>,
    evaluator: Box<dyn Evaluator + 'a>,
    position: Vec<f64>,
    velocity: Vec<f64>,
    acceleration: Vec<f64>,
    worst: [Option<Opening>; 3],
}

impl<'a> ConstraintAudit<'a> {
    fn new(flow: Flow<'a>) -> Self {
        let system = flow.system();
        let constraints = system.constraints();
        let holonomic = constraints.iter().filter(|c| c.holonomic).count();
        Self {
            flow,
            evaluator: system.evaluator(),
            position: vec![0.0; holonomic],
            velocity: vec![0.0; constraints.len()],
            acceleration: vec![0.0; constraints.len()],
            worst: [None; 3],
        }
    }

    fn at(&mut self, t: f64, y: &[f64]) {
        let locked = self.flow.mode.locked(self.flow.parameters());
        self.evaluator.residuals(locked, t, y, &mut self.position, &mut self.velocity);
        self.flow.constraints().acceleration_residuals(t, y, &mut self.acceleration);
        let residuals = [&self.position, &self.velocity, &self.acceleration];
        for (worst, residuals) in self.worst.iter_mut().zip(residuals) {
            raise(worst, residuals, t);
        }
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
