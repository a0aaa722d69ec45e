//! Every method shows its order on a smooth problem, in the solution and in its dense output, and keeps it across events.

use slipstick::equations::{ClosureGuard, ClosureSystem, System};
use slipstick::formulation::Flow;
use slipstick::mode::Mode;
use slipstick::simulate::{Options, Start, simulate};
use slipstick::step::{DenseDetail, Method, Tolerances, Trial};
use slipstick::trajectory::Trajectory;

/// x = cos t + sin(2t) / 2, as the solution of an equation that is nonlinear and depends on time, so that every order condition counts.
fn forced() -> ClosureSystem {
    ClosureSystem::new(["x", "v"], |t, y, dy| {
        let acceleration = -t.cos() - 2.0 * (2.0 * t).sin();
        dy[0] = y[1];
        dy[1] = acceleration - (y[0].powi(3) - exact(t)[0].powi(3));
    })
}

/// Half-explicit methods run mechanisms only; `half_explicit_methods_have_their_order` is about them.
fn on_plain_equations() -> impl Iterator<Item = Method> {
    Method::ALL.iter().copied().filter(|method| !method.facts().mechanisms_only)
}

fn exact(t: f64) -> [f64; 2] {
    [t.cos() + 0.5 * (2.0 * t).sin(), -t.sin() + (2.0 * t).cos()]
}

fn run(system: &dyn System, start: [f64; 2], method: Method, h: f64, until: f64) -> Trajectory {
    // The tolerances only say how far Newton's iteration goes.
    let options = Options { method, ..Options::until(until).tolerances(1e-13, 1e-13) }.fixed_step(h);
    simulate(system, &Start::at(start), &options).unwrap()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

fn root_mean_square(errors: &[f64]) -> f64 {
    (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt()
}

/// Three step sizes for a run: small enough for the order to show and large enough for the errors to stay above rounding.
fn steps_of_a_run(order: u32) -> [f64; 3] {
    match order {
        0..6 => [0.03125, 0.015625, 0.0078125],
        6..8 => [5.0 / 70.0, 5.0 / 90.0, 5.0 / 120.0],
        _ => [5.0 / 40.0, 5.0 / 50.0, 5.0 / 70.0],
    }
}

/// The same for a single step.
fn single_steps(order: u32) -> [f64; 3] {
    if order < 6 { [0.03125, 0.015625, 0.0078125] } else { [0.1, 0.07, 0.05] }
}

/// The slope of the error in the step size, over three step sizes.
fn observed_order(steps: &[f64; 3], errors: &[f64; 3]) -> f64 {
    (errors[0] / errors[2]).ln() / (steps[0] / steps[2]).ln()
}

/// Between the steps where higher powers of h still count and those where rounding does there is little room at order 7 and 8; that the
/// orders are exact is shown by the order conditions in the library's own tests.
#[test]
fn solution_has_the_order_of_the_method() {
    for method in on_plain_equations() {
        let stated = method.facts().order;
        let steps = steps_of_a_run(stated);
        let errors = steps.map(|h| {
            let run = run(&forced(), exact(0.0), method, h, 5.0);
            let segment = &run.segments[0];
            let errors: Vec<f64> =
                segment.steps().iter().map(|step| distance(&segment.state(step.t), &exact(step.t))).collect();
            root_mean_square(&errors)
        });
        let order = observed_order(&steps, &errors);
        assert!(
            (order - f64::from(stated)).abs() < 0.2,
            "{}: order {order:.2} from {errors:?}",
            method.name()
        );
    }
}

/// The largest error of the dense output of one step from exact values, over twentieths of the step.
fn dense_error(method: Method, h: f64, fine: bool, twentieths: std::ops::RangeInclusive<u32>) -> f64 {
    let (t, system) = (0.4, forced());
    let mut flow = Flow::new(&system, Mode::new(0, 0, 0));
    let mut step = method.build(2);
    let mut trial = Trial::new(t, &exact(t));
    trial.h = h;
    step.attempt(&mut flow, &Tolerances::uniform(1e-13, 1e-13), &mut trial);
    if fine {
        step.interpolate(&mut flow, &mut trial, DenseDetail::Finest);
    } else {
        step.interpolate(&mut flow, &mut trial, DenseDetail::Usual);
    }
    let mut y = [0.0; 2];
    let error = |k: u32| {
        let theta = f64::from(k) / 20.0;
        trial.dense.evaluate(theta, &mut y);
        distance(&y, &exact(t + theta * h))
    };
    twentieths.map(error).fold(0.0, f64::max)
}

/// The largest error inside one step from exact values shrinks like h^(dense order + 1).
#[test]
fn dense_output_has_its_order() {
    for method in on_plain_equations() {
        let stated = method.facts().dense_order;
        let steps = single_steps(stated);
        let errors = steps.map(|h| dense_error(method, h, false, 1..=19));
        let order = observed_order(&steps, &errors) - 1.0;
        assert!(
            (order - f64::from(stated)).abs() < 0.2,
            "{}: dense order {order:.2} from {errors:?}",
            method.name()
        );
    }
}

/// The finer dense output of explicit methods has the order of the method (but for DOP853, where order 7 is all there is), up to 1.3
/// steps. Implicit methods have none: bootstrapping evaluates the field, which a stiff problem would answer with its stiffness.
#[test]
fn finer_dense_output_has_the_order_of_the_method_beyond_the_step_too() {
    for method in on_plain_equations().filter(|method| !method.facts().implicit) {
        let stated = method.facts().order.min(7);
        let steps = single_steps(stated);
        for twentieths in [1..=19, 20..=26] {
            let errors = steps.map(|h| dense_error(method, h, true, twentieths.clone()));
            let order = observed_order(&steps, &errors) - 1.0;
            assert!(
                (order - f64::from(stated)).abs() < 0.2,
                "{}: order {order:.2} in {twentieths:?} twentieths of the step, from {errors:?}",
                method.name()
            );
        }
    }
}

/// A mass that is thrown back by a wall: the closed form is |cos t| while the wall is at zero and restitution is one. Where in a step
/// the events fall is a matter of luck, so several starts are taken together.
#[test]
fn order_is_kept_across_events() {
    let system = ClosureSystem::new(["x", "v"], |_, y, dy| {
        dy[0] = y[1];
        dy[1] = -y[0];
    })
    .guard(ClosureGuard::falling("wall", |_, y| y[0]).reset(|_, before, after| after[1] = -before[1]));
    for method in on_plain_equations() {
        // The state at an event comes from dense output: its error counts once for each event.
        let stated = method.facts().order.min(method.facts().dense_order + 1);
        let steps = if stated < 6 { [0.0625, 0.03125, 0.015625] } else { [0.5, 0.25, 0.125] };
        let errors = steps.map(|h| {
            let of_start = |k: u32| {
                let phase = 0.05 * f64::from(k);
                let end = run(&system, [phase.cos(), -phase.sin()], method, h, 20.0);
                assert_eq!(end.events.len(), 6);
                (end.end_state()[0] - (20.0 + phase).cos().abs()).abs()
            };
            root_mean_square(&(0..8).map(of_start).collect::<Vec<f64>>())
        });
        let order = observed_order(&steps, &errors);
        assert!(order > f64::from(stated) - 0.3, "{}: order {order:.2} from {errors:?}", method.name());
    }
}
