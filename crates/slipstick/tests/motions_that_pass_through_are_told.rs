//! A reset that should turn its motion round and sends it on across its guard is worth a warning (rule 16),
//! and one that has nothing to do with the guard is not.

mod common;

use common::run_model;

/// The events that are told to pass through.
fn passing(text: &str) -> Vec<String> {
    let run = run_model(text);
    let told = run.notes.iter().filter(|note| note.code == "passes-through");
    told.map(|note| note.text.split('`').nth(1).unwrap_or_default().to_owned()).collect()
}

/// A ball just below the floor, which is true where its mode is entered.
#[test]
fn a_guard_that_is_true_at_entry_is_told() {
    let fly =
        r#"derivatives = { y = "v", v = -10 }, events.floor = { guard = "y < 0", reset.v = "-0.5 * v" }"#;
    for (v, told) in [("1", &["floor"][..]), ("-1", &[])] {
        let start = format!("states = {{ y = -1e-9, v = {v} }}\nmodes.fly = {{ {fly} }}\nrun.until = 0.05");
        assert_eq!(passing(&start), told, "from the start, v = {v}");
        let thrown = format!(
            "states = {{ y = -1e-9, v = 0 }}\n\
             modes.rest = {{ derivatives = {{ y = 0, v = 0 }}, events.throw = {{ guard = \"t > 1\", reset.v = {v}, goto = \"fly\" }} }}\n\
             modes.fly = {{ {fly} }}\nrun.until = 1.05"
        );
        assert_eq!(passing(&thrown), told, "thrown with {v}");
    }
}

/// A table that moves, left a little below it.
#[test]
fn a_guard_that_moves_is_told() {
    let table = r#"
        states = { y = 0, v = 0.1 }
        derivatives.y = "v"
        [modes.ride]
        derivatives.v = "-0.1 * sin(t)"
        events.fall = { guard = "t > 2", goto = "fly", reset = { y = "y - 1e-7", v = "v + 1" } }
        [modes.fly]
        derivatives.v = -10
        events.floor = { guard = "y < 0.1 * sin(t)", reset.v = "0.1 * cos(t) - 0.5 * (v - 0.1 * cos(t))" }
        [run]
        until = 2.05
        "#;
    assert_eq!(passing(table), ["floor"]);
}

/// What is set beside the guard does not turn its motion; what sets its value alone leaves the motion as it was.
#[test]
fn resets_that_do_not_turn_the_motion_are_not_told() {
    let of = |guard: &str, reset: &str| {
        passing(&format!(
            "states = {{ x = 0, y = 1 }}\ndiscrete = {{ n = 0, gear = 1 }}\nderivatives = {{ x = \"gear\", y = -1 }}\n\
             events.pass = {{ guard = \"{guard}\", reset = {{ {reset} }} }}\nrun.until = 2"
        ))
    };
    assert_eq!(
        of("x > 1", "n = \"n + 1\", y = 2"),
        [""; 0],
        "a count, and a state that the guard does not see"
    );
    assert_eq!(of("x > 1", "gear = 0.5, y = 2"), ["pass"], "slower, and on across the guard");
    assert_eq!(of("x > 1", "x = 3"), [""; 0], "put further on, as fast as before");
}
