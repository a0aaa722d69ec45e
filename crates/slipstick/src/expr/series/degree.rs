//! Whether formulas are polynomials, and of which degree.

use crate::expr::arena::{Arena, ExprId, Node};
use crate::expr::operation::{BinaryOp, UnaryOp};

/// The largest total degree of `ids` in the inputs that move; none if one of them is not a polynomial.
pub(super) fn degree(arena: &Arena, ids: &[ExprId], moves: &dyn Fn(usize) -> bool) -> Option<u32> {
    let highest = ids.iter().max()?;
    let mut degrees: Vec<Option<u32>> = vec![None; highest.index() + 1];
    for id in arena.reachable(ids) {
        let of = |operand: ExprId| degrees[operand.index()];
        degrees[id.index()] = match arena.node(id) {
            Node::Constant(_) => Some(0),
            Node::Input(input) => Some(u32::from(moves(input.index()))),
            Node::Unary(UnaryOp::Negate, x) => of(x),
            Node::Binary(BinaryOp::Power, a, b) => degree_of_power(of(a), arena.is_constant(b), of(b)),
            Node::Binary(op, a, b) => degree_of(op, of(a), of(b)),
            Node::Select(c, a, b) if of(c) == Some(0) => largest(of(a), of(b)),
            // Whatever an operation makes of what does not move does not move.
            node => node.operands().all(|operand| of(operand) == Some(0)).then_some(0),
        };
    }
    ids.iter().map(|id| degrees[id.index()]).try_fold(0, |most, degree| Some(most.max(degree?)))
}

/// The degree of a power with this exponent, if that is a constant.
fn degree_of_power(base: Option<u32>, exponent: Option<f64>, its: Option<u32>) -> Option<u32> {
    if base == Some(0) && its == Some(0) {
        return Some(0);
    }
    // Larger powers do not matter: polynomials end at degree 16.
    let whole = (1..=16_u32).find(|&p| exponent == Some(f64::from(p)))?;
    base?.checked_mul(whole)
}

fn degree_of(op: BinaryOp, a: Option<u32>, b: Option<u32>) -> Option<u32> {
    match (op, a, b) {
        (_, Some(0), Some(0)) => Some(0),
        (BinaryOp::Add | BinaryOp::Subtract, ..) => largest(a, b),
        (BinaryOp::Multiply, ..) => a?.checked_add(b?),
        (BinaryOp::Divide, a, Some(0)) => a,
        _ => None,
    }
}

fn largest(a: Option<u32>, b: Option<u32>) -> Option<u32> {
    Some(a?.max(b?))
}
