//! The suite `contact`: mechanisms that hit, rest, stick, slip and lift against the truth about them.

use super::{SuiteErrors, SuiteRow, SuiteWork, float, whole};
use slipstick::problems::{
    CONTACT, ContactMethod, ContactProblem, MeasuredContact, contact_methods, contact_problems,
    dense_contact_problems, formulation, more_contact_problems,
};
use std::time::Instant;

/// The tolerances of the rows.
const TOLERANCES: [f64; 2] = [1e-6, 1e-10];

/// The rows, each measured when it is asked for. A method that does not take a problem has none.
pub(super) fn rows() -> impl Iterator<Item = SuiteRow> {
    let problems = contact_problems().into_iter().chain(more_contact_problems());
    let dense = dense_contact_problems().into_iter().filter_map(|problem| {
        let usual = contact_methods().into_iter().next()?;
        row(&problem, &usual, TOLERANCES[0])
    });
    let located = problems.flat_map(|problem| {
        let cases =
            contact_methods().into_iter().flat_map(|with| TOLERANCES.map(|tolerance| (with, tolerance)));
        cases.filter_map(move |(with, tolerance)| row(&problem, &with, tolerance))
    });
    located.chain(dense)
}

fn row(problem: &ContactProblem, with: &ContactMethod, tolerance: f64) -> Option<SuiteRow> {
    let start = Instant::now();
    let mut measured = problem.measure(with, tolerance);
    let wall_s = start.elapsed().as_secs_f64();
    measured.check(with, tolerance);
    let row = SuiteRow {
        suite: CONTACT.0,
        problem: problem.name.to_owned(),
        method: Some(with.method.name()),
        formulation: Some(formulation(&with.options(problem, tolerance))),
        tolerance: Some(tolerance),
        ok: measured.is_ok(),
        wall_s: Some(wall_s),
        note: (!measured.is_ok()).then(|| measured.complaints.join("; ")),
        errors: errors(&measured),
        work: work(&measured),
    };
    measured.refusal.is_none().then_some(row)
}

fn errors(measured: &MeasuredContact) -> SuiteErrors {
    let known = [measured.state_error, measured.force_error].into_iter().flatten();
    SuiteErrors {
        events_found: Some(measured.found),
        events_expected: measured.expected,
        err_time: measured.time_error,
        err_event_state: known.reduce(f64::max),
        ..Default::default()
    }
}

fn work(measured: &MeasuredContact) -> SuiteWork {
    let s = &measured.statistics;
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

/// The names of the columns of [`line`].
pub(super) fn heading() -> String {
    let names = ["events", "expected", "err_time", "err_state", "n_rhs", "n_guard", "steps", "wall_s"];
    let columns = names.map(|name| format!("{name:>9}")).join(" ");
    format!(
        "{:<24} {:<6} {:<14} {:>9} {:>3} {columns}  note",
        "problem", "method", "formulation", "tolerance", "ok"
    )
}

/// A row as a line of text. Events that are expected do not count all hits before a limit. Steps are those
/// taken and, behind the plus, those rejected.
pub(super) fn line(row: &SuiteRow) -> String {
    let columns = [
        whole(row.errors.events_found),
        whole(row.errors.events_expected),
        float(row.errors.err_time),
        float(row.errors.err_event_state),
        whole(row.work.rhs),
        whole(row.work.guard),
        format!("{}+{}", whole(row.work.accepted), whole(row.work.rejected)),
        float(row.wall_s),
    ];
    let columns = columns.map(|text| format!("{text:>9}")).join(" ");
    let (problem, method) = (&row.problem, row.method.unwrap_or("-"));
    let formulation = row.formulation.as_deref().unwrap_or("-");
    let tolerance = row.tolerance.map_or_else(|| "-".to_owned(), |t| format!("{t:e}"));
    let ok = if row.ok { "yes" } else { "NO" };
    let note = row.note.as_deref().unwrap_or("");
    let text =
        format!("{problem:<24} {method:<6} {formulation:<14} {tolerance:>9} {ok:>3} {columns}  {note}");
    text.trim_end().to_owned()
}
