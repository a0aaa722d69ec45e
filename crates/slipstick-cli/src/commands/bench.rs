//! `slipstick bench`: runs of known problems against their truth. Work and error are stated together.
//!
//! Field names are the same in every suite and stable; a field that does not apply is null.

use super::Finish;
use crate::arguments::BenchArguments;
use crate::model_file::suggestion;
use crate::talk::{Trouble, data};
use serde::Serialize;
use slipstick::problems::{self, Problem, tolerances_for};
use slipstick::simulate::simulate;
use slipstick::step::{Method, MethodDescriptor};
use std::time::Instant;

mod constrained;
mod contact;
mod events;
mod fingerprint;
mod formulas;
mod mechanisms;
mod metamorphic;
mod sliding;
mod unilateral;

/// One row of a suite.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct SuiteRow {
    suite: &'static str,
    problem: String,
    method: Option<&'static str>,
    formulation: Option<String>,
    tolerance: Option<f64>,
    /// Every promise for this row holds.
    ok: bool,
    #[serde(flatten)]
    errors: SuiteErrors,
    #[serde(flatten)]
    work: SuiteWork,
    wall_s: Option<f64>,
    note: Option<String>,
}

/// How far a run is from the truth: events, states, constraints, energy.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct SuiteErrors {
    events_found: Option<u64>,
    events_expected: Option<u64>,
    err_time: Option<f64>,
    err_event_state: Option<f64>,
    err_end: Option<f64>,
    drift_position: Option<f64>,
    drift_velocity: Option<f64>,
    energy_error: Option<f64>,
}

/// What a run has cost.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct SuiteWork {
    #[serde(rename = "n_rhs")]
    rhs: Option<u64>,
    #[serde(rename = "n_guard")]
    guard: Option<u64>,
    #[serde(rename = "n_jacobian")]
    jacobian: Option<u64>,
    #[serde(rename = "n_factor")]
    factor: Option<u64>,
    #[serde(rename = "n_accepted")]
    accepted: Option<u64>,
    #[serde(rename = "n_rejected")]
    rejected: Option<u64>,
    #[serde(rename = "n_accepted_sliding")]
    accepted_sliding: Option<u64>,
    #[serde(rename = "n_rejected_sliding")]
    rejected_sliding: Option<u64>,
}

/// Every suite: its name and what it is about.
fn suites() -> impl Iterator<Item = (&'static str, &'static str)> {
    problems::SUITES.iter().copied().chain([
        problems::EVENTS,
        problems::SLIDING,
        problems::CONSTRAINED,
        problems::CONTACT,
        problems::MECHANISMS,
        problems::UNILATERAL,
        metamorphic::SUITE,
        formulas::SUITE,
        problems::FINGERPRINT,
    ])
}

/// Lists the suites, or runs one.
pub(crate) fn bench(arguments: &BenchArguments, json: bool) -> Result<Finish, Trouble> {
    let Some(name) = arguments.suite.as_deref().filter(|_| !arguments.list) else {
        for (name, about) in suites() {
            if json {
                data(serde_json::json!({ "suite": name, "about": about }));
            } else {
                data(format!("{name:<12} {about}"));
            }
        }
        return Ok(Finish::Done);
    };
    let Some((name, _)) = suites().find(|(n, _)| *n == name) else {
        let hint = suggestion(name, suites().map(|(n, _)| n));
        return Err(Trouble::new("unknown-name", format!("there is no suite `{name}`"), hint));
    };
    if name == metamorphic::SUITE.0 {
        return metamorphic::campaign(arguments, json);
    }
    if name == problems::FINGERPRINT.0 {
        return fingerprint::fingerprint(&arguments.fingerprint, json);
    }
    if name == problems::UNILATERAL.0 {
        return Ok(unilateral::run(json));
    }
    Ok(run_suite(name, json))
}

/// Runs a suite and prints its rows.
fn run_suite(name: &'static str, json: bool) -> Finish {
    let (has_events, slides) = (name == problems::EVENTS.0, name == problems::SLIDING.0);
    let touches = name == problems::CONTACT.0;
    let (is_constrained, is_mechanisms) = (name == problems::CONSTRAINED.0, name == problems::MECHANISMS.0);
    let rows: Box<dyn Iterator<Item = SuiteRow>> = match problems::suite(name) {
        Some(problems) => Box::new(problems.into_iter().flat_map(move |problem| rows_of(name, &problem))),
        None if has_events => Box::new(events::rows()),
        None if slides => Box::new(sliding::rows()),
        None if is_constrained => Box::new(constrained::rows()),
        None if touches => Box::new(contact::rows()),
        None if is_mechanisms => Box::new(mechanisms::rows()),
        None => Box::new(formulas::rows().into_iter()),
    };
    if !json {
        data(match name {
            _ if has_events => events::heading(),
            _ if slides => sliding::heading(),
            _ if touches => contact::heading(),
            _ if is_constrained || is_mechanisms => constrained::heading(),
            _ => heading(),
        });
    }
    let mut all_ok = true;
    for row in rows {
        all_ok &= row.ok;
        data(match json {
            true => serde_json::to_string(&row).unwrap_or_default(),
            false if has_events => events::line(&row),
            false if slides => sliding::line(&row),
            false if touches => contact::line(&row),
            false if is_constrained || is_mechanisms => constrained::line(&row),
            false => line(&row),
        });
    }
    Finish::done_if(all_ok)
}

/// Whether a suite runs a method: an explicit one would only show how stiff the stiff problems are, and some
/// methods are for mechanisms.
fn suits(suite: &str, facts: &MethodDescriptor) -> bool {
    facts.error_order.is_some() && !facts.mechanisms_only && (facts.implicit || suite != "stiff")
}

/// Every adaptive method that suits on a problem at every tolerance that suits it.
fn rows_of(suite: &'static str, problem: &Problem) -> Vec<SuiteRow> {
    let methods = Method::named().filter(|method| suits(suite, method.facts()));
    let cases = methods.flat_map(|m| tolerances_for(m).iter().map(move |tolerance| (m, *tolerance)));
    cases.map(|(method, tolerance)| row(suite, problem, method, tolerance)).collect()
}

fn row(suite: &'static str, problem: &Problem, method: Method, tolerance: f64) -> SuiteRow {
    let mut options = problem.options(tolerance);
    options.method = method;
    let start = Instant::now();
    let result = simulate(problem.system.as_ref(), &problem.start, &options);
    let wall_s = start.elapsed().as_secs_f64();
    let (trajectory, note) = match result {
        Ok(trajectory) => (trajectory, None),
        Err(failure) => (failure.trajectory, Some(failure.error.to_string())),
    };
    let end = problem.error(trajectory.end_state());
    let energy = problem.invariant.map(|f| {
        let first = f(&problem.start.y);
        let worst = trajectory.segments.iter().flat_map(|s| s.steps().iter().map(|step| f(&s.state(step.t))));
        worst.chain([f(trajectory.end_state())]).map(|e| (e - first).abs()).fold(0.0, f64::max)
    });
    let s = &trajectory.statistics;
    SuiteRow {
        suite,
        problem: problem.name.to_owned(),
        method: Some(method.name()),
        formulation: Some("ode".to_owned()),
        tolerance: Some(tolerance),
        ok: note.is_none()
            && trajectory.outcome.is_complete()
            && end <= problem.promised_error(method, tolerance),
        wall_s: Some(wall_s),
        note,
        errors: SuiteErrors {
            events_found: Some(s.events),
            events_expected: Some(0),
            err_end: Some(end),
            energy_error: energy,
            ..Default::default()
        },
        work: SuiteWork {
            rhs: Some(s.derivatives),
            guard: Some(s.guards),
            jacobian: Some(s.jacobians),
            factor: Some(s.factorisations),
            accepted: Some(s.accepted),
            rejected: Some(s.rejected),
            ..Default::default()
        },
    }
}

fn heading() -> String {
    format!(
        "{:<22} {:<10} {:>9} {:>3} {:>10} {:>10} {:>9} {:>9} {:>9} {:>10}  note",
        "problem",
        "method",
        "tolerance",
        "ok",
        "err_end",
        "energy",
        "n_rhs",
        "accepted",
        "rejected",
        "wall_s"
    )
}

fn line(row: &SuiteRow) -> String {
    let text = format!(
        "{:<22} {:<10} {:>9} {:>3} {:>10} {:>10} {:>9} {:>9} {:>9} {:>10}  {}",
        row.problem,
        row.method.unwrap_or("-"),
        row.tolerance.map_or_else(|| "-".to_owned(), |t| format!("{t:e}")),
        if row.ok { "yes" } else { "NO" },
        float(row.errors.err_end),
        float(row.errors.energy_error),
        whole(row.work.rhs),
        whole(row.work.accepted),
        whole(row.work.rejected),
        float(row.wall_s),
        row.note.as_deref().unwrap_or("")
    );
    text.trim_end().to_owned()
}

fn float(x: Option<f64>) -> String {
    x.map_or_else(|| "-".to_owned(), |x| format!("{x:.2e}"))
}

fn whole(x: Option<u64>) -> String {
    x.map_or_else(|| "-".to_owned(), |x| x.to_string())
}
