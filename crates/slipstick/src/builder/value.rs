//! Values as a model file has them, and how they are written there.

use std::fmt::{self, Display, Formatter};

/// A number, or a formula as text: `0.05`, `"50 mm"`, `"2 * r"`. A handle of a parameter is one too.
#[derive(Clone, Debug, PartialEq)]
pub struct Amount(pub(super) FileValue);

/// A value of a model file.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum FileValue {
    Number(f64),
    Whole(u64),
    Truth(bool),
    Text(String),
    List(Vec<FileValue>),
    Table(FileTable),
}

/// Keys with their values, in the order in which they were said.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct FileTable(Vec<(String, FileValue)>);

impl Amount {
    /// A formula as text.
    pub(super) fn formula(text: impl Into<String>) -> Self {
        Self(FileValue::Text(text.into()))
    }
}

/// What stands for it in a formula, so that handles can be put into text: `format!("2 * {r}")`.
impl Display for Amount {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0 {
            FileValue::Text(text) => f.write_str(text),
            other => Display::fmt(other, f),
        }
    }
}

impl From<f64> for Amount {
    fn from(number: f64) -> Self {
        Self(FileValue::Number(number))
    }
}

impl From<i32> for Amount {
    fn from(number: i32) -> Self {
        Self(FileValue::Number(f64::from(number)))
    }
}

impl From<&str> for Amount {
    fn from(text: &str) -> Self {
        Self::formula(text)
    }
}

impl From<String> for Amount {
    fn from(text: String) -> Self {
        Self::formula(text)
    }
}

impl From<&Amount> for Amount {
    fn from(amount: &Amount) -> Self {
        amount.clone()
    }
}

impl From<Amount> for FileValue {
    fn from(amount: Amount) -> Self {
        amount.0
    }
}

impl From<bool> for FileValue {
    fn from(truth: bool) -> Self {
        Self::Truth(truth)
    }
}

impl From<String> for FileValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for FileValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<FileTable> for FileValue {
    fn from(table: FileTable) -> Self {
        Self::Table(table)
    }
}

impl From<Vec<FileValue>> for FileValue {
    fn from(list: Vec<FileValue>) -> Self {
        Self::List(list)
    }
}

/// A place or a direction.
pub(super) fn pair<A: Into<Amount>>(pair: [A; 2]) -> FileValue {
    FileValue::List(pair.into_iter().map(|part| part.into().0).collect())
}

impl FileTable {
    /// Says something of a key; what was said of it before is replaced.
    pub(super) fn set(&mut self, key: &str, value: impl Into<FileValue>) {
        let value = value.into();
        match self.0.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    /// The same, for building on.
    pub(super) fn with(mut self, key: &str, value: impl Into<FileValue>) -> Self {
        self.set(key, value);
        self
    }

    /// Says something in the table that stands at a key.
    pub(super) fn set_in(&mut self, key: &str, inner: &str, value: impl Into<FileValue>) {
        if !self.has(key) {
            self.set(key, Self::default());
        }
        if let Some((_, FileValue::Table(table))) = self.0.iter_mut().find(|(known, _)| known == key) {
            table.set(inner, value);
        }
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(known, _)| known == key)
    }

    pub(super) fn get(&self, key: &str) -> Option<&FileValue> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (&str, &FileValue)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }
}

/// A key as TOML wants it: bare, or in quotes.
pub(super) struct Key<'k>(pub(super) &'k str);

impl Display for Key<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let is_bare = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
        if !self.0.is_empty() && self.0.chars().all(is_bare) {
            f.write_str(self.0)
        } else {
            write_text(f, self.0)
        }
    }
}

/// As it stands in a model file, on one line.
impl Display for FileValue {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) if number.is_nan() => f.write_str("nan"),
            // The shortest text that is read as the same number.
            Self::Number(number) => write!(f, "{number:?}"),
            Self::Whole(number) => write!(f, "{number}"),
            Self::Truth(truth) => write!(f, "{truth}"),
            Self::Text(text) => write_text(f, text),
            Self::List(list) => {
                f.write_str("[")?;
                for (i, value) in list.iter().enumerate() {
                    write!(f, "{}{value}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Self::Table(table) => {
                f.write_str("{")?;
                for (i, (key, value)) in table.entries().enumerate() {
                    write!(f, "{} {} = {value}", if i == 0 { "" } else { "," }, Key(key))?;
                }
                f.write_str(" }")
            }
        }
    }
}

/// A string in quotes, with escapes for what cannot stand in one.
fn write_text(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for letter in text.chars() {
        match letter {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            letter if letter.is_control() => write!(f, "\\u{:04X}", u32::from(letter))?,
            letter => write!(f, "{letter}")?,
        }
    }
    f.write_str("\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml::de::DeTable;

    /// A number comes back with the same bits, and a text with the same letters.
    #[test]
    fn values_are_read_back() {
        for number in [0.1, -0.0, 1e300, 5e-324, 1.0, 1.0 / 3.0, 123456789.0] {
            let text = format!("x = {}", FileValue::Number(number));
            let table = DeTable::parse(&text).expect("TOML");
            let float = table.get_ref().get("x").and_then(|x| x.get_ref().as_float()).expect("a float");
            assert_eq!(float.as_str().parse::<f64>().map(f64::to_bits), Ok(number.to_bits()), "{text}");
        }
        for written in ["", "a \"b\" \\ c", "two\nlines\tand \u{7f}\u{1}", "µ ∞"] {
            let text = format!("{} = {}", Key(written), FileValue::Text(written.to_owned()));
            let table = DeTable::parse(&text).expect("TOML");
            let (key, value) = table.get_ref().iter().next().expect("an entry");
            assert_eq!(
                (key.get_ref().as_ref(), value.get_ref().as_str()),
                (written, Some(written)),
                "{text}"
            );
        }
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(DeTable::parse(&format!("x = {}", FileValue::Number(number))).is_ok());
        }
    }
}
