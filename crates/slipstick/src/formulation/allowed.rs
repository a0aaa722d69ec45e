//! What of a gradient the constraints of a mechanism allow.
//!
//! `[M Gᵀ; G 0] [d; λ] = [∇; 0]` splits a gradient by speeds, or by coordinates, into `Gᵀ λ`, which constraints keep from changing, and the force `∇ - Gᵀ λ` that moves the
//! mechanism in the direction `d`. With `d`, a state is moved without leaving the constraints of speeds; where nothing is left for `d`, the constraints hold what the
//! gradient is of.

use super::env::Env;
use super::landing::largest;
use super::{Flow, Index1};

/// A gradient of which constraints leave no more than this part is held by them.
const HELD: f64 = 1e-8;

/// Accelerations below this part of what the forces would give the lightest body are rounding.
const STILL: f64 = 1e-9;

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

    /// Whether no motion that the constraints allow changes what has this gradient. The linear system has been factored.
    fn fixes(&mut self, env: &Env<'_>, gradient: &[f64]) -> bool {
        // Coordinates whose rates are not the speeds have gradients of another kind.
        let (of_positions, rest) = gradient.split_at(self.positions);
        // What only hangs on further states is not held by constraints.
        let hangs = largest(of_positions) + largest(&rest[..self.n]) > 0.0;
        let by_speeds = hangs && !self.split(&rest[..self.n]);
        let by_positions =
            largest(of_positions) == 0.0 || (!env.has_kinematics() && !self.split(of_positions));
        by_speeds && by_positions
    }

    /// Where no motion that the constraints allow changes what has this gradient, the second rate that it has by rounding; none where there is one.
    fn allows_little(&mut self, env: &mut Env<'_>, y: &[f64], gradient: &[f64]) -> Option<f64> {
        if self.multipliers.is_empty() || !self.factor(env, y) {
            return None;
        }
        let small = self.rounding_of_accelerations() * gradient.iter().map(|g| g.abs()).sum::<f64>();
        self.fixes(env, gradient).then_some(small)
    }

    /// Accelerations that are only rounding where forces and constraints are balanced.
    fn rounding_of_accelerations(&self) -> f64 {
        let lightest = (0..self.n).filter_map(|i| self.terms.mass.row(i).find(|(j, _)| *j == i));
        let lightest =
            lightest.map(|(_, mass)| mass).filter(|mass| *mass > 0.0).fold(f64::INFINITY, f64::min);
        STILL * largest(&self.terms.force) / lightest
    }
}

impl Flow<'_> {
    /// Whether the constraints of a mechanism hold a guard where it is for the given time, so that it changes by less than `band`; `gradient` is that of the guard.
    pub fn holds(
        &mut self,
        guard: usize,
        t: f64,
        y: &[f64],
        gradient: &[f64],
        (time, band): (f64, f64),
    ) -> bool {
        let small = self.on_form(t, y, |form, env, y| form.allows_little(env, y, gradient)).flatten();
        let Some(small) = small else { return false };
        let count = self.system.guards().len();
        let (mut first, mut second) = (vec![0.0; count], vec![0.0; count]);
        self.guard_rates(t, y, time, (&mut first, &mut second));
        let stays = first[guard].abs() * time <= band;
        stays && second[guard].abs() <= small.max(band / (time * time))
    }
}
