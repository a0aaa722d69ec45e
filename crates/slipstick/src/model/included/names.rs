//! The names in a text: formulas and references are searched for words, and each gets another name.

use std::ops::Range;

/// Words that mean the same everywhere.
const WORDS: &[&str] =
    &["t", "pi", "if", "then", "else", "and", "or", "not", "nan", "inf", "infinity", "true", "false"];
/// Words that may stand after a number without being its unit.
const BETWEEN: &[&str] = &["and", "or", "then", "else"];

/// The text with other names. Functions, units and the words of formulas stay; names in brackets are names too.
pub(super) fn renamed(text: &str, name: &dyn Fn(&str) -> String) -> String {
    let (mut result, mut at) = (String::new(), 0);
    while let Some(letter) = text[at..].chars().next() {
        let end = match letter {
            '0'..='9' | '.' => {
                let end = number_with_unit(text, at);
                result += &text[at..end];
                end
            }
            _ if starts_name(letter) => {
                let end = word(text, at);
                let is_call = text[end..].trim_start().starts_with('(');
                let own = &text[at..end];
                if is_call || WORDS.contains(&own) {
                    result += own;
                } else {
                    result += &name(&with_indices(own, name));
                }
                end
            }
            _ => {
                result.push(letter);
                at + letter.len_utf8()
            }
        };
        at = end;
    }
    result
}

/// A word with other names in its brackets.
fn with_indices(word: &str, name: &dyn Fn(&str) -> String) -> String {
    let (mut result, mut rest) = (String::new(), word);
    while let Some(Range { start, end }) = brackets(rest) {
        result = result + &rest[..start] + &renamed(&rest[start..end], name);
        rest = &rest[end..];
    }
    result + rest
}

/// What stands in the first brackets.
fn brackets(text: &str) -> Option<Range<usize>> {
    let start = text.find('[')? + 1;
    let end = text[start..].find(']')? + start;
    Some(start..end)
}

/// Where a word ends: letters, digits, dots, indices in brackets and primes.
fn word(text: &str, start: usize) -> usize {
    let mut at = start;
    while let Some(letter) = text[at..].chars().next() {
        let closes = || text[at..].find(']').map(|end| at + end + 1);
        at = match letter {
            '[' => match closes() {
                Some(end) => end,
                None => break,
            },
            '.' | '\'' => at + 1,
            _ if starts_name(letter) || letter.is_ascii_digit() => at + letter.len_utf8(),
            _ => break,
        };
    }
    at
}

/// Where a number ends, with the unit after it.
fn number_with_unit(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.') {
            at += 1;
        }
        at
    };
    let mut end = digits(start);
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let signed = matches!(bytes.get(end + 1), Some(b'+' | b'-'));
        let first = end + if signed { 2 } else { 1 };
        end = if bytes.get(first).is_some_and(u8::is_ascii_digit) { digits(first) } else { end };
    }
    let blanks = text[end..].len() - text[end..].trim_start().len();
    let unit = end + blanks;
    let is_word = blanks > 0 && text[unit..].chars().next().is_some_and(starts_name);
    if !is_word || BETWEEN.contains(&&text[unit..word(text, unit)]) { end } else { unit_end(text, unit) }
}

/// Where a unit ends: it has no blanks in it.
fn unit_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = word(text, start);
    loop {
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        at = match bytes.get(at) {
            Some(b'*' | b'/') if next.is_ascii_alphabetic() => word(text, at + 1),
            Some(b'^') if next.is_ascii_digit() || next == b'-' => {
                let digits = text[at + 2..].bytes().take_while(u8::is_ascii_digit).count();
                at + 2 + digits
            }
            _ => return at,
        };
    }
}

fn starts_name(letter: char) -> bool {
    letter == '_' || letter.is_alphabetic()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_change_and_everything_else_stays() {
        let own = |text: &str| renamed(text, &|name| format!("L.{name}"));
        for (text, expected) in [
            ("r + m", "L.r + L.m"),
            ("3 m", "3 m"),
            ("3 N*m/s^2 * m", "3 N*m/s^2 * L.m"),
            ("2 * r", "2 * L.r"),
            ("2e-3 kg*m^-1 + .5*a", "2e-3 kg*m^-1 + .5*L.a"),
            ("if x > 3 then sin(x) else 2 pi", "if L.x > 3 then sin(L.x) else 2 pi"),
            ("crank.tip.x' - t", "L.crank.tip.x' - t"),
            ("link[n-1].x[2,k]", "L.link[L.n-1].x[2,L.k]"),
            ("tooth[*]", "L.tooth[*]"),
            ("100 N*m/s * (t - 3 s)", "100 N*m/s * (t - 3 s)"),
            ("if a then 3 else b", "if L.a then 3 else L.b"),
            ("é·a [", "L.é·L.a ["),
        ] {
            assert_eq!(own(text), expected);
        }
    }
}
