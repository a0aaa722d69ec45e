//! A limit on steps is an outcome also while steps are being rejected, and a monitor is asked there too.

use slipstick::equations::ClosureSystem;
use slipstick::simulate::{Options, Progress, Start, Stop, simulate, simulate_watched};

fn stiff() -> ClosureSystem {
    ClosureSystem::new(["x"], |t, y, dy| dy[0] = -1e6 * (y[0] - t.cos()))
}

#[test]
fn small_and_huge_limits_are_outcomes() {
    for (steps, code) in [(1, "step-limit"), (2, "step-limit"), (u64::MAX, "reached-end")] {
        let mut options = Options::until(0.01).first_step(1.0);
        options.limits.steps = steps;
        let run = simulate(&stiff(), &Start::at([0.0]), &options).unwrap();
        assert_eq!(run.outcome.code(), code, "{steps}");
    }
}

#[test]
fn a_monitor_is_asked_before_every_attempt() {
    let mut asked = 0;
    let mut count = |_: &Progress| {
        asked += 1;
        None::<Stop>
    };
    let options = Options::until(0.001).first_step(1.0);
    let run = simulate_watched(&stiff(), &Start::at([0.0]), &options, &mut count).unwrap();
    assert_eq!(asked, run.statistics.accepted + run.statistics.rejected);
    assert!(run.statistics.rejected > 3);
}
