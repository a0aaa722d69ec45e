//! Saddle-point systems with few entries: `[A Bᵀ; C 0] [a; λ] = [f; c]`, by elimination without exchanges
//! (`sparse_lu.rs`).
//!
//! `A` need not be symmetric: it is a mass matrix, or the matrix of Newton's iteration in a generalized-α
//! method (paper 001, equations (19) and (22)), which couples neighbours. Each constraint is eliminated
//! behind the coordinates that it has in it; then a pivot of one vanishes only if its row follows from those
//! before it. Such rows are left out, and their multipliers are zero. For a chain the work grows with the
//! number of links. Where `A` has no pivot somewhere, `A + Bᵀ C` stands in its place, with `f + Bᵀ c`, which
//! has the same solution. One round of refinement brings back what is lost for want of exchanges.

use super::SaddleFault;
use super::sparse_lu::SparseLu;
use crate::math::Matrix;
use std::collections::BTreeMap;

/// A row follows from others if less than this part is left of what its pivot is made of; these are squares
/// of lengths.
pub(super) const REDUNDANT: f64 = 1e-12;
/// A pivot of `A` of less than this part of what it is made of is none.
pub(super) const SINGULAR: f64 = 1e-14;

/// The factors of a system whose places do not change.
#[derive(Clone, Debug)]
pub(super) struct Sparse {
    matrix: Matrix,
    /// `C`, and `B`, which has the same places.
    ahead: Matrix,
    here: Matrix,
    is_symmetric: bool,
    entries: Entries,
    factors: SparseLu,
    pub(super) lengths: Vec<f64>,
    pub(super) redundant: Vec<usize>,
    /// The row whose pivot is least beside what it is made of, and which part it is: these are squares.
    pub(super) least: (usize, f64),
    all: Vec<f64>,
    scratch: Vec<f64>,
    room: [Vec<f64>; 2],
}

/// The entries below the diagonal and on it, and their mirror images: those of `A`, or of `A + Bᵀ C`, and
/// behind them those of `C` and `B`, with zeros on the diagonal.
#[derive(Clone, Debug)]
struct Entries {
    values: [Vec<f64>; 2],
    /// Whether `Bᵀ C` is added to `A`.
    is_weighted: bool,
    /// Where each entry of `A` goes, and whether that is below the diagonal; where those of `Bᵀ C` go, in the
    /// order in which they come; and where those of `C` begin.
    slots: Vec<(usize, bool)>,
    products: Vec<usize>,
    first: usize,
}

impl Entries {
    /// With the places of the whole matrix.
    fn new(matrix: &Matrix, rows: &Matrix, is_weighted: bool) -> (Self, Vec<(usize, usize)>) {
        let (n, m) = (matrix.rows(), rows.rows());
        let (half, slots) = half_of(matrix);
        let mut places: Vec<(usize, usize)> = half.places().collect();
        let products = if is_weighted { products(rows, &mut places) } else { Vec::new() };
        let first = places.len();
        places.extend(rows.places().map(|(k, j)| (n + k, j)).chain((n..n + m).map(|k| (k, k))));
        let values = [vec![0.0; places.len()], vec![0.0; places.len()]];
        (Self { values, is_weighted, slots, products, first }, places)
    }

    fn fill(&mut self, matrix: &Matrix, ahead: &Matrix, here: &Matrix) {
        let [values, mirrored] = &mut self.values;
        values.fill(0.0);
        mirrored.fill(0.0);
        for (&(slot, below), value) in self.slots.iter().zip(&matrix.values) {
            (if below { &mut *values } else { &mut *mirrored })[slot] = *value;
        }
        let mut slots = self.products.iter();
        for row in 0..if self.is_weighted { ahead.rows() } else { 0 } {
            let both = || here.row(row).zip(ahead.row(row));
            for (k, ((_, b), (_, c))) in both().enumerate() {
                for (((_, other_b), (_, other_c)), &slot) in both().take(k + 1).zip(slots.by_ref()) {
                    values[slot] += b * other_c;
                    mirrored[slot] += other_b * c;
                }
            }
        }
        let rows = self.first..self.first + ahead.values.len();
        values[rows.clone()].copy_from_slice(&ahead.values);
        mirrored[rows].copy_from_slice(&here.values);
    }
}

impl Sparse {
    /// For a matrix and rows with these places.
    pub(super) fn new(matrix: &Matrix, rows: &Matrix) -> Self {
        let on_diagonal = matrix.places().filter(|(i, j)| i == j).count();
        Self::of(matrix, rows, on_diagonal < matrix.rows())
    }

    fn of(matrix: &Matrix, rows: &Matrix, is_weighted: bool) -> Self {
        let (n, m) = (matrix.rows(), rows.rows());
        let (entries, places) = Entries::new(matrix, rows, is_weighted);
        let room = |length: usize| vec![0.0; length];
        Self {
            matrix: matrix.clone(),
            ahead: rows.clone(),
            here: rows.clone(),
            is_symmetric: false,
            entries,
            factors: SparseLu::new((n + m, n), &places),
            lengths: room(m),
            redundant: Vec::with_capacity(m),
            least: (0, 1.0),
            all: room(n + m),
            scratch: room(n + m),
            room: [room(n), room(m)],
        }
    }

    /// About how many multiplications the factors take.
    pub(super) fn work(&self) -> f64 {
        self.factors.work()
    }

    /// Factors the system with the rows of `C` and `B`; of a symmetric matrix with the same rows in both
    /// places if `here` is none.
    pub(super) fn factor(
        &mut self,
        matrix: &Matrix,
        ahead: &Matrix,
        here: Option<&Matrix>,
    ) -> Result<(), SaddleFault> {
        let all = matrix.values.iter().chain(&ahead.values).chain(here.iter().flat_map(|here| &here.values));
        if all.into_iter().any(|x| !x.is_finite()) {
            return Err(SaddleFault::NotFinite);
        }
        self.is_symmetric = here.is_none();
        self.matrix.values.copy_from_slice(&matrix.values);
        self.ahead.values.copy_from_slice(&ahead.values);
        self.here.values.copy_from_slice(&here.unwrap_or(ahead).values);
        for (k, length) in self.lengths.iter_mut().enumerate() {
            *length = ahead.row(k).map(|(_, c)| c * c).sum::<f64>().sqrt();
        }
        match self.eliminate() {
            Err(_) if !self.entries.is_weighted => {
                *self = Self::of(matrix, ahead, true);
                self.factor(matrix, ahead, here)
            }
            done => done,
        }
    }

    fn eliminate(&mut self) -> Result<(), SaddleFault> {
        self.entries.fill(&self.matrix, &self.ahead, &self.here);
        let ([entries, mirrored], n) = (&self.entries.values, self.matrix.rows());
        let (redundant, least) = (&mut self.redundant, &mut self.least);
        redundant.clear();
        *least = (0, 1.0);
        let mut bad = None;
        let mirrored = (!self.is_symmetric).then_some(&mirrored[..]);
        self.factors.factor(entries, mirrored, |unknown, pivot, size| {
            let row = unknown.checked_sub(n);
            let vanishes = pivot.is_nan() || pivot <= if row.is_some() { REDUNDANT } else { SINGULAR } * size;
            match row {
                Some(row) if vanishes => redundant.push(row),
                Some(row) if pivot < least.1 * size => *least = (row, pivot / size),
                None if vanishes => bad = Some((unknown, pivot)),
                _ => {}
            }
            vanishes.then_some(row.is_some())
        });
        match bad {
            None => Ok(()),
            Some((_, pivot)) if self.is_symmetric => Err(SaddleFault::NotDefinite(pivot)),
            Some((unknown, _)) => Err(SaddleFault::Singular(unknown)),
        }
    }

    /// Replaces the right-hand sides by the solution: `force` by `a`, `level` by `λ`. Of rows that are left
    /// out the level is not used.
    pub(super) fn solve(&mut self, force: &mut [f64], level: &mut [f64]) {
        let [mut residual, mut off] = std::mem::take(&mut self.room);
        residual.copy_from_slice(force);
        off.copy_from_slice(level);
        self.solve_once(force, level);
        for (i, residual) in residual.iter_mut().enumerate() {
            *residual -= self.matrix.row_times(i, force);
        }
        self.here.add_transposed(-1.0, level, &mut residual);
        for (k, off) in off.iter_mut().enumerate() {
            *off -= self.ahead.row_times(k, force);
        }
        self.solve_once(&mut residual, &mut off);
        force.iter_mut().zip(&residual).for_each(|(x, more)| *x += more);
        level.iter_mut().zip(&off).for_each(|(x, more)| *x += more);
        self.room = [residual, off];
    }

    fn solve_once(&mut self, force: &mut [f64], level: &mut [f64]) {
        if self.entries.is_weighted {
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

/// A matrix with the places of the lower half of another, and of the mirror images of its upper half; and for
/// each entry of the other its number there, and whether it is not mirrored. An entry of the diagonal is its
/// own mirror image.
fn half_of(matrix: &Matrix) -> (Matrix, Vec<(usize, bool)>) {
    let lower = |(i, j): (usize, usize)| (i.max(j), i.min(j));
    let places: Vec<(usize, usize)> = matrix.places().map(lower).collect();
    let half = Matrix::with_places(matrix.rows(), matrix.columns(), &places);
    let slot = |(i, j): (usize, usize)| half.slot(i.max(j), i.min(j)).map(|slot| (slot, i >= j));
    let slots = matrix.places().filter_map(slot).collect();
    (half, slots)
}

/// For each product of two entries of a row the number of its place, which is added to others in the lower
/// half if it is new.
fn products(rows: &Matrix, places: &mut Vec<(usize, usize)>) -> Vec<usize> {
    let mut numbers: BTreeMap<(usize, usize), usize> =
        places.iter().enumerate().map(|(number, &place)| (place, number)).collect();
    let mut products = Vec::new();
    for row in 0..rows.rows() {
        for (k, &i) in rows.places_of(row).iter().enumerate() {
            for &j in &rows.places_of(row)[..=k] {
                products.push(*numbers.entry((i, j)).or_insert_with(|| {
                    places.push((i, j));
                    places.len() - 1
                }));
            }
        }
    }
    products
}
