//! Stages of half-explicit methods on the index-2 form of a mechanism: `M v' = f - Gᵀ λ` with `0 = G v + ∂g/∂t`, or `0 = b(t, q, v)` (paper 001, section 3.2).
//!
//! Stage i finds the acceleration with which the constraints of speeds are met at the next stage, equations (31) and (32):
//!
//! `[M(Qᵢ) G(Qᵢ)ᵀ; G(Qᵢ₊₁) 0] [V'ᵢ; Λᵢ] = [f(Qᵢ, Vᵢ); -ġ(Qᵢ₊₁, w) / (h a)]`, with `w` the speeds at the next stage without this acceleration, and `a` its weight there.
//!
//! The matrix is not symmetric. Small ones are factored as they are (`math/dense_pair.rs`). Others, and those whose two gradients differ in rank, are solved with the
//! factors of the symmetric one that has `G⁺ = G(Qᵢ₊₁)` on both sides: with `D = G⁺ - G(Qᵢ)`, forces `f + Dᵀ Λ` in that one give the multipliers `Λ` again. That is a linear equation for `Λ`, the identity but for a part of the size of a step, and is solved by
//! conjugate residuals. Every solution in between meets the constraints ahead to rounding, and rows that follow from others do no harm, for neither do they
//! in the symmetric system.

use super::engine::Engine;
use super::env::Env;
use super::{Field, Flow, Index1, Stabilisation};
use crate::equations::Terms;
use crate::math::{Matrix, dot};

/// Directions that are kept, and rounds with them.
const MOST_DIRECTIONS: usize = 12;
const MOST_ROUNDS: usize = 4;
/// What is left of the multipliers, as a part of them, when they are found. It acts on accelerations through `D` alone.
const FOUND: f64 = 1e-13;
/// Rounds of Newton's method for constraints that are not linear in the speeds, and the rounding that their rates have.
const MOST_NEWTON: usize = 6;
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Corrections of speeds behind a correction of positions.
const MOST_CORRECTIONS: usize = 4;

/// A stage of a half-explicit method: where it is, and where the constraints of speeds are to be met.
#[derive(Clone, Copy, Debug)]
pub struct Stage<'a> {
    /// The time and the state of the stage.
    pub here: (f64, &'a [f64]),
    /// The time ahead, with the positions there and the speeds that are there without this stage.
    pub ahead: (f64, &'a [f64]),
    /// What the acceleration is multiplied with in the speeds ahead.
    pub reach: f64,
}

/// The scratch of a stage.
pub(super) struct HalfExplicit {
    /// `G(Qᵢ₊₁)` is among these terms; the entries of `G(Qᵢ)`.
    ahead: Terms,
    here: Matrix,
    /// Whether the system of the last stage was factored as it is.
    is_pair: bool,
    /// `D`.
    turn: Matrix,
    /// `Λ`, of this stage or the one before.
    multipliers: Vec<f64>,
    level: Vec<f64>,
    residual: Vec<f64>,
    directions: Vec<Direction>,
    /// The state ahead, with this stage.
    reached: Vec<f64>,
}

/// A change of the multipliers, with what it does to the equation for them and to the accelerations.
#[derive(Clone)]
struct Direction {
    change: Vec<f64>,
    image: Vec<f64>,
    motion: Vec<f64>,
}

impl HalfExplicit {
    fn new(terms: &Terms, dimension: usize) -> Self {
        let (n, m) = (terms.mass.rows(), terms.jacobian.rows());
        let direction = Direction { change: vec![0.0; m], image: vec![0.0; m], motion: vec![0.0; n] };
        Self {
            ahead: terms.clone(),
            here: terms.jacobian.clone(),
            is_pair: false,
            turn: terms.jacobian.clone(),
            multipliers: vec![0.0; m],
            level: vec![0.0; m],
            residual: vec![0.0; m],
            directions: vec![direction; MOST_DIRECTIONS.min(m)],
            reached: vec![0.0; dimension],
        }
    }

    /// Takes what earlier directions do off that of a new one and gives it length one; false if nothing is left of it.
    fn make_orthogonal(&mut self, k: usize) -> bool {
        let (before, rest) = self.directions.split_at_mut(k);
        let new = &mut rest[0];
        for old in before {
            let along = dot(&old.image, &new.image);
            add(&mut new.image, -along, &old.image);
            add(&mut new.change, -along, &old.change);
            add(&mut new.motion, -along, &old.motion);
        }
        let length = dot(&new.image, &new.image).sqrt();
        if length.is_nan() || length == 0.0 {
            return false;
        }
        for part in [&mut new.image, &mut new.change, &mut new.motion] {
            for x in part {
                *x /= length;
            }
        }
        true
    }
}

impl Index1 {
    /// Finds the accelerations and multipliers of a stage. The rates of the whole state go to `dy`; they are NaN if there is no solution.
    fn half_explicit_stage(&mut self, env: &mut Env<'_>, stage: Stage<'_>, dy: &mut [f64]) {
        let dimension = dy.len();
        let mut scratch = (self.half_explicit.take())
            .unwrap_or_else(|| Box::new(HalfExplicit::new(&self.terms, dimension)));
        if !self.meet_ahead(env, stage, &mut scratch) {
            self.motion.fill(f64::NAN);
            scratch.multipliers.fill(0.0);
        }
        self.multipliers.copy_from_slice(&scratch.multipliers);
        self.half_explicit = Some(scratch);
        let (y, end) = (stage.here.1, self.positions + self.n);
        // Of the rates, those of positions are known already.
        if end < dimension {
            self.publish(env);
            env.derivative(y, dy);
        }
        dy[self.positions..end].copy_from_slice(&self.motion);
    }

    /// Equations (31) and (32), for constraints that need not be linear in the speeds: those are met by Newton's method.
    fn meet_ahead(&mut self, env: &mut Env<'_>, stage: Stage<'_>, scratch: &mut HalfExplicit) -> bool {
        let (y, (t_ahead, ahead)) = (stage.here.1, stage.ahead);
        env.driving_terms(y, &mut self.terms);
        let (position, velocity) = (&mut self.position, &mut self.velocity);
        if !env.at(t_ahead).rates(ahead, position, velocity, &mut scratch.ahead) {
            env.at(t_ahead).gradients(ahead, &mut scratch.ahead);
        }
        std::mem::swap(&mut self.terms.jacobian.values, &mut scratch.here.values);
        self.terms.jacobian.values.copy_from_slice(&scratch.ahead.jacobian.values);
        for (level, rate) in scratch.level.iter_mut().zip(&self.velocity) {
            *level = -rate / stage.reach;
        }
        if !self.solve_pair(env, scratch) {
            return false;
        }
        self.velocity.len() == self.holonomic || self.meet_exactly(env, stage, scratch)
    }

    /// Newton's method for what is left of the constraints ahead. Those that follow from others do so only where positions are met: what is left of them here means nothing.
    fn meet_exactly(&mut self, env: &mut Env<'_>, stage: Stage<'_>, scratch: &mut HalfExplicit) -> bool {
        let (t_ahead, ahead) = stage.ahead;
        let speeds = self.positions..self.positions + self.n;
        for _ in 0..MOST_NEWTON {
            scratch.reached.copy_from_slice(ahead);
            add(&mut scratch.reached[speeds.clone()], stage.reach, &self.motion);
            env.at(t_ahead).residuals(&scratch.reached, &mut self.position, &mut self.velocity);
            let size = |i: usize| ahead[speeds.start + i].abs() + scratch.reached[speeds.start + i].abs();
            let pair = scratch.is_pair.then(|| self.kkt.redundant_of_pair());
            let left_out = pair.unwrap_or_else(|| self.kkt.redundant());
            if is_rounding(&self.velocity, (&scratch.ahead.jacobian, left_out), size) {
                return true;
            }
            env.at(t_ahead).gradients(&scratch.reached, &mut scratch.ahead);
            self.terms.jacobian.values.copy_from_slice(&scratch.ahead.jacobian.values);
            for (k, level) in scratch.level.iter_mut().enumerate() {
                *level = self.terms.jacobian.row_times(k, &self.motion) - self.velocity[k] / stage.reach;
            }
            if !self.solve_pair(env, scratch) {
                return false;
            }
        }
        false
    }

    /// Solves (31) for the motion and `Λ`; the terms have the gradients ahead, the scratch those of the stage. False if it has no solution.
    fn solve_pair(&mut self, env: &mut Env<'_>, scratch: &mut HalfExplicit) -> bool {
        scratch.is_pair = self.kkt.factor_pair(&self.terms.mass, &self.terms.jacobian, &scratch.here);
        if scratch.is_pair {
            env.counts.factorisations += 1;
            self.look_at_pair();
            self.motion.copy_from_slice(&self.terms.force);
            scratch.multipliers.copy_from_slice(&scratch.level);
            self.kkt.solve_pair(&mut self.motion, &mut scratch.multipliers);
            return true;
        }
        self.iterate(env, scratch)
    }

    /// Solves (31) with the factors of a symmetric matrix.
    fn iterate(&mut self, env: &mut Env<'_>, scratch: &mut HalfExplicit) -> bool {
        let gradients = self.terms.jacobian.values.iter().zip(&scratch.here.values);
        for (turn, (ahead, here)) in scratch.turn.values.iter_mut().zip(gradients) {
            *turn = ahead - here;
        }
        if !self.factor_terms(env) {
            return false;
        }
        (0..MOST_ROUNDS).any(|_| self.begin_round(scratch) || self.refine(scratch))
    }

    /// The motion for the multipliers so far, and what is missing of them; true if nothing is.
    fn begin_round(&mut self, scratch: &mut HalfExplicit) -> bool {
        self.motion.copy_from_slice(&self.terms.force);
        scratch.turn.add_transposed(1.0, &scratch.multipliers, &mut self.motion);
        self.multipliers.copy_from_slice(&scratch.level);
        self.kkt.solve(&mut self.motion, &mut self.multipliers);
        let both = self.multipliers.iter().zip(&scratch.multipliers);
        scratch.residual.iter_mut().zip(both).for_each(|(residual, (new, old))| *residual = new - old);
        self.is_found(scratch)
    }

    fn is_found(&self, scratch: &HalfExplicit) -> bool {
        let size =
            dot(&self.multipliers, &self.multipliers).max(dot(&scratch.multipliers, &scratch.multipliers));
        dot(&scratch.residual, &scratch.residual) <= FOUND * FOUND * size
    }

    /// Conjugate residuals: the best that changes along the residuals so far can do. True if nothing is missing any more.
    fn refine(&mut self, scratch: &mut HalfExplicit) -> bool {
        for k in 0..scratch.directions.len() {
            self.find_direction(scratch, k);
            if !scratch.make_orthogonal(k) {
                return false;
            }
            let direction = &scratch.directions[k];
            let part = dot(&direction.image, &scratch.residual);
            add(&mut scratch.multipliers, part, &direction.change);
            add(&mut scratch.residual, -part, &direction.image);
            add(&mut self.motion, part, &direction.motion);
            if self.is_found(scratch) {
                return true;
            }
        }
        false
    }

    /// The residual as a change of the multipliers, and what it does: forces `Dᵀ` times it in the symmetric system.
    fn find_direction(&mut self, scratch: &mut HalfExplicit, k: usize) {
        let direction = &mut scratch.directions[k];
        direction.change.copy_from_slice(&scratch.residual);
        direction.motion.fill(0.0);
        scratch.turn.add_transposed(1.0, &direction.change, &mut direction.motion);
        direction.image.fill(0.0);
        self.kkt.solve(&mut direction.motion, &mut direction.image);
        for (image, change) in direction.image.iter_mut().zip(&direction.change) {
            *image = change - *image;
        }
    }

    /// Corrects the speeds of a state until their constraints are met to rounding, with the factors there are. Those of S-full are of positions and speeds together. False if that takes other factors.
    pub(super) fn close_speeds(&mut self, env: &mut Env<'_>, y: &mut [f64]) -> bool {
        if self.upkeep.stabilisation == Stabilisation::Full && !self.factor_terms(env) {
            return true;
        }
        for _ in 0..MOST_CORRECTIONS {
            env.residuals(y, &mut self.position, &mut self.velocity);
            let size = |i: usize| y[self.positions + i].abs();
            let left_out = self.landing_factors().redundant();
            if is_rounding(&self.velocity, (&self.terms.jacobian, left_out), size) || !self.correct_speeds(y)
            {
                return true;
            }
        }
        false
    }

    fn land_within(&mut self, env: &mut Env<'_>, y: &mut [f64], keeps_speeds: bool) {
        let before = env.counts.corrected;
        self.land(env, y);
        let is_factored = env.counts.corrected > before;
        if keeps_speeds && (is_factored || self.factor_corrections(env, y)) {
            self.close_speeds(env, y);
        }
        self.forget_landing(env, before);
    }

    /// The least change of the speeds that meets their constraints, with the factors of the last stage, is added to `error`.
    fn add_distance_of_speeds(&mut self, env: &mut Env<'_>, y: &[f64], error: &mut [f64]) {
        env.residuals(y, &mut self.position, &mut self.velocity);
        if self.half_explicit.as_ref().is_some_and(|scratch| scratch.is_pair) {
            self.motion.fill(0.0);
            self.multipliers.copy_from_slice(&self.velocity);
            self.kkt.solve_pair(&mut self.motion, &mut self.multipliers);
        } else {
            self.kkt.least_change(&self.velocity, &mut self.motion);
        }
        add(&mut error[self.positions..self.positions + self.n], 1.0, &self.motion);
    }
}

/// What a half-explicit method sees of the flow.
impl Flow<'_> {
    /// Begins a stage of a half-explicit method: the rates of positions at a point. True if they are all known with that, because accelerations do not follow
    /// from constraints ahead: there is no mechanism, or the motion slides on a surface or stays on one side of it, where the field is more than the
    /// terms of one mode.
    pub fn begin_stage(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> bool {
        let special = self.sliding.is_some() || self.one_sided.is_on();
        match &mut self.evaluator {
            Engine::Mechanism(mechanism) if !special => {
                mechanism.inner.derivative(self.mode.locked(), t, y, dy);
                false
            }
            _ => {
                self.derivative(t, y, dy);
                true
            }
        }
    }

    /// Ends a stage: the accelerations with which the constraints of speeds are met ahead, and with them all rates.
    pub fn end_stage(&mut self, stage: Stage<'_>, dy: &mut [f64]) {
        self.derivative_count += 1;
        self.on_form(stage.here.0, |form, env| form.half_explicit_stage(env, stage, dy));
    }

    /// Moves the end of a half-explicit step to where the constraints of positions are met, and keeps its speeds on theirs (paper 001, equation (35)). If the
    /// derivative there has just been evaluated, its factors are used.
    pub fn land_half_explicit(&mut self, t: f64, y: &mut [f64], has_derivative: bool) {
        let before = self.corrected();
        if has_derivative {
            self.land_from_derivative(t, y);
        } else {
            self.land(t, y);
        }
        let was_corrected = self.corrected() > before;
        self.on_form(t, |form, env| {
            let is_open = was_corrected && !form.close_speeds(env, y);
            if is_open && !has_derivative && form.factor_corrections(env, y) {
                form.close_speeds(env, y);
            }
        });
    }

    /// Moves a state within a step to where the constraints are met, as the end of a step is: positions and speeds as the corrections do, and speeds to rounding with methods that
    /// keep them there. Nothing of it counts as a corrected step.
    pub fn land_within(&mut self, t: f64, y: &mut [f64], keeps_speeds: bool) {
        self.on_form(t, |form, env| form.land_within(env, y, keeps_speeds));
    }

    /// Corrects the speeds of a state until their constraints are met to rounding.
    pub fn close_speeds(&mut self, t: f64, y: &mut [f64]) {
        self.on_form(t, |form, env| form.factor_corrections(env, y) && form.close_speeds(env, y));
    }

    /// The same where the derivative has just been evaluated, with its factors.
    pub fn close_speeds_from_derivative(&mut self, t: f64, y: &mut [f64]) {
        if self.has_terms() {
            self.on_form(t, |form, env| form.close_speeds(env, y));
        }
    }

    /// Adds to an error what takes the speeds of a state to where their constraints are met, with the factors of the last stage.
    pub fn add_distance_of_speeds(&mut self, t: f64, y: &[f64], error: &mut [f64]) {
        self.on_form(t, |form, env| form.add_distance_of_speeds(env, y, error));
    }
}

/// `a ← a + factor b`.
fn add(a: &mut [f64], factor: f64, b: &[f64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a += factor * b;
    }
}

/// Whether rates of constraints are no more than rounding makes of them. Those that are left out follow from the others only where positions are on the constraints.
fn is_rounding(
    rates: &[f64],
    (gradients, left_out): (&Matrix, &[usize]),
    size: impl Fn(usize) -> f64,
) -> bool {
    let largest = (0..gradients.columns()).map(size).fold(0.0, f64::max);
    let length = |row: usize| gradients.row(row).map(|(_, g)| g * g).sum::<f64>().sqrt();
    let is_met = |row: usize| rates[row].abs() <= ROUNDING * length(row) * largest;
    (0..rates.len()).all(|row| is_met(row) || left_out.contains(&row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equations::Mechanism;
    use crate::formulation::Multibody;
    use crate::mode::Mode;

    /// Both ways to solve (31), on a double pendulum whose upper rod is there twice.
    #[test]
    fn conjugate_residuals_find_what_the_factors_of_both_gradients_give() {
        let system = Mechanism::new(["x1", "y1", "x2", "y2"])
            .forces(|_, _, f| (f[1], f[3]) = (-9.81, -9.81))
            .joints(["upper", "again", "lower"], |_, q, g| {
                g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
                g[1] = g[0] * 3.0;
                g[2] = (q[2] - q[0]) * (q[2] - q[0]) + (q[3] - q[1]) * (q[3] - q[1]) - 1.0;
            })
            .system();
        let (mut multibody, mode) = (Multibody::new(&system, Stabilisation::Twice), Mode::new(0, 0, 0));
        let (mechanism, mut env) = multibody.at(mode.locked(), 0.0);
        let here = [1.0, 0.0, 1.0, -1.0, 0.0, 1.0, 0.5, 1.0];
        let ahead = [0.98, 0.19, 1.1, -0.8, -0.1, 0.9, 0.5, 0.8];
        let (stage, mut dy) = (Stage { here: (0.0, &here), ahead: (0.2, &ahead), reach: 0.2 }, [0.0; 8]);
        mechanism.half_explicit_stage(&mut env, stage, &mut dy);
        let mut scratch = mechanism.half_explicit.take().unwrap();
        assert!(scratch.is_pair);
        let (motion, multipliers) = (mechanism.motion.clone(), scratch.multipliers.clone());
        scratch.multipliers.fill(0.0);
        assert!(mechanism.iterate(&mut env, &mut scratch));
        let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart(&motion, &mechanism.motion) < 1e-12, "{motion:?} {:?}", mechanism.motion);
        let forces = |multipliers: &[f64]| {
            let mut forces = vec![0.0; 4];
            scratch.here.add_transposed(1.0, multipliers, &mut forces);
            forces
        };
        assert!(apart(&forces(&multipliers), &forces(&scratch.multipliers)) < 1e-12);
        for row in 0..3 {
            let met = mechanism.terms.jacobian.row_times(row, &motion);
            assert!((met - scratch.level[row]).abs() < 1e-12 * met.abs().max(1.0), "{row} {met}");
        }
    }
}
