//! Surfaces are met, kept to and left once each, alone, together and across changes of mode.

mod common;

use common::{run_model, run_shortly, times};
use slipstick::trajectory::{EventKind, Outcome};

#[test]
fn a_second_surface_is_met_while_sliding_on_one() {
    let run = run_model(
        r#"
        states = { x = 1, y = 0.5 }
        derivatives = { x = "0.2 - sign(x)", y = "-0.4 - sign(y)" }
        run.until = 5
        "#,
    );
    assert!(run.end_state().iter().all(|y| y.abs() < 1e-15), "{:?}", run.end_state());
    assert_eq!(run.events.len(), 2);
}

#[test]
fn a_mode_in_which_both_fields_point_away_is_left_at_once() {
    let run = run_model(
        r#"
        states = { x = 1, z = 0 }
        run.until = 4
        [modes.a]
        derivatives = { x = "0.3 - sign(x)", z = "sign(x)" }
        events.go = { at = 3, goto = "b" }
        [modes.b]
        derivatives = { x = "2 - sign(x)", z = "sign(x)" }
        "#,
    );
    assert!((run.end_state()[0] - 1.0).abs() < 1e-9, "{:?}", run.end_state());
}

#[test]
fn a_reset_to_a_small_state_does_not_leave_the_surface() {
    let run = run_model(
        r#"
        states = { x = 1, z = 2 }
        derivatives = { x = "0.3 - sign(x)", z = "sign(x)" }
        events.kick = { at = 4, reset = { z = 0 } }
        run.until = 6
        "#,
    );
    assert_eq!(times(&run).len(), 2);
    assert!((run.end_state()[1] - 0.6).abs() < 1e-9 && run.end_state()[0].abs() < 1e-12);
}

#[test]
fn a_mode_without_the_surface_ends_sliding() {
    let run = run_model(
        r#"
        states = { x = 0 }
        [modes.a]
        derivatives = { x = "-sign(x)" }
        events.e = { at = 1, goto = "b" }
        [modes.b]
        derivatives = { x = "1" }
        [run]
        until = 2
        "#,
    );
    assert_eq!(run.outcome.code(), "reached-end");
    assert!((run.end_state()[0] - 1.0).abs() < 1e-9, "{:?}", run.end_state());
}

#[test]
fn a_mode_change_leaves_one_surface_and_keeps_to_the_other() {
    let run = run_model(
        r#"
        states = { x = 0, y = 0 }
        [modes.a]
        derivatives = { x = "-sign(x)", y = "0.5 - sign(y)" }
        events.e = { at = 1, reset = { x = "0.5" }, goto = "b" }
        [modes.b]
        derivatives = { x = "-2 * sign(x - 0.1)", y = "0.5 - sign(y)" }
        events.e = { at = 2, goto = "a" }
        [run]
        until = 3
        "#,
    );
    assert!(run.end_state().iter().all(|y| y.abs() < 1e-12), "{:?}", run.end_state());
    let slides: Vec<f64> = run.events.iter().map(|event| event.t).collect();
    assert!(slides.iter().any(|t| (t - 1.2).abs() < 1e-9) && slides.iter().any(|t| (t - 2.1).abs() < 1e-9));
}

#[test]
fn surfaces_that_depend_on_each_other_are_met_at_once() {
    let run = run_shortly(
        r#"
        states = { x = 1, y = 1 }
        derivatives = { x = "-sign(x)-0.1*sign(x+y)", y = "-sign(y)-0.1*sign(x+y)" }
        run.until = 3
        "#,
    );
    assert_eq!(run.outcome, Outcome::ReachedEnd);
    assert_eq!(run.events.len(), 1, "{:?}", times(&run));
    assert!((run.events[0].t - 1.0 / 1.1).abs() < 1e-12, "{:?}", times(&run));
    assert!(run.end_state().iter().all(|v| v.abs() < 1e-15), "{:?}", run.end_state());
}

/// It had been left twice more, by rounding.
#[test]
fn a_curved_surface_that_a_run_begins_on_is_left_once() {
    let run = run_shortly(
        r#"
        states = { x = 0, y = 1 }
        switches.s = "x^2+y^2-1"
        derivatives = { x = "1-x*s", y = "0.2-y*s" }
        run.until = 4
        "#,
    );
    assert_eq!(run.events.len(), 1, "{:?}", run.events);
    assert!((run.events[0].t - 2.072_700_668_5).abs() < 1e-7, "{:?}", times(&run));
    assert!(run.events[0].kinds.contains(&EventKind::Leave), "{:?}", run.events);
}

#[test]
fn large_forces_that_cancel_on_a_surface_do_not_shorten_steps() {
    for force in ["1e8", "1e10", "1e12"] {
        let run = run_shortly(&format!(
            "states = {{ x = 0, v = 1 }}\nrun.until = 3\n\
             derivatives = {{ x = \"v\", v = \"0.5 * {force} * sin(t) - {force} * sign(v)\" }}"
        ));
        assert_eq!(run.outcome, Outcome::ReachedEnd, "{force}");
        assert!(run.statistics.accepted < 50, "{force} {:?}", run.statistics);
        assert!(run.events.len() == 1 && run.end_state()[1].abs() < 1e-20, "{force} {:?}", run.events);
    }
}

/// The motion goes round the origin in shrinking turns and is there at t = 0.65.
#[test]
fn a_spiral_into_a_corner_stays_there() {
    let run = run_model(
        r#"
        states = { x = 1, y = 0.3 }
        derivatives = { x = "-sign(x) - 2*sign(y)", y = "2*sign(x) - sign(y)" }
        run.until = 5
        "#,
    );
    assert!(run.outcome.is_complete(), "{}", run.outcome);
    assert!(run.end_state().iter().all(|y| y.abs() < 1e-15), "{:?}", run.end_state());
    let last = run.events.last().expect("events");
    assert!((last.t - 0.65).abs() < 1e-9 && run.events.len() < 60, "{} {}", last.t, run.events.len());
}

/// h = (1 - t/2)² is empty at t = 2, where h and its rate vanish together.
#[test]
fn a_tank_runs_dry() {
    for formula in ["-sqrt(max(h, 0))", "if h > 0 then -sqrt(h) else 0", "-sqrt(abs(h)) * sign(h)"] {
        let run = run_model(&format!("states.h = 1\nderivatives.h = \"{formula}\"\nrun.until = 5"));
        assert_eq!(run.end_state()[0], 0.0, "{formula}");
        assert_eq!(run.events.len(), 1, "{formula}");
        assert!((run.events[0].t - 2.0).abs() < 1e-5, "{formula} {}", run.events[0].t);
    }
}

#[test]
fn a_choice_at_a_surface_is_noted_once() {
    let run = run_model(
        "states.x = 0\nderivatives.x = \"sign(x)\"\nevents.back = { every = 1, reset = { x = 0 } }\nrun.until = 5",
    );
    let notes = run.notes.iter().filter(|note| note.code == "not-unique").count();
    assert_eq!(notes, 1, "{:?}", run.notes);
}
