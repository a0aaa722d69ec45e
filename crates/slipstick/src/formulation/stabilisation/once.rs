//! One correction of positions, then of velocities (S-both of paper 003, equation (3.66)).

use super::super::Upkeep;
use super::super::constrained_form::FormAt;
use super::super::linear_system::LinearSystem;
use super::super::projection::Corrector;
use super::descriptor::StabilisationDescriptor;
use super::{End, EndProjection, EndRule};

pub(super) const DESCRIPTOR: StabilisationDescriptor =
    StabilisationDescriptor { name: NAME, is_word: true, terms: None, projection: Some(SBoth::make) };

const NAME: &str = "s-both";

/// One correction of each.
struct SBoth;

impl SBoth {
    fn make(_: &Upkeep, _: &LinearSystem) -> EndRule {
        EndRule::new(Self)
    }
}

impl EndProjection for SBoth {
    fn project(&mut self, corrector: &mut Corrector, at: &mut FormAt<'_, '_>, end: End<'_>) {
        if corrector.moves_positions {
            corrector.shift_positions(at, end.y);
            corrector.measure(at, end.y);
        }
        corrector.shift_velocities(at, end.y);
    }
}
