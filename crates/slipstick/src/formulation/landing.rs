//! Corrections of the ends of steps, so that constraints stay met (paper 003, chapter 3; paper 000, section 3.4.1).
//!
//! With `F = M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁻¹` (3.66), or `Gᵀ (G Gᵀ)⁻¹` (3.69), `q ← q - F g` and then `v ← v - F ġ`: once, twice, or until nothing is left. Both are
//! solutions of the linear system of the accelerations, or of one without masses. With `H` the gradients of `(g, ġ)` by `(q, v)`, S-full makes
//! one correction by `Hᵀ (H Hᵀ)⁻¹` (3.65).

use super::env::Env;
use super::pstab::is_within;
use super::{Flow, Index1, Metric, Stabilisation, Upkeep};
use crate::equations::Terms;
use crate::math::{Matrix, Saddle};

/// Corrections that leave more than this part of what they take off do not close a mechanism, unless it is as little as this beside its positions.
const LEFT_OPEN: f64 = 0.1;
const NEGLIGIBLE: f64 = 1e-6;

/// A state is moved onto surfaces and constraints in turn, as often as this at most, until what is left of constraints is less than the other beside positions or speeds.
const MOST_TURNS: usize = 60;
const MET: f64 = 1e-14;

/// The scratch for corrections.
pub(super) struct Landing {
    /// The linear system of corrections, where it is not that of the accelerations, and its mass matrix.
    pub(super) own: Option<Saddle>,
    mass: Matrix,
    /// The gradients of `(g, ġ)`, and those of `ġ` by positions, for S-full.
    gradients: Option<Matrix>,
    slopes: Vec<f64>,
    change: Vec<f64>,
    level: Vec<f64>,
    /// How the gradients change by a correction of positions.
    pub(super) turned: Matrix,
    /// Positions and speeds before the correction, then how far each was moved.
    pub(super) adjustment: Vec<f64>,
}

impl Landing {
    pub(super) fn new(upkeep: &Upkeep, terms: &Terms, (positions, holonomic): (usize, usize)) -> Self {
        let full = upkeep.stabilisation == Stabilisation::Full;
        let (n, m) = (terms.mass.rows(), terms.jacobian.rows());
        let (columns, rows) = if full { (2 * n, m + holonomic) } else { (n, m) };
        let mass = if full { full_identity(columns) } else { Matrix::identity(columns) };
        let gradients = full.then(|| Matrix::full(rows, columns));
        let if_full = |length: usize| if full { length } else { 0 };
        Self {
            own: (full || upkeep.metric == Metric::Identity)
                .then(|| Saddle::new(&mass, gradients.as_ref().unwrap_or(&terms.jacobian))),
            mass,
            gradients,
            slopes: vec![0.0; if_full(m * n)],
            change: vec![0.0; if_full(columns)],
            level: vec![0.0; if_full(rows)],
            turned: terms.jacobian.clone(),
            adjustment: vec![0.0; positions + n],
        }
    }
}

impl Index1 {
    /// Moves the end of a step to where the constraints are met, or nearer to it.
    pub(super) fn land(&mut self, env: &mut Env<'_>, y: &mut [f64]) {
        if self.lands() {
            env.terms(y, &mut self.terms);
            self.land_by(|this, env| this.factor_terms(env.counts), env, y);
        }
    }

    fn lands(&self) -> bool {
        self.upkeep.stabilisation.rounds() > 0 && !self.rows.is_empty()
    }

    /// The same where the derivative has just been evaluated: its terms and their factors serve here too.
    pub(super) fn land_from_derivative(&mut self, env: &mut Env<'_>, y: &mut [f64]) {
        if self.lands() && self.fault.is_none() {
            self.land_by(|_, _| true, env, y);
        }
    }

    /// The terms are those of this point; `factor` factors their linear system, if that is needed.
    fn land_by(
        &mut self,
        factor: impl Fn(&mut Self, &mut Env<'_>) -> bool,
        env: &mut Env<'_>,
        y: &mut [f64],
    ) {
        let (position, velocity) = (&mut self.position, &mut self.velocity);
        env.residuals_of_terms(y, &self.terms, position, velocity);
        self.landing.adjustment.fill(0.0);
        if self.upkeep.drift_tolerance > 0.0 && self.drift() <= self.upkeep.drift_tolerance {
            return;
        }
        self.landing.adjustment.copy_from_slice(&y[..self.positions + self.n]);
        env.counts.corrected += 1;
        let is_factored =
            if self.landing.own.is_some() { self.factor_own(env, y) } else { factor(self, env) };
        if is_factored {
            match self.upkeep.stabilisation {
                Stabilisation::Project => self.project(env, y),
                _ if self.upkeep.stabilisation.rounds() == 2 && self.pull.reaching.is_empty() => {
                    self.correct_twice(env, y);
                }
                _ => self.correct_in_rounds(env, y),
            }
        }
        for (moved, y) in self.landing.adjustment.iter_mut().zip(&*y) {
            *moved = (*moved - y).abs();
        }
    }

    /// Moves a state to where the constraints are met. False if it is there already.
    fn close_once(&mut self, env: &mut Env<'_>, y: &mut [f64]) -> bool {
        env.residuals(y, &mut self.position, &mut self.velocity);
        let (q, v) = (largest(&y[..self.positions]), largest(&y[self.positions..self.positions + self.n]));
        let is_met = |left: &[f64], size: f64| is_within(left, self.saddle.lengths(), MET * size);
        let is_open = !is_met(&self.position, q) || !is_met(&self.velocity, v);
        if is_open && self.factor_corrections(env, y) {
            self.project(env, y);
        }
        is_open
    }

    fn correct_in_rounds(&mut self, env: &mut Env<'_>, y: &mut [f64]) {
        for round in 0..self.upkeep.stabilisation.rounds() {
            if round > 0 {
                env.residuals(y, &mut self.position, &mut self.velocity);
            }
            if self.correct(env, y) <= 4.0 * f64::EPSILON {
                return;
            }
        }
    }

    /// The largest residual of a constraint, as corrections see it.
    fn drift(&self) -> f64 {
        let of_speeds = self.upkeep.stabilisation == Stabilisation::Speeds;
        let position = if of_speeds { &[] } else { self.position.as_slice() };
        position
            .iter()
            .chain(&self.velocity)
            .fold(0.0, |worst, x| if x.abs() <= worst { worst } else { x.abs() })
    }

    /// How far the last landing has moved each position and speed; nothing is moved where no constraint holds.
    pub(super) fn adjustment(&self) -> &[f64] {
        if self.rows.is_empty() { &[] } else { &self.landing.adjustment }
    }

    /// The last landing was not that of a step: so many were corrected.
    pub(super) fn forget_landing(&mut self, env: &mut Env<'_>, corrected: u64) {
        env.counts.corrected = corrected;
        self.landing.adjustment.fill(0.0);
    }

    /// Factors the linear system of corrections at a point.
    pub(super) fn factor_corrections(&mut self, env: &mut Env<'_>, y: &[f64]) -> bool {
        env.terms(y, &mut self.terms);
        if self.landing.own.is_some() { self.factor_own(env, y) } else { self.factor_terms(env.counts) }
    }

    /// Factors the linear system of corrections that is not that of the accelerations; the terms are those of this point.
    fn factor_own(&mut self, env: &mut Env<'_>, y: &[f64]) -> bool {
        env.counts.factorisations += 1;
        if self.upkeep.stabilisation == Stabilisation::Full {
            self.fill_gradients(env, y);
        }
        let gradients = self.landing.gradients.as_ref().unwrap_or(&self.terms.jacobian);
        let own = self.landing.own.as_mut();
        own.is_some_and(|own| own.factor(&self.landing.mass, gradients).is_ok())
    }

    /// The gradients of `(g, ġ)` by `(q, v)`, and the masses of both: `[G 0; L G]`.
    fn fill_gradients(&mut self, env: &mut Env<'_>, y: &[f64]) {
        let (n, holonomic) = (self.n, self.holonomic);
        let mut slopes = std::mem::take(&mut self.landing.slopes);
        self.rate_slopes(env, y, &mut slopes);
        let Some(gradients) = &mut self.landing.gradients else { return };
        gradients.values.fill(0.0);
        for (row, gradient) in gradients.values.chunks_exact_mut(2 * n).enumerate() {
            let (by_position, by_speed) = gradient.split_at_mut(n);
            let (own, from) = if row < holonomic { (by_position, row) } else { (by_speed, row - holonomic) };
            for (column, value) in self.terms.jacobian.row(from) {
                own[column] = value;
            }
            if row >= holonomic {
                gradient[..n].copy_from_slice(&slopes[(row - holonomic) * n..][..n]);
            }
        }
        self.landing.slopes = slopes;
        if self.upkeep.metric == Metric::Mass {
            for ((i, j), mass) in self.terms.mass.places().zip(&self.terms.mass.values) {
                self.landing.mass.values[i * 2 * n + j] = *mass;
                self.landing.mass.values[(n + i) * 2 * n + n + j] = *mass;
            }
        }
    }

    /// Moves positions, and then speeds, towards where the constraints are met; the linear system has been factored, and the residuals are known.
    /// Gives how much the positions and speeds changed.
    fn correct(&mut self, env: &mut Env<'_>, y: &mut [f64]) -> f64 {
        if self.upkeep.stabilisation == Stabilisation::Full {
            return self.correct_together(env, y);
        }
        let mut moved = 0.0;
        if self.corrects_positions() {
            self.multipliers.fill(0.0);
            self.multipliers[..self.holonomic].copy_from_slice(&self.position);
            moved = self.shift_positions_back(env, &mut y[..self.positions]);
            env.residuals(y, &mut self.position, &mut self.velocity);
        }
        self.multipliers.copy_from_slice(&self.velocity);
        self.leave_what_is_reaching();
        self.shift_speeds(&mut y[self.positions..self.positions + self.n]).max(moved)
    }

    /// Without constraints of positions, speeds are all there is to correct.
    pub(super) fn corrects_positions(&self) -> bool {
        let wanted = self.upkeep.stabilisation != Stabilisation::Speeds && self.pull.reaching.is_empty();
        wanted && self.holonomic > 0
    }

    /// Whether corrections bring positions to where their constraints are met.
    pub(super) fn keeps_positions(&self) -> bool {
        self.upkeep.stabilisation.rounds() > 0 && self.corrects_positions()
    }

    /// While surfaces are reached (paper 000), speeds are corrected by the surfaces that have been, and not by others.
    fn leave_what_is_reaching(&mut self) {
        let (speed, rows) = (&self.upkeep.speed, &self.rows);
        for (k, side) in self.pull.reaching.iter().enumerate() {
            let position =
                self.position.get(k).map_or(0.0, |position| speed.get(rows.constraint(k)) * position);
            self.multipliers[k] = if *side == 0.0 { self.multipliers[k] + position } else { 0.0 };
        }
    }

    /// Next to closed positions a correction leaves far less than it takes off. What it has left is measured by coordinates.
    fn open_after_landing(&mut self, env: &mut Env<'_>, y: &[f64]) -> Option<(usize, f64)> {
        if self.rows.is_empty() {
            return None;
        }
        let moved = largest(&self.landing.adjustment[..self.positions]);
        let negligible = NEGLIGIBLE * largest(&y[..self.positions]);
        if moved <= negligible || !self.corrects_positions() {
            return None;
        }
        env.residuals(y, &mut self.position, &mut self.velocity);
        let lengths = self.saddle.lengths();
        let distance = |k: usize| if lengths[k] > 0.0 { self.position[k].abs() / lengths[k] } else { 0.0 };
        let worst = (0..self.holonomic).max_by(|&a, &b| distance(a).total_cmp(&distance(b)))?;
        let bound = (LEFT_OPEN * moved).max(negligible);
        (distance(worst) > bound).then(|| (self.rows.constraint(worst), self.position[worst]))
    }

    /// How far each coordinate would be moved to close the constraints of positions.
    pub(super) fn closing_distances(&mut self, env: &mut Env<'_>, y: &[f64]) -> Vec<f64> {
        let mut q = y[..self.positions].to_vec();
        if self.holonomic > 0 && self.factor_corrections(env, y) {
            env.residuals(y, &mut self.position, &mut self.velocity);
            self.multipliers.fill(0.0);
            self.multipliers[..self.holonomic].copy_from_slice(&self.position);
            self.shift_positions_back(env, &mut q);
        }
        q.iter().zip(y).map(|(moved, y)| (moved - y).abs()).collect()
    }

    /// `F` times the residuals in `multipliers`, into the motion.
    fn find_change(&mut self) {
        self.motion.fill(0.0);
        let saddle = self.landing.own.as_mut().unwrap_or(&mut self.saddle);
        saddle.solve(&mut self.motion, &mut self.multipliers);
    }

    fn shift_positions_back(&mut self, env: &mut Env<'_>, q: &mut [f64]) -> f64 {
        self.find_change();
        let size = relative_size(&self.motion, q);
        env.shift_positions(q, &self.motion);
        size
    }

    fn shift_speeds(&mut self, v: &mut [f64]) -> f64 {
        self.find_change();
        let size = relative_size(&self.motion, v);
        take_off(v, &self.motion);
        size
    }

    /// Takes `Hᵀ (H Hᵀ)⁻¹ (g, ġ)` off positions and speeds.
    fn correct_together(&mut self, env: &mut Env<'_>, y: &mut [f64]) -> f64 {
        let Some(own) = &mut self.landing.own else { return 0.0 };
        self.landing.level[..self.holonomic].copy_from_slice(&self.position);
        self.landing.level[self.holonomic..].copy_from_slice(&self.velocity);
        self.landing.change.fill(0.0);
        own.solve(&mut self.landing.change, &mut self.landing.level);
        let (q, rest) = y.split_at_mut(self.positions);
        let (of_positions, of_speeds) = self.landing.change.split_at(self.n);
        let size = relative_size(of_positions, q).max(relative_size(of_speeds, rest));
        env.shift_positions(q, of_positions);
        take_off(rest, of_speeds);
        size
    }
}

/// What a step sees of the flow.
impl Flow<'_> {
    /// Moves the end of a step to where the constraints of a mechanism are met.
    pub fn land(&mut self, t: f64, y: &mut [f64]) {
        self.on_form(t, y, Index1::land);
    }

    /// The same for the point at which the equations of a mechanism have just been evaluated, for a method that lands by itself.
    pub fn land_where_evaluated(&mut self, t: f64, y: &mut [f64]) {
        self.on_form(t, y, |form, env, y| form.land_by(|form, env| form.factor_terms(env.counts), env, y));
    }

    /// Moves a state onto the surfaces that the motion slides on. If joints are kept shut, that and the corrections of these are made in turn, for each of both leads away from the other.
    pub fn land_on_surfaces(&mut self, t: f64, y: &mut [f64], keeps_joints: bool) {
        for _ in 0..MOST_TURNS {
            self.switching(t).project(y);
            let goes_on = keeps_joints && self.sliding.is_some();
            if !goes_on || self.on_form(t, &mut *y, Index1::close_once) != Some(true) {
                return;
            }
        }
    }

    /// The kinetic energy of a mechanism: half of `vᵀ M v`.
    pub fn kinetic_energy(&mut self, t: f64, y: &[f64]) -> f64 {
        let energy = self.on_form(t, y, |form, env, y| {
            env.terms(y, &mut form.terms);
            let v = &y[form.positions..form.positions + form.n];
            (0..form.n).map(|i| 0.5 * v[i] * form.terms.mass.row_times(i, v)).sum()
        });
        energy.unwrap_or(0.0)
    }

    /// How far rounding moves each state when it is brought to the constraints: what is open by no more than
    /// that is left as it is.
    pub fn rounding_of_landing(&self, y: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let Some(form) = self.form() else { return };
        let (positions, n) = (form.positions, form.n);
        let of_positions = f64::EPSILON * largest(&y[..positions]);
        let of_speeds = f64::EPSILON * largest(&y[positions..positions + n]);
        for (row, column) in form.terms.jacobian.places() {
            if row < form.holonomic && column < positions {
                out[column] = of_positions;
            }
            out[positions + column] = of_speeds;
        }
    }

    /// The constraint of positions that is furthest from met behind a landing, with what is left of it, if the landing has hardly brought it nearer.
    pub fn open_after_landing(&mut self, t: f64, y: &[f64]) -> Option<(usize, f64)> {
        self.on_form(t, y, Index1::open_after_landing).flatten()
    }

    /// The same for the point at which the derivative has just been evaluated, so that nothing of it has to be evaluated again.
    pub fn land_from_derivative(&mut self, t: f64, y: &mut [f64]) {
        // Along surfaces, the derivative is put together from others.
        if self.sliding.is_some() || self.one_sided.is_on() {
            self.land(t, y);
        } else {
            self.on_form(t, y, Index1::land_from_derivative);
        }
    }
}

/// The matrix that is one on its diagonal, with room for others.
fn full_identity(n: usize) -> Matrix {
    let mut identity = Matrix::full(n, n);
    for i in 0..n {
        identity.values[i * n + i] = 1.0;
    }
    identity
}

/// The largest of numbers, by size.
pub(super) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, x| if x.abs() > most { x.abs() } else { most })
}

/// How large a change is beside what it is taken off from. Changes of positions may be of fewer numbers than these are.
pub(super) fn relative_size(change: &[f64], part: &[f64]) -> f64 {
    if change.len() > part.len() || change.is_empty() {
        return 0.0;
    }
    let beside = |(i, change): (usize, &f64)| change.abs() / (1.0 + part[i].abs());
    change.iter().enumerate().map(beside).fold(0.0, f64::max)
}

pub(super) fn take_off(part: &mut [f64], change: &[f64]) {
    for (x, change) in part.iter_mut().zip(change) {
        *x -= change;
    }
}
