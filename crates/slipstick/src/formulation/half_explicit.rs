//! Stages of half-explicit methods on the index-2 form of a mechanism: `M v' = f - Gᵀ λ` with
//! `0 = G v + ∂g/∂t`, or `0 = b(t, q, v)` (paper 001, section 3.2).
//!
//! Stage i finds the acceleration with which the constraints of velocities are met at the next stage,
//! equations (31) and (32):
//!
//! `[M(Qᵢ) A(Qᵢ)ᵀ; G(Qᵢ₊₁) 0] [V'ᵢ; Λᵢ] = [f(Qᵢ, Vᵢ); -ġ(Qᵢ₊₁, w) / (h a)]`, with `w` the velocities at the
//! next stage without this acceleration, and `a` its weight there. `A` is `G`, less what multipliers add to
//! the forces, as friction does.
//!
//! The matrix is not symmetric. Where its two gradients differ in rank, as next to a singular configuration,
//! the row of which least is left is left out of both.

use super::env::Env;
use super::index1::Index1;
use super::linear_system::LinearSystem;
use super::residuals::{ConstraintResiduals, are_rounding};
use super::views::InMode;
use super::{Field, Flow};
use crate::equations::Terms;
use crate::math::{Feedback, Matrix, Saddle};

/// Rounds of Newton's method for constraints that are not linear in the velocities.
const MOST_NEWTON: usize = 6;
/// How many times the rounding of velocities may be left after the last round: solutions of the linear system
/// are rounded, too, and in a mechanism that is blocked all velocities are such rounding.
const AFTER_ALL_ROUNDS: f64 = 16.0;

/// A stage of a half-explicit method: where it is, and where the constraints of velocities are to be met.
#[derive(Clone, Copy, Debug)]
pub struct Stage<'a> {
    /// The time and the state of the stage.
    pub here: (f64, &'a [f64]),
    /// The time ahead, with the positions there and the velocities that are there without this stage.
    pub ahead: (f64, &'a [f64]),
    /// What the acceleration is multiplied with in the velocities ahead.
    pub reach: f64,
}

/// Finds the accelerations of stages.
pub(super) struct HalfExplicitStages {
    /// The linear system of the last stage.
    pair: Saddle,
    /// `G(Qᵢ₊₁)` is among these terms; the entries of `G(Qᵢ)`.
    ahead: Terms,
    here: Matrix,
    /// Multipliers that forces depend on, if some do.
    feedback: Option<Feedback>,
    multipliers: Vec<f64>,
    /// What the constraints ask of the accelerations.
    gamma: Vec<f64>,
    /// The state ahead, with this stage.
    reached: Vec<f64>,
    residuals: ConstraintResiduals,
    change: Vec<f64>,
}

impl HalfExplicitStages {
    /// For states of this length.
    pub(super) fn new(linear: &LinearSystem, dimension: usize) -> Self {
        let terms = &linear.terms;
        let m = terms.jacobian.rows();
        Self {
            pair: Saddle::new(&terms.mass, &terms.jacobian),
            ahead: terms.clone(),
            here: terms.jacobian.clone(),
            feedback: Feedback::of_multipliers(&terms.feedback),
            multipliers: vec![0.0; m],
            gamma: vec![0.0; m],
            reached: vec![0.0; dimension],
            residuals: ConstraintResiduals::new(linear.sizes),
            change: vec![0.0; linear.sizes.velocities],
        }
    }

    /// Finds the accelerations and multipliers of a stage. The rates of the whole state go to `dy`, of which
    /// those of positions are known; they are NaN if there is no solution.
    pub(super) fn make(&mut self, form: &mut Index1, env: &mut Env<'_>, stage: Stage<'_>, dy: &mut [f64]) {
        if !self.meet_ahead(form, env, stage) {
            form.motion.fill(f64::NAN);
            self.multipliers.fill(0.0);
        }
        form.multipliers.copy_from_slice(&self.multipliers);
        let velocities = form.linear.sizes.velocity_range();
        if velocities.end < dy.len() {
            form.publish(env);
            env.eval.derivative(env.locked, env.t, stage.here.1, dy);
        }
        dy[velocities].copy_from_slice(&form.motion);
    }

    /// Equations (31) and (32), for constraints that need not be linear in the velocities: those are met by
    /// Newton's method.
    fn meet_ahead(&mut self, form: &mut Index1, env: &mut Env<'_>, stage: Stage<'_>) -> bool {
        let (y, (t_ahead, ahead)) = (stage.here.1, stage.ahead);
        let terms = &mut form.linear.terms;
        env.driving_terms(y, terms);
        let ConstraintResiduals { position, velocity } = &mut self.residuals;
        if !env.at(t_ahead).rates(ahead, position, velocity, &mut self.ahead) {
            env.at(t_ahead).gradients(ahead, &mut self.ahead);
        }
        std::mem::swap(&mut terms.jacobian.values, &mut self.here.values);
        terms.jacobian.values.copy_from_slice(&self.ahead.jacobian.values);
        for (gamma, rate) in self.gamma.iter_mut().zip(velocity) {
            *gamma = -*rate / stage.reach;
        }
        let sizes = form.linear.sizes;
        self.solve_pair(form, env) && (sizes.rows == sizes.holonomic || self.meet_exactly(form, env, stage))
    }

    /// Newton's method for what is left of the constraints ahead. Redundant constraints are so only where
    /// positions are met: what is left of them here means nothing.
    fn meet_exactly(&mut self, form: &mut Index1, env: &mut Env<'_>, stage: Stage<'_>) -> bool {
        let (t_ahead, ahead) = stage.ahead;
        let velocities = form.linear.sizes.velocity_range();
        for round in 0..=MOST_NEWTON {
            let is_last = round == MOST_NEWTON;
            self.reached.copy_from_slice(ahead);
            add(&mut self.reached[velocities.clone()], stage.reach, &form.motion);
            self.residuals.measure(&mut env.at(t_ahead), &self.reached);
            let times = if is_last { AFTER_ALL_ROUNDS } else { 1.0 };
            let size = |i: usize| {
                let i = velocities.start + i;
                times * (ahead[i].abs() + self.reached[i].abs())
            };
            let gradients = (&self.ahead.jacobian, self.pair.redundant());
            let is_met = are_rounding(&self.residuals.velocity, gradients, size);
            if is_met || is_last {
                return is_met;
            }
            env.at(t_ahead).gradients(&self.reached, &mut self.ahead);
            let jacobian = &mut form.linear.terms.jacobian;
            jacobian.values.copy_from_slice(&self.ahead.jacobian.values);
            for (k, gamma) in self.gamma.iter_mut().enumerate() {
                *gamma = jacobian.row_times(k, &form.motion) - self.residuals.velocity[k] / stage.reach;
            }
            if !self.solve_pair(form, env) {
                return false;
            }
        }
        false
    }

    /// Solves (31) for the motion and `Λ`; the terms have the gradients ahead. False if it has no solution.
    fn solve_pair(&mut self, form: &mut Index1, env: &mut Env<'_>) -> bool {
        env.counts.factorisations += 1;
        let terms = &form.linear.terms;
        let is_factored = self.pair.factor_pair(&terms.mass, &terms.jacobian, &self.here).is_ok();
        form.linear.note_pair(&self.pair);
        form.motion.copy_from_slice(&form.linear.terms.force);
        self.multipliers.copy_from_slice(&self.gamma);
        if is_factored {
            self.pair.solve(&mut form.motion, &mut self.multipliers);
        }
        is_factored && self.push_back(form)
    }

    /// Adds what multipliers push; false if there is no such motion.
    fn push_back(&mut self, form: &mut Index1) -> bool {
        let (n, pair) = (form.motion.len(), &mut self.pair);
        let Some(feedback) = &mut self.feedback else { return true };
        let factored = feedback.factor(&form.linear.terms.feedback, |all| {
            let (force, level) = all.split_at_mut(n);
            pair.solve(force, level);
        });
        feedback.push_back([&mut form.motion, &mut self.multipliers]);
        factored.is_ok()
    }

    /// Adds the least change of the velocities that meets their constraints, with the factors of the last
    /// stage.
    pub(super) fn add_distance(&mut self, env: &mut Env<'_>, y: &[f64], error: &mut [f64]) {
        self.residuals.measure(env, y);
        self.change.fill(0.0);
        self.multipliers.copy_from_slice(&self.residuals.velocity);
        self.pair.solve(&mut self.change, &mut self.multipliers);
        add(error, 1.0, &self.change);
    }
}

/// Stages of half-explicit methods on a flow.
pub struct HalfExplicitView<'f, 'a> {
    pub(super) flow: &'f mut Flow<'a>,
}

impl HalfExplicitView<'_, '_> {
    /// Begins a stage: the rates of positions at a point. True if all rates are known with that, because
    /// accelerations do not follow from constraints ahead: there is no mechanism, or the motion slides on a
    /// surface or stays on one side of it, where the field is more than the terms of one mode.
    pub fn begin_stage(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> bool {
        let is_mixed = self.flow.is_mixed();
        let InMode { mechanism, locked } = self.flow.in_mode();
        match mechanism {
            Some(mechanism) if !is_mixed => {
                mechanism.inner.derivative(locked, t, y, dy);
                false
            }
            _ => {
                self.flow.derivative(t, y, dy);
                true
            }
        }
    }

    /// Ends a stage: the accelerations with which the constraints of velocities are met ahead, and with them
    /// all rates.
    pub fn end_stage(&mut self, stage: Stage<'_>, dy: &mut [f64]) {
        self.flow.counts.derivatives += 1;
        let (t, y) = stage.here;
        self.flow.in_mode().on_form(t, y, |form, env, _| form.make_stage(env, stage, dy));
    }

    /// Adds to an error what takes the velocities of a state to where their constraints are met, with the
    /// factors of the last stage.
    pub fn add_distance_of_velocities(&mut self, t: f64, y: &[f64], error: &mut [f64]) {
        self.flow.in_mode().on_form(t, y, |form, env, y| form.add_distance(env, y, error));
    }
}

/// `a ← a + factor b`.
fn add(a: &mut [f64], factor: f64, b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += factor * b;
    }
}

#[cfg(test)]
mod tests {
    use super::super::Stabilisation;
    use super::super::testing::{braked_block, lend, pendulum};
    use super::*;
    use crate::equations::{ActiveRows, System};

    #[test]
    fn a_stage_meets_the_velocities_ahead() {
        let system: &dyn System = &pendulum();
        let rows = ActiveRows::of(system.constraints(), |_| true);
        lend(system, |linear, env| {
            let mut form = Index1::new(system, &rows, &Stabilisation::None.into());
            let mut stages = HalfExplicitStages::new(&linear, 4);
            let (here, reach) = ([1.0, 0.0, 0.0, -2.0], 0.01);
            let ahead = [1.0, -0.02, 0.0, -2.0];
            let (mut dy, stage) = ([0.0; 4], Stage { here: (0.0, &here), ahead: (0.01, &ahead), reach });
            stages.make(&mut form, env, stage, &mut dy);
            let v = [reach * dy[2], -2.0 + reach * dy[3]];
            assert!((ahead[0] * v[0] + ahead[1] * v[1]).abs() < 1e-15, "{v:?}");
            let mut error = [0.0; 2];
            stages.add_distance(env, &[1.0, -0.02, v[0], v[1]], &mut error);
            assert!(error[0].abs() + error[1].abs() < 1e-15);
        });
    }

    /// Forces act with what multipliers add to them here, and velocities are met ahead.
    #[test]
    fn a_stage_has_the_friction_of_where_it_is() {
        let system: &dyn System = &braked_block();
        let rows = ActiveRows::of(system.constraints(), |_| true);
        lend(system, |linear, env| {
            let mut form = Index1::new(system, &rows, &Stabilisation::None.into());
            let mut stages = HalfExplicitStages::new(&linear, 4);
            let (here, ahead, reach) = ([0.5, 0.1, 2.0, 0.8], [0.52, 0.10816, 2.0, 0.8], 0.01);
            let (mut dy, stage) = ([0.0; 4], Stage { here: (0.0, &here), ahead: (0.01, &ahead), reach });
            stages.make(&mut form, env, stage, &mut dy);
            let ([a, b], lambda) = ([dy[2], dy[3]], stages.multipliers[0]);
            assert!((0.8 + reach * b - 0.8 * 0.52 * (2.0 + reach * a)).abs() < 1e-15);
            // M a = f - (G - F)ᵀ λ with G = (-0.4, 1), F = (0.35, 0.08).
            assert!((2.0 * a - 0.75 * lambda).abs() < 1e-12, "{a} {lambda}");
            assert!((2.0 * b + 20.0 + 0.92 * lambda).abs() < 1e-12, "{b} {lambda}");
        });
    }
}
