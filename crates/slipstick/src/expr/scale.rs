//! Numbers times factors of units, rounded once.
//!
//! In: the text of a number, and a factor that is a fraction times a power of ten times a power of π. Out:
//! the double nearest to their product, so that `30 mm` is the same as `0.03`. With π it is rounded once
//! more.

/// The most digits of a number that are computed with; one with more is taken as the double that it means.
const MOST_DIGITS: usize = 19;

/// Digits of a quotient: enough that what is cut off decides between two doubles only by being there.
const QUOTIENT_DIGITS: usize = 40;

/// What one of a unit is in SI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Factor {
    pub(super) numerator: u64,
    pub(super) denominator: u64,
    /// The power of ten.
    pub(super) tens: i32,
    /// The power of π.
    pub(super) pis: i32,
}

impl Factor {
    pub(super) const ONE: Self = Self { numerator: 1, denominator: 1, tens: 0, pis: 0 };

    /// A power of ten.
    pub(super) const fn ten_to(tens: i32) -> Self {
        Self { tens, ..Self::ONE }
    }

    /// The product with a power of another; none if it is too large to be exact.
    pub(super) fn times_power(mut self, other: Self, exponent: i32) -> Option<Self> {
        for _ in 0..exponent.unsigned_abs() {
            let (above, below) = if exponent > 0 {
                (other.numerator, other.denominator)
            } else {
                (other.denominator, other.numerator)
            };
            let numerator = u128::from(self.numerator) * u128::from(above);
            let denominator = u128::from(self.denominator) * u128::from(below);
            let common = greatest_divisor(numerator, denominator);
            self.numerator = u64::try_from(numerator / common).ok()?;
            self.denominator = u64::try_from(denominator / common).ok()?;
        }
        self.tens += other.tens * exponent;
        self.pis += other.pis * exponent;
        Some(self)
    }

    /// A number, as it is written, times the factor. May be infinite, or zero by underflow.
    pub(super) fn times(self, written: &str) -> f64 {
        let (mantissa, exponent) = split_exponent(written);
        let (digits, decimals) = digits_of(mantissa);
        let fraction = digits.len() <= MOST_DIGITS;
        let rational = match (self.numerator, self.denominator, fraction) {
            (1, 1, _) => parsed(&format!("{mantissa}e{}", exponent + i64::from(self.tens))),
            (_, _, true) => self.scaled(&digits, exponent - decimals),
            (_, _, false) => {
                // The shortest text of a double has at most 17 digits.
                let shortest = format!("{:e}", parsed(written));
                let (mantissa, exponent) = split_exponent(&shortest);
                let (digits, decimals) = digits_of(mantissa);
                self.scaled(&digits, exponent - decimals)
            }
        };
        let pi = (0..self.pis.unsigned_abs()).fold(1.0, |product, _| product * std::f64::consts::PI);
        if self.pis < 0 { rational / pi } else { rational * pi }
    }

    /// `digits · 10^exponent · factor` without the power of π.
    fn scaled(self, digits: &str, exponent: i64) -> f64 {
        let digits: u128 = digits.parse().unwrap_or(0);
        let product = digits * u128::from(self.numerator);
        let denominator = u128::from(self.denominator);
        let (mut quotient, mut rest) = ((product / denominator).to_string(), product % denominator);
        let mut exponent = exponent + i64::from(self.tens);
        while rest != 0 && quotient.trim_start_matches('0').len() < QUOTIENT_DIGITS {
            rest *= 10;
            let digit = u32::try_from(rest / denominator).ok().and_then(|digit| char::from_digit(digit, 10));
            quotient.push(digit.unwrap_or('0'));
            rest %= denominator;
            exponent -= 1;
        }
        if rest != 0 {
            quotient.push('1');
            exponent -= 1;
        }
        parsed(&format!("{quotient}e{exponent}"))
    }
}

fn greatest_divisor(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

fn parsed(text: &str) -> f64 {
    text.parse().unwrap_or(f64::NAN)
}

/// Mantissa and exponent of ten. Exponents far out of range stay far out of range.
fn split_exponent(written: &str) -> (&str, i64) {
    const FAR: i64 = 1_000_000_000;
    let Some((mantissa, exponent)) = written.split_once(['e', 'E']) else { return (written, 0) };
    let far = if exponent.starts_with('-') { -FAR } else { FAR };
    (mantissa, exponent.parse::<i64>().map_or(far, |exponent| exponent.clamp(-FAR, FAR)))
}

/// The digits of a mantissa without zeros in front, and how many of them are decimals.
fn digits_of(mantissa: &str) -> (String, i64) {
    let decimals = mantissa.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    (digits.trim_start_matches('0').to_owned(), i64::try_from(decimals).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const INCH: Factor = Factor { numerator: 254, tens: -4, ..Factor::ONE };
    const HOUR: Factor = Factor { numerator: 36, tens: 2, ..Factor::ONE };

    fn kilometre_per_hour() -> Factor {
        Factor::ten_to(3).times_power(HOUR, -1).unwrap()
    }

    #[test]
    fn powers_of_ten_move_the_decimal_point() {
        assert_eq!(Factor::ten_to(-3).times("30"), 0.03);
        assert_eq!(Factor::ten_to(-3).times("0.1"), 0.0001);
        assert_eq!(Factor::ten_to(-9).times("1.1e3"), 1.1e-6);
        assert_eq!(Factor::ten_to(5).times(".7"), 0.7e5);
        assert_eq!(Factor::ten_to(3).times("0"), 0.0);
    }

    #[test]
    fn fractions_are_rounded_once() {
        assert_eq!(kilometre_per_hour().times("36"), 10.0);
        assert_eq!(kilometre_per_hour().times("50"), 125.0 / 9.0);
        assert_eq!(INCH.times("0.1"), 0.00254);
        assert_eq!(INCH.times("1.0000000000000000000000000000000001"), 0.0254);
    }

    #[test]
    fn angles_are_parts_of_pi() {
        let degree = Factor { denominator: 180, pis: 1, ..Factor::ONE };
        assert_eq!(degree.times("180"), std::f64::consts::PI);
        assert_eq!(degree.times("45"), std::f64::consts::FRAC_PI_4);
    }

    #[test]
    fn what_is_too_large_to_be_exact_is_refused() {
        let pound = Factor { numerator: 45_359_237, tens: -8, ..Factor::ONE };
        assert!(Factor::ONE.times_power(pound, 2).is_some());
        assert_eq!(Factor::ONE.times_power(pound, 9), None);
        assert_eq!(Factor::ten_to(3).times("1e308"), f64::INFINITY);
        assert_eq!(Factor::ten_to(-9).times("1e-320"), 0.0);
        assert_eq!(INCH.times("1e99999999999999999999"), f64::INFINITY);
    }

    proptest! {
        #[test]
        fn scaling_is_as_exact_as_writing_the_number(
            whole in 0..1_000_000_000u64, decimals in 0..1_000_000u64,
            tens in -9..9i32, exponent in -30..30i32,
        ) {
            let written = format!("{whole}.{decimals:06}e{exponent}");
            let moved = format!("{whole}.{decimals:06}e{}", exponent + tens);
            prop_assert_eq!(Factor::ten_to(tens).times(&written), moved.parse::<f64>().unwrap());
        }

        #[test]
        fn small_fractions_are_those_of_the_processor(
            n in 0..1_000_000_000_000u64, p in 1..5000u64, q in 1..5000u64,
        ) {
            // Both are exact doubles, and a quotient of such is rounded once.
            let factor = Factor { numerator: p, denominator: q, ..Factor::ONE };
            prop_assert_eq!(factor.times(&n.to_string()), (n * p) as f64 / q as f64);
        }
    }
}
