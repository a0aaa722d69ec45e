//! A joint that is written once more in another form depends on the first only where both are met. Every method takes it for what it is: same motion as without, and about as many steps.

mod common;

use common::plan;
use slipstick::formulation::Stabilisation;
use slipstick::simulate::simulate;
use slipstick::step::{Method, Tolerances};
use slipstick::trajectory::{Joints, Trajectory};
use std::fmt::Write;

/// A method; the stabilised form has a stabilisation of its own.
type Way = (Method, Option<Stabilisation>);

const WAYS: [Way; 8] = [
    (Method::GeneralizedAlpha, None),
    (Method::GeneralizedAlpha2, None),
    (Method::GeneralizedAlpha3, None),
    (Method::HalfExplicit5, None),
    (Method::PartitionedHalfExplicit5, None),
    (Method::DormandPrince5, Some(Stabilisation::Project)),
    (Method::Radau5, None),
    (Method::Radau5, Some(Stabilisation::Ggl)),
];

const PENDULUM: &str = r#"
    coordinates = { x = 1, y = 0, a = 0 }
    inertia = { x = 1, y = 1, a = 0.1 }
    potential = "9.81*y"
    run = { until = 2, max_steps = 8000 }
    [constraints]
    p = "x - cos(a)"
    q = "y - sin(a)"
"#;

const MOVED: &str = r#"
    coordinates = { x = -0.5, ph = -0.5 }
    inertia = { x = 1, ph = 0.5 }
    speeds = { x = 1, ph = 0.9 }
    forces.x = "-0.2*x' + sin(3*t)"
    run = { until = 2, max_steps = 8000 }
    [constraints]
    a = "x - ph - 0.1*sin(t)"
"#;

const CRANK: &str = r#"
    coordinates = { a = 0.5, b = -0.24207801, x = 2.81905 }
    inertia = { a = 0.2, b = 0.2, x = 1 }
    speeds.a = 3
    forces.x = "-0.5*x'"
    run = { until = 2, max_steps = 8000, pinned = ["a"] }
    [constraints]
    cx = "x - cos(a) - 2*cos(b)"
    cy = "sin(a) + 2*sin(b)"
"#;

fn run(text: &str, (method, stabilisation): Way, rtol: f64) -> (Trajectory, Joints) {
    let mut plan = plan(text);
    plan.options = plan.options.with_method(method);
    plan.options.constraints.stabilisation = stabilisation.unwrap_or(plan.options.constraints.stabilisation);
    plan.options.tolerances = Tolerances::uniform(rtol, rtol / 100.0);
    let run = simulate(&plan.system, &plan.start, &plan.options)
        .unwrap_or_else(|failure| panic!("{method:?} {rtol:e}: {failure}\n{text}"));
    assert!(run.outcome.is_complete(), "{method:?} {stabilisation:?} {rtol:e}: {}\n{text}", run.outcome);
    let joints = Joints::of(&plan.system, &plan.options.upkeep(), &run).expect("joints");
    (run, joints)
}

fn check(model: &str, again: &[&str]) {
    for way in WAYS {
        for rtol in [1e-3, 1e-4, 1e-6] {
            let (alone, _) = run(model, way, rtol);
            for rows in again {
                let (run, joints) = run(&format!("{model}{rows}\n"), way, rtol);
                let pairs = run.end_state().iter().zip(alone.end_state());
                let apart = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                let allowed = 20.0 * rtol.powf(if way.0.has_rho() { 2.0 / 3.0 } else { 0.9 });
                assert!(apart < allowed, "{way:?} {rtol:e}: {apart:e} with {rows}");
                let steps = |run: &Trajectory| run.statistics.accepted + run.statistics.rejected;
                let (with, without) = (steps(&run), steps(&alone));
                assert!(
                    with < without + without / 4 + 6,
                    "{way:?} {rtol:e}: {with} for {without} with {rows}"
                );
                // Rates of the stabilised form are those of its landing.
                let rounding = if way.1 == Some(Stabilisation::Ggl) { 4e-13 } else { 1e-13 };
                assert!(joints.velocity.value < rounding, "{way:?} {rtol:e}: {joints:?} with {rows}");
            }
        }
    }
}

#[test]
fn as_lengths_or_as_directions() {
    let (length, direction) = ("r = \"x^2 + y^2 - 1\"", "s = \"x*sin(a) - y*cos(a)\"");
    check(PENDULUM, &[length, direction, &format!("{length}\n{direction}")]);
}

/// Constraints of positions keep those of speeds that say the same, and not the other way round.
#[test]
fn as_constraints_of_speeds() {
    check(PENDULUM, &["w = \"3*(x*x' + y*y')\"", "u = \"x' + y' + (sin(a) - cos(a))*a'\""]);
}

#[test]
fn while_they_move() {
    check(MOVED, &["c = \"(x - 0.1*sin(t))^2 - ph^2\""]);
}

/// At `x = 0` the second row says nothing at all.
#[test]
fn where_one_form_vanishes_on_the_way() {
    let still = MOVED.replace("- 0.1*sin(t)", "").replace("ph = 0.9", "ph = 1");
    check(&still, &["c = \"x^2 - ph^2\""]);
}

#[test]
fn in_a_loop_of_a_slider_crank() {
    check(CRANK, &["rod = \"(x - cos(a))^2 + sin(a)^2 - 4\""]);
}

/// So many rows take the solver for few entries, which cannot choose among them.
#[test]
fn in_a_chain_of_forty_links() {
    let mut model = "run = { until = 0.3, max_steps = 2000 }\n[constraints]\n".to_owned();
    let (mut again, mut coordinates, mut inertia, mut heights) =
        (String::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut x, mut y) = (0.0, 0.0);
    for i in 0..40 {
        let (angle, before) = (-0.3 - 0.02 * f64::from(i), i - 1);
        (x, y) = (x + angle.cos(), y + angle.sin());
        let [left, low] = if i == 0 {
            ["0".to_owned(), "0".to_owned()]
        } else {
            ["x", "y"].map(|c| format!("{c}{before}"))
        };
        coordinates.push(format!("x{i} = {x}, y{i} = {y}, a{i} = {angle}"));
        inertia.push(format!("x{i} = 1, y{i} = 1, a{i} = 0.1"));
        heights.push(format!("y{i}"));
        let _ = writeln!(model, "p{i} = \"x{i} - {left} - cos(a{i})\"\nq{i} = \"y{i} - {low} - sin(a{i})\"");
        let _ = writeln!(again, "r{i} = \"(x{i} - {left})^2 + (y{i} - {low})^2 - 1\"");
    }
    let (coordinates, inertia, heights) = (coordinates.join(", "), inertia.join(", "), heights.join(" + "));
    let model = format!(
        "coordinates = {{ {coordinates} }}\ninertia = {{ {inertia} }}\npotential = \"9.81*({heights})\"\n{model}"
    );
    for way in [WAYS[0], WAYS[1], WAYS[3], WAYS[7]] {
        let ((alone, _), (both, joints)) =
            (run(&model, way, 1e-4), run(&format!("{model}{again}"), way, 1e-4));
        let pairs = both.end_state().iter().zip(alone.end_state());
        let apart = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // Steps need not be the same, so ends are as near as the tolerance.
        assert!(apart < 1e-4 && joints.velocity.value < 1e-13, "{way:?}: {apart:e} {joints:?}");
        assert!(both.statistics.accepted <= alone.statistics.accepted + 3, "{way:?}");
    }
}
