//! The fingerprint: results and work of all problems with all methods, recorded in a file or compared with
//! one.

mod print;

use crate::arguments::FingerprintArguments;
use crate::commands::Finish;
use crate::commands::examples::EXAMPLES;
use crate::talk::{Trouble, data};
use print::{Fingerprint, RunKey};
use serde_json::json;
use slipstick::problems::{FingerprintRun, Fingerprinted, fingerprinted};
use slipstick::simulate::{Overrides, Plan, simulate};
use std::path::Path;

/// Prints the results, records them, or compares them with a file.
pub(super) fn fingerprint(arguments: &FingerprintArguments, json: bool) -> Result<Finish, Trouble> {
    let only = arguments.only.as_deref().unwrap_or("");
    if let Some(path) = &arguments.record {
        return record(path);
    }
    if let Some(path) = &arguments.against {
        return Ok(compare(&read(path)?, only, json));
    }
    for_each_run(only, |key, problem, run| data(line(&taken(key, problem, run), json)));
    Ok(Finish::Done)
}

fn line(print: &Fingerprint, json: bool) -> String {
    if json {
        return serde_json::to_string(print).unwrap_or_default();
    }
    format!("{:<70} {:<18} {:>8}", print.run.in_words(), print.outcome, print.work.rhs)
}

/// Every run of the fingerprint, in order.
fn for_each_run(only: &str, mut act: impl FnMut(RunKey, &Fingerprinted, &FingerprintRun)) {
    let models = EXAMPLES.iter().filter_map(|(name, text)| {
        let model = Plan::read_model(text).ok()?;
        let plan = Plan::new(&model, &Overrides::default()).ok()?;
        let is_machine = !model.mechanism.bodies.is_empty();
        Some(if is_machine { Fingerprinted::machine(name, plan) } else { Fingerprinted::model(name, plan) })
    });
    let mut known: Vec<RunKey> = Vec::new();
    for problem in fingerprinted().into_iter().chain(models) {
        for run in &problem.runs {
            let key = key(&known, &problem, run);
            known.push(key.clone());
            if [&key.suite, &key.problem, &key.method].iter().any(|word| word.starts_with(only)) {
                act(key, &problem, run);
            }
        }
    }
}

fn key(known: &[RunKey], problem: &Fingerprinted, run: &FingerprintRun) -> RunKey {
    let mut key = RunKey {
        suite: problem.suite.to_owned(),
        problem: problem.name.clone(),
        method: run.options.method.name().to_owned(),
        form: run.form.clone(),
        tolerance: run.tolerance,
        number: 0,
    };
    key.number = known.iter().filter(|other| key.is_like(other)).count();
    key
}

/// Runs it.
fn taken(key: RunKey, problem: &Fingerprinted, run: &FingerprintRun) -> Fingerprint {
    match simulate(problem.system.as_ref(), &problem.start, &run.options) {
        Ok(trajectory) => Fingerprint::of(key, run, &trajectory, trajectory.outcome.code()),
        Err(failure) => Fingerprint::of(key, run, &failure.trajectory, failure.error.code()),
    }
}

/// Writes a line for each run. Each is made twice, to see how far its results are determined.
fn record(path: &Path) -> Result<Finish, Trouble> {
    let mut text = String::new();
    for_each_run("", |key, problem, run| {
        let nearby = taken(key.clone(), problem, &run.nearby());
        text += &line(&taken(key, problem, run).with_spread(&nearby), true);
        text.push('\n');
    });
    std::fs::write(path, text).map_err(|error| Trouble::file("write", path, &error))?;
    Ok(Finish::Done)
}

fn read(path: &Path) -> Result<Vec<Fingerprint>, Trouble> {
    let text = std::fs::read_to_string(path).map_err(|error| Trouble::file("read", path, &error))?;
    let one = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| {
            let message = format!("`{}` line {}: {error}", path.display(), number + 1);
            Trouble::new("file", message, "record it anew with `slipstick bench fingerprint --record FILE`")
        })
    };
    text.lines().enumerate().map(one).collect()
}

/// What was seen so far of a comparison.
#[derive(Default)]
struct Tally {
    runs: usize,
    differences: Vec<&'static str>,
    rhs: (u64, u64),
}

impl Tally {
    fn report(&mut self, key: &RunKey, what: &'static str, text: &str, json: bool) {
        self.differences.push(what);
        data(if json {
            json!({ "run": key, "what": what, "text": text }).to_string()
        } else {
            format!("{}: {what}: {text}", key.in_words())
        });
    }

    fn summary(&self) -> String {
        let (old, new) = self.rhs;
        let change = 100.0 * (new as f64 / old.max(1) as f64 - 1.0);
        let mut text = format!("{} runs, right-hand sides {old} -> {new} ({change:+.2} %)", self.runs);
        for what in ["outcome", "events", "times", "end", "rhs", "missing", "new"] {
            let count = self.differences.iter().filter(|found| **found == what).count();
            if count > 0 {
                text = format!("{text}, {count} {what}");
            }
        }
        text
    }
}

/// Runs everything and prints what differs.
fn compare(old: &[Fingerprint], only: &str, json: bool) -> Finish {
    let mut seen = Tally::default();
    let mut left: Vec<&Fingerprint> = old.iter().collect();
    for_each_run(only, |key, problem, run| {
        let new = taken(key, problem, run);
        seen.runs += 1;
        let Some(place) = left.iter().position(|print| print.run == new.run) else {
            return seen.report(&new.run, "new", "not in the file", json);
        };
        let print = left.remove(place);
        seen.rhs = (seen.rhs.0 + print.work.rhs, seen.rhs.1 + new.work.rhs);
        for difference in print.differences(&new) {
            seen.report(&new.run, difference.what, &difference.text, json);
        }
    });
    if only.is_empty() {
        for print in left {
            seen.report(&print.run, "missing", "only in the file", json);
        }
    }
    crate::talk::line(&seen.summary());
    Finish::done_if(seen.differences.is_empty())
}
