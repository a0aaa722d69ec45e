//! Defects that a reader found by trying, each with the smallest model that shows it.

mod common;

use common::{plan, run_model};
use slipstick::simulate::simulate;
use slipstick::step::Method;
use slipstick::trajectory::{EventKind, Outcome, Trajectory};

fn times(run: &Trajectory) -> Vec<f64> {
    run.events.iter().map(|e| e.t).collect()
}

#[test]
fn a_rising_guard_that_also_falls_in_the_step_fires_once() {
    let run = run_model(
        r#"
        states.x = 0
        derivatives.x = 1
        events.g = { guard = "(x - 3.85) * (x - 3.87)", direction = "rising" }
        run.until = 10
        "#,
    );
    assert_eq!(run.events.len(), 1);
    assert!((run.events[0].t - 3.87).abs() < 1e-12);
}

#[test]
fn a_clock_strikes_once_beside_an_event_at_the_same_time() {
    let run = run_model(
        r#"
        states = { x = 0, c = 0 }
        derivatives = { x = 1, c = 0 }
        events.at = { at = 1000.2, reset = { c = "c + 1" } }
        events.g = { guard = "x > 0.2" }
        run = { from = 1000, until = 1000.4 }
        "#,
    );
    assert_eq!(run.end_state()[1], 1.0);
    assert_eq!(run.event_times("at").count(), 1);
    assert_eq!(run.event_times("g").count(), 1);
}

#[test]
fn a_ball_rests_on_a_floor_at_any_height() {
    for height in [0.1, 1.0, 1000.0] {
        for method in [Method::Automatic, Method::Radau5] {
            let mut plan = plan(&format!(
                r#"
                states = {{ y = {}, v = 0 }}
                run.until = 3
                [modes.flight]
                derivatives = {{ y = "v", v = "-9.81" }}
                events.hit = {{ guard = "y < {height}", reset = {{ v = "-0.5 * v" }}, at_rest = "rest" }}
                [modes.rest]
                derivatives = {{ y = 0, v = 0 }}
                "#,
                height + 1.0
            ));
            plan.options.method = method;
            let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
            assert_eq!(run.outcome, Outcome::ReachedEnd, "{height} {method:?}");
            let rest = run.events.last().expect("rest");
            assert!(
                rest.kinds.contains(&EventKind::Rest) && (rest.t - 1.354_570_923).abs() < 1e-4,
                "{rest:?}"
            );
            assert!((run.end_state()[0] - height).abs() < 1e-9 * (1.0 + height));
        }
    }
}

#[test]
fn two_things_that_rest_at_one_instant_both_rest() {
    let run = run_model(
        r#"
        states = { a = 1, va = 0, ga = 9.81, b = 1, vb = 0, gb = 9.81 }
        derivatives = { a = "va", va = "-ga", ga = 0, b = "vb", vb = "-gb", gb = 0 }
        events.fa = { guard = "a < 0", reset = { va = 0 }, at_rest = { reset = { a = 0, va = 0, ga = 0 } } }
        events.fb = { guard = "b < 0", reset = { vb = 0 }, at_rest = { reset = { b = 0, vb = 0, gb = 0 } } }
        run.until = 5
        "#,
    );
    assert_eq!(run.outcome, Outcome::ReachedEnd);
    assert_eq!(run.end_state(), [0.0; 6]);
}

#[test]
fn a_guard_that_bends_away_only_by_its_third_derivative_fires_where_it_was_zero() {
    let run = run_model(
        r#"
        states = { x = 0, v = 0 }
        derivatives = { x = "v", v = "-t" }
        events.floor = { guard = "x < 0", side = "before", reset = { v = 0 }, stop = true }
        run.until = 2
        "#,
    );
    assert_eq!((run.events.len(), run.end_time()), (1, 0.0));
}

#[test]
fn a_run_near_time_zero_does_not_hang() {
    let run = run_model(
        r#"
        states.x = 0
        derivatives.x = 1
        events.saw = { guard = "x > 1", reset = { x = "x - 1" }, side = "after" }
        events.tick = { every = 0.3333333333333333 }
        run = { from = -2, until = 2, method = "radau5", max_steps = 3000 }
        "#,
    );
    assert_eq!(run.outcome, Outcome::ReachedEnd);
    assert_eq!(run.event_times("tick").count(), 12);
}

#[test]
fn a_second_surface_is_met_while_sliding_on_one() {
    let run = run_model(
        r#"
        states = { x = 1, y = 0.5 }
        derivatives = { x = "0.2 - sign(x)", y = "-0.4 - sign(y)" }
        run.until = 5
        "#,
    );
    assert!(run.end_state().iter().all(|y| y.abs() < 1e-15), "{:?}", run.end_state());
    assert_eq!(run.events.len(), 2);
}

/// A block sticks until the force exceeds 1: in every half period from asin(1 / 1.1) on.
#[test]
fn a_block_breaks_away_in_every_half_period_by_every_method() {
    for method in Method::ALL.iter().filter(|m| m.facts().error_order.is_some() && !m.facts().mechanisms_only)
    {
        let mut plan = plan(
            r#"
            states.v = 0
            derivatives.v = "1.1 * sin(t) - sign(v)"
            run.until = 12
            "#,
        );
        plan.options.method = *method;
        let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
        let leave: Vec<f64> =
            run.events.iter().filter(|e| e.kinds.contains(&EventKind::Leave)).map(|e| e.t).collect();
        let first = (1.0 / 1.1_f64).asin();
        assert_eq!(leave.len(), 4, "{method:?} {leave:?}");
        for (t, k) in leave.iter().zip(0..) {
            assert!((t - first - std::f64::consts::PI * f64::from(k)).abs() < 1e-6, "{method:?} {leave:?}");
        }
    }
}

#[test]
fn a_mode_in_which_both_fields_point_away_is_left_at_once() {
    let run = run_model(
        r#"
        states = { x = 1, z = 0 }
        run.until = 4
        [modes.a]
        derivatives = { x = "0.3 - sign(x)", z = "sign(x)" }
        events.go = { at = 3, goto = "b" }
        [modes.b]
        derivatives = { x = "2 - sign(x)", z = "sign(x)" }
        "#,
    );
    assert!((run.end_state()[0] - 1.0).abs() < 1e-9, "{:?}", run.end_state());
}

#[test]
fn a_reset_to_a_small_state_does_not_leave_the_surface() {
    let run = run_model(
        r#"
        states = { x = 1, z = 2 }
        derivatives = { x = "0.3 - sign(x)", z = "sign(x)" }
        events.kick = { at = 4, reset = { z = 0 } }
        run.until = 6
        "#,
    );
    assert_eq!(times(&run).len(), 2);
    assert!((run.end_state()[1] - 0.6).abs() < 1e-9 && run.end_state()[0].abs() < 1e-12);
}

#[test]
fn a_root_that_is_protected_by_a_condition_is_no_error() {
    for formula in ["if(x > 0, sqrt(x), 0)", "sqrt(max(x, 0))"] {
        let run = run_model(&format!(
            "states = {{ x = 1, y = 0 }}\nderivatives = {{ x = -1, y = \"{formula}\" }}\nrun.until = 2"
        ));
        assert!((run.end_state()[1] - 2.0 / 3.0).abs() < 1e-5, "{formula}: {:?}", run.end_state());
    }
}
