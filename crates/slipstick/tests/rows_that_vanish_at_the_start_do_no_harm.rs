//! A constraint that follows from others may have no gradient where a run begins. There nothing is seen of it; a moment later it must not count as one of its own: off the constraints it would hold a motion that is free.

mod common;

use common::plan;
use slipstick::problems::Entrant;
use slipstick::simulate::{Options, simulate};

const METHODS: [&str; 8] =
    ["hem5", "phem56", "dopri5", "dopri5+project", "radau5", "radau5+ggl", "dop853", "auto"];

/// Where the first coordinate is at the end with a method at a tolerance.
fn end(text: &str, method: &str, tolerance: f64) -> f64 {
    let plan = plan(text);
    let entrant = Entrant::parse(method).expect("a method");
    let options = plan.options.clone().tolerances(tolerance, tolerance / 100.0);
    let stabilisation = entrant.stabilisation.unwrap_or(options.constraints.stabilisation);
    let options = Options { method: entrant.method, ..options }.stabilisation(stabilisation);
    let run = simulate(&plan.system, &plan.start, &options)
        .unwrap_or_else(|failure| panic!("{method} {tolerance:e}: {failure}"));
    run.end_state()[0]
}

/// Two sliders, of which one is fixed to the other, or moves against it; with a row that says the same once more, and vanishes in the middle.
fn sliders(drive: &str, rate: &str, speed: f64, start: f64, more: &str) -> String {
    format!(
        r#"
        coordinates = {{ x = {start}, ph = {start}, y = 0 }}
        inertia = {{ x = 1, ph = 0.5, y = 1 }}
        speeds = {{ x = 1, ph = {speed} }}
        forces.x = "-0.2 * x' + sin(3 * t)"
        constraints.a = "x - ph - {drive}"
        {}
        run = {{ until = 2, max_steps = 2000 }}
        "#,
        more.replace("DRIVE", drive).replace("RATE", rate)
    )
}

const AGAIN: &str = "constraints.c = \"(x - DRIVE)^2 - ph^2\"";
const OF_SPEEDS: &str = "constraints.b = \"x' - ph' - RATE\"";

#[test]
fn the_motion_is_that_without_the_row() {
    for (drive, rate, speed) in [("0", "0", 1.0), ("0.1 * sin(t)", "0.1 * cos(t)", 0.9)] {
        let truth = end(&sliders(drive, rate, speed, 0.0, ""), "dop853", 1e-11);
        for method in METHODS {
            for tolerance in [1e-3, 1e-5, 1e-7] {
                let error = (end(&sliders(drive, rate, speed, 0.0, AGAIN), method, tolerance) - truth).abs();
                assert!(error < 10.0 * tolerance, "{method} {tolerance:e} {drive}: {error:e}");
            }
        }
    }
}

/// The same in speeds as well, from there and from elsewhere: half-explicit methods asked that to be met ahead which follows from the others only where positions are met.
#[test]
fn rows_of_speeds_may_say_it_too() {
    let more = format!("{AGAIN}\n{OF_SPEEDS}");
    for start in [0.0, -0.5] {
        let model = |more: &str| sliders("0.1 * sin(t)", "0.1 * cos(t)", 0.9, start, more);
        let truth = end(&model(""), "dop853", 1e-11);
        for method in METHODS {
            for tolerance in [1e-3, 1e-5, 1e-7] {
                let error = (end(&model(&more), method, tolerance) - truth).abs();
                assert!(error < 10.0 * tolerance, "{method} {tolerance:e} from {start}: {error:e}");
            }
        }
    }
}

/// A row that vanishes and does not follow from others still counts: two points on a line, of which the second is at the end of a rod of no length at first, grows beside it.
#[test]
fn a_row_that_follows_from_nothing_counts() {
    let text = r#"
        coordinates = { x = 0, y = 0, z = 0 }
        inertia = { x = 1, y = 1, z = 1 }
        speeds = { x = 1, y = 1, z = 0 }
        constraints = { a = "x - y", c = "x * z" }
        forces.z = "1 - x"
        run.until = 1
    "#;
    let plan = plan(text);
    let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
    // `x z = 0` holds z where x is not zero.
    assert!(
        run.end_state()[2].abs() < 1e-6 && (run.end_state()[0] - 1.0).abs() < 1e-6,
        "{:?}",
        run.end_state()
    );
}
