//! Powers for step-size control: to six digits, in a few operations, and by arithmetic alone, so that step
//! sizes are the same bits on every machine, whatever its mathematical library.

use std::f64::consts::{LN_2, SQRT_2};

/// The binary logarithm of a positive number that is not subnormal, to about 1e-7.
pub fn rough_log2(x: f64) -> f64 {
    // x = 2^k m with m between √½ and √2.
    let bits = x.to_bits().cast_signed();
    let k = (bits - (0.5 * SQRT_2).to_bits().cast_signed()) >> 52;
    let m = f64::from_bits((bits - (k << 52)).cast_unsigned());
    // log m = 2 artanh s.
    let s = (m - 1.0) / (m + 1.0);
    let q = s * s;
    let series = 1.0 + q * (1.0 / 3.0 + q * (0.2 + q * (1.0 / 7.0)));
    #[allow(clippy::cast_possible_truncation)] // an exponent
    let whole = f64::from(k as i32);
    whole + (2.0 / LN_2) * s * series
}

/// 2^y to about 4e-6, for y between -1000 and 1000.
pub fn rough_exp2(y: f64) -> f64 {
    // The last digits of y + ROUND are those of the nearest whole number.
    const ROUND: f64 = 6755399441055744.0;
    debug_assert!(y.abs() < 1000.0, "2^{y}");
    let shifted = y + ROUND;
    let x = (y - (shifted - ROUND)) * LN_2;
    let series = 1.0 + x * (1.0 + x * (0.5 + x * (1.0 / 6.0 + x * (1.0 / 24.0 + x * (1.0 / 120.0)))));
    f64::from_bits(series.to_bits().wrapping_add(shifted.to_bits() << 52))
}

/// `x^p` for positive x.
pub fn rough_power(x: f64, p: f64) -> f64 {
    rough_exp2(p * rough_log2(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_right_to_seven_digits() {
        for x in [1e-300, 1e-16, 0.1, 0.7, 0.71, 0.99, 1.0, 1.41, 1.42, 3.0, 1e16, 1e300] {
            assert!((rough_log2(x) - x.log2()).abs() < 1e-7, "{x}");
        }
        assert_eq!(rough_log2(8.0), 3.0);
    }

    #[test]
    fn powers_are_right_to_six_digits() {
        for y in [-999.9, -20.3, -1.5, -0.5, -1e-9, 0.0, 0.2, 0.5, 0.7, 3.3, 999.4] {
            assert!((rough_exp2(y) / y.exp2() - 1.0).abs() < 4e-6, "{y}");
        }
        assert!((rough_power(1e-4, 0.04) / 1e-4_f64.powf(0.04) - 1.0).abs() < 3e-6);
    }
}
