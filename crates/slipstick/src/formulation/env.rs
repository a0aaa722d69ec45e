//! What a form of a mechanism is lent for a call: the evaluator, what is locked with the constraints that
//! hold, the time, and where work is counted.

use crate::equations::{Evaluator, Locked, Terms};

/// Work on the linear systems of a mechanism so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MotionCounts {
    /// How often a linear system was factored, for accelerations or for projections.
    pub(super) factorisations: u64,
    /// How many steps were projected.
    pub(super) corrected: u64,
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

    pub(super) fn terms(&mut self, y: &[f64], terms: &mut Terms) {
        self.eval.terms(self.locked, self.t, y, terms);
    }

    pub(super) fn driving_terms(&mut self, y: &[f64], terms: &mut Terms) {
        self.eval.driving_terms(self.locked, self.t, y, terms);
    }

    pub(super) fn gradients(&mut self, y: &[f64], terms: &mut Terms) {
        self.eval.gradients(self.locked, self.t, y, terms);
    }

    pub(super) fn residuals(&mut self, y: &[f64], position: &mut [f64], velocity: &mut [f64]) {
        self.eval.residuals(self.locked, self.t, y, position, velocity);
    }

    pub(super) fn residuals_of_terms(
        &mut self,
        y: &[f64],
        terms: &Terms,
        position: &mut [f64],
        velocity: &mut [f64],
    ) {
        self.eval.residuals_of_terms((self.locked, self.t, y), terms, position, velocity);
    }

    pub(super) fn position_residuals(&mut self, y: &[f64], position: &mut [f64], velocity: &mut [f64]) {
        self.eval.position_residuals(self.locked, self.t, y, position, velocity);
    }

    pub(super) fn rates(
        &mut self,
        y: &[f64],
        position: &mut [f64],
        velocity: &mut [f64],
        terms: &mut Terms,
    ) -> bool {
        self.eval.rates(self.locked, self.t, y, position, velocity, terms)
    }

    pub(super) fn turn(&mut self, change: &[f64], turned: &mut [f64]) -> bool {
        self.eval.turn(self.locked, change, turned)
    }

    pub(super) fn rate_slopes(&mut self, y: &[f64], slopes: &mut [f64]) -> bool {
        self.eval.rate_slopes(self.locked, self.t, y, slopes)
    }

    pub(super) fn rate_slope_entries(&mut self, y: &[f64], slopes: &mut [f64]) -> bool {
        self.eval.rate_slope_entries(self.locked, self.t, y, slopes)
    }

    pub(super) fn tangent(&mut self, y: &[f64], change: &[f64], out: &mut [f64]) -> bool {
        self.eval.tangent(self.locked, self.t, y, change, out)
    }

    pub(super) fn jacobian_entries(&mut self, y: &[f64], each: &mut dyn FnMut(usize, f64)) -> bool {
        self.eval.jacobian_entries((self.locked, self.t, y), each)
    }

    /// The rates of the whole state, with the motion that was published.
    pub(super) fn derivative(&mut self, y: &[f64], dy: &mut [f64]) {
        self.eval.derivative(self.locked, self.t, y, dy);
    }

    pub(super) fn shift_positions(&mut self, q: &mut [f64], change: &[f64]) {
        self.eval.shift_positions(self.t, q, change);
    }

    pub(super) fn has_kinematics(&self) -> bool {
        self.eval.has_kinematics()
    }
}
