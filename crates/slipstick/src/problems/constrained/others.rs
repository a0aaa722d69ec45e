//! Mechanisms of other collections.
//!
//! - `car-axis`: the test set for IVP solvers; truth: its vector of 21 digits.
//! - `iftomm-a01`: A01 of the `IFToMM` benchmarks, a point on a rod; truth: the exact equation at 1e-13, its
//!   period from an elliptic integral.
//! - `iftomm-a02`: A02 of the `IFToMM` benchmarks with two loops. Whenever the cranks are horizontal, the
//!   mechanism could go on in other ways, and the rank of the constraints drops. Truth: the equation of one
//!   angle, `θ'' = K sin θ`.

use super::cranks::rows;
use super::{ConstrainedProblem, Promise};
use crate::formulation::Stabilisation;
use crate::problems::Problem;
use crate::step::Method;

const CAR_AXIS_END: [f64; 8] = [
    0.049_345_578_427_540_28,
    0.496_989_460_230_171_15,
    1.041_742_524_885_421_5,
    0.373_911_027_265_361_24,
    -0.077_058_368_404_097_23,
    0.007_446_866_587_237_785,
    0.017_556_815_753_723_223,
    0.770_341_043_779_251_9,
];
const A01_END: [f64; 4] =
    [-0.275_087_462_576_610_65, -0.961_419_205_098_983_8, 4.175_598_100_950_784, -1.194_749_054_562_524_8];
/// The same after 1 s.
const A01_FIRST: [f64; 4] =
    [0.986_291_751_131_874_1, -0.165_010_853_125_548_67, 0.296_905_515_916_353_6, 1.774_643_641_112_798_6];
const A02_END: [f64; 4] =
    [0.328_458_111_535_856_1, 0.944_518_538_180_325_6, 1.423_051_470_195_772_8, -0.494_868_845_474_782_66];

pub(super) fn others() -> Vec<ConstrainedProblem> {
    let read = ConstrainedProblem::read;
    let axis = read("car-axis", include_str!("car-axis.toml"), &[]).ending(0, &CAR_AXIS_END);
    let point = read("iftomm-a01", include_str!("point-pendulum.toml"), &[]).ending(0, &A01_END);
    let bars = read("iftomm-a02", include_str!("four-bars.toml"), &[])
        .ending(0, &A02_END[..2])
        .ending(6, &A02_END[2..]);
    // The bars come to a near rest upright again and again, where small errors grow.
    let mut all = rows(&axis, &[1e-6, 1e-8], 100.0);
    all.extend(rows(&point, &[1e-6, 1e-8], 300.0));
    all.extend(rows(&bars, &[1e-6, 1e-8], 1e3));
    all
}

/// `iftomm-a01` over 10⁴ periods: the joint stays shut, however long it takes. Where on its way the pendulum
/// is then is not promised.
pub(super) fn ten_thousand_periods() -> Vec<ConstrainedProblem> {
    const PERIOD: f64 = 2.367_841_947_576_237_3;
    let mut problem =
        ConstrainedProblem::read("pendulum-10000-periods", include_str!("point-pendulum.toml"), &[]);
    problem.plan.options.until = 1e4 * PERIOD;
    let promise = Promise { position: 1e-12, velocity: 1e-12, ..Promise::NONE };
    let row =
        problem.ending(0, &[-1.0, 0.0, 0.0, 0.0]).at(Method::DormandPrince8, 1e-10, 1e-11).promising(promise);
    [Stabilisation::Twice, Stabilisation::Project, Stabilisation::Once, Stabilisation::Full]
        .map(|s| row.clone().stabilised(s))
        .into()
}

/// `iftomm-a01` until 1 s, for methods that take many steps.
pub fn mechanisms() -> Vec<Problem> {
    let plan = ConstrainedProblem::read("iftomm-a01", include_str!("point-pendulum.toml"), &[]).plan;
    vec![Problem {
        name: "iftomm-a01",
        source: "IFToMM benchmark A01; the exact equation at 1e-13",
        system: Box::new(plan.system),
        start: plan.start,
        until: 1.0,
        end: A01_FIRST.to_vec(),
        scale: None,
        absolute: 0.1,
        promise: 100.0,
        invariant: None,
    }]
}
