//! While it slides on a curved surface, and across entry and exit, a motion stays on the surface and the method keeps its order.
//!
//! In polar coordinates r' = 1.5 sin t - σ and θ' = 4 + 2σ, where σ is the sign of r - 1. From r = 0.8 it meets the circle where
//! 0.8 + t + 1.5 (1 - cos t) = 1 and slides on it with θ' = 4 + 3 sin t. It leaves outwards where sin t = 2/3, and comes back to
//! slide again. The equations are integrated in Cartesian coordinates, so that the surface is curved.

mod common;

use common::plan;
use slipstick::equations::{ClosureSystem, System};
use slipstick::simulate::{Options, Start, simulate};
use slipstick::step::Method;
use slipstick::trajectory::{EventKind, Trajectory};

const UNTIL: f64 = 3.8;
const MODEL: &str = r#"
states = { x = 0.8, y = 0 }
derivatives.x = "x / sqrt(x^2 + y^2) * (1.5 * sin(t) - sign(x^2 + y^2 - 1)) - y * (4 + 2 * sign(x^2 + y^2 - 1))"
derivatives.y = "y / sqrt(x^2 + y^2) * (1.5 * sin(t) - sign(x^2 + y^2 - 1)) + x * (4 + 2 * sign(x^2 + y^2 - 1))"
run.until = 3.8
"#;

fn circle(y: &[f64]) -> f64 {
    y[0] * y[0] + y[1] * y[1] - 1.0
}

fn system() -> ClosureSystem {
    ClosureSystem::switched(["x", "y"], |t, y, side, dy| {
        let r = y[0].hypot(y[1]);
        let (outward, around) = (1.5 * t.sin() - side[0], 4.0 + 2.0 * side[0]);
        dy[0] = y[0] / r * outward - y[1] * around;
        dy[1] = y[1] / r * outward + y[0] * around;
    })
    .switch("circle", |_, y| circle(y))
}

/// The root of an increasing function.
fn root(f: impl Fn(f64) -> f64, mut lo: f64, mut hi: f64) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (lo + hi);
        if f(middle) < 0.0 { lo = middle } else { hi = middle }
    }
    hi
}

/// The times of the three events, and the state at the end.
fn truth() -> ([f64; 3], [f64; 2]) {
    let enters = root(|t| t + 1.5 * (1.0 - t.cos()) - 0.2, 0.0, 1.0);
    let leaves = (2.0_f64 / 3.0).asin();
    let height = |t: f64| 1.5 * (leaves.cos() - t.cos()) - (t - leaves);
    let back = root(|t| -height(t), 2.5, 4.5);
    let slid = |from: f64, to: f64| 4.0 * (to - from) + 3.0 * (from.cos() - to.cos());
    let angle = 2.0 * enters + slid(enters, leaves) + 6.0 * (back - leaves) + slid(back, UNTIL);
    ([enters, leaves, back], [angle.cos(), angle.sin()])
}

fn run(system: &dyn System, options: &Options) -> Trajectory {
    simulate(system, &Start::at([0.8, 0.0]), options).unwrap()
}

fn options(tolerance: f64) -> Options {
    let mut options = Options::until(UNTIL).tolerances(tolerance, tolerance);
    options.method = Method::DormandPrince5;
    options
}

/// Dense output alone is as far off as the tolerance.
#[test]
fn all_states_of_sliding_segments_are_on_the_surface() {
    let system = system();
    for tolerance in [1e-3, 1e-6, 1e-9] {
        let run = run(&system, &options(tolerance));
        let mut path = run.of(&system);
        let mut seen = 0;
        for k in 0..=4000 {
            let state = path.state_after(UNTIL * f64::from(k) / 4000.0).unwrap();
            if !state.mode.structure.sliding.is_empty() {
                assert!(circle(&state.y).abs() < 1e-13, "{tolerance:e} {}: {:e}", state.t, circle(&state.y));
                seen += 1;
            }
        }
        assert!(seen > 1000);
    }
}

fn end_error(trajectory: &Trajectory) -> f64 {
    let (end, true_end) = (trajectory.end_state(), truth().1);
    (end[0] - true_end[0]).hypot(end[1] - true_end[1])
}

fn assert_events(trajectory: &Trajectory, bound: f64) {
    let kinds: Vec<_> = trajectory.events.iter().map(|event| event.kinds.clone()).collect();
    assert_eq!(kinds, [[EventKind::Slide], [EventKind::Leave], [EventKind::Slide]]);
    for (event, t) in trajectory.events.iter().zip(truth().0) {
        assert!((event.t - t).abs() <= bound, "{} is not {t}", event.t);
    }
}

#[test]
fn all_steps_of_sliding_segments_end_on_the_surface() {
    for tolerance in [1e-3, 1e-6, 1e-9] {
        let trajectory = run(&system(), &options(tolerance));
        let sliding: Vec<_> =
            trajectory.segments.iter().filter(|s| !s.mode.structure.sliding.is_empty()).collect();
        assert_eq!(sliding.len(), 2);
        for segment in sliding {
            let starts = segment.steps().iter().map(|step| step.t);
            for t in starts.chain([segment.start_time, segment.end_time]) {
                let distance = circle(&segment.state(t)).abs();
                assert!(distance <= 1e-13, "{distance:e} at t = {t}, tolerance {tolerance:e}");
            }
        }
    }
}

/// Errors fall with the fifth power of a fixed step.
fn assert_order_five(method: Method, until: f64, error: impl Fn(&Trajectory) -> f64) {
    let errors = [0.04, 0.02, 0.01].map(|h| {
        let mut options = Options::until(until);
        (options.method, options.steps.fixed) = (method, Some(h));
        error(&run(&system(), &options))
    });
    let order = (errors[0] / errors[2]).log2() / 2.0;
    assert!(order > 4.6, "order {order}: {errors:?}");
}

#[test]
fn order_five_holds_while_sliding() {
    // Up to the exit, without it; the start is on the surface.
    let until = 0.72;
    let errors = [0.08, 0.04, 0.02].map(|h| {
        let mut options = Options::until(until);
        (options.method, options.steps.fixed) = (Method::DormandPrince5, Some(h));
        let start = Start::at([1.0, 0.0]);
        let trajectory = simulate(&system(), &start, &options).unwrap();
        assert!(trajectory.events.is_empty() && !trajectory.segments[0].mode.structure.sliding.is_empty());
        let angle = 4.0 * until + 3.0 * (1.0 - until.cos());
        let end = trajectory.end_state();
        (end[0] - angle.cos()).hypot(end[1] - angle.sin())
    });
    let order = (errors[0] / errors[2]).log2() / 2.0;
    assert!(order > 4.6, "order {order}: {errors:?}");
}

#[test]
fn order_five_holds_across_entry_and_exit() {
    assert_order_five(Method::DormandPrince5, UNTIL, end_error);
}

#[test]
fn errors_are_proportional_to_the_tolerance() {
    for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
        let trajectory = run(&system(), &options(tolerance));
        assert_events(&trajectory, 20.0 * tolerance);
        let error = end_error(&trajectory);
        assert!(error <= 20.0 * tolerance, "{error:e} at {tolerance:e}");
    }
}

#[test]
fn a_model_file_slides_as_a_closure_does() {
    let formulas = plan(MODEL).system;
    for tolerance in [1e-4, 1e-7, 1e-10] {
        let (a, b) = (run(&system(), &options(tolerance)), run(&formulas, &options(tolerance)));
        assert_events(&b, 20.0 * tolerance);
        assert!(end_error(&b) <= 20.0 * tolerance);
        assert_eq!(a.events.len(), b.events.len());
        for (a, b) in a.events.iter().zip(&b.events) {
            assert!((a.t - b.t).abs() <= tolerance, "{} and {}", a.t, b.t);
        }
    }
}

/// The same block with its mass before the acceleration instead of under the forces.
#[test]
fn a_motion_slides_behind_a_mass_matrix_as_without() {
    let model = |mass: &str, force: &str, method: &str| {
        format!(
            "parameters.m = 2\nstates = {{ x = 0, v = 0 }}\n{mass}\nderivatives = {{ x = \"v\", v = \"{force}\" }}\n\
             run = {{ until = 20, method = \"{method}\" }}"
        )
    };
    for method in ["radau5", "sdirk4", "rodas4"] {
        let plain = common::run_model(&model("", "sin(t) - x - 0.6 * sign(v - 0.5)", method));
        let heavy = common::run_model(&model(
            "mass.v = \"m\"",
            "m * sin(t) - m * x - m * 0.6 * sign(v - 0.5)",
            method,
        ));
        let of = |run: &slipstick::trajectory::Trajectory| -> Vec<_> {
            run.events.iter().map(|e| e.kinds.clone()).collect()
        };
        assert_eq!((of(&plain).len(), of(&plain)), (7, of(&heavy)), "{method}");
        for (a, b) in plain.events.iter().zip(&heavy.events) {
            assert!((a.t - b.t).abs() < 1e-8, "{method} {} {}", a.t, b.t);
        }
    }
}
