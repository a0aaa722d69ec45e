//! Rates as unknowns of their own, for a Rosenbrock method behind a mass matrix that varies.
//!
//! `M(t, y) y' = f(t, y)` is `y' = z` with `0 = f(t, y) - M(t, y) z`, a system of twice the size without a
//! mass that varies (Hairer, Wanner II, section VI.4, on implicit equations). In a stage, `U_i` of y and
//! `V_i` of z, the first line gives `V_i = U_i / (γ h) - Σ c_ij U_j / h - Z_i` with `Z_i = z₀ + Σ a_ij V_j`,
//! and what is left has the size of the state:
//!
//! `(M₀ / (γ h) - J + D) U_i = f(Y_i) - (M(Y_i) - M₀) Z_i + M₀ Σ c_ij U_j / h + γ_i h (∂f/∂t - ∂(M z₀)/∂t)`,
//! `D = ∂(M z₀)/∂y`.
//!
//! With a constant mass that is the method as it stands, whatever z is. A singular mass whose kernel does not
//! vary is no more than index 1 in this form too, because the rates in the kernel do not occur.

use super::implicit::add;

/// The rates in the stages of a step.
#[derive(Clone, Debug)]
pub(super) struct Rates {
    n: usize,
    /// The six `V_i`, one after the other.
    stages: Vec<f64>,
    /// `Z_i` of the stage at work.
    pub(super) level: Vec<f64>,
}

impl Rates {
    pub(super) fn new(n: usize) -> Self {
        Self { n, stages: vec![0.0; 6 * n], level: vec![0.0; n] }
    }

    /// Finds `Z_i` from the rates at the start and the weights `a_ij`, and takes it off `sum`.
    pub(super) fn stand(&mut self, start: &[f64], weights: &[f64], sum: &mut [f64]) {
        self.level.copy_from_slice(start);
        add(weights, &self.stages, &mut self.level);
        sum.iter_mut().zip(&self.level).for_each(|(x, level)| *x -= level);
    }

    /// Finds `V_i` from `U_i`, `1 / (γ h)` and `sum`, which is `-Σ c_ij U_j / h - Z_i`.
    pub(super) fn keep(&mut self, s: usize, scale: f64, stage: &[f64], sum: &[f64]) {
        let own = &mut self.stages[s * self.n..(s + 1) * self.n];
        for ((v, u), sum) in own.iter_mut().zip(stage).zip(sum) {
            *v = scale * u + sum;
        }
    }
}
