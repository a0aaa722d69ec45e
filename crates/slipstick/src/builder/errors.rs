//! Errors of a model that was built: the same codes and words as of a file, with the part in the place of a line.

use super::print::PrintedModel;
use crate::model::Diagnostic;
use std::fmt::{self, Display, Formatter};

/// Everything that is wrong with a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildErrors(pub Vec<BuildError>);

/// One thing that is wrong with a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    /// The part that it is about, with its section: `bodies.crank`.
    pub part: Option<String>,
    /// A stable word that `slipstick explain` knows.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// The cure.
    pub hint: Option<String>,
}

impl BuildError {
    /// A name that was given to two parts of a kind.
    pub(super) fn twice(section: &str, name: &str) -> Self {
        Self {
            part: Some(format!("{section}.{name}")),
            code: "duplicate-name",
            message: format!("there are two `{name}` in `{section}`: the first is kept"),
            hint: Some("give one of them another name".to_owned()),
        }
    }

    /// What the reader of files found, with the part that stands there.
    pub(super) fn placed(error: Diagnostic, printed: &PrintedModel) -> Self {
        let part = error.span.filter(|span| !span.is_empty()).and_then(|span| printed.part_at(span.start));
        Self { part: part.map(str::to_owned), code: error.code, message: error.message, hint: error.hint }
    }
}

impl Display for BuildError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]", self.code)?;
        if let Some(part) = &self.part {
            write!(f, " in {part}")?;
        }
        write!(f, ": {}", self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " (hint: {hint})"),
            None => Ok(()),
        }
    }
}

impl Display for BuildErrors {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            write!(f, "{}{error}", if i == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for BuildError {}

impl std::error::Error for BuildErrors {}
