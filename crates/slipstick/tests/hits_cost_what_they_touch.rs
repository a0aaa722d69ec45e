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
    let [early, late] = [0.55, 2.0].map(|until| run(&plan, until));
    let hits = late.events.len() - early.events.len();
    ((late.statistics.guards - early.statistics.guards) as f64 / hits as f64, hits)
}

#[test]
fn a_hit_does_not_look_at_all_contacts() {
    let ((few, hits), (many, others)) = (cost(4), cost(40));
    assert!(hits > 4 && hits == others, "{hits} {others}");
    // There are 860 contacts, and 14 among four discs. What is looked at beside a hit is woken by the pace of the motion.
    assert!(many < 0.5 * 860.0, "{few} with 4 discs, {many} with 40");
}
