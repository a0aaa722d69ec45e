//! The results of a run: a folder with `trajectory.csv`, `events.csv`, `run.json`, `report.html` and, if asked for,
//! `trajectory.parquet`.
//!
//! The same input gives the same bytes, apart from `wall_s` in `run.json`.

mod audit;
mod csv;
mod json;
mod parquet;
mod report;
mod table;

pub(crate) use audit::AuditResult;
pub(crate) use json::{event_json, run_json};

use crate::commands::Finish;
use crate::model_file::ModelFile;
use crate::progress::Watch;
use crate::talk::{self, Trouble};
use slipstick::equations::System;
use slipstick::simulate::{Error, Plan, simulate_watched};
use slipstick::trajectory::Trajectory;
use std::path::Path;

/// A run with everything that it came from.
pub(crate) struct RunResult<'a> {
    pub(crate) file: &'a ModelFile,
    pub(crate) plan: &'a Plan,
    pub(crate) trajectory: Trajectory,
    /// Why it failed, if it did; the trajectory is then what was computed before.
    pub(crate) error: Option<Error>,
    pub(crate) audit: Vec<AuditResult>,
    pub(crate) wall_s: f64,
}

impl<'a> RunResult<'a> {
    /// Runs a plan, watched.
    pub(crate) fn simulate(file: &'a ModelFile, plan: &'a Plan, max_wall: f64) -> Self {
        let mut watch = Watch::begin(max_wall);
        let result = simulate_watched(&plan.system, &plan.start, &plan.options, &mut watch);
        let wall_s = watch.finish();
        let (trajectory, error) = match result {
            Ok(trajectory) => (trajectory, None),
            Err(failure) => (failure.trajectory, Some(failure.error)),
        };
        let audit = audit::audit(&file.model, plan, &trajectory);
        Self { file, plan, trajectory, error, audit, wall_s }
    }

    pub(crate) fn is_failed(&self) -> bool {
        self.error.is_some()
    }

    pub(crate) fn is_complete(&self) -> bool {
        !self.is_failed() && self.trajectory.outcome.is_complete()
    }

    pub(crate) fn audit_passes(&self) -> bool {
        self.audit.iter().all(|a| a.ok != Some(false))
    }

    /// The stable word for how the run ended.
    pub(crate) fn outcome_code(&self) -> &'static str {
        self.error.as_ref().map_or(self.trajectory.outcome.code(), Error::code)
    }

    /// How the run ended, in words.
    pub(crate) fn outcome_text(&self) -> String {
        match &self.error {
            Some(error) => format!("failed: {error}"),
            None => self.trajectory.outcome.to_string(),
        }
    }

    /// What to do about how the run ended, if anything.
    pub(crate) fn outcome_hint(&self) -> Option<&'static str> {
        self.error.as_ref().map(Error::hint).or(self.trajectory.outcome.hint())
    }

    /// How the run ended and when; an error names the time itself.
    pub(crate) fn outcome_with_time(&self, t: &str) -> String {
        match &self.error {
            Some(_) => self.outcome_text(),
            None => format!("{} at t = {t}", self.outcome_text()),
        }
    }

    /// The error of a run that was refused before it began, and of which there is nothing to keep.
    pub(crate) fn refusal(&self) -> Option<Trouble> {
        let error = self.error.as_ref().filter(|_| self.trajectory.segments.is_empty())?;
        Some(Trouble::new(error.code(), error.to_string(), error.hint()))
    }

    /// The exit code.
    pub(crate) fn finish(&self) -> Finish {
        if self.is_failed() {
            Finish::Failed
        } else if self.is_complete() && self.audit_passes() {
            Finish::Done
        } else {
            Finish::Short
        }
    }

    /// Says what is worth knowing: notes, an audit that failed, an early stop, an error.
    pub(crate) fn talk(&self) {
        for note in &self.trajectory.notes {
            talk::note(note.code, &format!("at t = {}: {}", note.t, note.text));
        }
        for audit in self.audit.iter().filter(|a| a.ok == Some(false)) {
            let message = format!("`{}` should stay constant: {}", audit.name, audit.in_words());
            talk::error(
                "audit-failed",
                &message,
                "tighten `rtol`, or look at the worst moment in the report",
            );
        }
        if let Some(error) = &self.error {
            talk::error(error.code(), &error.to_string(), error.hint());
        } else if !self.is_complete() {
            let message = self.outcome_with_time(&number(self.trajectory.end_time()));
            let hint = self.outcome_hint().unwrap_or("what was computed up to there is kept");
            talk::warning(self.outcome_code(), &message, hint);
        }
    }

    pub(crate) fn mode_name(&self, index: usize) -> &str {
        &self.plan.system.mode_names()[index]
    }

    pub(crate) fn has_modes(&self) -> bool {
        !self.file.model.modes.is_empty()
    }
}

/// Writes the folder of results.
pub(crate) fn write_results(
    result: &RunResult<'_>,
    folder: &Path,
    with_parquet: bool,
) -> Result<(), Trouble> {
    std::fs::create_dir_all(folder).map_err(|error| Trouble::file("create", folder, &error))?;
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(|error| Trouble::file("write", &path, &error))
    };
    let rows = table::Table::rows(result);
    write("trajectory.csv", &csv::trajectory(&rows))?;
    write("events.csv", &csv::events(result))?;
    let run = serde_json::to_vec_pretty(&run_json(result)).unwrap_or_default();
    write("run.json", &run)?;
    write("report.html", report::report(result).as_bytes())?;
    if with_parquet {
        let bytes = parquet::trajectory(&rows).map_err(|error| {
            Trouble::new("file", format!("cannot write trajectory.parquet: {error}"), "leave out `--parquet`")
        })?;
        write("trajectory.parquet", &bytes)?;
    }
    Ok(())
}

/// A number for people: up to ten digits, no noise.
pub(crate) fn number(x: f64) -> String {
    let rounded: f64 = format!("{x:.9e}").parse().unwrap_or(x);
    if rounded == 0.0 || (1e-4..1e10).contains(&rounded.abs()) {
        format!("{}", rounded + 0.0)
    } else {
        format!("{rounded:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_for_people_have_no_noise() {
        assert_eq!(number(0.1 + 0.2), "0.3");
        assert_eq!(number(-0.0), "0");
        assert_eq!(number(1.5e-12), "1.5e-12");
        assert_eq!(number(3.0), "3");
    }
}
