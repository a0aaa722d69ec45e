//! What the list says of a stabilisation, and what its two parts are asked for.

use super::super::Upkeep;
use super::super::constrained_form::FormAt;
use super::super::env::Env;
use super::super::linear_system::LinearSystem;
use super::super::projection::Corrector;
use super::super::residuals::ConstraintResiduals;
use super::pstab;

/// A stabilisation.
pub(super) struct StabilisationDescriptor {
    /// The word for it.
    pub(super) name: &'static str,
    /// Whether a model file asks for it by its name alone: it has no numbers.
    pub(super) is_word: bool,
    /// Makes its terms in the equations from its numbers, which are in the order of the list.
    pub(super) terms: Option<MakeTerms>,
    /// Makes what it does with the ends of steps.
    pub(super) projection: Option<MakeProjection>,
}

type MakeTerms = fn(&[f64], &Upkeep, &LinearSystem) -> Box<dyn DriftTerms>;
type MakeProjection = fn(&Upkeep, &LinearSystem) -> EndRule;

pub(super) const NONE: StabilisationDescriptor =
    StabilisationDescriptor { name: "none", is_word: true, terms: None, projection: None };

/// Where `radau5` does not solve for the constraints itself, the ends of its steps are projected.
pub(super) const GGL: StabilisationDescriptor = StabilisationDescriptor { name: "ggl", ..pstab::DESCRIPTOR };

/// Drift feedback: terms in the equations of motion that pull back to the constraints.
pub(in crate::formulation) trait DriftTerms {
    /// Changes what the constraints ask of the accelerations, so that their forces do the pulling.
    fn pull_by_forces(&mut self, linear: &LinearSystem, env: &mut Env<'_>, y: &[f64], gamma: &mut [f64]);

    /// Changes the accelerations, and leaves the forces of the constraints alone.
    fn pull_motion(&mut self, linear: &LinearSystem, env: &mut Env<'_>, y: &[f64], motion: &mut [f64]);

    /// What is taken off the rates of positions, since the motion was changed last; nothing if it is empty.
    fn position_rates(&self) -> &[f64];

    /// The side from which the surface of each constraint is approached; none once all are met.
    fn reach(&mut self, sides: &[f64]);
}

/// The end of a step that is projected, with the state before.
pub(in crate::formulation) struct End<'y> {
    pub(in crate::formulation) y: &'y mut [f64],
    pub(in crate::formulation) before: &'y [f64],
}

/// What is done with the ends of steps.
pub(in crate::formulation) struct EndRule {
    pub(in crate::formulation) projection: Box<dyn EndProjection>,
    /// Whether positions are moved; otherwise velocities are alone.
    pub(in crate::formulation) moves_positions: bool,
    /// Whether it factors a linear system of its own, and needs no factors of the corrector.
    pub(in crate::formulation) has_own_system: bool,
}

impl EndRule {
    /// One that moves positions too, by factors of the corrector.
    pub(super) fn new(projection: impl EndProjection + 'static) -> Self {
        Self { projection: Box::new(projection), moves_positions: true, has_own_system: false }
    }
}

/// How the ends of steps are moved.
pub(in crate::formulation) trait EndProjection {
    /// Moves the end of a step towards the constraints. The terms are those of this point, the residuals are
    /// known, and so are the factors of the corrector if it needs them.
    fn project(&mut self, corrector: &mut Corrector, at: &mut FormAt<'_, '_>, end: End<'_>);
}

/// `rate ġ + position g`, by rows.
pub(super) fn weigh(residuals: &ConstraintResiduals, rate: f64, position: f64, out: &mut [f64]) {
    for (out, velocity) in out.iter_mut().zip(&residuals.velocity) {
        *out = rate * velocity;
    }
    for (out, drift) in out.iter_mut().zip(&residuals.position) {
        *out += position * drift;
    }
}
