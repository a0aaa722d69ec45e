//! A twisting controller, `x'' = -a sign(x) - b sign(x')`, switches infinitely often on its way to the origin, and stays there from then on: sliding of
//! second order. Before, the run ended there with the outcome `accumulation`.

mod common;

use common::run_model;
use slipstick::trajectory::Trajectory;

fn twist(a: f64, b: f64, load: &str) -> Trajectory {
    run_model(&format!(
        "states = {{ x = 1, v = 0 }}\nderivatives = {{ x = \"v\", v = \"{load} - {a} * sign(x) - {b} * sign(v)\" }}\nrun.until = 12"
    ))
}

fn rest_time(run: &Trajectory) -> f64 {
    let resting =
        run.segments.iter().find(|segment| segment.mode.structure.sliding.len() == 2).expect("it rests");
    resting.start_time
}

#[test]
fn it_rests_at_the_closed_form_time() {
    for (a, b) in [(2.0, 1.0), (3.0, 0.5), (1.0, 0.9), (10.0, 6.0)] {
        let run = twist(a, b, "0");
        assert!(run.outcome.is_complete(), "{a} {b}: {}", run.outcome);
        // Down to x = 0 at a - b, on to v = 0 at a + b; each time both times are shorter by the same factor.
        let speed = (2.0_f64 * (a - b)).sqrt();
        let (half, factor) = (speed / (a - b) + speed / (a + b), ((a - b) / (a + b)).sqrt());
        let truth = half / (1.0 - factor);
        assert!((rest_time(&run) - truth).abs() < 1e-7 * truth, "{a} {b}: {} {truth}", rest_time(&run));
        assert_eq!(run.end_state(), [0.0, 0.0], "{a} {b}");
        let codes: Vec<_> = run.notes.iter().map(|note| note.code).collect();
        assert_eq!(codes, ["slides"], "{:?}", run.notes);
        assert!(run.notes[0].text.contains("meet"), "{}", run.notes[0].text);
    }
}

#[test]
fn it_stays_there_under_a_load_that_it_can_bear() {
    let run = twist(2.0, 1.0, "0.5 * sin(t)");
    assert!(run.outcome.is_complete(), "{}", run.outcome);
    assert!(run.end_state().iter().all(|y| y.abs() < 1e-14), "{:?}", run.end_state());
}

#[test]
fn it_stays_there_if_it_starts_there() {
    let run = run_model(
        "states = { x = 0, v = 0 }\nderivatives = { x = \"v\", v = \"0.3 - 2 * sign(x) - sign(v)\" }\nrun.until = 3",
    );
    assert!(run.outcome.is_complete() && run.events.is_empty(), "{} {:?}", run.outcome, run.events);
    assert_eq!(run.end_state(), [0.0, 0.0]);
}

/// Without the second sign it goes round for ever, with the other sign of the first it runs away: neither stays.
#[test]
fn what_is_not_drawn_to_the_origin_does_not_rest() {
    let round = twist(1.0, 0.0, "0");
    assert!(round.segments.iter().all(|segment| segment.mode.structure.sliding.is_empty()));
    let away = run_model(
        "states = { x = 0, v = 0 }\nderivatives = { x = \"v\", v = \"2 * sign(x) - sign(v)\" }\nrun.until = 1",
    );
    assert!(away.end_state()[0].abs() > 0.4, "{:?}", away.end_state());
}
