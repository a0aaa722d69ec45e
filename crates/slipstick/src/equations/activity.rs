//! When a constraint says something: `if shut then x - y else 0` does not while the joint is open.
//!
//! What decides between branches is locked or does not change during a run; so a formula of parameters and
//! everything discrete tells which constraints hold.

use crate::expr::{Arena, BinaryOp, ExprId, Node, UnaryOp};
use std::collections::BTreeMap;
use std::ops::Range;

/// What is known of an expression.
#[derive(Clone, Copy)]
struct Activity {
    /// Whether it stays as it is while locks do.
    is_fixed: bool,
    /// A formula that is zero where it is zero whatever the state is, and one elsewhere.
    something: ExprId,
}

/// For each of some expressions a formula that is zero where it is zero whatever the state is. `fixed` are
/// the inputs that stay as they are while locks do.
pub(super) fn say_something(arena: &mut Arena, of: &[ExprId], fixed: &Range<usize>) -> Vec<ExprId> {
    let one = arena.constant(1.0);
    let mut known: BTreeMap<ExprId, Activity> = BTreeMap::new();
    for id in arena.reachable(of) {
        let node = arena.node(id);
        let is_fixed = match node {
            Node::Input(input) => fixed.contains(&input.index()),
            _ => node.operands().all(|operand| known[&operand].is_fixed),
        };
        let something = says_something(arena, node, |operand| known[&operand], one);
        known.insert(id, Activity { is_fixed, something });
    }
    of.iter().map(|id| known[id].something).collect()
}

fn says_something(arena: &mut Arena, node: Node, known: impl Fn(ExprId) -> Activity, one: ExprId) -> ExprId {
    let something = |operand: ExprId| known(operand).something;
    match node {
        Node::Constant(value) => arena.constant(if value == 0.0 { 0.0 } else { 1.0 }),
        Node::Unary(UnaryOp::Negate, x) | Node::Binary(BinaryOp::Divide, x, _) => something(x),
        Node::Binary(BinaryOp::Multiply, a, b) => {
            let [a, b] = [a, b].map(|x| if known(x).is_fixed { not_zero(arena, x) } else { something(x) });
            arena.mul(a, b)
        }
        Node::Binary(BinaryOp::Add | BinaryOp::Subtract, a, b) => match (something(a), something(b)) {
            (a, b) if a == one || b == one => one,
            (a, b) => arena.binary(BinaryOp::Or, a, b),
        },
        Node::Select(choice, yes, no) if known(choice).is_fixed => {
            arena.select(choice, something(yes), something(no))
        }
        _ => one,
    }
}

fn not_zero(arena: &mut Arena, x: ExprId) -> ExprId {
    let zero = arena.constant(0.0);
    arena.binary(BinaryOp::NotEqual, x, zero)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::InputId;

    /// Inputs: a state, a sign, another sign.
    #[test]
    fn what_is_zero_in_a_branch_says_nothing_there() {
        let mut arena = Arena::new();
        let [state, sign, other] = [0, 1, 2].map(|n| arena.input(InputId(n)));
        let zero = arena.constant(0.0);
        let fixed = 1..3;
        let [shut, pinned] = [sign, other].map(|of| arena.binary(BinaryOp::Less, zero, of));
        let joint = arena.select(shut, state, zero);
        let pin = arena.select(pinned, state, zero);
        let both = arena.add(joint, pin);
        let product = arena.mul(joint, pin);
        let held = arena.mul(other, state);
        let moving = arena.binary(BinaryOp::Less, zero, state);
        let by_state = arena.select(moving, state, zero);
        let cases = [
            (joint, [false, true, false, true]),
            (both, [false, true, true, true]),
            (product, [false, false, false, true]),
            (held, [false, false, true, true]),
            (by_state, [true; 4]),
            (state, [true; 4]),
        ];
        for (formula, expected) in cases {
            let holds = say_something(&mut arena, &[formula], &fixed)[0];
            let signs = [(-1.0, 0.0), (1.0, 0.0), (-1.0, 1.0), (1.0, 1.0)];
            let found = signs.map(|(a, b)| arena.evaluate(&[holds], &[0.0, a, b])[0] != 0.0);
            assert_eq!(found, expected);
        }
    }
}
