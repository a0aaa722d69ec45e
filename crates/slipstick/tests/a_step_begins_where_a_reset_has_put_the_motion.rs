//! With one-sided location a mode was left and entered again at one instant, by a reset that moves the motion
//! away from the guard: the next step was taken for one that had come through the guard, and the state was put
//! back onto it.

mod common;

use common::run_model;
use slipstick::trajectory::Trajectory;

/// A tank that fills up to 1 and is tipped out at once, three times.
fn tank(rate: &str, location: &str) -> Trajectory {
    run_model(&format!(
        r#"
        states = {{ x = 0 }}
        discrete = {{ n = 0 }}
        modes.fill = {{ derivatives.x = "{rate}", events.full = {{ guard = "x > 1", goto = "tip" }} }}
        [modes.tip]
        derivatives = {{ x = 1 }}
        events.empty = {{ guard = "x > 0.5", reset = {{ x = 0, n = "n + 1" }}, goto = "fill", stop_after = 3 }}
        [run]
        until = 10
        rtol = 1e-9
        {location}
        "#
    ))
}

fn assert_period(run: &Trajectory, period: f64) {
    let times: Vec<f64> = run.events.iter().map(|event| event.t).collect();
    let is_right = |(k, t): (usize, &f64)| (t - (k as f64 + 1.0) * period).abs() < 1e-7;
    assert!(times.len() == 3 && times.iter().enumerate().all(is_right), "{times:?}, every {period}");
    for event in &run.events {
        assert_eq!((event.guards.len(), event.after[0]), (2, 0.0));
        assert!((event.before[0] - 1.0).abs() < 1e-12, "{event:?}");
    }
}

/// The field is not defined beyond 1, so that location becomes one-sided by itself. x' = 0.1 + √(1 - x)
/// takes 2 (1 - 0.1 ln 11) from 0 to 1.
#[test]
fn where_the_field_ends_at_the_guard() {
    assert_period(&tank("0.1 + sqrt(1 - x)", ""), 2.0 * (1.0 - 0.1 * 11_f64.ln()));
}

#[test]
fn where_one_sided_location_is_asked_for() {
    assert_period(&tank("1", "location = \"one-sided\""), 1.0);
}
