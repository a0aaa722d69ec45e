//! How long the matrices of implicit methods are good for: a Jacobian serves several steps, its factors those
//! of one size.

/// From where a linearisation is, if there is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MatrixAge {
    is_known: bool,
    is_fresh: bool,
}

impl MatrixAge {
    /// Whether there is a linearisation, from this start or an earlier one.
    pub(super) fn is_known(self) -> bool {
        self.is_known
    }

    /// Whether it is the one at this start, so that it cannot be improved.
    pub(super) fn is_fresh(self) -> bool {
        self.is_fresh
    }

    /// The equations were linearised at this start.
    pub(super) fn linearised(&mut self) {
        *self = Self { is_known: true, is_fresh: true };
    }

    /// The linearisation is to be found anew. False if it was already the one at this start.
    pub(super) fn renew(&mut self) -> bool {
        self.is_known = false;
        !self.is_fresh
    }

    /// The start has moved along the solution: the linearisation may still serve.
    pub(super) fn advance(&mut self, keep: bool) {
        self.is_fresh = false;
        self.is_known &= keep;
    }
}

/// The record of factorisations: for which step size the last one holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct FactoredStep {
    /// Zero if there are no factors.
    h: f64,
    count: u64,
}

impl FactoredStep {
    /// Whether there are factors for this step size.
    pub(super) fn holds_for(self, h: f64) -> bool {
        self.h == h
    }

    /// The step size of the factors; zero if there are none.
    pub(super) fn h(self) -> f64 {
        self.h
    }

    /// How many factorisations there were.
    pub(super) fn count(self) -> u64 {
        self.count
    }

    /// Goes on with the count of another record, without its factors.
    pub(super) fn continue_count(&mut self, before: Self) {
        self.count = before.count;
    }

    /// A factorisation begins: whatever comes of it, the factors before are lost.
    pub(super) fn begin(&mut self) {
        self.h = 0.0;
        self.count += 1;
    }

    /// It has succeeded.
    pub(super) fn succeed(&mut self, h: f64) {
        self.h = h;
    }

    /// The factors are those of other matrices.
    pub(super) fn forget(&mut self) {
        self.h = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linearisation_can_be_renewed_once_at_each_start() {
        let mut age = MatrixAge::default();
        assert!(!age.is_known() && age.renew());
        age.linearised();
        assert!(age.is_known() && age.is_fresh());
        assert!(!age.renew() && !age.is_known());
        age.linearised();
        age.advance(true);
        assert!(age.is_known() && !age.is_fresh() && age.renew());
        age.linearised();
        age.advance(false);
        assert!(!age.is_known());
    }

    #[test]
    fn factors_hold_for_one_step_size_until_the_next_factorisation() {
        let mut factored = FactoredStep::default();
        factored.begin();
        assert!(!factored.holds_for(0.1));
        factored.succeed(0.1);
        assert!(factored.holds_for(0.1) && !factored.holds_for(0.2) && factored.count() == 1);
        factored.begin();
        assert!(!factored.holds_for(0.1) && factored.count() == 2);
        let mut next = FactoredStep::default();
        next.continue_count(factored);
        assert_eq!((next.h(), next.count()), (0.0, 2));
    }
}
