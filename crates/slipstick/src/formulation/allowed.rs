//! What of a gradient the constraints of a mechanism allow.
//!
//! `[M Gᵀ; G 0] [d; λ] = [∇; 0]` splits a gradient by speeds, or by coordinates, into `Gᵀ λ`, which constraints keep from changing, and the force `∇ - Gᵀ λ` that moves the
//! mechanism in the direction `d`. With `d`, a state is moved without leaving the constraints of speeds; where nothing is left for `d`, the constraints hold what the
//! gradient is of.

use super::Index1;
use super::env::Env;
use super::landing::largest;

/// A gradient of which constraints leave no more than this part is held by them.
const HELD: f64 = 1e-8;

impl Index1 {
    /// Splits a gradient, with the linear system as it was factored, and leaves the allowed direction in `motion`. Tells whether anything is left for it.
    fn split(&mut self, gradient: &[f64]) -> bool {
        self.motion.copy_from_slice(gradient);
        self.multipliers.fill(0.0);
        self.saddle.solve(&mut self.motion, &mut self.multipliers);
        // What formulas are told is told anew where it is needed.
        let left = &mut self.published[..self.n];
        left.copy_from_slice(gradient);
        self.terms.jacobian.add_transposed(-1.0, &self.multipliers, left);
        largest(left) > HELD * largest(gradient)
    }

    /// Turns the gradient of a surface into a direction in which speeds stay on their constraints and positions stay as they are. One that has no such part stays.
    pub(super) fn allow_direction(&mut self, env: &mut Env<'_>, y: &[f64], direction: &mut [f64]) {
        let (q, speeds) = (self.positions, self.positions..self.positions + self.n);
        if self.multipliers.is_empty() || !self.factor(env, y) || !self.split(&direction[speeds.clone()]) {
            return;
        }
        direction[..q].fill(0.0);
        direction[speeds].copy_from_slice(&self.motion);
    }
}
