//! A value of a model file with its key and its place, for rooms that know what it means.

use super::read::Value;
use super::{Diagnostic, Reference};
use crate::expr::{Dimension, Form, nearest, parse};
use std::ops::Range;
use toml::de::{DeInteger, DeValue};

/// A value of a model file.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Its key, with those of the tables that it stands in: `rtol.x`.
    pub key: String,
    /// Where the key stands.
    pub key_span: Range<usize>,
    /// Where the value stands.
    pub span: Range<usize>,
    content: Content,
    /// As it stands in the file.
    text: String,
}

#[derive(Clone, Debug, PartialEq)]
enum Content {
    /// A whole number, with its value as far as it can be one of each kind.
    Integer(Option<f64>, Option<u64>),
    Float(Option<f64>),
    Text(String),
    Boolean(bool),
    List(Vec<Setting>),
    Table(Vec<Setting>),
    /// What no setting is, and what TOML calls it.
    Other(&'static str),
}

impl Setting {
    /// Takes over a value that the parser has read from `text`.
    pub(super) fn new(key: &str, key_span: Range<usize>, value: &Value<'_>, text: &str) -> Self {
        let (key, span) = (key.to_owned(), value.span());
        let content = match value.get_ref() {
            DeValue::Integer(i) => Content::Integer(signed(i).map(|i| i as f64), unsigned(i)),
            DeValue::Float(f) => Content::Float(f.as_str().parse().ok()),
            DeValue::String(s) => Content::Text(s.to_string()),
            DeValue::Boolean(truth) => Content::Boolean(*truth),
            DeValue::Array(list) => {
                Content::List(list.iter().map(|v| Self::new(&key, v.span(), v, text)).collect())
            }
            DeValue::Table(table) => {
                let inner = table
                    .iter()
                    .map(|(k, v)| Self::new(&format!("{key}.{}", k.get_ref()), k.span(), v, text));
                Content::Table(inner.collect())
            }
            other @ DeValue::Datetime(_) => Content::Other(other.type_str()),
        };
        let text = text.get(span.clone()).unwrap_or("?").trim().to_owned();
        Self { key, key_span, span, content, text }
    }

    /// The values of a table with their own keys; none in what is no table.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, &Self)> {
        self.as_table().unwrap_or_default().iter().map(|inner| (self.own_key(inner), inner))
    }

    /// The key without those of the tables around it.
    pub(super) fn last_key(&self) -> &str {
        self.key.rsplit('.').next().unwrap_or_default()
    }

    /// A list of values. `wanted` is what would be right, with an example.
    pub(super) fn list(&self, wanted: &str, example: &str) -> Result<&[Self], Diagnostic> {
        match &self.content {
            Content::List(list) => Ok(list),
            _ => Err(self.wrong_type(wanted, example)),
        }
    }

    /// Whether it is a list, of those values that may be one or something else.
    pub(super) fn is_list(&self) -> bool {
        matches!(self.content, Content::List(_))
    }

    /// The text of a formula: a string, or a number as it stands.
    pub(super) fn formula_text(&self) -> Result<String, Diagnostic> {
        match &self.content {
            Content::Text(text) => Ok(text.clone()),
            Content::Integer(..) | Content::Float(_) => {
                let number = self.as_number().filter(|x| x.is_finite());
                let example = format!("{} = 1.0", self.key);
                let number =
                    number.ok_or_else(|| self.wrong_value("a finite number or a formula", &example))?;
                Ok(format!("{number:?}"))
            }
            _ => {
                let example = format!("{} = \"2 * pi\"", self.last_key());
                Err(self.wrong_type("a number or a formula in quotes", &example))
            }
        }
    }

    /// Where the characters of a string begin in the file, if they stand there letter by letter (no escapes).
    pub(super) fn text_start(&self) -> Option<usize> {
        let Content::Text(text) = &self.content else { return None };
        let offset = self.text.find(text.as_str())?;
        let is_quote = |s: &str| s.chars().all(|c| matches!(c, '"' | '\'' | '\n' | '\r'));
        let around = [&self.text[..offset], &self.text[offset + text.len()..]];
        around.into_iter().all(is_quote).then_some(self.span.start + offset)
    }

    /// A choice between true and false.
    pub(super) fn boolean(&self) -> Result<bool, Diagnostic> {
        match self.content {
            Content::Boolean(truth) => Ok(truth),
            _ => Err(self.wrong_type("true or false", &format!("{} = true", self.key))),
        }
    }

    /// An error about it.
    pub fn error(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, self.span.clone(), message)
    }

    fn type_name(&self) -> &'static str {
        match &self.content {
            Content::Integer(..) => "an integer",
            Content::Float(_) => "a float",
            Content::Text(_) => "a string",
            Content::List(_) => "an array",
            Content::Table(_) => "a table",
            Content::Boolean(_) => "a boolean",
            Content::Other(_) => "a datetime",
        }
    }

    /// It is of the wrong type. `wanted` is what would be right, with an example.
    fn wrong_type(&self, wanted: &str, example: &str) -> Diagnostic {
        let message = format!("`{}` must be {wanted}, not {}", self.key, self.type_name());
        self.error("wrong-type", message).hint(format!("for example `{example}`"))
    }

    fn wrong_value(&self, wanted: &str, example: &str) -> Diagnostic {
        let message = format!("`{}` must be {wanted}, not `{}`", self.key, self.text);
        self.error("wrong-type", message).hint(format!("for example `{example}`"))
    }

    fn as_number(&self) -> Option<f64> {
        match self.content {
            Content::Integer(number, _) | Content::Float(number) => number,
            _ => None,
        }
    }

    /// A number greater than zero.
    pub fn positive(&self) -> Result<f64, Diagnostic> {
        let number = self.as_number().filter(|x| *x > 0.0 && x.is_finite());
        number.ok_or_else(|| self.wrong_value("a number greater than zero", &format!("{} = 1e-8", self.key)))
    }

    /// A time greater than zero: a number, or a quantity such as `"1 ms"`.
    pub fn time(&self) -> Result<f64, Diagnostic> {
        let Content::Text(text) = &self.content else { return self.positive() };
        let wanted = "a number greater than zero or a time";
        let wrong = || self.wrong_value(wanted, &format!("{} = \"1 ms\"", self.key));
        let syntax = parse(text).map_err(|_| wrong())?;
        let Form::Quantity(value, dimension) = syntax.node(syntax.root()).form else { return Err(wrong()) };
        let fits = syntax.check_dimension(Some(dimension), Dimension::TIME, &self.key);
        fits.map_err(|error| self.error("wrong-dimension", error.message).hint(error.hint))?;
        if value > 0.0 { Ok(value) } else { Err(wrong()) }
    }

    /// A number that is not below zero.
    pub fn not_negative(&self) -> Result<f64, Diagnostic> {
        let number = self.as_number().filter(|x| *x >= 0.0 && x.is_finite());
        let wanted = "zero or a number greater than it";
        number.ok_or_else(|| self.wrong_value(wanted, &format!("{} = 1e-8", self.key)))
    }

    /// A number that should be from zero to one; whether it is, the run decides.
    pub fn part(&self, usual: f64) -> Result<f64, Diagnostic> {
        let example = format!("{} = {usual}", self.key);
        self.as_number().ok_or_else(|| self.wrong_value("a number from 0 to 1", &example))
    }

    /// A positive whole number.
    pub fn count(&self) -> Result<u64, Diagnostic> {
        let number = if let Content::Integer(_, number) = self.content { number } else { None };
        let wanted = "a whole number, 1 or more";
        number.filter(|n| *n >= 1).ok_or_else(|| self.wrong_value(wanted, &format!("{} = 5", self.key)))
    }

    /// Whether it is a string, of those values that may be one or something else.
    pub fn is_string(&self) -> bool {
        matches!(self.content, Content::Text(_))
    }

    /// A string.
    pub fn string(&self, example: &str) -> Result<&str, Diagnostic> {
        if let Content::Text(text) = &self.content {
            Ok(text)
        } else {
            Err(self.wrong_type("a string", example))
        }
    }

    /// One of a few words.
    pub fn word<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, Diagnostic> {
        let text = self.string(&format!("{} = \"{}\"", self.key, words.first().map_or("", |w| w.0)))?;
        if let Some((_, found)) = words.iter().find(|(word, _)| *word == text) {
            return Ok(*found);
        }
        let list: Vec<String> = words.iter().map(|(w, _)| format!("\"{w}\"")).collect();
        let hint = match nearest(text, words.iter().map(|(w, _)| *w)) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("choose one of {}", list.join(", ")),
        };
        Err(self.error("wrong-type", format!("`{}` cannot be \"{text}\"", self.key)).hint(hint))
    }

    /// A list of names.
    pub fn names(&self) -> Result<Vec<Reference>, Diagnostic> {
        let example = format!("{} = [\"x\"]", self.key);
        let Content::List(list) = &self.content else {
            return Err(self.wrong_type("a list of names", &example));
        };
        let one = |s: &Self| Ok(Reference { name: s.string(&example)?.to_owned(), span: s.span.clone() });
        list.iter().map(one).collect()
    }

    /// The values of a table; none if it is something else.
    pub fn as_table(&self) -> Option<&[Self]> {
        if let Content::Table(table) = &self.content { Some(table) } else { None }
    }

    /// The values of a table.
    pub fn table(&self, example: &str) -> Result<&[Self], Diagnostic> {
        self.as_table().ok_or_else(|| self.wrong_type("a table", example))
    }

    /// The value of a key of a table.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_table()?.iter().find(|inner| self.own_key(inner) == key)
    }

    /// The key of a value in this table, without that of the table.
    fn own_key<'a>(&self, inner: &'a Self) -> &'a str {
        inner.key.get(self.key.len() + 1..).unwrap_or("")
    }

    /// Every key of a table that is not known, with the nearest that is.
    pub fn unknown_keys(&self, known: &[&str]) -> Vec<Diagnostic> {
        let place = format!("`{}`", self.key);
        let unknown = self.as_table().unwrap_or_default().iter();
        let unknown = unknown.filter(|inner| !known.contains(&self.own_key(inner)));
        unknown.map(|inner| unknown_key(self.own_key(inner), inner.key_span.clone(), known, &place)).collect()
    }

    /// The values of a table with their names; a table inside it stands for dotted names.
    pub fn leaves(&self) -> Vec<(Reference, &Self)> {
        let mut list = Vec::new();
        self.collect_leaves(self.key.len() + 1, &mut list);
        list
    }

    /// The TOML parser limits how deep tables nest, and so how deep this goes.
    fn collect_leaves<'a>(&'a self, from: usize, list: &mut Vec<(Reference, &'a Self)>) {
        for inner in self.as_table().unwrap_or_default() {
            if inner.as_table().is_some() {
                inner.collect_leaves(from, list);
            } else {
                let name = inner.key.get(from..).unwrap_or("").to_owned();
                list.push((Reference { name, span: inner.key_span.clone() }, inner));
            }
        }
    }
}

/// A key that is not known, with the nearest that is.
pub fn unknown_key(name: &str, span: Range<usize>, known: &[&str], place: &str) -> Diagnostic {
    let hint = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known keys here: {}", known.join(", ")),
    };
    Diagnostic::new("unknown-key", span, format!("unknown key `{name}` in {place}")).hint(hint)
}

fn signed(integer: &DeInteger<'_>) -> Option<i64> {
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

fn unsigned(integer: &DeInteger<'_>) -> Option<u64> {
    u64::from_str_radix(integer.as_str(), integer.radix()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml::de::DeTable;

    /// The value of `x` in a text.
    fn setting(text: &str) -> Setting {
        let table = DeTable::parse(text).unwrap();
        let (key, value) = table.get_ref().iter().next().unwrap();
        Setting::new(key.get_ref(), key.span(), value, text)
    }

    #[test]
    fn numbers_are_taken_in_their_range_only() {
        assert_eq!(setting("x = 1e-3").positive(), Ok(1e-3));
        assert_eq!(setting("x = 2").positive(), Ok(2.0));
        assert_eq!(setting("x = 0").not_negative(), Ok(0.0));
        assert_eq!(setting("x = 18446744073709551615").count(), Ok(u64::MAX));
        for text in ["x = 0", "x = -1", "x = inf", "x = nan", "x = \"1\"", "x = true"] {
            let error = setting(text).positive().unwrap_err();
            assert_eq!((error.code, error.span), ("wrong-type", Some(4..text.len())), "{text}");
        }
        assert!(setting("x = -1").count().is_err() && setting("x = 1.0").count().is_err());
        assert_eq!(setting("x = -1").part(0.9), Ok(-1.0), "the run decides about it");
    }

    #[test]
    fn times_may_have_a_unit() {
        assert_eq!(setting("x = \"2 ms\"").time(), Ok(0.002));
        assert_eq!(setting("x = 1e-3").time(), Ok(1e-3));
        for text in ["x = \"0 s\"", "x = \"-1 s\"", "x = \"1\"", "x = \"soon\"", "x = 0"] {
            assert_eq!(setting(text).time().unwrap_err().code, "wrong-type", "{text}");
        }
        let error = setting("x = \"2 mm\"").time().unwrap_err();
        assert_eq!(
            (error.code, error.message.as_str()),
            ("wrong-dimension", "`\"2 mm\"` is a length, `x` needs s")
        );
    }

    #[test]
    fn messages_name_what_stands_there_and_what_could() {
        let error = setting("x = [1]").positive().unwrap_err();
        assert_eq!(error.message, "`x` must be a number greater than zero, not `[1]`");
        let error = setting("x = 1").string("x = \"a\"").unwrap_err();
        assert_eq!(error.message, "`x` must be a string, not an integer");
        let error = setting("x = \"meen\"").word(&[("mean", 1), ("worst", 2)]).unwrap_err();
        assert_eq!(error.hint.as_deref(), Some("did you mean \"mean\"?"));
        assert_eq!(setting("x = \"worst\"").word(&[("mean", 1), ("worst", 2)]), Ok(2));
    }

    #[test]
    fn tables_have_keys_and_dotted_leaves() {
        let table = setting("x = { a = 1, b = { c = 2 } }");
        let names: Vec<String> = table.leaves().into_iter().map(|(name, _)| name.name).collect();
        assert_eq!(names, ["a", "b.c"]);
        assert_eq!(table.get("a").and_then(|a| a.positive().ok()), Some(1.0));
        let unknown = table.unknown_keys(&["a", "c"]);
        assert_eq!(unknown.len(), 1);
        assert_eq!(unknown[0].message, "unknown key `b` in `x`");
        assert_eq!(setting("x = [\"p\", \"q\"]").names().unwrap()[1].name, "q");
        assert!(setting("x = [1]").names().is_err() && setting("x = 1").table("x = {}").is_err());
    }
}
