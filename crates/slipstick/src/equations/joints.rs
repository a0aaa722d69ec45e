//! Which joints are shut: a constraint that is zero whatever the state is, with everything discrete as it is locked, does not hold.

use super::tapes::Compiler;
use crate::expr::{BinaryOp, ExprId, Node, Tape, UnaryOp};
use std::collections::BTreeMap;

impl Compiler<'_> {
    /// For each constraint, whether it is shut: a formula of what is locked, not zero where it is. `fixed` are the inputs of parameters and of
    /// everything discrete.
    pub(super) fn joints(&mut self, fixed: &std::ops::Range<usize>) -> Tape {
        let mechanism = &self.settled.parts.mechanism;
        let of_speeds = mechanism.velocity.get(mechanism.position.len()..).unwrap_or_default();
        let rows: Vec<ExprId> = mechanism.position.iter().chain(of_speeds).copied().collect();
        let (mut moves, mut shut) = (BTreeMap::new(), BTreeMap::new());
        for id in self.arena.reachable(&rows) {
            let node = self.arena.node(id);
            let moving = match node {
                Node::Input(input) => !fixed.contains(&input.index()),
                node => node.operands().any(|operand| moves[&operand]),
            };
            moves.insert(id, moving);
            let condition = self.shut(node, &moves, &shut);
            shut.insert(id, condition);
        }
        let rows: Vec<ExprId> = rows.iter().map(|row| shut[row]).collect();
        self.compile(&rows)
    }

    /// Whether an expression can be other than zero, given that of its operands.
    fn shut(
        &mut self,
        node: Node,
        moves: &BTreeMap<ExprId, bool>,
        shut: &BTreeMap<ExprId, ExprId>,
    ) -> ExprId {
        let zero = self.arena.constant(0.0);
        match node {
            Node::Constant(0.0) => zero,
            Node::Select(choice, yes, no) if !moves[&choice] => {
                self.arena.select(choice, shut[&yes], shut[&no])
            }
            Node::Unary(UnaryOp::Negate, x) => shut[&x],
            Node::Binary(BinaryOp::Multiply, a, b) if !moves[&a] || !moves[&b] => {
                let (factor, other) = if moves[&a] { (b, a) } else { (a, b) };
                let counts = self.arena.binary(BinaryOp::NotEqual, factor, zero);
                self.arena.binary(BinaryOp::And, counts, shut[&other])
            }
            Node::Binary(BinaryOp::Divide, a, b) if !moves[&b] => shut[&a],
            _ => self.arena.constant(1.0),
        }
    }
}
