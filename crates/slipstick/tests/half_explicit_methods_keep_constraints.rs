//! Half-explicit methods meet the constraints of speeds to rounding at the ends of all steps, and of positions as asked for (paper 001, section 3.2 and equation (35)); joints
//! that are there twice do no harm, and neither do conditions of rolling.

mod common;

use common::plan;
use slipstick::equations::{Mechanism, System};
use slipstick::formulation::Stabilisation;
use slipstick::mode::Mode;
use slipstick::problems::{chain, chain_energy};
use slipstick::simulate::{Error, Keep, Options, Start, simulate};
use slipstick::step::Method;
use slipstick::trajectory::Trajectory;

const METHODS: [Method; 2] = [Method::HalfExplicit5, Method::PartitionedHalfExplicit5];
const PENDULUM: &str = include_str!("../src/problems/constrained/point-pendulum.toml");
const ANDREWS: &str = include_str!("../src/problems/constrained/andrews.toml");

fn run_with(text: &str, change: impl Fn(&mut Options)) -> Trajectory {
    let mut plan = plan(text);
    change(&mut plan.options);
    simulate(&plan.system, &plan.start, &plan.options).unwrap_or_else(|failure| panic!("{failure}"))
}

/// The largest residual of a constraint of positions, and of a rate of one, at the ends of steps.
fn drift(system: &dyn System, run: &Trajectory) -> [f64; 2] {
    let holonomic = system.constraints().iter().filter(|c| c.holonomic).count();
    let (mut position, mut velocity) = (vec![0.0; holonomic], vec![0.0; system.constraints().len()]);
    let (mut evaluator, mode) = (system.evaluator(), Mode::new(0, 0, 0));
    let mut worst = [0.0_f64; 2];
    for segment in &run.segments {
        for step in segment.steps() {
            evaluator.residuals(
                mode.locked(system.parameters()),
                step.t,
                &segment.state(step.t),
                &mut position,
                &mut velocity,
            );
            let largest = |values: &[f64]| values.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            worst = [worst[0].max(largest(&position)), worst[1].max(largest(&velocity))];
        }
    }
    worst
}

#[test]
fn speeds_stay_on_their_constraints_to_rounding() {
    for (text, until) in [(PENDULUM, 10.0), (ANDREWS, 0.03)] {
        for method in METHODS {
            for stabilisation in [Stabilisation::None, Stabilisation::Twice, Stabilisation::Project] {
                for tolerance in [1e-3, 1e-5, 1e-8] {
                    let run = run_with(text, |options| {
                        *options = options.clone().tolerances(tolerance, tolerance / 10.0);
                        (options.method, options.constraints.stabilisation, options.until) =
                            (method, stabilisation, until);
                    });
                    let [position, velocity] = drift(&plan(text).system, &run);
                    assert!(velocity <= 1e-13, "{method:?} {stabilisation:?} {tolerance:e}: {velocity:e}");
                    if stabilisation == Stabilisation::Project {
                        assert!(position <= 1e-13, "{method:?} {tolerance:e}: {position:e}");
                    }
                }
            }
        }
    }
}

/// Left alone, positions drift as the errors of the steps; a drift tolerance bounds that, with few corrections.
#[test]
fn the_drift_of_positions_is_bounded_as_asked() {
    for method in METHODS {
        let run = |tolerance: f64, stabilisation, drift_tolerance| {
            run_with(PENDULUM, |options| {
                *options = options.clone().tolerances(tolerance, tolerance);
                (options.method, options.constraints.stabilisation) = (method, stabilisation);
                options.constraints.drift_tolerance = drift_tolerance;
            })
        };
        let system = plan(PENDULUM).system;
        let free = [1e-5, 1e-7, 1e-9]
            .map(|tolerance| (tolerance, drift(&system, &run(tolerance, Stabilisation::None, 0.0))[0]));
        assert!(free.iter().all(|(tolerance, position)| *position < 100.0 * tolerance), "{free:?}");
        let bound = free[0].1 / 10.0;
        let held = run(1e-5, Stabilisation::Twice, bound);
        let [position, velocity] = drift(&system, &held);
        let s = &held.statistics;
        assert!(position <= bound && velocity <= 1e-13, "{method:?} {position:e} {velocity:e}");
        assert!(s.corrected > 0 && 2 * s.corrected < s.accepted, "{method:?} {s:?}");
    }
}

#[test]
fn doubled_joints_give_the_same_motion() {
    let twice = PENDULUM.replace(
        "constraints.rod = \"x^2 + y^2 - 1\"",
        "constraints = { rod = \"x^2 + y^2 - 1\", again = \"3 * (x^2 + y^2 - 1)\" }",
    );
    let again = "[constraints]\nh1 = \"2*(rr*cos(be) - d*cos(be + th) - ss*sin(ga) - xb)\"\n\
                 h6 = \"rr*sin(be) - d*sin(be + th) - zf*sin(om + ep) + u*cos(ep) - ya\"\n";
    let doubled = ANDREWS.replace("[constraints]\n", again);
    assert!(twice != PENDULUM && doubled != ANDREWS);
    for (single, double, until) in [(PENDULUM, &twice, 3.0), (ANDREWS, &doubled, 0.01)] {
        for method in METHODS {
            let [one, two] = [single, double.as_str()].map(|text| {
                run_with(text, |options| {
                    (options.method, options.until) = (method, until);
                    // Rounding must not come between the sizes of steps.
                    options.steps.fixed = Some(until / 200.0);
                })
            });
            assert!(two.notes.iter().any(|note| note.code == "redundant-constraints"));
            let size = |y: &f64| y.abs().max(1.0);
            for (a, b) in one.end_state().iter().zip(two.end_state()) {
                assert!((a - b).abs() < 1e-12 * size(a), "{method:?} {a} {b}");
            }
        }
    }
}

/// Large mechanisms with few entries are solved by conjugate residuals on the factors of a symmetric matrix.
#[test]
fn a_chain_of_forty_links_swings_with_its_joints_shut() {
    let (system, start) = chain(40);
    let run = |method| {
        let options = Options { method, ..Options::until(0.5).tolerances(1e-7, 1e-8) };
        simulate(&system, &start, &options).unwrap_or_else(|failure| panic!("{failure}"))
    };
    let truth = run(Method::DormandPrince8);
    for method in METHODS {
        let run = run(method);
        let [position, velocity] = drift(&system, &run);
        assert!(position < 1e-12 && velocity < 1e-13, "{method:?} {position:e} {velocity:e}");
        let (first, last) = (chain_energy(&start.y), chain_energy(run.end_state()));
        assert!((first - last).abs() < 1e-5 * first.abs(), "{method:?} {first} {last}");
        for (a, b) in run.end_state().iter().zip(truth.end_state()) {
            assert!((a - b).abs() < 1e-4 * a.abs().max(1.0), "{method:?} {a} {b}");
        }
    }
}

/// A slider-crank of equal links lies flat on its way: there the gradient of its constraint vanishes.
#[test]
fn a_position_in_which_a_constraint_fixes_nothing_is_passed() {
    let free = include_str!("../src/problems/constrained/singular-slider-crank.toml");
    let text = &format!("{free}\n[constraints]\nflat = \"cos(th1) + cos(th2)\"");
    let run = |method| {
        run_with(text, |options| {
            *options = options.clone().tolerances(1e-7, 1e-8);
            options.method = method;
        })
    };
    let truth = run(Method::DormandPrince8);
    for method in METHODS {
        let run = run(method);
        assert!(run.notes.iter().any(|note| note.code == "singular-position"), "{method:?} {:?}", run.notes);
        let [position, velocity] = drift(&plan(text).system, &run);
        assert!(position < 1e-12 && velocity < 1e-12, "{method:?} {position:e} {velocity:e}");
        for (a, b) in run.end_state().iter().zip(truth.end_state()) {
            assert!((a - b).abs() < 1e-6, "{method:?} {a} {b}");
        }
    }
}

/// A skate on a slope that turns at a constant rate: `x = a/(2ω²) sin² ωt`, `y = a/(2ω²) (ωt - sin 2ωt / 2)`.
#[test]
fn a_skate_runs_as_in_the_closed_form() {
    let text = r#"
        parameters = { a = 3, w = 2 }
        coordinates = { x = 0, y = 0, angle = 0 }
        speeds = { x = 0, y = 0, angle = "w" }
        kinetic = "(x'^2 + y'^2 + angle'^2) / 2"
        potential = "-a * x"
        constraints.blade = "x' * sin(angle) - y' * cos(angle)"
        run = { until = 3, rtol = 1e-9, atol = 1e-10 }
    "#;
    let (a, w, t) = (3.0, 2.0, 3.0_f64);
    let x = a / (2.0 * w * w) * (w * t).sin().powi(2);
    let y = a / (2.0 * w * w) * (w * t - 0.5 * (2.0 * w * t).sin());
    for method in METHODS {
        let run = run_with(text, |options| options.method = method);
        let end = run.end_state();
        assert!((end[0] - x).abs() < 1e-7 && (end[1] - y).abs() < 1e-7, "{method:?} {end:?} {x} {y}");
        let [_, velocity] = drift(&plan(text).system, &run);
        assert!(velocity < 1e-13, "{method:?} {velocity:e}");
    }
}

/// A condition that is not linear in the speeds: a point keeps its speed. `v = (sech gt, -tanh gt)`, `y = -ln cosh(gt) / g`.
#[test]
fn a_point_of_constant_speed_falls_as_in_the_closed_form() {
    let text = r#"
        coordinates = { x = 0, y = 0 }
        speeds = { x = 1, y = 0 }
        kinetic = "(x'^2 + y'^2) / 2"
        potential = "2 * y"
        constraints.speed = "x'^2 + y'^2 - 1"
        run = { until = 2, rtol = 1e-9, atol = 1e-10 }
    "#;
    let gt = 4.0_f64;
    for method in METHODS {
        let run = run_with(text, |options| options.method = method);
        let end = run.end_state();
        let truth = [gt.sinh().atan() / 2.0, -gt.cosh().ln() / 2.0, 1.0 / gt.cosh(), -gt.tanh()];
        let worst = end.iter().zip(truth).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-7, "{method:?} {worst:e}");
        let [_, velocity] = drift(&plan(text).system, &run);
        assert!(velocity < 1e-13, "{method:?} {velocity:e}");
    }
}

/// Positions whose rates are not the speeds: a point on a circle, given by polar speeds.
#[test]
fn mechanisms_in_rust_with_speeds_of_their_own_are_run() {
    let system = || {
        Mechanism::new(["x", "y"])
            .kinematics(["radial", "around"], |_t, q, v, dq| {
                dq[0] = q[0] * v[0] - q[1] * v[1];
                dq[1] = q[1] * v[0] + q[0] * v[1];
            })
            .forces(|_t, y, f| {
                f[0] = -9.81 * y[1];
                f[1] = -9.81 * y[0];
            })
            .joints(["rod"], |_t, q, g| g[0] = q[0] * q[0] + q[1] * q[1] - 1.0)
            .system()
    };
    let run = |method| {
        let options = Options { method, ..Options::until(2.0).tolerances(1e-10, 1e-11) };
        simulate(&system(), &Start::at([1.0, 0.0, 0.0, 0.0]), &options).unwrap()
    };
    let truth = run(Method::DormandPrince8);
    for method in METHODS {
        for (a, b) in run(method).end_state().iter().zip(truth.end_state()) {
            assert!((a - b).abs() < 1e-8, "{method:?} {a} {b}");
        }
    }
}

/// Without constraints there is nothing to meet ahead, and a mechanism is as good as any.
#[test]
fn a_mechanism_without_constraints_is_run_too() {
    let text = r#"
        coordinates.x = 1
        kinetic = "x'^2 / 2"
        potential = "x^2 / 2"
        run = { until = 10, rtol = 1e-9, atol = 1e-10 }
    "#;
    for method in METHODS {
        let run = run_with(text, |options| options.method = method);
        let end = run.end_state();
        assert!((end[0] - 10_f64.cos()).abs() < 1e-7 && (end[1] + 10_f64.sin()).abs() < 1e-7, "{end:?}");
    }
}

/// What a step costs: 8 stages and the slope at its end for `hem5`; 6 stages for `phem56`, whose last is the next first. Each has its factorisation, and corrections
/// of `hem5` use that of the slope.
#[test]
fn work_is_counted_in_full() {
    for method in METHODS {
        let s = run_with(ANDREWS, |options| {
            (options.method, options.keep) = (method, Keep::Ends);
        })
        .statistics;
        let (expected, for_corrections) = match method {
            Method::HalfExplicit5 => (9 * s.accepted + 8 * s.rejected + 2, 0),
            _ => (6 * (s.accepted + s.rejected) + 1 + 2, s.corrected),
        };
        assert!(s.rejected > 0, "{s:?}");
        assert_eq!(s.derivatives, expected, "{method:?} {s:?}");
        assert_eq!(s.motion_factorisations, s.derivatives + 1 + for_corrections, "{method:?} {s:?}");
    }
}

/// Friction that sticks: while the motion slides on the surface of its switch, stages are those of an explicit method.
#[test]
fn a_bob_with_friction_comes_to_rest() {
    let text = r#"
        coordinates = { x = 1, y = 0 }
        kinetic = "(x'^2 + y'^2) / 2"
        potential = "9.81 * y"
        forces = { x = "y * sign(x * y' - y * x') * 4", y = "-x * sign(x * y' - y * x') * 4" }
        constraints.rod = "x^2 + y^2 - 1"
        run = { until = 6, rtol = 1e-8, atol = 1e-9 }
    "#;
    let run = |method| run_with(text, |options| options.method = method);
    let truth = run(Method::DormandPrince5);
    for method in METHODS {
        let run = run(method);
        assert_eq!(run.events.len(), truth.events.len(), "{method:?}");
        for (a, b) in run.end_state().iter().zip(truth.end_state()) {
            assert!((a - b).abs() < 1e-6, "{method:?} {a} {b}");
        }
    }
}

#[test]
fn what_is_no_mechanism_is_refused_with_a_hint() {
    let plain = plan("states.x = 1\nderivatives.x = \"-x\"\nrun.until = 1");
    for method in METHODS {
        let options = Options { method, ..plain.options.clone() };
        let failure = simulate(&plain.system, &plain.start, &options).unwrap_err();
        assert!(matches!(failure.error, Error::WrongMethod { .. }), "{}", failure.error);
        assert!(failure.error.hint().contains("auto"), "{}", failure.error.hint());
        let mut pulled = plan(PENDULUM);
        pulled.options.method = method;
        pulled.options.constraints.stabilisation = Stabilisation::Baumgarte { rate: 20.0, position: 100.0 };
        let failure = simulate(&pulled.system, &pulled.start, &pulled.options).unwrap_err();
        assert_eq!(failure.error.code(), "wrong-method");
        assert!(failure.error.hint().contains("pstab"), "{}", failure.error.hint());
    }
}
