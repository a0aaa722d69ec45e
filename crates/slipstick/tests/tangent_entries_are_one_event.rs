//! Where a motion meets a surface at the very point at which sliding begins or ends, rounding alone would decide, and both a beginning and an end were
//! logged at the same time.

mod common;

use common::run_model;
use slipstick::trajectory::{EventKind, Trajectory};

/// From above it comes down to y = 0 at x = t = 1, where the field below runs along the surface.
fn meet(below: &str) -> Trajectory {
    run_model(&format!(
        "states = {{ x = 0, y = 1 }}\nderivatives = {{ x = \"1\", y = \"if y > 0 then -1 else {below}\" }}\nrun.until = 3"
    ))
}

fn kinds(run: &Trajectory) -> Vec<EventKind> {
    run.events.iter().flat_map(|event| event.kinds.clone()).collect()
}

#[test]
fn where_sliding_ends_the_motion_crosses() {
    for (below, depth) in [("1 - x", -2.0), ("3 * (1 - x)", -6.0), ("sin(1 - x)", 2.0_f64.cos() - 1.0)] {
        let run = meet(below);
        assert_eq!(kinds(&run), [EventKind::Switch], "{below}: {:?}", run.events);
        assert!((run.end_state()[1] - depth).abs() < 1e-6, "{below}: {:?}", run.end_state());
        assert!(run.notes.is_empty(), "{below}: {:?}", run.notes);
    }
}

#[test]
fn where_sliding_begins_the_motion_slides() {
    for below in ["x - 1", "3 * (x - 1)", "sin(x - 1)"] {
        let run = meet(below);
        assert_eq!(kinds(&run), [EventKind::Slide], "{below}: {:?}", run.events);
        assert_eq!(run.end_state()[1], 0.0, "{below}");
    }
}

#[test]
fn short_slides_are_still_there() {
    let run = meet("1.001 - x");
    assert_eq!(kinds(&run), [EventKind::Slide, EventKind::Leave], "{:?}", run.events);
    assert!((run.events[1].t - 1.001).abs() < 1e-9);
}
