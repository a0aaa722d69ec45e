//! A parallelogram of four bars through the position in which it lies flat. There two ways to move cross, that of the parallelogram and that in which the cranks turn against each other: the constraints alone do not
//! say which is taken. By the continuity of speeds it is the one that the mechanism came on. All methods stay on it, and say that they came by if they did.

use slipstick::equations::{ClosureSystem, Mechanism};
use slipstick::problems::Entrant;
use slipstick::simulate::{Options, Start, simulate};
use slipstick::step::Method;
use slipstick::trajectory::Trajectory;

const G: f64 = 9.81;
/// What pulls the first point to the right, so that the coupler has something to carry, and both masses.
const PULL: f64 = 6.0;
const MASSES: [f64; 2] = [1.0, 3.0];
/// More than a turn: four times through the flat position.
const UNTIL: f64 = 1.9;
const RATE: f64 = 4.0;

/// Two cranks of length one with a mass at the end of each, and a coupler of length two between them, which may be there twice.
fn parallelogram(couplers: usize) -> ClosureSystem {
    let names = ["crank", "rocker", "coupler", "again"];
    Mechanism::new(["x1", "y1", "x2", "y2"])
        .masses(|_, _, m| m.copy_from_slice(&[MASSES[0], MASSES[0], MASSES[1], MASSES[1]]))
        .forces(|_, _, f| f.copy_from_slice(&[PULL, -MASSES[0] * G, 0.0, -MASSES[1] * G]))
        .joints(names.into_iter().take(2 + couplers), |_, q, g| {
            g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
            g[1] = (q[2] - 2.0) * (q[2] - 2.0) + q[3] * q[3] - 1.0;
            let coupler = (q[2] - q[0]) * (q[2] - q[0]) + (q[3] - q[1]) * (q[3] - q[1]) - 4.0;
            g[2..].fill(coupler);
        })
        .system()
}

/// Both cranks turn alike: `θ'' = g sin θ + F cos θ / (m₁ + m₂)` from the vertical.
fn truth() -> [f64; 8] {
    let field = |_, y: &[f64], dy: &mut [f64]| {
        (dy[0], dy[1]) = (y[1], G * y[0].sin() + PULL / (MASSES[0] + MASSES[1]) * y[0].cos());
    };
    let system = ClosureSystem::new(["angle", "rate"], field);
    let options =
        Options { method: Method::DormandPrince8, ..Options::until(UNTIL).tolerances(1e-13, 1e-13) };
    let run = simulate(&system, &Start::at([0.0, RATE]), &options).expect("a pendulum");
    let ((sin, cos), rate) = (run.end_state()[0].sin_cos(), run.end_state()[1]);
    [sin, cos, 2.0 + sin, cos, rate * cos, -rate * sin, rate * cos, -rate * sin]
}

fn run(name: &str, system: &ClosureSystem, tolerance: f64) -> Trajectory {
    let entrant = Entrant::parse(name).expect("a method");
    let usual = Options::until(UNTIL).tolerances(tolerance, tolerance / 10.0);
    let stabilisation = entrant.stabilisation.unwrap_or(usual.stabilisation);
    let options = Options { method: entrant.method, stabilisation, ..usual };
    let start = Start::at([0.0, 1.0, 2.0, 1.0, RATE, 0.0, RATE, 0.0]);
    simulate(system, &start, &options).unwrap_or_else(|failure| panic!("{name} {tolerance:e}: {failure}"))
}

fn error(run: &Trajectory) -> f64 {
    run.end_state().iter().zip(truth()).fold(0.0, |most: f64, (y, truth)| most.max((y - truth).abs()))
}

/// Four tolerances for every decade: where stages come to stand is another matter each time.
fn tolerances(to: f64) -> impl Iterator<Item = f64> {
    (0..).map(|k| 10_f64.powf(-3.0 - 0.25 * f64::from(k))).take_while(move |&x| x > 0.99 * to)
}

#[test]
fn a_parallelogram_stays_one() {
    let system = parallelogram(1);
    for name in ["dopri5", "mdop5", "tsit5", "dop853", "hem5", "phem56", "auto", "radau5", "radau5+ggl"] {
        for tolerance in tolerances(1e-8) {
            let run = run(name, &system, tolerance);
            assert!(error(&run) < 200.0 * tolerance, "{name} {tolerance:e}: {:e}", error(&run));
            let is_noted = run.notes.iter().any(|note| note.code == "singular-position");
            assert!(is_noted, "{name} {tolerance:e}: {:?}", run.notes);
        }
    }
}

/// The error of a step of order 2 is `h³`: it adds up to the tolerance to the power of two thirds.
#[test]
fn with_generalized_alpha_methods_too() {
    let system = parallelogram(1);
    for name in ["alpha", "alpha2", "alpha3"] {
        for tolerance in tolerances(1e-6) {
            let run = run(name, &system, tolerance);
            let bound = 60.0 * tolerance.powf(2.0 / 3.0);
            assert!(error(&run) < bound, "{name} {tolerance:e}: {:e}", error(&run));
            let is_noted = run.notes.iter().any(|note| note.code == "singular-position");
            assert!(is_noted, "{name} {tolerance:e}: {:?}", run.notes);
        }
    }
}

/// A row too many everywhere, and another one in the flat position.
#[test]
fn a_second_coupler_changes_nothing() {
    let systems = [parallelogram(1), parallelogram(2)];
    for name in ["mdop5", "hem5", "phem56", "radau5+ggl"] {
        for tolerance in tolerances(1e-8) {
            let [single, doubled] = systems.each_ref().map(|system| run(name, system, tolerance));
            let apart = (single.end_state().iter().zip(doubled.end_state()))
                .fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
            assert!(apart < 20.0 * tolerance, "{name} {tolerance:e}: {apart:e}");
        }
    }
}
