//! `slipstick view`: run a model and write a page with its moving picture.

use super::Finish;
use crate::arguments::ViewArguments;
use crate::model_file::ModelFile;
use crate::progress::RunMonitor;
use crate::results::picture::picture_page;
use crate::results::{Folder, RunResult};
use crate::talk::{Trouble, data};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Writes the page and says where it is.
pub(crate) fn view(arguments: &ViewArguments, json: bool) -> Result<Finish, Trouble> {
    let watch = RunMonitor::begin(arguments.simulation.max_wall);
    let Some((file, plan)) = ModelFile::prepare_with(&arguments.simulation, &watch)? else {
        return Ok(Finish::Short);
    };
    check_picture(&file)?;
    let path = output_path(&file, arguments.out.as_deref(), "html");
    let (folder, name) = folder_and_name(&path)?;
    let result = RunResult::simulate(&file, &plan, watch);
    if let Some(trouble) = result.refusal() {
        return Err(trouble);
    }
    let page = picture_page(&result).ok_or_else(|| no_picture(&file))?;
    folder.write(&name, |file| std::io::Write::write_all(file, page.as_bytes()))?;
    say_where(&path, json);
    result.talk();
    Ok(result.finish(arguments.simulation.strict))
}

/// A model that draws nothing is refused before it runs.
pub(super) fn check_picture(file: &ModelFile) -> Result<(), Trouble> {
    if file.model.about.picture.is_empty() { Err(no_picture(file)) } else { Ok(()) }
}

pub(super) fn no_picture(file: &ModelFile) -> Trouble {
    let message = format!("`{}` does not say what it looks like", file.name);
    let hint =
        "add `[picture]` to the model, for example `picture.ball = { disc = 0.1, at = [\"x\", \"y\"] }`";
    Trouble::new("no-picture", message, hint)
}

/// Where to write to.
pub(super) fn output_path(file: &ModelFile, given: Option<&Path>, ending: &str) -> PathBuf {
    given.map_or_else(|| Path::new("runs").join(&file.stem).join(format!("picture.{ending}")), Path::to_owned)
}

/// The folder of a file, made if it is not there, and its name.
pub(super) fn folder_and_name(path: &Path) -> Result<(Folder, String), Trouble> {
    let Some(name) = path.file_name().map(|name| name.to_string_lossy().into_owned()) else {
        let message = format!("`{}` is no name of a file", path.display());
        return Err(Trouble::new("file", message, "give `--out` the name of a file"));
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok((Folder::create(folder.to_owned())?, name))
}

/// Says where the file is.
pub(super) fn say_where(path: &Path, json: bool) {
    let path = path.display().to_string();
    if json { data(json!({ "ok": true, "file": path })) } else { data(path) }
}
