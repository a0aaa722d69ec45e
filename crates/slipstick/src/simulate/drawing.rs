//! Where a machine with the coordinates of joints starts: its drawing is put together with three coordinates for each
//! body, so that it starts in the same way whatever its coordinates are.

use super::{Plan, Simulator};
use crate::equations::System;
use crate::mode::Mode;
use crate::model::Model;

/// A machine with three coordinates for each body.
#[derive(Clone, Debug)]
pub(super) struct RunDrawing {
    pub(super) plan: Plan,
    outputs: Vec<String>,
}

impl RunDrawing {
    pub(super) fn new(model: &Model, plan: Plan) -> Self {
        Self { plan, outputs: model.outputs.iter().map(|output| output.name.clone()).collect() }
    }

    /// The values of states with these names where it is put together; none if it cannot be, which the run will say
    /// better.
    pub(super) fn start_of(&self, names: &[String]) -> Option<Vec<f64>> {
        let Plan { system, start, options, .. } = &self.plan;
        let put = Simulator::new(system, options).assemble(start).ok()?;
        let mut outputs = vec![0.0; self.outputs.len()];
        let (mode, parameters) = (Mode::start(system, start.mode), &system.shape().parameters);
        let mut observer = system.outputs();
        observer.observe(mode.locked(parameters), start.t, &put.state, &mut outputs);
        let place = |list: &[String], name: &String| list.iter().position(|own| own == name);
        let value = |name: &String| {
            let state = place(&system.shape().state_names, name).map(|i| put.state[i]);
            state.or_else(|| place(&self.outputs, name).map(|i| outputs[i]))
        };
        names.iter().map(value).collect()
    }
}
