//! What a form of a mechanism is lent for a call: the evaluator, what is locked with the constraints that
//! hold, the time, and where work is counted.

use crate::equations::{
    At, Evaluator, LawsWanted, Locked, MechanismTerms, ResidualsWanted, SlopePlaces, Terms, TermsWanted,
};

/// Work on the linear systems of a mechanism so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct MotionCounts {
    /// How often a linear system was factored, for accelerations or for projections.
    pub factorisations: u64,
    /// How many steps were projected.
    pub corrected: u64,
}

/// The equations of a mechanism at a time.
pub(super) struct Env<'e> {
    pub(super) eval: &'e mut (dyn Evaluator + 'e),
    pub(super) locked: Locked<'e>,
    pub(super) t: f64,
    pub(super) counts: &'e mut MotionCounts,
}

impl Env<'_> {
    /// The same at another time.
    pub(super) fn at(&mut self, t: f64) -> Env<'_> {
        Env { eval: &mut *self.eval, locked: self.locked, t, counts: &mut *self.counts }
    }

    fn mechanism<R>(
        &mut self,
        y: &[f64],
        ask: impl FnOnce(&mut dyn MechanismTerms, At<'_>) -> R,
    ) -> Option<R> {
        let at = (self.locked, self.t, y);
        self.eval.mechanism().map(|mechanism| ask(mechanism, at))
    }

    pub(super) fn terms(&mut self, y: &[f64], terms: &mut Terms) {
        self.mechanism(y, |mechanism, at| mechanism.terms(at, TermsWanted::All, terms));
    }

    pub(super) fn driving_terms(&mut self, y: &[f64], terms: &mut Terms) {
        self.mechanism(y, |mechanism, at| mechanism.terms(at, TermsWanted::Driving, terms));
    }

    pub(super) fn gradients(&mut self, y: &[f64], terms: &mut Terms) {
        self.mechanism(y, |mechanism, at| mechanism.terms(at, TermsWanted::Gradients, terms));
    }

    pub(super) fn laws(&mut self, y: &[f64], laws: &mut [f64]) {
        self.mechanism(y, |mechanism, at| mechanism.laws(at, LawsWanted::Contacts, laws));
    }

    pub(super) fn residuals(&mut self, y: &[f64], position: &mut [f64], velocity: &mut [f64]) {
        let all = (position, velocity);
        self.mechanism(y, |mechanism, at| mechanism.residuals(at, ResidualsWanted::All, all));
    }

    pub(super) fn residuals_of_terms(
        &mut self,
        y: &[f64],
        terms: &Terms,
        position: &mut [f64],
        velocity: &mut [f64],
    ) {
        let (want, all) = (ResidualsWanted::OfTerms(terms), (position, velocity));
        self.mechanism(y, |mechanism, at| mechanism.residuals(at, want, all));
    }

    pub(super) fn position_residuals(&mut self, y: &[f64], position: &mut [f64], velocity: &mut [f64]) {
        let all = (position, velocity);
        self.mechanism(y, |mechanism, at| mechanism.residuals(at, ResidualsWanted::Positions, all));
    }

    pub(super) fn rates(
        &mut self,
        y: &[f64],
        position: &mut [f64],
        velocity: &mut [f64],
        terms: &mut Terms,
    ) -> bool {
        self.mechanism(y, |mechanism, at| mechanism.rates(at, (position, velocity), terms)).unwrap_or(false)
    }

    pub(super) fn turn(&mut self, change: &[f64], turned: &mut [f64]) -> bool {
        self.mechanism(&[], |mechanism, (locked, ..)| mechanism.turn(locked, change, turned)).unwrap_or(false)
    }

    pub(super) fn rate_slopes(&mut self, y: &[f64], slopes: &mut [f64]) -> bool {
        let full = SlopePlaces::Full;
        self.mechanism(y, |mechanism, at| mechanism.rate_slopes(at, full, slopes)).unwrap_or(false)
    }

    pub(super) fn rate_slope_entries(&mut self, y: &[f64], slopes: &mut [f64]) -> bool {
        let named = SlopePlaces::Named;
        self.mechanism(y, |mechanism, at| mechanism.rate_slopes(at, named, slopes)).unwrap_or(false)
    }

    pub(super) fn tangent(&mut self, y: &[f64], change: &[f64], out: &mut [f64]) -> bool {
        self.mechanism(y, |mechanism, at| mechanism.tangent(at, change, out)).unwrap_or(false)
    }

    pub(super) fn jacobian_entries(&mut self, y: &[f64], each: &mut dyn FnMut(usize, f64)) -> bool {
        self.eval.jacobian_entries((self.locked, self.t, y), each)
    }

    pub(super) fn shift_positions(&mut self, q: &mut [f64], change: &[f64]) {
        self.mechanism(&[], |mechanism, (_, t, _)| mechanism.shift_positions(t, q, change));
    }

    pub(super) fn has_kinematics(&self) -> bool {
        self.eval.has_kinematics()
    }
}
