//! Conditions within a branch are watched while the branch is taken, and up to date when it is.

mod common;

use common::{plan, run_model};
use slipstick::equations::System;
use slipstick::simulate::simulate;

#[test]
fn a_branch_that_is_not_taken_is_not_watched() {
    let run = run_model(
        r#"
        parameters.c = 0
        states = { x = -1, z = 0 }
        derivatives = { x = 1, z = "if c > 0 then abs(x) else 0" }
        run.until = 2
        "#,
    );
    assert!(run.events.is_empty(), "{:?}", run.events);
}

#[test]
fn a_branch_is_watched_from_when_it_is_taken() {
    let run = run_model(
        r#"
        states = { x = 0, z = 0 }
        derivatives = { x = 1, z = "if x > 1 then abs(x - 0.5) + abs(x - 1.5) else 0" }
        run.until = 2
        "#,
    );
    // 1 + 0.5 is passed while the branch is taken, 0.5 before.
    assert_eq!(run.events.len(), 2, "{:?}", run.events);
    let truth = (1.5_f64.powi(2) - 0.5_f64.powi(2)) / 2.0 + 0.25;
    assert!((run.end_state()[1] - truth).abs() < 1e-12, "{:?}", run.end_state());
}

#[test]
fn a_branch_that_is_met_is_known_before_it_is_taken() {
    // The sign changes at t = 0.5, in a branch that is not taken before x comes to zero at t = 1; there both sides push back.
    let run = run_model(
        r#"
        states = { x = 1, z = 0 }
        derivatives = { x = "if x > 0 then -1 else 1 + 2 * sign(z - 0.5)", z = 1 }
        run.until = 3
        "#,
    );
    assert_eq!(run.events.len(), 1, "{:?}", run.events);
    assert!(
        (run.events[0].t - 1.0).abs() < 1e-12 && run.end_state()[0].abs() < 1e-12,
        "{:?}",
        run.end_state()
    );
}

#[test]
fn whole_numbers_of_a_branch_are_up_to_date_when_it_is_taken() {
    let run = run_model(
        r#"
        states = { x = 0, z = 0 }
        derivatives = { x = 1, z = "if x > 3.25 then floor(x) + mod(x, 2) else 0" }
        run.until = 4.5
        "#,
    );
    // 3 + (x - 2) up to 4, then 4 + (x - 4).
    let truth = (3.0 * 0.75 + (4.0 - 1.25 * 1.25) / 2.0) + (4.0 * 0.5 + 0.125);
    assert!((run.end_state()[1] - truth).abs() < 1e-9, "{:?} {truth}", run.end_state());
    assert_eq!(run.events.len(), 2, "{:?}", run.events);
}

#[test]
fn outputs_show_what_holds_beside_branches_that_are_not_taken() {
    let plan = plan(
        r#"
        states = { x = -1, z = 0 }
        derivatives = { x = 1, z = "if x > 5 then abs(x) else 0" }
        outputs.distance = "abs(x)"
        run.until = 2
        "#,
    );
    let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
    let mut observer = plan.system.outputs();
    let segment = run.segments.last().expect("a segment");
    let mut values = [0.0_f64];
    observer.observe(segment.mode.locked(&plan.system.shape().parameters), 2.0, run.end_state(), &mut values);
    assert!((values[0] - 1.0).abs() < 1e-12, "{values:?}");
}

/// Late in time the smallest step is longer than the way that the tolerance leaves to the surface.
#[test]
fn a_branch_that_has_no_other_side_is_reached_late_in_time() {
    let run = run_model(
        r#"
        states = { x = -0.5354, v = 1.1595 }
        derivatives = { x = "v", v = "-3.3699*x - if(x > 0.0046, 0.337*sqrt((x - 0.0046)/1.2165) + if(v > 0, 0.337, 0), 0)" }
        run = { from = 1e6, until = 1000004, rtol = 1e-7, atol = 1e-9 }
        "#,
    );
    assert_eq!(run.events.len(), 4, "{:?}", run.events);
}
