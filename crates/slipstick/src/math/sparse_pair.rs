//! Saddle-point systems with two gradients and few entries: `[S Hᵀ; G 0] [a; λ] = [f; c]`, by elimination without exchanges.
//!
//! `S` need not be symmetric: it is the matrix of Newton's iteration in a generalized-α method (paper 001, equations (19) and (22)), which couples neighbours. Each constraint is eliminated behind the coordinates
//! that it has in it; then a pivot of one vanishes only if its row follows from those before it. Such rows are left out, and their multipliers are zero. For a
//! chain the work grows with the number of links. Where `S` has no pivot somewhere, `S + Hᵀ G` stands in its place, with `f + Hᵀ c`, which has the same solution.

use super::Matrix;
use super::held_rows::HeldRows;
use super::refine::{Rough, solve_refined};
use super::sparse_kkt::{REDUNDANT, SINGULAR, places_of_masses};
use super::sparse_lu::SparseLu;

/// The factors of a system whose places do not change.
#[derive(Clone, Debug)]
pub(super) struct SparsePair {
    matrix: Matrix,
    /// Both gradients have the same places.
    ahead: Matrix,
    here: Matrix,
    /// Whether `Hᵀ G` is added to `S`.
    weighted: bool,
    /// The entries below the diagonal and on it, and their mirror images: those of `S`, or of `S + Hᵀ G`, and behind them those of `G`, with zeros on the diagonal.
    entries: [Vec<f64>; 2],
    /// Where each entry of `S` goes, and whether that is below the diagonal; where those of `Hᵀ G` go, in the order in which they come; and where those of `G` begin.
    slots: Vec<(usize, bool)>,
    products: Vec<usize>,
    first: usize,
    factors: SparseLu,
    lengths: Vec<f64>,
    held: HeldRows,
    redundant: Vec<usize>,
    all: Vec<f64>,
    scratch: Vec<f64>,
    room: [Vec<f64>; 2],
}

impl SparsePair {
    /// For a matrix and gradients with these places.
    pub(super) fn new(matrix: &Matrix, rows: &Matrix) -> Self {
        let on_diagonal = matrix.places().filter(|(i, j)| i == j).count();
        Self::weighted(matrix, rows, on_diagonal < matrix.rows())
    }

    fn weighted(matrix: &Matrix, rows: &Matrix, weighted: bool) -> Self {
        let (n, m) = (matrix.rows(), rows.rows());
        let (half, slots) = half_of(matrix);
        let (mut places, products) = places_of_masses(&half, rows, weighted);
        let first = places.len();
        places.extend(rows.places().map(|(k, j)| (n + k, j)).chain((n..n + m).map(|k| (k, k))));
        let room = |length: usize| vec![0.0; length];
        Self {
            matrix: matrix.clone(),
            ahead: rows.clone(),
            here: rows.clone(),
            weighted,
            entries: [room(places.len()), room(places.len())],
            slots,
            products,
            first,
            factors: SparseLu::new((n + m, n), &places),
            lengths: room(m),
            held: HeldRows::none(m),
            redundant: Vec::with_capacity(m),
            all: room(n + m),
            scratch: room(n + m),
            room: [room(n), room(m)],
        }
    }

    /// About how many multiplications the factors take.
    pub(super) fn work(&self) -> f64 {
        self.factors.work()
    }

    pub(super) fn factor(&mut self, matrix: &Matrix, ahead: &Matrix, here: &Matrix) -> bool {
        let mut values = matrix.values.iter().chain(&ahead.values).chain(&here.values);
        if values.any(|x| !x.is_finite()) {
            return false;
        }
        self.matrix.values.copy_from_slice(&matrix.values);
        self.ahead.values.copy_from_slice(&ahead.values);
        self.here.values.copy_from_slice(&here.values);
        for (k, length) in self.lengths.iter_mut().enumerate() {
            *length = ahead.row(k).map(|(_, g)| g * g).sum::<f64>().sqrt();
        }
        if !self.factor_entries() {
            if self.weighted {
                return false;
            }
            *self = Self { held: std::mem::take(&mut self.held), ..Self::weighted(matrix, ahead, true) };
            return self.factor(matrix, ahead, here);
        }
        true
    }

    /// Columns, and rows of constraints.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.matrix.rows(), self.ahead.rows())
    }

    pub(super) fn redundant(&self) -> &[usize] {
        &self.redundant
    }

    /// From now on these rows are left out, as long as the others are independent.
    pub(super) fn hold(&mut self, redundant: &[usize]) {
        self.held.hold(redundant);
    }

    /// Where another row than those held vanishes, one of these may be needed in its place: then none is held.
    fn factor_entries(&mut self) -> bool {
        self.fill_entries();
        let is_good = self.eliminate(true);
        if is_good && !self.held.may_be_needed(&self.redundant) { true } else { self.eliminate(false) }
    }

    fn eliminate(&mut self, holds: bool) -> bool {
        let ([entries, mirrored], n) = (&self.entries, self.matrix.rows());
        let (redundant, held) = (&mut self.redundant, &self.held);
        redundant.clear();
        self.factors.factor((entries, mirrored), |unknown, pivot, size| {
            let is_row = unknown >= n;
            let least = if is_row { REDUNDANT } else { SINGULAR };
            let is_held = is_row && holds && held.contains(unknown - n);
            let vanishes = is_held || pivot.is_nan() || pivot.abs() <= least * size;
            if vanishes && is_row {
                redundant.push(unknown - n);
            }
            vanishes.then_some(is_row)
        })
    }

    fn fill_entries(&mut self) {
        let [entries, mirrored] = &mut self.entries;
        entries.fill(0.0);
        mirrored.fill(0.0);
        for (&(slot, below), value) in self.slots.iter().zip(&self.matrix.values) {
            (if below { &mut *entries } else { &mut *mirrored })[slot] = *value;
        }
        let mut slots = self.products.iter();
        for row in 0..if self.weighted { self.ahead.rows() } else { 0 } {
            let both = || self.here.row(row).zip(self.ahead.row(row));
            for (k, ((_, h), (_, g))) in both().enumerate() {
                for (((_, other_h), (_, other_g)), &slot) in both().take(k + 1).zip(slots.by_ref()) {
                    entries[slot] += h * other_g;
                    mirrored[slot] += other_h * g;
                }
            }
        }
        let rows = self.first..self.first + self.ahead.values.len();
        entries[rows.clone()].copy_from_slice(&self.ahead.values);
        mirrored[rows].copy_from_slice(&self.here.values);
    }

    /// Replaces the right-hand sides by the solution: `force` by `a`, `level` by `λ`. Of redundant rows the level is not used.
    pub(super) fn solve(&mut self, force: &mut [f64], level: &mut [f64]) {
        // This brings back what is lost for want of exchanges.
        solve_refined(self, force, level);
    }
}

impl Rough for SparsePair {
    fn matrices(&self) -> [&Matrix; 3] {
        [&self.matrix, &self.ahead, &self.here]
    }

    fn idle(&self) -> &[Vec<f64>] {
        &[]
    }

    fn room(&mut self) -> &mut [Vec<f64>; 2] {
        &mut self.room
    }

    fn solve_roughly(&mut self, force: &mut [f64], level: &mut [f64]) {
        if self.weighted {
            self.here.add_transposed(1.0, level, force);
        }
        let (of_force, of_level) = self.all.split_at_mut(force.len());
        of_force.copy_from_slice(force);
        of_level.copy_from_slice(level);
        self.factors.solve(&mut self.all, &mut self.scratch);
        force.copy_from_slice(&self.all[..force.len()]);
        level.copy_from_slice(&self.all[force.len()..]);
    }
}

/// A matrix with the places of the lower half of another, and of the mirror images of its upper half; and for each entry of the other its number there, and whether it is not mirrored.
/// An entry of the diagonal is its own mirror image.
fn half_of(matrix: &Matrix) -> (Matrix, Vec<(usize, bool)>) {
    let lower = |(i, j): (usize, usize)| (i.max(j), i.min(j));
    let places: Vec<(usize, usize)> = matrix.places().map(lower).collect();
    let half = Matrix::with_places(matrix.rows(), matrix.columns(), &places);
    let slot = |(i, j): (usize, usize)| half.slot(i.max(j), i.min(j)).map(|slot| (slot, i >= j));
    let slots = matrix.places().filter_map(slot).collect();
    (half, slots)
}
