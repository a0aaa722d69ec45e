//! Operations with a kink or a jump.

use super::{
    BinaryRow, DimensionRule, PairRates, UnaryRow, Written, constant_between_jumps, exact, no_slope,
};
use crate::expr::arena::{Arena, ExprId};
use crate::expr::band::Inexact;
use crate::expr::bounds::{Bounds, over, times};
use crate::expr::growth::Growth;
use crate::expr::interval::Interval;
use crate::expr::operation::{BinaryOp, Smoothness, UnaryOp};

pub(crate) const ABS: UnaryRow = UnaryRow {
    name: "abs",
    written: Written::Call,
    smoothness: Smoothness::Kink,
    dimension: DimensionRule::Alike,
    value: |x| x.abs(),
    rate: |arena, _, x, rate| {
        let slope = arena.unary(UnaryOp::Sign, x);
        arena.mul(slope, rate)
    },
    interval: |x| x.mapped(|x| Interval { lo: x.mig(), hi: x.mag(), nan: false }),
    slope: |x, d, _| times(x.unary(UnaryOp::Sign), d),
    growth: |x| x,
    change: |x, _| x.bound,
    rounding: exact,
};

pub(crate) const SIGN: UnaryRow = UnaryRow {
    name: "sign",
    written: Written::Call,
    smoothness: Smoothness::Jump,
    dimension: DimensionRule::Free,
    value: sign,
    rate: constant_between_jumps,
    interval: |x| x.stepped(sign),
    slope: no_slope,
    growth: Growth::unknown,
    change: |x, s| if x.value.abs() > x.bound { 0.0 } else { 1.0 + s.abs() },
    rounding: exact,
};

pub(crate) const FLOOR: UnaryRow = UnaryRow {
    name: "floor",
    written: Written::Call,
    smoothness: Smoothness::Jump,
    dimension: DimensionRule::Alike,
    value: |x| x.floor(),
    rate: constant_between_jumps,
    interval: |x| x.stepped(f64::floor),
    slope: no_slope,
    growth: Growth::unknown,
    change: |x, s| steps(x, s, f64::floor),
    rounding: exact,
};

pub(crate) const CEIL: UnaryRow = UnaryRow {
    name: "ceil",
    written: Written::Call,
    smoothness: Smoothness::Jump,
    dimension: DimensionRule::Alike,
    value: |x| x.ceil(),
    rate: constant_between_jumps,
    interval: |x| x.stepped(f64::ceil),
    slope: no_slope,
    growth: Growth::unknown,
    change: |x, s| steps(x, s, f64::ceil),
    rounding: exact,
};

pub(crate) const ROUND: UnaryRow = UnaryRow {
    name: "round",
    written: Written::Call,
    smoothness: Smoothness::Jump,
    dimension: DimensionRule::Alike,
    value: |x| x.round(),
    rate: constant_between_jumps,
    interval: |x| x.stepped(f64::round),
    slope: no_slope,
    growth: Growth::unknown,
    change: |x, s| steps(x, s, f64::round),
    rounding: exact,
};

/// The steps up or down to the ends of what is uncertain.
fn steps(x: Inexact, s: f64, step: fn(f64) -> f64) -> f64 {
    (step(x.value + x.bound) - s).max(s - step(x.value - x.bound))
}

#[inline]
fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else if x == 0.0 {
        0.0
    } else {
        x
    }
}

pub(crate) const MIN: BinaryRow = BinaryRow {
    name: "min",
    written: Written::Fold,
    smoothness: Smoothness::Kink,
    dimension: DimensionRule::Alike,
    commutative: true,
    value: minimum,
    rate: least_rate,
    recurrence: least_rate,
    interval: |a, b| a.joined(b, |a, b| Interval { lo: a.lo.min(b.lo), hi: a.hi.min(b.hi), nan: false }),
    bounds: |a, b, value| Bounds::smooth(a, b, value, || is_less(a.value, b.value).select(a.slope, b.slope)),
    growth: Growth::either,
    bound: chosen_bound,
};

pub(crate) const MAX: BinaryRow = BinaryRow {
    name: "max",
    written: Written::Fold,
    smoothness: Smoothness::Kink,
    dimension: DimensionRule::Alike,
    commutative: true,
    value: |a, b| -minimum(-a, -b),
    rate: greatest_rate,
    recurrence: greatest_rate,
    interval: |a, b| a.joined(b, |a, b| Interval { lo: a.lo.max(b.lo), hi: a.hi.max(b.hi), nan: false }),
    bounds: |a, b, value| Bounds::smooth(a, b, value, || is_less(a.value, b.value).select(b.slope, a.slope)),
    growth: Growth::either,
    bound: chosen_bound,
};

fn least_rate(arena: &mut Arena, of: PairRates) -> ExprId {
    let left_is_less = arena.binary(BinaryOp::Less, of.a, of.b);
    arena.select(left_is_less, of.da, of.db)
}

fn greatest_rate(arena: &mut Arena, of: PairRates) -> ExprId {
    let right_is_less = arena.binary(BinaryOp::Less, of.b, of.a);
    arena.select(right_is_less, of.da, of.db)
}

fn is_less(a: Interval, b: Interval) -> Interval {
    a.binary(BinaryOp::Less, b)
}

/// The bound of the operand that is taken; of both, if that is not known.
fn chosen_bound(a: Inexact, b: Inexact, s: f64) -> f64 {
    if (a.value - b.value).abs() <= a.bound + b.bound {
        return a.bound.max(b.bound);
    }
    if s == a.value { a.bound } else { b.bound }
}

/// The smaller operand. Unlike `f64::min` it passes a NaN on (a simulator must
/// not hide one) and orders -0 before 0 (so that swapping operands is exact).
#[inline]
fn minimum(a: f64, b: f64) -> f64 {
    if a < b {
        a
    } else if b < a {
        b
    } else if a == b {
        if a.is_sign_negative() { a } else { b }
    } else {
        a + b
    }
}

pub(crate) const MODULO: BinaryRow = BinaryRow {
    name: "mod",
    written: Written::Call,
    smoothness: Smoothness::Jump,
    dimension: DimensionRule::Alike,
    commutative: false,
    value: |a, b| a - b * (a / b).floor(),
    rate: modulo_rate,
    recurrence: modulo_rate,
    interval: |a, b| a.joined(b, |a, b| a - b * (a / b).unary(UnaryOp::Floor)),
    bounds: |a, b, value| {
        let count = over(a.value, b.value).unary(UnaryOp::Floor);
        let jumps = a.jumps || b.jumps || count.is_open();
        Bounds { value, slope: a.slope - times(count, b.slope), jumps }
    },
    growth: Growth::unknown_pair,
    bound: |a, b, _| (a - b * (a / b).unary(UnaryOp::Floor)).bound,
};

fn modulo_rate(arena: &mut Arena, of: PairRates) -> ExprId {
    let quotient = arena.div(of.a, of.b);
    let whole = arena.unary(UnaryOp::Floor, quotient);
    let lost = arena.mul(of.db, whole);
    arena.sub(of.da, lost)
}
