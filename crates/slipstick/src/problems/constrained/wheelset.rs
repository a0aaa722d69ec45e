//! A wheelset on a straight track (test set for IVP solvers): rails hold the speeds of the axle (index 2),
//! the forces of the rails make the creep of the wheels, and four algebraic equations say where the wheels
//! touch.
//!
//! It is solved as it stands, with a mass matrix, by `radau5`: the forces depend on the multipliers, so that
//! there is no linear system for the accelerations. The creep is limited by a formula with a kink, which is
//! not made an event, as in the test set. Truth: the vector of the test set, which an independent run at 1e-6
//! meets to 1.5e-5; so nothing is promised below that.

use super::{ConstrainedProblem, Known, Promise};
use crate::step::Method;

const END: [f64; 17] = [
    0.008_635_538_696_581_1,
    1.303_828_102_272_7e-5,
    -9.363_578_401_681_8e-5,
    -0.013_642_299_804_033,
    0.001_529_289_500_542_2,
    -0.076_985_374_142_666,
    -2.515_110_642_920_7e-4,
    0.002_054_118_807_953_9,
    -0.239_048_377_036_92,
    -0.013_633_468_454_173,
    -0.244_213_776_611_31,
    -3.366_675_197_219_6e-4,
    -0.159_494_256_840_22,
    3.783_961_438_696_9e-4,
    0.141_732_149_646_13,
    -0.010_124_044_903_201,
    -0.005_628_563_057_375_3,
];

pub(super) fn wheelset() -> Vec<ConstrainedProblem> {
    let mut problem = ConstrainedProblem::read("wheelset", include_str!("wheelset.toml"), &[]);
    let known = |(place, value): (usize, f64)| Known { place, value, size: value.abs().max(1e-3) };
    problem.end = END.into_iter().enumerate().map(known).collect();
    let row = |tolerance: f64| {
        let promise = Promise { end: 100.0 * tolerance, ..Promise::NONE };
        problem.at(Method::Radau5, tolerance, tolerance / 10.0).promising(promise)
    };
    [1e-4, 1e-5, 1e-6].map(row).into()
}
