//! Dense output for methods whose own loses its order on stiff problems.
//!
//! Between its ends the polynomial of such a method leaves the slow solution by far more than the tolerance,
//! because its stages have a low order; the error estimate, which is about the end, does not see it. Here one
//! step of Newton's method with the matrix of the step, `(M / (γ h) - J) δ = f(u) - M u'`, corrects the
//! polynomial `u` at two inner points. In stiff and algebraic components that is the way back to the slow
//! solution, in others it is of the size of the error that is there anyway. The cubic through both ends and
//! these two points has order 3 in all of them.
//!
//! How far it misses a point of the step before is a fourth difference, which estimates its error.

use super::implicit::Linearisation;
use super::{Tolerances, Trial};
use crate::formulation::{Field, Flow};
use crate::math::{Norm, RealLu};

const NODES: [f64; 2] = [1.0 / 3.0, 2.0 / 3.0];
/// The largest value of |θ (θ - 1/3) (θ - 2/3) (θ - 1)| within a step.
const WIDEST: f64 = 1.0 / 81.0;

/// The corrected points of a step, and one of the step before.
#[derive(Clone, Debug)]
pub(super) struct StiffDense {
    n: usize,
    /// The two points, relative to the start of the step.
    points: [Vec<f64>; 2],
    is_known: bool,
    /// The first point of the last step, relative to its end; a size of zero means none.
    before: Vec<f64>,
    before_h: f64,
    state: Vec<f64>,
    slope: Vec<f64>,
    residual: Vec<f64>,
}

impl StiffDense {
    pub(super) fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Self {
            n,
            points: [zeros(), zeros()],
            is_known: false,
            before: zeros(),
            before_h: 0.0,
            state: zeros(),
            slope: zeros(),
            residual: zeros(),
        }
    }

    /// A new trial is made.
    pub(super) fn begin(&mut self) {
        self.is_known = false;
    }

    /// Corrects the points of the polynomial that stands in `trial.dense`, unless that was done.
    pub(super) fn correct(
        &mut self,
        field: &mut Flow<'_>,
        linear: &mut Linearisation,
        matrix: &RealLu,
        trial: &Trial,
    ) {
        if self.is_known {
            return;
        }
        self.is_known = true;
        for (theta, point) in NODES.into_iter().zip(&mut self.points) {
            let t = trial.t + theta * trial.h;
            trial.dense.evaluate(theta, &mut self.state);
            slope_at(trial.dense.coefficients(), theta, &mut self.slope);
            self.slope.iter_mut().for_each(|x| *x /= trial.h);
            field.derivative(t, &self.state, &mut self.residual);
            linear.subtract_mass_times(field, (t, &self.state), &self.slope, &mut self.residual);
            if self.residual.iter().all(|x| x.is_finite()) {
                matrix.solve(&mut self.residual);
            } else {
                self.residual.fill(0.0);
            }
            for (i, point) in point.iter_mut().enumerate() {
                *point = self.state[i] + self.residual[i] - trial.start[i];
            }
        }
    }

    /// Raises the error of the trial to that of the dense output, if it is larger.
    pub(super) fn judge(&mut self, tolerances: &Tolerances, trial: &mut Trial) {
        if self.before_h == 0.0 {
            return;
        }
        let x = -(1.0 - NODES[0]) * self.before_h / trial.h;
        let scale = WIDEST / (x * (x - NODES[0]) * (x - NODES[1]) * (x - 1.0));
        let [a, b, c] = lagrange(x);
        for (i, error) in self.residual.iter_mut().enumerate() {
            let rise = trial.end[i] - trial.start[i];
            let carried_on = a * self.points[0][i] + b * self.points[1][i] + c * rise;
            *error = scale * (self.before[i] - carried_on);
        }
        let of_the_end = trial.error;
        trial.judge(&self.residual, tolerances, Norm::Mean);
        trial.error = trial.error.max(of_the_end);
    }

    /// The cubic through both ends and the corrected points.
    pub(super) fn interpolate(&self, trial: &mut Trial) {
        let n = self.n;
        let c = trial.dense.coefficients_mut(3);
        for i in 0..n {
            let rise = trial.end[i] - trial.start[i];
            // (1-θ) (c₂ + θ c₃) = u/θ - c₁ at the two points.
            let bend = |k: usize| (self.points[k][i] / NODES[k] - rise) / (1.0 - NODES[k]);
            let last = (bend(1) - bend(0)) / (NODES[1] - NODES[0]);
            c[i] = trial.start[i];
            c[n + i] = rise;
            c[2 * n + i] = bend(0) - NODES[0] * last;
            c[3 * n + i] = last;
        }
    }

    /// The trial was taken. Its polynomial stands for the step before from now on.
    pub(super) fn advance(&mut self, h: f64, rise: impl Fn(usize) -> f64) {
        for (i, before) in self.before.iter_mut().enumerate() {
            *before = self.points[0][i] - rise(i);
        }
        self.before_h = if self.is_known { h } else { 0.0 };
    }

    pub(super) fn restart(&mut self) {
        self.before_h = 0.0;
        self.is_known = false;
    }
}

/// The derivative by θ of stored coefficients, by the product rule from the inside out.
fn slope_at(coefficients: &[f64], theta: f64, out: &mut [f64]) {
    let n = out.len();
    let degree = (coefficients.len() / n.max(1)).saturating_sub(1);
    for (i, out) in out.iter_mut().enumerate() {
        let (mut value, mut slope) = (coefficients[degree * n + i], 0.0);
        for k in (0..degree).rev() {
            let (factor, change) = if k % 2 == 0 { (theta, 1.0) } else { (1.0 - theta, -1.0) };
            slope = change * value + factor * slope;
            value = coefficients[k * n + i] + factor * value;
        }
        *out = slope;
    }
}

/// The values at θ of the cubics that are 1 at one of 1/3, 2/3 and 1, and 0 at the others and at 0.
fn lagrange(theta: f64) -> [f64; 3] {
    let [a, b] = NODES;
    let basis = |x: f64, y: f64, z: f64| theta * (theta - y) * (theta - z) / (x * (x - y) * (x - z));
    [basis(a, b, 1.0), basis(b, a, 1.0), basis(1.0, a, b)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::interpolate_at;

    #[test]
    fn slope_is_that_of_the_values() {
        let c = [1.0, 2.0, 3.0, 4.0, 5.0];
        for theta in [0.0, 0.3, 1.0] {
            let at = |x: f64| {
                let mut y = [0.0];
                interpolate_at(&c, x, &mut y);
                y[0]
            };
            let mut slope = [0.0];
            slope_at(&c, theta, &mut slope);
            assert!((slope[0] - (at(theta + 1e-6) - at(theta - 1e-6)) / 2e-6).abs() < 1e-8);
        }
    }
}
