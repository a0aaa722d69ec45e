//! The constructors of expressions: they simplify before they store.
//!
//! In: an operation and its operands. Out: the id of an equal expression that
//! takes no more operations. A node is stored only if no rule applies to it,
//! so building a stored node again gives the same node; printing relies on it.
//!
//! What the rules may and may not do:
//! * No rule changes the rounding of a result, except `x^3` and `x^4`, which
//!   become products.
//! * `0 * x`, `0 / x` and `x - x` become 0. This assumes that `x` is finite
//!   (and not 0 where it divides): where it is not, the value was NaN.
//! * `x + 0`, `0 - x` and the rules above may change the sign of a zero.
//! * Constants are folded only to finite numbers: `1 / 0` stays a division,
//!   so that it can be printed, found and blamed.

use crate::expr::arena::{Arena, ExprId, InputId, Node};
use crate::expr::operation::{BinaryOp, UnaryOp};

impl Arena {
    /// A number. Values that are not finite become the division that produces
    /// them (`1 / 0`, `-1 / 0`, `0 / 0`).
    pub fn constant(&mut self, value: f64) -> ExprId {
        if value.is_finite() {
            return self.intern(Node::Constant(value));
        }
        let above = if value.is_nan() { 0.0 } else { value.signum() };
        let above = self.intern(Node::Constant(above));
        let below = self.intern(Node::Constant(0.0));
        self.intern(Node::Binary(BinaryOp::Divide, above, below))
    }

    /// A value from outside.
    pub fn input(&mut self, input: InputId) -> ExprId {
        self.intern(Node::Input(input))
    }

    /// What a node stands for, simplified.
    pub fn build(&mut self, node: Node) -> ExprId {
        match node {
            Node::Constant(value) => self.constant(value),
            Node::Input(input) => self.input(input),
            Node::Unary(op, x) => self.unary(op, x),
            Node::Binary(op, a, b) => self.binary(op, a, b),
            Node::Select(c, a, b) => self.select(c, a, b),
        }
    }

    /// An operation on one expression. `Not` needs a condition.
    pub fn unary(&mut self, op: UnaryOp, x: ExprId) -> ExprId {
        match (op, self.node(x)) {
            (_, Node::Constant(value)) if op.apply(value).is_finite() => self.constant(op.apply(value)),
            (UnaryOp::Negate, node) => self.negated(x, node),
            (UnaryOp::Not, Node::Unary(UnaryOp::Not, inner)) => inner,
            _ => self.intern(Node::Unary(op, x)),
        }
    }

    /// An operation on two expressions. `And` and `Or` need conditions.
    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        if let (Node::Constant(left), Node::Constant(right)) = (self.node(a), self.node(b)) {
            let value = op.apply(left, right);
            if value.is_finite() {
                return self.constant(value);
            }
        }
        match op {
            BinaryOp::Add => self.sum(a, b),
            BinaryOp::Subtract => self.difference(a, b),
            BinaryOp::Multiply => self.product(a, b),
            BinaryOp::Divide => self.quotient(a, b),
            BinaryOp::Power => self.power(a, b),
            BinaryOp::Min | BinaryOp::Max if a == b => a,
            BinaryOp::And => self.both(a, b),
            BinaryOp::Or => self.either(a, b),
            _ => self.ordered(op, a, b),
        }
    }

    /// `yes` where `condition` holds, else `no`. Both are evaluated; a NaN in
    /// the one not taken does no harm.
    pub fn select(&mut self, condition: ExprId, yes: ExprId, no: ExprId) -> ExprId {
        match self.node(condition) {
            Node::Constant(value) => {
                if value == 0.0 {
                    no
                } else {
                    yes
                }
            }
            _ if yes == no => yes,
            Node::Unary(UnaryOp::Not, inner) => self.select(inner, no, yes),
            _ => self.intern(Node::Select(condition, yes, no)),
        }
    }

    /// `a + b`
    pub fn add(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Add, a, b)
    }

    /// `a - b`
    pub fn sub(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Subtract, a, b)
    }

    /// `a * b`
    pub fn mul(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Multiply, a, b)
    }

    /// `a / b`
    pub fn div(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Divide, a, b)
    }

    /// `a ^ b`
    pub fn pow(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinaryOp::Power, a, b)
    }

    /// `-x`
    pub fn neg(&mut self, x: ExprId) -> ExprId {
        self.unary(UnaryOp::Negate, x)
    }

    /// Stores a node, with operands in order of ids where order is free.
    fn ordered(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        if op.is_commutative() && b < a {
            return self.intern(Node::Binary(op, b, a));
        }
        self.intern(Node::Binary(op, a, b))
    }

    /// `x` if `id` is `-x`.
    fn inside_negation(&self, id: ExprId) -> Option<ExprId> {
        match self.node(id) {
            Node::Unary(UnaryOp::Negate, x) => Some(x),
            _ => None,
        }
    }

    /// Signs move into a constant factor, where they cost nothing.
    fn negated(&mut self, x: ExprId, node: Node) -> ExprId {
        let opposite = match node {
            Node::Unary(UnaryOp::Negate, inner) => return inner,
            Node::Binary(BinaryOp::Multiply, a, b) => match (self.node(a), self.node(b)) {
                (Node::Constant(factor), _) => Some((BinaryOp::Multiply, factor, b)),
                (_, Node::Constant(factor)) => Some((BinaryOp::Multiply, factor, a)),
                _ => None,
            },
            Node::Binary(BinaryOp::Divide, a, b) => {
                let above = self.is_constant(a);
                above.map(|factor| (BinaryOp::Divide, factor, b))
            }
            _ => None,
        };
        let Some((op, factor, rest)) = opposite else {
            return self.intern(Node::Unary(UnaryOp::Negate, x));
        };
        let factor = self.constant(-factor);
        self.binary(op, factor, rest)
    }

    fn sum(&mut self, a: ExprId, b: ExprId) -> ExprId {
        for (one, other) in [(a, b), (b, a)] {
            match self.node(one) {
                Node::Constant(0.0) => return other,
                Node::Constant(value) if value < 0.0 => {
                    let opposite = self.constant(-value);
                    return self.sub(other, opposite);
                }
                Node::Unary(UnaryOp::Negate, inner) => return self.sub(other, inner),
                _ => {}
            }
        }
        self.ordered(BinaryOp::Add, a, b)
    }

    fn difference(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if a == b {
            return self.constant(0.0);
        }
        match (self.node(a), self.node(b)) {
            (_, Node::Constant(0.0)) => a,
            (Node::Constant(0.0), _) => self.neg(b),
            (_, Node::Unary(UnaryOp::Negate, inner)) => self.add(a, inner),
            (_, Node::Constant(value)) if value < 0.0 => {
                let opposite = self.constant(-value);
                self.add(a, opposite)
            }
            _ => self.ordered(BinaryOp::Subtract, a, b),
        }
    }

    fn product(&mut self, a: ExprId, b: ExprId) -> ExprId {
        for (one, other) in [(a, b), (b, a)] {
            match self.is_constant(one) {
                Some(0.0) => return self.constant(0.0),
                Some(1.0) => return other,
                Some(-1.0) => return self.neg(other),
                Some(value) => {
                    if let Some(inner) = self.inside_negation(other) {
                        let opposite = self.constant(-value);
                        return self.mul(opposite, inner);
                    }
                }
                None => {}
            }
        }
        match (self.inside_negation(a), self.inside_negation(b)) {
            (Some(x), Some(y)) => self.mul(x, y),
            (Some(x), None) => self.negative_product(x, b),
            (None, Some(y)) => self.negative_product(a, y),
            (None, None) => self.ordered(BinaryOp::Multiply, a, b),
        }
    }

    fn negative_product(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let product = self.mul(a, b);
        self.neg(product)
    }

    fn quotient(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.node(a), self.node(b)) {
            (_, Node::Constant(1.0)) => return a,
            (_, Node::Constant(-1.0)) => return self.neg(a),
            (Node::Constant(_), Node::Constant(_)) => {}
            (Node::Constant(0.0), _) => return self.constant(0.0),
            (Node::Constant(above), Node::Unary(UnaryOp::Negate, below)) => {
                let opposite = self.constant(-above);
                return self.div(opposite, below);
            }
            _ => {}
        }
        let (above, below) = (self.inside_negation(a), self.inside_negation(b));
        let (x, y) = (above.unwrap_or(a), below.unwrap_or(b));
        match (above.is_some(), below.is_some()) {
            (false, false) => self.ordered(BinaryOp::Divide, a, b),
            (true, true) => self.div(x, y),
            _ => {
                let quotient = self.div(x, y);
                self.neg(quotient)
            }
        }
    }

    /// Small whole powers become products: faster, and exact for negative bases.
    fn power(&mut self, base: ExprId, exponent: ExprId) -> ExprId {
        let exponent_value = self.is_constant(exponent);
        if exponent_value == Some(0.0) || self.is_constant(base) == Some(1.0) {
            return self.constant(1.0);
        }
        match exponent_value {
            Some(1.0) => base,
            Some(2.0) => self.mul(base, base),
            Some(3.0) => {
                let square = self.mul(base, base);
                self.mul(square, base)
            }
            Some(4.0) => {
                let square = self.mul(base, base);
                self.mul(square, square)
            }
            Some(-1.0) => {
                let one = self.constant(1.0);
                self.div(one, base)
            }
            _ => self.intern(Node::Binary(BinaryOp::Power, base, exponent)),
        }
    }

    fn both(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.is_constant(a), self.is_constant(b)) {
            (Some(value), _) => {
                if value == 0.0 {
                    a
                } else {
                    b
                }
            }
            (_, Some(_)) => self.both(b, a),
            _ if a == b => a,
            _ => self.ordered(BinaryOp::And, a, b),
        }
    }

    fn either(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match (self.is_constant(a), self.is_constant(b)) {
            (Some(value), _) => {
                if value == 0.0 {
                    b
                } else {
                    a
                }
            }
            (_, Some(_)) => self.either(b, a),
            _ if a == b => a,
            _ => self.ordered(BinaryOp::Or, a, b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::parse::parse;

    fn lowered(arena: &mut Arena, text: &str) -> ExprId {
        let syntax = parse(text).unwrap();
        let inputs = ["x", "y", "z"].map(|name| (name, InputId(u32::from(name.as_bytes()[0] - b'x'))));
        let found = inputs.map(|(name, input)| (name, arena.input(input)));
        let mut resolve = |word: &str| found.iter().find(|(name, _)| *name == word).map(|f| f.1);
        syntax.lower(arena, &mut resolve).unwrap()
    }

    fn same(cases: &[(&str, &str)]) {
        let mut arena = Arena::new();
        for (text, simple) in cases {
            let (one, two) = (lowered(&mut arena, text), lowered(&mut arena, simple));
            assert_eq!(one, two, "{text} is not {simple}");
        }
    }

    #[test]
    fn neutral_elements_vanish() {
        same(&[("x + 0", "x"), ("0 + x", "x"), ("x - 0", "x"), ("0 - x", "-x")]);
        same(&[("x * 1", "x"), ("1 * x", "x"), ("x / 1", "x"), ("x / -1", "-x")]);
        same(&[("0 * x", "0"), ("x * 0", "0"), ("0 / x", "0"), ("x - x", "0")]);
        same(&[("x ^ 1", "x"), ("x ^ 0", "1"), ("1 ^ x", "1"), ("--x", "x")]);
    }

    #[test]
    fn constants_fold_to_one_number() {
        same(&[("2 + 3 * 4", "14"), ("2 ^ 10", "1024"), ("sqrt(16)", "4")]);
        same(&[("if(1 < 2, x, y)", "x"), ("min(3, 1, 2)", "1"), ("-2^2", "0 - 4")]);
        same(&[("clamp(5, 0, 1)", "1"), ("sign(-3)", "-1"), ("mod(-1, 3)", "2")]);
    }

    #[test]
    fn signs_move_to_where_they_are_cheapest() {
        same(&[("x + -y", "x - y"), ("-x + y", "y - x"), ("x - -y", "x + y")]);
        same(&[("-x * -y", "x * y"), ("-x * y", "-(x * y)"), ("-(2 * x)", "-2 * x")]);
        same(&[("-x / -y", "x / y"), ("x / -y", "-(x / y)"), ("1 / -x", "-1 / x")]);
        same(&[("x + -5", "x - 5"), ("-5 + x", "x - 5"), ("-x * 2", "x * -2")]);
        same(&[("-x / 2", "-(x / 2)"), ("-(1 / x)", "-1 / x")]);
    }

    #[test]
    fn small_whole_powers_are_products() {
        same(&[("x^2", "x * x"), ("x^3", "x * x * x"), ("x^-1", "1 / x")]);
        same(&[("x^4", "(x * x) * (x * x)"), ("(-x)^2", "x * x")]);
        let mut arena = Arena::new();
        let root = lowered(&mut arena, "x^0.5");
        assert!(matches!(arena.node(root), Node::Binary(BinaryOp::Power, ..)));
    }

    #[test]
    fn conditions_simplify_like_logic() {
        same(&[("not not x < y", "x < y"), ("x > y", "y < x"), ("x >= y", "y <= x")]);
        same(&[("x < y and 1 < 2", "x < y"), ("x < y or 2 < 1", "x < y")]);
        same(&[("x < y and 2 < 1", "2 < 1"), ("x < y or 1 < 2", "1 < 2")]);
        same(&[("x == y and y == x", "x == y"), ("if(not x < y, 1, 2)", "if(x < y, 2, 1)")]);
        same(&[("if(x < y, z, z)", "z")]);
    }

    #[test]
    fn the_sign_of_a_folded_zero_is_kept() {
        let mut arena = Arena::new();
        let negative = lowered(&mut arena, "0 * -5");
        assert_eq!(arena.is_constant(negative).map(f64::to_bits), Some((-0.0_f64).to_bits()));
        let positive = lowered(&mut arena, "0 * 5");
        assert_ne!(negative, positive);
        let kept = lowered(&mut arena, "atan2(-0, -1)");
        assert_eq!(arena.is_constant(kept), Some(-std::f64::consts::PI));
    }

    #[test]
    fn only_finite_results_are_folded() {
        let mut arena = Arena::new();
        for text in ["1 / 0", "0 / 0", "ln(0)", "sqrt(-1)", "1e300 * 1e300", "0 ^ -1"] {
            let id = lowered(&mut arena, text);
            assert_eq!(arena.is_constant(id), None, "{text}");
        }
        let infinite = arena.constant(f64::NEG_INFINITY);
        assert_eq!(arena.evaluate(&[infinite], &[]), [f64::NEG_INFINITY]);
        let undefined = arena.constant(f64::NAN);
        assert!(arena.evaluate(&[undefined], &[])[0].is_nan());
    }
}
