//! What the tests of the library share.
#![allow(dead_code)] // each test uses a part of it

use slipstick::model::Model;
use slipstick::simulate::{Overrides, Plan, simulate};
use slipstick::trajectory::Trajectory;

/// Plans a run of a model given as text.
pub(crate) fn plan(text: &str) -> Plan {
    Plan::new(&Model::from_toml(text).unwrap(), &Overrides::default()).unwrap()
}

/// Runs a model given as text.
pub(crate) fn run_model(text: &str) -> Trajectory {
    let plan = plan(text);
    simulate(&plan.system, &plan.start, &plan.options).unwrap()
}
