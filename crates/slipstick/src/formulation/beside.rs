//! Accelerations next to a point whose linear system is factored: what the Jacobian of the index-1 form is found from by differences.
//!
//! With accelerations `a₀` and multipliers `λ₀` of the point, those beside it are `a₀ + δ` with `[M Gᵀ; G 0] [δ; Δλ] = [f' - M' a₀ - G'ᵀ λ₀; level' - G' a₀]`, where terms with a prime are of
//! the place beside and the matrix of the point. What that leaves out is of second order in the distance, as in the difference itself; and no column needs factors of its own.

use super::Index1;
use super::env::Env;
use super::flow::Flow;

/// The point whose factors are used.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    is_on: bool,
    motion: Vec<f64>,
    multipliers: Vec<f64>,
}

impl Flow<'_> {
    /// From now on accelerations are found with the factors of this point, for places next to it, until [`let_factors_go`](Self::let_factors_go).
    pub(super) fn hold_factors(&mut self, t: f64, y: &[f64]) {
        if self.has_terms() {
            self.counts.derivatives += 1;
            self.on_form(t, y, Index1::hold_factors);
        }
        // There slopes grow without bound, and the factors of one point say nothing of others.
        if self.is_next_to_singular(true) {
            self.let_factors_go();
        }
    }

    /// Accelerations have factors of their own again.
    pub(super) fn let_factors_go(&mut self) {
        if let Some(form) = self.form_mut() {
            form.held.is_on = false;
        }
    }
}

impl Index1 {
    fn hold_factors(&mut self, env: &mut Env<'_>, y: &[f64]) {
        self.solve(env, y);
        self.held.motion.clone_from(&self.motion);
        self.held.multipliers.clone_from(&self.multipliers);
        // Rows that follow from others do so in another way beside the point.
        self.held.is_on =
            self.fault.is_none() && self.saddle.redundant().is_empty() && self.feedback.is_empty();
    }

    /// Finds accelerations and multipliers beside the point whose factors are held; false if none are.
    pub(super) fn solve_beside(&mut self, env: &mut Env<'_>, y: &[f64]) -> bool {
        if !self.held.is_on {
            return false;
        }
        env.terms(y, &mut self.terms);
        self.multipliers.copy_from_slice(&self.terms.level);
        self.pull_by_forces(env, y);
        for (row, level) in self.multipliers.iter_mut().enumerate() {
            *level -= self.terms.jacobian.row_times(row, &self.held.motion);
        }
        for (row, force) in self.motion.iter_mut().enumerate() {
            *force = self.terms.force[row] - self.terms.mass.row_times(row, &self.held.motion);
        }
        self.terms.jacobian.add_transposed(-1.0, &self.held.multipliers, &mut self.motion);
        self.saddle.solve(&mut self.motion, &mut self.multipliers);
        add(&mut self.motion, &self.held.motion);
        add(&mut self.multipliers, &self.held.multipliers);
        self.pull_beside(env, y);
        self.publish(env);
        true
    }
}

/// `a ← a + b`.
fn add(a: &mut [f64], b: &[f64]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
}
