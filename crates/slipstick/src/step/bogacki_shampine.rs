//! Bogacki and Shampine's explicit pair of order 3(2), with the cubic through both ends as dense output of
//! order 3.
//!
//! Bogacki, Shampine, Appl. Math. Letters 2 (1989). First same as last: a step costs three evaluations. No
//! stage but the last stands at the end of the step, so stiffness is not measured.

use super::explicit::{DenseRule, ErrorRule, Numbers, Tableau};
use super::{Method, MethodDescriptor};

pub(super) const DESCRIPTOR: MethodDescriptor = MethodDescriptor {
    name: "bs32",
    about: "Bogacki-Shampine, explicit",
    order: 3,
    error_order: Some(2),
    dense_order: 3,
    ..MethodDescriptor::explicit::<BogackiShampine3>(&TABLEAU)
};

/// The numbers of the method.
pub(super) const TABLEAU: Tableau = Tableau {
    nodes: &[0.0, 0.5, 0.75, 1.0],
    matrix: &[&[], &[0.5], &[0.0, 0.75], &[2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0]],
    weights: &[2.0 / 9.0, 1.0 / 3.0, 4.0 / 9.0, 0.0],
    error: ErrorRule::Embedded(&[-5.0 / 72.0, 1.0 / 12.0, 1.0 / 9.0, -1.0 / 8.0]),
    carries_the_lower: false,
    last_is_first: true,
    dense: DenseRule::bootstrapped(3),
    fine_degree: 3,
    stability_bound: 2.0,
};

/// The method as a type.
#[derive(Clone, Debug)]
pub(super) struct BogackiShampine3;

impl Numbers for BogackiShampine3 {
    const METHOD: Method = Method::BogackiShampine3;
    const TABLEAU: Tableau = TABLEAU;
}
