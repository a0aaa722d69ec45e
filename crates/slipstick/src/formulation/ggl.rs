//! The index-2 form of a mechanism that Gear, Gupta and Leimkuhler stabilise, for methods that solve
//! algebraic equations (paper 001, equation (23)).
//!
//! `q' = T (v - Ĝᵀ μ)`, `M v' = f - Aᵀ λ`, `z' = k`, `0 = ġ(t, q, v)`, `0 = g(t, q)`: both levels of the
//! constraints hold, and `μ` is zero but for the errors of the steps. `A` is `G`, less what multipliers add
//! to the forces; that has no part in the first equation. `Ĝ` are the gradients of constraints of positions,
//! less what they have along those of speeds alone: what rolls or sticks does not creep. The state is
//! `(q, v, z, λ, μ)`. The second equation is taken as it stands, so that `M` need not have an inverse. Its
//! tangents are in `tangents.rs`, those of the first here.

use super::{Flow, MotionPoint, MotionResidual};
use crate::equations::ActiveRows;
use crate::math::{Matrix, RealLu, RowBasis, dot};

/// What the form needs beside the flow.
#[derive(Clone, Debug)]
pub struct GglRoom {
    /// What is left of the equations of motion and of the constraints where they were last evaluated.
    pub left: MotionResidual,
    dimension: usize,
    state: Vec<f64>,
    rates: Vec<f64>,
    /// `Gᵀ μ`, and directions along constraints of speeds alone.
    push: Vec<f64>,
    rolling: RowBasis,
}

impl GglRoom {
    /// For the mechanism of a flow, which must be one.
    pub fn new(flow: &Flow<'_>, rows: &ActiveRows) -> Self {
        let (left, dimension) =
            (MotionResidual::new(flow.system(), rows), flow.system().layout().dimension());
        let (n, rolling) = (flow.system().layout().v, rows.len() - rows.holonomic());
        let (state, rates) = (vec![0.0; dimension], vec![0.0; dimension]);
        Self { left, dimension, state, rates, push: vec![0.0; n], rolling: RowBasis::new(n, rolling) }
    }

    /// Takes what keeps positions on their constraints off the speeds of a state.
    fn push(&mut self, gradients: &Matrix, pushes: &[f64], first: usize) {
        let (m, holonomic) = (self.left.velocity.len(), self.left.position.len());
        let speeds = &mut self.state[first..first + self.push.len()];
        if holonomic == m {
            return gradients.add_transposed(-1.0, pushes, speeds);
        }
        self.push.fill(0.0);
        gradients.add_transposed(1.0, pushes, &mut self.push);
        self.rolling.fill(gradients, holonomic..m);
        self.rolling.take_off(&mut self.push);
        speeds.iter_mut().zip(&self.push).for_each(|(v, push)| *v -= push);
    }

    /// The length of the state with its multipliers.
    pub fn dimension(&self) -> usize {
        self.dimension + self.left.velocity.len() + self.left.position.len()
    }

    /// How many constraints there are.
    pub fn constraints(&self) -> usize {
        self.left.velocity.len()
    }
}

/// How positions follow from speeds, `q' = T v`, linearised: where `T` is not one.
#[derive(Clone, Debug)]
pub struct Kinematics {
    /// The columns of `T`, one after the other; the factors of `Tᵀ T`.
    columns: Vec<f64>,
    squares: RealLu,
    /// How `T v` changes with positions, as changes of the speeds' kind, by rows.
    pub slopes: Vec<f64>,
    beside: Vec<f64>,
    base: Vec<f64>,
    rates: Vec<f64>,
    change: Vec<f64>,
    positions: usize,
}

impl Kinematics {
    /// Room for those of a flow; none where positions have the speeds as rates.
    pub fn new(flow: &Flow<'_>) -> Option<Self> {
        let layout = flow.system().layout();
        let room = |length: usize| vec![0.0; length];
        flow.evaluator.has_kinematics().then(|| Self {
            columns: room(layout.q * layout.v),
            squares: RealLu::new(layout.v),
            slopes: room(layout.v * layout.v),
            beside: room(layout.dimension()),
            base: room(layout.dimension()),
            rates: room(layout.dimension()),
            change: room(layout.v),
            positions: layout.q,
        })
    }

    /// The change of the speeds' kind that is nearest to one of positions, which becomes what is left of it.
    pub fn split(&self, positions: &mut [f64], change: &mut [f64]) {
        let columns = || self.columns.chunks_exact(self.positions.max(1));
        change.iter_mut().zip(columns()).for_each(|(change, column)| *change = dot(column, positions));
        self.squares.solve(change);
        for (change, column) in change.iter().zip(columns()) {
            positions.iter_mut().zip(column).for_each(|(q, column)| *q -= change * column);
        }
    }

    /// Adds `T` times a change to one of positions.
    pub fn join(&self, change: &[f64], positions: &mut [f64]) {
        for (change, column) in change.iter().zip(self.columns.chunks_exact(self.positions.max(1))) {
            positions.iter_mut().zip(column).for_each(|(q, column)| *q += change * column);
        }
    }
}

/// The stabilised index-2 form of the mechanism of a flow.
pub struct StabilisedIndex2View<'f, 'a> {
    pub(super) flow: &'f mut Flow<'a>,
}

impl StabilisedIndex2View<'_, '_> {
    /// `f - M y'` of the form at a point of states and multipliers with these rates.
    pub fn residual(&mut self, room: &mut GglRoom, (t, all): (f64, &[f64]), rates: &[f64], out: &mut [f64]) {
        let (y, rest) = all.split_at(room.dimension);
        let (multipliers, pushes) = rest.split_at(room.constraints());
        let (q, n) = (self.flow.system().layout().q, self.flow.system().layout().v);
        let rates = &rates[..room.dimension];
        self.flow
            .second_order()
            .residual(MotionPoint { t, y, rates: &rates[q..], multipliers }, &mut room.left);
        let (of_states, of_multipliers) = out.split_at_mut(room.dimension);
        for (out, left) in of_states[q..].iter_mut().zip(&room.left.motion) {
            *out = -left;
        }
        of_multipliers[..multipliers.len()].copy_from_slice(&room.left.velocity);
        of_multipliers[multipliers.len()..].copy_from_slice(&room.left.position);
        room.state.copy_from_slice(y);
        if let Some(form) = self.flow.in_mode().form() {
            room.push(&form.index1.linear.terms.jacobian, pushes, q);
        }
        if self.flow.evaluator.has_kinematics() {
            self.flow.second_order().evaluate_kinematics(t, &room.state, &mut room.rates);
        } else {
            room.rates[..q].copy_from_slice(&room.state[q..q + n]);
        }
        for (out, (rate, own)) in of_states[..q].iter_mut().zip(room.rates.iter().zip(rates)) {
            *out = rate - own;
        }
    }

    /// The masses where the equations were last evaluated; those of further states stay.
    pub fn copy_masses(&mut self, to: &mut Matrix) {
        if let Some(form) = self.flow.in_mode().form() {
            let masses = &form.index1.linear.terms.mass.values;
            to.values[..masses.len()].copy_from_slice(masses);
        }
    }

    /// Linearises how positions follow from speeds; false if speeds are not determined by rates of positions.
    pub fn linearise_kinematics(&mut self, t: f64, y: &[f64], out: &mut Kinematics) -> bool {
        let (q, n) = (out.positions, out.change.len());
        let speeds = q..q + n;
        // Rates without speeds, where there are such, are no part of `T`.
        out.beside.copy_from_slice(y);
        out.beside[speeds.clone()].fill(0.0);
        self.flow.second_order().evaluate_kinematics(t, &out.beside, &mut out.base);
        for (j, column) in out.columns.chunks_exact_mut(q.max(1)).enumerate() {
            out.beside[q + j] = 1.0;
            self.flow.second_order().evaluate_kinematics(t, &out.beside, &mut out.rates);
            out.beside[q + j] = 0.0;
            for (column, (rate, base)) in column.iter_mut().zip(out.rates.iter().zip(&out.base)) {
                *column = rate - base;
            }
        }
        let column = |j: usize| &out.columns[j * q..(j + 1) * q];
        for (place, square) in out.squares.entries_mut().iter_mut().enumerate() {
            *square = dot(column(place / n), column(place % n));
        }
        let is_determined = out.squares.factor().is_ok();
        self.kinematic_slopes(t, y, out);
        is_determined
    }

    /// By forward differences.
    fn kinematic_slopes(&mut self, t: f64, y: &[f64], out: &mut Kinematics) {
        let (q, n) = (out.positions, out.change.len());
        let far = y[..q].iter().fold(1e-3, |size: f64, q| size.max(q.abs()));
        let step = f64::EPSILON.sqrt() * far;
        self.flow.second_order().evaluate_kinematics(t, y, &mut out.base);
        let mut change = std::mem::take(&mut out.change);
        for j in 0..n {
            out.beside.copy_from_slice(y);
            change.fill(0.0);
            change[j] = -step;
            self.flow.evaluator.shift_positions(t, &mut out.beside[..q], &change);
            self.flow.second_order().evaluate_kinematics(t, &out.beside, &mut out.rates);
            for (rate, base) in out.rates[..q].iter_mut().zip(&out.base) {
                *rate = (*rate - base) / step;
            }
            let mut rates = std::mem::take(&mut out.rates);
            out.split(&mut rates[..q], &mut change);
            out.rates = rates;
            change.iter().enumerate().for_each(|(i, slope)| out.slopes[i * n + j] = *slope);
        }
        out.change = change;
    }
}
