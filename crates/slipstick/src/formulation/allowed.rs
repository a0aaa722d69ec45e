//! What of a gradient the constraints of a mechanism allow.
//!
//! `[M Gᵀ; G 0] [d; λ] = [∇; 0]` splits a gradient by velocities into `Gᵀ λ`, which constraints keep from
//! changing, and the force `∇ - Gᵀ λ` that moves the mechanism in the direction `d`. With `d`, a state is
//! moved without leaving the constraints of velocities; where nothing is left for `d`, the constraints hold
//! what the gradient is of.

use super::env::Env;
use super::linear_system::LinearSystem;
use super::residuals::largest;

/// A gradient of which constraints leave no more than this part is held by them: the root of rounding.
const HELD: f64 = 1e-8;

/// Finds directions that the constraints allow.
pub(super) struct AllowedDirections {
    direction: Vec<f64>,
    multipliers: Vec<f64>,
    left: Vec<f64>,
}

impl AllowedDirections {
    pub(super) fn new(linear: &LinearSystem) -> Self {
        let (n, m) = (linear.sizes.velocities, linear.sizes.rows);
        Self { direction: vec![0.0; n], multipliers: vec![0.0; m], left: vec![0.0; n] }
    }

    /// Turns the gradient of a surface into a direction in which velocities stay on their constraints and
    /// positions stay as they are. One that has no such part stays.
    pub(super) fn allow(
        &mut self,
        linear: &mut LinearSystem,
        env: &mut Env<'_>,
        y: &[f64],
        gradient: &mut [f64],
    ) {
        let velocities = linear.sizes.velocity_range();
        if self.multipliers.is_empty()
            || !linear.factor(env, y)
            || !self.split(linear, &gradient[velocities.clone()])
        {
            return;
        }
        gradient[..velocities.start].fill(0.0);
        gradient[velocities].copy_from_slice(&self.direction);
    }

    /// Splits a gradient with the factors there are. Returns whether anything is left for the direction.
    fn split(&mut self, linear: &mut LinearSystem, gradient: &[f64]) -> bool {
        self.direction.copy_from_slice(gradient);
        self.multipliers.fill(0.0);
        linear.saddle.solve(&mut self.direction, &mut self.multipliers);
        self.left.copy_from_slice(gradient);
        linear.terms.jacobian.add_transposed(-1.0, &self.multipliers, &mut self.left);
        largest(&self.left) > HELD * largest(gradient)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{lend, pendulum};
    use super::*;

    #[test]
    fn a_rod_allows_what_is_across_it() {
        lend(&pendulum(), |mut linear, env| {
            let (y, mut allowed) = ([1.0, 0.0, 0.0, 1.0], AllowedDirections::new(&linear));
            let mut gradient = [5.0, 0.0, 3.0, 4.0];
            allowed.allow(&mut linear, env, &y, &mut gradient);
            assert_eq!(gradient[..3], [0.0; 3]);
            assert!((gradient[3] - 2.0).abs() < 1e-15, "over the mass of two");
            let mut held = [0.0, 0.0, 3.0, 0.0];
            allowed.allow(&mut linear, env, &y, &mut held);
            assert_eq!(held, [0.0, 0.0, 3.0, 0.0], "along the rod nothing is allowed");
        });
    }
}
