//! Corrections until the constraints are met to rounding (coordinate projection, paper 003, equation (3.79)).

use super::super::Upkeep;
use super::super::constrained_form::FormAt;
use super::super::linear_system::LinearSystem;
use super::super::projection::Corrector;
use super::descriptor::StabilisationDescriptor;
use super::{End, EndProjection, EndRule};

pub(super) const DESCRIPTOR: StabilisationDescriptor = StabilisationDescriptor {
    name: "project",
    is_word: true,
    terms: None,
    projection: Some(CoordinateProjection::make),
};

/// As many corrections as it takes.
struct CoordinateProjection;

impl CoordinateProjection {
    fn make(_: &Upkeep, _: &LinearSystem) -> EndRule {
        EndRule::new(Self)
    }
}

impl EndProjection for CoordinateProjection {
    fn project(&mut self, corrector: &mut Corrector, at: &mut FormAt<'_, '_>, end: End<'_>) {
        corrector.close_state(at, end.y);
    }
}
