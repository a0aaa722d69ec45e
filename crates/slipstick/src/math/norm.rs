//! Norms: the scaled root-mean-square of error control (Hairer, Nørsett, Wanner I, eq. II.4.11) and plain distance.

/// `sqrt(mean((e_i / s_i)²))`: 1 means "as large as allowed". NaN in, NaN out.
#[inline]
pub fn scaled_rms(errors: &[f64], scales: impl Iterator<Item = f64>) -> f64 {
    let sum: f64 = errors.iter().zip(scales).map(|(e, s)| (e / s).powi(2)).sum();
    (sum / errors.len().max(1) as f64).sqrt()
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
    fn an_empty_state_has_norm_zero() {
        assert_eq!(scaled_rms(&[], std::iter::empty()), 0.0);
    }

    #[test]
    fn distance_is_euclidean() {
        assert_eq!(distance(&[0.0, 3.0], &[4.0, 0.0]), 5.0);
    }
}
