//! Mechanisms that are driven to where their constraints cannot be met any more: every method ends there with the same error, which names constraints, the time, by how much they are off, and the cure.

use slipstick::equations::{ClosureSystem, Mechanism};
use slipstick::problems::Entrant;
use slipstick::simulate::{Failure, Options, Start, simulate};

const METHODS: [&str; 13] = [
    "dopri5",
    "dop853",
    "mdop5",
    "hem5",
    "phem56",
    "alpha",
    "alpha2",
    "alpha3",
    "radau5",
    "radau5+ggl",
    "sdirk4",
    "rodas4",
    "auto",
];

fn failure_of(name: &str, system: &ClosureSystem, start: &[f64], tolerance: f64) -> Box<Failure> {
    let entrant = Entrant::parse(name).expect("a method");
    let usual = Options::until(2.0).tolerances(tolerance, tolerance / 10.0);
    let stabilisation = entrant.stabilisation.unwrap_or(usual.constraints.stabilisation);
    let options = Options { method: entrant.method, ..usual }.stabilisation(stabilisation);
    match simulate(system, &Start::at(start), &options) {
        Ok(run) => panic!("{name} {tolerance:e}: {:?}", run.outcome),
        Err(failure) => failure,
    }
}

/// Every method ends at the given time, to within a part, with an error that has one of the names.
fn check(system: &ClosureSystem, start: &[f64], (t, within): (f64, f64), names: &[&str]) {
    for name in METHODS {
        for tolerance in [1e-4, 1e-6, 1e-9] {
            let failure = failure_of(name, system, start, tolerance);
            let (text, end) = (failure.error.to_string(), failure.trajectory.end_time());
            assert_eq!(failure.error.code(), "not-consistent", "{name} {tolerance:e}: {text}");
            assert!((end - t).abs() < within, "{name} {tolerance:e}: {text}");
            assert!(names.iter().any(|name| text.contains(&format!("`{name}` is off by"))), "{name}: {text}");
            assert!(failure.error.hint().contains("check the lengths"), "{name}");
        }
    }
}

fn mechanism(coordinates: &[&str]) -> Mechanism {
    Mechanism::new(coordinates.iter().copied())
        .forces(|_, _, f| f.iter_mut().skip(1).step_by(2).for_each(|f| *f = -9.81))
}

/// The crank is longer than the rod, and turns until the slider cannot follow: `sin t = 0.8`.
#[test]
fn a_crank_that_turns_out_of_the_reach_of_its_rod() {
    let system = mechanism(&["x1", "y1", "x2"])
        .joints(["across", "along", "rod"], |t, q, g| {
            g[0] = q[0] - t.cos();
            g[1] = q[1] - t.sin();
            g[2] = (q[2] - q[0]) * (q[2] - q[0]) + q[1] * q[1] - 0.64;
        })
        .system();
    check(&system, &[1.0, 0.0, 1.8, 0.0, 1.0, 0.0], (0.8_f64.asin(), 1e-5), &["across", "along", "rod"]);
}

/// Two rods of length one between a pivot and a point that is pulled away, on a rail or by a ram that can turn.
#[test]
fn a_chain_that_is_pulled_beyond_its_length() {
    let height = 0.75_f64.sqrt();
    let start = [0.5, -height, 1.0, 0.0, 0.5, 0.25 / height, 1.0, 0.0];
    for on_rail in [true, false] {
        let names = ["first", "second", "pull", "rail"];
        let system = mechanism(&["x1", "y1", "x2", "y2"])
            .joints(names.into_iter().take(if on_rail { 4 } else { 3 }), move |t, q, g| {
                g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
                g[1] = (q[2] - q[0]) * (q[2] - q[0]) + (q[3] - q[1]) * (q[3] - q[1]) - 1.0;
                if on_rail {
                    (g[2], g[3]) = (q[2] - t - 1.0, q[3]);
                } else {
                    g[2] = q[2] * q[2] + q[3] * q[3] - (t + 1.0) * (t + 1.0);
                }
            })
            .system();
        check(&system, &start, (1.0, 1e-5), &names);
    }
}

/// At first both say the same. Where one begins to move gently, that is seen as soon as their rates differ by more than a millionth.
#[test]
fn a_drive_that_leaves_what_is_fixed() {
    for (jumps, within) in [(true, 1e-12), (false, 3e-3)] {
        let system = mechanism(&["x", "y"])
            .joints(["fixed", "driven"], move |t, q, g| {
                let since = t - 1.0;
                g[0] = q[0];
                g[1] = match (since.value < 0.0, jumps) {
                    (true, _) => q[0],
                    (false, true) => q[0] - 0.1,
                    (false, false) => q[0] - since * since * since,
                };
            })
            .system();
        check(&system, &[0.0; 4], (1.0, within), &["driven"]);
    }
}

/// A drive that jumps beyond the length of the rod: corrections cannot close what is behind the step.
#[test]
fn a_drive_that_jumps_out_of_reach() {
    let system = mechanism(&["x", "y"])
        .joints(["rod", "driven"], |t, q, g| {
            g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
            g[1] = q[0] - if t.value < 1.0 { 0.5 } else { 1.5 };
        })
        .system();
    check(&system, &[0.5, -(0.75_f64.sqrt()), 0.0, 0.0], (1.0, 1e-12), &["rod", "driven"]);
}
