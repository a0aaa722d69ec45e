//! The surfaces of constraints that sliding-mode control approaches: `s = ġ + σ g`, and for constraints of
//! velocities these themselves (paper 000, equation (3.21)).

use super::Upkeep;
use super::residuals::ConstraintResiduals;
use crate::equations::ActiveRows;

/// Which surfaces are still to be reached, with the numbers of their constraints, by rows.
#[derive(Clone, Debug)]
pub(super) struct Reaching {
    constraints: Vec<usize>,
    /// `η`, and `σ`.
    approach: Vec<f64>,
    closing: Vec<f64>,
    /// The side on which each surface is, and zero for one that is reached. Empty once all are.
    sides: Vec<f64>,
}

impl Reaching {
    pub(super) fn new(upkeep: &Upkeep, rows: &ActiveRows) -> Self {
        let constraints = rows.constraints().to_vec();
        let of = |per: &super::PerConstraint| constraints.iter().map(|&k| per.get(k)).collect();
        let (approach, closing) = (of(&upkeep.reach), of(&upkeep.speed));
        Self { constraints, approach, closing, sides: Vec::new() }
    }

    /// Sets the side from which the surface of each constraint is approached, zero for those reached; none at
    /// all once the constraints are met.
    pub(super) fn set(&mut self, sides: &[f64]) {
        self.sides =
            self.constraints.iter().filter_map(|&constraint| sides.get(constraint)).copied().collect();
    }

    /// Whether all surfaces are reached.
    pub(super) fn is_over(&self) -> bool {
        self.sides.is_empty()
    }

    /// The equivalent control (3.24) keeps the surface of a row where it is; `η` brings one that is not
    /// reached nearer.
    pub(super) fn control(&self, row: usize, velocity_residual: f64) -> f64 {
        let side = self.sides.get(row).copied().unwrap_or(0.0);
        self.closing[row] * velocity_residual + self.approach[row] * side
    }

    /// Changes velocity residuals into what takes a state to the surfaces that were reached, and leaves it
    /// where it is beside the others.
    pub(super) fn leave_unreached(&self, position: &[f64], velocity: &mut [f64]) {
        for (k, side) in self.sides.iter().enumerate() {
            let closing = position.get(k).map_or(0.0, |position| self.closing[k] * position);
            velocity[k] = if *side == 0.0 { velocity[k] + closing } else { 0.0 };
        }
    }

    /// The value of the surface of each constraint; zero for those without a row.
    pub(super) fn surfaces(&self, residuals: &ConstraintResiduals, out: &mut [f64]) {
        out.fill(0.0);
        for (k, (&own, velocity)) in self.constraints.iter().zip(&residuals.velocity).enumerate() {
            out[own] = velocity + residuals.position.get(k).map_or(0.0, |g| self.closing[k] * g);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{lend, pendulum};
    use super::super::{PerConstraint, Stabilisation};
    use super::*;

    #[test]
    fn only_reached_surfaces_are_projected_to() {
        let upkeep = Upkeep {
            reach: PerConstraint::Same(0.5),
            speed: PerConstraint::Same(10.0),
            ..Stabilisation::SlidingMode.into()
        };
        lend(&pendulum(), |linear, _| {
            let mut reaching = Reaching::new(&upkeep, &linear.rows);
            assert!(reaching.is_over() && reaching.control(0, 2.0) == 20.0);
            reaching.set(&[-1.0]);
            assert_eq!(reaching.control(0, 2.0), 19.5);
            let mut velocity = [3.0];
            reaching.leave_unreached(&[0.1], &mut velocity);
            assert_eq!(velocity, [0.0], "it is not reached yet");
            reaching.set(&[0.0]);
            velocity = [3.0];
            reaching.leave_unreached(&[0.1], &mut velocity);
            assert_eq!(velocity, [4.0]);
            let residuals = ConstraintResiduals { position: vec![0.1], velocity: vec![3.0] };
            reaching.surfaces(&residuals, &mut velocity);
            assert_eq!(velocity, [4.0]);
        });
    }
}
