//! The balance of energy of a mechanism: what comes in, what is dissipated, what events change, and how far the sum is from constant.

mod common;

use common::plan;
use slipstick::equations::{ClosureSystem, Mechanism};
use slipstick::formulation::Stabilisation;
use slipstick::simulate::{Keep, Options, Start, simulate};
use slipstick::step::Tolerances;
use slipstick::trajectory::{EnergyBalance, Joints, Trajectory};

fn run(text: &str) -> (Trajectory, EnergyBalance) {
    let plan = plan(text);
    let run =
        simulate(&plan.system, &plan.start, &plan.options).unwrap_or_else(|failure| panic!("{failure}"));
    let balance = EnergyBalance::of(&plan.system, &run).expect("it is a mechanism");
    (run, balance)
}

fn pendulum(more: &str) -> String {
    format!(
        r#"
        coordinates = {{ x = 1, y = 0 }}
        kinetic = "x'^2 + y'^2"
        potential = "2 * 9.81 * y"
        run = {{ until = 5, rtol = 1e-9 }}
        {more}
        "#
    )
}

const ROD: &str = "constraints.rod = \"x^2 + y^2 - 1\"";

#[test]
fn what_nothing_drives_has_only_an_error() {
    let (run, balance) = run(&pendulum(ROD));
    let y = run.end_state();
    let energy = y[2] * y[2] + y[3] * y[3] + 19.62 * y[1];
    assert_eq!((balance.work_in, balance.dissipated, balance.at_events), (0.0, 0.0, 0.0));
    assert!((balance.end.total() - energy).abs() < 1e-13);
    // Powers that cancel leave rounding.
    assert!(balance.error > energy.abs() - 1e-12 && balance.error < 1e-6, "{balance:?}");
    assert!(balance.error_time > 0.0 && balance.error_time <= 5.0);
}

/// In the closed form of a damped oscillator, `m = 1, c = 0.2, k = 1.01`: `x = exp(-t/10) (cos t + sin t / 10)` from rest at 1.
#[test]
fn a_damper_dissipates_what_is_missing() {
    let (run, balance) = run(r#"
        coordinates = { x = 1 }
        kinetic = "x'^2 / 2"
        potential = "1.01 * x^2 / 2"
        forces.x = "-0.2 * x'"
        run = { until = 10, rtol = 1e-10 }
        "#);
    let lost = 1.01 / 2.0 - balance.end.total();
    assert!((run.end_state()[0] - (-1.0_f64).exp() * (10.0_f64.cos() + 10.0_f64.sin() / 10.0)).abs() < 1e-8);
    assert!((balance.dissipated - lost).abs() < 1e-7 && balance.work_in == 0.0, "{balance:?} {lost}");
    assert!(balance.error < 1e-7, "{balance:?}");
}

/// A mass that a motor pulls with 3 N for 4 s comes to 3 · 4 = 12 m/s: 72 J.
#[test]
fn a_motor_puts_in_what_there_is() {
    let (_, balance) = run(r#"
        coordinates = { x = 0 }
        kinetic = "x'^2 / 2"
        forces.x = "3"
        run = { until = 4, rtol = 1e-10 }
        "#);
    assert!((balance.work_in - 72.0).abs() < 1e-9 && balance.dissipated == 0.0, "{balance:?}");
}

/// A pivot that moves does work, a mass that is given as `inertia` has energy, and a spring whose rest length is a side state takes work from it.
#[test]
fn moving_pivots_and_side_states_are_in_the_balance() {
    let pivot = "constraints.rod = \"(x - 0.3 * sin(5 * t))^2 + y^2 - 1\"\nspeeds.x = 1.5";
    let (_, moved) = run(&pendulum(pivot));
    assert!(moved.work_in > 1.0 && moved.error < 1e-6, "{moved:?}");
    let spring = r#"
        coordinates = { x = 0 }
        inertia.x = "2 + sin(x)^2"
        forces.x = "-sin(x) * cos(x) * x'^2"
        potential = "5 * (x - rest)^2"
        states = { rest = 1 }
        derivatives = { rest = "-rest / 2 + x" }
        run = { until = 6, rtol = 1e-10 }
    "#;
    let (_, balance) = run(spring);
    let change = balance.end.total() - balance.start.total();
    assert!(
        change.abs() > 0.1 && (balance.work_in - balance.dissipated - change).abs() < 1e-7,
        "{balance:?}"
    );
    assert!(balance.error < 1e-7, "{balance:?}");
}

#[test]
fn impacts_are_counted_apart() {
    let wall = "events.wall = { guard = \"x + 0.5\", direction = \"falling\", side = \"before\", reset = { \"x'\" = \"-0.8 * x'\" } }";
    let (run, balance) = run(&pendulum(&format!("{ROD}\n{wall}")));
    let kinetic = |y: &[f64]| y[2] * y[2] + y[3] * y[3];
    let lost: f64 = run.events.iter().map(|e| kinetic(&e.after) - kinetic(&e.before)).sum();
    assert!(
        run.events.len() > 2 && lost < -5.0 && (balance.at_events - lost).abs() < 1e-6,
        "{balance:?} {lost}"
    );
    assert!(balance.error < 1e-6, "{balance:?}");
}

/// Stick and slip: while it sticks, friction does no work, in whichever way its sign is decided.
#[test]
fn friction_dissipates_only_where_it_slips() {
    let (_, balance) = run(r#"
        coordinates = { x = 0 }
        speeds.x = 3
        kinetic = "x'^2 / 2"
        forces.x = "-2 * sign(x')"
        run = { until = 5, rtol = 1e-10 }
        "#);
    assert!((balance.dissipated - 4.5).abs() < 1e-7 && balance.work_in < 1e-9, "{balance:?}");
    assert!(balance.end.kinetic < 1e-15 && balance.error < 1e-7, "{balance:?}");
}

#[test]
fn without_the_steps_there_is_no_balance() {
    let mut plan = plan(&pendulum(ROD));
    plan.options.keep = Keep::Ends;
    let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
    assert_eq!(EnergyBalance::of(&plan.system, &run), None);
}

/// At the level of accelerations constraints are met to rounding, but for the terms that pull back.
#[test]
fn accelerations_are_audited_as_they_were_found() {
    let residual = |stabilisation| {
        let mut plan = plan(&pendulum(ROD));
        plan.options.constraints.stabilisation = stabilisation;
        let run = simulate(&plan.system, &plan.start, &plan.options).expect("a run");
        let joints = Joints::of(&plan.system, &plan.options.upkeep(), &run).expect("there is a rod");
        (joints.acceleration.value, joints.velocity.value)
    };
    assert!(residual(Stabilisation::Twice).0 < 1e-13);
    let (acceleration, velocity) = residual(Stabilisation::Baumgarte { rate: 20.0, position: 100.0 });
    assert!(acceleration > 1e-9 && acceleration < 1e4 * velocity, "{acceleration:e} {velocity:e}");
}

/// A run of a mechanism in closures from rest at the given place, and its balance.
fn balance_of(system: &ClosureSystem, start: &[f64], until: f64) -> (Trajectory, EnergyBalance) {
    let options = Options { tolerances: Tolerances::uniform(1e-9, 1e-11), ..Options::until(until) };
    let run = simulate(system, &Start::at(start), &options).unwrap_or_else(|failure| panic!("{failure}"));
    let balance = EnergyBalance::of(system, &run).expect("it is a mechanism");
    (run, balance)
}

/// A pendulum with a motor at one coordinate and a damper at the other. With the same tolerances the steps are the same.
#[test]
fn closures_have_the_balance_of_formulas() {
    let (of_formulas, expected) = run(&pendulum(&format!("{ROD}\nforces = {{ x = 3, y = \"-0.4 * y'\" }}")));
    let system = Mechanism::new(["x", "y"])
        .masses(|_t, _q, m| m.fill(2.0))
        .potential(|_t, q| q[1] * (2.0 * 9.81))
        .forces(|_t, y, f| (f[0], f[1]) = (3.0, -0.4 * y[3]))
        .joints(["rod"], |_t, q, g| g[0] = q[0] * q[0] + q[1] * q[1] - 1.0)
        .system();
    let (of_closures, found) = balance_of(&system, &[1.0, 0.0, 0.0, 0.0], 5.0);
    for (a, b) in of_formulas.end_state().iter().zip(of_closures.end_state()) {
        assert!((a - b).abs() < 1e-11, "{a} {b}");
    }
    let numbers = |b: &EnergyBalance| {
        [
            b.start.kinetic,
            b.start.potential,
            b.end.kinetic,
            b.end.potential,
            b.work_in,
            b.dissipated,
            b.at_events,
        ]
    };
    for (a, b) in numbers(&expected).iter().zip(numbers(&found)) {
        // Work is told apart by its sign on steps that differ by what corrections round; the balance is right to 5e-9.
        assert!((a - b).abs() < 1e-9, "{expected:?}\n{found:?}");
    }
    assert!(found.work_in > 1.0 && found.dissipated > 1.0 && found.error < 1e-7, "{found:?}");
}

/// Without a potential, gravity is a force like others: it puts in 2 · 9.81 · 4.905 J in the first second of a fall.
#[test]
fn what_has_no_potential_is_work() {
    let system =
        Mechanism::new(["y"]).masses(|_t, _q, m| m[0] = 2.0).forces(|_t, _y, f| f[0] = -19.62).system();
    let (_, balance) = balance_of(&system, &[0.0, 0.0], 1.0);
    assert!((balance.work_in - 19.62 * 4.905).abs() < 1e-9 && balance.dissipated == 0.0, "{balance:?}");
    assert!((balance.end.kinetic - 19.62 * 4.905).abs() < 1e-9 && balance.error < 1e-9, "{balance:?}");
}

/// A double pendulum in angles: its masses vary, and forces by Coriolis do no work.
#[test]
fn masses_that_vary_put_nothing_in() {
    let system = Mechanism::new(["a", "b"])
        .mass_matrix(&[(0, 0), (0, 1), (1, 0), (1, 1)], |_t, q, m| {
            let c = (q[0] - q[1]).cos();
            m.copy_from_slice(&[2.0, c, c, 1.0]);
        })
        .forces(|_t, y, f| {
            let s = (y[0] - y[1]).sin();
            (f[0], f[1]) = (-s * y[3] * y[3], s * y[2] * y[2]);
        })
        .potential(|_t, q| -(q[0].cos() * 2.0 + q[1].cos()) * 9.81)
        .system();
    let (run, balance) = balance_of(&system, &[2.0, 1.0, 0.0, 0.0], 5.0);
    let y = run.end_state();
    let kinetic = y[2] * y[2] + 0.5 * y[3] * y[3] + (y[0] - y[1]).cos() * y[2] * y[3];
    assert!((balance.end.kinetic - kinetic).abs() < 1e-12 * kinetic, "{balance:?} {kinetic}");
    assert!(balance.work_in < 1e-6 && balance.dissipated < 1e-6 && balance.error < 1e-6, "{balance:?}");
}

/// A crank whose angle is t² has the speed 6 at t = 3: the drive has put in 18 J.
#[test]
fn a_drive_in_closures_puts_in_what_moves() {
    let system = Mechanism::new(["x", "y"])
        .joints(["rod", "drive"], |t, q, g| {
            let angle = t * t;
            g[0] = q[0] * q[0] + q[1] * q[1] - 1.0;
            g[1] = q[1] * angle.cos() - q[0] * angle.sin();
        })
        .system();
    let (_, balance) = balance_of(&system, &[1.0, 0.0, 0.0, 0.0], 3.0);
    assert!((balance.work_in - 18.0).abs() < 1e-7 && balance.dissipated < 1e-9, "{balance:?}");
    assert!((balance.end.kinetic - 18.0).abs() < 1e-9 && balance.error < 1e-7, "{balance:?}");
}

/// A free body that turns about no axis of its own: gyroscopic moments do no work.
#[test]
fn gyroscopic_moments_put_nothing_in() {
    let j = [1.0, 2.0, 3.0];
    let system = Mechanism::new(["e0", "e1", "e2", "e3"])
        .kinematics(["wx", "wy", "wz"], |_t, e, w, rates| {
            rates[0] = (e[1] * w[0] + e[2] * w[1] + e[3] * w[2]) * -0.5;
            rates[1] = (e[0] * w[0] - e[3] * w[1] + e[2] * w[2]) * 0.5;
            rates[2] = (e[3] * w[0] + e[0] * w[1] - e[1] * w[2]) * 0.5;
            rates[3] = (e[1] * w[1] - e[2] * w[0] + e[0] * w[2]) * 0.5;
        })
        .masses(move |_t, _q, m| m.copy_from_slice(&j))
        .forces(move |_t, y, f| {
            let w = &y[4..7];
            f[0] = (j[1] - j[2]) * w[1] * w[2];
            f[1] = (j[2] - j[0]) * w[2] * w[0];
            f[2] = (j[0] - j[1]) * w[0] * w[1];
        })
        .system();
    let (_, balance) = balance_of(&system, &[1.0, 0.0, 0.0, 0.0, 0.1, 2.0, 0.1], 10.0);
    assert!((balance.start.kinetic - 4.02).abs() < 1e-14, "{balance:?}");
    assert!(balance.work_in < 1e-9 && balance.dissipated < 1e-9 && balance.error < 1e-7, "{balance:?}");
}

#[test]
fn a_system_of_first_order_has_no_balance() {
    let system = ClosureSystem::new(["x"], |_t, x, dx| dx[0] = -x[0]);
    let run = simulate(&system, &Start::at([1.0]), &Options::until(1.0)).expect("a run");
    assert!(EnergyBalance::of(&system, &run).is_none());
}

/// A force `cos 2t` on a free mass of one drives and brakes in turn: its power is `sin(4t)/4`, and each half of a period puts in or takes 1/8.
#[test]
fn a_power_that_changes_its_sign_within_steps_is_split_there() {
    let system = Mechanism::new(["x"]).forces(|t, _, f| f[0] = (2.0 * t).cos()).system();
    let (_, balance) = balance_of(&system, &[0.0, 0.0], 2.0 * std::f64::consts::PI);
    for work in [balance.work_in, balance.dissipated] {
        assert!((work - 0.5).abs() < 1e-8, "{balance:?}");
    }
}

/// A moving joint with a further row that follows from the others, but only where constraints are met: dense output is next to there. In the first mechanism that row vanishes on the way.
/// The work is that without the row.
#[test]
fn redundant_rows_of_moving_joints_put_nothing_in() {
    let (sliders, row) = (
        r#"
        coordinates = { x = -0.5, ph = -0.5 }
        inertia = { x = 1, ph = 0.5 }
        speeds = { x = 1, ph = 0.9 }
        forces = { x = "-0.2*x'+sin(3*t)" }
        constraints.a = "x-ph-0.1*sin(t)"
        "#,
        r#"constraints.c = "(x-0.1*sin(t))^2-ph^2""#,
    );
    let (pendulum, rod) = (
        r#"
        coordinates = { x = 1, y = 0, a = 0 }
        inertia = { x = 1, y = 1, a = 0.1 }
        speeds = { x = 0.1 }
        potential = "9.81*y"
        constraints.p = "x-cos(a)-0.1*sin(t)"
        constraints.q = "y-sin(a)"
        "#,
        r#"constraints.r = "(x-0.1*sin(t))^2+y^2-1""#,
    );
    for (text, row) in [(sliders, row), (pendulum, rod)] {
        let end = "run = { until = 2, rtol = 1e-10, method = \"radau5\" }";
        let (_, expected) = run(&format!("{text}\n{end}"));
        for method in ["hem5", "phem56", "dopri5", "radau5", "dop853"] {
            for tolerance in ["1e-4", "1e-6"] {
                let end = format!("run = {{ until = 2, rtol = {tolerance}, method = \"{method}\" }}");
                let (_, found) = run(&format!("{text}\n{row}\n{end}"));
                let bound = 100.0 * tolerance.parse::<f64>().unwrap();
                let apart = (found.work_in - expected.work_in).abs();
                let apart = apart.max((found.dissipated - expected.dissipated).abs());
                assert!(apart < bound && found.error < bound, "{method} {tolerance}: {found:?} {expected:?}");
            }
        }
    }
}
