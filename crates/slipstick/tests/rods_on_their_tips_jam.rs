//! A rod that slides on its tip on a rough floor (Painlevé): where no forces are possible its slip is stopped by an impulse,
//! where two motions are it goes on and says so, and where its force grows without bound the run ends and says where.

mod common;

use common::{run_model, try_model};
use slipstick::trajectory::{EventKind, Trajectory};

/// A uniform rod of mass 1 and half length 1.
fn rod(friction: f64, [angle, rate, slip]: [f64; 3], until: f64) -> String {
    format!(
        r#"
parameters = {{ mu = {friction:?}, th0 = {angle:?}, w0 = {rate:?}, u0 = {slip:?} }}
coordinates = {{ x = "cos(th0)", y = "sin(th0)", th = "th0" }}
speeds = {{ x = "u0 - w0*sin(th0)", y = "w0*cos(th0)", th = "w0" }}
kinetic = "(x'^2 + y'^2)/2 + th'^2/6"
potential = "9.81*y"
contacts.tip = {{ gap = "y - sin(th)", slip = "x' + th'*sin(th)", friction = "mu" }}
outputs = {{ push = "contact.tip.force.n" }}
run = {{ until = {until:?}, method = "dop853", rtol = 1e-10, atol = 1e-12 }}
"#
    )
}

fn codes(run: &Trajectory) -> Vec<&str> {
    run.notes.iter().map(|note| note.code).collect()
}

#[test]
fn where_no_forces_are_possible_the_slip_is_stopped() {
    let run = run_model(&rod(1.4, [1.1, 0.0, -2.0], 0.01));
    assert!(codes(&run).contains(&"painleve"), "{:?}", run.notes);
    let event = &run.events[0];
    assert!(event.t == 0.0 && event.kinds.contains(&EventKind::ImpactWithoutCollision), "{event:?}");
    let hit = event.impacts().next().unwrap().hits[0];
    let (normal, tangent) = (0.6063723028646926, 0.8086241620584907);
    assert!((hit.impulse.0 - normal).abs() < 1e-12 && (hit.impulse.1 - tangent).abs() < 1e-12, "{hit:?}");
    let after = &run.segments.last().unwrap().start;
    assert!((after[5] - 1.336811040092153).abs() < 1e-12, "{after:?}");
    assert!((event.energy_lost() - 0.8086241620584907).abs() < 1e-12);
}

#[test]
fn where_two_motions_are_possible_it_is_said() {
    let run = run_model(&rod(1.4, [1.1, 4.0, -2.0], 1e-4));
    assert!(codes(&run).contains(&"painleve-not-unique"), "{:?}", run.notes);
}

#[test]
fn where_the_force_grows_without_bound_the_run_ends() {
    let failure = try_model(&rod(1.8, [0.6, 1.0, -20.0], 0.2)).unwrap_err();
    assert_eq!(failure.error.code(), "painleve", "{}", failure.error);
    let t = failure.trajectory.end_time();
    assert!((t - 0.07269772232077796).abs() < 1e-8, "{t}");
}
