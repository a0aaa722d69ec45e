//! Two corrections of positions and speeds with one factorisation (`PStab`, paper 003, equation (3.68)), or as many as it takes (coordinate projection, (3.79)), with as few
//! evaluations as will do.
//!
//! Positions are corrected first, so that speeds are corrected for where the positions are then. Where the gradients come at little cost with the rates, the rates
//! after a first correction `β` of speeds are not evaluated but taken as `ġ - G β`. What is rounding already is not corrected again.
//!
//! Most corrections are so small that nothing has to be evaluated a second time. With `α` that of positions and `T = D²g(α, ·)` the change of the gradients by it,
//! `g(q - α) = T α / 2`, because `G α = g`; if that is rounding, `G(q - α) v = ġ - T v`; and of rates `T β` is left. What follows is smaller by how far the gradients turn, the relative size of `T`,
//! once more: this is done where that is rounding.

use super::env::Env;
use super::landing::{largest, relative_size, take_off};
use super::{Index1, Stabilisation};
use crate::math::Saddle;
use std::ops::Range;

/// Rounds of projection before it is given up.
pub(super) const MOST_ROUNDS: usize = 10;

/// A part whose square is rounding.
const NEAR: f64 = 1.0 / 67_108_864.0;

impl Index1 {
    /// Corrects positions and speeds twice; the linear system has been factored, and the residuals are known.
    pub(super) fn correct_twice(&mut self, env: &mut Env<'_>, y: &mut [f64]) {
        let is_near = if self.corrects_positions() && self.correct_positions(env, y) {
            let is_near = self.foresee_positions(env, y);
            if !is_near {
                env.position_residuals(y, &mut self.position, &mut self.velocity);
            }
            !self.correct_positions(env, y) && is_near
        } else {
            self.motion.fill(0.0);
            env.turn(&self.motion, &mut self.landing.turned.values)
        };
        if is_near && self.foresee_rates(y) {
            self.correct_speeds_nearby(y);
        } else {
            self.correct_speeds_twice(env, y);
        }
    }

    /// What a small first correction leaves of the constraints of positions; false if what follows is more than rounding.
    fn foresee_positions(&mut self, env: &mut Env<'_>, y: &[f64]) -> bool {
        let (moved, size) = (largest(&self.motion), largest(&y[..self.positions]));
        // Where gradients turn by nothing for once, the correction itself tells.
        if moved > NEAR * (1.0 + size) {
            return false;
        }
        // As far as positions have moved indeed: large ones are rounded to more than what is left of the rates.
        for (motion, (before, now)) in self.motion.iter_mut().zip(self.landing.adjustment.iter().zip(y)) {
            *motion = before - now;
        }
        if !env.turn(&self.motion, &mut self.landing.turned.values) {
            return false;
        }
        self.landing.turned.times(&self.motion, &mut self.position);
        let is_near = is_within(&self.position, self.lengths_of_rows(), NEAR * moved);
        self.position.iter_mut().for_each(|position| *position *= 0.5);
        is_near
    }

    /// The rates after a small correction of positions; false if what follows is more than rounding.
    fn foresee_rates(&mut self, y: &[f64]) -> bool {
        let speeds = &y[self.positions..self.positions + self.n];
        self.landing.turned.times(speeds, &mut self.multipliers);
        let is_near = is_within(&self.multipliers, self.lengths_of_rows(), NEAR * largest(speeds));
        if is_near {
            take_off(&mut self.velocity, &self.multipliers);
        }
        is_near
    }

    /// Corrects speeds twice after a small correction of positions.
    fn correct_speeds_nearby(&mut self, y: &mut [f64]) {
        let speeds = self.positions..self.positions + self.n;
        if self.correct_speeds(y) && largest(&self.motion) > NEAR * largest(&y[speeds]) {
            self.landing.turned.times(&self.motion, &mut self.velocity);
            self.correct_speeds(y);
        }
    }

    /// Corrects speeds twice where the positions are now.
    fn correct_speeds_twice(&mut self, env: &mut Env<'_>, y: &mut [f64]) {
        let (position, velocity) = (&mut self.position, &mut self.velocity);
        let has_gradients = env.rates(y, position, velocity, &mut self.terms);
        if self.correct_speeds(y) {
            if has_gradients {
                for (row, velocity) in self.velocity.iter_mut().enumerate() {
                    *velocity -= self.terms.jacobian.row_times(row, &self.motion);
                }
            } else {
                env.residuals(y, &mut self.position, &mut self.velocity);
            }
            self.correct_speeds(y);
        }
    }

    /// Corrects positions, and then speeds, until nothing but rounding is left of the constraints; the linear system has been factored, and the residuals
    /// are known.
    pub(super) fn project(&mut self, env: &mut Env<'_>, y: &mut [f64]) {
        if self.corrects_positions() {
            self.close(env, y, 0..self.positions, Self::correct_positions);
            env.residuals(y, &mut self.position, &mut self.velocity);
        }
        self.close(env, y, self.positions..self.positions + self.n, |this, _, y| this.correct_speeds(y));
    }

    /// Corrects positions alone until nothing but rounding is left of their constraints.
    pub(super) fn close_positions(&mut self, env: &mut Env<'_>, y: &mut [f64]) {
        if self.holonomic > 0 && self.factor_corrections(env, y) {
            env.residuals(y, &mut self.position, &mut self.velocity);
            self.close(env, y, 0..self.positions, Self::correct_positions);
        }
    }

    /// Corrects a part of the state again and again while there is something to correct that shrinks. Where it hardly does, the linear system is factored anew;
    /// where it hardly does with that, it is rounding.
    fn close(
        &mut self,
        env: &mut Env<'_>,
        y: &mut [f64],
        part: Range<usize>,
        correct: impl Fn(&mut Self, &mut Env<'_>, &mut [f64]) -> bool,
    ) {
        let (mut last, mut is_new) = (f64::INFINITY, true);
        for _ in 0..MOST_ROUNDS {
            if !correct(self, env, y) {
                return;
            }
            let moved = relative_size(&self.motion, &y[part.clone()]);
            let is_slow = moved > 0.1 * last;
            if moved <= 4.0 * f64::EPSILON || is_slow && (is_new || !self.factor_corrections(env, y)) {
                return;
            }
            (last, is_new) = (moved, is_slow);
            env.residuals(y, &mut self.position, &mut self.velocity);
        }
    }

    /// Gives whether there was something to correct.
    fn correct_positions(&mut self, env: &mut Env<'_>, y: &mut [f64]) -> bool {
        let open = !is_rounding(&self.position, self.lengths_of_rows(), &y[..self.positions]);
        if open {
            self.multipliers.fill(0.0);
            self.multipliers[..self.holonomic].copy_from_slice(&self.position);
            self.find_least_change();
            env.shift_positions(&mut y[..self.positions], &self.motion);
        }
        open
    }

    /// Gives whether there was something to correct.
    pub(super) fn correct_speeds(&mut self, y: &mut [f64]) -> bool {
        let speeds = &mut y[self.positions..self.positions + self.n];
        let open = !is_rounding(&self.velocity, self.lengths_of_rows(), speeds);
        if open {
            self.multipliers.copy_from_slice(&self.velocity);
            self.find_least_change();
            take_off(speeds, &self.motion);
        }
        open
    }

    /// The length of each row of constraints in the linear system of corrections.
    fn lengths_of_rows(&self) -> &[f64] {
        self.landing_factors().lengths()
    }

    /// The linear system of corrections.
    pub(super) fn landing_factors(&self) -> &Saddle {
        let own = self.landing.own.as_ref().filter(|_| self.upkeep.stabilisation != Stabilisation::Full);
        own.unwrap_or(&self.saddle)
    }

    fn find_least_change(&mut self) {
        let own = self.landing.own.as_mut().filter(|_| self.upkeep.stabilisation != Stabilisation::Full);
        own.unwrap_or(&mut self.saddle).least_change(&mut self.multipliers, &mut self.motion);
    }
}

/// Whether residuals of rows of the given lengths are no more than rounding makes.
fn is_rounding(residuals: &[f64], lengths: &[f64], values: &[f64]) -> bool {
    is_within(residuals, lengths, f64::EPSILON * largest(values))
}

/// Whether all residuals are within a part of the lengths of their rows.
pub(super) fn is_within(residuals: &[f64], lengths: &[f64], part: f64) -> bool {
    residuals.iter().zip(lengths).all(|(x, length)| x.abs() <= part * length)
}
