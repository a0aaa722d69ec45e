//! Comparisons, and what joins them. A condition is 1 or 0; undecided, its bound is 1.

use super::{BinaryRow, DimensionRule, UnaryRow, Written, constant_between_jumps, exact, no_slope};
use crate::expr::bounds::Bounds;
use crate::expr::growth::Growth;
use crate::expr::interval::Interval;
use crate::expr::operation::Smoothness;

pub(crate) const NOT: UnaryRow = UnaryRow {
    name: "not",
    written: Written::Symbol,
    smoothness: Smoothness::Jump,
    dimension: DimensionRule::Compared,
    value: |x| truth(x == 0.0),
    rate: constant_between_jumps,
    // What is never a number is true.
    interval: |x| either(x.may_be_true(), x.contains(0.0)),
    slope: no_slope,
    growth: Growth::unknown,
    change: |x, _| undecided(x.branch()),
    rounding: exact,
};

pub(crate) const LESS: BinaryRow = BinaryRow {
    value: |a, b| truth(a < b),
    interval: |a, b| compared(a, b, (false, true), |a, b| either(a.hi >= b.lo, a.lo < b.hi)),
    ..comparison("<", false)
};

pub(crate) const LESS_EQUAL: BinaryRow = BinaryRow {
    value: |a, b| truth(a <= b),
    interval: |a, b| compared(a, b, (false, true), |a, b| either(a.hi > b.lo, a.lo <= b.hi)),
    ..comparison("<=", false)
};

pub(crate) const EQUAL: BinaryRow = BinaryRow {
    value: |a, b| truth(a == b),
    interval: |a, b| compared(a, b, (false, true), |a, b| either(!same(a, b), !apart(a, b))),
    ..comparison("==", true)
};

pub(crate) const NOT_EQUAL: BinaryRow = BinaryRow {
    value: |a, b| truth(a != b),
    interval: |a, b| compared(a, b, (true, false), |a, b| either(!apart(a, b), !same(a, b))),
    ..comparison("!=", true)
};

pub(crate) const AND: BinaryRow = BinaryRow {
    value: |a, b| truth(a != 0.0 && b != 0.0),
    interval: |a, b| either(a.contains(0.0) || b.contains(0.0), a.may_be_true() && b.may_be_true()),
    bound: |a, b, _| undecided(both(a.branch(), b.branch())),
    ..comparison("and", true)
};

pub(crate) const OR: BinaryRow = BinaryRow {
    value: |a, b| truth(a != 0.0 || b != 0.0),
    interval: |a, b| either(a.contains(0.0) && b.contains(0.0), a.may_be_true() || b.may_be_true()),
    bound: |a, b, _| undecided(both(a.branch().map(|a| !a), b.branch().map(|b| !b))),
    ..comparison("or", true)
};

/// What all conditions of two have in common.
const fn comparison(name: &'static str, commutative: bool) -> BinaryRow {
    BinaryRow {
        name,
        written: Written::Symbol,
        smoothness: Smoothness::Jump,
        dimension: DimensionRule::Compared,
        commutative,
        value: |_, _| f64::NAN,
        rate: |_, of| of.zero,
        recurrence: |_, of| of.zero,
        interval: |_, _| Interval::EITHER,
        bounds: |_, _, value| Bounds { value, slope: Interval::ZERO, jumps: value.is_open() },
        growth: Growth::unknown_pair,
        bound: |a, b, _| {
            let moved = a.bound + b.bound;
            undecided((moved == 0.0 || (a.value - b.value).abs() > moved).then_some(true))
        },
    }
}

#[inline]
fn truth(holds: bool) -> f64 {
    if holds { 1.0 } else { 0.0 }
}

/// A condition that may not hold, or may hold.
fn either(no: bool, yes: bool) -> Interval {
    Interval { lo: if no { 0.0 } else { 1.0 }, hi: if yes { 1.0 } else { 0.0 }, nan: false }
}

/// A comparison, with what it is if one side is never or perhaps not a number: whether it holds then, and
/// whether it may not.
fn compared(
    a: Interval,
    b: Interval,
    (holds, fails): (bool, bool),
    of_numbers: fn(Interval, Interval) -> Interval,
) -> Interval {
    if a.is_empty() || b.is_empty() {
        return Interval::point(truth(holds));
    }
    let result = of_numbers(a, b);
    let undefined = a.nan || b.nan;
    let (may, may_not) = (result.contains(1.0), result.contains(0.0));
    either(may_not || (undefined && fails), may || (undefined && holds))
}

fn apart(a: Interval, b: Interval) -> bool {
    a.hi < b.lo || b.hi < a.lo
}

fn same(a: Interval, b: Interval) -> bool {
    !a.is_open() && !b.is_open() && a.lo == b.lo
}

/// Whether both hold, if that is certain.
fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// The bound of a condition.
fn undecided(known: Option<bool>) -> f64 {
    if known.is_some() { 0.0 } else { 1.0 }
}
