//! Stiff methods show their order on a smooth problem that is nonlinear and depends on time, in the solution and in dense output.

use slipstick::equations::ClosureSystem;
use slipstick::simulate::{Options, Start, simulate};
use slipstick::step::Method;
use slipstick::trajectory::Trajectory;

fn implicit() -> impl Iterator<Item = Method> {
    Method::ALL.iter().copied().filter(|method| method.facts().implicit && !method.facts().mechanisms_only)
}

/// x = 1 / (2 - sin t) and y = 1 / (3 - cos t).
fn system() -> ClosureSystem {
    ClosureSystem::new(["x", "y"], |t, y, dy| {
        dy[0] = y[0] * y[0] * t.cos();
        dy[1] = -y[1] * y[1] * t.sin();
    })
}

fn exact(t: f64) -> [f64; 2] {
    [1.0 / (2.0 - t.sin()), 1.0 / (3.0 - t.cos())]
}

fn run(method: Method, from: f64, h: f64, until: f64) -> Trajectory {
    let options = Options { method, ..Options::until(until).tolerances(1e-13, 1e-13) }.fixed_step(h);
    let start = Start { t: from, ..Start::at(exact(from)) };
    simulate(&system(), &start, &options).unwrap()
}

fn error_at(run: &Trajectory, t: f64) -> f64 {
    let y = run.state_after(t).unwrap().y;
    (y[0] - exact(t)[0]).hypot(y[1] - exact(t)[1])
}

#[test]
fn solution_of_a_nonlinear_problem_has_the_order_of_the_method() {
    for method in implicit() {
        let errors = [0.2, 0.1, 0.05].map(|h| error_at(&run(method, 0.0, h, 1.0), 1.0));
        let order = (errors[0] / errors[2]).log2() / 2.0;
        let expected = f64::from(method.facts().order);
        assert!((order - expected).abs() < 0.2, "{}: order {order:.2} from {errors:?}", method.name());
    }
}

#[test]
fn dense_output_within_a_step_has_the_order_that_is_stated() {
    for method in implicit() {
        let errors = [0.1, 0.05, 0.025].map(|h| {
            let one = run(method, 0.5, h, 0.5 + h);
            (1..20).map(|k| error_at(&one, 0.5 + h * f64::from(k) / 20.0)).fold(0.0, f64::max)
        });
        let order = (errors[0] / errors[2]).log2() / 2.0 - 1.0;
        let expected = f64::from(method.facts().dense_order);
        assert!((order - expected).abs() < 0.25, "{}: order {order:.2} from {errors:?}", method.name());
    }
}
