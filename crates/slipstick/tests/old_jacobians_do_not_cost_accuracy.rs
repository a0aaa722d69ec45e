//! Jacobians of earlier steps do not cost accuracy.

mod common;

use common::run_model;

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
