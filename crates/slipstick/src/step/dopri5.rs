//! Dormand and Prince's explicit Runge-Kutta pair of order 5(4) with its continuous extension of order 4.
//!
//! Dormand, Prince, J. Comp. Appl. Math. 6 (1980); dense output: Hairer, Nørsett, Wanner I, eq. II.6.12. The weights are
//! 35/384 … and the error weight of the fifth stage is -17253/339200 (paper 003, table 4.9 has misprints here).

use super::{Fault, Step, Tolerances, Trial};
use crate::formulation::Field;

const STAGES: usize = 7;

/// The nodes `c`.
pub(crate) const C: [f64; STAGES] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];

/// The matrix `a` by rows; the last row is also the weights `b` (first same as last).
pub(crate) const A: [[f64; 6]; STAGES] = [
    [0.0; 6],
    [0.2, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
    [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
    [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];

/// The weights of the error estimate, `b - b̂`.
pub(crate) const E: [f64; STAGES] =
    [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339_200.0, 22.0 / 525.0, -1.0 / 40.0];

/// The weights of the highest coefficient of the dense output.
pub(crate) const D: [f64; STAGES] = [
    -12_715_105_075.0 / 11_282_082_432.0,
    0.0,
    87_487_479_700.0 / 32_700_410_799.0,
    -10_690_763_975.0 / 1_880_347_072.0,
    701_980_252_875.0 / 199_316_789_632.0,
    -1_453_857_185.0 / 822_651_844.0,
    69_997_945.0 / 29_380_423.0,
];

/// The method with its stage derivatives.
#[derive(Clone, Debug)]
pub struct DormandPrince5 {
    dimension: usize,
    /// `k₁ … k₇`, one after the other.
    stages: Vec<f64>,
    point: Vec<f64>,
    error: Vec<f64>,
    first_is_known: bool,
}

impl DormandPrince5 {
    /// The method for states of the given length.
    pub fn new(dimension: usize) -> Self {
        let zeros = || vec![0.0; dimension];
        Self {
            dimension,
            stages: vec![0.0; STAGES * dimension],
            point: zeros(),
            error: zeros(),
            first_is_known: false,
        }
    }

    fn stage(&self, i: usize) -> &[f64] {
        &self.stages[i * self.dimension..(i + 1) * self.dimension]
    }

    /// `y + h Σ_j weights_j k_j`, into `point`.
    fn combine(&mut self, y: &[f64], h: f64, weights: &[f64]) {
        let n = self.dimension;
        for (i, (point, y)) in self.point.iter_mut().zip(y).enumerate() {
            let sum: f64 = weights.iter().enumerate().map(|(j, w)| w * self.stages[j * n + i]).sum();
            *point = y + h * sum;
        }
    }

    /// Evaluates the stages from the first unknown one on.
    fn fill_stages(&mut self, field: &mut dyn Field, t: f64, h: f64, y: &[f64]) {
        let n = self.dimension;
        if !self.first_is_known {
            field.derivative(t, y, &mut self.stages[..n]);
            self.first_is_known = true;
        }
        for i in 1..STAGES {
            self.combine(y, h, &A[i][..i]);
            field.derivative(t + C[i] * h, &self.point, &mut self.stages[i * n..(i + 1) * n]);
        }
    }

    /// The first stage and component that is not finite.
    fn find_fault(&self, t: f64, h: f64) -> Option<Fault> {
        let position = self.stages.iter().position(|k| !k.is_finite())?;
        let (stage, component) = (position / self.dimension, position % self.dimension);
        Some(Fault { component, t: t + C[stage] * h, value: self.stages[position] })
    }
}

impl Step for DormandPrince5 {
    fn attempt(&mut self, field: &mut dyn Field, tolerances: &Tolerances, trial: &mut Trial) {
        self.fill_stages(field, trial.t, trial.h, &trial.start);
        // The last row of `a` is `b`: the seventh stage was evaluated at the end of the step.
        trial.end.copy_from_slice(&self.point);
        let n = self.dimension;
        for (i, error) in self.error.iter_mut().enumerate() {
            let sum: f64 = E.iter().enumerate().map(|(j, e)| e * self.stages[j * n + i]).sum();
            *error = trial.h * sum;
        }
        trial.judge(&self.error, tolerances);
        trial.fault = if trial.error.is_finite() { None } else { self.find_fault(trial.t, trial.h) };
    }

    fn interpolate(&mut self, _field: &mut dyn Field, trial: &mut Trial) {
        let (n, h) = (self.dimension, trial.h);
        let c = trial.dense.coefficients_mut(4);
        for i in 0..n {
            let k = |j: usize| self.stage(j)[i];
            let rise = trial.end[i] - trial.start[i];
            let bend = h * k(0) - rise;
            c[i] = trial.start[i];
            c[n + i] = rise;
            c[2 * n + i] = bend;
            c[3 * n + i] = rise - h * k(6) - bend;
            c[4 * n + i] = h * D.iter().enumerate().map(|(j, d)| d * k(j)).sum::<f64>();
        }
    }

    fn advance(&mut self) {
        let n = self.dimension;
        self.stages.copy_within((STAGES - 1) * n.., 0);
        self.first_is_known = true;
    }

    fn restart(&mut self) {
        self.first_is_known = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order conditions of all rooted trees up to order 5, as sums over b, c and A.
    fn residuals(b: &[f64; STAGES], order: u32) -> Vec<f64> {
        let sum = |f: &dyn Fn(usize) -> f64| -> f64 { (0..STAGES).map(|i| b[i] * f(i)).sum() };
        let inner =
            |i: usize, f: &dyn Fn(usize) -> f64| -> f64 { (0..i.min(6)).map(|j| A[i][j] * f(j)).sum() };
        let c = |i: usize| C[i];
        let ac = |i: usize| inner(i, &c);
        let ac2 = |i: usize| inner(i, &|j| C[j].powi(2));
        let aac = |i: usize| inner(i, &ac);
        let mut all = vec![
            (1, sum(&|_| 1.0) - 1.0),
            (2, sum(&c) - 0.5),
            (3, sum(&|i| c(i).powi(2)) - 1.0 / 3.0),
            (3, sum(&ac) - 1.0 / 6.0),
            (4, sum(&|i| c(i).powi(3)) - 0.25),
            (4, sum(&|i| c(i) * ac(i)) - 0.125),
            (4, sum(&ac2) - 1.0 / 12.0),
            (4, sum(&aac) - 1.0 / 24.0),
            (5, sum(&|i| c(i).powi(4)) - 0.2),
            (5, sum(&|i| c(i).powi(2) * ac(i)) - 0.1),
            (5, sum(&|i| c(i) * ac2(i)) - 1.0 / 15.0),
            (5, sum(&|i| c(i) * aac(i)) - 1.0 / 30.0),
            (5, sum(&|i| ac(i).powi(2)) - 0.05),
            (5, sum(&|i| inner(i, &|j| C[j].powi(3))) - 0.05),
            (5, sum(&|i| inner(i, &|j| C[j] * ac(j))) - 1.0 / 40.0),
            (5, sum(&|i| inner(i, &ac2)) - 1.0 / 60.0),
            (5, sum(&|i| inner(i, &aac)) - 1.0 / 120.0),
        ];
        all.retain(|(o, _)| *o <= order);
        all.into_iter().map(|(_, residual)| residual).collect()
    }

    fn weights() -> [f64; STAGES] {
        let mut b = [0.0; STAGES];
        b[..6].copy_from_slice(&A[6]);
        b
    }

    #[test]
    fn tableau_satisfies_the_seventeen_conditions_of_order_five() {
        for residual in residuals(&weights(), 5) {
            assert!(residual.abs() < 1e-15, "{residual:e}");
        }
    }

    #[test]
    fn embedded_weights_have_order_four_and_not_five() {
        let mut low = weights();
        for (b, e) in low.iter_mut().zip(E) {
            *b -= e;
        }
        assert!(residuals(&low, 4).iter().all(|r| r.abs() < 1e-15));
        assert!(residuals(&low, 5).iter().any(|r| r.abs() > 1e-4));
    }

    #[test]
    fn nodes_are_the_row_sums() {
        for i in 0..STAGES {
            assert!((A[i].iter().sum::<f64>() - C[i]).abs() < 1e-14);
        }
    }
}
