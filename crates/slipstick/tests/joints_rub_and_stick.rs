//! Dry friction in joints sticks, slides and turns round as that of contacts does, by every method on every form, and
//! beside them.

mod common;

use common::plan;
use slipstick::formulation::Stabilisation;
use slipstick::simulate::{Options, Plan, simulate};
use slipstick::step::Method;
use slipstick::trajectory::Trajectory;
use std::f64::consts::PI;

/// What event times may be off by: of methods of order two, and of others.
const OFF: [f64; 2] = [1e-4, 1e-6];

/// A method on a form: all of them, and Radau IIA on the stabilised form too.
fn rows() -> impl Iterator<Item = (String, Method, bool)> {
    let own = Method::named().map(|method| (method.name().to_owned(), method, false));
    own.chain([("radau5+ggl".to_owned(), Method::Radau5, true)])
}

fn options(plan: &Plan, method: Method, is_stabilised: bool) -> Options {
    let mut options = plan.options.clone().tolerances(1e-7, 1e-9).with_method(method);
    if is_stabilised {
        options = options.stabilisation(Stabilisation::Ggl);
    }
    if method.facts().error_order.is_none() { options.fixed_step(1e-3) } else { options }
}

fn run(plan: &Plan, options: &Options) -> Trajectory {
    simulate(&plan.system, &plan.start, options).unwrap_or_else(|failure| panic!("{failure}"))
}

/// The events by name, with their times.
fn events(run: &Trajectory) -> Vec<(String, f64)> {
    let name = |guards: &[usize]| {
        guards.iter().map(|&guard| run.guard_names[guard].clone()).collect::<Vec<_>>().join(" + ")
    };
    run.events.iter().map(|event| (name(&event.guards), event.t)).collect()
}

/// All methods find these events.
fn assert_happens(text: &str, truth: &[(&str, f64)]) -> Vec<Trajectory> {
    let plan = plan(text);
    let one = |(name, method, is_stabilised): (String, Method, bool)| {
        let run = run(&plan, &options(&plan, method, is_stabilised));
        let off = OFF[usize::from(method.facts().order > 2)];
        let found = events(&run);
        assert_eq!(found.len(), truth.len(), "{name}: {found:?}");
        for ((event, t), (expected, at)) in found.iter().zip(truth) {
            assert!(event == expected && (t - at).abs() < off, "{name}: {event} at {t}, not {expected} at {at}");
        }
        run
    };
    rows().map(one).collect()
}

/// A mass on a spring, of which friction takes the same from each swing.
const SWINGS: &str = r#"
bodies.b = { mass = 1, inertia = 1, x = 2.35 }
joints.track = { prismatic = ["ground", "b.origin"], axis = [1, 0], at = [0, 0], friction = { force = 1 } }
forces = { "b.x" = "-10*b.x" }
run.until = 13
"#;

#[test]
fn swings_lose_the_same_until_they_stop() {
    let half = PI / 10.0_f64.sqrt();
    let turns: Vec<(&str, f64)> = (1..12).map(|k| ("joint.track.reverse", f64::from(k) * half)).collect();
    let truth: Vec<(&str, f64)> = turns.into_iter().chain([("joint.track.stick", 12.0 * half)]).collect();
    for run in assert_happens(SWINGS, &truth) {
        let end = run.end_state();
        assert!((end[0] + 0.05).abs() < 1e-4, "{end:?}");
        assert!(end[3].abs() < 1e-12, "{end:?}");
        let at_stop = run.events.last().expect("a stop");
        assert!((at_stop.after[0] - end[0]).abs() < 1e-12, "it creeps: {at_stop:?}");
    }
}

/// A torque that grows breaks a pendulum loose, which had held against more than it rubs with.
const BREAKS_LOOSE: &str = r#"
bodies.w = { mass = 1, inertia = 2 }
joints.axle = { revolute = ["ground", "w.origin"], friction = { torque = { static = 0.6, sliding = 0.4 } } }
forces.m = { motor = "axle", torque = "0.3*t" }
run.until = 3
"#;

#[test]
fn what_sticks_holds_against_more_than_what_slides() {
    for run in assert_happens(BREAKS_LOOSE, &[("joint.axle.slip", 2.0)]) {
        // 2 w' = 0.3 t - 0.4 from t = 2 on.
        let speed = (0.15 * 5.0 - 0.4) / 2.0;
        assert!((run.end_state()[5] - speed).abs() < 1e-4, "{:?}", run.end_state());
    }
}

/// A slider that sticks is hit, and slides until it sticks again.
const STRUCK: &str = r#"
[bodies]
a = { mass = 1, inertia = 1, shape = { disc = 0.1 } }
b = { mass = 1, inertia = 1, shape = { disc = 0.1 }, x = -1.2, velocity = [2, 0] }
[joints]
of_a = { prismatic = ["ground", "a.origin"], axis = [1, 0], at = [0, 0], friction = { force = 1 } }
of_b = { prismatic = ["ground", "b.origin"], axis = [1, 0], at = [-1.2, 0] }
[contacts]
hit = { between = ["a", "b"], restitution = 0.5, friction = 0 }
[run]
until = 2.5
"#;

#[test]
fn a_hit_ends_what_sticks_as_friction_has_no_impulse() {
    let truth = [("contact.hit.hit + joint.of_a.slip", 0.5), ("joint.of_a.stick", 2.0)];
    for run in assert_happens(STRUCK, &truth) {
        assert!((run.end_state()[0] - 1.125).abs() < 1e-4, "{:?}", run.end_state());
    }
}
