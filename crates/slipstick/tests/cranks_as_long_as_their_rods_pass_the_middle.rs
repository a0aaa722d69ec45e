//! A slider-crank whose rod is as long as its crank: when the crank stands upright the only constraint fixes nothing, `x (x - 2 cos a) = 0`, and the slider could stay in the middle while crank and rod turn
//! together. By the continuity of speeds it goes on. Methods whose stages were not brought to the constraints there came out on either branch, or stopped.

use slipstick::equations::{ClosureSystem, Mechanism};
use slipstick::problems::Entrant;
use slipstick::simulate::{Options, Start, simulate};
use slipstick::step::Method;

const ANGLE: f64 = 0.5;
const RATE: f64 = 3.0;
/// Through the middle twice.
const UNTIL: f64 = 2.0;

fn slider_crank() -> ClosureSystem {
    Mechanism::new(["a", "x"])
        .masses(|_, _, m| m.fill(1.0))
        .forces(|_, _, f| f.fill(0.0))
        .joints(["rod"], |_, q, g| g[0] = (q[1] - q[0].cos()).powi(2) + q[0].sin().powi(2) - 1.0)
        .system()
}

/// In the angle alone: `(1 + 4 sin²a) a'' + 4 sin a cos a a'² = 0`.
fn truth() -> [f64; 4] {
    let field = |_, y: &[f64], dy: &mut [f64]| {
        let (sin, cos) = y[0].sin_cos();
        (dy[0], dy[1]) = (y[1], -4.0 * sin * cos * y[1] * y[1] / (1.0 + 4.0 * sin * sin));
    };
    let system = ClosureSystem::new(["angle", "rate"], field);
    let options =
        Options { method: Method::DormandPrince8, ..Options::until(UNTIL).tolerances(1e-13, 1e-13) };
    let run = simulate(&system, &Start::at([ANGLE, RATE]), &options).expect("one equation");
    let (angle, rate) = (run.end_state()[0], run.end_state()[1]);
    [angle, 2.0 * angle.cos(), rate, -2.0 * angle.sin() * rate]
}

fn error(name: &str, tolerance: f64) -> f64 {
    let entrant = Entrant::parse(name).expect("a method");
    let usual = Options::until(UNTIL).tolerances(tolerance, tolerance / 100.0);
    let stabilisation = entrant.stabilisation.unwrap_or(usual.constraints.stabilisation);
    let options = Options { method: entrant.method, ..usual }.stabilisation(stabilisation);
    let (sin, cos) = ANGLE.sin_cos();
    let start = Start::at([ANGLE, 2.0 * cos, RATE, -2.0 * sin * RATE]);
    let run = simulate(&slider_crank(), &start, &options);
    let run = run.unwrap_or_else(|failure| panic!("{name} {tolerance:e}: {failure}"));
    run.end_state().iter().zip(truth()).fold(0.0, |most: f64, (y, truth)| most.max((y - truth).abs()))
}

#[test]
fn the_slider_goes_on_to_the_other_side() {
    for name in ["auto", "tsit5", "dopri5", "mdop5", "dop853", "hem5", "phem56", "radau5", "radau5+ggl"] {
        for tolerance in [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9] {
            let error = error(name, tolerance);
            assert!(error < 100.0 * tolerance, "{name} {tolerance:e}: {error:e}");
        }
    }
}

#[test]
fn so_it_does_with_methods_of_order_two() {
    for name in ["alpha", "alpha2", "alpha3"] {
        for tolerance in [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8] {
            let error = error(name, tolerance);
            assert!(error < 10.0 * tolerance.powf(2.0 / 3.0), "{name} {tolerance:e}: {error:e}");
        }
    }
}
