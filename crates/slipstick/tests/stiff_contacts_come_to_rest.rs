//! A body on a contact so stiff that its last bounces are below the tolerance comes to rest.
//!
//! With an explicit pair the errors that are allowed drive it on for ever, and a note says that the problem is stiff; `auto` goes on with a stiff method.

mod common;

use slipstick::trajectory::Outcome;

/// A marble on a spring with a damper of three hundredths of the critical one. It sinks in by 4.9e-12 m, and bounces lower than the tolerance of 1e-6 from the start on:
/// as e = 0.91, its speed falls from 1.4e-4 m/s to what its weight takes away in a contact within some thirty bounces.
const MARBLE: &str = r#"
    parameters = { m = 0.005, k = 1e10, c = 424 }
    states = { y = 1e-9, v = 0 }
    derivatives = { y = "v", v = "if y < 0 then -9.81 - (k * y + c * v) / m else -9.81" }
    [run]
    until = 2e-2
    rtol = 1e-12
    atol = 1e-6
"#;

#[test]
fn a_marble_stays_on_the_floor() {
    let run = common::run_model(MARBLE);
    assert_eq!(run.outcome, Outcome::ReachedEnd);
    let (count, last) = (run.events.len(), run.events.last().map_or(0.0, |event| event.t));
    assert!((30..100).contains(&count) && last < 1e-3, "{count} events, the last at {last:e}");
    assert!(run.statistics.accepted < 500, "{} steps", run.statistics.accepted);
    assert!(run.notes.iter().any(|note| note.code == "stiff"));
}
