//! The form of a mechanism for one set of constraints that have rows.

use super::allowed::AllowedDirections;
use super::env::Env;
use super::half_explicit::HalfExplicitStages;
use super::index1::Index1;
use super::linear_system::LinearSystem;
use super::projection::{Evaluated, Projection};
use super::{Stage, Upkeep};
use crate::equations::{ActiveRows, System};

/// The pieces that work with one set of rows.
pub(super) struct ConstrainedForm {
    pub(super) index1: Index1,
    pub(super) projection: Projection,
    allowed: AllowedDirections,
    /// Stages of half-explicit methods, once there was one.
    stages: Option<Box<HalfExplicitStages>>,
}

/// The linear system of a form with what it is lent, for pieces that work with both.
pub(super) struct FormAt<'p, 'e> {
    pub(super) linear: &'p mut LinearSystem,
    pub(super) env: &'p mut Env<'e>,
}

impl ConstrainedForm {
    pub(super) fn new(system: &dyn System, rows: &ActiveRows, upkeep: &Upkeep) -> Self {
        let index1 = Index1::new(system, rows, upkeep);
        Self {
            projection: Projection::new(upkeep, &index1.linear),
            allowed: AllowedDirections::new(&index1.linear),
            index1,
            stages: None,
        }
    }

    /// The constraints that have rows.
    #[inline]
    pub(super) fn rows(&self) -> &ActiveRows {
        &self.index1.linear.rows
    }

    /// The side from which the surface of each constraint is approached, zero for those met; none at all once
    /// the constraints are met.
    pub(super) fn reach(&mut self, sides: &[f64]) {
        self.index1.reach(sides);
        self.projection.reach(sides);
    }

    /// Projects the end of a step.
    pub(super) fn project_end(&mut self, env: &mut Env<'_>, y: &mut [f64]) {
        let mut at = FormAt { linear: &mut self.index1.linear, env };
        self.projection.project_end(Evaluated::Nothing, &mut at, y);
    }

    /// Turns the gradient of a surface into a direction that the constraints allow.
    pub(super) fn allow_direction(&mut self, env: &mut Env<'_>, y: &[f64], gradient: &mut [f64]) {
        self.allowed.allow(&mut self.index1.linear, env, y, gradient);
    }

    /// Makes a stage of a half-explicit method: the rates of the whole state.
    pub(super) fn make_stage(&mut self, env: &mut Env<'_>, stage: Stage<'_>, dy: &mut [f64]) {
        let new = || Box::new(HalfExplicitStages::new(&self.index1.linear, dy.len()));
        let stages = self.stages.get_or_insert_with(new);
        stages.make(&mut self.index1, env, stage, dy);
    }

    /// Adds to an error the least change of velocities that meets their constraints, with the factors of the
    /// last stage; nothing if there was none.
    pub(super) fn add_distance(&mut self, env: &mut Env<'_>, y: &[f64], error: &mut [f64]) {
        if let Some(stages) = &mut self.stages {
            stages.add_distance(env, y, &mut error[self.index1.linear.sizes.velocity_range()]);
        }
    }
}
