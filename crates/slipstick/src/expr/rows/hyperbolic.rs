//! Hyperbolic functions and their inverses.

use super::{DimensionRule, UnaryRow, Written, growing, inverse, once, one_and_square, one_minus_square};
use crate::expr::band::UNIT_ROUNDOFF;
use crate::expr::bounds::{over, times};
use crate::expr::growth::Growth;
use crate::expr::interval::{Interval, down, up};
use crate::expr::operation::{BinaryOp, Smoothness, UnaryOp};

pub(crate) const SINH: UnaryRow = UnaryRow {
    name: "sinh",
    written: Written::Call,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Number,
    value: |x| x.sinh(),
    rate: |arena, _, x, rate| {
        let slope = arena.unary(UnaryOp::Cosh, x);
        arena.mul(slope, rate)
    },
    interval: |x| x.mapped(|x| x.rising(f64::sinh, f64::NEG_INFINITY, f64::INFINITY)),
    slope: |x, d, _| times(x.unary(UnaryOp::Cosh), d),
    growth: Growth::unknown,
    change: |x, s| x.bound * growing(x.bound) * (1.0 + s * s).sqrt(),
    rounding: once,
};

pub(crate) const COSH: UnaryRow = UnaryRow {
    name: "cosh",
    written: Written::Call,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Number,
    value: |x| x.cosh(),
    rate: |arena, _, x, rate| {
        let slope = arena.unary(UnaryOp::Sinh, x);
        arena.mul(slope, rate)
    },
    interval: |x| {
        x.mapped(|x| Interval { lo: down(x.mig().cosh()).max(1.0), hi: up(x.mag().cosh()), nan: false })
    },
    slope: |x, d, _| times(x.unary(UnaryOp::Sinh), d),
    growth: Growth::unknown,
    change: |x, s| {
        let sinh = ((s - 1.0) * (s + 1.0)).max(0.0).sqrt().max(x.value.abs());
        x.bound * growing(x.bound) * (sinh + x.bound * s)
    },
    rounding: once,
};

pub(crate) const TANH: UnaryRow = UnaryRow {
    name: "tanh",
    written: Written::Call,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Number,
    value: |x| x.tanh(),
    rate: |arena, s, _, rate| {
        let slope = one_and_square(arena, s, BinaryOp::Subtract);
        arena.mul(slope, rate)
    },
    interval: |x| x.mapped(|x| x.rising(f64::tanh, f64::NEG_INFINITY, f64::INFINITY)),
    slope: |x, d, _| over(d, x.unary(UnaryOp::Cosh).square()),
    growth: |x| x.within(1.0),
    change: |x, s| (x.bound * ((1.0 - s) * (1.0 + s) + x.bound)).min(2.0),
    rounding: once,
};

pub(crate) const ASINH: UnaryRow = UnaryRow {
    name: "asinh",
    written: Written::Call,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Number,
    value: |x| x.asinh(),
    rate: |arena, _, x, rate| {
        let below = one_and_square(arena, x, BinaryOp::Add);
        let divisor = arena.unary(UnaryOp::Sqrt, below);
        arena.div(rate, divisor)
    },
    interval: |x| x.mapped(|x| x.rising(f64::asinh, f64::NEG_INFINITY, f64::INFINITY)),
    slope: |x, d, _| over(d, (Interval::point(1.0) + x.square()).unary(UnaryOp::Sqrt)),
    growth: |x| x.within(x.size),
    change: |x, _| x.bound / (1.0 + x.nearest_to_zero().powi(2)).sqrt(),
    rounding: once,
};

pub(crate) const ACOSH: UnaryRow = UnaryRow {
    name: "acosh",
    written: Written::Call,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Number,
    value: |x| x.acosh(),
    rate: |arena, _, x, rate| {
        let negative = one_minus_square(arena, x);
        let below = arena.neg(negative);
        let divisor = arena.unary(UnaryOp::Sqrt, below);
        arena.div(rate, divisor)
    },
    interval: |x| x.mapped(|x| x.rising(f64::acosh, 1.0, f64::INFINITY)),
    slope: |x, d, _| over(d, (x.square() - Interval::point(1.0)).unary(UnaryOp::Sqrt)),
    growth: Growth::unknown,
    change: |x, _| {
        let slope = inverse((x.value - 1.0 - x.bound) * (x.value + 1.0)).sqrt();
        (x.bound * slope).min((2.0 * (x.value - 1.0 + x.bound)).sqrt())
    },
    // The logarithm of a number near one that was rounded.
    rounding: |_, s| UNIT_ROUNDOFF * (1.0 + s),
};

pub(crate) const ATANH: UnaryRow = UnaryRow {
    name: "atanh",
    written: Written::Call,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Number,
    value: |x| x.atanh(),
    rate: |arena, _, x, rate| {
        let divisor = one_minus_square(arena, x);
        arena.div(rate, divisor)
    },
    interval: |x| x.mapped(|x| x.rising(f64::atanh, -1.0, 1.0)),
    slope: |x, d, _| over(d, Interval::point(1.0) - x.square()),
    growth: Growth::unknown,
    change: |x, _| {
        let size = x.value.abs();
        x.bound * inverse((1.0 - size - x.bound) * (1.0 + size))
    },
    // The logarithm of a quotient that is near -1 where x is.
    rounding: |x, s| UNIT_ROUNDOFF * (s.abs() + 1.0 / (1.0 - x.abs())),
};
