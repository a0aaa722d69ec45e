//! Fehlberg's explicit pair of order 4(5): order 4 is carried on, order 5 serves for the error.
//!
//! Fehlberg, NASA TR R-315 (1969). Dense output of order 4 is bootstrapped with one further evaluation; the
//! derivative at the end is the next first stage. The last stage stands in the middle of the step, so
//! stiffness is not measured.

use super::explicit::{DenseRule, ErrorRule, Numbers, Tableau};
use super::{Method, MethodDescriptor};

pub(super) const DESCRIPTOR: MethodDescriptor = MethodDescriptor {
    name: "rkf45",
    about: "Fehlberg, explicit",
    order: 4,
    error_order: Some(4),
    dense_order: 4,
    ..MethodDescriptor::explicit::<Fehlberg45>(&TABLEAU)
};

/// The numbers of the method.
pub(super) const TABLEAU: Tableau = Tableau {
    nodes: &[0.0, 1.0 / 4.0, 3.0 / 8.0, 12.0 / 13.0, 1.0, 1.0 / 2.0],
    matrix: &[
        &[],
        &[1.0 / 4.0],
        &[3.0 / 32.0, 9.0 / 32.0],
        &[1932.0 / 2197.0, -7200.0 / 2197.0, 7296.0 / 2197.0],
        &[439.0 / 216.0, -8.0, 3680.0 / 513.0, -845.0 / 4104.0],
        &[-8.0 / 27.0, 2.0, -3544.0 / 2565.0, 1859.0 / 4104.0, -11.0 / 40.0],
    ],
    weights: &[25.0 / 216.0, 0.0, 1408.0 / 2565.0, 2197.0 / 4104.0, -1.0 / 5.0, 0.0],
    error: ErrorRule::Embedded(&[
        -1.0 / 360.0,
        0.0,
        128.0 / 4275.0,
        2197.0 / 75240.0,
        -1.0 / 50.0,
        -2.0 / 55.0,
    ]),
    carries_the_lower: true,
    last_is_first: false,
    dense: DenseRule::bootstrapped(4),
    fine_degree: 4,
    stability_bound: 2.8,
};

/// The method as a type.
#[derive(Clone, Debug)]
pub(super) struct Fehlberg45;

impl Numbers for Fehlberg45 {
    const METHOD: Method = Method::Fehlberg45;
    const TABLEAU: Tableau = TABLEAU;
}
