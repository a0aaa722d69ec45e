//! Saddle-point systems with few entries: `[M Gᵀ; G 0] [a; λ] = [f; c]`, by the multipliers: `S λ = G M⁻¹ f - c` with `S = G M⁻¹ Gᵀ`.
//!
//! In coordinates of single bodies, `M` is made of small blocks and `S` couples constraints that share a body: for a chain both are narrow bands, and the work
//! grows with the number of links. Where `M` alone is singular, `M + Gᵀ G` stands in its place, with `f + Gᵀ c`, which has the same solution. Rows that
//! follow from others have no pivot in `S` and are left out; then the multipliers are made as small as they can be. One round of
//! refinement brings back what `S` has lost in digits.

use super::elimination::Elimination;
use super::held_rows::HeldRows;
use super::refine::{Rough, add, make_unit, solve_refined};
use super::sparse_cholesky::SparseCholesky;
use super::{KktFault, Matrix};
use std::collections::{BTreeMap, BTreeSet};

/// Rows and columns.
pub(super) type Places = Vec<(usize, usize)>;

/// A row is redundant if less than this part of its diagonal entry of `S` is left; entries of `S` are squares of lengths.
pub(super) const REDUNDANT: f64 = 1e-12;
/// A pivot of `M` of less than this part of its diagonal entry is none.
pub(super) const SINGULAR: f64 = 1e-14;

/// Up to so many redundant rows share their multipliers; the work for that grows with the square.
pub(super) const MOST_SHARING: usize = 200;

/// The factors of a system whose places do not change.
#[derive(Clone, Debug)]
pub(super) struct SparseKkt {
    mass: Matrix,
    jacobian: Matrix,
    /// Whether `Gᵀ G` is added to `M`.
    weighted: bool,
    /// The entries of `M`, or of `M + Gᵀ G`, and where those of `Gᵀ G` go, in the order in which they come.
    entries: Vec<f64>,
    products: Vec<usize>,
    masses: SparseCholesky,
    /// By constraints: `L⁻¹ Gᵀ` at the places `reached`, from `starts` on.
    starts: Vec<usize>,
    reached: Vec<usize>,
    responses: Vec<f64>,
    /// By places in the order of the masses: which entries of `responses` stand there, and where their products go among the entries of `S`.
    sharing: Vec<Vec<usize>>,
    slots: Vec<usize>,
    coupling: Vec<f64>,
    multipliers: SparseCholesky,
    lengths: Vec<f64>,
    held: HeldRows,
    redundant: Vec<usize>,
    /// What makes the multipliers of redundant rows small: for each of them a combination of rows that is zero, of length one.
    idle: Vec<Vec<f64>>,
    scratch: Vec<f64>,
    room: [Vec<f64>; 2],
    carried: Vec<f64>,
    unwanted: Vec<f64>,
}

impl SparseKkt {
    pub(super) fn new(mass: &Matrix, jacobian: &Matrix) -> Self {
        let on_diagonal = mass.places().filter(|(i, j)| i == j).count();
        Self::weighted(mass, jacobian, on_diagonal < mass.rows())
    }

    fn weighted(mass: &Matrix, jacobian: &Matrix, weighted: bool) -> Self {
        let (n, m) = (mass.rows(), jacobian.rows());
        let (places, products) = places_of_masses(mass, jacobian, weighted);
        let masses = SparseCholesky::new(n, &places);
        let (starts, reached) = responses(jacobian, masses.tree());
        let (sharing, slots, coupled) = coupling(n, &starts, &reached);
        Self {
            mass: mass.clone(),
            jacobian: jacobian.clone(),
            weighted,
            entries: vec![0.0; places.len()],
            products,
            masses,
            responses: vec![0.0; reached.len()],
            starts,
            reached,
            sharing,
            slots,
            coupling: vec![0.0; coupled.len()],
            multipliers: SparseCholesky::new(m, &coupled),
            lengths: vec![0.0; m],
            held: HeldRows::none(m),
            redundant: Vec::with_capacity(m),
            idle: Vec::new(),
            scratch: vec![0.0; n.max(m)],
            room: [vec![0.0; n], vec![0.0; m]],
            carried: vec![0.0; n],
            unwanted: vec![0.0; m],
        }
    }

    /// About how many multiplications the factors take.
    pub(super) fn work(&self) -> f64 {
        self.masses.work() + self.slots.len() as f64 + self.multipliers.work()
    }

    pub(super) fn rank(&self) -> usize {
        self.jacobian.rows() - self.redundant.len()
    }

    /// The independent row that has least left beside those taken before it, and what that is, as a part of the row. Where rows are left out, too little is known of the others.
    pub(super) fn narrowest(&self) -> (usize, f64) {
        let (row, part) = self.multipliers.least_pivot();
        if self.redundant.is_empty() { (row, part.sqrt()) } else { (row, 1.0) }
    }

    pub(super) fn lengths(&self) -> &[f64] {
        &self.lengths
    }

    pub(super) fn redundant(&self) -> &[usize] {
        &self.redundant
    }

    /// Columns, and rows of constraints.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.mass.rows(), self.jacobian.rows())
    }

    /// Whether redundant rows share their multipliers, because there are not too many of them.
    pub(super) fn shares_multipliers(&self) -> bool {
        self.redundant.len() <= MOST_SHARING
    }

    pub(super) fn factor(&mut self, mass: &Matrix, jacobian: &Matrix) -> Result<(), KktFault> {
        if mass.values.iter().chain(&jacobian.values).any(|x| !x.is_finite()) {
            return Err(KktFault::NotFinite);
        }
        self.mass.values.copy_from_slice(&mass.values);
        self.jacobian.values.copy_from_slice(&jacobian.values);
        for (k, length) in self.lengths.iter_mut().enumerate() {
            *length = jacobian.row(k).map(|(_, g)| g * g).sum::<f64>().sqrt();
        }
        if let Err(pivot) = self.factor_masses() {
            if self.weighted {
                return Err(KktFault::NotDefinite(pivot));
            }
            *self = Self { held: std::mem::take(&mut self.held), ..Self::weighted(mass, jacobian, true) };
            return self.factor(mass, jacobian);
        }
        self.respond();
        self.couple();
        Ok(())
    }

    fn factor_masses(&mut self) -> Result<(), f64> {
        self.entries.fill(0.0);
        self.entries[..self.mass.values.len()].copy_from_slice(&self.mass.values);
        let mut slots = self.products.iter();
        if self.weighted {
            for row in 0..self.jacobian.rows() {
                for (k, (_, a)) in self.jacobian.row(row).enumerate() {
                    for ((_, b), &slot) in self.jacobian.row(row).take(k + 1).zip(slots.by_ref()) {
                        self.entries[slot] += a * b;
                    }
                }
            }
        }
        let mut bad = 0.0;
        let good = self.masses.factor(
            &self.entries,
            |_| SINGULAR,
            |_, pivot| {
                bad = pivot;
                false
            },
        );
        if good { Ok(()) } else { Err(bad) }
    }

    /// `L⁻¹ Gᵀ`, row by row of `G`.
    fn respond(&mut self) {
        let x = &mut self.scratch;
        x.fill(0.0);
        for k in 0..self.jacobian.rows() {
            for (column, g) in self.jacobian.row(k) {
                x[self.masses.place(column)] = g;
            }
            for index in self.starts[k]..self.starts[k + 1] {
                let i = self.reached[index];
                self.masses.forward_from(i, x);
                self.responses[index] = std::mem::take(&mut x[i]);
            }
        }
    }

    /// From now on these rows are left out, as long as the others are independent.
    pub(super) fn hold(&mut self, redundant: &[usize]) {
        self.held.hold(redundant);
    }

    /// `S`, and its factors. Where another row than those held vanishes, one of these may be needed in its place: then none is held.
    fn couple(&mut self) {
        self.coupling.fill(0.0);
        let mut slots = self.slots.iter();
        for (place, sharing) in self.sharing.iter().enumerate() {
            let inverse = 1.0 / self.masses.pivot(place);
            for (k, &one) in sharing.iter().enumerate() {
                let scaled = self.responses[one] * inverse;
                for (&other, &slot) in sharing[..=k].iter().zip(slots.by_ref()) {
                    self.coupling[slot] += scaled * self.responses[other];
                }
            }
        }
        self.factor_coupling(true);
        if self.held.may_be_needed(&self.redundant) {
            self.factor_coupling(false);
        }
        self.find_idle();
    }

    fn factor_coupling(&mut self, holds: bool) {
        let (redundant, held) = (&mut self.redundant, &self.held);
        redundant.clear();
        let least = |row: usize| if holds && held.contains(row) { f64::INFINITY } else { REDUNDANT };
        self.multipliers.factor(&self.coupling, least, |row, _| {
            redundant.push(row);
            true
        });
    }

    /// For each redundant row the combination of rows that is zero, made orthogonal to those before it. If there are too many, the multipliers of
    /// redundant rows stay zero.
    fn find_idle(&mut self) {
        let (n, m) = (self.mass.rows(), self.jacobian.rows());
        let count = if self.shares_multipliers() { self.redundant.len() } else { 0 };
        self.idle.resize_with(count, || vec![0.0; m]);
        for (i, &row) in self.redundant[..count].iter().enumerate() {
            let (before, rest) = self.idle.split_at_mut(i);
            let idle = &mut rest[0];
            idle.fill(0.0);
            idle[row] = 1.0;
            // The other rows that make up this one: S λ = S e.
            self.carried.fill(0.0);
            self.jacobian.add_transposed(1.0, idle, &mut self.carried);
            self.masses.solve(&mut self.carried, &mut self.scratch[..n]);
            let others = &mut self.room[1];
            for (k, other) in others.iter_mut().enumerate() {
                *other = self.jacobian.row_times(k, &self.carried);
            }
            self.multipliers.solve(others, &mut self.scratch[..m]);
            idle.iter_mut().zip(&*others).for_each(|(idle, other)| *idle -= other);
            make_unit(idle, before);
        }
    }

    /// Replaces the right-hand sides by the solution: `force` by `a`, `level` by `λ`. Of redundant rows the level is not used.
    pub(super) fn solve(&mut self, force: &mut [f64], level: &mut [f64]) {
        solve_refined(self, force, level);
    }

    /// The least change in the metric of `M` that `G` takes to the level.
    pub(super) fn least_change(&mut self, level: &[f64], change: &mut [f64]) {
        let mut multipliers = std::mem::take(&mut self.unwanted);
        multipliers.copy_from_slice(level);
        change.fill(0.0);
        self.solve(change, &mut multipliers);
        self.unwanted = multipliers;
    }
}

impl Rough for SparseKkt {
    fn matrices(&self) -> [&Matrix; 3] {
        [&self.mass, &self.jacobian, &self.jacobian]
    }

    fn idle(&self) -> &[Vec<f64>] {
        &self.idle
    }

    fn room(&mut self) -> &mut [Vec<f64>; 2] {
        &mut self.room
    }

    fn solve_roughly(&mut self, force: &mut [f64], level: &mut [f64]) {
        let (n, m) = (force.len(), level.len());
        if self.weighted {
            self.jacobian.add_transposed(1.0, level, force);
        }
        self.masses.solve(force, &mut self.scratch[..n]);
        for (k, level) in level.iter_mut().enumerate() {
            *level = self.jacobian.row_times(k, force) - *level;
        }
        self.multipliers.solve(level, &mut self.scratch[..m]);
        self.carried.fill(0.0);
        self.jacobian.add_transposed(-1.0, level, &mut self.carried);
        self.masses.solve(&mut self.carried, &mut self.scratch[..n]);
        add(force, &self.carried);
    }
}

/// The places of `M`, or of `M + Gᵀ G`, and for each product of two entries of a row of `G` the number of its place.
pub(super) fn places_of_masses(mass: &Matrix, jacobian: &Matrix, weighted: bool) -> (Places, Vec<usize>) {
    let mut places: Places = mass.places().collect();
    let mut products = Vec::new();
    if weighted {
        let mut numbers = BTreeMap::new();
        for (number, &(i, j)) in places.iter().enumerate() {
            numbers.entry((i.max(j), i.min(j))).or_insert(number);
        }
        for row in 0..jacobian.rows() {
            for (k, &i) in jacobian.places_of(row).iter().enumerate() {
                for &j in &jacobian.places_of(row)[..=k] {
                    products.push(*numbers.entry((i, j)).or_insert_with(|| {
                        places.push((i, j));
                        places.len() - 1
                    }));
                }
            }
        }
    }
    (places, products)
}

/// For each constraint, the places at which `L⁻¹ Gᵀ` has entries, ascending: those of `G` and what is above them in the tree.
fn responses(jacobian: &Matrix, masses: &Elimination) -> (Vec<usize>, Vec<usize>) {
    let (mut starts, mut reached) = (vec![0], Vec::new());
    for row in 0..jacobian.rows() {
        let own = jacobian.places_of(row).iter().map(|&column| masses.place[column]);
        let all: BTreeSet<usize> = own.flat_map(|i| std::iter::once(i).chain(masses.above(i))).collect();
        reached.extend(all);
        starts.push(reached.len());
    }
    (starts, reached)
}

/// Which entries of the responses stand at each place, the number in `S` of each product of two of them, and the places of `S`.
fn coupling(n: usize, starts: &[usize], reached: &[usize]) -> (Vec<Vec<usize>>, Vec<usize>, Places) {
    let mut sharing = vec![Vec::new(); n];
    let mut owner = vec![0; reached.len()];
    for (k, pair) in starts.windows(2).enumerate() {
        for index in pair[0]..pair[1] {
            owner[index] = k;
            sharing[reached[index]].push(index);
        }
    }
    let (mut numbers, mut slots, mut places) = (BTreeMap::new(), Vec::new(), Vec::new());
    for list in &sharing {
        for (k, &one) in list.iter().enumerate() {
            for &other in &list[..=k] {
                let pair = (owner[one], owner[other]);
                slots.push(*numbers.entry(pair).or_insert_with(|| {
                    places.push(pair);
                    places.len() - 1
                }));
            }
        }
    }
    (sharing, slots, places)
}
