//! Two corrections of positions and velocities with one factorisation (`PStab`, paper 003, equation (3.68)),
//! with as few evaluations as will do.
//!
//! Positions are corrected first, so that velocities are corrected for where the positions are then. Where
//! the gradients come at little cost with the velocity residuals, the residuals after a first correction `β`
//! of velocities are not evaluated but taken as `ġ - G β`. What is rounding already is not corrected again.
//!
//! Most corrections are so small that nothing has to be evaluated a second time. With `α` that of positions
//! and `T = D²g(α, ·)` the change of the gradients by it, `g(q - α) = T α / 2`, because `G α = g`; if that is
//! rounding, `G(q - α) v = ġ - T v`; and of velocities `T β` is left. What follows is smaller by how far the
//! gradients turn, the relative size of `T`, once more: this is done where that is rounding.

use super::super::Upkeep;
use super::super::constrained_form::FormAt;
use super::super::linear_system::LinearSystem;
use super::super::projection::{Corrector, factors, take_off};
use super::super::residuals::{are_within, largest};
use super::descriptor::StabilisationDescriptor;
use super::{End, EndProjection, EndRule};
use crate::math::Matrix;

pub(super) const DESCRIPTOR: StabilisationDescriptor =
    StabilisationDescriptor { name: "pstab", is_word: true, terms: None, projection: Some(PStab::make) };

/// A part whose square is rounding: 2⁻²⁶.
const NEAR: f64 = 1.0 / 67_108_864.0;

/// Two corrections.
pub(super) struct PStab {
    /// How the gradients change by a correction of positions.
    turned: Matrix,
    /// What that makes of velocities.
    turned_velocities: Vec<f64>,
}

impl PStab {
    pub(super) fn make(_: &Upkeep, linear: &LinearSystem) -> EndRule {
        let turned_velocities = vec![0.0; linear.sizes.rows];
        EndRule::new(Self { turned: linear.terms.jacobian.clone(), turned_velocities })
    }

    /// Corrects positions twice. Returns whether that has moved them by so little that what is left of
    /// velocities can be foreseen.
    fn correct_positions(
        &mut self,
        corrector: &mut Corrector,
        at: &mut FormAt<'_, '_>,
        end: &mut End<'_>,
    ) -> bool {
        if !corrector.moves_positions || !corrector.correct_positions(at, end.y) {
            corrector.change.fill(0.0);
            return at.env.turn(&corrector.change, &mut self.turned.values);
        }
        let is_near = self.foresee_positions(corrector, at, end);
        if !is_near {
            corrector.measure_positions(at, end.y);
        }
        !corrector.correct_positions(at, end.y) && is_near
    }

    /// What a small first correction leaves of the constraints of positions; false if what follows is more
    /// than rounding.
    fn foresee_positions(
        &mut self,
        corrector: &mut Corrector,
        at: &mut FormAt<'_, '_>,
        end: &End<'_>,
    ) -> bool {
        let (moved, size) = (largest(&corrector.change), largest(&end.y[..at.linear.sizes.positions]));
        // Where gradients turn by nothing for once, the correction itself tells.
        if moved > NEAR * (1.0 + size) {
            return false;
        }
        // As far as positions have moved indeed: large ones are rounded to more than what is left of the
        // velocity residuals.
        for (change, (before, now)) in corrector.change.iter_mut().zip(end.before.iter().zip(&*end.y)) {
            *change = before - now;
        }
        if !at.env.turn(&corrector.change, &mut self.turned.values) {
            return false;
        }
        let left = &mut corrector.residuals.position;
        self.turned.times(&corrector.change, left);
        let lengths = &factors(&mut corrector.unweighted, &mut at.linear.saddle).lengths;
        let is_near = are_within(left, lengths, NEAR * moved);
        for position in left {
            *position *= 0.5;
        }
        is_near
    }

    /// The velocity residuals after a small correction of positions; false if what follows is more than
    /// rounding.
    fn foresee_velocities(
        &mut self,
        corrector: &mut Corrector,
        linear: &mut LinearSystem,
        y: &[f64],
    ) -> bool {
        let velocities = &y[linear.sizes.velocity_range()];
        self.turned.times(velocities, &mut self.turned_velocities);
        let lengths = &factors(&mut corrector.unweighted, &mut linear.saddle).lengths;
        let is_near = are_within(&self.turned_velocities, lengths, NEAR * largest(velocities));
        if is_near {
            take_off(&mut corrector.residuals.velocity, &self.turned_velocities);
        }
        is_near
    }

    /// Corrects velocities twice after a small correction of positions.
    fn correct_nearby(&self, corrector: &mut Corrector, at: &mut FormAt<'_, '_>, y: &mut [f64]) {
        let velocities = at.linear.sizes.velocity_range();
        if corrector.correct_velocities(at.linear, y)
            && largest(&corrector.change) > NEAR * largest(&y[velocities])
        {
            self.turned.times(&corrector.change, &mut corrector.residuals.velocity);
            corrector.correct_velocities(at.linear, y);
        }
    }
}

/// Corrects velocities twice where the positions are now.
fn correct_velocities(corrector: &mut Corrector, at: &mut FormAt<'_, '_>, y: &mut [f64]) {
    let has_gradients = corrector.measure_velocities(at, y);
    if corrector.correct_velocities(at.linear, y) {
        if has_gradients {
            corrector.take_off_velocities(&at.linear.terms.jacobian);
        } else {
            corrector.measure(at, y);
        }
        corrector.correct_velocities(at.linear, y);
    }
}

impl EndProjection for PStab {
    fn project(&mut self, corrector: &mut Corrector, at: &mut FormAt<'_, '_>, mut end: End<'_>) {
        let is_near = self.correct_positions(corrector, at, &mut end);
        if is_near && self.foresee_velocities(corrector, at.linear, end.y) {
            self.correct_nearby(corrector, at, end.y);
        } else {
            correct_velocities(corrector, at, end.y);
        }
    }
}
