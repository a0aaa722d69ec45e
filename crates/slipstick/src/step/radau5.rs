//! Radau IIA of order 5 with 3 stages: Hairer, Wanner II, section IV.8 (their code RADAU5).
//!
//! The stages are `Y_i = y₀ + Z_i` with `M(Y_i) Σ_j (A⁻¹)_ij Z_j / h = f(Y_i)`. A linear change of the
//! unknowns, `Z = T W`, turns the system of Newton's iteration into one real and one complex system of the
//! size of the state. Its matrix has Jacobian and mass at the start of this or an earlier step; a mass that
//! varies is evaluated at the stages in the residual, so that the solution does not depend on that. A mass
//! may be singular, with algebraic equations of index 1 or 2.
//!
//! The error is estimated with order 3, that is by far too large for a method of order 5. RADAU5 compares it
//! with `tolerance^(2/3) / 10`, which holds the error of a step to the tolerance and lets that at the end
//! fall as `tolerance^(5/6)` only. Below 1e-6 it is compared with `0.631 tolerance^(4/5)` here: with steps of
//! the size `tolerance^(1/5)` the error at the end follows the tolerance. The estimate does not see stiff
//! components between the stages, where dense output is needed for events: the error of the collocation
//! polynomial is estimated too, by its distance from a stage of the step before, and held to the same
//! measure.

use super::implicit::{
    AS_LONG_AS_IT_TAKES, Convergence, Newton, measure, newton_tolerance, smallest_relative,
};
use super::radau_dense::build_dense;
use super::radau_ggl::RadauGgl;
use super::{
    DenseDetail, Fault, Memory, Method, MethodDescriptor, Restart, Step, StepReport, Tolerances, Trial,
};
use crate::formulation::Flow;
use crate::math::Norm;
use std::ops::Range;

/// The limit of stability of explicit methods of order 5 along the negative axis: step times eigenvalue.
const STABILITY_OF_ORDER_5: f64 = 3.3;

pub(super) const DESCRIPTOR: MethodDescriptor = MethodDescriptor {
    name: "radau5",
    about: "Radau IIA, implicit, for stiff and algebraic equations",
    order: 5,
    error_order: Some(3),
    dense_order: 3,
    keeps_factors: true,
    // A real system and a complex one, in which a multiplication is worth four, for three right-hand sides.
    linear_cost: (5.0, 5.0 / 3.0),
    build_ggl: Some(|_| Box::new(RadauGgl::new())),
    ..MethodDescriptor::implicit(&C, build_dense)
};

/// √6.
const R6: f64 = 2.449489742783178;
/// The nodes c.
pub(super) const C: [f64; 3] = [(4.0 - R6) / 10.0, (4.0 + R6) / 10.0, 1.0];
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
pub(super) const GAMMA: f64 = 3.637834252744496;
pub(super) const ALPHA: f64 = 2.681082873627752;
pub(super) const BETA: f64 = 3.0504301992474105;
/// The error estimate is `(γ/h M - J)⁻¹ (f₀ + M Σ e_i Z_i / h)`.
const E: [f64; 3] = [-(13.0 + 7.0 * R6) / 3.0, (-13.0 + 7.0 * R6) / 3.0, -1.0 / 3.0];

/// A correction is smoothed if the next step would see more than this part of the tolerance as error.
pub(super) const SEEN: f64 = 0.1;

/// The largest value of |θ (θ - c₁) (θ - c₂) (θ - 1)| within a step.
const WIDEST: f64 = 0.01826;

/// The equations `M y' = f(t, y)` at the start of a step.
pub(super) trait Equations: NewtonMatrix {
    /// The length of the state.
    fn dimension(&self) -> usize;
    /// `f` at the start, evaluated unless it is known.
    fn slope(&mut self, field: &mut Flow<'_>, start: (f64, &[f64])) -> Result<&[f64], Fault>;
    /// `out = f - M rates` at a point.
    fn residual(
        &mut self,
        field: &mut Flow<'_>,
        at: (f64, &[f64]),
        rates: &[f64],
        out: &mut [f64],
    ) -> Result<(), Fault>;
    /// `f` at a point.
    fn derivative(&mut self, field: &mut Flow<'_>, t: f64, y: &[f64], out: &mut [f64]);
    /// `out -= M x` at the start.
    fn subtract_mass_times(&mut self, field: &mut Flow<'_>, start: (f64, &[f64]), x: &[f64], out: &mut [f64]);
    /// The states of index 2 and more.
    fn hidden(&self) -> &[usize];
    /// Groups of states weighed alike: positions of a mechanism and its speeds; empty for other equations.
    fn kinds(&self) -> [Range<usize>; 2];
    /// The start has moved along the solution: the Jacobian may still serve.
    fn advance(&mut self, keep_jacobian: bool);
    /// Nothing is known any more.
    fn restart(&mut self);
}

/// The matrices `γ/h M - J` and `(α + iβ)/h M - J` of Newton's iteration, with their factors.
pub(super) trait NewtonMatrix {
    /// Updates the factors for this step size, with a Jacobian from this start or an earlier one.
    fn factor(&mut self, field: &mut Flow<'_>, at: (f64, &[f64]), h: f64) -> Result<(), Fault>;
    /// Solves with the real factors.
    fn solve_real(&mut self, x: &mut [f64]);
    /// Solves with the complex factors.
    fn solve_complex(&mut self, re: &mut [f64], im: &mut [f64]);
    /// Whether the Jacobian is the one at this start.
    fn is_fresh(&self) -> bool;
    /// The Jacobian is to be evaluated anew. False if it was already the one at this start.
    fn renew(&mut self) -> bool;
    /// A bound of the eigenvalues of the Jacobian, if one is known.
    fn jacobian_norm(&self) -> Option<f64>;
    /// How often the matrices were factored.
    fn factorisations(&self) -> u64;
}

/// The method with its stages.
#[derive(Clone, Debug)]
pub(super) struct Radau5<E> {
    pub(super) equations: E,
    newton: Newton,
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
    pub(super) scales: Vec<f64>,
    /// The scales with the largest of each kind for all of it.
    even_scales: Vec<f64>,
    /// From the tolerances, at a restart: factors of component errors, and what Newton may leave.
    tightening: Vec<f64>,
    kappa: Option<f64>,
    /// The first step, or one after a rejection: its error is estimated with more care.
    careful: bool,
}

impl<E: Equations> Radau5<E> {
    pub(super) fn new(equations: E) -> Self {
        let n = equations.dimension();
        let zeros = |count: usize| vec![0.0; count * n];
        Self {
            equations,
            newton: Newton::new(),
            stages: zeros(3),
            transformed: zeros(3),
            residuals: zeros(3),
            before: zeros(3),
            before_h: 0.0,
            h: 0.0,
            point: zeros(1),
            error: zeros(1),
            scales: zeros(1),
            even_scales: zeros(1),
            tightening: zeros(1),
            kappa: None,
            careful: true,
        }
    }

    fn try_step(
        &mut self,
        field: &mut Flow<'_>,
        tolerances: &Tolerances,
        trial: &mut Trial,
    ) -> Result<(), Fault> {
        // Of a start, the rate of an attempt that was shorter says nothing: the shorter a step, the more linear it is.
        if self.before_h == 0.0 && trial.h > self.h {
            self.newton.restart();
        }
        self.h = trial.h;
        self.equations.slope(field, (trial.t, &trial.start))?;
        let n = self.equations.dimension();
        let kappa = self.kappa.unwrap_or_else(|| self.read_tolerances(tolerances));
        loop {
            self.equations.factor(field, (trial.t, &trial.start), self.h)?;
            self.set_scales(tolerances, &trial.start);
            self.predict();
            if self.iterate(field, kappa, trial)? {
                break;
            }
            if !self.equations.renew() {
                return Err(Fault::NoConvergence);
            }
        }
        for ((end, start), z) in trial.end.iter_mut().zip(&trial.start).zip(&self.stages[2 * n..3 * n]) {
            *end = start + z;
        }
        self.estimate(field, tolerances, trial)?;
        self.judge_dense(tolerances, trial);
        Ok(())
    }

    /// What Newton's residuals are divided by.
    fn set_scales(&mut self, tolerances: &Tolerances, start: &[f64]) {
        let n = self.equations.dimension();
        let (start, tightening) = (&start[..n], &self.tightening[..n]);
        for (i, scale) in self.scales[..n].iter_mut().enumerate() {
            *scale = tolerances.scale(i, start[i].abs()) / tightening[i];
        }
        for &i in self.equations.hidden() {
            self.scales[i] /= self.h.min(1.0);
        }
        if !self.has_kinds() {
            return;
        }
        self.even_scales.copy_from_slice(&self.scales);
        for kind in self.equations.kinds() {
            let scales = &mut self.even_scales[kind];
            let largest = scales.iter().copied().fold(0.0, f64::max);
            scales.fill(largest);
        }
    }

    /// Finds what follows from the tolerances; gives what Newton may leave.
    fn read_tolerances(&mut self, tolerances: &Tolerances) -> f64 {
        let n = self.equations.dimension();
        for (i, tightening) in self.tightening.iter_mut().enumerate() {
            let measure = measure(i, tolerances);
            *tightening = measure / allowed(measure);
        }
        let kappa = newton_tolerance(allowed(smallest_relative(n, tolerances)));
        self.kappa = Some(kappa);
        kappa
    }

    /// The first iterate: the collocation polynomial of the step before, carried on.
    fn predict(&mut self) {
        let n = self.equations.dimension();
        if self.before_h == 0.0 {
            self.stages.fill(0.0);
            return;
        }
        let ratio = self.h / self.before_h;
        let weights = C.map(|c| {
            let [a, b, last] = lagrange(1.0 + c * ratio);
            [a, b, last - 1.0]
        });
        combine(n, &weights, &self.before, &mut self.stages);
    }

    /// Newton's iteration. False if it does not converge.
    #[inline(always)]
    fn iterate(&mut self, field: &mut Flow<'_>, kappa: f64, trial: &Trial) -> Result<bool, Fault> {
        let n = self.equations.dimension();
        combine(n, &T_INVERSE, &self.stages, &mut self.transformed);
        self.newton.begin(self.equations.is_fresh());
        if self.before_h == 0.0 && self.has_kinds() {
            self.newton.mistrust_first();
        }
        loop {
            self.fill_residuals(field, trial)?;
            let residuals = &mut self.residuals[..3 * n];
            self.equations.solve_real(&mut residuals[..n]);
            let (re, im) = residuals[n..].split_at_mut(n);
            self.equations.solve_complex(re, im);
            let progress = self.judge_correction(kappa);
            if progress == Convergence::Hopeless {
                return Ok(false);
            }
            for (w, delta) in self.transformed[..3 * n].iter_mut().zip(&self.residuals[..3 * n]) {
                *w += delta;
            }
            combine(n, &T, &self.transformed, &mut self.stages);
            if progress == Convergence::Done {
                return Ok(true);
            }
        }
    }

    /// Whether the states are those of a mechanism with its constraints among the equations.
    #[inline(always)]
    fn has_kinds(&self) -> bool {
        self.equations.kinds().iter().any(|kind| !kind.is_empty())
    }

    #[inline(always)]
    fn judge_correction(&mut self, kappa: f64) -> Convergence {
        let norm = self.scaled_residuals(&self.scales);
        let even = if self.has_kinds() { self.scaled_residuals(&self.even_scales) } else { norm };
        self.newton.judge_evenly(norm, even, kappa)
    }

    /// The scaled norm of all three residuals.
    #[inline(always)]
    fn scaled_residuals(&self, scales: &[f64]) -> f64 {
        let n = self.equations.dimension();
        let (all, scales) = (&self.residuals[..3 * n], &scales[..n]);
        let mut sum = 0.0;
        for s in 0..3 {
            for i in 0..n {
                sum += (all[s * n + i] / scales[i]).powi(2);
            }
        }
        (sum / (3 * n).max(1) as f64).sqrt()
    }

    /// `(T⁻¹ ⊗ I) R` with `R_i = f(Y_i) - M(Y_i) Σ_j (A⁻¹)_ij Z_j / h`.
    #[inline(always)]
    fn fill_residuals(&mut self, field: &mut Flow<'_>, trial: &Trial) -> Result<(), Fault> {
        let n = self.equations.dimension();
        let (start, point, sum) = (&trial.start[..n], &mut self.point[..n], &mut self.error[..n]);
        let (stages, residuals) = (&self.stages[..3 * n], &mut self.residuals[..3 * n]);
        for s in 0..3 {
            let t = trial.t + C[s] * self.h;
            for i in 0..n {
                point[i] = start[i] + stages[s * n + i];
            }
            combine_one(n, &A_INVERSE[s].map(|a| a / self.h), stages, sum);
            self.equations.residual(field, (t, point), sum, &mut residuals[s * n..(s + 1) * n])?;
        }
        for i in 0..n {
            let r = [residuals[i], residuals[n + i], residuals[2 * n + i]];
            for (s, row) in T_INVERSE.iter().enumerate() {
                residuals[s * n + i] = row[0] * r[0] + row[1] * r[1] + row[2] * r[2];
            }
        }
        Ok(())
    }

    /// The error, filtered once, and twice where the first estimate is too large for stiff problems.
    fn estimate(
        &mut self,
        field: &mut Flow<'_>,
        tolerances: &Tolerances,
        trial: &mut Trial,
    ) -> Result<(), Fault> {
        let (n, start) = (self.equations.dimension(), (trial.t, &trial.start[..]));
        combine_one(n, &E.map(|e| -e / self.h), &self.stages, &mut self.point);
        let inner = &mut self.residuals[..n];
        inner.fill(0.0);
        self.equations.subtract_mass_times(field, start, &self.point, inner);
        let slope = self.equations.slope(field, start)?;
        for ((error, slope), inner) in self.error.iter_mut().zip(slope).zip(&*inner) {
            *error = slope + inner;
        }
        self.equations.solve_real(&mut self.error);
        self.judge(tolerances, trial);
        if trial.is_good() || !self.careful {
            return Ok(());
        }
        for ((point, start), error) in self.point.iter_mut().zip(&trial.start).zip(&self.error) {
            *point = start + error;
        }
        self.equations.derivative(field, trial.t, &self.point, &mut self.error);
        if self.error.iter().all(|f| f.is_finite()) {
            self.error.iter_mut().zip(&self.residuals).for_each(|(error, inner)| *error += inner);
            self.equations.solve_real(&mut self.error);
            self.judge(tolerances, trial);
        }
        Ok(())
    }

    /// The error of the collocation polynomial: its distance from the first stage of the last step.
    fn judge_dense(&mut self, tolerances: &Tolerances, trial: &mut Trial) {
        if self.before_h == 0.0 || !trial.is_good() {
            return;
        }
        let n = self.equations.dimension();
        let there = -(1.0 - C[0]) * self.before_h / self.h;
        let values = lagrange(there);
        let scale = WIDEST / (there * (there - C[0]) * (there - C[1]) * (there - C[2]));
        combine_one(n, &values.map(|x| -x * scale), &self.stages, &mut self.error);
        for (i, error) in self.error.iter_mut().enumerate() {
            *error += scale * (self.before[i] - self.before[2 * n + i]);
        }
        let of_the_end = trial.error;
        self.judge(tolerances, trial);
        trial.error = trial.error.max(of_the_end);
    }

    fn judge(&mut self, tolerances: &Tolerances, trial: &mut Trial) {
        let n = self.equations.dimension();
        let (scaled, tightening) = (&mut self.transformed[..n], &self.tightening[..n]);
        for ((scaled, error), tightening) in scaled.iter_mut().zip(&self.error[..n]).zip(tightening) {
            *scaled = error * tightening;
        }
        for &i in self.equations.hidden() {
            scaled[i] *= self.h.min(1.0);
        }
        trial.judge(scaled, tolerances, Norm::Mean);
    }

    /// `γ/h (γ/h - J)⁻¹` times a part of a change, into the error.
    fn follow(&mut self, change: &[f64], part: Range<usize>) {
        self.error.fill(0.0);
        for (error, change) in self.error[part.clone()].iter_mut().zip(&change[part]) {
            *error = GAMMA / self.h * change;
        }
        self.equations.solve_real(&mut self.error);
    }

    /// Lets Newton's iteration go on for longer where it begins far off.
    pub(super) fn allow(&mut self, patience: i32) {
        self.newton.allow_more(patience);
    }

    /// The rates at the end: the last equation of the stages.
    pub(super) fn end_rates(&self, rates: &mut [f64]) {
        let n = self.equations.dimension();
        let stages = |i: usize| [0, 1, 2].map(|s| self.stages[s * n + i]);
        for (i, rate) in rates.iter_mut().enumerate() {
            *rate = stages(i).iter().zip(&A_INVERSE[2]).map(|(z, a)| a * z).sum::<f64>() / self.h;
        }
    }
}

impl<E: Equations> Memory for Radau5<E> {
    fn advance(&mut self) {
        std::mem::swap(&mut self.before, &mut self.stages);
        self.before_h = self.h;
        self.careful = false;
        self.equations.advance(self.newton.is_fast());
    }

    fn restart(&mut self, _restart: Restart) {
        (self.before_h, self.kappa, self.careful) = (0.0, None, true);
        self.equations.restart();
        self.newton.restart();
    }

    fn renew(&mut self) -> bool {
        false
    }

    fn iterate_to_stall(&mut self) {
        self.newton.allow_more(AS_LONG_AS_IT_TAKES);
    }

    fn report(&self) -> StepReport<'_> {
        StepReport::plain(Method::Radau5)
    }

    /// The step times the Jacobian's norm over the stability limit of an explicit method of order 5.
    fn stiffness(&self, trial: &Trial) -> Option<f64> {
        Some(trial.h * self.equations.jacobian_norm()? / STABILITY_OF_ORDER_5)
    }

    /// The real and the complex factorisation of a step count as one, as in RADAU5.
    fn factorisations(&self) -> u64 {
        self.equations.factorisations()
    }
}

impl<E: Equations> Step for Radau5<E> {
    fn attempt(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        trial.fault = None;
        if let Err(fault) = self.try_step(field, tolerances, trial) {
            trial.fail(fault);
        }
        self.careful |= !trial.is_good();
    }

    /// The collocation polynomial: the cubic through the start and the three stages.
    fn interpolate(&mut self, _field: &mut Flow<'_>, trial: &mut Trial, _detail: DenseDetail) {
        let n = self.equations.dimension();
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

    /// A state that is off by `δ` is seen by the next step as an error of `(γ/h (γ/h - J)⁻¹ - 1) δ`. If that
    /// matters, positions and speeds are each moved by what is left of `δ` after they have been followed for
    /// `h/γ` by the linearised equations, which takes off what is stiff and leaves what the constraints ask
    /// for.
    fn smooth(&mut self, positions: usize, moved: &mut [f64]) -> bool {
        let n = moved.len();
        self.follow(moved, 0..n);
        let seen = |i: usize| (self.error[i] - moved[i]) / self.scales[i];
        if (0..n).map(|i| seen(i).powi(2)).sum::<f64>() <= SEEN * SEEN * n as f64 {
            return false;
        }
        for part in [0..positions, positions..n] {
            self.follow(moved, part.clone());
            self.point[part.clone()].copy_from_slice(&self.error[part]);
        }
        moved.copy_from_slice(&self.point[..n]);
        true
    }
}

/// What the estimate of order 3 is compared with: RADAU5's rule down to 1e-6, where both agree.
fn allowed(tolerance: f64) -> f64 {
    (0.1 * tolerance.powf(2.0 / 3.0)).min(0.631 * tolerance.powf(0.8))
}

/// The values at θ of the cubics that are 1 at one of the nodes and 0 at the others and at 0.
fn lagrange(theta: f64) -> [f64; 3] {
    let [a, b, c] = C;
    let basis = |x: f64, y: f64, z: f64| theta * (theta - y) * (theta - z) / (x * (x - y) * (x - z));
    [basis(a, b, c), basis(b, a, c), basis(c, a, b)]
}

/// `out_s = Σ_j m_sj v_j` for three vectors kept one after the other.
#[inline(always)]
fn combine(n: usize, matrix: &[[f64; 3]; 3], vectors: &[f64], out: &mut [f64]) {
    for (s, row) in matrix.iter().enumerate() {
        combine_one(n, row, vectors, &mut out[s * n..(s + 1) * n]);
    }
}

/// `out = Σ_j m_j v_j`.
#[inline(always)]
fn combine_one(n: usize, row: &[f64; 3], vectors: &[f64], out: &mut [f64]) {
    let (vectors, out) = (&vectors[..3 * n], &mut out[..n]);
    for i in 0..n {
        out[i] = row[0] * vectors[i] + row[1] * vectors[n + i] + row[2] * vectors[2 * n + i];
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

    /// `γ₀ h f₀ + γ₀ Σ e_i Z_i`, `γ₀ = 1/γ`, vanishes for polynomials up to degree 3.
    #[test]
    fn error_estimate_has_order_three() {
        for q in 1..=4 {
            let slope = if q == 1 { 1.0 } else { 0.0 };
            let sum: f64 = slope + (0..3).map(|i| E[i] * C[i].powi(q)).sum::<f64>();
            assert_eq!(sum.abs() < 1e-14, q <= 3, "degree {q}: {sum}");
        }
    }
}
