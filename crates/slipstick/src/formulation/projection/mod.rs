//! The way back to the constraints of a mechanism (paper 003, chapter 3; paper 000, section 3.4.1).
//!
//! The ends of steps are projected as the stabilisation says (`stabilisation/`); stages, starts and states
//! within steps are projected to rounding.

mod corrector;
mod view;

use super::Upkeep;
use super::constrained_form::FormAt;
use super::linear_system::{LinearSystem, MechanismSizes};
use super::reaching::Reaching;
use super::residuals::{are_within, largest};
use super::stabilisation::{End, EndRule};
pub(super) use corrector::{Corrector, factors, take_off};
pub use view::{ProjectedView, ProjectionView};

/// Projections that leave more than this part of what they take off do not close a mechanism, unless it is
/// as little as this beside its positions.
const LEFT_OPEN: f64 = 0.1;
const NEGLIGIBLE: f64 = 1e-6;

/// What is left of constraints is rounding below this part of positions or velocities.
const MET: f64 = 1e-14;

/// Corrections of velocities while surfaces are reached, and the relative change that is rounding.
const ROUNDS_WHILE_REACHING: usize = 2;
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// What has just been evaluated at a point that is projected.
#[derive(Clone, Copy)]
pub(super) enum Evaluated {
    /// Nothing.
    Nothing,
    /// The terms.
    Terms,
    /// The derivative: the terms are known, and the factors of the accelerations.
    Derivative,
}

/// Brings states back to the constraints.
pub(super) struct Projection {
    /// What is done with the ends of steps, if anything is.
    rule: Option<EndRule>,
    corrector: Corrector,
    reaching: Reaching,
    drift_tolerance: f64,
    /// Positions and velocities before the projection of a step, then how far each was moved.
    adjustment: Vec<f64>,
}

impl Projection {
    /// For the linear system of a form.
    pub(super) fn new(upkeep: &Upkeep, linear: &LinearSystem) -> Self {
        let mut projection = Self {
            rule: upkeep.end_projection(linear),
            corrector: Corrector::new(upkeep, linear),
            reaching: Reaching::new(upkeep, &linear.rows),
            drift_tolerance: upkeep.drift_tolerance,
            adjustment: vec![0.0; linear.sizes.velocity_range().end],
        };
        projection.reach(&[]);
        projection
    }

    /// The side from which the surface of each constraint is approached, zero for those met; none at all once
    /// the constraints are met. Until then only velocities are projected.
    pub(super) fn reach(&mut self, sides: &[f64]) {
        self.reaching.set(sides);
        let moves_positions = self.rule.as_ref().is_none_or(|rule| rule.moves_positions);
        let has_some = !self.corrector.residuals.position.is_empty();
        self.corrector.moves_positions = has_some && moves_positions && self.reaching.is_over();
    }

    /// Whether the ends of steps are brought to where the constraints of positions are met.
    #[inline]
    pub(super) fn keeps_positions(&self) -> bool {
        self.rule.is_some() && self.corrector.moves_positions
    }

    /// How far the last projection of a step has moved each position and velocity; nothing is moved where no
    /// constraint has a row.
    pub(super) fn adjustment(&self) -> &[f64] {
        if self.corrector.residuals.velocity.is_empty() { &[] } else { &self.adjustment }
    }

    /// The values of the surfaces that sliding-mode control approaches, by constraint.
    pub(super) fn surfaces(&mut self, at: &mut FormAt<'_, '_>, y: &[f64], out: &mut [f64]) {
        self.corrector.measure(at, y);
        self.reaching.surfaces(&self.corrector.residuals, out);
    }
}

/// Ends of steps.
impl Projection {
    /// Projects the end of a step, at which this was evaluated last.
    pub(super) fn project_end(&mut self, evaluated: Evaluated, at: &mut FormAt<'_, '_>, y: &mut [f64]) {
        let Self { rule: Some(rule), corrector, adjustment, .. } = self else { return };
        let has_solution = at.linear.is_solvable || !matches!(evaluated, Evaluated::Derivative);
        if at.linear.sizes.rows == 0 || !has_solution {
            return;
        }
        if matches!(evaluated, Evaluated::Nothing) {
            at.env.terms(y, &mut at.linear.terms);
        }
        let residuals = &mut corrector.residuals;
        at.env.residuals_of_terms(y, &at.linear.terms, &mut residuals.position, &mut residuals.velocity);
        adjustment.fill(0.0);
        if self.drift_tolerance > 0.0 && corrector.drift(rule.moves_positions) <= self.drift_tolerance {
            return;
        }
        adjustment.copy_from_slice(&y[..at.linear.sizes.velocity_range().end]);
        at.env.counts.corrected += 1;
        let is_factored = matches!(evaluated, Evaluated::Derivative) && corrector.unweighted.is_none();
        if rule.has_own_system || is_factored || corrector.factor_terms(at) {
            if self.reaching.is_over() {
                rule.projection.project(corrector, at, End { y: &mut *y, before: adjustment });
            } else {
                project_reached(corrector, &self.reaching, at, y);
            }
        }
        for (moved, y) in adjustment.iter_mut().zip(&*y) {
            *moved = (*moved - y).abs();
        }
    }

    /// The constraint of positions that is furthest from met after a projection, with its residual, if the
    /// projection has hardly brought it nearer. Next to closed positions it leaves far less than it takes
    /// off. What it has left is measured by coordinates.
    pub(super) fn left_open(&mut self, at: &mut FormAt<'_, '_>, y: &[f64]) -> Option<(usize, f64)> {
        if at.linear.sizes.rows == 0 {
            return None;
        }
        let MechanismSizes { positions, holonomic, .. } = at.linear.sizes;
        let moved = largest(&self.adjustment[..positions]);
        // Numbers with fewer digits than others are rounding of zero.
        let negligible = (NEGLIGIBLE * largest(&y[..positions])).max(f64::MIN_POSITIVE);
        if moved <= negligible || !self.corrector.moves_positions {
            return None;
        }
        self.corrector.measure(at, y);
        let (left, lengths) = (&self.corrector.residuals.position, &at.linear.saddle.lengths);
        let distance = |k: usize| if lengths[k] > 0.0 { left[k].abs() / lengths[k] } else { 0.0 };
        let worst = (0..holonomic).max_by(|&a, &b| distance(a).total_cmp(&distance(b)))?;
        let bound = (LEFT_OPEN * moved).max(negligible);
        (distance(worst) > bound).then(|| (at.linear.rows.constraint(worst), left[worst]))
    }
}

/// Other states, to rounding.
impl Projection {
    /// Evaluates the terms at a point and factors the linear system of projections; false if it has no
    /// solution.
    pub(super) fn factor(&mut self, at: &mut FormAt<'_, '_>, y: &[f64]) -> bool {
        self.corrector.factor(at, y)
    }

    /// Projects positions.
    pub(super) fn project_positions(&mut self, at: &mut FormAt<'_, '_>, y: &mut [f64]) {
        if at.linear.sizes.holonomic > 0 && self.corrector.factor(at, y) {
            self.corrector.measure(at, y);
            self.corrector.close_positions(at, y);
        }
    }

    /// Projects velocities with the factors there are; what has a linear system of its own has left none.
    /// False if that takes other factors.
    pub(super) fn project_velocities(&mut self, at: &mut FormAt<'_, '_>, y: &mut [f64]) -> bool {
        let has_none = self.rule.as_ref().is_some_and(|rule| rule.has_own_system);
        has_none && !self.corrector.factor_terms(at) || self.corrector.close_velocities(at, y)
    }

    /// Projects positions and velocities.
    pub(super) fn project_state(&mut self, at: &mut FormAt<'_, '_>, y: &mut [f64]) {
        self.project_positions(at, y);
        self.project_velocities(at, y);
    }

    /// Projects a state, if it is not on the constraints already. Returns whether it was not.
    pub(super) fn project_if_open(&mut self, at: &mut FormAt<'_, '_>, y: &mut [f64]) -> bool {
        self.corrector.measure(at, y);
        let sizes = at.linear.sizes;
        let (q, v) = (largest(&y[..sizes.positions]), largest(&y[sizes.velocity_range()]));
        let is_met = |left: &[f64], size: f64| are_within(left, &at.linear.saddle.lengths, MET * size);
        let residuals = &self.corrector.residuals;
        let is_open = !is_met(&residuals.position, q) || !is_met(&residuals.velocity, v);
        if is_open && self.corrector.factor(at, y) {
            self.corrector.close_state(at, y);
        }
        is_open
    }

    /// Projects a state within a step as the end of a step is, and velocities to rounding if they are kept
    /// there. It does not count as a projected step.
    pub(super) fn project_within(&mut self, at: &mut FormAt<'_, '_>, y: &mut [f64], keeps_velocities: bool) {
        let before = at.env.counts.corrected;
        self.project_end(Evaluated::Nothing, at, y);
        let is_factored = at.env.counts.corrected > before;
        if keeps_velocities && (is_factored || self.factor(at, y)) {
            self.project_velocities(at, y);
        }
        at.env.counts.corrected = before;
        self.adjustment.fill(0.0);
    }

    /// How far each coordinate would be moved to meet the constraints of positions.
    pub(super) fn distances(&mut self, at: &mut FormAt<'_, '_>, y: &[f64]) -> Vec<f64> {
        let mut moved = y.to_vec();
        if at.linear.sizes.holonomic > 0 && self.corrector.factor(at, y) {
            self.corrector.measure(at, y);
            self.corrector.shift_positions(at, &mut moved);
        }
        moved.iter().zip(y).take(at.linear.sizes.positions).map(|(moved, y)| (moved - y).abs()).collect()
    }

    /// The least change of velocities, in the metric of `M`, that has the effect of a given one on the
    /// constraints of positions; `out` stays where there is none.
    pub(super) fn least_equivalent(
        &mut self,
        at: &mut FormAt<'_, '_>,
        y: &[f64],
        change: &[f64],
        out: &mut [f64],
    ) {
        if at.linear.factor(at.env, y) {
            self.corrector.least_equivalent(at.linear, change, out);
        }
    }
}

/// Corrects velocities by the surfaces that have been reached (paper 000), and not by others.
fn project_reached(corrector: &mut Corrector, reaching: &Reaching, at: &mut FormAt<'_, '_>, y: &mut [f64]) {
    for round in 0..ROUNDS_WHILE_REACHING {
        if round > 0 {
            corrector.measure(at, y);
        }
        let residuals = &mut corrector.residuals;
        reaching.leave_unreached(&residuals.position, &mut residuals.velocity);
        if corrector.shift_velocities(at, y) <= ROUNDING {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::residuals::ConstraintResiduals;
    use super::super::testing::{lend, pendulum};
    use super::super::{Metric, Stabilisation};
    use super::*;

    /// Off the rod, and moving along it.
    const OPEN: [f64; 4] = [0.6001, -0.8, 0.8, 0.61];

    /// What is left of positions and velocities after something was done to a state off the constraints.
    fn left_after(
        upkeep: impl Into<Upkeep>,
        act: impl Fn(&mut Projection, &mut FormAt<'_, '_>, &mut [f64]),
    ) -> [f64; 2] {
        let upkeep = upkeep.into();
        lend(&pendulum(), |mut linear, env| {
            let (mut y, mut projection) = (OPEN, Projection::new(&upkeep, &linear));
            act(&mut projection, &mut FormAt { linear: &mut linear, env }, &mut y);
            let mut residuals = ConstraintResiduals::new(linear.sizes);
            residuals.measure(env, &y);
            [residuals.position[0].abs(), residuals.velocity[0].abs()]
        })
    }

    #[test]
    fn every_stabilisation_leaves_what_its_equation_says() {
        let end = |kind: Stabilisation| {
            left_after(kind, |projection, at, y| projection.project_end(Evaluated::Nothing, at, y))
        };
        assert_eq!(end(Stabilisation::None), left_after(Stabilisation::None, |_, _, _| {}));
        // A correction leaves the square of what it takes off: g = 1.2e-4 and ġ = 0.016.
        let (once, twice) = (end(Stabilisation::Once), end(Stabilisation::Twice));
        assert!(once[0] > 1e-10 && once[0] < 1e-8 && once[1] < 1e-5, "{once:?}");
        assert!(twice[0] < 1e-12 && twice[1] < 1e-10, "{twice:?}");
        let velocities = end(Stabilisation::Speeds);
        assert!(velocities[0] > 1e-4 && velocities[1] < 1e-15, "{velocities:?}");
        let all = end(Stabilisation::Project);
        assert!(all[0] < 1e-15 && all[1] < 1e-15, "{all:?}");
    }

    #[test]
    fn states_are_projected_to_rounding_in_every_metric() {
        for metric in [Metric::Mass, Metric::Identity] {
            for stabilisation in [Stabilisation::Twice, Stabilisation::Full] {
                let upkeep = Upkeep { metric, ..stabilisation.into() };
                let state = left_after(upkeep.clone(), Projection::project_state);
                assert!(state[0] < 1e-15 && state[1] < 1e-15, "{stabilisation:?} {metric:?} {state:?}");
                let positions = left_after(upkeep, Projection::project_positions);
                assert!(positions[0] < 1e-15 && positions[1] > 1e-3, "{positions:?}");
            }
        }
    }

    #[test]
    fn a_drift_tolerance_leaves_small_residuals() {
        let upkeep = Upkeep { drift_tolerance: 0.1, ..Stabilisation::Project.into() };
        let left = left_after(upkeep, |projection, at, y| {
            projection.project_end(Evaluated::Nothing, at, y);
            assert_eq!((at.env.counts.corrected, y), (0, &mut { OPEN }[..]));
        });
        assert!(left[0] > 1e-4);
    }

    #[test]
    fn a_projected_step_knows_how_far_it_was_moved() {
        left_after(Stabilisation::Project, |projection, at, y| {
            projection.project_end(Evaluated::Nothing, at, y);
            assert_eq!(at.env.counts.corrected, 1);
            assert!((projection.adjustment()[0] - (OPEN[0] - y[0]).abs()).abs() < 1e-18);
            assert!(projection.left_open(at, y).is_none() && !projection.project_if_open(at, y));
            projection.project_within(at, y, true);
            assert_eq!(at.env.counts.corrected, 1, "a state within a step does not count");
        });
    }
}
