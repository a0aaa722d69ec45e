//! The interface of all one-step methods, and the list of those there are.

use super::{DormandPrince5, Tolerances, Trial};
use crate::formulation::Field;

/// A one-step method with its scratch. After the first step nothing here allocates.
pub trait Step {
    /// Tries the step that `trial` describes (its `t`, `h` and `start` are set) and fills in `end`, `error` and `fault`.
    fn attempt(&mut self, field: &mut dyn Field, tolerances: &Tolerances, trial: &mut Trial);

    /// Fills in the dense output of the trial just made. May evaluate the field.
    fn interpolate(&mut self, field: &mut dyn Field, trial: &mut Trial);

    /// The trial just made is taken as a whole: its end is the next start, so what is known there is kept.
    fn advance(&mut self);

    /// Whatever was known at the start is no longer true (an event, a projection): forget it.
    fn restart(&mut self);
}

/// The methods that can be asked for by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Method {
    /// Dormand and Prince's explicit pair of order 5(4).
    #[default]
    DormandPrince5,
}

impl Method {
    /// Every method, in the order in which they are listed to people.
    pub const ALL: &'static [Self] = &[Self::DormandPrince5];

    /// The name in model files, on the command line and in benchmark rows.
    pub fn name(self) -> &'static str {
        match self {
            Self::DormandPrince5 => "dopri5",
        }
    }

    /// The method of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|method| method.name() == name)
    }

    /// The order of the solution that is carried on.
    pub fn order(self) -> u32 {
        match self {
            Self::DormandPrince5 => 5,
        }
    }

    /// The order of the error estimate, which the step size goes by.
    pub fn error_order(self) -> u32 {
        match self {
            Self::DormandPrince5 => 4,
        }
    }

    /// The order of the dense output: its error at a fixed point of a step of size h is O(h^(order+1)).
    pub fn dense_order(self) -> u32 {
        match self {
            Self::DormandPrince5 => 4,
        }
    }

    /// The method with scratch for states of the given length.
    pub fn build(self, dimension: usize) -> Box<dyn Step> {
        match self {
            Self::DormandPrince5 => Box::new(DormandPrince5::new(dimension)),
        }
    }
}
