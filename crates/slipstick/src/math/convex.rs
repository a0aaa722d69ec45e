//! The convex combination of least norm that meets linear equations: `min Σ λ²` with `A λ = 0`, `Σ λ = 1`,
//! `λ ≥ 0`.
//!
//! By its multipliers `μ` the solution is `λ = max(0, u)` with `u = Aᵀμ + μ₀`: a system of as many equations
//! as there are rows, which is a straight line wherever the set of positive shares stays the same. Newton's
//! method on the dual, with a line search, meets it exactly once that set is found (Qi and Sun's semismooth
//! Newton method; it ends after finitely many rounds). Where no convex combination meets the equations, the
//! negative part counts a little, `λ = ε u`: so there is always an answer, it is continuous, and its negative
//! shares tell that it is not convex.

use super::RealLu;

/// A Newton step is shortened down to this part of it, until the dual function rises by no more than
/// rounding.
const SHORTEST_PART: f64 = 1e-6;
const RISE_BY_ROUNDING: f64 = 1e-14;

/// How much the negative part counts.
const SLANT: f64 = 1e-8;
const MOST_ROUNDS: usize = 60;
/// Shares above this are not negative but rounded.
const CONVEX: f64 = -1e-6;

/// The scratch for combinations of up to so many columns under up to so many equations.
#[derive(Clone, Debug)]
pub struct LeastNorm {
    rows: usize,
    columns: usize,
    /// The scaled equations and a row of ones for the sum; columns not in use are zero.
    equations: Vec<f64>,
    multipliers: Vec<f64>,
    next: Vec<f64>,
    step: Vec<f64>,
    matrix: RealLu,
}

impl LeastNorm {
    /// Room for `rows` equations and `columns` shares.
    pub fn new(rows: usize, columns: usize) -> Self {
        let size = rows + 1;
        Self {
            rows,
            columns,
            equations: vec![0.0; size * columns],
            multipliers: vec![0.0; size],
            next: vec![0.0; size],
            step: vec![0.0; size],
            matrix: RealLu::new(size),
        }
    }

    /// Finds the shares. `row(i)` gives an equation and how large its entries are by rounding alone, or none
    /// if it does not count; `uses` tells the columns that may have a share. False if the equations have no
    /// unique solution, or the rounds were not enough.
    pub fn solve<'r>(
        &mut self,
        row: impl Fn(usize) -> Option<(&'r [f64], f64)>,
        uses: impl Fn(usize) -> bool,
        shares: &mut [f64],
    ) -> bool {
        self.scale(row, uses);
        self.multipliers.fill(0.0);
        self.multipliers[self.rows] = 1.0;
        let mut done = false;
        for _ in 0..MOST_ROUNDS {
            if !self.newton_step() {
                return false;
            }
            let same = self.advance();
            // Once more, for rounding.
            if same && std::mem::replace(&mut done, true) {
                break;
            }
        }
        for (b, share) in shares.iter_mut().enumerate() {
            *share = bent(self.sum(&self.multipliers, b));
        }
        done
    }

    /// Whether shares are those of a convex combination.
    pub fn is_convex(shares: &[f64]) -> bool {
        shares.iter().all(|share| *share >= CONVEX)
    }

    fn scale<'r>(&mut self, row: impl Fn(usize) -> Option<(&'r [f64], f64)>, uses: impl Fn(usize) -> bool) {
        let n = self.columns;
        for i in 0..self.rows {
            let own = &mut self.equations[i * n..(i + 1) * n];
            own.fill(0.0);
            let Some((entries, noise)) = row(i) else { continue };
            let used = || (0..n).filter(|&b| uses(b)).map(|b| entries[b]);
            let (least, most) =
                used().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
            // What is the same for all columns cannot be met by a choice among them.
            if most - least <= noise {
                continue;
            }
            let size = least.abs().max(most.abs());
            (0..n).filter(|&b| uses(b)).for_each(|b| own[b] = entries[b] / size);
        }
        let ones = &mut self.equations[self.rows * n..];
        ones.iter_mut().enumerate().for_each(|(b, one)| *one = f64::from(u8::from(uses(b))));
    }

    /// `u` of one column.
    fn sum(&self, multipliers: &[f64], column: usize) -> f64 {
        multipliers
            .iter()
            .zip(self.equations[column..].iter().step_by(self.columns))
            .map(|(m, a)| m * a)
            .sum()
    }

    /// Solves for a step of the multipliers.
    fn newton_step(&mut self) -> bool {
        let (n, size) = (self.columns, self.rows + 1);
        self.step.fill(0.0);
        self.step[self.rows] = 1.0;
        self.matrix.entries_mut().fill(0.0);
        for b in 0..n {
            let u = self.sum(&self.multipliers, b);
            for i in 0..size {
                let a = self.equations[i * n + b];
                self.step[i] -= a * bent(u);
                for j in 0..size {
                    self.matrix.entries_mut()[i * size + j] += a * slope(u) * self.equations[j * n + b];
                }
            }
        }
        for i in (0..size).filter(|i| self.equations[i * n..(i + 1) * n].iter().all(|a| *a == 0.0)) {
            self.matrix.entries_mut()[i * size + i] = 1.0;
        }
        let solved = self.matrix.factor().is_ok();
        if solved {
            self.matrix.solve(&mut self.step);
        }
        solved && self.step.iter().all(|s| s.is_finite())
    }

    /// Goes along the step while the dual improves. True for a full step with the same positive shares.
    fn advance(&mut self) -> bool {
        let before = self.dual(&self.multipliers);
        let mut part = 1.0;
        loop {
            for (next, (m, s)) in self.next.iter_mut().zip(self.multipliers.iter().zip(&self.step)) {
                *next = m + part * s;
            }
            if part < SHORTEST_PART || self.dual(&self.next) <= before + RISE_BY_ROUNDING * before.abs() {
                break;
            }
            part *= 0.5;
        }
        let is_positive = |multipliers: &[f64], b| self.sum(multipliers, b) > 0.0;
        let same = (0..self.columns).all(|b| is_positive(&self.multipliers, b) == is_positive(&self.next, b));
        self.multipliers.copy_from_slice(&self.next);
        same && part == 1.0
    }

    /// What is smallest at the solution: `Σ ∫ λ du - μ₀`.
    fn dual(&self, multipliers: &[f64]) -> f64 {
        let bowl = |b| {
            let u = self.sum(multipliers, b);
            0.5 * u * bent(u)
        };
        (0..self.columns).map(bowl).sum::<f64>() - multipliers[self.rows]
    }
}

fn slope(u: f64) -> f64 {
    if u > 0.0 { 1.0 } else { SLANT }
}

fn bent(u: f64) -> f64 {
    slope(u) * u
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solve(rows: &[&[f64]]) -> (Vec<f64>, bool) {
        let columns = rows[0].len();
        let mut shares = vec![0.0; columns];
        let mut least = LeastNorm::new(rows.len(), columns);
        let done = least.solve(|i| Some((rows[i], 0.0)), |_| true, &mut shares);
        (shares, done)
    }

    #[test]
    fn without_a_bound_in_the_way_it_is_the_least_norm_solution() {
        let (shares, done) = solve(&[&[1.0, -1.0, 2.0, -2.0]]);
        assert!(done && shares.iter().all(|s| (s - 0.25).abs() < 1e-15), "{shares:?}");
        // Least norm: λ = α + β a with Σ λ = 1, Σ a λ = 0.
        let (shares, _) = solve(&[&[3.0, -1.0, -1.0, 0.0]]);
        let (alpha, beta) = (11.0 / 43.0, -1.0 / 43.0);
        for (share, a) in shares.iter().zip([3.0, -1.0, -1.0, 0.0]) {
            assert!((share - alpha - beta * a).abs() < 1e-14, "{shares:?}");
        }
    }

    #[test]
    fn a_share_that_would_be_negative_is_zero() {
        // Without bounds the third would get a negative share; then the second would.
        let (shares, done) = solve(&[&[1.0, 2.0, 3.0, -0.1]]);
        assert!(done && LeastNorm::is_convex(&shares), "{shares:?}");
        for (share, truth) in shares.iter().zip([1.0 / 11.0, 0.0, 0.0, 10.0 / 11.0]) {
            assert!((share - truth).abs() < 1e-7, "{shares:?}");
        }
        let rate = shares[0] + 2.0 * shares[1] + 3.0 * shares[2] - 0.1 * shares[3];
        assert!(rate.abs() < 1e-15, "{rate:e}");
    }

    #[test]
    fn where_there_is_no_convex_combination_the_answer_goes_on_and_says_so() {
        let at = |shift: f64| solve(&[&[1.0 + shift, -1.0 + shift]]).0;
        assert!(LeastNorm::is_convex(&at(0.999)) && !LeastNorm::is_convex(&at(1.001)));
        assert!((at(1.001)[0] + 0.0005).abs() < 1e-12, "{:?}", at(1.001));
    }
}
