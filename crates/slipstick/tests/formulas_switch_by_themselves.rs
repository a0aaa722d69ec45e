//! Comparisons, `abs`, `min`, `sign`, `floor` and the like become guards with locked branches, named after what they stand in.

mod common;

use common::{lock, run_model, system_of};
use slipstick::equations::{Count, Direction, FormulaSystem, GuardKind, Reset, System};

fn model(rest: &str) -> FormulaSystem {
    system_of(&format!(
        "parameters = {{ p = 2, T = 0.1 }}\nrun.until = 1\nstates = {{ x = 0, v = 1 }}\n{rest}"
    ))
}

fn names(system: &FormulaSystem) -> Vec<&str> {
    system.shape().guards.iter().map(|guard| guard.name.as_str()).collect()
}

/// The times of all guards; those that are not scheduled have NaN.
fn schedule(system: &FormulaSystem, counts: &[f64]) -> Vec<f64> {
    let mut mode = lock(system, 0, 0.0, &[0.25, 0.5]);
    mode.values.counts.copy_from_slice(counts);
    let mut times = vec![f64::NAN; system.shape().guards.len()];
    system.evaluator().schedule(mode.locked(&system.shape().parameters), &mut times);
    times
}

#[test]
fn guards_are_named_after_the_formulas_they_stand_in() {
    let system = model(
        r#"
        switches.way = "abs(x) - 1"
        outputs = { drag = "max(v, 0)", seen = "sign(x - 5)" }
        derivatives = { x = "if(x > 0.5, drag, v)", v = "-sign(v) + floor(x / p)" }
        events.low = { guard = "min(x,   v) < 0" }
        "#,
    );
    let expected = [
        "abs(x) in switches.way",
        "way",
        "max(v, 0) in outputs.drag",
        "x > 0.5 in derivatives.x",
        "floor(x / p) in derivatives.v",
        "floor(x / p) in derivatives.v",
        "min(x, v) in events.low.guard",
        "low",
    ];
    // `sign(v)` is the sign of `max(v, 0)`, and `seen` is only looked at.
    assert_eq!(names(&system), expected);
    assert_eq!(system.shape().switch_names[0], "way");
    assert_eq!(
        (system.named_switches(), system.shape().switch_names.len(), system.shape().count_number),
        (1, 5, 1)
    );
}

#[test]
fn equal_conditions_share_one_guard() {
    let system = model(
        r#"derivatives = { x = "if(x > p, 1, 2) + if(p > x, 1, 2)", v = "abs(x - p) + max(p, x) + sign(p - x)" }"#,
    );
    assert_eq!(names(&system), ["x > p in derivatives.x"]);
    let named = model("switches.way = \"v\"\nderivatives = { x = \"-sign(v)\", v = \"abs(-v)\" }");
    assert_eq!(names(&named), ["way"]);
}

#[test]
fn what_depends_on_parameters_or_stands_in_smooth_is_left_alone() {
    let system = model(
        r#"
        outputs.gap = "abs(x)"
        derivatives = { x = "abs(p) + if(p > 1, 1, 0)", v = "smooth(abs(x) + floor(v) + gap) + if(v == 1, 1, 0)" }
        "#,
    );
    assert_eq!(names(&system), [""; 0]);
    let (mut dy, mode) = ([0.0; 2], lock(&system, 0, 0.0, &[-2.0, 1.0]));
    system.evaluator().derivative(mode.locked(&system.shape().parameters), 0.0, &[-2.0, 1.0], &mut dy);
    assert_eq!(dy, [3.0, 6.0]);
}

#[test]
fn a_lock_is_watched_only_where_it_is_needed() {
    let system = system_of(
        r#"
        states = { x = 0 }
        outputs.speed = "abs(x)"
        modes.a = { derivatives.x = "speed", events.go = { guard = "t > 1", goto = "b" } }
        modes.b = { derivatives.x = "abs(x - 3)", events.back = { guard = "t > 2", goto = "a" } }
        run.until = 1
        "#,
    );
    let modes: Vec<_> = system.shape().guards.iter().map(|g| (g.name.as_str(), g.mode)).collect();
    let expected = [
        ("abs(x) in outputs.speed", Some(0)),
        ("abs(x - 3) in modes.b.derivatives.x", Some(1)),
        ("go", Some(0)),
        ("back", Some(1)),
    ];
    assert_eq!(modes, expected);
    // Where a lock is not kept up, the output is what is written.
    let (mut mode, mut out) = (lock(&system, 1, 0.0, &[-2.0]), [0.0]);
    mode.values.signs = vec![1.0, 1.0];
    system.outputs().observe(mode.locked(&system.shape().parameters), 0.0, &[-2.0], &mut out);
    assert_eq!(out, [2.0]);
}

#[test]
fn outputs_of_the_motion_are_seen_with_their_branches_locked() {
    let system = model("outputs.drag = \"-sign(v)\"\nderivatives = { x = \"v\", v = \"drag\" }");
    let (mode, mut out) = (lock(&system, 0, 0.0, &[0.0, 1.0]), [0.0]);
    system.outputs().observe(mode.locked(&system.shape().parameters), 0.0, &[0.0, -1e-9], &mut out);
    assert_eq!(out, [-1.0]);
}

#[test]
fn a_count_has_a_guard_for_either_way() {
    let system = model("derivatives = { x = \"floor(x / p)\", v = \"0\" }");
    let [up, down] = &system.shape().guards[..] else { panic!("{:?}", names(&system)) };
    assert_eq!(
        (up.direction, up.response.count),
        (Direction::Rising, Some(Count { index: 0, up: true, clock: false }))
    );
    assert_eq!(
        (down.direction, down.response.count),
        (Direction::Falling, Some(Count { index: 0, up: false, clock: false }))
    );
    for (x, n) in [(0.0, 0.0), (1.9, 0.0), (2.0, 1.0), (-0.1, -1.0), (-4.0, -2.0), (1e9, 5e8)] {
        assert_eq!(lock(&system, 0, 0.0, &[x, 0.0]).values.counts, [n], "{x}");
    }
}

#[test]
fn halves_are_rounded_away_from_zero_when_locked_too() {
    let system = model("derivatives = { x = \"round(x)\", v = \"0\" }");
    for x in [-3.5, -2.5, -1.5, -0.5, -0.49, 0.49, 0.5, 1.5, 2.5, 7.2, -7.7] {
        assert_eq!(lock(&system, 0, 0.0, &[x, 0.0]).values.counts, [f64::round(x)], "{x}");
    }
}

#[test]
fn angles_go_on_beyond_the_cut_while_they_are_locked() {
    let system = model("derivatives = { x = \"atan2(v, x)\", v = \"0\" }");
    let mode = lock(&system, 0, 0.0, &[-1.0, 1e-3]);
    let angle = |x: f64, v: f64| {
        let mut dy = [0.0; 2];
        system.evaluator().derivative(mode.locked(&system.shape().parameters), 0.0, &[x, v], &mut dy);
        dy[0]
    };
    assert_eq!(angle(-1.0, 1e-3), f64::atan2(1e-3, -1.0));
    assert!((angle(-1.0, -1e-3) - angle(-1.0, 1e-3) - 2e-3).abs() < 1e-8);
    assert_eq!(angle(1.0, -1e-3), f64::atan2(-1e-3, 1.0));
}

#[test]
fn a_branch_that_is_not_taken_disturbs_no_guard() {
    let system = model(
        r#"derivatives = { x = "if(x > 0, abs(ln(x)) + floor(sqrt(x)) + max(1 / x, v), 7)", v = "0" }"#,
    );
    let state = [-1.0, 0.0];
    let mode = lock(&system, 0, 0.0, &state);
    let mut values = vec![f64::NAN; system.shape().guards.len()];
    system.evaluator().guards(mode.locked(&system.shape().parameters), 0.0, &state, &mut values);
    assert!(values.iter().all(|v| v.is_finite()), "{values:?}");
    let mut dy = [0.0; 2];
    system.evaluator().derivative(mode.locked(&system.shape().parameters), 0.0, &state, &mut dy);
    assert_eq!(dy, [7.0, 0.0]);
    let mut jacobian = [f64::NAN; 4];
    assert!(system.evaluator().jacobian(mode.locked(&system.shape().parameters), 0.0, &state, &mut jacobian));
    assert_eq!(jacobian, [0.0; 4]);
}

#[test]
fn surfaces_that_are_straight_in_time_have_known_times() {
    let system = model(
        r#"
        derivatives = { x = "if(t > 5, 1, 0) + if(3 * p > 2 * t, 1, 0)", v = "floor(t / 0.1) + round(t) + sign(sin(t)) + mod(t, p)" }
        events = { late = { guard = "t < 1" }, both = { guard = "7 - t" }, mixed = { guard = "x < t" } }
        "#,
    );
    let times = schedule(&system, &[2.0, 3.0, 4.0]);
    let kinds: Vec<GuardKind> = system.shape().guards.iter().map(|g| g.kind).collect();
    let (rising, falling) = (GuardKind::Scheduled { rising: true }, GuardKind::Scheduled { rising: false });
    let expected = [
        ("t > 5 in derivatives.x", rising, 5.0),
        ("3 * p > 2 * t in derivatives.x", falling, 3.0),
        ("floor(t / 0.1) in derivatives.v", rising, 0.3),
        ("floor(t / 0.1) in derivatives.v", GuardKind::Surface, f64::NAN),
        ("round(t) in derivatives.v", rising, 3.5),
        ("round(t) in derivatives.v", GuardKind::Surface, f64::NAN),
        ("sign(sin(t)) in derivatives.v", GuardKind::Surface, f64::NAN),
        ("mod(t, p) in derivatives.v", rising, 10.0),
        ("mod(t, p) in derivatives.v", GuardKind::Surface, f64::NAN),
        ("late", rising, f64::INFINITY),
        ("both", falling, 7.0),
        ("mixed", GuardKind::Surface, f64::NAN),
    ];
    assert_eq!(names(&system), expected.map(|e| e.0));
    assert_eq!(kinds, expected.map(|e| e.1));
    for ((_, _, wanted), time) in expected.iter().zip(&times) {
        assert!(wanted == time || wanted.is_nan() && time.is_nan(), "{times:?}");
    }
}

/// `0.3 / 0.1` is less than 3, but the step of `floor` is where the schedule says.
#[test]
fn a_scheduled_surface_is_zero_at_its_time() {
    let system = model("derivatives = { x = \"floor(t / 0.1) + floor(t / T)\", v = \"0\" }");
    let mut evaluator = system.evaluator();
    for n in 0..2000 {
        let mut mode = lock(&system, 0, 0.05, &[0.0, 0.0]);
        mode.values.counts.fill(f64::from(n));
        let mut times = vec![0.0; system.shape().guards.len()];
        evaluator.schedule(mode.locked(&system.shape().parameters), &mut times);
        assert_eq!(times[0], f64::from(n + 1) / 10.0);
        assert_eq!(evaluator.guard(mode.locked(&system.shape().parameters), 0, times[0], &[0.0, 0.0]), 0.0);
        assert_eq!(evaluator.guard(mode.locked(&system.shape().parameters), 2, times[2], &[0.0, 0.0]), 0.0);
        assert!((times[2] - times[0]).abs() <= 4.0 * f64::EPSILON * times[0]);
        mode.values.counts.fill(f64::from(n + 1));
        assert_eq!(evaluator.guard(mode.locked(&system.shape().parameters), 1, times[0], &[0.0, 0.0]), 0.0);
    }
}

#[test]
fn clocks_strike_at_the_first_time_plus_periods() {
    let system = system_of(
        r#"
        parameters = { T = 0.1 }
        states.x = 0
        derivatives.x = 0
        events.once = { at = "2 * T", reset.x = 1 }
        events.tick = { every = "T" }
        events.late = { every = 0.25, at = 7 }
        run = { from = 1, until = 2 }
        "#,
    );
    let scheduled = GuardKind::Scheduled { rising: true };
    assert!(system.shape().guards.iter().all(|g| g.kind == scheduled && g.direction == Direction::Rising));
    let counts: Vec<_> = system.shape().guards.iter().map(|g| g.response.count).collect();
    let clock = |index| Some(Count { index, up: true, clock: true });
    assert_eq!(counts, [None, clock(0), clock(1)]);
    let mut mode = lock(&system, 0, 1.0, &[0.0]);
    assert_eq!(mode.values.counts, [0.0, 0.0]);
    for n in 0..100 {
        mode.values.counts = vec![f64::from(n); 2];
        let mut times = vec![0.0; 3];
        system.evaluator().schedule(mode.locked(&system.shape().parameters), &mut times);
        assert_eq!(times, [0.2, 1.1 + f64::from(n) * 0.1, 7.0 + f64::from(n) * 0.25]);
    }
    // A run that begins later has missed some.
    assert_eq!(lock(&system, 0, 7.6, &[0.0]).values.counts, [66.0, 3.0]);
}

#[test]
fn what_happens_at_rest_is_a_guard_behind_all_others() {
    let system = system_of(
        r#"
        states = { y = 1, v = 0 }
        [modes.flight]
        derivatives = { y = "v", v = -9.81 }
        events.floor = { guard = "y < 0", touches = true, reset.v = "-0.5 * v", at_rest = { goto = "still", reset = { y = 0, v = 0 } } }
        events.top = { guard = "v < 0", at_rest = "still" }
        [modes.still]
        derivatives = { y = 0, v = 0 }
        [run]
        until = 3
        "#,
    );
    assert_eq!(names(&system), ["floor", "top", "floor at rest", "top at rest"]);
    let guards = &system.shape().guards;
    assert!(guards[0].touches && !guards[1].touches);
    assert_eq!((guards[0].response.at_rest, guards[1].response.at_rest), (Some(2), Some(3)));
    assert_eq!((guards[2].kind, guards[3].kind), (GuardKind::Rest, GuardKind::Rest));
    assert_eq!((guards[2].response.mode, guards[2].response.reset), (Some(1), true));
    assert_eq!((guards[3].response.mode, guards[3].response.reset), (Some(1), false));
    let mut after = [-1e-9, 3.0];
    let mode = lock(&system, 0, 0.0, &[1.0, 0.0]);
    system.evaluator().reset(
        mode.locked(&system.shape().parameters),
        2,
        0.0,
        &[-1e-9, 3.0],
        Reset { state: &mut after, discrete: &mut [] },
    );
    assert_eq!(after, [0.0, 0.0]);
}

/// Dry friction written as `sign(v)`: the turning points of the closed form, and as many events as turns.
#[test]
fn dry_friction_turns_at_multiples_of_pi() {
    let run = run_model(
        r#"
        states = { x = 1.05, v = 0 }
        derivatives = { x = "v", v = "-x - 0.1 * sign(v)" }
        run = { until = 7, rtol = 1e-10 }
        "#,
    );
    let times: Vec<f64> = run.event_times("sign(v) in derivatives.v").collect();
    assert_eq!(times.len(), 2, "{times:?}");
    for (t, k) in times.iter().zip(1..) {
        assert!((t - std::f64::consts::PI * f64::from(k)).abs() < 1e-8, "{times:?}");
    }
}

/// x' = 2 - 1 (x > 1) from 0: one event at t = 0.5, and the end is exact; the same through nested locks.
#[test]
fn a_step_in_the_derivative_costs_no_accuracy() {
    for formula in ["if(x > 1, 1, 2)", "if(abs(max(x, -3)) > 1, 1, 2)", "2 - if(not x < 1 and x > -5, 1, 0)"]
    {
        let run = run_model(&format!("states.x = 0\nderivatives.x = \"{formula}\"\nrun.until = 2"));
        let end = run.segments.last().unwrap().state(2.0)[0];
        assert!((end - 2.5).abs() < 1e-12, "{formula}: {end}");
        assert_eq!(run.events.len(), 1, "{formula}");
        assert!((run.events[0].t - 0.5).abs() < 1e-12);
    }
}

/// Stairs up and down: x goes from 0 to 2.7 and almost back, and y gathers a whole number of it.
#[test]
fn whole_numbers_change_where_they_should() {
    let cases = [
        ("floor(x)", "floor(x)", 4.8, 4),
        ("ceil(x)", "ceil(x)", 10.199, 4),
        ("round(x)", "round(x)", 7.2, 6),
        ("x - mod(x, 1)", "mod(x, 1)", 4.8, 4),
    ];
    for (formula, switching, area, events) in cases {
        let run = run_model(&format!(
            "states = {{ x = 0, y = 0 }}\nrun = {{ until = 5.399 }}\n\
             derivatives = {{ x = \"if(t < 2.7, 1, -1)\", y = \"{formula}\" }}"
        ));
        let end = run.segments.last().unwrap().state(5.399)[1];
        assert!((end - area).abs() < 1e-9, "{formula}: {end}");
        assert_eq!(run.event_times(&format!("{switching} in derivatives.y")).count(), events, "{formula}");
    }
}

/// A square wave of width `f` and period `T`, which no step may miss: its area is exact.
#[test]
fn a_pulse_train_is_met_pulse_by_pulse() {
    let run = run_model(
        r#"
        parameters = { T = 0.1, f = 0.3 }
        states.x = 0
        derivatives.x = "if(mod(t, T) < f * T, 1, -0.2)"
        run.until = 10
        "#,
    );
    let end = run.segments.last().unwrap().state(10.0)[0];
    assert!((end - (3.0 - 0.2 * 7.0)).abs() < 1e-10, "{end}");
}

#[test]
fn a_clock_that_only_strikes_leaves_the_motion_alone() {
    let run =
        run_model("states.x = 1\nderivatives.x = \"-x\"\nevents.tick = { every = 0.1 }\nrun.until = 1.05");
    assert_eq!(run.event_times("tick").count(), 10);
    assert!(run.events.iter().all(|e| e.kinds == [slipstick::trajectory::EventKind::Record]));
}
