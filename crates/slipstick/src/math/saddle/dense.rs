//! Saddle-point systems, dense: `[A Bᵀ; C 0] [a; λ] = [f; c]`, by the null spaces of both rows.
//!
//! `a` is what meets the level and, in the directions `Z` that `C` leaves free, what the forces do in the
//! directions `Y` that `B` leaves free: `Yᵀ A Z w = Yᵀ (f - A a)`. The multipliers carry what is left. In
//! constrained mechanics `A` is a mass matrix and both rows are the same: then `Zᵀ A Z` is definite, though
//! `A` may be singular. In half-explicit methods (paper 001, equation (31)) forces act along the gradients of
//! one stage, and the constraints have those of the next; where a stage begins with the rows that the last
//! one ended with, their reflections are kept.

use super::SaddleFault;
use super::cholesky;
use super::row_space::RowSpace;
use super::scales::{Scales, WORTH_SCALING};
use crate::math::{Matrix, RealLu, dot};

/// A system with its factors.
#[derive(Clone, Debug)]
pub(super) struct DenseSaddle {
    n: usize,
    matrix: Vec<f64>,
    /// The rows of `C`, and those of `B` if they are others.
    pub(super) ahead: SplitRows,
    here: Option<SplitRows>,
    /// The units of coordinates in symmetric systems, if these are not as they are.
    scales: Option<Scales>,
    /// `A Z`, for rows that are the same, and what is factored on what is left free: `Zᵀ A Z` or `Yᵀ A Z`.
    heavy: Vec<f64>,
    definite: Vec<f64>,
    general: RealLu,
    spread: Vec<f64>,
    scratch: Vec<f64>,
    along: Vec<f64>,
    moved: Vec<f64>,
}

/// Rows, and what they are.
#[derive(Clone, Debug)]
pub(super) struct SplitRows {
    pub(super) space: RowSpace,
    pub(super) of: Vec<f64>,
}

impl SplitRows {
    fn new(n: usize, m: usize) -> Self {
        let mut space = RowSpace::new(n, m);
        // Without rows none is ever new.
        space.reflect(&vec![0.0; m * n]);
        Self { space, of: vec![f64::NAN; m * n] }
    }

    fn reflect(&mut self, rows: &[f64]) {
        if self.of != rows {
            self.of.copy_from_slice(rows);
            self.space.reflect(rows);
        }
    }
}

impl DenseSaddle {
    /// Room for matrices with `n` columns and `m` rows of constraints.
    pub(super) fn new(n: usize, m: usize) -> Self {
        Self {
            n,
            matrix: vec![0.0; n * n],
            ahead: SplitRows::new(n, m),
            here: None,
            scales: None,
            heavy: vec![0.0; n * n],
            definite: vec![0.0; n * n],
            general: RealLu::new(0),
            spread: vec![0.0; m * n],
            scratch: vec![0.0; n],
            along: vec![0.0; n],
            moved: vec![0.0; n],
        }
    }

    /// About how many multiplications the factors take.
    pub(super) fn work(n: usize, m: usize) -> f64 {
        (n * n) as f64 * (n + 2 * m) as f64
    }

    /// Factors the system of a symmetric matrix with the same rows twice.
    pub(super) fn factor_symmetric(&mut self, matrix: &Matrix, rows: &Matrix) -> Result<(), SaddleFault> {
        check_finite(&[matrix, rows])?;
        matrix.spread(&mut self.matrix);
        rows.spread(&mut self.ahead.of);
        if let Some(scales) = &self.scales {
            scales.apply_to_both(&mut self.matrix);
            scales.apply_to_rows(&mut self.ahead.of);
        }
        self.ahead.space.reflect(&self.ahead.of);
        self.here = None;
        let (n, d) = (self.n.max(1), self.n - self.ahead.space.rank);
        let free = self.ahead.space.free.chunks_exact(n).take(d);
        for (j, (direction, heavy)) in free.clone().zip(self.heavy.chunks_exact_mut(n)).enumerate() {
            multiply(&self.matrix, direction, heavy);
            for (entry, other) in self.definite[j * d..][..=j].iter_mut().zip(free.clone()) {
                *entry = dot(other, heavy);
            }
        }
        cholesky::factor(&mut self.definite[..d * d], d).map_err(SaddleFault::NotDefinite)
    }

    /// Whether so little is left of a row beside others that forces lose digits.
    pub(super) fn is_narrow(&self) -> bool {
        self.ahead.space.narrowest.1 < WORTH_SCALING
    }

    /// From now on symmetric systems are factored in these units of coordinates; false if they are so already.
    pub(super) fn scale(&mut self, scales: Scales) -> bool {
        let is_new = self.scales.as_ref() != Some(&scales);
        self.scales = Some(scales);
        is_new
    }

    /// The units of coordinates that the factors are in, if these are not as they are.
    pub(super) fn scales(&self) -> Option<&Scales> {
        self.scales.as_ref().filter(|_| self.here.is_none())
    }

    /// Factors the system of any matrix with the rows of `C` and `B`. Where these differ in rank, as next to
    /// a singular configuration, the rows of which least is left are left out of both.
    pub(super) fn factor(
        &mut self,
        matrix: &Matrix,
        ahead: &Matrix,
        here: &Matrix,
    ) -> Result<(), SaddleFault> {
        check_finite(&[matrix, ahead, here])?;
        matrix.spread(&mut self.matrix);
        let (n, m) = (self.n, ahead.rows());
        let mut own = self.here.take().unwrap_or_else(|| SplitRows::new(n, m));
        here.spread(&mut self.spread);
        if own.of != self.spread {
            std::mem::swap(&mut self.ahead, &mut own);
        }
        own.reflect(&self.spread);
        ahead.spread(&mut self.spread);
        self.ahead.reflect(&self.spread);
        let rank = own.space.rank.min(self.ahead.space.rank);
        for rows in [&mut own, &mut self.ahead] {
            rows.cut(rank);
        }
        self.here = Some(own);
        self.reduce()
    }

    fn reduce(&mut self) -> Result<(), SaddleFault> {
        let Some(here) = &self.here else { return Ok(()) };
        let d = self.n - here.space.rank;
        if self.general.entries_mut().len() != d * d {
            self.general = RealLu::new(d);
        }
        for j in 0..d {
            multiply(&self.matrix, self.ahead.space.free(j), &mut self.scratch);
            for i in 0..d {
                self.general.entries_mut()[i * d + j] = dot(here.space.free(i), &self.scratch);
            }
        }
        self.general.factor().map_err(SaddleFault::Singular)
    }

    /// Replaces the right-hand sides by the solution: `force` by `a`, `level` by `λ`. Of rows that are left
    /// out the level is not used, and the multipliers are zero.
    pub(super) fn solve(&mut self, force: &mut [f64], level: &mut [f64]) {
        let mut a = std::mem::take(&mut self.scratch);
        if let Some(scales) = self.scales() {
            scales.apply(force);
        }
        self.ahead.space.meet_level(level, &mut a);
        if self.here.is_some() {
            self.move_generally(force, &mut a);
        } else {
            self.move_freely(Some(force), &mut a);
            take_off(&self.matrix, &a, force);
        }
        // What is left of the forces is carried by the constraints.
        self.here.as_mut().unwrap_or(&mut self.ahead).space.carry(force, level);
        force.copy_from_slice(&a);
        self.scratch = a;
        if let Some(scales) = self.scales() {
            scales.apply(force);
        }
    }

    /// The least change in the metric of a symmetric `A` that `C` takes to the level.
    pub(super) fn least_change(&mut self, level: &[f64], change: &mut [f64]) {
        self.ahead.space.meet_level(level, change);
        self.move_freely(None, change);
        if let Some(scales) = self.scales() {
            scales.apply(change);
        }
    }

    /// Adds to `a` what forces, if there are some, do in the free directions of a symmetric system.
    fn move_freely(&mut self, force: Option<&[f64]>, a: &mut [f64]) {
        let (n, d) = (self.n.max(1), self.n - self.ahead.space.rank);
        let (along, free) = (&mut self.along[..d], &self.ahead.space.free[..]);
        for ((along, free), heavy) in
            along.iter_mut().zip(free.chunks_exact(n)).zip(self.heavy.chunks_exact(n))
        {
            *along = force.map_or(0.0, |force| dot(free, force)) - dot(heavy, a);
        }
        cholesky::solve(&self.definite[..d * d], along);
        add_directions(along, free, a);
    }

    /// The same in a general system; of the forces, what all of `a` does is taken off.
    fn move_generally(&mut self, force: &mut [f64], a: &mut [f64]) {
        let Some(here) = &self.here else { return };
        let (n, d) = (self.n.max(1), self.n - here.space.rank);
        take_off(&self.matrix, a, force);
        let along = &mut self.along[..d];
        for (along, free) in along.iter_mut().zip(here.space.free.chunks_exact(n)) {
            *along = dot(free, force);
        }
        self.general.solve(along);
        self.moved.fill(0.0);
        add_directions(along, &self.ahead.space.free, &mut self.moved);
        take_off(&self.matrix, &self.moved, force);
        a.iter_mut().zip(&self.moved).for_each(|(a, moved)| *a += moved);
    }
}

impl SplitRows {
    /// Leaves out rows beyond a rank, if there are such.
    fn cut(&mut self, rank: usize) {
        if self.space.rank > rank {
            self.space.limit(rank);
            self.space.reflect(&self.of);
            self.space.limit(usize::MAX);
            // Beside rows of that rank they are whole again.
            self.of.fill(f64::NAN);
        }
    }
}

fn check_finite(matrices: &[&Matrix]) -> Result<(), SaddleFault> {
    let is_finite = |matrix: &&Matrix| matrix.values.iter().all(|x| x.is_finite());
    if matrices.iter().all(is_finite) { Ok(()) } else { Err(SaddleFault::NotFinite) }
}

fn multiply(matrix: &[f64], x: &[f64], out: &mut [f64]) {
    for (row, out) in matrix.chunks_exact(x.len().max(1)).zip(out) {
        *out = dot(row, x);
    }
}

/// `force - A a`.
fn take_off(matrix: &[f64], a: &[f64], force: &mut [f64]) {
    for (force, row) in force.iter_mut().zip(matrix.chunks_exact(a.len().max(1))) {
        *force -= dot(row, a);
    }
}

fn add_directions(along: &[f64], directions: &[f64], to: &mut [f64]) {
    for (along, direction) in along.iter().zip(directions.chunks_exact(to.len().max(1))) {
        to.iter_mut().zip(direction).for_each(|(to, direction)| *to += along * direction);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Saddle;
    use super::*;
    use proptest::prelude::*;

    fn full(rows: usize, columns: usize, values: Vec<f64>) -> Matrix {
        let mut full = Matrix::full(rows, columns);
        full.values = values;
        full
    }

    /// The largest residual of both rows of the system.
    fn residual([matrix, ahead, here]: [&Matrix; 3], f: &[f64], c: &[f64], a: &[f64], lambda: &[f64]) -> f64 {
        let mut left: Vec<f64> = (0..f.len()).map(|i| matrix.row_times(i, a) - f[i]).collect();
        here.add_transposed(1.0, lambda, &mut left);
        left.extend(c.iter().enumerate().map(|(k, c)| ahead.row_times(k, a) - c));
        left.iter().fold(0.0, |worst: f64, x| worst.max(x.abs()))
    }

    fn definite(n: usize, seeds: &[f64]) -> Matrix {
        let at = |i: usize, j: usize| seeds[(i * n + j) % seeds.len()];
        let entry = |i: usize, j: usize| {
            let product: f64 = (0..n).map(|k| at(i, k) * at(j, k)).sum();
            product + if i == j { 0.5 } else { 0.0 }
        };
        full(n, n, (0..n * n).map(|k| entry(k / n, k % n)).collect())
    }

    proptest! {
        #[test]
        fn the_solution_meets_both_rows(
            n in 1..9_usize,
            rows in 0..9_usize,
            seeds in prop::collection::vec(-1.0..1.0_f64, 97),
        ) {
            let m = rows.min(n);
            let rows = seeds[3..].iter().cycle().take(m * n).enumerate();
            let rows = full(m, n, rows.map(|(k, x)| x + 0.1 * (k as f64).sin()).collect());
            let matrix = definite(n, &seeds[..79]);
            let (f, c) = (seeds[10..10 + n].to_vec(), seeds[40..40 + m].to_vec());
            let mut dense = DenseSaddle::new(n, m);
            dense.factor_symmetric(&matrix, &rows).unwrap();
            let (mut a, mut lambda) = (f.clone(), c.clone());
            dense.solve(&mut a, &mut lambda);
            let size = 1.0 + lambda.iter().chain(&a).fold(0.0, |s: f64, x| s.max(x.abs()));
            let is_met = |a: &[f64], lambda: &[f64]| residual([&matrix, &rows, &rows], &f, &c, a, lambda) < 1e-12 * size;
            prop_assert!(dense.ahead.space.rank < m || is_met(&a, &lambda));
        }
    }

    fn four() -> (Matrix, Matrix) {
        let matrix = definite(4, &[0.3, -0.2, 0.9, 0.4, 0.1, -0.7, 0.2]);
        (matrix, full(2, 4, vec![1.0, 2.0, 0.0, -1.0, 0.5, 0.0, 3.0, 1.0]))
    }

    #[test]
    fn rows_that_follow_from_others_change_nothing() {
        let (matrix, rows) = four();
        let mut single = DenseSaddle::new(4, 2);
        single.factor_symmetric(&matrix, &rows).unwrap();
        let (mut a, mut lambda) = ([1.0, 2.0, 3.0, 4.0], [0.1, 0.2]);
        single.solve(&mut a, &mut lambda);
        let mut doubled = DenseSaddle::new(4, 4);
        doubled.factor_symmetric(&matrix, &full(4, 4, [&rows.values[..], &rows.values].concat())).unwrap();
        let (mut b, mut mu) = ([1.0, 2.0, 3.0, 4.0], [0.1, 0.2, 0.1, 0.2]);
        doubled.solve(&mut b, &mut mu);
        assert_eq!((doubled.ahead.space.rank, doubled.ahead.space.redundant().len()), (2, 2));
        for i in 0..4 {
            assert!((a[i] - b[i]).abs() < 1e-14, "{a:?} {b:?}");
            assert!((mu[i % 2] + mu[i % 2 + 2] - lambda[i % 2]).abs() < 1e-14, "{lambda:?} {mu:?}");
        }
        // On request, equal rows share what they carry.
        let (mut force, mut shared) = ([0.0; 4], [0.0; 4]);
        rows.add_transposed(1.0, &lambda, &mut force);
        doubled.ahead.space.share(&mut force, &mut shared);
        assert!((0..4).all(|i| (shared[i] - 0.5 * lambda[i % 2]).abs() < 1e-14), "{lambda:?} {shared:?}");
    }

    #[test]
    fn the_least_change_is_that_of_a_solution_without_forces() {
        let (matrix, rows) = four();
        let mut dense = DenseSaddle::new(4, 2);
        dense.factor_symmetric(&matrix, &rows).unwrap();
        let (mut a, mut lambda, mut change) = ([0.0; 4], [0.3, -0.7], [1.0; 4]);
        dense.least_change(&lambda, &mut change);
        dense.solve(&mut a, &mut lambda);
        assert_eq!(a, change);
    }

    #[test]
    fn a_massless_coordinate_that_is_held_does_no_harm_and_a_free_one_is_named() {
        let (mass, mut dense) = (full(2, 2, vec![2.0, 0.0, 0.0, 0.0]), DenseSaddle::new(2, 1));
        dense.factor_symmetric(&mass, &full(1, 2, vec![1.0, -1.0])).unwrap();
        let (mut a, mut lambda) = ([3.0, 1.0], [0.0]);
        dense.solve(&mut a, &mut lambda);
        assert!((a[0] - 2.0).abs() < 1e-15 && (a[1] - 2.0).abs() < 1e-15, "{a:?}");
        assert!((lambda[0] + 1.0).abs() < 1e-15, "{lambda:?}");
        let held = full(1, 2, vec![1.0, 0.0]);
        assert_eq!(dense.factor_symmetric(&mass, &held), Err(SaddleFault::NotDefinite(0.0)));
        let nan = full(2, 2, vec![f64::NAN; 4]);
        assert_eq!(dense.factor_symmetric(&nan, &held), Err(SaddleFault::NotFinite));
    }

    /// A body on two feet in units in which its size is 1e6: what the feet bear is that of units in which it is one.
    #[test]
    fn units_of_coordinates_do_not_cost_digits() {
        let feet = |size: f64| full(2, 3, vec![0.0, 1.0, -0.5 * size, 0.1, 1.0, 0.3 * size]);
        let mass = |size: f64| full(3, 3, vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.7 * size * size]);
        let solve = |size: f64| {
            let mut saddle = Saddle::new(&mass(size), &feet(size));
            saddle.factor(&mass(size), &feet(size)).unwrap();
            let (mut a, mut lambda) = ([1.0, -9.81, 0.2 * size], [0.3, -0.7]);
            saddle.solve(&mut a, &mut lambda);
            let lengths = saddle.lengths.clone();
            let (mut change, mut level) = ([0.0; 3], [0.3, -0.7]);
            saddle.least_change(&mut level, &mut change);
            ([a[0], a[1], a[2] * size, lambda[0], lambda[1], change[1], change[2] * size], lengths)
        };
        let (one, _) = solve(1.0);
        // A power of two changes no digit by itself.
        let size = 1_048_576.0;
        let (large, lengths) = solve(size);
        for (a, b) in one.iter().zip(large) {
            assert!((a - b).abs() < 1e-14, "{one:?} {large:?}");
        }
        assert_eq!(lengths[0], 1.0_f64.hypot(0.5 * size));
    }

    /// Two joints of four coordinates at two points; numbers that mean nothing.
    #[test]
    fn forces_act_along_one_gradient_and_constraints_have_the_other() {
        let values = vec![3.0, 0.5, 0.0, 0.1, 0.5, 2.0, 0.3, 0.0, 0.0, 0.3, 4.0, 0.2, 0.1, 0.0, 0.2, 1.0];
        let matrix = full(4, 4, values);
        let ahead = full(2, 4, vec![1.0, 2.0, -1.0, 0.5, 0.0, 1.0, 1.0, -2.0]);
        let here = full(2, 4, vec![1.1, 1.9, -0.9, 0.4, 0.1, 1.2, 0.9, -1.8]);
        let (force, level) = ([1.0, -2.0, 0.5, 3.0], [0.3, -0.7]);
        let mut dense = DenseSaddle::new(4, 2);
        // The second time the rows of the first serve.
        for (ahead, here) in [(&ahead, &here), (&here, &ahead), (&ahead, &here)] {
            dense.factor(&matrix, ahead, here).unwrap();
            let (mut a, mut lambda) = (force, level);
            dense.solve(&mut a, &mut lambda);
            assert!(residual([&matrix, ahead, here], &force, &level, &a, &lambda) < 1e-14);
        }
    }

    /// Where one of two rows vanishes ahead, the other is still met.
    #[test]
    fn rows_of_different_rank_are_cut_to_the_lower_one() {
        let matrix = full(3, 3, vec![2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 3.0]);
        let (ahead, here) =
            (full(2, 3, vec![1.0, 1.0, 0.0, 0.0, 0.0, 0.0]), full(2, 3, vec![1.0, 1.0, 0.0, 0.0, 0.1, 1.0]));
        let mut dense = DenseSaddle::new(3, 2);
        for _ in 0..2 {
            dense.factor(&matrix, &ahead, &here).unwrap();
            let (mut a, mut lambda) = ([1.0, 2.0, 3.0], [0.5, 0.0]);
            dense.solve(&mut a, &mut lambda);
            assert!((a[0] + a[1] - 0.5).abs() < 1e-15 && dense.ahead.space.rank == 1, "{a:?}");
        }
    }
}
