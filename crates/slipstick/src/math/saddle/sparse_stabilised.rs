//! The systems of `stabilised.rs` with few entries: as they stand, by elimination without exchanges
//! (`sparse_lu.rs`).
//!
//! In the order `x`, `u`, `λ`, `μ` pivots are `s` for positions and `s M + C + K / s` for speeds, and each
//! constraint comes behind all that it has in it. In place of `G x = d` stands `s G x - L x - G v = s d - c`:
//! what is left of it without positions is `-G Gᵀ μ` and little else, however stiff `K` is. Rows without
//! pivots follow from others and are left out. For a chain the work grows with the number of links.

use super::sparse::SINGULAR;
use super::sparse_lu::SparseLu;
use super::stabilised::{Linearised, Sides};
use crate::math::{Complex, Matrix, Scalar};
use std::collections::BTreeMap;

/// The factors for one real and one complex number.
#[derive(Clone, Debug)]
pub(super) struct SparseStabilised {
    slots: Slots,
    real: ShiftedFactors<f64>,
    complex: ShiftedFactors<Complex>,
    holonomic: usize,
}

/// Where entries go: their number, and whether they stand below the diagonal.
#[derive(Clone, Debug)]
struct Slots {
    n: usize,
    mass: Vec<(usize, bool)>,
    forces: Vec<(usize, bool)>,
    /// Of gradients and of slopes, in rows of rates, and in those of positions, where there are such.
    gradients: Vec<(usize, Option<[usize; 2]>)>,
    slopes: Vec<(usize, Option<usize>)>,
    identity: Vec<usize>,
    diagonal: Vec<usize>,
    count: usize,
}

/// The factors for one number.
#[derive(Clone, Debug)]
struct ShiftedFactors<S> {
    s: S,
    late: usize,
    entries: Vec<S>,
    mirrored: Vec<S>,
    factors: SparseLu<S>,
    all: Vec<S>,
    scratch: Vec<S>,
}

/// Hands out numbers for places; one place and its mirror image have the same.
#[derive(Default)]
struct Numbering {
    numbers: BTreeMap<(usize, usize), usize>,
    places: Vec<(usize, usize)>,
}

impl Numbering {
    fn number(&mut self, (row, column): (usize, usize)) -> (usize, bool) {
        let lower = (row.max(column), row.min(column));
        let next = self.places.len();
        let number = *self.numbers.entry(lower).or_insert(next);
        if number == next {
            self.places.push(lower);
        }
        (number, row >= column)
    }

    fn numbers(&mut self, of: &Matrix, at: impl Fn(usize, usize) -> (usize, usize)) -> Vec<(usize, bool)> {
        of.places().map(|(row, column)| self.number(at(row, column))).collect()
    }
}

impl SparseStabilised {
    pub(super) fn new(of: &Linearised<'_>) -> Self {
        let (n, further) = of.size();
        let (size, m, holonomic) = (n + further, of.gradients.rows(), of.holonomic);
        let (late, behind) = (n + size, n + size + m);
        let mut to = Numbering::default();
        let diagonal = (0..behind + holonomic).map(|i| to.number((i, i)).0).collect();
        let identity = (0..n).map(|i| to.number((n + i, i)).0).collect();
        let mass = to.numbers(of.mass, |i, j| (n + i, n + j));
        let forces = to.numbers(of.forces, |i, j| (n + i, j));
        let in_positions = |k: usize| k < holonomic;
        let mut gradients = Vec::new();
        for (k, j) in of.gradients.places() {
            let own = to.number((late + k, n + j)).0;
            let other =
                in_positions(k).then(|| [to.number((behind + k, j)).0, to.number((behind + k, n + j)).0]);
            gradients.push((own, other));
        }
        let mut slopes = Vec::new();
        for (k, j) in of.slopes.places() {
            let own = to.number((late + k, j)).0;
            slopes.push((own, in_positions(k).then(|| to.number((behind + k, j)).0)));
        }
        let count = to.places.len();
        let slots = Slots { n, mass, forces, gradients, slopes, identity, diagonal, count };
        let all = (behind + holonomic, late);
        Self {
            real: ShiftedFactors::new(all, &to.places),
            complex: ShiftedFactors::new(all, &to.places),
            slots,
            holonomic,
        }
    }

    /// About how many multiplications the factors for a real number take.
    pub(super) fn work(&self) -> f64 {
        self.real.factors.work()
    }

    /// How many entries the factors have.
    pub(super) fn entries(&self) -> f64 {
        self.real.factors.entries()
    }

    /// A row that follows from others is next to a singular configuration, and is left out only if nothing is
    /// known of it.
    pub(super) fn factor(&mut self, of: &Linearised<'_>, real: f64, complex: Complex) -> bool {
        self.real.factor(of, &self.slots, real) && self.complex.factor(of, &self.slots, complex)
    }

    pub(super) fn solve_real(&mut self, sides: &mut Sides<'_>) {
        let half = &mut self.real;
        half.all.iter_mut().zip(values(sides)).for_each(|(all, side)| *all = *side);
        half.solve(self.holonomic);
        values(sides).zip(&half.all).for_each(|(side, all)| *side = *all);
    }

    pub(super) fn solve_complex(&mut self, [re, im]: [&mut Sides<'_>; 2]) {
        let half = &mut self.complex;
        for (all, (re, im)) in half.all.iter_mut().zip(values(re).zip(values(im))) {
            *all = Complex { re: *re, im: *im };
        }
        half.solve(self.holonomic);
        for (all, (re, im)) in half.all.iter().zip(values(re).zip(values(im))) {
            (*re, *im) = (all.re, all.im);
        }
    }
}

/// All values, in the order of the unknowns.
fn values<'a>(sides: &'a mut Sides<'_>) -> impl Iterator<Item = &'a mut f64> {
    let of_constraints = sides.rates.iter_mut().chain(sides.levels.iter_mut());
    sides.positions.iter_mut().chain(sides.motion.iter_mut()).chain(of_constraints)
}

impl<S: Scalar> ShiftedFactors<S> {
    fn new((all, late): (usize, usize), places: &[(usize, usize)]) -> Self {
        let room = |length: usize| vec![S::default(); length];
        Self {
            s: S::default(),
            late,
            entries: room(places.len()),
            mirrored: room(places.len()),
            factors: SparseLu::new((all, late), places),
            all: room(all),
            scratch: room(all),
        }
    }

    fn factor(&mut self, of: &Linearised<'_>, slots: &Slots, s: S) -> bool {
        self.s = s;
        self.fill(of, slots);
        let late = self.late;
        self.factors.factor(&self.entries, Some(&self.mirrored), |unknown, pivot, size| {
            (pivot.is_nan() || pivot <= SINGULAR * size).then_some(unknown >= late)
        })
    }

    fn fill(&mut self, of: &Linearised<'_>, slots: &Slots) {
        let s = self.s;
        let (entries, mirrored) = (&mut self.entries, &mut self.mirrored);
        entries[..slots.count].fill(S::default());
        mirrored[..slots.count].fill(S::default());
        let mut add = |(slot, below): (usize, bool), value: S| {
            (if below { &mut *entries } else { &mut *mirrored })[slot] += value;
        };
        for &slot in &slots.diagonal[..slots.n] {
            add((slot, true), s);
        }
        for &slot in &slots.identity {
            add((slot, false), S::from(-1.0));
        }
        slots.mass.iter().zip(&of.mass.values).for_each(|(&slot, mass)| add(slot, s * S::from(*mass)));
        slots.forces.iter().zip(&of.forces.values).for_each(|(&slot, force)| add(slot, S::from(*force)));
        for (&(own, other), value) in slots.gradients.iter().zip(&of.gradients.values) {
            let value = S::from(*value);
            add((own, true), value);
            add((own, false), value);
            if let Some([by_position, by_speed]) = other {
                add((by_position, true), s * value);
                add((by_position, false), value);
                add((by_speed, true), S::default() - value);
            }
        }
        for (&(own, other), value) in slots.slopes.iter().zip(&of.slopes.values) {
            add((own, true), S::from(*value));
            if let Some(slot) = other {
                add((slot, true), S::from(-*value));
            }
        }
    }

    /// Solves for the right-hand sides in `all`.
    fn solve(&mut self, holonomic: usize) {
        let behind = self.all.len() - holonomic;
        for k in 0..holonomic {
            self.all[behind + k] = self.s * self.all[behind + k] - self.all[self.late + k];
        }
        self.factors.solve(&mut self.all, &mut self.scratch);
    }
}
