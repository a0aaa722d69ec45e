//! Values with a running bound of their error (rule 2 of the events): what is known of a value that was computed from inexact ones.
//!
//! Each operation passes on the bounds of its operands, by how much it can change at most while they move within them, and adds
//! u |result| for its own rounding. Where an operand may be where the operation has no value, the bound is infinite; where a
//! condition is undecided, the bound holds for either branch.

use crate::expr::operation::{BinaryOp, UnaryOp};
use std::f64::consts::{LOG10_E, PI, TAU};

/// The unit roundoff, 2⁻⁵³: an operation is off by at most this times its result.
pub const UNIT_ROUNDOFF: f64 = f64::EPSILON / 2.0;

/// Bounds are first order and count library functions as exact to the last digit; bands are this many times as wide. On the models
/// that the rules were tried on, 2 to 32 did.
pub const BAND_FACTOR: f64 = 4.0;

/// Whole numbers up to here are written without an error.
const LARGEST_WHOLE: f64 = 9007199254740992.0;

/// The last 26 of the 52 digits of a number: what was rounded has zeros here once in 10⁸ cases.
const SECOND_HALF: u64 = (1 << 26) - 1;

/// A value and a bound of its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inexact {
    /// The value as it was computed.
    pub value: f64,
    /// The true value is at most this far away.
    pub bound: f64,
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

    /// A number as it is written, such as a parameter: whole numbers and such as 0.5 and 0.375 are exact, others were rounded.
    pub fn number(value: f64) -> Self {
        let whole = value.fract() == 0.0 && value.abs() <= LARGEST_WHOLE;
        let short = value.to_bits() & SECOND_HALF == 0;
        if whole || short { Self::exact(value) } else { Self::rounded(value) }
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

    /// What an operation makes of it.
    #[inline]
    #[must_use]
    pub fn unary(self, op: UnaryOp) -> Self {
        let value = op.apply(self.value);
        let passed = if self.bound == 0.0 { 0.0 } else { change_of(op, self, value) };
        Self { value, bound: passed + rounding_of(op, self.value, value) }
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
            _ => combined(op, a, b),
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
        Self { value, bound: self.bound + other.bound + UNIT_ROUNDOFF * value.abs() }
    }
}

impl std::ops::Sub for Inexact {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        let value = self.value - other.value;
        Self { value, bound: self.bound + other.bound + UNIT_ROUNDOFF * value.abs() }
    }
}

impl std::ops::Mul for Inexact {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        let value = self.value * other.value;
        let passed = self.value.abs() * other.bound + self.bound * (other.value.abs() + other.bound);
        Self { value, bound: passed + UNIT_ROUNDOFF * value.abs() }
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

/// The error of an operation itself.
fn rounding_of(op: UnaryOp, x: f64, value: f64) -> f64 {
    match op {
        UnaryOp::Negate
        | UnaryOp::Not
        | UnaryOp::Abs
        | UnaryOp::Sign
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Round => 0.0,
        // The logarithm of a number near one that was rounded.
        UnaryOp::Acosh => UNIT_ROUNDOFF * (1.0 + value),
        // The logarithm of a quotient that is near -1 where x is.
        UnaryOp::Atanh => UNIT_ROUNDOFF * (value.abs() + 1.0 / (1.0 - x.abs())),
        _ => UNIT_ROUNDOFF * value.abs(),
    }
}

/// By how much an operation can change at most while its operand moves within its bound, which is not zero.
fn change_of(op: UnaryOp, operand: Inexact, s: f64) -> f64 {
    let Inexact { value: x, bound: d } = operand;
    let size = x.abs();
    let nearer = (size - d).max(0.0);
    match op {
        UnaryOp::Negate | UnaryOp::Abs => d,
        UnaryOp::Sin => bounded(d * (x.cos().abs() + d)),
        UnaryOp::Cos => bounded(d * (x.sin().abs() + d)),
        UnaryOp::Tan => tangent(d, s.abs()),
        UnaryOp::Asin | UnaryOp::Acos => arc(d, size),
        UnaryOp::Atan => d / (1.0 + nearer * nearer),
        UnaryOp::Sinh => d * growth(d) * (1.0 + s * s).sqrt(),
        UnaryOp::Cosh => d * growth(d) * (((s - 1.0) * (s + 1.0)).max(0.0).sqrt().max(size) + d * s),
        UnaryOp::Tanh => bounded(d * ((1.0 - s) * (1.0 + s) + d)),
        UnaryOp::Asinh => d / (1.0 + nearer * nearer).sqrt(),
        UnaryOp::Acosh => {
            let slope = inverse((x - 1.0 - d) * (x + 1.0)).sqrt();
            (d * slope).min((2.0 * (x - 1.0 + d)).sqrt())
        }
        UnaryOp::Atanh => d * inverse((1.0 - size - d) * (1.0 + size)),
        UnaryOp::Exp => s * d * growth(d),
        UnaryOp::Ln => d * inverse(x - d),
        UnaryOp::Log10 => LOG10_E * d * inverse(x - d),
        UnaryOp::Sqrt => d / s.max(d.sqrt()),
        UnaryOp::Cbrt => {
            // Two thirds of the power 2 are lost at most where the operand is halved.
            let slope = if nearer > 0.5 * size { 0.53 / (s * s) } else { f64::INFINITY };
            (d * slope).min((4.0 * d).cbrt())
        }
        UnaryOp::Sign => {
            if size > d {
                0.0
            } else {
                1.0 + s.abs()
            }
        }
        UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round => (op.apply(x + d) - s).max(s - op.apply(x - d)),
        UnaryOp::Not => {
            if operand.branch().is_some() {
                0.0
            } else {
                1.0
            }
        }
    }
}

/// The change of what lies between -1 and 1.
fn bounded(change: f64) -> f64 {
    change.min(2.0)
}

/// The reciprocal of what has to be positive.
fn inverse(x: f64) -> f64 {
    if x > 0.0 { 1.0 / x } else { f64::INFINITY }
}

/// At least e^d.
fn growth(d: f64) -> f64 {
    if d < 1.0 { 1.0 + 2.0 * d } else { d.exp() }
}

/// tan(x + d) - tan(x) = tan d (1 + s²) / (1 - s tan d), with tan d ≤ d + d³ up to one.
fn tangent(d: f64, s: f64) -> f64 {
    let step = if d < 1.0 { d + d * d * d } else { f64::INFINITY };
    step * (1.0 + s * s) * inverse(1.0 - s * step)
}

/// Arc sine and arc cosine: by the slope, or by acos(1 - z) ≤ π √(z/2) near the end.
fn arc(d: f64, size: f64) -> f64 {
    let left = 1.0 - size;
    let slope = inverse((left - d) * (1.0 + size)).sqrt();
    (d * slope).min(PI * (0.5 * (left + d)).max(0.0).sqrt())
}

fn combined(op: BinaryOp, a: Inexact, b: Inexact) -> Inexact {
    let value = op.apply(a.value, b.value);
    let rounding = UNIT_ROUNDOFF * value.abs();
    let bound = match op {
        BinaryOp::Power => power(a, b, value) + rounding,
        BinaryOp::Atan2 => angle(a, b) + rounding,
        BinaryOp::Hypot => {
            let (more, larger) = (a.value.abs() + a.bound, b.value.abs() + b.bound);
            // Without a length the second has no value.
            (a.bound + b.bound).min((more * a.bound + larger * b.bound) / value) + rounding
        }
        BinaryOp::Min | BinaryOp::Max => {
            let apart = (a.value - b.value).abs() > a.bound + b.bound;
            let first = value == a.value;
            if !apart {
                a.bound.max(b.bound)
            } else if first {
                a.bound
            } else {
                b.bound
            }
        }
        BinaryOp::Modulo => (a - b * (a / b).unary(UnaryOp::Floor)).bound,
        BinaryOp::And => undecided(both(a.branch(), b.branch())),
        BinaryOp::Or => undecided(both(a.branch().map(|a| !a), b.branch().map(|b| !b))),
        _ => {
            let known = a.bound + b.bound;
            undecided((known == 0.0 || (a.value - b.value).abs() > known).then_some(true))
        }
    };
    Inexact { value, bound }
}

/// Whether both hold, if that is certain.
fn both(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// The bound of a condition: one or zero.
fn undecided(known: Option<bool>) -> f64 {
    if known.is_some() { 0.0 } else { 1.0 }
}

/// The change of `s = a^b`: by the base at a fixed exponent, then by the exponent.
fn power(a: Inexact, b: Inexact, s: f64) -> f64 {
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
    let growing = b.bound * logarithm;
    by_base + (s.abs() + by_base) * growing * growth(growing)
}

/// The change of the angle of a point. Next to its cut it may be a whole turn.
fn angle(y: Inexact, x: Inexact) -> f64 {
    let moved = x.bound + y.bound;
    if moved == 0.0 {
        return 0.0;
    }
    let (square, share) = (x.value * x.value + y.value * y.value, moved / x.value.hypot(y.value));
    let across = y.value.abs() <= y.bound && x.value <= x.bound;
    if across || share.is_nan() || share > 0.5 {
        return TAU;
    }
    let first = x.value.abs() * y.bound + y.value.abs() * x.bound + 2.0 * x.bound * y.bound;
    // 1 / (1 - share)² is at most this.
    first / square * (1.0 + 6.0 * share)
}
