//! The classical explicit method of order 4, for fixed steps.
//!
//! Kutta, Z. Math. Phys. 46 (1901). The dense output is the cubic through values and slopes at both ends: its
//! order 3 costs nothing and is enough to keep order 4 across events, for an event loses one order once and
//! not in every step. The finer extension of order 4 is bootstrapped with one more evaluation.

use super::explicit::{DenseRule, ErrorRule, Numbers, Tableau};
use super::{Method, MethodDescriptor};

pub(super) const DESCRIPTOR: MethodDescriptor = MethodDescriptor {
    name: "rk4",
    about: "classical Runge-Kutta, explicit, fixed steps only",
    order: 4,
    error_order: None,
    dense_order: 3,
    ..MethodDescriptor::explicit::<RungeKutta4>(&TABLEAU)
};

/// The numbers of the method.
pub(super) const TABLEAU: Tableau = Tableau {
    nodes: &[0.0, 0.5, 0.5, 1.0],
    matrix: &[&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]],
    weights: &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
    error: ErrorRule::None,
    carries_the_lower: false,
    last_is_first: false,
    dense: DenseRule::bootstrapped(3),
    fine_degree: 4,
    stability_bound: 2.78,
};

/// The method as a type.
#[derive(Clone, Debug)]
pub(super) struct RungeKutta4;

impl Numbers for RungeKutta4 {
    const METHOD: Method = Method::RungeKutta4;
    const TABLEAU: Tableau = TABLEAU;
}
