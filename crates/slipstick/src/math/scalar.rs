//! Numbers that matrices are made of, real or complex, for what is written once for both.

use std::ops::{AddAssign, Div, Mul, Sub, SubAssign};

/// A real or a complex number.
pub trait Scalar:
    Copy
    + Default
    + std::fmt::Debug
    + AddAssign
    + SubAssign
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + From<f64>
{
    /// How large it is, up to a factor of √2.
    fn size(self) -> f64;
}

impl Scalar for f64 {
    #[inline(always)]
    fn size(self) -> f64 {
        self.abs()
    }
}

/// A complex number.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex {
    /// The real part.
    pub re: f64,
    /// The imaginary part.
    pub im: f64,
}

impl Scalar for Complex {
    #[inline(always)]
    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }
}

impl From<f64> for Complex {
    #[inline(always)]
    fn from(re: f64) -> Self {
        Self { re, im: 0.0 }
    }
}

impl AddAssign for Complex {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.re += other.re;
        self.im += other.im;
    }
}

impl SubAssign for Complex {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        self.re -= other.re;
        self.im -= other.im;
    }
}

impl Sub for Complex {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let re = self.re * other.re - self.im * other.im;
        Self { re, im: self.re * other.im + self.im * other.re }
    }
}

impl Div for Complex {
    type Output = Self;

    /// Scaled, so that squares neither overflow nor underflow; divided by infinity, nothing is left.
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        let scale = other.size();
        if scale == f64::INFINITY {
            return Self::default();
        }
        let (a, b) = (other.re / scale, other.im / scale);
        let square = scale * (a * a + b * b);
        self * Self { re: a / square, im: -b / square }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotient_times_the_divisor_is_the_dividend() {
        let (a, b) = (Complex { re: 3.0, im: -2.0 }, Complex { re: -1e200, im: 4e200 });
        let back = a / b * b;
        assert!((back - a).size() < 1e-15, "{back:?}");
    }
}
