//! Dense output of any order from a method that has none: bootstrapping by Hermite-Birkhoff interpolation.
//!
//! A polynomial that is right to order p in the step gives states good enough to evaluate the field at m
//! points to order p+1; the polynomial that meets both ends with their slopes and these m further slopes is
//! right to one order more. Starting from the cubic (m = 0, order 3) each level adds one order. Compare
//! Shampine, "Interpolation for Runge-Kutta methods", SIAM J. Numer. Anal. 22 (1985), and paper 002,
//! section 3.

use super::Trial;
use crate::formulation::{Field, Flow};

/// The points for m = 1, 2, 3, 4: chosen among multiples of 0.05 so that errors of the slopes matter least
/// between 0 and 1.3. (Lobatto points cannot be used: their quadrature is exact, so the value at the end
/// would add nothing.)
const POINTS: [&[f64]; 4] = [&[0.8], &[0.15, 0.85], &[0.2, 0.35, 0.9], &[0.1, 0.25, 0.75, 0.95]];

/// A matrix for the most points, by rows; m of m entries each are used.
type Square = [[f64; POINTS.len()]; POINTS.len()];

/// One level: m points, and the inverse of the matrix from `c₄ … c_{3+m}` to slopes at the points.
#[derive(Clone, Debug)]
struct Collocation {
    points: &'static [f64],
    inverse: Square,
}

/// The levels from one degree to a higher one, with scratch; made when dense output is first needed.
#[derive(Clone, Debug)]
pub(super) struct Bootstrap {
    from: usize,
    to: usize,
    levels: Vec<Collocation>,
    slopes: Vec<f64>,
    state: Vec<f64>,
}

impl Bootstrap {
    /// Levels from degree `from` (3 or more, of that order too) to degree `to` (at most 7).
    pub(super) fn new(from: usize, to: usize) -> Self {
        let to = to.min(3 + POINTS.len());
        Self { from, to, levels: Vec::new(), slopes: Vec::new(), state: Vec::new() }
    }

    /// Raises the dense output of a trial, level by level.
    pub(super) fn raise(&mut self, field: &mut Flow<'_>, trial: &mut Trial) {
        if self.from + self.levels.len() < self.to {
            self.prepare(trial.start.len());
        }
        for level in &self.levels {
            level.raise(field, trial, &mut self.slopes, &mut self.state);
        }
    }

    #[cold]
    fn prepare(&mut self, dimension: usize) {
        self.levels = (self.from + 1..=self.to).map(|degree| Collocation::new(degree - 3)).collect();
        self.slopes = vec![0.0; POINTS.len() * dimension];
        self.state = vec![0.0; dimension];
    }
}

impl Collocation {
    fn new(m: usize) -> Self {
        let points = POINTS[m - 1];
        let mut matrix = Square::default();
        for (row, &x) in matrix.iter_mut().zip(points) {
            for (k, entry) in row[..m].iter_mut().enumerate() {
                *entry = basis_slope(4 + k, x);
            }
        }
        Self { points, inverse: invert(matrix, m) }
    }

    fn raise(&self, field: &mut Flow<'_>, trial: &mut Trial, slopes: &mut [f64], state: &mut [f64]) {
        let (n, m) = (state.len(), self.points.len());
        for (j, &theta) in self.points.iter().enumerate() {
            trial.dense.evaluate(theta, state);
            field.derivative(trial.t + theta * trial.h, state, &mut slopes[j * n..(j + 1) * n]);
        }
        let (h, c) = (trial.h, trial.dense.coefficients_mut(3 + m));
        for i in 0..n {
            let mut missing = [0.0; POINTS.len()];
            for (j, &theta) in self.points.iter().enumerate() {
                let cubic: f64 = (1..4).map(|k| c[k * n + i] * basis_slope(k, theta)).sum();
                missing[j] = h * slopes[j * n + i] - cubic;
            }
            for k in 0..m {
                c[(4 + k) * n + i] = (0..m).map(|j| self.inverse[k][j] * missing[j]).sum();
            }
        }
    }
}

/// The slope at θ of the k-th function of the nested form: θ^⌈k/2⌉ (1-θ)^⌊k/2⌋.
fn basis_slope(k: usize, theta: f64) -> f64 {
    let (up, down) = (k.div_ceil(2), k / 2);
    let power = |x: f64, p: usize| (0..p).fold(1.0, |product, _| product * x);
    let rising = if up > 0 { up as f64 * power(theta, up - 1) * power(1.0 - theta, down) } else { 0.0 };
    let falling = if down > 0 { down as f64 * power(theta, up) * power(1.0 - theta, down - 1) } else { 0.0 };
    rising - falling
}

/// The inverse of the first m rows and columns, by Gauss and Jordan with pivoting.
fn invert(mut a: Square, m: usize) -> Square {
    let mut inverse = Square::default();
    for (i, row) in inverse[..m].iter_mut().enumerate() {
        row[i] = 1.0;
    }
    for column in 0..m {
        let better = |x: &usize, y: &usize| a[*x][column].abs().total_cmp(&a[*y][column].abs());
        let pivot = (column..m).max_by(better).unwrap_or(column);
        a.swap(column, pivot);
        inverse.swap(column, pivot);
        let scale = 1.0 / a[column][column];
        for j in 0..m {
            a[column][j] *= scale;
            inverse[column][j] *= scale;
        }
        for i in (0..m).filter(|&i| i != column) {
            let factor = a[i][column];
            for j in 0..m {
                a[i][j] -= factor * a[column][j];
                inverse[i][j] -= factor * inverse[column][j];
            }
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_times_matrix_is_the_identity() {
        for m in 1..=POINTS.len() {
            let level = Collocation::new(m);
            for k in 0..m {
                for l in 0..m {
                    let product: f64 =
                        (0..m).map(|j| level.inverse[k][j] * basis_slope(4 + l, level.points[j])).sum();
                    assert!((product - f64::from(u8::from(k == l))).abs() < 1e-9, "m = {m}");
                }
            }
            assert!(level.inverse.iter().flatten().all(|x| x.abs() < 2e4), "m = {m}: {:?}", level.inverse);
        }
    }

    #[test]
    fn slopes_of_the_basis_are_those_of_its_values() {
        for k in 1_i32..8 {
            let value = |x: f64| x.powi(k - k / 2) * (1.0 - x).powi(k / 2);
            for x in [0.1, 0.5, 0.9, 1.3] {
                let difference = (value(x + 1e-6) - value(x - 1e-6)) / 2e-6;
                assert!((basis_slope(usize::try_from(k).unwrap(), x) - difference).abs() < 1e-8);
            }
        }
    }
}
