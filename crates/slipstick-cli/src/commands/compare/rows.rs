//! The rows of a comparison: one for each run.

use crate::talk::column_width;
use serde_json::{Value, json};
use slipstick::problems::{Case, Entrant, Entry, Reference};
use slipstick::trajectory::Opening;

/// A run.
pub(super) struct Row {
    pub(super) problem: String,
    pub(super) set: &'static str,
    pub(super) method: String,
    pub(super) tolerance: f64,
    /// None if it did not come to its end, or if nothing is known of that.
    pub(super) error: Option<f64>,
    /// How far what errors are measured against may be from the truth.
    uncertainty: f64,
    /// How far constraints were open at most: at the level of positions, of speeds, of accelerations.
    pub(super) drift: [Option<f64>; 3],
    /// In multiplications.
    pub(super) work: f64,
    pub(super) failure: Option<String>,
    hint: Option<&'static str>,
    counts: [u64; 5],
    pub(super) wall_s: f64,
}

impl Row {
    pub(super) fn of(case: &Case<'_>, entrant: &Entrant, tolerance: f64, entry: Entry, wall_s: f64) -> Self {
        let s = &entry.statistics;
        let value = |opening: Opening| opening.value;
        Self {
            problem: case.name.clone(),
            set: case.set,
            method: entrant.name.clone(),
            tolerance,
            error: entry.error.filter(|_| case.uncertainty.is_finite()),
            uncertainty: case.uncertainty,
            drift: [
                entry.joints.and_then(|joints| joints.position).map(value),
                entry.joints.map(|joints| joints.velocity.value),
                entry.joints.map(|joints| joints.acceleration.value),
            ],
            work: entry.work,
            counts: [
                s.derivatives,
                s.jacobians,
                s.factorisations + s.motion_factorisations,
                s.accepted,
                s.rejected,
            ],
            failure: entry.failure,
            hint: entry.hint,
            wall_s,
        }
    }

    /// One object, with names that stay.
    pub(super) fn json(&self) -> String {
        let [n_rhs, n_jacobian, n_factor, n_accepted, n_rejected] = self.counts;
        let [position, velocity, acceleration] = self.drift;
        json!({
            "kind": "run",
            "problem": self.problem,
            "set": self.set,
            "method": self.method,
            "tolerance": self.tolerance,
            "ok": self.failure.is_none(),
            "error": self.error,
            "uncertainty": self.uncertainty,
            "drift_position": position,
            "drift_velocity": velocity,
            "drift_acceleration": acceleration,
            "work": self.work,
            "n_rhs": n_rhs,
            "n_jacobian": n_jacobian,
            "n_factor": n_factor,
            "n_accepted": n_accepted,
            "n_rejected": n_rejected,
            "wall_s": self.wall_s,
            "failure": self.failure,
            "hint": self.hint,
        })
        .to_string()
    }

    /// The columns of [`heading`], as text.
    pub(super) fn cells(&self) -> [String; 11] {
        let [n_rhs, _, n_factor, n_accepted, n_rejected] = self.counts;
        let [position, velocity, acceleration] = self.drift.map(short);
        [
            self.problem.clone(),
            self.method.clone(),
            format!("{:e}", self.tolerance),
            self.error_in_words(),
            format!("{:.3}", self.work * 1e-6),
            n_rhs.to_string(),
            n_factor.to_string(),
            format!("{n_accepted}+{n_rejected}"),
            position,
            velocity,
            acceleration,
        ]
    }

    fn error_in_words(&self) -> String {
        match (self.error, &self.failure) {
            (Some(error), _) => known_digits(error, self.uncertainty),
            (None, Some(_)) => "-".to_owned(),
            (None, None) => "?".to_owned(),
        }
    }

    pub(super) fn line(&self, widths: [usize; 2]) -> String {
        let wall = format!("{:.3}s", self.wall_s);
        let why = self.why().unwrap_or_default();
        format!("{}  {wall:>8}  {why}", in_columns(&self.cells(), widths)).trim_end().to_owned()
    }

    /// Why it did not come to its end, and what to do about that.
    pub(super) fn why(&self) -> Option<String> {
        let failure = self.failure.as_ref()?;
        Some(self.hint.map_or_else(|| failure.clone(), |hint| format!("{failure} (hint: {hint})")))
    }

    /// Its place in a diagram: work, and an error of which something is known.
    pub(super) fn point(&self) -> Option<(f64, f64)> {
        Some((self.work, self.error?.max(self.uncertainty).max(1e-16)))
    }
}

pub(super) const COLUMNS: [&str; 11] = [
    "problem",
    "method",
    "tolerance",
    "error",
    "work/1e6",
    "n_rhs",
    "n_factor",
    "steps",
    "drift_p",
    "drift_v",
    "drift_a",
];

/// The names of the columns. Work is in millions of multiplications; steps are those taken and, behind the
/// plus, those rejected.
pub(super) fn heading(widths: [usize; 2]) -> String {
    format!("{}  {:>8}  failure", in_columns(&COLUMNS.map(str::to_owned), widths), "wall")
}

/// The widths of the first two columns: problems and methods.
pub(super) fn widths(cases: &[Case<'_>], entrants: &[Entrant]) -> [usize; 2] {
    let problems = column_width(cases.iter().map(|case| case.name.as_str()));
    let methods = column_width(entrants.iter().map(|entrant| entrant.name.as_str()));
    [problems.max(22), methods.max(12)]
}

fn in_columns(cells: &[String; 11], [problems, methods]: [usize; 2]) -> String {
    let [problem, method, rest @ ..] = cells;
    let rest: Vec<String> = rest.iter().map(|cell| format!("{cell:>9}")).collect();
    format!("{problem:<problems$} {method:<methods$} {}", rest.join(" "))
}

/// An error with the digits that are known of it, where what it is measured against may be off by so much.
fn known_digits(error: f64, uncertainty: f64) -> String {
    if uncertainty == 0.0 {
        format!("{error:.1e}")
    } else if error <= 2.0 * uncertainty {
        let most = error + uncertainty;
        let unit = 10_f64.powf(most.log10().floor());
        format!("<{:.0e}", (most / unit).ceil() * unit)
    } else if error <= 20.0 * uncertainty {
        format!("{error:.0e}")
    } else {
        format!("{error:.1e}")
    }
}

fn short(x: Option<f64>) -> String {
    x.map_or_else(|| "-".to_owned(), |x| format!("{x:.1e}"))
}

pub(super) fn reference_json(reference: &Reference) -> Value {
    json!({
        "kind": "reference",
        "methods": reference.methods.map(slipstick::step::Method::name),
        "tolerance": reference.tolerance,
        "apart": reference.apart,
    })
}

#[cfg(test)]
mod tests {
    use super::known_digits;

    #[test]
    fn no_digit_of_an_error_is_shown_that_is_not_known() {
        assert_eq!(known_digits(1.74e-6, 2.6e-11), "1.7e-6");
        assert_eq!(known_digits(1.74e-6, 1e-7), "2e-6");
        assert_eq!(known_digits(9.0, 9.6), "<2e1");
        assert_eq!(known_digits(0.0, 3e-13), "<3e-13");
        assert_eq!(known_digits(0.0, 0.0), "0.0e0");
    }
}
