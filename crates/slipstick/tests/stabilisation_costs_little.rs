//! What it costs to keep the joints of Andrews' squeezer shut, counted: right-hand sides and factorisations.

mod common;

use common::plan;
use slipstick::formulation::Stabilisation;
use slipstick::simulate::simulate;
use slipstick::step::Method;
use slipstick::trajectory::Statistics;

/// A run at the tolerance of table 4.2 of paper 003.
fn work(stabilisation: Stabilisation, drift_tolerance: f64) -> Statistics {
    let mut plan = plan(include_str!("../src/problems/constrained/andrews.toml"));
    plan.options = plan.options.tolerances(1e-5, 1e-6);
    (plan.options.method, plan.options.until) = (Method::DormandPrince5, 0.03);
    (plan.options.stabilisation, plan.options.drift_tolerance) = (stabilisation, drift_tolerance);
    simulate(&plan.system, &plan.start, &plan.options)
        .unwrap_or_else(|failure| panic!("{failure}"))
        .statistics
}

/// How much more `b` is than `a`, as a part of `b`.
fn share(a: u64, b: u64) -> f64 {
    1.0 - a as f64 / b as f64
}

/// The step of (4.10) to (4.13) keeps its last stage as the next first: corrections cost no right-hand side.
#[test]
fn corrections_cost_no_right_hand_sides() {
    let none = work(Stabilisation::None, 0.0);
    for stabilisation in [Stabilisation::Once, Stabilisation::Twice] {
        let corrected = work(stabilisation, 0.0);
        assert!(share(none.derivatives, corrected.derivatives) < 0.05, "{corrected:?} {none:?}");
    }
}

/// All corrections of a step share one factorisation; with a drift tolerance as large as that of the steps, they cost under 5 % of all of them.
#[test]
fn corrections_of_a_step_share_one_factorisation() {
    let (none, every) = (work(Stabilisation::None, 0.0), work(Stabilisation::Twice, 0.0));
    assert_eq!(none.motion_factorisations, none.derivatives + 1, "one more names redundant constraints");
    assert_eq!(every.motion_factorisations, every.derivatives + 1 + every.corrected);
    let some = work(Stabilisation::Twice, 1e-5);
    let part = share(some.motion_factorisations - some.corrected, some.motion_factorisations);
    assert!(some.corrected > 0 && part < 0.05, "{part} {some:?}");
}
