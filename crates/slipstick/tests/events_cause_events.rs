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
    assert_eq!(run.events.len(), 4);
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
    let names: Vec<&str> = run.events.iter().map(|e| run.guard_names[e.guards[0]].as_str()).collect();
    assert_eq!(names, ["first", "second", "third"]);
    assert!(run.events.iter().all(|e| (e.t - 1.0).abs() < 1e-12));
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
