//! `sign(w)` and `sign(r w)` change together: a motion slides on their one surface. Before, such motions chattered, or slid on one and left the
//! other where it was.

mod common;

use common::run_model;
use slipstick::trajectory::{EventKind, Trajectory};

fn run(derivatives: &str, more: &str) -> Trajectory {
    run_model(&format!(
        "parameters = {{ r = 2.5 }}\nstates = {{ w = 1, x = 0 }}\n{more}\nderivatives = {{ {derivatives} }}\nrun.until = 2"
    ))
}

fn assert_slides_once(run: &Trajectory) {
    assert!(run.outcome.is_complete(), "{}", run.outcome);
    assert_eq!(run.events.len(), 1, "{:?}", run.events);
    assert_eq!(run.events[0].kinds, [EventKind::Slide]);
    assert_eq!(run.notes.len(), 1, "{:?}", run.notes);
}

#[test]
fn a_surface_and_a_multiple_of_it() {
    let run = run("w = \"0.3 - sign(w) - sign(r * w)\", x = \"sign(w)\"", "");
    assert_slides_once(&run);
    // Before, w' = -1.7; then 2 s = 0.3.
    let enters = 1.0 / 1.7;
    assert!((run.events[0].t - enters).abs() < 1e-12);
    let end = run.end_state();
    assert!(end[0] == 0.0 && (end[1] - enters - 0.15 * (2.0 - enters)).abs() < 1e-12, "{end:?}");
}

#[test]
fn a_comparison_that_looks_the_other_way() {
    let run = run("w = \"(if r < r * w then -2 else 1.5) - sign(w - 1)\", x = \"w\"", "");
    assert!(run.outcome.is_complete() && run.end_state()[0] == 1.0, "{} {:?}", run.outcome, run.end_state());
    assert_eq!(run.segments[0].mode.structure.sliding.len(), 2);
}

#[test]
fn rounding_does_not_bring_the_two_apart() {
    let more = "outputs = { s = \"sign(w - x)\" }";
    let run = run("w = \"0.4 - sign(w - x) - 2 * sign(r * w - r * x)\", x = \"0.2 * cos(t)\"", more);
    assert_slides_once(&run);
    let end = run.end_state();
    assert!((end[0] - 0.2 * 2.0_f64.sin()).abs() < 1e-9 && (end[0] - end[1]).abs() < 1e-15, "{end:?}");
}

#[test]
fn motions_cross_and_leave_both_at_once() {
    let run = run("w = \"t - 1 - 0.5 * sign(w) - sign(r * w)\", x = \"sign(w) + sign(r * w)\"", "");
    let kinds: Vec<_> = run.events.iter().flat_map(|event| event.kinds.clone()).collect();
    assert_eq!(kinds, [EventKind::Slide], "{:?}", run.events);
    let leaving = run_model(
        "states = { w = 1 }\nderivatives = { w = \"0.5 * t - 0.5 - 0.5 * sign(w) - 0.5 * sign(3 * w)\" }\nrun.until = 4",
    );
    let kinds: Vec<_> = leaving.events.iter().flat_map(|event| event.kinds.clone()).collect();
    assert_eq!(kinds, [EventKind::Slide, EventKind::Leave], "{:?}", leaving.events);
    assert!((leaving.events[1].t - 3.0).abs() < 1e-8, "{}", leaving.events[1].t);
    // From there on w' = (t - 3) / 2.
    assert!((leaving.end_state()[0] - 0.25).abs() < 1e-7, "{:?}", leaving.end_state());
    let crossing = run_model(
        "states = { w = 1 }\nderivatives = { w = \"-2 - sign(w) - 0.5 * sign(3 * w)\" }\nrun.until = 1",
    );
    assert!((crossing.end_state()[0] + 0.5 * (1.0 - 1.0 / 3.5)).abs() < 1e-12, "{:?}", crossing.end_state());
    assert_eq!(crossing.events.len(), 1);
}

/// They have the same tangent where the motion meets them, and nothing else in common.
#[test]
fn surfaces_that_touch_are_two() {
    let run = run_model(
        "states = { x = -1, y = 1 }\nderivatives = { x = \"1\", y = \"-sign(y) - 0.2 * sign(y - x^2)\" }\nrun.until = 1",
    );
    assert!(run.outcome.is_complete(), "{}", run.outcome);
}
