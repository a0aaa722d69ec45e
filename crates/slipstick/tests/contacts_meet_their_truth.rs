//! Problems with contacts, with every method: the same events in the same order, at the right times, with the
//! right states and forces. One table; a method that does not take a problem says why.

use slipstick::problems::{ContactProblem, contact_methods, contact_problems, more_contact_problems};
use slipstick::simulate::{Options, simulate};
use slipstick::step::Method;
use slipstick::trajectory::Event;

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

fn more(name: &str) -> ContactProblem {
    more_contact_problems().into_iter().find(|problem| problem.name == name).unwrap()
}

/// A tick is the lift of a tooth from a pallet.
#[test]
fn a_verge_ticks_with_a_constant_period() {
    let verge = more("verge");
    for (method, close) in [(Method::DormandPrince8, 1e-9), (Method::HalfExplicit5, 1e-8)] {
        let options = Options { method, ..Options::until(4.0).tolerances(1e-10, 1e-12) };
        let run = simulate(&verge.plan.system, &verge.plan.start, &options).unwrap();
        let is_lift = |name: &str| name.rsplit_once('.').is_some_and(|(_, change)| change == "lift");
        let lifts =
            run.events.iter().filter(|event| event.guards.iter().any(|&g| is_lift(&run.guard_names[g])));
        let ticks: Vec<f64> = lifts.map(|event| event.t).collect();
        let periods: Vec<f64> = ticks.windows(2).skip(12).map(|pair| pair[1] - pair[0]).collect();
        assert!(ticks.len() == 23 && periods.len() == 10, "{ticks:?}");
        assert!(periods.iter().all(|period| (period - periods[9]).abs() < close), "{periods:?}");
    }
}

/// Each hit keeps to the restitution and to the friction of Smith: `p_t = -μ p_n (|a| a + |b| b)/(a² + b²)`.
#[test]
fn hits_of_a_conveyor_keep_to_their_law() {
    let conveyor = more("double-pendulum-conveyor");
    let run = simulate(&conveyor.plan.system, &conveyor.plan.start, &conveyor.plan.options).unwrap();
    let hits: Vec<_> = run.events.iter().flat_map(Event::impacts).flat_map(|impact| &impact.hits).collect();
    assert_eq!(hits.len(), 3);
    for (hit, (restitution, friction)) in hits.into_iter().zip([(0.9, 0.4), (0.9, 0.4), (0.0, 0.2)]) {
        let ((a, b), (normal, tangent)) = (hit.slip, hit.impulse);
        assert!((hit.gap.1 + restitution * hit.gap.0).abs() < 1e-12, "{hit:?}");
        let part = (a.abs() * a + b.abs() * b) / (a * a + b * b);
        assert!((tangent + friction * normal * part).abs() < 1e-12, "{hit:?}");
    }
}
