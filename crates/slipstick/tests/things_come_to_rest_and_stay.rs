//! Balls, blocks and brakes come to rest, stay there, and start when they are pushed hard enough.

mod common;

use common::{plan, run_model, run_shortly};
use slipstick::simulate::simulate;
use slipstick::step::Method;
use slipstick::trajectory::{EventKind, Outcome};

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
fn a_ball_comes_to_rest_at_time_zero_too() {
    let run = run_model(
        r#"
        parameters.T = "3*sqrt(2/9.81)"
        states = { y = 1, v = 0 }
        run = { from = "-T", until = 3 }
        [modes.fly]
        derivatives = { y = "v", v = -9.81 }
        events.floor = { guard = "y < 0", reset = { v = "-0.5*v" }, at_rest = { goto = "lie", reset = { y = 0, v = 0 } } }
        [modes.lie]
        derivatives = { y = 0, v = 0 }
        "#,
    );
    let rest = run.events.iter().find(|e| e.kinds.contains(&EventKind::Rest)).expect("it rests");
    assert!(rest.t.abs() < 1e-9 && run.events.len() < 50, "{} {}", rest.t, run.events.len());
}

#[test]
fn a_ball_at_rest_does_not_fall_through_the_floor() {
    let run = run_model(
        r#"
        states = { y = 0, v = 0 }
        derivatives = { y = "v", v = -1 }
        events.floor = { guard = "y < 0", reset = { v = "-0.5*v" } }
        run.until = 2
        "#,
    );
    assert!(
        matches!(run.outcome, Outcome::Accumulation { .. }) && run.end_state()[0] == 0.0,
        "{:?}",
        run.outcome
    );
}

#[test]
fn a_ball_that_lies_on_the_floor_and_counts_is_at_rest() {
    let run = run_model(
        r#"
        states = { y = 0, v = 0, n = 0 }
        derivatives = { y = "v", v = "-9.81", n = "0" }
        events.floor = { guard = "y < 0", reset = { v = "-0.5 * v", n = "n + 1" } }
        run.until = 1
        "#,
    );
    assert_eq!(run.outcome.code(), "accumulation");
    assert!(run.end_time() == 0.0 && run.events.len() < 5, "{} {}", run.end_time(), run.events.len());
}

#[test]
fn a_guard_at_rest_that_its_reset_does_not_touch_fires_once() {
    let liftoff = "events.liftoff = { guard = \"y > 0\", side = \"before\", reset = { n = \"n + 1\" } }\nrun.until = 2\n";
    let states = "states = { y = 0, v = 0, n = 0 }\n";
    for (force, end) in [("1", 2.0), ("if t > 1 then 1 else 0", 0.5)] {
        let run =
            run_model(&format!("{states}{liftoff}derivatives = {{ y = \"v\", v = \"{force}\", n = 0 }}"));
        assert_eq!(run.end_state()[2], 1.0, "{force}");
        assert!((run.end_state()[0] - end).abs() < 1e-9, "{force} {:?}", run.end_state());
    }
}

#[test]
fn impacts_with_friction_accumulate() {
    for wall in [0.5, 0.0, 1000.0] {
        let run = run_shortly(&format!(
            "states = {{ x = {}, v = 0 }}\nderivatives = {{ x = \"v\", v = \"1 - 0.3*sign(v)\" }}\nrun.until = 20\n\
             events.wall = {{ guard = \"x > {wall}\", reset = {{ v = \"-v\" }} }}",
            wall - 0.5
        ));
        // Each flight takes sqrt(0.7 / 1.3) of the one before; the first fall is half a flight at 0.7.
        let (fall, ratio) = ((1.0_f64 / 0.7).sqrt(), (0.7_f64 / 1.3).sqrt());
        let flight = 0.7 * fall * (1.0 / 1.3 + ratio / 0.7);
        let limit = fall + flight / (1.0 - ratio);
        match run.outcome {
            Outcome::Accumulation { ref guard, t, .. } => {
                assert!(guard == "wall" && (t - limit).abs() < 1e-5, "{wall} {guard} {t} {limit}");
            }
            ref other => panic!("{wall} {other:?}"),
        }
    }
}

/// A surface across which the field is continuous is not slid on, even where the motion dies out on it.
#[test]
fn drag_that_has_died_out_lets_go_when_it_is_pushed() {
    for (formula, end) in [
        ("-5*v*abs(v) - 30*v + max(t-3, 0)", 0.064_877_2),
        ("-50*sign(v)*abs(v) + max(t-3, 0)", 2.0 / 50.0 - 1.0 / 2500.0),
    ] {
        let run = run_model(&format!("states.v = 1\nderivatives.v = \"{formula}\"\nrun.until = 5"));
        assert!((run.end_state()[0] - end).abs() < 1e-6, "{formula} {}", run.end_state()[0]);
        assert!(
            run.events.len() < 6 && run.notes.is_empty(),
            "{formula} {} {:?}",
            run.events.len(),
            run.notes
        );
    }
}

#[test]
fn a_brake_that_lets_go_at_rest_stops_once() {
    for brake in ["-5", "-5 - 0.1 * x", "-5 * exp(-x)"] {
        let run = run_shortly(&format!(
            "states = {{ x = 0, v = 5 }}\nrun.until = 3\nrun.method = \"dopri5\"\n\
             derivatives = {{ x = \"v\", v = \"if v > 0 then {brake} else 0\" }}"
        ));
        let late = run.events.iter().filter(|event| event.kinds.contains(&EventKind::Leave)).count();
        assert!(run.events.len() <= 1 && late == 0, "{brake} {:?}", run.events);
    }
}

#[test]
fn a_brake_that_lets_go_at_rest_can_be_pushed_on_later() {
    let run = run_shortly(
        "states = { x = 0, v = 1 }\nrun.until = 4\n\
         derivatives = { x = \"v\", v = \"if v > 0 then -1 else max(0, t - 2)\" }",
    );
    // At t = 2 it is pushed onto the surface from both sides, and stays.
    assert!(
        run.end_state()[1].abs() < 1e-12 && (run.end_state()[0] - 0.5).abs() < 1e-9,
        "{:?}",
        run.end_state()
    );
    assert!(run.events.len() <= 3, "{:?}", run.events);
}
