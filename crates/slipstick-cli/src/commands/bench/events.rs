//! The suite `events`: problems with events against the truth about them.

use super::{SuiteErrors, SuiteRow, SuiteWork, float, whole};
use slipstick::problems::{EVENTS, EventProblem, Measured, events};
use std::time::Instant;

/// The rows, each measured when it is asked for.
pub(super) fn rows() -> impl Iterator<Item = SuiteRow> {
    let mut earlier = Vec::new();
    events().into_iter().map(move |problem| {
        let start = Instant::now();
        let measured = problem.measure(&earlier);
        let row = row(&problem, &measured, start.elapsed().as_secs_f64());
        earlier.push(measured);
        row
    })
}

pub(super) fn row(problem: &EventProblem, measured: &Measured, wall_s: f64) -> SuiteRow {
    let s = &measured.statistics;
    SuiteRow {
        suite: EVENTS.0,
        problem: measured.name.clone(),
        method: Some(problem.method_name()),
        formulation: Some("ode".to_owned()),
        tolerance: Some(measured.tolerance),
        ok: measured.is_ok(),
        wall_s: Some(wall_s),
        note: note(measured),
        errors: SuiteErrors {
            events_found: Some(measured.found),
            events_expected: measured.expected,
            err_time: measured.time_error,
            err_event_state: measured.state_error,
            err_end: measured.end_error,
            energy_error: measured.drift,
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

/// What does not hold, then how the row compares with another.
fn note(measured: &Measured) -> Option<String> {
    let parts: Vec<_> = measured.complaints.iter().chain(&measured.remarks).cloned().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The names of the columns of [`line`].
pub(super) fn heading() -> String {
    let names = ["events", "expected", "err_time", "err_end", "energy", "n_rhs", "n_guard", "wall_s"];
    let columns = names.map(|name| format!("{name:>9}")).join(" ");
    format!("{:<23} {:<6} {:>9} {:>3} {columns}  note", "problem", "method", "tolerance", "ok")
}

/// A row as a line of text, with the columns that matter where there are events.
pub(super) fn line(row: &SuiteRow) -> String {
    let columns = [
        whole(row.errors.events_found),
        whole(row.errors.events_expected),
        float(row.errors.err_time),
        float(row.errors.err_end),
        float(row.errors.energy_error),
        whole(row.work.rhs),
        whole(row.work.guard),
        float(row.wall_s),
    ];
    let columns = columns.map(|text| format!("{text:>9}")).join(" ");
    let (problem, method) = (&row.problem, row.method.unwrap_or("-"));
    let tolerance = row.tolerance.map_or_else(|| "-".to_owned(), |t| format!("{t:e}"));
    let ok = if row.ok { "yes" } else { "NO" };
    let note = row.note.as_deref().unwrap_or("");
    let text = format!("{problem:<23} {method:<6} {tolerance:>9} {ok:>3} {columns}  {note}");
    text.trim_end().to_owned()
}
