//! Impacts are logged with all that happened in them, and a run says how well its contacts kept their laws.

mod common;

use common::plan;
use slipstick::contact::{Impact, Status};
use slipstick::equations::System;
use slipstick::model::ImpactLaw;
use slipstick::simulate::{Plan, simulate};
use slipstick::trajectory::{ContactAudit, EnergyBalance, Event, Trajectory};

/// The ball falls from 1, and gives back 8/10 of its velocity.
const BALL: &str = r#"
coordinates.y = 1
kinetic = "y'^2/2"
potential = "9.81*y"
contacts.floor = { gap = "y", restitution = 0.8 }
run = { until = 5, rtol = 1e-10 }
"#;

/// It falls onto a belt that runs at 2, and is taken along.
const BELT: &str = r#"
coordinates = { x = 0, y = 0.5 }
kinetic = "(x'^2 + y'^2)/2"
potential = "9.81*y"
contacts.belt = { gap = "y", slip = "x' - 2", friction = 0.3, restitution = 0.3 }
run = { until = 3, rtol = 1e-10 }
"#;

/// A table that shakes, and air that brakes.
const TABLE: &str = r#"
coordinates.y = 0.3
kinetic = "y'^2/2"
potential = "9.81*y"
forces.y = "-0.1*y'"
contacts.table = { gap = "y - 0.05*sin(20*t)", restitution = 0.5 }
run = { until = 3, rtol = 1e-10 }
"#;

/// A pendulum on a rod hits a wall.
const PENDULUM: &str = r#"
coordinates = { x = 1, y = 0 }
kinetic = "3/2*(x'^2 + y'^2)"
potential = "3*9.81*y"
constraints.rod = "x^2 + y^2 - 1"
contacts.wall = { gap = "x - 0.5", restitution = 0.5 }
run = { until = 0.7, rtol = 1e-10 }
"#;

fn run(text: &str) -> (Plan, Trajectory) {
    let plan = plan(text);
    let trajectory = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
    (plan, trajectory)
}

fn audit(text: &str) -> ContactAudit {
    let (plan, trajectory) = run(text);
    let energy = EnergyBalance::of(&plan.system, &trajectory);
    ContactAudit::of(&plan.system, &trajectory, energy.as_ref()).expect("contacts")
}

#[test]
fn an_impact_has_its_velocities_impulses_and_what_it_lost() {
    let (plan, trajectory) = run(BALL);
    let first: Vec<&Impact> = trajectory.events[0].impacts().collect();
    let (v, hit) = (-(2.0_f64 * 9.81).sqrt(), first[0].hits[0]);
    assert_eq!(
        (first.len(), first[0].law, first[0].passes, first[0].hits.len()),
        (1, ImpactLaw::Moreau, 1, 1)
    );
    let found = [hit.gap.0, hit.gap.1, hit.impulse.0, hit.slip.0, hit.impulse.1, first[0].energy];
    let expected = [v, -0.8 * v, -1.8 * v, 0.0, 0.0, -0.36 * v * v / 2.0];
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-8), "{found:?} {expected:?}");
    // Its variables are those of the last hit, and the sums of all.
    let shape = plan.system.shape();
    let end = &trajectory.segments.last().expect("a segment").mode.values.discrete;
    let value = |name: &str| end[shape.discrete_names.iter().position(|n| n == name).expect("a variable")];
    let hits = || trajectory.events.iter().flat_map(Event::impacts).filter(|impact| impact.is_hit());
    let sum: f64 = hits().map(|impact| impact.hits[0].impulse.0).sum();
    assert!((value("contact.floor.total.n") - sum).abs() < 1e-12 && (sum + 9.0 * v).abs() < 1e-8);
    assert_eq!(Some(value("contact.floor.impulse.n")), hits().last().map(|impact| impact.hits[0].impulse.0));
}

#[test]
fn joints_bear_their_part_of_an_impact() {
    let (plan, trajectory) = run(PENDULUM);
    let event = trajectory.events.iter().find(|event| event.impacts().next().is_some()).expect("a hit");
    let impact = event.impacts().next().expect("an impact");
    let (rod, of_rod) = impact.joints[0];
    assert_eq!(
        (impact.joints.len(), plan.system.shape().mechanism.constraints[rod].name.as_str()),
        (1, "rod")
    );
    // `M Δv = G_N p - Gᵀ Λ`.
    let (x, y, p) = (event.before[0], event.before[1], impact.hits[0].impulse.0);
    let pushed = |i: usize| 3.0 * (event.after[i] - event.before[i]);
    assert!(
        (pushed(2) - (p - 2.0 * x * of_rod)).abs() < 1e-12 && (pushed(3) + 2.0 * y * of_rod).abs() < 1e-12
    );
    assert!(of_rod.abs() > 1.0);
}

#[test]
fn energy_adds_up_with_friction_impacts_and_moving_surfaces() {
    for (text, impacts, friction) in [(BALL, Some(9.81), true), (BELT, None, false), (TABLE, None, true)] {
        let audit = audit(text);
        let energy = audit.energy.expect("steps were kept");
        assert!(energy.error.abs() < 1e-9, "{text}{energy:?}");
        assert!(impacts.is_none_or(|lost: f64| (energy.impacts - lost).abs() < 1e-9), "{energy:?}");
        assert_eq!(energy.friction == 0.0, friction, "{energy:?}");
        assert!(audit.penetration.relative() < 1e-12 && audit.pull.relative() < 1e-9, "{audit:?}");
    }
    // What the belt does is its force along its way: the impulse that takes the ball to 2, times 2.
    let belt = audit(BELT).energy.expect("steps were kept");
    assert!((belt.surfaces - 4.0).abs() < 1e-9 && belt.other.abs() < 1e-9, "{belt:?}");
}

#[test]
fn what_is_wrong_is_found() {
    let (plan, mut trajectory) = run(BELT);
    let last = trajectory.segments.last_mut().expect("a segment");
    assert_ne!(last.mode.status(&plan.system.shape().mechanism.contacts[0]), Status::Open);
    last.end[1] = -0.25;
    let audit = ContactAudit::of(&plan.system, &trajectory, None).expect("contacts");
    assert_eq!((audit.penetration.value, audit.penetration.t, audit.energy), (0.25, 3.0, None));
    assert!(audit.penetration.relative() > 0.1);
}

#[test]
fn what_has_no_contacts_has_no_audit_of_them() {
    let (plan, trajectory) = run("coordinates.y = 1\nkinetic = \"y'^2/2\"\nrun.until = 1");
    assert_eq!(ContactAudit::of(&plan.system, &trajectory, None), None);
}
