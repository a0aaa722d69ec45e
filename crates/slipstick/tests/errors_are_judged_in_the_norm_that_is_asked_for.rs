//! `norm = "worst"` looks at the worst state, `norm = "mean"` at the root mean square of all: one state that moves among many that do not may then
//! have an error that is larger by the root of their number.

use slipstick::equations::ClosureSystem;
use slipstick::math::Norm;
use slipstick::simulate::{Options, Start, simulate};
use slipstick::step::Method;

/// Steps taken over an oscillator beside 98 states at rest.
fn steps(method: Method, norm: Option<Norm>) -> u64 {
    let system = ClosureSystem::new((0..100).map(|i| format!("y{i}")), |_, y, dy| {
        dy.fill(0.0);
        (dy[0], dy[1]) = (y[1], -y[0]);
    });
    let mut start = vec![0.0; 100];
    start[0] = 1.0;
    let mut options = Options { method, ..Options::until(20.0).tolerances(1e-6, 1e-6) };
    options.tolerances.norm = norm;
    simulate(&system, &Start::at(start), &options).unwrap().statistics.accepted
}

#[test]
fn the_mean_over_many_states_at_rest_allows_longer_steps() {
    for method in
        Method::ALL.iter().copied().filter(|m| m.facts().error_order.is_some() && !m.facts().mechanisms_only)
    {
        let (worst, mean) = (steps(method, Some(Norm::Worst)), steps(method, Some(Norm::Mean)));
        assert!(mean < worst, "{}: {mean} against {worst}", method.name());
        let usual = if method.facts().implicit { mean } else { worst };
        assert_eq!(steps(method, None), usual, "{}", method.name());
    }
}
