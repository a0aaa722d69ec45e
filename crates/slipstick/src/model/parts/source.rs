//! What a model file says of its parts: values with their places, and numbers of copies.

use super::indices::Indices;
use super::term::{Pair, Term};
use crate::expr::{Dimension, Kind, parse};
use crate::model::{Diagnostic, Formula, PartAmount, Setting, SourceLocation};
use std::ops::Range;

/// The dimensions of keys that have one wherever they stand.
const DIMENSIONS: &[(Dimension, &[&str])] = &[
    (Dimension::MASS, &["mass"]),
    (Dimension::MOMENT_OF_INERTIA, &["inertia"]),
    (Dimension::DENSITY, &["density"]),
    (Dimension::ACCELERATION, &["gravity"]),
    (Dimension::VELOCITY, &["velocity"]),
    (Dimension::ANGULAR_VELOCITY, &["angular_velocity"]),
    (Dimension::ANGLE, &["angle", "turn"]),
    (Dimension::FORCE, &["force", "preload"]),
    (Dimension::TORQUE, &["torque", "moment"]),
    (
        Dimension::LENGTH,
        &[
            "x", "y", "com", "depth", "width", "length", "radius", "radii", "at", "move", "disc", "box",
            "capsule", "segment", "polygon", "ellipse", "curve",
        ],
    ),
    (Dimension::NUMBER, &["restitution", "friction", "static", "sliding", "ratio", "coefficient", "repeat"]),
];

/// The dimension of what stands behind a key, if it is always the same.
pub(super) fn dimension_of(key: &str) -> Option<Dimension> {
    DIMENSIONS.iter().find(|(_, keys)| keys.contains(&key)).map(|(dimension, _)| *dimension)
}

/// The most copies of one part.
const MOST_COPIES: usize = 100_000;

/// Reads values of parts and collects what is wrong with them.
pub(super) struct PartSource {
    pub(super) errors: Vec<Diagnostic>,
    /// The formulas that were read, whose names are still to be checked.
    pub(super) amounts: Vec<PartAmount>,
    pub(super) indices: Indices,
}

impl PartSource {
    pub(super) fn new(indices: Indices) -> Self {
        Self { errors: Vec::new(), amounts: Vec::new(), indices }
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
            self.indices.read_copy(Some(k));
            read(self, &format!("{name}[{k}]"));
        }
        self.indices.read_copy(None);
    }

    /// How many copies there are.
    fn count(&mut self, repeat: &Setting) -> Option<usize> {
        let text = self.keep(repeat.formula_text())?;
        let count = self.indices.whole_number(&text).filter(|count| *count <= MOST_COPIES);
        if count.is_none() {
            let message = format!("`repeat` is `{text}`, which is no whole number from 0 to {MOST_COPIES}");
            let hint = "write how many copies there are, as a number or a formula of parameters";
            self.error("bad-repeat", repeat.span.clone(), message, hint);
        }
        count
    }

    /// A text with its indices counted out.
    pub(super) fn expand(&mut self, text: &str, span: &Range<usize>) -> String {
        match self.indices.expand(text) {
            Ok(text) => text,
            Err(index) => {
                self.errors.push(bad_index(&index, text, span.clone()));
                text.replace('[', "(").replace(']', ")")
            }
        }
    }

    /// A formula of parameters: a number, or text.
    pub(super) fn amount(&mut self, value: &Setting) -> Term {
        self.amount_as(value, dimension_of(value.last_key()))
    }

    /// The same with a dimension that its key does not say.
    pub(super) fn amount_as(&mut self, value: &Setting, needed: Option<Dimension>) -> Term {
        self.formula(value, Kind::Number, (false, needed))
    }

    /// A formula of anything that moves.
    pub(super) fn moving(&mut self, value: &Setting) -> Term {
        self.moving_as(value, dimension_of(value.last_key()))
    }

    /// The same with a dimension that its key does not say.
    pub(super) fn moving_as(&mut self, value: &Setting, needed: Option<Dimension>) -> Term {
        self.formula(value, Kind::Number, (true, needed))
    }

    /// A condition on anything that moves.
    pub(super) fn condition(&mut self, value: &Setting) -> Term {
        self.formula(value, Kind::Condition, (true, None))
    }

    fn formula(&mut self, value: &Setting, kind: Kind, (moves, needed): (bool, Option<Dimension>)) -> Term {
        let Some(written) = self.keep(value.formula_text()) else { return Term::zero() };
        let text = self.expand(&written, &value.span);
        let text_start = value.text_start().filter(|_| text == written);
        let place = SourceLocation { text_start, ..SourceLocation::whole(value.span.clone()) };
        match parse(&text) {
            Ok(syntax) if syntax.kind() == kind => {
                let (key, formula) = (value.last_key().to_owned(), Formula { syntax, place });
                self.amounts.push(PartAmount { key, formula, moves, needed });
                return Term::formula(&text);
            }
            Ok(syntax) => {
                let message =
                    format!("`{}` must be {kind}, and this formula is {}", value.last_key(), syntax.kind());
                let hint = match kind {
                    Kind::Number => "turn it into a number: `if(condition, 1, 0)`",
                    Kind::Condition => "compare it with something: `x > 0`",
                };
                self.error("formula-syntax", place.span, message, hint);
            }
            Err(error) => {
                let hint = error.hint.unwrap_or_else(|| "write a number or a formula".to_owned());
                self.error("formula-syntax", place.part(&error.span), error.message, hint);
            }
        }
        Term::zero()
    }

    /// What a key says, if it is there.
    pub(super) fn amount_of(&mut self, part: &Setting, key: &str) -> Option<Term> {
        part.get(key).map(|value| self.amount(value))
    }

    /// The same of what may move.
    pub(super) fn moving_of(&mut self, part: &Setting, key: &str) -> Option<Term> {
        part.get(key).map(|value| self.moving(value))
    }

    /// Two formulas of parameters in brackets.
    pub(super) fn pair(&mut self, value: &Setting) -> Option<Pair> {
        self.pair_as(value, dimension_of(value.last_key()))
    }

    /// The same with a dimension that its key does not say.
    pub(super) fn pair_as(&mut self, value: &Setting, needed: Option<Dimension>) -> Option<Pair> {
        self.pair_with(value, |source, value| source.amount_as(value, needed))
    }

    /// Two formulas in brackets, of anything that moves.
    pub(super) fn moving_pair_of(&mut self, part: &Setting, key: &str) -> Option<Pair> {
        part.get(key).and_then(|value| self.pair_with(value, Self::moving))
    }

    fn pair_with(
        &mut self,
        value: &Setting,
        mut read: impl FnMut(&mut Self, &Setting) -> Term,
    ) -> Option<Pair> {
        let example = format!("{} = [0, \"30 mm\"]", value.last_key());
        let [x, y] = self.keep(value.list("two numbers", &example))? else {
            let found = self.keep(value.list("two numbers", &example))?.len();
            let message = format!("`{}` must be two numbers, not {found}", value.last_key());
            self.error("wrong-type", value.span.clone(), message, format!("for example `{example}`"));
            return None;
        };
        Some([read(self, x), read(self, y)])
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

/// An index that is none.
pub(in crate::model) fn bad_index(index: &str, text: &str, span: Range<usize>) -> Diagnostic {
    let message = format!("`[{index}]` in `{text}` is no whole number, 0 or more");
    let hint = "an index is a formula of parameters, and of `k` where `repeat` makes copies";
    Diagnostic::new("bad-repeat", span, message).hint(hint)
}
