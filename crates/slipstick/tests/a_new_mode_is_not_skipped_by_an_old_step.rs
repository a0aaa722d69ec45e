//! A long step from a mode at rest must not carry a run over what happens in the next mode.

mod common;

#[test]
fn a_pulse_after_a_rest_is_integrated() {
    let run = common::run_model(
        r#"
        states = { y = 0 }
        modes.rest = { derivatives = { y = 0 }, events.go = { guard = "t > 5", goto = "pulse" } }
        modes.pulse = { derivatives = { y = "10 * (t - 5) * exp(-(t - 5)^2 * 100)" } }
        run.until = 1000
        "#,
    );
    assert!((run.end_state()[0] - 0.05).abs() < 1e-6, "{:?}", run.end_state());
}
