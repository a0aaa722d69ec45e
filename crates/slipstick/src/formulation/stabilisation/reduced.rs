//! The constraints reduced to `k = ġ + decay g = 0`, which is pulled to zero along its own gradients (paper
//! 003, equations (2.63) and (2.64)).

use super::super::Upkeep;
use super::super::env::Env;
use super::super::linear_system::LinearSystem;
use super::super::residuals::{ConstraintResiduals, velocity_slopes};
use super::descriptor::StabilisationDescriptor;
use super::{DriftTerms, weigh};

pub(super) const DESCRIPTOR: StabilisationDescriptor =
    StabilisationDescriptor { name: "reduced", is_word: false, terms: Some(Reduced::make), projection: None };

/// Equations (2.64), with `μ = rate k` as in (2.53).
struct Reduced {
    decay: f64,
    rate: f64,
    residuals: ConstraintResiduals,
    /// The reduced constraints.
    k: Vec<f64>,
    /// The gradients of `ġ` by positions, and what is taken off the rates of positions.
    slopes: Vec<f64>,
    positions: Vec<f64>,
    /// A sum over the constraints, by coordinates.
    along: Vec<f64>,
}

impl Reduced {
    fn make(numbers: &[f64], _: &Upkeep, linear: &LinearSystem) -> Box<dyn DriftTerms> {
        let (n, m) = (linear.sizes.velocities, linear.sizes.rows);
        Box::new(Self {
            decay: numbers[0],
            rate: numbers[1],
            residuals: ConstraintResiduals::new(linear.sizes),
            k: vec![0.0; m],
            slopes: vec![0.0; m * n],
            positions: vec![0.0; n],
            along: vec![0.0; n],
        })
    }

    /// `rate ∂k/∂qᵀ k`.
    fn pull_positions(&mut self, linear: &LinearSystem) {
        let n = linear.sizes.velocities;
        self.positions.fill(0.0);
        for (row, k) in self.k.iter().enumerate() {
            let decay = if row < linear.sizes.holonomic { self.decay } else { 0.0 };
            for (position, slope) in self.positions.iter_mut().zip(&self.slopes[row * n..]) {
                *position += self.rate * k * slope;
            }
            for (i, gradient) in linear.terms.jacobian.row(row) {
                self.positions[i] += self.rate * k * decay * gradient;
            }
        }
    }
}

impl DriftTerms for Reduced {
    /// Equation (2.64c).
    fn pull_by_forces(&mut self, _: &LinearSystem, env: &mut Env<'_>, y: &[f64], gamma: &mut [f64]) {
        self.residuals.measure(env, y);
        let holonomic = self.residuals.position.len();
        for (gamma, velocity) in gamma.iter_mut().zip(&self.residuals.velocity).take(holonomic) {
            *gamma -= self.decay * velocity;
        }
    }

    /// Equations (2.64a) and (2.64b).
    fn pull_motion(&mut self, linear: &LinearSystem, env: &mut Env<'_>, y: &[f64], motion: &mut [f64]) {
        self.residuals.measure(env, y);
        weigh(&self.residuals, 1.0, self.decay, &mut self.k);
        self.along.fill(0.0);
        linear.terms.jacobian.add_transposed(1.0, &self.k, &mut self.along);
        motion.iter_mut().zip(&self.along).for_each(|(a, along)| *a -= self.rate * along);
        velocity_slopes(linear.sizes, env, y, &mut self.slopes);
        self.pull_positions(linear);
    }

    fn position_rates(&self) -> &[f64] {
        &self.positions
    }

    fn reach(&mut self, _: &[f64]) {}
}
