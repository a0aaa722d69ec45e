//! Kutta's explicit method of order 3, for fixed steps.
//!
//! Kutta, Z. Math. Phys. 46 (1901). The dense output is the cubic through values and slopes at both ends, of
//! order 3; it costs nothing, since the derivative at the end is the next first stage.

use super::explicit::{DenseRule, ErrorRule, Numbers, Tableau};
use super::{Method, MethodDescriptor};

pub(super) const DESCRIPTOR: MethodDescriptor = MethodDescriptor {
    name: "kutta3",
    about: "Kutta, explicit, fixed steps only",
    order: 3,
    error_order: None,
    dense_order: 3,
    ..MethodDescriptor::explicit::<Kutta3>(&TABLEAU)
};

/// The numbers of the method.
pub(super) const TABLEAU: Tableau = Tableau {
    nodes: &[0.0, 0.5, 1.0],
    matrix: &[&[], &[0.5], &[-1.0, 2.0]],
    weights: &[1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0],
    error: ErrorRule::None,
    carries_the_lower: false,
    last_is_first: false,
    dense: DenseRule::bootstrapped(3),
    fine_degree: 3,
    stability_bound: 2.51,
};

/// The method as a type.
#[derive(Clone, Debug)]
pub(super) struct Kutta3;

impl Numbers for Kutta3 {
    const METHOD: Method = Method::Kutta3;
    const TABLEAU: Tableau = TABLEAU;
}
