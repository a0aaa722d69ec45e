//! `slipstick compare`: the same problems with several methods at several tolerances, as work-precision tables and performance profiles.

mod page;
mod plot;
mod profiles;
mod rows;
mod target;

use super::Finish;
use crate::arguments::CompareArguments;
use crate::model_file::suggestion;
use crate::progress::Watch;
use crate::talk::{Trouble, data};
use profiles::Profiles;
use rows::Row;
use slipstick::problems::{Case, Entrant};
use slipstick::simulate::simulate_watched;
use std::path::PathBuf;
use std::time::Instant;
use target::Target;

/// Everything that was found out.
struct Comparison {
    /// What was compared on.
    title: String,
    /// What the errors are measured against.
    truth: String,
    entrants: Vec<Entrant>,
    tolerances: Vec<f64>,
    rows: Vec<Row>,
}

/// Runs every method on every problem at every tolerance, prints what came of it and writes a page.
pub(crate) fn compare(arguments: &CompareArguments, json: bool) -> Result<Finish, Trouble> {
    let target = Target::load(arguments)?;
    let entrants = entrants(arguments, &target)?;
    let tolerances = arguments.tolerances.clone();
    let folder = arguments
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("runs").join(format!("compare-{}", target.stem)));
    let path = page::prepare(&folder)?;
    let cases = target.cases(arguments)?;
    if json {
        target.reference.iter().for_each(|reference| data(rows::reference_json(reference)));
    } else {
        data(format!("{}: {}", target.title, target.truth));
        data(rows::heading());
    }
    let rows = run_all(&cases, &entrants, arguments, |row| data(if json { row.json() } else { row.line() }));
    let comparison =
        Comparison { title: target.title.clone(), truth: target.truth.clone(), entrants, tolerances, rows };
    let profiles = Profiles::of(&comparison, arguments.error);
    if json {
        profiles.lines_of_json().into_iter().for_each(data);
    } else {
        profiles.lines().into_iter().for_each(data);
    }
    page::write(&path, &comparison, &profiles)?;
    if !json {
        data(format!("\npage  {}", path.display()));
    }
    Ok(Finish::done_if(comparison.rows.iter().all(|row| row.failure.is_none())))
}

/// The methods that were asked for, or those that suit what is compared on.
fn entrants(arguments: &CompareArguments, target: &Target) -> Result<Vec<Entrant>, Trouble> {
    let wanted: Vec<&str> = match arguments.methods.as_slice() {
        [] => target.usual_methods().to_vec(),
        list => list.iter().map(String::as_str).collect(),
    };
    let mut entrants: Vec<Entrant> = Vec::new();
    for name in wanted {
        let entrant = Entrant::parse(name).map_err(|unknown| unknown_entrant(name, &unknown))?;
        if entrant.method.facts().error_order.is_none() {
            let message = format!("`{name}` has no error estimate, so tolerances mean nothing to it");
            return Err(Trouble::new(
                "wrong-method",
                message,
                "leave it out, or choose a method that has one",
            ));
        }
        if !entrants.contains(&entrant) {
            entrants.push(entrant);
        }
    }
    Ok(entrants)
}

fn unknown_entrant(name: &str, unknown: &str) -> Trouble {
    if name == unknown || name.starts_with(&format!("{unknown}+")) {
        return Trouble::new(
            "unknown-method",
            format!("unknown method `{unknown}`"),
            suggestion(unknown, Entrant::names()),
        );
    }
    let message = format!("`{name}`: there is no stabilisation `{unknown}` without numbers of its own");
    Trouble::new("unknown-name", message, suggestion(unknown, Entrant::stabilisations()))
}

fn run_all(
    cases: &[Case<'_>],
    entrants: &[Entrant],
    arguments: &CompareArguments,
    mut show: impl FnMut(&Row),
) -> Vec<Row> {
    let mut watch = Watch::begin(arguments.max_wall);
    let mut rows = Vec::new();
    for case in cases {
        for entrant in entrants {
            for &tolerance in &arguments.tolerances {
                let mut options = case.options_for(entrant, tolerance);
                options.limits.steps = arguments.max_steps;
                if options.makes_corrections() {
                    options.drift_tolerance = arguments.drift.unwrap_or(options.drift_tolerance);
                }
                watch.next_run();
                let start = Instant::now();
                let result = simulate_watched(case.system, case.start, &options, &mut watch);
                let wall_s = start.elapsed().as_secs_f64();
                let row = Row::of(case, entrant, tolerance, case.measure(&options, result), wall_s);
                show(&row);
                rows.push(row);
            }
        }
    }
    watch.finish();
    rows
}
