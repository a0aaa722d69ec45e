//! Every method solves every smooth problem to within its promise, at every tolerance, and a tighter tolerance is more accurate.

use slipstick::math::distance;
use slipstick::problems::smooth;
use slipstick::simulate::{Options, simulate};
use slipstick::step::Method;

#[test]
fn error_at_the_end_is_within_the_promise_and_follows_the_tolerance() {
    for &method in Method::ALL {
        for problem in smooth() {
            let mut last = f64::INFINITY;
            for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
                let options =
                    Options { method, ..Options::until(problem.until).tolerances(tolerance, tolerance) };
                let run = simulate(problem.system.as_ref(), &problem.start, &options).unwrap();
                let error = distance(run.end_state(), &problem.end);
                let what = format!("{} with {} at {tolerance:e}: {error:e}", problem.name, method.name());
                assert!(error <= problem.promise * tolerance, "{what}");
                assert!(error < last, "{what}, no better than {last:e}");
                last = error;
            }
        }
    }
}

#[test]
fn work_is_counted_in_full() {
    for problem in smooth() {
        let run = simulate(problem.system.as_ref(), &problem.start, &Options::until(problem.until)).unwrap();
        let s = &run.statistics;
        // Two for the first step size, one for the very first stage, six for every attempt.
        assert_eq!(s.derivatives, 6 * (s.accepted + s.rejected) + 3, "{}", problem.name);
    }
}
