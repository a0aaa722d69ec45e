//! A guard that is past its zero does not fire; a run says so once, and does not stay silent.

mod common;

fn notes(text: &str) -> Vec<&'static str> {
    common::run_model(text).notes.iter().map(|n| n.code).collect()
}

/// A mode is left where its guard is true when it is entered, also at the start (rule 9). Outside of modes that has not happened.
#[test]
fn past_at_the_start() {
    let model = r#"
        states.T = 25
        modes.on = { derivatives.T = 1, events.hot = { guard = "T > 20", goto = "off" } }
        modes.off = { derivatives.T = -1, events.cold = { guard = "T < 10", goto = "on" } }
        run.until = 2
    "#;
    let run = common::run_model(model);
    assert!(run.notes.is_empty() && run.events.len() == 1 && run.events[0].t == 0.0, "{:?}", run.events);
    let model = "states.T = 25\nderivatives.T = 1\n\
                 events.hot = { guard = \"T > 20\", reset.T = 0 }\nrun.until = 2";
    assert_eq!(notes(model), ["already-past"]);
}

/// A time in the past is told with its number and a cure, whether the event would do something or not.
#[test]
fn set_for_a_time_before_the_start() {
    for event in ["{ at = 2 }", "{ at = 2, reset.x = 0 }", "{ guard = \"t > 2\" }"] {
        let model = format!(
            "states.x = 0\nderivatives.x = 1\nevents.late = {event}\nrun = {{ from = 5, until = 9 }}"
        );
        let run = common::run_model(&model);
        assert!(run.events.is_empty() && run.notes.len() == 1, "{event}: {:?}", run.notes);
        let note = &run.notes[0];
        assert_eq!(note.code, "already-past");
        assert!(note.text.contains("`late`") && note.text.contains("t = 2") && note.text.contains("`from`"));
    }
}

#[test]
fn a_clock_that_began_before_the_run_just_goes_on() {
    let run = common::run_model(
        "states.x = 0\nderivatives.x = 1\nevents.tick = { every = 1, at = -2.5 }\nrun.until = 3",
    );
    assert_eq!(run.events.iter().map(|event| event.t).collect::<Vec<_>>(), [0.5, 1.5, 2.5]);
    assert!(run.notes.is_empty());
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
