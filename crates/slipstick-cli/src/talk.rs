//! Talk to a person, on stderr: errors with their place in the file, notes, hints.

use crate::lines::Lines;
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use serde_json::json;
use slipstick::model::{Diagnostic, Sources};
use slipstick::trajectory::Severity;
use std::io::Write;
use std::path::Path;

/// Why a command could not do what it was asked.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The model has errors.
    Model { file: String, list: Vec<FileErrors> },
    /// Something else, with its code and cure.
    Other { code: &'static str, message: String, hint: String },
}

/// The errors in one file of a model.
#[derive(Debug)]
pub(crate) struct FileErrors {
    file: String,
    text: String,
    diagnostics: Vec<Diagnostic>,
}

impl Trouble {
    /// Errors of a model, each in the file where it stands.
    pub(crate) fn model(path: &Path, sources: &Sources, diagnostics: Vec<Diagnostic>) -> Self {
        let own = path.display().to_string();
        let mut list: Vec<FileErrors> = Vec::new();
        for mut diagnostic in diagnostics {
            let place = sources.place(diagnostic.span.as_ref().unwrap_or(&(0..0)));
            let of_part = |part| path.parent().unwrap_or(Path::new("")).join(part).display().to_string();
            let file = place.path.map_or_else(|| own.clone(), of_part);
            diagnostic.span = diagnostic.span.map(|_| place.span.clone());
            if let Some(errors) = list.iter_mut().find(|errors| errors.file == file) {
                errors.diagnostics.push(diagnostic);
            } else {
                list.push(FileErrors { file, text: place.text.to_owned(), diagnostics: vec![diagnostic] });
            }
        }
        Self::Model { file: own, list }
    }

    pub(crate) fn new(code: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Other { code, message: message.into(), hint: hint.into() }
    }

    /// A file that could not be read or written.
    pub(crate) fn file(verb: &str, path: &Path, error: &std::io::Error) -> Self {
        let message = format!("cannot {verb} `{}`: {error}", path.display());
        Self::new("file", message, "check the path and its permissions")
    }

    /// Says what is wrong: to a person, and with `--json` also as data.
    pub(crate) fn tell(&self, json: bool) {
        match self {
            Self::Model { file, list } => {
                for FileErrors { file, text, diagnostics } in list {
                    let lines = Lines::new(text);
                    for one in diagnostics {
                        line(&format!("{}\n", render(file, &lines, one)));
                    }
                }
                let count: usize = list.iter().map(|errors| errors.diagnostics.len()).sum();
                let s = if count == 1 { "" } else { "s" };
                line(&format!("{file}: {count} error{s}; `slipstick explain CODE` tells more about each"));
                if json {
                    let all = list.iter().flat_map(|errors| {
                        let part = (errors.file != *file).then_some(errors.file.as_str());
                        diagnostics_json(&errors.text, &errors.diagnostics, part)
                    });
                    data(json!({ "ok": false, "file": file, "errors": all.collect::<Vec<_>>() }));
                }
            }
            Self::Other { code, message, hint } => {
                error(code, message, hint);
                if json {
                    let error = json!({ "code": code, "message": message, "hint": hint });
                    data(json!({ "ok": false, "errors": [error] }));
                }
            }
        }
    }
}

/// An error that has no place in a file.
pub(crate) fn error(code: &str, message: &str, hint: &str) {
    say(Level::ERROR, code, message, hint);
}

/// Something that did not go all the way.
pub(crate) fn warning(code: &str, message: &str, hint: &str) {
    say(Level::WARNING, code, message, hint);
}

fn say(level: Level<'_>, code: &str, message: &str, hint: &str) {
    let title = level.primary_title(message).id(code);
    let report = &[title.element(hint_level().message(hint))];
    line(&renderer().render(report));
}

/// Writes a line to stderr. If nobody can read it, as when the terminal is gone, nothing is lost.
pub(crate) fn line(text: &str) {
    let stream = std::io::stderr();
    let _ = match AutoStream::choice(&stream) {
        // At once, and not word by word as with colours.
        ColorChoice::Never => stream.lock().write_all(format!("{}\n", strip_str(text)).as_bytes()),
        _ => writeln!(anstream::stderr().lock(), "{text}"),
    };
}

/// The widest column of a table, in characters. Longer entries move the rest of their line.
const WIDEST: usize = 60;

/// How wide a column of such texts is.
pub(crate) fn column_width<'t>(texts: impl Iterator<Item = &'t str>) -> usize {
    texts.map(|text| text.chars().count()).max().unwrap_or(0).min(WIDEST)
}

/// A note.
pub(crate) fn note(code: &str, text: &str) {
    remark(Severity::Note, code, text);
}

/// A warning or a note about a run.
pub(crate) fn remark(severity: Severity, code: &str, text: &str) {
    let level = match severity {
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let report = &[Group::with_title(level.primary_title(text).id(code))];
    line(&renderer().render(report));
}

/// Places of errors in a form for programs: line and column count from one, columns in characters.
/// What stands in a file of a part says so.
fn diagnostics_json(text: &str, diagnostics: &[Diagnostic], part: Option<&str>) -> Vec<serde_json::Value> {
    let lines = Lines::new(text);
    let one = |d: &Diagnostic| {
        let (line, column) = lines.position(d.span.as_ref().map_or(0, |s| s.start));
        let mut one =
            json!({ "code": d.code, "message": d.message, "hint": d.hint, "line": line, "column": column });
        if let Some(part) = part {
            one["file"] = json!(part);
        }
        one
    };
    diagnostics.iter().map(one).collect()
}

/// The most bytes of a long line shown on each side of an error; about a hundred characters result.
const SHOWN: usize = 1000;

/// An error with file, line, column, caret and hint.
pub(crate) fn render(file: &str, lines: &Lines<'_>, diagnostic: &Diagnostic) -> String {
    let span = lines.clamp(diagnostic.span.clone().unwrap_or(0..0));
    let (around, number) = lines.around(&span);
    // Of a long line only what is near is looked at: there may be as many errors in it as words.
    let from = around.start.max(lines.floor(span.start.saturating_sub(SHOWN)));
    let end = around.end.min(lines.floor(span.end.min(span.start + SHOWN) + SHOWN)).max(from);
    let cut = (from, end) != (around.start, around.end);
    let shown = span.start - from..span.end.min(end) - from;
    let mut annotation = AnnotationKind::Primary.span(shown);
    if !diagnostic.label.is_empty() {
        annotation = annotation.label(&diagnostic.label);
    }
    let snippet = Snippet::source(&lines.text()[from..end]).line_start(number).annotation(annotation);
    let title = Level::ERROR.primary_title(&diagnostic.message).id(diagnostic.code);
    let mut group = if cut {
        let (line, column) = lines.position(span.start);
        title.element(Origin::path(file).line(line).char_column(column)).element(snippet)
    } else {
        title.element(snippet.path(file))
    };
    if let Some(hint) = &diagnostic.hint {
        group = group.element(hint_level().message(hint));
    }
    renderer().render(&[group])
}

fn hint_level() -> Level<'static> {
    Level::HELP.with_name("hint")
}

fn renderer() -> Renderer {
    Renderer::styled().decor_style(DecorStyle::Ascii)
}

/// Writes a line of data to stdout. A reader that has seen enough and gone away ends the program quietly.
pub(crate) fn data(line: impl std::fmt::Display) {
    match writeln!(std::io::stdout().lock(), "{line}") {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            self::error("file", &format!("cannot write to stdout: {error}"), "check where the output goes");
            std::process::exit(2);
        }
    }
}
