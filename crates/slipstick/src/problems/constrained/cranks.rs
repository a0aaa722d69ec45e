//! Slider-cranks (paper 003, sections 4.4.4 and 4.5).
//!
//! The masses and the start of the one with a spring are not printed; ours are in
//! `reference/slider_crank_tsda.json`, with a truth from the reduction to one coordinate at two tolerances
//! that agree to 1e-10. So the work that table 4.8 prints is no promise here.
//!
//! The singular one has links of equal length. When they lie on each other, the constraint
//! `cos(th1) + cos(th2)` has no direction, and the crank could go on in two ways; `th1 + th2 - π` is the same
//! without that. From rest at 75° it passes there at 0.905 and 2.714 s. Truth: the reduced equation
//! `(3 + 2 cos 2θ) θ'' = 2 sin 2θ θ'² - 9.8 sin θ` by Gragg's method, extrapolated to order 22 in 34 digits.

use super::{ConstrainedProblem, Promise};
use crate::step::Method;

/// Angle, place x and y of the rod, place of the slider; then the angle's rate and the speed of the slider,
/// after 0.5 s.
const SOFT: [f64; 6] = [
    2.763_680_472_668_242_7,
    -0.350_346_831_190_647_9,
    0.553_471_167_988_803_5,
    2.087_617_415_102_785_8,
    4.427_398_991_010_773,
    -2.098_298_367_386_662_6,
];
const STIFF: [f64; 6] = [
    4.099_913_767_699_937,
    0.453_304_844_234_961,
    -1.227_341_309_446_609_7,
    2.631_293_207_409_999,
    -10.638_529_935_185_117,
    -15.774_683_752_135_218,
];
const PLACES: [usize; 6] = [2, 3, 4, 6, 11, 15];

/// The angle of the crank and its rate after 4 s.
const SINGULAR_END: [f64; 2] = [0.896_585_751_827_512_3, -1.673_099_746_070_639_6];

pub(super) fn cranks() -> Vec<ConstrainedProblem> {
    let mut all = with_spring("slider-crank-1000", 1e3, &SOFT);
    all.extend(with_spring("slider-crank-10000", 1e4, &STIFF));
    all.extend(singular("singular-slider-crank", "cos(th1) + cos(th2)"));
    all.extend(singular("regular-slider-crank", "th1 + th2 - pi"));
    all
}

fn with_spring(name: &'static str, k: f64, end: &[f64; 6]) -> Vec<ConstrainedProblem> {
    let mut problem = ConstrainedProblem::read(name, include_str!("slider-crank.toml"), &[("k", k)]);
    for (place, value) in PLACES.into_iter().zip(end) {
        problem = problem.ending(place, &[*value]);
    }
    rows(&problem, &[1e-4, 1e-6, 1e-8], 10.0)
}

fn singular(name: &'static str, constraint: &str) -> Vec<ConstrainedProblem> {
    let text =
        format!("constraints.joint = \"{constraint}\"\n{}", include_str!("singular-slider-crank.toml"));
    let [angle, rate] = SINGULAR_END;
    let problem = ConstrainedProblem::read(name, &text, &[])
        .ending(0, &[angle, std::f64::consts::PI - angle])
        .ending(2, &[rate, -rate]);
    rows(&problem, &[1e-6, 1e-8], 10.0)
}

pub(super) fn rows(
    problem: &ConstrainedProblem,
    tolerances: &[f64],
    multiple: f64,
) -> Vec<ConstrainedProblem> {
    let methods = [Method::Automatic, Method::DormandPrince5, Method::DormandPrince8, Method::Radau5];
    let cases = methods.into_iter().flat_map(|method| tolerances.iter().map(move |t| (method, *t)));
    let row = |(method, tolerance): (Method, f64)| {
        let promise =
            Promise { end: multiple * tolerance, position: 1e-12, velocity: 1e-12, ..Promise::NONE };
        problem.at(method, tolerance, tolerance / 10.0).promising(promise)
    };
    cases.map(row).collect()
}
