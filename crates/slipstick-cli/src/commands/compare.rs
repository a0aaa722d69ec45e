//! `slipstick compare`: the same problems with several methods at several tolerances, as work-precision
//! tables and performance profiles.

mod page;
mod plot;
mod profiles;
mod rows;
mod target;

use super::Finish;
use crate::arguments::CompareArguments;
use crate::model_file::suggestion;
use crate::progress::RunMonitor;
use crate::talk::{Trouble, data, note, warning};
use profiles::Profiles;
pub(super) use profiles::{curves, table};
use rows::Row;
use slipstick::formulation::Stabilisation;
use slipstick::problems::{Case, Entrant, Entry};
use slipstick::simulate::{Error, MDOP5, simulate_watched};
use std::path::PathBuf;
use std::time::Instant;
use target::Benchmark;

/// Everything that was found out.
struct Comparison {
    /// What was compared on.
    title: String,
    /// What the errors are measured against.
    truth: String,
    /// What must be known to read the rest.
    remarks: Vec<String>,
    entrants: Vec<Entrant>,
    tolerances: Vec<f64>,
    rows: Vec<Row>,
}

/// Runs every method on every problem at every tolerance, prints what came of it and writes a page.
pub(crate) fn compare(arguments: &CompareArguments, json: bool) -> Result<Finish, Trouble> {
    let mut watch = RunMonitor::begin(arguments.max_wall);
    let Some(mut target) = Benchmark::load(arguments, &watch)? else { return Ok(Finish::Short) };
    let tolerances = once_each(&arguments.tolerances);
    let pairings = Pairings { entrants: entrants(arguments, &target)?, tolerances };
    check_entrants(&pairings.entrants, &target.cases(arguments)?)?;
    let path = page::prepare(&folder(arguments, &target))?;
    target.find_reference(arguments, &mut watch)?;
    let (cases, unsure) = (target.cases(arguments)?, target.unsure());
    let mut remarks = remarks_before(arguments, &target, &cases, &pairings.entrants);
    warn_of_reference(unsure.as_deref());
    let widths = rows::widths(&cases, &pairings.entrants);
    print_heading(&target, widths, json);
    let show = |row: &Row| data(if json { row.json() } else { row.line(widths) });
    let limits = Requirements { steps: target.most_steps(arguments), drift: arguments.drift };
    let rows = pairings.run_all(&cases, limits, &mut watch, show);
    watch.finish();
    remarks.extend(unsure.clone());
    remarks.extend(arguments.drift.filter(|_| target.is_mechanism()).map(|drift| {
        format!("steps are corrected only when a joint is open by more than {drift:e} (`--drift`)")
    }));
    let (title, truth) = (target.title.clone(), target.truth.clone());
    let Pairings { entrants, tolerances } = pairings;
    let comparison = Comparison { title, truth, remarks, entrants, tolerances, rows };
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
    Ok(Finish::done_if(unsure.is_none() && comparison.rows.iter().all(|row| row.failure.is_none())))
}

/// Where the page goes.
fn folder(arguments: &CompareArguments, target: &Benchmark) -> PathBuf {
    let usual = || PathBuf::from("runs").join(format!("compare-{}", target.stem));
    arguments.out.clone().unwrap_or_else(usual)
}

/// What is left out of the runs, which is also printed.
fn remarks_before(
    arguments: &CompareArguments,
    target: &Benchmark,
    cases: &[Case<'_>],
    entrants: &[Entrant],
) -> Vec<String> {
    let mut remarks = what_is_left_out(cases, entrants);
    if arguments.drift.is_some() && !target.is_mechanism() {
        remarks.push("`--drift` is left out: there are no joints here".to_owned());
    }
    for text in &remarks {
        note("left-out", text);
    }
    remarks
}

/// Errors against a reference that is not known well mean nothing.
fn warn_of_reference(unsure: Option<&str>) {
    if let Some(message) = unsure {
        warning(
            "unsure-reference",
            message,
            "shorten `until`: a motion that magnifies small errors has no known end far ahead",
        );
    }
}

fn print_heading(target: &Benchmark, widths: [usize; 2], json: bool) {
    if json {
        target.reference.iter().for_each(|reference| data(rows::reference_json(reference)));
    } else {
        data(format!("{}: {}", target.title, target.truth));
        data(rows::heading(widths));
    }
}

/// Who runs, and at which tolerances.
struct Pairings {
    entrants: Vec<Entrant>,
    tolerances: Vec<f64>,
}

impl Pairings {
    /// Every method on every problem at every tolerance, each shown as soon as it is known.
    fn run_all(
        &self,
        cases: &[Case<'_>],
        limits: Requirements,
        watch: &mut RunMonitor,
        mut show: impl FnMut(&Row),
    ) -> Vec<Row> {
        let mut rows = Vec::new();
        for case in cases {
            for entrant in &self.entrants {
                for &tolerance in &self.tolerances {
                    let row = run_one(case, (entrant, tolerance), limits, watch);
                    show(&row);
                    rows.push(row);
                }
            }
        }
        rows
    }
}

/// What every run must keep to.
#[derive(Clone, Copy, Debug)]
struct Requirements {
    steps: u64,
    drift: Option<f64>,
}

/// The same in the same order, none twice.
fn once_each(tolerances: &[f64]) -> Vec<f64> {
    let is_first = |(i, tolerance): &(usize, &f64)| !tolerances[..*i].contains(tolerance);
    tolerances.iter().enumerate().filter(is_first).map(|(_, tolerance)| *tolerance).collect()
}

/// What a model says and methods cannot take, or tolerances have no use for.
fn what_is_left_out(cases: &[Case<'_>], entrants: &[Entrant]) -> Vec<String> {
    let mut remarks = Vec::new();
    let Some(case) = cases.first() else { return remarks };
    for word in ["fixed_step", "rho_infinity", "stabilisation", "metric", "datol"] {
        let without = entrants.iter().filter(|entrant| case.left_out(entrant).contains(&word));
        let names: Vec<&str> = without.map(|entrant| entrant.name.as_str()).collect();
        if word == "fixed_step" && !names.is_empty() {
            let why = "steps are chosen by the tolerances here";
            remarks.push(format!("`fixed_step` of the model is left out: {why}"));
        } else if !names.is_empty() {
            remarks.push(format!("`{word}` of the model is left out for {}", names.join(", ")));
        }
    }
    remarks
}

/// The methods that were asked for, or those that suit what is compared on.
fn entrants(arguments: &CompareArguments, target: &Benchmark) -> Result<Vec<Entrant>, Trouble> {
    let wanted: Vec<&str> = match arguments.methods.as_slice() {
        [] => target.usual_methods(),
        list => list.iter().map(|name| name.trim()).collect(),
    };
    let mut entrants: Vec<Entrant> = Vec::new();
    for name in wanted {
        if name.is_empty() {
            let message = "a name is missing beside a comma of `--methods`".to_owned();
            return Err(Trouble::new(
                "unknown-method",
                message,
                "leave the comma out, or name a method there",
            ));
        }
        let entrant = Entrant::parse(name).map_err(|unknown| unknown_entrant(name, &unknown))?;
        if entrant.method.facts().error_order.is_none() {
            let message = format!("`{name}` has no error estimate, so tolerances mean nothing to it");
            return Err(Trouble::new(
                "wrong-method",
                message,
                "leave it out, or choose a method that has one",
            ));
        }
        check_stabilisation(&entrant, target)?;
        if !entrants.contains(&entrant) {
            entrants.push(entrant);
        }
    }
    Ok(entrants)
}

/// Refuses, before any run, a method that can run none of the problems or not with this stabilisation.
fn check_entrants(entrants: &[Entrant], cases: &[Case<'_>]) -> Result<(), Trouble> {
    for entrant in entrants {
        let refusals: Option<Vec<Error>> = cases.iter().map(|case| case.refusal(entrant)).collect();
        if let Some(error) = refusals.as_deref().and_then(<[Error]>::first) {
            return Err(Trouble::new(error.code(), format!("`{}`: {error}", entrant.name), error.hint()));
        }
    }
    Ok(())
}

/// What keeps constraints met is refused where it would mean nothing.
fn check_stabilisation(entrant: &Entrant, target: &Benchmark) -> Result<(), Trouble> {
    let (name, method) = (&entrant.name, entrant.method);
    let Some(stabilisation) = entrant.stabilisation else { return Ok(()) };
    if !target.is_mechanism() {
        let message = format!(
            "`{name}`: there are no coordinates here, whose constraints `{}` could keep met",
            stabilisation.name()
        );
        return Err(Trouble::new("wrong-method", message, format!("choose `{}`", method.name())));
    }
    if method.keeps_positions() && stabilisation != Stabilisation::None {
        let message = format!(
            "`{name}`: method `{}` keeps constraints of positions by itself and makes no corrections",
            method.name()
        );
        return Err(Trouble::new(
            "wrong-method",
            message,
            format!("choose `{}`, or `alpha2`, which makes them", method.name()),
        ));
    }
    Ok(())
}

fn unknown_entrant(name: &str, unknown: &str) -> Trouble {
    if let (MDOP5, Some((_, stabilisation))) = (unknown, name.split_once('+')) {
        let message = format!("`{name}`: `{MDOP5}` is `dopri5+project`, with nothing behind it");
        return Trouble::new(
            "unknown-method",
            message,
            format!("choose `{MDOP5}` or `dopri5+{stabilisation}`"),
        );
    }
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

fn run_one(
    case: &Case<'_>,
    (entrant, tolerance): (&Entrant, f64),
    limits: Requirements,
    watch: &mut RunMonitor,
) -> Row {
    if let Some(code) = watch.is_over() {
        let why = if code == "interrupted" { "not run: interrupted" } else { "not run: --max-wall" };
        return Row::of(case, entrant, tolerance, Entry::not_run(why), 0.0);
    }
    let mut options = case.options_for(entrant, tolerance);
    options.limits.steps = limits.steps;
    if options.makes_corrections() {
        options.constraints.drift_tolerance = limits.drift.unwrap_or(options.constraints.drift_tolerance);
    }
    let start = Instant::now();
    let result = simulate_watched(case.system, case.start, &options, watch);
    let wall_s = start.elapsed().as_secs_f64();
    Row::of(case, entrant, tolerance, case.measure(&options, result), wall_s)
}
