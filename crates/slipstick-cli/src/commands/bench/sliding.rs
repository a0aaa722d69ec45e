//! The suite `sliding`: motions along switching surfaces against the truth about them, and against the tables
//! of paper 002.

use super::{SuiteRow, SuiteWork, events, float, whole};
use slipstick::problems::{MOST_MISSES, Measured, SLIDING, SlidingProblem, sliding};
use std::time::Instant;

/// The rows, each measured when asked for. Too many rows that miss the paper's numbers are not ok.
pub(super) fn rows() -> impl Iterator<Item = SuiteRow> {
    let mut misses = 0;
    sliding().into_iter().map(move |SlidingProblem { problem, paper }| {
        let start = Instant::now();
        let mut measured = problem.measure(&[]);
        let wall_s = start.elapsed().as_secs_f64();
        let is_missed = paper.is_some_and(|paper| !paper.misses(&measured).is_empty());
        misses += usize::from(is_missed);
        measured.remarks.extend(paper.map(|paper| paper.remark(&measured)));
        row(events::row(&problem, &measured, wall_s), &measured, is_missed && misses > MOST_MISSES)
    })
}

fn row(row: SuiteRow, measured: &Measured, is_one_too_many: bool) -> SuiteRow {
    SuiteRow {
        suite: SLIDING.0,
        ok: row.ok && !is_one_too_many,
        work: SuiteWork {
            accepted_sliding: Some(measured.statistics.sliding.accepted),
            rejected_sliding: Some(measured.statistics.sliding.rejected),
            ..row.work
        },
        ..row
    }
}

/// The names of the columns of [`line`].
pub(super) fn heading() -> String {
    let names =
        ["events", "expected", "err_time", "err_state", "err_end", "n_rhs", "n_guard", "steps", "sliding"];
    let columns = names.map(|name| format!("{name:>9}")).join(" ");
    format!("{:<19} {:<6} {:>9} {:>3} {columns}  note", "problem", "method", "tolerance", "ok")
}

/// A row as a line of text. Steps are those taken and, behind the plus, those rejected; then the same for
/// those that slid.
pub(super) fn line(row: &SuiteRow) -> String {
    let steps = |taken, rejected| format!("{}+{}", whole(taken), whole(rejected));
    let columns = [
        whole(row.errors.events_found),
        whole(row.errors.events_expected),
        float(row.errors.err_time),
        float(row.errors.err_event_state),
        float(row.errors.err_end),
        whole(row.work.rhs),
        whole(row.work.guard),
        steps(row.work.accepted, row.work.rejected),
        steps(row.work.accepted_sliding, row.work.rejected_sliding),
    ];
    let columns = columns.map(|text| format!("{text:>9}")).join(" ");
    let (problem, method) = (&row.problem, row.method.unwrap_or("-"));
    let tolerance = row.tolerance.map_or_else(|| "-".to_owned(), |t| format!("{t:e}"));
    let ok = if row.ok { "yes" } else { "NO" };
    let note = row.note.as_deref().unwrap_or("");
    let text = format!("{problem:<19} {method:<6} {tolerance:>9} {ok:>3} {columns}  {note}");
    text.trim_end().to_owned()
}
