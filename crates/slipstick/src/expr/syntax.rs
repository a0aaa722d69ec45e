//! The syntax tree of one formula, flat.
//!
//! In: what `parse` has read and checked. Out: its names, its kind, the sides
//! of a comparison, and its text. `lower.rs` gives it a meaning.
//!
//! Nodes lie in one vector, children before parents. So a megabyte of
//! `1+1+1+…` is a long vector, not a deep chain of boxes that overflows the
//! stack when it is walked or dropped.

use crate::expr::dimension::Dimension;
use crate::expr::function::Function;
use crate::expr::operation::{BinaryOp, UnaryOp};
use crate::expr::print::{Precedence, Printable, Printed, number_text, print};
use std::fmt;
use std::ops::Range;

/// What a formula or a part of it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number.
    Number,
    /// Something that holds or does not hold.
    Condition,
}

/// The relation of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
}

/// A node of a [`Syntax`]; meaningful only together with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

/// Where the arguments of a call are listed; see [`Syntax::arguments`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentList {
    pub(crate) first: u32,
    pub(crate) count: u32,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// A literal; never negative, never infinite.
    Number(f64),
    /// A number with a unit: its value in SI, never negative and never infinite, and its dimension.
    Quantity(f64, Dimension),
    /// The constant `pi`.
    Pi,
    /// A name; its letters are the bytes of the node's span.
    Name,
    /// `-x` or `not c`.
    Unary(UnaryOp, NodeId),
    /// `+ - * / ^` on numbers, `and or` on conditions.
    Binary(BinaryOp, NodeId, NodeId),
    /// A comparison of two numbers.
    Compare(Relation, NodeId, NodeId),
    /// `if(condition, a, b)`
    If(NodeId, NodeId, NodeId),
    /// A function with its arguments.
    Call(&'static Function, ArgumentList),
}

/// One node: what it is and where it stands in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct SyntaxNode {
    /// What the node is.
    pub form: Form,
    /// Its bytes in the text, without parentheses around it.
    pub span: Range<usize>,
}

/// A formula that has been read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Syntax {
    text: Box<str>,
    nodes: Vec<SyntaxNode>,
    arguments: Vec<NodeId>,
}

/// The formula `0`.
impl Default for Syntax {
    fn default() -> Self {
        let zero = SyntaxNode { form: Form::Number(0.0), span: 0..1 };
        Self { text: "0".into(), nodes: vec![zero], arguments: Vec::new() }
    }
}

/// A name in a formula that the caller does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    /// The name as written.
    pub name: String,
    /// Its bytes in the text.
    pub span: Range<usize>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "unknown name `{}`", self.name)
    }
}

impl std::error::Error for UnknownName {}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Number => "a number",
            Self::Condition => "a condition",
        })
    }
}

impl Relation {
    /// How the relation is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::Equal => "==",
            Self::NotEqual => "!=",
        }
    }

    /// The operation behind the relation, and whether its operands swap sides.
    pub(crate) fn operation(self) -> (BinaryOp, bool) {
        match self {
            Self::Less => (BinaryOp::Less, false),
            Self::LessEqual => (BinaryOp::LessEqual, false),
            Self::Greater => (BinaryOp::Less, true),
            Self::GreaterEqual => (BinaryOp::LessEqual, true),
            Self::Equal => (BinaryOp::Equal, false),
            Self::NotEqual => (BinaryOp::NotEqual, false),
        }
    }
}

impl Form {
    /// Whether the node is a number or a condition.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Compare(..)
            | Self::Unary(UnaryOp::Not, _)
            | Self::Binary(BinaryOp::And | BinaryOp::Or, ..) => Kind::Condition,
            _ => Kind::Number,
        }
    }
}

impl NodeId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Syntax {
    /// The parser guarantees: at least one node, children before parents.
    pub(crate) fn new(text: &str, nodes: Vec<SyntaxNode>, arguments: Vec<NodeId>) -> Self {
        Self { text: text.into(), nodes, arguments }
    }

    /// The text that was parsed.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// All nodes, children before parents, the root last.
    pub fn nodes(&self) -> &[SyntaxNode] {
        &self.nodes
    }

    /// The node that stands for the whole formula.
    pub fn root(&self) -> NodeId {
        // `parse` bounds the text, and with it the nodes, far below 2^32.
        NodeId(u32::try_from(self.nodes.len().saturating_sub(1)).unwrap_or(u32::MAX))
    }

    /// One node.
    ///
    /// # Panics
    /// If `node` belongs to another, longer formula.
    pub fn node(&self, node: NodeId) -> &SyntaxNode {
        &self.nodes[node.index()]
    }

    /// The arguments of a call.
    pub fn arguments(&self, listed: ArgumentList) -> &[NodeId] {
        let first = listed.first as usize;
        &self.arguments[first..first + listed.count as usize]
    }

    /// Whether the formula is a number or a condition.
    pub fn kind(&self) -> Kind {
        self.node(self.root()).form.kind()
    }

    /// Whether a number in it has a unit.
    pub fn has_units(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node.form, Form::Quantity(..)))
    }

    /// Every occurrence of a name with its bytes, in the order of the text.
    pub fn names(&self) -> impl Iterator<Item = (&str, Range<usize>)> {
        let names = self.nodes.iter().filter(|node| node.form == Form::Name);
        names.map(|node| (&self.text[node.span.clone()], node.span.clone()))
    }

    /// The names that a value is made of: those in comparisons only choose between values.
    pub fn names_of_values(&self) -> impl Iterator<Item = (&str, Range<usize>)> {
        let compares = |node: &&SyntaxNode| matches!(node.form, Form::Compare(..));
        let mut chosen_by: Vec<Range<usize>> =
            self.nodes.iter().filter(compares).map(|node| node.span.clone()).collect();
        // One that is inside another, and so ends with it or before, adds nothing.
        chosen_by.sort_unstable_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        let mut end = 0;
        chosen_by.retain(|span| {
            let before = end;
            end = end.max(span.end);
            before < span.end
        });
        self.names().filter(move |(_, name)| {
            let next = chosen_by.partition_point(|span| span.end < name.end);
            chosen_by.get(next).is_none_or(|span| name.start < span.start)
        })
    }

    /// Relation and both sides, if the whole formula is one comparison. `not` twice is nothing.
    pub fn comparison(&self) -> Option<(Relation, NodeId, NodeId)> {
        let (mut node, mut negated) = (self.root(), false);
        while let Form::Unary(UnaryOp::Not, inner) = self.node(node).form {
            (node, negated) = (inner, !negated);
        }
        match self.node(node).form {
            Form::Compare(relation, left, right) if !negated => Some((relation, left, right)),
            _ => None,
        }
    }
}

impl Printable for Syntax {
    fn printed(&self, node: u32) -> Printed {
        match self.nodes[node as usize].form {
            Form::Number(value) => Printed::Leaf(number_text(value), Precedence::Atom),
            // As a base of a power it needs parentheses: `3 m^2` is an area.
            Form::Quantity(..) => {
                let words = self.text[self.nodes[node as usize].span.clone()].split_whitespace();
                Printed::Leaf(words.collect::<Vec<_>>().join(" "), Precedence::Power)
            }
            Form::Pi => Printed::Leaf("pi".to_string(), Precedence::Atom),
            Form::Name => {
                let span = self.nodes[node as usize].span.clone();
                Printed::Leaf(self.text[span].to_string(), Precedence::Atom)
            }
            Form::Unary(op, x) => Printed::unary(op, x.0),
            Form::Binary(op, a, b) => Printed::binary(op, a.0, b.0),
            Form::Compare(relation, a, b) => Printed::Infix(relation.symbol(), Precedence::Compare, a.0, b.0),
            Form::If(c, a, b) => Printed::Call("if", vec![c.0, a.0, b.0]),
            Form::Call(function, listed) => {
                let arguments = self.arguments(listed).iter().map(|child| child.0);
                Printed::Call(function.name(), arguments.collect())
            }
        }
    }
}

impl fmt::Display for Syntax {
    /// With the parentheses that are needed and no others.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&print(self, self.root().0, usize::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::arena::{Arena, InputId};
    use crate::expr::parse::parse;

    #[test]
    fn printing_keeps_only_the_parentheses_that_matter() {
        let cases = [
            ("((a))+((b*c))", "a + b * c"),
            ("(a+b)*c", "(a + b) * c"),
            ("a-(b-c)", "a - (b - c)"),
            ("(a-b)-c", "a - b - c"),
            ("(a^b)^c", "(a^b)^c"),
            ("a^(b^c)", "a^b^c"),
            ("(-a)^2", "(-a)^2"),
            ("-(a^2)", "-a^2"),
            ("a^(-b)", "a^-b"),
            ("a*(-b)", "a * -b"),
            ("-(a*b)", "-(a * b)"),
            ("not (a<b and (c<d))", "not (a < b and c < d)"),
            ("(not a<b) or (c<d and e>=f)", "not a < b or c < d and e >= f"),
            ("min( a ,b, (c+1) )+pi*1.50", "min(a, b, c + 1) + pi * 1.5"),
            ("if((a<b),(1e300),.001)", "if(a < b, 1e300, 0.001)"),
        ];
        for (text, wanted) in cases {
            assert_eq!(parse(text).unwrap().to_string(), wanted);
        }
    }

    #[test]
    fn kind_tells_numbers_from_conditions() {
        assert_eq!(parse("a + 1").unwrap().kind(), Kind::Number);
        assert_eq!(parse("if(a > 1, 2, 3)").unwrap().kind(), Kind::Number);
        assert_eq!(parse("((a > 1))").unwrap().kind(), Kind::Condition);
        assert_eq!(parse("not a > 1").unwrap().kind(), Kind::Condition);
    }

    #[test]
    fn a_comparison_gives_up_its_sides() {
        let syntax = parse("(wheel.speed*2 >= limit + 1)").unwrap();
        let (relation, left, right) = syntax.comparison().unwrap();
        assert_eq!(relation, Relation::GreaterEqual);
        let mut arena = Arena::new();
        let [speed, limit] = [0, 1].map(|n| arena.input(InputId(n)));
        let mut resolve = |name: &str| match name {
            "wheel.speed" => Some(speed),
            "limit" => Some(limit),
            _ => None,
        };
        let left = syntax.lower_node(left, &mut arena, &mut resolve).unwrap();
        let right = syntax.lower_node(right, &mut arena, &mut resolve).unwrap();
        assert_eq!(arena.evaluate(&[left, right], &[4.0, 5.0]), [8.0, 6.0]);
        assert_eq!(parse("a < b and c < d").unwrap().comparison(), None);
        assert_eq!(parse("a + b").unwrap().comparison(), None);
        let relation = |text: &str| parse(text).unwrap().comparison().map(|(relation, _, _)| relation);
        assert_eq!(relation("not (not not not (a < b))"), Some(Relation::Less));
        assert_eq!(relation("not (a < b)"), None);
    }

    #[test]
    fn unknown_names_are_reported_with_their_place() {
        let syntax = parse("1 + speed").unwrap();
        let error = syntax.lower(&mut Arena::new(), &mut |_| None).unwrap_err();
        assert_eq!(error.to_string(), "unknown name `speed`");
        assert_eq!(error.span, 4..9);
    }

    #[test]
    fn names_are_listed_once_per_occurrence() {
        let syntax = parse("φ + sin(φ) * pi").unwrap();
        let names: Vec<_> = syntax.names().collect();
        assert_eq!(names, [("φ", 0..2), ("φ", 9..11)]);
    }

    #[test]
    fn a_long_sum_lowers_and_prints_without_recursion() {
        let text = format!("x{}", " + x".repeat(200_000));
        let syntax = parse(&text).unwrap();
        let mut arena = Arena::new();
        let x = arena.input(InputId(0));
        let sum = syntax.lower(&mut arena, &mut |_| Some(x)).unwrap();
        assert_eq!(arena.evaluate(&[sum], &[1.0]), [200_001.0]);
        assert_eq!(syntax.to_string(), text);
        assert_eq!(crate::expr::display(&arena, sum, &|_| "x".to_string()), text);
    }
}
