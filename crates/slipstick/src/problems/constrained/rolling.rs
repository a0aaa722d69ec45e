//! Constraints of speeds: a disc that rolls (paper 003, section 4.6) and a sphere on a sphere (paper 000, section 3.6).
//!
//! The data of the disc are reconstructed: mass and radius one, a thin homogeneous disc that stands upright, `reference/rolling_disc.json`. It is run until
//! 1.5, shortly before it nearly lies flat and moves so fast that states mean little. Truth: Gragg's method, extrapolated to order 22 in 34 digits.
//! The rolling of the spheres is as printed, which does no work but is not that of a sphere; truth: two methods that agree to 1e-27,
//! `reference/seed000_rolling_spheres.json`.

use super::pendulum::table;
use super::{ConstrainedProblem, Promise};
use crate::formulation::Stabilisation;
use crate::step::Method;

const DISC_END: [f64; 10] = [
    -0.008_936_487_845_793_713,
    0.150_998_786_633_757_9,
    1.632_939_618_504_974_5,
    -1.198_476_920_756_541_3,
    -0.151_318_577_790_684_25,
    -0.033_671_027_534_994_64,
    0.541_131_182_176_287,
    -0.468_249_076_534_204_7,
    -3.160_833_578_116_545,
    -0.542_177_733_237_697_9,
];

/// Angles, and their rates, after 8 s.
const SPHERES_END: [[f64; 5]; 2] = [
    [
        -0.721_256_676_724_193_8,
        2.474_689_087_139_721,
        13.878_163_759_793_63,
        2.305_296_189_396_588,
        1.859_243_086_357_062,
    ],
    [
        -0.072_653_719_828_681_68,
        0.142_582_539_591_190_08,
        2.544_325_614_215_769,
        0.349_111_673_852_980_9,
        1.705_247_874_474_415,
    ],
];

/// Table 3.3, by steps and orders.
const SPHERES: [[f64; 3]; 4] = [
    [6.0e-7, 3.3e-10, 2.3e-14],
    [4.6e-9, 9.2e-14, 2.4e-17],
    [5.7e-10, 2.8e-15, 2.3e-17],
    [4.6e-12, 6.2e-17, 6.6e-17],
];

/// What rounding makes of an energy of 5 mJ.
const ROUNDING: f64 = 1e-16;

pub(super) fn rolling() -> Vec<ConstrainedProblem> {
    let disc =
        ConstrainedProblem::read("rolling-disc", include_str!("rolling-disc.toml"), &[]).ending(0, &DISC_END);
    let spheres = ConstrainedProblem::read("rolling-spheres", include_str!("rolling-spheres.toml"), &[])
        .ending(0, &SPHERES_END[0])
        .ending(6, &SPHERES_END[1]);
    let mut all = Vec::new();
    for problem in [&disc, &spheres] {
        for method in [Method::Automatic, Method::DormandPrince5, Method::Radau5] {
            for tolerance in [1e-6, 1e-8] {
                let promise =
                    Promise { end: 10.0 * tolerance, position: 1e-12, velocity: 1e-12, ..Promise::NONE };
                all.push(problem.at(method, tolerance, tolerance / 10.0).promising(promise));
            }
        }
    }
    let terms = Stabilisation::Baumgarte { rate: 20.0, position: 0.0 };
    all.push(disc.at(Method::DormandPrince5, 1e-6, 1e-7).stabilised(terms).saying("B(20)"));
    all.extend(table(&spheres, "table 3.3", &SPHERES, ROUNDING));
    all
}
