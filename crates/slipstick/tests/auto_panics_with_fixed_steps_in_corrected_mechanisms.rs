//! Where corrections were asked for, `auto` has three methods in a mechanism, and two of them with fixed steps.
//! What a step of the third costs was still noted, beyond the end of a list.

use slipstick::equations::{ClosureSystem, Mechanism};
use slipstick::formulation::Stabilisation;
use slipstick::simulate::{Options, Start, simulate};
use slipstick::step::Method;

fn pendulum() -> ClosureSystem {
    Mechanism::new(["x", "y"])
        .masses(|_, _, m| m.fill(1.0))
        .forces(|_, _, f| (f[0], f[1]) = (0.0, -9.81))
        .joints(["rod"], |_, q, g| g[0] = q[0] * q[0] + q[1] * q[1] - 1.0)
        .system()
}

#[test]
fn a_pendulum_swings() {
    let (system, start) = (pendulum(), Start::at([1.0, 0.0, 0.0, 0.0]));
    let options = Options::until(1.0).tolerances(1e-4, 1e-6).stabilisation(Stabilisation::Project);
    let fixed = simulate(&system, &start, &options.clone().fixed_step(0.01)).expect("it runs");
    let fine = Options { method: Method::DormandPrince8, ..options.tolerances(1e-12, 1e-12) };
    let truth = simulate(&system, &start, &fine).expect("it runs");
    for (y, truth) in fixed.end_state().iter().zip(truth.end_state()) {
        assert!((y - truth).abs() < 1e-6, "{y} {truth}");
    }
}
