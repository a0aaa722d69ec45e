//! Terms along the gradients of the constraints, without an inverse (paper 003, equations (2.50) and (2.61)).

use super::super::Upkeep;
use super::super::env::Env;
use super::super::linear_system::LinearSystem;
use super::super::residuals::ConstraintResiduals;
use super::descriptor::StabilisationDescriptor;
use super::{DriftTerms, weigh};

pub(super) const DESCRIPTOR: StabilisationDescriptor = StabilisationDescriptor {
    name: "gradient",
    is_word: false,
    terms: Some(GradientTerms::make),
    projection: None,
};

/// `a = a₀ - Gᵀ (rate ġ + position G Gᵀ g)`.
struct GradientTerms {
    rate: f64,
    position: f64,
    residuals: ConstraintResiduals,
    weighed: Vec<f64>,
    /// A sum over the constraints, by coordinates.
    along: Vec<f64>,
}

impl GradientTerms {
    fn make(numbers: &[f64], _: &Upkeep, linear: &LinearSystem) -> Box<dyn DriftTerms> {
        Box::new(Self {
            rate: numbers[0],
            position: numbers[1],
            residuals: ConstraintResiduals::new(linear.sizes),
            weighed: vec![0.0; linear.sizes.rows],
            along: vec![0.0; linear.sizes.velocities],
        })
    }

    /// `Gᵀ` times what was weighed.
    fn spread(&mut self, linear: &LinearSystem) {
        self.along.fill(0.0);
        linear.terms.jacobian.add_transposed(1.0, &self.weighed, &mut self.along);
    }
}

impl DriftTerms for GradientTerms {
    fn pull_by_forces(&mut self, _: &LinearSystem, _: &mut Env<'_>, _: &[f64], _: &mut [f64]) {}

    fn pull_motion(&mut self, linear: &LinearSystem, env: &mut Env<'_>, y: &[f64], motion: &mut [f64]) {
        self.residuals.measure(env, y);
        weigh(&self.residuals, 0.0, self.position, &mut self.weighed);
        self.spread(linear);
        for (row, (weighed, velocity)) in self.weighed.iter_mut().zip(&self.residuals.velocity).enumerate() {
            *weighed = linear.terms.jacobian.row_times(row, &self.along) + self.rate * velocity;
        }
        self.spread(linear);
        motion.iter_mut().zip(&self.along).for_each(|(a, along)| *a -= along);
    }

    fn position_rates(&self) -> &[f64] {
        &[]
    }

    fn reach(&mut self, _: &[f64]) {}
}
