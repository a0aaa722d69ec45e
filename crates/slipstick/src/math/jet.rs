//! Numbers with their first and second derivative along a curve: what is computed with them is differentiated
//! exactly.
//!
//! A constraint `g(t, q)` computed with jets of `t` and `q` along a motion gives `g`, its rate and its second
//! rate at once.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// A number, and its first and second derivative.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jet {
    /// The number.
    pub value: f64,
    /// Its first derivative.
    pub first: f64,
    /// Its second derivative.
    pub second: f64,
}

impl Jet {
    /// A number that does not change.
    pub const fn constant(value: f64) -> Self {
        Self { value, first: 0.0, second: 0.0 }
    }

    /// A function of this number, of which the value and two derivatives are known.
    #[inline]
    fn chain(self, value: f64, slope: f64, bend: f64) -> Self {
        let second = slope * self.second + bend * self.first * self.first;
        Self { value, first: slope * self.first, second }
    }

    /// The sine.
    #[must_use]
    pub fn sin(self) -> Self {
        let (sin, cos) = self.value.sin_cos();
        self.chain(sin, cos, -sin)
    }

    /// The cosine.
    #[must_use]
    pub fn cos(self) -> Self {
        let (sin, cos) = self.value.sin_cos();
        self.chain(cos, -sin, -cos)
    }

    /// The tangent.
    #[must_use]
    pub fn tan(self) -> Self {
        let tan = self.value.tan();
        let slope = 1.0 + tan * tan;
        self.chain(tan, slope, 2.0 * tan * slope)
    }

    /// The square root.
    #[must_use]
    pub fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, 0.5 / root, -0.25 / (root * self.value))
    }

    /// The exponential function.
    #[must_use]
    pub fn exp(self) -> Self {
        let exp = self.value.exp();
        self.chain(exp, exp, exp)
    }

    /// The natural logarithm.
    #[must_use]
    pub fn ln(self) -> Self {
        let inverse = 1.0 / self.value;
        self.chain(self.value.ln(), inverse, -inverse * inverse)
    }

    /// A whole power.
    #[must_use]
    pub fn powi(self, n: i32) -> Self {
        let power = |k: i32| if k < 0 && n >= 0 { 0.0 } else { self.value.powi(k) };
        let n_float = f64::from(n);
        self.chain(power(n), n_float * power(n - 1), n_float * (n_float - 1.0) * power(n - 2))
    }
}

impl From<f64> for Jet {
    fn from(value: f64) -> Self {
        Self::constant(value)
    }
}

impl Add for Jet {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            first: self.first + other.first,
            second: self.second + other.second,
        }
    }
}

impl Sub for Jet {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for Jet {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self { value: -self.value, first: -self.first, second: -self.second }
    }
}

impl Mul for Jet {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        Self {
            value: self.value * other.value,
            first: self.first * other.value + self.value * other.first,
            second: self.second * other.value + 2.0 * self.first * other.first + self.value * other.second,
        }
    }
}

impl Div for Jet {
    type Output = Self;
    #[inline]
    fn div(self, other: Self) -> Self {
        let inverse = 1.0 / other.value;
        self * other.chain(inverse, -inverse * inverse, 2.0 * inverse * inverse * inverse)
    }
}

impl AddAssign for Jet {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Jet {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

macro_rules! with_numbers {
    ($($operation:ident $method:ident),*) => {$(
        impl $operation<f64> for Jet {
            type Output = Jet;
            #[inline]
            fn $method(self, other: f64) -> Jet {
                self.$method(Jet::constant(other))
            }
        }
        impl $operation<Jet> for f64 {
            type Output = Jet;
            #[inline]
            fn $method(self, other: Jet) -> Jet {
                Jet::constant(self).$method(other)
            }
        }
    )*};
}

with_numbers!(Add add, Sub sub, Mul mul, Div div);

#[cfg(test)]
mod tests {
    use super::*;

    /// What differences say of a function along `x = 0.7 + 1.3 s + 0.4 s²`.
    fn check(name: &str, f: impl Fn(Jet) -> Jet) {
        let along = |s: f64| f(Jet::constant(0.7 + 1.3 * s + 0.4 * s * s)).value;
        let jet = f(Jet { value: 0.7, first: 1.3, second: 0.8 });
        let s = 1e-3;
        let [b2, b1, a0, a1, a2] = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|k| along(k * s));
        let first = (8.0 * (a1 - b1) - (a2 - b2)) / (12.0 * s);
        let second = (16.0 * (a1 + b1) - (a2 + b2) - 30.0 * a0) / (12.0 * s * s);
        // Whole powers may be computed in another order.
        assert!((jet.value - a0).abs() < 1e-14, "{name}");
        assert!((jet.first - first).abs() < 1e-9 * (1.0 + first.abs()), "{name}: {} {first}", jet.first);
        assert!((jet.second - second).abs() < 1e-7 * (1.0 + second.abs()), "{name}: {} {second}", jet.second);
    }

    #[test]
    fn derivatives_are_those_of_differences() {
        check("sin", Jet::sin);
        check("cos", Jet::cos);
        check("tan", Jet::tan);
        check("sqrt", Jet::sqrt);
        check("exp", Jet::exp);
        check("ln", Jet::ln);
        check("powi", |x| x.powi(3) + x.powi(1) - x.powi(-2) + x.powi(0));
        check("arithmetic", |x| (2.0 * x - 1.0) / (x * x + 3.0) - -x / 5.0 + 1.0 / x);
        check("in place", |x| {
            let mut y = x;
            y += x * x;
            y -= Jet::from(2.0);
            y
        });
    }

    #[test]
    fn a_square_at_zero_has_its_bend() {
        let x = Jet { value: 0.0, first: 1.0, second: 0.0 };
        assert_eq!(x.powi(2), Jet { value: 0.0, first: 0.0, second: 2.0 });
        assert_eq!(x.powi(1).first, 1.0);
    }
}
