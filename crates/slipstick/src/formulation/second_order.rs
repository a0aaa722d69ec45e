//! The equations of a mechanism as they stand, for methods that solve them together with their constraints at
//! the end of a step (paper 001, section 3.1).
//!
//! What is left of `M v' - f + Aᵀ λ = 0` (17), of the constraints `g = 0` and of their rates (20); the
//! tangents of the first are in `tangents.rs`. `A` is `G`, less what multipliers add to the forces. States of
//! first order, `z' = k`, stand behind the speeds with mass one: `u = (v, z)`. Changes of positions are of
//! the speeds' kind: positions change by `T` times them.
//!
//! Where the motion slides on a surface, or stays on one side of it, the field is more than the terms of one
//! mode: `u' - F(t, y) = 0` with the field's own accelerations is left then, and no constraints.

use super::constrained_form::FormAt;
use super::engine::Engine;
use super::env::Env;
use super::index1::Index1;
use super::{Field, Flow};
use crate::equations::{ActiveRows, System};

/// The stages of the classical Runge-Kutta method: how far the next stage is, and the weight of this one.
const CLASSICAL: [(f64, f64); 4] = [(0.5, 1.0 / 6.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 3.0), (0.0, 1.0 / 6.0)];

/// What is to be in balance: a state with the rates `u'` and the multipliers.
#[derive(Clone, Copy, Debug)]
pub struct MotionPoint<'a> {
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
pub struct MotionResidual {
    /// Of the equations of motion and of further states.
    pub motion: Vec<f64>,
    /// Of the constraints of positions.
    pub position: Vec<f64>,
    /// Of the rates of all constraints.
    pub velocity: Vec<f64>,
    /// The rates of the whole state.
    rates: Vec<f64>,
}

impl MotionResidual {
    /// For a system with some of its constraints.
    pub fn new(system: &dyn System, rows: &ActiveRows) -> Self {
        let layout = system.layout();
        let room = |length: usize| vec![0.0; length];
        Self {
            motion: room(layout.v + layout.z),
            position: room(rows.holonomic()),
            velocity: room(rows.len()),
            rates: room(layout.dimension()),
        }
    }

    /// Evaluates the residual with the terms of a form.
    fn evaluate(&mut self, form: &mut Index1, env: &mut Env<'_>, at: MotionPoint<'_>) {
        let velocities = form.linear.sizes.velocity_range();
        let n = velocities.len();
        let terms = &mut form.linear.terms;
        env.terms(at.y, terms);
        for (i, motion) in self.motion[..n].iter_mut().enumerate() {
            *motion = terms.mass.row_times(i, at.rates) - terms.force[i];
        }
        terms.jacobian.add_transposed(1.0, at.multipliers, &mut self.motion);
        if !terms.feedback.values.is_empty() {
            terms.feedback.add_transposed(-1.0, at.multipliers, &mut self.motion);
        }
        form.linear.note_terms();
        if velocities.end < at.y.len() {
            form.set_motion(env, at);
            env.eval.derivative(env.locked, env.t, at.y, &mut self.rates);
            let both = at.rates[n..].iter().zip(&self.rates[velocities.end..]);
            self.motion[n..].iter_mut().zip(both).for_each(|(left, (rate, k))| *left = rate - k);
        }
        env.residuals(at.y, &mut self.position, &mut self.velocity);
    }
}

/// The equations of motion of a flow as they stand.
pub struct SecondOrderView<'f, 'a> {
    pub(super) flow: &'f mut Flow<'a>,
}

impl SecondOrderView<'_, '_> {
    /// Evaluates the residual of the equations.
    pub fn residual(&mut self, at: MotionPoint<'_>, out: &mut MotionResidual) {
        if !self.flow.has_terms() {
            return self.residual_of_field(at, out);
        }
        self.flow.counts.derivatives += 1;
        self.flow.in_mode().on_form(at.t, at.y, |form, env, _| out.evaluate(&mut form.index1, env, at));
    }

    /// `M moved + Gᵀ multipliers` at the point where the residual was last evaluated; zero where there are no
    /// terms.
    pub fn weigh(&mut self, moved: &[f64], multipliers: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let has_terms = self.flow.has_terms();
        if let Some(form) = self.flow.in_mode().form().filter(|_| has_terms) {
            form.index1.linear.weigh(moved, multipliers, out);
        }
    }

    /// The least change of velocities at a state, in the metric of `M`, that has the effect of a given one on
    /// the constraints of positions; none where there are no terms.
    pub fn least_change(&mut self, t: f64, y: &[f64], change: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        if self.flow.has_terms() {
            self.flow.in_mode().on_form(t, y, |form, env, y| {
                let mut at = FormAt { linear: &mut form.index1.linear, env };
                form.projection.least_equivalent(&mut at, y, change, out);
            });
        }
    }

    /// Where the motion is mixed: `u' - F(t, y)`.
    fn residual_of_field(&mut self, at: MotionPoint<'_>, out: &mut MotionResidual) {
        let mut rates = std::mem::take(&mut out.rates);
        self.flow.derivative(at.t, at.y, &mut rates);
        let field = &rates[self.flow.system().layout().q..];
        for (motion, (rate, field)) in out.motion.iter_mut().zip(at.rates.iter().zip(field)) {
            *motion = rate - field;
        }
        out.position.fill(0.0);
        out.velocity.fill(0.0);
        out.rates = rates;
    }

    /// Moves the positions of a state along a change of the velocities' kind, into `to`: the end of
    /// `q' = T(t, q) change` after time one, by the classical Runge-Kutta method, or just their sum where `T`
    /// is one.
    pub fn move_positions(&mut self, t: f64, from: &[f64], change: &[f64], to: &mut [f64]) {
        let (q, n) = (self.flow.system().layout().q, change.len());
        if !self.flow.evaluator.has_kinematics() {
            to[..q].iter_mut().zip(from.iter().zip(change)).for_each(|(to, (q, change))| *to = q + change);
            return;
        }
        let mut state = std::mem::take(&mut self.flow.beside);
        let mut rates = std::mem::take(&mut self.flow.slope);
        state.clear();
        state.extend_from_slice(from);
        state[q..q + n].copy_from_slice(change);
        rates.resize(from.len(), 0.0);
        to[..q].copy_from_slice(&from[..q]);
        for (reach, weight) in CLASSICAL {
            self.evaluate_kinematics(t, &state, &mut rates);
            for i in 0..q {
                to[i] += weight * rates[i];
                state[i] = from[i] + reach * rates[i];
            }
        }
        // Nothing is taken off; this brings coordinates back to what they must be by themselves.
        rates.fill(0.0);
        self.flow.evaluator.shift_positions(t, &mut to[..q], &rates[..n]);
        (self.flow.beside, self.flow.slope) = (state, rates);
    }

    /// The rates of positions at a state; the others are scratch.
    pub fn evaluate_kinematics(&mut self, t: f64, y: &[f64], rates: &mut [f64]) {
        let locked = self.flow.mode.locked(&self.flow.parameters);
        match &mut self.flow.evaluator {
            Engine::Mechanism(mechanism) => mechanism.inner.derivative(locked, t, y, rates),
            Engine::Plain(evaluator) => evaluator.derivative(locked, t, y, rates),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{braked_block, lend, pendulum};
    use super::super::{Stabilisation, Tangents};
    use super::*;
    use crate::mode::Mode;

    #[test]
    fn the_motion_of_the_index_1_form_leaves_no_residual() {
        let system: &dyn System = &pendulum();
        let rows = ActiveRows::of(system.constraints(), |_| true);
        lend(system, |_, env| {
            let mut form = Index1::new(system, &rows, &Stabilisation::None.into());
            let (y, mut residual) = ([0.6, -0.8, 1.6, 1.2], MotionResidual::new(system, &rows));
            form.solve(env, &y);
            let (rates, multipliers) = (form.motion.clone(), form.multipliers.clone());
            let at = MotionPoint { t: 0.0, y: &y, rates: &rates, multipliers: &multipliers };
            residual.evaluate(&mut form, env, at);
            assert!(residual.motion.iter().all(|left| left.abs() < 1e-14), "{:?}", residual.motion);
            assert!(residual.position[0].abs() < 1e-15 && residual.velocity[0].abs() < 1e-15);
            let shifted = MotionPoint { rates: &[rates[0] + 1.0, rates[1]], ..at };
            residual.evaluate(&mut form, env, shifted);
            assert!((residual.motion[0] - 2.0).abs() < 1e-13, "the mass of two");
        });
    }

    #[test]
    fn forces_that_multipliers_cause_are_in_residual_and_tangents() {
        let system: &dyn System = &braked_block();
        let (mut flow, y) = (Flow::new(system, Mode::start(system, 0)), [0.5, 0.1, 2.0, 0.8]);
        let mut dy = [0.0; 4];
        flow.derivative(0.0, &y, &mut dy);
        let multipliers = flow.constraints().multipliers().to_vec();
        let rows = flow.constraints().active_rows(0.0, &y);
        let at = MotionPoint { t: 0.0, y: &y, rates: &dy[2..], multipliers: &multipliers };
        let mut left = MotionResidual::new(system, &rows);
        flow.second_order().residual(at, &mut left);
        assert!(left.motion.iter().all(|left| left.abs() < 1e-13), "{:?}", left.motion);
        let mut tangents = Tangents::new(system, &rows, true);
        flow.second_order().tangents(at, &mut left, &mut tangents);
        let step = 1e-5;
        for (column, row) in (0..4).flat_map(|column| [(column, 0), (column, 1)]) {
            let mut motion = |by: f64| {
                let mut beside = y;
                beside[column] += by;
                flow.second_order().residual(MotionPoint { y: &beside, ..at }, &mut left);
                left.motion[row]
            };
            let slope = (motion(step) - motion(-step)) / (2.0 * step);
            let found = tangents.forces.slot(row, column).map_or(0.0, |slot| tangents.forces.values[slot]);
            assert!((found - slope).abs() < 1e-7 * (1.0 + slope.abs()), "{row} {column}: {found} {slope}");
        }
        assert_eq!(tangents.feedback.values, [0.35, 0.08]);
    }
}
