//! The results of a run: a folder with `trajectory.csv`, `events.csv`, `run.json`, `report.html` and, if
//! asked for, `trajectory.parquet`.
//!
//! The same input gives the same bytes, apart from `wall_s` in `run.json`.

mod audit;
mod contact_report;
mod contacts;
mod csv;
mod json;
mod mechanism;
mod parquet;
pub(crate) mod picture;
mod report;
mod table;

pub(crate) use audit::AuditResult;
pub(crate) use csv::full;
pub(crate) use json::{event_json, mode_graph_json, run_json};
pub(crate) use report::{escape, fill};

use crate::commands::Finish;
use crate::model_file::ModelFile;
use crate::progress::RunMonitor;
use crate::talk::{self, Trouble};
use slipstick::equations::System;
use slipstick::mode::Mode;
use slipstick::simulate::{Error, Plan, simulate_watched};
use slipstick::trajectory::{ContactAudit, EnergyBalance, Event, Joints, Note, Severity, Trajectory};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

/// A run with everything that it came from.
pub(crate) struct RunResult<'a> {
    pub(crate) file: &'a ModelFile,
    pub(crate) plan: &'a Plan,
    pub(crate) trajectory: Trajectory,
    /// Why it failed, if it did; the trajectory is then what was computed before.
    pub(crate) error: Option<Error>,
    pub(crate) audit: Vec<AuditResult>,
    /// How far the joints of a mechanism were open.
    pub(crate) joints: Option<Joints>,
    /// What became of the energy of a mechanism.
    pub(crate) energy: Option<EnergyBalance>,
    /// How well contacts have kept their laws.
    pub(crate) contact_audit: Option<ContactAudit>,
    pub(crate) wall_s: f64,
}

impl<'a> RunResult<'a> {
    /// How many steps each method made: "tsit5 12 steps, radau5+ggl 188".
    pub(crate) fn methods_in_words(&self) -> String {
        let shares = self.trajectory.statistics.shares.iter();
        let parts: Vec<String> = shares.map(|share| format!("{} {}", share.name(), share.accepted)).collect();
        format!("{} steps", parts.join(", "))
    }

    /// Runs a plan, watched.
    pub(crate) fn simulate(file: &'a ModelFile, plan: &'a Plan, mut watch: RunMonitor) -> Self {
        let result = simulate_watched(&plan.system, &plan.start, &plan.options, &mut watch);
        let wall_s = watch.finish();
        let (trajectory, error) = match result {
            Ok(trajectory) => (trajectory, None),
            Err(failure) => (failure.trajectory, Some(failure.error)),
        };
        let audit = audit::audit(&file.model, plan, &trajectory);
        let joints = Joints::of(&plan.system, &plan.options.upkeep(), &trajectory);
        let energy = EnergyBalance::of(&plan.system, &trajectory);
        let contact_audit = ContactAudit::of(&plan.system, &trajectory, energy.as_ref());
        Self { file, plan, trajectory, error, audit, joints, energy, contact_audit, wall_s }
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
    pub(crate) fn outcome_with_time(&self, show: impl Fn(f64) -> String) -> String {
        let text = self.outcome_text();
        if self.is_failed() {
            return text;
        }
        let end = show(self.trajectory.end_time());
        match self.trajectory.outcome.estimated_time().map(show) {
            None => format!("{text} at t = {end}"),
            Some(estimate) if estimate == end => format!("{text} at t = {estimate} (estimated)"),
            Some(estimate) => format!("{text} at t = {estimate} (estimated; computed up to {end})"),
        }
    }

    /// The error of a run that was refused before it began, and of which there is nothing to keep.
    pub(crate) fn refusal(&self) -> Option<Trouble> {
        let error = self.error.as_ref().filter(|_| self.trajectory.segments.is_empty())?;
        Some(Trouble::new(error.code(), error.to_string(), error.hint()))
    }

    /// The warnings, or the notes, for programs.
    pub(crate) fn notes_json(&self, severity: Severity) -> Vec<serde_json::Value> {
        let one = |n: &Note| serde_json::json!({ "t": n.t, "code": n.code, "text": n.text });
        self.trajectory.notes.of(severity).map(one).collect()
    }

    /// The exit code; with `strict`, warnings are not done.
    pub(crate) fn finish(&self, strict: bool) -> Finish {
        let is_warned = strict && self.trajectory.notes.of(Severity::Warning).next().is_some();
        if self.is_failed() {
            Finish::Failed
        } else if self.is_complete() && self.audit_passes() && !is_warned {
            Finish::Done
        } else {
            Finish::Short
        }
    }

    /// Says what is worth knowing: warnings first, then notes, an audit that failed, an early stop, an error.
    pub(crate) fn talk(&self) {
        for severity in [Severity::Warning, Severity::Note] {
            for note in self.trajectory.notes.of(severity) {
                talk::remark(severity, note.code, &format!("at t = {}: {}", note.t, note.text));
            }
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
            let message = self.outcome_with_time(number);
            talk::warning(self.outcome_code(), &message, self.outcome_hint().unwrap_or_default());
        }
    }

    /// States and discrete variables by name; no mode, no discrete variables.
    pub(crate) fn named_values<'s>(
        &'s self,
        state: &'s [f64],
        mode: Option<&'s Mode>,
    ) -> impl Iterator<Item = (&'s str, f64)> {
        let discrete = mode.map_or(&[][..], |mode| &mode.values.discrete);
        let states = self.trajectory.state_names.iter().zip(state);
        let all = states.chain(self.plan.system.shape().discrete_names.iter().zip(discrete));
        all.map(|(name, value)| (name.as_str(), *value))
    }

    /// The modes before and after an event: segment i ends at event i, and the one after it begins there.
    pub(crate) fn modes_at(&self, event: usize) -> (&Mode, &Mode) {
        let segments = &self.trajectory.segments;
        (&segments[event].mode, &segments[(event + 1).min(segments.len() - 1)].mode)
    }

    /// What fired at an event: `a + b -> c` where `a` and `b` fired together and made `c` fire.
    pub(crate) fn event_names(&self, event: &Event) -> String {
        self.trajectory.names_of(event)
    }

    /// The names of guards.
    pub(crate) fn guard_names(&self, guards: &[usize]) -> Vec<&str> {
        guards.iter().map(|&g| self.trajectory.guard_names[g].as_str()).collect()
    }

    pub(crate) fn mode_name(&self, index: usize) -> &str {
        &self.plan.system.shape().mode_names[index]
    }

    pub(crate) fn has_modes(&self) -> bool {
        !self.file.model.modes.is_empty()
    }
}

/// A folder for results, made before the run, so that nothing is computed in vain.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
}

impl Folder {
    /// Makes the folder and tries to write to it.
    pub(crate) fn prepare(path: PathBuf) -> Result<Self, Trouble> {
        let folder = Self::create(path)?;
        folder.write("run.json", |file| file.write_all(b"{}"))?;
        Ok(folder)
    }

    /// Makes the folder if it is not there.
    pub(crate) fn create(path: PathBuf) -> Result<Self, Trouble> {
        std::fs::create_dir_all(&path).map_err(|error| Trouble::file("create", &path, &error))?;
        Ok(Self { path })
    }

    /// Writes a file under another name first: a file that is there is always whole.
    pub(crate) fn write(
        &self,
        name: &str,
        fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), Trouble> {
        let (path, part) = (self.path.join(name), self.path.join(format!("{name}.part")));
        let write = || -> io::Result<()> {
            let mut file = BufWriter::new(File::create(&part)?);
            fill(&mut file)?;
            file.flush()?;
            std::fs::rename(&part, &path)
        };
        write().map_err(|error| Trouble::file("write", &path, &error))
    }

    /// Writes all results, and takes away what is left of an earlier run.
    pub(crate) fn write_results(&self, result: &RunResult<'_>, with_parquet: bool) -> Result<(), Trouble> {
        let rows = table::Table::rows(result);
        self.write("trajectory.csv", |file| csv::trajectory(&rows, file))?;
        self.write("events.csv", |file| csv::events(result, file))?;
        self.write("run.json", |file| Ok(serde_json::to_writer_pretty(file, &run_json(result))?))?;
        self.write("report.html", |file| file.write_all(report::report(result).as_bytes()))?;
        if !with_parquet {
            // Absent is as good as removed.
            let _ = std::fs::remove_file(self.path.join("trajectory.parquet"));
            return Ok(());
        }
        let bytes = parquet::trajectory(&rows).map_err(|error| {
            Trouble::new("file", format!("cannot write trajectory.parquet: {error}"), "leave out `--parquet`")
        })?;
        self.write("trajectory.parquet", |file| file.write_all(&bytes))
    }
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
