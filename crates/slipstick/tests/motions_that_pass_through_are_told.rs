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
