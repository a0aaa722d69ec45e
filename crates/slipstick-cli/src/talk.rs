//! Talk to a person, on stderr: errors with their place in the file, notes, hints.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde_json::json;
use slipstick::model::Diagnostic;
use slipstick::trajectory::Severity;
use std::path::Path;

/// Why a command could not do what it was asked.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The model has errors.
    Model { file: String, text: String, diagnostics: Vec<Diagnostic> },
    /// Something else, with its code and cure.
    Other { code: &'static str, message: String, hint: String },
}

impl Trouble {
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
            Self::Model { file, text, diagnostics } => {
                for diagnostic in diagnostics {
                    anstream::eprintln!("{}\n", render(file, text, diagnostic));
                }
                let (count, s) = (diagnostics.len(), if diagnostics.len() == 1 { "" } else { "s" });
                anstream::eprintln!(
                    "{file}: {count} error{s}; `slipstick explain CODE` tells more about each"
                );
                if json {
                    let list = diagnostics_json(text, diagnostics);
                    data(json!({ "ok": false, "file": file, "errors": list }));
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
    anstream::eprintln!("{}", renderer().render(report));
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
    anstream::eprintln!("{}", renderer().render(report));
}

/// Places of errors in a form for programs: line and column count from one, columns in characters.
pub(crate) fn diagnostics_json(text: &str, diagnostics: &[Diagnostic]) -> Vec<serde_json::Value> {
    let one = |d: &Diagnostic| {
        let start = d.span.as_ref().map_or(0, |s| s.start.min(text.len()));
        let before = text.get(..start).unwrap_or("");
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let (line, column) = (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1);
        json!({ "code": d.code, "message": d.message, "hint": d.hint, "line": line, "column": column })
    };
    diagnostics.iter().map(one).collect()
}

/// An error with file, line, column, caret and hint.
pub(crate) fn render(file: &str, text: &str, diagnostic: &Diagnostic) -> String {
    let span = diagnostic.span.clone().unwrap_or(0..0);
    let span = clamp_to_text(span, text);
    let mut annotation = AnnotationKind::Primary.span(span);
    if !diagnostic.label.is_empty() {
        annotation = annotation.label(&diagnostic.label);
    }
    let snippet = Snippet::source(text).path(file).annotation(annotation);
    let mut group = Level::ERROR.primary_title(&diagnostic.message).id(diagnostic.code).element(snippet);
    if let Some(hint) = &diagnostic.hint {
        group = group.element(hint_level().message(hint));
    }
    renderer().render(&[group])
}

/// A span that the text has, on character boundaries.
fn clamp_to_text(span: std::ops::Range<usize>, text: &str) -> std::ops::Range<usize> {
    let floor = |i: usize| (0..=i.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
    let (start, end) = (floor(span.start), floor(span.end));
    start..end.max(start)
}

fn hint_level() -> Level<'static> {
    Level::HELP.with_name("hint")
}

fn renderer() -> Renderer {
    Renderer::styled().decor_style(DecorStyle::Ascii)
}

/// Writes a line of data to stdout. A reader that has seen enough and gone away ends the program quietly.
pub(crate) fn data(line: impl std::fmt::Display) {
    use std::io::Write;
    match writeln!(std::io::stdout().lock(), "{line}") {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            self::error("file", &format!("cannot write to stdout: {error}"), "check where the output goes");
            std::process::exit(2);
        }
    }
}
