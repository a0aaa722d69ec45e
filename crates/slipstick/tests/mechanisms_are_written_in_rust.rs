//! Mechanisms from closures: the same motion as from formulas, exact rates by jets, other speeds than rates of coordinates, gradients that are checked, and
//! chains whose cost grows with the number of links.

use slipstick::equations::{ClosureGuard, ClosureSystem, Mechanism, System};
use slipstick::math::Jet;
use slipstick::problems::{chain, chain_energy};
use slipstick::simulate::{Keep, Options, Start, simulate};
use slipstick::step::{Control, Method};
use slipstick::trajectory::{Joints, Trajectory};
use std::time::{Duration, Instant};

const G: f64 = 9.81;

fn pendulum() -> Mechanism {
    Mechanism::new(["x", "y"])
        .masses(|_, _, m| m.fill(2.0))
        .forces(|_, _, f| f[1] = -2.0 * G)
        .joints(["rod"], |_, q, g| g[0] = q[0] * q[0] + q[1] * q[1] - 1.0)
}

fn run(system: &ClosureSystem, start: Vec<f64>, until: f64) -> Trajectory {
    let options = Options::until(until).tolerances(1e-10, 1e-12);
    simulate(system, &Start::at(start), &options).unwrap_or_else(|failure| panic!("{failure:?}"))
}

/// The angle from the vertical, and its rate, of `θ'' = -factor sin θ` from rest.
fn swing(angle: f64, factor: f64, until: f64) -> (f64, f64) {
    let system =
        ClosureSystem::new(["angle", "rate"], move |_, y, dy| (dy[0], dy[1]) = (y[1], -factor * y[0].sin()));
    let options =
        Options { method: Method::DormandPrince8, ..Options::until(until).tolerances(1e-13, 1e-13) };
    let run = simulate(&system, &Start::at([angle, 0.0]), &options).unwrap();
    (run.end_state()[0], run.end_state()[1])
}

#[test]
fn a_pendulum_swings_as_its_angle_does() {
    let system = pendulum().system();
    assert_eq!(system.shape().state_names, ["x", "y", "x'", "y'"]);
    let run = run(&system, vec![0.8, -0.6, 0.0, 0.0], 5.0);
    let (angle, rate) = swing(0.8_f64.atan2(0.6), G, 5.0);
    let truth = [angle.sin(), -angle.cos(), rate * angle.cos(), rate * angle.sin()];
    for (y, truth) in run.end_state().iter().zip(truth) {
        assert!((y - truth).abs() < 1e-8, "{y} {truth}");
    }
    let joints = Joints::of(&system, &Options::until(1.0).upkeep(), &run).unwrap();
    assert!(joints.position.unwrap().value < 1e-14 && joints.velocity.value < 1e-13, "{joints:?}");
}

#[test]
fn differences_do_where_there_are_no_jets() {
    let by_differences = Mechanism::new(["x", "y"])
        .masses(|_, _, m| m.fill(2.0))
        .forces(|_, _, f| f[1] = -2.0 * G)
        .joints_by_differences(["rod"], |_, q, g| g[0] = q[0].hypot(q[1]) - 1.0);
    let run = run(&by_differences.system(), vec![0.8, -0.6, 0.0, 0.0], 5.0);
    let (angle, _) = swing(0.8_f64.atan2(0.6), G, 5.0);
    assert!((run.end_state()[0] - angle.sin()).abs() < 1e-6);
}

#[test]
fn a_joint_that_moves_with_time_takes_the_mechanism_along() {
    // The pivot goes up and down as sin(3 t); in its frame gravity is G - 9 sin(3 t).
    let driven = Mechanism::new(["x", "y"]).forces(|_, _, f| f[1] = -G).joints(["rod"], |t, q, g| {
        let height = q[1] - (3.0 * t).sin();
        g[0] = q[0] * q[0] + height * height - 1.0;
    });
    let run = run(&driven.system(), vec![0.8, -0.6, 0.0, 3.0], 4.0);
    let angle = ClosureSystem::new(["angle", "rate"], |t, y, dy| {
        (dy[0], dy[1]) = (y[1], -(G - 9.0 * (3.0 * t).sin()) * y[0].sin());
    });
    let options = Options { method: Method::DormandPrince8, ..Options::until(4.0).tolerances(1e-13, 1e-13) };
    let truth = simulate(&angle, &Start::at([0.8_f64.atan2(0.6), 0.0]), &options).unwrap();
    assert!((run.end_state()[0] - truth.end_state()[0].sin()).abs() < 1e-8, "{:?}", run.end_state());
}

#[test]
fn a_skate_on_a_slope_goes_nowhere_in_the_end() {
    // A skate that spins on a slope moves along a cycloid: x = g sin(a) / (2 w²) sin²(w t), with its blade along the angle (Chaplygin).
    let skate = Mechanism::new(["x", "y", "angle"])
        .forces(|_, _, f| f[0] = 2.0)
        .rolling(["blade"], |_, q, v, b| b[0] = v[0] * q[2].sin() - v[1] * q[2].cos());
    let system = skate.system();
    let run = run(&system, vec![0.0, 0.0, 0.0, 0.0, 0.0, 1.5], 3.0);
    let (w, t) = (1.5_f64, 3.0_f64);
    let x = 2.0 / (2.0 * w * w) * (w * t).sin().powi(2);
    let y = 2.0 / (2.0 * w * w) * (w * t - 0.5 * (2.0 * w * t).sin());
    let end = run.end_state();
    assert!((end[0] - x).abs() < 1e-8 && (end[1] - y).abs() < 1e-8, "{end:?} {x} {y}");
    assert!(Joints::of(&system, &Options::until(1.0).upkeep(), &run).unwrap().velocity.value < 1e-13);
}

/// The rates of place and Euler parameters of a body, from its speed and its angular velocity in the body.
fn body_rates(_t: Jet, q: &[Jet], v: &[Jet], dq: &mut [Jet]) {
    dq[..3].copy_from_slice(&v[..3]);
    let (e0, e1, e2, e3) = (q[3], q[4], q[5], q[6]);
    let (w1, w2, w3) = (v[3], v[4], v[5]);
    dq[3] = 0.5 * (-e1 * w1 - e2 * w2 - e3 * w3);
    dq[4] = 0.5 * (e0 * w1 + e2 * w3 - e3 * w2);
    dq[5] = 0.5 * (e0 * w2 + e3 * w1 - e1 * w3);
    dq[6] = 0.5 * (e0 * w3 + e1 * w2 - e2 * w1);
}

/// A rod of length 2 along the third axis of the body, hung up at its end by a ball joint; its other moments of inertia are 0.4.
fn hung_rod() -> ClosureSystem {
    let coordinates = ["x", "y", "z", "e0", "e1", "e2", "e3"];
    Mechanism::new(coordinates)
        .kinematics(["u", "v", "w", "w1", "w2", "w3"], body_rates)
        .normalise(|q| {
            let length = q[3..7].iter().map(|e| e * e).sum::<f64>().sqrt();
            q[3..7].iter_mut().for_each(|e| *e /= length);
        })
        .masses(|_, _, m| m.copy_from_slice(&[1.0, 1.0, 1.0, 0.4, 0.4, 0.1]))
        .forces(|_, y, f| {
            let (w1, w2, w3) = (y[10], y[11], y[12]);
            f[2] = -G;
            (f[3], f[4], f[5]) = ((0.4 - 0.1) * w2 * w3, (0.1 - 0.4) * w3 * w1, 0.0);
        })
        .joints(["ball.x", "ball.y", "ball.z"], |_, q, g| {
            // The joint is at +1 along the third axis of the body.
            let (e0, e1, e2, e3) = (q[3], q[4], q[5], q[6]);
            g[0] = q[0] + 2.0 * (e1 * e3 + e0 * e2);
            g[1] = q[1] + 2.0 * (e2 * e3 - e0 * e1);
            g[2] = q[2] + e0 * e0 - e1 * e1 - e2 * e2 + e3 * e3;
        })
        .system()
}

#[test]
fn a_body_with_euler_parameters_swings_and_stays_in_its_joint() {
    // Turned by an angle about the first axis.
    let angle = 1.2_f64;
    let (c, s) = ((0.5 * angle).cos(), (0.5 * angle).sin());
    let start = vec![0.0, angle.sin(), -angle.cos(), c, s, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let system = hung_rod();
    let run = run(&system, start, 4.0);
    let (truth, rate) = swing(angle, G / 1.4, 4.0);
    let end = run.end_state();
    assert!((end[1] - truth.sin()).abs() < 1e-7 && (end[2] + truth.cos()).abs() < 1e-7, "{end:?} {truth}");
    assert!((end[10] - rate).abs() < 1e-7, "{end:?} {rate}");
    let joints = Joints::of(&system, &Options::until(1.0).upkeep(), &run).unwrap();
    assert!(joints.position.unwrap().value < 1e-14 && joints.velocity.value < 1e-13, "{joints:?}");
    let length: f64 = end[3..7].iter().map(|e| e * e).sum();
    assert!((length - 1.0).abs() < 1e-14, "{length}");
}

#[test]
fn a_rough_start_with_euler_parameters_is_closed() {
    let start = vec![0.1, 0.9, -0.3, 0.8, 0.6, 0.0, 0.0, 0.0, 0.1, 0.0, 0.3, 0.0, 0.0];
    let system = hung_rod();
    let run = run(&system, start, 0.5);
    assert_eq!(run.notes[0].code, "start-adjusted");
    let joints = Joints::of(&system, &Options::until(1.0).upkeep(), &run).unwrap();
    assert!(joints.position.unwrap().value < 1e-14 && joints.velocity.value < 1e-12, "{joints:?}");
}

#[test]
fn a_wrong_row_of_a_gradient_is_named() {
    let wrong = pendulum().gradient(&[(0, 0), (0, 1)], |_, q, values| {
        values.copy_from_slice(&[2.0 * q[0], -2.0 * q[1]]);
    });
    let options = Options::until(1.0);
    let failure = simulate(&wrong.system(), &Start::at([0.8, -0.6, 0.0, 0.0]), &options).unwrap_err();
    assert_eq!(failure.error.code(), "wrong-gradient");
    assert!(failure.error.to_string().contains("`rod`"), "{}", failure.error);
}

#[test]
fn entries_outside_of_a_matrix_are_named() {
    let refuse = |mechanism: Mechanism| {
        let failure = simulate(&mechanism.system(), &Start::at([0.8, -0.6, 0.0, 0.0]), &Options::until(1.0));
        let error = failure.unwrap_err().error;
        assert_eq!(error.code(), "bad-place");
        error.to_string()
    };
    let message = refuse(pendulum().gradient(&[(0, 0), (1, 1)], |_, _, _| {}));
    assert_eq!(message, "the gradient has no entry (1, 1): it has 1 rows and 2 columns, counted from zero");
    let message = refuse(pendulum().mass_matrix(&[(0, 0), (2, 1)], |_, _, _| {}));
    assert_eq!(
        message,
        "the mass matrix has no entry (2, 1): it has 2 rows and 2 columns, counted from zero"
    );
}

#[test]
fn a_mechanism_hits_a_wall_and_drives_a_circuit() {
    // The wall turns the speed back; a state of first order follows the place.
    let system = pendulum().states(["lag"], |_, y, dz| dz[0] = y[0] - y[4]).system().guard(
        ClosureGuard::rising("wall", |_, y| y[0] - 0.3).reset(|_, before, after| after[2] = -before[2]),
    );
    let run = run(&system, vec![-0.6, -0.8, 0.0, 0.0, 0.0], 3.0);
    assert!(run.events.len() >= 2);
    let energy = |y: &[f64]| G * y[1] + 0.5 * (y[2] * y[2] + y[3] * y[3]);
    assert!((energy(run.end_state()) - energy(&[-0.6, -0.8, 0.0, 0.0])).abs() < 1e-8);
    assert!(run.events.iter().all(|event| event.before[0] - 0.3 < 1e-12));
}

#[test]
fn a_chain_keeps_its_joints_and_its_energy() {
    // 30 links take the sparse solver, 5 the dense one.
    for links in [5, 30] {
        let (system, start) = chain(links);
        let options = Options::until(1.0).tolerances(1e-9, 1e-11);
        let run = simulate(&system, &start, &options).unwrap_or_else(|failure| panic!("{failure:?}"));
        let joints = Joints::of(&system, &Options::until(1.0).upkeep(), &run).unwrap();
        assert!(joints.position.unwrap().value < 1e-12 && joints.velocity.value < 1e-11, "{joints:?}");
        let (before, after) = (chain_energy(&start.y), chain_energy(run.end_state()));
        assert!((before - after).abs() < 1e-6 * before.abs(), "{links}: {before} {after}");
    }
}

/// The least time of five for ten steps of a chain.
fn ten_steps(links: usize) -> Duration {
    let (system, start) = chain(links);
    let options = Options { method: Method::DormandPrince5, ..Options::until(1e-3) }.fixed_step(1e-4);
    let once = || {
        let start_of_run = Instant::now();
        simulate(&system, &start, &options).unwrap();
        start_of_run.elapsed()
    };
    [(); 5].map(|()| once()).into_iter().min().unwrap()
}

#[test]
fn a_chain_ten_times_as_long_takes_about_ten_times_as_long() {
    // What is dense would take a hundred or a thousand times as long. The bound leaves room for a busy machine; instructions are counted in the book.
    let ratio = ten_steps(2000).as_secs_f64() / ten_steps(200).as_secs_f64();
    assert!(ratio < 40.0, "{ratio}");
}

/// In a pendulum of length one with the constraint `x² + y² - 1`, `2 λ = m (v² - g y)`, and the force on the bob is `-2 λ (x, y)`.
#[test]
fn forces_in_joints_are_read_along_the_run() {
    let wall =
        ClosureGuard::rising("wall", |_, y| y[0]).reset(|_, before, after| after[2] = -0.5 * before[2]);
    let system = pendulum().system().guard(wall);
    let run = run(&system, vec![-0.8, -0.6, 0.0, 0.0], 3.0);
    let mut path = run.of(&system);
    let mut times: Vec<f64> = (0..=30).map(|i| 0.1 * f64::from(i)).collect();
    times.extend(run.event_times("wall"));
    for t in times {
        let sides = [
            (path.state_before(t).unwrap(), path.forces_before(t).unwrap()),
            (path.state_after(t).unwrap(), path.forces_after(t).unwrap()),
        ];
        for (state, forces) in sides {
            let y = &state.y;
            let twice = 2.0 * (y[2] * y[2] + y[3] * y[3] - G * y[1]);
            assert!((2.0 * forces.multipliers[0] - twice).abs() < 1e-11, "{t}: {forces:?}");
            let reactions = [-twice * y[0], -twice * y[1]];
            assert!(reactions.iter().zip(&forces.reactions).all(|(a, b)| (a - b).abs() < 1e-11), "{t}");
        }
    }
    assert!(run.event_times("wall").count() > 1 && path.forces_after(4.0).is_none());
    let system = ClosureSystem::new(["x"], |_, y, dy| dy[0] = -y[0]);
    let run = simulate(&system, &Start::at([1.0]), &Options::until(1.0)).unwrap();
    assert_eq!(run.of(&system).forces_after(0.5), None);
}

/// With the ends alone, the start and the end of each segment are what can be said.
#[test]
fn joints_are_looked_at_where_states_are_kept() {
    let system = pendulum().system();
    let options = Options { keep: Keep::Ends, ..Options::until(1.0) };
    let run = simulate(&system, &Start::at([0.8, -0.6, 0.0, 0.0]), &options).unwrap();
    let joints = Joints::of(&system, &options.upkeep(), &run).unwrap();
    let worst = [joints.position.unwrap(), joints.velocity, joints.acceleration];
    assert!(
        worst.iter().all(|opening| opening.value < 1e-13 && [0.0, 1.0].contains(&opening.t)),
        "{joints:?}"
    );
}

#[test]
fn what_says_how_steps_are_chosen_is_refused_beside_a_fixed_step() {
    let system = pendulum().system();
    let fixed = Options::until(1.0).fixed_step(0.01);
    let options = [
        ("first_step", fixed.clone().first_step(0.1)),
        ("longest_step", fixed.clone().longest_step(0.001)),
        ("control", fixed.clone().control(Control::Pid)),
        ("safety", fixed.clone().safety(0.8)),
    ];
    for (word, options) in options {
        let failure = simulate(&system, &Start::at([0.8, -0.6, 0.0, 0.0]), &options).unwrap_err();
        assert_eq!((failure.error.code(), failure.error.about()), ("beside-fixed-step", Some(word)));
    }
    assert!(simulate(&system, &Start::at([0.8, -0.6, 0.0, 0.0]), &fixed).is_ok());
}
