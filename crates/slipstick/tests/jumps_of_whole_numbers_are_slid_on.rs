//! Where `floor`, `ceil`, `round` or `mod` jumps and pushes the motion back from both sides, the motion slides as it does at a sign. Before, the run
//! ended there with the outcome `accumulation`.

mod common;

use common::run_model;
use slipstick::trajectory::{EventKind, Trajectory};

fn run(formula: &str, start: f64, until: f64) -> Trajectory {
    let run = run_model(&format!("states.x = {start}\nderivatives.x = \"{formula}\"\nrun.until = {until}"));
    assert!(run.outcome.is_complete(), "{formula}: {}", run.outcome);
    run
}

fn kinds(run: &Trajectory) -> Vec<EventKind> {
    run.events.iter().flat_map(|event| event.kinds.clone()).collect()
}

#[test]
fn from_below_and_from_above() {
    // x' = 1.3 below 2, -0.7 above; nothing happens at 1.
    for (start, crossings) in [(0.2, 1), (1.5, 0), (2.5, 0), (4.5, 2)] {
        let run = run("1.3 - 2 * (floor(x) - 1)", start, 8.0);
        let mut expected = vec![EventKind::Switch; crossings];
        expected.push(EventKind::Slide);
        assert_eq!(kinds(&run), expected, "{start}: {:?}", run.events);
        assert_eq!(run.end_state(), [2.0], "{start}");
        assert_eq!(run.notes.len(), 1, "{:?}", run.notes);
    }
}

#[test]
fn every_function_that_jumps() {
    for (formula, start, rest) in [
        ("1.3 - round(x)", 0.2, 1.5),
        ("-1.3 - round(x)", -0.2, -1.5),
        ("2.5 - ceil(x)", 0.3, 2.0),
        ("mod(x, 3) - 1 - 2 * floor(x / 3)", 1.2, 3.0),
    ] {
        let run = run(formula, start, 9.0);
        let end = run.end_state()[0];
        assert!((end - rest).abs() < 1e-12, "{formula}: {end}");
        assert!(kinds(&run).contains(&EventKind::Slide), "{formula}: {:?}", run.events);
    }
}

/// x' = 1.5 + t / 2 - floor(x): it sticks to 2 until the field above no longer pushes back, at t = 1.
#[test]
fn it_leaves_upwards() {
    let run = run("1.5 + 0.5 * t - floor(x)", 1.9, 2.5);
    assert_eq!(kinds(&run), [EventKind::Slide, EventKind::Leave], "{:?}", run.events);
    assert!((run.events[1].t - 1.0).abs() < 1e-8, "{}", run.events[1].t);
    // From there on x' = (t - 1) / 2.
    assert!((run.end_state()[0] - 2.0 - 0.25 * 1.5 * 1.5).abs() < 1e-7, "{:?}", run.end_state());
    assert_eq!(run.segments.last().unwrap().mode.values.counts, [2.0]);
}

#[test]
fn it_leaves_downwards() {
    let run = run("1.5 - 0.5 * t - floor(x)", 2.1, 2.5);
    assert_eq!(kinds(&run), [EventKind::Slide, EventKind::Leave], "{:?}", run.events);
    assert!((run.events[1].t - 1.0).abs() < 1e-8, "{}", run.events[1].t);
    assert_eq!(run.segments.last().unwrap().mode.values.counts, [1.0]);
    assert!((run.end_state()[0] - 2.0 + 0.25 * 1.5 * 1.5).abs() < 1e-7, "{:?}", run.end_state());
}

/// An output that jumps shows the mixture, and a sign can be slid on beside it.
#[test]
fn jumps_and_signs_meet() {
    let run = run_model(
        "states = { x = 1.5, y = 1, z = 0 }\nrun.until = 4\n\
         derivatives = { x = \"1.3 - 2 * (floor(x) - 1)\", y = \"0.2 - sign(y)\", z = \"floor(x)\" }",
    );
    assert!(run.outcome.is_complete(), "{}", run.outcome);
    assert_eq!(run.segments.last().unwrap().mode.structure.sliding.len(), 2);
    let end = run.end_state();
    assert_eq!(end[..2], [2.0, 0.0]);
    // The mean of floor(x) is 1 + 1.3 / 2 while it sticks.
    let sticks = 0.5 / 1.3;
    assert!((end[2] - sticks - 1.65 * (4.0 - sticks)).abs() < 1e-9, "{end:?}");
}
