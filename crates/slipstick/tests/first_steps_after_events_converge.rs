//! The first step after a contact has lifted, made again by an implicit method, was taken after one iteration: the rate of
//! its first attempt was trusted, although nothing was predicted. `radau5` was off by 7e-4 at a tolerance of 1e-8.

use slipstick::problems::{Entrant, contact_mechanisms};
use slipstick::simulate::simulate;

#[test]
fn errors_after_lifts_follow_the_tolerance() {
    let radau5 = Entrant::parse("radau5").expect("a method");
    let problems = contact_mechanisms();
    for problem in problems.iter().filter(|problem| problem.name.starts_with("bumpers")) {
        for tolerance in [1e-5, 1e-6, 1e-7, 1e-8] {
            let case = problem.case();
            let options = case.options_for(&radau5, tolerance);
            let entry = case.measure(&options, simulate(case.system, case.start, &options));
            let error = entry.error.unwrap_or(f64::NAN);
            assert!(
                error < 1e3 * tolerance,
                "{} {tolerance:e}: off by {error}, {:?}",
                problem.name,
                entry.failure
            );
        }
    }
}
