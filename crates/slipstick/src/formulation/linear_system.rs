//! The linear system of a mechanism at a point: `[M Gᵀ; G 0]` with the constraints that have rows.
//!
//! Accelerations, corrections and directions that the constraints allow are all solutions of it. Every
//! factorisation is shown to the watch for singular configurations.

use super::env::{Env, MotionCounts};
use super::residuals::largest;
use super::singular::SingularWatch;
use crate::equations::{ActiveRows, System, Terms};
use crate::math::{Feedback, Groups, Matrix, Saddle};
use std::ops::Range;

/// How many numbers of each kind a mechanism has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MechanismSizes {
    /// Coordinates.
    pub(super) positions: usize,
    /// Velocities.
    pub(super) velocities: usize,
    /// Rows of constraints of positions; these come first.
    pub(super) holonomic: usize,
    /// Rows of all constraints.
    pub(super) rows: usize,
}

impl MechanismSizes {
    /// Where the velocities are in a state.
    #[inline]
    pub(super) fn velocity_range(self) -> Range<usize> {
        self.positions..self.positions + self.velocities
    }
}

/// The terms of the equations of motion where they were evaluated last, with the factors of their matrix.
pub(super) struct LinearSystem {
    pub(super) sizes: MechanismSizes,
    /// The constraints that have rows.
    pub(super) rows: ActiveRows,
    pub(super) terms: Terms,
    pub(super) saddle: Saddle,
    /// How near the motion has come to singular configurations.
    pub(super) watch: SingularWatch,
    /// Whether the last factorisation, if there was one, found a solution.
    pub(super) is_solvable: bool,
    /// For each velocity whether a row holds it, directly or by masses and other rows. Others move freely, and nothing
    /// that is done for constraints moves them.
    pub(super) is_held: Vec<bool>,
}

impl LinearSystem {
    /// For a mechanism with some of its constraints.
    pub(super) fn new(system: &dyn System, rows: &ActiveRows) -> Self {
        let terms = system.room_for_terms(rows);
        let (layout, holonomic) = (system.layout(), rows.holonomic());
        Self {
            sizes: MechanismSizes { positions: layout.q, velocities: layout.v, holonomic, rows: rows.len() },
            rows: rows.clone(),
            saddle: Saddle::new(&terms.mass, &terms.jacobian),
            is_held: held_columns(&terms.mass, &terms.jacobian),
            terms,
            watch: SingularWatch::new(rows.len()),
            is_solvable: true,
        }
    }

    /// Evaluates the terms and factors their matrix; false if it has no solution.
    pub(super) fn factor(&mut self, env: &mut Env<'_>, y: &[f64]) -> bool {
        env.terms(y, &mut self.terms);
        self.factor_terms(env.counts)
    }

    /// Factors the matrix of the terms as they are; false if it has no solution.
    pub(super) fn factor_terms(&mut self, counts: &mut MotionCounts) -> bool {
        let Self { saddle, watch, .. } = self;
        self.is_solvable = saddle.factor(&self.terms.mass, &self.terms.jacobian).is_ok();
        counts.factorisations += 1;
        for (row, (length, weighed)) in saddle.lengths.iter().zip(&saddle.weighed).enumerate() {
            watch.note_length(row, *length, *weighed);
        }
        watch.note_narrowest(saddle.narrowest);
        self.is_solvable
    }

    /// Factors what multipliers push with the factors of the matrix; an error is the row of the one that
    /// takes back all that it pushes.
    pub(super) fn factor_feedback(&mut self, feedback: &mut Feedback) -> Result<(), usize> {
        let (n, saddle) = (self.sizes.velocities, &mut self.saddle);
        feedback.factor(&self.terms.feedback, |all| {
            let (force, level) = all.split_at_mut(n);
            saddle.solve(force, level);
        })
    }

    /// Shows the watch the factors of a system with two gradients, of which those ahead are among the terms.
    pub(super) fn note_pair(&mut self, pair: &Saddle) {
        for (row, length) in pair.lengths.iter().enumerate() {
            self.note_row(row, *length);
        }
        self.watch.note_narrowest(pair.narrowest);
    }

    /// Shows the watch the terms as they are, in an iteration of which only the last point counts.
    pub(super) fn note_terms(&mut self) {
        for row in 0..self.terms.jacobian.rows() {
            let length = self.row_length(row);
            self.watch.forget_row(row);
            self.note_row(row, length);
        }
    }

    fn note_row(&mut self, row: usize, length: f64) {
        let weighed = self.saddle.weigh(row, length, (&self.terms.mass, &self.terms.jacobian));
        self.watch.note_length(row, length, weighed);
    }

    /// The length of the gradient of a constraint, by coordinates.
    fn row_length(&self, row: usize) -> f64 {
        self.terms.jacobian.row(row).map(|(_, g)| g * g).sum::<f64>().sqrt()
    }

    /// A constraint fixes nothing.
    pub(super) fn name_shrunk(&mut self, constraint: usize) {
        if let Some(row) = self.rows.row(constraint) {
            self.watch.name(row, false);
        }
    }

    /// What is left of the narrowest row beside the others where the matrix was factored last: nothing if a
    /// row is redundant that is not so elsewhere.
    pub(super) fn left_beside_others(&self) -> f64 {
        let lengths = &self.saddle.lengths;
        let is_left_out = self.saddle.redundant().iter().any(|row| lengths[*row] > 0.0);
        if is_left_out { 0.0 } else { self.saddle.narrowest.1 }
    }

    /// Half of `vᵀ M v`, with the masses of the terms.
    pub(super) fn kinetic_energy(&self, y: &[f64]) -> f64 {
        let v = &y[self.sizes.velocity_range()];
        (0..v.len()).map(|i| 0.5 * v[i] * self.terms.mass.row_times(i, v)).sum()
    }

    /// `M moved + Gᵀ multipliers`, with the terms as they are.
    pub(super) fn weigh(&self, moved: &[f64], multipliers: &[f64], out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(i, out)| *out = self.terms.mass.row_times(i, moved));
        self.terms.jacobian.add_transposed(1.0, multipliers, out);
    }

    /// By how much rounding changes each state that a constraint depends on, when it is projected.
    pub(super) fn rounding(&self, y: &[f64], out: &mut [f64]) {
        let MechanismSizes { positions, holonomic, .. } = self.sizes;
        let of_positions = f64::EPSILON * largest(&y[..positions]);
        let of_velocities = f64::EPSILON * largest(&y[self.sizes.velocity_range()]);
        for (row, column) in self.terms.jacobian.places() {
            if row < holonomic && column < positions {
                out[column] = of_positions;
            }
            out[positions + column] = of_velocities;
        }
    }
}

/// For each column whether it hangs together with a row, directly or through others.
fn held_columns(mass: &Matrix, rows: &Matrix) -> Vec<bool> {
    let n = mass.rows();
    let mut groups = Groups::new(n + rows.rows());
    mass.places().for_each(|(i, j)| groups.join(i, j));
    rows.places().for_each(|(row, j)| groups.join(n + row, j));
    let mut held = vec![false; n + rows.rows()];
    (n..n + rows.rows()).for_each(|row| held[groups.of(row)] = true);
    (0..n).map(|j| held[groups.of(j)]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{lend, pendulum};
    use crate::equations::Mechanism;
    use crate::math::{Jet, Matrix};

    #[test]
    fn a_pendulum_has_one_row_with_its_length() {
        lend(&pendulum(), |mut linear, env| {
            assert!(linear.factor(env, &[0.6, -0.8, 0.8, 0.6]) && linear.is_solvable);
            assert_eq!(env.counts.factorisations, 1);
            assert!((linear.saddle.lengths[0] - 2.0).abs() < 1e-15, "|2 q|");
            assert!((linear.left_beside_others() - 1.0).abs() < 1e-15, "there are no others");
            assert!((linear.kinetic_energy(&[0.6, -0.8, 0.8, 0.6]) - 1.0).abs() < 1e-15);
            let mut rounding = [0.0; 4];
            linear.rounding(&[0.6, -0.8, 4.0, 3.0], &mut rounding);
            assert_eq!(rounding, [0.8, 0.8, 4.0, 4.0].map(|size| size * f64::EPSILON));
        });
    }

    #[test]
    fn what_no_row_holds_is_free() {
        let mass = Matrix::with_places(5, 5, &[(0, 0), (1, 1), (1, 2), (2, 1), (2, 2), (3, 3), (4, 4)]);
        let rows = Matrix::with_places(2, 5, &[(0, 0), (0, 1), (1, 3)]);
        assert_eq!(super::held_columns(&mass, &rows), [true, true, true, true, false]);
    }

    #[test]
    fn a_mechanism_without_mass_has_no_solution() {
        let weightless = Mechanism::new(["x", "y"])
            .masses(|_, _, m| m.fill(0.0))
            .joints(["rod"], |_, q: &[Jet], g: &mut [Jet]| g[0] = q[0] - q[1])
            .system();
        lend(&weightless, |mut linear, env| {
            assert!(!linear.factor(env, &[0.0; 4]) && !linear.is_solvable);
        });
    }
}
