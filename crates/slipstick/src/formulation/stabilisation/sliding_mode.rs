//! Sliding-mode control until every surface is met, then as `pstab` (paper 000, sections 3.2 to 3.4).

use super::super::Upkeep;
use super::super::env::Env;
use super::super::linear_system::LinearSystem;
use super::super::reaching::Reaching;
use super::super::residuals::ConstraintResiduals;
use super::descriptor::StabilisationDescriptor;
use super::{DriftTerms, pstab};

pub(super) const DESCRIPTOR: StabilisationDescriptor = StabilisationDescriptor {
    name: NAME,
    is_word: false,
    terms: Some(SlidingControl::make),
    ..pstab::DESCRIPTOR
};

const NAME: &str = "sliding-mode";

/// The forces of the constraints keep surfaces, and bring those nearer that are not met.
struct SlidingControl {
    reaching: Reaching,
    residuals: ConstraintResiduals,
}

impl SlidingControl {
    fn make(_: &[f64], upkeep: &Upkeep, linear: &LinearSystem) -> Box<dyn DriftTerms> {
        let reaching = Reaching::new(upkeep, &linear.rows);
        Box::new(Self { reaching, residuals: ConstraintResiduals::new(linear.sizes) })
    }
}

impl DriftTerms for SlidingControl {
    fn pull_by_forces(&mut self, _: &LinearSystem, env: &mut Env<'_>, y: &[f64], gamma: &mut [f64]) {
        self.residuals.measure(env, y);
        for (k, (gamma, velocity)) in gamma.iter_mut().zip(&self.residuals.velocity).enumerate() {
            let velocity = self.residuals.position.get(k).map_or(0.0, |_| *velocity);
            *gamma -= self.reaching.control(k, velocity);
        }
    }

    fn pull_motion(&mut self, _: &LinearSystem, _: &mut Env<'_>, _: &[f64], _: &mut [f64]) {}

    fn position_rates(&self) -> &[f64] {
        &[]
    }

    fn reach(&mut self, sides: &[f64]) {
        self.reaching.set(sides);
    }
}
