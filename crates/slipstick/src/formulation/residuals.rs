//! Residuals of constraints: what is left of `g`, and of the velocity level of all constraints.

use super::env::Env;
use super::linear_system::MechanismSizes;
use crate::math::Matrix;

/// How many spacings of doubles rounding makes of a velocity residual at most.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The step of central differences, as a part of the largest coordinate: the cube root of rounding, where the
/// error of the difference and its rounding are alike.
const DIFFERENCE: f64 = 6e-6;
/// The coordinate that the step is a part of is at least this long, in the unit of the model.
const SHORTEST: f64 = 1e-3;

/// The residuals of the constraints that have rows, where they were measured last.
#[derive(Clone, Debug)]
pub(super) struct ConstraintResiduals {
    /// Of the constraints of positions.
    pub(super) position: Vec<f64>,
    /// Of all constraints at the velocity level.
    pub(super) velocity: Vec<f64>,
}

impl ConstraintResiduals {
    pub(super) fn new(sizes: MechanismSizes) -> Self {
        Self { position: vec![0.0; sizes.holonomic], velocity: vec![0.0; sizes.rows] }
    }

    /// Measures both.
    pub(super) fn measure(&mut self, env: &mut Env<'_>, y: &[f64]) {
        env.residuals(y, &mut self.position, &mut self.velocity);
    }
}

/// The gradients of the velocity residuals by positions, by rows: exact where the system knows them, otherwise by
/// central differences.
pub(super) fn velocity_slopes(sizes: MechanismSizes, env: &mut Env<'_>, y: &[f64], slopes: &mut [f64]) {
    if env.rate_slopes(y, slopes) {
        return;
    }
    let n = sizes.velocities;
    let (mut ahead, mut behind) = (ConstraintResiduals::new(sizes), ConstraintResiduals::new(sizes));
    let (mut beside, mut change) = (y.to_vec(), vec![0.0; n]);
    // A change is taken off: `-step` moves ahead.
    let step = DIFFERENCE * y[..sizes.positions].iter().fold(SHORTEST, |size: f64, q| size.max(q.abs()));
    for i in 0..n {
        for (change_by, out) in [(-step, &mut ahead), (step, &mut behind)] {
            beside.copy_from_slice(y);
            change[i] = change_by;
            env.shift_positions(&mut beside[..sizes.positions], &change);
            out.measure(env, &beside);
        }
        change[i] = 0.0;
        for (row, (ahead, behind)) in ahead.velocity.iter().zip(&behind.velocity).enumerate() {
            slopes[row * n + i] = (ahead - behind) / (2.0 * step);
        }
    }
}

/// Whether velocity residuals are no more than rounding makes of velocities of these sizes. Constraints that
/// are left out are redundant only where positions meet the others: theirs do not count.
pub(super) fn are_rounding(
    residuals: &[f64],
    (gradients, left_out): (&Matrix, &[usize]),
    size: impl Fn(usize) -> f64,
) -> bool {
    let largest = (0..gradients.columns()).map(size).fold(0.0, f64::max);
    let length = |row: usize| gradients.row(row).map(|(_, g)| g * g).sum::<f64>().sqrt();
    // In a mechanism that is blocked, velocities shrink until their rounding is no normal number.
    let is_met = |row: usize| residuals[row].abs() <= ROUNDING * length(row) * largest + f64::MIN_POSITIVE;
    (0..residuals.len()).all(|row| is_met(row) || left_out.contains(&row))
}

/// Whether all residuals are within a part of the lengths of their rows.
pub(super) fn are_within(residuals: &[f64], lengths: &[f64], part: f64) -> bool {
    residuals.iter().zip(lengths).all(|(x, length)| x.abs() <= part * length)
}

/// The largest of numbers, by size.
pub(super) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, x| if x.abs() > most { x.abs() } else { most })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{lend, pendulum};
    use super::*;

    #[test]
    fn slopes_by_differences_are_those_of_the_rod() {
        lend(&pendulum(), |linear, env| {
            let (y, mut slopes) = ([0.6, -0.8, 3.0, 1.0], [0.0; 2]);
            let mut residuals = ConstraintResiduals::new(linear.sizes);
            residuals.measure(env, &y);
            assert!((residuals.position[0]).abs() < 1e-15 && (residuals.velocity[0] - 2.0).abs() < 1e-14);
            velocity_slopes(linear.sizes, env, &y, &mut slopes);
            assert!((slopes[0] - 6.0).abs() < 1e-8 && (slopes[1] - 2.0).abs() < 1e-8, "2 v: {slopes:?}");
        });
    }

    #[test]
    fn what_is_left_out_does_not_count() {
        let gradients = Matrix::full(2, 2);
        assert!(!are_rounding(&[1.0, 0.0], (&gradients, &[]), |_| 1.0));
        assert!(are_rounding(&[1.0, 0.0], (&gradients, &[0]), |_| 1.0));
        assert!(are_rounding(&[5e-324, 0.0], (&gradients, &[]), |_| 1e-323), "no number is smaller");
        assert!(are_within(&[1e-9, -2e-9], &[1.0, 2.0], 1e-9) && !are_within(&[2e-9], &[1.0], 1e-9));
        assert_eq!(largest(&[1.0, -3.0, 2.0]), 3.0);
    }
}
