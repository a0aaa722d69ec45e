//! Heun's explicit method of order 2 with Euler's embedded: 2(1).
//!
//! Hairer, Nørsett, Wanner I, section II.1. The dense output is the cubic through values and slopes at both
//! ends; since the end itself is only of order 2, so is the cubic. The derivative at the end is the next
//! first stage, so a step costs two evaluations.

use super::explicit::{DenseRule, ErrorRule, Numbers, Tableau};
use super::{Method, MethodDescriptor};

pub(super) const DESCRIPTOR: MethodDescriptor = MethodDescriptor {
    name: "heun2",
    about: "Heun with Euler embedded, explicit",
    order: 2,
    error_order: Some(1),
    dense_order: 2,
    ..MethodDescriptor::explicit::<Heun2>(&TABLEAU)
};

/// The numbers of the method.
pub(super) const TABLEAU: Tableau = Tableau {
    nodes: &[0.0, 1.0],
    matrix: &[&[], &[1.0]],
    weights: &[0.5, 0.5],
    error: ErrorRule::Embedded(&[-0.5, 0.5]),
    carries_the_lower: false,
    last_is_first: false,
    dense: DenseRule::bootstrapped(3),
    fine_degree: 3,
    stability_bound: 2.0,
};

/// The method as a type.
#[derive(Clone, Debug)]
pub(super) struct Heun2;

impl Numbers for Heun2 {
    const METHOD: Method = Method::Heun2;
    const TABLEAU: Tableau = TABLEAU;
}
