//! Time scales far from one second: every zero of a fast oscillation is found once.

use slipstick::equations::{ClosureGuard, ClosureSystem};
use slipstick::simulate::{Options, Start, simulate};

#[test]
fn zeros_are_found_once_at_every_time_scale() {
    for w in [1e-9, 1.0, 1e4, 1e6, 3.3e6, 1e9, 1e14] {
        let system = ClosureSystem::new(["x"], move |t, _, dy| dy[0] = w * (w * t).cos())
            .guard(ClosureGuard::both("zero", |_, y| y[0]));
        let run = simulate(&system, &Start::at([0.0]), &Options::until(20.0 / w)).unwrap();
        assert_eq!(run.events.len(), 6, "w = {w:e}: {:?}", run.event_times("zero").collect::<Vec<_>>());
        assert!(run.outcome.is_complete(), "w = {w:e}: {}", run.outcome);
    }
}
