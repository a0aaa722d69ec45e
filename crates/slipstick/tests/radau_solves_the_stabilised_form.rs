//! Radau IIA on the stabilised index-2 form of a mechanism (`stabilisation = "ggl"`, paper 001, equation (23)): order 5, both levels of the constraints at rounding, stiff springs at long steps,
//! redundant joints, singular positions, hundreds of bodies, coordinates without mass, events.

mod common;

use common::{MOVING, plan};
use slipstick::equations::{ActiveRows, ClosureGuard, ClosureSystem, Mechanism, System};
use slipstick::formulation::{Field, Flow, Stabilisation};
use slipstick::math::Jet;
use slipstick::mode::Mode;
use slipstick::problems::{Work, chain, mechanism_problems, planar_mechanisms};
use slipstick::simulate::{Options, Start, simulate};
use slipstick::step::{Method, Tolerances, Trial};
use slipstick::trajectory::Trajectory;

const PENDULUM: &str = include_str!("../src/problems/constrained/point-pendulum.toml");
const ANDREWS: &str = include_str!("../src/problems/constrained/andrews.toml");

fn run_with(text: &str, change: impl Fn(&mut Options)) -> Trajectory {
    let mut plan = plan(text);
    (plan.options.method, plan.options.constraints.stabilisation) = (Method::Radau5, Stabilisation::Ggl);
    change(&mut plan.options);
    simulate(&plan.system, &plan.start, &plan.options).unwrap_or_else(|failure| panic!("{failure}"))
}

fn truth(text: &str, until: f64) -> Trajectory {
    run_with(text, |options| {
        *options = options.clone().tolerances(1e-13, 1e-14);
        (options.method, options.constraints.stabilisation) = (Method::DormandPrince8, Stabilisation::Twice);
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
            evaluator.residuals(
                mode.locked(system.parameters()),
                step.t,
                &segment.state(step.t),
                &mut position,
                &mut velocity,
            );
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
                (options.until, options.steps.fixed) = (until, Some(until / f64::from(steps * finer)));
            });
            farthest(run.end_state(), truth.end_state())
        });
        let order = (errors[0] / errors[1]).log2();
        assert!(order > 4.6, "{order:.2} from {errors:?}");
    }
}

/// The largest errors of the method's own multipliers at the ends of steps, and those of positions and of speeds at the end, as parts of their size.
fn errors_by_kind(text: &str, until: f64, steps: u32) -> [f64; 3] {
    let (plan, truth) = (plan(text), truth(text, until));
    let flow = |stabilisation| Flow::stabilised(&plan.system, Mode::new(0, 0, 0), stabilisation);
    let (mut own, mut exact) = (flow(Stabilisation::Ggl), flow(Stabilisation::None));
    let (n, q) = (plan.start.y.len(), plan.system.shape().layout.q);
    let mut step = Method::Radau5.build_ggl(n).expect("a method with this form");
    step.iterate_to_stall();
    let mut start = plan.start.y.clone();
    own.constraints().make_consistent(0.0, &mut start, &[]).expect("a consistent start");
    let (mut trial, mut dy, mut worst) = (Trial::new(0.0, &start), vec![0.0; n], [0.0_f64; 3]);
    for _ in 0..steps {
        trial.h = until / f64::from(steps);
        step.attempt(&mut own, &Tolerances::uniform(1e-12, 1e-12), &mut trial);
        assert!(trial.fault.is_none(), "at {}: {:?}", trial.t, trial.fault);
        let t = (trial.t + trial.h).min(until);
        let there = truth.state_before(t).expect("within the run").y;
        exact.derivative(t, &there, &mut dy);
        let multipliers = farthest(step.report().multipliers, exact.constraints().multipliers());
        let states = [0..q, q..n].map(|kind| farthest(&trial.end[kind.clone()], &there[kind]));
        worst = [states[0], states[1], worst[2].max(multipliers)];
        step.advance();
        trial.advance(t);
    }
    worst
}

/// Of index 2, Radau IIA with 3 stages has order 5, and order 3 in multipliers (Hairer, Wanner II, section VII.4).
#[test]
fn multipliers_are_of_order_three() {
    for (text, until, steps) in [(PENDULUM, 1.0, 20), (MOVING, 1.0, 20), (ANDREWS, 0.01, 60)] {
        let errors = [1, 2].map(|finer| errors_by_kind(text, until, steps * finer));
        for (kind, least) in [4.6, 4.6, 2.8].into_iter().enumerate() {
            let of = errors.map(|errors| errors[kind]);
            let order = (of[0] / of[1]).log2();
            assert!(order > least, "{kind}: {order:.2} from {of:?}");
        }
    }
}

/// A pendulum let go at the side: its corrections change from one coordinate to the other where one of them is small, and has a tight tolerance.
const AT_THE_SIDE: &str = r#"
    coordinates = { x = 1, y = 0 }
    kinetic = "(x'^2 + y'^2) / 2"
    potential = "9.81 * y"
    constraints.rod = "x^2 + y^2 - 1"
    run.until = 3
"#;

#[test]
fn steps_of_one_size_converge_at_any_tolerance() {
    let truth = truth(AT_THE_SIDE, 3.0);
    let ways = [
        (Method::Radau5, Stabilisation::Ggl),
        (Method::Radau5, Stabilisation::Twice),
        (Method::Sdirk4, Stabilisation::Twice),
    ];
    for (method, stabilisation) in ways {
        for tolerance in [1e-4, 1e-8, 1e-10] {
            let errors = [0.1, 0.05, 0.02, 0.01, 0.005].map(|h| {
                let run = run_with(AT_THE_SIDE, |options| {
                    options.tolerances = Tolerances::uniform(tolerance, tolerance / 100.0);
                    (options.method, options.constraints.stabilisation) = (method, stabilisation);
                    options.steps.fixed = Some(h);
                });
                assert_eq!(run.statistics.rejected, 0, "{} {tolerance:e} {h}", method.name());
                farthest(run.end_state(), truth.end_state())
            });
            // Of order 5 or 4, down to what the tolerance lets Newton's iteration leave.
            let least = if method == Method::Radau5 { 1e-7 } else { 1e-5 };
            let bound = tolerance.max(least);
            assert!(errors[4] < bound, "{} {tolerance:e}: {errors:?}", method.name());
        }
    }
}

/// A top on a ball joint, with place and Euler parameters, and a guard that looks how high it is.
fn top(level: f64) -> ClosureSystem {
    let rates = |_t: Jet, q: &[Jet], v: &[Jet], dq: &mut [Jet]| {
        dq[..3].copy_from_slice(&v[..3]);
        let (e0, e1, e2, e3) = (q[3], q[4], q[5], q[6]);
        dq[3] = 0.5 * (-e1 * v[3] - e2 * v[4] - e3 * v[5]);
        dq[4] = 0.5 * (e0 * v[3] + e2 * v[5] - e3 * v[4]);
        dq[5] = 0.5 * (e0 * v[4] + e3 * v[3] - e1 * v[5]);
        dq[6] = 0.5 * (e0 * v[5] + e1 * v[4] - e2 * v[3]);
    };
    Mechanism::new(["x", "y", "z", "e0", "e1", "e2", "e3"])
        .kinematics(["u", "v", "w", "w1", "w2", "w3"], rates)
        .normalise(|q| {
            let length = q[3..7].iter().map(|e| e * e).sum::<f64>().sqrt();
            q[3..7].iter_mut().for_each(|e| *e /= length);
        })
        .masses(|_, _, m| m.copy_from_slice(&[1.0, 1.0, 1.0, 0.4, 0.4, 0.3]))
        .forces(|_, y, f| (f[2], f[3], f[4]) = (-9.81, 0.1 * y[11] * y[12], -0.1 * y[12] * y[10]))
        .joints(["ball.x", "ball.y", "ball.z"], |_, q, g| {
            let (e0, e1, e2, e3) = (q[3], q[4], q[5], q[6]);
            g[0] = q[0] - 2.0 * (e1 * e3 + e0 * e2);
            g[1] = q[1] - 2.0 * (e2 * e3 - e0 * e1);
            g[2] = q[2] - (e0 * e0 - e1 * e1 - e2 * e2 + e3 * e3);
        })
        .system()
        .guard(ClosureGuard::both("level", move |_, y| y[2] - level))
}

/// The first step behind an event begins with nothing: its first correction is the turn of the top, beside which all others are small, so that the iteration seemed to have converged. Its dense output
/// fell where the top rose, and found the event again.
#[test]
fn a_top_passes_a_level_once_each_time_at_loose_tolerances() {
    let (angle, spin) = (0.6_f64, 50.0);
    let (c, s) = ((0.5 * angle).cos(), (0.5 * angle).sin());
    let start = vec![0.0, -angle.sin(), angle.cos(), c, s, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, spin];
    for level in [0.5, 0.78, 0.8, 0.82] {
        let system = top(level);
        let run = |method, stabilisation, tolerance: f64| {
            let options = Options::until(2.0).tolerances(tolerance, tolerance / 100.0);
            simulate(
                &system,
                &Start::at(start.clone()),
                &Options { method, ..options }.stabilisation(stabilisation),
            )
            .unwrap_or_else(|failure| panic!("{level} {tolerance:e}: {failure}"))
        };
        let truth = run(Method::DormandPrince8, Stabilisation::Twice, 1e-10);
        for tolerance in [1e-3, 1e-4, 1e-5] {
            let run = run(Method::Radau5, Stabilisation::Ggl, tolerance);
            assert_eq!(run.events.len(), truth.events.len(), "{level} {tolerance:e}");
            for (a, b) in run.events.iter().zip(&truth.events) {
                assert!((a.t - b.t).abs() < tolerance, "{level} {tolerance:e}: {} {}", a.t, b.t);
            }
        }
    }
}

/// Rows that are nearly parallel, that shrink by forty powers of e or vanish at a moment, and masses of any unit are a matter of numbers, not of the motion.
#[test]
fn the_scale_of_rows_and_masses_does_not_matter() {
    let with = |constraint: &str| AT_THE_SIDE.replace("x^2 + y^2 - 1", constraint);
    let parallel = AT_THE_SIDE.replace("y = 0 }", "y = 0, z = 0 }").replace("y'^2)", "y'^2 + z'^2)").replace(
        "constraints.rod = \"x^2 + y^2 - 1\"",
        "constraints = { a = \"x^2 + y^2 - 1 + z\", b = \"x^2 + y^2 - 1 + (1 + 1e-7)*z\" }",
    );
    let texts = [
        parallel,
        AT_THE_SIDE.replace("(x'^2 + y'^2) / 2", "1e20 * (x'^2 + y'^2) / 2").replace("9.81", "9.81e20"),
        with("exp(-20*t) * (x^2 + y^2 - 1)"),
        with("(t - 1.05) * (x^2 + y^2 - 1)"),
    ];
    let truth = truth(AT_THE_SIDE, 2.0);
    for text in texts {
        for tolerance in [1e-4, 1e-6, 1e-8] {
            let run = run_with(&text, |options| {
                *options = options.clone().tolerances(tolerance, tolerance / 100.0);
                (options.method, options.constraints.stabilisation) = (Method::Radau5, Stabilisation::Ggl);
                options.until = 2.0;
            });
            let error = farthest(&run.end_state()[..2], &truth.end_state()[..2]);
            assert!(error < 10.0 * tolerance, "{tolerance:e}: {error:e} in {text}");
        }
    }
}

/// What Newton's iteration leaves of the constraints is taken off at the ends of steps, at loose tolerances too.
#[test]
fn both_levels_of_constraints_hold_to_rounding() {
    for (text, until) in [(PENDULUM, 3.0), (MOVING, 1.0), (ANDREWS, 0.03)] {
        let truth = truth(text, until);
        for tolerance in [1e-4_f64, 1e-6, 1e-8] {
            let run = run_with(text, |options| {
                *options = options.clone().tolerances(tolerance, tolerance);
                options.until = until;
            });
            let [position, velocity] = drift(&plan(text).system, &run);
            let fastest = run.end_state().iter().fold(1.0_f64, |most, y| most.max(y.abs()));
            assert!(position <= 1e-14, "{tolerance:e}: {position:e}");
            assert!(velocity <= 1e-14 * fastest, "{tolerance:e}: {velocity:e} of {fastest:e}");
            let error = farthest(run.end_state(), truth.end_state());
            assert!(error <= 100.0 * tolerance, "{tolerance:e}: {error:e}");
        }
    }
}

/// Next to constraints that are not quite met something is left of a redundant row, which is no direction of its own.
#[test]
fn trusses_with_redundant_members_run_at_tight_tolerances() {
    for problem in planar_mechanisms().iter().filter(|problem| problem.name.starts_with("truss")) {
        let options = problem.options.clone().tolerances(1e-8, 1e-9);
        let options = Options { method: Method::Radau5, ..options }.stabilisation(Stabilisation::Ggl);
        let run = simulate(&*problem.system, &problem.start, &options)
            .unwrap_or_else(|failure| panic!("{}: {failure}", problem.name));
        let error = problem.error(run.end_state());
        assert!(error < 1e-6, "{}: {error:e}", problem.name);
        let [position, velocity] = drift(&*problem.system, &run);
        assert!(position < 1e-13 && velocity < 1e-12, "{}: {position:e} {velocity:e}", problem.name);
    }
}

/// Many rows follow from the others there. Matrices of one point do not serve for a step across it.
#[test]
fn rows_of_four_bars_pass_the_position_in_which_they_are_flat() {
    let problems = mechanism_problems();
    for (name, tolerance) in [("four-bars-10", 1e-8), ("four-bars-40", 1e-8), ("four-bars-100", 1e-4)] {
        let problem = problems.iter().find(|problem| problem.name == name).expect("in the suite");
        let options = problem.options.clone().tolerances(tolerance, tolerance / 10.0);
        let options = Options { method: Method::Radau5, ..options }.stabilisation(Stabilisation::Ggl);
        let run = simulate(&*problem.system, &problem.start, &options)
            .unwrap_or_else(|failure| panic!("{name}: {failure}"));
        let error = problem.error(run.end_state());
        assert!(error < 100.0 * tolerance, "{name}: {error:e}");
    }
}

/// Matrices of its 1500 states and multipliers would take 18 MB each if they were full.
#[test]
fn a_chain_of_hundreds_of_links_falls_as_with_an_explicit_method() {
    let (system, start) = chain(200);
    let run = |method, stabilisation| {
        let options =
            Options { method, ..Options::until(0.01).tolerances(1e-6, 1e-6) }.stabilisation(stabilisation);
        simulate(&system, &start, &options).unwrap_or_else(|failure| panic!("{failure}"))
    };
    let truth = run(Method::DormandPrince5, Stabilisation::Twice);
    let end = run(Method::Radau5, Stabilisation::Ggl);
    let error = farthest(end.end_state(), truth.end_state());
    assert!(error < 1e-6, "{error:e}");
    let [position, velocity] = drift(&system, &end);
    assert!(position < 1e-12 && velocity < 1e-13, "{position:e} {velocity:e}");
    let work = [100, 1000].map(|links| {
        let (system, _) = chain(links);
        Work::on(&system, &ActiveRows::all(&system.shape().mechanism.constraints))
            .of_all(&end.statistics.shares)
    });
    assert!(work[1] < 12.0 * work[0], "{work:?}");
}

#[test]
fn a_coordinate_without_mass_is_held_by_constraints_or_named() {
    let text = r#"
        coordinates = { x = 1, y = 0, s = 1 }
        kinetic = "(x'^2 + y'^2) / 2"
        potential = "9.81 * y + 3 * s^2"
        constraints.rod = "x^2 + y^2 - 1"
        constraints.rack = "s - x - y^2"
        run = { until = 2, rtol = 1e-8, atol = 1e-8 }
    "#;
    let (run, truth) = (run_with(text, |_| {}), truth(text, 2.0));
    assert!(
        farthest(run.end_state(), truth.end_state()) < 1e-6,
        "{:?} {:?}",
        run.end_state(),
        truth.end_state()
    );
    let mut free = plan(&text.replace("constraints.rack = \"s - x - y^2\"", ""));
    (free.options.method, free.options.constraints.stabilisation) = (Method::Radau5, Stabilisation::Ggl);
    let error = simulate(&free.system, &free.start, &free.options).unwrap_err().error;
    assert_eq!(error.code(), "motion-not-determined");
    assert!(error.to_string().contains("`s'`"), "{error}");
}

/// A point on a circle with polar speeds.
#[test]
fn positions_may_have_other_rates_than_the_speeds() {
    let polar = Mechanism::new(["x", "y"])
        .kinematics(["radial", "around"], |_t, q, v, dq| {
            dq[0] = q[0] * v[0] - q[1] * v[1];
            dq[1] = q[1] * v[0] + q[0] * v[1];
        })
        .forces(|_t, y, f| (f[0], f[1]) = (-9.81 * y[1], -9.81 * y[0]))
        .joints(["rod"], |_t, q, g| g[0] = q[0] * q[0] + q[1] * q[1] - 1.0)
        .system();
    let run = |method, stabilisation, tolerance: f64| {
        let options = Options { method, ..Options::until(2.0).tolerances(tolerance, tolerance) }
            .stabilisation(stabilisation);
        simulate(&polar, &Start::at([1.0, 0.0, 0.0, 0.0]), &options).unwrap()
    };
    let truth = run(Method::DormandPrince8, Stabilisation::Twice, 1e-12);
    for tolerance in [1e-5, 1e-8] {
        let run = run(Method::Radau5, Stabilisation::Ggl, tolerance);
        let error = farthest(run.end_state(), truth.end_state());
        assert!(error < 100.0 * tolerance, "{tolerance:e}: {error:e}");
        // Twelve right-hand sides a step, and two that a linearisation needs for each coordinate or speed.
        assert!(run.statistics.derivatives < 30 * run.statistics.accepted, "{:?}", run.statistics);
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
        let options = Options { method, ..given.options.clone() }.stabilisation(Stabilisation::Ggl);
        let error = simulate(&given.system, &given.start, &options).unwrap_err().error;
        assert_eq!(error.code(), "wrong-method");
        assert!(error.hint().contains("radau5") || error.hint().contains("pstab"), "{}", error.hint());
    }
    let named = plan(
        "coordinates.x = 1\nkinetic = \"x'^2\"\n[run]\nuntil = 1\nmethod = \"radau5\"\nstabilisation = \"ggl\"",
    );
    assert_eq!(named.options.constraints.stabilisation, Stabilisation::Ggl);
    assert!(simulate(&named.system, &named.start, &named.options).is_ok());
}
