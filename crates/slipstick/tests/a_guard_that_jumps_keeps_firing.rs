//! A guard that jumps across zero is seen at every jump, not only at the first.

mod common;

fn times(guard: &str, step: &str) -> Vec<f64> {
    let run = common::run_model(&format!(
        "states.x = 0\nderivatives.x = 1\nevents.tick.guard = \"{guard}\"\nrun = {{ until = 6.25{step} }}"
    ));
    run.event_times("tick").collect()
}

#[test]
fn a_saw_tooth_fires_at_its_rises_and_at_its_jumps() {
    for (guard, step) in [("mod(t, 1) - 0.5", ""), ("smooth(mod(t, 1)) - 0.5", ", longest_step = 0.3")] {
        let times = times(guard, step);
        assert_eq!(times.len(), 12, "{guard}: {times:?}");
        for (t, k) in times.iter().zip(1..) {
            assert!((t - 0.5 * f64::from(k)).abs() < 1e-12, "{guard}: {times:?}");
        }
    }
}

#[test]
fn a_comparison_with_a_saw_tooth_fires_when_it_becomes_true() {
    assert_eq!(times("mod(t, 1) < 0.5", ""), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(times("mod(t, 1) > 0.5", ""), [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]);
}
