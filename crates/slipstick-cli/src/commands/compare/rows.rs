//! The rows of a comparison: one for each run.

use serde_json::{Value, json};
use slipstick::problems::{Case, Entrant, Entry, Reference};
use slipstick::trajectory::Opening;

/// A run.
pub(super) struct Row {
    pub(super) problem: String,
    pub(super) set: &'static str,
    pub(super) method: String,
    pub(super) tolerance: f64,
    /// None if it did not come to its end.
    pub(super) error: Option<f64>,
    /// How far constraints were open at most: at the level of positions, of speeds, of accelerations.
    pub(super) drift: [Option<f64>; 3],
    /// In multiplications.
    pub(super) work: f64,
    pub(super) failure: Option<String>,
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
            error: entry.error,
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
            short(self.error),
            format!("{:.3}", self.work * 1e-6),
            n_rhs.to_string(),
            n_factor.to_string(),
            format!("{n_accepted}+{n_rejected}"),
            position,
            velocity,
            acceleration,
        ]
    }

    pub(super) fn line(&self) -> String {
        let wall = format!("{:.3}s", self.wall_s);
        let text =
            format!("{}  {wall:>8}  {}", in_columns(&self.cells()), self.failure.as_deref().unwrap_or(""));
        text.trim_end().to_owned()
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

/// The names of the columns. Work is in millions of multiplications; steps are those taken and, behind the plus, those rejected.
pub(super) fn heading() -> String {
    format!("{}  {:>8}  failure", in_columns(&COLUMNS.map(str::to_owned)), "wall")
}

fn in_columns(cells: &[String; 11]) -> String {
    let [problem, method, rest @ ..] = cells;
    let rest: Vec<String> = rest.iter().map(|cell| format!("{cell:>9}")).collect();
    format!("{problem:<22} {method:<12} {}", rest.join(" "))
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
