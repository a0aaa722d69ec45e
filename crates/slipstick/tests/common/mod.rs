//! What the tests of the library share.
#![allow(dead_code)] // each test uses a part of it

use slipstick::equations::{FormulaSystem, GuardKind, ParameterValues, System};
use slipstick::mode::Mode;
use slipstick::model::Model;
use slipstick::simulate::{Failure, Overrides, Plan, simulate};
use slipstick::trajectory::Trajectory;

/// A pendulum whose pivot moves, with a wheel that its speed drives.
pub(crate) const MOVING: &str = r#"
coordinates = { x = 1, y = 0 }
speeds = { x = 0.6, y = 0 }
states.wheel = 0
derivatives.wheel = "x' - 0.5 * wheel"
kinetic = "(x'^2 + y'^2) / 2"
potential = "9.81 * y"
forces.x = "-0.1 * wheel"
constraints.rod = "(x - 0.2 * sin(3 * t))^2 + y^2 - 1"
run.until = 1
"#;

/// A pendulum that a wall throws back.
pub(crate) const WALL: &str = r#"
coordinates = { x = 1, y = 0 }
kinetic = "(x'^2 + y'^2) / 2"
potential = "9.81 * y"
constraints.rod = "x^2 + y^2 - 1"
events.wall = { guard = "x + 0.3 < 0", reset = { "x'" = "-0.9 * x'" } }
run.until = 4
"#;

/// Plans a run of a model given as text.
pub(crate) fn plan(text: &str) -> Plan {
    Plan::new(&Model::from_toml(text).unwrap(), &Overrides::default()).unwrap()
}

/// Runs a model given as text.
pub(crate) fn run_model(text: &str) -> Trajectory {
    let plan = plan(text);
    simulate(&plan.system, &plan.start, &plan.options).unwrap()
}

/// Runs a model given as text that may fail.
pub(crate) fn try_model(text: &str) -> Result<Trajectory, Box<Failure>> {
    let plan = plan(text);
    simulate(&plan.system, &plan.start, &plan.options)
}

/// Runs a model that must not take more than some thousand steps.
pub(crate) fn run_shortly(text: &str) -> Trajectory {
    let mut plan = plan(text);
    plan.options.limits.steps = 5000;
    simulate(&plan.system, &plan.start, &plan.options).expect("a run")
}

/// A pendulum of one metre that begins at the side, with what is put behind it.
pub(crate) fn pendulum(more: &str) -> String {
    format!(
        r#"
        coordinates = {{ x = 1, y = 0 }}
        kinetic = "(x'^2 + y'^2) / 2"
        potential = "9.81 * y"
        constraints.rod = "x^2 + y^2 - 1"
        {more}
        "#
    )
}

/// The times of all events.
pub(crate) fn times(run: &Trajectory) -> Vec<f64> {
    run.events.iter().map(|event| event.t).collect()
}

pub(crate) fn has_note(run: &Trajectory, code: &str) -> bool {
    run.notes.iter().any(|note| note.code == code)
}

/// The system of a model file.
pub(crate) fn system_of(text: &str) -> FormulaSystem {
    let model = Model::from_toml(text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let fixed = ParameterValues::evaluate(&model, &[]).unwrap();
    FormulaSystem::compile(&model, fixed).unwrap()
}

/// The signs and counts at a point, decided guard by guard in their order.
pub(crate) fn lock(system: &FormulaSystem, index: usize, t: f64, y: &[f64]) -> Mode {
    let mut mode = Mode::new(index, system.shape().switch_names.len(), system.shape().count_number);
    let mut evaluator = system.evaluator();
    for (g, guard) in system.shape().guards.iter().enumerate() {
        if guard.kind == GuardKind::Rest || guard.mode.is_some_and(|own| own != index) {
            continue;
        }
        let value = evaluator.guard(mode.locked(&system.shape().parameters), g, t, y);
        if let Some(switch) = guard.response.switch.filter(|_| value != 0.0) {
            mode.values.signs[switch] = value.signum();
        }
        match guard.response.count {
            Some(count) if count.up && value >= 0.0 => mode.values.counts[count.index] += value.floor() + 1.0,
            Some(count) if !count.up && value < 0.0 => mode.values.counts[count.index] += value.floor(),
            _ => {}
        }
    }
    mode
}
