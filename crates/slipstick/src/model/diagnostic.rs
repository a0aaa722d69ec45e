//! An error in a model: what, where, and the cure.

use std::fmt;
use std::ops::Range;

/// An error in a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// A stable word that `slipstick explain` knows.
    pub code: &'static str,
    /// What is wrong, in the user's words.
    pub message: String,
    /// The bytes of the file that it is about.
    pub span: Option<Range<usize>>,
    /// A remark to stand beside the place.
    pub label: String,
    /// The cure.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn new(code: &'static str, span: Range<usize>, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), span: Some(span), label: String::new(), hint: None }
    }

    /// Adds a remark beside the place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds the cure.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " (hint: {hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Diagnostic {}
