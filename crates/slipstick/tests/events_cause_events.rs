//! A reset that carries another guard across zero fires it at the same instant, until nothing fires any more.

mod common;

use common::{plan, run_model};
use slipstick::simulate::{Error, simulate};
use slipstick::trajectory::Outcome;

/// A reset counts, and the count stops the run in the same instant.
#[test]
fn a_count_made_by_resets_fires_its_own_event() {
    let run = run_model(
        r#"
        states = { x = 1, v = 0, n = 0 }
        derivatives = { x = "v", v = "-x", n = 0 }
        events.cross = { guard = "x", reset = { n = "n + 1" } }
        events.enough = { guard = "n > 2.5", stop = true }
        run.until = 20
        "#,
    );
    assert_eq!(run.outcome, Outcome::StoppedByEvent { guard: "enough".to_owned() });
    assert!((run.end_time() - 2.5 * std::f64::consts::PI).abs() < 1e-6);
    let fired = |name| run.event_times(name).count();
    assert_eq!((run.events.len(), fired("cross"), fired("enough")), (3, 3, 1));
    assert!(run.notes.is_empty(), "{:?}", run.notes);
}

/// Three dominoes: each reset pushes the next guard over.
#[test]
fn a_chain_of_resets_is_followed_to_its_end_in_order() {
    let run = run_model(
        r#"
        states = { t1 = 0, a = 0, b = 0, c = 0 }
        derivatives = { t1 = 1, a = 0, b = 0, c = 0 }
        events.first = { guard = "t1 > 1", reset = { a = 1 } }
        events.second = { guard = "a > 0.5", reset = { b = 1 } }
        events.third = { guard = "b > 0.5", reset = { c = 1 } }
        run.until = 2
        "#,
    );
    let [event] = &run.events[..] else { panic!("{:?}", run.events) };
    let names: Vec<&str> = event.guards.iter().map(|&g| run.guard_names[g].as_str()).collect();
    assert_eq!(names, ["first", "second", "third"], "one event, with names in the order in which they fired");
    assert!((event.t - 1.0).abs() < 1e-12 && event.before[1..] == [0.0; 3] && event.after[1..] == [1.0; 3]);
    // What each round has made is kept.
    let made: Vec<&[f64]> = event.rounds.iter().map(|round| &round.after[1..]).collect();
    assert_eq!(made, [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]);
    assert_eq!((run.segments.len(), run.statistics.events, run.statistics.kinds.resets), (2, 1, 1));
    assert_eq!(run.end_state()[1..], [1.0, 1.0, 1.0]);
}

/// Two resets that undo each other are an error that prints the cycle and keeps what was computed.
#[test]
fn a_cycle_is_an_error_that_names_it() {
    let plan = plan(
        r#"
        states = { x = 0, a = 0 }
        derivatives = { x = 1, a = 0 }
        events.start = { guard = "x > 1", reset = { a = 1 } }
        events.up = { guard = "a > 0.5", reset = { a = -1 } }
        events.down = { guard = "a < -0.5", reset = { a = 1 } }
        run.until = 2
        "#,
    );
    let failure = simulate(&plan.system, &plan.start, &plan.options).expect_err("a cycle");
    let Error::EventCycle { t, cycle, .. } = &failure.error else { panic!("{:?}", failure.error) };
    assert!((t - 1.0).abs() < 1e-12);
    assert!(cycle.contains("`up` → `down` → `up`") || cycle.contains("`down` → `up` → `down`"), "{cycle}");
    assert!((failure.trajectory.end_time() - 1.0).abs() < 1e-12);
}

/// The limit of events counts transitions, and does not cut one in the middle.
#[test]
fn the_limit_of_events_lets_a_transition_end() {
    let mut plan = plan(
        r#"
        states = { x = 0, a = 0, b = 0 }
        derivatives = { x = 1, a = 0, b = 0 }
        events.start = { guard = "x > 1", reset = { a = 1 } }
        events.next = { guard = "a > 0.5", reset = { b = 1 } }
        run.until = 2
        "#,
    );
    plan.options.limits.events = 1;
    let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
    assert_eq!(run.outcome, Outcome::EventLimit { limit: 1, guard: "next".to_owned() });
    assert_eq!(run.end_state()[1..], [1.0, 1.0]);
}

/// Two modes whose guards overlap lead to each other without end. They are different surfaces: the motion does not
/// slide between them, and nothing jumps.
#[test]
fn modes_whose_guards_overlap_are_a_cycle() {
    for (first, second, t) in [("y > 5", "y > 6", 6.0), ("y > 5", "y > 5", 5.0), ("y > 5", "y < 6", 5.0)] {
        let text = format!(
            r#"
            states = {{ y = 0 }}
            modes.a = {{ derivatives = {{ y = 1 }}, events.there = {{ guard = "{first}", goto = "b" }} }}
            modes.b = {{ derivatives = {{ y = 1 }}, events.back = {{ guard = "{second}", goto = "a" }} }}
            run.until = 10
            "#
        );
        let plan = plan(&text);
        let failure = simulate(&plan.system, &plan.start, &plan.options).expect_err("a cycle");
        let Error::EventCycle { t: at, .. } = failure.error else { panic!("{:?}", failure.error) };
        let y = failure.trajectory.end_state()[0];
        assert!((at - t).abs() < 1e-12 && (y - at).abs() < 1e-12, "{second}: t = {at}, y = {y}");
    }
}
