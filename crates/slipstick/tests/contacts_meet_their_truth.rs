//! Problems with contacts, with every method: the same events in the same order, at the right times, with the
//! right states and forces. One table; a method that does not take a problem says why.

use slipstick::problems::{ContactProblem, contact_methods, contact_problems, more_contact_problems};
use slipstick::simulate::simulate;

/// The tightest tolerance: times to 1e-9, forces to 1e-8.
const TIGHT: f64 = 1e-10;

/// What is known to be wrong, and why.
const STILL_WRONG: &[(&str, &str)] = &[
    ("cradle-moreau", "a closed contact without force opens or not by the rounding of coordinates"),
    ("cradle-poisson", "a closed contact without force opens or not by the rounding of coordinates"),
];

/// The rows of the table at a tolerance that do not hold.
fn wrong_rows(problems: &[ContactProblem], tolerance: f64) -> Vec<String> {
    let mut wrong = Vec::new();
    for problem in problems {
        for with in contact_methods() {
            let mut measured = problem.measure(&with, tolerance);
            measured.check(&with, tolerance);
            if !measured.is_ok() {
                let (name, method) = (problem.name, with.name);
                wrong.push(format!("{name} {method} {tolerance:e}: {:?}", measured.complaints));
            }
        }
    }
    wrong
}

fn is_still_wrong(problem: &ContactProblem) -> bool {
    STILL_WRONG.iter().any(|(name, _)| *name == problem.name)
}

fn assert_right(problems: impl Iterator<Item = ContactProblem>, tolerance: f64) {
    let problems: Vec<ContactProblem> = problems.filter(|problem| !is_still_wrong(problem)).collect();
    let wrong = wrong_rows(&problems, tolerance);
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_method_finds_every_event() {
    assert_right(contact_problems().into_iter(), TIGHT);
}

#[test]
fn errors_follow_the_tolerance() {
    for tolerance in [1e-4, 1e-6, 1e-8] {
        assert_right(contact_problems().into_iter(), tolerance);
    }
}

#[test]
fn more_problems_come_to_their_end() {
    assert_right(more_contact_problems().into_iter(), TIGHT);
}

/// A row that has become right is taken from the list.
#[test]
fn what_is_still_wrong_is_wrong() {
    let all: Vec<ContactProblem> = contact_problems().into_iter().chain(more_contact_problems()).collect();
    for (name, why) in STILL_WRONG {
        let problem = all.iter().find(|problem| problem.name == *name).expect("a problem of this name");
        assert!(!wrong_rows(std::slice::from_ref(problem), TIGHT).is_empty(), "{name} is right: not {why}");
    }
}

/// The woodpecker toy of Glocker: one hit of the beak in each period, of about 0.146 s.
#[test]
fn a_woodpecker_hits_with_its_beak_once_in_a_period() {
    let toy = more_contact_problems().into_iter().find(|problem| problem.name == "woodpecker").unwrap();
    let run = simulate(&toy.plan.system, &toy.plan.start, &toy.plan.options).unwrap();
    let hits: Vec<f64> = run.event_times("contact.beak.hit").collect();
    assert_eq!(hits.len(), 4, "{hits:?}");
    assert!(hits.windows(2).all(|pair| (pair[1] - pair[0] - 0.146).abs() < 1e-3), "{hits:?}");
    let all: Vec<f64> = run.events.iter().map(|event| event.t).collect();
    assert_eq!(all.len(), 36, "nine events in a period");
}
