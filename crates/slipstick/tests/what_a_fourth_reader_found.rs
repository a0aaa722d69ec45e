//! Defects that a fourth reader found: each test is named by the symptom that is gone.

mod common;

use common::run_model;

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
fn a_guard_that_falls_by_twenty_decades_is_not_slept_through() {
    for (start, guard, t) in
        [("1e20", "x < 1", 46.051_701_859_880_92), ("1e25", "x*x < 1e10", 46.051_701_859_880_92)]
    {
        let run = run_model(&format!(
            r#"
            states = {{ x = {start} }}
            derivatives = {{ x = "-x" }}
            events.a = {{ guard = "{guard}" }}
            run = {{ until = 60, rtol = 1e-10 }}
            "#
        ));
        let times: Vec<f64> = run.event_times("a").collect();
        assert!(times.len() == 1 && (times[0] - t).abs() < 1e-6, "{guard}: {times:?}");
    }
}

/// The error of `y' = x²` beside `x' = -x`, which Newton's iteration with a Jacobian of an earlier step does not see in the larger `x`.
fn error_beside_a_linear_state(method: &str, tolerance: f64) -> f64 {
    let run = run_model(&format!(
        r#"
        states = {{ x = 1.5, y = 0 }}
        derivatives = {{ x = "-x", y = "x^2" }}
        events.up = {{ guard = "x < 0.5", reset = {{ x = "x + 1" }} }}
        run = {{ until = 3.2, method = "{method}", rtol = {tolerance:e}, atol = {tolerance:e} }}
        "#
    ));
    let since = 3.2 - 2.0 * 3.0_f64.ln();
    (run.end_state()[1] - (2.0 + 1.125 * (1.0 - (-2.0 * since).exp()))).abs()
}

#[test]
fn a_smaller_tolerance_gives_a_smaller_error_with_jacobians_of_earlier_steps() {
    for method in ["radau5", "sdirk4", "rodas4"] {
        let errors = [1e-6, 1e-7, 1e-8, 1e-9, 1e-10]
            .map(|tolerance| (tolerance, error_beside_a_linear_state(method, tolerance)));
        for (tolerance, error) in errors {
            assert!(error < 30.0 * tolerance, "{method} {tolerance:e}: {error:e}");
        }
    }
}
