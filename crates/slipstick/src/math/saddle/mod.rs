//! Saddle-point systems of constrained mechanics, `[A Bᵀ; C 0] [a; λ] = [f; c]`: one value for accelerations,
//! projections, stages of half-explicit methods and Newton's iteration.
//!
//! Small systems and those in which everything hangs together are solved by the null spaces of the rows
//! (`dense.rs`), large ones with few entries by elimination (`sparse.rs`), whichever takes less work. Rows
//! are taken to be independent but for singular configurations: there, rows that follow from others are left
//! out. The systems of implicit methods on the stabilised index-2 form have more structure (`stabilised.rs`).

mod cholesky;
mod dense;
mod dense_stabilised;
mod elimination;
mod feedback;
mod row_basis;
mod row_space;
mod scales;
mod sparse;
mod sparse_lu;
mod sparse_stabilised;
mod stabilised;
mod stabilised_feedback;
#[cfg(test)]
mod test_chain;
mod weighing;

use super::Matrix;
use dense::DenseSaddle;
pub use feedback::Feedback;
pub use row_basis::RowBasis;
pub use row_space::RowSpace;
use scales::Scales;
use sparse::Sparse;
pub use stabilised::{Linearised, Sides, Stabilised};
pub use weighing::weights_by_masses;
use weighing::{WeighedRows, Weighing};

/// From this many unknowns on it is worth counting entries.
const WORTH_COUNTING: usize = 32;
/// A multiplication among few entries, whose places have to be looked up, is taken to cost as much as this
/// many in a full matrix.
const SPARSE_COST: f64 = 8.0;
/// To find out which rows are independent, the solver that can choose among them is worth this many times the
/// work: it is done once.
const WORTH_CHOOSING: f64 = 30.0;

/// Why a system cannot be solved, with the pivot that explains it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SaddleFault {
    /// A symmetric `A` is not positive definite in a direction that the rows leave free; the number is its
    /// pivot there.
    NotDefinite(f64),
    /// There is no pivot for this unknown, or for this direction that is left free.
    Singular(usize),
    /// An entry is not finite.
    NotFinite,
}

/// A system with its factors.
#[derive(Clone, Debug)]
pub struct Saddle {
    kind: SaddleSolver,
    work: f64,
    weighing: Weighing,
    /// The length of each row of `C`, in coordinates.
    pub lengths: Vec<f64>,
    /// The same weighed by masses: units of coordinates do not matter in it.
    pub weighed: Vec<f64>,
    /// The independent row of `C` that has least left beside the others, and what that is, as a part of the
    /// row. It is next to nothing only if that does not hang on the units of coordinates.
    pub narrowest: (usize, f64),
}

#[derive(Clone, Debug)]
enum SaddleSolver {
    Dense(Box<DenseSaddle>),
    Sparse(Box<Sparse>),
}

impl Saddle {
    /// Room for a matrix and rows with these places; `B` and `C` have the same.
    pub fn new(matrix: &Matrix, rows: &Matrix) -> Self {
        Self::that_is_worth(1.0, matrix, rows)
    }

    /// The same to find out which rows are independent. The first rows are taken before the others where
    /// these follow from them, as far as the solver has a choice.
    pub fn that_chooses(matrix: &Matrix, rows: &Matrix, first: usize) -> Self {
        let mut chooses = Self::that_is_worth(WORTH_CHOOSING, matrix, rows);
        if let SaddleSolver::Dense(dense) = &mut chooses.kind {
            dense.ahead.space.prefer(first);
        }
        chooses
    }

    /// Dense, unless that takes so many times the work of the other.
    fn that_is_worth(times: f64, matrix: &Matrix, rows: &Matrix) -> Self {
        let (n, m) = (matrix.rows(), rows.rows());
        let full = DenseSaddle::work(n, m);
        if Self::is_worth_counting(n, m) && !(matrix.is_full() && rows.is_full()) {
            let sparse = Sparse::new(matrix, rows);
            let work = SPARSE_COST * sparse.work();
            if work * times < full {
                let kind = SaddleSolver::Sparse(Box::new(sparse));
                return Self::of(kind, work, Weighing::new(n, m), m);
            }
        }
        let kind = SaddleSolver::Dense(Box::new(DenseSaddle::new(n, m)));
        Self::of(kind, full, Weighing::of_full(n, m), m)
    }

    fn of(kind: SaddleSolver, work: f64, weighing: Weighing, rows: usize) -> Self {
        let (lengths, weighed) = (vec![0.0; rows], vec![0.0; rows]);
        Self { kind, work, weighing, lengths, weighed, narrowest: (0, 1.0) }
    }

    /// Whether a system with `n` columns and `m` rows is so large that few entries make a difference.
    pub fn is_worth_counting(n: usize, m: usize) -> bool {
        n + m >= WORTH_COUNTING
    }

    /// Whether the matrices are taken to have few entries.
    pub fn is_sparse(&self) -> bool {
        matches!(self.kind, SaddleSolver::Sparse(_))
    }

    /// About how long the factors take, in multiplications in a full matrix.
    pub fn work(&self) -> f64 {
        self.work
    }

    /// Factors the system of a symmetric matrix, definite on what the rows leave free, with the same rows in
    /// both places.
    pub fn factor(&mut self, matrix: &Matrix, rows: &Matrix) -> Result<(), SaddleFault> {
        let factored = match &mut self.kind {
            SaddleSolver::Dense(dense) => {
                let factored = dense.factor_symmetric(matrix, rows);
                let is_scaled = dense.is_narrow() && scale(&mut self.weighing, dense, (matrix, rows));
                if is_scaled { dense.factor_symmetric(matrix, rows) } else { factored }
            }
            SaddleSolver::Sparse(sparse) => sparse.factor(matrix, rows, None),
        };
        self.measure_rows(matrix, rows);
        for (row, length) in self.lengths.iter().enumerate() {
            self.weighed[row] = self.weighing.weigh(row, *length, (matrix, rows));
        }
        factored
    }

    /// Factors the system of any matrix with the rows of `C`, ahead, and of `B`, here.
    pub fn factor_pair(&mut self, matrix: &Matrix, ahead: &Matrix, here: &Matrix) -> Result<(), SaddleFault> {
        let factored = match &mut self.kind {
            SaddleSolver::Dense(dense) => dense.factor(matrix, ahead, here),
            SaddleSolver::Sparse(sparse) => sparse.factor(matrix, ahead, Some(here)),
        };
        self.measure_rows(matrix, ahead);
        factored
    }

    /// Keeps how long the rows of `C` are, and what is left of them beside each other.
    fn measure_rows(&mut self, matrix: &Matrix, rows: &Matrix) {
        match &self.kind {
            // In other units of coordinates masses are about one.
            SaddleSolver::Dense(dense) if dense.scales().is_some() => {
                for (row, length) in self.lengths.iter_mut().enumerate() {
                    *length = rows.row(row).map(|(_, g)| g * g).sum::<f64>().sqrt();
                }
                self.narrowest = dense.ahead.space.narrowest;
            }
            SaddleSolver::Dense(dense) => {
                let space = &dense.ahead.space;
                self.lengths.copy_from_slice(&space.lengths);
                let rows = weighed_rows(dense, (matrix, rows));
                self.narrowest = self.weighing.narrowest(space.narrowest, &rows);
            }
            // Its own measure is by masses.
            SaddleSolver::Sparse(sparse) => {
                self.lengths.copy_from_slice(&sparse.lengths);
                self.narrowest = (sparse.least.0, sparse.least.1.sqrt());
            }
        }
    }

    /// The part of a row that must be left of it for it to be independent.
    pub fn least_part(&self) -> f64 {
        match &self.kind {
            SaddleSolver::Dense(_) => row_space::REDUNDANT,
            SaddleSolver::Sparse(_) => sparse::REDUNDANT.sqrt(),
        }
    }

    /// The length of a row that is given as it is in coordinates, weighed by the masses.
    pub fn weigh(&mut self, row: usize, length: f64, (mass, rows): (&Matrix, &Matrix)) -> f64 {
        self.weighed[row] = self.weighing.weigh(row, length, (mass, rows));
        self.weighed[row]
    }

    /// The rows of `C` that follow from others, in no particular order. They are left out: their levels are
    /// not used, and their multipliers are zero.
    pub fn redundant(&self) -> &[usize] {
        match &self.kind {
            SaddleSolver::Dense(dense) => dense.ahead.space.redundant(),
            SaddleSolver::Sparse(sparse) => &sparse.redundant,
        }
    }

    /// Replaces the right-hand sides by the solution: `force` by `a`, `level` by `λ`.
    pub fn solve(&mut self, force: &mut [f64], level: &mut [f64]) {
        match &mut self.kind {
            SaddleSolver::Dense(dense) => dense.solve(force, level),
            SaddleSolver::Sparse(sparse) => sparse.solve(force, level),
        }
    }

    /// The least change in the metric of a symmetric `A` that the rows take to the level, which is used up.
    pub fn least_change(&mut self, level: &mut [f64], change: &mut [f64]) {
        match &mut self.kind {
            SaddleSolver::Dense(dense) => dense.least_change(level, change),
            SaddleSolver::Sparse(sparse) => {
                change.fill(0.0);
                sparse.solve(change, level);
            }
        }
    }
}

/// Takes other units of coordinates where rows are hardly told apart in these, and are by masses; false if that changes
/// nothing.
#[cold]
fn scale(weighing: &mut Weighing, dense: &mut DenseSaddle, (mass, rows): (&Matrix, &Matrix)) -> bool {
    let has_plenty = dense.scales().is_some() || weighing.has_plenty(&weighed_rows(dense, (mass, rows)));
    has_plenty && dense.scale(Scales::of_weights(weighing.weights(mass, rows)))
}

fn weighed_rows<'a>(dense: &'a DenseSaddle, (mass, jacobian): (&'a Matrix, &'a Matrix)) -> WeighedRows<'a> {
    let space = &dense.ahead.space;
    WeighedRows { mass, jacobian, full: &dense.ahead.of, order: &space.order[..space.rank] }
}

#[cfg(test)]
mod tests {
    use super::test_chain::{assert_same, doubled, joints, number, right_side};
    use super::*;

    fn chain(links: usize) -> (Matrix, Matrix) {
        let masses: Vec<(usize, usize)> = (0..3 * links).map(|i| (i, i)).collect();
        let mut mass = Matrix::with_places(3 * links, 3 * links, &masses);
        mass.values.iter_mut().enumerate().for_each(|(k, x)| *x = 2.0 + number(k));
        (mass, joints(links))
    }

    /// The same with a matrix that is not symmetric and couples neighbours, and other rows in the place of
    /// `B`.
    fn coupled(links: usize) -> [Matrix; 3] {
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

    fn dense(n: usize, m: usize) -> Saddle {
        Saddle::new(&Matrix::full(n, n), &Matrix::full(m, n))
    }

    fn solve(
        saddle: &mut Saddle,
        matrix: &Matrix,
        ahead: &Matrix,
        here: Option<&Matrix>,
    ) -> (Vec<f64>, Vec<f64>) {
        let factored = match here {
            Some(here) => saddle.factor_pair(matrix, ahead, here),
            None => saddle.factor(matrix, ahead),
        };
        factored.unwrap();
        let (mut force, mut level) = right_side(matrix.rows(), ahead.rows());
        saddle.solve(&mut force, &mut level);
        (force, level)
    }

    fn check(matrix: &Matrix, ahead: &Matrix, here: Option<&Matrix>) {
        let (mut sparse, mut dense) = (Saddle::new(matrix, ahead), dense(matrix.rows(), ahead.rows()));
        assert!(sparse.is_sparse() && !dense.is_sparse());
        let (a, lambda) = solve(&mut sparse, matrix, ahead, here);
        let (b, mu) = solve(&mut dense, matrix, ahead, here);
        assert_same((&a, &lambda), (&b, &mu), [1e-11, 1e-10]);
        assert!((sparse.narrowest.1 / dense.narrowest.1).ln().abs() < 7.0);
    }

    #[test]
    fn both_solvers_agree() {
        let (mass, rows) = chain(20);
        check(&mass, &rows, None);
        let [matrix, ahead, here] = coupled(30);
        check(&matrix, &ahead, Some(&here));
    }

    #[test]
    fn coordinates_without_masses_that_are_held_do_no_harm() {
        // Two constraints hold two coordinates of each link, so one of three may have nothing in its row.
        let (mut mass, rows) = chain(20);
        (0..20).for_each(|link| mass.values[3 * link] = 0.0);
        check(&mass, &rows, None);
        let [mut matrix, ahead, here] = coupled(30);
        let first: Vec<bool> = matrix.places().map(|(i, j)| i % 3 == 0 || j % 3 == 0).collect();
        matrix.values.iter_mut().zip(first).filter(|(_, first)| *first).for_each(|(x, _)| *x = 0.0);
        check(&matrix, &ahead, Some(&here));
    }

    #[test]
    fn rows_that_are_there_twice_carry_once() {
        let [matrix, ahead, here] = coupled(30);
        let twice = (doubled(&ahead), doubled(&here));
        let level = |rows: usize| -> Vec<f64> { (0..rows).map(|k| ((k * 60 / rows) as f64).sin()).collect() };
        let solve = |ahead: &Matrix, here: &Matrix| {
            let mut saddle = Saddle::new(&matrix, ahead);
            assert!(saddle.is_sparse() && saddle.factor_pair(&matrix, ahead, here).is_ok());
            let (mut force, mut level) = (vec![1.0; 90], level(ahead.rows()));
            saddle.solve(&mut force, &mut level);
            (force, level)
        };
        let ((a, lambda), (b, mu)) = (solve(&ahead, &here), solve(&twice.0, &twice.1));
        let sums: Vec<f64> = mu.chunks_exact(2).map(|pair| pair[0] + pair[1]).collect();
        assert_same((&b, &sums), (&a, &lambda), [1e-10, 1e-9]);
        assert!(mu.chunks_exact(2).all(|pair| pair[0] == 0.0 || pair[1] == 0.0));
    }

    #[test]
    fn rows_are_chosen_in_their_order_where_there_is_a_choice() {
        let (mass, rows) = chain(4);
        let places: Vec<(usize, usize)> =
            rows.places().chain(rows.places().map(|(k, j)| (8 + k, j))).collect();
        let mut twice = Matrix::with_places(16, 12, &places);
        twice.values = rows.values.iter().map(|x| 0.1 * x).chain(rows.values.iter().copied()).collect();
        let mut saddle = Saddle::that_chooses(&mass, &twice, 8);
        saddle.factor(&mass, &twice).unwrap();
        assert!(saddle.redundant().len() == 8 && saddle.redundant().iter().all(|row| *row >= 8));
    }

    #[test]
    fn the_work_grows_with_the_number_of_links() {
        let work = |links: usize| {
            let ((mass, rows), [matrix, ahead, _]) = (chain(links), coupled(links));
            [Saddle::new(&mass, &rows).work(), Saddle::new(&matrix, &ahead).work()]
        };
        let (few, many) = (work(30), work(3000));
        for (few, many) in few.iter().zip(many) {
            let slope = (many / few).log10() / 2.0;
            assert!((slope - 1.0).abs() < 0.05, "{slope}");
        }
    }
}
