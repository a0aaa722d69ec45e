//! Stages of half-explicit methods on the index-2 form of a mechanism: `M v' = f - Gᵀ λ` with `0 = G v + ∂g/∂t`, or `0 = b(t, q, v)` (paper 001, section 3.2).
//!
//! Stage i finds the acceleration with which the constraints of speeds are met at the next stage, equations (31) and (32):
//!
//! `[M(Qᵢ) G(Qᵢ)ᵀ; G(Qᵢ₊₁) 0] [V'ᵢ; Λᵢ] = [f(Qᵢ, Vᵢ); -ġ(Qᵢ₊₁, w) / (h a)]`, with `w` the speeds at the next stage without this acceleration, and `a` its weight there.
//!
//! The matrix is not symmetric. Where its two gradients differ in rank, as next to a singular configuration, the row of which least is left is left out of both.

use super::engine::Engine;
use super::env::Env;
use super::{Field, Flow, Index1, Stabilisation};
use crate::equations::Terms;
use crate::math::{Matrix, Saddle};

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
    /// The linear system of the last stage.
    pair: Saddle,
    /// `G(Qᵢ₊₁)` is among these terms; the entries of `G(Qᵢ)`.
    ahead: Terms,
    here: Matrix,
    multipliers: Vec<f64>,
    level: Vec<f64>,
    /// The state ahead, with this stage.
    reached: Vec<f64>,
}

impl HalfExplicit {
    fn new(terms: &Terms, dimension: usize) -> Self {
        let m = terms.jacobian.rows();
        Self {
            pair: Saddle::new(&terms.mass, &terms.jacobian),
            ahead: terms.clone(),
            here: terms.jacobian.clone(),
            multipliers: vec![0.0; m],
            level: vec![0.0; m],
            reached: vec![0.0; dimension],
        }
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
            if is_rounding(&self.velocity, (&scratch.ahead.jacobian, scratch.pair.redundant()), size) {
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
        env.counts.factorisations += 1;
        let factored = scratch.pair.factor_pair(&self.terms.mass, &self.terms.jacobian, &scratch.here);
        self.look_at_pair(&scratch.pair);
        self.motion.copy_from_slice(&self.terms.force);
        scratch.multipliers.copy_from_slice(&scratch.level);
        if factored.is_ok() {
            scratch.pair.solve(&mut self.motion, &mut scratch.multipliers);
        }
        factored.is_ok()
    }

    /// Corrects the speeds of a state until their constraints are met to rounding, with the factors there are. Those of S-full are of positions and speeds together. False if that takes other factors.
    pub(super) fn close_speeds(&mut self, env: &mut Env<'_>, y: &mut [f64]) -> bool {
        if self.upkeep.stabilisation == Stabilisation::Full && !self.factor_terms(env.counts) {
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
        if let Some(scratch) = &mut self.half_explicit {
            self.motion.fill(0.0);
            self.multipliers.copy_from_slice(&self.velocity);
            scratch.pair.solve(&mut self.motion, &mut self.multipliers);
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
                mechanism.inner.derivative(self.mode.locked(self.system.parameters()), t, y, dy);
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
        self.counts.derivatives += 1;
        self.on_form(stage.here.0, stage.here.1, |form, env, _| form.half_explicit_stage(env, stage, dy));
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
        self.on_form(t, y, |form, env, y| {
            let is_open = was_corrected && !form.close_speeds(env, y);
            if is_open && !has_derivative && form.factor_corrections(env, y) {
                form.close_speeds(env, y);
            }
        });
    }

    /// Moves a state within a step to where the constraints are met, as the end of a step is: positions and speeds as the corrections do, and speeds to rounding with methods that
    /// keep them there. Nothing of it counts as a corrected step.
    pub fn land_within(&mut self, t: f64, y: &mut [f64], keeps_speeds: bool) {
        self.on_form(t, y, |form, env, y| form.land_within(env, y, keeps_speeds));
    }

    /// Corrects the speeds of a state until their constraints are met to rounding.
    pub fn close_speeds(&mut self, t: f64, y: &mut [f64]) {
        self.on_form(t, y, |form, env, y| form.factor_corrections(env, y) && form.close_speeds(env, y));
    }

    /// The same where the derivative has just been evaluated, with its factors.
    pub fn close_speeds_from_derivative(&mut self, t: f64, y: &mut [f64]) {
        if self.has_terms() {
            self.on_form(t, y, Index1::close_speeds);
        }
    }

    /// Adds to an error what takes the speeds of a state to where their constraints are met, with the factors of the last stage.
    pub fn add_distance_of_speeds(&mut self, t: f64, y: &[f64], error: &mut [f64]) {
        self.on_form(t, y, |form, env, y| form.add_distance_of_speeds(env, y, error));
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
