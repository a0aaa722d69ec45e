//! A guard that is a formula is not only sampled: between samples, its roots are excluded or found by intervals.

mod common;

use common::{plan, run_model};
use slipstick::simulate::simulate;
use slipstick::trajectory::Trajectory;

fn times(run: &Trajectory) -> Vec<f64> {
    run.events.iter().map(|e| e.t).collect()
}

/// Runs a model in which x goes from 0 at the speed 1, and nothing else limits the step.
fn run_with(guard: &str, until: f64) -> Trajectory {
    run_model(&format!(
        "states.x = 0\nderivatives.x = 1\nevents.g = {{ guard = \"{guard}\" }}\nrun.until = {until}\n"
    ))
}

#[test]
fn a_bell_in_the_middle_of_a_long_step_is_two_events() {
    for width in [1.0, 0.1, 1e-2, 1e-3, 1e-5, 1e-7] {
        for variable in ["t", "x"] {
            let run = run_with(&format!("exp(-(({variable} - 5) / {width:e})^2) - 0.5"), 10.0);
            let far = width * 2f64.ln().sqrt();
            let times = times(&run);
            assert_eq!(times.len(), 2, "{width} {variable}: {times:?}");
            assert!((times[0] - (5.0 - far)).abs() < 1e-12 && (times[1] - (5.0 + far)).abs() < 1e-12);
            assert!(run.notes.is_empty(), "{:?}", run.notes);
        }
    }
}

#[test]
fn a_bell_that_stays_below_zero_is_no_event() {
    let run = run_with("exp(-((x - 5) / 0.01)^2) - 1.001", 10.0);
    assert!(run.events.is_empty() && run.notes.is_empty(), "{:?}", run.notes);
}

#[test]
fn several_bells_are_found_in_order() {
    let bell = |place: f64| format!("exp(-((x - {place}) / 1e-3)^2)");
    let run = run_with(&format!("{} + {} + {} - 0.5", bell(1.7), bell(4.1), bell(4.2)), 10.0);
    let places: Vec<f64> = times(&run).iter().map(|t| (t * 100.0).round() / 100.0).collect();
    assert_eq!(places, [1.7, 1.7, 4.1, 4.1, 4.2, 4.2]);
}

#[test]
fn a_narrow_resonance_of_the_state_is_found_in_a_smooth_motion() {
    // x = cos(t) passes 0.3 three times before t = 8.
    let run = run_model(
        r#"
        states = { x = 1, v = 0 }
        derivatives = { x = "v", v = "-x" }
        events.near = { guard = "1e-4 / ((x - 0.3)^2 + 1e-8) - 5000" }
        run.until = 8
        "#,
    );
    let root = 0.3_f64.acos();
    let places = [root, std::f64::consts::TAU - root, std::f64::consts::TAU + root];
    let found = times(&run);
    assert_eq!(found.len(), 6, "{found:?}");
    for (pair, place) in found.chunks(2).zip(places) {
        assert!(pair.iter().all(|t| (t - place).abs() < 1e-3), "{pair:?} {place}");
    }
}

#[test]
fn a_spike_counts_in_the_direction_that_was_asked_for() {
    let plan = plan(
        r#"
        states.x = 0
        derivatives.x = 1
        events.up = { guard = "exp(-((x - 5) / 1e-3)^2) - 0.5", direction = "rising" }
        events.down = { guard = "exp(-((x - 5) / 1e-3)^2) - 0.5", direction = "falling", reset.x = 20 }
        run.until = 10
        "#,
    );
    let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
    assert_eq!(run.events.len(), 2);
    assert!(run.events[0].t < 5.0 && run.events[1].t > 5.0 && run.events[1].after[0] == 20.0);
}

#[test]
fn a_guard_that_is_too_wild_is_named_once() {
    let run = run_with("sin(1e6 * x^2)^2 + cos(1e6 * x^2)^2 - 0.5", 10.0);
    let notes: Vec<_> = run.notes.iter().filter(|note| note.code == "roots-uncertain").collect();
    assert!(notes.len() == 1 && notes[0].text.contains("`g`"), "{:?}", run.notes);
}
