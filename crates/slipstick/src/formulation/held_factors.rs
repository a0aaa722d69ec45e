//! Accelerations next to a point whose linear system is factored: what the Jacobian of the index-1 form is
//! found from by differences.
//!
//! With accelerations `a₀` and multipliers `λ₀` of the point, those of a place next to it are `a₀ + δ` with
//! `[M Gᵀ; G 0] [δ; Δλ] = [f' - M' a₀ - G'ᵀ λ₀; γ' - G' a₀]`, where terms with a prime are of that place and
//! the matrix of the point. What that leaves out is of second order in the distance, as in the difference
//! itself; and no column needs factors of its own.

use crate::equations::Terms;

/// The motion at the point whose factors are used.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldFactors {
    /// Whether factors are held.
    pub(super) is_on: bool,
    motion: Vec<f64>,
    multipliers: Vec<f64>,
}

impl HeldFactors {
    /// The factors of the point with this motion are used from now on.
    pub(super) fn hold(&mut self, motion: &[f64], multipliers: &[f64]) {
        self.is_on = true;
        for (held, new) in [(&mut self.motion, motion), (&mut self.multipliers, multipliers)] {
            held.clear();
            held.extend_from_slice(new);
        }
    }

    /// Accelerations have factors of their own again.
    pub(super) fn let_go(&mut self) {
        self.is_on = false;
    }

    /// The right-hand sides for what the motion changes by, with the terms of a place next to the point;
    /// `gamma` is given, and what is left of it returned.
    pub(super) fn fill_differences(&self, terms: &Terms, force: &mut [f64], gamma: &mut [f64]) {
        for (row, gamma) in gamma.iter_mut().enumerate() {
            *gamma -= terms.jacobian.row_times(row, &self.motion);
        }
        for (row, force) in force.iter_mut().enumerate() {
            *force = terms.force[row] - terms.mass.row_times(row, &self.motion);
        }
        terms.jacobian.add_transposed(-1.0, &self.multipliers, force);
    }

    /// Goes from what the motion changes by to the motion.
    pub(super) fn add(&self, motion: &mut [f64], multipliers: &mut [f64]) {
        motion.iter_mut().zip(&self.motion).for_each(|(a, b)| *a += b);
        multipliers.iter_mut().zip(&self.multipliers).for_each(|(a, b)| *a += b);
    }
}
