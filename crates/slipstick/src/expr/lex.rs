//! Cuts the text of a formula into tokens.
//!
//! In: the text. Out: one token at a time with its byte span, or an error that
//! names the character and, for notations of other languages, the cure.

use crate::expr::complain;
use crate::expr::error::{ParseError, quoted};
use std::ops::Range;

/// The smallest piece of a formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token {
    Number(f64),
    /// A name, a function or one of the words `and or not if pi`.
    Word,
    Symbol(Symbol),
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    Plus,
    Minus,
    Star,
    Slash,
    Caret,
    Open,
    Close,
    Comma,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
}

#[derive(Clone)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    position: usize,
}

/// Notations of other languages. Longer ones first: `**` before `*`.
const FOREIGN: [(&str, &str); 36] = [
    ("**", "write `^` for a power"),
    ("&&", "write `and`"),
    ("||", "write `or`"),
    ("<>", "write `!=`"),
    ("=<", "write `<=`"),
    ("=>", "write `>=`"),
    (":=", "write `==` to compare"),
    ("=", "write `==` to compare"),
    ("!", "write `not`"),
    ("&", "write `and`"),
    ("|", "write `or`"),
    ("%", "write `mod(a, b)`"),
    ("?", "write `if(condition, a, b)`"),
    (":", "write `if(condition, a, b)`"),
    ("[", "write `(`"),
    ("]", "write `)`"),
    ("{", "write `(`"),
    ("}", "write `)`"),
    ("\u{2212}", "write the ASCII minus `-`"),
    ("\u{2013}", "write the ASCII minus `-`"),
    ("\u{2014}", "write the ASCII minus `-`"),
    ("\u{d7}", "write the ASCII asterisk `*`"),
    ("\u{b7}", "write the ASCII asterisk `*`"),
    ("\u{22c5}", "write the ASCII asterisk `*`"),
    ("\u{2217}", "write the ASCII asterisk `*`"),
    ("\u{f7}", "write the ASCII slash `/`"),
    ("\u{2215}", "write the ASCII slash `/`"),
    ("\u{2264}", "write `<=`"),
    ("\u{2265}", "write `>=`"),
    ("\u{2260}", "write `!=`"),
    ("\u{b2}", "write `^2`"),
    ("\u{b3}", "write `^3`"),
    ("\u{221a}", "write `sqrt(x)`"),
    ("\u{b0}", "angles are in radians: write `* pi / 180`"),
    ("\u{a0}", "replace the no-break space by a space"),
    ("\u{221e}", "formulas use finite numbers only"),
];

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, position: 0 }
    }

    /// Goes on reading at a later place: a unit is read apart.
    pub(crate) fn go_on_at(&mut self, position: usize) {
        self.position = position;
    }

    /// The next token and its bytes; `End` forever once the text is used up.
    pub(crate) fn next(&mut self) -> Result<(Token, Range<usize>), ParseError> {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.position), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.position += 1;
        }
        let start = self.position;
        let token = match self.text[start..].chars().next() {
            None => Token::End,
            Some('0'..='9' | '.') => self.number()?,
            Some(letter) if starts_name(letter) => self.word()?,
            Some(_) => self.symbol()?,
        };
        Ok((token, start..self.position))
    }

    fn symbol(&mut self) -> Result<Token, ParseError> {
        let rest = &self.text[self.position..];
        let pair = rest.as_bytes().get(..2);
        let double = match pair {
            Some(b"<=") => Some(Symbol::LessEqual),
            Some(b">=") => Some(Symbol::GreaterEqual),
            Some(b"==") => Some(Symbol::Equal),
            Some(b"!=") => Some(Symbol::NotEqual),
            _ => None,
        };
        if let Some(symbol) = double {
            self.position += 2;
            return Ok(Token::Symbol(symbol));
        }
        // Ordinary symbols first: the long table is only for errors.
        let misleading = matches!(pair, Some(b"**" | b"<>"));
        if let (false, Some(symbol)) = (misleading, single(rest)) {
            self.position += 1;
            return Ok(Token::Symbol(symbol));
        }
        match FOREIGN.iter().find(|(wrong, _)| rest.starts_with(wrong)) {
            Some((wrong, cure)) => Err(self.foreign(wrong, cure)),
            None => Err(self.stray()),
        }
    }

    fn foreign(&self, wrong: &str, cure: &str) -> ParseError {
        let span = self.position..self.position + wrong.len();
        ParseError::new(span, format!("`{wrong}` is not part of a formula")).hint(cure)
    }

    fn stray(&self) -> ParseError {
        let letter = self.text[self.position..].chars().next().unwrap_or(' ');
        let span = self.position..self.position + letter.len_utf8();
        let code = u32::from(letter);
        // Invisible characters are named by number: quoting would show nothing.
        if letter.is_control() || letter.is_whitespace() || is_invisible(letter) {
            let message = format!("invisible character U+{code:04X} in the formula");
            return ParseError::new(span, message).hint("delete it");
        }
        ParseError::new(span, format!("unexpected character `{letter}`"))
    }

    fn word(&mut self) -> Result<Token, ParseError> {
        let start = self.position;
        self.name_part();
        self.index()?;
        while self.text[self.position..].starts_with('.') {
            self.position += 1;
            let begins = self.text[self.position..].chars().next();
            if !begins.is_some_and(starts_name) {
                let word = quoted(&self.text[start..self.position]);
                let message = format!("{word} ends with a dot");
                return Err(ParseError::new(start..self.position, message)
                    .hint("a dotted name looks like `wheel.speed`"));
            }
            self.name_part();
            self.index()?;
        }
        // The speed of a coordinate: `x'`.
        while self.peek() == Some(b'\'') {
            self.position += 1;
        }
        Ok(Token::Word)
    }

    fn name_part(&mut self) {
        let rest = &self.text[self.position..];
        let end = rest.find(|letter| !continues_name(letter));
        self.position += end.unwrap_or(rest.len());
    }

    /// Which one of many: `link[3]`, `touch[0,4]`.
    fn index(&mut self) -> Result<(), ParseError> {
        if self.peek() != Some(b'[') {
            return Ok(());
        }
        let start = self.position;
        let rest = &self.text[start + 1..];
        let end = rest.find(']').unwrap_or(rest.len());
        let numbers = rest[..end].split(',');
        let are_whole = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if end == rest.len() || !numbers.into_iter().all(are_whole) {
            let message =
                format!("{} is no index", quoted(&self.text[start..(start + end + 2).min(self.text.len())]));
            let hint = "an index is a whole number in brackets right after a name, as in `link[3].x`";
            return Err(ParseError::new(start..start + 1, message).hint(hint));
        }
        self.position = start + end + 2;
        Ok(())
    }

    fn number(&mut self) -> Result<Token, ParseError> {
        let start = self.position;
        self.digits();
        if self.peek() == Some(b'.') {
            self.position += 1;
            self.digits();
        }
        self.exponent();
        if matches!(self.peek(), Some(b'.' | b'_')) {
            return Err(self.malformed(start));
        }
        let written = &self.text[start..self.position];
        if !written.contains(|digit: char| digit.is_ascii_digit()) {
            return Err(self.malformed(start));
        }
        self.value(start, written)
    }

    fn value(&self, start: usize, written: &str) -> Result<Token, ParseError> {
        let span = start..self.position;
        let Ok(value) = written.parse::<f64>() else {
            return Err(self.malformed(start));
        };
        if !value.is_finite() {
            return Err(complain::too_large(written, span));
        }
        // A value lost to underflow would silently turn a formula into another.
        if value == 0.0 && is_more_than_zeros(written) {
            return Err(complain::too_small(written, span));
        }
        Ok(Token::Number(value))
    }

    fn exponent(&mut self) {
        let rest = &self.text.as_bytes()[self.position..];
        let signed = matches!(rest.get(1), Some(b'+' | b'-'));
        let first = rest.get(if signed { 2 } else { 1 });
        // `2e` without digits is a 2 beside a name: the parser explains that.
        if matches!(rest.first(), Some(b'e' | b'E')) && first.is_some_and(u8::is_ascii_digit) {
            self.position += if signed { 2 } else { 1 };
            self.digits();
        }
    }

    fn digits(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.position += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn malformed(&self, start: usize) -> ParseError {
        let rest = &self.text[start..];
        let end = rest.find(|letter: char| letter != '.' && !continues_name(letter));
        let written = &rest[..end.unwrap_or(rest.len())];
        let error =
            ParseError::new(start..start + written.len(), format!("{} is not a number", quoted(written)));
        if written.contains('_') && written.len() < 40 {
            let cure = written.replace('_', "");
            return error.hint(format!("write `{cure}` without underscores"));
        }
        error.hint("numbers look like 1, 1.5, .5 or 1e-3")
    }
}

fn single(rest: &str) -> Option<Symbol> {
    Some(match rest.as_bytes().first()? {
        b'+' => Symbol::Plus,
        b'-' => Symbol::Minus,
        b'*' => Symbol::Star,
        b'/' => Symbol::Slash,
        b'^' => Symbol::Caret,
        b'(' => Symbol::Open,
        b')' => Symbol::Close,
        b',' => Symbol::Comma,
        b'<' => Symbol::Less,
        b'>' => Symbol::Greater,
        _ => return None,
    })
}

fn starts_name(letter: char) -> bool {
    letter == '_' || letter.is_alphabetic()
}

/// Only ASCII digits: superscripts must not become part of a name (`x²`).
fn continues_name(letter: char) -> bool {
    starts_name(letter) || letter.is_ascii_digit()
}

/// Format characters that show nothing but can reorder what the reader sees.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Whether a number, as it is written, is not zero.
pub(crate) fn is_more_than_zeros(written: &str) -> bool {
    let mantissa = written.split(['e', 'E']).next().unwrap_or(written);
    mantissa.contains(|digit| matches!(digit, '1'..='9'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Result<Vec<(Token, Range<usize>)>, ParseError> {
        let mut lexer = Lexer::new(text);
        let mut found = Vec::new();
        loop {
            let (token, span) = lexer.next()?;
            if token == Token::End {
                return Ok(found);
            }
            found.push((token, span));
        }
    }

    fn number(text: &str) -> Option<f64> {
        match tokens(text).ok()?.as_slice() {
            [(Token::Number(value), _)] => Some(*value),
            _ => None,
        }
    }

    fn complaint(text: &str) -> String {
        tokens(text).unwrap_err().to_string()
    }

    #[test]
    fn numbers_are_read_in_all_their_spellings() {
        for (text, value) in [("1", 1.0), ("1.5", 1.5), (".5", 0.5), ("2.", 2.0)] {
            assert_eq!(number(text), Some(value));
        }
        for (text, value) in [("1e-3", 1e-3), ("1E3", 1e3), ("1.5e+2", 150.0), ("0e5", 0.0)] {
            assert_eq!(number(text), Some(value));
        }
    }

    #[test]
    fn names_may_be_dotted_and_use_letters_of_any_script() {
        let found = tokens("wheel.speed + φ_1").unwrap();
        assert_eq!(found[0], (Token::Word, 0..11));
        assert_eq!(found[2], (Token::Word, 14..18));
    }

    #[test]
    fn symbols_of_two_characters_are_one_token() {
        let found = tokens("<=>===!=<>=").unwrap_err();
        assert_eq!(found.span, 8..10, "`<>` is foreign");
        let kinds: Vec<Token> = tokens("<= >= == != < >").unwrap().into_iter().map(|t| t.0).collect();
        assert_eq!(kinds[0], Token::Symbol(Symbol::LessEqual));
        assert_eq!(kinds[3], Token::Symbol(Symbol::NotEqual));
        assert_eq!(kinds[5], Token::Symbol(Symbol::Greater));
    }

    #[test]
    fn malformed_numbers_are_named_whole() {
        assert_eq!(complaint("1_000"), "`1_000` is not a number (write `1000` without underscores)");
        assert_eq!(complaint("1.2.3"), "`1.2.3` is not a number (numbers look like 1, 1.5, .5 or 1e-3)");
        assert!(complaint(".").starts_with("`.` is not a number"));
    }

    #[test]
    fn numbers_beyond_the_range_are_refused() {
        assert_eq!(complaint("1e999"), "`1e999` is too large (the largest number is about 1.8e308)");
        assert_eq!(complaint("0.1e-400"), "`0.1e-400` is too small (write 0 if that is meant)");
        assert_eq!(number("0.000e-999"), Some(0.0));
    }

    #[test]
    fn notations_of_other_languages_get_a_hint() {
        let cases = [
            ("a ** b", "`**` is not part of a formula (write `^` for a power)"),
            ("a = b", "`=` is not part of a formula (write `==` to compare)"),
            ("a && b", "`&&` is not part of a formula (write `and`)"),
            ("a || b", "`||` is not part of a formula (write `or`)"),
            ("!a", "`!` is not part of a formula (write `not`)"),
            ("a % b", "`%` is not part of a formula (write `mod(a, b)`)"),
            ("a − b", "`−` is not part of a formula (write the ASCII minus `-`)"),
            ("a × b", "`×` is not part of a formula (write the ASCII asterisk `*`)"),
            ("a · b", "`·` is not part of a formula (write the ASCII asterisk `*`)"),
            ("x²", "`²` is not part of a formula (write `^2`)"),
            ("a ≤ b", "`≤` is not part of a formula (write `<=`)"),
        ];
        for (text, wanted) in cases {
            assert_eq!(complaint(text), wanted);
        }
    }

    #[test]
    fn invisible_and_stray_characters_are_named() {
        assert_eq!(complaint("a\u{7}"), "invisible character U+0007 in the formula (delete it)");
        assert_eq!(complaint("a\u{202e}b"), "invisible character U+202E in the formula (delete it)");
        assert_eq!(complaint("a $ b"), "unexpected character `$`");
        assert_eq!(complaint("\u{1f600}"), "unexpected character `\u{1f600}`");
    }

    #[test]
    fn a_name_may_not_end_with_a_dot() {
        assert_eq!(
            complaint("wheel. + 1"),
            "`wheel.` ends with a dot (a dotted name looks like `wheel.speed`)"
        );
        assert!(complaint("wheel.1").starts_with("`wheel.` ends with a dot"));
    }
}
