//! The index-2 form of a mechanism that Gear, Gupta and Leimkuhler stabilise, for methods that solve algebraic equations (paper 001, equation (23)).
//!
//! `q' = T (v - Gᵀ μ)`, `M v' = f - Gᵀ λ`, `z' = k`, `0 = ġ(t, q, v)`, `0 = g(t, q)`: both levels of the constraints hold, and `μ` is zero but for the errors of the steps. The state is `(q, v, z, λ, μ)`.
//! Of rows that follow from others only some are used: the multipliers of the rest are zero.

use super::engine::Engine;
use super::{Field, Flow, Index1, MassKind};
use crate::equations::Locked;
use crate::math::{Kkt, Matrix};

/// What the form needs beside the flow.
#[derive(Clone, Debug)]
pub struct GglRoom {
    dimension: usize,
    holonomic: usize,
    /// Whether each constraint is used.
    used: Vec<bool>,
    /// The masses alone, with their factors.
    masses: Kkt,
    no_rows: Matrix,
    state: Vec<f64>,
    rates: Vec<f64>,
    beside: Vec<f64>,
    slope: Vec<f64>,
}

impl GglRoom {
    /// For the mechanism of a flow, which must be one.
    pub fn new(flow: &Flow<'_>) -> Self {
        let (system, terms) = (flow.system(), flow.system().room_for_terms());
        let (dimension, m) = (system.layout().dimension(), system.constraints().len());
        let holonomic = system.constraints().iter().filter(|c| c.holonomic).count();
        let no_rows = Matrix::with_places(0, terms.mass.rows(), &[]);
        let all = dimension + m + holonomic;
        let room = |length: usize| vec![0.0; length];
        Self {
            dimension,
            holonomic,
            used: vec![true; m],
            masses: Kkt::new(&terms.mass, &no_rows),
            no_rows,
            state: room(dimension),
            rates: room(dimension),
            beside: room(all),
            slope: room(all),
        }
    }

    /// The length of the state with its multipliers.
    pub fn dimension(&self) -> usize {
        self.dimension + self.used.len() + self.holonomic
    }

    /// How many constraints there are.
    pub fn constraints(&self) -> usize {
        self.used.len()
    }

    /// Leaves out the rows that follow from others at a point, or say nothing there. Tells whether that are other rows than before; unless it is asked for, those in use stay while they are as
    /// many as there should be.
    pub fn choose_rows(&mut self, flow: &mut Flow<'_>, t: f64, y: &[f64], anew: bool) -> bool {
        let idle = flow.idle_constraints(t, y);
        let left_out = self.used.iter().filter(|used| !**used).count();
        if !anew && idle.len() == left_out {
            return false;
        }
        let before = self.used.clone();
        self.used.fill(true);
        for row in idle {
            self.used[row] = false;
        }
        before != self.used
    }

    /// Whether rows are left out.
    pub fn leaves_out(&self) -> bool {
        self.used.contains(&false)
    }
}

/// The form of a flow.
pub struct Ggl<'f, 'a> {
    /// The flow.
    pub flow: &'f mut Flow<'a>,
    /// What it needs beside it.
    pub room: &'f mut GglRoom,
}

impl Field for Ggl<'_, '_> {
    fn dimension(&self) -> usize {
        self.room.dimension()
    }

    fn derivative(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        self.flow.derivative_count += 1;
        let locked = self.flow.mode.locked();
        match &mut self.flow.evaluator {
            Engine::Mechanism(mechanism) => mechanism.ggl(self.room, locked, (t, y), dy),
            Engine::Plain(_) => dy.fill(f64::NAN),
        }
    }

    /// By forward differences, column by column.
    fn jacobian(&mut self, t: f64, y: &[f64], f: &[f64], jacobian: &mut [f64]) {
        self.flow.jacobian_count += 1;
        let n = y.len();
        let (mut beside, mut slope) =
            (std::mem::take(&mut self.room.beside), std::mem::take(&mut self.room.slope));
        beside.copy_from_slice(y);
        for j in 0..n {
            beside[j] = y[j] + (f64::EPSILON * y[j].abs().max(1e-5)).sqrt().copysign(f[j]);
            let h = beside[j] - y[j];
            self.derivative(t, &beside, &mut slope);
            for i in 0..n {
                jacobian[i * n + j] = (slope[i] - f[i]) / h;
            }
            beside[j] = y[j];
        }
        (self.room.beside, self.room.slope) = (beside, slope);
    }

    fn time_derivative(&mut self, _t: f64, _y: &[f64], _f: &[f64], out: &mut [f64]) {
        // Only methods ask for it that do not take this form.
        out.fill(f64::NAN);
    }

    fn mass_kind(&self) -> MassKind {
        MassKind::Constant
    }

    /// One for states, zero for multipliers.
    fn mass(&mut self, _t: f64, y: &[f64], mass: &mut [f64]) {
        mass.fill(0.0);
        for i in 0..self.room.dimension {
            mass[i * y.len() + i] = 1.0;
        }
    }

    fn mass_slopes(&mut self, _t: f64, _y: &[f64], _rate: &[f64], slopes: (&mut [f64], &mut [f64])) {
        slopes.0.fill(0.0);
        slopes.1.fill(0.0);
    }
}

impl Index1<'_> {
    fn ggl(&mut self, room: &mut GglRoom, locked: Locked<'_>, (t, all): (f64, &[f64]), dy: &mut [f64]) {
        let (y, rest) = all.split_at(room.dimension);
        let (lambda, mu) = rest.split_at(room.used.len());
        self.inner.terms(locked, t, y, &mut self.terms);
        self.factorisations += 1;
        if room.masses.factor(&self.terms.mass, &room.no_rows).is_err() {
            return dy.fill(f64::NAN);
        }
        self.motion.copy_from_slice(&self.terms.force);
        self.terms.jacobian.add_transposed(-1.0, lambda, &mut self.motion);
        room.masses.solve(&mut self.motion, &mut []);
        self.multipliers.copy_from_slice(lambda);
        self.publish();
        self.inner.derivative(locked, t, y, &mut dy[..room.dimension]);
        self.push_positions(room, (locked, t, y), mu, dy);
        let (_, of_multipliers) = dy.split_at_mut(room.dimension);
        self.inner.residuals(locked, t, y, &mut self.position, &mut self.velocity);
        let (rates, positions) = of_multipliers.split_at_mut(room.used.len());
        for (k, used) in room.used.iter().enumerate() {
            rates[k] = if *used { self.velocity[k] } else { lambda[k] };
            if k < room.holonomic {
                positions[k] = if *used { self.position[k] } else { mu[k] };
            }
        }
    }

    /// `q' = T (v - Gᵀ μ)`.
    fn push_positions(
        &mut self,
        room: &mut GglRoom,
        (locked, t, y): (Locked<'_>, f64, &[f64]),
        mu: &[f64],
        dy: &mut [f64],
    ) {
        let (q, n) = (self.positions, self.n);
        room.state.copy_from_slice(y);
        self.terms.jacobian.add_transposed(-1.0, mu, &mut room.state[q..q + n]);
        if self.inner.has_kinematics() {
            self.inner.derivative(locked, t, &room.state, &mut room.rates);
            dy[..q].copy_from_slice(&room.rates[..q]);
        } else {
            dy[..q].copy_from_slice(&room.state[q..q + n]);
        }
    }
}
