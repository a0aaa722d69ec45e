//! Single corrections of a state, and corrections to rounding: with `F = M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁻¹` (paper 003,
//! equation (3.66)), or `Gᵀ (G Gᵀ)⁻¹` (3.69), `q ← q - F g` and then `v ← v - F ġ`.
//!
//! Both are solutions of the linear system of the accelerations, or of one without masses.

use super::super::constrained_form::FormAt;
use super::super::linear_system::{LinearSystem, MechanismSizes};
use super::super::residuals::{ConstraintResiduals, are_rounding, are_within, largest};
use super::super::{Metric, Upkeep};
use crate::math::{Matrix, Saddle};
use std::ops::Range;

/// Rounds of corrections to rounding before they are given up.
const MOST_ROUNDS: usize = 10;
/// Rounds of corrections of velocities with factors that are not quite those of the point.
const MOST_OF_VELOCITIES: usize = 4;
/// Where more than this part of a correction is left to correct, the factors are too far off.
const SLOW: f64 = 0.1;
/// Changes of no more than this part are rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Makes the least change that takes a residual off positions or velocities.
pub(in crate::formulation) struct Corrector {
    /// The linear system without masses, if that is the metric.
    pub(in crate::formulation) unweighted: Option<Unweighted>,
    /// Whether positions are corrected: without constraints of positions, velocities are all there is.
    pub(in crate::formulation) moves_positions: bool,
    /// What is taken off next.
    pub(in crate::formulation) residuals: ConstraintResiduals,
    /// The change that was made last.
    pub(in crate::formulation) change: Vec<f64>,
    level: Vec<f64>,
}

/// The linear system of corrections in the metric of the coordinates.
pub(in crate::formulation) struct Unweighted {
    saddle: Saddle,
    identity: Matrix,
}

impl Corrector {
    pub(super) fn new(upkeep: &Upkeep, linear: &LinearSystem) -> Self {
        let MechanismSizes { velocities, rows, .. } = linear.sizes;
        let identity = Matrix::identity(velocities);
        let saddle = || Saddle::new(&identity, &linear.terms.jacobian);
        Self {
            unweighted: (upkeep.metric == Metric::Identity)
                .then(|| Unweighted { saddle: saddle(), identity: identity.clone() }),
            moves_positions: true,
            residuals: ConstraintResiduals::new(linear.sizes),
            change: vec![0.0; velocities],
            level: vec![0.0; rows],
        }
    }

    /// Evaluates the terms at a point and factors the linear system; false if it has no solution.
    pub(super) fn factor(&mut self, at: &mut FormAt<'_, '_>, y: &[f64]) -> bool {
        at.env.terms(y, &mut at.linear.terms);
        self.factor_terms(at)
    }

    /// The same with the terms as they are.
    pub(super) fn factor_terms(&mut self, at: &mut FormAt<'_, '_>) -> bool {
        let Some(Unweighted { saddle, identity }) = &mut self.unweighted else {
            return at.linear.factor_terms(at.env.counts);
        };
        at.env.counts.factorisations += 1;
        saddle.factor(identity, &at.linear.terms.jacobian).is_ok()
    }
}

/// Residuals.
impl Corrector {
    /// Measures the residuals.
    pub(in crate::formulation) fn measure(&mut self, at: &mut FormAt<'_, '_>, y: &[f64]) {
        self.residuals.measure(at.env, y);
    }

    /// Measures those of positions.
    pub(in crate::formulation) fn measure_positions(&mut self, at: &mut FormAt<'_, '_>, y: &[f64]) {
        at.env.position_residuals(y, &mut self.residuals.position, &mut self.residuals.velocity);
    }

    /// Measures those of velocities. True if the terms have got the gradients there.
    pub(in crate::formulation) fn measure_velocities(&mut self, at: &mut FormAt<'_, '_>, y: &[f64]) -> bool {
        let ConstraintResiduals { position, velocity } = &mut self.residuals;
        at.env.rates(y, position, velocity, &mut at.linear.terms)
    }

    /// The residuals of velocities have changed by these gradients times the last change.
    pub(in crate::formulation) fn take_off_velocities(&mut self, gradients: &Matrix) {
        for (row, velocity) in self.residuals.velocity.iter_mut().enumerate() {
            *velocity -= gradients.row_times(row, &self.change);
        }
    }

    /// The largest residual of a constraint.
    pub(super) fn drift(&self, of_positions: bool) -> f64 {
        let position = if of_positions { self.residuals.position.as_slice() } else { &[] };
        let residuals = position.iter().chain(&self.residuals.velocity);
        residuals.fold(0.0, |worst, x| if x.abs() <= worst { worst } else { x.abs() })
    }
}

/// Corrections. The linear system has been factored, and the residuals are known.
impl Corrector {
    /// Corrects positions. Returns whether there was something to correct.
    pub(in crate::formulation) fn correct_positions(
        &mut self,
        at: &mut FormAt<'_, '_>,
        y: &mut [f64],
    ) -> bool {
        let q = &mut y[..at.linear.sizes.positions];
        let factors = factors(&mut self.unweighted, &mut at.linear.saddle);
        if are_within(&self.residuals.position, &factors.lengths, f64::EPSILON * largest(q)) {
            return false;
        }
        self.level.fill(0.0);
        self.level[..self.residuals.position.len()].copy_from_slice(&self.residuals.position);
        factors.least_change(&mut self.level, &mut self.change);
        at.env.shift_positions(q, &self.change);
        true
    }

    /// Corrects velocities. Returns whether there was something to correct.
    pub(in crate::formulation) fn correct_velocities(
        &mut self,
        linear: &mut LinearSystem,
        y: &mut [f64],
    ) -> bool {
        let velocities = &mut y[linear.sizes.velocity_range()];
        let factors = factors(&mut self.unweighted, &mut linear.saddle);
        if are_within(&self.residuals.velocity, &factors.lengths, f64::EPSILON * largest(velocities)) {
            return false;
        }
        self.level.copy_from_slice(&self.residuals.velocity);
        factors.least_change(&mut self.level, &mut self.change);
        take_off(velocities, &self.change);
        true
    }

    /// Corrects positions, also by what is rounding.
    pub(in crate::formulation) fn shift_positions(&mut self, at: &mut FormAt<'_, '_>, y: &mut [f64]) {
        self.level.fill(0.0);
        self.level[..self.residuals.position.len()].copy_from_slice(&self.residuals.position);
        self.solve(at.linear);
        at.env.shift_positions(&mut y[..at.linear.sizes.positions], &self.change);
    }

    /// Corrects velocities, also by what is rounding. Returns how much they changed, relatively.
    pub(in crate::formulation) fn shift_velocities(&mut self, at: &mut FormAt<'_, '_>, y: &mut [f64]) -> f64 {
        self.level.copy_from_slice(&self.residuals.velocity);
        self.solve(at.linear);
        let velocities = &mut y[at.linear.sizes.velocity_range()];
        let size = relative_size(&self.change, velocities);
        take_off(velocities, &self.change);
        size
    }

    /// `F` times the level, into the change.
    fn solve(&mut self, linear: &mut LinearSystem) {
        self.change.fill(0.0);
        factors(&mut self.unweighted, &mut linear.saddle).solve(&mut self.change, &mut self.level);
    }

    /// Corrects positions, and then velocities, until nothing but rounding is left of the constraints.
    pub(in crate::formulation) fn close_state(&mut self, at: &mut FormAt<'_, '_>, y: &mut [f64]) {
        let sizes = at.linear.sizes;
        if self.moves_positions {
            self.close_positions(at, y);
            self.measure(at, y);
        }
        self.close(at, y, sizes.velocity_range(), |this, at, y| this.correct_velocities(at.linear, y));
    }

    /// Corrects positions until nothing but rounding is left of their constraints.
    pub(super) fn close_positions(&mut self, at: &mut FormAt<'_, '_>, y: &mut [f64]) {
        self.close(at, y, 0..at.linear.sizes.positions, Self::correct_positions);
    }

    /// Corrects a part of the state again and again while there is something to correct that shrinks. Where
    /// it hardly does, the linear system is factored anew; where it hardly does with that, it is rounding.
    fn close(
        &mut self,
        at: &mut FormAt<'_, '_>,
        y: &mut [f64],
        part: Range<usize>,
        correct: impl Fn(&mut Self, &mut FormAt<'_, '_>, &mut [f64]) -> bool,
    ) {
        let (mut last, mut is_new) = (f64::INFINITY, true);
        for _ in 0..MOST_ROUNDS {
            if !correct(self, at, y) {
                return;
            }
            let moved = relative_size(&self.change, &y[part.clone()]);
            let is_slow = moved > SLOW * last;
            if moved <= ROUNDING || is_slow && (is_new || !self.factor(at, y)) {
                return;
            }
            (last, is_new) = (moved, is_slow);
            self.measure(at, y);
        }
    }

    /// Corrects velocities until their constraints are met to rounding, with the factors there are. False if
    /// that takes other factors.
    pub(super) fn close_velocities(&mut self, at: &mut FormAt<'_, '_>, y: &mut [f64]) -> bool {
        let first = at.linear.sizes.positions;
        for _ in 0..MOST_OF_VELOCITIES {
            self.measure(at, y);
            let left_out = factors(&mut self.unweighted, &mut at.linear.saddle).redundant();
            let gradients = (&at.linear.terms.jacobian, left_out);
            let is_met = are_rounding(&self.residuals.velocity, gradients, |i| y[first + i].abs());
            if is_met || !self.correct_velocities(at.linear, y) {
                return true;
            }
        }
        false
    }

    /// The least change of velocities, in the metric of `M`, that has the effect of a given one on the
    /// constraints of positions.
    pub(super) fn least_equivalent(&mut self, linear: &mut LinearSystem, change: &[f64], out: &mut [f64]) {
        let (gradients, holonomic) = (&linear.terms.jacobian, linear.sizes.holonomic);
        for (k, level) in self.level.iter_mut().enumerate() {
            *level = if k < holonomic { gradients.row_times(k, change) } else { 0.0 };
        }
        linear.saddle.least_change(&mut self.level, out);
    }
}

/// The factors of corrections: those without masses, if that is the metric.
pub(in crate::formulation) fn factors<'s>(
    unweighted: &'s mut Option<Unweighted>,
    of_masses: &'s mut Saddle,
) -> &'s mut Saddle {
    unweighted.as_mut().map_or(of_masses, |unweighted| &mut unweighted.saddle)
}

/// How large a change is beside what it is taken off from. Changes of positions may be of fewer numbers than
/// these are.
fn relative_size(change: &[f64], part: &[f64]) -> f64 {
    if change.len() > part.len() || change.is_empty() {
        return 0.0;
    }
    let beside = |(i, change): (usize, &f64)| change.abs() / (1.0 + part[i].abs());
    change.iter().enumerate().map(beside).fold(0.0, f64::max)
}

/// `a ← a - b`.
pub(in crate::formulation) fn take_off(part: &mut [f64], change: &[f64]) {
    for (x, change) in part.iter_mut().zip(change) {
        *x -= change;
    }
}
