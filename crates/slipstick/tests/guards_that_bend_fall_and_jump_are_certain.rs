//! Guards that bend at zero, fall by decades, are constant in pieces or have poles fire where they should, and only there.

mod common;

use common::run_model;
use slipstick::simulate::simulate;
use slipstick::trajectory::{EventKind, Outcome};

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
fn a_root_that_is_protected_by_a_condition_is_no_error() {
    for formula in ["if(x > 0, sqrt(x), 0)", "sqrt(max(x, 0))"] {
        let run = run_model(&format!(
            "states = {{ x = 1, y = 0 }}\nderivatives = {{ x = -1, y = \"{formula}\" }}\nrun.until = 2"
        ));
        assert!((run.end_state()[1] - 2.0 / 3.0).abs() < 1e-5, "{formula}: {:?}", run.end_state());
    }
}

#[test]
fn a_guard_that_begins_at_zero_and_is_pushed_off_it_later_fires() {
    let run = run_model(
        r#"
        states = { x = 0, v = 0 }
        derivatives = { x = "v", v = "if t > 1 then -1 else 0" }
        events.s = { guard = "x < 0", stop = true }
        run.until = 3
        "#,
    );
    assert!((run.end_time() - 1.0).abs() < 1e-9, "{}", run.end_time());
}

#[test]
fn a_guard_that_turns_back_at_its_own_kink_does_not_fire() {
    let run = run_model(
        r#"
        states.x = 0
        derivatives.x = 1
        events.s1 = { guard = "abs(x - 1)" }
        events.s2 = { guard = "abs(x - 1) < 0", reset = { x = 0 } }
        run.until = 3
        "#,
    );
    assert!((run.end_state()[0] - 3.0).abs() < 1e-12, "{:?}", run.end_state());
    assert!(run.events.iter().all(|e| !e.kinds.contains(&EventKind::Reset)));
}

#[test]
fn a_switch_in_time_alone_is_logged_once() {
    let run = run_model(
        r#"
        states = { x = 1, v = 0 }
        derivatives = { x = "v", v = "-x + sign(sin(3*t))" }
        run.until = 5
        "#,
    );
    assert_eq!(run.events.len(), 4);
}

#[test]
fn what_changes_something_is_not_repeated() {
    let run = run_model(
        r#"
        states = { x = 1, n = 0 }
        derivatives = { x = "-x", n = 0 }
        events.b = { guard = "x < 0.3", reset = { n = "n + 1" } }
        run.until = 2
        "#,
    );
    assert_eq!((run.events.len(), run.end_state()[1]), (1, 1.0));
    let chatter = run_model("states.x = 0\nderivatives.x = \"if x > 0.5 then -1 else 1\"\nrun.until = 3");
    assert_eq!((chatter.events.len(), chatter.end_state()[0]), (1, 0.5));
}

#[test]
fn a_counter_stops_the_run_when_it_reaches_its_limit() {
    for guard in ["n >= 3", "n > 2", "n - 2"] {
        let run = run_model(&format!(
            "states.n = 0\nderivatives.n = 0\nevents.tick = {{ every = 1, reset = {{ n = \"n + 1\" }} }}\n\
             events.full = {{ guard = \"{guard}\", stop = true }}\nrun.until = 6"
        ));
        assert_eq!((run.end_time(), run.end_state()[0]), (3.0, 3.0), "{guard}");
        assert!(run.notes.is_empty(), "{guard} {:?}", run.notes);
    }
}

#[test]
fn a_guard_that_falls_by_twenty_decades_is_not_slept_through() {
    for (start, guard, t) in
        [("1e20", "x < 1", 46.051_701_859_880_92), ("1e25", "x*x < 1e10", 46.051_701_859_880_92)]
    {
        let run = run_model(&format!(
            r#"
            states = {{ x = {start} }}
            derivatives = {{ x = "-x" }}
            events.a = {{ guard = "{guard}" }}
            run = {{ until = 60, rtol = 1e-10 }}
            "#
        ));
        let times: Vec<f64> = run.event_times("a").collect();
        assert!(times.len() == 1 && (times[0] - t).abs() < 1e-6, "{guard}: {times:?}");
    }
}

#[test]
fn guards_that_are_constant_in_pieces_are_certain() {
    for start in [-2.5, 0.0, 0.5] {
        for guard in ["-floor(x)", "floor(x) > 0", "sign(x) - 1", "round(x) * (1 + x^2)"] {
            let run = run_model(&format!(
                "states = {{ x = {start}, v = 3 }}\nderivatives = {{ x = \"v\", v = \"-x\" }}\n\
                 events.e = {{ guard = \"{guard}\" }}\nrun.until = 10"
            ));
            assert!(run.notes.is_empty(), "{start} {guard} {:?}", run.notes);
        }
    }
}

#[test]
fn poles_are_no_roots() {
    let run = run_model(
        "states.x = 0.5\nderivatives.x = 1\nevents.e = { guard = \"tan(x)\" }\n\
         events.later = { guard = \"x > 2\" }\nrun.until = 10",
    );
    let times: Vec<f64> = run.events.iter().map(|event| event.t + 0.5).collect();
    let pi = std::f64::consts::PI;
    assert!(times.iter().zip([2.0, pi, 2.0 * pi, 3.0 * pi]).all(|(a, b)| (a - b).abs() < 1e-12), "{times:?}");
    assert_eq!(times.len(), 4, "{times:?}");
}

#[test]
fn an_event_that_changes_nothing_does_not_end_the_run() {
    let caused = r#"
        states = { x = 0, a = 0, b = 1 }
        derivatives = { x = 1, a = 0, b = 0 }
        events.first = { guard = "x > 1", reset = { a = 1 } }
        events.second = { guard = "a > 0.5", reset = { b = 1 } }
        run.until = 2
    "#;
    let at_start = |rate: &str| {
        format!(
            "states = {{ y = 0, v = 0, n = 1 }}\nderivatives = {{ y = \"{rate}\", v = 1, n = 0 }}\nrun.until = 2\n\
             events.liftoff = {{ guard = \"y > 0\", side = \"before\", reset = {{ n = 1 }} }}"
        )
    };
    for text in [caused.to_owned(), at_start("v"), at_start("1")] {
        let run = run_model(&text);
        assert_eq!(run.outcome, Outcome::ReachedEnd, "{text}");
        assert!((1..=2).contains(&run.events.len()), "{text} {:?}", run.events);
    }
}

#[test]
fn whole_numbers_that_no_double_can_count_are_refused() {
    let text = r#"
        states = { x = 1 }
        derivatives = { x = "-1e-18 * round(x * 1e18)" }
        run.until = 1
    "#;
    let plan = common::plan(text);
    let failure = simulate(&plan.system, &plan.start, &plan.options).expect_err("too large");
    assert_eq!(failure.error.code(), "count-too-large");
    let message = failure.error.to_string();
    assert!(
        message.contains("round(x * 1e18) in derivatives.x") && message.contains("1e18 at t = 0"),
        "{message}"
    );
}
