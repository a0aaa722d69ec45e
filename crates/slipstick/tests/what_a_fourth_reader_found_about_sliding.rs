//! What a reader who had not seen the work found wrong about sliding in the fourth round, each as the smallest model that showed it.

mod common;

use common::plan;
use slipstick::simulate::simulate;
use slipstick::trajectory::{EventKind, Trajectory};

/// Runs a model that must not take more than some thousand steps.
fn run_shortly(text: &str) -> Trajectory {
    let mut plan = plan(text);
    plan.options.limits.steps = 5000;
    simulate(&plan.system, &plan.start, &plan.options).expect("a run")
}

fn times(run: &Trajectory) -> Vec<f64> {
    run.events.iter().map(|event| event.t).collect()
}

/// It had been left twice more, by rounding.
#[test]
fn a_curved_surface_that_a_run_begins_on_is_left_once() {
    let run = run_shortly(
        r#"
        states = { x = 0, y = 1 }
        switches.s = "x^2+y^2-1"
        derivatives = { x = "1-x*s", y = "0.2-y*s" }
        run.until = 4
        "#,
    );
    assert_eq!(run.events.len(), 1, "{:?}", run.events);
    assert!((run.events[0].t - 2.072_700_668_5).abs() < 1e-7, "{:?}", times(&run));
    assert!(run.events[0].kinds.contains(&EventKind::Leave), "{:?}", run.events);
}
