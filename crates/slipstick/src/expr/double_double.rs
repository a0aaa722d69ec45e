//! Numbers of about 31 digits, as sums of two doubles: the truth for tests of error bounds.

use crate::expr::operation::{BinaryOp, UnaryOp};

/// The sum of both, of which the second is below half a unit in the last place of the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DoubleDouble(pub(super) f64, pub(super) f64);

use DoubleDouble as Dd;

const ONE: Dd = Dd(1.0, 0.0);
const LN_2: Dd = Dd(std::f64::consts::LN_2, 2.3190468138462996e-17);
const PI: Dd = Dd(std::f64::consts::PI, 1.2246467991473532e-16);

impl From<f64> for Dd {
    fn from(value: f64) -> Self {
        Self(value, 0.0)
    }
}

fn sum(a: f64, b: f64) -> Dd {
    let s = a + b;
    let part = s - a;
    Dd(s, (a - (s - part)) + (b - part))
}

impl std::ops::Add for Dd {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (high, low) = (sum(self.0, other.0), sum(self.1, other.1));
        let first = sum(high.0, high.1 + low.0);
        sum(first.0, first.1 + low.1)
    }
}

impl std::ops::Neg for Dd {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl std::ops::Sub for Dd {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl std::ops::Mul for Dd {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let high = self.0 * other.0;
        let low = self.0.mul_add(other.0, -high) + self.0 * other.1 + self.1 * other.0;
        sum(high, low)
    }
}

impl std::ops::Div for Dd {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let first = self.0 / other.0;
        let rest = self - other * Self::from(first);
        let second = rest.0 / other.0;
        let rest = rest - other * Self::from(second);
        Self::from(first) + Self::from(second) + Self::from(rest.0 / other.0)
    }
}

impl Dd {
    fn abs(self) -> Self {
        if self.0 < 0.0 { -self } else { self }
    }

    fn sqrt(self) -> Self {
        if self.0 == 0.0 {
            return self;
        }
        let root = Self::from(self.0.sqrt());
        let root = (root + self / root) * Self::from(0.5);
        (root + self / root) * Self::from(0.5)
    }

    fn cbrt(self) -> Self {
        let step = |root: Self| (root + root + self / (root * root)) / Self::from(3.0);
        if self.0 == 0.0 { self } else { step(step(Self::from(self.0.cbrt()))) }
    }

    /// The sum of `x^k / k!` for every (second) k from `first` on; signs alternate if `sign` is -1.
    fn factorial_series(self, first: u32, step: u32, sign: f64) -> Self {
        let mut term = (1..=first).fold(ONE, |term, k| term * self / Self::from(f64::from(k)));
        let (mut total, mut k) = (term, first);
        while term.0.abs() > 1e-36 * total.0.abs() {
            for _ in 0..step {
                k += 1;
                term = term * self / Self::from(f64::from(k));
            }
            term = term * Self::from(sign);
            total = total + term;
        }
        total
    }

    fn exp(self) -> Self {
        let whole = (self.0 / LN_2.0).round();
        let small = (self - LN_2 * Self::from(whole)) * Self::from(1.0 / 64.0);
        let mut power = small.factorial_series(0, 1, 1.0);
        for _ in 0..6 {
            power = power * power;
        }
        let (half, rest) = ((whole / 2.0).trunc().exp2(), (whole - (whole / 2.0).trunc()).exp2());
        Self(power.0 * half * rest, power.1 * half * rest)
    }

    fn sin_cos(self) -> (Self, Self) {
        // Turns are counted with 31 digits too.
        if self.0.abs() > 1e6 {
            return (Self(f64::NAN, 0.0), Self(f64::NAN, 0.0));
        }
        let quarter = PI * Self::from(0.5);
        let turns = (self.0 / quarter.0).round();
        let x = self - quarter * Self::from(turns);
        let (s, c) = (x.factorial_series(1, 2, -1.0), x.factorial_series(0, 2, -1.0));
        match turns.rem_euclid(4.0) {
            0.0 => (s, c),
            1.0 => (c, -s),
            2.0 => (-s, -c),
            _ => (-c, s),
        }
    }

    fn ln(self) -> Self {
        let step = |y: Self| y + self * (-y).exp() - ONE;
        step(step(Self::from(self.0.ln())))
    }

    fn atan(self) -> Self {
        if self.0.abs() > 1.0 {
            return PI * Self::from(0.5 * self.0.signum()) - (ONE / self).atan();
        }
        let step = |y: Self| {
            let (s, c) = y.sin_cos();
            y - (s * c - self * c * c)
        };
        step(step(Self::from(self.0.atan())))
    }

    fn acos(self) -> Self {
        ((ONE - self) / (ONE + self)).sqrt().atan() * Self::from(2.0)
    }

    fn sinh(self) -> Self {
        (self.exp() - (-self).exp()) * Self::from(0.5)
    }

    fn cosh(self) -> Self {
        (self.exp() + (-self).exp()) * Self::from(0.5)
    }

    pub(super) fn unary(self, op: UnaryOp) -> Self {
        let stepped = Self::from(op.apply(self.0));
        match op {
            UnaryOp::Negate => -self,
            UnaryOp::Sin => self.sin_cos().0,
            UnaryOp::Cos => self.sin_cos().1,
            UnaryOp::Tan => self.sin_cos().0 / self.sin_cos().1,
            UnaryOp::Asin if self.0.abs() < 0.5 => (self / ((ONE - self) * (ONE + self)).sqrt()).atan(),
            UnaryOp::Asin => PI * Self::from(0.5) - self.acos(),
            UnaryOp::Acos => self.acos(),
            UnaryOp::Atan => self.atan(),
            UnaryOp::Sinh => self.sinh(),
            UnaryOp::Cosh => self.cosh(),
            UnaryOp::Tanh => self.sinh() / self.cosh(),
            UnaryOp::Asinh if self.0 < 0.0 => -(-self).unary(op),
            UnaryOp::Asinh => (self + (self * self + ONE).sqrt()).ln(),
            UnaryOp::Acosh => (self + ((self - ONE) * (self + ONE)).sqrt()).ln(),
            UnaryOp::Atanh => ((ONE + self) / (ONE - self)).ln() * Self::from(0.5),
            UnaryOp::Exp => self.exp(),
            UnaryOp::Ln => self.ln(),
            UnaryOp::Log10 => self.ln() / Self::from(10.0).ln(),
            UnaryOp::Sqrt => self.sqrt(),
            UnaryOp::Cbrt => self.cbrt(),
            UnaryOp::Abs => self.abs(),
            UnaryOp::Not | UnaryOp::Sign | UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round => stepped,
            // A function that is new has no truth here.
            #[allow(unreachable_patterns)]
            _ => Self(f64::NAN, 0.0),
        }
    }

    pub(super) fn binary(self, op: BinaryOp, other: Self) -> Self {
        let (a, b) = (self, other);
        let less = (a - b).0 < 0.0;
        match op {
            BinaryOp::Add => a + b,
            BinaryOp::Subtract => a - b,
            BinaryOp::Multiply => a * b,
            BinaryOp::Divide => a / b,
            BinaryOp::Power => a.power(b),
            BinaryOp::Atan2 if b.0.abs() >= a.0.abs() => {
                let turn = if b.0 > 0.0 { Self::from(0.0) } else { PI * Self::from(a.0.signum()) };
                (a / b).atan() + turn
            }
            BinaryOp::Atan2 => PI * Self::from(0.5 * a.0.signum()) - (b / a).atan(),
            BinaryOp::Hypot => (a * a + b * b).sqrt(),
            BinaryOp::Min => {
                if less {
                    a
                } else {
                    b
                }
            }
            BinaryOp::Max => {
                if less {
                    b
                } else {
                    a
                }
            }
            BinaryOp::Modulo => a - b * Self::from((a / b).0.floor()),
            _ => Self::from(op.apply(a.0, b.0)),
        }
    }

    fn power(self, exponent: Self) -> Self {
        let p = exponent.0;
        if exponent.1 == 0.0 && p.fract() == 0.0 && p.abs() <= 64.0 {
            let whole = (0..64).take_while(|&k| f64::from(k) < p.abs());
            let size = whole.fold(ONE, |power, _| power * self);
            return if p < 0.0 { ONE / size } else { size };
        }
        (exponent * self.ln()).exp()
    }
}

#[test]
fn functions_have_their_inverses() {
    let near = |a: Dd, b: Dd| assert!((a - b).0.abs() < 1e-28 * (1.0 + a.0.abs()), "{a:?} {b:?}");
    for x in [0.3, -0.7, 0.02, 0.95].map(Dd::from) {
        let pairs = [
            (UnaryOp::Sin, UnaryOp::Asin),
            (UnaryOp::Tan, UnaryOp::Atan),
            (UnaryOp::Sinh, UnaryOp::Asinh),
            (UnaryOp::Tanh, UnaryOp::Atanh),
            (UnaryOp::Exp, UnaryOp::Ln),
        ];
        for (op, inverse) in pairs {
            near(x.unary(op).unary(inverse), x);
        }
        near(x.unary(UnaryOp::Cosh).unary(UnaryOp::Acosh), x.abs());
        near(x.unary(UnaryOp::Cos).unary(UnaryOp::Acos), x.abs());
        near(x.unary(UnaryOp::Cbrt).power(Dd::from(3.0)), x);
    }
}
