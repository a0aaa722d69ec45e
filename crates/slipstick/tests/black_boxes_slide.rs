//! A right-hand side that is a black box slides on its surfaces, leaves and crosses them.

mod common;

use common::times;
use slipstick::equations::ClosureSystem;
use slipstick::simulate::{Options, Start, simulate};
use slipstick::trajectory::Trajectory;

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
