//! The family of mechanisms with stops, strings, floors and walls: its truths by two methods, what it is made of, and
//! a part of its table.

use slipstick::problems::{
    Candidate, MechanismProblem, Setting, WorkAndError, contact_candidates, contact_mechanisms,
    profile_at_error,
};
use slipstick::simulate::{Options, simulate};
use slipstick::step::Method;
use slipstick::trajectory::Trajectory;

fn run(problem: &MechanismProblem, method: Method, tolerance: f64) -> Trajectory {
    let options = Options { method, ..problem.options.clone() }.tolerances(tolerance, tolerance / 10.0);
    simulate(problem.system.as_ref(), &problem.start, &options)
        .unwrap_or_else(|failure| panic!("{} with {}: {}", problem.name, method.name(), failure.error))
}

/// What becomes of contacts, in order, but for hits, of which any number may come before a limit. Of what happens to one
/// at an instant the last counts: where a contact lifts, what rounding leaves of its speed may let it hit and rest
/// before it does.
fn happens(run: &Trajectory) -> Vec<&str> {
    let mut all: Vec<&str> = Vec::new();
    for event in &run.events {
        let first = all.len();
        let names = event.guards.iter().map(|&g| run.guard_names[g].as_str());
        let is_hit = |name: &str| name.rsplit_once('.').is_some_and(|(_, change)| change == "hit");
        for name in names.filter(|name| !is_hit(name)) {
            let contact = |name: &str| name.rsplit_once('.').map(|(contact, _)| contact.to_owned());
            let before = all[first..].iter().position(|other| contact(other) == contact(name));
            match before {
                Some(place) => all[first + place] = name,
                None => all.push(name),
            }
        }
    }
    all
}

/// Both sides of the table of truths: what two methods find is the same.
#[test]
fn two_methods_agree_on_what_happens() {
    for problem in contact_mechanisms() {
        let [a, b] =
            [Method::DormandPrince8, Method::HalfExplicit5].map(|method| run(&problem, method, 1e-10));
        assert_eq!(happens(&a), happens(&b), "{}", problem.name);
        assert!(!a.events.is_empty(), "{}", problem.name);
    }
}

/// The lines of `contact-truths.txt` are what this prints.
#[test]
#[ignore = "makes the truths again, which takes a while"]
fn truths() {
    for problem in contact_mechanisms() {
        let attempt = |method| {
            let options = Options { method, ..problem.options.clone() }.tolerances(1e-12, 1e-13);
            simulate(problem.system.as_ref(), &problem.start, &options)
        };
        let runs = [attempt(Method::DormandPrince8), attempt(Method::HalfExplicit5)];
        let [a, b] = match runs {
            [Ok(a), Ok(b)] => [a, b],
            failed => {
                let why: Vec<String> =
                    failed.into_iter().filter_map(|run| Some(run.err()?.error.to_string())).collect();
                eprintln!("{}: {why:?}", problem.name);
                continue;
            }
        };
        let n = problem.start.y.len() / 2;
        let pairs = a.end_state()[..n].iter().zip(&b.end_state()[..n]);
        let apart = pairs.fold(0.0_f64, |worst, (x, y)| worst.max((x - y).abs() / x.abs().max(1.0)));
        let (same, steps) = (happens(&a) == happens(&b), a.statistics.accepted);
        eprintln!(
            "{}: {} {} events, same {same}, {steps} steps, {apart:.1e}",
            problem.name,
            a.events.len(),
            b.events.len()
        );
        let words: Vec<String> = a.end_state()[..n].iter().map(|x| format!("{x:.13e}")).collect();
        println!("{} {:.1e} {}", problem.name, apart.max(1e-13), words.join(" "));
    }
}

/// The truths were made with `dop853` and `hem5`; these are others.
#[test]
fn truths_are_met_by_other_methods() {
    for problem in contact_mechanisms() {
        assert!(!problem.end.is_empty() && problem.uncertainty < 1e-10, "{}", problem.name);
        for method in [Method::DormandPrince5, Method::PartitionedHalfExplicit5] {
            let error = problem.error(run(&problem, method, 1e-9).end_state());
            assert!(error < 1e-6, "{} with {}: {error:e}", problem.name, method.name());
        }
    }
}

/// A small part of `slipstick bench unilateral`: every candidate that finds events solves every problem, and has its joints
/// shut. Time stepping is of first order.
#[test]
fn candidates_solve_problems_at_equal_errors() {
    let (candidates, parts) =
        (contact_candidates(), ["stopped-chain-2", "hammer-3", "strings-1", "bumpers-1"]);
    let of_candidate = |problem: &MechanismProblem, candidate: &Candidate| -> WorkAndError {
        let run = |setting: &Setting| {
            let entry = candidate.run(problem, *setting);
            let open = entry.joints.and_then(|joints| joints.position).map_or(0.0, |opening| opening.value);
            assert!(open < 1e-8, "{} with {}: {open}", problem.name, candidate.name);
            Some((entry.work, entry.error?))
        };
        candidate.settings[..3].iter().filter_map(run).collect()
    };
    let problems: Vec<_> =
        contact_mechanisms().into_iter().filter(|problem| parts.contains(&problem.name.as_str())).collect();
    let row = |problem: &MechanismProblem| -> Vec<WorkAndError> {
        candidates.iter().map(|candidate| of_candidate(problem, candidate)).collect()
    };
    let profile = profile_at_error(1e-4, candidates.len(), &problems.iter().map(row).collect::<Vec<_>>());
    let finds_events = |candidate: &Candidate| matches!(candidate.settings[0], Setting::Tolerance(_));
    for (k, candidate) in candidates.iter().enumerate().filter(|(_, candidate)| finds_events(candidate)) {
        assert_eq!(profile.solved(k), 1.0, "{}", candidate.name);
    }
}
