//! A problem is stiff if explicit steps stay at the stability limit (Hairer, Wanner II, section IV.2).

/// A step this near to the limit of stability is a strike; one this far from it still counts a little.
const NEAR_THE_LIMIT: f64 = 0.8;
const SUSPICIOUS: f64 = 0.25;
/// So many strikes, with fewer than [`CALM`] calm steps in between, and other methods are tried.
const STRIKES: f64 = 15.0;
const CALM: u32 = 6;

/// Counts steps at the limit of stability.
#[derive(Clone, Copy, Debug)]
pub(super) struct StiffnessCount {
    strikes: f64,
    calm: u32,
    patience: f64,
    suspects: bool,
}

impl Default for StiffnessCount {
    /// Only steps at the limit count.
    fn default() -> Self {
        Self { strikes: 0.0, calm: 0, patience: STRIKES, suspects: false }
    }
}

/// While nothing points to a stiff problem, every so many steps are looked at.
const LOOK_EVERY: u64 = 16;

impl StiffnessCount {
    /// Steps not far from the limit count a little.
    pub(super) fn suspicious() -> Self {
        Self { suspects: true, ..Self::default() }
    }

    /// One step at the limit is enough.
    pub(super) fn impatient() -> Self {
        Self { patience: 1.0, ..Self::default() }
    }

    /// Whether a step, given by its number, is to be looked at.
    pub(super) fn is_due(self, step: u64) -> bool {
        self.strikes > 0.0 || step.is_multiple_of(LOOK_EVERY)
    }

    /// Takes note of a step; true when the problem is found to be stiff.
    pub(super) fn record(&mut self, stiffness: Option<f64>) -> bool {
        let stiffness = stiffness.unwrap_or(0.0);
        if stiffness > NEAR_THE_LIMIT {
            self.strikes += 1.0;
            self.calm = 0;
        } else if stiffness > SUSPICIOUS && self.suspects {
            self.strikes += ((stiffness - SUSPICIOUS) / (NEAR_THE_LIMIT - SUSPICIOUS)).powi(2);
        } else if self.strikes > 0.0 {
            self.calm += 1;
            if self.calm >= CALM {
                self.begin_anew(1.0);
            }
        }
        self.strikes >= self.patience
    }

    pub(super) fn begin_anew(&mut self, patience: f64) {
        (self.strikes, self.calm, self.patience) = (0.0, 0, self.patience * patience);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_steps_at_the_limit_do_not_make_a_stiff_problem() {
        let mut count = StiffnessCount::default();
        for k in 0..1000 {
            // Ten steps at the limit, then calm.
            assert!(!count.record(Some(if k % 20 < 10 { 1.5 } else { 0.1 })));
        }
        assert!((0..20).any(|_| count.record(Some(1.5))));
    }
}
