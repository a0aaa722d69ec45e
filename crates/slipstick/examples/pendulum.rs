//! Runs a pendulum in Cartesian coordinates with an explicit method: `.ci/reach` counts the functions
//! that one of its steps reaches.

use slipstick::model::Model;
use slipstick::simulate::{Overrides, Plan, simulate};

/// The pendulum of README.
const PENDULUM: &str = r#"
    parameters  = { m = 1, g = 9.81, l = 1 }
    coordinates = { x = 1, y = 0 }
    kinetic     = "m / 2 * (x'^2 + y'^2)"
    potential   = "m * g * y"
    constraints = { rod = "x^2 + y^2 - l^2" }
    run         = { until = 10, method = "dopri5" }"#;

fn main() {
    let model = Model::from_toml(PENDULUM).expect("a model");
    let plan = Plan::new(&model, &Overrides::default()).expect("a plan");
    let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
    println!("{} steps", run.statistics.accepted + run.statistics.rejected);
}
