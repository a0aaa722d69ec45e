//! Sums of many numbers without the loss of small ones.

/// A sum in two numbers: what is lost when a small number is added to a large one is kept beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunningSum {
    sum: f64,
    rest: f64,
}

impl RunningSum {
    /// The sum with another number (Knuth's exact addition).
    #[must_use]
    pub fn plus(self, x: f64) -> Self {
        let sum = self.sum + x;
        let part = sum - self.sum;
        Self { sum, rest: self.rest + ((self.sum - (sum - part)) + (x - part)) }
    }

    /// How much was added since an earlier sum.
    pub fn since(self, earlier: Self) -> f64 {
        (self.sum - earlier.sum) + (self.rest - earlier.rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_are_not_lost_in_a_large_sum() {
        let large = RunningSum::default().plus(1e9);
        let after = (0..1000).fold(large, |sum, _| sum.plus(1e-12));
        let rounding = 1000.0 * f64::EPSILON * 1e-9;
        assert!((after.since(large) - 1e-9).abs() < rounding);
    }
}
