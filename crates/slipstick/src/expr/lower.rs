//! From a syntax tree to expressions of an arena.
//!
//! In: a [`Syntax`], and someone who gives its names a meaning. Out: an
//! [`ExprId`]. An [`Interpret`] may give operations another meaning too, and
//! learns the text that each stands for; inside `smooth(…)` it is not asked.

use crate::expr::arena::{Arena, ExprId, Node};
use crate::expr::function::{Builtin, Function};
use crate::expr::operation::BinaryOp;
use crate::expr::syntax::{Form, NodeId, Syntax, SyntaxNode, UnknownName};
use std::ops::Range;

/// Gives the parts of a formula their meaning.
pub trait Interpret {
    /// The meaning of a name; `smooth` tells whether it stands in `smooth(…)`.
    fn name(&mut self, arena: &mut Arena, name: &str, smooth: bool) -> Option<ExprId>;

    /// The meaning of an operation that is written as `text`.
    fn operation(&mut self, arena: &mut Arena, node: Node, text: &str) -> ExprId;
}

/// Names by a function, operations as they are.
struct Plain<'a>(&'a mut dyn FnMut(&str) -> Option<ExprId>);

impl Interpret for Plain<'_> {
    fn name(&mut self, _arena: &mut Arena, name: &str, _smooth: bool) -> Option<ExprId> {
        (self.0)(name)
    }

    fn operation(&mut self, arena: &mut Arena, node: Node, _text: &str) -> ExprId {
        arena.build(node)
    }
}

impl Syntax {
    /// The formula as an expression of `arena`; `resolve` gives names a meaning.
    pub fn lower(
        &self,
        arena: &mut Arena,
        resolve: &mut dyn FnMut(&str) -> Option<ExprId>,
    ) -> Result<ExprId, UnknownName> {
        self.lower_node(self.root(), arena, resolve)
    }

    /// One part of the formula as an expression, such as a side of a comparison.
    pub fn lower_node(
        &self,
        node: NodeId,
        arena: &mut Arena,
        resolve: &mut dyn FnMut(&str) -> Option<ExprId>,
    ) -> Result<ExprId, UnknownName> {
        self.interpret(node, arena, &mut Plain(resolve))
    }

    /// One part of the formula as an expression, with names and operations as `by` understands them.
    pub fn interpret(
        &self,
        node: NodeId,
        arena: &mut Arena,
        by: &mut dyn Interpret,
    ) -> Result<ExprId, UnknownName> {
        let range = self.subtree(node);
        let first = range.start;
        let smooth = self.smooth_parts(&range);
        let mut meanings: Vec<ExprId> = Vec::with_capacity(range.len());
        for (part, smooth) in self.nodes()[range].iter().zip(smooth) {
            let of = |child: NodeId| meanings[child.index() - first];
            let mut operation = |arena: &mut Arena, node: Node| {
                if smooth {
                    arena.build(node)
                } else {
                    by.operation(arena, node, &self.text()[part.span.clone()])
                }
            };
            let meaning = match part.form {
                Form::Number(value) | Form::Quantity(value, _) => arena.constant(value),
                Form::Pi => arena.constant(std::f64::consts::PI),
                Form::Name => self.named(part, arena, by, smooth)?,
                Form::Unary(op, x) => operation(arena, Node::Unary(op, of(x))),
                Form::Binary(op, a, b) => operation(arena, Node::Binary(op, of(a), of(b))),
                Form::Compare(relation, a, b) => match relation.operation() {
                    (op, false) => operation(arena, Node::Binary(op, of(a), of(b))),
                    (op, true) => operation(arena, Node::Binary(op, of(b), of(a))),
                },
                Form::If(c, a, b) => operation(arena, Node::Select(of(c), of(a), of(b))),
                Form::Call(function, listed) => {
                    let arguments = self.arguments(listed).iter().map(|&child| of(child));
                    lower_call(arena, function, arguments, &mut operation)
                }
            };
            meanings.push(meaning);
        }
        Ok(meanings[node.index() - first])
    }

    fn named(
        &self,
        part: &SyntaxNode,
        arena: &mut Arena,
        by: &mut dyn Interpret,
        smooth: bool,
    ) -> Result<ExprId, UnknownName> {
        let name = &self.text()[part.span.clone()];
        let unknown = || UnknownName { name: name.to_string(), span: part.span.clone() };
        by.name(arena, name, smooth).ok_or_else(unknown)
    }

    /// Which nodes of a range stand in `smooth(…)`. Parents come after their
    /// children, so that a walk from the end meets the outermost call first.
    fn smooth_parts(&self, range: &Range<usize>) -> Vec<bool> {
        let mut smooth = vec![false; range.len()];
        for index in range.clone().rev() {
            let Form::Call(function, listed) = self.nodes()[index].form else { continue };
            if function.meaning() == Builtin::Smooth && !smooth[index - range.start] {
                for &argument in self.arguments(listed) {
                    let inside = self.subtree(argument);
                    smooth[inside.start - range.start..inside.end - range.start].fill(true);
                }
            }
        }
        smooth
    }

    /// The nodes of one subtree: they lie side by side and begin with its
    /// leftmost leaf.
    fn subtree(&self, node: NodeId) -> Range<usize> {
        let mut leftmost = node;
        while let Some(child) = self.first_child(leftmost) {
            leftmost = child;
        }
        leftmost.index()..node.index() + 1
    }

    fn first_child(&self, node: NodeId) -> Option<NodeId> {
        match self.node(node).form {
            Form::Number(_) | Form::Quantity(..) | Form::Pi | Form::Name => None,
            Form::Unary(_, x) => Some(x),
            Form::Binary(_, a, _) | Form::Compare(_, a, _) | Form::If(a, _, _) => Some(a),
            Form::Call(_, listed) => self.arguments(listed).first().copied(),
        }
    }
}

/// The parser has checked the arity, so the missing-argument case is only a
/// fallback that keeps this total.
fn lower_call(
    arena: &mut Arena,
    function: &Function,
    mut arguments: impl Iterator<Item = ExprId>,
    operation: &mut dyn FnMut(&mut Arena, Node) -> ExprId,
) -> ExprId {
    let Some(first) = arguments.next() else {
        return arena.constant(f64::NAN);
    };
    match function.meaning() {
        Builtin::Unary(op) => operation(arena, Node::Unary(op, first)),
        Builtin::Binary(op) | Builtin::Fold(op) => {
            arguments.fold(first, |value, next| operation(arena, Node::Binary(op, value, next)))
        }
        Builtin::Clamp => {
            let low = arguments.next().unwrap_or(first);
            let high = arguments.next().unwrap_or(first);
            let capped = operation(arena, Node::Binary(BinaryOp::Min, first, high));
            operation(arena, Node::Binary(BinaryOp::Max, low, capped))
        }
        Builtin::Smooth => first,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::arena::InputId;
    use crate::expr::parse::parse;

    /// Writes down the texts of operations.
    struct Listener(Vec<String>);

    impl Interpret for Listener {
        fn name(&mut self, arena: &mut Arena, _name: &str, smooth: bool) -> Option<ExprId> {
            Some(arena.input(InputId(u32::from(smooth))))
        }
        fn operation(&mut self, arena: &mut Arena, node: Node, text: &str) -> ExprId {
            self.0.push(text.to_owned());
            arena.build(node)
        }
    }

    #[test]
    fn operations_are_told_with_their_text_but_not_inside_smooth() {
        let syntax = parse("abs(x) + smooth(abs(x) * sign(x)) - min(x, 1, 2)").unwrap();
        let (mut arena, mut listener) = (Arena::new(), Listener(Vec::new()));
        let id = syntax.interpret(syntax.root(), &mut arena, &mut listener).unwrap();
        let sum = "abs(x) + smooth(abs(x) * sign(x))";
        let whole = syntax.text();
        assert_eq!(listener.0, ["abs(x)", sum, "min(x, 1, 2)", "min(x, 1, 2)", whole]);
        assert_eq!(arena.evaluate(&[id], &[-3.0, 2.0]), [3.0 + 2.0 + 3.0]);
    }

    #[test]
    fn smooth_in_smooth_is_smooth() {
        let syntax = parse("smooth(1 + smooth(abs(x)))").unwrap();
        let mut listener = Listener(Vec::new());
        syntax.interpret(syntax.root(), &mut Arena::new(), &mut listener).unwrap();
        assert!(listener.0.is_empty());
    }
}
