//! `slipstick check`: is a model right, without running it?

use super::Finish;
use crate::model_file::ModelFile;
use crate::talk::{Trouble, data};
use serde_json::json;
use slipstick::simulate::{Assembly, Overrides, assemble, explain_start};
use std::path::{Path, PathBuf};

/// Checks each model and reports all errors of all of them.
pub(crate) fn check(models: &[PathBuf], json: bool) -> Result<Finish, Trouble> {
    let mut all_right = true;
    for path in models {
        match check_one(path) {
            Ok((file, assembly)) => report_good(path, (&file, assembly.as_ref()), json),
            // A file that cannot be read is not a model that is wrong.
            Err(trouble @ Trouble::Other { code: "file", .. }) => return Err(trouble),
            Err(trouble) => {
                all_right = false;
                trouble.tell(json);
            }
        }
    }
    Ok(Finish::done_if(all_right))
}

/// Reads a model, and puts its mechanism together if it has one.
fn check_one(path: &Path) -> Result<(ModelFile, Option<Assembly>), Trouble> {
    let file = ModelFile::load(path)?;
    let overrides = Overrides::default();
    let plan = file.plan(path, &overrides)?;
    let assembly = assemble(&plan).map_err(|error| match explain_start(&file.model, &error, &overrides) {
        Some(diagnostic) => Trouble::model(path, &file.sources, vec![diagnostic]),
        None => Trouble::new(error.code(), error.to_string(), error.hint()),
    })?;
    Ok((file, assembly))
}

fn report_good(path: &Path, (file, assembly): (&ModelFile, Option<&Assembly>), json: bool) {
    let model = &file.model;
    let (states, modes) = (model.states.len(), model.modes.len());
    let (events, switches) = (model.all_events().count(), model.switches.len());
    let path = path.display().to_string();
    if json {
        let counts = json!({ "states": states, "events": events, "switches": switches, "modes": modes });
        let mut value = json!({ "ok": true, "file": path, "title": file.title(), "counts": counts });
        if !model.about.left_out.is_empty() {
            value["left_out"] = json!(model.about.left_out);
        }
        if let Some(assembly) = assembly {
            value["mechanism"] = assembly_json(assembly);
        }
        data(value);
    } else {
        let parts = [(states, "state"), (events, "event"), (switches, "switch"), (modes, "mode")];
        let parts: Vec<String> =
            parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| count(*n, word)).collect();
        data(format!("{path}: ok ({})", parts.join(", ")));
        model.about.left_out.iter().for_each(|line| data(format!("  {line}")));
        assembly.map(assembly_in_words).into_iter().flatten().for_each(|line| data(format!("  {line}")));
    }
}

/// What there is to know of a mechanism, a line each.
fn assembly_in_words(assembly: &Assembly) -> Vec<String> {
    let driven = if assembly.driven > 0 { format!(", {} driven", assembly.driven) } else { String::new() };
    let mut lines = vec![format!(
        "degrees of freedom {} (Grübler {}, rank {} of {} rows){driven}",
        assembly.degrees_of_freedom(),
        assembly.gruebler(),
        assembly.rank,
        assembly.rows
    )];
    if !assembly.redundant.is_empty() {
        let names: Vec<String> = assembly.redundant.iter().map(|name| format!("`{name}`")).collect();
        lines.push(format!("redundant {}: the others say as much, and they share forces", names.join(", ")));
    }
    let most = assembly.moved.iter().max_by(|a, b| (a.1 - a.2).abs().total_cmp(&(b.1 - b.2).abs()));
    if let Some((name, from, to)) = most {
        let count = assembly.moved.len();
        lines.push(format!(
            "moved {}, `{name}` most: from {from:.6} to {to:.6}",
            self::count(count, "coordinate")
        ));
    }
    if assembly.degrees_of_freedom() <= assembly.driven {
        lines.push("nothing is left free: it moves as it is driven, or stands still".to_owned());
    }
    lines
}

fn assembly_json(assembly: &Assembly) -> serde_json::Value {
    let moved = assembly.moved.iter().map(|(name, from, to)| json!({ "name": name, "from": from, "to": to }));
    json!({
        "degrees_of_freedom": assembly.degrees_of_freedom(),
        "gruebler": assembly.gruebler(),
        "rows": assembly.rows,
        "rank": assembly.rank,
        "driven": assembly.driven,
        "redundant": assembly.redundant,
        "moved": moved.collect::<Vec<_>>(),
    })
}

/// "1 event", "2 switches".
pub(crate) fn count(n: usize, word: &str) -> String {
    let ending = match (n, word.ends_with("ch")) {
        (1, _) => "",
        (_, true) => "es",
        _ => "s",
    };
    format!("{n} {word}{ending}")
}
