//! What a model file says of its parts: values with their places, numbers of copies, and names with an index.
//!
//! Copies are made here, before anything is known of parts: in the text of the k-th copy the word `k` is its number, and
//! what stands in brackets is counted out. Everything else of a formula stays as it is written.

use super::term::{Pair, Term};
use crate::expr::{Arena, parse};
use crate::model::{Definition, Diagnostic, Formula, Setting, SourceLocation, dependency_order};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The most copies of one part.
const MOST_COPIES: usize = 100_000;

/// Reads values of parts and collects what is wrong with them.
pub(super) struct Source {
    pub(super) errors: Vec<Diagnostic>,
    /// The formulas that were read, whose names are still to be checked.
    pub(super) amounts: Vec<Formula>,
    /// The parameters that say how many parts there are: no run may change them.
    pub(super) structural: BTreeSet<String>,
    parameters: BTreeMap<String, f64>,
    /// The number of the copy that is read.
    pub(super) copy: Option<usize>,
}

impl Source {
    pub(super) fn new(parameters: &[Definition]) -> Self {
        Self {
            errors: Vec::new(),
            amounts: Vec::new(),
            structural: BTreeSet::new(),
            parameters: values_of(parameters),
            copy: None,
        }
    }

    pub(super) fn error(
        &mut self,
        code: &'static str,
        span: Range<usize>,
        message: String,
        hint: impl Into<String>,
    ) {
        self.errors.push(Diagnostic::new(code, span, message).hint(hint));
    }

    /// What was read, or none and its error.
    pub(super) fn keep<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        result.map_err(|error| self.errors.push(error)).ok()
    }

    /// Reads a part once, or as many times as `repeat` says: gives the name of each copy, and reads it as that.
    pub(super) fn copies(&mut self, (name, part): (&str, &Setting), mut read: impl FnMut(&mut Self, &str)) {
        let Some(repeat) = part.get("repeat") else { return read(self, name) };
        let Some(count) = self.count(repeat) else { return };
        for k in 0..count {
            self.copy = Some(k);
            read(self, &format!("{name}[{k}]"));
        }
        self.copy = None;
    }

    /// How many copies there are.
    fn count(&mut self, repeat: &Setting) -> Option<usize> {
        let text = self.keep(repeat.formula_text())?;
        match self.whole_number(&text) {
            Some(count) if (0..=MOST_COPIES as i64).contains(&count) => usize::try_from(count).ok(),
            _ => {
                let message =
                    format!("`repeat` is `{text}`, which is no whole number from 0 to {MOST_COPIES}");
                let hint = "write how many copies there are, as a number or a formula of parameters";
                self.error("bad-repeat", repeat.span.clone(), message, hint);
                None
            }
        }
    }

    /// The value of a formula of parameters, and of the number of the copy, if that is a whole number.
    fn whole_number(&mut self, text: &str) -> Option<i64> {
        let syntax = parse(text).ok()?;
        let mut arena = Arena::new();
        let mut known = BTreeMap::new();
        for (name, _) in syntax.names() {
            let value = match (name, self.copy) {
                ("k", Some(k)) => k as f64,
                _ => {
                    self.structural.insert(name.to_owned());
                    *self.parameters.get(name)?
                }
            };
            known.insert(name.to_owned(), arena.constant(value));
        }
        let id = syntax.lower(&mut arena, &mut |name| known.get(name).copied()).ok()?;
        let value = arena.evaluate(&[id], &[])[0];
        (value.fract() == 0.0 && value.abs() < 1e15).then_some(value as i64)
    }

    /// The text of a copy: what stands in brackets is counted out, and the word `k` is its number.
    pub(super) fn expand(&mut self, text: &str, span: &Range<usize>) -> String {
        let mut result = String::new();
        let mut rest = text;
        while let Some(open) = rest.find('[') {
            result += &self.with_number(&rest[..open]);
            let Some(close) = rest[open..].find(']').map(|at| open + at) else { break };
            let inside = &rest[open + 1..close];
            if inside.trim() == "*" {
                result += "[*]";
            } else if let Some(number) = self.whole_number(inside).filter(|number| *number >= 0) {
                result += &format!("[{number}]");
            } else {
                let message = format!("`[{inside}]` in `{text}` is no whole number, 0 or more");
                let hint = "an index is a formula of parameters, and of `k` where `repeat` makes copies";
                self.error("bad-repeat", span.clone(), message, hint);
                result += "[0]";
            }
            rest = &rest[close + 1..];
        }
        result + &self.with_number(rest)
    }

    /// The word `k` is the number of the copy.
    fn with_number(&self, text: &str) -> String {
        let Some(k) = self.copy else { return text.to_owned() };
        let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '\'');
        let (mut result, mut rest) = (String::new(), text);
        while let Some(start) = rest.find(is_word) {
            let end = rest[start..].find(|letter| !is_word(letter)).map_or(rest.len(), |at| start + at);
            result += &rest[..start];
            match &rest[start..end] {
                "k" => result += &k.to_string(),
                word => result += word,
            }
            rest = &rest[end..];
        }
        result + rest
    }

    /// A formula: a number, or text.
    pub(super) fn amount(&mut self, value: &Setting) -> Term {
        let Some(written) = self.keep(value.formula_text()) else { return Term::zero() };
        let text = self.expand(&written, &value.span);
        let text_start = value.text_start().filter(|_| text == written);
        let place = SourceLocation { span: value.span.clone(), text_start };
        match parse(&text) {
            Ok(syntax) => {
                self.amounts.push(Formula { syntax, place });
                Term::formula(&text)
            }
            Err(error) => {
                let hint = error.hint.unwrap_or_else(|| "write a number or a formula".to_owned());
                self.error("formula-syntax", place.part(&error.span), error.message, hint);
                Term::zero()
            }
        }
    }

    /// What a key says, if it is there.
    pub(super) fn amount_of(&mut self, part: &Setting, key: &str) -> Option<Term> {
        part.get(key).map(|value| self.amount(value))
    }

    /// Two formulas in brackets.
    pub(super) fn pair(&mut self, value: &Setting) -> Option<Pair> {
        let example = format!("{} = [0, \"30 mm\"]", value.last_key());
        let [x, y] = self.keep(value.list("two numbers", &example))? else {
            let found = self.keep(value.list("two numbers", &example))?.len();
            let message = format!("`{}` must be two numbers, not {found}", value.last_key());
            self.error("wrong-type", value.span.clone(), message, format!("for example `{example}`"));
            return None;
        };
        Some([self.amount(x), self.amount(y)])
    }

    pub(super) fn pair_of(&mut self, part: &Setting, key: &str) -> Option<Pair> {
        part.get(key).and_then(|value| self.pair(value))
    }

    /// A name that refers to something else, with its index counted out.
    pub(super) fn name(&mut self, value: &Setting) -> Option<String> {
        let example = format!("{} = \"NAME\"", value.last_key());
        let text = self.keep(value.string(&example))?.to_owned();
        Some(self.expand(&text, &value.span))
    }

    pub(super) fn name_of(&mut self, part: &Setting, key: &str) -> Option<String> {
        part.get(key).and_then(|value| self.name(value))
    }
}

/// The values of the parameters as far as they have any.
fn values_of(parameters: &[Definition]) -> BTreeMap<String, f64> {
    let names: Vec<&str> = parameters.iter().map(|d| d.name.as_str()).collect();
    let uses = |i: usize| parameters[i].formula.syntax.names().map(|(name, _)| name).collect();
    let mut values: BTreeMap<String, f64> = BTreeMap::new();
    for i in dependency_order(&names, uses).unwrap_or_default() {
        let (mut arena, syntax) = (Arena::new(), &parameters[i].formula.syntax);
        let known: BTreeMap<&str, _> =
            syntax.names().filter_map(|(name, _)| Some((name, arena.constant(*values.get(name)?)))).collect();
        let lowered = syntax.lower(&mut arena, &mut |name| known.get(name).copied());
        if let Ok(id) = lowered {
            values.insert(names[i].to_owned(), arena.evaluate(&[id], &[])[0]);
        }
    }
    values
}
