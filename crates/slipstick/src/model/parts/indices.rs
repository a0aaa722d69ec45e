//! Names with an index: what stands in brackets is counted out, and in the k-th copy of a part the word `k` is its number.
//!
//! That happens to the text, before anything is known of parts. Everything else of a formula stays as it is written.

use crate::expr::{Arena, parse};
use crate::model::{Definition, dependency_order};
use std::collections::{BTreeMap, BTreeSet};

/// Counts out indices.
#[derive(Clone, Debug, Default)]
pub(in crate::model) struct Indices {
    parameters: BTreeMap<String, f64>,
    /// The parameters that indices and numbers of copies use: no run may change them.
    structural: BTreeSet<String>,
    /// The number of the copy that is read.
    copy: Option<usize>,
}

impl Indices {
    pub(in crate::model) fn new(parameters: &[Definition]) -> Self {
        Self { parameters: values_of(parameters), ..Self::default() }
    }

    /// The parameters that say how many parts there are.
    pub(super) fn structural(self) -> BTreeSet<String> {
        self.structural
    }

    /// The values of the parameters, as far as they have one.
    pub(super) fn values(&self) -> &BTreeMap<String, f64> {
        &self.parameters
    }

    /// With the values of further parameters.
    pub(super) fn with(&self, further: &[Definition]) -> Self {
        let mut all = self.clone();
        for definition in further {
            if let Some(value) = all.value(definition.formula.syntax.text()) {
                all.parameters.insert(definition.name.clone(), value);
            }
        }
        all
    }

    /// From now on the k-th copy is read, or what has no copies.
    pub(super) fn read_copy(&mut self, copy: Option<usize>) {
        self.copy = copy;
    }

    /// The value of a formula of parameters, as far as they have one.
    pub(in crate::model) fn value(&self, text: &str) -> Option<f64> {
        let (syntax, mut arena) = (parse(text).ok()?, Arena::new());
        let mut known = BTreeMap::new();
        for (name, _) in syntax.names() {
            let value = match (name, self.copy) {
                ("k", Some(k)) => k as f64,
                _ => *self.parameters.get(name)?,
            };
            known.insert(name.to_owned(), arena.constant(value));
        }
        let id = syntax.lower(&mut arena, &mut |name| known.get(name).copied()).ok()?;
        Some(arena.evaluate(&[id], &[])[0])
    }

    /// The value of a formula of parameters that says how many parts there are, or which.
    pub(super) fn whole_number(&mut self, text: &str) -> Option<usize> {
        let value = self.value(text)?;
        let names = parse(text).ok()?;
        self.structural.extend(names.names().map(|(name, _)| name.to_owned()).filter(|name| name != "k"));
        let is_whole = value.fract() == 0.0 && (0.0..1e15).contains(&value);
        if is_whole { format!("{value:.0}").parse().ok() } else { None }
    }

    /// A text with its indices counted out; the error is the index that is none.
    pub(in crate::model) fn expand(&mut self, text: &str) -> Result<String, String> {
        let (mut result, mut rest) = (String::new(), text);
        while let Some(open) = rest.find('[') {
            result += &self.with_number(&rest[..open]);
            let Some(close) = rest[open..].find(']').map(|at| open + at) else { break };
            let inside = &rest[open + 1..close];
            let parts: Option<Vec<String>> = match inside.trim() {
                "*" => Some(vec!["*".to_owned()]),
                _ => inside.split(',').map(|part| Some(self.whole_number(part)?.to_string())).collect(),
            };
            let parts = parts.ok_or_else(|| inside.to_owned())?;
            result = result + "[" + &parts.join(",") + "]";
            rest = &rest[close + 1..];
        }
        Ok(result + &self.with_number(rest))
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
}

/// The values of the parameters as far as they have any.
fn values_of(parameters: &[Definition]) -> BTreeMap<String, f64> {
    let names: Vec<&str> = parameters.iter().map(|d| d.name.as_str()).collect();
    let uses = |i: usize| parameters[i].formula.syntax.names().map(|(name, _)| name).collect();
    let mut known = Indices::default();
    for i in dependency_order(&names, uses).unwrap_or_default() {
        if let Some(value) = known.value(parameters[i].formula.syntax.text()) {
            known.parameters.insert(names[i].to_owned(), value);
        }
    }
    known.parameters
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Formula;

    fn indices() -> Indices {
        let define = |(name, text): (&str, &str)| Definition {
            name: name.to_owned(),
            span: 0..0,
            formula: Formula::parse(text).expect("a formula"),
        };
        Indices::new(&[("n", "2 * half"), ("half", "10"), ("a", "0.5")].map(define))
    }

    #[test]
    fn indices_are_counted_out_and_the_rest_stays() {
        let mut indices = indices();
        assert_eq!(indices.expand("link[n - 1].x + k"), Ok("link[19].x + k".to_owned()));
        indices.read_copy(Some(3));
        assert_eq!(indices.expand("link[k+1].x * k - k.x + ak"), Ok("link[4].x * 3 - k.x + ak".to_owned()));
        assert_eq!(indices.expand("link[*]"), Ok("link[*]".to_owned()));
        assert_eq!(indices.expand("touch[k,0]"), Ok("touch[3,0]".to_owned()));
        for wrong in ["a", "k - 4", "m", ""] {
            assert_eq!(indices.expand(&format!("link[{wrong}]")), Err(wrong.to_owned()));
        }
        assert_eq!(indices.structural().into_iter().collect::<Vec<_>>(), ["a", "n"]);
    }
}
