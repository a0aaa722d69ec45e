//! Events are found with stiff methods as with any other.

use slipstick::equations::{ClosureGuard, ClosureSystem};
use slipstick::simulate::{Options, Start, simulate};
use slipstick::step::Method;

fn implicit() -> impl Iterator<Item = Method> {
    Method::ALL.iter().copied().filter(|method| method.facts().implicit && !method.facts().mechanisms_only)
}

#[test]
fn ball_bounces_at_the_closed_form_times() {
    for method in implicit() {
        let ball = ClosureSystem::new(["y", "v"], |_, y, dy| {
            dy[0] = y[1];
            dy[1] = -9.81;
        })
        .guard(ClosureGuard::falling("floor", |_, y| y[0]).reset(|_, before, after| {
            after[1] = -0.9 * before[1];
        }));
        let options = Options { method, ..Options::until(3.0).tolerances(1e-10, 1e-10) };
        let run = simulate(&ball, &Start::at([1.0, 0.0]), &options).unwrap();
        let first = (2.0_f64 / 9.81).sqrt();
        let expected: Vec<f64> = (0..20)
            .map(|k| first + 2.0 * first * (1..=k).map(|i| 0.9_f64.powi(i)).sum::<f64>())
            .take_while(|t| *t < 3.0)
            .collect();
        let found: Vec<f64> = run.event_times("floor").collect();
        assert_eq!(found.len(), expected.len(), "{}", method.name());
        for (found, expected) in found.iter().zip(&expected) {
            // Solutions are quadratic, so only rounding and the end of Newton's iteration are left.
            assert!((found - expected).abs() < 1e-11, "{}: {found} against {expected}", method.name());
        }
        assert!(run.events.iter().all(|event| event.before[0] >= 0.0));
    }
}

/// y' = λ (cos t - y) from 0: a fast rise to the slow solution, which then falls through one half.
#[test]
fn a_guard_is_found_in_the_fast_and_in_the_slow_part_of_a_relaxation() {
    let stiffness = 1e6_f64;
    // The slow solution is λ cos(t - φ) / √(λ² + 1) with tan φ = 1/λ.
    let slow = (1.0 / stiffness).atan() + (0.5 * stiffness.hypot(1.0) / stiffness).acos();
    let fast = 2.0_f64.ln() / stiffness;
    for method in implicit() {
        let system = ClosureSystem::new(["y"], move |t, y, dy| dy[0] = stiffness * (t.cos() - y[0]))
            .guard(ClosureGuard::rising("up", |_, y| y[0] - 0.5))
            .guard(ClosureGuard::falling("down", |_, y| y[0] - 0.5).stop_after(1));
        let options = Options { method, ..Options::until(2.0).tolerances(1e-7, 1e-7) };
        let run = simulate(&system, &Start::at([0.0]), &options).unwrap();
        assert_eq!(run.events.len(), 2, "{}: {:?}", method.name(), run.events);
        let (up, down) = (run.event_times("up").next().unwrap(), run.event_times("down").next().unwrap());
        assert!((up / fast - 1.0).abs() < 1e-4, "{}: {up:e} against {fast:e}", method.name());
        assert!((down - slow).abs() < 1e-5, "{}: {down} against {slow}", method.name());
        assert!(run.statistics.accepted < 400, "{}: {:?}", method.name(), run.statistics);
    }
}

/// The error estimate is about the ends of steps, where stiff solutions are always good; events happen within.
#[test]
fn dense_output_follows_the_slow_solution_of_a_stiff_problem() {
    for method in implicit() {
        for tolerance in [1e-4, 1e-7] {
            let system = ClosureSystem::new(["y"], |t, y, dy| dy[0] = 1e6 * (t.cos() - y[0]));
            let options = Options { method, ..Options::until(10.0).tolerances(tolerance, tolerance) };
            let run = simulate(&system, &Start::at([0.0]), &options).unwrap();
            let error = |k: i32| {
                let t = 0.01 * f64::from(k);
                (run.state_after(t).unwrap().y[0] - t.cos()).abs()
            };
            let worst = (1..1000).map(error).fold(0.0, f64::max);
            // The dense output of radau5 is held to tolerance^(2/3) / 10. The slow solution differs from the cosine by 1e-6.
            let allowed =
                if method == Method::Radau5 { 0.1 * f64::powf(tolerance, 2.0 / 3.0) } else { tolerance };
            assert!(worst < 3.0 * allowed + 2e-6, "{} at {tolerance:e}: {worst:e}", method.name());
        }
    }
}

#[test]
fn a_system_without_states_runs() {
    for method in implicit() {
        let system = ClosureSystem::new(Vec::<String>::new(), |_, _, _| {});
        let options = Options { method, ..Options::until(1.0) };
        let run = simulate(&system, &Start::at([]), &options).unwrap();
        assert_eq!(run.end_time(), 1.0);
    }
}
