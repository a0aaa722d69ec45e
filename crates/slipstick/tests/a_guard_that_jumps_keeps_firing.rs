//! A guard that jumps across zero is seen at every jump, not only at the first.

mod common;

#[test]
fn a_saw_tooth_fires_at_its_rises_and_at_its_jumps() {
    let run = common::run_model(
        r#"
        states.x = 0
        derivatives.x = 1
        events.tick.guard = "smooth(mod(t, 1)) - 0.5"
        run = { until = 6.25, longest_step = 0.3 }
        "#,
    );
    let times: Vec<f64> = run.event_times("tick").collect();
    assert_eq!(times.len(), 12, "{times:?}");
    for (t, k) in times.iter().zip(1..) {
        assert!((t - 0.5 * f64::from(k)).abs() < 1e-12, "{times:?}");
    }
}
