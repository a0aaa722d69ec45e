//! Dormand and Prince's explicit pair of order 5(4) with its continuous extension of order 4.
//!
//! Dormand, Prince, J. Comp. Appl. Math. 6 (1980); dense output: Hairer, Nørsett, Wanner I, eq. II.6.12. The
//! weights are 35/384 … and the error weight of the fifth stage is -17253/339200 (paper 003, table 4.9 has
//! misprints here). The finer extension of order 5 is bootstrapped with two more stages.

use super::explicit::{DenseRule, ErrorRule, Numbers, Tableau};
use super::{Method, MethodDescriptor};

pub(super) const DESCRIPTOR: MethodDescriptor = MethodDescriptor {
    name: "dopri5",
    about: "Dormand-Prince, explicit",
    order: 5,
    error_order: Some(4),
    dense_order: 4,
    ..MethodDescriptor::explicit::<DormandPrince5>(&TABLEAU)
};

const B: [f64; 7] = [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0, 0.0];

/// The numbers of the method.
pub(super) const TABLEAU: Tableau = Tableau {
    nodes: &[0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0],
    matrix: &[
        &[],
        &[0.2],
        &[3.0 / 40.0, 9.0 / 40.0],
        &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
        &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
        &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
        &[B[0], B[1], B[2], B[3], B[4], B[5]],
    ],
    weights: &B,
    error: ErrorRule::Embedded(&[
        71.0 / 57600.0,
        0.0,
        -71.0 / 16695.0,
        71.0 / 1920.0,
        -17253.0 / 339_200.0,
        22.0 / 525.0,
        -1.0 / 40.0,
    ]),
    carries_the_lower: false,
    last_is_first: true,
    dense: DenseRule {
        nodes: &[],
        matrix: &[],
        rows: &[&[
            -12_715_105_075.0 / 11_282_082_432.0,
            0.0,
            87_487_479_700.0 / 32_700_410_799.0,
            -10_690_763_975.0 / 1_880_347_072.0,
            701_980_252_875.0 / 199_316_789_632.0,
            -1_453_857_185.0 / 822_651_844.0,
            69_997_945.0 / 29_380_423.0,
        ]],
        bootstrap_to: 4,
    },
    fine_degree: 5,
    stability_bound: 3.25,
};

/// The method as a type.
#[derive(Clone, Debug)]
pub(super) struct DormandPrince5;

impl Numbers for DormandPrince5 {
    const METHOD: Method = Method::DormandPrince5;
    const TABLEAU: Tableau = TABLEAU;
}
