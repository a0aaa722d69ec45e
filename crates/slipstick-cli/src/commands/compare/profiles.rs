//! Performance profiles of a comparison: at each tolerance, as paper 001 has them, and at an equal error.

use super::Comparison;
use super::rows::Row;
use crate::talk::column_width;
use serde_json::json;
use slipstick::problems::{Profile, work_for};

/// A run solves its problem if its error is at most so many times its tolerance.
const SLACK: f64 = 1e3;

/// What the columns of the tables are at.
const TAUS: [f64; 7] = [1.0, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0];

/// The profiles of a comparison; none if there is only one problem.
pub(super) struct Profiles {
    pub(super) entrants: Vec<String>,
    pub(super) all: Vec<Titled>,
}

/// A profile with what its runs have in common.
pub(super) struct Titled {
    /// `tolerance` or `error`.
    at: &'static str,
    value: f64,
    pub(super) profile: Profile,
}

impl Titled {
    pub(super) fn title(&self) -> String {
        match self.at {
            "error" => format!("work for an error of {:e}", self.value),
            _ => format!("work at a tolerance of {:e}", self.value),
        }
    }
}

impl Profiles {
    pub(super) fn of(comparison: &Comparison, error: Option<f64>) -> Self {
        let names: Vec<String> = comparison.entrants.iter().map(|entrant| entrant.name.clone()).collect();
        let mut problems: Vec<&str> = comparison.rows.iter().map(|row| row.problem.as_str()).collect();
        problems.dedup();
        let mut all = Vec::new();
        if problems.len() > 1 {
            let table = |needed: &dyn Fn(&[&Row]) -> Option<f64>| {
                let of_pair = |problem: &str, name: &String| {
                    let own =
                        comparison.rows.iter().filter(|row| row.problem == problem && row.method == *name);
                    needed(&own.collect::<Vec<_>>())
                };
                let row = |problem: &&str| names.iter().map(|name| of_pair(problem, name)).collect();
                Profile::of(names.len(), &problems.iter().map(row).collect::<Vec<_>>())
            };
            for &value in &comparison.tolerances {
                all.push(Titled { at: "tolerance", value, profile: table(&|runs| work_at(runs, value)) });
            }
            let value = error.unwrap_or_else(|| middle(&comparison.tolerances));
            all.push(Titled { at: "error", value, profile: table(&|runs| work_of(runs, value)) });
        }
        Self { entrants: names, all }
    }

    /// A table for each.
    pub(super) fn lines(&self) -> Vec<String> {
        self.all.iter().flat_map(|titled| table(&titled.title(), &self.entrants, &titled.profile)).collect()
    }

    /// An object for each curve.
    pub(super) fn lines_of_json(&self) -> Vec<String> {
        let of_one = |titled: &Titled| curves((titled.at, titled.value), &self.entrants, &titled.profile);
        self.all.iter().flat_map(of_one).collect()
    }
}

/// A profile as a table.
pub(in crate::commands) fn table(title: &str, entrants: &[String], profile: &Profile) -> Vec<String> {
    let width = column_width(entrants.iter().map(String::as_str)).max(12);
    let taus: Vec<String> = TAUS.iter().map(|tau| format!("{tau:>5}")).collect();
    let mut lines = vec![
        format!("\nprofile of {title}: share of problems within a multiple of the least work"),
        format!("{:<width$} {}  solved", "method", taus.join(" ")),
    ];
    for (k, name) in entrants.iter().enumerate() {
        let shares: Vec<String> = TAUS.iter().map(|tau| format!("{:>5.2}", profile.share(k, *tau))).collect();
        lines.push(format!("{name:<width$} {}  {:>6.2}", shares.join(" "), profile.solved(k)));
    }
    lines
}

/// A profile as an object for each curve; `at` says what its runs have in common.
pub(in crate::commands) fn curves(
    (at, value): (&str, f64),
    entrants: &[String],
    profile: &Profile,
) -> Vec<String> {
    let curve = |(k, name): (usize, &String)| {
        let curve = json!({
            "kind": "profile",
            "at": at,
            "value": value,
            "method": name,
            "solved": profile.solved(k),
            "rises": profile.rises(k),
        });
        curve.to_string()
    };
    entrants.iter().enumerate().map(curve).collect()
}

/// The work at a tolerance, if the problem was solved.
fn work_at(runs: &[&Row], tolerance: f64) -> Option<f64> {
    let run = runs.iter().find(|row| row.tolerance == tolerance)?;
    run.error.filter(|error| *error <= SLACK * tolerance).map(|_| run.work)
}

/// The work for an error, by all runs.
fn work_of(runs: &[&Row], error: f64) -> Option<f64> {
    let pairs: Vec<(f64, f64)> = runs.iter().filter_map(|row| Some((row.work, row.error?))).collect();
    work_for(error, &pairs)
}

fn middle(tolerances: &[f64]) -> f64 {
    let mut sorted = tolerances.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
