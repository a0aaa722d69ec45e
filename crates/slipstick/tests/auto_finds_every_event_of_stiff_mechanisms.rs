//! `auto` changes methods and forms in the middle of a stiff mechanism. A step that was made again to end at an event, and rejected, once left its event behind: that happened at the start of the step, before its
//! time, and then once more at its time. So every event is to be found once, at the time that another method finds at a tight tolerance.

mod common;

use slipstick::simulate::{Plan, simulate};
use slipstick::step::Method;
use slipstick::trajectory::Trajectory;

/// A pendulum whose rod is a stiff spring with some damping, with events on its place and its speed.
const ROD: &str = r#"
    coordinates = { x = 1, y = 0, r = 1 }
    kinetic = "(x'^2 + y'^2) / 2"
    inertia.r = 0.1
    potential = "9.81 * y + 1e7 * (r - 1)^2 / 2"
    forces.r = "-200 * r'"
    constraints.rod = "x^2 + y^2 - r^2"
    events = { middle = { guard = "x" }, fast = { guard = "x' < -2" }, low = { guard = "y < -0.7" }, upwards = { guard = "y' > 1" } }
    run.until = 4
"#;

/// The same, thrown back by a wall.
const BOUNCE: &str = r#"
    coordinates = { x = 1, y = 0, r = 1 }
    kinetic = "(x'^2 + y'^2) / 2"
    inertia.r = 0.1
    potential = "9.81 * y + 1e7 * (r - 1)^2 / 2"
    forces.r = "-200 * r'"
    constraints.rod = "x^2 + y^2 - r^2"
    events = { wall = { guard = "x < -0.1", reset = { "x'" = "-0.9 * x'", "y'" = "-0.9 * y'" } }, fast = { guard = "y' < -1.5" } }
    run.until = 4
"#;

/// The same, caught on its way and let go again.
const LATCH: &str = r#"
    coordinates = { x = 1, y = 0, r = 1 }
    states.latched = 0
    derivatives.latched = 0
    kinetic = "(x'^2 + y'^2) / 2"
    inertia.r = 0.1
    potential = "9.81 * y + 1e7 * (r - 1)^2 / 2"
    forces.r = "-200 * r'"
    constraints = { rod = "x^2 + y^2 - r^2", latch = "if latched > 0.5 then x' else 0" }
    events.catch = { at = 0.4, reset.latched = 1 }
    events.release = { at = 1, reset.latched = 0 }
    events.brake = { guard = "x < -0.6", reset.latched = 1 }
    events.again = { at = 2.5, reset.latched = 0 }
    events.middle = { guard = "x" }
    run.until = 3.2
"#;

/// Two pendulums, the second of which hangs on the first by a stiff spring.
const CHAIN: &str = r#"
    coordinates = { x = 1, y = 0, u = 1, w = 0, p = 1.6, q = -0.8 }
    kinetic = "(x'^2 + y'^2) / 2 + 0.2 * (u'^2 + w'^2) + 0.4 * (p'^2 + q'^2)"
    potential = "9.81 * (y + 0.4 * w + 0.8 * q) + 5e6 * ((u - x)^2 + (w - y)^2)"
    forces = { u = "-500 * (u' - x')", w = "-500 * (w' - y')", x = "500 * (u' - x')", y = "500 * (w' - y')" }
    constraints = { one = "x^2 + y^2 - 1", two = "(p - u)^2 + (q - w)^2 - 1" }
    events = { one = { guard = "x" }, two = { guard = "p - 0.5" }, fast = { guard = "p' < -3" }, up = { guard = "w' > 0.5" } }
    run.until = 2
"#;

/// A disc on a soft shaft in a stiff bearing, which a torque speeds up, half of it once it is fast.
const ROTOR: &str = r#"
    coordinates = { x = 0, y = 0, u = 0, w = 0, b = 0, c = 0, a = 0 }
    kinetic = "(x'^2 + y'^2) + 0.1 * (u'^2 + w'^2) + 0.05 * (b'^2 + c'^2) + 0.005 * a'^2"
    potential = "15000 * ((u - b)^2 + (w - c)^2) + 2e6 * (b^2 + c^2)"
    forces = { a = "if a' > 60 then 1 else 2", b = "-300 * b' - 20 * (b' - u')", c = "-300 * c' - 20 * (c' - w')", u = "20 * (b' - u')", w = "20 * (c' - w')" }
    constraints = { across = "x - u - 0.001 * cos(a)", along = "y - w - 0.001 * sin(a)" }
    events = { turn = { guard = "sin(a)", direction = "rising" }, warm = { guard = "a' > 30" } }
    run.until = 0.5
"#;

fn run(plan: &Plan, method: Method, tolerance: f64) -> Trajectory {
    let options = plan.options.clone().with_method(method).tolerances(tolerance, tolerance / 10.0);
    simulate(&plan.system, &plan.start, &options).unwrap_or_else(|failure| panic!("{method:?} {failure}"))
}

/// Each event: its guards and its time.
fn events(run: &Trajectory) -> Vec<(Vec<&str>, f64)> {
    let names = |fired: &[usize]| fired.iter().map(|&g| run.guard_names[g].as_str()).collect();
    run.events.iter().map(|event| (names(&event.guards), event.t)).collect()
}

fn check(text: &str, least: usize) {
    let plan = common::plan(text);
    let truth = run(&plan, Method::DormandPrince8, 1e-10);
    let expected = events(&truth);
    assert!(expected.len() >= least, "{expected:?}");
    for k in 3..=8 {
        let tolerance = 10f64.powi(-k);
        let run = run(&plan, Method::Automatic, tolerance);
        let shares = &run.statistics.shares;
        assert!(shares.iter().any(|share| share.is_ggl), "{tolerance:e} {shares:?}");
        let found = events(&run);
        let names = |of: &[(Vec<&str>, f64)]| of.iter().map(|(names, _)| names.join("+")).collect::<Vec<_>>();
        assert_eq!(names(&found), names(&expected), "{tolerance:e} {found:?} {expected:?}");
        for (found, expected) in found.iter().zip(&expected) {
            let apart = (found.1 - expected.1).abs();
            assert!(apart < 100.0 * tolerance, "{tolerance:e} {found:?} {expected:?}");
        }
    }
}

#[test]
fn on_places_and_speeds() {
    check(ROD, 12);
}

#[test]
fn with_resets() {
    check(BOUNCE, 7);
}

#[test]
fn with_a_joint_that_shuts_and_opens() {
    check(LATCH, 6);
}

#[test]
fn in_a_chain() {
    check(CHAIN, 6);
}

#[test]
fn in_a_rotor() {
    check(ROTOR, 5);
}
