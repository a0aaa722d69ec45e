//! Problems with contacts, with every method: the same events in the same order, at the right times, with the
//! right states and forces. One table; a method that does not take a problem says why.

use slipstick::problems::{ContactProblem, contact_methods, contact_problems, more_contact_problems};
use slipstick::simulate::simulate;

/// The tightest tolerance: times to 1e-9, forces to 1e-8.
const TIGHT: f64 = 1e-10;

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

fn assert_right(problems: &[ContactProblem], tolerance: f64) {
    let wrong = wrong_rows(problems, tolerance);
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_method_finds_every_event() {
    assert_right(&contact_problems(), TIGHT);
}

#[test]
fn errors_follow_the_tolerance() {
    for tolerance in [1e-4, 1e-6, 1e-8] {
        assert_right(&contact_problems(), tolerance);
    }
}

#[test]
fn more_problems_come_to_their_end() {
    assert_right(&more_contact_problems(), TIGHT);
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
