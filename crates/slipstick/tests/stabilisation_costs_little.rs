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
    (plan.options.constraints.stabilisation, plan.options.constraints.drift_tolerance) =
        (stabilisation, drift_tolerance);
    simulate(&plan.system, &plan.start, &plan.options)
        .unwrap_or_else(|failure| panic!("{failure}"))
        .statistics
}

/// How much more `b` is than `a`, as a part of `b`.
fn share(a: u64, b: u64) -> f64 {
    1.0 - a as f64 / b as f64
}

/// The derivative at the end of a step is the next first, and its factors serve the corrections: they cost neither right-hand sides nor factorisations.
#[test]
fn corrections_cost_no_right_hand_sides_and_no_factorisations() {
    let none = work(Stabilisation::None, 0.0);
    assert_eq!(none.motion_factorisations, none.derivatives + 1, "one more names redundant constraints");
    for stabilisation in [Stabilisation::Once, Stabilisation::Twice] {
        let corrected = work(stabilisation, 0.0);
        assert!(share(none.derivatives, corrected.derivatives) < 0.05, "{corrected:?} {none:?}");
        assert_eq!(corrected.motion_factorisations, corrected.derivatives + 1);
        assert_eq!(corrected.corrected, corrected.accepted);
    }
}

/// Projection factors anew only where the factors of the step are too old.
#[test]
fn projection_hardly_factors() {
    let run = work(Stabilisation::Project, 0.0);
    let more = run.motion_factorisations - run.derivatives - 1;
    assert!(10 * more <= run.corrected, "{more} {run:?}");
}

/// Table 4.2 of paper 003: the larger the drift tolerance, the fewer steps are corrected.
#[test]
fn a_drift_tolerance_saves_most_corrections() {
    let [some, few] = [1e-6, 1e-5].map(|tolerance| work(Stabilisation::Twice, tolerance));
    assert!(2 * some.corrected < some.accepted, "{some:?}");
    assert!(few.corrected > 0 && 10 * few.corrected < few.accepted, "{few:?}");
}
