//! Sums, products and quotients. The tape and the series know these five themselves, for speed.

use super::{BinaryRow, DimensionRule, PairRates, UnaryRow, Written, exact};
use crate::expr::bounds::{Bounds, over, times};
use crate::expr::growth::Growth;
use crate::expr::interval::Interval;
use crate::expr::operation::Smoothness;

pub(crate) const NEGATE: UnaryRow = UnaryRow {
    name: "-",
    written: Written::Symbol,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Alike,
    value: |x| -x,
    rate: |arena, _, _, rate| arena.neg(rate),
    interval: |x| x.mapped(|x| Interval { lo: -x.hi, hi: -x.lo, nan: false }),
    slope: |_, d, _| -d,
    growth: |x| x,
    change: |x, _| x.bound,
    rounding: exact,
};

pub(crate) const ADD: BinaryRow = BinaryRow {
    name: "+",
    written: Written::Symbol,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Alike,
    commutative: true,
    value: |a, b| a + b,
    rate: |arena, of| arena.add(of.da, of.db),
    recurrence: |arena, of| arena.add(of.da, of.db),
    interval: |a, b| a.joined(b, |a, b| a + b),
    bounds: |a, b, value| Bounds::smooth(a, b, value, || a.slope + b.slope),
    growth: Growth::sum,
    bound: |a, b, _| (a + b).bound,
};

pub(crate) const SUBTRACT: BinaryRow = BinaryRow {
    name: "-",
    written: Written::Symbol,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Alike,
    commutative: false,
    value: |a, b| a - b,
    rate: |arena, of| arena.sub(of.da, of.db),
    recurrence: |arena, of| arena.sub(of.da, of.db),
    interval: |a, b| a.joined(b, |a, b| a - b),
    bounds: |a, b, value| Bounds::smooth(a, b, value, || a.slope - b.slope),
    growth: Growth::sum,
    bound: |a, b, _| (a - b).bound,
};

pub(crate) const MULTIPLY: BinaryRow = BinaryRow {
    name: "*",
    written: Written::Symbol,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Product,
    commutative: true,
    value: |a, b| a * b,
    rate: product_rate,
    recurrence: product_rate,
    interval: |a, b| a.joined(b, |a, b| a * b),
    bounds: |a, b, value| Bounds::smooth(a, b, value, || times(a.slope, b.value) + times(a.value, b.slope)),
    growth: Growth::product,
    bound: |a, b, _| (a * b).bound,
};

fn product_rate(arena: &mut super::Arena, of: PairRates) -> super::ExprId {
    let left = arena.mul(of.da, of.b);
    let right = arena.mul(of.a, of.db);
    arena.add(left, right)
}

pub(crate) const DIVIDE: BinaryRow = BinaryRow {
    name: "/",
    written: Written::Symbol,
    smoothness: Smoothness::Smooth,
    dimension: DimensionRule::Quotient,
    commutative: false,
    value: |a, b| a / b,
    rate: quotient_rate,
    recurrence: quotient_rate,
    interval: |a, b| a.joined(b, |a, b| a / b),
    bounds: |a, b, value| Bounds::smooth(a, b, value, || over(a.slope - times(value, b.slope), b.value)),
    growth: Growth::quotient,
    bound: |a, b, _| (a / b).bound,
};

fn quotient_rate(arena: &mut super::Arena, of: PairRates) -> super::ExprId {
    let lost = arena.mul(of.s, of.db);
    let above = arena.sub(of.da, lost);
    arena.div(above, of.b)
}
