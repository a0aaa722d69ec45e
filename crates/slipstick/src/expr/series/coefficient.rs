//! What coefficients of a series can be: numbers with error bounds, or whole ranges of numbers.

use crate::expr::band::{Inexact, UNIT_ROUNDOFF};
use crate::expr::operation::{BinaryOp, UnaryOp};

/// The arithmetic that recurrences need.
pub(super) trait TaylorCoefficient: Copy + PartialEq {
    const ZERO: Self;
    /// Nothing is known.
    const UNDEFINED: Self;

    /// A number as it is written.
    fn number(value: f64) -> Self;
    fn unary(op: UnaryOp, x: Self) -> Self;
    fn binary(op: BinaryOp, a: Self, b: Self) -> Self;
    fn square(x: Self) -> Self;
    /// The sum of products of the first, second … with the last, last but one …
    fn dot(forward: &[Self], backward: &[Self]) -> Self;
    fn is_finite(&self) -> bool;
}

/// What recurrences have to know where something jumps.
pub(super) trait Branching: TaylorCoefficient {
    /// One of two by a condition, both if that is undecided.
    fn select(condition: Self, yes: Self, no: Self) -> Self;
    /// Whether it holds as a condition, if that is certain.
    fn branch(&self) -> Option<bool>;
    /// Whether a value that jumps is certain.
    fn is_certain(&self) -> bool;
    /// A value that jumps, but only with what does not move.
    fn settled(self) -> Self;
    /// The operand of a value that jumps, so that a jump at the operand itself is seen.
    fn touching(self) -> Self;
}

pub(super) fn negated<T: TaylorCoefficient>(x: T) -> T {
    T::unary(UnaryOp::Negate, x)
}

/// A difference. Nothing less something is not rounded.
pub(super) fn difference<T: TaylorCoefficient>(a: T, b: T) -> T {
    if a == T::ZERO { negated(b) } else { T::binary(BinaryOp::Subtract, a, b) }
}

pub(super) fn quotient<T: TaylorCoefficient>(a: T, b: T) -> T {
    T::binary(BinaryOp::Divide, a, b)
}

impl TaylorCoefficient for Inexact {
    const ZERO: Self = Inexact::ZERO;
    const UNDEFINED: Self = Inexact::UNDEFINED;

    fn number(value: f64) -> Self {
        Inexact::number(value)
    }
    fn unary(op: UnaryOp, x: Self) -> Self {
        Inexact::unary(x, op)
    }
    #[inline]
    fn binary(op: BinaryOp, a: Self, b: Self) -> Self {
        Inexact::binary(a, op, b)
    }
    fn square(x: Self) -> Self {
        x * x
    }
    fn dot(forward: &[Self], backward: &[Self]) -> Self {
        dot(forward.iter().copied(), backward.iter().copied())
    }
    fn is_finite(&self) -> bool {
        Inexact::is_finite(self)
    }
}

impl Branching for Inexact {
    fn select(condition: Self, yes: Self, no: Self) -> Self {
        Inexact::select(condition, yes, no)
    }
    fn branch(&self) -> Option<bool> {
        Inexact::branch(self)
    }
    fn is_certain(&self) -> bool {
        self.bound == 0.0
    }
    fn settled(self) -> Self {
        Inexact::number(self.value)
    }
    fn touching(self) -> Self {
        let least = UNIT_ROUNDOFF * self.value.abs() + f64::MIN_POSITIVE;
        Self { bound: self.bound + least, ..self }
    }
}

/// A range of numbers around a middle: what a coefficient can be anywhere within a step. Unlike [`Inexact`]
/// it may have another middle than the value that an operation gives, and what is written is taken as exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ball(pub(super) Inexact);

impl Ball {
    /// The largest size of a number in it.
    pub(super) fn size(&self) -> f64 {
        self.0.value.abs() + self.0.bound
    }
}

impl TaylorCoefficient for Ball {
    const ZERO: Self = Self(Inexact::ZERO);
    const UNDEFINED: Self = Self(Inexact::UNDEFINED);

    fn number(value: f64) -> Self {
        Self(Inexact::exact(value))
    }
    fn unary(op: UnaryOp, x: Self) -> Self {
        Self(x.0.unary(op))
    }
    #[inline]
    fn binary(op: BinaryOp, a: Self, b: Self) -> Self {
        Self(a.0.binary(op, b.0))
    }
    /// Squares are not negative.
    fn square(x: Self) -> Self {
        let Inexact { value, bound } = x.0;
        let (least, most) = ((value.abs() - bound).max(0.0), value.abs() + bound);
        let (low, high) = (least * least, most * most);
        Self(Inexact { value: 0.5 * (low + high), bound: 0.5 * (high - low) + 2.0 * UNIT_ROUNDOFF * high })
    }
    fn dot(forward: &[Self], backward: &[Self]) -> Self {
        Self(dot(forward.iter().map(|a| a.0), backward.iter().map(|b| b.0)))
    }
    fn is_finite(&self) -> bool {
        self.0.is_finite()
    }
}

impl Branching for Ball {
    fn select(condition: Self, yes: Self, no: Self) -> Self {
        Self(condition.0.select(yes.0, no.0))
    }
    fn branch(&self) -> Option<bool> {
        self.0.branch()
    }
    fn is_certain(&self) -> bool {
        self.0.bound == 0.0
    }
    fn settled(self) -> Self {
        Self::number(self.0.value)
    }
    fn touching(self) -> Self {
        self
    }
}

/// The sum of products of the first with the last and so on.
#[inline]
fn dot(
    forward: impl Iterator<Item = Inexact>,
    backward: impl DoubleEndedIterator<Item = Inexact>,
) -> Inexact {
    let (mut value, mut rounded, mut passed) = (0.0_f64, 0.0, 0.0);
    for (a, b) in forward.zip(backward.rev()) {
        let product = a.value * b.value;
        passed += a.value.abs() * b.bound + a.bound * (b.value.abs() + b.bound);
        // Each product is rounded, and each sum of two that are not zero.
        rounded += product.abs();
        let sum = value + product;
        rounded += if value == 0.0 { 0.0 } else { sum.abs() };
        value = sum;
    }
    Inexact { value, bound: passed + UNIT_ROUNDOFF * rounded }
}
