//! A model file on disk: read, checked, planned, with the wishes of the command line.

use crate::arguments::SimulationArguments;
use crate::progress::RunMonitor;
use crate::talk::{self, Trouble};
use sha2::{Digest, Sha256};
use slipstick::model::{Diagnostic, Model, Sources};
use slipstick::simulate::{Overrides, Plan, method_hint};
use slipstick::step::{Method, Tolerances};
use std::path::Path;

/// A model with the file that it came from.
pub(crate) struct ModelFile {
    /// The file's name, without its folder.
    pub(crate) name: String,
    /// The name without its ending.
    pub(crate) stem: String,
    /// Its text, and the texts of the files that its parts use.
    pub(crate) sources: Sources,
    /// SHA-256 of all texts.
    pub(crate) hash: String,
    pub(crate) model: Model,
}

impl ModelFile {
    /// Reads and checks a model file.
    pub(crate) fn load(path: &Path) -> Result<Self, Trouble> {
        let bytes = std::fs::read(path).map_err(|error| Trouble::file("read", path, &error))?;
        let text = String::from_utf8(bytes).map_err(|_| {
            let message = format!("`{}` is not a text file in UTF-8", path.display());
            Trouble::new("file", message, "save it as UTF-8, or check that it is the model file")
        })?;
        let name = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let stem = path.file_stem().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        // A stem of dots alone would lead out of the folder for results.
        let stem = if stem.trim_matches('.').is_empty() { "model".to_owned() } else { stem };
        let folder = path.parent().unwrap_or(Path::new(""));
        let sources = Sources::gather(&text, &mut |path| part_text(folder, path));
        match Plan::read_sources(&sources) {
            Ok(model) => {
                let hash = Sha256::digest(sources.text().as_bytes())
                    .iter()
                    .fold(String::new(), |hex, b| hex + &format!("{b:02x}"));
                Ok(Self { name, stem, sources, hash, model })
            }
            Err(diagnostics) => Err(Trouble::model(path, &sources, diagnostics)),
        }
    }

    /// Reads a model and plans a run within the limits of the command; none if they are reached, with a
    /// message.
    pub(crate) fn prepare(
        path: &Path,
        watch: &RunMonitor,
        plan: impl FnOnce(&Self) -> Result<Plan, Trouble> + Send + 'static,
    ) -> Result<Option<(Self, Plan)>, Trouble> {
        let path = path.to_owned();
        let work = move || {
            let file = Self::load(&path)?;
            let plan = plan(&file)?;
            Ok((file, plan))
        };
        match watch.wait_for(work) {
            Ok(prepared) => prepared.map(Some),
            Err(stop) => {
                let message = format!("{} before the model was read", stop.reason);
                talk::warning(stop.code, &message, "raise `--max-wall`, or make the model smaller");
                Ok(None)
            }
        }
    }

    /// The same, as the command line wishes.
    pub(crate) fn prepare_with(
        arguments: &SimulationArguments,
        watch: &RunMonitor,
    ) -> Result<Option<(Self, Plan)>, Trouble> {
        let wishes = arguments.clone();
        Self::prepare(&arguments.model, watch, move |file| file.plan_with(&wishes))
    }

    /// What to call it.
    pub(crate) fn title(&self) -> &str {
        self.model.about.title.as_deref().unwrap_or(&self.stem)
    }

    /// Plans a run as the model says.
    pub(crate) fn plan(&self, path: &Path, overrides: &Overrides) -> Result<Plan, Trouble> {
        Plan::new(&self.model, overrides).map_err(|diagnostics: Vec<Diagnostic>| {
            match diagnostics.as_slice() {
                // What the command line says has no place in the file.
                [one] if one.span.is_none() => {
                    Trouble::new(one.code, &*one.message, one.hint.as_deref().unwrap_or_default())
                }
                _ => Trouble::model(path, &self.sources, diagnostics),
            }
        })
    }

    /// Plans a run as the model says, and as the command line wishes.
    fn plan_with(&self, arguments: &SimulationArguments) -> Result<Plan, Trouble> {
        self.check_settings(&arguments.settings)?;
        let method = arguments.method.as_deref().map(find_method).transpose()?;
        let overrides = Overrides { parameters: arguments.settings.clone(), until: arguments.until, method };
        let mut plan = self.plan(&arguments.model, &overrides)?;
        let options = &mut plan.options;
        if let Some(rtol) = arguments.rtol {
            options.tolerances = Tolerances::uniform(rtol, rtol * 1e-2);
        }
        options.limits.events = arguments.max_events.unwrap_or(options.limits.events);
        options.limits.steps = arguments.max_steps.unwrap_or(options.limits.steps);
        Ok(plan)
    }

    /// Every setting must be a parameter of the model: nothing is accepted and then ignored.
    pub(crate) fn check_settings(&self, settings: &[(String, f64)]) -> Result<(), Trouble> {
        let names = || self.model.parameters.iter().map(|d| d.name.as_str());
        match settings.iter().find(|(name, _)| !names().any(|n| n == name)) {
            None => Ok(()),
            Some((name, _)) => {
                let message = format!("`--set {name}`: the model has no parameter `{name}`");
                Err(Trouble::new("unknown-name", message, suggestion(name, names())))
            }
        }
    }
}

/// The text of a file that a part uses, below the folder of the model.
fn part_text(folder: &Path, path: &str) -> Result<String, String> {
    let file = folder.join(path);
    let in_words = |error: std::io::Error| format!("cannot read it: {error}");
    // A link may lead out of the folder.
    let below = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let found = file.canonicalize().map_err(in_words)?;
    if !found.starts_with(below.canonicalize().map_err(in_words)?) {
        return Err("it is outside of the folder of the model".to_owned());
    }
    let bytes = std::fs::read(&found).map_err(in_words)?;
    String::from_utf8(bytes).map_err(|_| "it is not a text file in UTF-8".to_owned())
}

/// The method of that name, or the names there are.
pub(crate) fn find_method(name: &str) -> Result<Method, Trouble> {
    Method::from_name(name)
        .ok_or_else(|| Trouble::new("unknown-method", format!("unknown method `{name}`"), method_hint(name)))
}

/// "did you mean …?", or the list of what there is.
pub(crate) fn suggestion<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    match slipstick::expr::nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "there is nothing of that kind here".to_owned(),
        None => format!("there is {}", known.join(", ")),
    }
}
