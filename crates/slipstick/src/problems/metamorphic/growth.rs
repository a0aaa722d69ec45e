//! How fast errors grow by themselves.

/// What is seen of a motion whose errors grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorGrowth {
    /// Errors grow tenfold in this time, on the average.
    pub tenfold: f64,
    /// From when on errors within the tolerance have grown to the size of the motion; none if they do not
    /// within the run.
    pub from: Option<f64>,
}

/// Errors that grow by less than this factor are not worth a word.
const WORTH: f64 = 1e3;
/// Errors of this part of a state's size are those of the motion itself.
pub(super) const LARGE: f64 = 1e-2;

impl ErrorGrowth {
    /// From distances by time that were this at the start, as parts of the states' sizes; none if they hardly
    /// grow.
    pub(super) fn of(distances: &[(f64, f64)], start: f64) -> Option<Self> {
        let large = distances.iter().position(|(_, apart)| *apart > LARGE);
        let small = &distances[..large.map_or(distances.len(), |first| first + 1)];
        let (t, largest) = small.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let begin = distances.first().map_or(0.0, |(t, _)| *t);
        let factor = largest / start;
        let tenfold = (t - begin) / factor.log10();
        // What is as large at the start has not grown: another start was made consistent.
        (factor >= WORTH && t > begin).then(|| Self { tenfold, from: large.map(|first| distances[first].0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_of_growth_is_that_of_the_distances() {
        let distance = |k: i32| (f64::from(k), 1e-6 * 10_f64.powf(0.5 * f64::from(k)));
        let distances: Vec<(f64, f64)> = (0..=20).map(distance).collect();
        let growth = ErrorGrowth::of(&distances, 1e-6).unwrap();
        assert!((growth.tenfold - 2.0).abs() < 1e-12);
        assert_eq!(growth.from, Some(9.0));
        assert_eq!(ErrorGrowth::of(&distances[..3], 1e-6), None);
        assert_eq!(ErrorGrowth::of(&[(0.0, 0.5), (1.0, 0.5)], 1e-6), None, "it begins elsewhere");
    }
}
