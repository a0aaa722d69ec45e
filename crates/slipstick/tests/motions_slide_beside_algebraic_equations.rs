//! Beside algebraic equations of index 1 a motion slides as the system without them does. Before, it ended with the outcome `accumulation`.

mod common;

use common::{plan, run_model};
use slipstick::simulate::simulate;
use slipstick::step::Method;
use slipstick::trajectory::{EventKind, Trajectory};

fn kinds(run: &Trajectory) -> Vec<EventKind> {
    run.events.iter().flat_map(|event| event.kinds.clone()).collect()
}

fn assert_same(with: &Trajectory, without: &Trajectory, bound: f64) {
    assert!(with.outcome.is_complete(), "{}", with.outcome);
    assert_eq!(kinds(with), kinds(without), "{:?}", with.events);
    for (a, b) in with.events.iter().zip(&without.events) {
        assert!((a.t - b.t).abs() < bound, "{} {}", a.t, b.t);
    }
    for (a, b) in without.end_state().iter().zip(with.end_state()) {
        assert!((a - b).abs() < bound, "{:?} {:?}", with.end_state(), without.end_state());
    }
}

/// The pull of a spring as an algebraic state: a block on a belt sticks and slips.
#[test]
fn a_force_with_an_equation_of_its_own() {
    let without = run_model(
        "states = { x = 0, v = 0 }\nderivatives = { x = \"v\", v = \"-sinh(x) - 0.6 * sign(v - 0.5)\" }\nrun.until = 3",
    );
    for method in ["auto", "radau5", "sdirk4", "rodas4"] {
        let with = run_model(&format!(
            "states = {{ x = 0, v = 0, force = 0 }}\nmass = {{ force = 0 }}\n\
             derivatives = {{ x = \"v\", v = \"force - 0.6 * sign(v - 0.5)\", force = \"asinh(force) + x\" }}\n\
             run = {{ until = 3, method = \"{method}\" }}"
        ));
        assert_same(&with, &without, 1e-5);
        assert!(kinds(&with).contains(&EventKind::Slide), "{method}");
        for segment in with.segments.iter().filter(|segment| !segment.mode.structure.sliding.is_empty()) {
            assert!((segment.end[1] - 0.5).abs() < 1e-13, "{method}: {:?}", segment.end);
        }
    }
}

/// The sign stands in the algebraic equation, and what it gives in the differential one: each side has its own current.
#[test]
fn a_sign_in_the_algebraic_equation() {
    let without = run_model(
        "states = { x = 0.05 }\nrun.until = 6\n\
         derivatives = { x = \"0.6 * sin(t) - (if x > 0 then 1 else -0.5) / (2 + cos(t))\" }",
    );
    let with = run_model(
        "states = { x = 0.05, i = 0.3333333333333333 }\nmass = { i = 0 }\n\
         derivatives = { x = \"0.6 * sin(t) - i\", i = \"(2 + cos(t)) * i - (if x > 0 then 1 else -0.5)\" }\nrun.until = 6",
    );
    assert_same(&with, &without, 1e-6);
    assert!(kinds(&with).contains(&EventKind::Slide) && kinds(&with).contains(&EventKind::Leave));
    // While it slides, the current is what keeps it there; where it leaves, it is that of the side.
    let slides =
        with.segments.iter().find(|segment| !segment.mode.structure.sliding.is_empty()).expect("it slides");
    assert!((slides.end[1] - 0.6 * slides.end_time.sin()).abs() < 1e-6, "{:?}", slides.end);
    let start = 0.6 * slides.start_time.sin();
    assert!((slides.start[1] - start).abs() < 1e-9, "{:?} {start}", slides.start);
}

/// A surface of the algebraic state itself has no rate that could be told: it is said where the run ends.
#[test]
fn a_surface_of_an_algebraic_state_is_not_slid_on() {
    let plan = plan(
        "states = { x = 1, z = 1 }\nmass = { z = 0 }\nderivatives = { x = \"-sign(z)\", z = \"x - z\" }\nrun.until = 3",
    );
    assert_eq!(plan.options.method, Method::Automatic);
    let run = simulate(&plan.system, &plan.start, &plan.options).unwrap();
    assert_eq!(run.outcome.code(), "accumulation", "{}", run.outcome);
}
