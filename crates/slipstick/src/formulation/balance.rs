//! The equations of a mechanism as they stand, for methods that solve them together with their constraints at the end of a step (paper 001, section 3.1).
//!
//! What is left of `M v' - f + Gᵀ λ = 0` (17), of the constraints `g = 0` and of their rates (20); the tangents of the first are in `tangents.rs`. States of first order, `z' = k`, stand
//! behind the speeds with mass one: `u = (v, z)`. Changes of positions are of the speeds' kind: positions change by `T` times them.
//!
//! Where the motion slides on a surface, or stays on one side of it, the field is more than the terms of one mode: `u' - F(t, y) = 0` with the field's own accelerations is left
//! then, and no constraints.

use super::engine::Engine;
use super::env::Env;
use super::{Field, Flow, Index1};
use crate::equations::ActiveRows;

/// What is to be in balance: a state with the rates `u'` and the multipliers.
#[derive(Clone, Copy, Debug)]
pub struct Balance<'a> {
    /// The time.
    pub t: f64,
    /// The state.
    pub y: &'a [f64],
    /// Accelerations, and behind them the rates of further states.
    pub rates: &'a [f64],
    /// The multipliers of all constraints.
    pub multipliers: &'a [f64],
}

/// What is left of the equations.
#[derive(Clone, Debug)]
pub struct Remainder {
    /// Of the equations of motion and of further states.
    pub motion: Vec<f64>,
    /// Of the constraints of positions.
    pub position: Vec<f64>,
    /// Of the rates of all constraints.
    pub velocity: Vec<f64>,
    /// The rates of the whole state.
    rates: Vec<f64>,
}

impl Flow<'_> {
    /// Room for what is left.
    pub fn room_for_remainder(&self, rows: &ActiveRows) -> Remainder {
        let layout = self.system().layout();
        let room = |length: usize| vec![0.0; length];
        Remainder {
            motion: room(layout.v + layout.z),
            position: room(rows.holonomic()),
            velocity: room(rows.len()),
            rates: room(layout.dimension()),
        }
    }

    /// Whether the motion follows from the terms of one mode and the constraints.
    pub fn has_terms(&self) -> bool {
        matches!(self.evaluator, Engine::Mechanism(_)) && self.sliding.is_none() && !self.one_sided.is_on()
    }

    /// The multipliers of the constraints that held where the right-hand side was last evaluated.
    pub fn multipliers(&self) -> &[f64] {
        self.form().map_or(&[], |form| &form.multipliers)
    }

    /// Copies them; where other constraints held there, as on the other side of a surface, they are zero.
    pub fn copy_multipliers(&self, to: &mut [f64]) {
        if self.multipliers().len() == to.len() {
            to.copy_from_slice(self.multipliers());
        } else {
            to.fill(0.0);
        }
    }

    /// Evaluates what is left of the equations.
    pub fn remainder(&mut self, at: Balance<'_>, out: &mut Remainder) {
        if !self.has_terms() {
            return self.free_remainder(at, out);
        }
        self.counts.derivatives += 1;
        self.on_form(at.t, at.y, |form, env, _| form.remainder(env, at, out));
    }

    /// `M moved + Gᵀ multipliers` at the point where what is left was last evaluated; zero where there are no terms.
    pub fn weigh(&self, moved: &[f64], multipliers: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        if let Some(form) = self.form().filter(|_| self.has_terms()) {
            out.iter_mut().enumerate().for_each(|(i, out)| *out = form.terms.mass.row_times(i, moved));
            form.terms.jacobian.add_transposed(1.0, multipliers, out);
        }
    }

    /// The least change of speeds at a state, in the metric of `M`, that has the effect of a given one on the constraints of positions; none where there are no terms.
    pub fn least_change(&mut self, t: f64, y: &[f64], change: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        if self.has_terms() {
            self.on_form(t, y, |form, env, y| form.least_change(env, y, change, out));
        }
    }

    fn free_remainder(&mut self, at: Balance<'_>, out: &mut Remainder) {
        let mut rates = std::mem::take(&mut out.rates);
        self.derivative(at.t, at.y, &mut rates);
        let field = &rates[self.system().layout().q..];
        for (motion, (rate, field)) in out.motion.iter_mut().zip(at.rates.iter().zip(field)) {
            *motion = rate - field;
        }
        out.position.fill(0.0);
        out.velocity.fill(0.0);
        out.rates = rates;
    }

    /// Moves the positions of a state along a change of the speeds' kind, into `to`: the end of `q' = T(t, q) change` after time one, by the classical Runge-Kutta method, or just their
    /// sum where `T` is one.
    pub fn move_positions(&mut self, t: f64, from: &[f64], change: &[f64], to: &mut [f64]) {
        let (q, n) = (self.system().layout().q, change.len());
        if !self.evaluator.has_kinematics() {
            to[..q].iter_mut().zip(from.iter().zip(change)).for_each(|(to, (q, change))| *to = q + change);
            return;
        }
        let (mut state, mut rates) = (std::mem::take(&mut self.beside), std::mem::take(&mut self.slope));
        state.clear();
        state.extend_from_slice(from);
        state[q..q + n].copy_from_slice(change);
        rates.resize(from.len(), 0.0);
        to[..q].copy_from_slice(&from[..q]);
        for (reach, weight) in [(0.5, 1.0 / 6.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 3.0), (0.0, 1.0 / 6.0)] {
            self.evaluate_kinematics(t, &state, &mut rates);
            for i in 0..q {
                to[i] += weight * rates[i];
                state[i] = from[i] + reach * rates[i];
            }
        }
        // Nothing is taken off; this brings coordinates back to what they must be by themselves.
        rates.fill(0.0);
        self.evaluator.shift_positions(t, &mut to[..q], &rates[..n]);
        (self.beside, self.slope) = (state, rates);
    }

    /// The rates of positions at a state; the others are scratch.
    pub fn evaluate_kinematics(&mut self, t: f64, y: &[f64], rates: &mut [f64]) {
        let locked = self.mode.locked(self.system.parameters());
        match &mut self.evaluator {
            Engine::Mechanism(mechanism) => mechanism.inner.derivative(locked, t, y, rates),
            Engine::Plain(evaluator) => evaluator.derivative(locked, t, y, rates),
        }
    }
}

impl Index1 {
    fn remainder(&mut self, env: &mut Env<'_>, at: Balance<'_>, out: &mut Remainder) {
        let (n, first) = (self.n, self.positions + self.n);
        env.terms(at.y, &mut self.terms);
        for (i, motion) in out.motion[..n].iter_mut().enumerate() {
            *motion = self.terms.mass.row_times(i, at.rates) - self.terms.force[i];
        }
        self.terms.jacobian.add_transposed(1.0, at.multipliers, &mut out.motion);
        self.look_at_rows();
        if first < at.y.len() {
            self.set_motion_to(env, at);
            env.derivative(at.y, &mut out.rates);
            let both = at.rates[n..].iter().zip(&out.rates[first..]);
            out.motion[n..].iter_mut().zip(both).for_each(|(left, (rate, k))| *left = rate - k);
        }
        env.residuals(at.y, &mut out.position, &mut out.velocity);
    }

    /// The least change of speeds that has the effect of a given one on the constraints of positions.
    fn least_change(&mut self, env: &mut Env<'_>, y: &[f64], change: &[f64], out: &mut [f64]) {
        if !self.factor(env, y) {
            return;
        }
        let (gradients, holonomic) = (&self.terms.jacobian, self.holonomic);
        for (k, level) in self.velocity.iter_mut().enumerate() {
            *level = if k < holonomic { gradients.row_times(k, change) } else { 0.0 };
        }
        self.saddle.least_change(&mut self.velocity, out);
    }

    pub(super) fn set_motion_to(&mut self, env: &mut Env<'_>, at: Balance<'_>) {
        self.motion.copy_from_slice(&at.rates[..self.n]);
        self.multipliers.copy_from_slice(at.multipliers);
        self.publish(env);
    }
}
