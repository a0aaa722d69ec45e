//! Corrections of velocities alone, two of them (paper 003, equation (3.75)). Positions drift.

use super::super::Upkeep;
use super::super::linear_system::LinearSystem;
use super::EndRule;
use super::descriptor::StabilisationDescriptor;
use super::pstab::PStab;

pub(super) const DESCRIPTOR: StabilisationDescriptor =
    StabilisationDescriptor { name: NAME, is_word: true, terms: None, projection: Some(make) };

const NAME: &str = "s-speed";

fn make(upkeep: &Upkeep, linear: &LinearSystem) -> EndRule {
    EndRule { moves_positions: false, ..PStab::make(upkeep, linear) }
}
