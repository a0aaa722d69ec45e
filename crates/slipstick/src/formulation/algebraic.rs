//! Algebraic equations beside differential ones: `M y' = f` where some rows of M are zero, `0 = h(x, z)`, and
//! as many columns, so that z has no rate.
//!
//! Where `∂h/∂z` is regular (index 1), z follows from x. On each side of a switching surface it may be
//! another z; so a field is taken with the z of its own side, and what is integrated is the system of x
//! alone, in the words of paper 002.

use crate::equations::{Evaluator, Locked};
use crate::math::RealLu;

const MOST_ROUNDS: usize = 50;
/// Steps that are this small, as a part of the states, are taken without a look at where they lead: there the
/// equations are rounding.
const NEAR: f64 = 1e-8;

/// Which equations and states are algebraic, with the scratch to solve for them.
#[derive(Clone, Debug)]
pub(super) struct Algebraic {
    /// The rows of the equations and the columns of the states, as many.
    pub(super) rows: Vec<usize>,
    pub(super) columns: Vec<usize>,
    matrix: RealLu,
    here: Vec<f64>,
    beside: Vec<f64>,
    step: Vec<f64>,
    /// The step that was taken last.
    taken: Vec<f64>,
}

impl Algebraic {
    /// The zero rows and columns of a mass matrix; none if there are none, or not as many of both.
    pub(super) fn of(mass: &[f64], n: usize) -> Option<Self> {
        let rows: Vec<usize> = (0..n).filter(|i| (0..n).all(|j| mass[i * n + j] == 0.0)).collect();
        let columns: Vec<usize> = (0..n).filter(|j| (0..n).all(|i| mass[i * n + j] == 0.0)).collect();
        let m = rows.len();
        let room = |n: usize| vec![0.0; n];
        (m > 0 && m == columns.len()).then(|| Self {
            rows,
            columns,
            matrix: RealLu::new(m),
            here: room(n),
            beside: room(n),
            step: room(m),
            taken: room(m),
        })
    }

    /// Puts ones into the mass matrix, so that it determines what it left open.
    pub(super) fn complete(&self, mass: &mut [f64]) {
        let n = self.here.len();
        for (row, column) in self.rows.iter().zip(&self.columns) {
            mass[row * n + column] = 1.0;
        }
    }

    /// Solves for the algebraic states at a point, by Newton's method with differences. A step that leads
    /// away from the solution is halved. Gives how many right-hand sides were evaluated, none if it fails.
    pub(super) fn solve(
        &mut self,
        evaluator: &mut dyn Evaluator,
        locked: Locked<'_>,
        t: f64,
        y: &mut [f64],
    ) -> Option<u64> {
        let (mut count, mut size, mut last, mut left) = (0, 0.0_f64, f64::INFINITY, f64::INFINITY);
        for _ in 0..MOST_ROUNDS {
            count += 1 + self.columns.len() as u64;
            self.linearise(evaluator, locked, t, y);
            let now = self.step.iter().fold(0.0, |a, b| if b.is_nan() { f64::NAN } else { b.abs().max(a) });
            if last > NEAR * size && last.is_finite() && (now.is_nan() || now > left) {
                self.take_half_back(y);
                last *= 0.5;
                continue;
            }
            left = now;
            self.matrix.factor().ok()?;
            self.matrix.solve(&mut self.step);
            let change = self.take(y, &mut size);
            // Newton's steps become next to nothing, or rounding keeps them from becoming smaller.
            if change <= 4.0 * f64::EPSILON * size || (change <= NEAR * size && change > 0.5 * last) {
                return Some(count);
            }
            last = change;
        }
        None
    }

    /// Takes a step. Gives its length, and keeps how large steps and states have been.
    fn take(&mut self, y: &mut [f64], size: &mut f64) -> f64 {
        let mut change = 0.0_f64;
        for (&column, step) in self.columns.iter().zip(&self.step) {
            y[column] -= step;
            change = change.max(step.abs());
            *size = size.max(step.abs()).max(y[column].abs());
        }
        self.taken.copy_from_slice(&self.step);
        change
    }

    fn take_half_back(&mut self, y: &mut [f64]) {
        for (&column, taken) in self.columns.iter().zip(&mut self.taken) {
            *taken *= 0.5;
            y[column] += *taken;
        }
    }

    /// The equations at a point, and how they depend on the algebraic states.
    fn linearise(&mut self, evaluator: &mut dyn Evaluator, locked: Locked<'_>, t: f64, y: &mut [f64]) {
        let m = self.rows.len();
        evaluator.derivative(locked, t, y, &mut self.here);
        for (step, &row) in self.step.iter_mut().zip(&self.rows) {
            *step = self.here[row];
        }
        for (j, &column) in self.columns.iter().enumerate() {
            let old = y[column];
            y[column] = old + (f64::EPSILON * old.abs().max(1e-5)).sqrt();
            let h = y[column] - old;
            evaluator.derivative(locked, t, y, &mut self.beside);
            y[column] = old;
            for (i, &row) in self.rows.iter().enumerate() {
                self.matrix.entries_mut()[i * m + j] = (self.beside[row] - self.here[row]) / h;
            }
        }
    }
}
