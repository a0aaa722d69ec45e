//! Exponentials, logarithms, roots and powers.

use super::{
    BinaryRow, DimensionRule, PairRates, UnaryRow, Written, growing, inverse, once, scaled, zero_where_zero,
};
use crate::expr::arena::{Arena, ExprId};
use crate::expr::band::Inexact;
use crate::expr::bounds::{Bounds, over, times};
use crate::expr::growth::Growth;
use crate::expr::interval::{Interval, above, below, hull};
use crate::expr::operation::{Smoothness, UnaryOp};
use std::f64::consts::{LN_10, LOG10_E};

/// Exponents below this are taken to be whole if they are: beyond it every number is.
const LARGEST_WHOLE: f64 = 1e15;

/// Whole powers up to this one are differentiated down to products, so that they have a series where the base
/// is zero. Series end at order 12.
const LARGEST_PRODUCT: f64 = 16.0;

pub(crate) const EXP: UnaryRow = UnaryRow {
    name: "exp",
    written: Written::Call,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Number,
    value: |x| x.exp(),
    rate: |arena, s, _, rate| arena.mul(s, rate),
    interval: |x| {
        x.mapped(|x| {
            let exp = x.rising(f64::exp, f64::NEG_INFINITY, f64::INFINITY);
            Interval { lo: exp.lo.max(0.0), ..exp }
        })
    },
    slope: |_, d, s| times(s, d),
    growth: Growth::unknown,
    // Far below zero the value has no digits left, and says nothing of its surroundings.
    change: |x, s| if x.bound < 1.0 { s * x.bound * growing(x.bound) } else { (x.value + x.bound).exp() },
    rounding: once,
};

pub(crate) const LN: UnaryRow = UnaryRow {
    name: "ln",
    written: Written::Call,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Number,
    value: |x| x.ln(),
    rate: |arena, _, x, rate| arena.div(rate, x),
    interval: |x| x.mapped(|x| x.rising(f64::ln, 0.0, f64::INFINITY)),
    slope: |x, d, _| over(d, x),
    growth: Growth::unknown,
    change: |x, _| x.bound * inverse(x.value - x.bound),
    rounding: once,
};

pub(crate) const LOG10: UnaryRow = UnaryRow {
    name: "log10",
    written: Written::Call,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Number,
    value: |x| x.log10(),
    rate: |arena, _, x, rate| {
        let divisor = scaled(arena, LN_10, x);
        arena.div(rate, divisor)
    },
    interval: |x| x.mapped(|x| x.rising(f64::log10, 0.0, f64::INFINITY)),
    slope: |x, d, _| over(d, times(x, Interval::point(LN_10))),
    growth: Growth::unknown,
    change: |x, _| LOG10_E * x.bound * inverse(x.value - x.bound),
    rounding: once,
};

pub(crate) const SQRT: UnaryRow = UnaryRow {
    name: "sqrt",
    written: Written::Call,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Root(2),
    value: |x| x.sqrt(),
    rate: |arena, s, _, rate| {
        let divisor = scaled(arena, 2.0, s);
        arena.div(rate, divisor)
    },
    interval: |x| x.mapped(|x| x.rising(f64::sqrt, 0.0, f64::INFINITY)),
    slope: |_, d, s| over(d, times(Interval::point(2.0), s)),
    growth: Growth::unknown,
    change: |x, s| x.bound / s.max(x.bound.sqrt()),
    rounding: once,
};

pub(crate) const CBRT: UnaryRow = UnaryRow {
    name: "cbrt",
    written: Written::Call,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Root(3),
    value: |x| x.cbrt(),
    rate: |arena, s, _, rate| {
        let square = arena.mul(s, s);
        let divisor = scaled(arena, 3.0, square);
        arena.div(rate, divisor)
    },
    interval: |x| x.mapped(|x| x.rising(f64::cbrt, f64::NEG_INFINITY, f64::INFINITY)),
    slope: |_, d, s| over(d, times(Interval::point(3.0), s.square())),
    growth: Growth::unknown,
    change: |x, s| {
        // Where the operand is halved at most, the slope, 1 / (3 s²), grows to this.
        let halved = x.nearest_to_zero() > 0.5 * x.value.abs();
        let slope = if halved { 0.53 / (s * s) } else { f64::INFINITY };
        (x.bound * slope).min((4.0 * x.bound).cbrt())
    },
    rounding: once,
};

pub(crate) const HYPOT: BinaryRow = BinaryRow {
    name: "hypot",
    written: Written::Call,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Alike,
    // Nothing promises that the platform's is symmetric.
    commutative: false,
    value: |a, b| a.hypot(b),
    rate: length_rate,
    recurrence: length_rate,
    // An infinite side makes any triangle infinite.
    interval: |a, b| a.joined_or_whole(b, length_interval),
    bounds: |a, b, value| {
        Bounds::smooth(a, b, value, || over(times(a.value, a.slope) + times(b.value, b.slope), value))
    },
    growth: Growth::sum,
    bound: |a, b, s| {
        let (more, larger) = (a.value.abs() + a.bound, b.value.abs() + b.bound);
        // Without a length the second has no value.
        (a.bound + b.bound).min((more * a.bound + larger * b.bound) / s) + once(0.0, s)
    },
};

fn length_rate(arena: &mut Arena, of: PairRates) -> ExprId {
    let left = arena.mul(of.a, of.da);
    let right = arena.mul(of.b, of.db);
    let above = arena.add(left, right);
    let part = arena.div(above, of.s);
    zero_where_zero(arena, of.s, part)
}

fn length_interval(a: Interval, b: Interval) -> Interval {
    let (lo, hi) = (a.mig().hypot(b.mig()), a.mag().hypot(b.mag()));
    Interval { lo: below(lo).max(0.0), hi: above(hi), nan: false }
}

pub(crate) const POWER: BinaryRow = BinaryRow {
    name: "^",
    written: Written::Symbol,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Power,
    commutative: false,
    value: |a, b| a.powf(b),
    rate: power_rate,
    recurrence: power_recurrence,
    // One to any power is one, and so is anything to the power of zero.
    interval: |a, b| a.joined_or_whole(b, power_interval),
    bounds: |a, b, value| Bounds::smooth(a, b, value, || power_slope(a, b, value)),
    growth: Growth::unknown_pair,
    bound: |a, b, s| power_change(a, b, s) + once(0.0, s),
};

/// `b a^(b-1) a' + a^b ln(a) b'`, each part only where its input changes:
/// a logarithm of a negative base must not spoil a constant exponent.
fn power_rate(arena: &mut Arena, of: PairRates) -> ExprId {
    let base_part = if of.da == of.zero {
        of.zero
    } else {
        let one = arena.constant(1.0);
        let lower = arena.sub(of.b, one);
        let power = arena.pow(of.a, lower);
        let slope = arena.mul(of.b, power);
        arena.mul(slope, of.da)
    };
    if of.db == of.zero {
        return base_part;
    }
    let exponent_part = exponent_part(arena, of);
    arena.add(base_part, exponent_part)
}

fn exponent_part(arena: &mut Arena, of: PairRates) -> ExprId {
    let logarithm = arena.unary(UnaryOp::Ln, of.a);
    let slope = arena.mul(of.s, logarithm);
    let part = arena.mul(slope, of.db);
    // A positive constant base never gives 0, so needs no guard.
    if arena.is_constant(of.a).is_some_and(|base| base > 0.0) {
        return part;
    }
    zero_where_zero(arena, of.s, part)
}

/// By its rate each power would need another; so it is `s (b ln a)'` instead, except for products.
fn power_recurrence(arena: &mut Arena, of: PairRates) -> ExprId {
    let exponent = arena.is_constant(of.b);
    if exponent.is_some_and(|p| p.fract() == 0.0 && (1.0..=LARGEST_PRODUCT).contains(&p)) {
        return power_rate(arena, of);
    }
    let above = arena.mul(of.b, of.da);
    let mut rate = arena.div(above, of.a);
    if of.db != of.zero {
        let logarithm = arena.unary(UnaryOp::Ln, of.a);
        let by_exponent = arena.mul(logarithm, of.db);
        rate = arena.add(rate, by_exponent);
    }
    arena.mul(of.s, rate)
}

fn power_interval(a: Interval, b: Interval) -> Interval {
    let whole = !b.is_open() && b.lo.fract() == 0.0 && b.lo.abs() < LARGEST_WHOLE;
    if whole && b.lo < 0.0 {
        return Interval::point(1.0) / power_interval(a, -b);
    }
    if whole {
        let odd = b.lo % 2.0 != 0.0;
        let (least, most) = if odd { (a.lo, a.hi) } else { (a.mig(), a.mag()) };
        let (lo, hi) = (below(least.powf(b.lo)), above(most.powf(b.lo)));
        return Interval { lo: if least >= 0.0 { lo.max(0.0) } else { lo }, hi, nan: false };
    }
    // Below zero it is defined for whole exponents only, and at zero it has a pole for negative ones.
    if a.lo < 0.0 || (a.lo == 0.0 && b.lo <= 0.0) || b.mag() == f64::INFINITY || a.hi == f64::INFINITY {
        return Interval::WHOLE;
    }
    let corners = [a.lo.powf(b.lo), a.lo.powf(b.hi), a.hi.powf(b.lo), a.hi.powf(b.hi)];
    let all = hull(corners, false);
    Interval { lo: below(all.lo).max(0.0), hi: above(all.hi), nan: all.nan }
}

/// `a^b (b' ln a + b a' / a)`, without the logarithm where the exponent does not move.
fn power_slope(a: Bounds, b: Bounds, value: Interval) -> Interval {
    if b.slope == Interval::ZERO {
        let exponent = b.value - Interval::point(1.0);
        // One less than a whole number is a whole number.
        let exponent = if b.value.is_open() { exponent } else { Interval::point(b.value.lo - 1.0) };
        let lower = (POWER.interval)(a.value, exponent);
        return times(times(b.value, lower), a.slope);
    }
    let growth = times(b.slope, a.value.unary(UnaryOp::Ln)) + over(times(b.value, a.slope), a.value);
    times(value, growth)
}

/// The change of `s = a^b`: by the base at a fixed exponent, then by the exponent.
fn power_change(a: Inexact, b: Inexact, s: f64) -> f64 {
    let (size, p) = (a.value.abs(), b.value);
    let by_base = if a.bound == 0.0 || p == 0.0 {
        0.0
    } else if p >= 1.0 {
        p * a.bound * (size + a.bound).next_up().powf(p - 1.0)
    } else if size > a.bound {
        p.abs() * a.bound * (size - a.bound).next_down().powf(p - 1.0)
    } else if p > 0.0 {
        a.bound.powf(p)
    } else {
        f64::INFINITY
    };
    if b.bound == 0.0 {
        return by_base;
    }
    let logarithm = match size > a.bound {
        true => size.ln().abs() + a.bound / (size - a.bound),
        // x^p ln(x) tends to zero with x.
        false if p > 0.0 => a.bound.ln().abs() + 1.0,
        false => f64::INFINITY,
    };
    let grown = b.bound * logarithm;
    by_base + (s.abs() + by_base) * grown * growing(grown)
}
