//! TOML → values with places. Nothing here knows what a model is made of; `sections` does.

use super::included::{Inclusion, Sources};
use super::parts::{Indices, bad_index};
use super::{Definition, Diagnostic, Formula, Model, Reference, Setting, SourceLocation, unknown_key};
use crate::expr::{Kind, parse};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value with its place.
pub(super) type Value<'i> = Spanned<DeValue<'i>>;

/// Reads a model as far as it goes, with all errors of syntax and shape.
pub(super) fn read(sources: &Sources) -> (Option<Model>, Vec<Diagnostic>) {
    let texts = sources.padded_texts();
    let (tables, errors): (Vec<_>, Vec<_>) =
        texts.iter().map(|text| DeTable::parse_recoverable(text)).unzip();
    let errors: Vec<Diagnostic> = errors.iter().flatten().map(syntax_error).collect();
    // Half-read tables would only produce errors about what is missing.
    if !errors.is_empty() {
        return (None, errors);
    }
    let tables = tables.into_iter().map(Spanned::into_inner).collect();
    let included = Inclusion::new(sources, tables).include_all();
    if !included.is_complete {
        return (None, included.errors);
    }
    let mut reader = Reader { text: sources.text(), errors: included.errors, indices: None, drawing: None };
    let mut model = reader.model(&included.table);
    let mut errors = reader.errors;
    if model.run.joint_coordinates && !included.table.contains_key("bodies") {
        let message = "`coordinates = \"joint\"` is about bodies, and there are none";
        let hint = "leave it out: the `coordinates` of the model are what it says";
        let span = model.run.place("coordinates").unwrap_or_default();
        errors.push(Diagnostic::new("joint-coordinates", span, message).hint(hint));
    } else if model.run.joint_coordinates && errors.is_empty() {
        let mut reader =
            Reader { text: sources.text(), errors: Vec::new(), indices: None, drawing: Some(&model) };
        let in_joints = reader.model(&included.table);
        errors = reader.errors;
        let drawing = std::mem::replace(&mut model, in_joints);
        model.drawing = Some(Box::new(drawing));
    }
    model.about.left_out = included.left_out;
    (Some(model), errors)
}

/// An error of the TOML parser, with its cure.
fn syntax_error(error: &toml::de::Error) -> Diagnostic {
    let span = error.span().unwrap_or(0..0);
    let message = format!("not valid TOML: {}", error.message().trim().replace('\n', ", "));
    let hint = match error.message() {
        m if m.contains("duplicate") || m.contains("extend") => "say everything about one thing in one place",
        m if m.contains("quoted") || m.contains("string") => {
            "formulas are strings: put them in quotes, as in `v = \"-g\"`"
        }
        _ => "the model file is TOML: `name = value`, tables in `[brackets]`, text in quotes",
    };
    Diagnostic::new("toml-syntax", span, message).hint(hint)
}

/// Collects errors while values are taken out of a table.
pub(super) struct Reader<'t> {
    text: &'t str,
    pub(super) errors: Vec<Diagnostic>,
    /// Counts out the indices of bodies, if there are any.
    pub(super) indices: Option<Indices>,
    /// The model with three coordinates for each body, if it is read again for those of joints.
    pub(super) drawing: Option<&'t Model>,
}

impl Reader<'_> {
    pub(super) fn error(
        &mut self,
        code: &'static str,
        span: Range<usize>,
        message: String,
        hint: impl Into<String>,
    ) {
        self.errors.push(Diagnostic::new(code, span, message).hint(hint));
    }

    /// Reports every key that is not known, with the nearest that is.
    pub(super) fn check_keys(&mut self, table: &DeTable<'_>, known: &[&str], place: &str) {
        for key in table.keys().filter(|k| !known.contains(&k.get_ref().as_ref())) {
            self.errors.push(unknown_key(key.get_ref(), key.span(), known, place));
        }
    }

    /// A value without the parser.
    pub(super) fn setting(&self, key: &str, key_span: Range<usize>, value: &Value<'_>) -> Setting {
        Setting::new(key, key_span, value, self.text)
    }

    /// What was taken out of a value, or none and its error.
    fn keep<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|error| self.errors.push(error)).ok()
    }

    /// Reports a value of the wrong type. `wanted` is what would be right, with an example.
    pub(super) fn wrong_type(&mut self, value: &Value<'_>, key: &str, wanted: &str, example: &str) {
        let message = format!("`{key}` must be {wanted}, not {}", article(value.get_ref().type_str()));
        self.error("wrong-type", value.span(), message, format!("for example `{example}`"));
    }

    pub(super) fn table<'v, 'i>(
        &mut self,
        value: &'v Value<'i>,
        key: &str,
        example: &str,
    ) -> Option<&'v DeTable<'i>> {
        if value.get_ref().as_table().is_none() {
            self.wrong_type(value, key, "a table", example);
        }
        value.get_ref().as_table()
    }

    pub(super) fn string(&mut self, value: &Value<'_>, key: &str, example: &str) -> Option<String> {
        if value.get_ref().as_str().is_none() {
            self.wrong_type(value, key, "a string", example);
        }
        value.get_ref().as_str().map(str::to_owned)
    }

    pub(super) fn reference(&mut self, value: &Value<'_>, key: &str, example: &str) -> Option<Reference> {
        let name = self.string(value, key, example)?;
        Some(Reference { name, span: value.span() })
    }

    pub(super) fn boolean(&mut self, value: &Value<'_>, key: &str) -> Option<bool> {
        if value.get_ref().as_bool().is_none() {
            self.wrong_type(value, key, "true or false", &format!("{key} = true"));
        }
        value.get_ref().as_bool()
    }

    /// A positive whole number.
    pub(super) fn count(&mut self, value: &Value<'_>, key: &str) -> Option<u64> {
        let setting = self.setting(key, value.span(), value);
        self.keep(setting.count())
    }

    /// A whole number.
    pub(super) fn integer(&mut self, value: &Value<'_>, key: &str) -> Option<i64> {
        let integer = value.get_ref().as_integer();
        let number = integer.and_then(|i| i64::from_str_radix(i.as_str(), i.radix()).ok());
        if number.is_none() {
            self.wrong_value(value, key, "a whole number", &format!("{key} = 1"));
        }
        number
    }

    /// A number greater than zero.
    pub(super) fn positive(&mut self, value: &Value<'_>, key: &str) -> Option<f64> {
        let setting = self.setting(key, value.span(), value);
        self.keep(setting.positive())
    }

    fn wrong_value(&mut self, value: &Value<'_>, key: &str, wanted: &str, example: &str) {
        let shown = self.text.get(value.span()).unwrap_or("?").trim();
        let message = format!("`{key}` must be {wanted}, not `{shown}`");
        self.error("wrong-type", value.span(), message, format!("for example `{example}`"));
    }

    /// One of a few words.
    pub(super) fn word<T: Copy>(&mut self, value: &Value<'_>, key: &str, words: &[(&str, T)]) -> Option<T> {
        let setting = self.setting(key, value.span(), value);
        self.keep(setting.word(words))
    }

    /// A formula: a number, or a string that holds one. A formula with errors is reported and read as zero.
    pub(super) fn formula(&mut self, value: &Value<'_>, key: &str, kind: Kind) -> Formula {
        let span = value.span();
        let (text, text_start) = match value.get_ref() {
            DeValue::String(text) => (text.to_string(), self.start_of_text(&span, text)),
            DeValue::Integer(_) | DeValue::Float(_) => (self.number_as_text(value, key), None),
            _ => {
                self.wrong_type(
                    value,
                    key,
                    "a number or a formula in quotes",
                    &format!("{key} = \"2 * pi\""),
                );
                ("0".to_owned(), None)
            }
        };
        let expanded =
            self.indices.as_mut().map_or_else(|| Ok(text.clone()), |indices| indices.expand(&text));
        let place = SourceLocation { text_start, ..SourceLocation::whole(span) };
        match expanded {
            Ok(same) if same == text => self.parse_formula(&text, place, key, kind),
            Ok(other) => self.parse_formula(&other, SourceLocation { text_start: None, ..place }, key, kind),
            Err(index) => {
                self.errors.push(bad_index(&index, &text, place.span.clone()));
                Self::zero(place)
            }
        }
    }

    /// A TOML number as the text of a formula; a negative one is a formula too, minus a literal.
    fn number_as_text(&mut self, value: &Value<'_>, key: &str) -> String {
        let number = number(value.get_ref()).filter(|x| x.is_finite());
        if number.is_none() {
            self.wrong_value(value, key, "a finite number or a formula", &format!("{key} = 1.0"));
        }
        format!("{:?}", number.unwrap_or(0.0))
    }

    fn parse_formula(&mut self, text: &str, place: SourceLocation, key: &str, kind: Kind) -> Formula {
        match parse(text) {
            Ok(syntax) if syntax.kind() == Kind::Condition && kind == Kind::Number => {
                let message = format!("`{key}` must be a number, and this formula is a condition");
                self.error(
                    "formula-syntax",
                    place.span.clone(),
                    message,
                    "turn it into a number: `if(condition, 1, 0)`",
                );
                Self::zero(place)
            }
            Ok(syntax) => Formula { syntax, place },
            Err(error) => {
                let diagnostic = Diagnostic::new("formula-syntax", place.part(&error.span), error.message);
                let hint =
                    error.hint.unwrap_or_else(|| "write a number, a name or a formula there".to_owned());
                self.errors.push(diagnostic.hint(hint));
                Self::zero(place)
            }
        }
    }

    /// Stands for a formula that could not be read, so that its name is still known to the others.
    pub(super) fn zero(place: SourceLocation) -> Formula {
        Formula { syntax: crate::expr::Syntax::default(), place }
    }

    /// Where the characters of a string begin in the file, if they stand there letter by letter (no escapes).
    fn start_of_text(&self, span: &Range<usize>, text: &str) -> Option<usize> {
        let raw = self.text.get(span.clone())?;
        let offset = raw.find(text)?;
        let is_quote = |s: &str| s.chars().all(|c| matches!(c, '"' | '\'' | '\n' | '\r'));
        (is_quote(&raw[..offset]) && is_quote(&raw[offset + text.len()..])).then_some(span.start + offset)
    }

    /// A table of names and formulas.
    pub(super) fn definitions(&mut self, value: &Value<'_>, section: &str) -> Vec<Definition> {
        let Some(table) = self.table(value, section, &format!("[{section}]")) else { return Vec::new() };
        let define = |(reference, value): (Reference, &Value<'_>)| {
            let Reference { name, span } = reference;
            let formula = self.formula(value, &format!("{section}.{name}"), Kind::Number);
            Definition { name, span, formula }
        };
        leaves(table).into_iter().map(define).collect()
    }
}

/// The names and values of a table; a table inside it stands for dotted names.
pub(super) fn leaves<'v, 'i>(table: &'v DeTable<'i>) -> Vec<(Reference, &'v Value<'i>)> {
    let mut list = Vec::new();
    collect_leaves(table, "", &mut list);
    list
}

/// The TOML parser limits how deep tables nest, and so how deep this goes.
fn collect_leaves<'v, 'i>(table: &'v DeTable<'i>, prefix: &str, list: &mut Vec<(Reference, &'v Value<'i>)>) {
    for (key, value) in table {
        let name = format!("{prefix}{}", key.get_ref());
        match value.get_ref().as_table() {
            Some(inner) => collect_leaves(inner, &format!("{name}."), list),
            None => list.push((Reference { name, span: key.span() }, value)),
        }
    }
}

/// The value as a number, if it is one.
fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(i) => i64::from_str_radix(i.as_str(), i.radix()).ok().map(|i| i as f64),
        DeValue::Float(f) => f.as_str().parse().ok(),
        _ => None,
    }
}

fn article(kind: &str) -> String {
    let vowel = kind.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {kind}", if vowel { "an" } else { "a" })
}
