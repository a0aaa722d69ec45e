//! Saddle-point systems of constrained mechanics, `[M Gᵀ; G 0] [a; λ] = [f; c]`: one solver for accelerations, corrections and starts.
//!
//! Small systems and those in which everything hangs together are solved by the null space of `G` (`dense_kkt.rs`), large ones with few entries by the
//! multipliers (`sparse_kkt.rs`), whichever takes less work.

use super::dense_kkt::{self, DenseKkt};
use super::dense_pair::DensePair;
use super::sparse_kkt::{self, SparseKkt};
use super::weighing::Weighing;
use super::{KktFault, Matrix};

/// From so many unknowns on it is worth counting.
pub(super) const WORTH_COUNTING: usize = 48;
/// A multiplication among few entries, whose places have to be looked up, is taken to cost as much as this many in a full matrix.
pub(super) const SPARSE_COST: f64 = 8.0;
/// Redundant rows are worth so many times the work.
pub(super) const WORTH_HOLDING: f64 = 30.0;

/// A system with its factors.
#[derive(Clone, Debug)]
pub struct Kkt {
    kind: Kind,
    work: f64,
    /// The matrices by rows, for the dense solver.
    full: (Vec<f64>, Vec<f64>),
    /// The dense solver for two gradients, with the second by rows, once it was asked for.
    pair: Option<Box<(DensePair, Vec<f64>)>>,
    /// The rows that follow from others wherever constraints are met.
    held: Vec<usize>,
    /// The rows by masses, and which has least left beside the others.
    weighing: Weighing,
    narrowest: (usize, f64),
}

#[derive(Clone, Debug)]
enum Kind {
    Dense(Box<DenseKkt>),
    Sparse(Box<SparseKkt>),
}

impl Kkt {
    /// Room for matrices with these places.
    pub fn new(mass: &Matrix, jacobian: &Matrix) -> Self {
        let (n, m) = (mass.rows(), jacobian.rows());
        let dense_work = dense_work(n, m);
        if n + m >= WORTH_COUNTING && !(mass.is_full() && jacobian.is_full()) {
            let sparse = SparseKkt::new(mass, jacobian);
            let work = SPARSE_COST * sparse.work();
            if work < dense_work {
                return Self {
                    kind: Kind::Sparse(Box::new(sparse)),
                    work,
                    full: (Vec::new(), Vec::new()),
                    pair: None,
                    held: Vec::new(),
                    weighing: Weighing::new(n, m),
                    narrowest: (0, 1.0),
                };
            }
        }
        Self::dense(n, m, dense_work)
    }

    fn dense(n: usize, m: usize, work: f64) -> Self {
        Self {
            kind: Kind::Dense(Box::new(DenseKkt::new(n, m))),
            work,
            full: (vec![0.0; n * n], vec![0.0; m * n]),
            pair: None,
            held: Vec::new(),
            weighing: Weighing::of_full(n, m),
            narrowest: (0, 1.0),
        }
    }

    /// From now on these rows, which follow from others wherever constraints are met, do not count as independent beside the others, even where constraints are not quite met.
    /// The dense solver can choose the rows that stand for all of them, so it is taken where that is not far too much work.
    pub fn hold(&mut self, redundant: &[usize]) {
        if !redundant.is_empty() {
            self.become_dense();
        }
        self.held.clear();
        self.held.extend_from_slice(redundant);
        self.weighing.forget_most();
        match &mut self.kind {
            Kind::Dense(dense) => dense.hold(redundant),
            Kind::Sparse(sparse) => sparse.hold(redundant),
        }
        if let Some(pair) = &mut self.pair {
            pair.0.hold(redundant);
        }
    }

    /// Has the first rows taken before the others where these follow from them, as far as the solver has a choice, until rows are held.
    pub fn prefer(&mut self, first: usize) {
        if let Kind::Dense(dense) = &mut self.kind {
            dense.prefer(first);
        }
    }

    fn become_dense(&mut self) {
        if let Kind::Sparse(sparse) = &self.kind {
            let (n, m) = sparse.size();
            let work = dense_work(n, m);
            if work <= WORTH_HOLDING * self.work {
                *self = Self::dense(n, m, work);
            }
        }
    }

    /// The rows that are held.
    pub fn held(&self) -> &[usize] {
        &self.held
    }

    /// The part of a row that must be left of it for it to be independent.
    pub fn least_part(&self) -> f64 {
        match &self.kind {
            Kind::Dense(_) => dense_kkt::REDUNDANT,
            Kind::Sparse(_) => sparse_kkt::REDUNDANT.sqrt(),
        }
    }

    /// About how long the factors take, in multiplications in a full matrix.
    pub fn work(&self) -> f64 {
        self.work
    }

    /// Factors the system with the given matrices, which have the places that were told before.
    pub fn factor(&mut self, mass: &Matrix, jacobian: &Matrix) -> Result<(), KktFault> {
        match &mut self.kind {
            Kind::Dense(dense) => {
                mass.spread(&mut self.full.0);
                jacobian.spread(&mut self.full.1);
                let factored = dense.factor(&self.full.0, &self.full.1);
                let plain = dense.narrowest();
                let rows = (mass, jacobian, self.full.1.as_slice());
                self.narrowest = self.weighing.narrowest(plain, dense.independent(), rows);
                factored
            }
            // Its own measure is by masses.
            Kind::Sparse(sparse) => {
                let factored = sparse.factor(mass, jacobian);
                self.narrowest = sparse.narrowest();
                factored
            }
        }
    }

    /// Factors `[M Hᵀ; G 0]` with `H` the gradients here and `G` those ahead. False if there is no such solver for it: it is for dense systems whose gradients
    /// have the same rank.
    pub fn factor_pair(&mut self, mass: &Matrix, ahead: &Matrix, here: &Matrix) -> bool {
        if !matches!(self.kind, Kind::Dense(_)) {
            return false;
        }
        let (n, m) = (mass.rows(), ahead.rows());
        let held = &self.held;
        let pair = self.pair.get_or_insert_with(|| {
            let mut pair = DensePair::new(n, m);
            pair.hold(held);
            Box::new((pair, vec![0.0; m * n]))
        });
        mass.spread(&mut self.full.0);
        ahead.spread(&mut self.full.1);
        here.spread(&mut pair.1);
        let is_factored = pair.0.factor(&self.full.0, &self.full.1, &pair.1);
        let rows = (mass, ahead, self.full.1.as_slice());
        self.narrowest = self.weighing.narrowest(pair.0.narrowest(), pair.0.independent(), rows);
        is_factored
    }

    /// Replaces the right-hand sides by the solution of the system that was factored by [`factor_pair`](Self::factor_pair).
    pub fn solve_pair(&mut self, force: &mut [f64], level: &mut [f64]) {
        if let Some(pair) = &mut self.pair {
            pair.0.solve(force, level);
        }
    }

    /// The rows ahead that follow from others in the system that was factored by [`factor_pair`](Self::factor_pair), in no particular order.
    pub fn redundant_of_pair(&self) -> &[usize] {
        self.pair.as_ref().map_or(&[], |pair| pair.0.redundant())
    }

    /// The length of each row ahead of the system that was factored by [`factor_pair`](Self::factor_pair).
    pub fn lengths_of_pair(&self) -> &[f64] {
        self.pair.as_ref().map_or(&[], |pair| pair.0.lengths())
    }

    /// The independent row of constraints that has least left beside the others, and what that is, as a part of the row; of two gradients, in those ahead. It is next to nothing only if that
    /// does not hang on the units of coordinates.
    pub fn narrowest(&self) -> (usize, f64) {
        self.narrowest
    }

    /// The length of a row of constraints, given as it is in coordinates, weighed by the masses: units of coordinates do not matter in it.
    pub fn weigh(&mut self, row: usize, length: f64, (mass, jacobian): (&Matrix, &Matrix)) -> f64 {
        self.weighing.weigh(row, length, (mass, jacobian))
    }

    /// The lengths that were weighed last.
    pub fn weighed_lengths(&self) -> &[f64] {
        self.weighing.lengths()
    }

    /// How many rows of constraints are independent.
    pub fn rank(&self) -> usize {
        match &self.kind {
            Kind::Dense(dense) => dense.rank(),
            Kind::Sparse(sparse) => sparse.rank(),
        }
    }

    /// The length of each row of constraints.
    pub fn lengths(&self) -> &[f64] {
        match &self.kind {
            Kind::Dense(dense) => dense.lengths(),
            Kind::Sparse(sparse) => sparse.lengths(),
        }
    }

    /// The rows that follow from others, in no particular order.
    pub fn redundant(&self) -> &[usize] {
        match &self.kind {
            Kind::Dense(dense) => dense.redundant(),
            Kind::Sparse(sparse) => sparse.redundant(),
        }
    }

    /// Whether redundant rows share their multipliers with the least norm. In large systems with very many of them, theirs are zero.
    pub fn shares_multipliers(&self) -> bool {
        match &self.kind {
            Kind::Dense(_) => true,
            Kind::Sparse(sparse) => sparse.shares_multipliers(),
        }
    }

    /// The least change in the metric of `M` that `G` takes to the level. Of redundant rows the level is not used.
    pub fn least_change(&mut self, level: &[f64], change: &mut [f64]) {
        match &mut self.kind {
            Kind::Dense(dense) => dense.least_change(level, change),
            Kind::Sparse(sparse) => sparse.least_change(level, change),
        }
    }

    /// Replaces the right-hand sides by the solution: `force` by `a`, `level` by `λ`. Of redundant rows the level is not used.
    pub fn solve(&mut self, force: &mut [f64], level: &mut [f64]) {
        match &mut self.kind {
            Kind::Dense(dense) => dense.solve(force, level),
            Kind::Sparse(sparse) => sparse.solve(force, level),
        }
    }
}

pub(super) fn dense_work(n: usize, m: usize) -> f64 {
    (n * n) as f64 * (n + 2 * m) as f64
}

#[cfg(test)]
mod tests {
    use super::super::test_chain::{apart, assert_same, doubled, joints, number, right_side};
    use super::*;

    fn chain(links: usize) -> (Matrix, Matrix) {
        let masses: Vec<(usize, usize)> = (0..3 * links).map(|i| (i, i)).collect();
        let mut mass = Matrix::with_places(3 * links, 3 * links, &masses);
        mass.values.iter_mut().enumerate().for_each(|(k, x)| *x = 2.0 + number(k));
        (mass, joints(links))
    }

    fn both(mass: &Matrix, jacobian: &Matrix) -> [(Kkt, Vec<f64>, Vec<f64>); 2] {
        let sparse = Kkt::new(mass, jacobian);
        assert!(matches!(sparse.kind, Kind::Sparse(_)));
        let (n, m) = (mass.rows(), jacobian.rows());
        [sparse, Kkt::dense(n, m, 0.0)].map(|mut kkt| {
            kkt.factor(mass, jacobian).unwrap();
            let (mut force, mut level) = right_side(n, m);
            kkt.solve(&mut force, &mut level);
            (kkt, force, level)
        })
    }

    #[test]
    fn both_solvers_agree() {
        let (mass, jacobian) = chain(20);
        let [(_, a, lambda), (_, b, mu)] = both(&mass, &jacobian);
        assert_same((&a, &lambda), (&b, &mu), (1e-12, 1e-11));
    }

    #[test]
    fn very_many_redundant_rows_have_no_multipliers_and_say_so() {
        let (mass, jacobian) = chain(120);
        let places: Vec<(usize, usize)> =
            jacobian.places().chain(jacobian.places().map(|(k, c)| (240 + k, c))).collect();
        let mut doubled = Matrix::with_places(480, 360, &places);
        doubled.values = [&jacobian.values[..], &jacobian.values].concat();
        let solve = |rows: &Matrix| {
            let mut kkt = Kkt::new(&mass, rows);
            kkt.factor(&mass, rows).unwrap();
            let (mut force, level) = right_side(360, 240);
            let mut level = if rows.rows() == 240 { level } else { [&level[..], &level].concat() };
            kkt.solve(&mut force, &mut level);
            (kkt, force, level)
        };
        let ((single, a, _), (kkt, b, multipliers)) = (solve(&jacobian), solve(&doubled));
        assert!(single.shares_multipliers() && !kkt.shares_multipliers() && kkt.redundant().len() == 240);
        assert!(kkt.redundant().iter().all(|&row| multipliers[row] == 0.0) && apart(&a, &b) < 1e-9);
    }

    #[test]
    fn both_share_the_multipliers_of_doubled_rows() {
        let (mass, single) = chain(20);
        let jacobian = doubled(&single);
        let mut kkts = both(&mass, &jacobian);
        assert!(kkts.iter().all(|(kkt, ..)| kkt.rank() == 40 && kkt.redundant().len() == 40));
        // The right-hand sides of a pair must be the same for both to mean the same.
        for (kkt, a, lambda) in &mut kkts {
            let (force, level) = right_side(60, 80);
            a.copy_from_slice(&force);
            for (k, x) in lambda.iter_mut().enumerate() {
                *x = level[k / 2];
            }
            kkt.solve(a, lambda);
        }
        let [(_, a, lambda), (_, b, mu)] = kkts;
        assert_same((&a, &lambda), (&b, &mu), (1e-12, 1e-10));
    }

    #[test]
    fn massless_bodies_that_are_held_do_no_harm() {
        let (mut mass, jacobian) = chain(20);
        // Two constraints hold two coordinates of each link, so one of three may have no mass.
        for link in 0..20 {
            mass.values[3 * link] = 0.0;
        }
        let [(_, a, lambda), (_, b, mu)] = both(&mass, &jacobian);
        assert_same((&a, &lambda), (&b, &mu), (1e-11, 1e-10));
    }

    #[test]
    fn the_work_grows_with_the_number_of_links() {
        let work = |links: usize| {
            let (mass, jacobian) = chain(links);
            Kkt::new(&mass, &jacobian).work()
        };
        let slope = (work(10_000) / work(100)).log10() / 2.0;
        assert!((slope - 1.0).abs() < 0.05, "{slope}");
    }
}
