//! What a reader who had not seen the work found wrong about sliding in the fourth round, each as the smallest model that showed it.

mod common;

use common::plan;
use slipstick::equations::ClosureSystem;
use slipstick::simulate::{Options, Start, simulate};
use slipstick::trajectory::{EventKind, Outcome, Trajectory};

/// Runs a model that must not take more than some thousand steps.
fn run_shortly(text: &str) -> Trajectory {
    let mut plan = plan(text);
    plan.options.limits.steps = 5000;
    simulate(&plan.system, &plan.start, &plan.options).expect("a run")
}

fn times(run: &Trajectory) -> Vec<f64> {
    run.events.iter().map(|event| event.t).collect()
}

/// Three surfaces, any two of which determine the third.
#[test]
fn blocks_that_rub_each_other_come_to_rest_on_the_floor() {
    for method in ["auto", "dopri5", "radau5"] {
        let run = run_shortly(&format!(
            "states = {{ v1 = 1, v2 = 0.5 }}\nrun = {{ until = 3, method = \"{method}\" }}\n\
             derivatives = {{ v1 = \"-sign(v1)-sign(v1-v2)\", v2 = \"-sign(v2)+sign(v1-v2)\" }}"
        ));
        assert_eq!(run.outcome, Outcome::ReachedEnd, "{method}");
        let times = times(&run);
        assert_eq!(times.len(), 2, "{method} {:?}", run.events);
        assert!((times[0] - 0.25).abs() < 1e-12 && (times[1] - 0.75).abs() < 1e-12, "{method} {times:?}");
        assert!(run.end_state().iter().all(|v| v.abs() < 1e-15), "{method} {:?}", run.end_state());
    }
}

#[test]
fn surfaces_that_depend_on_each_other_are_met_at_once() {
    let run = run_shortly(
        r#"
        states = { x = 1, y = 1 }
        derivatives = { x = "-sign(x)-0.1*sign(x+y)", y = "-sign(y)-0.1*sign(x+y)" }
        run.until = 3
        "#,
    );
    assert_eq!(run.outcome, Outcome::ReachedEnd);
    assert_eq!(run.events.len(), 1, "{:?}", times(&run));
    assert!((run.events[0].t - 1.0 / 1.1).abs() < 1e-12, "{:?}", times(&run));
    assert!(run.end_state().iter().all(|v| v.abs() < 1e-15), "{:?}", run.end_state());
}

/// The upper block is held by all that floor and neighbour can do together; then it moves and the other stays.
#[test]
fn a_block_that_rubs_another_starts_when_it_is_pushed_hard_enough() {
    let run = run_shortly(
        r#"
        states = { v1 = 1, v2 = 0.5 }
        derivatives = { v1 = "max(t-3,0)-sign(v1)-0.5*sign(v1-v2)", v2 = "-sign(v2)+0.5*sign(v1-v2)" }
        run.until = 5
        "#,
    );
    let last = run.events.last().expect("events");
    assert!((last.t - 4.5).abs() < 1e-8 && last.kinds.contains(&EventKind::Leave), "{:?}", run.events);
    let end = run.end_state();
    assert!((end[0] - 0.125).abs() < 1e-8 && end[1].abs() < 1e-15, "{end:?}");
}

/// Four floors and three neighbours: too many for all choices of signs.
#[test]
fn a_row_of_blocks_comes_to_rest() {
    let run = run_shortly(
        r#"
        states = { a = 1, b = 0.7, c = 0.4, d = 0.2 }
        [derivatives]
        a = "-sign(a)-0.2*sign(a-b)"
        b = "-sign(b)+0.2*sign(a-b)-0.2*sign(b-c)"
        c = "-sign(c)+0.2*sign(b-c)-0.2*sign(c-d)"
        d = "-sign(d)+0.2*sign(c-d)"
        [run]
        until = 3
        "#,
    );
    assert_eq!(run.outcome, Outcome::ReachedEnd, "{:?}", times(&run));
    assert!(run.end_state().iter().all(|v| v.abs() < 1e-15), "{:?}", run.end_state());
    assert!(run.events.len() < 12, "{:?}", times(&run));
}

/// As above on a belt, with rubbing that depends on the side of the belt that a block is on.
#[test]
fn so_do_blocks_of_closures_whose_signs_stand_in_products() {
    let system = ClosureSystem::switched(["v1", "v2"], |_, _, signs, dv| {
        let rub = (1.0 + 0.1 * signs[0] * signs[1]) * signs[2];
        dv[0] = -signs[0] - rub;
        dv[1] = -signs[1] + rub;
    })
    .switch("first", |_, v| v[0] - 2.0)
    .switch("second", |_, v| v[1] - 2.0)
    .switch("both", |_, v| v[0] - v[1]);
    let mut options = Options::until(3.0);
    options.limits.steps = 5000;
    let run = simulate(&system, &Start::at([3.0, 2.5]), &options).expect("a run");
    assert_eq!(run.outcome, Outcome::ReachedEnd, "{:?}", times(&run));
    assert_eq!(run.events.len(), 2, "{:?}", times(&run));
    assert!(run.end_state().iter().all(|v| (v - 2.0).abs() < 1e-14), "{:?}", run.end_state());
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
