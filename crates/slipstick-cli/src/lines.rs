//! Where things stand in a text, by line and column: found once for many places.

use std::cell::Cell;
use std::ops::Range;

/// A text and where its lines begin.
pub(crate) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    /// The last place whose column was counted, and that: the next is often in the same line.
    last: Cell<(usize, usize)>,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let after = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(i, _)| i + 1);
        Self { text, starts: std::iter::once(0).chain(after).collect(), last: Cell::new((0, 1)) }
    }

    /// The line of a place, from zero on.
    fn line(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at) - 1
    }

    /// Line and column of a place, both from one on; columns are counted in characters.
    pub(crate) fn position(&self, at: usize) -> (usize, usize) {
        let at = self.floor(at);
        let line = self.line(at);
        let (from, column) = match self.last.get() {
            (last, column) if (self.starts[line]..=at).contains(&last) => (last, column),
            _ => (self.starts[line], 1),
        };
        let column = column + self.text[from..at].chars().count();
        self.last.set((at, column));
        (line + 1, column)
    }

    /// The lines that a span is in, without the end of the last, and their number, from one on.
    pub(crate) fn around(&self, span: &Range<usize>) -> (Range<usize>, usize) {
        let (first, last) = (self.line(span.start), self.line(span.end.max(span.start)));
        let end = self.starts.get(last + 1).map_or(self.text.len(), |next| next - 1);
        (self.starts[first]..end, first + 1)
    }

    /// A span that the text has, on character boundaries.
    pub(crate) fn clamp(&self, span: Range<usize>) -> Range<usize> {
        let (start, end) = (self.floor(span.start), self.floor(span.end));
        start..end.max(start)
    }

    /// The last character boundary that is not after a place.
    pub(crate) fn floor(&self, at: usize) -> usize {
        let at = at.min(self.text.len());
        (0..=at).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0)
    }

    pub(crate) fn text(&self) -> &'t str {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn places_have_lines_and_columns_in_characters() {
        let lines = Lines::new("a = 1\nφψ = \"é\"\n\nend");
        let at = |place: usize| lines.position(place);
        assert_eq!([at(0), at(4), at(5), at(6)], [(1, 1), (1, 5), (1, 6), (2, 1)]);
        // Inside a character, and back again.
        assert_eq!([at(10), at(7), at(11), at(8)], [(2, 3), (2, 1), (2, 4), (2, 2)]);
        assert_eq!([at(18), at(19), at(999)], [(3, 1), (4, 1), (4, 4)]);
    }

    #[test]
    fn spans_have_the_lines_around_them() {
        let lines = Lines::new("one\ntwo\nthree");
        assert_eq!(lines.around(&(5..6)), (4..7, 2));
        assert_eq!(lines.around(&(2..9)), (0..13, 1));
        assert_eq!(lines.around(&(13..13)), (8..13, 3));
        assert_eq!(Lines::new("").around(&(0..0)), (0..0, 1));
    }
}
