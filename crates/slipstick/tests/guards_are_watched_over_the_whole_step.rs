//! A step is looked at from end to end: what dips through zero and back within it is found, what only touches zero is told.

mod common;

use common::{plan, run_model};
use slipstick::equations::{ClosureGuard, ClosureSystem};
use slipstick::simulate::{Concurrency, Options, Start, simulate};
use std::f64::consts::PI;

fn times(run: &slipstick::trajectory::Trajectory) -> Vec<f64> {
    run.events.iter().map(|e| e.t).collect()
}

/// Nothing moves, so that one step could take it all; the guard has 31 zeros in it.
#[test]
fn every_zero_of_a_sine_of_time_is_an_event() {
    let run = run_model(
        r#"
        states.x = 1
        derivatives.x = 0
        events.zero = { guard = "sin(t)" }
        run.until = 100
        "#,
    );
    let times = times(&run);
    assert_eq!(times.len(), 31);
    assert!(times.iter().zip(1..).all(|(t, k)| (t - PI * f64::from(k)).abs() < 1e-12));
}

#[test]
fn three_roots_in_one_step_are_three_events_in_order() {
    let run = run_model(
        r#"
        states.x = 0
        derivatives.x = 1
        events.cubic = { guard = "(x - 5) * (x - 5.001) * (x - 7)" }
        run.until = 10
        "#,
    );
    let expected = [5.0, 5.001, 7.0];
    assert_eq!(run.events.len(), 3);
    assert!(times(&run).iter().zip(expected).all(|(t, e)| (t - e).abs() < 1e-12));
}

#[test]
fn a_touch_is_a_note_and_no_event() {
    let run = run_model(
        r#"
        states.x = 0
        derivatives.x = 1
        events.touch = { guard = "(x - 3)^2" }
        run.until = 10
        "#,
    );
    assert!(run.events.is_empty());
    assert_eq!(run.notes.len(), 1);
    assert!(run.notes[0].code == "touches-zero" && (run.notes[0].t - 3.0).abs() < 1e-8, "{:?}", run.notes);
}

#[test]
fn two_guards_a_trillionth_apart_are_two_events_in_order() {
    let run = run_model(
        r#"
        states.x = 0
        derivatives.x = 1
        events.second = { guard = "x > 1.000000000001" }
        events.first = { guard = "x > 1" }
        run.until = 2
        "#,
    );
    let names: Vec<&str> = run.events.iter().map(|e| run.guard_names[e.guards[0]].as_str()).collect();
    assert_eq!(names, ["first", "second"]);
    assert!((run.events[1].t - run.events[0].t - 1e-12).abs() < 1e-15);
}

#[test]
fn the_same_guard_twice_is_one_event() {
    let run = run_model(
        r#"
        states = { x = 0, n = 0, m = 0 }
        derivatives = { x = 1, n = 0, m = 0 }
        events.one = { guard = "x > 1", reset = { n = "n + 1" } }
        events.two = { guard = "x > 1", reset = { m = "m + 1" } }
        run.until = 2
        "#,
    );
    assert_eq!(run.events.len(), 1);
    assert_eq!(run.events[0].guards.len(), 2);
    assert_eq!(run.end_state()[1..], [1.0, 1.0]);
}

#[test]
fn nearly_concurrent_events_become_one_on_request() {
    let names = ["a", "b", "c", "d"];
    let mut system = ClosureSystem::new(["x"], |_, _, dy| dy[0] = 1.0);
    for (k, name) in (0..).zip(names) {
        system = system.guard(ClosureGuard::rising(name, move |_, y| y[0] - 1.0 - 1e-9 * f64::from(k)));
    }
    let mut options = Options::until(2.0);
    let apart = simulate(&system, &Start::at([0.0]), &options).expect("a run");
    assert_eq!(apart.events.len(), 4);
    options.events.concurrency = Some(Concurrency { time: 1e-7, amplitude: 1e-6 });
    let together = simulate(&system, &Start::at([0.0]), &options).expect("a run");
    assert_eq!(together.events.len(), 1);
    assert_eq!(together.events[0].guards, [0, 1, 2, 3]);
    // Too far beyond zero for the first guard once the third fires.
    options.events.concurrency = Some(Concurrency { time: 1e-7, amplitude: 1.5e-9 });
    let some = simulate(&system, &Start::at([0.0]), &options).expect("a run");
    assert_eq!(some.events.iter().map(|e| e.guards.len()).collect::<Vec<_>>(), [2, 2]);
}

#[test]
fn brackets_are_as_narrow_as_rounding_allows() {
    let plan = plan(
        r#"
        states = { x = 1, v = 0 }
        derivatives = { x = "v", v = "-x" }
        events.zero = { guard = "x" }
        run.until = 3
        "#,
    );
    let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
    assert!(run.events[0].width < 1e-14, "{:e}", run.events[0].width);
}
