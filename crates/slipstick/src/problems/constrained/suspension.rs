//! A wheel on five links (paper 003, section 4.4.2), over a bump and over a step.
//!
//! The thesis gives neither hard points nor masses: ours are in the model file, its tyre and its roads are
//! those of the thesis as far as they can be read. Truth: three methods (orders 8 and 5, explicit and
//! implicit) at tolerances of 1e-12 and 1e-13, which agree to 2e-12. The tyre leaves the road and comes back,
//! and the step is an event of its own.

use super::cranks::rows;
use super::{ConstrainedProblem, Known};

/// Places and Euler parameters, then the speeds of the places, at 0.4 s.
const BUMP: [f64; 10] = [
    -0.002_147_388_234_924,
    9.237_831_438_48e-5,
    0.011_293_586_230_978,
    0.999_999_681_788_927,
    -1.433_644_815_57e-5,
    4.310_204_078_903e-4,
    -6.711_467_194_252e-4,
    -0.012_436_820_219_55,
    -4.604_102_918_68e-4,
    0.064_022_575_247_8,
];
const STEP: [f64; 10] = [
    -0.018_844_369_667_758_6,
    -0.008_279_901_472_102_3,
    0.086_598_092_270_360,
    0.999_963_924_241_984,
    0.002_885_618_620_575_6,
    0.004_277_339_846_933_7,
    -0.006_747_427_923_375,
    -0.050_495_111_627_15,
    -0.044_110_480_292_66,
    0.202_434_683_045,
];

pub(super) fn suspension() -> Vec<ConstrainedProblem> {
    [("suspension-bump", 0.0, BUMP), ("suspension-step", 1.0, STEP)].into_iter().flat_map(on_road).collect()
}

fn on_road((name, stepped, end): (&'static str, f64, [f64; 10])) -> Vec<ConstrainedProblem> {
    let mut problem =
        ConstrainedProblem::read(name, include_str!("suspension.toml"), &[("stepped", stepped)]);
    let places = (0..7).chain(8..11);
    problem.end = places.zip(end).map(|(place, value)| Known { place, value, size: 1.0 }).collect();
    let mut all = rows(&problem, &[1e-4, 1e-6, 1e-8], 10.0);
    for row in &mut all {
        // Two corrections square the drift of a step, which at loose tolerances is still seen: the rods are
        // short, and the wheel is fast.
        let square = row.tolerance.unwrap_or(1.0).powi(2);
        (row.promise.position, row.promise.velocity) = (square.max(1e-12), (10.0 * square).max(1e-12));
    }
    all
}
