//! Expressions as a DAG in which equal expressions are one node.
//!
//! In: constants, inputs and operations on expressions made before. Out: an
//! [`ExprId`] per distinct expression, and questions about them: which inputs
//! they use, what they consist of, what they become when inputs are replaced.
//!
//! Operands always have smaller ids than the node that uses them. So going
//! through ids in ascending order is going through the DAG from the leaves up,
//! and nothing here recurses. The constructors live in `simplify.rs`.

use crate::expr::cons::{ConsTable, Key};
use crate::expr::memo::Memo;
use crate::expr::operation::{BinaryOp, Smoothness, UnaryOp};
use crate::expr::reach::{few_reachable, many_reachable};

/// An expression of an [`Arena`]; meaningful only together with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(pub(crate) u32);

/// A value that comes from outside, such as a state, a parameter or the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InputId(pub u32);

/// What an expression is. Conditions are 1.0 or 0.0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Node {
    /// A finite number.
    Constant(f64),
    /// A value from outside.
    Input(InputId),
    /// An operation on one expression.
    Unary(UnaryOp, ExprId),
    /// An operation on two expressions.
    Binary(BinaryOp, ExprId, ExprId),
    /// The second expression where the first holds, else the third.
    Select(ExprId, ExprId, ExprId),
}

/// The home of expressions. Cheap to extend at any time; nothing is removed.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    nodes: Vec<Node>,
    table: ConsTable,
}

impl ExprId {
    /// The position of the expression in its arena.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl InputId {
    /// The position of the input among all inputs.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Node {
    /// The expressions this node is made from, in order.
    pub fn operands(self) -> impl Iterator<Item = ExprId> {
        let operands = match self {
            Self::Constant(_) | Self::Input(_) => [None, None, None],
            Self::Unary(_, x) => [Some(x), None, None],
            Self::Binary(_, a, b) => [Some(a), Some(b), None],
            Self::Select(c, a, b) => [Some(c), Some(a), Some(b)],
        };
        operands.into_iter().flatten()
    }

    /// Whether the node itself, apart from its operands, has kinks or jumps.
    pub fn smoothness(self) -> Smoothness {
        match self {
            Self::Constant(_) | Self::Input(_) => Smoothness::Smooth,
            Self::Unary(op, _) => op.smoothness(),
            Self::Binary(op, ..) => op.smoothness(),
            Self::Select(..) => Smoothness::Jump,
        }
    }

    /// Bits, not values, tell constants apart: 0.0 and -0.0 stay two nodes.
    fn key(self) -> Key {
        let head = |tag: u64, op: u8, a: u32| tag << 40 | u64::from(op) << 32 | u64::from(a);
        let tail = |b: ExprId, c: u32| u64::from(b.0) << 32 | u64::from(c);
        match self {
            Self::Constant(value) => (head(0, 0, 0), value.to_bits()),
            Self::Input(input) => (head(1, 0, input.0), 0),
            Self::Unary(op, x) => (head(2, op as u8, x.0), 0),
            Self::Binary(op, a, b) => (head(3, op as u8, a.0), tail(b, 0)),
            Self::Select(c, a, b) => (head(4, 0, c.0), tail(a, b.0)),
        }
    }
}

impl Arena {
    /// An arena without expressions.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many distinct expressions there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no expressions yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What an expression is.
    ///
    /// # Panics
    /// If `id` belongs to another, larger arena.
    #[inline]
    pub fn node(&self, id: ExprId) -> Node {
        self.nodes[id.index()]
    }

    /// The value of a constant expression.
    pub fn is_constant(&self, id: ExprId) -> Option<f64> {
        match self.node(id) {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The id of a node to which no simplification applies.
    pub(crate) fn intern(&mut self, node: Node) -> ExprId {
        let nodes = &mut self.nodes;
        let place = match self.table.find(node.key(), |id| nodes[id as usize].key()) {
            Ok(id) => return ExprId(id),
            Err(place) => place,
        };
        // 2^32 nodes are 64 GiB: memory runs out before ids do.
        let id = u32::try_from(nodes.len()).unwrap_or(u32::MAX);
        assert!(id < u32::MAX, "an arena holds fewer than 2^32 expressions");
        nodes.push(node);
        self.table.insert(place, id, |id| nodes[id as usize].key());
        ExprId(id)
    }

    /// All expressions, operands before what uses them.
    pub fn ids(&self) -> impl Iterator<Item = ExprId> + use<> {
        (0..u32::try_from(self.len()).unwrap_or(u32::MAX)).map(ExprId)
    }

    /// Everything that `ids` are made from, themselves included, ascending:
    /// operands before what uses them.
    pub fn reachable(&self, ids: &[ExprId]) -> Vec<ExprId> {
        few_reachable(self, ids).unwrap_or_else(|| many_reachable(self, ids))
    }

    /// The inputs that `ids` use, ascending.
    pub fn inputs_of(&self, ids: &[ExprId]) -> Vec<InputId> {
        let reachable = self.reachable(ids).into_iter();
        let mut inputs: Vec<InputId> = reachable
            .filter_map(|id| match self.node(id) {
                Node::Input(input) => Some(input),
                _ => None,
            })
            .collect();
        inputs.sort_unstable();
        inputs
    }

    /// Whether `id` uses `input`.
    pub fn depends_on(&self, id: ExprId, input: InputId) -> bool {
        let reachable = self.reachable(&[id]).into_iter();
        reachable.map(|id| self.node(id)).any(|node| node == Node::Input(input))
    }

    /// The nodes of `ids` that have a kink or a jump, ascending.
    pub fn jumps_and_kinks(&self, ids: &[ExprId]) -> Vec<ExprId> {
        let mut found = self.reachable(ids);
        found.retain(|&id| self.node(id).smoothness() != Smoothness::Smooth);
        found
    }

    /// `id` with inputs replaced, all at once: a replacement may mention the
    /// inputs it replaces. On a repeated input the last replacement counts.
    pub fn substitute(&mut self, id: ExprId, replacements: &[(InputId, ExprId)]) -> ExprId {
        self.substitute_all(&[id], replacements).first().copied().unwrap_or(id)
    }

    /// As [`substitute`](Self::substitute), for many expressions.
    pub fn substitute_all(&mut self, ids: &[ExprId], replacements: &[(InputId, ExprId)]) -> Vec<ExprId> {
        let mut replacements: Vec<(InputId, ExprId)> = replacements.iter().rev().copied().collect();
        // Stable, so the last replacement of a repeated input is the first found.
        replacements.sort_by_key(|&(input, _)| input);
        let order = self.reachable(ids);
        let mut replaced_by = Memo::new(&order, ExprId(0));
        for part in order {
            let of = |operand: ExprId| replaced_by[operand.index()];
            let replaced = match self.node(part) {
                Node::Constant(_) => part,
                Node::Input(input) => {
                    let first = replacements.partition_point(|&(from, _)| from < input);
                    let wanted = replacements.get(first).filter(|(from, _)| *from == input);
                    wanted.map_or(part, |&(_, to)| to)
                }
                Node::Unary(op, x) => self.unary(op, of(x)),
                Node::Binary(op, a, b) => self.binary(op, of(a), of(b)),
                Node::Select(c, a, b) => self.select(of(c), of(a), of(b)),
            };
            replaced_by[part.index()] = replaced;
        }
        ids.iter().map(|id| replaced_by[id.index()]).collect()
    }

    /// The values of `ids`, computed node by node. Slow and simple: the tape
    /// must agree with it bit for bit. An input without a value counts as NaN.
    pub fn evaluate(&self, ids: &[ExprId], inputs: &[f64]) -> Vec<f64> {
        let order = self.reachable(ids);
        let mut values = Memo::new(&order, f64::NAN);
        for id in order {
            let of = |operand: ExprId| values[operand.index()];
            values[id.index()] = match self.node(id) {
                Node::Constant(value) => value,
                Node::Input(input) => inputs.get(input.index()).copied().unwrap_or(f64::NAN),
                Node::Unary(op, x) => op.apply(of(x)),
                Node::Binary(op, a, b) => op.apply(of(a), of(b)),
                Node::Select(c, a, b) => of(if of(c) == 0.0 { b } else { a }),
            };
        }
        ids.iter().map(|id| values[id.index()]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> (Arena, ExprId, ExprId, ExprId) {
        let mut arena = Arena::new();
        let [x, y, z] = [0, 1, 2].map(|n| arena.input(InputId(n)));
        (arena, x, y, z)
    }

    /// How many operations it takes to compute `ids`, each shared one once.
    fn operation_count(arena: &Arena, ids: &[ExprId]) -> usize {
        let is_leaf = |id: &ExprId| matches!(arena.node(*id), Node::Constant(_) | Node::Input(_));
        arena.reachable(ids).iter().filter(|id| !is_leaf(id)).count()
    }

    #[test]
    fn equal_expressions_are_one_node() {
        let (mut arena, x, y, _) = three();
        let first = arena.add(x, y);
        assert_eq!(arena.add(y, x), first);
        assert_eq!(arena.unary(UnaryOp::Sin, first), arena.unary(UnaryOp::Sin, first));
        assert_eq!(arena.len(), 5);
        assert_ne!(arena.sub(x, y), arena.sub(y, x));
    }

    #[test]
    fn positive_and_negative_zero_are_two_constants() {
        let mut arena = Arena::new();
        assert_ne!(arena.constant(0.0), arena.constant(-0.0));
    }

    #[test]
    fn reachable_lists_operands_before_their_users() {
        let (mut arena, x, y, z) = three();
        let sum = arena.add(x, y);
        let _unrelated = arena.mul(z, z);
        let sine = arena.unary(UnaryOp::Sin, sum);
        assert_eq!(arena.reachable(&[sine]), [x, y, sum, sine]);
        assert_eq!(arena.reachable(&[]), []);
        assert_eq!(operation_count(&arena, &[sine, sum]), 2);
    }

    #[test]
    fn inputs_are_found_wherever_they_hide() {
        let (mut arena, x, y, z) = three();
        let less = arena.binary(BinaryOp::Less, z, x);
        let chosen = arena.select(less, x, z);
        assert_eq!(arena.inputs_of(&[chosen]), [InputId(0), InputId(2)]);
        assert!(arena.depends_on(chosen, InputId(2)));
        assert!(!arena.depends_on(chosen, InputId(1)));
        assert_eq!(arena.inputs_of(&[chosen, y]).len(), 3);
    }

    #[test]
    fn substitution_replaces_all_inputs_at_once() {
        let (mut arena, x, y, _) = three();
        let difference = arena.sub(x, y);
        let swapped = arena.substitute(difference, &[(InputId(0), y), (InputId(1), x)]);
        assert_eq!(swapped, arena.sub(y, x));
        let two = arena.constant(2.0);
        let value = arena.substitute(difference, &[(InputId(0), two), (InputId(1), two)]);
        assert_eq!(arena.is_constant(value), Some(0.0));
    }

    #[test]
    fn jumps_and_kinks_are_listed_and_smooth_nodes_are_not() {
        let (mut arena, x, y, _) = three();
        let bend = arena.unary(UnaryOp::Abs, x);
        let jump = arena.binary(BinaryOp::Less, x, y);
        let sum = arena.add(bend, y);
        let chosen = arena.select(jump, sum, y);
        assert_eq!(arena.jumps_and_kinks(&[chosen]), [bend, jump, chosen]);
    }

    #[test]
    fn evaluation_ignores_the_branch_not_taken() {
        let (mut arena, x, _, _) = three();
        let zero = arena.constant(0.0);
        let root = arena.unary(UnaryOp::Sqrt, x);
        let positive = arena.binary(BinaryOp::Less, zero, x);
        let chosen = arena.select(positive, root, zero);
        assert_eq!(arena.evaluate(&[chosen], &[-1.0]), [0.0]);
        assert_eq!(arena.evaluate(&[chosen], &[4.0]), [2.0]);
        assert!(arena.evaluate(&[root], &[])[0].is_nan());
    }

    #[test]
    fn very_deep_expressions_need_no_call_stack() {
        let (mut arena, x, _, _) = three();
        let mut deep = x;
        for _ in 0..200_000 {
            deep = arena.unary(UnaryOp::Sin, deep);
        }
        assert_eq!(operation_count(&arena, &[deep]), 200_000);
        assert!(arena.depends_on(deep, InputId(0)));
        let one = arena.constant(1.0);
        assert!(arena.substitute(deep, &[(InputId(0), one)]) > deep);
    }
}
