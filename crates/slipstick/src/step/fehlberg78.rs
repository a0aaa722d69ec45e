//! Fehlberg's explicit pair of order 7(8): order 7 is carried on, order 8 serves for the error.
//!
//! Fehlberg, NASA TR R-287 (1968). The error is 41/840 (k₁ + k₁₁ - k₁₂ - k₁₃). The nodes of k₁ and k₁₂ are
//! equal, as are those of k₁₁ and k₁₃: where the derivatives depend on time alone the estimate is zero, and
//! nothing limits the step. Such problems are for another method.
//!
//! Dense output: the stages and the derivative at the end give order 5 for nothing; one further stage, on
//! that polynomial at 0.65, gives order 6 (the rows below are the solution of least norm of the order
//! conditions); order 7 is bootstrapped from there with four more. That makes five evaluations, where
//! bootstrapping from the cubic would take ten. The derivative at the end is the next first stage.

use super::explicit::{DenseRule, ErrorRule, Numbers, Tableau};
use super::{Method, MethodDescriptor};

pub(super) const DESCRIPTOR: MethodDescriptor = MethodDescriptor {
    name: "rkf78",
    about: "Fehlberg of high order, explicit",
    order: 7,
    error_order: Some(7),
    dense_order: 7,
    ..MethodDescriptor::explicit::<Fehlberg78>(&TABLEAU)
};

const E: f64 = 41.0 / 840.0;

/// The numbers of the method.
pub(super) const TABLEAU: Tableau = Tableau {
    nodes: &[
        0.0,
        2.0 / 27.0,
        1.0 / 9.0,
        1.0 / 6.0,
        5.0 / 12.0,
        1.0 / 2.0,
        5.0 / 6.0,
        1.0 / 6.0,
        2.0 / 3.0,
        1.0 / 3.0,
        1.0,
        0.0,
        1.0,
    ],
    matrix: &[
        &[],
        &[2.0 / 27.0],
        &[1.0 / 36.0, 1.0 / 12.0],
        &[1.0 / 24.0, 0.0, 1.0 / 8.0],
        &[5.0 / 12.0, 0.0, -25.0 / 16.0, 25.0 / 16.0],
        &[1.0 / 20.0, 0.0, 0.0, 1.0 / 4.0, 1.0 / 5.0],
        &[-25.0 / 108.0, 0.0, 0.0, 125.0 / 108.0, -65.0 / 27.0, 125.0 / 54.0],
        &[31.0 / 300.0, 0.0, 0.0, 0.0, 61.0 / 225.0, -2.0 / 9.0, 13.0 / 900.0],
        &[2.0, 0.0, 0.0, -53.0 / 6.0, 704.0 / 45.0, -107.0 / 9.0, 67.0 / 90.0, 3.0],
        &[
            -91.0 / 108.0,
            0.0,
            0.0,
            23.0 / 108.0,
            -976.0 / 135.0,
            311.0 / 54.0,
            -19.0 / 60.0,
            17.0 / 6.0,
            -1.0 / 12.0,
        ],
        &[
            2383.0 / 4100.0,
            0.0,
            0.0,
            -341.0 / 164.0,
            4496.0 / 1025.0,
            -301.0 / 82.0,
            2133.0 / 4100.0,
            45.0 / 82.0,
            45.0 / 164.0,
            18.0 / 41.0,
        ],
        &[
            3.0 / 205.0,
            0.0,
            0.0,
            0.0,
            0.0,
            -6.0 / 41.0,
            -3.0 / 205.0,
            -3.0 / 41.0,
            3.0 / 41.0,
            6.0 / 41.0,
            0.0,
        ],
        &[
            -1777.0 / 4100.0,
            0.0,
            0.0,
            -341.0 / 164.0,
            4496.0 / 1025.0,
            -289.0 / 82.0,
            2193.0 / 4100.0,
            51.0 / 82.0,
            33.0 / 164.0,
            12.0 / 41.0,
            0.0,
            1.0,
        ],
    ],
    weights: &[
        E,
        0.0,
        0.0,
        0.0,
        0.0,
        34.0 / 105.0,
        9.0 / 35.0,
        9.0 / 35.0,
        9.0 / 280.0,
        9.0 / 280.0,
        E,
        0.0,
        0.0,
    ],
    error: ErrorRule::Embedded(&[E, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, E, -E, -E]),
    carries_the_lower: true,
    last_is_first: false,
    dense: DenseRule {
        nodes: &[0.65],
        matrix: &[&[
            0.08675047768985039,
            0.0,
            0.0,
            0.0,
            0.0,
            0.27744718279676894,
            0.04888552601287344,
            0.21327058366518792,
            -0.040580757314880145,
            0.10329260811972675,
            0.06895207425639567,
            -0.02793196278622815,
            0.03389463377995334,
            -0.11398036621964815,
        ]],
        rows: &[
            &[
                -2.017906021545262,
                0.0,
                0.0,
                0.0,
                0.0,
                -11.495238095238095,
                -5.398613622664255,
                8.424171187462326,
                -1.2404912597950573,
                -0.37656720916214587,
                0.4220891099055656,
                -2.017906021545262,
                0.4220891099055656,
                0.9138034960819771,
                12.364569326594642,
            ],
            &[1.45, 0.0, 0.0, 0.0, 0.0, 6.8, -6.6, -6.6, 0.3, 0.3, -2.05, 1.45, -2.05, 7.0, 0.0],
            &[
                1.9085614338778896,
                0.0,
                0.0,
                0.0,
                0.0,
                37.77777777777778,
                28.59353023909986,
                -11.91279887482419,
                4.338959212376934,
                1.8073136427566807,
                1.105250820440694,
                1.9085614338778896,
                1.105250820440694,
                -8.931082981715893,
                -57.70132352410833,
            ],
        ],
        bootstrap_to: 7,
    },
    fine_degree: 7,
    stability_bound: 5.03,
};

/// The method as a type.
#[derive(Clone, Debug)]
pub(super) struct Fehlberg78;

impl Numbers for Fehlberg78 {
    const METHOD: Method = Method::Fehlberg78;
    const TABLEAU: Tableau = TABLEAU;
}
