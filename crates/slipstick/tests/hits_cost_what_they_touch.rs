//! A hit costs what it touches: of many bodies, those that are far from it are not looked at.

mod common;

use slipstick::simulate::{Plan, simulate};
use slipstick::trajectory::Trajectory;

/// One disc that bounces between floor and ceiling, and others far away at rest. Each may touch each other, and both.
fn model(count: usize) -> String {
    format!(
        r#"
        [bodies.ball]
        repeat   = {count}
        shape    = {{ disc = 0.1 }}
        mass     = 1
        x        = "3 * k"
        y        = 0.5
        velocity = [0, "if k == 0 then 4 else 0"]
        [shapes]
        floor   = {{ body = "ground", half_plane = [0, 1], at = [0, 0] }}
        ceiling = {{ body = "ground", half_plane = [0, -1], at = [0, 1] }}
        [contacts]
        pair = {{ among = "ball[*]", restitution = 1 }}
        wall = {{ between = ["ball[*]", ["floor", "ceiling"]], restitution = 1 }}
        [run]
        until = 2
        "#
    )
}

fn run(plan: &Plan, until: f64) -> Trajectory {
    let mut options = plan.options.clone();
    options.until = until;
    simulate(&plan.system, &plan.start, &options).unwrap_or_else(|failure| panic!("{}", failure.error))
}

/// Guard values per hit, once the run has begun; and the hits.
fn cost(count: usize) -> (f64, usize) {
    let plan = common::plan(&model(count));
    let [early, late] = [0.5, 2.0].map(|until| run(&plan, until));
    let hits = late.events.len() - early.events.len();
    ((late.statistics.guards - early.statistics.guards) as f64 / hits as f64, hits)
}

#[test]
fn guard_values_per_hit_do_not_grow_with_the_number_of_bodies() {
    let ((few, hits), (many, others)) = (cost(4), cost(40));
    assert!(hits > 4 && hits == others, "{hits} {others}");
    // 14 contacts against 860.
    assert!(many < 3.0 * few, "{few} with 4 discs, {many} with 40");
}
