//! Lemke's method with the lexicographic rule: Cottle, Pang, Stone, chapter 4.
//!
//! `w = M z + q + d z₀` with a positive covering vector `d` is solved by a large `z₀`; pivots follow the line of
//! solutions along which it shrinks to zero. The inverse of a basis is that of the last one with one row
//! eliminated, and found afresh after a few pivots; what is solved with it is refined by the columns
//! themselves, so that rounding does not add up over pivots. Every number comes with a bound of its rounding:
//! what is within it is zero or a tie. Ties are the normal case (bodies at rest); they are broken as if `q`
//! were `q + (ε, ε², …)`, so that no basis comes twice.

use super::super::{RealLu, dot, generic_entry};
use super::judge::{judge, polish};
use super::scaled::Scaled;
use super::{LcpOutcome, Problem, ray};

/// After so many pivots the inverse is found afresh, and where the pivot is below this part of its column.
const PIVOTS_OF_AN_INVERSE: usize = 12;
const SMALL_PIVOT: f64 = 1e-4;
/// Roundings, as multiples of the sum of the absolute values of all terms.
const ROUNDINGS: f64 = 8.0;
/// So many pivots for each row are allowed; there are problems that need exponentially many.
const PIVOTS_PER_ROW: usize = 50;
/// So many covering vectors are tried before rounding has won.
const ATTEMPTS: usize = 3;

/// Solves a problem by Lemke's method.
pub fn lemke(problem: &Problem) -> LcpOutcome {
    let Some(mut scaled) = Scaled::new(problem) else { return LcpOutcome::Limit };
    let n = scaled.n;
    if let Some(solution) = judge(&scaled, &vec![0.0; n], &vec![false; n]) {
        return LcpOutcome::Solution(solution);
    }
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            let other = |i: usize| generic_entry(i + attempt * n);
            scaled.cover.iter_mut().enumerate().for_each(|(i, d)| *d *= other(i));
        }
        let outcome = follow(problem, &scaled);
        if outcome != LcpOutcome::Limit {
            return outcome;
        }
    }
    LcpOutcome::Limit
}

/// A variable of the tableau.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Variable {
    W(usize),
    Z(usize),
    Artificial,
}

impl Variable {
    fn complement(self) -> Option<Self> {
        match self {
            Self::W(i) => Some(Self::Z(i)),
            Self::Z(i) => Some(Self::W(i)),
            Self::Artificial => None,
        }
    }
}

/// What follows from a pivot.
enum PivotChoice {
    Leaves(usize),
    Ray(Vec<f64>),
}

fn follow(problem: &Problem, scaled: &Scaled) -> LcpOutcome {
    let mut tableau = LemkeTableau::new(scaled);
    let mut entering = Variable::Artificial;
    if !tableau.factor() {
        return LcpOutcome::Limit;
    }
    for _ in 0..PIVOTS_PER_ROW * (scaled.n + 1) {
        if tableau.artificial_is_zero() {
            break;
        }
        let column = tableau.column(entering);
        let y = tableau.solve(&column);
        let place = match tableau.choose(entering, &y) {
            PivotChoice::Leaves(place) => place,
            PivotChoice::Ray(v) => return ray::outcome(problem, scaled, &v),
        };
        let leaving = std::mem::replace(&mut tableau.basis[place], entering);
        if !tableau.exchange(place, &column, &y.values) {
            return LcpOutcome::Limit;
        }
        let Some(next) = leaving.complement() else { break };
        entering = next;
    }
    tableau.solution()
}

struct LemkeTableau<'a> {
    problem: &'a Scaled,
    basis: Vec<Variable>,
    /// The columns of the basis, by rows, and their inverse.
    columns: Vec<f64>,
    inverse: Vec<f64>,
    lu: RealLu,
    /// How many pivots there were since the inverse was found.
    pivots: usize,
    /// The basic variables, those within rounding of zero as zero.
    x: Bounded,
}

/// Numbers and bounds of their rounding.
#[derive(Clone, Debug, Default)]
struct Bounded {
    values: Vec<f64>,
    bounds: Vec<f64>,
}

impl<'a> LemkeTableau<'a> {
    fn new(problem: &'a Scaled) -> Self {
        let n = problem.n;
        Self {
            problem,
            basis: (0..n).map(Variable::W).collect(),
            columns: vec![0.0; n * n],
            inverse: vec![0.0; n * n],
            lu: RealLu::new(n),
            pivots: 0,
            x: Bounded::default(),
        }
    }

    /// The column of a variable in `w - M z - d z₀ = q`.
    fn column(&self, variable: Variable) -> Vec<f64> {
        let n = self.problem.n;
        (0..n)
            .map(|i| match variable {
                Variable::W(k) => f64::from(u8::from(i == k)),
                Variable::Z(k) => -self.problem.m[i * n + k],
                Variable::Artificial => -self.problem.cover[i],
            })
            .collect()
    }

    /// A column takes the place of another in the basis; `y` is what it is in terms of the basis so far. False
    /// if the new basis is singular.
    fn exchange(&mut self, place: usize, column: &[f64], y: &[f64]) -> bool {
        let n = self.problem.n;
        let largest = y.iter().fold(0.0_f64, |largest, y| largest.max(y.abs()));
        self.pivots += 1;
        if self.pivots >= PIVOTS_OF_AN_INVERSE || y[place].abs() <= SMALL_PIVOT * largest {
            return self.factor();
        }
        for (i, x) in column.iter().enumerate() {
            self.columns[i * n + place] = *x;
        }
        let (above, rest) = self.inverse.split_at_mut(place * n);
        let (row, below) = rest.split_at_mut(n);
        for x in row.iter_mut() {
            *x /= y[place];
        }
        let others = above.chunks_exact_mut(n).zip(y).chain(below.chunks_exact_mut(n).zip(&y[place + 1..]));
        for (other, &y) in others.filter(|(_, y)| **y != 0.0) {
            other.iter_mut().zip(&*row).for_each(|(x, own)| *x -= y * own);
        }
        self.find_values()
    }

    /// Factors the basis and finds the values of its variables; false if it is singular.
    fn factor(&mut self) -> bool {
        let n = self.problem.n;
        self.pivots = 0;
        for (k, variable) in self.basis.iter().enumerate() {
            for (i, x) in self.column(*variable).into_iter().enumerate() {
                self.columns[i * n + k] = x;
            }
        }
        self.lu.entries_mut().copy_from_slice(&self.columns);
        if self.lu.factor().is_err() {
            return false;
        }
        let mut unit = vec![0.0; n];
        for k in 0..n {
            unit.fill(0.0);
            unit[k] = 1.0;
            self.lu.solve(&mut unit);
            for (i, x) in unit.iter().enumerate() {
                self.inverse[i * n + k] = *x;
            }
        }
        self.find_values()
    }

    fn find_values(&mut self) -> bool {
        self.x = self.solve(&self.problem.q);
        // Below zero is what rounding made of zero.
        self.x.values.iter_mut().for_each(|x| *x = x.max(0.0));
        self.x.values.iter().all(|x| x.is_finite())
    }

    /// The solution with the basis, zero where that is within rounding.
    fn solve(&self, right: &[f64]) -> Bounded {
        let n = self.problem.n;
        let solved = |right: &[f64]| self.inverse.chunks_exact(n.max(1)).map(|row| dot(row, right)).collect();
        let mut values: Vec<f64> = solved(right);
        // One step of refinement makes the error small against the terms of each row, as the bounds assume.
        let product = |i: usize| dot(&self.columns[i * n..(i + 1) * n], &values);
        let left: Vec<f64> = (0..n).map(|i| right[i] - product(i)).collect();
        let step: Vec<f64> = solved(&left);
        values.iter_mut().zip(&step).for_each(|(x, step)| *x += step);
        let sizes: Vec<f64> = (0..n).map(|i| right[i].abs() + self.size_of_row(i, &values)).collect();
        let bounds: Vec<f64> = (0..n).map(|k| self.bound(k, &sizes)).collect();
        values.iter_mut().zip(&bounds).for_each(|(x, bound)| *x = if x.abs() <= *bound { 0.0 } else { *x });
        Bounded { values, bounds }
    }

    /// `(|B||x|)_i`.
    fn size_of_row(&self, i: usize, x: &[f64]) -> f64 {
        let n = self.problem.n;
        self.columns[i * n..(i + 1) * n].iter().zip(x).map(|(b, x)| (b * x).abs()).sum()
    }

    /// The rounding of a basic variable, from the sizes of the terms of the equations.
    fn bound(&self, k: usize, sizes: &[f64]) -> f64 {
        let n = self.problem.n;
        let row = &self.inverse[k * n..(k + 1) * n];
        ROUNDINGS * f64::EPSILON * row.iter().zip(sizes).map(|(b, size)| b.abs() * size).sum::<f64>()
    }

    fn artificial_is_zero(&self) -> bool {
        let place = self.basis.iter().position(|variable| *variable == Variable::Artificial);
        place.is_some_and(|k| self.x.values[k] == 0.0)
    }

    /// Which variable leaves the basis.
    fn choose(&self, entering: Variable, y: &Bounded) -> PivotChoice {
        if entering == Variable::Artificial {
            return PivotChoice::Leaves(self.first_to_leave());
        }
        let mut left: Vec<usize> = (0..self.problem.n).filter(|k| y.values[*k] > 0.0).collect();
        if left.is_empty() {
            return PivotChoice::Ray(self.growth(entering, y));
        }
        keep_least(&mut left, y, &self.x);
        if let Some(k) = left.iter().find(|k| self.basis[**k] == Variable::Artificial) {
            return PivotChoice::Leaves(*k);
        }
        for column in 0..self.problem.n {
            if left.len() == 1 {
                break;
            }
            keep_least(&mut left, y, &self.inverse_column(column));
        }
        PivotChoice::Leaves(left[0])
    }

    /// With the first pivot all constants become positive: the least of `(q, I)/d` leaves, of equal ones the
    /// last.
    fn first_to_leave(&self) -> usize {
        let (q, d) = (&self.problem.q, &self.problem.cover);
        let ratio = |i: usize| q[i] / d[i];
        let least = (0..q.len()).map(ratio).fold(f64::INFINITY, f64::min);
        let tie = |i: usize| ratio(i) - least <= ROUNDINGS * f64::EPSILON * least.abs();
        (0..q.len()).rev().find(|i| tie(*i)).unwrap_or(0)
    }

    /// A column of the inverse with its rounding.
    fn inverse_column(&self, column: usize) -> Bounded {
        let n = self.problem.n;
        let mut unit = vec![0.0; n];
        unit[column] = 1.0;
        self.solve(&unit)
    }

    /// How `z` grows along a ray.
    fn growth(&self, entering: Variable, y: &Bounded) -> Vec<f64> {
        let mut v = vec![0.0; self.problem.n];
        if let Variable::Z(j) = entering {
            v[j] = 1.0;
        }
        for (variable, y) in self.basis.iter().zip(&y.values) {
            if let Variable::Z(j) = variable {
                v[*j] = (-y).max(0.0);
            }
        }
        v
    }

    /// The solution of the final basis, solved afresh; as it stands if the artificial variable left a block
    /// that is singular without it.
    fn solution(&self) -> LcpOutcome {
        let n = self.problem.n;
        let (mut z, mut basic) = (vec![0.0; n], vec![false; n]);
        for (k, variable) in self.basis.iter().enumerate() {
            if let Variable::Z(j) = variable {
                basic[*j] = true;
                z[*j] = self.x.values.get(k).copied().unwrap_or(0.0);
            }
        }
        let fresh = polish(self.problem, &basic, &z);
        super::judge::outcome(fresh.or_else(|| judge(self.problem, &z, &basic)))
    }
}

/// Keeps those places at which `a/y` is least, to rounding.
fn keep_least(left: &mut Vec<usize>, y: &Bounded, a: &Bounded) {
    let ratio = |k: usize| a.values[k] / y.values[k];
    let bound = |k: usize| (a.bounds[k] + ratio(k).abs() * y.bounds[k]) / y.values[k];
    let Some(best) = left.iter().copied().min_by(|k, l| ratio(*k).total_cmp(&ratio(*l))) else { return };
    left.retain(|k| *k == best || ratio(*k) - ratio(best) <= bound(*k) + bound(best));
}
