//! `slipstick run`: a model in, a folder of results and a report out.

use super::Finish;
use super::check::count;
use crate::arguments::RunArguments;
use crate::model_file::ModelFile;
use crate::progress::RunMonitor;
use crate::results::{Folder, RunResult, number, run_json};
use crate::talk::{Trouble, column_width, data};
use slipstick::equations::{Border, System};
use std::path::{Path, PathBuf};

/// Runs a model, writes its results and prints a summary.
pub(crate) fn run(arguments: &RunArguments, json: bool) -> Result<Finish, Trouble> {
    let watch = RunMonitor::begin(arguments.simulation.max_wall);
    let Some((file, plan)) = ModelFile::prepare_with(&arguments.simulation, &watch)? else {
        return Ok(Finish::Short);
    };
    let folder = arguments.out.clone().unwrap_or_else(|| PathBuf::from("runs").join(&file.stem));
    let folder = Folder::prepare(folder)?;
    let result = RunResult::simulate(&file, &plan, watch);
    if let Some(trouble) = result.refusal() {
        return Err(trouble);
    }
    folder.write_results(&result, arguments.parquet)?;
    if json {
        data(run_json(&result));
    } else {
        print_summary(&result, &folder.path);
    }
    result.talk();
    Ok(result.finish(arguments.simulation.strict))
}

fn print_summary(result: &RunResult<'_>, folder: &Path) {
    let trajectory = &result.trajectory;
    let statistics = &trajectory.statistics;
    data(format!("{}: {}", result.file.title(), result.outcome_with_time(number)));
    let mut rows = vec![
        ("steps".to_owned(), format!("{} taken, {} rejected", statistics.accepted, statistics.rejected)),
        (
            "work".to_owned(),
            format!("{} right-hand sides, {} guard evaluations", statistics.derivatives, statistics.guards),
        ),
        ("events".to_owned(), events_in_words(result)),
    ];
    if statistics.shares.len() > 1 {
        rows.push(("methods".to_owned(), result.methods_in_words()));
    }
    let end_state = trajectory.state_names.iter().zip(trajectory.end_state()).take(6);
    rows.extend(end_state.map(|(name, value)| (format!("{name}(end)"), number(*value))));
    rows.extend(result.audit.iter().map(|audit| (audit.name.clone(), audit.in_words())));
    rows.extend(result.joints_in_words().map(|words| ("joints".to_owned(), words)));
    rows.extend(result.energy_in_words().map(|words| ("energy".to_owned(), words)));
    rows.extend(result.contacts_in_words().map(|words| ("contacts".to_owned(), words)));
    rows.push(("report".to_owned(), folder.join("report.html").display().to_string()));
    let width = column_width(rows.iter().map(|(label, _)| label.as_str()));
    for (label, text) in rows {
        data(format!("  {label:<width$}  {text}"));
    }
}

/// "7: floor 7" or "none".
fn events_in_words(result: &RunResult<'_>) -> String {
    let trajectory = &result.trajectory;
    let guards = &result.plan.system.shape().guards;
    // Corners that contacts go round are in the files.
    let is_shown = |g: &&usize| guards.get(**g).is_none_or(|guard| guard.border != Border::Corner);
    let shown = || trajectory.events.iter().filter(|event| !event.is_hidden());
    let fired = || shown().flat_map(|event| &event.guards).filter(is_shown);
    let times = |g: usize| fired().filter(|&&fired| fired == g).count();
    let all = (0..trajectory.guard_names.len()).map(|g| (trajectory.guard_names[g].as_str(), times(g)));
    let mut parts: Vec<(&str, usize)> = Vec::new();
    for (name, n) in all.filter(|(_, n)| *n > 0) {
        // Events of the same name in different modes are one thing to a reader.
        match parts.iter_mut().find(|(known, _)| *known == name) {
            Some(part) => part.1 += n,
            None => parts.push((name, n)),
        }
    }
    if parts.is_empty() {
        return "none".to_owned();
    }
    let names: Vec<String> = parts.iter().take(8).map(|(name, n)| format!("{name} {n}×")).collect();
    let more = if parts.len() > names.len() {
        format!(" and {} more", parts.len() - names.len())
    } else {
        String::new()
    };
    format!("{}: {}{more}", count(shown().count(), "event"), names.join(", "))
}
