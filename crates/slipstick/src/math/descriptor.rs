//! The rates of `M z = f` where M may be singular: what its equations leave open follows from their
//! derivative, `M z' = B z + g`.
//!
//! Elimination with full pivoting turns M into rows that determine rates and rows of zeros. The latter are
//! combinations of the equations that hold without rates; along the motion they go on to hold, so the same
//! combinations of `B z + g` are zero. Both together determine z for equations of index 1.

use super::RealLu;

/// Smaller than this part of its row, a pivot is rounding.
const NOTHING: f64 = 1e-12;

/// The matrices M and B with the right-hand sides f and g, and the scratch to solve for z.
#[derive(Clone, Debug)]
pub struct Descriptor {
    n: usize,
    /// M by rows.
    pub mass: Vec<f64>,
    /// B by rows.
    pub slopes: Vec<f64>,
    /// f.
    pub force: Vec<f64>,
    /// g.
    pub drift: Vec<f64>,
    /// Where each column of M stood at first.
    columns: Vec<usize>,
    matrix: RealLu,
}

impl Descriptor {
    /// Room for `n` rates.
    pub fn new(n: usize) -> Self {
        let (square, room) = (|| vec![0.0; n * n], || vec![0.0; n]);
        let (mass, slopes, force, drift) = (square(), square(), room(), room());
        Self { n, mass, slopes, force, drift, columns: (0..n).collect(), matrix: RealLu::new(n) }
    }

    /// Solves for the rates, destroying the matrices. Undetermined rates are zero. Returns the rank of M.
    pub fn solve(&mut self, rates: &mut [f64]) -> usize {
        self.equilibrate();
        let rank = self.eliminate();
        self.put_together(rank, true, rates);
        if self.matrix.factor().is_err() {
            // The first rows have pivots in the columns that stand first, so that this is regular.
            self.put_together(rank, false, rates);
            let _ = self.matrix.factor();
        }
        self.matrix.solve(rates);
        rank
    }

    /// The rows that determine rates; behind them those of `B z + g = 0`, or of `z = 0` in the columns that
    /// are left.
    fn put_together(&mut self, rank: usize, with_slopes: bool, right: &mut [f64]) {
        let n = self.n;
        for (i, row) in self.matrix.entries_mut().chunks_exact_mut(n.max(1)).enumerate() {
            let source = if i < rank { &self.mass } else { &self.slopes };
            row.copy_from_slice(&source[i * n..(i + 1) * n]);
            right[i] = if i < rank { self.force[i] } else { -self.drift[i] };
            if i >= rank && !with_slopes {
                row.fill(0.0);
                row[self.columns[i]] = 1.0;
                right[i] = 0.0;
            }
        }
    }

    /// Brings the rows of M to the size 1.
    fn equilibrate(&mut self) {
        let n = self.n;
        for i in 0..n {
            let row = i * n..(i + 1) * n;
            let size = self.mass[row.clone()].iter().fold(0.0_f64, |a, m| a.max(m.abs()));
            if size > 0.0 {
                self.mass[row.clone()].iter_mut().for_each(|m| *m /= size);
                self.slopes[row].iter_mut().for_each(|b| *b /= size);
                self.force[i] /= size;
                self.drift[i] /= size;
            }
        }
    }

    /// Eliminates with full pivoting, and gives the rank.
    fn eliminate(&mut self) -> usize {
        let n = self.n;
        self.columns.clear();
        self.columns.extend(0..n);
        for k in 0..n {
            let Some((row, place)) = self.largest_behind(k) else { return k };
            self.columns.swap(k, place);
            self.swap_rows(k, row);
            for i in k + 1..n {
                self.subtract_row(k, i);
            }
        }
        n
    }

    /// The row of the largest entry that is left, and the place of its column.
    fn largest_behind(&self, k: usize) -> Option<(usize, usize)> {
        let mut best = (NOTHING, None);
        for (i, place) in (k..self.n).flat_map(|i| (k..self.n).map(move |place| (i, place))) {
            let size = self.mass[i * self.n + self.columns[place]].abs();
            if size > best.0 {
                best = (size, Some((i, place)));
            }
        }
        best.1
    }

    fn swap_rows(&mut self, a: usize, b: usize) {
        let n = self.n;
        for j in 0..n {
            self.mass.swap(a * n + j, b * n + j);
            self.slopes.swap(a * n + j, b * n + j);
        }
        self.force.swap(a, b);
        self.drift.swap(a, b);
    }

    /// Takes so much of row `k` off row `i` that its entry in the column of the pivot becomes zero.
    fn subtract_row(&mut self, k: usize, i: usize) {
        let n = self.n;
        let factor = self.mass[i * n + self.columns[k]] / self.mass[k * n + self.columns[k]];
        if factor == 0.0 {
            return;
        }
        for j in 0..n {
            self.mass[i * n + j] -= factor * self.mass[k * n + j];
            self.slopes[i * n + j] -= factor * self.slopes[k * n + j];
        }
        self.mass[i * n + self.columns[k]] = 0.0;
        self.force[i] -= factor * self.force[k];
        self.drift[i] -= factor * self.drift[k];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solve(mass: &[f64], slopes: &[f64], force: &[f64], drift: &[f64]) -> (usize, Vec<f64>) {
        let n = force.len();
        let mut descriptor = Descriptor::new(n);
        descriptor.mass.copy_from_slice(mass);
        descriptor.slopes.copy_from_slice(slopes);
        descriptor.force.copy_from_slice(force);
        descriptor.drift.copy_from_slice(drift);
        let mut rates = vec![f64::NAN; n];
        (descriptor.solve(&mut rates), rates)
    }

    #[test]
    fn a_regular_matrix_determines_the_rates_alone() {
        let (rank, rates) = solve(&[2.0, 1.0, 1.0, 3.0], &[9.0; 4], &[4.0, 7.0], &[9.0; 2]);
        assert_eq!(rank, 2);
        assert!((rates[0] - 1.0).abs() + (rates[1] - 2.0).abs() < 1e-14, "{rates:?}");
    }

    /// x' = 3 with 0 = 2 x - z + t, so that z' = 2 x' + 1.
    #[test]
    fn an_algebraic_equation_determines_its_rate_by_its_derivative() {
        let (rank, rates) = solve(&[1.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 2.0, -1.0], &[3.0, 0.0], &[0.0, 1.0]);
        assert_eq!((rank, rates), (1, vec![3.0, 7.0]));
    }

    /// The same behind the rows (1, 1) of a regular matrix: both equations have a rate in them.
    #[test]
    fn rows_that_depend_on_each_other_are_combined() {
        let (rank, rates) = solve(&[1e6, 0.0, 2e-3, 0.0], &[0.0, 0.0, 2.0, -1.0], &[3e6, 6e-3], &[0.0, 1.0]);
        assert_eq!(rank, 1);
        assert!((rates[0] - 3.0).abs() + (rates[1] - 7.0).abs() < 1e-13, "{rates:?}");
    }

    #[test]
    fn what_nothing_determines_is_zero() {
        let (rank, rates) = solve(&[0.0, 2.0, 0.0, 0.0], &[0.0; 4], &[6.0, 0.0], &[0.0; 2]);
        assert_eq!((rank, rates), (1, vec![0.0, 3.0]));
    }
}
