//! `method = "auto"` needs at most 1.3 times the counted work of the best single method on four of five mechanisms, over all parts of the suite, and on the stiff ones alone. This is a part of the
//! suite, so that it is quick; `slipstick compare mechanisms` shows all of it.

use slipstick::problems::{Entrant, MechanismProblem, Profile, Set, mechanism_problems};
use slipstick::simulate::simulate;
use slipstick::step::Method;

const METHODS: [&str; 9] =
    ["auto", "hem5", "phem56", "mdop5", "tsit5", "dop853", "alpha2", "radau5", "radau5+ggl"];
const NEAR: f64 = 1.3;

/// A run solves its problem if its error is at most so many times its tolerance, as in the profiles of `slipstick compare`.
const SLACK: f64 = 1e3;

/// The work of each method that solves the problem.
fn work(problem: &MechanismProblem, tolerance: f64) -> Vec<Option<f64>> {
    let case = problem.case();
    let of = |name: &&str| {
        let entrant = Entrant::parse(name).expect("a method");
        let mut options = case.options_for(&entrant, tolerance);
        // Explicit methods on stiff mechanisms, and implicit ones on others, are far from the best and slow: not all of that is run.
        if options.method.facts().implicit && options.method != Method::Automatic && problem.set != Set::Stiff
        {
            return None;
        }
        options.limits.steps = 3000;
        let entry = case.measure(&options, simulate(case.system, case.start, &options));
        entry.error.filter(|error| *error <= SLACK * tolerance).map(|_| entry.work)
    };
    METHODS.iter().map(of).collect()
}

fn share_near(problems: &[&MechanismProblem], tolerance: f64) -> f64 {
    let needed: Vec<_> = problems.iter().map(|problem| work(problem, tolerance)).collect();
    Profile::of(METHODS.len(), &needed).share(0, NEAR)
}

#[test]
fn on_four_of_five_mechanisms() {
    let all = mechanism_problems();
    let every = |n: usize, set: Set| all.iter().filter(move |problem| problem.set == set).step_by(n);
    let stiff: Vec<_> = every(2, Set::Stiff).collect();
    let mut problems: Vec<_> = every(7, Set::Planar).collect();
    problems.extend(every(1, Set::FourBars).take(2));
    problems.extend(&stiff);
    for tolerance in [1e-3, 1e-4, 1e-6, 1e-8] {
        let share = share_near(&problems, tolerance);
        assert!(share >= 0.8, "{share} of {} at {tolerance:e}", problems.len());
        let share = share_near(&stiff, tolerance);
        assert!(share >= 0.8, "{share} of {} stiff ones at {tolerance:e}", stiff.len());
    }
}
