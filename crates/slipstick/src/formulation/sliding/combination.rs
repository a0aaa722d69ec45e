//! Which Filippov combination of the fields that meet at surfaces is taken, among those in which all surfaces
//! stay zero.
//!
//! - On one surface there is one: equations (4) and (5) of paper 002.
//! - On two it is the bilinear one of Alexander and Seidman (SIAM J. Numer. Anal. 36, 1999): the share of a
//!   field is the product of the weights of its sides. On a side of one of the surfaces it becomes the one on
//!   the other, so it ends where a first-order exit condition holds.
//! - On three and more, up to [`MOST_SURFACES`](super::MOST_SURFACES), it is the convex combination whose
//!   shares have the least norm (`math/convex.rs`), and so it is on two where the rates of one do not depend
//!   on the side, as with a position and its velocity.
//! - On more, where each sign stands in a term of its own, the signs tell everything and there is one.
//! - On surfaces that depend on each other it is the one of least norm too (`dependent.rs`).
//!
//! Where each sign stands in a term of its own (the fields are affine in the signs), all of these are the
//! same field, and the product of weights is what costs least.

use super::dependence::Dependence;
use super::local::LocalSurfaces;
use super::{MOST_SURFACES, SideFields, SideRates, SurfaceSides};
use crate::math::{LeastNorm, RealLu};

/// Up to this many surfaces have the bilinear combination, and are independent.
const BILINEAR: usize = 2;
/// Rounds of Newton's method.
const MOST_ROUNDS: usize = 20;
/// Newton's method has ended where it changes weights by no more than this, and has failed if it ends above
/// the second: with many surfaces rounding may not let changes become smaller.
const NO_CHANGE: f64 = 1e-14;
const SMALL_CHANGE: f64 = 1e-10;
/// Weights beyond this have gone anywhere, far from the surfaces. Newton's method does not begin with them.
const FAR: f64 = 3.0;
/// Rates below this part of the others, and weights below this, are those of a field that runs along the
/// surface.
const TANGENT: f64 = 1e-9;

/// The convex combination of the fields on all sides that stays on the surfaces.
#[derive(Clone, Debug)]
pub struct FilippovCombination {
    pub(super) sides: SurfaceSides,
    /// The rates of the surfaces along the fields that are combined.
    pub rates: SideRates,
    /// Whether each sign stands in a term of its own, as far as the fields tell; not asked on few surfaces.
    pub(super) is_affine: bool,
    /// Which surfaces are independent, and whether some are not.
    pub(super) dependence: Dependence,
    pub(super) is_dependent: bool,
    /// The share of each field, and the weight of the positive side of each surface: the sum of the shares
    /// there.
    pub(super) shares: Vec<f64>,
    pub(super) weights: Vec<f64>,
    /// The weights by which it is told where the motion leaves a surface.
    pub(super) exits: Vec<f64>,
    /// Shares and weights that are kept while exits are found.
    kept: (Vec<f64>, Vec<f64>),
    pub(super) matrix: RealLu,
    pub(super) step: Vec<f64>,
    least_norm: LeastNorm,
    /// No weight is fixed.
    free: Vec<Option<f64>>,
}

impl FilippovCombination {
    /// Room for the combination on these sides of surfaces of `n` states, as new.
    pub(super) fn new(sides: SurfaceSides, n: usize) -> Self {
        let (k, count) = (sides.surfaces(), sides.count());
        let mut combination = Self {
            sides,
            rates: SideRates::new(sides),
            is_affine: false,
            dependence: Dependence::new(k, n),
            is_dependent: false,
            shares: vec![0.0; count],
            weights: vec![0.0; k],
            exits: vec![0.0; k],
            kept: (vec![0.0; count], vec![0.0; k]),
            matrix: RealLu::new(k),
            step: vec![0.0; k],
            least_norm: LeastNorm::new(k, if k > MOST_SURFACES { 0 } else { count }),
            free: vec![None; k],
        };
        combination.renew();
        combination
    }

    /// Becomes as new: equal weights.
    pub(super) fn renew(&mut self) {
        (self.is_affine, self.is_dependent) = (false, false);
        self.dependence.renew();
        self.weights.fill(0.5);
        self.exits.fill(0.5);
        self.find_shares();
    }

    /// The combination of fields along which independent surfaces have these rates, one row for each surface.
    /// `is_affine` if each sign stands in a term of its own.
    pub fn of_rates(rates: &[&[f64]], is_affine: bool) -> Self {
        let mut combination = Self::new(SurfaceSides::of(rates.len()), 0);
        for (i, row) in rates.iter().enumerate() {
            combination.rates.of_mut(i).copy_from_slice(row);
        }
        combination.is_affine = is_affine;
        combination
    }

    /// The rates are those around this point, of these fields.
    pub(super) fn begin(&mut self, local: &LocalSurfaces, fields: &SideFields) {
        let k = self.sides.surfaces();
        if k > BILINEAR {
            self.is_affine = fields.are_affine();
            (0..k).for_each(|i| self.dependence.set(i, local.gradient(i), local.time_rates[i]));
            self.is_dependent = self.dependence.find(|_| true) > 0;
        }
    }

    /// The sides of the surfaces.
    pub fn sides(&self) -> SurfaceSides {
        self.sides
    }

    /// The weight of the positive side of each surface.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The share of the field of each side.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// What tells where the motion leaves: outside of 0 to 1 it goes to the negative or positive side of a
    /// surface. On one and two surfaces these are the weights.
    pub fn exits(&self) -> &[f64] {
        &self.exits
    }

    /// The exits, with how far rounding can have moved each.
    pub(in crate::formulation) fn exits_with_bands(&self) -> (&[f64], impl Iterator<Item = f64>) {
        (&self.exits, (0..self.exits.len()).map(|surface| self.rates.band_of_weight(surface)))
    }

    /// Finds the weights with which all surfaces stay zero, and the exits.
    pub fn find_free_weights(&mut self) {
        let mut free = std::mem::take(&mut self.free);
        let found = self.find_weights(&free);
        self.exits.copy_from_slice(&self.weights);
        if self.is_dependent {
            self.find_common_exit(found);
        } else if self.weights.len() > BILINEAR && !self.is_affine {
            self.find_exits(&mut free);
        }
        self.free = free;
    }

    /// Finds where a motion on three and more surfaces leaves one of them: where the combination along the
    /// others, on one of its sides, no longer drives it back (the first-order exit conditions). So it leaves
    /// where it would not come back, and leaves nothing that it would come back to.
    fn find_exits(&mut self, free: &mut [Option<f64>]) {
        self.kept.0.copy_from_slice(&self.shares);
        self.kept.1.copy_from_slice(&self.weights);
        for i in 0..self.weights.len() {
            let (up, down) = (self.drive_back(i, 1.0, free), self.drive_back(i, -1.0, free));
            let both = up.abs() + down.abs() + f64::MIN_POSITIVE;
            self.exits[i] = if up > 0.0 { down / both } else { 1.0 - up / both };
        }
        self.shares.copy_from_slice(&self.kept.0);
        self.weights.copy_from_slice(&self.kept.1);
        if !self.is_convex() {
            self.leave_nearest();
        }
    }

    /// How fast the combination along all others, on one side of a surface, drives the motion back to it.
    /// Where there is no such combination, none leads away.
    fn drive_back(&mut self, surface: usize, side: f64, free: &mut [Option<f64>]) -> f64 {
        self.weights.copy_from_slice(&self.kept.1);
        free[surface] = Some(if side > 0.0 { 1.0 } else { 0.0 });
        let found = self.find_weights(free) && self.is_convex();
        free[surface] = None;
        let rate = -side * self.combined_rate(surface);
        if found { rate } else { rate.abs().max(self.rates.rounding[surface]) }
    }

    /// Where no combination stays on all surfaces any more, the one is left that is nearest to it.
    fn leave_nearest(&mut self) {
        let least = self.shares.iter().copied().fold(0.0, f64::min);
        let edge = |w: f64| w.min(1.0 - w);
        let nearest = self.exits.iter_mut().min_by(|a, b| edge(**a).total_cmp(&edge(**b)));
        if let Some(exit) = nearest.filter(|exit| (0.0..=1.0).contains(*exit)) {
            *exit = if *exit > 0.5 { 1.0 - least } else { least };
        }
    }

    /// Finds the weights with which all surfaces stay zero; some weights can be fixed. False if there are
    /// none, or if the rates of a surface that is not fixed do not depend on the side at all: then they do
    /// not tell where the motion goes.
    pub fn find_weights(&mut self, fixed: &[Option<f64>]) -> bool {
        if fixed == [None] {
            let found = self.find_only_weight();
            self.find_shares();
            return found;
        }
        for (weight, fixed) in self.weights.iter_mut().zip(fixed) {
            let old = if weight.abs() < FAR { *weight } else { 0.5 };
            *weight = fixed.unwrap_or(old);
        }
        if self.is_dependent && self.dependence.find(|i| fixed[i].is_none()) > 0 {
            return self.find_dependent_weights(fixed);
        }
        let free = fixed.iter().filter(|fixed| fixed.is_none()).count();
        let is_idle = |i: usize| fixed[i].is_none() && self.rates.is_idle(i);
        let idle = free > 1 && !self.sides.add_up() && (0..fixed.len()).any(is_idle);
        if (free > BILINEAR && !self.is_affine) || idle {
            return self.find_least_norm(fixed) && !idle;
        }
        let found = free == 0 || self.iterate_weights(fixed);
        self.find_shares();
        found
    }

    /// Whether, with some weights fixed, the motion runs along a surface that it leaves, or has all weight on
    /// one side of a surface that it stays on.
    pub fn is_tangent(&mut self, fixed: &[Option<f64>]) -> bool {
        self.find_weights(fixed);
        fixed.iter().enumerate().any(|(i, fixed)| match fixed {
            Some(_) => self.combined_rate(i).abs() <= TANGENT * self.rates.largest(i),
            None => self.weights[i].min(1.0 - self.weights[i]) <= TANGENT,
        })
    }

    /// Whether the combination is a convex one.
    pub fn is_convex(&self) -> bool {
        self.sides.add_up() || LeastNorm::is_convex(&self.shares)
    }

    /// The weight on a single surface.
    fn find_only_weight(&mut self) -> bool {
        let (below, above) = (self.rates.rate(0, 0), self.rates.rate(0, 1));
        let weight = below / (below - above);
        if weight.is_finite() {
            self.weights[0] = weight;
            return true;
        }
        // Both fields are the same and no combination keeps the motion on the surface: it leaves, unless both
        // run along it.
        self.weights[0] = 0.5 + if below == 0.0 { 0.0 } else { below.signum() };
        false
    }

    /// Newton's method for the weights, from where they were.
    fn iterate_weights(&mut self, fixed: &[Option<f64>]) -> bool {
        let mut last = f64::INFINITY;
        for _ in 0..MOST_ROUNDS {
            match self.improve_weights(fixed) {
                Some(change) if change > NO_CHANGE && change < last => last = change,
                Some(change) => return change <= SMALL_CHANGE,
                None => return false,
            }
        }
        last <= SMALL_CHANGE
    }

    /// One step of Newton's method for the weights that are not fixed. Gives the largest change, or none if
    /// it is not possible.
    fn improve_weights(&mut self, fixed: &[Option<f64>]) -> Option<f64> {
        let k = fixed.len();
        for (i, fixed) in fixed.iter().enumerate() {
            for j in 0..k {
                let identity = if i == j { 1.0 } else { 0.0 };
                let entry = if fixed.is_some() { identity } else { self.weighted(i, Some(j)) };
                self.matrix.entries_mut()[i * k + j] = entry;
            }
            self.step[i] = if fixed.is_some() { 0.0 } else { self.weighted(i, None) };
        }
        self.matrix.factor().ok()?;
        self.matrix.solve(&mut self.step);
        let mut largest = 0.0_f64;
        for (weight, step) in self.weights.iter_mut().zip(&self.step) {
            *weight -= step;
            largest = largest.max(step.abs());
        }
        Some(largest)
    }

    /// The convex combination of least norm, of the fields on the sides that are fixed.
    pub(super) fn find_least_norm(&mut self, fixed: &[Option<f64>]) -> bool {
        if self.is_dependent {
            self.dependence.find(|i| fixed[i].is_none());
        }
        let (rates, dependence) = (&self.rates, &self.dependence);
        let counts = |i: usize| fixed[i].is_none() && (!self.is_dependent || dependence.leads[i]);
        let row = |i: usize| counts(i).then(|| (rates.of(i), rates.rounding[i]));
        let on_side = |b: usize, i: usize| fixed[i].is_none_or(|weight| (b >> i & 1 == 1) == (weight > 0.5));
        let uses = |b: usize| (0..fixed.len()).all(|i| on_side(b, i));
        let found = self.least_norm.solve(row, uses, &mut self.shares);
        for i in 0..fixed.len() {
            let positive = (0..self.shares.len()).filter(|b| b >> i & 1 == 1);
            self.weights[i] = positive.map(|b| self.shares[b]).sum();
        }
        found
    }

    /// Whether there is a convex combination that stays on all surfaces, those included whose rates do not
    /// depend on the side.
    pub fn can_stay_on_all(&mut self) -> bool {
        let free = std::mem::take(&mut self.free);
        let found = !self.sides.add_up() && self.find_least_norm(&free);
        self.free = free;
        found && self.is_convex()
    }

    /// The shares that follow from the weights.
    pub(super) fn find_shares(&mut self) {
        for (b, share) in self.shares.iter_mut().enumerate() {
            *share = self.sides.share(&self.weights, b, None);
        }
    }

    /// The rate of a surface along the combination.
    pub fn combined_rate(&self, surface: usize) -> f64 {
        self.rates.combined(surface, &self.shares)
    }

    /// How the rate of a surface changes with the weight of another, or with its own, with all others as they
    /// are.
    pub fn push(&self, surface: usize, other: usize) -> f64 {
        self.weighted(surface, Some(other))
    }

    /// The rate of a surface by the products of weights; with a weight left out, its derivative by that
    /// weight.
    fn weighted(&self, surface: usize, left_out: Option<usize>) -> f64 {
        let share = |b: usize| self.sides.share(&self.weights, b, left_out);
        self.rates.of(surface).iter().enumerate().map(|(b, rate)| share(b) * rate).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_one_surface_it_is_that_of_filippov() {
        let mut one = FilippovCombination::of_rates(&[&[1.5, -0.5]], true);
        one.find_free_weights();
        assert_eq!((one.weights(), one.exits(), one.shares()), (&[0.75][..], &[0.75][..], &[0.25, 0.75][..]));
        assert!(one.is_convex() && one.combined_rate(0) == 0.0);
        let mut same = FilippovCombination::of_rates(&[&[2.0, 2.0]], true);
        assert!(!same.find_weights(&[None]), "both fields lead to the positive side");
        assert_eq!(same.weights(), [1.5]);
    }

    #[test]
    fn on_two_surfaces_shares_are_products_of_weights() {
        // Rates 0.2 - a + 0.1 b and -0.4 - b + 0.2 a b of signs a and b.
        let (mut first, mut second) = ([0.0; 4], [0.0; 4]);
        for side in 0..4 {
            let (a, b) = (SurfaceSides::of(2).sign(side, 0), SurfaceSides::of(2).sign(side, 1));
            (first[side], second[side]) = (0.2 - a + 0.1 * b, -0.4 - b + 0.2 * a * b);
        }
        let mut two = FilippovCombination::of_rates(&[&first, &second], false);
        two.find_free_weights();
        let [w, v] = [two.weights()[0], two.weights()[1]];
        assert!(two.combined_rate(0).abs() < 1e-15 && two.combined_rate(1).abs() < 1e-15);
        assert!((two.shares()[3] - w * v).abs() < 1e-15 && two.is_convex());
        assert!(two.find_weights(&[Some(1.0), None]) && two.weights()[0] == 1.0);
        assert!(two.combined_rate(1).abs() < 1e-15 && two.combined_rate(0) < 0.0, "it comes back");
    }

    #[test]
    fn on_three_surfaces_it_has_the_least_norm_and_leaves_where_nothing_drives_back() {
        // Every surface is driven back by its own sign, and the first one by less than it is pushed.
        let rates = |push: f64| {
            let rate = |i: usize, b: usize| if i == 0 { push } else { 0.0 } - SurfaceSides::of(3).sign(b, i);
            [0, 1, 2].map(|i| [0, 1, 2, 3, 4, 5, 6, 7].map(|b| rate(i, b)))
        };
        let find = |push: f64| {
            let rates = rates(push);
            let mut three = FilippovCombination::of_rates(&rates.each_ref().map(|row| &row[..]), false);
            three.find_free_weights();
            three
        };
        let inside = find(0.5);
        assert!((inside.weights()[0] - 0.75).abs() < 1e-9 && (inside.weights()[1] - 0.5).abs() < 1e-9);
        assert!(inside.exits().iter().all(|exit| (0.0..=1.0).contains(exit)));
        let outside = find(1.5);
        assert!(outside.exits()[0] > 1.0 && !outside.is_convex(), "{:?}", outside.exits());
    }

    #[test]
    fn rates_that_do_not_depend_on_the_side_tell_nothing() {
        let mut two = FilippovCombination::of_rates(&[&[0.0; 4], &[1.0, 1.0, -1.0, -1.0]], true);
        assert!(!two.find_weights(&[None, None]) && two.can_stay_on_all());
        assert!(two.is_tangent(&[Some(1.0), None]));
    }
}
