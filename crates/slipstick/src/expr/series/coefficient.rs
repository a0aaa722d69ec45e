//! What coefficients of a series can be: numbers with error bounds, or intervals.

use crate::expr::band::{Banded, UNIT_ROUNDOFF};
use crate::expr::interval::Interval;
use crate::expr::operation::{BinaryOp, UnaryOp};

/// The arithmetic that recurrences need.
pub(super) trait Coefficient: Copy + PartialEq {
    const ZERO: Self;
    /// Nothing is known.
    const UNDEFINED: Self;

    /// A number as it is written.
    fn number(value: f64) -> Self;
    fn unary(op: UnaryOp, x: Self) -> Self;
    fn binary(op: BinaryOp, a: Self, b: Self) -> Self;
    fn square(x: Self) -> Self;
    /// One of two by a condition, both if that is undecided.
    fn select(condition: Self, yes: Self, no: Self) -> Self;
    /// Whether it holds as a condition, if that is certain.
    fn branch(&self) -> Option<bool>;
    /// Whether a value that jumps is certain.
    fn branch_is_known(&self) -> bool;
    /// A value that jumps, but only with what does not move.
    fn settled(self) -> Self;
    /// The operand of a value that jumps, so that a jump at the operand itself is seen.
    fn touching(self) -> Self;
    /// The sum of products of the first, second … with the last, last but one …
    fn dot(forward: &[Self], backward: &[Self]) -> Self;
    fn is_finite(&self) -> bool;

    fn negated(self) -> Self {
        Self::unary(UnaryOp::Negate, self)
    }
    fn plus(self, other: Self) -> Self {
        Self::binary(BinaryOp::Add, self, other)
    }
    /// Nothing less something is not rounded.
    fn minus(self, other: Self) -> Self {
        if self == Self::ZERO { other.negated() } else { Self::binary(BinaryOp::Subtract, self, other) }
    }
    fn product(a: Self, b: Self) -> Self {
        Self::binary(BinaryOp::Multiply, a, b)
    }
    fn quotient(a: Self, b: Self) -> Self {
        Self::binary(BinaryOp::Divide, a, b)
    }
    fn times(self, count: usize) -> Self {
        if count == 1 { self } else { Self::product(self, Self::number(count as f64)) }
    }
    fn over(self, count: usize) -> Self {
        if count == 1 { self } else { Self::quotient(self, Self::number(count as f64)) }
    }
}

impl Coefficient for Banded {
    const ZERO: Self = Banded::ZERO;
    const UNDEFINED: Self = Banded::UNDEFINED;

    fn number(value: f64) -> Self {
        Banded::number(value)
    }
    fn unary(op: UnaryOp, x: Self) -> Self {
        Banded::unary(x, op)
    }
    #[inline]
    fn binary(op: BinaryOp, a: Self, b: Self) -> Self {
        Banded::binary(a, op, b)
    }
    fn square(x: Self) -> Self {
        x * x
    }
    fn select(condition: Self, yes: Self, no: Self) -> Self {
        Banded::select(condition, yes, no)
    }
    fn branch(&self) -> Option<bool> {
        Banded::branch(self)
    }
    fn branch_is_known(&self) -> bool {
        self.bound == 0.0
    }
    fn settled(self) -> Self {
        Banded::number(self.value)
    }
    fn touching(self) -> Self {
        let least = UNIT_ROUNDOFF * self.value.abs() + f64::MIN_POSITIVE;
        Self { bound: self.bound + least, ..self }
    }
    fn dot(forward: &[Self], backward: &[Self]) -> Self {
        let (mut value, mut rounded, mut passed) = (0.0_f64, 0.0, 0.0);
        for (a, b) in forward.iter().zip(backward.iter().rev()) {
            let product = a.value * b.value;
            passed += a.value.abs() * b.bound + a.bound * (b.value.abs() + b.bound);
            // Each product is rounded, and each sum of two that are not zero.
            rounded += product.abs();
            let sum = value + product;
            rounded += if value == 0.0 { 0.0 } else { sum.abs() };
            value = sum;
        }
        Self { value, bound: passed + UNIT_ROUNDOFF * rounded }
    }
    fn is_finite(&self) -> bool {
        Banded::is_finite(self)
    }
}

impl Coefficient for Interval {
    const ZERO: Self = Interval { lo: 0.0, hi: 0.0, nan: false };
    const UNDEFINED: Self = Interval::WHOLE;

    fn number(value: f64) -> Self {
        Interval::point(value)
    }
    fn unary(op: UnaryOp, x: Self) -> Self {
        Interval::unary(x, op)
    }
    fn binary(op: BinaryOp, a: Self, b: Self) -> Self {
        match op {
            // The four that recurrences consist of.
            BinaryOp::Add => a + b,
            BinaryOp::Subtract => a - b,
            BinaryOp::Multiply => a * b,
            BinaryOp::Divide => a / b,
            _ => Interval::binary(a, op, b),
        }
    }
    fn square(x: Self) -> Self {
        Interval::square(x)
    }
    fn select(condition: Self, yes: Self, no: Self) -> Self {
        Interval::select(condition, yes, no)
    }
    fn branch(&self) -> Option<bool> {
        match self.branches() {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }
    fn branch_is_known(&self) -> bool {
        self.is_bounded() && !self.is_open()
    }
    fn settled(self) -> Self {
        self
    }
    fn touching(self) -> Self {
        self
    }
    fn dot(forward: &[Self], backward: &[Self]) -> Self {
        let products = forward.iter().zip(backward.iter().rev()).map(|(&a, &b)| a * b);
        products.fold(Self::ZERO, |sum, product| sum + product)
    }
    fn is_finite(&self) -> bool {
        self.is_bounded()
    }
}
