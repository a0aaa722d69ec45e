//! Sine, cosine, tangent and their inverses.

use super::{
    BinaryRow, DimensionRule, PairRates, UnaryRow, Written, inverse, once, one_and_square, one_minus_square,
};
use crate::expr::arena::{Arena, ExprId};
use crate::expr::band::Inexact;
use crate::expr::bounds::{Bounds, over, times};
use crate::expr::growth::Growth;
use crate::expr::interval::{Interval, above, below, hull};
use crate::expr::operation::{BinaryOp, Smoothness, UnaryOp};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

pub(crate) const SIN: UnaryRow = UnaryRow {
    name: "sin",
    written: Written::Call,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Number,
    value: |x| x.sin(),
    rate: |arena, _, x, rate| {
        let slope = arena.unary(UnaryOp::Cos, x);
        arena.mul(slope, rate)
    },
    interval: |x| x.mapped(|x| x.turned(FRAC_PI_2, f64::sin)),
    slope: |x, d, _| times(x.unary(UnaryOp::Cos), d),
    growth: |x| x.within(1.0),
    change: |x, _| (x.bound * (x.value.cos().abs() + x.bound)).min(2.0),
    rounding: once,
};

pub(crate) const COS: UnaryRow = UnaryRow {
    name: "cos",
    written: Written::Call,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Number,
    value: |x| x.cos(),
    rate: |arena, _, x, rate| {
        let sine = arena.unary(UnaryOp::Sin, x);
        let slope = arena.neg(sine);
        arena.mul(slope, rate)
    },
    interval: |x| x.mapped(|x| x.turned(0.0, f64::cos)),
    slope: |x, d, _| -times(x.unary(UnaryOp::Sin), d),
    growth: |x| x.within(1.0),
    change: |x, _| (x.bound * (x.value.sin().abs() + x.bound)).min(2.0),
    rounding: once,
};

pub(crate) const TAN: UnaryRow = UnaryRow {
    name: "tan",
    written: Written::Call,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Number,
    value: |x| x.tan(),
    rate: |arena, s, _, rate| {
        let slope = one_and_square(arena, s, BinaryOp::Add);
        arena.mul(slope, rate)
    },
    interval: |x| x.mapped(Interval::tangent),
    slope: |_, d, s| times(Interval::point(1.0) + s.square(), d),
    growth: Growth::unknown,
    change: |x, s| tangent_change(x.bound, s.abs()),
    rounding: once,
};

/// tan(x + d) - tan(x) = tan d (1 + s²) / (1 - s tan d), with tan d ≤ d + d³ up to one.
fn tangent_change(d: f64, s: f64) -> f64 {
    let step = if d < 1.0 { d + d * d * d } else { f64::INFINITY };
    step * (1.0 + s * s) * inverse(1.0 - s * step)
}

pub(crate) const ASIN: UnaryRow = UnaryRow {
    name: "asin",
    written: Written::Call,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Number,
    value: |x| x.asin(),
    rate: |arena, _, x, rate| {
        let divisor = root_below_one(arena, x);
        arena.div(rate, divisor)
    },
    interval: |x| x.mapped(|x| x.rising(f64::asin, -1.0, 1.0)),
    slope: |x, d, _| over(d, (Interval::point(1.0) - x.square()).unary(UnaryOp::Sqrt)),
    growth: Growth::unknown,
    change: |x, _| arc_change(x.bound, x.value.abs()),
    rounding: once,
};

pub(crate) const ACOS: UnaryRow = UnaryRow {
    name: "acos",
    written: Written::Call,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Number,
    value: |x| x.acos(),
    rate: |arena, _, x, rate| {
        let divisor = root_below_one(arena, x);
        let quotient = arena.div(rate, divisor);
        arena.neg(quotient)
    },
    // It falls; so its operand is turned over.
    interval: |x| x.mapped(|x| (-x).rising(|x| (-x).acos(), -1.0, 1.0)),
    slope: |x, d, _| -over(d, (Interval::point(1.0) - x.square()).unary(UnaryOp::Sqrt)),
    growth: Growth::unknown,
    change: |x, _| arc_change(x.bound, x.value.abs()),
    rounding: once,
};

/// `sqrt(1 - x²)`
fn root_below_one(arena: &mut Arena, x: ExprId) -> ExprId {
    let below = one_minus_square(arena, x);
    arena.unary(UnaryOp::Sqrt, below)
}

/// Arc sine and arc cosine: by the slope, or by acos(1 - z) ≤ π √(z/2) near the end.
fn arc_change(d: f64, size: f64) -> f64 {
    let left = 1.0 - size;
    let slope = inverse((left - d) * (1.0 + size)).sqrt();
    (d * slope).min(PI * (0.5 * (left + d)).max(0.0).sqrt())
}

pub(crate) const ATAN: UnaryRow = UnaryRow {
    name: "atan",
    written: Written::Call,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Number,
    value: |x| x.atan(),
    rate: |arena, _, x, rate| {
        let divisor = one_and_square(arena, x, BinaryOp::Add);
        arena.div(rate, divisor)
    },
    interval: |x| x.mapped(|x| x.rising(f64::atan, f64::NEG_INFINITY, f64::INFINITY)),
    slope: |x, d, _| over(d, Interval::point(1.0) + x.square()),
    growth: |x| x.within(FRAC_PI_2),
    change: |x, _| x.bound / (1.0 + x.nearest_to_zero().powi(2)),
    rounding: once,
};

pub(crate) const ATAN2: BinaryRow = BinaryRow {
    name: "atan2",
    written: Written::Call,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Ratio,
    commutative: false,
    value: |y, x| y.atan2(x),
    rate: angle_rate,
    recurrence: angle_rate,
    interval: |y, x| y.joined(x, angle_interval),
    bounds: |y, x, value| {
        let turn = || {
            let across = times(x.value, y.slope) - times(y.value, x.slope);
            over(across, y.value.square() + x.value.square())
        };
        let bounds = Bounds::smooth(y, x, value, turn);
        let still = y.slope == Interval::ZERO && x.slope == Interval::ZERO;
        let cut = !still && x.value.lo <= 0.0 && y.value.contains(0.0);
        Bounds { jumps: bounds.jumps || cut, ..bounds }
    },
    growth: Growth::unknown_pair,
    bound: |y, x, s| angle_change(y, x) + once(0.0, s),
};

fn angle_rate(arena: &mut Arena, of: PairRates) -> ExprId {
    let (y, x) = (of.a, of.b);
    let gained = arena.mul(x, of.da);
    let lost = arena.mul(y, of.db);
    let above = arena.sub(gained, lost);
    let across = arena.mul(x, x);
    let up = arena.mul(y, y);
    let below = arena.add(across, up);
    arena.div(above, below)
}

/// The angle of a point; next to its cut it can be any.
fn angle_interval(y: Interval, x: Interval) -> Interval {
    if x.lo <= 0.0 && y.contains(0.0) {
        return Interval { lo: -above(PI), hi: above(PI), nan: false };
    }
    let corners = [y.lo.atan2(x.lo), y.lo.atan2(x.hi), y.hi.atan2(x.lo), y.hi.atan2(x.hi)];
    let all = hull(corners, false);
    Interval { lo: below(all.lo), hi: above(all.hi), nan: all.nan }
}

/// The change of the angle of a point. Next to its cut it may be a whole turn.
fn angle_change(y: Inexact, x: Inexact) -> f64 {
    let moved = x.bound + y.bound;
    if moved == 0.0 {
        return 0.0;
    }
    let square = x.value * x.value + y.value * y.value;
    let share = moved / x.value.hypot(y.value);
    let across = y.value.abs() <= y.bound && x.value <= x.bound;
    if across || share.is_nan() || share > 0.5 {
        return TAU;
    }
    let first = x.value.abs() * y.bound + y.value.abs() * x.bound + 2.0 * x.bound * y.bound;
    // 1 / (1 - share)² is at most this.
    first / square * (1.0 + 6.0 * share)
}
