//! A model as the text of a file, and which part stands where in it.

use super::value::{FileTable, Key};
use std::fmt::Write;

/// The text of a model.
pub(super) struct PrintedModel {
    pub(super) text: String,
    /// Where the line of each part begins, with its section and name.
    parts: Vec<(usize, String)>,
}

impl PrintedModel {
    pub(super) fn new(top: &FileTable, sections: &[(&'static str, FileTable)]) -> Self {
        let mut printed = Self { text: String::new(), parts: Vec::new() };
        printed.lines("", top);
        for (section, table) in sections.iter().filter(|(_, table)| !table.is_empty()) {
            printed.text.push_str(if printed.text.is_empty() { "" } else { "\n" });
            // Writing to a string does not fail.
            let _ = writeln!(printed.text, "[{section}]");
            printed.lines(&format!("{section}."), table);
        }
        printed
    }

    /// One line for each entry.
    fn lines(&mut self, section: &str, table: &FileTable) {
        for (key, value) in table.entries() {
            self.parts.push((self.text.len(), format!("{section}{key}")));
            let _ = writeln!(self.text, "{} = {value}", Key(key));
        }
    }

    /// The part whose line a place is in.
    pub(super) fn part_at(&self, place: usize) -> Option<&str> {
        let found = self.parts.iter().rev().find(|(start, _)| *start <= place)?;
        let line = &self.text[found.0..];
        let end = found.0 + line.find('\n').unwrap_or(line.len());
        (place < end).then_some(found.1.as_str())
    }
}
