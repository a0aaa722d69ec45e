//! Norms: the largest scaled component and the scaled root-mean-square (Hairer, Nørsett, Wanner I, eq. II.4.11) of error control, and plain
//! distance.

/// How the errors of several states become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norm {
    /// The largest counts, each against the larger of its absolute and its relative tolerance.
    Worst,
    /// The root of the mean square counts, each against the sum of its tolerances.
    Mean,
}

impl Norm {
    /// The word for it in model files.
    pub fn name(self) -> &'static str {
        ["worst", "mean"][self as usize]
    }
}

/// `max(|e_i / s_i|)`: 1 means "as large as allowed" in the worst component. NaN in, NaN out.
#[inline]
pub fn scaled_max(errors: &[f64], scales: impl Iterator<Item = f64>) -> f64 {
    errors.iter().zip(scales).map(|(e, s)| (e / s).abs()).fold(0.0, larger_or_nan)
}

/// The larger of two numbers that are not negative, or NaN if one of them is.
#[inline(always)]
pub fn larger_or_nan(a: f64, b: f64) -> f64 {
    if b <= a { a } else { b + 0.0 * a }
}

/// `sqrt(mean((e_i / s_i)²))`: 1 means "as large as allowed". NaN in, NaN out.
#[inline]
pub fn scaled_rms(errors: &[f64], scales: impl Iterator<Item = f64>) -> f64 {
    let sum: f64 = errors.iter().zip(scales).map(|(e, s)| (e / s).powi(2)).sum();
    (sum / errors.len().max(1) as f64).sqrt()
}

/// The scalar product of two vectors of the same dimension.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The Euclidean distance of two points of the same dimension.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_as_large_as_its_scale_has_norm_one() {
        assert_eq!(scaled_rms(&[1e-6, -2.0], [1e-6, 2.0].into_iter()), 1.0);
    }

    #[test]
    fn the_worst_component_counts_and_nan_is_the_worst_of_all() {
        assert_eq!(scaled_max(&[1e-6, -6.0, 1.0], [1e-6, 2.0, 1.0].into_iter()), 3.0);
        for k in 0..3 {
            let mut errors = [1.0, 2.0, 3.0];
            errors[k] = f64::NAN;
            assert!(scaled_max(&errors, std::iter::repeat(1.0)).is_nan());
        }
    }

    #[test]
    fn an_empty_state_has_norm_zero() {
        assert_eq!(scaled_rms(&[], std::iter::empty()), 0.0);
    }

    #[test]
    fn distance_is_euclidean() {
        assert_eq!(distance(&[0.0, 3.0], &[4.0, 0.0]), 5.0);
    }
}
