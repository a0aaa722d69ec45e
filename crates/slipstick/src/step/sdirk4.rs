//! Singly diagonally implicit Runge-Kutta of order 4 with 5 stages, γ = 1/4, L-stable and stiffly accurate:
//! Hairer, Wanner II, table IV.6.5 (their code SDIRK4).
//!
//! The unknown of a stage is `Z_i = γ h k_i` with `M(Y_i) Z_i / (γ h) = f(Y_i)` and
//! `Y_i = y₀ + Σ_{j<i} a_ij h k_j + Z_i`; all stages share one matrix, `M / (γ h) - J` from the start of this
//! or an earlier step. A mass that varies is evaluated at the stages in the residual. A constant mass may be
//! singular (index 1).
//!
//! The dense output of the book (eq. IV.6.17) has order 3 on problems that are not stiff; the stages have
//! order 1, so for stiff ones it is corrected, see `stiff_dense.rs`. The solution itself falls to about order
//! 2 on stiff problems that force it, as it does for every method of this kind.

use super::implicit::{
    AS_LONG_AS_IT_TAKES, Convergence, Linearisation, Newton, add, check_finite, newton_tolerance,
    smallest_relative,
};
use super::matrix_age::FactoredStep;
use super::stiff_dense::StiffDense;
use super::{
    DenseDetail, Fault, Memory, Method, MethodDescriptor, Restart, Step, StepReport, Tolerances, Trial,
};
use crate::formulation::{Field, Flow};
use crate::math::{Norm, RealLu, scaled_rms};

pub(super) const DESCRIPTOR: MethodDescriptor = MethodDescriptor {
    name: "sdirk4",
    about: "diagonally implicit, for stiff equations",
    order: 4,
    error_order: Some(3),
    dense_order: 3,
    keeps_factors: true,
    ..MethodDescriptor::implicit(&C, |dimension| Box::new(Sdirk4::new(dimension)))
};

const GAMMA: f64 = 0.25;
/// The nodes c.
pub(super) const C: [f64; 5] = [1.0 / 4.0, 3.0 / 4.0, 11.0 / 20.0, 1.0 / 2.0, 1.0];
/// The matrix below its diagonal, which is γ; with it, the last row holds the weights b too.
const A: [[f64; 5]; 5] = [
    [0.0, 0.0, 0.0, 0.0, 0.0],
    [1.0 / 2.0, 0.0, 0.0, 0.0, 0.0],
    [17.0 / 50.0, -1.0 / 25.0, 0.0, 0.0, 0.0],
    [371.0 / 1360.0, -137.0 / 2720.0, 15.0 / 544.0, 0.0, 0.0],
    [25.0 / 24.0, -49.0 / 48.0, 125.0 / 16.0, -85.0 / 12.0, 0.0],
];
/// The weights less those of the embedded method of order 3.
const E: [f64; 5] = [-3.0 / 16.0, -27.0 / 32.0, 25.0 / 32.0, 0.0, 1.0 / 4.0];
/// The weights of the coefficients c₂, c₃, c₄ of dense output.
const DENSE: [[f64; 5]; 3] = [
    [21.0 / 8.0, 313.0 / 48.0, -2125.0 / 144.0, 85.0 / 12.0, -53.0 / 36.0],
    [-19.0 / 12.0, -181.0 / 24.0, 1625.0 / 72.0, -85.0 / 6.0, 13.0 / 18.0],
    [-20.0 / 9.0, -10.0, 250.0 / 27.0, 0.0, 80.0 / 27.0],
];
/// The first iterates of stages 2 to 5: polynomials in time through the slope at the start and those of
/// earlier stages, chosen among those that do not magnify small errors.
const PREDICT: [[f64; 5]; 4] = [
    [-2.0, 3.0, 0.0, 0.0, 0.0],
    [-0.32, 0.88, 0.44, 0.0, 0.0],
    [0.0, 1.0 / 12.0, -1.0 / 8.0, 25.0 / 24.0, 0.0],
    [0.0, 1.0, 3.0, 0.0, -3.0],
];

/// The slopes at the stages of a step, and what those of the step before let expect of them.
#[derive(Clone, Debug)]
struct StageSlopes {
    n: usize,
    /// `γ h k` at the start of the step, then at its five stages.
    now: Vec<f64>,
    /// The same of the step before, with its size, zero if there was none.
    before: Vec<f64>,
    before_h: f64,
}

impl StageSlopes {
    fn new(n: usize) -> Self {
        let zeros = || vec![0.0; (C.len() + 1) * n];
        Self { n, now: zeros(), before: zeros(), before_h: 0.0 }
    }

    /// Those of all stages, one after the other.
    fn stages(&self) -> &[f64] {
        &self.now[self.n..]
    }

    fn stage(&self, s: usize) -> &[f64] {
        &self.now[(s + 1) * self.n..(s + 2) * self.n]
    }

    fn stage_mut(&mut self, s: usize) -> &mut [f64] {
        &mut self.now[(s + 1) * self.n..(s + 2) * self.n]
    }

    /// The first iterate of a stage.
    fn predict(&mut self, s: usize, h: f64) {
        let n = self.n;
        if s > 0 {
            if s == 1 && self.before_h == 0.0 {
                self.now.copy_within(n..2 * n, 0);
            }
            let (known, unknown) = self.now.split_at_mut((s + 1) * n);
            let guess = &mut unknown[..n];
            guess.fill(0.0);
            add(&PREDICT[s - 1][..=s], known, guess);
        } else if self.before_h == 0.0 {
            self.now[..2 * n].fill(0.0);
        } else {
            // The slopes of the second and the last stage of the step before, which are a quarter of that
            // step apart, carried on in a line.
            let ratio = h / self.before_h;
            let (start, first) = self.now[..2 * n].split_at_mut(n);
            let last = &self.before[5 * n..];
            let inner = &self.before[2 * n..3 * n];
            for (((start, first), last), inner) in start.iter_mut().zip(first).zip(last).zip(inner) {
                *start = ratio * last;
                *first = ratio * (last + ratio * (last - inner));
            }
        }
    }

    /// The step was taken.
    fn advance(&mut self, h: f64) {
        std::mem::swap(&mut self.before, &mut self.now);
        self.before_h = h;
    }

    /// The step before says nothing.
    fn restart(&mut self) {
        self.before_h = 0.0;
    }
}

/// The method with its stages and factors.
#[derive(Clone, Debug)]
pub struct Sdirk4 {
    n: usize,
    linear: Linearisation,
    newton: Newton,
    matrix: RealLu,
    factored: FactoredStep,
    slopes: StageSlopes,
    h: f64,
    /// `y₀ + Σ_{j<i} a_ij h k_j` of the stage at work.
    base: Vec<f64>,
    point: Vec<f64>,
    /// `k` of the stage at work.
    rate: Vec<f64>,
    residual: Vec<f64>,
    scales: Vec<f64>,
    /// Newton's iteration was fast in all stages.
    fast: bool,
    dense: StiffDense,
}

impl Sdirk4 {
    pub(super) fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Self {
            n,
            linear: Linearisation::new(n),
            newton: Newton::new(),
            matrix: RealLu::new(n),
            factored: FactoredStep::default(),
            slopes: StageSlopes::new(n),
            h: 0.0,
            base: zeros(),
            point: zeros(),
            rate: zeros(),
            residual: zeros(),
            scales: zeros(),
            fast: false,
            dense: StiffDense::new(n),
        }
    }

    fn try_step(
        &mut self,
        field: &mut Flow<'_>,
        tolerances: &Tolerances,
        trial: &mut Trial,
    ) -> Result<(), Fault> {
        self.h = trial.h;
        for (i, scale) in self.scales.iter_mut().enumerate() {
            *scale = tolerances.scale(i, trial.start[i].abs());
        }
        let kappa = newton_tolerance(smallest_relative(self.n, tolerances));
        loop {
            self.factor(field, trial)?;
            if self.iterate_all(field, kappa, trial)? {
                break;
            }
            if !self.linear.renew() {
                return Err(Fault::NoConvergence);
            }
        }
        for ((end, base), z) in trial.end.iter_mut().zip(&self.base).zip(self.slopes.stage(4)) {
            *end = base + z;
        }
        self.estimate(field, tolerances, trial);
        Ok(())
    }

    /// Makes sure that the factors are those for this step size and Jacobian.
    fn factor(&mut self, field: &mut Flow<'_>, trial: &Trial) -> Result<(), Fault> {
        let is_new = self.linear.find_matrices(field, trial.t, &trial.start)?;
        if !is_new && self.factored.holds_for(self.h) {
            return Ok(());
        }
        self.factored.begin();
        self.linear.fill_real(1.0 / (GAMMA * self.h), &mut self.matrix);
        self.matrix.factor().map_err(|component| Fault::SingularMatrix { component })?;
        self.factored.succeed(self.h);
        Ok(())
    }

    /// Newton's iteration for one stage after the other. False if one does not converge.
    fn iterate_all(&mut self, field: &mut Flow<'_>, kappa: f64, trial: &Trial) -> Result<bool, Fault> {
        self.fast = true;
        for s in 0..5 {
            self.slopes.predict(s, self.h);
            self.base.copy_from_slice(&trial.start);
            add(&A[s].map(|a| a / GAMMA), self.slopes.stages(), &mut self.base);
            if !self.iterate(field, kappa, s, trial.t + C[s] * self.h)? {
                return Ok(false);
            }
            self.fast &= self.newton.is_fast();
        }
        Ok(true)
    }

    /// Newton's iteration for one stage. False if it does not converge.
    fn iterate(&mut self, field: &mut Flow<'_>, kappa: f64, s: usize, t: f64) -> Result<bool, Fault> {
        let z = self.slopes.stage_mut(s);
        let scale = 1.0 / (GAMMA * self.h);
        self.newton.begin(self.linear.is_fresh());
        loop {
            for ((point, base), z) in self.point.iter_mut().zip(&self.base).zip(&*z) {
                *point = base + z;
            }
            field.derivative(t, &self.point, &mut self.residual);
            check_finite(&self.residual, 1, t)?;
            for (rate, z) in self.rate.iter_mut().zip(&*z) {
                *rate = scale * z;
            }
            self.linear.subtract_mass_times(field, (t, &self.point), &self.rate, &mut self.residual);
            check_finite(&self.residual, 1, t)?;
            self.matrix.solve(&mut self.residual);
            let norm = scaled_rms(&self.residual, self.scales.iter().copied());
            let progress = self.newton.judge(norm, kappa);
            if progress == Convergence::Hopeless {
                return Ok(false);
            }
            z.iter_mut().zip(&self.residual).for_each(|(z, delta)| *z += delta);
            if progress == Convergence::Done {
                return Ok(true);
            }
        }
    }

    /// The difference to the embedded method, filtered through the matrix of the iteration:
    /// `(M - γ h J)⁻¹ M Σ e_i h k_i`.
    fn estimate(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        let scale = -1.0 / (GAMMA * GAMMA * self.h);
        self.point.fill(0.0);
        add(&E.map(|e| e * scale), self.slopes.stages(), &mut self.point);
        self.residual.fill(0.0);
        let start = (trial.t, trial.start.as_slice());
        self.linear.subtract_mass_times(field, start, &self.point, &mut self.residual);
        self.matrix.solve(&mut self.residual);
        trial.judge(&self.residual, tolerances, Norm::Mean);
    }

    /// The polynomial of the method, corrected.
    fn correct_dense(&mut self, field: &mut Flow<'_>, trial: &mut Trial) {
        let n = self.n;
        let c = trial.dense.coefficients_mut(4);
        c[..n].copy_from_slice(&trial.start);
        for i in 0..n {
            c[n + i] = trial.end[i] - trial.start[i];
        }
        c[2 * n..].fill(0.0);
        for (k, row) in DENSE.iter().enumerate() {
            add(&row.map(|d| d / GAMMA), self.slopes.stages(), &mut c[(2 + k) * n..(3 + k) * n]);
        }
        self.dense.correct(field, &mut self.linear, &self.matrix, trial);
    }
}

impl Memory for Sdirk4 {
    fn advance(&mut self) {
        let weight = |s: usize| (if s == 4 { GAMMA } else { A[4][s] }) / GAMMA;
        let (n, stages) = (self.n, self.slopes.stages());
        let rise = |i: usize| (0..5).map(|s| weight(s) * stages[s * n + i]).sum();
        self.dense.advance(self.h, rise);
        self.slopes.advance(self.h);
        self.linear.advance(self.fast);
    }

    fn restart(&mut self, _restart: Restart) {
        self.slopes.restart();
        self.factored.forget();
        self.linear.restart();
        self.newton.restart();
        self.dense.restart();
    }

    fn renew(&mut self) -> bool {
        false
    }

    fn iterate_to_stall(&mut self) {
        self.newton.allow_more(AS_LONG_AS_IT_TAKES);
    }

    fn report(&self) -> StepReport<'_> {
        StepReport::plain(Method::Sdirk4)
    }

    fn stiffness(&self, _trial: &Trial) -> Option<f64> {
        None
    }

    fn factorisations(&self) -> u64 {
        self.factored.count()
    }
}

impl Step for Sdirk4 {
    fn attempt(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        trial.fault = None;
        self.dense.begin();
        if let Err(fault) = self.try_step(field, tolerances, trial) {
            trial.fail(fault);
        }
        if trial.is_good() {
            self.correct_dense(field, trial);
            self.dense.judge(tolerances, trial);
        }
    }

    fn interpolate(&mut self, field: &mut Flow<'_>, trial: &mut Trial, _detail: DenseDetail) {
        self.correct_dense(field, trial);
        self.dense.interpolate(trial);
    }

    fn smooth(&mut self, _positions: usize, _correction: &mut [f64]) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Vector = [f64; 5];

    fn dot(a: &Vector, b: &Vector) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    /// The matrix with its diagonal, times a vector.
    fn times(v: &Vector) -> Vector {
        std::array::from_fn(|i| dot(&A[i], v) + GAMMA * v[i])
    }

    /// Order, vector and value of each order condition `Σ b_i v_i = r`.
    fn conditions() -> [(i32, Vector, f64); 8] {
        let power = |q: i32| C.map(|c| c.powi(q));
        let c_a_c = std::array::from_fn(|i| C[i] * times(&C)[i]);
        [
            (1, power(0), 1.0),
            (2, C, 1.0 / 2.0),
            (3, power(2), 1.0 / 3.0),
            (3, times(&C), 1.0 / 6.0),
            (4, power(3), 1.0 / 4.0),
            (4, c_a_c, 1.0 / 8.0),
            (4, times(&power(2)), 1.0 / 12.0),
            (4, times(&times(&C)), 1.0 / 24.0),
        ]
    }

    fn weights() -> Vector {
        let mut b = A[4];
        b[4] = GAMMA;
        b
    }

    #[test]
    fn weights_meet_the_conditions_of_order_four_and_the_embedded_ones_of_order_three() {
        for (sum, c) in times(&[1.0; 5]).iter().zip(&C) {
            assert!((sum - c).abs() < 1e-15, "{sum} against {c}");
        }
        let b = weights();
        let embedded = std::array::from_fn(|i| b[i] - E[i]);
        for (order, v, r) in conditions() {
            assert!((dot(&b, &v) - r).abs() < 2e-15, "order {order}");
            assert_eq!((dot(&embedded, &v) - r).abs() < 2e-15, order <= 3, "order {order}");
        }
    }

    #[test]
    fn dense_weights_meet_the_conditions_of_order_three() {
        let b = weights();
        for theta in [0.1, 0.3, 0.5, 0.7, 0.9, 1.2] {
            let at = |i: usize| {
                let r = 1.0 - theta;
                theta * (b[i] + r * (DENSE[0][i] + theta * (DENSE[1][i] + r * DENSE[2][i])))
            };
            for (order, v, r) in conditions().into_iter().filter(|c| c.0 <= 3) {
                let sum = dot(&std::array::from_fn(at), &v);
                assert!((sum - r * f64::powi(theta, order)).abs() < 2e-14, "order {order} at {theta}");
            }
        }
    }

    #[test]
    fn first_iterates_are_exact_for_slopes_linear_in_time() {
        let nodes = [0.0, C[0], C[1], C[2], C[3]];
        for (row, c) in PREDICT.iter().zip(&C[1..]) {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-15);
            assert!((dot(row, &nodes) - c).abs() < 1e-15);
        }
    }

    #[test]
    fn stages_are_predicted_from_the_step_before_if_there_was_one() {
        let mut slopes = StageSlopes::new(1);
        slopes.predict(0, 0.1);
        assert_eq!(slopes.stage(0), [0.0]);
        for (s, c) in C.iter().enumerate() {
            slopes.stage_mut(s)[0] = 1.0 + c;
        }
        slopes.advance(0.1);
        // `k = 1 + t / h` of the step before, carried on to the first node of one of the same size.
        slopes.predict(0, 0.1);
        assert!((slopes.stage(0)[0] - 2.25).abs() < 1e-15);
        slopes.restart();
        slopes.predict(0, 0.1);
        assert_eq!(slopes.stage(0), [0.0]);
    }
}
