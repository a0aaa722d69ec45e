//! What the tests of parts share: runs of one second, and the values at their ends by name.
#![allow(dead_code)] // each test uses a part of it

use slipstick::formulation::Mixture;
use slipstick::model::{Model, Sources};
use slipstick::simulate::{Overrides, Plan, simulate};
use std::collections::BTreeMap;

/// How the tests of parts run.
pub(crate) const RUN: &str = "\n[run]\nuntil = 1\nrtol = 1e-10\natol = 1e-12\n";

/// A model, and the files that it uses.
pub(crate) fn sources(text: &str, files: &[(&str, &str)]) -> Sources {
    let found =
        |path: &str| files.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned());
    Sources::gather(text, &mut |path| found(path).ok_or_else(|| "there is no such file".to_owned()))
}

/// The states and outputs at the end of a run.
pub(crate) fn end(text: &str, files: &[(&str, &str)]) -> BTreeMap<String, f64> {
    let sources = sources(&format!("{text}{RUN}"), files);
    let model = Model::from_sources(&sources).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let plan = Plan::new(&model, &Overrides::default()).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let run = simulate(&plan.system, &plan.start, &plan.options).unwrap_or_else(|f| panic!("{f}"));
    let last = run.segments.last().expect("a segment");
    let mut outputs = vec![0.0; model.outputs.len()];
    Mixture::new(&plan.system, plan.system.outputs()).observe(
        &last.mode,
        run.end_time(),
        run.end_state(),
        &mut outputs,
    );
    let states = model.states.iter().map(|d| d.name.clone()).zip(run.end_state().iter().copied());
    states.chain(model.outputs.iter().map(|d| d.name.clone()).zip(outputs)).collect()
}

/// Asserts that a value is the truth, relatively if that is larger than one.
pub(crate) fn assert_near(values: &BTreeMap<String, f64>, name: &str, truth: f64, tolerance: f64) {
    let value = values.get(name).unwrap_or_else(|| panic!("no {name}: {values:?}"));
    assert!(
        (value - truth).abs() <= tolerance * (1.0 + truth.abs()),
        "{name} is {value}, not {truth}: {values:?}"
    );
}
