//! Units: the table of all that may stand after a number, and how a product of them is read.
//!
//! In: the text from the first letter of a unit on. Out: what one of it is in SI and its dimension, or an
//! error with the cure. A unit has no blanks in it: `3 N*m` is a torque, `3 N * m` is 3 N times the
//! parameter `m`.

use crate::expr::complain;
use crate::expr::dimension::Dimension;
use crate::expr::error::{ParseError, quoted};
use crate::expr::lex::is_more_than_zeros;
use crate::expr::nearest::nearest;
use crate::expr::scale::Factor;
use std::ops::Range;

/// The largest exponent in a unit.
const LARGEST_EXPONENT: i32 = 9;

/// A unit that has a name.
struct Unit {
    name: &'static str,
    factor: Factor,
    dimension: Dimension,
}

/// A unit that is a power of ten of the SI unit.
const fn decimal(name: &'static str, tens: i32, exponents: [i8; 6]) -> Unit {
    Unit { name, factor: Factor::ten_to(tens), dimension: Dimension::new(exponents) }
}

/// A unit that is this many times a power of ten of the SI unit.
const fn times(name: &'static str, numerator: u64, tens: i32, exponents: [i8; 6]) -> Unit {
    let factor = Factor { numerator, tens, ..Factor::ONE };
    Unit { name, factor, dimension: Dimension::new(exponents) }
}

/// A unit that is a part of π.
const fn turned(name: &'static str, numerator: u64, denominator: u64, exponents: [i8; 6]) -> Unit {
    let factor = Factor { numerator, denominator, tens: 0, pis: 1 };
    Unit { name, factor, dimension: Dimension::new(exponents) }
}

/// Every unit, with its exponents of kg, m, s, A, K and rad.
static UNITS: &[Unit] = &[
    decimal("m", 0, [0, 1, 0, 0, 0, 0]),
    decimal("km", 3, [0, 1, 0, 0, 0, 0]),
    decimal("cm", -2, [0, 1, 0, 0, 0, 0]),
    decimal("mm", -3, [0, 1, 0, 0, 0, 0]),
    decimal("um", -6, [0, 1, 0, 0, 0, 0]),
    decimal("nm", -9, [0, 1, 0, 0, 0, 0]),
    times("in", 254, -4, [0, 1, 0, 0, 0, 0]),
    times("ft", 3048, -4, [0, 1, 0, 0, 0, 0]),
    decimal("kg", 0, [1, 0, 0, 0, 0, 0]),
    decimal("g", -3, [1, 0, 0, 0, 0, 0]),
    decimal("mg", -6, [1, 0, 0, 0, 0, 0]),
    decimal("tonne", 3, [1, 0, 0, 0, 0, 0]),
    times("lb", 45_359_237, -8, [1, 0, 0, 0, 0, 0]),
    decimal("s", 0, [0, 0, 1, 0, 0, 0]),
    decimal("ms", -3, [0, 0, 1, 0, 0, 0]),
    decimal("us", -6, [0, 0, 1, 0, 0, 0]),
    times("min", 6, 1, [0, 0, 1, 0, 0, 0]),
    times("h", 36, 2, [0, 0, 1, 0, 0, 0]),
    decimal("N", 0, [1, 1, -2, 0, 0, 0]),
    decimal("kN", 3, [1, 1, -2, 0, 0, 0]),
    decimal("J", 0, [1, 2, -2, 0, 0, 0]),
    decimal("kJ", 3, [1, 2, -2, 0, 0, 0]),
    decimal("W", 0, [1, 2, -3, 0, 0, 0]),
    decimal("kW", 3, [1, 2, -3, 0, 0, 0]),
    decimal("Pa", 0, [1, -1, -2, 0, 0, 0]),
    decimal("kPa", 3, [1, -1, -2, 0, 0, 0]),
    decimal("MPa", 6, [1, -1, -2, 0, 0, 0]),
    decimal("GPa", 9, [1, -1, -2, 0, 0, 0]),
    decimal("bar", 5, [1, -1, -2, 0, 0, 0]),
    decimal("rad", 0, [0, 0, 0, 0, 0, 1]),
    turned("deg", 1, 180, [0, 0, 0, 0, 0, 1]),
    turned("rev", 2, 1, [0, 0, 0, 0, 0, 1]),
    turned("rpm", 1, 30, [0, 0, -1, 0, 0, 1]),
    decimal("Hz", 0, [0, 0, -1, 0, 0, 0]),
    decimal("A", 0, [0, 0, 0, 1, 0, 0]),
    decimal("V", 0, [1, 2, -3, -1, 0, 0]),
    decimal("ohm", 0, [1, 2, -3, -2, 0, 0]),
    decimal("K", 0, [0, 0, 0, 0, 1, 0]),
];

/// Other words for units, that no spelling distance would find.
const OTHER_WORDS: &[(&str, &str)] = &[
    ("sec", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("minutes", "min"),
    ("hour", "h"),
    ("hours", "h"),
    ("meter", "m"),
    ("metre", "m"),
    ("meters", "m"),
    ("metres", "m"),
    ("inch", "in"),
    ("inches", "in"),
    ("feet", "ft"),
    ("degree", "deg"),
    ("degrees", "deg"),
    ("newton", "N"),
    ("Nm", "N*m"),
    ("kph", "km/h"),
    ("lbs", "lb"),
    ("Ω", "ohm"),
    ("µm", "um"),
    ("μm", "um"),
];

/// A unit that has been read.
#[derive(Clone, Copy, Debug)]
struct ReadUnit {
    factor: Factor,
    dimension: Dimension,
    /// Where it ends in the text.
    end: usize,
}

/// Whether a word is a unit.
fn is_unit(word: &str) -> bool {
    unit(word).is_some()
}

fn unit(word: &str) -> Option<&'static Unit> {
    UNITS.iter().find(|unit| unit.name == word)
}

/// Reads the unit that begins at `start`, after the number at `number`. None if a word stands there that is
/// no unit and like none.
fn read_unit(text: &str, number: &Range<usize>, start: usize) -> Result<Option<ReadUnit>, ParseError> {
    let first = word_at(text, start);
    if text[first.end..].starts_with('(') {
        return Ok(None);
    }
    if unit(&text[first.clone()]).is_none() {
        return misspelt(text, number, first);
    }
    let mut read = ReadUnit { factor: Factor::ONE, dimension: Dimension::NUMBER, end: start };
    let (mut word, mut sign) = (first, 1);
    loop {
        let Some(unit) = unit(&text[word.clone()]) else {
            return Err(no_unit_inside(text, number, start, word));
        };
        let exponent = exponent(text, number, &word)?;
        read = joined(read, unit, sign * exponent.0).ok_or_else(|| too_large(start..exponent.1))?;
        read.end = exponent.1;
        let Some(next) = next_factor(text, read.end) else { return Ok(Some(read)) };
        (word, sign) = next;
    }
}

/// Reads the quantity whose number is at `number` and whose unit begins at `start`: its value in SI, its
/// dimension, and where it ends. None if no unit stands there.
pub(crate) fn read_quantity(
    text: &str,
    number: &Range<usize>,
    start: usize,
) -> Result<Option<(f64, Dimension, usize)>, ParseError> {
    let Some(unit) = read_unit(text, number, start)? else { return Ok(None) };
    let (written, span) = (&text[number.clone()], number.start..unit.end);
    let value = unit.factor.times(written);
    if !value.is_finite() {
        return Err(complain::too_large(&text[span.clone()], span));
    }
    if value == 0.0 && is_more_than_zeros(written) {
        return Err(complain::too_small(&text[span.clone()], span));
    }
    Ok(Some((value, unit.dimension, unit.end)))
}

/// The unit so far times a power of another.
fn joined(read: ReadUnit, unit: &Unit, exponent: i32) -> Option<ReadUnit> {
    let factor = read.factor.times_power(unit.factor, exponent)?;
    let dimension = read.dimension.times(unit.dimension.to_power(f64::from(exponent))?)?;
    Some(ReadUnit { factor, dimension, ..read })
}

/// The word after `*` or `/`, if a unit goes on there, and the sign of its exponent. What is called is a
/// function.
fn next_factor(text: &str, end: usize) -> Option<(Range<usize>, i32)> {
    let sign = match text.as_bytes().get(end)? {
        b'*' => 1,
        b'/' => -1,
        _ => return None,
    };
    let word = word_at(text, end + 1);
    let is_word = text[word.clone()].starts_with(|letter: char| letter == '_' || letter.is_alphabetic());
    (is_word && !text[word.end..].starts_with('(')).then_some((word, sign))
}

/// The letters of a name, with its dots and primes: `m.x` is no metre.
fn word_at(text: &str, start: usize) -> Range<usize> {
    let goes_on = |letter: char| {
        matches!(letter, '_' | '.' | '\'') || letter.is_ascii_digit() || letter.is_alphabetic()
    };
    let length = text[start..].find(|letter| !goes_on(letter)).unwrap_or(text.len() - start);
    start..start + length
}

/// The exponent after the word of a unit, and where it ends.
fn exponent(text: &str, number: &Range<usize>, word: &Range<usize>) -> Result<(i32, usize), ParseError> {
    let Some(rest) = text[word.end..].strip_prefix('^') else { return Ok((1, word.end)) };
    let digits = rest.strip_prefix('-').unwrap_or(rest);
    let length = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
    let end = text.len() - digits.len() + length;
    let goes_on = text[end..].starts_with(|c: char| matches!(c, '^' | '.' | '_' | '\'') || c.is_alphabetic());
    let value = text[word.end + 1..end].parse::<i32>().ok();
    match value.filter(|value| !goes_on && value.abs() <= LARGEST_EXPONENT && *value != 0) {
        Some(value) => Ok((value, end)),
        None => Err(bad_exponent(text, number, word)),
    }
}

fn bad_exponent(text: &str, number: &Range<usize>, word: &Range<usize>) -> ParseError {
    let name = &text[word.clone()];
    let message = format!(
        "the exponent of `{name}` must be a whole number from -{LARGEST_EXPONENT} to {LARGEST_EXPONENT}, not 0"
    );
    let cure = match short(&text[number.clone()]) {
        Some(number) => {
            format!("a unit is written as `{name}^2`, the power of a quantity as `({number} {name})^2`")
        }
        None => format!("a unit is written as `{name}^2`"),
    };
    ParseError::new(word.start..word.end + 1, message).hint(cure)
}

fn too_large(span: Range<usize>) -> ParseError {
    ParseError::new(span, "the exponents of the unit are too large").hint("split the quantity into factors")
}

/// A word after a number that is no unit: an error if it looks like one.
fn misspelt(text: &str, number: &Range<usize>, word: Range<usize>) -> Result<Option<ReadUnit>, ParseError> {
    let (name, number) = (&text[word.clone()], &text[number.clone()]);
    let Some(meant) = meant(name) else { return Ok(None) };
    let error = ParseError::new(word, format!("{} is no unit", quoted(name)));
    Err(match short(number).zip(short(name)) {
        Some((number, name)) => {
            error.hint(format!("did you mean `{number} {meant}`? To multiply, write `{number} * {name}`"))
        }
        None => error.hint(format!("did you mean `{meant}`?")),
    })
}

/// A word inside a unit that is none.
fn no_unit_inside(text: &str, number: &Range<usize>, start: usize, word: Range<usize>) -> ParseError {
    let name = &text[word.clone()];
    let message = format!("{} in the unit {} is no unit", quoted(name), quoted(&text[start..word.end]));
    let before = text[number.start..word.start - 1].trim_end();
    let sign = &text[word.start - 1..word.start];
    let error = ParseError::new(word, message);
    let apart = match short(before).zip(short(name)) {
        Some((before, name)) => format!("for a factor, put blanks around `{sign}`: `{before} {sign} {name}`"),
        None => format!("for a factor, put blanks around `{sign}`"),
    };
    error.hint(match meant(name) {
        Some(meant) => format!("did you mean `{meant}`? Otherwise, {apart}"),
        None => apart,
    })
}

/// The unit that a word may have been meant for.
fn meant(word: &str) -> Option<String> {
    if let Some((_, unit)) = OTHER_WORDS.iter().find(|(other, _)| *other == word) {
        return Some((*unit).to_owned());
    }
    let letters = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let exponent = &word[letters.len()..];
    if exponent.len() == 1 && is_unit(letters) {
        return Some(format!("{letters}^{exponent}"));
    }
    // One letter alone is like every other one.
    nearest(word, UNITS.iter().map(|unit| unit.name).filter(|name| name.len() > 1)).map(str::to_owned)
}

/// A text that is short enough to be quoted in a cure.
fn short(text: &str) -> Option<&str> {
    const LONGEST: usize = 40;
    (text.len() <= LONGEST).then_some(text)
}

/// A number without a blank before its unit.
pub(crate) fn without_blank(number: &str, word: &str) -> Option<String> {
    let is_number = number.starts_with(|letter: char| letter == '.' || letter.is_ascii_digit());
    (is_number && is_unit(word) && short(number).is_some())
        .then(|| format!("a quantity has a blank: `{number} {word}`; to multiply, write `{number} * {word}`"))
}

/// A quantity before `^` with a blank between them, which could be read in two ways.
pub(crate) fn power_of_quantity(quantity: &str, span: Range<usize>) -> ParseError {
    let error = ParseError::new(span, "a power of a quantity needs parentheses");
    match short(quantity) {
        Some(text) => {
            error.hint(format!("write `({text})^2` for the power, `{text}^2` for a unit with exponent"))
        }
        None => error.hint("put the quantity in parentheses"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Form, parse};

    /// The value and the dimension of a formula that is one quantity.
    fn quantity(text: &str) -> (f64, String) {
        let syntax = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        match syntax.node(syntax.root()).form {
            Form::Quantity(value, dimension) => (value, dimension.to_string()),
            other => panic!("{text} is {other:?}"),
        }
    }

    fn complaint(text: &str) -> String {
        parse(text).expect_err(text).to_string()
    }

    #[test]
    fn quantities_are_in_si() {
        let cases = [
            ("30 mm", 0.03, "m"),
            ("9.81 m/s^2", 9.81, "m/s^2"),
            ("1200 rpm", 1200.0 / 30.0 * std::f64::consts::PI, "rad/s"),
            ("100 N*m/s", 100.0, "W"),
            ("7.8 g/cm^3", 7800.0, "kg/m^3"),
            ("1e-4 kg*m^2", 1e-4, "kg*m^2"),
            ("3 N*m*s/rad", 3.0, "N*m*s/rad"),
            ("36 km/h", 10.0, "m/s"),
            ("20 Hz", 20.0, "Hz"),
            ("5 s^-1", 5.0, "Hz"),
            ("1 ft", 0.3048, "m"),
            ("2 lb", 0.907_184_74, "kg"),
            ("1.5 min", 90.0, "s"),
            ("2.1e5 MPa", 2.1e11, "Pa"),
            ("12 V*A", 12.0, "W"),
            ("50 mm\t", 0.05, "m"),
        ];
        for (text, value, unit) in cases {
            assert_eq!(quantity(text), (value, unit.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_unit_ends_where_a_blank_a_number_or_a_call_is() {
        let printed = |text: &str| parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).to_string();
        assert_eq!(printed("3 N * m"), "3 N * m");
        assert_eq!(printed("3 N* m"), "3 N * m");
        assert_eq!(printed("3 N*m*(t - 1 s)"), "3 N*m * (t - 1 s)");
        assert_eq!(printed("3 m*2"), "3 m * 2");
        assert_eq!(printed("3 m/2"), "3 m / 2");
        assert_eq!(printed("2 m*sin(t)"), "2 m * sin(t)");
        assert_eq!(printed("2 m*min(a, b)"), "2 m * min(a, b)");
        assert_eq!(printed("if t > 3 s then 1 m else 2 m"), "if(t > 3 s, 1 m, 2 m)");
        assert_eq!(printed("x > 3 and y < 2"), "x > 3 and y < 2");
        assert_eq!(printed("(3 m)^2 + -2   mm"), "(3 m)^2 + -2 mm");
    }

    #[test]
    fn words_that_are_units_are_still_names() {
        let syntax = parse("m * s + t / h - in.x").unwrap();
        let names: Vec<&str> = syntax.names().map(|(name, _)| name).collect();
        assert_eq!(names, ["m", "s", "t", "h", "in.x"]);
    }

    #[test]
    fn what_is_no_unit_gets_the_nearest() {
        let cases = [
            ("2 x", "missing operator between `2` and `x` (to multiply, write `2 * x`)"),
            ("2 pi", "missing operator between `2` and `pi` (to multiply, write `2 * pi`)"),
            ("30 mmm", "`mmm` is no unit (did you mean `30 mm`? To multiply, write `30 * mmm`)"),
            ("3 sec", "`sec` is no unit (did you mean `3 s`? To multiply, write `3 * sec`)"),
            ("3 m2", "`m2` is no unit (did you mean `3 m^2`? To multiply, write `3 * m2`)"),
            ("3 Nm", "`Nm` is no unit (did you mean `3 N*m`? To multiply, write `3 * Nm`)"),
            ("3 N*x", "`x` in the unit `N*x` is no unit (for a factor, put blanks around `*`: `3 N * x`)"),
            (
                "3 m/s2",
                "`s2` in the unit `m/s2` is no unit (did you mean `s^2`? Otherwise, for a factor, put blanks around `/`: `3 m / s2`)",
            ),
            (
                "3mm",
                "missing operator between `3` and `mm` (a quantity has a blank: `3 mm`; to multiply, write `3 * mm`)",
            ),
            ("3 m s", "missing operator between `3 m` and `s` (to multiply, write `3 m * s`)"),
        ];
        for (text, wanted) in cases {
            assert_eq!(complaint(text), wanted);
        }
    }

    #[test]
    fn exponents_are_small_whole_numbers() {
        for text in ["3 m^x", "3 m^2.5", "3 m^10", "3 m^0", "3 m^2^2", "3 m^(2)", "3 m^", "3 m^-", "3 m^2m"] {
            let wanted = "the exponent of `m` must be a whole number from -9 to 9, not 0 (a unit is written as `m^2`, the power of a quantity as `(3 m)^2`)";
            assert_eq!(complaint(text), wanted, "{text}");
        }
        assert!(
            complaint(&format!("1 lb^9*kg{}", "*lb^9".repeat(50))).starts_with("the exponents of the unit")
        );
        assert!(complaint("3 m ^ 2").starts_with("a power of a quantity needs parentheses"));
        assert!(complaint("1e308 km").starts_with("`1e308 km` is too large"));
        assert!(complaint("1e-320 nm").starts_with("`1e-320 nm` is too small"));
    }

    #[test]
    fn every_unit_is_read_alone_and_has_one_row() {
        for (place, unit) in UNITS.iter().enumerate() {
            let text = format!("1 {}", unit.name);
            let (value, _) = quantity(&text);
            assert!(value > 0.0 && value.is_finite(), "{text}");
            assert_eq!(UNITS.iter().position(|other| other.name == unit.name), Some(place));
        }
    }
}
