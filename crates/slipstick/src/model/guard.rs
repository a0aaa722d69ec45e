//! The logic of a guard: which comparisons, and how `and`, `or` and `not` join them.

use super::check::{Checker, check_mode_name};
use super::names::{FormulaContext, check_name};
use super::{Diagnostic, EventRule, Formula, Quantity, Reference, Scope};
use crate::expr::{BinaryOp, Form, Kind, NodeId, Relation, Syntax, UnaryOp};
use std::ops::Range;

/// What stands for the mode that holds, in a guard.
pub const MODE: &str = "mode";

/// A guard as a Boolean formula.
#[derive(Clone, Debug, PartialEq)]
pub enum Logic {
    /// A comparison of two numbers.
    Comparison {
        /// How they are compared.
        relation: Relation,
        /// The left side.
        left: NodeId,
        /// The right side.
        right: NodeId,
        /// The comparison itself.
        node: NodeId,
    },
    /// `mode == NAME`.
    Mode {
        /// The mode.
        name: Reference,
        /// The comparison itself.
        node: NodeId,
    },
    /// `not …`.
    Not(Box<Logic>),
    /// `… and …`.
    And(Vec<Logic>),
    /// `… or …`.
    Or(Vec<Logic>),
}

impl Logic {
    /// The logic of a guard; none if it is a number.
    pub fn of(guard: &Formula, scope: &Scope<'_>) -> Option<Self> {
        let syntax = &guard.syntax;
        let knows_modes = scope.meaning(MODE).is_none();
        // Children come before their parents, so that long chains need no deep stack.
        let mut parts: Vec<Option<Self>> = Vec::with_capacity(syntax.nodes().len());
        for (index, part) in syntax.nodes().iter().enumerate() {
            let node = NodeId(u32::try_from(index).unwrap_or(u32::MAX));
            let mut take = |child: NodeId| parts[child.index()].take();
            let logic = match part.form {
                Form::Compare(relation, left, right) => {
                    let mode = mode_compared(guard, (relation, left, right), node).filter(|_| knows_modes);
                    Some(mode.unwrap_or(Self::Comparison { relation, left, right, node }))
                }
                Form::Unary(UnaryOp::Not, inner) => take(inner).map(Self::not),
                Form::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                    let (left, right) = (take(left), take(right));
                    left.zip(right).map(|(left, right)| left.join(op, right))
                }
                _ => None,
            };
            parts.push(logic);
        }
        parts.pop().flatten().filter(|_| syntax.kind() == Kind::Condition)
    }

    fn not(self) -> Self {
        match self {
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }

    /// Both, in one list where they are joined by the same word.
    fn join(self, op: BinaryOp, right: Self) -> Self {
        match (op, self, right) {
            (BinaryOp::And, Self::And(mut list), right) => {
                list.push(right);
                Self::And(list)
            }
            (BinaryOp::And, left, right) => Self::And(vec![left, right]),
            (_, Self::Or(mut list), right) => {
                list.push(right);
                Self::Or(list)
            }
            (_, left, right) => Self::Or(vec![left, right]),
        }
    }

    /// Every comparison and every mode in it, from left to right.
    pub fn leaves(&self) -> Vec<&Self> {
        let (mut open, mut leaves) = (vec![self], Vec::new());
        while let Some(logic) = open.pop() {
            match logic {
                Self::Not(inner) => open.push(inner),
                Self::And(parts) | Self::Or(parts) => open.extend(parts.iter().rev()),
                Self::Comparison { .. } | Self::Mode { .. } => leaves.push(logic),
            }
        }
        leaves
    }
}

/// `mode == NAME` or `mode != NAME`, either way round.
fn mode_compared(
    guard: &Formula,
    (relation, left, right): (Relation, NodeId, NodeId),
    node: NodeId,
) -> Option<Logic> {
    let name = |node: NodeId| name_at(&guard.syntax, node);
    let other = match (name(left), name(right)) {
        (Some(MODE), _) => right,
        (_, Some(MODE)) => left,
        _ => return None,
    };
    let span = guard.place.part(&guard.syntax.node(other).span);
    let mode = Logic::Mode { name: Reference { name: name(other)?.to_owned(), span }, node };
    match relation {
        Relation::Equal => Some(mode),
        Relation::NotEqual => Some(mode.not()),
        _ => None,
    }
}

/// The name that a node is, if it is one.
fn name_at(syntax: &Syntax, node: NodeId) -> Option<&str> {
    let node = syntax.node(node);
    (node.form == Form::Name).then(|| &syntax.text()[node.span.clone()])
}

/// Checks the names in a guard, that it can change, and that nothing is equal that only passes.
pub(super) fn check_guard(
    event: &EventRule,
    guard: &Formula,
    checker: &Checker<'_>,
    errors: &mut Vec<Diagnostic>,
) {
    let logic = Logic::of(guard, checker.scope);
    let leaves = logic.as_ref().map_or_else(Vec::new, Logic::leaves);
    let names = names_of_numbers(guard, &leaves);
    for (name, span) in &names {
        check_name(
            (name, guard.place.part(span)),
            checker.scope,
            FormulaContext::observing("a guard"),
            errors,
        );
    }
    for leaf in &leaves {
        match leaf {
            Logic::Mode { name, .. } => check_mode_name(name, checker.scope, errors),
            Logic::Comparison { relation: Relation::Equal | Relation::NotEqual, node, .. } => {
                check_equality(guard, *node, &names, checker, errors);
            }
            _ => {}
        }
    }
    let error = |message: String| Diagnostic::new("bad-guard", guard.place.span.clone(), message);
    let meaning = |name: &str| checker.scope.meaning(name);
    let is_fixed = |name: &str| matches!(meaning(name), Some(Quantity::Parameter(_)));
    let has_mode = leaves.iter().any(|leaf| matches!(leaf, Logic::Mode { .. }));
    if !has_mode && names.iter().all(|(name, _)| is_fixed(name)) {
        let message = format!("the guard of event `{}` never changes: the event cannot happen", event.name);
        errors.push(error(message).hint("use `t`, a state, a discrete variable or an output in the guard"));
    } else if logic.is_none() && !names.iter().any(|(name, _)| checker.moves(name)) {
        let message =
            format!("the guard of event `{}` changes only at events and crosses nothing", event.name);
        errors.push(error(message).hint("write a comparison, such as `gear >= 3`"));
    }
}

/// The names that stand for numbers: not those in `mode == NAME`.
fn names_of_numbers<'a>(guard: &'a Formula, leaves: &[&Logic]) -> Vec<(&'a str, Range<usize>)> {
    let span = |leaf: &&Logic| match leaf {
        Logic::Mode { node, .. } => Some(guard.syntax.node(*node).span.clone()),
        _ => None,
    };
    let modes: Vec<Range<usize>> = leaves.iter().filter_map(span).collect();
    let in_mode = |name: &Range<usize>| {
        let next = modes.partition_point(|mode| mode.end <= name.start);
        modes.get(next).is_some_and(|mode| mode.start <= name.start)
    };
    guard.syntax.names().filter(|(_, name)| !in_mode(name)).collect()
}

/// Something that changes between events is equal to something else only in passing.
fn check_equality(
    guard: &Formula,
    node: NodeId,
    names: &[(&str, Range<usize>)],
    checker: &Checker<'_>,
    errors: &mut Vec<Diagnostic>,
) {
    let span = guard.syntax.node(node).span.clone();
    let first = names.partition_point(|(_, name)| name.start < span.start);
    let inside = names[first..].iter().take_while(|(_, name)| name.end <= span.end);
    if inside.map(|(name, _)| name).any(|name| checker.moves(name)) {
        let hint = "a guard is crossed, not hit: write `a - b` with `direction = \"both\"`";
        let message = "a guard cannot be an equality of what changes between events";
        errors.push(Diagnostic::new("bad-guard", guard.place.part(&span), message).hint(hint));
    }
}

#[cfg(test)]
mod tests {
    use super::super::Model;
    use super::*;

    fn logic(text: &str) -> Option<Logic> {
        let model = Model::default();
        Logic::of(&Formula::parse(text).expect("a formula"), &Scope::new(&model))
    }

    /// The logic in short: letters for what stands in comparisons.
    fn shape(text: &str) -> String {
        fn of(logic: &Logic) -> String {
            let list = |parts: &[Logic]| parts.iter().map(of).collect::<Vec<_>>().join(" ");
            match logic {
                Logic::Comparison { relation, .. } => relation.symbol().to_owned(),
                Logic::Mode { name, .. } => name.name.clone(),
                Logic::Not(inner) => format!("not({})", of(inner)),
                Logic::And(parts) => format!("and({})", list(parts)),
                Logic::Or(parts) => format!("or({})", list(parts)),
            }
        }
        logic(text).map_or_else(String::new, |logic| of(&logic))
    }

    #[test]
    fn words_join_comparisons_as_they_bind() {
        assert_eq!(shape("a < 1 and b > 2 and c <= 3 or not d >= 4"), "or(and(< > <=) not(>=))");
        assert_eq!(shape("a < 1 and (b > 2 or c != 3)"), "and(< or(> !=))");
        assert_eq!(shape("not (not (a < 1))"), "<");
        assert_eq!(shape("a - b"), "");
        assert_eq!(shape("if(a < b, 1, 2)"), "");
    }

    #[test]
    fn the_mode_is_asked_for_by_its_name() {
        assert_eq!(shape("mode == heating"), "heating");
        assert_eq!(shape("cooling != mode and x > 1"), "and(not(cooling) >)");
        assert_eq!(shape("mode > heating"), ">");
        assert_eq!(shape("mode == 2"), "==");
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack() {
        let text = format!("a < 1{}", " and a < 1".repeat(20_000));
        let Some(Logic::And(parts)) = logic(&text) else { panic!("a list") };
        assert_eq!(parts.len(), 20_001);
        assert_eq!(logic(&text).expect("logic").leaves().len(), 20_001);
    }
}
