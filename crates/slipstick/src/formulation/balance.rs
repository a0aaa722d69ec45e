//! The equations of a mechanism as they stand, for methods that solve them together with their constraints at the end of a step (paper 001, section 3.1).
//!
//! What is left of `M v' - f + Gᵀ λ = 0` (17), of the constraints `g = 0` and of their rates (20), and the tangents of the first: the stiffness `K_t` and the damping `C_t`
//! of (19), exact for formulas and by differences for closures. States of first order, `z' = k`, stand behind the speeds with mass one: `u = (v, z)`. Changes of positions are
//! of the speeds' kind: positions change by `T` times them.
//!
//! Where the motion slides on a surface, or stays on one side of it, the field is more than the terms of one mode: `u' - F(t, y) = 0` with the field's own accelerations is left
//! then, and no constraints.

use super::engine::Engine;
use super::{Field, Flow, Index1};
use crate::equations::Locked;
use crate::math::Matrix;

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

/// The equations, linearised; matrices are by rows.
#[derive(Clone, Debug)]
pub struct Tangents {
    /// `M`, and ones for further states.
    pub mass: Vec<f64>,
    /// `K_t`, by changes of positions.
    pub stiffness: Vec<f64>,
    /// `C_t`, by speeds and further states.
    pub damping: Vec<f64>,
    /// `G`.
    pub gradients: Vec<f64>,
    /// The gradients of the rates of constraints by changes of positions; zero where they are not known.
    pub slopes: Vec<f64>,
    beside: Vec<f64>,
    change: Vec<f64>,
    column: Vec<f64>,
    base: Vec<f64>,
    jacobian: Vec<f64>,
}

impl Flow<'_> {
    /// Room for what is left, and for the tangents.
    pub fn room_for_balance(&self) -> (Remainder, Tangents) {
        let (layout, constraints) = (self.system().layout(), self.system().constraints());
        let (n, size, m) = (layout.v, layout.v + layout.z, constraints.len());
        let holonomic = constraints.iter().filter(|c| c.holonomic).count();
        let room = |length: usize| vec![0.0; length];
        let dimension = layout.dimension();
        let remainder = Remainder {
            motion: room(size),
            position: room(holonomic),
            velocity: room(m),
            rates: room(dimension),
        };
        let tangents = Tangents {
            mass: room(size * size),
            stiffness: room(size * size),
            damping: room(size * size),
            gradients: room(m * size),
            slopes: room(m * n),
            beside: room(dimension),
            change: room(dimension),
            column: room(size),
            base: room(size),
            jacobian: room(if layout.z > 0 { dimension * dimension } else { 0 }),
        };
        (remainder, tangents)
    }

    /// Whether the motion follows from the terms of one mode and the constraints.
    pub fn has_terms(&self) -> bool {
        matches!(self.evaluator, Engine::Mechanism(_)) && self.sliding.is_none() && !self.one_sided.is_on()
    }

    /// The multipliers of the constraints where the right-hand side was last evaluated.
    pub fn multipliers(&self) -> &[f64] {
        match &self.evaluator {
            Engine::Mechanism(mechanism) => &mechanism.multipliers,
            Engine::Plain(_) => &[],
        }
    }

    /// Evaluates what is left of the equations.
    pub fn remainder(&mut self, at: Balance<'_>, out: &mut Remainder) {
        if !self.has_terms() {
            return self.free_remainder(at, out);
        }
        self.derivative_count += 1;
        if let Engine::Mechanism(mechanism) = &mut self.evaluator {
            mechanism.remainder(self.mode.locked(), at, out);
        }
    }

    /// `M moved + Gᵀ multipliers` at the point where what is left was last evaluated; zero where there are no terms.
    pub fn weigh(&self, moved: &[f64], multipliers: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let Engine::Mechanism(mechanism) = &self.evaluator else { return };
        if self.has_terms() {
            out.iter_mut().enumerate().for_each(|(i, out)| *out = mechanism.terms.mass.row_times(i, moved));
            mechanism.terms.jacobian.add_transposed(1.0, multipliers, out);
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

    /// Linearises the equations.
    pub fn tangents(&mut self, at: Balance<'_>, left: &mut Remainder, out: &mut Tangents) {
        self.jacobian_count += 1;
        let has_terms = self.has_terms();
        let exact = if let Engine::Mechanism(mechanism) = &mut self.evaluator
            && has_terms
        {
            mechanism.tangents(self.mode.locked(), at, out)
        } else {
            out.gradients.fill(0.0);
            out.slopes.fill(0.0);
            out.mass.fill(0.0);
            set_ones(0, left.motion.len(), &mut out.mass);
            false
        };
        if !exact {
            self.tangents_by_differences(at, left, out);
        }
    }

    /// Column by column, by forward differences.
    fn tangents_by_differences(&mut self, at: Balance<'_>, left: &mut Remainder, out: &mut Tangents) {
        let (q, n, size) = (self.system().layout().q, self.system().layout().v, left.motion.len());
        self.remainder(at, left);
        out.base.copy_from_slice(&left.motion);
        out.stiffness.fill(0.0);
        let mut beside = std::mem::take(&mut out.beside);
        let farthest = at.y[..q].iter().fold(1e-3, |size: f64, q| size.max(q.abs()));
        for j in 0..n {
            let h = f64::EPSILON.sqrt() * farthest;
            beside.copy_from_slice(at.y);
            out.change[..n].fill(0.0);
            out.change[j] = -h;
            self.evaluator.shift_positions(at.t, &mut beside[..q], &out.change[..n]);
            self.remainder(Balance { y: &beside, ..at }, left);
            difference_column(&left.motion, &out.base, h, (j, size), &mut out.stiffness);
        }
        beside.copy_from_slice(at.y);
        for j in 0..size {
            let here = at.y[q + j];
            beside[q + j] = here + f64::EPSILON.sqrt() * here.abs().max(1e-3);
            let h = beside[q + j] - here;
            self.remainder(Balance { y: &beside, ..at }, left);
            difference_column(&left.motion, &out.base, h, (j, size), &mut out.damping);
            beside[q + j] = here;
        }
        out.beside = beside;
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
        let locked = self.mode.locked();
        match &mut self.evaluator {
            Engine::Mechanism(mechanism) => mechanism.inner.derivative(locked, t, y, rates),
            Engine::Plain(evaluator) => evaluator.derivative(locked, t, y, rates),
        }
    }
}

impl Index1<'_> {
    fn remainder(&mut self, locked: Locked<'_>, at: Balance<'_>, out: &mut Remainder) {
        let (n, first) = (self.n, self.positions + self.n);
        self.inner.terms(locked, at.t, at.y, &mut self.terms);
        for (i, motion) in out.motion[..n].iter_mut().enumerate() {
            *motion = self.terms.mass.row_times(i, at.rates) - self.terms.force[i];
        }
        self.terms.jacobian.add_transposed(1.0, at.multipliers, &mut out.motion);
        self.look_at_rows();
        if first < at.y.len() {
            self.set_motion_to(at);
            self.inner.derivative(locked, at.t, at.y, &mut out.rates);
            let both = at.rates[n..].iter().zip(&out.rates[first..]);
            out.motion[n..].iter_mut().zip(both).for_each(|(left, (rate, k))| *left = rate - k);
        }
        self.inner.residuals(locked, at.t, at.y, &mut out.position, &mut out.velocity);
    }

    fn set_motion_to(&mut self, at: Balance<'_>) {
        self.motion.copy_from_slice(&at.rates[..self.n]);
        self.multipliers.copy_from_slice(at.multipliers);
        self.publish();
    }

    /// The tangents; false if stiffness and damping are not known exactly.
    fn tangents(&mut self, locked: Locked<'_>, at: Balance<'_>, out: &mut Tangents) -> bool {
        let (n, size) = (self.n, at.rates.len());
        self.inner.terms(locked, at.t, at.y, &mut self.terms);
        out.mass.fill(0.0);
        spread(&self.terms.mass, size, &mut out.mass);
        set_ones(n, size, &mut out.mass);
        out.gradients.fill(0.0);
        spread(&self.terms.jacobian, size, &mut out.gradients);
        if !self.inner.rate_slopes(locked, at.t, at.y, &mut out.slopes) {
            out.slopes.fill(0.0);
        }
        self.set_motion_to(at);
        self.exact_tangents(locked, at, out)
    }

    fn exact_tangents(&mut self, locked: Locked<'_>, at: Balance<'_>, out: &mut Tangents) -> bool {
        let (n, q, size) = (self.n, self.positions, at.rates.len());
        out.change.fill(0.0);
        out.stiffness.fill(0.0);
        out.damping.fill(0.0);
        for state in 0..at.y.len() {
            out.change[state] = 1.0;
            if !self.inner.tangent(locked, at.t, at.y, &out.change, &mut out.column[..n]) {
                return false;
            }
            out.change[state] = 0.0;
            let (matrix, j) =
                if state < q { (&mut out.stiffness, state) } else { (&mut out.damping, state - q) };
            out.column[..n].iter().enumerate().for_each(|(i, x)| matrix[i * size + j] = *x);
        }
        self.tangents_of_further_states(locked, at, out)
    }

    /// `-∂k/∂y`.
    fn tangents_of_further_states(
        &mut self,
        locked: Locked<'_>,
        at: Balance<'_>,
        out: &mut Tangents,
    ) -> bool {
        let (n, q, size, dimension) = (self.n, self.positions, at.rates.len(), at.y.len());
        if size == n {
            return true;
        }
        let known = self.inner.jacobian(locked, at.t, at.y, &mut out.jacobian);
        for i in n..size {
            let row = &out.jacobian[(q + i) * dimension..(q + i + 1) * dimension];
            for (state, slope) in row.iter().enumerate() {
                let (matrix, j) =
                    if state < q { (&mut out.stiffness, state) } else { (&mut out.damping, state - q) };
                matrix[i * size + j] = -slope;
            }
        }
        known
    }
}

/// Puts the entries of a matrix into one of a different width, by rows.
fn spread(matrix: &Matrix, width: usize, out: &mut [f64]) {
    for ((row, column), value) in matrix.places().zip(&matrix.values) {
        out[row * width + column] = *value;
    }
}

/// Ones on a part of the diagonal.
fn set_ones(from: usize, size: usize, matrix: &mut [f64]) {
    for i in from..size {
        matrix[i * size + i] = 1.0;
    }
}

fn difference_column(ahead: &[f64], here: &[f64], h: f64, (j, size): (usize, usize), out: &mut [f64]) {
    for (i, (ahead, here)) in ahead.iter().zip(here).enumerate() {
        out[i * size + j] = (ahead - here) / h;
    }
}
