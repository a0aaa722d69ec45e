//! Stiff methods solve the classic stiff problems to their tolerance, with as many steps as accuracy needs and no more.

use slipstick::equations::{ClosureSystem, System};
use slipstick::model::Model;
use slipstick::simulate::{Options, Overrides, Plan, Start, simulate};
use slipstick::step::{Method, PerComponent};
use slipstick::trajectory::Trajectory;

fn implicit() -> impl Iterator<Item = Method> {
    Method::ALL.iter().copied().filter(|method| method.facts().implicit && !method.facts().mechanisms_only)
}

fn run(system: &dyn System, start: &[f64], method: Method, options: Options) -> Trajectory {
    simulate(system, &Start::at(start), &Options { method, ..options }).unwrap()
}

fn largest_relative_error(run: &Trajectory, truth: &[f64]) -> f64 {
    run.end_state().iter().zip(truth).map(|(y, truth)| ((y - truth) / truth).abs()).fold(0.0, f64::max)
}

/// Van der Pol's equation with ε = 1e-6, which is damping 1e6 with time scaled by it (Hairer, Wanner II, section IV.10).
fn van_der_pol() -> ClosureSystem {
    ClosureSystem::new(["x", "v"], |_, y, dy| {
        dy[0] = y[1];
        dy[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / 1e-6;
    })
}

fn van_der_pol_with_jacobian() -> ClosureSystem {
    van_der_pol().jacobian(|_, y, j| {
        j[1] = 1.0;
        j[2] = (-2.0 * y[0] * y[1] - 1.0) / 1e-6;
        j[3] = (1.0 - y[0] * y[0]) / 1e-6;
    })
}

/// From the test set for initial value problem solvers (Bari), problem VDPOL, which starts at (2, 0).
const VAN_DER_POL_END: [f64; 2] = [1.706167732170483, -0.8928097010247975];

/// Robertson's reaction (Hairer, Wanner II, section IV.1). In the third equation the sum of the components is kept, or demanded.
fn robertson(algebraic: bool) -> ClosureSystem {
    let system = ClosureSystem::new(["a", "b", "c"], move |_, y, dy| {
        let (slow, fast) = (0.04 * y[0] - 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]);
        dy[0] = -slow;
        dy[1] = slow - fast;
        dy[2] = if algebraic { y[0] + y[1] + y[2] - 1.0 } else { fast };
    })
    .jacobian(move |_, y, j| {
        let (b, c) = (1e4 * y[2], 1e4 * y[1]);
        j[..3].copy_from_slice(&[-0.04, b, c]);
        j[3..6].copy_from_slice(&[0.04, -b - 6e7 * y[1], -c]);
        j[6..].copy_from_slice(&if algebraic { [1.0, 1.0, 1.0] } else { [0.0, 6e7 * y[1], 0.0] });
    });
    let diagonal = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    if algebraic { system.constant_mass(diagonal) } else { system }
}

/// From the same test set, problem ROBER, at t = 1e11.
const ROBERTSON_END: [f64; 3] = [0.2083340149701255e-7, 0.8333360770334713e-13, 0.999999979166505];

/// Tolerances in proportion to the components, which are tiny at the end.
fn robertson_options(tolerance: f64) -> Options {
    let mut options = Options::until(1e11).tolerances(tolerance, tolerance);
    let absolute = [1e-9, 1e-14, 1e-6].map(|scale| scale * tolerance);
    options.tolerances.absolute = PerComponent::Each(absolute.to_vec());
    options
}

#[test]
fn van_der_pol_with_damping_1e6_is_solved_to_the_tolerance() {
    for method in implicit() {
        // Methods of order 4 need 3e4 and more steps for 1e-10 here; that is what they are.
        let finest = if method == Method::Radau5 { 1e-10 } else { 1e-8 };
        for tolerance in [1e-4, 1e-6, 1e-8, 1e-10].into_iter().filter(|t| *t >= finest) {
            let options = Options::until(2.0).tolerances(tolerance, tolerance);
            let end = run(&van_der_pol_with_jacobian(), &[2.0, 0.0], method, options);
            let error = largest_relative_error(&end, &VAN_DER_POL_END);
            assert!(error < 10.0 * tolerance, "{} at {tolerance:e}: {error:e}", method.name());
        }
    }
}

#[test]
fn radau5_makes_as_many_steps_for_van_der_pol_as_a_method_of_order_five_should() {
    let steps = [1e-4, 1e-7, 1e-10].map(|tolerance| {
        let options = Options::until(2.0).tolerances(tolerance, tolerance);
        run(&van_der_pol_with_jacobian(), &[2.0, 0.0], Method::Radau5, options).statistics.accepted as f64
    });
    assert!(steps[0] < 300.0, "{steps:?}");
    // An error of order 3 in the place of the tolerance^(2/3): the steps grow by 1000^(1/6) = 3.2.
    for pair in steps.windows(2) {
        assert!((2.5..4.0).contains(&(pair[1] / pair[0])), "{steps:?}");
    }
}

#[test]
fn robertson_is_solved_up_to_1e11() {
    for method in implicit() {
        for tolerance in [1e-4, 1e-6, 1e-8] {
            let end = run(&robertson(false), &[1.0, 0.0, 0.0], method, robertson_options(tolerance));
            let error = largest_relative_error(&end, &ROBERTSON_END);
            assert!(error < 30.0 * tolerance, "{} at {tolerance:e}: {error:e}", method.name());
            assert!(end.statistics.accepted < 4000, "{}: {:?}", method.name(), end.statistics);
        }
    }
}

#[test]
fn robertson_with_its_conservation_law_as_an_algebraic_equation_is_the_same() {
    for method in implicit() {
        for tolerance in [1e-4, 1e-6, 1e-8] {
            let end = run(&robertson(true), &[1.0, 0.0, 0.0], method, robertson_options(tolerance));
            let error = largest_relative_error(&end, &ROBERTSON_END);
            assert!(error < 30.0 * tolerance, "{} at {tolerance:e}: {error:e}", method.name());
            let sum: f64 = end.end_state().iter().sum();
            assert!((sum - 1.0).abs() < 1e-14, "{}: the sum is {sum}", method.name());
        }
    }
}

/// Prothero and Robinson's equation, y' = λ (y - cos t) - sin t, whose solution is cos t however stiff it is.
#[test]
fn prothero_and_robinson_costs_no_more_than_its_smooth_solution() {
    for method in implicit() {
        let system = ClosureSystem::new(["y"], |t, y, dy| dy[0] = -1e6 * (y[0] - t.cos()) - t.sin());
        let end = run(&system, &[1.0], method, Options::until(10.0).tolerances(1e-6, 1e-6));
        let error = (end.end_state()[0] - 10.0_f64.cos()).abs();
        assert!(error < 1e-5, "{}: {error:e}", method.name());
        assert!(end.statistics.accepted < 200, "{}: {:?}", method.name(), end.statistics);
    }
}

#[test]
fn a_step_far_beyond_the_fast_scale_damps_it_away() {
    for method in implicit() {
        for stiffness in [1e4, 1e8, 1e12] {
            let system = ClosureSystem::new(["y"], move |_, y, dy| dy[0] = -stiffness * y[0])
                .jacobian(move |_, _, j| j[0] = -stiffness);
            let options = Options::until(1.0).fixed_step(1.0);
            let end = run(&system, &[1.0], method, options).end_state()[0].abs();
            // R(z) falls like 1/z for an L-stable method; a method that is only A-stable stays at 1. Rounding is left of what cancels.
            assert!(end < 100.0 / stiffness + 1e-13, "{}: {end:e} for {stiffness:e}", method.name());
        }
    }
}

const MODEL: &str = r#"
parameters = { eps = 1e-6 }
states = { x = 2, v = 0 }
derivatives = { x = "v", v = "((1 - x^2) * v - x) / eps" }
run = { until = 2, rtol = 1e-6, atol = 1e-6 }
"#;

#[test]
fn exact_jacobians_give_the_same_solution_with_fewer_right_hand_sides() {
    let plan = Plan::new(&Model::from_toml(MODEL).unwrap(), &Overrides::default()).unwrap();
    for method in implicit() {
        let solve = |system: &dyn System| {
            let end = run(system, &[2.0, 0.0], method, plan.options.clone());
            (end.end_state().to_vec(), end.statistics)
        };
        let (by_differences, costly) = solve(&van_der_pol());
        for exact in [solve(&van_der_pol_with_jacobian()), solve(&plan.system)] {
            let (end, cheap) = exact;
            let difference = slipstick::math::distance(&end, &by_differences);
            assert!(difference < 1e-5, "{}: {difference:e}", method.name());
            // Two right-hand sides for each Jacobian, and half of that as allowance for a different course of the steps.
            let saved = costly.derivatives.saturating_sub(cheap.derivatives);
            assert!(saved > costly.jacobians, "{}: {cheap:?} against {costly:?}", method.name());
        }
    }
}

#[test]
fn jacobians_and_factorisations_are_counted_and_used_again() {
    let options = Options::until(2.0).tolerances(1e-7, 1e-7);
    let count = |method| run(&van_der_pol(), &[2.0, 0.0], method, options.clone()).statistics;
    for method in [Method::Radau5, Method::Sdirk4] {
        let s = count(method);
        assert!(s.jacobians > 0 && s.jacobians <= s.factorisations, "{s:?}");
        assert!(s.factorisations < s.accepted + s.rejected, "{s:?}");
    }
    let s = count(Method::Rodas4);
    assert_eq!((s.jacobians, s.factorisations), (s.accepted, s.accepted + s.rejected));
    let s = count_explicit();
    assert_eq!((s.jacobians, s.factorisations), (0, 0));
}

fn count_explicit() -> slipstick::trajectory::Statistics {
    let system = ClosureSystem::new(["y"], |_, y, dy| dy[0] = -y[0]);
    run(&system, &[1.0], Method::default(), Options::until(1.0)).statistics
}
