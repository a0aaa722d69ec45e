//! A system of closures can do what a model file can: modes, clocks, touches, and rest.

use slipstick::equations::{ClosureGuard, ClosureRest, ClosureSystem, GuardKind, System};
use slipstick::simulate::{Options, Start, simulate};

/// A ball that bounces ever lower and then lies still.
fn ball() -> ClosureSystem {
    ClosureSystem::hybrid(["y", "v"], |locked, _t, y, dy| {
        dy[0] = if locked.mode == 0 { y[1] } else { 0.0 };
        dy[1] = if locked.mode == 0 { -9.81 } else { 0.0 };
    })
    .modes(["flight", "rest"])
    .guard(
        ClosureGuard::falling("floor", |_t, y| y[0])
            .in_mode(0)
            .reset(|_t, before, after| after[1] = -0.5 * before[1])
            .at_rest(ClosureRest::goto(1).reset(|_t, _before, after| after.fill(0.0))),
    )
    .guard(ClosureGuard::falling("top", |_t, y| y[1]).in_mode(0))
}

#[test]
fn a_ball_comes_to_rest_and_stays_there() {
    let run = simulate(&ball(), &Start::at([1.0, 0.0]), &Options::until(3.0)).unwrap();
    assert!(run.outcome.is_complete());
    let rest = run.event_times("floor at rest").next().unwrap();
    // The first fall, and twice the geometric sum of what follows.
    let limit = (2.0_f64 / 9.81).sqrt() * 3.0;
    assert!((rest - limit).abs() < 1e-6, "{rest} against {limit}");
    assert_eq!(run.segments.last().unwrap().mode.values.place, 1);
    assert_eq!(run.segments.last().unwrap().state(3.0), [0.0, 0.0]);
}

#[test]
fn what_happens_at_rest_stands_behind_all_other_guards() {
    let rest = || ClosureRest::default().reset(|_, _, after| after.fill(0.0));
    let system = ball().guard(ClosureGuard::rising("late", |t, _| t - 9.0).at_rest(rest()).goto(3));
    let names: Vec<&str> = system.shape().guards.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(names, ["floor", "top", "late", "floor at rest", "late at rest"]);
    let at_rest: Vec<_> = system.shape().guards.iter().map(|g| g.response.at_rest).collect();
    assert_eq!(at_rest, [Some(3), None, Some(4), None, None]);
    assert!(system.shape().guards[3..].iter().all(|g| g.kind == GuardKind::Rest));
    assert_eq!(system.shape().mode_names, ["flight", "rest", "mode 2", "mode 3"]);
}

#[test]
fn clocks_strike_exactly() {
    let system = ClosureSystem::new(["x"], |_t, _y, dy| dy[0] = 1.0)
        .guard(ClosureGuard::every("tick", 0.1, 0.1))
        .guard(ClosureGuard::at("noon", 0.5).reset(|_t, _before, after| after[0] = 0.0))
        .guard(ClosureGuard::at("never again", 0.25))
        .guard(ClosureGuard::every("slow", 0.2, 0.4));
    let run = simulate(&system, &Start::at([0.0]), &Options::until(1.05)).unwrap();
    let ticks: Vec<f64> = run.event_times("tick").collect();
    let expected: Vec<f64> = (0..10).map(|n| 0.1 + f64::from(n) * 0.1).collect();
    assert_eq!(ticks, expected);
    assert_eq!(run.event_times("noon").collect::<Vec<_>>(), [0.5]);
    assert_eq!(run.event_times("never again").collect::<Vec<_>>(), [0.25]);
    assert_eq!(run.event_times("slow").collect::<Vec<_>>(), [0.2, 0.2 + 0.4, 0.2 + 2.0 * 0.4]);
    assert!((run.segments.last().unwrap().state(1.05)[0] - 0.55).abs() < 1e-12);
}

#[test]
fn a_touch_is_an_event_if_that_is_asked_for() {
    let parabola = || ClosureGuard::both("touch", |t, _| (t - 1.0) * (t - 1.0));
    let system = |guard| ClosureSystem::new(["x"], |_t, _y, dy| dy[0] = 1.0).guard(guard);
    let run = |guard| simulate(&system(guard), &Start::at([0.0]), &Options::until(3.0)).unwrap();
    assert_eq!(run(parabola()).events.len(), 0);
    let touches: Vec<f64> = run(parabola().touches()).event_times("touch").collect();
    assert!(touches.len() == 1 && (touches[0] - 1.0).abs() < 1e-8, "{touches:?}");
}
