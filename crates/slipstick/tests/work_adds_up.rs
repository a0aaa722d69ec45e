//! The printed counts are an account: for Dormand and Prince's pair of order 5, whose last stage is the first of the next step,
//!
//! right-hand sides = 6 (taken + rejected + made again) + starts + 2 estimates + settling + locating - reused
//!
//! where each segment starts with one evaluation of its own, and the first step of a run, and after each event that was not met before, is
//! estimated with two; where a switch is met, both fields are looked at; and an event is located on a finer dense output (the paper: `6 (N_acc + N_rej + N_it) + 1 + 2 N_ev`).
//! What one of these knows of the start of a segment, the next one reuses.

mod common;

use slipstick::equations::{ClosureSystem, System};
use slipstick::model::Location;
use slipstick::simulate::{Options, Start, simulate};
use slipstick::step::Method;

fn check(system: &dyn System, start: &Start, options: &Options, location: Option<Location>) {
    let mut options = options.clone();
    options.method = Method::DormandPrince5;
    options.events.location = location;
    let run = simulate(system, start, &options).expect("a run");
    let s = &run.statistics;
    let starts = run.segments.iter().filter(|s| s.end_time > s.start_time).count() as u64;
    let steps = s.accepted + s.rejected + s.locating.relocations;
    let expected = 6 * steps + starts + 2 * s.starts.estimates + s.starts.settling + s.locating.derivatives
        - s.starts.reused;
    assert!(run.events.len() > 3 && s.starts.reused > 0);
    assert_eq!(s.derivatives, expected, "{s:?}");
}

#[test]
fn on_models_with_resets_switches_and_records() {
    let models = [
        r#"
        states = { y = 1, v = 0 }
        derivatives = { y = "v", v = "-9.81 - 0.1 * v" }
        events.floor = { guard = "y < 0", reset = { v = "-0.9 * v" } }
        events.top = { guard = "v < 0" }
        run.until = 3
        "#,
        r#"
        states = { x = 1, v = 0 }
        switches.side = "x - 0.3"
        derivatives = { x = "v", v = "-x - 0.5 * side * x" }
        run.until = 30
        "#,
    ];
    for model in models {
        for location in [None, Some(Location::Dense), Some(Location::Integrate)] {
            let plan = common::plan(model);
            check(&plan.system, &plan.start, &plan.options, location);
        }
    }
}

#[test]
fn on_closures_whose_guards_need_the_field_for_their_heading() {
    let names = vec!["x".to_owned(), "v".to_owned()];
    let system = ClosureSystem::switched(names, |_, y, signs, dy| {
        dy[0] = y[1];
        dy[1] = -y[0] - 0.5 * signs[0] * y[0];
    })
    .switch("side", |_, y| y[0] - 0.3);
    for location in [None, Some(Location::Dense), Some(Location::Integrate)] {
        check(&system, &Start::at([1.0, 0.0]), &Options::until(30.0), location);
    }
}
