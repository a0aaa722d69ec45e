//! Norms: the largest scaled component and the scaled root-mean-square (Hairer, Nørsett, Wanner I, eq.
//! II.4.11) of error control, and plain distance.

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

/// The largest of numbers that are not negative. NaN in, NaN out.
#[inline]
pub fn largest(values: &[f64]) -> f64 {
    let (mut largest, mut sum) = (0.0, 0.0);
    for &value in values {
        // What is not negative has a sum that is NaN only if one of them is.
        sum += value;
        largest = if value > largest { value } else { largest };
    }
    if f64::is_nan(sum) { nan() } else { largest }
}

/// Kept apart, so that it costs nothing where it is not needed.
#[cold]
fn nan() -> f64 {
    f64::NAN
}

/// The root of the mean square. NaN in, NaN out.
#[inline]
pub fn rms(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().map(|value| value * value).sum();
    (sum / values.len().max(1) as f64).sqrt()
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

/// An entry of a direction without zeros in which no two entries are likely to make up for each other.
pub(crate) fn generic_entry(i: usize) -> f64 {
    /// How far entries are from one, and how far apart they are as angles: no part of a turn.
    const SPREAD: f64 = 0.7;
    const APART: f64 = 1.7;
    1.0 + SPREAD * (APART * i as f64).sin()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_as_large_as_its_scale_has_norm_one() {
        assert_eq!(scaled_rms(&[1e-6, -2.0], [1e-6, 2.0].into_iter()), 1.0);
    }

    #[test]
    fn the_largest_counts_and_nan_is_the_largest_of_all() {
        assert_eq!(largest(&[1.0, 3.0, 1e-6]), 3.0);
        assert_eq!(largest(&[1.0, f64::INFINITY, 1.0]), f64::INFINITY);
        assert_eq!(largest(&[]), 0.0);
        for k in 0..3 {
            let mut values = [1.0, f64::INFINITY, 3.0];
            values[k] = f64::NAN;
            assert!(largest(&values).is_nan());
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
