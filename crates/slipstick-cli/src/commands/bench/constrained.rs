//! The suite `constrained`: mechanisms whose joints stay shut, against their truth and the tables of papers 000 and 003.

use super::{Row, float, whole};
use slipstick::problems::{CONSTRAINED, ConstrainedProblem, MeasuredMechanism, constrained};
use std::time::Instant;

/// The rows, each measured when it is asked for.
pub(super) fn rows() -> impl Iterator<Item = Row> {
    constrained().into_iter().map(|problem| {
        let start = Instant::now();
        let measured = problem.measure();
        row(&problem, &measured, start.elapsed().as_secs_f64())
    })
}

fn row(problem: &ConstrainedProblem, measured: &MeasuredMechanism, wall_s: f64) -> Row {
    let s = &measured.statistics;
    Row {
        suite: CONSTRAINED.0,
        problem: problem.name.to_owned(),
        method: Some(problem.plan.options.method.name()),
        formulation: Some(problem.formulation()),
        tolerance: problem.tolerance,
        ok: measured.is_ok(),
        err_end: measured.end_error,
        drift_position: measured.position,
        drift_velocity: measured.velocity,
        energy_error: measured.energy,
        n_rhs: Some(s.derivatives),
        n_jacobian: Some(s.jacobians),
        n_factor: Some(s.factorisations),
        n_accepted: Some(s.accepted),
        n_rejected: Some(s.rejected),
        wall_s: Some(wall_s),
        note: note(measured),
        ..Row::default()
    }
}

/// What the source prints, and the promises that do not hold.
fn note(measured: &MeasuredMechanism) -> Option<String> {
    let parts = [measured.remarks.as_slice(), &measured.complaints].concat();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The names of the columns of [`line`].
pub(super) fn heading() -> String {
    let names = ["err_end", "drift_p", "drift_v", "energy", "n_rhs", "steps", "wall_s"];
    let columns = names.map(|name| format!("{name:>9}")).join(" ");
    format!(
        "{:<28} {:<6} {:<23} {:>9} {:>3} {columns}  note",
        "problem", "method", "formulation", "tolerance", "ok"
    )
}

/// A row as a line of text. Steps are those taken and, behind the plus, those rejected.
pub(super) fn line(row: &Row) -> String {
    let columns = [
        float(row.err_end),
        float(row.drift_position),
        float(row.drift_velocity),
        float(row.energy_error),
        whole(row.n_rhs),
        format!("{}+{}", whole(row.n_accepted), whole(row.n_rejected)),
        float(row.wall_s),
    ];
    let columns = columns.map(|text| format!("{text:>9}")).join(" ");
    let (problem, method) = (&row.problem, row.method.unwrap_or("-"));
    let formulation = row.formulation.as_deref().unwrap_or("-");
    let tolerance = row.tolerance.map_or_else(|| "-".to_owned(), |t| format!("{t:e}"));
    let ok = if row.ok { "yes" } else { "NO" };
    let note = row.note.as_deref().unwrap_or("");
    let text =
        format!("{problem:<28} {method:<6} {formulation:<23} {tolerance:>9} {ok:>3} {columns}  {note}");
    text.trim_end().to_owned()
}
