//! Tsitouras' explicit pair of order 5(4) with its continuous extension of order 4.
//!
//! Tsitouras, Comput. Math. Appl. 62 (2011). The paper prints 16 digits, which meet the order conditions to
//! 1e-14 (its last error weight has the wrong sign: it is -1/66); these are the doubles next to the nearest
//! numbers that meet them exactly. Its extension meets value and slope at both ends, so only the coefficients
//! of θ⁴ are needed. The finer extension of order 5 is bootstrapped with two more stages.

use super::explicit::{DenseRule, ErrorRule, Numbers, Tableau};
use super::{Method, MethodDescriptor};

pub(super) const DESCRIPTOR: MethodDescriptor = MethodDescriptor {
    name: "tsit5",
    about: "Tsitouras, explicit",
    order: 5,
    error_order: Some(4),
    dense_order: 4,
    ..MethodDescriptor::explicit::<Tsitouras5>(&TABLEAU)
};

const B: [f64; 7] = [
    0.09646076681806523,
    0.01,
    0.47988965041449955,
    1.379008574103742,
    -3.290069515436081,
    2.3247105240997743,
    0.0,
];

/// The numbers of the method.
pub(super) const TABLEAU: Tableau = Tableau {
    nodes: &[0.0, 0.161, 0.327, 0.9, 0.9800255409045097, 1.0, 1.0],
    matrix: &[
        &[],
        &[0.161],
        &[-0.008480655492356989, 0.335480655492357],
        &[2.8971530571054935, -6.359448489975075, 4.3622954328695815],
        &[5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525],
        &[5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401, -0.028269050394068383],
        &[B[0], B[1], B[2], B[3], B[4], B[5]],
    ],
    weights: &B,
    error: ErrorRule::Embedded(&[
        0.0017800110522257714,
        0.0008164344596567471,
        -0.007880878010261997,
        0.1447110071732629,
        -0.5823571654525552,
        0.45808210592918697,
        -1.0 / 66.0,
    ]),
    carries_the_lower: false,
    last_is_first: true,
    dense: DenseRule {
        nodes: &[],
        matrix: &[],
        rows: &[&[
            -1.0530884977290216,
            0.1017,
            2.490627285651253,
            -16.548102889244902,
            47.37952196281928,
            -34.87065786149661,
            2.5,
        ]],
        bootstrap_to: 4,
    },
    fine_degree: 5,
    stability_bound: 3.5,
};

/// The method as a type.
#[derive(Clone, Debug)]
pub(super) struct Tsitouras5;

impl Numbers for Tsitouras5 {
    const METHOD: Method = Method::Tsitouras5;
    const TABLEAU: Tableau = TABLEAU;
}
