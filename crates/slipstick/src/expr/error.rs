//! The error of reading a formula: where, what, and the cure.
//!
//! In: a place in the text and plain words. Out: a value the caller can
//! underline in the user's file.

use std::fmt;
use std::ops::Range;

/// Longer pieces of the user's text are cut when a message quotes them.
const LONGEST_QUOTE: usize = 40;

/// Why a text is not a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The bytes of the text that are wrong.
    pub span: Range<usize>,
    /// What is wrong, in lower case and in the user's words.
    pub message: String,
    /// How to cure it, where that is known.
    pub hint: Option<String>,
}

impl ParseError {
    pub(crate) fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(out, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {}

/// `text` in backquotes, cut if it is long: a megabyte name must not become a
/// megabyte message.
pub(crate) fn quoted(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_joins_message_and_hint() {
        let plain = ParseError::new(0..1, "`=` is not an operator");
        assert_eq!(plain.to_string(), "`=` is not an operator");
        let cured = plain.hint("write `==`");
        assert_eq!(cured.to_string(), "`=` is not an operator (write `==`)");
    }

    #[test]
    fn long_quotes_are_cut_at_a_character() {
        let cut = quoted(&"φ".repeat(1000));
        assert_eq!(cut, format!("`{}…`", "φ".repeat(40)));
        assert_eq!(quoted("x"), "`x`");
    }
}
