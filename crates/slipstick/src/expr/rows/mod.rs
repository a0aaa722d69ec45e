//! One row per operation: all that formulas need to know of it.
//!
//! A new function is a row in the file of its kind and an entry in the list in `operation.rs`; its Taylor
//! series follows from its rate.

pub(super) mod arithmetic;
pub(super) mod conditions;
pub(super) mod hyperbolic;
pub(super) mod kinks;
pub(super) mod powers;
pub(super) mod trigonometric;

use crate::expr::arena::{Arena, ExprId};
use crate::expr::band::{Inexact, UNIT_ROUNDOFF};
use crate::expr::bounds::Bounds;
use crate::expr::formula_dimension::DimensionRule;
use crate::expr::growth::Growth;
use crate::expr::interval::Interval;
use crate::expr::operation::{BinaryOp, Smoothness};

/// How an operation is written in formulas.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// As a symbol or a word between or before its operands.
    Symbol,
    /// As a call.
    Call,
    /// As a call with two or more arguments, combined from the left.
    Fold,
}

/// An operation on one operand, `s = op(x)`.
pub(super) struct UnaryRow {
    /// A function name, `-` or `not`.
    pub(super) name: &'static str,
    pub(super) written: Written,
    pub(super) smoothness: Smoothness,
    pub(super) dimension: DimensionRule,
    pub(super) value: fn(f64) -> f64,
    /// The change of `s` when `x` changes at a rate, the last argument; s and x are the ones before.
    pub(super) rate: fn(&mut Arena, ExprId, ExprId, ExprId) -> ExprId,
    /// Where `s` lies.
    pub(super) interval: fn(Interval) -> Interval,
    /// Where its slope lies, by the intervals of x, of its slope, and of s.
    pub(super) slope: fn(Interval, Interval, Interval) -> Interval,
    /// How fast it can change at most.
    pub(super) growth: fn(Growth) -> Growth,
    /// By how much `s` can change at most while `x` moves within its bound, which is not zero.
    pub(super) change: fn(Inexact, f64) -> f64,
    /// The error of the operation itself, by x and s.
    pub(super) rounding: fn(f64, f64) -> f64,
}

/// An operation on two operands, `s = op(a, b)`.
pub(super) struct BinaryRow {
    /// A symbol, a word or a function name.
    pub(super) name: &'static str,
    pub(super) written: Written,
    pub(super) smoothness: Smoothness,
    pub(super) dimension: DimensionRule,
    /// Whether swapping the operands never changes the value.
    pub(super) commutative: bool,
    pub(super) value: fn(f64, f64) -> f64,
    /// The change of `s` when its operands change.
    pub(super) rate: fn(&mut Arena, PairRates) -> ExprId,
    /// The same for Taylor series: in it stands no operation whose own rate needs another, and so on for
    /// ever.
    pub(super) recurrence: fn(&mut Arena, PairRates) -> ExprId,
    /// Where `s` lies.
    pub(super) interval: fn(Interval, Interval) -> Interval,
    /// Where its slope lies and whether it jumps, by both operands and the interval of s.
    pub(super) bounds: fn(Bounds, Bounds, Interval) -> Bounds,
    /// How fast it can change at most.
    pub(super) growth: fn(Growth, Growth) -> Growth,
    /// The bound of the error of `s`, with that of the operation itself.
    pub(super) bound: fn(Inexact, Inexact, f64) -> f64,
}

/// The operands of `s = op(a, b)` and how they change; one at least does.
#[derive(Clone, Copy)]
pub(super) struct PairRates {
    pub(super) s: ExprId,
    pub(super) a: ExprId,
    pub(super) b: ExprId,
    pub(super) da: ExprId,
    pub(super) db: ExprId,
    /// The constant zero, which is the rate of what does not change.
    pub(super) zero: ExprId,
}

/// The operation is right up to the last digit.
fn once(_: f64, s: f64) -> f64 {
    UNIT_ROUNDOFF * s.abs()
}

/// The operation is right.
fn exact(_: f64, _: f64) -> f64 {
    0.0
}

/// The rate of what only jumps.
fn constant_between_jumps(arena: &mut Arena, _: ExprId, _: ExprId, _: ExprId) -> ExprId {
    arena.constant(0.0)
}

/// The slope of what only jumps.
fn no_slope(_: Interval, _: Interval, _: Interval) -> Interval {
    Interval::ZERO
}

/// The reciprocal of what has to be positive.
fn inverse(x: f64) -> f64 {
    if x > 0.0 { 1.0 / x } else { f64::INFINITY }
}

/// At least e^d.
fn growing(d: f64) -> f64 {
    if d < 1.0 { 1.0 + 2.0 * d } else { d.exp() }
}

/// A factor times x.
fn scaled(arena: &mut Arena, factor: f64, x: ExprId) -> ExprId {
    let factor = arena.constant(factor);
    arena.mul(factor, x)
}

/// `1 + x^2` or `1 - x^2`.
fn one_and_square(arena: &mut Arena, x: ExprId, op: BinaryOp) -> ExprId {
    let one = arena.constant(1.0);
    let square = arena.mul(x, x);
    arena.binary(op, one, square)
}

/// `(1 - x) * (1 + x)`: unlike `1 - x^2` accurate where it is nearly 0,
/// which is where the slopes that divide by it are steep.
fn one_minus_square(arena: &mut Arena, x: ExprId) -> ExprId {
    let one = arena.constant(1.0);
    let below = arena.sub(one, x);
    let above = arena.add(one, x);
    arena.mul(below, above)
}

/// `part`, but 0 where `s` is.
fn zero_where_zero(arena: &mut Arena, s: ExprId, part: ExprId) -> ExprId {
    let zero = arena.constant(0.0);
    let vanishes = arena.binary(BinaryOp::Equal, s, zero);
    arena.select(vanishes, zero, part)
}
