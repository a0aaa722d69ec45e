//! Saddle-point systems with two gradients, `[S Hᵀ; G 0] [a; λ] = [f; c]`, in which `S` need not be symmetric: small ones by null spaces (`dense_pair.rs`), large ones with few entries by the
//! multipliers (`sparse_pair.rs`), whichever takes less work.

use super::Matrix;
use super::dense_pair::DensePair;
use super::kkt::{SPARSE_COST, WORTH_COUNTING, WORTH_HOLDING, dense_work};
use super::sparse_pair::SparsePair;

/// A system with its factors.
#[derive(Clone, Debug)]
pub struct Pair {
    kind: Kind,
    work: f64,
}

#[derive(Clone, Debug)]
enum Kind {
    /// With the matrix and both gradients by rows.
    Dense(Box<DensePair>, [Vec<f64>; 3]),
    Sparse(Box<SparsePair>),
}

impl Pair {
    /// Room for a matrix and two gradients with these places.
    pub fn new(matrix: &Matrix, rows: &Matrix) -> Self {
        let (n, m) = (matrix.rows(), rows.rows());
        let full = dense_work(n, m);
        if Self::is_worth_counting(n, m) && !(matrix.is_full() && rows.is_full()) {
            let sparse = SparsePair::new(matrix, rows);
            let work = SPARSE_COST * sparse.work();
            if work < full {
                return Self { kind: Kind::Sparse(Box::new(sparse)), work };
            }
        }
        Self::dense(n, m)
    }

    fn dense(n: usize, m: usize) -> Self {
        let arrays = [n * n, m * n, m * n].map(|length| vec![0.0; length]);
        Self { kind: Kind::Dense(Box::new(DensePair::new(n, m)), arrays), work: dense_work(n, m) }
    }

    /// From now on these rows, which follow from others wherever constraints are met, do not count as independent beside the others, even where constraints are not quite met.
    /// The dense solver can choose the rows that stand for all of them, so it is taken where that is not far too much work.
    pub fn hold(&mut self, redundant: &[usize]) {
        if let Kind::Sparse(sparse) = &self.kind {
            let (n, m) = sparse.size();
            if !redundant.is_empty() && dense_work(n, m) <= WORTH_HOLDING * self.work {
                *self = Self::dense(n, m);
            }
        }
        match &mut self.kind {
            Kind::Dense(dense, _) => dense.hold(redundant),
            Kind::Sparse(sparse) => sparse.hold(redundant),
        }
    }

    /// Whether a system with `n` columns and `m` rows of constraints is so large that few entries make a difference.
    pub fn is_worth_counting(n: usize, m: usize) -> bool {
        n + m >= WORTH_COUNTING
    }

    /// Whether the matrices are taken to have few entries.
    pub fn is_sparse(&self) -> bool {
        matches!(self.kind, Kind::Sparse(_))
    }

    /// About how long the factors take, in multiplications in a full matrix.
    pub fn work(&self) -> f64 {
        self.work
    }

    /// Factors the system with the given matrices, which have the places that were told before; false if that cannot be done.
    pub fn factor(&mut self, matrix: &Matrix, ahead: &Matrix, here: &Matrix) -> bool {
        match &mut self.kind {
            Kind::Dense(dense, arrays) => {
                for (matrix, array) in [matrix, ahead, here].into_iter().zip(&mut *arrays) {
                    matrix.spread(array);
                }
                dense.factor(&arrays[0], &arrays[1], &arrays[2])
            }
            Kind::Sparse(sparse) => sparse.factor(matrix, ahead, here),
        }
    }

    /// The rows ahead that follow from others, in no particular order.
    pub fn redundant(&self) -> &[usize] {
        match &self.kind {
            Kind::Dense(dense, _) => dense.redundant(),
            Kind::Sparse(sparse) => sparse.redundant(),
        }
    }

    /// Replaces the right-hand sides by the solution: `force` by `a`, `level` by `λ`. Of redundant rows the level is not used, and their multipliers are zero.
    pub fn solve(&mut self, force: &mut [f64], level: &mut [f64]) {
        match &mut self.kind {
            Kind::Dense(dense, _) => dense.solve_alone(force, level),
            Kind::Sparse(sparse) => sparse.solve(force, level),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_chain::{assert_same, doubled, joints, number, right_side};
    use super::*;

    /// A chain of links in the plane: three coordinates and two constraints each, with numbers that mean nothing; the matrix is not symmetric, and couples neighbours.
    fn chain(links: usize) -> [Matrix; 3] {
        let n = 3 * links;
        let near = |i: usize| (i.saturating_sub(3)..(i + 4).min(n)).map(move |j| (i, j));
        let places: Vec<(usize, usize)> = (0..n).flat_map(near).collect();
        let mut matrix = Matrix::with_places(n, n, &places);
        let on_diagonal: Vec<bool> = matrix.places().map(|(i, j)| i == j).collect();
        for (k, x) in matrix.values.iter_mut().enumerate() {
            *x = 0.3 * number(k + 3) + if on_diagonal[k] { 3.0 } else { 0.0 };
        }
        let ahead = joints(links);
        let mut here = ahead.clone();
        here.values.iter_mut().enumerate().for_each(|(k, x)| *x += 0.01 * number(k + 9));
        [matrix, ahead, here]
    }

    fn dense(n: usize, m: usize) -> Pair {
        Pair::new(&Matrix::full(n, n), &Matrix::full(m, n))
    }

    fn check(matrices: &[Matrix; 3]) {
        let [matrix, ahead, here] = matrices;
        let (n, m) = (matrix.rows(), ahead.rows());
        let [(a, lambda), (b, mu)] = [Pair::new(matrix, ahead), dense(n, m)].map(|mut pair| {
            assert!(pair.factor(matrix, ahead, here));
            let (mut force, mut level) = right_side(n, m);
            pair.solve(&mut force, &mut level);
            (force, level)
        });
        assert!(Pair::new(matrix, ahead).is_sparse() && !dense(n, m).is_sparse());
        assert_same((&a, &lambda), (&b, &mu), (1e-11, 1e-10));
    }

    #[test]
    fn both_solvers_agree() {
        check(&chain(30));
    }

    #[test]
    fn a_matrix_without_pivots_is_solved_with_the_constraints() {
        let mut matrices = chain(30);
        // Two constraints hold two coordinates of each link, so one of three may have nothing in its row.
        let first: Vec<bool> = matrices[0].places().map(|(i, j)| i % 3 == 0 || j % 3 == 0).collect();
        matrices[0].values.iter_mut().zip(first).filter(|(_, first)| *first).for_each(|(x, _)| *x = 0.0);
        check(&matrices);
    }

    #[test]
    fn rows_that_are_there_twice_carry_once() {
        let [matrix, ahead, here] = chain(30);
        let solve = |ahead: &Matrix, here: &Matrix, rows: usize| {
            let mut pair = Pair::new(&matrix, ahead);
            assert!(pair.is_sparse() && pair.factor(&matrix, ahead, here));
            let (mut force, mut level) = (vec![1.0; 90], vec![0.0; rows]);
            level.iter_mut().enumerate().for_each(|(k, x)| *x = ((k * 60 / rows) as f64).sin());
            pair.solve(&mut force, &mut level);
            (force, level)
        };
        let (a, lambda) = solve(&ahead, &here, 60);
        let (b, mu) = solve(&doubled(&ahead), &doubled(&here), 120);
        let sums: Vec<f64> = mu.chunks_exact(2).map(|pair| pair[0] + pair[1]).collect();
        assert_same((&b, &sums), (&a, &lambda), (1e-10, 1e-9));
        assert!(mu.chunks_exact(2).all(|pair| pair[0] == 0.0 || pair[1] == 0.0));
    }

    /// The second of each two rows is a little off the first, as where constraints are not met; it is left out all the same, unless a row that is not held vanishes.
    #[test]
    fn rows_that_are_held_are_left_out_where_they_are_not_quite_redundant() {
        let [matrix, ahead, here] = chain(30);
        let apart = |of: &Matrix| {
            let mut twice = doubled(of);
            let second: Vec<bool> = twice.places().map(|(row, _)| row % 2 == 1).collect();
            let off = twice.values.iter_mut().zip(second).filter(|(_, second)| *second).enumerate();
            off.for_each(|(k, (x, _))| *x += 1e-3 * number(k));
            twice
        };
        let odd: Vec<usize> = (0..60).map(|k| 2 * k + 1).collect();
        let (mut force, mut level) = (vec![1.0; 90], vec![0.5; 60]);
        let mut single = Pair::new(&matrix, &ahead);
        assert!(single.factor(&matrix, &ahead, &here));
        single.solve(&mut force, &mut level);
        let mut sparse = SparsePair::new(&matrix, &doubled(&ahead));
        sparse.hold(&odd);
        assert!(sparse.factor(&matrix, &apart(&ahead), &apart(&here)));
        let (mut moved, mut levels) = (vec![1.0; 90], vec![0.5; 120]);
        sparse.solve(&mut moved, &mut levels);
        let far = force.iter().zip(&moved).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(far < 1e-2, "{far}");
        assert_eq!(sparse.redundant().len(), 60);
        let nothing = |of: &Matrix| {
            let mut rows = apart(of);
            let first: Vec<bool> = rows.places().map(|(row, _)| row == 0).collect();
            rows.values.iter_mut().zip(first).filter(|(_, first)| *first).for_each(|(x, _)| *x = 0.0);
            rows
        };
        assert!(sparse.factor(&matrix, &nothing(&ahead), &nothing(&here)));
        assert!(sparse.redundant().contains(&0) && !sparse.redundant().contains(&1));
    }

    #[test]
    fn the_work_grows_with_the_number_of_links() {
        let work = |links: usize| {
            let [matrix, ahead, _] = chain(links);
            Pair::new(&matrix, &ahead).work()
        };
        let slope = (work(3000) / work(30)).log10() / 2.0;
        assert!((slope - 1.0).abs() < 0.05, "{slope}");
    }
}
