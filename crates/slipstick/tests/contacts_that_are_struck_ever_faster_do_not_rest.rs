//! A light ball between the floor and a heavy block that comes down is struck ever faster. Its hits follow each other in
//! shrinking intervals, as those of a ball that comes to rest do, but it keeps its speed. It used to be stopped, and the
//! block bounced off it. Exact arithmetic in 400 digits has the block stopped: what ever more hits take off its speed
//! comes to all of it.

use slipstick::model::Model;
use slipstick::simulate::{Overrides, Plan, simulate};

/// The speed of the block after the squeeze.
fn after(mass: f64, restitution: f64, method: &str) -> (f64, f64) {
    let text = format!(
        "coordinates = {{ y1 = 0.5, y2 = 1 }}\nkinetic = \"(y1'^2 + {mass}*y2'^2)/2\"\n\
         potential = \"9.81*(y1 + {mass}*y2)\"\ncontacts.a = {{ gap = \"y1\", restitution = {restitution} }}\n\
         contacts.b = {{ gap = \"y2 - y1\", restitution = {restitution} }}\n\
         run = {{ until = 0.7, method = \"{method}\", rtol = 1e-9 }}"
    );
    let model = Model::from_toml(&text).expect("a model");
    let plan = Plan::new(&model, &Overrides::default()).expect("a plan");
    let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
    let end = run.state_before(run.end_time()).expect("an end");
    (end.y[1], end.y[3])
}

#[test]
fn a_block_that_squeezes_a_ball_is_stopped() {
    for method in ["dopri5", "dop853", "hem5", "radau5"] {
        for (mass, restitution) in
            [(1e3, 0.5), (1e3, 0.8), (10.0, 0.2), (20.0, 0.5), (100.0, 0.2), (1e6, 0.5)]
        {
            let (y, v) = after(mass, restitution, method);
            assert!(y.abs() < 1e-9 && v.abs() < 1e-9, "{method} {mass} {restitution}: {y} {v}");
        }
    }
}
