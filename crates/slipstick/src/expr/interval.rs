//! Sets of numbers between two ends, and what operations make of them.
//!
//! An interval holds every value that an operation can give for operands from its intervals, as the tape
//! computes it and as it really is. Ends are moved outward by a unit in the last place (library functions: a
//! few), except that an exact zero stays: what cannot be negative does not become so. Infinities are values
//! like others; whether a value may be NaN is kept beside the ends.

use crate::expr::operation::{BinaryOp, UnaryOp};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Beyond this argument the places of tops and poles are not known well enough.
const FAR_OUT: f64 = 1e9;
/// The uncertainty of a place among multiples of π, as a part of it: some units of rounding.
const PLACE: f64 = 4e-15;

/// The numbers from `lo` to `hi`, both included; none if `lo` is above `hi`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The least value.
    pub lo: f64,
    /// The greatest value.
    pub hi: f64,
    /// Whether the value may be NaN instead.
    pub nan: bool,
}

impl Interval {
    /// Nothing is known.
    pub const WHOLE: Self = Self { lo: f64::NEG_INFINITY, hi: f64::INFINITY, nan: true };
    /// NaN and nothing else.
    const UNDEFINED: Self = Self { lo: f64::INFINITY, hi: f64::NEG_INFINITY, nan: true };
    /// Zero and nothing else.
    pub(super) const ZERO: Self = Self { lo: 0.0, hi: 0.0, nan: false };
    /// A condition of which nothing is known.
    pub(super) const EITHER: Self = Self { lo: 0.0, hi: 1.0, nan: false };

    /// The numbers between two ends.
    pub fn new(lo: f64, hi: f64) -> Self {
        if lo.is_nan() || hi.is_nan() { Self::WHOLE } else { Self { lo, hi, nan: false } }
    }

    /// One number.
    pub fn point(value: f64) -> Self {
        if value.is_nan() { Self::UNDEFINED } else { Self { lo: value, hi: value, nan: false } }
    }

    /// Whether a value may be this one.
    pub fn contains(&self, value: f64) -> bool {
        if value.is_nan() { self.nan } else { self.lo <= value && value <= self.hi }
    }

    /// Whether all values are finite numbers.
    pub fn is_bounded(&self) -> bool {
        !self.nan && self.lo > f64::NEG_INFINITY && self.hi < f64::INFINITY
    }

    /// The values of either.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi), nan: self.nan || other.nan }
    }

    /// What an operation makes of it.
    #[must_use]
    pub fn unary(self, op: UnaryOp) -> Self {
        (op.row().interval)(self)
    }

    /// What an operation makes of it and another.
    #[must_use]
    pub fn binary(self, op: BinaryOp, other: Self) -> Self {
        (op.row().interval)(self, other)
    }

    /// What a function of numbers makes of it; NaN stays NaN.
    pub(super) fn mapped(self, f: impl Fn(Self) -> Self) -> Self {
        if self.is_empty() {
            return self;
        }
        let result = f(self);
        Self { nan: result.nan || self.nan, ..result }
    }

    /// What a function of numbers makes of it and another; NaN stays NaN.
    pub(super) fn joined(self, other: Self, f: impl Fn(Self, Self) -> Self) -> Self {
        if self.is_empty() || other.is_empty() {
            return Self::UNDEFINED;
        }
        let result = f(self, other);
        Self { nan: result.nan || self.nan || other.nan, ..result }
    }

    /// The same for a function that can make a number of NaN and another number.
    pub(super) fn joined_or_whole(self, other: Self, f: impl Fn(Self, Self) -> Self) -> Self {
        if self.nan || other.nan { Self::WHOLE } else { self.joined(other, f) }
    }

    /// `yes` or `no`, by a condition.
    #[must_use]
    pub fn select(self, yes: Self, no: Self) -> Self {
        match self.branches() {
            (true, true) => yes.or(no),
            (false, true) => no,
            _ => yes,
        }
    }

    /// Whether, as a condition, it may hold, and whether it may not.
    pub fn branches(&self) -> (bool, bool) {
        (self.may_be_true(), self.contains(0.0))
    }

    /// Whether there is more than one value.
    pub fn is_open(&self) -> bool {
        self.lo < self.hi
    }

    /// The square, which is never negative.
    #[must_use]
    pub fn square(self) -> Self {
        if self.is_empty() {
            return self;
        }
        Self { lo: down(self.mig() * self.mig()), hi: up(self.mag() * self.mag()), nan: self.nan }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lo > self.hi
    }

    /// A condition holds where it is not zero, also where it is NaN.
    pub(super) fn may_be_true(&self) -> bool {
        self.nan || !self.is_empty() && (self.lo != 0.0 || self.hi != 0.0)
    }

    /// The largest size of a value.
    pub(super) fn mag(&self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// The smallest size of a value.
    pub(super) fn mig(&self) -> f64 {
        if self.contains(0.0) { 0.0 } else { self.lo.abs().min(self.hi.abs()) }
    }

    /// A library function that rises, on the domain from `least` to `greatest`.
    pub(super) fn rising(self, f: impl Fn(f64) -> f64, least: f64, greatest: f64) -> Self {
        let outside = self.lo < least || self.hi > greatest;
        if self.hi < least || self.lo > greatest {
            return Self::UNDEFINED;
        }
        let (lo, hi) = (below(f(self.lo.max(least))), above(f(self.hi.min(greatest))));
        Self { lo, hi, nan: outside }
    }

    /// A function that goes up in steps.
    pub(super) fn stepped(self, f: impl Fn(f64) -> f64) -> Self {
        self.mapped(|x| Self { lo: f(x.lo), hi: f(x.hi), nan: false })
    }

    /// Sine or cosine, by the place of one of its tops.
    pub(super) fn turned(self, top: f64, f: impl Fn(f64) -> f64) -> Self {
        let infinite = self.mag() == f64::INFINITY;
        if self.hi - self.lo >= TAU || self.mag() > FAR_OUT {
            return Self { lo: -1.0, hi: 1.0, nan: infinite };
        }
        let ends = [f(self.lo), f(self.hi)];
        let lo = if self.meets(top + PI, TAU) { -1.0 } else { below(ends[0].min(ends[1])).max(-1.0) };
        let hi = if self.meets(top, TAU) { 1.0 } else { above(ends[0].max(ends[1])).min(1.0) };
        Self { lo, hi, nan: false }
    }

    pub(super) fn tangent(self) -> Self {
        if self.mag() > FAR_OUT || self.meets(FRAC_PI_2, PI) {
            return Self { nan: self.mag() == f64::INFINITY, ..Self::WHOLE };
        }
        Self { lo: below(self.lo.tan()), hi: above(self.hi.tan()), nan: false }
    }

    /// Whether one of the places `place + k period` is among the values, or next to them.
    fn meets(&self, place: f64, period: f64) -> bool {
        let room = PLACE * (1.0 + self.mag());
        ((self.hi + room - place) / period).floor() > ((self.lo - room - place) / period).floor()
    }
}

impl std::ops::Neg for Interval {
    type Output = Self;
    fn neg(self) -> Self {
        self.unary(UnaryOp::Negate)
    }
}

impl std::ops::Add for Interval {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (lo, hi) = (self.lo + other.lo, self.hi + other.hi);
        // An infinity less an infinity.
        let clash = (self.lo == f64::NEG_INFINITY && other.hi == f64::INFINITY)
            || (self.hi == f64::INFINITY && other.lo == f64::NEG_INFINITY);
        let nan = self.nan || other.nan || clash;
        if lo.is_nan() || hi.is_nan() { Self::WHOLE } else { Self { lo: down(lo), hi: up(hi), nan } }
    }
}

impl std::ops::Sub for Interval {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl std::ops::Mul for Interval {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let (a, b) = (self, other);
        let corners = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi];
        let clash =
            (a.contains(0.0) && b.mag() == f64::INFINITY) || (b.contains(0.0) && a.mag() == f64::INFINITY);
        hull(corners, a.nan || b.nan || clash)
    }
}

impl std::ops::Div for Interval {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let (a, b) = (self, other);
        if b.contains(0.0) {
            return Self::WHOLE;
        }
        let corners = [a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi];
        let clash = a.mag() == f64::INFINITY && b.mag() == f64::INFINITY;
        hull(corners, a.nan || b.nan || clash)
    }
}

/// The values between corners, moved outward. A corner that is not a number says nothing.
pub(super) fn hull(corners: [f64; 4], nan: bool) -> Interval {
    if corners.iter().any(|corner| corner.is_nan()) {
        return Interval::WHOLE;
    }
    let lo = corners.iter().copied().fold(f64::INFINITY, f64::min);
    let hi = corners.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Interval { lo: down(lo), hi: up(hi), nan }
}

/// A little less, unless it is exactly zero.
pub(super) fn down(x: f64) -> f64 {
    if x == 0.0 { x } else { x.next_down() }
}

pub(super) fn up(x: f64) -> f64 {
    if x == 0.0 { x } else { x.next_up() }
}

/// As [`down`], for functions that are only known to a few units in the last place.
pub(super) fn below(x: f64) -> f64 {
    if x.is_finite() { x - 4.0 * f64::EPSILON * x.abs() } else { x }
}

pub(super) fn above(x: f64) -> f64 {
    if x.is_finite() { x + 4.0 * f64::EPSILON * x.abs() } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers of many sizes, and those at which something happens.
    fn number() -> impl Strategy<Value = f64> {
        let special = vec![
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            2.0,
            3.0,
            -2.0,
            PI,
            1e300,
            -1e300,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ];
        prop_oneof![
            4 => -3.0..3.0_f64,
            2 => -100.0..100.0_f64,
            1 => (-200.0..200.0_f64).prop_map(f64::exp),
            1 => prop::sample::select(special),
        ]
    }

    /// An interval and a number in it.
    fn placed() -> impl Strategy<Value = (Interval, f64)> {
        (number(), number(), 0.0..=1.0_f64).prop_map(|(a, b, part)| {
            let (lo, hi) = (a.min(b), a.max(b));
            let inside = lo + part * (hi - lo);
            let value = if inside.is_finite() { inside.clamp(lo, hi) } else { lo };
            (Interval::new(lo, hi), value)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn an_operation_gives_a_value_of_its_interval((x, value) in placed()) {
            for &op in UnaryOp::ALL {
                let (all, one) = (x.unary(op), op.apply(value));
                prop_assert!(all.contains(one), "{op:?} of {value} in {x:?}: {one} is not in {all:?}");
            }
        }

        #[test]
        fn an_operation_on_two_gives_a_value_of_its_interval((x, a) in placed(), (y, b) in placed()) {
            for &op in BinaryOp::ALL {
                let (all, one) = (x.binary(op, y), op.apply(a, b));
                prop_assert!(all.contains(one), "{op:?} of {a}, {b} in {x:?}, {y:?}: {one} is not in {all:?}");
            }
        }
    }

    #[test]
    fn what_cannot_be_negative_does_not_become_so() {
        let x = Interval::new(-1.0, 2.0);
        let sum = x.square() + x.binary(BinaryOp::Power, Interval::point(2.0));
        assert_eq!(sum.lo, 0.0);
        assert!(!sum.unary(UnaryOp::Sqrt).nan);
    }

    #[test]
    fn what_is_undefined_throughout_is_told_from_what_may_be() {
        let root = Interval::new(-2.0, -1.0).unary(UnaryOp::Sqrt);
        assert!(root.nan && root.is_empty());
        let root = Interval::new(-1.0, 4.0).unary(UnaryOp::Sqrt);
        assert!(root.nan && root.contains(2.0) && !root.contains(2.1));
        let finite = root.binary(BinaryOp::LessEqual, Interval::point(9.0));
        assert_eq!(finite, Interval::EITHER);
    }

    #[test]
    fn a_sine_knows_its_tops() {
        let sine = |lo: f64, hi: f64| Interval::new(lo, hi).unary(UnaryOp::Sin);
        assert_eq!(sine(0.0, 3.0).hi, 1.0);
        assert!(sine(0.0, 3.0).lo < 1e-15 && sine(0.0, 1.0).hi < 0.85);
        assert_eq!(sine(4.0, 5.0).lo, -1.0);
    }
}
