//! A guard that comes to zero and turns back is told as a touch: each guard its own, at the right time, and nothing else is.

mod common;

use common::run_model;
use slipstick::equations::{ClosureGuard, ClosureSystem};
use slipstick::simulate::{Options, Start, simulate};
use slipstick::trajectory::Trajectory;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// The touches that were noted: the guard and the time.
fn touches(run: &Trajectory) -> Vec<(String, f64)> {
    let notes = run.notes.iter().filter(|note| note.code == "touches-zero");
    let name = |text: &str| text.split('`').nth(1).unwrap_or("").to_owned();
    notes.map(|note| (name(&note.text), note.t)).collect()
}

fn assert_touches(run: &Trajectory, expected: &[(&str, f64)]) {
    assert_touches_within(1e-10, run, expected);
}

fn assert_touches_within(bound: f64, run: &Trajectory, expected: &[(&str, f64)]) {
    let found = touches(run);
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (name, t) in expected {
        let own = found.iter().find(|(own, _)| own == name).unwrap_or_else(|| panic!("{name} in {found:?}"));
        assert!((own.1 - t).abs() < bound, "{own:?} and not {t}");
    }
}

#[test]
fn every_guard_has_its_own_touch() {
    let run = run_model(
        r#"
        states.x = 0
        derivatives.x = 1
        events.a = { guard = "(x - 3)^2" }
        events.b = { guard = "2 * (x - 3)^2" }
        events.c = { guard = "-(x - 4)^2 * (1 + x)" }
        events.d = { guard = "1 - sin(t)" }
        events.e = { guard = "1 + cos(x)" }
        run.until = 10
        "#,
    );
    assert!(run.events.is_empty());
    assert_touches(&run, &[("a", 3.0), ("b", 3.0), ("c", 4.0), ("d", FRAC_PI_2), ("e", PI)]);
}

#[test]
fn a_touch_before_a_crossing_is_not_hidden_by_it() {
    let run = run_model(
        r#"
        states.x = 0
        derivatives.x = 1
        events.a = { guard = "(x - 3)^2 * (x - 5)" }
        events.b = { guard = "x - 5" }
        run.until = 10
        "#,
    );
    assert_eq!(run.events.len(), 1);
    assert_touches(&run, &[("a", 3.0)]);
}

#[test]
fn a_guard_that_begins_at_zero_does_not_touch_it_there() {
    let run = run_model(
        r#"
        states.x = 0
        derivatives.x = 1
        events.a = { guard = "1 - cos(x)" }
        run.until = 10
        "#,
    );
    assert_touches(&run, &[("a", TAU)]);
}

/// A clock puts a guard to zero, at rest: it leaves zero, and has not touched it.
#[test]
fn a_guard_that_a_clock_puts_to_zero_does_not_touch_it() {
    let run = run_model(
        r#"
        states = { x = 1, v = 0 }
        derivatives = { x = "v", v = 1 }
        events.tick = { every = 1, reset = { x = 0, v = 0 } }
        events.a = { guard = "x" }
        events.b = { guard = "-2 * x" }
        run.until = 5.5
        "#,
    );
    assert_touches(&run, &[]);
}

#[test]
fn a_saw_tooth_does_not_touch_zero() {
    let run = run_model(
        r#"
        states.x = 0
        derivatives.x = 1
        events.tick = { every = 0.5 }
        events.a = { guard = "mod(t, 1)" }
        events.b = { guard = "mod(x, 1)" }
        events.c = { guard = "t - floor(t)" }
        events.d = { guard = "mod(x, 1)^2" }
        run.until = 5.5
        "#,
    );
    assert!(run.notes.is_empty(), "{:?}", run.notes);
}

#[test]
fn touches_that_count_are_events_at_their_times() {
    let run = run_model(
        r#"
        states = { x = 1, v = 0 }
        derivatives = { x = "v", v = "-x" }
        events.top = { guard = "1 - x", touches = true }
        events.bottom = { guard = "1 + x", touches = true }
        run = { until = 10, rtol = 1e-12, atol = 1e-13 }
        "#,
    );
    let times: Vec<f64> = run.events.iter().map(|event| event.t).collect();
    assert_eq!(times.len(), 3, "{times:?}");
    assert!(times.iter().zip([PI, TAU, 3.0 * PI]).all(|(t, e)| (t - e).abs() < 1e-8), "{times:?}");
}

#[test]
fn what_touches_together_is_one_event() {
    let run = run_model(
        r#"
        states = { x = 0, v = 2 }
        derivatives = { x = "v", v = -2 }
        events.top = { guard = "1 - x", touches = true }
        events.turn = { guard = "v^2 * (1 + x)", touches = true }
        events.floor = { guard = "x < 0", reset = { v = 2 } }
        run.until = 6
        "#,
    );
    for name in ["top", "turn"] {
        let times: Vec<f64> = run.event_times(name).collect();
        assert_eq!(times.len(), 3, "{times:?}");
        assert!(times.iter().zip([1.0, 3.0, 5.0]).all(|(t, e)| (t - e).abs() < 1e-12), "{times:?}");
    }
    assert_eq!(run.events.len(), 6, "{:?}", run.events);
}

/// Without a formula the slope comes from differences, which move its root by about the square of their distance.
#[test]
fn a_touch_of_a_closure_is_found_where_its_slope_is_zero() {
    let system = ClosureSystem::new(["x"], |_, _, dy| dy[0] = 1.0)
        .guard(ClosureGuard::both("a", |t, _| 1.0 - t.sin()))
        .guard(ClosureGuard::both("b", |_, y| (y[0] - 3.0) * (y[0] - 3.0) * (1.0 + y[0])));
    let run = simulate(&system, &Start::at([0.0]), &Options::until(5.0)).expect("a run");
    assert_touches_within(1e-9, &run, &[("a", FRAC_PI_2), ("b", 3.0)]);
}
