//! Andrews' squeezing mechanism, seven bodies in closed loops (paper 003, section 4.4.1; test set for IVP
//! solvers).
//!
//! Truth: two methods in 48 digits that agree to 2e-21 (`reference/seed003_andrews.json`); the widely
//! published values at 0.03 are off by 1e-9. The error is that of the seven coordinates, relative to each.
//! Until 0.3 the crank turns a hundred times, and errors of its angle grow by a factor of some thousand.
//!
//! Tables 4.1 and 4.2 seem to be made with a safety factor of 0.85, which the thesis does not say: with it,
//! and errors judged by their mean, a plain DOPRI5 makes all of B(20,100) in table 4.1 to the step (2855,
//! 4275 and 6471 steps; 1862 for 1858 at 1e-4, where rounding decides), and so the last row of table 4.2
//! (2849 steps, 2446 of them taken, every one corrected), if rejected steps are corrected too and the error
//! is that of the corrected end; with a `datol` above zero other steps are corrected than there. Table 4.1
//! has `PStab` with a `datol` of 1e-6 whose test is not told: 12 steps fewer than its own without. `phem56`
//! takes less work than printed in every row, also with errors judged by the worst state.

use super::{ConstrainedProblem, Known, Promise};
use crate::formulation::{Metric, Stabilisation};
use crate::step::Method;

const AT_0_015: [f64; 7] = [
    5.655_429_749_991_794,
    -5.833_796_765_108_832,
    0.425_891_925_752_377_94,
    0.164_012_837_572_605_3,
    0.493_676_526_968_644_4,
    -0.164_012_837_572_605_3,
    1.208_712_541_909_195,
];
const AT_0_03: [f64; 7] = [
    15.810_771_195_153_707,
    -15.756_371_058_411_84,
    0.040_822_240_119_645_8,
    -0.534_730_116_342_079_6,
    0.524_409_965_879_954,
    0.534_730_116_342_079_6,
    1.048_080_741_041_938,
];
const AT_0_3: [f64; 7] = [
    636.737_019_957_630_4,
    -636.457_747_409_825_7,
    0.163_291_176_214_715_56,
    -0.320_228_970_324_623_4,
    0.524_979_716_601_096_5,
    0.320_228_970_324_623_4,
    1.069_889_197_432_745,
];

const METHODS: [Method; 5] =
    [Method::Automatic, Method::DormandPrince5, Method::DormandPrince8, Method::Tsitouras5, Method::Radau5];
const TOLERANCES: [f64; 5] = [1e-4, 1e-5, 1e-6, 1e-7, 1e-8];

/// Table 4.2 at 1e-5: the drift tolerance, NFCN and the number of corrected steps.
const DRIFT_TOLERANCES: [(f64, u32, u32); 6] = [
    (1e-5, 16427, 5),
    (1e-6, 17024, 601),
    (1e-7, 17066, 2126),
    (1e-8, 17090, 2821),
    (1e-9, 17090, 2839),
    (0.0, 17096, 2849),
];

/// Table 4.1 by tolerances from 1e-4 on: NFCN with B(20,100), and with `PStab`.
const TABLE: [(u32, u32); 4] = [(11150, 10784), (17132, 17024), (25625, 25592), (38828, 38780)];

fn until(name: &'static str, until: f64, end: &[f64; 7]) -> ConstrainedProblem {
    let mut problem = ConstrainedProblem::read(name, include_str!("andrews.toml"), &[]);
    problem.plan.options.until = until;
    let known = |(place, &value): (usize, &f64)| Known { place, value, size: value.abs() };
    problem.end = end.iter().enumerate().map(known).collect();
    problem
}

fn rows(problem: &ConstrainedProblem, multiple: f64) -> Vec<ConstrainedProblem> {
    let cases = METHODS.into_iter().flat_map(|method| TOLERANCES.map(|tolerance| (method, tolerance)));
    let row = |(method, tolerance): (Method, f64)| {
        // The estimate of `dop853`, which `auto` takes there, is off by up to 65 times for 44 of 150
        // tolerances from 5e-7 to 2e-6: which ones, rounding decides.
        let is_off = matches!(method, Method::DormandPrince8 | Method::Automatic) && tolerance == 1e-6;
        let multiple = if is_off { 100.0 * multiple } else { multiple };
        let promise =
            Promise { end: multiple * tolerance, position: 1e-12, velocity: 1e-11, ..Promise::NONE };
        problem.at(method, tolerance, tolerance / 10.0).promising(promise)
    };
    cases.map(row).collect()
}

/// Until 0.015 and 0.03.
pub(super) fn short() -> Vec<ConstrainedProblem> {
    let mut all = rows(&until("andrews-0.015", 0.015, &AT_0_015), 1.0);
    let problem = until("andrews-0.03", 0.03, &AT_0_03);
    all.extend(rows(&problem, 1.0));
    all.extend(other_formulations(&problem));
    all.extend(half_explicit(&problem));
    all.extend(implicit(&problem));
    all
}

/// Implicit methods on the constraints. Generalized-α methods are at tolerances that suit order 2: with an
/// error of the tolerance in each step of size tolerance^(1/3). Each promises the constraints that it keeps.
fn implicit(problem: &ConstrainedProblem) -> Vec<ConstrainedProblem> {
    let mut all = Vec::new();
    for tolerance in [1e-4, 1e-6] {
        let end = 5.0 * f64::powf(tolerance, 2.0 / 3.0);
        let both = Promise { end, position: 1e-12, velocity: 1e-11, ..Promise::NONE };
        let positions = Promise { velocity: f64::INFINITY, ..both };
        let cases = [
            (Method::GeneralizedAlpha, both),
            (Method::GeneralizedAlpha2, both),
            (Method::GeneralizedAlpha3, positions),
        ];
        let row = |(method, promise)| problem.at(method, tolerance, tolerance / 10.0).promising(promise);
        all.extend(cases.map(row));
        // Newton's iteration leaves a part of the tolerance that the method has inside, tolerance^(2/3) / 10,
        // by the speeds, which go up to 1e3 here.
        let inside = 0.1 * f64::powf(tolerance, 2.0 / 3.0);
        let promise =
            Promise { end: 5.0 * tolerance, position: inside, velocity: 1e3 * inside, ..Promise::NONE };
        let radau = problem.at(Method::Radau5, tolerance, tolerance / 10.0);
        all.push(radau.stabilised(Stabilisation::Ggl).promising(promise));
    }
    all
}

/// Half-explicit methods. By themselves they promise speeds on their constraints, and with corrections that
/// their joints are shut. At the same tolerance `phem56` makes longer steps than others, and has larger
/// errors.
fn half_explicit(problem: &ConstrainedProblem) -> Vec<ConstrainedProblem> {
    let mut all = Vec::new();
    for method in [Method::HalfExplicit5, Method::PartitionedHalfExplicit5] {
        for tolerance in TOLERANCES {
            let row = problem.at(method, tolerance, tolerance / 10.0);
            let near = Promise { end: 5.0 * tolerance, velocity: 1e-13, ..Promise::NONE };
            let shut = Promise { end: 2.0 * tolerance, position: 1e-12, ..near };
            all.push(row.clone().promising(shut));
            all.push(row.stabilised(Stabilisation::None).promising(near));
        }
    }
    all
}

/// What else can keep the joints shut. What claims it promises it; terms in the equations and corrections of
/// speeds promise nothing.
fn other_formulations(problem: &ConstrainedProblem) -> Vec<ConstrainedProblem> {
    let at = |tolerance: f64| problem.at(Method::DormandPrince5, tolerance, tolerance / 10.0);
    let (rate, position) = (20.0, 100.0);
    let mut all = Vec::new();
    for tolerance in [1e-4, 1e-6, 1e-8] {
        let shut = Promise { end: tolerance, position: 1e-12, velocity: 1e-11, ..Promise::NONE };
        let near = Promise { end: tolerance, ..Promise::NONE };
        all.push(at(tolerance).stabilised(Stabilisation::Project).promising(shut));
        all.push(
            at(tolerance).stabilised(Stabilisation::Project).measured_by(Metric::Identity).promising(shut),
        );
        all.push(at(tolerance).measured_by(Metric::Identity).promising(shut));
        all.push(at(tolerance).stabilised(Stabilisation::Full).promising(near));
        all.push(at(tolerance).stabilised(Stabilisation::Once).promising(near));
        let unpromised = [
            Stabilisation::Speeds,
            Stabilisation::Baumgarte { rate, position },
            Stabilisation::Normal { rate, position },
            Stabilisation::Gradient { rate, position },
            Stabilisation::Reduced { decay: 10.0, rate: 100.0 },
            Stabilisation::None,
        ];
        all.extend(unpromised.map(|stabilisation| at(tolerance).stabilised(stabilisation)));
    }
    all
}

/// Until 0.3, beside table 4.1.
pub(super) fn long() -> Vec<ConstrainedProblem> {
    let problem = until("andrews-0.3", 0.3, &AT_0_3);
    let mut all = rows(&problem, 5e3);
    for row in all.iter_mut().filter(|row| row.plan.options.method == Method::DormandPrince5) {
        let of_row = TOLERANCES.iter().zip(TABLE).find(|(tolerance, _)| Some(**tolerance) == row.tolerance);
        row.printed = of_row.map(|(_, (_, nfcn))| f64::from(nfcn));
    }
    for (tolerance, (baumgarte, nfcn)) in TOLERANCES.into_iter().zip(TABLE) {
        let promise = Promise { position: 1e-12, velocity: 1e-11, ..Promise::NONE };
        let row = problem.at(Method::DormandPrince5, tolerance, tolerance / 10.0).in_the_mean();
        let as_printed = |stabilisation, most: f64, nfcn: u32, name: &str| {
            let mut row = row.clone().stabilised(stabilisation);
            row.plan.options.steps.safety = 0.85;
            let promise = if name == "PStab" { promise } else { Promise::NONE };
            let promise = Promise { derivatives: most * f64::from(nfcn), ..promise };
            row.promising(promise).saying(format!(
                "safety 0.85, mean norm; table 4.1: NFCN {nfcn} with {name}, promised {most} times as much"
            ))
        };
        all.push(as_printed(Stabilisation::Twice, 1.025, nfcn, "PStab"));
        let terms = Stabilisation::Baumgarte { rate: 20.0, position: 100.0 };
        all.push(as_printed(terms, 1.01, baumgarte, "B(20,100)"));
        let promise = Promise { derivatives: f64::from(nfcn), ..promise };
        let half_explicit = problem.at(Method::PartitionedHalfExplicit5, tolerance, tolerance / 10.0);
        all.push(
            half_explicit.promising(promise).saying(format!("table 4.1: NFCN {nfcn}, no more promised")),
        );
    }
    all.extend(with_drift_tolerances(&problem));
    all
}

/// Table 4.2: right-hand sides no more than printed, 1 % more in the first row, and drifts within the drift
/// tolerance.
fn with_drift_tolerances(problem: &ConstrainedProblem) -> Vec<ConstrainedProblem> {
    let row = |(datol, nfcn, corrected): (f64, u32, u32)| {
        let mut row = problem.at(Method::DormandPrince5, 1e-5, 1e-6).in_the_mean();
        row.plan.options.constraints.drift_tolerance = datol;
        let (position, velocity) = (datol.max(1e-12), datol.max(1e-11));
        let most = if datol == 1e-5 { 1.01 } else { 1.0 };
        let promise = Promise { position, velocity, derivatives: most * f64::from(nfcn), ..Promise::NONE };
        let remark =
            format!("datol {datol:e}, mean norm; table 4.2: NFCN {nfcn}, {corrected} steps corrected");
        row.promising(promise).saying(remark)
    };
    DRIFT_TOLERANCES.map(row).to_vec()
}
