//! Radau IIA on the stabilised index-2 form of a mechanism (`stabilisation = "ggl"`, paper 001, equation (23)): order 5, both levels of the constraints at the tolerance of Newton's
//! iteration, stiff springs at long steps, redundant joints, events.

mod common;

use common::{MOVING, plan};
use slipstick::equations::System;
use slipstick::formulation::Stabilisation;
use slipstick::mode::Mode;
use slipstick::simulate::{Options, simulate};
use slipstick::step::Method;
use slipstick::trajectory::Trajectory;

const PENDULUM: &str = include_str!("../src/problems/constrained/point-pendulum.toml");
const ANDREWS: &str = include_str!("../src/problems/constrained/andrews.toml");

fn run_with(text: &str, change: impl Fn(&mut Options)) -> Trajectory {
    let mut plan = plan(text);
    (plan.options.method, plan.options.stabilisation) = (Method::Radau5, Stabilisation::Ggl);
    change(&mut plan.options);
    simulate(&plan.system, &plan.start, &plan.options).unwrap_or_else(|failure| panic!("{failure}"))
}

fn truth(text: &str, until: f64) -> Trajectory {
    run_with(text, |options| {
        *options = options.clone().tolerances(1e-13, 1e-14);
        (options.method, options.stabilisation) = (Method::DormandPrince8, Stabilisation::Twice);
        options.until = until;
    })
}

fn farthest(a: &[f64], b: &[f64]) -> f64 {
    let size = b.iter().fold(1.0_f64, |size, b| size.max(b.abs()));
    a.iter().zip(b).map(|(a, b)| (a - b).abs() / size).fold(0.0, f64::max)
}

/// The largest residual of a constraint of positions, and of a rate of one, at the ends of steps.
fn drift(system: &dyn System, run: &Trajectory) -> [f64; 2] {
    let holonomic = system.constraints().iter().filter(|c| c.holonomic).count();
    let (mut position, mut velocity) = (vec![0.0; holonomic], vec![0.0; system.constraints().len()]);
    let (mut evaluator, mode) = (system.evaluator(), Mode::new(0, 0, 0));
    let largest = |values: &[f64]| values.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let mut worst = [0.0_f64; 2];
    for segment in &run.segments {
        for step in segment.steps() {
            evaluator.residuals(mode.locked(), step.t, &segment.state(step.t), &mut position, &mut velocity);
            worst = [worst[0].max(largest(&position)), worst[1].max(largest(&velocity))];
        }
    }
    worst
}

#[test]
fn positions_speeds_and_further_states_are_of_order_five() {
    for (text, until, steps) in [(PENDULUM, 1.0, 60), (MOVING, 1.0, 60), (ANDREWS, 0.01, 60)] {
        let truth = truth(text, until);
        let errors = [1, 2].map(|finer| {
            let run = run_with(text, |options| {
                *options = options.clone().tolerances(1e-12, 1e-12);
                (options.until, options.fixed_step) = (until, Some(until / f64::from(steps * finer)));
            });
            farthest(run.end_state(), truth.end_state())
        });
        let order = (errors[0] / errors[1]).log2();
        assert!(order > 4.6, "{order:.2} from {errors:?}");
    }
}

/// Nothing is corrected: what is left of the constraints is what Newton's iteration leaves.
#[test]
fn both_levels_of_constraints_hold_to_the_tolerance_of_newton() {
    for (text, until) in [(PENDULUM, 3.0), (MOVING, 1.0), (ANDREWS, 0.03)] {
        let truth = truth(text, until);
        for tolerance in [1e-4_f64, 1e-6, 1e-8] {
            let run = run_with(text, |options| {
                *options = options.clone().tolerances(tolerance, tolerance);
                options.until = until;
            });
            let [position, velocity] = drift(&plan(text).system, &run);
            let fastest = run.end_state().iter().fold(1.0_f64, |most, y| most.max(y.abs()));
            // The tolerance that `radau5` works with inside.
            let inside = 0.1 * tolerance.powf(2.0 / 3.0);
            assert!(position <= inside, "{tolerance:e}: {position:e}");
            assert!(velocity <= inside * fastest, "{tolerance:e}: {velocity:e}");
            assert_eq!(run.statistics.corrected, 0);
            let error = farthest(run.end_state(), truth.end_state());
            assert!(error <= 100.0 * tolerance, "{tolerance:e}: {error:e}");
        }
    }
}

#[test]
fn doubled_joints_give_the_same_motion() {
    let twice = PENDULUM.replace(
        "constraints.rod = \"x^2 + y^2 - 1\"",
        "constraints = { rod = \"x^2 + y^2 - 1\", again = \"3 * (x^2 + y^2 - 1)\" }",
    );
    assert!(twice != PENDULUM);
    let [one, two] = [PENDULUM, &twice].map(|text| {
        run_with(text, |options| {
            *options = options.clone().tolerances(1e-9, 1e-9);
            options.until = 3.0;
        })
    });
    assert!(farthest(one.end_state(), two.end_state()) < 1e-6, "{:?} {:?}", one.end_state(), two.end_state());
}

/// A double pendulum whose lower rod is a spring of 10⁹ N/m. It begins without load, and so with an oscillation of 5 kHz, which the method damps below the tolerance and forgets; an explicit
/// method would need some thirty thousand steps.
#[test]
fn a_stiff_spring_needs_no_small_steps() {
    let text = r#"
        parameters.k = 1e9
        coordinates = { x = 0.6, y = -0.8, u = 1.2, w = -1.6 }
        kinetic = "(x'^2 + y'^2 + u'^2 + w'^2) / 2"
        potential = "9.81 * (y + w) + k * (sqrt((u - x)^2 + (w - y)^2) - 1)^2 / 2"
        constraints.rod = "x^2 + y^2 - 1"
        run = { until = 2, rtol = 1e-6, atol = 1e-6 }
    "#;
    let stiff = run_with(text, |_| {});
    let rigid = text.replace(" + k * (sqrt((u - x)^2 + (w - y)^2) - 1)^2 / 2", "").replace(
        "constraints.rod",
        "constraints.spring = \"(u - x)^2 + (w - y)^2 - 1\"\n        constraints.rod",
    );
    let truth = truth(&rigid, 2.0);
    assert!(stiff.statistics.accepted < 1000, "{}", stiff.statistics.accepted);
    let error = farthest(&stiff.end_state()[..4], &truth.end_state()[..4]);
    assert!(error < 1e-3, "{error:e}");
    let [position, velocity] = drift(&plan(text).system, &stiff);
    assert!(position < 1e-7 && velocity < 1e-6, "{position:e} {velocity:e}");
}

/// Impacts with resets, and friction that sticks, where the index-1 form takes its place.
#[test]
fn events_and_sliding_are_as_with_other_methods() {
    let wall = r#"
        coordinates = { x = 1, y = 0 }
        kinetic = "(x'^2 + y'^2) / 2"
        potential = "9.81 * y"
        constraints.rod = "x^2 + y^2 - 1"
        events.wall = { guard = "x + 0.3 < 0", reset = { "x'" = "-0.9 * x'" } }
        run = { until = 4, rtol = 1e-8, atol = 1e-8 }
    "#;
    let friction = r#"
        coordinates = { x = 1, y = 0 }
        kinetic = "(x'^2 + y'^2) / 2"
        potential = "9.81 * y"
        forces = { x = "y * sign(x * y' - y * x') * 4", y = "-x * sign(x * y' - y * x') * 4" }
        constraints.rod = "x^2 + y^2 - 1"
        run = { until = 6, rtol = 1e-8, atol = 1e-8 }
    "#;
    for (text, until) in [(wall, 4.0), (friction, 6.0)] {
        let (run, truth) = (run_with(text, |_| {}), truth(text, until));
        assert_eq!(run.events.len(), truth.events.len());
        for (a, b) in run.events.iter().zip(&truth.events) {
            assert!((a.t - b.t).abs() < 1e-6, "{} {}", a.t, b.t);
        }
        assert!(farthest(run.end_state(), truth.end_state()) < 1e-5);
    }
}

#[test]
fn other_methods_refuse_the_form() {
    let given = plan(&PENDULUM.replace("[run]", "[run]\nstabilisation = \"ggl\""));
    for method in [Method::DormandPrince5, Method::HalfExplicit5, Method::GeneralizedAlpha, Method::Automatic]
    {
        let options = Options { method, stabilisation: Stabilisation::Ggl, ..given.options.clone() };
        let error = simulate(&given.system, &given.start, &options).unwrap_err().error;
        assert_eq!(error.code(), "wrong-method");
        assert!(error.hint().contains("radau5") || error.hint().contains("pstab"), "{}", error.hint());
    }
    let named = plan(
        "coordinates.x = 1\nkinetic = \"x'^2\"\n[run]\nuntil = 1\nmethod = \"radau5\"\nstabilisation = \"ggl\"",
    );
    assert_eq!(named.options.stabilisation, Stabilisation::Ggl);
    assert!(simulate(&named.system, &named.start, &named.options).is_ok());
}
