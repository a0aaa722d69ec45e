//! The rows of constraints, `G`, split by Householder reflections with pivoted rows, `Gᵀ P = Q R`: the first
//! columns of `Q` span what the rows fix, the others, `Z`, what they leave free.
//!
//! The rank comes with it. Rows that follow from those taken before them are left out: they do not disturb
//! what is solved with the others.

use crate::math::dot;

/// A row follows from others if less than this part of it is left when those before it are taken off.
pub(super) const REDUNDANT: f64 = 1e-10;

/// Rows with their reflections.
#[derive(Clone, Debug)]
pub struct RowSpace {
    n: usize,
    m: usize,
    /// How many rows are independent.
    pub(super) rank: usize,
    /// How many rows are taken at most, and how many come before all others, as long as something is left of
    /// them.
    most: usize,
    first: usize,
    /// The rows, scaled to length one, in the order of `order`; then below the diagonal the reflectors, above
    /// it the columns of `R`.
    rows: Vec<f64>,
    /// The length of each row before, and the factor of each reflector.
    pub(super) lengths: Vec<f64>,
    factors: Vec<f64>,
    /// The rows in the order in which they were taken: the independent ones first.
    pub(super) order: Vec<usize>,
    left: Vec<f64>,
    /// The independent row that has least left beside those taken before it, and what that is, as a part of
    /// the row: next to nothing where the rank is about to change.
    pub(super) narrowest: (usize, f64),
    /// The directions that are left free, one after the other, and room for as many as there are columns.
    pub(super) free: Vec<f64>,
    part: Vec<f64>,
}

impl RowSpace {
    /// Room for `m` rows of `n` columns.
    pub fn new(n: usize, m: usize) -> Self {
        Self {
            n,
            m,
            rank: 0,
            most: m.min(n),
            first: 0,
            rows: vec![0.0; m * n],
            lengths: vec![0.0; m],
            factors: vec![0.0; m],
            order: (0..m).collect(),
            left: vec![0.0; m],
            narrowest: (0, 1.0),
            free: vec![0.0; n * n],
            part: vec![0.0; n.max(m)],
        }
    }

    /// From now on no more rows than this are taken.
    pub fn limit(&mut self, rank: usize) {
        self.most = rank.min(self.m).min(self.n);
    }

    /// From now on the first rows are taken before the others, where these follow from them.
    pub(super) fn prefer(&mut self, first: usize) {
        self.first = first;
    }

    /// Splits the given rows.
    pub fn reflect(&mut self, rows: &[f64]) {
        self.rows.copy_from_slice(rows);
        self.scale_rows();
        self.take_rows();
        self.find_free();
    }

    /// How many of the rows split last are independent.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The rows that follow from others, in no particular order.
    pub(super) fn redundant(&self) -> &[usize] {
        &self.order[self.rank..]
    }

    /// A direction that the rows leave free.
    pub(super) fn free(&self, j: usize) -> &[f64] {
        &self.free[j * self.n..(j + 1) * self.n]
    }

    fn scale_rows(&mut self) {
        for (i, row) in self.rows.chunks_exact_mut(self.n.max(1)).enumerate() {
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            self.lengths[i] = length;
            self.order[i] = i;
            if length > 0.0 {
                for x in row {
                    *x /= length;
                }
            }
        }
    }

    /// Takes the rows one by one, that of which most is left first.
    fn take_rows(&mut self) {
        let (n, m) = (self.n, self.m);
        (self.rank, self.narrowest) = (0, (0, 1.0));
        for k in 0..self.most {
            for i in k..m {
                self.left[i] = self.rows[i * n + k..(i + 1) * n].iter().map(|x| x * x).sum();
            }
            let pivot = self.largest_left(k);
            if self.left[pivot].sqrt() <= REDUNDANT {
                break;
            }
            self.swap_rows(k, pivot);
            self.reflect_by(k);
            self.rank = k + 1;
            let left = self.rows[k * n + k].abs();
            if left < self.narrowest.1 {
                self.narrowest = (self.order[k], left);
            }
        }
    }

    fn largest_left(&self, k: usize) -> usize {
        let largest = |best: usize, i: usize| if self.left[i] > self.left[best] { i } else { best };
        let among_all = (k..self.m).fold(k, largest);
        if self.first == 0 || self.order[among_all] < self.first {
            return among_all;
        }
        let mut preferred = (k..self.m).filter(|&i| self.order[i] < self.first);
        let best = preferred.next().map(|one| preferred.fold(one, largest));
        best.filter(|&best| self.left[best].sqrt() > REDUNDANT).unwrap_or(among_all)
    }

    fn swap_rows(&mut self, i: usize, j: usize) {
        if i != j {
            for column in 0..self.n {
                self.rows.swap(i * self.n + column, j * self.n + column);
            }
            self.order.swap(i, j);
        }
    }

    /// Makes the reflector of row `k` and applies it to the rows after it.
    fn reflect_by(&mut self, k: usize) {
        let n = self.n;
        let (done, rest) = self.rows.split_at_mut((k + 1) * n);
        let row = &mut done[k * n + k..];
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        let diagonal = if row[0] > 0.0 { -length } else { length };
        let first = row[0] - diagonal;
        self.factors[k] = if first == 0.0 { 0.0 } else { -first / diagonal };
        for x in &mut row[1..] {
            *x /= first;
        }
        row[0] = diagonal;
        for other in rest.chunks_exact_mut(n) {
            apply_reflector(&row[1..], self.factors[k], &mut other[k..]);
        }
    }

    /// `x ← Qᵀ x`.
    fn rotate(&self, x: &mut [f64]) {
        let reflectors = self.rows.chunks_exact(self.n.max(1)).zip(&self.factors).take(self.rank);
        for (k, (row, factor)) in reflectors.enumerate() {
            apply_reflector(&row[k + 1..], *factor, &mut x[k..]);
        }
    }

    /// `x ← Q x`.
    fn rotate_back(&self, x: &mut [f64]) {
        let (n, x) = (self.n, &mut x[..self.n]);
        for k in (0..self.rank).rev() {
            apply_reflector(&self.rows[k * n + k + 1..(k + 1) * n], self.factors[k], &mut x[k..]);
        }
    }

    fn find_free(&mut self) {
        let n = self.n;
        let mut free = std::mem::take(&mut self.free);
        for (j, direction) in free.chunks_exact_mut(n.max(1)).take(n - self.rank).enumerate() {
            direction.fill(0.0);
            direction[self.rank + j] = 1.0;
            self.rotate_back(direction);
        }
        self.free = free;
    }

    /// The entry of `R` in row `i` and column `k`, in the order of the rows taken.
    fn entry(&self, i: usize, k: usize) -> f64 {
        if k < i { 0.0 } else { self.rows[k * self.n + i] }
    }

    /// The shortest `a` that the independent rows take to their levels.
    pub(super) fn meet_level(&self, level: &[f64], a: &mut [f64]) {
        let n = self.n;
        for i in 0..self.rank {
            let (row, own) = (&self.rows[i * n..][..=i], self.order[i]);
            a[i] = (level[own] / self.lengths[own] - dot(&row[..i], &a[..i])) / row[i];
        }
        a[self.rank..].fill(0.0);
        self.rotate_back(a);
    }

    /// The multipliers of independent rows that carry a force, which is rotated for that; those of others are
    /// zero.
    pub(super) fn carry(&mut self, force: &mut [f64], multipliers: &mut [f64]) {
        self.rotate(force);
        let r = self.rank;
        let mut u = std::mem::take(&mut self.part);
        u[..r].copy_from_slice(&force[..r]);
        for i in (0..r).rev() {
            let sum: f64 = (i + 1..r).map(|k| self.rows[k * self.n + i] * u[k]).sum();
            u[i] = (u[i] - sum) / self.rows[i * self.n + i];
            multipliers[self.order[i]] = u[i] / self.lengths[self.order[i]];
        }
        self.order[r..].iter().for_each(|&row| multipliers[row] = 0.0);
        self.part = u;
    }

    /// The least multipliers of all rows that carry a force: equal rows share it.
    pub fn share(&mut self, force: &mut [f64], multipliers: &mut [f64]) {
        self.rotate(force);
        let r = self.rank;
        // `B Bᵀ u = f` with `B` what is left of `Gᵀ` after the rotation; it is definite, because its first
        // rows are independent.
        let mut products = vec![0.0; r * r];
        for i in 0..r {
            for j in 0..=i {
                let entry =
                    |k: usize| self.entry(i, k) * self.entry(j, k) * self.lengths[self.order[k]].powi(2);
                products[i * r + j] = (0..self.m).map(entry).sum();
            }
        }
        let _ = super::cholesky::factor(&mut products, r);
        super::cholesky::solve(&products, &mut force[..r]);
        for k in 0..self.m {
            let row = self.order[k];
            let along = (0..r.min(k + 1)).map(|i| self.entry(i, k) * force[i]);
            multipliers[row] = self.lengths[row] * along.sum::<f64>();
        }
    }
}

/// `x ← (I - factor w wᵀ) x` with `w = (1, tail)`.
fn apply_reflector(tail: &[f64], factor: f64, x: &mut [f64]) {
    let Some((first, rest)) = x.split_first_mut() else { return };
    let rest = &mut rest[..tail.len()];
    let mut along = *first;
    for i in 0..tail.len() {
        along += tail[i] * rest[i];
    }
    along *= factor;
    *first -= along;
    for i in 0..tail.len() {
        rest[i] -= along * tail[i];
    }
}
