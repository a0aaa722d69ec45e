//! Exact symbolic derivatives; the rule of each operation stands in its row.
//!
//! In: expressions, and how each input changes. Out: expressions for how they
//! change, in the same arena. Works through the DAG once, from the leaves up,
//! with a memo: shared expressions are differentiated once and nothing recurses.
//!
//! Conventions where a derivative does not exist: `sign`, `floor`, `ceil`,
//! `round` and conditions have derivative 0; `abs` has `sign`; `min`, `max` and
//! `if` have the derivative of the operand they choose; `hypot` has 0 where it
//! is 0 (as `abs` does); `a^b` with changing `b` has no logarithmic part where
//! it is 0.

use crate::expr::arena::{Arena, ExprId, InputId, Node};
use crate::expr::memo::Memo;
use crate::expr::rows::PairRates;

impl Arena {
    /// The partial derivative of `id` with respect to one input.
    pub fn derivative(&mut self, id: ExprId, wrt: InputId) -> ExprId {
        let one = self.constant(1.0);
        let changes = self.derivative_along(&[id], &[(wrt, one)]);
        changes.first().copied().unwrap_or(id)
    }

    /// The derivatives of `ids` when each input changes at the rate given by
    /// its seed (others do not change): the sum over inputs of the partial
    /// derivative times the seed.
    ///
    /// With the seeds `t -> 1` and `y_i -> f_i` this is the time derivative
    /// along a flow; seeds may mention the inputs themselves. On a repeated
    /// input the last seed counts.
    pub fn derivative_along(&mut self, ids: &[ExprId], seeds: &[(InputId, ExprId)]) -> Vec<ExprId> {
        let zero = self.constant(0.0);
        let mut seeds: Vec<(InputId, ExprId)> = seeds.iter().rev().copied().collect();
        // Stable, so the last seed of a repeated input is the first found.
        seeds.sort_by_key(|&(input, _)| input);
        let order = self.reachable(ids);
        let mut rates = Memo::new(&order, zero);
        for id in order {
            let rate = match self.node(id) {
                Node::Constant(_) => zero,
                Node::Input(input) => {
                    let first = seeds.partition_point(|&(other, _)| other < input);
                    let seed = seeds.get(first).filter(|(other, _)| *other == input);
                    seed.map_or(zero, |&(_, rate)| rate)
                }
                _ => self.rate_of(id, zero, |operand| rates[operand.index()]),
            };
            rates[id.index()] = rate;
        }
        ids.iter().map(|id| rates[id.index()]).collect()
    }

    /// The rate of an operation, given those of its operands.
    pub(super) fn rate_of(&mut self, id: ExprId, zero: ExprId, rate: impl Fn(ExprId) -> ExprId) -> ExprId {
        match self.node(id) {
            node if node.operands().all(|operand| rate(operand) == zero) => zero,
            Node::Constant(_) | Node::Input(_) => zero,
            Node::Unary(op, x) => (op.row().rate)(self, id, x, rate(x)),
            Node::Binary(op, a, b) => {
                let (da, db) = (rate(a), rate(b));
                (op.row().rate)(self, PairRates { s: id, a, b, da, db, zero })
            }
            Node::Select(c, a, b) => self.select(c, rate(a), rate(b)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::operation::UnaryOp;
    use crate::expr::parse::parse;

    const X: InputId = InputId(0);
    const Y: InputId = InputId(1);

    fn lowered(arena: &mut Arena, text: &str) -> ExprId {
        let [x, y] = [X, Y].map(|input| arena.input(input));
        let mut resolve = |name: &str| match name {
            "x" => Some(x),
            "y" => Some(y),
            _ => None,
        };
        parse(text).unwrap().lower(arena, &mut resolve).unwrap()
    }

    /// Each derivative by x must equal the closed form at several points.
    fn check(cases: &[(&str, &str)], points: &[[f64; 2]]) {
        for (text, closed) in cases {
            let mut arena = Arena::new();
            let formula = lowered(&mut arena, text);
            let exact = arena.derivative(formula, X);
            let closed_id = lowered(&mut arena, closed);
            for point in points {
                let values = arena.evaluate(&[exact, closed_id], point);
                let close = (values[0] - values[1]).abs() <= 1e-13 * values[1].abs().max(1e-3);
                assert!(close, "d/dx {text} at {point:?}: {values:?}");
            }
        }
    }

    #[test]
    fn every_function_has_its_closed_derivative() {
        let inside = [[0.3, 1.7], [0.85, -0.6], [0.02, 0.4]];
        check(
            &[
                ("sin(x)", "cos(x)"),
                ("cos(x)", "-sin(x)"),
                ("tan(x)", "1 / cos(x)^2"),
                ("asin(x)", "1 / sqrt(1 - x^2)"),
                ("acos(x)", "-1 / sqrt(1 - x^2)"),
                ("atan(x)", "1 / (1 + x^2)"),
                ("atan2(x, y)", "y / (x^2 + y^2)"),
                ("atan2(y, x)", "-y / (x^2 + y^2)"),
                ("sinh(x)", "cosh(x)"),
                ("cosh(x)", "sinh(x)"),
                ("tanh(x)", "1 / cosh(x)^2"),
                ("asinh(x)", "1 / sqrt(x^2 + 1)"),
                ("acosh(x + 1)", "1 / sqrt((x + 1)^2 - 1)"),
                ("atanh(x)", "1 / (1 - x^2)"),
                ("exp(2 * x)", "2 * exp(2 * x)"),
                ("ln(x)", "1 / x"),
                ("log10(x)", "1 / (x * ln(10))"),
                ("sqrt(x)", "0.5 / sqrt(x)"),
                ("cbrt(x)", "1 / (3 * cbrt(x)^2)"),
                ("hypot(x, y)", "x / hypot(x, y)"),
                ("x / y", "1 / y"),
                ("y / x", "-y / x^2"),
                ("x * sin(x)", "sin(x) + x * cos(x)"),
            ],
            &inside,
        );
    }

    #[test]
    fn kinks_and_jumps_follow_the_conventions() {
        let around = [[0.3, 1.7], [-0.85, -0.6], [2.5, 0.4], [-3.2, 0.0]];
        check(
            &[
                ("abs(x)", "sign(x)"),
                ("min(x, y)", "if(x < y, 1, 0)"),
                ("max(x, y, 2 * x)", "if(2 * x > max(x, y), 2, if(x > y, 1, 0))"),
                ("clamp(x, -1, 1)", "if(abs(x) < 1, 1, 0)"),
                ("sign(x) + floor(x) + ceil(x) + round(x)", "0"),
                ("mod(x, 2)", "1"),
                ("mod(3, x)", "-floor(3 / x)"),
                ("if(x < y, x^2, sin(x))", "if(x < y, 2 * x, cos(x))"),
                ("if(x < y and not x == 1, 1, 2)", "0"),
            ],
            &around,
        );
    }

    #[test]
    fn powers_need_no_logarithm_of_a_constant_exponent() {
        check(&[("x^5", "5 * x^4"), ("x^2", "2 * x"), ("x^-1", "-1 / x^2")], &[[-1.5, 0.0]]);
        check(&[("x^0.5", "0.5 / sqrt(x)"), ("x^y", "y * x^(y - 1)")], &[[2.0, 3.0]]);
        check(&[("2^x", "2^x * ln(2)"), ("x^x", "x^x * (ln(x) + 1)")], &[[1.5, 0.0]]);
        check(&[("x^y", "y * x^(y - 1)")], &[[-2.0, 3.0]]);
        check(&[("y^x", "0"), ("0^x", "0")], &[[2.0, 0.0]]);
    }

    #[test]
    fn hypot_has_no_derivative_trouble_at_rest() {
        check(&[("hypot(x, y)", "0"), ("abs(x)", "0")], &[[0.0, 0.0]]);
    }

    #[test]
    fn steep_slopes_stay_accurate() {
        let mut arena = Arena::new();
        let formula = lowered(&mut arena, "asin(x)");
        let slope = arena.derivative(formula, X);
        let x = 1.0 - 1e-12;
        let below = (1.0 - x) * 2.0;
        let value = arena.evaluate(&[slope], &[x])[0];
        assert!((value * below.sqrt() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_derivative_that_is_zero_is_the_constant_zero() {
        let mut arena = Arena::new();
        let formula = lowered(&mut arena, "sin(y)^2 / (1 + exp(y))");
        let slope = arena.derivative(formula, X);
        assert_eq!(arena.is_constant(slope), Some(0.0));
    }

    #[test]
    fn the_flow_derivative_of_an_energy_vanishes() {
        let mut arena = Arena::new();
        let energy = lowered(&mut arena, "x^2 / 2 + y^2 / 2");
        let [x, y] = [X, Y].map(|input| arena.input(input));
        let backwards = arena.neg(x);
        let rates = arena.derivative_along(&[energy, x, y], &[(X, y), (Y, backwards)]);
        assert_eq!(rates[1..], [y, backwards]);
        assert_eq!(arena.evaluate(&rates[..1], &[0.3, 1.7]), [0.0]);
        assert_eq!(arena.derivative_along(&[], &[(X, y)]), []);
    }

    #[test]
    fn second_derivatives_come_from_the_same_rules() {
        let mut arena = Arena::new();
        let formula = lowered(&mut arena, "sin(x) * x^3");
        let first = arena.derivative(formula, X);
        let second = arena.derivative(first, X);
        let closed = lowered(&mut arena, "6*x*sin(x) + 6*x^2*cos(x) - x^3*sin(x)");
        let values = arena.evaluate(&[second, closed], &[0.7, 0.0]);
        assert!((values[0] - values[1]).abs() < 1e-13);
    }

    #[test]
    fn a_very_deep_chain_is_differentiated_without_recursion() {
        let mut arena = Arena::new();
        let mut deep = arena.input(X);
        for _ in 0..50_000 {
            deep = arena.unary(UnaryOp::Sin, deep);
        }
        let slope = arena.derivative(deep, X);
        assert_eq!(arena.evaluate(&[slope], &[0.0]), [1.0]);
    }
}
