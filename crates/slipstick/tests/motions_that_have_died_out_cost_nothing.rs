//! An oscillation that has died out costs no steps, and its kinks are met again when it grows.

mod common;

use common::{plan, run_shortly};
use slipstick::equations::ClosureSystem;
use slipstick::simulate::{Options, Start, simulate};
use slipstick::trajectory::Outcome;

/// Below the tolerance the dense output crosses the kink here and there, though the motion does not.
#[test]
fn an_oscillation_that_has_died_out_costs_nothing() {
    let springs = [
        "-4*max(x,0) - min(x,0)",
        "-max(x,0) - min(x,0)",
        "if x > 0 then -4*x else -x",
        "-2.5*x - 1.5*abs(x)",
    ];
    for spring in springs {
        for method in ["auto", "dopri5", "tsit5", "radau5"] {
            let run = run_shortly(&format!(
                "states = {{ x = 1, v = 0 }}\nderivatives = {{ x = \"v\", v = \"{spring} - 0.5*v\" }}\n\
                 run = {{ until = 210, method = \"{method}\" }}"
            ));
            let events = run.events.len();
            assert!(run.outcome == Outcome::ReachedEnd && events < 100, "{spring} {method} {events}");
            // Where stability limits the steps, each makes the whole error that is allowed; damping keeps the sum of them small.
            let allowed = 10.0
                * plan("states.x = 1\nderivatives.x = 1\nrun.until = 1").options.tolerances.scale(0, 0.0);
            assert!(
                run.end_state().iter().all(|y| y.abs() < allowed),
                "{spring} {method} {:?}",
                run.end_state()
            );
        }
    }
}

#[test]
fn so_does_one_of_closures() {
    let system = ClosureSystem::switched(["x", "v"], |_, y, signs, dy| {
        dy[0] = y[1];
        dy[1] = if signs[0] > 0.0 { -4.0 } else { -1.0 } * y[0] - 0.5 * y[1];
    })
    .switch("side", |_, y| y[0]);
    let mut options = Options::until(210.0);
    options.limits.steps = 5000;
    let run = simulate(&system, &Start::at([1.0, 0.0]), &options).expect("a run");
    assert!(
        run.outcome == Outcome::ReachedEnd && run.events.len() < 100,
        "{:?} {}",
        run.outcome,
        run.events.len()
    );
}

#[test]
fn a_kink_is_met_again_when_the_motion_grows() {
    // Pushed off the kink at t = 100, to the other side than the branch that was locked when it came to rest.
    let run = run_shortly(
        r#"
        states = { x = 1, v = 0 }
        derivatives = { x = "v", v = "-4*max(x,0) - min(x,0) - 0.5*v + (if t > 100 then push else 0)" }
        parameters.push = 1
        run.until = 150
        "#,
    );
    assert!((run.end_state()[0] - 0.25).abs() < 1e-5, "{:?}", run.end_state());
}
