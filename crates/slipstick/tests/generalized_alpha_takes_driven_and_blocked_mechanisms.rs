//! Generalized-α methods are right where constraints drive, block or share a motion.

mod common;

use common::{pendulum, plan};
use slipstick::equations::Mechanism;
use slipstick::simulate::{Failure, Options, Start, simulate};
use slipstick::step::{Method, Tolerances};
use slipstick::trajectory::{EnergyBalance, Joints, Outcome, Trajectory};

const ALPHAS: [Method; 3] = [Method::GeneralizedAlpha, Method::GeneralizedAlpha2, Method::GeneralizedAlpha3];

fn try_with(
    text: &str,
    method: Method,
    rtol: f64,
) -> (Result<Trajectory, Box<Failure>>, Option<Joints>, Option<f64>) {
    let mut plan = plan(text);
    plan.options.method = method;
    plan.options.tolerances = Tolerances::uniform(rtol, rtol / 100.0);
    let run = simulate(&plan.system, &plan.start, &plan.options);
    let trajectory = run.as_ref().ok();
    let joints = trajectory.and_then(|run| Joints::of(&plan.system, &plan.options.upkeep(), run));
    let energy = trajectory.and_then(|run| EnergyBalance::of(&plan.system, run)).map(|balance| balance.error);
    (run, joints, energy)
}

fn run_with(text: &str, method: Method, rtol: f64) -> (Trajectory, Joints, f64) {
    let (run, joints, energy) = try_with(text, method, rtol);
    let run = run.unwrap_or_else(|failure| panic!("{method:?} {rtol:e}: {failure}\n{text}"));
    assert_eq!(run.outcome, Outcome::ReachedEnd, "{method:?} {rtol:e}\n{text}");
    (run, joints.unwrap(), energy.unwrap())
}

/// A global error that is allowed with a method of order two, whose steps are judged one by one: `rtol^(2/3)` times a constant for the time.
fn allowed(rtol: f64) -> f64 {
    3.0 * rtol.powf(2.0 / 3.0)
}

/// All speeds are fixed, so positions alone can go wrong: on the circle of radius 1/2.
#[test]
fn a_skate_at_a_steady_pace_stays_on_its_circle() {
    let skate = r#"
        coordinates = { x = 0, y = 0, turn = 0 }
        speeds = { x = 1, turn = 2 }
        inertia = { x = 1, y = 1, turn = 1 }
        constraints = { blade = "y'*cos(turn) - x'*sin(turn)", pace = "x'*cos(turn) + y'*sin(turn) - 1" }
        run.until = 3
    "#;
    let (x, y) = (0.5 * 6.0_f64.sin(), 0.5 * (1.0 - 6.0_f64.cos()));
    for method in ALPHAS {
        for rtol in [1e-2, 1e-4, 1e-6, 1e-8] {
            let (run, joints, _) = run_with(skate, method, rtol);
            let end = run.end_state();
            let error = (end[0] - x).abs().max((end[1] - y).abs());
            assert!(error < allowed(rtol), "{method:?} {rtol:e}: {error:e}");
            assert!(joints.velocity.value < 1e-13, "{method:?} {rtol:e}: {joints:?}");
        }
    }
}

#[test]
fn a_pace_that_changes_with_time_is_summed_up() {
    let pace = r#"
        coordinates.s = 0
        speeds.s = 1
        inertia.s = 1
        constraints.pace = "s' - cos(t)"
        run.until = 6
    "#;
    for method in ALPHAS {
        for rtol in [1e-2, 1e-4, 1e-6, 1e-8, 1e-10] {
            let (run, ..) = run_with(pace, method, rtol);
            let error = (run.end_state()[0] - 6.0_f64.sin()).abs();
            assert!(error < allowed(rtol), "{method:?} {rtol:e}: {error:e}");
        }
    }
}

/// Positions are right at the ends of steps whatever these are: it is the way between that needs short ones.
#[test]
fn a_guard_of_a_driven_coordinate_fires_each_time() {
    let driven = r#"
        coordinates = { x = 0 }
        speeds.x = 3
        inertia = { x = 1 }
        constraints = { a = "x - sin(3*t)" }
        events.up = { guard = "x > 0.5" }
        run.until = 5
    "#;
    let beside = r#"
        coordinates = { s = 0, z = 0.1 }
        speeds.s = 10
        inertia = { s = 1, z = 1 }
        potential = "0.005*z^2"
        constraints = { d = "s - sin(10*t)" }
        events.up = { guard = "s > 0.5" }
        run.until = 6
    "#;
    for method in ALPHAS {
        for rtol in [1e-2, 1e-4, 1e-6, 1e-8] {
            for (model, rate, count) in [(driven, 3.0, 3), (beside, 10.0, 10)] {
                let (run, ..) = run_with(model, method, rtol);
                let times: Vec<f64> = run.event_times("up").collect();
                assert_eq!(times.len(), count, "{method:?} {rtol:e}: {times:?}");
                for (k, t) in times.iter().enumerate() {
                    let turns = std::f64::consts::TAU * k as f64;
                    let error = (t * rate - (std::f64::consts::FRAC_PI_6 + turns)).abs();
                    assert!(error < allowed(rtol), "{method:?} {rtol:e}: {error:e}");
                }
            }
        }
    }
}

/// A crank of one metre that is turned at a steady rate, with a rod of two.
fn slider_crank(rate: f64, until: f64) -> String {
    format!(
        r#"
        coordinates = {{ a = 0, x = 3 }}
        speeds.a = {rate}
        inertia = {{ a = 1, x = 1 }}
        constraints = {{ drive = "a - {rate}*t", rod = "(x-cos(a))^2+sin(a)^2-4" }}
        events.tdc = {{ guard = "x'", direction = "falling" }}
        run.until = {until}
        "#
    )
}

#[test]
fn a_driven_slider_crank_stays_on_its_branch() {
    for method in ALPHAS {
        for rtol in [1e-2, 1e-3, 1e-4, 1e-6, 1e-8] {
            let (run, joints, _) = run_with(&slider_crank(3.0, 5.0), method, rtol);
            let (a, end) = (15.0_f64, run.end_state());
            let x = a.cos() + (4.0 - a.sin().powi(2)).sqrt();
            let speed = 3.0 * (-a.sin() - a.sin() * a.cos() / (4.0 - a.sin().powi(2)).sqrt());
            assert!((end[1] - x).abs() < 1e-5, "{method:?} {rtol:e}: {end:?} {x}");
            assert!((end[3] - speed).abs() < 1e-5, "{method:?} {rtol:e}: {end:?} {speed}");
            assert!(joints.velocity.value < 1e-13, "{method:?} {rtol:e}: {joints:?}");
        }
        for rtol in [1e-4, 1e-6] {
            let (run, joints, _) = run_with(&slider_crank(30.0, 2.0), method, rtol);
            // The first is at the start: the guard is at zero there, and falls.
            assert_eq!(run.events.len(), 10, "{method:?} {rtol:e}");
            // Speeds go up to sixty.
            assert!(joints.velocity.value < 60.0 * 1e-13, "{method:?} {rtol:e}: {joints:?}");
        }
    }
}

/// The energy goes to and fro by 9.81.
#[test]
fn the_index_3_form_does_not_take_energy_from_nowhere_with_little_damping() {
    for rho in [0.8, 0.9, 0.95, 0.99] {
        for (rtol, off) in [(1e-3, 1.5), (1e-4, 0.1), (1e-5, 0.03)] {
            let model =
                pendulum(&format!("run = {{ until = 20, method = \"alpha3\", rho_infinity = {rho} }}"));
            let (_, _, energy) = run_with(&model, Method::GeneralizedAlpha3, rtol);
            assert!(energy < off, "{rho} {rtol:e}: {energy:e}");
        }
        for step in [0.02, 0.01, 0.005] {
            let more = format!(
                "run = {{ until = 20, method = \"alpha3\", rho_infinity = {rho}, fixed_step = {step} }}"
            );
            let (_, _, energy) = run_with(&pendulum(&more), Method::GeneralizedAlpha3, 1e-8);
            assert!(energy < 200.0 * step * step, "{rho} {step}: {energy:e}");
        }
    }
}

#[test]
fn guards_of_speeds_that_vanish_together_fire_once_each() {
    let double = r#"
        coordinates = { x = 0.8, y = -0.6, u = 1.6, w = -1.2 }
        inertia = { x = 1, y = 1, u = 1, w = 1 }
        potential = "9.81*(y+w)"
        constraints = { a = "x^2+y^2-1", b = "(u-x)^2+(w-y)^2-1" }
        events.f = { guard = "y'" }
        events.g = { guard = "x*y' - y*x'" }
        run.until = 5
    "#;
    let single = r#"
        coordinates = { x = 0.8, y = -0.6 }
        inertia = { x = 1, y = 1 }
        potential = "9.81*y"
        constraints = { a = "x^2+y^2-1" }
        events.f = { guard = "x'" }
        events.g = { guard = "x*y' - y*x'" }
        run.until = 5
    "#;
    let count = |run: &Trajectory| ["f", "g"].map(|name| run.event_times(name).count());
    for rtol in [1e-3, 1e-4, 1e-5, 1e-6, 1e-8] {
        for model in [double, single] {
            let (run, ..) = run_with(model, Method::GeneralizedAlpha3, rtol);
            let (truth, ..) = run_with(model, Method::HalfExplicit5, 1e-8);
            assert_eq!(count(&run), count(&truth), "{rtol:e}\n{model}");
        }
    }
}

/// Speeds are nothing but rounding then, and so is all that they could be measured by.
#[test]
fn a_mechanism_that_is_blocked_stands() {
    let latch = |at: f64| {
        pendulum(&format!(
            r#"
            states.latched = 0
            derivatives.latched = 0
            constraints.latch = "if latched > 0.5 then x - {at} else 0"
            events.catch = {{ guard = "x + 10*latched < {at}", reset = {{ latched = 1 }} }}
            run.until = 2
            "#
        ))
    };
    let brake = pendulum("constraints.brake = \"if t > 0.4 then y' else 0\"\nrun.until = 2");
    let on_and_off = pendulum(
        r#"
        states.k = 0
        derivatives.k = 0
        constraints.brake = "if k > 0.5 then x*y'-y*x' else 0"
        events.on = { every = 0.4, reset = { k = "1-k" } }
        run.until = 3
        "#,
    );
    for method in ALPHAS {
        for rtol in [1e-4, 1e-6, 1e-8] {
            for k in 1..19 {
                let at = f64::from(k) / 20.0;
                let (run, ..) = run_with(&latch(at), method, rtol);
                let end = run.end_state();
                assert!((end[0] - at).abs() < 1e-12 && end[2].abs() < 1e-12, "{method:?} {rtol:e}: {end:?}");
            }
            for model in [&brake, &on_and_off] {
                run_with(model, method, rtol);
            }
        }
    }
}

/// It comes to rest in the origin: positions are rounding, and so is what they could be measured by.
#[test]
fn a_body_that_is_thrown_lands_on_the_floor() {
    let thrown = r#"
        coordinates = { y = 0 }
        states.held = 1
        derivatives.held = 0
        inertia.y = 1
        potential = "9.81*y"
        constraints.floor = "if held > 0.5 then y else 0"
        events.jump = { at = 1, reset = { held = 0, "y'" = 3 } }
        events.land = { guard = "y < 0", reset = { held = 1 } }
        run.until = 2
    "#;
    for method in ALPHAS {
        for rtol in [1e-3, 1e-4, 1e-5, 1.1e-5, 1e-6, 1e-7, 1e-8] {
            let (run, ..) = run_with(thrown, method, rtol);
            let landing = run.events.last().map_or(0.0, |event| event.t);
            assert!((landing - (1.0 + 6.0 / 9.81)).abs() < 1e-9, "{method:?} {rtol:e}: {landing}");
            assert!(run.end_state()[..2].iter().all(|x| x.abs() < 1e-12), "{method:?} {rtol:e}");
        }
    }
}

/// Rates of such joints are good to nine digits, and no more can be asked of speeds.
#[test]
fn joints_by_differences_do_not_stop_the_iteration() {
    let system = Mechanism::new(["x", "y"])
        .forces(|_, _, f| f[1] = -9.81)
        .joints_by_differences(["rod"], |t, q, g| {
            let support = 0.3 * t.sin();
            g[0] = (q[0] - support).powi(2) + q[1] * q[1] - 1.0;
        })
        .system();
    let start = Start::at([0.0, -1.0, 0.3, 0.0]);
    let mut options = Options::until(5.0);
    options.method = Method::HalfExplicit5;
    let truth = simulate(&system, &start, &options).unwrap();
    for method in ALPHAS {
        for rtol in [1e-4, 1e-6, 1e-8, 1e-9] {
            options.method = method;
            options.tolerances = Tolerances::uniform(rtol, rtol / 100.0);
            let run = simulate(&system, &start, &options);
            let run = run.unwrap_or_else(|failure| panic!("{method:?} {rtol:e}: {failure}"));
            let error = (run.end_state()[0] - truth.end_state()[0]).abs();
            assert!(error < 3.0 * allowed(rtol), "{method:?} {rtol:e}: {error:e}");
            let (steps, rejected) = (run.statistics.accepted, run.statistics.rejected);
            assert!(rejected < 10 + steps / 20, "{method:?} {rtol:e}: {rejected} of {steps}");
        }
    }
}

/// The same rod in three units, nine orders of magnitude apart.
#[test]
fn rows_of_any_size_say_the_same() {
    let model = r#"
        coordinates = { x = 1, y = 0 }
        kinetic = "(x'^2 + y'^2) / 2"
        potential = "9.81 * y"
        constraints = { a = "x^2+y^2-1", b = "1e-9*(x^2+y^2-1)", c = "1e9*(x^2+y^2-1)" }
        run.until = 3
    "#;
    for method in ALPHAS {
        for rtol in [1e-3, 1e-4, 1e-6] {
            let (run, ..) = run_with(model, method, rtol);
            let (alone, ..) = run_with(&pendulum("run.until = 3"), method, rtol);
            for (a, b) in run.end_state().iter().zip(alone.end_state()) {
                assert!((a - b).abs() < 0.2 * allowed(rtol), "{method:?} {rtol:e}: {a} {b}");
            }
        }
    }
}

/// Surfaces and constraints are met together there.
#[test]
fn joints_stay_shut_while_the_motion_slides() {
    let friction = r#"
        coordinates = { x = 0.8, y = -0.6, u = 1.6, w = -1.2 }
        inertia = { x = 1, y = 1, u = 1, w = 1 }
        potential = "9.81*(y+w)"
        constraints = { a = "x^2+y^2-1", b = "(u-x)^2+(w-y)^2-1" }
        switches = { s1 = "x*y'-y*x'", s2 = "(u-x)*(w'-y')-(w-y)*(u'-x')" }
        forces = { x = "3*y*s1 - 2*(w-y)*s2", y = "-3*x*s1 + 2*(u-x)*s2", u = "2*(w-y)*s2", w = "-2*(u-x)*s2" }
        run.until = 4
    "#;
    let control = r#"
        coordinates = { x = 0.8, y = -0.6 }
        inertia = { x = 1, y = 1 }
        potential = "9.81*y"
        forces.x = "-20*sign(x + 0.3*x')"
        constraints = { a = "x^2+y^2-1" }
        run.until = 4
    "#;
    let belt = r#"
        coordinates = { x = 0, y = -1, s = 0 }
        speeds.s = 2
        inertia = { x = 1, y = 1, s = 1 }
        potential = "9.81*y"
        forces.x = "-3*sign(x'-s')"
        constraints = { r = "x^2+y^2-1", d = "s-0.5*sin(4*t)" }
        run.until = 3
    "#;
    for method in ALPHAS.into_iter().chain([Method::HalfExplicit5, Method::PartitionedHalfExplicit5]) {
        for rtol in [1e-4, 1e-6] {
            for model in [friction, control, belt] {
                let (_, joints, _) = run_with(model, method, rtol);
                let position = joints.position.as_ref().map_or(0.0, |worst| worst.value);
                assert!(joints.velocity.value < 1e-13, "{method:?} {rtol:e}: {joints:?}\n{model}");
                // Half-explicit methods and `alpha2` are corrected twice, and not to rounding.
                let bound = if method == ALPHAS[0] || method == ALPHAS[2] { 1e-13 } else { 1e-6 };
                assert!(position < bound, "{method:?} {rtol:e}: {joints:?}\n{model}");
            }
        }
    }
}
