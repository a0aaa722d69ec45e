//! Modes with constraints, forces and outputs of their own.

mod common;

use common::{plan, run_model, system_of};
use slipstick::equations::{ActiveRows, MechanismStructure, System};
use slipstick::formulation::Flow;
use slipstick::mode::Mode;

const RAIL: &str = r#"
coordinates = { x = 0, y = 1 }
speeds = { x = 2 }
kinetic = "(x'^2 + y'^2) / 2"
constraints.side = "x - 2 * t"
forces.y = -1
outputs = { push = "0" }
[modes.free]
forces = { y = -8.81 }
events.hit = { guard = "y < 0", goto = "rail" }
[modes.rail]
constraints = { rail = "y" }
forces = { y = "-8.81 + push" }
outputs = { push = "-1.5 * k", only = "lambda.rail" }
[modes.free.outputs]
only = -1
[parameters]
k = 2
[run]
until = 2
"#;

fn modes(system: &dyn System) -> [Mode; 2] {
    [Mode::start(system, 0), Mode::start(system, 1)]
}

#[test]
fn constraints_of_a_mode_are_shut_in_it_alone() {
    let system = system_of(RAIL);
    let names: Vec<&str> = system.shape().mechanism.constraints.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["side", "rail"]);
    assert_eq!(
        system.shape().mechanism.constraints.iter().map(|c| c.switches).collect::<Vec<_>>(),
        [false, true]
    );
    let shut = modes(&system).map(|mode| {
        let mut shut = [true; 2];
        system.evaluator().joints(mode.locked(&system.shape().parameters), &mut shut);
        shut
    });
    assert_eq!(shut, [[true, false], [true, true]]);
}

#[test]
fn constraints_of_a_mode_have_rows_in_it_alone() {
    let system = system_of(RAIL);
    let [free, rail] = modes(&system);
    let mut flow = Flow::new(&system, free.clone());
    for (mode, rows) in [(&free, &[0][..]), (&rail, &[0, 1]), (&free, &[0])] {
        flow.mode.clone_from(mode);
        assert_eq!(flow.constraints().active_rows(0.0, &[0.0, 0.0, 2.0, 0.0]).constraints(), rows);
    }
}

#[test]
fn terms_are_those_of_the_mode() {
    let system = system_of(RAIL);
    let all = ActiveRows::all(&system.shape().mechanism.constraints);
    let (mut terms, mut evaluator) = (system.room_for_terms(&all), system.evaluator());
    let mut forces = Vec::new();
    for mode in modes(&system) {
        evaluator.terms(mode.locked(&system.shape().parameters), 0.0, &[0.0, 0.5, 2.0, 0.0], &mut terms);
        forces.push(terms.force[1]);
    }
    // The forces of a mode are added to the common ones; in a mode they may use its outputs.
    assert_eq!(forces, [-9.81, -12.81]);
}

#[test]
fn outputs_have_one_name_and_a_value_in_each_mode() {
    let system = system_of(RAIL);
    let (mut seen, mut observer) = (Vec::new(), system.outputs());
    for mode in modes(&system) {
        let mut out = [f64::NAN; 2];
        observer.set_motion(&[0.0, 0.0, 0.0, 7.0, 0.0, 0.0]);
        observer.observe(mode.locked(&system.shape().parameters), 0.0, &[0.0; 4], &mut out);
        seen.push(out);
    }
    assert_eq!(seen, [[0.0, -1.0], [-3.0, 7.0]]);
}

#[test]
fn joints_that_formulas_open_are_seen_too() {
    let system = system_of(
        r#"
        coordinates = { x = 1, y = 0 }
        discrete = { latched = 0, weight = 3 }
        kinetic = "(x'^2 + y'^2) / 2"
        constraints.latch = "if latched > 0.5 then x - 1 else 0"
        constraints.product = "-latched * (y - x) / 2"
        constraints.always = "weight * (x - y^2) - 3"
        run.until = 1
        "#,
    );
    let shut = |latched: f64, weight: f64| {
        let (mut mode, mut shut) = (Mode::start(&system, 0), [false; 3]);
        mode.values.discrete = vec![latched, weight];
        system.evaluator().joints(mode.locked(&system.shape().parameters), &mut shut);
        shut
    };
    assert_eq!([shut(0.0, 3.0), shut(1.0, 0.0)], [[false, false, true], [true, true, true]]);
}

#[test]
fn a_mass_falls_onto_a_rail_and_stays() {
    let run = run_model(
        &RAIL.replace("outputs = { push = \"-1.5 * k\", only = \"lambda.rail\" }", "outputs = { only = 1 }"),
    );
    assert_eq!(run.events.len(), 1, "{:?}", run.events);
    assert!((run.events[0].t - (2.0 / 9.81_f64).sqrt()).abs() < 1e-8);
    let [x, y, vx, vy] = run.end_state() else { panic!("four states") };
    assert!((x - 4.0).abs() < 1e-9 && (vx - 2.0).abs() < 1e-9);
    assert!(y.abs() < 1e-9 && vy.abs() < 1e-9, "{y} {vy}");
}

#[test]
fn derivatives_and_guards_use_the_outputs_of_their_mode() {
    let plan = plan(
        r#"
        states.x = 0
        derivatives.x = "rate"
        outputs.rate = 1
        events.far = { guard = "x > 10 * rate" }
        modes.slow = { events.go = { guard = "x > 1", goto = "fast" } }
        modes.fast = { outputs = { rate = "2 + x" }, events.stay = { guard = "x < -1", goto = "slow" } }
        run.until = 2
        "#,
    );
    let (mut evaluator, mut dy) = (plan.system.evaluator(), [0.0]);
    let [slow, fast] = modes(&plan.system);
    let far = plan.system.shape().guards.iter().position(|guard| guard.name == "far").unwrap();
    for (mode, rate) in [(slow, 1.0), (fast, 5.0)] {
        let locked = mode.locked(&plan.system.shape().parameters);
        evaluator.derivative(locked, 0.0, &[3.0], &mut dy);
        assert_eq!((dy[0], evaluator.guard(locked, far, 0.0, &[3.0])), (rate, 3.0 - 10.0 * rate));
    }
}
