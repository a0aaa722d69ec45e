//! The dimension of a formula, and whether it fits the place where the formula stands.
//!
//! In: a [`Syntax`], and the dimensions of its names. Out: its dimension, or a [`DimensionError`] that names
//! the parts and their units. A plain number is free: beside `+ - <` it takes the dimension of the other
//! side, as a factor it is 1. Only two dimensions that are known and differ are an error. Angles are plain
//! numbers inside formulas.

use crate::expr::dimension::Dimension;
use crate::expr::error::quoted;
use crate::expr::function::{Builtin, Function};
use crate::expr::operation::{BinaryOp, UnaryOp};
use crate::expr::syntax::{Form, NodeId, Syntax};
use std::fmt;
use std::ops::Range;

/// What an operation does to dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DimensionRule {
    /// Its operands are alike, and it is like them.
    Alike,
    /// Its operands are alike, and it is free: a condition.
    Compared,
    /// Its operands are alike, and it is their angle: a plain number, free if all of them are.
    Ratio,
    /// Its operands are plain numbers, and so is it; free if all of them are.
    Number,
    /// It is free, whatever its operand is.
    Free,
    /// A root of this degree.
    Root(u8),
    Product,
    Quotient,
    Power,
}

/// Why the dimensions of a formula are wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DimensionError {
    /// The bytes of the text that are wrong.
    pub span: Range<usize>,
    /// What is wrong, in lower case and in the user's words.
    pub message: String,
    /// How to cure it.
    pub hint: String,
}

impl fmt::Display for DimensionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} ({})", self.message, self.hint)
    }
}

impl std::error::Error for DimensionError {}

impl Syntax {
    /// The dimension of the formula, by those of its names; none if it is free.
    pub fn dimension(
        &self,
        of_name: &mut dyn FnMut(&str) -> Option<Dimension>,
    ) -> Result<Option<Dimension>, DimensionError> {
        let mut reader = DimensionReader { syntax: self, known: Vec::new(), constants: Vec::new() };
        for (index, part) in self.nodes().iter().enumerate() {
            let node = NodeId(u32::try_from(index).unwrap_or(u32::MAX));
            let dimension = match part.form {
                Form::Name => of_name(&self.text()[part.span.clone()]),
                _ => reader.dimension(node)?,
            };
            reader.known.push(dimension);
            reader.constants.push(reader.constant(part.form));
        }
        Ok(reader.known.pop().flatten())
    }

    /// Checks that the formula may stand where `needed` is. `found` is its dimension, `key` the name of the
    /// place.
    pub fn check_dimension(
        &self,
        found: Option<Dimension>,
        needed: Dimension,
        key: &str,
    ) -> Result<(), DimensionError> {
        let quantity = self.quantity();
        let Some(found) = found.filter(|found| !found.fits(needed, quantity.is_some())) else {
            return Ok(());
        };
        let text = match quantity {
            Some(_) => format!("`\"{}\"`", self.text().trim()),
            None => quoted(self.text().trim()),
        };
        let same_but_for_angle = found.without_angle() == needed.without_angle();
        let message = match (same_but_for_angle, needed.word()) {
            (true, Some(word)) => format!("{text} is no {}", without_article(word)),
            _ => format!("{text} is {}, {} needs {needed}", in_words(found), quoted(key)),
        };
        let hint = match quantity {
            Some(value) if found == Dimension::FREQUENCY && needed == Dimension::ANGULAR_VELOCITY => {
                format!("did you mean `\"{} rpm\"`?", per_minute(value))
            }
            _ if needed == Dimension::NUMBER => "write a number without a unit".to_owned(),
            _ => format!("give {} a value in {needed}", quoted(key)),
        };
        Err(DimensionError { span: 0..self.text().len(), message, hint })
    }

    /// The value in SI if the formula is a number with a unit, perhaps with a sign, and nothing else.
    fn quantity(&self) -> Option<f64> {
        let (mut node, mut sign) = (self.root(), 1.0);
        loop {
            match self.node(node).form {
                Form::Quantity(value, _) => return Some(sign * value),
                Form::Unary(UnaryOp::Negate, inner) => (node, sign) = (inner, -sign),
                _ => return None,
            }
        }
    }
}

/// Hertz as revolutions per minute, without the last digits that rounding leaves.
fn per_minute(hertz: f64) -> f64 {
    let shown = format!("{:.12e}", hertz * 60.0);
    shown.parse().unwrap_or(hertz * 60.0)
}

fn without_article(word: &str) -> &str {
    word.split_once(' ').map_or(word, |(_, word)| word)
}

/// A dimension in words, or by its unit.
fn in_words(dimension: Dimension) -> String {
    dimension.word().map_or_else(|| format!("in {dimension}"), str::to_owned)
}

/// Finds the dimensions of nodes, children before parents.
struct DimensionReader<'a> {
    syntax: &'a Syntax,
    /// The dimensions of the nodes so far.
    known: Vec<Option<Dimension>>,
    /// Their values, where they are made of plain numbers: exponents must be known.
    constants: Vec<Option<f64>>,
}

impl DimensionReader<'_> {
    fn of(&self, node: NodeId) -> Option<Dimension> {
        self.known.get(node.index()).copied().flatten()
    }

    fn dimension(&self, node: NodeId) -> Result<Option<Dimension>, DimensionError> {
        match self.syntax.node(node).form {
            Form::Number(_) | Form::Pi | Form::Name => Ok(None),
            Form::Quantity(_, dimension) => Ok(Some(dimension)),
            // A sign keeps the angle: `-30 deg` is a quantity too.
            Form::Unary(UnaryOp::Negate, x) => Ok(self.of(x)),
            Form::Unary(op, x) => self.result(op.row().dimension, node, &[x]),
            Form::Binary(op, a, b) => self.result(op.row().dimension, node, &[a, b]),
            Form::Compare(_, a, b) => self.result(DimensionRule::Compared, node, &[a, b]),
            Form::If(_, a, b) => self.alike(node, &[a, b]),
            Form::Call(function, listed) => {
                self.result(function.dimension_rule(), node, self.syntax.arguments(listed))
            }
        }
    }

    fn result(
        &self,
        rule: DimensionRule,
        node: NodeId,
        operands: &[NodeId],
    ) -> Result<Option<Dimension>, DimensionError> {
        let of = |place: usize| operands.get(place).and_then(|&x| self.of(x)).map(Dimension::without_angle);
        match rule {
            DimensionRule::Alike => self.alike(node, operands),
            DimensionRule::Compared => self.alike(node, operands).map(|_| None),
            DimensionRule::Ratio => Ok(self.alike(node, operands)?.map(|_| Dimension::NUMBER)),
            DimensionRule::Free => Ok(None),
            DimensionRule::Number => {
                operands.iter().try_for_each(|&operand| self.check_number(node, operand))?;
                let is_known = operands.iter().any(|&operand| self.of(operand).is_some());
                Ok(is_known.then_some(Dimension::NUMBER))
            }
            DimensionRule::Root(degree) => Ok(of(0).and_then(|x| x.to_power(1.0 / f64::from(degree)))),
            DimensionRule::Product => Ok(match (of(0), of(1)) {
                (Some(a), Some(b)) => a.times(b),
                (a, b) => a.or(b),
            }),
            DimensionRule::Quotient => Ok(match (of(0), of(1)) {
                (Some(a), Some(b)) => a.per(b),
                (a, Some(b)) => a.unwrap_or(Dimension::NUMBER).per(b),
                (a, None) => a,
            }),
            DimensionRule::Power => {
                operands.get(1).map_or(Ok(()), |&exponent| self.check_number(node, exponent))?;
                let exponent = operands.get(1).and_then(|x| self.constants[x.index()]);
                Ok(of(0).and_then(|base| match exponent {
                    Some(exponent) => base.to_power(exponent),
                    None => Some(base).filter(|base| *base == Dimension::NUMBER),
                }))
            }
        }
    }

    /// The dimension that all operands have that have one.
    fn alike(&self, node: NodeId, operands: &[NodeId]) -> Result<Option<Dimension>, DimensionError> {
        let mut first: Option<(NodeId, Dimension)> = None;
        for &operand in operands {
            let Some(dimension) = self.of(operand) else { continue };
            match first {
                Some((one, known)) if known.without_angle() != dimension.without_angle() => {
                    return Err(self.mixed(node, (one, known), (operand, dimension)));
                }
                Some(_) => {}
                None => first = Some((operand, dimension)),
            }
        }
        Ok(first.map(|(_, dimension)| dimension.without_angle()))
    }

    fn mixed(
        &self,
        node: NodeId,
        (a, of_a): (NodeId, Dimension),
        (b, of_b): (NodeId, Dimension),
    ) -> DimensionError {
        let text = self.text(node);
        let message = match self.syntax.node(node).form {
            Form::Binary(BinaryOp::Add, ..) => format!("{text} adds {of_a} and {of_b}"),
            Form::Binary(BinaryOp::Subtract, ..) => format!("{text} subtracts {of_b} from {of_a}"),
            Form::Compare(..) => format!("{text} compares {of_a} with {of_b}"),
            _ => format!("{text} mixes {of_a} and {of_b}"),
        };
        let (left, right) = (self.text(a), self.text(b));
        let hint = format!(
            "{left} is {} and {right} is {}: is a unit wrong, or a factor missing?",
            in_words(of_a),
            in_words(of_b)
        );
        DimensionError { span: self.syntax.node(node).span.clone(), message, hint }
    }

    /// An argument of a function such as `sin` is a plain number or an angle.
    fn check_number(&self, node: NodeId, operand: NodeId) -> Result<(), DimensionError> {
        let Some(dimension) = self.of(operand) else { return Ok(()) };
        if dimension.without_angle() == Dimension::NUMBER {
            return Ok(());
        }
        let (text, part, word) = (self.text(node), self.text(operand), in_words(dimension));
        let message = match self.syntax.node(node).form {
            Form::Binary(..) => format!("the exponent in {text} must be a plain number, not {word}"),
            _ => format!("{text} needs a plain number or an angle, not {word}"),
        };
        let hint = format!("divide {part} by a quantity with the unit {dimension}");
        Err(DimensionError { span: self.syntax.node(operand).span.clone(), message, hint })
    }

    fn text(&self, node: NodeId) -> String {
        quoted(&self.syntax.text()[self.syntax.node(node).span.clone()])
    }

    /// The value of a node that is made of plain numbers.
    fn constant(&self, form: Form) -> Option<f64> {
        let of = |node: NodeId| self.constants.get(node.index()).copied().flatten();
        match form {
            Form::Number(value) => Some(value),
            Form::Pi => Some(std::f64::consts::PI),
            Form::Unary(op, x) => Some(op.apply(of(x)?)),
            Form::Binary(op, a, b) => Some(op.apply(of(a)?, of(b)?)),
            _ => None,
        }
    }
}

impl Function {
    fn dimension_rule(&self) -> DimensionRule {
        match self.meaning() {
            Builtin::Unary(op) => op.row().dimension,
            Builtin::Binary(op) | Builtin::Fold(op) => op.row().dimension,
            Builtin::Clamp | Builtin::Smooth => DimensionRule::Alike,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::parse::parse;

    /// The dimension of a name in these tests; `x`, `y` and `n` are free.
    fn of_name(name: &str) -> Option<Dimension> {
        Some(match name {
            "r" | "l" => Dimension::LENGTH,
            "m" => Dimension::MASS,
            "t" => Dimension::TIME,
            "v" => Dimension::VELOCITY,
            "angle" => Dimension::ANGLE,
            "w" => Dimension::ANGULAR_VELOCITY,
            _ => return None,
        })
    }

    fn dimension(text: &str) -> Result<Option<Dimension>, DimensionError> {
        parse(text).expect(text).dimension(&mut |name| of_name(name))
    }

    fn unit(text: &str) -> String {
        let found = dimension(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        found.map_or("free".to_owned(), |dimension| dimension.to_string())
    }

    fn message(text: &str) -> String {
        dimension(text).expect_err(text).message
    }

    #[test]
    fn plain_numbers_are_free() {
        let free = ["1", "x + 2 * y", "2 * pi", "x < 3", "if(x < 1, 2, y)", "x^n", "min(1, x)", "sign(r)"];
        for text in free.into_iter().chain(["9.81 * sin(0.3)", "exp(-x)", "atan2(x, y)"]) {
            assert_eq!(unit(text), "free", "{text}");
        }
        for text in [
            "r + 1",
            "1 + r",
            "-r",
            "2 * r",
            "r / 2",
            "min(r, 0)",
            "if(t > 1, r, 0)",
            "abs(r - 3 mm)",
            "r + cos(x)",
        ] {
            assert_eq!(unit(text), "m", "{text}");
        }
        assert_eq!(unit("1 / t"), "Hz");
    }

    #[test]
    fn products_powers_and_roots_follow_their_operands() {
        let cases = [
            ("m * r / t^2", "N"),
            ("0.5 * m * v^2", "N*m"),
            ("sqrt(2 * 9.81 m/s^2 * r)", "m/s"),
            ("cbrt(r^3)", "m"),
            ("(r^2)^0.25", "m^0.5"),
            ("r^(1/2) * r^-0.5", "a plain number"),
            ("(r / l)^n", "a plain number"),
            ("r^n", "free"),
            ("r^0.37", "free"),
            ("hypot(r, 3 mm)", "m"),
            ("atan2(r, l)", "a plain number"),
            ("mod(t, 2 s)", "s"),
            ("r * sin(w * t)", "m"),
            ("exp(-t / 3 s)", "a plain number"),
            ("clamp(r, 0, 1 mm)", "m"),
            ("floor(t / 1 s)", "a plain number"),
            ("smooth(abs(r))", "m"),
        ];
        for (text, wanted) in cases {
            assert_eq!(unit(text), wanted, "{text}");
        }
    }

    #[test]
    fn angles_are_plain_numbers_inside_formulas() {
        assert_eq!(unit("r * angle"), "m");
        assert_eq!(unit("w * r + v"), "m/s");
        assert_eq!(unit("w + 3 / t"), "Hz");
        assert_eq!(unit("sin(angle + 30 deg) + 1"), "a plain number");
        assert_eq!(unit("-30 deg"), "rad");
        assert_eq!(unit("2 * 30 deg"), "a plain number");
    }

    #[test]
    fn mixed_dimensions_are_named() {
        let cases = [
            ("r + m", "`r + m` adds m and kg"),
            ("1 + r + 2*m", "`1 + r + 2*m` adds m and kg"),
            ("t - r", "`t - r` subtracts m from s"),
            ("v < r", "`v < r` compares m/s with m"),
            ("max(x, r, m)", "`max(x, r, m)` mixes m and kg"),
            ("if(x > 0, r, 2 s)", "`if(x > 0, r, 2 s)` mixes m and s"),
            ("r + cos(angle)", "`r + cos(angle)` adds m and a plain number"),
            ("sin(t)", "`sin(t)` needs a plain number or an angle, not a time"),
            ("2^r", "the exponent in `2^r` must be a plain number, not a length"),
            ("v < 1 and r < m", "`r < m` compares m with kg"),
        ];
        for (text, wanted) in cases {
            assert_eq!(message(text), wanted);
        }
        let error = dimension("1 + (r + m)").unwrap_err();
        assert_eq!(error.span, 5..10);
        assert_eq!(error.hint, "`r` is a length and `m` is a mass: is a unit wrong, or a factor missing?");
    }

    fn check(text: &str, needed: Dimension) -> Result<(), String> {
        let syntax = parse(text).expect(text);
        let found = syntax.dimension(&mut |name| of_name(name)).expect(text);
        syntax.check_dimension(found, needed, "mass").map_err(|error| error.to_string())
    }

    #[test]
    fn a_key_names_what_it_needs() {
        assert_eq!(check("3 kg", Dimension::MASS), Ok(()));
        assert_eq!(check("3", Dimension::MASS), Ok(()));
        assert_eq!(check("30 deg / 1 s", Dimension::ANGULAR_VELOCITY), Ok(()));
        assert_eq!(check("w", Dimension::FREQUENCY), Ok(()));
        assert_eq!(check("3 N*m", Dimension::TORSIONAL_STIFFNESS), Ok(()));
        let wrong = |text, needed| check(text, needed).unwrap_err();
        assert_eq!(
            wrong("30 mm", Dimension::MASS),
            "`\"30 mm\"` is a length, `mass` needs kg (give `mass` a value in kg)"
        );
        assert_eq!(
            wrong("20 Hz", Dimension::ANGULAR_VELOCITY),
            "`\"20 Hz\"` is no angular velocity (did you mean `\"1200 rpm\"`?)"
        );
        assert_eq!(
            wrong("-2 * r", Dimension::MASS),
            "`-2 * r` is a length, `mass` needs kg (give `mass` a value in kg)"
        );
        assert_eq!(
            wrong("30 deg", Dimension::NUMBER),
            "`\"30 deg\"` is no plain number (write a number without a unit)"
        );
        assert_eq!(
            wrong("3 kg^2", Dimension::MASS),
            "`\"3 kg^2\"` is in kg^2, `mass` needs kg (give `mass` a value in kg)"
        );
    }
}
