//! The suite `unilateral`: mechanisms with stops, strings, floors and walls, with every candidate at every of
//! its settings, and profiles of their work at equal errors.

use super::super::Finish;
use super::super::compare::{curves, table};
use super::constrained::{heading, line};
use super::{SuiteErrors, SuiteRow, SuiteWork};
use crate::talk::data;
use slipstick::problems::{
    Candidate, Entry, MechanismProblem, Setting, UNILATERAL, WorkAndError, contact_candidates,
    contact_mechanisms, profile_at_error,
};
use std::time::Instant;

/// How many times the tolerance an error at the end may be: hits magnify small errors.
const PROMISED: f64 = 1e4;

/// The errors at which work is compared.
const ERRORS: [f64; 3] = [1e-3, 1e-5, 1e-7];

/// Runs the suite and prints its rows, then the profiles.
pub(super) fn run(json: bool) -> Finish {
    if !json {
        data(heading());
    }
    let (candidates, mut all_ok, mut runs) = (contact_candidates(), true, Vec::new());
    for problem in contact_mechanisms() {
        let of_candidate = |candidate: &Candidate| -> WorkAndError {
            let rows = candidate.settings.iter().filter_map(|setting| {
                let (row, pair) = measure(&problem, candidate, *setting);
                all_ok &= row.ok;
                data(if json { serde_json::to_string(&row).unwrap_or_default() } else { line(&row) });
                pair
            });
            rows.collect()
        };
        runs.push(candidates.iter().map(of_candidate).collect::<Vec<_>>());
    }
    let names: Vec<String> = candidates.iter().map(|candidate| candidate.name.to_owned()).collect();
    for error in ERRORS {
        let profile = profile_at_error(error, names.len(), &runs);
        let lines = if json {
            curves(("error", error), &names, &profile)
        } else {
            table(&format!("work for an error of {error:e}"), &names, &profile)
        };
        lines.into_iter().for_each(data);
    }
    Finish::done_if(all_ok)
}

/// A row, with its work and error if it came to its end.
fn measure(
    problem: &MechanismProblem,
    candidate: &Candidate,
    setting: Setting,
) -> (SuiteRow, Option<(f64, f64)>) {
    let start = Instant::now();
    let entry = candidate.run(problem, setting);
    let wall_s = start.elapsed().as_secs_f64();
    let pair = entry.error.map(|error| (entry.work, error));
    let tolerance = match setting {
        Setting::Tolerance(tolerance) => Some(tolerance),
        Setting::Step(_) => None,
    };
    let is_close =
        |error: f64| tolerance.map_or(error.is_finite(), |tolerance| error <= PROMISED * tolerance);
    let row = SuiteRow {
        suite: UNILATERAL.0,
        problem: problem.name.clone(),
        method: Some(candidate.name),
        tolerance,
        ok: entry.error.is_some_and(is_close),
        wall_s: Some(wall_s),
        note: Some(note(setting, &entry)),
        errors: SuiteErrors {
            events_found: Some(entry.statistics.events),
            err_end: entry.error,
            drift_position: entry.joints.and_then(|joints| joints.position).map(|opening| opening.value),
            drift_velocity: entry.joints.map(|joints| joints.velocity.value),
            ..Default::default()
        },
        work: work(&entry),
        ..SuiteRow::default()
    };
    (row, pair)
}

fn work(entry: &Entry) -> SuiteWork {
    let s = &entry.statistics;
    SuiteWork {
        rhs: Some(s.derivatives),
        guard: Some(s.guards),
        jacobian: Some(s.jacobians),
        factor: Some(s.factorisations + s.motion_factorisations),
        accepted: Some(s.accepted),
        rejected: Some(s.rejected),
        ..Default::default()
    }
}

/// The step if there is one, the work, the events, and why the run failed if it did.
fn note(setting: Setting, entry: &Entry) -> String {
    let step = match setting {
        Setting::Tolerance(_) => None,
        Setting::Step(step) => Some(format!("step {step:e}")),
    };
    let counted = format!("work {:.2e}, {} events", entry.work, entry.statistics.events);
    let parts: Vec<String> = step.into_iter().chain([counted]).chain(entry.failure.clone()).collect();
    parts.join("; ")
}
