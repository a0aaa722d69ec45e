//! `slipstick check`: is a model right, without running it?

use super::Finish;
use crate::model_file::ModelFile;
use crate::talk::{Trouble, data};
use serde_json::json;
use slipstick::simulate::Overrides;
use std::path::{Path, PathBuf};

/// Checks each model and reports all errors of all of them.
pub(crate) fn check(models: &[PathBuf], json: bool) -> Result<Finish, Trouble> {
    let mut all_right = true;
    for path in models {
        match check_one(path) {
            Ok(file) => report_good(path, &file, json),
            // A file that cannot be read is not a model that is wrong.
            Err(trouble @ Trouble::Other { .. }) => return Err(trouble),
            Err(trouble) => {
                all_right = false;
                trouble.tell(json);
            }
        }
    }
    Ok(Finish::done_if(all_right))
}

fn check_one(path: &Path) -> Result<ModelFile, Trouble> {
    let file = ModelFile::load(path)?;
    file.plan(path, &Overrides::default())?;
    Ok(file)
}

fn report_good(path: &Path, file: &ModelFile, json: bool) {
    let model = &file.model;
    let (states, modes) = (model.states.len(), model.modes.len());
    let (events, switches) = (model.all_events().count(), model.switches.len());
    let path = path.display().to_string();
    if json {
        let counts = json!({ "states": states, "events": events, "switches": switches, "modes": modes });
        data(json!({ "ok": true, "file": path, "title": file.title(), "counts": counts }));
    } else {
        let parts = [(states, "state"), (events, "event"), (switches, "switch"), (modes, "mode")];
        let parts: Vec<String> =
            parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| count(*n, word)).collect();
        data(format!("{path}: ok ({})", parts.join(", ")));
    }
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
