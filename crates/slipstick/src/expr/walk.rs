//! Evaluates a formula by walking its tree, the plain way.
//!
//! In: a [`Syntax`], its names resolved to slots, and values for the slots.
//! Out: the value. This is the reference that tests hold the tape against and
//! the baseline of the `formulas` benchmark; simulations run the tape.

use crate::expr::function::{Builtin, Function};
use crate::expr::operation::{BinaryOp, UnaryOp};
use crate::expr::syntax::{Form, NodeId, Syntax};

/// The deepest tree that is walked: walking recurses, and so does dropping.
pub const MAX_WALK_DEPTH: usize = 500;

/// A formula as an ordinary tree of boxes.
#[derive(Clone, Debug)]
pub struct Walker {
    root: Branch,
}

#[derive(Clone, Debug)]
enum Branch {
    Number(f64),
    Slot(usize),
    Unary(UnaryOp, Box<Branch>),
    Binary(BinaryOp, Box<Branch>, Box<Branch>),
    If(Box<Branch>, Box<Branch>, Box<Branch>),
}

/// A branch on its way into its parent, with its depth.
type Grown = Option<(Branch, usize)>;

impl Walker {
    /// Builds the tree; `None` if a name has no slot or the tree is deeper than
    /// [`MAX_WALK_DEPTH`].
    pub fn new(syntax: &Syntax, mut resolve: impl FnMut(&str) -> Option<usize>) -> Option<Self> {
        let mut names = syntax.names().map(|(name, _)| name);
        let mut grown: Vec<Grown> = Vec::with_capacity(syntax.nodes().len());
        for node in syntax.nodes() {
            let mut take = |child: NodeId| grown.get_mut(child.index()).and_then(Option::take);
            let branch = match node.form {
                Form::Number(value) | Form::Quantity(value, _) => Some((Branch::Number(value), 1)),
                Form::Pi => Some((Branch::Number(std::f64::consts::PI), 1)),
                Form::Name => Some((Branch::Slot(resolve(names.next()?)?), 1)),
                Form::Unary(op, x) => unary(op, take(x)),
                Form::Binary(op, a, b) => binary(op, take(a), take(b)),
                Form::Compare(relation, a, b) => match relation.operation() {
                    (op, false) => binary(op, take(a), take(b)),
                    (op, true) => binary(op, take(b), take(a)),
                },
                Form::If(c, a, b) => choice(take(c), take(a), take(b)),
                Form::Call(function, listed) => {
                    let children = syntax.arguments(listed).iter();
                    call(function, children.map(|&child| take(child)))
                }
            }?;
            if branch.1 > MAX_WALK_DEPTH {
                return None;
            }
            grown.push(Some(branch));
        }
        let (root, _) = grown.pop().flatten()?;
        Some(Self { root })
    }

    /// The value of the formula; conditions give 1.0 or 0.0. A slot that
    /// `inputs` does not have counts as NaN.
    pub fn evaluate(&self, inputs: &[f64]) -> f64 {
        self.root.evaluate(inputs)
    }

    /// How many operations one evaluation performs at most.
    pub fn operation_count(&self) -> usize {
        self.root.operation_count()
    }
}

impl Branch {
    fn evaluate(&self, inputs: &[f64]) -> f64 {
        match self {
            Self::Number(value) => *value,
            Self::Slot(slot) => inputs.get(*slot).copied().unwrap_or(f64::NAN),
            Self::Unary(op, x) => op.apply(x.evaluate(inputs)),
            Self::Binary(op, a, b) => op.apply(a.evaluate(inputs), b.evaluate(inputs)),
            Self::If(condition, yes, no) => {
                if condition.evaluate(inputs) == 0.0 {
                    no.evaluate(inputs)
                } else {
                    yes.evaluate(inputs)
                }
            }
        }
    }

    fn operation_count(&self) -> usize {
        match self {
            Self::Number(_) | Self::Slot(_) => 0,
            Self::Unary(_, x) => 1 + x.operation_count(),
            Self::Binary(_, a, b) => 1 + a.operation_count() + b.operation_count(),
            Self::If(c, a, b) => 1 + c.operation_count() + a.operation_count() + b.operation_count(),
        }
    }
}

fn unary(op: UnaryOp, x: Grown) -> Grown {
    let (x, depth) = x?;
    Some((Branch::Unary(op, Box::new(x)), depth + 1))
}

fn binary(op: BinaryOp, a: Grown, b: Grown) -> Grown {
    let ((a, left), (b, right)) = (a?, b?);
    let branch = Branch::Binary(op, Box::new(a), Box::new(b));
    Some((branch, left.max(right) + 1))
}

fn choice(condition: Grown, yes: Grown, no: Grown) -> Grown {
    let ((condition, one), (yes, two), (no, three)) = (condition?, yes?, no?);
    let branch = Branch::If(Box::new(condition), Box::new(yes), Box::new(no));
    Some((branch, one.max(two).max(three) + 1))
}

fn call(function: &Function, mut arguments: impl Iterator<Item = Grown>) -> Grown {
    let first = arguments.next()?;
    match function.meaning() {
        Builtin::Unary(op) => unary(op, first),
        Builtin::Smooth => first,
        // Stopping at the limit keeps a call with 10^5 arguments from growing
        // a chain that is too deep to drop.
        Builtin::Binary(op) | Builtin::Fold(op) => arguments.try_fold(first?, |value, next| {
            binary(op, Some(value), next).filter(|grown| grown.1 <= MAX_WALK_DEPTH)
        }),
        Builtin::Clamp => {
            let (low, high) = (arguments.next()?, arguments.next()?);
            binary(BinaryOp::Max, low, binary(BinaryOp::Min, first, high))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::parse::parse;

    fn value(text: &str, x: f64) -> f64 {
        let syntax = parse(text).unwrap();
        let walker = Walker::new(&syntax, |name| (name == "x").then_some(0)).unwrap();
        walker.evaluate(&[x])
    }

    #[test]
    fn walking_computes_what_the_text_says() {
        assert_eq!(value("1 + 2 * x^2", 3.0), 19.0);
        assert_eq!(value("if(x > 1 and not x >= 2, 10, 20)", 1.5), 10.0);
        assert_eq!(value("clamp(x, -1, 1) + min(3, x, 2)", 5.0), 3.0);
        assert_eq!(value("atan2(x, -1) - mod(-1, 3)", 0.0), std::f64::consts::PI - 2.0);
    }

    #[test]
    fn unknown_names_and_deep_trees_are_refused() {
        let unknown = parse("x + nobody").unwrap();
        assert!(Walker::new(&unknown, |name| (name == "x").then_some(0)).is_none());
        let long = parse(&format!("1{}", "+1".repeat(100_000))).unwrap();
        assert!(Walker::new(&long, |_| None).is_none());
        let wide = parse(&format!("min(1{})", ",1".repeat(100_000))).unwrap();
        assert!(Walker::new(&wide, |_| None).is_none());
    }

    #[test]
    fn operations_are_counted_as_written() {
        let syntax = parse("sin(x) + sin(x) * 2").unwrap();
        let walker = Walker::new(&syntax, |_| Some(0)).unwrap();
        assert_eq!(walker.operation_count(), 4);
    }
}
