//! Touches of zero are found wherever they stand in a step, and only where they are.

mod common;

use common::run_model;
use slipstick::trajectory::Trajectory;
use std::f64::consts::{PI, TAU};

const MOVING: &str = "states.x = 0\nderivatives.x = 1\n";

/// A motion along the states' axis, with a guard whose touches count.
fn run_touching(guard: &str, more: &str) -> Trajectory {
    run_model(&format!("{MOVING}events.a = {{ guard = \"{guard}\", touches = true{more} }}\nrun.until = 20"))
}

fn assert_times(found: &[f64], expected: &[f64], bound: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: {found:?}");
    assert!(found.iter().zip(expected).all(|(t, e)| (t - e).abs() < bound), "{what}: {found:?}");
}

#[test]
fn all_touches_of_a_long_step_are_events() {
    let turns = |n: u32, by: f64| (1..=n).map(|k| by * f64::from(k)).collect::<Vec<f64>>();
    let cases = [
        ("(x-1)^2*(x-3)^2*(x-5)^2", vec![1.0, 3.0, 5.0]),
        ("-(x-1)^2*(x-3)^2*(x-5)^2", vec![1.0, 3.0, 5.0]),
        ("1-cos(x)", turns(3, TAU)),
        ("sin(x)^2", turns(6, PI)),
        ("sin(x)^2*(x-10)", {
            let mut all = turns(6, PI);
            all.insert(3, 10.0);
            all
        }),
    ];
    for (guard, expected) in cases {
        for more in ["", ", reset = { x = \"x\" }", ", side = \"before\", reset = { x = \"x\" }"] {
            let run = run_touching(guard, more);
            assert_times(
                &run.event_times("a").collect::<Vec<f64>>(),
                &expected,
                1e-6,
                &format!("{guard} {more}"),
            );
        }
    }
}

#[test]
fn a_kink_that_comes_to_zero_touches_it() {
    for guard in ["abs(x-1)", "-abs(x-1)", "max(x-1,1-x)", "3*abs(x-1)*(1+x)"] {
        let run = run_touching(guard, ", stop = true");
        assert_times(&run.event_times("a").collect::<Vec<f64>>(), &[1.0], 1e-9, guard);
    }
    let run = run_touching("abs(sin(x))", "");
    assert_times(
        &run.event_times("a").collect::<Vec<f64>>(),
        &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(|k| k * PI),
        1e-9,
        "abs(sin(x))",
    );
}

#[test]
fn a_plateau_at_zero_is_no_crossing() {
    let states = "states.x = 0\nrun.until = 4\n";
    let back = "derivatives.x = \"if(t<1,1,if(t<2,0,-1))\"\n";
    let on = "derivatives.x = \"if(t<1,1,if(t<2,0,1))\"\n";
    for reset in ["", ", reset = { x = \"x\" }"] {
        let run = run_model(&format!("{states}{back}events.a = {{ guard = \"x-1\"{reset} }}"));
        assert_eq!(run.event_times("a").collect::<Vec<f64>>(), [0.0; 0], "back {reset}");
        for guard in ["x>1", "x-1"] {
            let run = run_model(&format!("{states}{on}events.a = {{ guard = \"{guard}\"{reset} }}"));
            assert_eq!(
                run.event_times("a").collect::<Vec<f64>>().len(),
                1,
                "on {guard} {reset} {:?}",
                run.event_times("a").collect::<Vec<f64>>()
            );
        }
    }
}

#[test]
fn a_touch_beside_a_crossing_is_one_event_with_it() {
    for action in ["", ", reset = { n = \"n + 1\" }"] {
        let run = run_model(&format!(
            "states = {{ x = 0, n = 0 }}\nderivatives = {{ x = 1, n = 0 }}\nrun.until = 2\n\
             events.touch = {{ guard = \"(x - 1)^2\", touches = true{action} }}\nevents.cross = {{ guard = \"x > 1\" }}"
        ));
        assert_eq!(run.events.len(), 1, "{action} {:?}", run.events);
        assert_eq!(run.events[0].guards.len(), 2, "{action}");
    }
}

#[test]
fn a_touch_where_a_clock_strikes_is_one_event_with_it() {
    let run = run_model(
        r#"
        states.x = 0
        derivatives.x = 1
        events.touch = { guard = "(x - 1)^2", touches = true }
        events.tick = { at = 1 }
        run.until = 2
        "#,
    );
    assert_eq!(run.events.len(), 1, "{:?}", run.events);
    assert_eq!(run.events[0].guards.len(), 2);
}

#[test]
fn a_touch_between_other_events_is_found_once() {
    let run = run_model(
        r#"
        states = { x = 0, v = 1 }
        derivatives = { x = "v", v = "-x" }
        events.touch = { guard = "v*v*(2+x)", touches = true }
        events.cross = { guard = "v < 0" }
        events.other = { guard = "v < 1e-12" }
        events.near = { guard = "v < 1e-5", reset = { x = "x" } }
        run.until = 12
        "#,
    );
    assert_eq!(run.event_times("touch").count(), 4, "{:?}", run.events);
}

#[test]
fn a_guard_that_fires_at_the_very_end_does_not_touch_zero() {
    for end in [0.1, 1.0, 3.0] {
        let run = run_model(&format!(
            "states.x = 0\nderivatives.x = 1\nevents.e = {{ guard = \"x >= {end}\" }}\nrun.until = {end}"
        ));
        assert!(run.notes.is_empty(), "{end} {:?}", run.notes);
    }
}
