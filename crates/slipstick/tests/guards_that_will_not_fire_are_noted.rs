//! A guard that is past its zero does not fire; a run says so once, and does not stay silent.

mod common;

fn notes(text: &str) -> Vec<&'static str> {
    common::run_model(text).notes.iter().map(|n| n.code).collect()
}

#[test]
fn past_at_the_start() {
    let model = r#"
        states.T = 25
        modes.on = { derivatives.T = 1, events.hot = { guard = "T > 20", goto = "off" } }
        modes.off = { derivatives.T = -1, events.cold = { guard = "T < 10", goto = "on" } }
        run.until = 2
    "#;
    assert_eq!(notes(model), ["already-past"]);
}

#[test]
fn a_healthy_automaton_has_no_notes() {
    let model = r#"
        states.T = 20
        modes.heat = { derivatives.T = 1, events.hot = { guard = "T > 22", goto = "cool" } }
        modes.cool = { derivatives.T = -0.5, events.cold = { guard = "T < 21", goto = "heat" } }
        run.until = 50
    "#;
    assert!(notes(model).is_empty());
}
