//! A parallelogram of four bars through the position in which it lies flat. There two ways to move cross, that of the parallelogram and that in which the cranks turn against each other: the constraints alone do not
//! say which is taken. By the continuity of speeds it is the one that the mechanism came on. All methods stay on it, and say that they came by if they did.

use slipstick::equations::{ClosureSystem, Mechanism, System};
use slipstick::problems::{Entrant, mechanism_problems};
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

/// The angle from the vertical and its rate at the end, if its acceleration is the given one.
fn turned(acceleration: fn(f64, f64) -> f64, start: [f64; 2], until: f64) -> [f64; 2] {
    let field = move |_, y: &[f64], dy: &mut [f64]| (dy[0], dy[1]) = (y[1], acceleration(y[0], y[1]));
    let system = ClosureSystem::new(["angle", "rate"], field);
    let options =
        Options { method: Method::DormandPrince8, ..Options::until(until).tolerances(1e-13, 1e-13) };
    let run = simulate(&system, &Start::at(start), &options).expect("a pendulum");
    [run.end_state()[0], run.end_state()[1]]
}

/// Both cranks turn alike: `θ'' = g sin θ + F cos θ / (m₁ + m₂)` from the vertical.
fn truth() -> [f64; 8] {
    let acceleration = |angle: f64, _| G * angle.sin() + PULL / (MASSES[0] + MASSES[1]) * angle.cos();
    let [angle, rate] = turned(acceleration, [0.0, RATE], UNTIL);
    let (sin, cos) = angle.sin_cos();
    [sin, cos, 2.0 + sin, cos, rate * cos, -rate * sin, rate * cos, -rate * sin]
}

fn run_from(name: &str, system: &dyn System, start: &Start, options: &Options, tolerance: f64) -> Trajectory {
    let entrant = Entrant::parse(name).expect("a method");
    let usual = options.clone().tolerances(tolerance, tolerance / 10.0);
    let stabilisation = entrant.stabilisation.unwrap_or(usual.constraints.stabilisation);
    let options = Options { method: entrant.method, ..usual }.stabilisation(stabilisation);
    simulate(system, start, &options).unwrap_or_else(|failure| panic!("{name} {tolerance:e}: {failure}"))
}

fn run(name: &str, system: &ClosureSystem, tolerance: f64) -> Trajectory {
    let start = Start::at([0.0, 1.0, 2.0, 1.0, RATE, 0.0, RATE, 0.0]);
    run_from(name, system, &start, &Options::until(UNTIL), tolerance)
}

fn apart(y: &[f64], truth: &[f64]) -> f64 {
    y.iter().zip(truth).fold(0.0, |most: f64, (y, truth)| most.max((y - truth).abs()))
}

fn error(run: &Trajectory) -> f64 {
    apart(run.end_state(), &truth())
}

/// Four tolerances for every decade: where stages come to stand is another matter each time.
fn tolerances(to: f64) -> impl Iterator<Item = f64> {
    (0..).map(|k| 10_f64.powf(-3.0 - 0.25 * f64::from(k))).take_while(move |&x| x > 0.99 * to)
}

#[test]
fn a_parallelogram_stays_one() {
    let system = parallelogram(1);
    for name in [
        "dopri5",
        "mdop5",
        "tsit5",
        "dop853",
        "hem5",
        "phem56",
        "auto",
        "radau5",
        "sdirk4",
        "rodas4",
        "radau5+ggl",
    ] {
        // Below, a step of `ggl` can end so near to the position that Newton's iteration finds nothing any more; it says so.
        let finest = if name == "radau5+ggl" { 1e-8 } else { 1e-10 };
        for tolerance in tolerances(finest) {
            let run = run(name, &system, tolerance);
            assert!(error(&run) < 200.0 * tolerance, "{name} {tolerance:e}: {:e}", error(&run));
            let is_noted = run.notes.iter().any(|note| note.code == "singular-position");
            assert!(is_noted, "{name} {tolerance:e}: {:?}", run.notes);
        }
    }
}

/// The error of a step of order 2 is `h³`: it adds up to the tolerance to the power of two thirds. With two couplers there is a row too many everywhere.
#[test]
fn with_generalized_alpha_methods_too() {
    for system in [parallelogram(1), parallelogram(2)] {
        for name in ["alpha", "alpha2", "alpha3"] {
            for tolerance in tolerances(1e-8) {
                let run = run(name, &system, tolerance);
                let bound = 60.0 * tolerance.powf(2.0 / 3.0);
                assert!(error(&run) < bound, "{name} {tolerance:e}: {:e}", error(&run));
                let few = run.statistics.rejected <= 4 + run.statistics.accepted / 20;
                assert!(few, "{name} {tolerance:e}: {} not taken", run.statistics.rejected);
                let is_noted = run.notes.iter().any(|note| note.code == "singular-position");
                assert!(is_noted, "{name} {tolerance:e}: {:?}", run.notes);
            }
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

/// Crank and rod of one length: behind the position in which they lie on each other, the slider can go on or stand still. `x₂ = 2 sin θ`, so `(1 + 4 cos² θ) θ'' = 4 sin θ cos θ θ'² + g sin θ`.
#[test]
fn a_slider_crank_of_equal_lengths_goes_on() {
    let system = Mechanism::new(["x1", "y1", "x2"])
        .forces(|_, _, f| f.copy_from_slice(&[0.0, -G, 0.0]))
        .joints(["crank", "rod"], |_, q, g| {
            g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
            g[1] = (q[2] - q[0]) * (q[2] - q[0]) + q[1] * q[1] - 1.0;
        })
        .system();
    let acceleration = |angle: f64, rate: f64| {
        let (sin, cos) = angle.sin_cos();
        (4.0 * sin * cos * rate * rate + G * sin) / (1.0 + 4.0 * cos * cos)
    };
    let states = |[angle, rate]: [f64; 2]| {
        let (sin, cos) = angle.sin_cos();
        [sin, cos, 2.0 * sin, rate * cos, -rate * sin, 2.0 * rate * cos]
    };
    let truth = states(turned(acceleration, [-1.0, RATE], 3.0));
    for name in ["dop853", "hem5", "auto", "radau5", "sdirk4", "rodas4"] {
        for tolerance in tolerances(1e-10) {
            let run =
                run_from(name, &system, &Start::at(states([-1.0, RATE])), &Options::until(3.0), tolerance);
            let error = apart(run.end_state(), &truth);
            assert!(error < 200.0 * tolerance, "{name} {tolerance:e}: {error:e}");
        }
    }
}

/// A table on four parallel links of which two are enough, and all four do not let it turn.
#[test]
fn a_table_on_four_parallel_links_stays_level() {
    let system = Mechanism::new(["x", "y", "turn"])
        .forces(|_, _, f| f.copy_from_slice(&[0.0, -G, 0.0]))
        .joints(["first", "second", "third", "fourth"], |_, q, g| {
            for (k, g) in g.iter_mut().enumerate() {
                let (k, sin, cos) = (k as f64, q[2].sin(), q[2].cos());
                let (x, y) = (q[0] + cos * k - k, q[1] + sin * k);
                *g = x * x + y * y - 1.0;
            }
        })
        .system();
    let [angle, rate] = turned(|angle, _| G * angle.sin(), [0.0, 1.0], 2.0);
    let (sin, cos) = angle.sin_cos();
    let truth = [sin, cos, 0.0, rate * cos, -rate * sin, 0.0];
    let start = Start::at([0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
    for name in ["dop853", "hem5", "auto", "radau5", "sdirk4", "rodas4"] {
        for tolerance in tolerances(1e-9) {
            let run = run_from(name, &system, &start, &Options::until(2.0), tolerance);
            let error = apart(run.end_state(), &truth);
            assert!(error < 200.0 * tolerance, "{name} {tolerance:e}: {error:e}");
        }
    }
}

#[test]
fn implicit_methods_pass_rows_of_four_bars() {
    for problem in mechanism_problems() {
        let finest = match problem.name.as_str() {
            "four-bars-2" => 1e-9,
            "four-bars-10" => 1e-4,
            _ => continue,
        };
        for name in ["radau5", "sdirk4", "rodas4"] {
            for tolerance in tolerances(finest) {
                let run =
                    run_from(name, problem.system.as_ref(), &problem.start, &problem.options, tolerance);
                let error = problem.error(run.end_state());
                assert!(error < 200.0 * tolerance, "{name} {} {tolerance:e}: {error:e}", problem.name);
            }
        }
    }
}
