//! Constraints of speeds: a disc that rolls (paper 003, section 4.6) and a sphere on a sphere (paper 000,
//! section 3.6).
//!
//! The data of the disc are reconstructed: mass and radius one, a thin homogeneous disc that stands upright,
//! `reference/rolling_disc.json`. It is run until 1.5, shortly before it nearly lies flat and moves so fast
//! that states mean little. Truth: Gragg's method, extrapolated to order 22 in 34 digits. The rolling of the
//! spheres is as printed, which does no work but is not that of a sphere; truth: two methods that agree to
//! 1e-27, `reference/seed000_rolling_spheres.json`.

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

/// The same after a start that meets none of the constraints. The times at which the surfaces are met are
/// known, 0.3 w / 0.03, 0.12 w / 0.01 and 2 s, so the truth is an ordinary equation on each of four pieces:
/// Gragg's method, extrapolated to order 20 in 30 digits, good to 1e-17.
const REACHED_END: [[f64; 6]; 2] = [
    [
        -0.911_124_805_906_564_8,
        2.847_554_162_898_373_6,
        19.203_513_047_343_674,
        1.975_386_138_182_570_5,
        1.116_135_178_295_640_6,
        0.6,
    ],
    [
        -0.073_971_903_681_033_93,
        0.233_048_009_333_871_76,
        2.309_072_919_306_987_5,
        2.025_623_602_021_853_6,
        0.908_947_439_941_089_3,
        0.0,
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
    all.extend(
        table(&spheres, "table 3.3", &SPHERES, ROUNDING)
            .into_iter()
            .map(|row| row.stabilised(Stabilisation::SlidingMode)),
    );
    all.extend(reached());
    all
}

/// From a start that meets none of the constraints, also with the method and the step of the paper.
fn reached() -> Vec<ConstrainedProblem> {
    let text = include_str!("rolling-spheres-inconsistent.toml");
    let [positions, speeds] = &REACHED_END;
    let problem = ConstrainedProblem::read("rolling-spheres-inconsistent", text, &[])
        .ending(0, positions)
        .ending(6, speeds);
    let promise = |end: f64| Promise { end, ..Promise::NONE };
    let mut all: Vec<_> = [Method::Automatic, Method::DormandPrince5, Method::Radau5]
        .into_iter()
        .flat_map(|method| [1e-6, 1e-8].map(|tolerance| (method, tolerance)))
        .map(|(method, tolerance)| {
            problem.at(method, tolerance, tolerance / 10.0).promising(promise(10.0 * tolerance))
        })
        .collect();
    let fixed = problem.fixed(Method::DormandPrince5, 0.01).promising(promise(1e-8));
    all.push(fixed.saying("order 5, h = 0.01, as in the paper"));
    all
}
