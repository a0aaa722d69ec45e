//! Runs of the models that come with the program, seen by names.
#![allow(dead_code)] // each test uses a part of it

use slipstick::formulation::Mixture;
use slipstick::model::Model;
use slipstick::simulate::{Overrides, Plan, simulate};
use slipstick::step::Method;
use slipstick::trajectory::Trajectory;
use std::collections::BTreeMap;

/// A run of a model, with its outputs.
pub(crate) struct Gallery {
    pub(crate) model: Model,
    pub(crate) plan: Plan,
    pub(crate) run: Trajectory,
}

impl Gallery {
    pub(crate) fn of(text: &str) -> Self {
        Self::with(text, |_| {})
    }

    pub(crate) fn by(text: &str, method: Method) -> Self {
        Self::with(text, |plan| plan.options.method = method)
    }

    pub(crate) fn with(text: &str, change: impl FnOnce(&mut Plan)) -> Self {
        let model = Plan::read_model(text).unwrap_or_else(|errors| panic!("{errors:?}"));
        let mut plan = Plan::new(&model, &Overrides::default()).unwrap_or_else(|errors| panic!("{errors:?}"));
        change(&mut plan);
        let run =
            simulate(&plan.system, &plan.start, &plan.options).unwrap_or_else(|failure| panic!("{failure}"));
        Self { model, plan, run }
    }

    /// All states and outputs at a time, those after an event there.
    pub(crate) fn at(&self, t: f64) -> BTreeMap<&str, f64> {
        let segment =
            self.run.segments.iter().rev().find(|segment| segment.covers(t)).expect("a time of the run");
        let state = segment.state(t);
        let system = &self.plan.system;
        let mut outputs = vec![0.0; self.model.outputs.len()];
        Mixture::new(system, system.outputs()).observe(&segment.mode, t, &state, &mut outputs);
        let states = self.model.states.iter().zip(state);
        let all = states.chain(self.model.outputs.iter().zip(outputs));
        all.map(|(definition, value)| (definition.name.as_str(), value)).collect()
    }

    /// The times at which steps begin, with what is there: no dense output is in between.
    pub(crate) fn steps(&self) -> Vec<(f64, BTreeMap<&str, f64>)> {
        let steps = self.run.segments.iter().flat_map(slipstick::trajectory::Segment::steps);
        steps.map(|step| (step.t, self.at(step.t))).collect()
    }

    pub(crate) fn end(&self) -> BTreeMap<&str, f64> {
        self.at(self.run.end_time())
    }

    pub(crate) fn times(&self, event: &str) -> Vec<f64> {
        self.run.event_times(event).collect()
    }
}

/// Within a bound that is absolute for what is small and relative for what is large.
pub(crate) fn assert_near(what: &str, found: f64, truth: f64, bound: f64) {
    assert!(
        (found - truth).abs() <= bound * truth.abs().max(1.0),
        "{what}: {found}, not {truth}, off by {:e}",
        found - truth
    );
}

/// Each time is that of the truth.
pub(crate) fn assert_times(what: &str, found: &[f64], truth: &[f64], bound: f64) {
    assert_eq!(found.len(), truth.len(), "{what}: {found:?}, not {truth:?}");
    for (found, truth) in found.iter().zip(truth) {
        assert_near(what, *found, *truth, bound);
    }
}
