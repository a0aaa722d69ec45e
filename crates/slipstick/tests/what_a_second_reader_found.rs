//! What a reader who had not seen the work found wrong in the second round, each as the smallest model that showed it.

mod common;

use common::run_model;
use slipstick::trajectory::EventKind;

/// A surface across which the field is continuous is not slid on, even where the motion dies out on it.
#[test]
fn drag_that_has_died_out_lets_go_when_it_is_pushed() {
    for (formula, end) in [
        ("-5*v*abs(v) - 30*v + max(t-3, 0)", 0.064_877_2),
        ("-50*sign(v)*abs(v) + max(t-3, 0)", 2.0 / 50.0 - 1.0 / 2500.0),
    ] {
        let run = run_model(&format!("states.v = 1\nderivatives.v = \"{formula}\"\nrun.until = 5"));
        assert!((run.end_state()[0] - end).abs() < 1e-6, "{formula} {}", run.end_state()[0]);
        assert!(
            run.events.len() < 6 && run.notes.is_empty(),
            "{formula} {} {:?}",
            run.events.len(),
            run.notes
        );
    }
}

#[test]
fn a_counter_stops_the_run_when_it_reaches_its_limit() {
    for guard in ["n >= 3", "n > 2", "n - 2"] {
        let run = run_model(&format!(
            "states.n = 0\nderivatives.n = 0\nevents.tick = {{ every = 1, reset = {{ n = \"n + 1\" }} }}\n\
             events.full = {{ guard = \"{guard}\", stop = true }}\nrun.until = 6"
        ));
        assert_eq!((run.end_time(), run.end_state()[0]), (3.0, 3.0), "{guard}");
        assert!(run.notes.is_empty(), "{guard} {:?}", run.notes);
    }
}

#[test]
fn a_guard_that_begins_at_zero_and_is_pushed_off_it_later_fires() {
    let run = run_model(
        r#"
        states = { x = 0, v = 0 }
        derivatives = { x = "v", v = "if t > 1 then -1 else 0" }
        events.s = { guard = "x < 0", stop = true }
        run.until = 3
        "#,
    );
    assert!((run.end_time() - 1.0).abs() < 1e-9, "{}", run.end_time());
}

#[test]
fn a_guard_that_turns_back_at_its_own_kink_does_not_fire() {
    let run = run_model(
        r#"
        states.x = 0
        derivatives.x = 1
        events.s1 = { guard = "abs(x - 1)" }
        events.s2 = { guard = "abs(x - 1) < 0", reset = { x = 0 } }
        run.until = 3
        "#,
    );
    assert!((run.end_state()[0] - 3.0).abs() < 1e-12, "{:?}", run.end_state());
    assert!(run.events.iter().all(|e| !e.kinds.contains(&EventKind::Reset)));
}

#[test]
fn a_switch_in_time_alone_is_logged_once() {
    let run = run_model(
        r#"
        states = { x = 1, v = 0 }
        derivatives = { x = "v", v = "-x + sign(sin(3*t))" }
        run.until = 5
        "#,
    );
    assert_eq!(run.events.len(), 4);
}

#[test]
fn a_loose_event_tolerance_does_not_repeat_what_changes_something() {
    let run = run_model(
        r#"
        states = { x = 1, n = 0 }
        derivatives = { x = "-x", n = 0 }
        events.b = { guard = "x < 0.3", reset = { n = "n + 1" } }
        run = { until = 2, event_tolerance = 1e-2 }
        "#,
    );
    assert_eq!((run.events.len(), run.end_state()[1]), (1, 1.0));
    let chatter = run_model(
        "states.x = 0\nderivatives.x = \"if x > 0.5 then -1 else 1\"\nrun = { until = 3, event_tolerance = 1e-3 }",
    );
    assert_eq!((chatter.events.len(), chatter.end_state()[0]), (1, 0.5));
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

#[test]
fn seven_blocks_with_positions_come_to_rest() {
    let states: Vec<String> =
        (0..7).map(|i| format!("x{i} = {}\nv{i} = 0", 1.0 + 0.13 * f64::from(i))).collect();
    let rates: Vec<String> =
        (0..7).map(|i| format!("x{i} = \"v{i}\"\nv{i} = \"-x{i} - 0.3*sign(v{i})\"")).collect();
    let run = run_model(&format!(
        "run.until = 30\n[states]\n{}\n[derivatives]\n{}",
        states.join("\n"),
        rates.join("\n")
    ));
    assert!(run.outcome.is_complete(), "{}", run.outcome);
    assert!(run.end_state().iter().skip(1).step_by(2).all(|v| v.abs() < 1e-12), "{:?}", run.end_state());
}

#[test]
fn a_ball_comes_to_rest_at_time_zero_too() {
    let run = run_model(
        r#"
        parameters.T = "3*sqrt(2/9.81)"
        states = { y = 1, v = 0 }
        run = { from = "-T", until = 3 }
        [modes.fly]
        derivatives = { y = "v", v = -9.81 }
        events.floor = { guard = "y < 0", reset = { v = "-0.5*v" }, at_rest = { goto = "lie", reset = { y = 0, v = 0 } } }
        [modes.lie]
        derivatives = { y = 0, v = 0 }
        "#,
    );
    let rest = run.events.iter().find(|e| e.kinds.contains(&EventKind::Rest)).expect("it rests");
    assert!(rest.t.abs() < 1e-9 && run.events.len() < 50, "{} {}", rest.t, run.events.len());
}
