//! Stiff methods solve `M y' = f` for constant, singular and varying mass matrices, and say what is wrong when they cannot.

use slipstick::equations::ClosureSystem;
use slipstick::simulate::{Options, Start, simulate};
use slipstick::step::Method;

fn implicit() -> impl Iterator<Item = Method> {
    Method::ALL.iter().copied().filter(|method| method.facts().implicit && !method.facts().mechanisms_only)
}

/// The circle, x' = y and y' = -x, behind the matrix (2 1; 1 3).
fn circle_behind_a_constant() -> ClosureSystem {
    ClosureSystem::new(["x", "y"], |_, y, dy| {
        dy[0] = 2.0 * y[1] - y[0];
        dy[1] = y[1] - 3.0 * y[0];
    })
    .constant_mass(vec![2.0, 1.0, 1.0, 3.0])
}

/// The circle behind a matrix that depends on time and state: (2 + w sin t, w x; 0.5, 1 + w y²).
fn circle_behind_a_varying_matrix(w: f64) -> ClosureSystem {
    let matrix = move |t: f64, y: &[f64]| [2.0 + w * t.sin(), w * y[0], 0.5, 1.0 + w * y[1] * y[1]];
    ClosureSystem::new(["x", "y"], move |t, y, dy| {
        let [a, b, c, d] = matrix(t, y);
        dy[0] = a * y[1] - b * y[0];
        dy[1] = c * y[1] - d * y[0];
    })
    .varying_mass(move |t, y, m| m.copy_from_slice(&matrix(t, y)))
}

fn error_of_circle(system: &ClosureSystem, options: &Options) -> f64 {
    let run = simulate(system, &Start::at([1.0, 0.0]), options).unwrap();
    let t = options.until;
    (run.end_state()[0] - t.cos()).hypot(run.end_state()[1] + t.sin())
}

#[test]
fn constant_and_varying_mass_matrices_give_the_closed_form() {
    for method in implicit() {
        for tolerance in [1e-4, 1e-7, 1e-9] {
            let options = Options { method, ..Options::until(5.0).tolerances(tolerance, tolerance) };
            let error = error_of_circle(&circle_behind_a_constant(), &options);
            assert!(error < 30.0 * tolerance, "{} at {tolerance:e}: {error:e}", method.name());
            let error = error_of_circle(&circle_behind_a_varying_matrix(1.0), &options);
            assert!(error < 30.0 * tolerance, "varying, {} at {tolerance:e}: {error:e}", method.name());
        }
    }
}

#[test]
fn a_varying_mass_matrix_does_not_cost_order() {
    for method in implicit() {
        let errors = [0.2, 0.1, 0.05].map(|h| {
            let options = Options { method, ..Options::until(2.0) }.fixed_step(h);
            error_of_circle(&circle_behind_a_varying_matrix(0.1), &options.tolerances(1e-12, 1e-12))
        });
        let order = (errors[0] / errors[2]).log2() / 2.0;
        let expected = f64::from(method.facts().order);
        assert!((order - expected).abs() < 0.3, "{}: order {order:.2} from {errors:?}", method.name());
    }
}

/// x' = -z with 0 = z - x³, so that x = 1 / √(1 + 2t).
#[test]
fn an_algebraic_state_follows_its_equation_also_between_steps() {
    for method in implicit() {
        let system = ClosureSystem::new(["x", "z"], |_, y, dy| {
            dy[0] = -y[1];
            dy[1] = y[1] - y[0].powi(3);
        })
        .constant_mass(vec![1.0, 0.0, 0.0, 0.0]);
        let options = Options { method, ..Options::until(3.0).tolerances(1e-8, 1e-8) };
        let run = simulate(&system, &Start::at([1.0, 1.0]), &options).unwrap();
        for t in [0.3, 1.7, 3.0_f64] {
            let (y, x) = (run.state_after(t).unwrap().y, (1.0 + 2.0 * t).powf(-0.5));
            let error = (y[0] - x).abs().max((y[1] - x.powi(3)).abs());
            // Dense output is of lower order than the solution, by which the step is chosen.
            let allowed = if t == 3.0 { 1e-7 } else { 1e-6 };
            assert!(error < allowed, "{} at {t}: {error:e}", method.name());
        }
    }
}

#[test]
fn a_state_that_nothing_determines_is_named() {
    for method in implicit() {
        let system = ClosureSystem::new(["x", "lost"], |t, y, dy| {
            dy[0] = -y[0];
            dy[1] = y[0] - t;
        })
        .constant_mass(vec![1.0, 0.0, 0.0, 0.0]);
        let options = Options { method, ..Options::until(1.0) };
        let failure = simulate(&system, &Start::at([1.0, 1.0]), &options).unwrap_err();
        assert_eq!(failure.error.code(), "singular-matrix", "{}", method.name());
        assert!(failure.to_string().contains("`lost`"), "{failure}");
    }
}

#[test]
fn a_derivative_that_is_not_finite_is_named_with_time_and_value() {
    for method in implicit() {
        let system = ClosureSystem::new(["x", "root"], |t, y, dy| {
            dy[0] = -y[0];
            dy[1] = (1.0 - t).sqrt();
        });
        let options = Options { method, ..Options::until(2.0) };
        let failure = simulate(&system, &Start::at([1.0, 0.0]), &options).unwrap_err();
        assert_eq!(failure.error.code(), "derivative-not-finite", "{}: {failure}", method.name());
        assert!(failure.to_string().contains("`root` is NaN at t = "), "{failure}");
        // Differences in time look ahead by 1.5e-8.
        assert!((failure.trajectory.end_time() - 1.0).abs() < 2e-8, "{}", failure.trajectory.end_time());
    }
}

#[test]
fn a_field_that_is_not_finite_at_the_start_fails_at_once() {
    for method in implicit() {
        let system = ClosureSystem::new(["x"], |_, y, dy| dy[0] = 1.0 / y[0]);
        let options = Options { method, ..Options::until(1.0) };
        let failure = simulate(&system, &Start::at([0.0]), &options).unwrap_err();
        assert_eq!(failure.error.code(), "derivative-not-finite", "{}", method.name());
    }
}

#[test]
fn radau_solves_equations_of_index_2() {
    // A pendulum held by its speeds: x x' + y y' = 0. The multiplier stands in no algebraic equation.
    let pendulum = ClosureSystem::new(["x", "y", "u", "v", "pull"], |_, s, ds| {
        ds.copy_from_slice(&[s[2], s[3], -s[0] * s[4], -s[1] * s[4] - 9.81, s[0] * s[2] + s[1] * s[3]]);
    })
    .constant_mass((0..25).map(|k| if k % 6 == 0 && k < 24 { 1.0 } else { 0.0 }).collect());
    let angle = ClosureSystem::new(["angle", "rate"], |_, s, ds| {
        ds.copy_from_slice(&[s[1], -9.81 * s[0].sin()]);
    });
    let truth = {
        let options =
            Options { method: Method::DormandPrince8, ..Options::until(2.0).tolerances(1e-13, 1e-13) };
        simulate(&angle, &Start::at([0.8_f64.atan2(0.6), 0.0]), &options).unwrap().end_state().to_vec()
    };
    let (sin, cos, rate) = (truth[0].sin(), truth[0].cos(), truth[1]);
    let truth = [sin, -cos, rate * cos, rate * sin, rate * rate + 9.81 * cos];
    for tolerance in [1e-5, 1e-7, 1e-9] {
        let options =
            Options { method: Method::Radau5, ..Options::until(2.0).tolerances(tolerance, tolerance) };
        let run = simulate(&pendulum, &Start::at([0.8, -0.6, 0.0, 0.0, 9.81 * 0.6]), &options).unwrap();
        let off = |range: std::ops::Range<usize>| {
            range.fold(0.0_f64, |worst, i| worst.max((run.end_state()[i] - truth[i]).abs()))
        };
        let (states, pull) = (off(0..4), off(4..5));
        assert!(states < 30.0 * tolerance, "{tolerance:e}: {states:e}");
        // The multiplier converges with order 3 only.
        assert!(pull < 10.0 * tolerance.powf(0.75), "{tolerance:e}: {pull:e}");
    }
}
