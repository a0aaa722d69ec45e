//! Clocks and set times strike once each, whatever stands beside them.

mod common;

use common::run_model;
use slipstick::equations::{ClosureGuard, ClosureSystem};
use slipstick::simulate::{Error, Options, Start, simulate};

const MOVING: &str = "states.x = 0\nderivatives.x = 1\n";

#[test]
fn the_last_strike_of_a_clock_is_not_lost_to_rounding() {
    for (every, until, strikes) in
        [(0.1, 0.3, 3), (0.1, 3.0, 30), (0.2, 0.6, 3), (0.05, 0.15, 3), (0.1, 100.0, 1000), (0.7, 2.1, 3)]
    {
        for reset in ["", ", reset = { x = \"x - 1\" }"] {
            let run =
                run_model(&format!("{MOVING}events.a = {{ every = {every}{reset} }}\nrun.until = {until}"));
            let times = run.event_times("a").collect::<Vec<f64>>();
            assert_eq!(times.len(), strikes, "{every} {until} {times:?}");
            assert!(times.iter().all(|t| *t <= until));
            let end = if reset.is_empty() { until } else { until - strikes as f64 };
            assert!((run.end_state()[0] - end).abs() < 1e-9 * (1.0 + strikes as f64), "{every} {until}");
        }
    }
}

#[test]
fn clocks_that_strike_a_hair_apart_strike_at_once() {
    let run = run_model(&format!(
        "{MOVING}events.a.every = 0.1\nevents.b.every = 0.3\nevents.c.at = 0.6\nrun.until = 10"
    ));
    assert_eq!(run.events.len(), 100, "{:?}", run.events.iter().map(|e| e.t).collect::<Vec<_>>());
    assert_eq!(
        [
            run.event_times("a").collect::<Vec<f64>>().len(),
            run.event_times("b").collect::<Vec<f64>>().len(),
            run.event_times("c").collect::<Vec<f64>>().len()
        ],
        [100, 33, 1]
    );
}

#[test]
fn a_set_time_a_hair_behind_a_strike_comes_once() {
    // The third strike is at 0.3 and an ulp; the ninth is at 0.9, the set time an ulp behind it.
    let run = run_model(&format!(
        "{MOVING}events.a.every = 0.1\nevents.b = {{ at = 0.9000000000000001, reset = {{ x = \"x + 1\" }} }}\n\
         events.c = {{ at = 0.3, reset = {{ x = \"x + 1\" }} }}\nrun.until = 2"
    ));
    assert_eq!(
        (
            run.events.len(),
            run.event_times("b").collect::<Vec<f64>>().len(),
            run.event_times("c").collect::<Vec<f64>>().len()
        ),
        (20, 1, 1)
    );
    assert!((run.end_state()[0] - 4.0).abs() < 1e-9);
}

#[test]
fn a_clock_strikes_once_beside_an_event_at_the_same_time() {
    let run = run_model(
        r#"
        states = { x = 0, c = 0 }
        derivatives = { x = 1, c = 0 }
        events.at = { at = 1000.2, reset = { c = "c + 1" } }
        events.g = { guard = "x > 0.2" }
        run = { from = 1000, until = 1000.4 }
        "#,
    );
    assert_eq!(run.end_state()[1], 1.0);
    assert_eq!(run.event_times("at").count(), 1);
    assert_eq!(run.event_times("g").count(), 1);
}

#[test]
fn a_clock_of_a_closure_needs_a_period() {
    for period in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let clock = ClosureGuard::every("tick", 0.0, period);
        let system = ClosureSystem::new(["x"], |_, _, dy| dy[0] = 0.0).guard(clock);
        let failure = simulate(&system, &Start::at([0.0]), &Options::until(1.0)).expect_err("refused");
        assert!(matches!(failure.error, Error::BadPeriod { .. }), "{period} {:?}", failure.error);
    }
}
