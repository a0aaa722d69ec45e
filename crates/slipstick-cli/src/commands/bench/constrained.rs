//! The suite `constrained`: mechanisms whose joints stay shut, against their truth and the tables of papers
//! 000 and 003.

use super::{SuiteErrors, SuiteRow, SuiteWork, float, whole};
use slipstick::problems::{CONSTRAINED, ConstrainedProblem, MeasuredMechanism, constrained, measure_chain};
use std::time::Instant;

/// The rows, each measured when it is asked for.
pub(super) fn rows() -> impl Iterator<Item = SuiteRow> {
    let problems = constrained().into_iter().map(|problem| {
        let start = Instant::now();
        let measured = problem.measure();
        row(&problem, &measured, start.elapsed().as_secs_f64())
    });
    problems.chain([10, 100, 1000, 10_000].map(chain).into_iter().map(|measure| measure()))
}

/// A chain of so many links: ten steps, to see how their cost grows. The time for setting up is in it.
fn chain(links: usize) -> impl FnOnce() -> SuiteRow {
    move || {
        let start = Instant::now();
        let mut measured = measure_chain(links);
        let wall_s = start.elapsed().as_secs_f64();
        measured.remarks.push(format!("{:.0} us for each link and step", 1e5 * wall_s / links as f64));
        SuiteRow {
            problem: format!("chain-{links}"),
            method: Some("dopri5"),
            formulation: Some("index1/pstab".to_owned()),
            ..row_of(&measured, wall_s)
        }
    }
}

fn row(problem: &ConstrainedProblem, measured: &MeasuredMechanism, wall_s: f64) -> SuiteRow {
    SuiteRow {
        problem: problem.name.to_owned(),
        method: Some(problem.plan.options.method.name()),
        formulation: Some(problem.formulation()),
        tolerance: problem.tolerance,
        ..row_of(measured, wall_s)
    }
}

fn row_of(measured: &MeasuredMechanism, wall_s: f64) -> SuiteRow {
    let s = &measured.statistics;
    SuiteRow {
        suite: CONSTRAINED.0,
        ok: measured.is_ok(),
        wall_s: Some(wall_s),
        note: note(measured),
        errors: SuiteErrors {
            err_end: measured.end_error,
            drift_position: measured.position,
            drift_velocity: measured.velocity,
            energy_error: measured.energy,
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
pub(super) fn line(row: &SuiteRow) -> String {
    let columns = [
        float(row.errors.err_end),
        float(row.errors.drift_position),
        float(row.errors.drift_velocity),
        float(row.errors.energy_error),
        whole(row.work.rhs),
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
        format!("{problem:<28} {method:<6} {formulation:<23} {tolerance:>9} {ok:>3} {columns}  {note}");
    text.trim_end().to_owned()
}
