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

/// The push hardly exceeds what holds the block, so that the motion stays near the limit for long before it leaves.
#[test]
fn the_end_of_a_common_rest_is_not_seen_too_early() {
    let run = run_shortly(
        r#"
        states = { v0 = -0.217, v1 = 0.630 }
        derivatives = { v0 = "0.219*sin(0.765*t)-1.386*sign(v0)-0.576*sign(v0-v1)", v1 = "1.671*sin(0.826*t+1)-1.06*sign(v1)+0.576*sign(v0-v1)" }
        run.until = 6
        "#,
    );
    assert_eq!(run.outcome, Outcome::ReachedEnd);
    assert_eq!(run.events.len(), 4, "{:?}", times(&run));
    let leaves = (std::f64::consts::PI + (1.636_f64 / 1.671).asin() - 1.0) / 0.826;
    assert!((run.events[2].t - leaves).abs() < 1e-8, "{:?} {leaves}", times(&run));
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

/// A run of closures that must take few steps.
fn run_box(system: &ClosureSystem, start: &[f64], until: f64) -> Trajectory {
    let mut options = Options::until(until);
    options.limits.steps = 2000;
    simulate(system, &Start::at(start.to_vec()), &options).expect("a run")
}

#[test]
fn a_black_box_slides_on_its_surface() {
    for place in [0.5, 0.0, -1e-20, 1e9] {
        let field = move |_: f64, y: &[f64], d: &mut [f64]| d[0] = if y[0] > place { -1.0 } else { 1.0 };
        let system = ClosureSystem::black_box(["x"], field).switch("c", move |_, y| y[0] - place);
        for start in [place - 0.5, place + 0.5, place] {
            let run = run_box(&system, &[start], 3.0);
            assert!(run.events.len() <= 1, "{place} {start} {:?}", times(&run));
            assert!((run.end_state()[0] - place).abs() <= 1e-15 * place.abs(), "{:?}", run.end_state());
            assert!(run.statistics.derivatives < 500, "{}", run.statistics.derivatives);
            for event in &run.events {
                assert!((event.t - 0.5).abs() < 1e-9 + 1e-15 * place.abs(), "{place} {:?}", times(&run));
            }
        }
    }
}

/// Drawn to a circle from both sides and carried around it; written in another way than the surface is.
#[test]
fn a_black_box_slides_on_a_circle() {
    let system = ClosureSystem::black_box(["x", "y"], |_, y, d| {
        let pull = if y[0].hypot(y[1]) > 1.0 { -1.0 } else { 1.0 };
        d[0] = pull * y[0] - y[1];
        d[1] = pull * y[1] + y[0];
    })
    .switch("circle", |_, y| y[0] * y[0] + y[1] * y[1] - 1.0);
    for radius in [2.0, 0.5] {
        let run = run_box(&system, &[radius, 0.0], 5.0);
        assert_eq!(run.events.len(), 1, "{:?}", times(&run));
        assert!((run.events[0].t - 2.0_f64.ln()).abs() < 1e-6, "{:?}", times(&run));
        let end = run.end_state();
        assert!((end[0].hypot(end[1]) - 1.0).abs() < 1e-14, "{end:?}");
        assert!((end[0] - 5.0_f64.cos()).abs() < 1e-5 && (end[1] - 5.0_f64.sin()).abs() < 1e-5, "{end:?}");
    }
}

#[test]
fn a_black_box_leaves_and_crosses_surfaces() {
    // It sticks while the push is small.
    let block = ClosureSystem::black_box(["v"], |t, v, d| {
        d[0] = t - if v[0] > 0.0 { 1.0 } else { -1.0 };
    })
    .switch("v", |_, v| v[0]);
    let run = run_box(&block, &[0.0], 2.0);
    assert_eq!(run.events.len(), 1, "{:?}", run.events);
    assert!(
        (run.events[0].t - 1.0).abs() < 1e-8 && (run.end_state()[0] - 0.5).abs() < 1e-9,
        "{:?}",
        run.events
    );
    // x' = x, then x' = 2 x from x = 2 on.
    let growth = ClosureSystem::black_box(["x"], |_, x, d| d[0] = if x[0] < 2.0 { x[0] } else { 2.0 * x[0] })
        .switch("two", |_, x| x[0] - 2.0);
    let run = run_box(&growth, &[1.0], 1.0 + 2.0_f64.ln());
    let truth = 2.0 * 2.0_f64.exp();
    assert_eq!(run.events.len(), 1, "{:?}", times(&run));
    assert!((run.events[0].t - 2.0_f64.ln()).abs() < 1e-6, "{:?}", times(&run));
    assert!((run.end_state()[0] / truth - 1.0).abs() < 1e-5, "{:?} {truth}", run.end_state());
}

#[test]
fn a_black_box_slides_where_surfaces_meet() {
    let system = ClosureSystem::black_box(["x", "y", "z"], |_, y, d| {
        let signs = [y[0] - 1.0, y[1]].map(f64::signum);
        d[0] = 0.5 - signs[0] + 0.2 * signs[1];
        d[1] = -2.0 * signs[1];
        d[2] = signs[0];
    })
    .switch("x", |_, y| y[0] - 1.0)
    .switch("y", |_, y| y[1]);
    let run = run_box(&system, &[2.0, 3.0, 0.0], 10.0);
    // x falls by 0.3 until y is zero at t = 1.5, then by 0.5; on both surfaces the sign of x is 0.5.
    let arrives = 1.5 + (1.0 - 0.45) / 0.5;
    assert_eq!(run.events.len(), 2, "{:?}", times(&run));
    assert!(
        (run.events[0].t - 1.5).abs() < 1e-9 && (run.events[1].t - arrives).abs() < 1e-9,
        "{:?}",
        times(&run)
    );
    let end = run.end_state();
    assert!(end[0] == 1.0 && end[1].abs() < 1e-15, "{end:?}");
    assert!((end[2] - arrives - 0.5 * (10.0 - arrives)).abs() < 1e-9, "{end:?}");
}

#[test]
fn large_forces_that_cancel_on_a_surface_do_not_shorten_steps() {
    for force in ["1e8", "1e10", "1e12"] {
        let run = run_shortly(&format!(
            "states = {{ x = 0, v = 1 }}\nrun.until = 3\n\
             derivatives = {{ x = \"v\", v = \"0.5 * {force} * sin(t) - {force} * sign(v)\" }}"
        ));
        assert_eq!(run.outcome, Outcome::ReachedEnd, "{force}");
        assert!(run.statistics.accepted < 50, "{force} {:?}", run.statistics);
        assert!(run.events.len() == 1 && run.end_state()[1].abs() < 1e-20, "{force} {:?}", run.events);
    }
}

#[test]
fn a_brake_that_lets_go_at_rest_stops_once() {
    for brake in ["-5", "-5 - 0.1 * x", "-5 * exp(-x)"] {
        let run = run_shortly(&format!(
            "states = {{ x = 0, v = 5 }}\nrun.until = 3\nrun.method = \"dopri5\"\n\
             derivatives = {{ x = \"v\", v = \"if v > 0 then {brake} else 0\" }}"
        ));
        let late = run.events.iter().filter(|event| event.kinds.contains(&EventKind::Leave)).count();
        assert!(run.events.len() <= 1 && late == 0, "{brake} {:?}", run.events);
    }
}

#[test]
fn a_brake_that_lets_go_at_rest_can_be_pushed_on_later() {
    let run = run_shortly(
        "states = { x = 0, v = 1 }\nrun.until = 4\n\
         derivatives = { x = \"v\", v = \"if v > 0 then -1 else max(0, t - 2)\" }",
    );
    // At t = 2 it is pushed onto the surface from both sides, and stays.
    assert!(
        run.end_state()[1].abs() < 1e-12 && (run.end_state()[0] - 0.5).abs() < 1e-9,
        "{:?}",
        run.end_state()
    );
    assert!(run.events.len() <= 3, "{:?}", run.events);
}
