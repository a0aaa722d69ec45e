//! The matrix of Newton's iteration in a generalized-α method (paper 001, (19) and (22)), factorised.
//!
//! `S = (1-α_m)/(1-α_f) M + h γ C_t + h² β K_t` and the rows of the constraints have entries only where one
//! of their parts has; of these the places are joined once, and the order of elimination is found once,
//! unless the tangents turn out to have more.

use super::Fault;
use super::alpha::{Coefficients, Level};
use crate::equations::ActiveRows;
use crate::formulation::{Flow, MotionPoint, MotionResidual, Tangents};
use crate::math::{Feedback, Matrix, Saddle};

/// Tangents, what is joined from them, and its factors.
#[derive(Clone, Debug)]
pub(super) struct IterationMatrix {
    pub(super) tangents: Tangents,
    /// What is known of the places of the tangents.
    grown: usize,
    matrix: Matrix,
    ahead: Matrix,
    here: Matrix,
    /// Where each entry of masses, of forces, of gradients and of slopes goes.
    of_mass: Vec<usize>,
    of_forces: Vec<(usize, bool)>,
    of_gradients: Vec<usize>,
    of_slopes: Vec<(usize, usize)>,
    pair: Saddle,
    /// Multipliers that forces depend on, if some do.
    feedback: Option<Feedback>,
    /// The length of the gradient of each constraint, by which it is judged whether it is met; infinite for
    /// those that are met wherever the others are.
    lengths: Vec<f64>,
    /// The system that moves positions onto the constraints, where speeds are kept on them.
    pub(super) mover: Option<Mover>,
    level: Level,
    active: ActiveRows,
}

impl IterationMatrix {
    pub(super) fn new(field: &Flow<'_>, rows: &ActiveRows, level: Level) -> Self {
        Self::of(Tangents::new(field.system(), rows, field.has_terms()), level, rows)
    }

    fn of(tangents: Tangents, level: Level, active: &ActiveRows) -> Self {
        let n = tangents.forces.columns() - tangents.mass.rows();
        let (matrix, ahead) = tangents.joined();
        let slot = |of: &Matrix, (i, j): (usize, usize)| of.slot(i, j).unwrap_or(0);
        let holonomic = active.holonomic();
        let has_mover = level == Level::Both && holonomic > 0;
        let of_forces = |place| (slot(&matrix, tangents.by_unknowns(place)), place.1 < n);
        Self {
            of_mass: tangents.mass.places().map(|place| slot(&matrix, place)).collect(),
            of_forces: tangents.forces.places().map(of_forces).collect(),
            of_gradients: tangents.gradients.places().map(|place| slot(&ahead, place)).collect(),
            of_slopes: tangents.slopes.places().map(|place| (slot(&ahead, place), place.0)).collect(),
            pair: Saddle::new(&matrix, &ahead),
            feedback: Feedback::of_multipliers(&tangents.feedback),
            lengths: vec![0.0; ahead.rows()],
            mover: has_mover.then(|| Mover::new(&tangents, n)),
            here: ahead.clone(),
            grown: tangents.grown,
            matrix,
            ahead,
            tangents,
            level,
            active: active.clone(),
        }
    }

    /// Linearises the equations. A value that is not finite is a fault of the first speed.
    pub(super) fn linearise(
        &mut self,
        field: &mut Flow<'_>,
        at: MotionPoint<'_>,
        left: &mut MotionResidual,
    ) -> Result<(), Fault> {
        if self.tangents.with_terms() != field.has_terms() {
            *self = Self::new(field, &self.active.clone(), self.level);
        }
        field.second_order().tangents(at, left, &mut self.tangents);
        for matrix in [&self.tangents.forces, &self.tangents.mass, &self.tangents.gradients] {
            if let Some(&value) = matrix.values.iter().find(|value| !value.is_finite()) {
                return Err(Fault::NotFinite { component: field.system().layout().q, t: at.t, value });
            }
        }
        if self.tangents.grown != self.grown {
            *self = Self::of(self.tangents.clone(), self.level, &self.active.clone());
        }
        self.mover.iter_mut().try_for_each(|mover| mover.factor(&self.tangents))
    }

    /// Joins and factors; false if the matrix is singular.
    pub(super) fn factor(&mut self, c: Coefficients, h: f64) -> bool {
        self.fill(c, h);
        // Where the rank of the rows turns with the step, those of one place stand in both places.
        let is_good = self.pair.factor_pair(&self.matrix, &self.ahead, &self.here).is_ok()
            || self.pair.factor_pair(&self.matrix, &self.here, &self.here).is_ok();
        self.pair.redundant().iter().for_each(|&row| self.lengths[row] = f64::INFINITY);
        is_good && self.factor_feedback()
    }

    /// False if a multiplier takes back all that it pushes.
    fn factor_feedback(&mut self) -> bool {
        let (n, pair) = (self.matrix.rows(), &mut self.pair);
        let Some(feedback) = &mut self.feedback else { return true };
        let factored = feedback.factor(&self.tangents.feedback, |all| {
            let (change, level_change) = all.split_at_mut(n);
            pair.solve(change, level_change);
        });
        factored.is_ok()
    }

    /// `S`, and the rows that its change meets.
    fn fill(&mut self, c: Coefficients, h: f64) {
        let (tangents, matrix) = (&self.tangents, &mut self.matrix.values);
        matrix.fill(0.0);
        for (&(slot, by_position), value) in self.of_forces.iter().zip(&tangents.forces.values) {
            matrix[slot] += h * if by_position { h * c.beta * value } else { c.gamma * value };
        }
        for (&slot, value) in self.of_mass.iter().zip(&tangents.mass.values) {
            matrix[slot] += c.inertia() * value;
        }
        self.here.values.fill(0.0);
        for (&slot, value) in self.of_gradients.iter().zip(&tangents.gradients.values) {
            self.here.values[slot] = *value;
        }
        self.ahead.values.copy_from_slice(&self.here.values);
        for (row, length) in self.lengths.iter_mut().enumerate() {
            *length = self.here.row(row).map(|(_, g)| g * g).sum::<f64>().sqrt();
        }
        let first = if self.level == Level::Positions { self.active.holonomic() } else { 0 };
        for (&(slot, row), value) in self.of_slopes.iter().zip(&tangents.slopes.values) {
            if row >= first {
                self.ahead.values[slot] += h * c.beta / c.gamma * value;
            }
        }
    }

    /// Whether forces resist a change more than masses do.
    pub(super) fn resists(&self, c: Coefficients, change: &[f64]) -> bool {
        let (mut by_masses, mut by_forces) = (0.0, 0.0);
        for i in 0..self.tangents.mass.rows() {
            let inertia = c.inertia() * self.tangents.mass.row_times(i, change);
            by_masses = f64::max(by_masses, inertia.abs());
            by_forces = f64::max(by_forces, (self.matrix.row_times(i, change) - inertia).abs());
        }
        by_forces > by_masses
    }

    /// Replaces the negative residual of motion and constraints by the changes of `a₁` and the multipliers.
    pub(super) fn solve(&mut self, change: &mut [f64], level_change: &mut [f64]) {
        self.pair.solve(change, level_change);
        if let Some(feedback) = &mut self.feedback {
            feedback.push_back([change, level_change]);
        }
    }

    /// The same with forces along the gradients alone, for changes of the end of a step, in which friction
    /// has no part.
    pub(super) fn solve_along_gradients(&mut self, change: &mut [f64], level_change: &mut [f64]) {
        self.pair.solve(change, level_change);
    }

    /// Whether forces depend on multipliers.
    pub(super) fn pushes_back(&self) -> bool {
        self.feedback.is_some()
    }

    /// The length of the gradient of each constraint; infinite if it follows from others.
    pub(super) fn lengths(&self) -> &[f64] {
        &self.lengths
    }
}

/// The system (24): the least change of positions in the metric of `M` that meets the constraints. It does
/// not move along constraints of speeds alone: what rolls or sticks does not creep.
#[derive(Clone, Debug)]
pub(super) struct Mover {
    saddle: Saddle,
    mass: Matrix,
    rows: Matrix,
    /// `ν`, its change or what is left of the constraints, and the change of what positions are moved by.
    pub(super) multipliers: Vec<f64>,
    pub(super) residual: Vec<f64>,
    pub(super) change: Vec<f64>,
}

impl Mover {
    fn new(tangents: &Tangents, n: usize) -> Self {
        let part = |of: &Matrix, rows: usize| {
            let places: Vec<(usize, usize)> = of.places().filter(|(row, _)| *row < rows).collect();
            Matrix::with_places(rows, n, &places)
        };
        let m = tangents.gradients.rows();
        let (mass, rows) = (part(&tangents.mass, n), part(&tangents.gradients, m));
        let (saddle, level) = (Saddle::new(&mass, &rows), || vec![0.0; m]);
        Self { saddle, mass, rows, multipliers: level(), residual: level(), change: vec![0.0; n] }
    }

    /// The rows that count are the first ones of each matrix.
    fn factor(&mut self, tangents: &Tangents) -> Result<(), Fault> {
        for (own, all) in [(&mut self.mass, &tangents.mass), (&mut self.rows, &tangents.gradients)] {
            let count = own.values.len();
            own.values.copy_from_slice(&all.values[..count]);
        }
        self.saddle.factor(&self.mass, &self.rows).map_err(|_| Fault::NoConvergence)
    }

    /// Replaces what is left, with the sign turned, by the changes.
    pub(super) fn solve(&mut self) {
        self.saddle.solve(&mut self.change, &mut self.residual);
    }
}
