//! Terms that pull the shortest way (paper 003, equations (2.45) and (2.60)).

use super::super::Upkeep;
use super::super::env::Env;
use super::super::linear_system::LinearSystem;
use super::super::residuals::ConstraintResiduals;
use super::descriptor::StabilisationDescriptor;
use super::{DriftTerms, weigh};
use crate::math::{Matrix, Saddle};

pub(super) const DESCRIPTOR: StabilisationDescriptor =
    StabilisationDescriptor { name: "normal", is_word: false, terms: Some(Normal::make), projection: None };

/// `a = a₀ - Gᵀ (G Gᵀ)⁻¹ (rate ġ + position g)`.
struct Normal {
    rate: f64,
    position: f64,
    residuals: ConstraintResiduals,
    /// The linear system without masses.
    plain: Saddle,
    identity: Matrix,
    weighed: Vec<f64>,
    change: Vec<f64>,
}

impl Normal {
    fn make(numbers: &[f64], _: &Upkeep, linear: &LinearSystem) -> Box<dyn DriftTerms> {
        let identity = Matrix::identity(linear.sizes.velocities);
        Box::new(Self {
            rate: numbers[0],
            position: numbers[1],
            residuals: ConstraintResiduals::new(linear.sizes),
            plain: Saddle::new(&identity, &linear.terms.jacobian),
            identity,
            weighed: vec![0.0; linear.sizes.rows],
            change: vec![0.0; linear.sizes.velocities],
        })
    }
}

impl DriftTerms for Normal {
    fn pull_by_forces(&mut self, _: &LinearSystem, _: &mut Env<'_>, _: &[f64], _: &mut [f64]) {}

    fn pull_motion(&mut self, linear: &LinearSystem, env: &mut Env<'_>, y: &[f64], motion: &mut [f64]) {
        self.residuals.measure(env, y);
        weigh(&self.residuals, self.rate, self.position, &mut self.weighed);
        if self.plain.factor(&self.identity, &linear.terms.jacobian).is_ok() {
            self.change.fill(0.0);
            self.plain.solve(&mut self.change, &mut self.weighed);
            motion.iter_mut().zip(&self.change).for_each(|(a, change)| *a -= change);
        }
    }

    fn position_rates(&self) -> &[f64] {
        &[]
    }

    fn reach(&mut self, _: &[f64]) {}
}
