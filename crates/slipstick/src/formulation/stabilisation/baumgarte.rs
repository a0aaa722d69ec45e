//! Baumgarte's terms (paper 003, equations (2.42) and (2.46)): the forces of the constraints pull.

use super::super::Upkeep;
use super::super::env::Env;
use super::super::linear_system::LinearSystem;
use super::super::residuals::ConstraintResiduals;
use super::DriftTerms;
use super::descriptor::StabilisationDescriptor;

pub(super) const DESCRIPTOR: StabilisationDescriptor = StabilisationDescriptor {
    name: "baumgarte",
    is_word: false,
    terms: Some(Baumgarte::make),
    projection: None,
};

/// `G a = γ - rate ġ - position g`.
struct Baumgarte {
    rate: f64,
    position: f64,
    residuals: ConstraintResiduals,
}

impl Baumgarte {
    fn make(numbers: &[f64], _: &Upkeep, linear: &LinearSystem) -> Box<dyn DriftTerms> {
        let residuals = ConstraintResiduals::new(linear.sizes);
        Box::new(Self { rate: numbers[0], position: numbers[1], residuals })
    }
}

impl DriftTerms for Baumgarte {
    fn pull_by_forces(&mut self, _: &LinearSystem, env: &mut Env<'_>, y: &[f64], gamma: &mut [f64]) {
        self.residuals.measure(env, y);
        for (k, (gamma, velocity)) in gamma.iter_mut().zip(&self.residuals.velocity).enumerate() {
            let position = self.residuals.position.get(k).copied().unwrap_or(0.0);
            *gamma -= self.rate * velocity + self.position * position;
        }
    }

    fn pull_motion(&mut self, _: &LinearSystem, _: &mut Env<'_>, _: &[f64], _: &mut [f64]) {}

    fn position_rates(&self) -> &[f64] {
        &[]
    }

    fn reach(&mut self, _: &[f64]) {}
}
