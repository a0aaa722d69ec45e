//! Radau IIA of order 5 with 3 stages: Hairer, Wanner II, section IV.8 (their code RADAU5).
//!
//! The stages are `Y_i = y₀ + Z_i` with `M(Y_i) Σ_j (A⁻¹)_ij Z_j / h = f(Y_i)`. A linear change of the unknowns, `Z = T W`, turns the system of Newton's
//! iteration into one real and one complex system of the size of the state. Its matrix has Jacobian and mass at the start of
//! this or an earlier step; a mass that varies is evaluated at the stages in the residual, so that the solution does not depend on
//! that. A constant mass may be singular (index 1).
//!
//! The error is estimated with order 3, that is by far too large for a method of order 5; as in RADAU5 it is compared with
//! `tolerance^(2/3) / 10`, so that steps follow the tolerance as they do for a method of order 5. The estimate does not see stiff
//! components between the stages, where dense output is needed for events: the error of the collocation polynomial is estimated too, by
//! its distance from a stage of the step before, and held to the same measure.

use super::implicit::{
    Linearisation, Newton, Progress, check_finite, measure, newton_tolerance, smallest_relative,
};
use super::{Fault, Method, Step, Tolerances, Trial};
use crate::formulation::{Field, Flow};
use crate::math::{ComplexLu, RealLu, scaled_rms};

/// √6.
const R6: f64 = 2.449489742783178;
/// The nodes c.
const C: [f64; 3] = [(4.0 - R6) / 10.0, (4.0 + R6) / 10.0, 1.0];
/// The inverse of the matrix of the method.
const A_INVERSE: [[f64; 3]; 3] = [
    [2.0 + 0.5 * R6, 1.1678400846904055, -0.2531972647421808],
    [-3.5678400846904055, 2.0 - 0.5 * R6, 1.0531972647421808],
    [5.531972647421808, -7.531972647421808, 5.0],
];
/// Eigenvectors of `A⁻¹`: `T⁻¹ A⁻¹ T` has γ in its first place and (α -β; β α) in the others.
const T: [[f64; 3]; 3] = [
    [0.09443876248897524, -0.1412552950209542, -0.030029194105147424],
    [0.2502131229653333, 0.20412935229379993, 0.3829421127572619],
    [1.0, 1.0, 0.0],
];
const T_INVERSE: [[f64; 3]; 3] = [
    [4.178718591551905, 0.3276828207610624, 0.5233764454994495],
    [-4.178718591551905, -0.3276828207610624, 0.4766235545005505],
    [-0.5028726349457868, 2.571926949855605, -0.5960392048282249],
];
const GAMMA: f64 = 3.637834252744496;
const ALPHA: f64 = 2.681082873627752;
const BETA: f64 = 3.0504301992474105;
/// The error estimate is `(γ/h M - J)⁻¹ (f₀ + M Σ e_i Z_i / h)`.
const E: [f64; 3] = [-(13.0 + 7.0 * R6) / 3.0, (-13.0 + 7.0 * R6) / 3.0, -1.0 / 3.0];

/// The largest value of |θ (θ - c₁) (θ - c₂) (θ - 1)| within a step.
const WIDEST: f64 = 0.01826;

/// The method with its stages and factors.
#[derive(Clone, Debug)]
pub struct Radau5 {
    n: usize,
    linear: Linearisation,
    newton: Newton,
    real: RealLu,
    complex: ComplexLu,
    /// The step size for which the factors hold; zero if there are none.
    factored_h: f64,
    factorisations: u64,
    /// Three vectors each: Z, W, and the residuals that become the corrections of W.
    stages: Vec<f64>,
    transformed: Vec<f64>,
    residuals: Vec<f64>,
    /// Z of the step before, with its size, zero if there was none.
    before: Vec<f64>,
    before_h: f64,
    h: f64,
    point: Vec<f64>,
    error: Vec<f64>,
    scales: Vec<f64>,
    /// The first step, or one after a rejection: its error is estimated with more care.
    careful: bool,
}

impl Radau5 {
    pub(super) fn new(n: usize) -> Self {
        let zeros = |count: usize| vec![0.0; count * n];
        Self {
            n,
            linear: Linearisation::new(n),
            newton: Newton::new(),
            real: RealLu::new(n),
            complex: ComplexLu::new(n),
            factored_h: 0.0,
            factorisations: 0,
            stages: zeros(3),
            transformed: zeros(3),
            residuals: zeros(3),
            before: zeros(3),
            before_h: 0.0,
            h: 0.0,
            point: zeros(1),
            error: zeros(1),
            scales: zeros(1),
            careful: true,
        }
    }

    fn try_step(
        &mut self,
        field: &mut Flow<'_>,
        tolerances: &Tolerances,
        trial: &mut Trial,
    ) -> Result<(), Fault> {
        self.h = trial.h;
        self.linear.find_slope(field, trial.t, &trial.start)?;
        for (i, scale) in self.scales.iter_mut().enumerate() {
            *scale = tolerances.scale(i, trial.start[i].abs()) / tightening(i, tolerances);
        }
        loop {
            self.factor(field, trial)?;
            self.predict();
            if self.iterate(field, tolerances, trial)? {
                break;
            }
            if !self.linear.renew() {
                return Err(Fault::NoConvergence);
            }
        }
        for ((end, start), z) in trial.end.iter_mut().zip(&trial.start).zip(&self.stages[2 * self.n..]) {
            *end = start + z;
        }
        self.estimate(field, tolerances, trial);
        self.judge_dense(tolerances, trial);
        Ok(())
    }

    /// Makes sure that the factors are those for this step size and Jacobian.
    fn factor(&mut self, field: &mut Flow<'_>, trial: &Trial) -> Result<(), Fault> {
        let is_new = self.linear.find_matrices(field, trial.t, &trial.start)?;
        if !is_new && self.factored_h == self.h {
            return Ok(());
        }
        self.factored_h = 0.0;
        self.linear.fill_real(GAMMA / self.h, &mut self.real);
        self.linear.fill_complex(ALPHA / self.h, BETA / self.h, &mut self.complex);
        self.factorisations += 1;
        let singular = |component| Fault::SingularMatrix { component };
        self.real.factor().map_err(singular)?;
        self.complex.factor().map_err(singular)?;
        self.factored_h = self.h;
        Ok(())
    }

    /// The first iterate: the collocation polynomial of the step before, carried on.
    fn predict(&mut self) {
        if self.before_h == 0.0 {
            self.stages.fill(0.0);
            return;
        }
        let ratio = self.h / self.before_h;
        let weights = C.map(|c| {
            let [a, b, last] = lagrange(1.0 + c * ratio);
            [a, b, last - 1.0]
        });
        combine(&weights, &self.before, &mut self.stages);
    }

    /// Newton's iteration. False if it does not converge.
    fn iterate(
        &mut self,
        field: &mut Flow<'_>,
        tolerances: &Tolerances,
        trial: &Trial,
    ) -> Result<bool, Fault> {
        let n = self.n;
        let relative = smallest_relative(n, tolerances);
        let kappa = newton_tolerance(0.1 * relative.powf(2.0 / 3.0));
        combine(&T_INVERSE, &self.stages, &mut self.transformed);
        self.newton.begin();
        loop {
            self.fill_residuals(field, trial)?;
            self.real.solve(&mut self.residuals[..n]);
            let (re, im) = self.residuals[n..].split_at_mut(n);
            self.complex.solve(re, im);
            let scales = self.scales.iter().cycle().copied();
            let progress = self.newton.judge(scaled_rms(&self.residuals, scales), kappa);
            if progress == Progress::Hopeless {
                return Ok(false);
            }
            for (w, delta) in self.transformed.iter_mut().zip(&self.residuals) {
                *w += delta;
            }
            combine(&T, &self.transformed, &mut self.stages);
            if progress == Progress::Done {
                return Ok(true);
            }
        }
    }

    /// `(T⁻¹ ⊗ I) R` with `R_i = f(Y_i) - M(Y_i) Σ_j (A⁻¹)_ij Z_j / h`.
    fn fill_residuals(&mut self, field: &mut Flow<'_>, trial: &Trial) -> Result<(), Fault> {
        let n = self.n;
        for (s, residual) in self.residuals.chunks_exact_mut(n.max(1)).enumerate() {
            let t = trial.t + C[s] * self.h;
            let stage = &self.stages[s * n..(s + 1) * n];
            for ((point, start), z) in self.point.iter_mut().zip(&trial.start).zip(stage) {
                *point = start + z;
            }
            field.derivative(t, &self.point, residual);
            check_finite(residual, 1, t)?;
            combine_one(&A_INVERSE[s].map(|a| a / self.h), &self.stages, &mut self.error);
            self.linear.subtract_mass_times(field, (t, &self.point), &self.error, residual);
            check_finite(residual, 1, t)?;
        }
        for i in 0..n {
            let r = [self.residuals[i], self.residuals[n + i], self.residuals[2 * n + i]];
            for (s, row) in T_INVERSE.iter().enumerate() {
                self.residuals[s * n + i] = row[0] * r[0] + row[1] * r[1] + row[2] * r[2];
            }
        }
        Ok(())
    }

    /// The error, filtered once, and once more where the first estimate is known to be too large for stiff problems.
    fn estimate(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        let n = self.n;
        combine_one(&E.map(|e| -e / self.h), &self.stages, &mut self.point);
        let inner = &mut self.residuals[..n];
        inner.fill(0.0);
        self.linear.subtract_mass_times(field, (trial.t, &trial.start), &self.point, inner);
        for ((error, slope), inner) in self.error.iter_mut().zip(&self.linear.slope).zip(&*inner) {
            *error = slope + inner;
        }
        self.real.solve(&mut self.error);
        self.judge(tolerances, trial);
        if trial.is_good() || !self.careful {
            return;
        }
        for ((point, start), error) in self.point.iter_mut().zip(&trial.start).zip(&self.error) {
            *point = start + error;
        }
        field.derivative(trial.t, &self.point, &mut self.error);
        if self.error.iter().all(|f| f.is_finite()) {
            self.error.iter_mut().zip(&self.residuals).for_each(|(error, inner)| *error += inner);
            self.real.solve(&mut self.error);
            self.judge(tolerances, trial);
        }
    }

    /// The error of the collocation polynomial: how far it misses the first stage of the step before is a fourth difference.
    fn judge_dense(&mut self, tolerances: &Tolerances, trial: &mut Trial) {
        if self.before_h == 0.0 || !trial.is_good() {
            return;
        }
        let n = self.n;
        let there = -(1.0 - C[0]) * self.before_h / self.h;
        let values = lagrange(there);
        let scale = WIDEST / (there * (there - C[0]) * (there - C[1]) * (there - C[2]));
        combine_one(&values.map(|x| -x * scale), &self.stages, &mut self.error);
        for (i, error) in self.error.iter_mut().enumerate() {
            *error += scale * (self.before[i] - self.before[2 * n + i]);
        }
        let of_the_end = trial.error;
        self.judge(tolerances, trial);
        trial.error = trial.error.max(of_the_end);
    }

    fn judge(&mut self, tolerances: &Tolerances, trial: &mut Trial) {
        let scaled = &mut self.transformed[..self.n];
        for (i, (scaled, error)) in scaled.iter_mut().zip(&self.error).enumerate() {
            *scaled = error * tightening(i, tolerances);
        }
        trial.judge(scaled, tolerances);
    }
}

impl Step for Radau5 {
    fn attempt(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        trial.fault = None;
        if let Err(fault) = self.try_step(field, tolerances, trial) {
            trial.fail(fault);
        }
        self.careful |= !trial.is_good();
    }

    /// The collocation polynomial: the cubic through the start and the three stages.
    fn interpolate(&mut self, _field: &mut Flow<'_>, trial: &mut Trial) {
        let n = self.n;
        let c = trial.dense.coefficients_mut(3);
        for i in 0..n {
            let rise = trial.end[i] - trial.start[i];
            // (1-θ) (c₂ + θ c₃) = Z/θ - c₁ at the two inner nodes.
            let bend = |s: usize| (self.stages[s * n + i] / C[s] - rise) / (1.0 - C[s]);
            let last = (bend(1) - bend(0)) / (C[1] - C[0]);
            c[i] = trial.start[i];
            c[n + i] = rise;
            c[2 * n + i] = bend(0) - C[0] * last;
            c[3 * n + i] = last;
        }
    }

    fn advance(&mut self) {
        std::mem::swap(&mut self.before, &mut self.stages);
        self.before_h = self.h;
        self.careful = false;
        self.linear.advance(self.newton.is_fast());
    }

    fn restart(&mut self) {
        self.before_h = 0.0;
        self.factored_h = 0.0;
        self.careful = true;
        self.linear.restart();
        self.newton.restart();
    }

    /// The real and the complex factorisation of a step count as one, as in RADAU5.
    fn method(&self) -> Method {
        Method::Radau5
    }

    /// The step times the norm of the Jacobian, against the stability region of an explicit method of order 5.
    fn stiffness(&self, trial: &Trial) -> Option<f64> {
        Some(trial.h * self.linear.jacobian_norm() / 3.3)
    }

    fn factorisations(&self) -> u64 {
        self.factorisations
    }
}

/// What the error of a component is multiplied with, so that `tolerance^(2/3) / 10` is compared with the tolerance.
fn tightening(component: usize, tolerances: &Tolerances) -> f64 {
    10.0 * measure(component, tolerances).cbrt()
}

/// The values at θ of the cubics that are 1 at one of the nodes and 0 at the others and at 0.
fn lagrange(theta: f64) -> [f64; 3] {
    let [a, b, c] = C;
    let basis = |x: f64, y: f64, z: f64| theta * (theta - y) * (theta - z) / (x * (x - y) * (x - z));
    [basis(a, b, c), basis(b, a, c), basis(c, a, b)]
}

/// `out_s = Σ_j m_sj v_j` for three vectors kept one after the other.
fn combine(matrix: &[[f64; 3]; 3], vectors: &[f64], out: &mut [f64]) {
    let n = out.len() / 3;
    if n > 0 {
        for (row, out) in matrix.iter().zip(out.chunks_exact_mut(n)) {
            combine_one(row, vectors, out);
        }
    }
}

/// `out = Σ_j m_j v_j`.
fn combine_one(row: &[f64; 3], vectors: &[f64], out: &mut [f64]) {
    let n = out.len();
    let (first, rest) = vectors.split_at(n);
    let (second, third) = rest.split_at(n);
    for (((out, a), b), c) in out.iter_mut().zip(first).zip(second).zip(third) {
        *out = row[0] * a + row[1] * b + row[2] * c;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Matrix = [[f64; 3]; 3];

    fn product(a: &Matrix, b: &Matrix) -> Matrix {
        std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
    }

    fn assert_near(a: &Matrix, b: &Matrix) {
        for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
            assert!((a - b).abs() < 2e-14, "{a} against {b}");
        }
    }

    const IDENTITY: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    /// The matrix of the method: its rows integrate the polynomials of degree 2 exactly up to each node.
    fn collocation_matrix() -> Matrix {
        C.map(|c| {
            // ∫₀^c of the Lagrange polynomials over the nodes, by their coefficients.
            std::array::from_fn(|j| {
                let (x, y, z) = (C[j], C[(j + 1) % 3], C[(j + 2) % 3]);
                (c.powi(3) / 3.0 - (y + z) * c * c / 2.0 + y * z * c) / ((x - y) * (x - z))
            })
        })
    }

    #[test]
    fn inverse_matrix_is_that_of_collocation_at_the_radau_points() {
        assert_near(&product(&A_INVERSE, &collocation_matrix()), &IDENTITY);
        // The nodes are the zeros of the derivative of x² (x-1)³, so that the quadrature has order 5.
        for c in &C[..2] {
            assert!((10.0 * c * c - 8.0 * c + 1.0).abs() < 1e-15);
        }
        let b = collocation_matrix()[2];
        for q in 1..=5 {
            let sum: f64 = (0..3).map(|i| b[i] * C[i].powi(q - 1)).sum();
            assert!((sum - 1.0 / f64::from(q)).abs() < 1e-15, "order {q}");
        }
    }

    #[test]
    fn transformation_splits_off_a_real_and_a_complex_system() {
        assert_near(&product(&T_INVERSE, &T), &IDENTITY);
        let blocks = [[GAMMA, 0.0, 0.0], [0.0, ALPHA, -BETA], [0.0, BETA, ALPHA]];
        assert_near(&product(&product(&T_INVERSE, &A_INVERSE), &T), &blocks);
    }

    #[test]
    fn widest_is_the_largest_distance_from_a_cubic_through_the_stages() {
        let product = |k: u32| {
            let x = f64::from(k) / 1000.0;
            (x * C.iter().map(|c| x - c).product::<f64>()).abs()
        };
        let largest = (0..1000).map(product).fold(0.0, f64::max);
        assert!((largest - WIDEST).abs() < 1e-4, "{largest}");
    }

    /// `γ₀ h f₀ + γ₀ Σ e_i Z_i` with `γ₀ = 1/γ` vanishes for solutions that are polynomials of degree 3 or less.
    #[test]
    fn error_estimate_has_order_three() {
        for q in 1..=4 {
            let slope = if q == 1 { 1.0 } else { 0.0 };
            let sum: f64 = slope + (0..3).map(|i| E[i] * C[i].powi(q)).sum::<f64>();
            assert_eq!(sum.abs() < 1e-14, q <= 3, "degree {q}: {sum}");
        }
    }
}
