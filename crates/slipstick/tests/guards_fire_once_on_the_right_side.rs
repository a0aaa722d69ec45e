//! Guards: directions, sides, guards at zero, several at once, switches, stops.

mod common;

use common::run_model;
use slipstick::equations::{ClosureGuard, ClosureSystem, Side};
use slipstick::simulate::{Options, Start, simulate};
use slipstick::trajectory::{EventKind, Outcome, Trajectory};

/// A harmonic oscillator x = cos t with one guard on x.
fn oscillator(guard: ClosureGuard, until: f64) -> Trajectory {
    let system = ClosureSystem::new(["x", "v"], |_, y, dy| {
        dy[0] = y[1];
        dy[1] = -y[0];
    });
    simulate(&system.guard(guard), &Start::at([1.0, 0.0]), &Options::until(until).tolerances(1e-10, 1e-12))
        .unwrap()
}

#[test]
fn each_direction_sees_its_own_crossings() {
    use std::f64::consts::FRAC_PI_2;
    let count = |guard| oscillator(guard, 10.0).events.len();
    assert_eq!(count(ClosureGuard::falling("x", |_, y| y[0])), 2);
    assert_eq!(count(ClosureGuard::rising("x", |_, y| y[0])), 1);
    let both = oscillator(ClosureGuard::both("x", |_, y| y[0]), 10.0);
    let expected = [FRAC_PI_2, 3.0 * FRAC_PI_2, 5.0 * FRAC_PI_2];
    assert_eq!(both.events.len(), 3);
    for (event, expected) in both.events.iter().zip(expected) {
        assert!((event.t - expected).abs() < 1e-8, "{} against {expected}", event.t);
    }
}

#[test]
fn side_before_has_not_crossed_and_side_after_has() {
    for (side, crossed) in [(Side::Before, false), (Side::After, true)] {
        let run = oscillator(ClosureGuard::falling("x", |_, y| y[0]).side(side), 10.0);
        assert_eq!(run.events.len(), 2);
        assert!(run.events.iter().all(|e| (e.before[0] < 0.0) == crossed), "{side:?}");
    }
}

#[test]
fn a_guard_that_is_zero_at_the_start_does_not_fire_there() {
    let run = oscillator(ClosureGuard::both("v", |_, y| y[1]), 7.0);
    assert_eq!(run.events.len(), 2, "at pi and 2 pi, not at 0");
}

#[test]
fn a_unilateral_guard_at_zero_that_is_about_to_cross_fires_at_once() {
    let run = run_model(
        r#"
        states = { y = 0, v = -1 }
        derivatives = { y = "v", v = 0 }
        events.floor = { guard = "y < 0", reset = { v = "-v" } }
        run.until = 1
        "#,
    );
    assert_eq!(run.events.len(), 1);
    assert_eq!(run.events[0].t, 0.0);
    assert!((run.end_state()[0] - 1.0).abs() < 1e-14);
}

#[test]
fn guards_in_one_bracket_are_one_event() {
    let run = run_model(
        r#"
        states = { x = -1, n = 0, m = 0 }
        derivatives = { x = 1, n = 0, m = 0 }
        events.first = { guard = "x > 0", reset = { n = "n + 1" } }
        events.second = { guard = "x^3 > 0", reset = { m = "m + 1" } }
        events.third = { guard = "2 * x > 0" }
        run.until = 3
        "#,
    );
    // A cube leaves its band so much later that the motion decides it after the transition, at the same time.
    let [event] = &run.events[..] else { panic!("{:?}", run.events) };
    let rounds: Vec<&[usize]> = event.rounds.iter().map(|round| &round.guards[..]).collect();
    assert_eq!((rounds, &event.guards[..]), (vec![&[0, 2][..], &[1]], &[0, 2, 1][..]));
    assert_eq!(run.end_state()[1..], [1.0, 1.0]);
}

#[test]
fn two_resets_of_one_state_in_one_event_are_a_conflict() {
    let conflicts = |second: &str| {
        let model = format!(
            "states = {{ x = -1, n = 0 }}\nderivatives = {{ x = 1, n = 0 }}\n\
             events.first = {{ guard = \"x > 0\", reset = {{ n = 1 }} }}\n\
             events.second = {{ guard = \"x > 0\", reset = {{ n = \"{second}\" }} }}\nrun.until = 3"
        );
        common::try_model(&model).err().map(|failure| failure.error.to_string())
    };
    let message = conflicts("2").unwrap_or_default();
    assert!(message.contains("`first` and `second`"), "{message}");
    assert_eq!(conflicts("2 - 1"), None, "equal to the bit is no conflict");
}

#[test]
fn resets_use_the_values_before_the_event() {
    let run = run_model(
        r#"
        states = { x = -1, a = 1, b = 2 }
        derivatives = { x = 1, a = 0, b = 0 }
        events.swap = { guard = "x > 0", reset = { a = "b", b = "a" } }
        run.until = 2
        "#,
    );
    assert_eq!(run.end_state()[1..], [2.0, 1.0]);
}

#[test]
fn a_counter_in_a_reset_counts_each_crossing_once() {
    let run = run_model(
        r#"
        states = { x = 1, v = 0, n = 0 }
        derivatives = { x = "v", v = "-x", n = 0 }
        events.cross = { guard = "x", reset = { n = "n + 1" } }
        run.until = 31
        "#,
    );
    assert_eq!(run.end_state()[2], 10.0);
    assert_eq!(run.events.len(), 10);
}

#[test]
fn a_run_stops_after_the_wanted_number_of_events() {
    let run = oscillator(ClosureGuard::both("x", |_, y| y[0]).stop_after(3), 100.0);
    assert_eq!(run.outcome, Outcome::StoppedByEvent { guard: "x".to_owned() });
    assert_eq!(run.events.len(), 3);
    assert_eq!(run.events[2].kinds, [EventKind::Stop]);
    assert_eq!(run.end_time(), run.events[2].t);
}

/// x'' + x = -F sgn(x'): turning points at k pi, amplitude shrinking by 2 F each time (closed form).
#[test]
fn a_switch_changes_sign_at_every_turning_point() {
    let run = run_model(
        r#"
        parameters.F = 0.1
        states = { x = 1.05, v = 0 }
        switches.moves = "v"
        derivatives = { x = "v", v = "-x - F * moves" }
        run = { until = 15, rtol = 1e-11 }
        "#,
    );
    let turning = [(1.0, -0.85), (2.0, 0.65), (3.0, -0.45), (4.0, 0.25)];
    assert_eq!(run.events.len(), turning.len());
    for (event, (k, x)) in run.events.iter().zip(turning) {
        assert!((event.t - k * std::f64::consts::PI).abs() < 1e-9, "{}", event.t);
        assert!((event.before[0] - x).abs() < 1e-9, "{}", event.before[0]);
        assert_eq!(event.kinds, [EventKind::Switch]);
    }
    let signs: Vec<f64> = run.segments.iter().map(|s| s.mode.values.signs[0]).collect();
    assert_eq!(signs, [-1.0, 1.0, -1.0, 1.0, -1.0]);
}

/// A reset can carry the state across a surface without crossing it: the switch follows.
#[test]
fn a_switch_follows_a_state_that_jumps_across_its_surface() {
    let run = run_model(
        r#"
        states = { x = 1, y = 0 }
        switches.side = "x"
        derivatives = { x = 0, y = "side" }
        events.jump = { guard = "t - 1", reset = { x = -1 } }
        run.until = 3
        "#,
    );
    assert!((run.end_state()[1] - (1.0 - 2.0)).abs() < 1e-9, "{:?}", run.end_state());
}

#[test]
fn modes_have_their_own_derivatives_and_events() {
    let run = run_model(
        r#"
        states = { T = 20, on = 0 }
        modes.heat = { derivatives = { T = 1, on = 1 }, events.hot = { guard = "T > 22", goto = "cool" } }
        modes.cool = { derivatives = { T = -0.5, on = 0 }, events.cold = { guard = "T < 21", goto = "heat" } }
        run.until = 8
        "#,
    );
    let times: Vec<f64> = run.events.iter().map(|e| e.t).collect();
    let expected = [2.0, 4.0, 5.0, 7.0];
    assert_eq!(times.len(), expected.len());
    assert!(times.iter().zip(expected).all(|(t, e)| (t - e).abs() < 1e-12), "{times:?}");
    assert!((run.end_state()[1] - 4.0).abs() < 1e-12);
}

/// On a surface of an algebraic state a motion that is pushed onto it from both sides cannot slide: it chatters. The run must end and name the switch.
#[test]
fn chattering_ends_with_an_outcome_that_names_the_switch() {
    let run = run_model(
        r#"
        states = { x = 1, a = 1 }
        mass.a = 0
        switches.over = "a - 0.5"
        derivatives = { x = "-over", a = "x - a" }
        run.until = 2
        "#,
    );
    assert!(matches!(&run.outcome, Outcome::Accumulation { guard, switch: true, .. } if guard == "over"));
    assert!((run.end_time() - 0.5).abs() < 1e-6, "{}", run.end_time());
}

#[test]
fn limits_on_events_and_steps_are_outcomes() {
    let mut options = Options::until(1000.0);
    options.limits.events = 7;
    let system = || {
        ClosureSystem::new(["x", "v"], |_, y, dy| {
            dy[0] = y[1];
            dy[1] = -y[0];
        })
        .guard(ClosureGuard::both("zero", |_, y| y[0]))
    };
    let run = simulate(&system(), &Start::at([1.0, 0.0]), &options).unwrap();
    assert_eq!(run.outcome, Outcome::EventLimit { limit: 7, guard: "zero".to_owned() });
    assert_eq!(run.events.len(), 7);
    options.limits.steps = 20;
    let run = simulate(&system(), &Start::at([1.0, 0.0]), &options).unwrap();
    assert_eq!(run.outcome, Outcome::StepLimit { limit: 20 });
}

/// An event that only records cuts a step in two; the motion must stay as accurate as without it.
#[test]
fn recording_does_not_disturb_the_motion() {
    let model = |events: &str| {
        format!(
            "states = {{ x = 2, v = 0 }}\nderivatives = {{ x = \"v\", v = \"-sin(x)\" }}\n{events}\n\
             run = {{ until = 60, rtol = 1e-9 }}"
        )
    };
    let plain = run_model(&model(""));
    let recorded =
        run_model(&model("events.a.guard = \"x\"\nevents.b.guard = \"v\"\nevents.c.guard = \"x - 1\""));
    assert!(recorded.events.len() > 40);
    let difference = (plain.end_state()[0] - recorded.end_state()[0]).abs();
    assert!(difference < 1e-6, "{difference:e}");
}

/// Along a motion `>=` is `>`: zero itself is true only where the guard stays there.
#[test]
fn zero_is_true_where_a_guard_stays_there() {
    let fired = |rate: &str, guard: &str| {
        let text = format!(
            "states = {{ x = 0, v = 0 }}\nderivatives = {{ x = \"{rate}\", v = 1 }}\n\
             events.e = {{ guard = \"{guard}\" }}\nrun.until = 1"
        );
        run_model(&text).events.iter().map(|event| event.t).collect::<Vec<f64>>()
    };
    for guard in ["x > 0", "x >= 0", "not (x < 0)", "not (x <= 0)", "x >= 0 and t < 5"] {
        for rate in ["1", "v"] {
            assert_eq!(fired(rate, guard), [0.0], "{guard}, on its way up with {rate}");
        }
        assert_eq!(fired("-1", guard), [0.0; 0], "{guard}, on its way down");
        assert_eq!(fired("0", guard), [0.0; 0], "{guard}, at rest: nothing happens");
    }
    let bounces = |guard: &str| {
        let text = format!(
            "states = {{ y = 1, v = 0 }}\n[modes.fly]\nderivatives = {{ y = \"v\", v = -2 }}\n\
             events.floor = {{ guard = \"{guard}\", reset = {{ y = 0, v = \"-v\" }} }}\n[run]\nuntil = 6"
        );
        run_model(&text).events.iter().map(|event| event.t).collect::<Vec<f64>>()
    };
    assert_eq!(bounces("y < 0"), bounces("y <= 0"), "put to zero, and on the way up");
    assert_eq!(bounces("y <= 0").len(), 3);
}
