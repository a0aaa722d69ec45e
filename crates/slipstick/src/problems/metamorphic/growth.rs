//! How fast errors grow by themselves.

/// What is seen of a motion whose errors grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorGrowth {
    /// Errors grow tenfold in this time, on the average.
    pub tenfold: f64,
    /// From when on errors within the tolerance have grown to the size of the motion; none if they do not within the run.
    pub from: Option<f64>,
}

/// Errors that grow by less than this factor are not worth a word.
const WORTH: f64 = 1e3;
/// Errors of this part of a state's size are those of the motion itself.
const LARGE: f64 = 1e-2;

impl ErrorGrowth {
    /// From factors of growth by time, and the size of errors within the tolerance; none if they hardly grow.
    pub(super) fn of(factors: &[(f64, f64)], errors: f64) -> Option<Self> {
        let (t, largest) = factors.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let begin = factors.first().map_or(0.0, |(t, _)| *t);
        let is_large = |(_, factor): &&(f64, f64)| factor * errors > LARGE;
        let from = factors.iter().find(is_large).map(|(t, _)| *t);
        (largest >= WORTH).then(|| Self { tenfold: (t - begin) / largest.log10(), from })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_of_growth_is_that_of_the_factors() {
        let factors: Vec<(f64, f64)> =
            (0..=20).map(|k| (f64::from(k), 10_f64.powf(0.5 * f64::from(k)))).collect();
        let growth = ErrorGrowth::of(&factors, 1e-6).unwrap();
        assert!((growth.tenfold - 2.0).abs() < 1e-12);
        assert_eq!(growth.from, Some(9.0));
        assert_eq!(ErrorGrowth::of(&factors[..3], 1e-6), None);
    }
}
