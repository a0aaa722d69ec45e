//! The suite `mechanisms`: half-explicit methods and `mdop5` on every mechanism that is not stiff, implicit
//! ones on those that are, against their truths.

use super::{SuiteErrors, SuiteRow, SuiteWork};
use crate::commands::check::count;
use slipstick::problems::{
    Case, Counts, Entrant, Entry, MECHANISMS, MechanismProblem, Set, formulation, mechanism_problems,
};
use slipstick::simulate::simulate;
use slipstick::step::Method;
use std::time::Instant;

/// All of them run at this tolerance, but for generalized-α on rows of four-bars: at tighter ones it stumbles
/// over their singular position.
const TOLERANCE: f64 = 1e-6;
const LOOSE: f64 = 1e-4;

/// How many times the tolerance an error at the end may be: some magnify small errors, and the order of what
/// an estimate controls is one less than that of the result.
const PROMISED: f64 = 1e3;

/// The rows, each measured when it is asked for.
pub(super) fn rows() -> impl Iterator<Item = SuiteRow> {
    mechanism_problems()
        .into_iter()
        .filter(|problem| problem.set != Set::Classic || problem.counts.is_some())
        .flat_map(|problem| {
            let entrants = entrants(problem.set).iter().filter_map(|name| Entrant::parse(name).ok());
            entrants.map(|entrant| row(&problem, &entrant)).collect::<Vec<_>>()
        })
}

fn entrants(set: Set) -> &'static [&'static str] {
    match set {
        Set::Classic | Set::Planar => &["hem5", "phem56", "mdop5"],
        Set::FourBars => &["hem5", "phem56", "mdop5", "dop853", "alpha"],
        Set::Stiff => &["auto", "radau5", "alpha"],
        Set::Unilateral => &["dopri5", "dop853", "hem5"],
    }
}

fn row(problem: &MechanismProblem, entrant: &Entrant) -> SuiteRow {
    let case = problem.case();
    let tolerance = tolerance(problem.set, entrant);
    let options = case.options_for(entrant, tolerance);
    let start = Instant::now();
    let result = simulate(case.system, case.start, &options);
    let wall_s = start.elapsed().as_secs_f64();
    let entry = case.measure(&options, result);
    SuiteRow {
        suite: MECHANISMS.0,
        method: Some(options.method.name()),
        formulation: Some(formulation(&options)),
        tolerance: Some(tolerance),
        ok: entry.error.is_some_and(|error| error <= PROMISED * tolerance),
        wall_s: Some(wall_s),
        note: Some(note(problem.counts, &entry)),
        ..measured(&case, &entry)
    }
}

fn tolerance(set: Set, entrant: &Entrant) -> f64 {
    if set == Set::FourBars && entrant.method == Method::GeneralizedAlpha { LOOSE } else { TOLERANCE }
}

fn measured(case: &Case<'_>, entry: &Entry) -> SuiteRow {
    let s = &entry.statistics;
    SuiteRow {
        problem: case.name.clone(),
        errors: SuiteErrors {
            err_end: entry.error,
            drift_position: entry.joints.and_then(|joints| joints.position).map(|opening| opening.value),
            drift_velocity: entry.joints.map(|joints| joints.velocity.value),
            ..Default::default()
        },
        work: SuiteWork {
            rhs: Some(s.derivatives),
            jacobian: Some(s.jacobians),
            factor: Some(s.factorisations + s.motion_factorisations),
            accepted: Some(s.accepted),
            rejected: Some(s.rejected),
            ..Default::default()
        },
        ..SuiteRow::default()
    }
}

/// How large the mechanism is, and why the run failed if it did.
fn note(counts: Option<Counts>, entry: &Entry) -> String {
    let size = counts
        .map(|c| format!("{} DOF, {}, {} redundant", c.freedoms, count(c.joints, "joint"), c.redundant));
    let parts: Vec<String> = size.into_iter().chain(entry.failure.clone()).collect();
    parts.join("; ")
}
