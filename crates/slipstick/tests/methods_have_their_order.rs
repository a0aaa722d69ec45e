//! Every method shows its order on a smooth problem, in the solution and in its dense output, and keeps it across events.

use slipstick::equations::{ClosureGuard, ClosureSystem, System};
use slipstick::simulate::{Options, Start, simulate};
use slipstick::step::Method;
use slipstick::trajectory::Trajectory;

/// x'' = -x with a forcing that makes it depend on time: x = cos t + sin(2t) / 2.
fn forced() -> ClosureSystem {
    ClosureSystem::new(["x", "v"], |t, y, dy| {
        dy[0] = y[1];
        dy[1] = -y[0] - 1.5 * (2.0 * t).sin();
    })
}

fn exact(t: f64) -> [f64; 2] {
    [t.cos() + 0.5 * (2.0 * t).sin(), -t.sin() + (2.0 * t).cos()]
}

fn run(system: &dyn System, start: [f64; 2], method: Method, h: f64, until: f64) -> Trajectory {
    let options = Options { method, fixed_step: Some(h), ..Options::until(until) };
    simulate(system, &Start::at(start), &options).unwrap()
}

/// The slope of the error in the step size, over three step sizes.
fn observed_order(errors: &[f64; 3]) -> f64 {
    (errors[0] / errors[2]).log2() / 2.0
}

#[test]
fn solution_has_the_order_of_the_method() {
    for &method in Method::ALL {
        let errors = [0.1, 0.05, 0.025].map(|h| {
            let end = run(&forced(), exact(0.0), method, h, 2.0);
            (end.end_state()[0] - exact(2.0)[0]).hypot(end.end_state()[1] - exact(2.0)[1])
        });
        let order = observed_order(&errors);
        assert!(
            (order - f64::from(method.facts().order)).abs() < 0.2,
            "{}: order {order:.2} from {errors:?}",
            method.name()
        );
    }
}

/// The largest error inside one step from exact values shrinks like h^(dense order + 1).
#[test]
fn dense_output_has_its_order() {
    for &method in Method::ALL {
        let errors = [0.2, 0.1, 0.05].map(|h| {
            let one = run(&forced(), exact(0.0), method, h, h);
            let error = |k: u32| {
                let t = h * f64::from(k) / 20.0;
                let y = one.state_after(t).unwrap();
                (y[0] - exact(t)[0]).hypot(y[1] - exact(t)[1])
            };
            (1..20).map(error).fold(0.0, f64::max)
        });
        let order = observed_order(&errors) - 1.0;
        let expected = f64::from(method.facts().dense_order);
        assert!((order - expected).abs() < 0.25, "{}: dense order {order:.2} from {errors:?}", method.name());
    }
}

/// A mass that is thrown back by a wall: the closed form is |cos t| while the wall is at zero and restitution is one.
#[test]
fn order_is_kept_across_events() {
    for &method in Method::ALL {
        let errors = [0.08, 0.04, 0.02].map(|h| {
            let system = ClosureSystem::new(["x", "v"], |_, y, dy| {
                dy[0] = y[1];
                dy[1] = -y[0];
            })
            .guard(
                ClosureGuard::falling("wall", |_, y| y[0]).reset(|_, before, after| after[1] = -before[1]),
            );
            let end = run(&system, [1.0, 0.0], method, h, 20.0);
            assert_eq!(end.events.len(), 6);
            (end.end_state()[0] - 20.0_f64.cos().abs()).abs()
        });
        let order = observed_order(&errors);
        // The state at an event is one of dense output, whose local error counts once for each event.
        let facts = method.facts();
        let expected = facts.order.min(facts.dense_order + 1);
        assert!(order > f64::from(expected) - 0.5, "{}: order {order:.2} from {errors:?}", method.name());
    }
}
