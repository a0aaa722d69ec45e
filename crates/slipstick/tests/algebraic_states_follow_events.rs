//! Algebraic states are made consistent where a run begins, and behind each event.

mod common;

use common::run_model;
use slipstick::trajectory::Trajectory;

/// `x' = -z` beside an algebraic equation for z, from x = 1.
fn run_algebraic(equation: &str, z: f64, more: &str) -> Trajectory {
    run_model(&format!(
        "states = {{ x = 1, z = {z} }}\nderivatives = {{ x = \"-z\", z = \"{equation}\" }}\nmass.z = 0\n{more}\nrun.until = 3"
    ))
}

fn adjusted(run: &Trajectory) -> usize {
    run.notes.iter().filter(|note| note.code == "start-adjusted").count()
}

#[test]
fn a_jump_in_a_nonlinear_algebraic_equation_is_followed() {
    let run = run_algebraic("z^3+z-2*x-if(t>1,1,0)", 1.0, "");
    let [x, z] = run.end_state()[..] else { panic!() };
    assert!((z.powi(3) + z - 2.0 * x - 1.0).abs() < 1e-6, "{x} {z}");
    assert_eq!(adjusted(&run), 0);
    let after = &run.events[0].after;
    assert!((after[1].powi(3) + after[1] - 2.0 * after[0] - 1.0).abs() < 1e-12, "{after:?}");
}

#[test]
fn a_reset_of_a_state_takes_the_algebraic_one_along() {
    let run = run_algebraic("z^3+z-2*x", 1.0, "events.a = { at = 1, reset = { x = \"x + 5\" } }");
    let after = &run.events[0].after;
    assert!((after[1].powi(3) + after[1] - 2.0 * after[0]).abs() < 1e-12 && after[0] > 5.0, "{after:?}");
}

#[test]
fn a_start_that_does_not_meet_an_algebraic_equation_is_changed_with_a_note() {
    for z in [0.0, 5.0, -40.0] {
        let run = run_algebraic("z^3+z-2*x-if(t>1,1,0)", z, "");
        assert_eq!(adjusted(&run), 1, "{:?}", run.notes);
        assert!((run.segments[0].state(0.0)[1] - 1.0).abs() < 1e-12);
    }
    // Without damping Newton's method goes away from the solution.
    let run = run_algebraic("atan(10*(z-x))", 5.0, "");
    assert!((run.end_state()[0] - (-3.0_f64).exp()).abs() < 1e-5, "{:?}", run.end_state());
    let run = run_algebraic("z-x", 5.0, "events.a.guard = \"z < 3\"");
    assert_eq!((adjusted(&run), run.events.len()), (1, 0), "{:?}", run.events);
}
