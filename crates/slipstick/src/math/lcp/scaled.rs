//! A problem with rows and columns brought to size one: `M' = R M C`, `q' = R q`, `z = C z'`, `w' = R w`.
//!
//! The factors are powers of two, so that nothing is rounded. The scaling that they are rounded from has
//! geometric means of one in every row and column (Curtis and Reid, J. Inst. Maths Applics 10, 1972). That is
//! unique, so that a problem in other units is scaled to the same one up to factors of two; the covering
//! vector of Lemke's method makes up for those, so that its path does not depend on units either.

use super::{Problem, Solution};

/// Entries below this part (in bits) of their row and column do not count for means: they are rounding.
const NOISE_BITS: f64 = -32.0;
/// Sizes are brought to one by halves of their distance in bits: from the largest ratio of two numbers to
/// less than this many bits.
const NEAR_BITS: f64 = 0.1;
const MOST_HALVINGS: usize = 16;
/// Means are iterated until they change by less than this many bits; patterns that are nearly full need few
/// rounds, and the rest stay within a few bits of the mean.
const MEAN_BITS: f64 = 1e-7;
const MOST_MEANS: usize = 60;
/// The covering vector is rounded to steps of a bit, wider than the means are exact: so rounding does not
/// break its ties.
const STEPS_PER_BIT: f64 = 1024.0;
/// Rows whose constants are within this part of the most negative one, against the covering vector, are made
/// equal to it: so the steps do not break the ties of dependent rows. Wider than a step.
const EQUAL: f64 = 2e-3;
/// Factors beyond these bits could not be applied in one multiplication.
const LARGEST_BITS: f64 = 1000.0;

/// The scaled problem.
#[derive(Debug)]
pub(super) struct Scaled {
    pub(super) n: usize,
    /// The scaled matrix, by rows.
    pub(super) m: Vec<f64>,
    pub(super) q: Vec<f64>,
    /// The covering vector of Lemke's method, near one.
    pub(super) cover: Vec<f64>,
    /// How `z` of a problem with a symmetric matrix, in any units, is a multiplier of its rows.
    symmetric: Vec<f64>,
    rows: Vec<f64>,
    columns: Vec<f64>,
}

impl Scaled {
    /// Scales a problem; none if it is not square or not finite.
    pub(super) fn new(problem: &Problem) -> Option<Self> {
        let n = problem.constant.len();
        let square = n.checked_mul(n) == Some(problem.matrix.len());
        let finite = || problem.matrix.iter().chain(problem.constant).all(|x| x.is_finite());
        if !square || !finite() {
            return None;
        }
        let bits = Logarithms::of(problem, n);
        let power = |x: &f64| x.round().clamp(-LARGEST_BITS, LARGEST_BITS).exp2();
        let rows: Vec<f64> = bits.rows.iter().map(power).collect();
        let columns: Vec<f64> = bits.columns.iter().map(power).collect();
        let entries = problem.matrix.iter().enumerate();
        let m: Vec<f64> = entries.map(|(k, x)| scale_entry(*x, rows[k / n], columns[k % n])).collect();
        let q: Vec<f64> = problem.constant.iter().zip(&rows).map(|(q, r)| q * r).collect();
        let cover = covering(&bits.rows, &q);
        let part = |x: f64| x.round() - x;
        let both = bits.rows.iter().zip(&bits.columns);
        let symmetric = both.map(|(row, column)| (part(*column) - part(*row)).exp2()).collect();
        let finite = m.iter().chain(&q).all(|x| x.is_finite());
        finite.then_some(Self { n, m, q, cover, symmetric, rows, columns })
    }

    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.m[i * self.n..(i + 1) * self.n]
    }

    /// `w` in row `i`.
    pub(super) fn residual(&self, i: usize, z: &[f64]) -> f64 {
        self.q[i] + super::super::dot(self.row(i), z)
    }

    /// The solution in the units of the problem; none if it is too large for numbers.
    pub(super) fn in_units(&self, z: &[f64], w: &[f64], basic: Vec<bool>) -> Option<Solution> {
        let z: Vec<f64> = z.iter().zip(&self.columns).map(|(z, c)| z * c).collect();
        let w: Vec<f64> = w.iter().zip(&self.rows).map(|(w, r)| w / r).collect();
        z.iter().chain(&w).all(|x| x.is_finite()).then_some(Solution { z, w, basic })
    }

    /// `z` in scaled units.
    pub(super) fn scaled_z(&self, z: &[f64]) -> Vec<f64> {
        z.iter().zip(&self.columns).map(|(z, c)| z / c).collect()
    }

    /// Growths of `z` as multipliers of the rows: by the units of the problem, by those in which a symmetric
    /// matrix is symmetric, and as they are.
    pub(super) fn multipliers(&self, z: &[f64]) -> [Vec<f64>; 3] {
        let own = z.iter().zip(&self.columns).zip(&self.rows).map(|((z, c), r)| z * c / r).collect();
        let symmetric = z.iter().zip(&self.symmetric).map(|(z, s)| z * s).collect();
        [own, symmetric, z.to_vec()]
    }

    /// Multipliers of the rows in the units of the problem.
    pub(super) fn multipliers_in_units(&self, v: &[f64]) -> Vec<f64> {
        v.iter().zip(&self.rows).map(|(v, r)| v * r).collect()
    }
}

/// The covering vector of rows that were scaled by powers of two.
fn covering(bits: &[f64], q: &[f64]) -> Vec<f64> {
    let mut cover: Vec<f64> = bits.iter().map(|x| (x.round() - in_steps(*x)).exp2()).collect();
    let least = q.iter().zip(&cover).map(|(q, d)| q / d).fold(0.0, f64::min);
    for (q, d) in q.iter().zip(&mut cover) {
        if q / *d < (1.0 - EQUAL) * least {
            *d = q / least;
        }
    }
    cover
}

fn in_steps(bits: f64) -> f64 {
    (bits * STEPS_PER_BIT).round() / STEPS_PER_BIT
}

/// The order avoids an overflow half way, if one factor is large and the other small.
fn scale_entry(x: f64, row: f64, column: f64) -> f64 {
    let (first, second) = if (x.abs() > 1.0) == (row < 1.0) { (row, column) } else { (column, row) };
    x * first * second
}

/// Logarithms of the entries and of the factors, to base two.
struct Logarithms {
    n: usize,
    entries: Vec<f64>,
    rows: Vec<f64>,
    columns: Vec<f64>,
}

impl Logarithms {
    fn of(problem: &Problem, n: usize) -> Self {
        let entries = problem.matrix.iter().map(|x| x.abs().log2()).collect();
        let mut bits = Self { n, entries, rows: vec![0.0; n], columns: vec![0.0; n] };
        bits.level();
        let counts = bits.pattern();
        bits.balance(&counts);
        bits.bring_constants_to_one(&counts, problem.constant);
        bits
    }

    /// The logarithm of a scaled entry; minus infinity for zero.
    fn at(&self, i: usize, j: usize) -> f64 {
        self.entries[i * self.n + j] + self.rows[i] + self.columns[j]
    }

    /// Brings the largest entry of every row and column near one: Ruiz's iteration.
    fn level(&mut self) {
        let n = self.n;
        let (mut rows, mut columns) = (vec![0.0; n], vec![0.0; n]);
        for _ in 0..MOST_HALVINGS {
            rows.fill(f64::NEG_INFINITY);
            columns.fill(f64::NEG_INFINITY);
            for (i, row) in rows.iter_mut().enumerate() {
                for (j, column) in columns.iter_mut().enumerate() {
                    let size = self.at(i, j);
                    *row = size.max(*row);
                    *column = size.max(*column);
                }
            }
            let far =
                subtract_halves(&mut self.rows, &rows).max(subtract_halves(&mut self.columns, &columns));
            if far < NEAR_BITS {
                break;
            }
        }
    }

    /// Which entries count for means.
    fn pattern(&self) -> Vec<bool> {
        (0..self.n * self.n).map(|k| self.at(k / self.n, k % self.n) > NOISE_BITS).collect()
    }

    /// Brings the geometric mean of the entries that count to one in all rows and columns.
    fn balance(&mut self, counts: &[bool]) {
        let n = self.n;
        for _ in 0..MOST_MEANS {
            let mut change = 0.0_f64;
            for i in 0..n {
                let mean = mean((0..n).filter(|j| counts[i * n + j]).map(|j| self.at(i, j)));
                self.rows[i] -= mean;
                change = change.max(mean.abs());
            }
            for j in 0..n {
                let mean = mean((0..n).filter(|i| counts[i * n + j]).map(|i| self.at(i, j)));
                self.columns[j] -= mean;
                change = change.max(mean.abs());
            }
            if change < MEAN_BITS {
                break;
            }
        }
    }

    /// Rows and columns that are connected by entries may be multiplied and divided by one number without a
    /// change of the matrix: it makes the largest constant of these rows one.
    fn bring_constants_to_one(&mut self, counts: &[bool], constant: &[f64]) {
        let n = self.n;
        let parts = parts(counts, n);
        let mut largest = vec![f64::NEG_INFINITY; 2 * n];
        for (i, q) in constant.iter().enumerate() {
            let size = q.abs().log2() + self.rows[i];
            largest[parts[i]] = size.max(largest[parts[i]]);
        }
        for (part, factor) in parts.iter().zip(self.rows.iter_mut()) {
            *factor -= if largest[*part].is_finite() { largest[*part] } else { 0.0 };
        }
        for (part, factor) in parts[n..].iter().zip(self.columns.iter_mut()) {
            *factor += if largest[*part].is_finite() { largest[*part] } else { 0.0 };
        }
    }
}

/// Takes half of each finite size from its factor, and tells the largest.
fn subtract_halves(factors: &mut [f64], sizes: &[f64]) -> f64 {
    let mut far = 0.0_f64;
    for (factor, size) in factors.iter_mut().zip(sizes).filter(|(_, size)| size.is_finite()) {
        *factor -= 0.5 * size;
        far = far.max(size.abs());
    }
    far
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0_usize, 0.0), |(count, sum), x| (count + 1, sum + x));
    if count == 0 { 0.0 } else { sum / count as f64 }
}

/// The connected part to which each row and each column (after the rows) belongs, named by its least member.
fn parts(counts: &[bool], n: usize) -> Vec<usize> {
    let mut part: Vec<usize> = (0..2 * n).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (k, _) in counts.iter().enumerate().filter(|(_, counts)| **counts) {
            let (i, j) = (k / n, n + k % n);
            let least = part[i].min(part[j]);
            changed |= part[i] != part[j];
            (part[i], part[j]) = (least, least);
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_of_rows_and_columns_do_not_matter() {
        let (matrix, constant) = ([4.0, 1.0, -2.0, 0.0, 3.0, 1.0, 5.0, 1e-17, 2.0], [1.0, -3.0, 2.0]);
        let (rows, columns) = ([1e9, 1e-9, 3.0], [1e-9, 7.0, 1e9]);
        let other: Vec<f64> = (0..9).map(|k| matrix[k] * rows[k / 3] * columns[k % 3]).collect();
        let other_constant: Vec<f64> = (0..3).map(|i| constant[i] * rows[i]).collect();
        let a = Scaled::new(&Problem { matrix: &matrix, constant: &constant }).unwrap();
        let b = Scaled::new(&Problem { matrix: &other, constant: &other_constant }).unwrap();
        for i in 0..3 {
            let (p, q) = (a.q[i] / a.cover[i], b.q[i] / b.cover[i]);
            assert!((p - q).abs() <= 1e-3 * p.abs(), "{p} {q}");
        }
    }

    #[test]
    fn numbers_that_are_not_finite_are_refused() {
        assert!(Scaled::new(&Problem { matrix: &[f64::NAN], constant: &[1.0] }).is_none());
        assert!(Scaled::new(&Problem { matrix: &[1.0], constant: &[f64::INFINITY] }).is_none());
        assert!(Scaled::new(&Problem { matrix: &[1.0, 2.0], constant: &[1.0] }).is_none());
        assert!(Scaled::new(&Problem { matrix: &[], constant: &[] }).is_some());
    }
}
