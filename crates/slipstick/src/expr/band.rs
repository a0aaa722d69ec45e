//! Values with a running bound of their error (rule 2 of the events): what is known of a value that was
//! computed from inexact ones.
//!
//! Each operation passes on the bounds of its operands, by how much it can change at most while they move
//! within them, and adds u |result| for its own rounding. Where an operand may be where the operation has no
//! value, the bound is infinite; where a condition is undecided, the bound holds for either branch.

use crate::expr::operation::{BinaryOp, UnaryOp};

/// The unit roundoff, 2⁻⁵³: an operation is off by at most this times its result.
pub const UNIT_ROUNDOFF: f64 = f64::EPSILON / 2.0;

/// Bounds are first order and count library functions as exact to the last digit; bands are this many times
/// as wide. On the models that the rules were tried on, 2 to 32 did.
pub const BAND_FACTOR: f64 = 4.0;

/// Whole numbers up to here are written without an error.
const LARGEST_WHOLE: f64 = 9007199254740992.0;

/// The last 26 of the 52 digits of a number: what was rounded has zeros here once in 10⁸ cases.
const SECOND_HALF: u64 = (1 << 26) - 1;

/// A value and a bound of its error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inexact {
    /// The value as it was computed.
    pub value: f64,
    /// The true value is at most this far away.
    pub bound: f64,
}

/// Whether a number is whole, and its neighbours are too.
#[inline]
fn whole(value: f64) -> bool {
    value.fract() == 0.0 && value.abs() <= LARGEST_WHOLE
}

impl Inexact {
    /// Exactly zero.
    pub const ZERO: Self = Self { value: 0.0, bound: 0.0 };

    /// Nothing is known.
    pub const UNDEFINED: Self = Self { value: f64::NAN, bound: f64::INFINITY };

    /// A value without an error.
    pub fn exact(value: f64) -> Self {
        Self { value, bound: 0.0 }
    }

    /// A value that was rounded once, such as a time.
    pub fn rounded(value: f64) -> Self {
        Self { value, bound: UNIT_ROUNDOFF * value.abs() }
    }

    /// A number as it is written, such as a parameter: whole numbers and such as 0.5 and 0.375 are exact,
    /// others were rounded.
    pub fn number(value: f64) -> Self {
        let short = value.to_bits() & SECOND_HALF == 0;
        if whole(value) || short { Self::exact(value) } else { Self::rounded(value) }
    }

    /// How far from zero the value has to be for its sign to be certain.
    pub fn band(&self) -> f64 {
        BAND_FACTOR * self.bound
    }

    /// Whether the value is outside of its band.
    pub fn is_decided(&self) -> bool {
        self.value.abs() > self.band()
    }

    /// Whether value and bound are numbers.
    pub fn is_finite(&self) -> bool {
        self.value.is_finite() && self.bound.is_finite()
    }

    /// How near to zero the true value can be at least.
    pub(super) fn nearest_to_zero(&self) -> f64 {
        (self.value.abs() - self.bound).max(0.0)
    }

    /// What an operation makes of it.
    #[inline]
    #[must_use]
    pub fn unary(self, op: UnaryOp) -> Self {
        let row = op.row();
        let value = op.apply(self.value);
        let passed = if self.bound == 0.0 { 0.0 } else { (row.change)(self, value) };
        Self { value, bound: passed + (row.rounding)(self.value, value) }
    }

    /// What an operation makes of it and another.
    #[inline]
    #[must_use]
    pub fn binary(self, op: BinaryOp, other: Self) -> Self {
        let (a, b) = (self, other);
        match op {
            BinaryOp::Add => a + b,
            BinaryOp::Subtract => a - b,
            BinaryOp::Multiply => a * b,
            BinaryOp::Divide => a / b,
            _ => {
                let value = op.apply(a.value, b.value);
                Self { value, bound: (op.row().bound)(a, b, value) }
            }
        }
    }

    /// `yes` or `no`, by a condition. Where that is undecided, it may be either.
    #[inline]
    #[must_use]
    pub fn select(self, yes: Self, no: Self) -> Self {
        let (taken, other) = if self.value == 0.0 { (no, yes) } else { (yes, no) };
        if self.branch().is_some() {
            return taken;
        }
        let bound = taken.bound.max((taken.value - other.value).abs() + other.bound);
        // The other branch may have no value.
        Self { value: taken.value, bound: if bound.is_nan() { f64::INFINITY } else { bound } }
    }

    /// Whether it holds as a condition, if that is certain.
    #[inline]
    pub fn branch(&self) -> Option<bool> {
        (self.bound == 0.0 || self.value.abs() > self.bound).then_some(self.value != 0.0)
    }
}

/// What rounding adds to a product. Between exact numbers a whole result is not rounded.
#[inline]
fn rounding_of(value: f64, passed: f64) -> f64 {
    if passed == 0.0 && value.fract() == 0.0 && value.abs() <= LARGEST_WHOLE {
        return 0.0;
    }
    UNIT_ROUNDOFF * value.abs()
}

impl std::ops::Neg for Inexact {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self { value: -self.value, ..self }
    }
}

impl std::ops::Add for Inexact {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        let value = self.value + other.value;
        if self.bound == 0.0 && other.bound == 0.0 && value.is_finite() {
            // What a sum of exact numbers has lost is known (Knuth): whole numbers stay exact.
            let part = value - self.value;
            let lost = (self.value - (value - part)) + (other.value - part);
            return Self { value, bound: lost.abs() };
        }
        Self { value, bound: self.bound + other.bound + UNIT_ROUNDOFF * value.abs() }
    }
}

impl std::ops::Sub for Inexact {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl std::ops::Mul for Inexact {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        let value = self.value * other.value;
        if self.bound == 0.0 && other.bound == 0.0 && whole(value) && whole(self.value) && whole(other.value)
        {
            return Self::exact(value);
        }
        let passed = self.value.abs() * other.bound + self.bound * (other.value.abs() + other.bound);
        Self { value, bound: passed + rounding_of(value, passed) }
    }
}

impl std::ops::Div for Inexact {
    type Output = Self;
    #[inline]
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        let least = other.value.abs() - other.bound;
        let passed = if least > 0.0 || other.bound == 0.0 {
            (self.bound + value.abs() * other.bound) / least
        } else {
            f64::INFINITY
        };
        Self { value, bound: passed + UNIT_ROUNDOFF * value.abs() }
    }
}
