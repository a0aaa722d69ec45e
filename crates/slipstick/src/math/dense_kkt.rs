//! Saddle-point systems of constrained mechanics, dense: `[M Gᵀ; G 0] [a; λ] = [f; c]`, by the null space of `G`.
//!
//! With `Gᵀ P = Q R` by Householder reflections and pivoted columns, the first columns of `Q` span what the constraints fix, and the others,
//! `Z`, what they leave free. `M` only has to be positive definite on the latter, so a singular mass matrix will do; and the rank of `G` comes for
//! free, so redundant rows do not disturb `a`. They share the multipliers with the least norm. One factorisation serves any number of right-hand
//! sides: accelerations, and corrections of positions and velocities.
//!
//! Rows can be known to follow from others wherever constraints are met (`hold`). Where they are not quite met, something is left of such rows that means nothing; so no more
//! rows are taken than are independent, and others before these unless they are far worse.

use super::dot;

/// A row is redundant if less than this part of it is left when the rows before it are taken off.
pub(super) const REDUNDANT: f64 = 1e-10;
/// A row that is known to follow from others is taken before one of which less than the root of this part of its own is left.
const RELUCTANCE: f64 = 0.01;

/// Why a system cannot be solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KktFault {
    /// `M` is not positive definite in a direction that the constraints leave free; the number is its pivot there.
    NotDefinite(f64),
    /// An entry is not finite.
    NotFinite,
}

/// The matrices `M` (n rows) and `G` (m rows) with their factors.
#[derive(Clone, Debug)]
pub(super) struct DenseKkt {
    n: usize,
    m: usize,
    rank: usize,
    mass: Vec<f64>,
    /// The rows of `G`, scaled to length one, in the order of `order`; then below the diagonal the reflectors, above it the columns of `R`.
    rows: Vec<f64>,
    /// The length of each row of `G` before, and the factor of each reflector.
    lengths: Vec<f64>,
    factors: Vec<f64>,
    /// The rows of `G` in the order in which they were taken: the independent ones first.
    order: Vec<usize>,
    left: Vec<f64>,
    /// How many rows can be independent, and what the square of what is left of each counts when one is taken.
    most: usize,
    favour: Vec<f64>,
    /// The directions that are left free, `M` times them, and the Cholesky factor of `M` on them.
    free: Vec<f64>,
    heavy: Vec<f64>,
    reduced: Vec<f64>,
    /// The Cholesky factor for the multipliers of redundant rows.
    shared: Vec<f64>,
    scratch: Vec<f64>,
    part: Vec<f64>,
    along: Vec<f64>,
}

impl DenseKkt {
    /// Room for matrices with `n` columns and `m` rows of constraints.
    pub(super) fn new(n: usize, m: usize) -> Self {
        Self {
            n,
            m,
            rank: 0,
            mass: vec![0.0; n * n],
            rows: vec![0.0; m * n],
            lengths: vec![0.0; m],
            factors: vec![0.0; m],
            order: (0..m).collect(),
            left: vec![0.0; m],
            most: m.min(n),
            favour: vec![1.0; m],
            free: vec![0.0; n * n],
            heavy: vec![0.0; n * n],
            reduced: vec![0.0; n * n],
            shared: vec![0.0; m * m],
            scratch: vec![0.0; n],
            part: vec![0.0; n.max(m)],
            along: vec![0.0; n],
        }
    }

    /// From now on these rows, which follow from others wherever constraints are met, do not count as independent beside the others.
    pub(super) fn hold(&mut self, redundant: &[usize]) {
        self.most = (self.m - redundant.len()).min(self.n);
        self.favour.fill(1.0);
        for &row in redundant {
            self.favour[row] = RELUCTANCE;
        }
    }

    /// Has the first rows taken before the others, until rows are held.
    pub(super) fn prefer(&mut self, first: usize) {
        self.favour[first..].fill(RELUCTANCE);
    }

    /// Factors the system with the given matrices, by rows.
    pub(super) fn factor(&mut self, mass: &[f64], jacobian: &[f64]) -> Result<(), KktFault> {
        if mass.iter().chain(jacobian).any(|x| !x.is_finite()) {
            return Err(KktFault::NotFinite);
        }
        self.mass.copy_from_slice(mass);
        self.reflect_rows(jacobian);
        self.factor_reduced()
    }

    /// What follows from the rows of constraints alone.
    pub(super) fn reflect_rows(&mut self, jacobian: &[f64]) {
        self.rows.copy_from_slice(jacobian);
        self.scale_rows();
        self.reflect();
        self.find_free();
        if self.rank < self.m {
            self.factor_shared();
        }
    }

    /// A direction that the constraints leave free.
    pub(super) fn free(&self, j: usize) -> &[f64] {
        &self.free[j * self.n..(j + 1) * self.n]
    }

    /// The multipliers that carry a force, which is rotated for that.
    pub(super) fn carry(&mut self, force: &mut [f64], multipliers: &mut [f64]) {
        self.rotate(force);
        self.find_multipliers(force, multipliers);
    }

    /// The same where redundant rows carry nothing: then multipliers are a smooth function of the force, whatever they were before.
    pub(super) fn carry_alone(&mut self, force: &mut [f64], multipliers: &mut [f64]) {
        self.rotate(force);
        self.find_alone(force, multipliers);
    }

    /// How many rows of constraints are independent.
    pub(super) fn rank(&self) -> usize {
        self.rank
    }

    /// The independent row that has least left beside those taken before it, and what that is, as a part of the row: next to nothing where the rank is about to change.
    pub(super) fn narrowest(&self) -> (usize, f64) {
        let mut least = (0, 1.0);
        for (k, &row) in self.order[..self.rank].iter().enumerate() {
            let left = self.entry(k, k).abs();
            if left < least.1 {
                least = (row, left);
            }
        }
        least
    }

    /// The length of each row of constraints.
    pub(super) fn lengths(&self) -> &[f64] {
        &self.lengths
    }

    /// The rows that are independent, in the order in which they were taken.
    pub(super) fn independent(&self) -> &[usize] {
        &self.order[..self.rank]
    }

    /// The rows that follow from others, in no particular order.
    pub(super) fn redundant(&self) -> &[usize] {
        &self.order[self.rank..]
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

    /// Householder's reflections of the rows, the longest of what is left first.
    fn reflect(&mut self) {
        let (n, m) = (self.n, self.m);
        self.rank = 0;
        for k in 0..self.most {
            for i in k..m {
                let left: f64 = self.rows[i * n + k..(i + 1) * n].iter().map(|x| x * x).sum();
                self.left[i] = left * self.favour[self.order[i]];
            }
            let pivot = (k..m).fold(k, |best, i| if self.left[i] > self.left[best] { i } else { best });
            if self.left[pivot].sqrt() <= REDUNDANT {
                break;
            }
            self.swap_rows(k, pivot);
            self.reflect_by(k);
            self.rank = k + 1;
        }
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

    /// The reflectors, each with its factor and its place.
    fn reflectors(&self) -> impl DoubleEndedIterator<Item = (usize, (&[f64], &f64))> + ExactSizeIterator {
        self.rows.chunks_exact(self.n.max(1)).zip(&self.factors).take(self.rank).enumerate()
    }

    /// `x ← Qᵀ x`.
    fn rotate(&self, x: &mut [f64]) {
        for (k, (row, factor)) in self.reflectors() {
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

    /// The directions that the constraints leave free, one after the other.
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

    /// `Zᵀ M Z = L Lᵀ`.
    fn factor_reduced(&mut self) -> Result<(), KktFault> {
        let (n, d) = (self.n, self.n - self.rank);
        for j in 0..d {
            let direction = &self.free[j * n..(j + 1) * n];
            let heavy = &mut self.heavy[j * n..(j + 1) * n];
            multiply(&self.mass, direction, heavy);
            for i in 0..=j {
                let other = &self.free[i * n..(i + 1) * n];
                self.reduced[j * d + i] = dot(other, heavy);
            }
        }
        cholesky(&mut self.reduced[..d * d], d).map_err(KktFault::NotDefinite)
    }

    /// For rows that share multipliers: `B Bᵀ = L Lᵀ`, if `B` is what is left of `Gᵀ` after the rotation.
    fn factor_shared(&mut self) {
        let r = self.rank;
        for i in 0..r {
            for j in 0..=i {
                let entry =
                    |k: usize| self.entry(i, k) * self.entry(j, k) * self.lengths[self.order[k]].powi(2);
                self.shared[i * r + j] = (0..self.m).map(entry).sum();
            }
        }
        // It is positive definite, because these rows of R are independent.
        let _ = cholesky(&mut self.shared[..r * r], r);
    }

    /// The entry of `R` in row `i` and column `k`, in the order of the rows taken.
    fn entry(&self, i: usize, k: usize) -> f64 {
        if k < i { 0.0 } else { self.rows[k * self.n + i] }
    }

    /// Replaces the right-hand sides by the solution: `force` by `a`, `level` by `λ`. Of redundant rows the level is not used.
    pub(super) fn solve(&mut self, force: &mut [f64], level: &mut [f64]) {
        let mut a = std::mem::take(&mut self.scratch);
        self.meet_level(level, &mut a);
        self.move_freely(Some(force), &mut a);
        // What is left of the forces is carried by the constraints.
        for (i, force) in force.iter_mut().enumerate() {
            *force -= dot(&self.mass[i * self.n..(i + 1) * self.n], &a);
        }
        self.carry(force, level);
        force.copy_from_slice(&a);
        self.scratch = a;
    }

    /// The least change in the metric of `M` that `G` takes to the level. Of redundant rows the level is not used.
    pub(super) fn least_change(&mut self, level: &[f64], change: &mut [f64]) {
        self.meet_level(level, change);
        self.move_freely(None, change);
    }

    /// The shortest `a` with `G a = c`.
    pub(super) fn meet_level(&mut self, level: &[f64], a: &mut [f64]) {
        let n = self.n;
        for i in 0..self.rank {
            let (row, own) = (&self.rows[i * n..][..=i], self.order[i]);
            a[i] = (level[own] / self.lengths[own] - dot(&row[..i], &a[..i])) / row[i];
        }
        a[self.rank..].fill(0.0);
        self.rotate_back(a);
    }

    /// Adds to `a` what forces, if there are some, do in the free directions.
    fn move_freely(&mut self, force: Option<&[f64]>, a: &mut [f64]) {
        let (n, d) = (self.n.max(1), self.n - self.rank);
        let along = &mut self.along[..d];
        let (free, heavy) = (self.free.chunks_exact(n), self.heavy.chunks_exact(n));
        for ((along, free), heavy) in along.iter_mut().zip(free).zip(heavy) {
            *along = force.map_or(0.0, |force| dot(free, force)) - dot(heavy, a);
        }
        solve_cholesky(&self.reduced[..d * d], along);
        for (direction, along) in self.free.chunks_exact(n).zip(&*along) {
            for (a, direction) in a.iter_mut().zip(direction) {
                *a += along * direction;
            }
        }
    }

    /// The multipliers that carry the rotated force.
    fn find_multipliers(&mut self, rotated: &[f64], level: &mut [f64]) {
        let r = self.rank;
        if r == self.m {
            return self.find_alone(rotated, level);
        }
        let mut u = std::mem::take(&mut self.part);
        u[..r].copy_from_slice(&rotated[..r]);
        solve_cholesky(&self.shared[..r * r], &mut u[..r]);
        for k in 0..self.m {
            let row = self.order[k];
            level[row] = self.lengths[row] * (0..r.min(k + 1)).map(|i| self.entry(i, k) * u[i]).sum::<f64>();
        }
        self.part = u;
    }

    /// The multipliers of independent rows; those of others are zero.
    fn find_alone(&mut self, rotated: &[f64], level: &mut [f64]) {
        let r = self.rank;
        let mut u = std::mem::take(&mut self.part);
        u[..r].copy_from_slice(&rotated[..r]);
        for i in (0..r).rev() {
            let sum: f64 = (i + 1..r).map(|k| self.entry(i, k) * u[k]).sum();
            u[i] = (u[i] - sum) / self.entry(i, i);
            level[self.order[i]] = u[i] / self.lengths[self.order[i]];
        }
        self.order[r..].iter().for_each(|&row| level[row] = 0.0);
        self.part = u;
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

pub(super) fn multiply(matrix: &[f64], x: &[f64], out: &mut [f64]) {
    for (row, out) in matrix.chunks_exact(x.len()).zip(out) {
        *out = dot(row, x);
    }
}

/// Replaces the lower half of a symmetric matrix of `d` rows by its Cholesky factor; the error is a pivot that is not positive.
fn cholesky(matrix: &mut [f64], d: usize) -> Result<(), f64> {
    for j in 0..d {
        let size = matrix[j * d + j].abs();
        let (done, rest) = matrix.split_at_mut((j + 1) * d);
        let row = &mut done[j * d..];
        let pivot = row[j] - dot(&row[..j], &row[..j]);
        if pivot.is_nan() || pivot <= 4.0 * f64::EPSILON * size {
            return Err(pivot);
        }
        row[j] = pivot.sqrt();
        for other in rest.chunks_exact_mut(d) {
            other[j] = (other[j] - dot(&other[..j], &row[..j])) / row[j];
        }
    }
    Ok(())
}

/// Solves with a Cholesky factor.
fn solve_cholesky(factor: &[f64], x: &mut [f64]) {
    let d = x.len();
    for i in 0..d {
        x[i] = (x[i] - dot(&factor[i * d..i * d + i], &x[..i])) / factor[i * d + i];
    }
    for i in (0..d).rev() {
        let sum: f64 = (i + 1..d).map(|k| factor[k * d + i] * x[k]).sum();
        x[i] = (x[i] - sum) / factor[i * d + i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The largest residual of both rows of the system.
    fn residual(mass: &[f64], jacobian: &[f64], f: &[f64], c: &[f64], a: &[f64], lambda: &[f64]) -> f64 {
        let n = a.len();
        let forces = (0..n).map(|i| {
            let carried: f64 = lambda.iter().enumerate().map(|(k, l)| jacobian[k * n + i] * l).sum();
            dot(&mass[i * n..(i + 1) * n], a) + carried - f[i]
        });
        let levels = c.iter().enumerate().map(|(k, c)| dot(&jacobian[k * n..(k + 1) * n], a) - c);
        forces.chain(levels).fold(0.0, |worst: f64, x| worst.max(x.abs()))
    }

    fn definite(n: usize, seeds: &[f64]) -> Vec<f64> {
        let at = |i: usize, j: usize| seeds[(i * n + j) % seeds.len()];
        let entry = |i: usize, j: usize| {
            let product: f64 = (0..n).map(|k| at(i, k) * at(j, k)).sum();
            product + if i == j { 0.5 } else { 0.0 }
        };
        (0..n * n).map(|k| entry(k / n, k % n)).collect()
    }

    proptest! {
        #[test]
        fn the_solution_meets_both_rows(
            n in 1..9_usize,
            rows in 0..9_usize,
            seeds in prop::collection::vec(-1.0..1.0_f64, 97),
        ) {
            let m = rows.min(n);
            let (mass, jacobian) = (definite(n, &seeds[..79]), seeds[3..].iter().cycle().take(m * n));
            let jacobian: Vec<f64> = jacobian.enumerate().map(|(k, x)| x + 0.1 * (k as f64).sin()).collect();
            let (f, c) = (seeds[10..10 + n].to_vec(), seeds[40..40 + m].to_vec());
            let mut kkt = DenseKkt::new(n, m);
            kkt.factor(&mass, &jacobian).unwrap();
            let (mut a, mut lambda) = (f.clone(), c.clone());
            kkt.solve(&mut a, &mut lambda);
            let size = 1.0 + lambda.iter().chain(&a).fold(0.0, |s: f64, x| s.max(x.abs()));
            prop_assert!(kkt.rank() < m || residual(&mass, &jacobian, &f, &c, &a, &lambda) < 1e-12 * size);
        }
    }

    #[test]
    fn doubled_rows_change_nothing_but_share_their_multipliers() {
        let (mass, jacobian) =
            (definite(4, &[0.3, -0.2, 0.9, 0.4, 0.1, -0.7, 0.2]), [1.0, 2.0, 0.0, -1.0, 0.5, 0.0, 3.0, 1.0]);
        let mut single = DenseKkt::new(4, 2);
        single.factor(&mass, &jacobian).unwrap();
        let (mut a, mut lambda) = ([1.0, 2.0, 3.0, 4.0], [0.1, 0.2]);
        single.solve(&mut a, &mut lambda);
        let mut doubled = DenseKkt::new(4, 4);
        let twice: Vec<f64> = jacobian.iter().chain(&jacobian).copied().collect();
        doubled.factor(&mass, &twice).unwrap();
        let (mut b, mut mu) = ([1.0, 2.0, 3.0, 4.0], [0.1, 0.2, 0.1, 0.2]);
        doubled.solve(&mut b, &mut mu);
        assert_eq!((doubled.rank(), doubled.redundant().len()), (2, 2));
        for i in 0..4 {
            assert!((a[i] - b[i]).abs() < 1e-14, "{a:?} {b:?}");
            assert!((mu[i] - 0.5 * lambda[i % 2]).abs() < 1e-14, "{lambda:?} {mu:?}");
        }
    }

    #[test]
    fn the_least_change_is_that_of_a_solution_without_forces() {
        let (mass, jacobian) =
            (definite(4, &[0.3, -0.2, 0.9, 0.4, 0.1, -0.7, 0.2]), [1.0, 2.0, 0.0, -1.0, 0.5, 0.0, 3.0, 1.0]);
        let mut kkt = DenseKkt::new(4, 2);
        kkt.factor(&mass, &jacobian).unwrap();
        let (mut a, mut lambda, mut change) = ([0.0; 4], [0.3, -0.7], [1.0; 4]);
        kkt.least_change(&lambda, &mut change);
        kkt.solve(&mut a, &mut lambda);
        assert_eq!(a, change);
    }

    #[test]
    fn a_massless_coordinate_that_is_held_does_no_harm_and_a_free_one_is_named() {
        let mass = [2.0, 0.0, 0.0, 0.0];
        let mut kkt = DenseKkt::new(2, 1);
        kkt.factor(&mass, &[1.0, -1.0]).unwrap();
        let (mut a, mut lambda) = ([3.0, 1.0], [0.0]);
        kkt.solve(&mut a, &mut lambda);
        assert!((a[0] - 2.0).abs() < 1e-15 && (a[1] - 2.0).abs() < 1e-15, "{a:?}");
        assert!((lambda[0] + 1.0).abs() < 1e-15, "{lambda:?}");
        assert_eq!(kkt.factor(&mass, &[1.0, 0.0]), Err(KktFault::NotDefinite(0.0)));
        assert_eq!(kkt.factor(&[f64::NAN; 4], &[1.0, 0.0]), Err(KktFault::NotFinite));
    }
}
