//! Constraints that follow from others (paper 001, section 4.5).
//!
//! Such rows follow from the others where the constraints are met. Stages of methods are not quite there: a row that follows from others where `g = 0` is off by the size of `g`
//! elsewhere, and whoever takes what is left of it for a direction of its own holds a motion that is free. What is left must be told from a row that is independent but next to
//! a singular position. So rows are looked at where constraints are met, at the start, and how many are independent stays as it was found there.
//!
//! A start may itself be singular. Then rows become independent in proportion to a displacement along what is left free, `s`, while of those that always follow
//! from others something of the size of `s²` is left. With `s` between the part of a row that makes it independent and the root of that, one is seen and the other is not. A row that is zero
//! at the start is itself of the size of `s`: so that as little is left of it, the displacement is brought to the constraints.

use super::Index1;
use super::env::Env;
use super::flow::Flow;
use super::landing::largest;
use crate::equations::{Constraint, Terms};
use crate::math::Matrix;

/// The power of the part of a row that makes it independent by which rows are turned to look whether they are: between a half and one.
const BETWEEN: f64 = 0.75;

/// Constraints contradict each other if more than this part of what they are made of is left.
const CONTRADICTS: f64 = 1e-6;

impl Index1 {
    /// The constraints that follow from others at a point, ascending, and whether they share their multipliers; if there are very many of them, theirs are zero.
    /// One whose derivatives are all zero follows from nothing: it is a constraint that has shrunk, unless it has a branch in which it says nothing.
    fn redundant(&mut self, constraints: &[Constraint], env: &mut Env<'_>, y: &[f64]) -> (Vec<usize>, bool) {
        if !self.factor(env, y) {
            return (Vec::new(), true);
        }
        let mut rows = self.kkt.lengths().iter().zip(self.rows.constraints());
        if let Some(row) = rows.position(|(length, &own)| *length == 0.0 && !constraints[own].switches) {
            self.singular.name(row, false);
        }
        let rows = self.rows_left_out().into_iter().map(|row| self.rows.constraint(row));
        (rows.collect(), self.kkt.shares_multipliers())
    }

    /// The constraints whose accelerations cannot be met by any motion from a point, because they follow from others, each with what is left of it.
    fn contradicting(&mut self, env: &mut Env<'_>, y: &[f64]) -> Vec<(usize, f64)> {
        self.solve(env, y);
        let left: Vec<f64> = self.left_of_accelerations().collect();
        if self.fault.is_some() || self.rows_left_out().is_empty() {
            return Vec::new();
        }
        let size = |k: usize| {
            let terms = self.terms.jacobian.row(k).map(|(j, g)| (g * self.motion[j]).abs()).sum::<f64>();
            terms + self.terms.level[k].abs()
        };
        let open = |k: &usize| left[*k].abs() > CONTRADICTS * size(*k);
        (0..left.len()).filter(open).map(|k| (self.rows.constraint(k), left[k])).collect()
    }

    /// Those of the last factors.
    fn rows_left_out(&self) -> Vec<usize> {
        let (mut rows, lengths) = (self.kkt.redundant().to_vec(), self.kkt.lengths());
        rows.retain(|&row| lengths[row] > 0.0);
        rows.sort_unstable();
        rows
    }

    /// Has the constraints that follow from others next to this point, at which all are met, follow from them from now on.
    pub(super) fn hold_redundant(&mut self, env: &mut Env<'_>, y: &[f64]) {
        self.hold(&[]);
        // Constraints of positions keep those of speeds that say the same, and not the other way round.
        self.kkt.prefer(self.holonomic);
        if !self.factor(env, y) || self.kkt.redundant().is_empty() {
            self.hold(&[]);
            return;
        }
        let start = self.terms.clone();
        let wanted = self.kkt.least_part().powf(BETWEEN);
        self.find_free_motion(wanted * largest(&y[..self.positions]).max(1.0));
        // How far rows are turned by that is seen when it is done.
        let turned = self.turn_gradients(env, y, &start);
        if turned > 0.0 && turned.is_finite() {
            self.motion.iter_mut().for_each(|x| *x *= wanted / turned);
            self.turn_gradients(env, y, &start);
        }
        self.terms.mass.values.copy_from_slice(&start.mass.values);
        let rows = if self.factor_terms(env) { self.rows_left_out() } else { Vec::new() };
        self.hold(&rows);
    }

    /// A motion that the constraints leave free, of the given size.
    fn find_free_motion(&mut self, size: f64) {
        for (i, force) in self.motion.iter_mut().enumerate() {
            *force = 1.0 + (i as f64).sin();
        }
        self.multipliers.fill(0.0);
        self.kkt.solve(&mut self.motion, &mut self.multipliers);
        let factor = size / self.motion.iter().fold(f64::MIN_POSITIVE, |most, x| most.max(x.abs()));
        self.motion.iter_mut().for_each(|x| *x *= factor);
    }

    /// The gradients where the motion leads from a point; gives how far rows are turned at most, as a part of their lengths.
    fn turn_gradients(&mut self, env: &mut Env<'_>, y: &[f64], start: &Terms) -> f64 {
        let mut moved = y.to_vec();
        env.shift_positions(&mut moved[..self.positions], &self.motion);
        if self.kkt.lengths().contains(&0.0) {
            self.bring_back(env, &mut moved);
        }
        env.gradients(&moved, &mut self.terms);
        (0..start.jacobian.rows())
            .map(|row| turn(&self.terms.jacobian, &start.jacobian, row))
            .fold(0.0, f64::max)
    }

    /// One correction of positions next to where the linear system was factored.
    fn bring_back(&mut self, env: &mut Env<'_>, moved: &mut [f64]) {
        env.residuals(moved, &mut self.position, &mut self.velocity);
        self.multipliers.fill(0.0);
        self.multipliers[..self.holonomic].copy_from_slice(&self.position);
        let mut change = vec![0.0; self.n];
        self.kkt.solve(&mut change, &mut self.multipliers);
        env.shift_positions(&mut moved[..self.positions], &change);
    }

    fn hold(&mut self, rows: &[usize]) {
        self.kkt.hold(rows);
        self.hold_in_corrections(rows);
        self.singular.forget_narrowest();
    }
}

/// How far a row is turned from what it was, as a part of its length; a row that was zero does not count.
fn turn(now: &Matrix, before: &Matrix, row: usize) -> f64 {
    let entries = || now.row(row).zip(before.row(row));
    let length = before.row(row).map(|(_, x)| x * x).sum::<f64>().sqrt();
    let turned = entries().map(|((_, x), (_, y))| (x - y) * (x - y)).sum::<f64>().sqrt();
    if length > 0.0 { turned / length } else { 0.0 }
}

/// What a run sees of the flow.
impl Flow<'_> {
    /// The constraints of a mechanism that follow from others at a point, and whether they share their multipliers.
    pub fn redundant_constraints(&mut self, t: f64, y: &[f64]) -> (Vec<usize>, bool) {
        let constraints = self.system().constraints();
        self.on_form(t, |form, env| form.redundant(constraints, env, y)).unwrap_or((Vec::new(), true))
    }

    /// The length of the row of each constraint in the linear system that was factored last; zero for those that do not hold.
    pub fn row_lengths(&self, lengths: &mut [f64]) {
        if let Some(form) = self.form() {
            form.rows.scatter(form.kkt.lengths(), lengths);
        }
    }

    /// Whether a constraint that holds had a row of zeros there.
    pub fn has_zero_row(&self) -> bool {
        self.form().is_some_and(|form| form.kkt.lengths().contains(&0.0))
    }

    /// The constraints of a mechanism that follow from others but ask for other accelerations at a point, each with what is left of it.
    pub fn contradicting_constraints(&mut self, t: f64, y: &[f64]) -> Vec<(usize, f64)> {
        self.on_form(t, |form, env| form.contradicting(env, y)).unwrap_or_default()
    }

    /// Has constraints of a mechanism that follow from others next to this point, at which all are met, do so from now on, even where they are not quite met.
    pub fn hold_redundant_constraints(&mut self, t: f64, y: &[f64]) {
        self.on_form(t, |form, env| form.hold_redundant(env, y));
    }
}
