//! RODAS, a Rosenbrock method of order 4(3) with 6 stages, L-stable and stiffly accurate: Hairer, Wanner II,
//! sections IV.7 and VI.4.
//!
//! No iteration: each stage is one linear system,
//! `(M / (γ h) - J) U_i = f(t + α_i h, y₀ + Σ a_ij U_j) + M Σ c_ij U_j / h + γ_i h ∂f/∂t`, all with the same
//! matrix. It needs the Jacobian and `∂f/∂t` at the start of every step. The mass may be singular (index 1);
//! for one that varies see `rates.rs`.
//!
//! The dense output of the book has order 3 on problems that are not stiff; for the others it is corrected,
//! see `stiff_dense.rs`.

use super::implicit::{Linearisation, add, check_finite};
use super::rates::Rates;
use super::stiff_dense::StiffDense;
use super::{
    DenseDetail, Fault, Memory, Method, MethodDescriptor, Restart, Step, StepReport, Tolerances, Trial,
};
use crate::formulation::{Field, Flow};
use crate::math::{Norm, RealLu};

pub(super) const DESCRIPTOR: MethodDescriptor = MethodDescriptor {
    name: "rodas4",
    about: "Rosenbrock, for stiff equations, no iteration",
    order: 4,
    error_order: Some(3),
    dense_order: 3,
    ..MethodDescriptor::implicit(&NODES, |dimension| Box::new(Rodas4::new(dimension)))
};

const GAMMA: f64 = 0.25;
/// The nodes `α_i`.
pub(super) const NODES: [f64; 6] = [0.0, 0.386, 0.21, 0.63, 1.0, 1.0];
/// The weights `γ_i` of `∂f/∂t`.
const TIME: [f64; 6] = [0.25, -0.1043, 0.1035, -0.0362, 0.0, 0.0];
/// `a_ij`; the weights of the solution are the last row with a 1 behind it.
const A: [&[f64]; 6] = [
    &[],
    &[1.544],
    &[0.9466785280815826, 0.2557011698983284],
    &[3.314825187068521, 2.896124015972201, 0.9986419139977817],
    &[1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895],
    &[1.221224509226641, 6.019134481288629, 12.53708332932087, -0.687886036105895, 1.0],
];
/// `c_ij`.
const C: [&[f64]; 6] = [
    &[],
    &[-5.6688],
    &[-2.430093356833875, -0.2063599157091915],
    &[-0.1073529058151375, -9.594562251023355, -20.47028614809616],
    &[7.496443313967647, -10.24680431464352, -33.99990352819905, 11.7089089320616],
    &[8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054],
];
/// The weights of the coefficients c₂ and c₃ of dense output.
const DENSE: [[f64; 5]; 2] = [
    [10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823, 1.025137723295662],
    [-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386, -6.594389125716872],
];

/// The method with its stages and factors.
#[derive(Clone, Debug)]
pub struct Rodas4 {
    n: usize,
    linear: Linearisation,
    matrix: RealLu,
    factorisations: u64,
    /// `∂f/∂t` at the start.
    drift: Vec<f64>,
    drift_is_known: bool,
    /// The six `U_i`, one after the other.
    stages: Vec<f64>,
    point: Vec<f64>,
    sum: Vec<f64>,
    /// Behind a mass that varies.
    rates: Option<Rates>,
    dense: StiffDense,
    h: f64,
}

impl Rodas4 {
    pub(super) fn new(n: usize) -> Self {
        Self {
            n,
            linear: Linearisation::new(n),
            matrix: RealLu::new(n),
            factorisations: 0,
            drift: vec![0.0; n],
            drift_is_known: false,
            stages: vec![0.0; 6 * n],
            point: vec![0.0; n],
            sum: vec![0.0; n],
            rates: None,
            dense: StiffDense::new(n),
            h: 0.0,
        }
    }

    fn try_step(&mut self, field: &mut Flow<'_>, trial: &mut Trial) -> Result<(), Fault> {
        let n = self.n;
        self.prepare(field, trial)?;
        for s in 0..6 {
            self.solve_stage(s, field, trial)?;
        }
        // The last stage stands at the end of the step, less its own correction.
        for ((end, point), last) in trial.end.iter_mut().zip(&self.point).zip(&self.stages[5 * n..]) {
            *end = point + last;
        }
        Ok(())
    }

    /// Derivatives at the start, once for each start, and the factors, for each attempt.
    fn prepare(&mut self, field: &mut Flow<'_>, trial: &Trial) -> Result<(), Fault> {
        self.linear.find_matrices(field, trial.t, &trial.start)?;
        if !self.drift_is_known {
            field.time_derivative(trial.t, &trial.start, &self.linear.slope, &mut self.drift);
            if let Some(rates) = self.linear.rates() {
                self.drift.iter_mut().zip(&rates.by_time).for_each(|(x, slope)| *x -= slope);
                self.rates.get_or_insert_with(|| Rates::new(self.n));
            }
            check_finite(&self.drift, 1, trial.t)?;
            self.drift_is_known = true;
        }
        self.linear.fill_real(1.0 / (GAMMA * trial.h), &mut self.matrix);
        self.factorisations += 1;
        self.matrix.factor().map_err(|component| Fault::SingularMatrix { component })
    }

    fn solve_stage(&mut self, s: usize, field: &mut Flow<'_>, trial: &Trial) -> Result<(), Fault> {
        let (n, h) = (self.n, trial.h);
        let t = trial.t + NODES[s] * h;
        let (known, unknown) = self.stages.split_at_mut(s * n);
        let stage = &mut unknown[..n];
        self.point.copy_from_slice(&trial.start);
        add(A[s], known, &mut self.point);
        self.sum.fill(0.0);
        add(C[s], known, &mut self.sum);
        self.sum.iter_mut().for_each(|x| *x /= -h);
        if let (Some(rates), Some(start)) = (&mut self.rates, self.linear.rates()) {
            rates.stand(&start.rates, A[s], &mut self.sum);
        }
        if s == 0 {
            stage.copy_from_slice(&self.linear.slope);
        } else {
            field.derivative(t, &self.point, stage);
            check_finite(stage, 1, t)?;
            if let Some(rates) = &self.rates {
                self.linear.subtract_mass_times(field, (t, &self.point), &rates.level, stage);
                check_finite(stage, 1, t)?;
            }
            self.linear.subtract_first_mass_times(&self.sum, stage);
        }
        for (x, drift) in stage.iter_mut().zip(&self.drift) {
            *x += h * TIME[s] * drift;
        }
        self.matrix.solve(stage);
        if let Some(rates) = &mut self.rates {
            rates.keep(s, 1.0 / (GAMMA * h), stage, &self.sum);
        }
        Ok(())
    }

    /// The polynomial of the method, corrected.
    fn correct_dense(&mut self, field: &mut Flow<'_>, trial: &mut Trial) {
        let n = self.n;
        let c = trial.dense.coefficients_mut(3);
        c[..n].copy_from_slice(&trial.start);
        for i in 0..n {
            c[n + i] = trial.end[i] - trial.start[i];
        }
        c[2 * n..].fill(0.0);
        for (k, row) in DENSE.iter().enumerate() {
            add(row, &self.stages, &mut c[(2 + k) * n..(3 + k) * n]);
        }
        self.dense.correct(field, &mut self.linear, &self.matrix, trial);
    }
}

impl Memory for Rodas4 {
    fn advance(&mut self) {
        let n = self.n;
        let weights = A[5].iter().chain(&[1.0]);
        let rise =
            |i: usize| weights.clone().zip(self.stages[i..].iter().step_by(n)).map(|(w, u)| w * u).sum();
        self.dense.advance(self.h, rise);
        self.linear.restart();
        self.drift_is_known = false;
    }

    fn restart(&mut self, _restart: Restart) {
        self.linear.restart();
        self.drift_is_known = false;
        self.dense.restart();
    }

    fn renew(&mut self) -> bool {
        false
    }

    fn iterate_to_stall(&mut self) {}

    fn report(&self) -> StepReport<'_> {
        StepReport::plain(Method::Rodas4)
    }

    fn stiffness(&self, _trial: &Trial) -> Option<f64> {
        None
    }

    fn factorisations(&self) -> u64 {
        self.factorisations
    }
}

impl Step for Rodas4 {
    fn attempt(&mut self, field: &mut Flow<'_>, tolerances: &Tolerances, trial: &mut Trial) {
        trial.fault = None;
        self.h = trial.h;
        self.dense.begin();
        match self.try_step(field, trial) {
            Ok(()) => trial.judge(&self.stages[5 * self.n..], tolerances, Norm::Mean),
            Err(fault) => trial.fail(fault),
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

    type Vector = [f64; 6];
    type Matrix = [Vector; 6];

    fn entry(rows: &[&[f64]; 6], i: usize, j: usize) -> f64 {
        rows[i].get(j).copied().unwrap_or(0.0)
    }

    fn times(matrix: &Matrix, v: &Vector) -> Vector {
        std::array::from_fn(|i| (0..6).map(|j| matrix[i][j] * v[j]).sum())
    }

    /// `Γ`, the inverse of `1/γ - C`, column by column.
    fn gamma() -> Matrix {
        let mut out = [[0.0; 6]; 6];
        for (i, j) in (0..36).map(|place| (place / 6, place % 6)).filter(|(i, j)| j <= i) {
            let unit = if i == j { 1.0 } else { 0.0 };
            let sum: f64 = (0..i).map(|k| entry(&C, i, k) * out[k][j]).sum();
            out[i][j] = GAMMA * (unit + sum);
        }
        out
    }

    /// Weights of the `U_i` as weights of the `k_i`, where `U = Γ k`.
    fn in_slopes(weights: &Vector) -> Vector {
        std::array::from_fn(|j| (0..6).map(|i| weights[i] * gamma()[i][j]).sum())
    }

    fn alpha() -> Matrix {
        std::array::from_fn(|i| in_slopes(&std::array::from_fn(|j| entry(&A, i, j))))
    }

    /// Order, vector and value of each order condition `Σ b_i v_i = r` (Hairer, Wanner II, section IV.7, with
    /// β = α + γ).
    fn conditions() -> [(i32, Vector, f64); 8] {
        let (alpha, gamma) = (alpha(), gamma());
        let beta: Matrix = std::array::from_fn(|i| std::array::from_fn(|j| alpha[i][j] + gamma[i][j]));
        let (a, b) = (times(&alpha, &[1.0; 6]), times(&beta, &[1.0; 6]));
        let power = |q: i32| a.map(|a| a.powi(q));
        let mixed = times(&alpha, &b);
        [
            (1, [1.0; 6], 1.0),
            (2, b, 1.0 / 2.0),
            (3, power(2), 1.0 / 3.0),
            (3, times(&beta, &b), 1.0 / 6.0),
            (4, power(3), 1.0 / 4.0),
            (4, std::array::from_fn(|i| a[i] * mixed[i]), 1.0 / 8.0),
            (4, times(&beta, &power(2)), 1.0 / 12.0),
            (4, times(&beta, &times(&beta, &b)), 1.0 / 24.0),
        ]
    }

    fn dot(a: &Vector, b: &Vector) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    /// The weights of the solution, and those of the embedded one.
    fn weights(last: f64) -> Vector {
        std::array::from_fn(|i| if i == 5 { last } else { entry(&A, 5, i) })
    }

    #[test]
    fn rows_of_the_tableau_add_up_to_the_nodes_and_to_the_weights_of_time() {
        let (nodes, time) = (times(&alpha(), &[1.0; 6]), times(&gamma(), &[1.0; 6]));
        for i in 0..6 {
            assert!((nodes[i] - NODES[i]).abs() < 1e-13, "node {i}: {}", nodes[i]);
            assert!((time[i] - TIME[i]).abs() < 1e-13, "time {i}: {}", time[i]);
        }
    }

    #[test]
    fn weights_meet_the_conditions_of_order_four_and_the_embedded_ones_of_order_three() {
        let (solution, embedded) = (in_slopes(&weights(1.0)), in_slopes(&weights(0.0)));
        for (order, v, r) in conditions() {
            assert!((dot(&solution, &v) - r).abs() < 1e-13, "order {order}: {}", dot(&solution, &v) - r);
            let near = (dot(&embedded, &v) - r).abs() < 1e-13;
            assert!(near || order == 4, "embedded, order {order}: {}", dot(&embedded, &v) - r);
        }
    }

    #[test]
    fn dense_weights_meet_the_conditions_of_order_three() {
        let m = weights(1.0);
        for theta in [0.1, 0.3, 0.5, 0.7, 0.9, 1.2] {
            let d = |k: usize, i: usize| DENSE[k].get(i).copied().unwrap_or(0.0);
            let at = |i: usize| theta * (m[i] + (1.0 - theta) * (d(0, i) + theta * d(1, i)));
            let b = in_slopes(&std::array::from_fn(at));
            for (order, v, r) in conditions().into_iter().filter(|c| c.0 <= 3) {
                let miss = dot(&b, &v) - r * f64::powi(theta, order);
                assert!(miss.abs() < 1e-12, "order {order} at {theta}: {miss:e}");
            }
        }
    }
}
