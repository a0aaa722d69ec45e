//! Which mixture of the fields that meet at surfaces is taken, among those in which all surfaces stay zero.
//!
//! - On one surface there is one: equations (4) and (5) of paper 002.
//! - On two it is the bilinear one of Alexander and Seidman (SIAM J. Numer. Anal. 36, 1999): the share of a field is the product of the weights of
//!   its sides. On a side of one of the surfaces it becomes the one on the other, so it ends where a first-order exit condition holds.
//! - On three and more, up to [`MOST_SURFACES`](super::MOST_SURFACES), it is the convex combination whose shares have the least norm
//!   (`math/convex.rs`), and so it is on two where the rates of one do not depend on the side, as with a position and its speed.
//! - On more, where each sign stands in a term of its own, the signs tell everything and there is one.
//! - On surfaces that depend on each other it is the one of least norm too (`dependent_weights.rs`).
//!
//! Where each sign stands in a term of its own (the fields are affine in the signs), all of these are the same field, and the product of weights is
//! what costs least.

use super::Sliding;
use super::sliding::MOST_ROUNDS;
use crate::math::LeastNorm;

/// So many surfaces that are slid on at once have the bilinear mixture.
const BILINEAR: usize = 2;
/// How far a field may be from the sum of its terms.
const AFFINE: f64 = 1e-12;
/// Rates below this part of the others, and weights below this, are those of a field that runs along the surface.
const TANGENT: f64 = 1e-9;
/// How far fields may be from what the rates tell of them, where only one mixture stays on the surfaces.
const SAME_FIELD: f64 = 1e-9;

impl Sliding {
    /// Finds the weights with which all surfaces stay zero; the fields must have been evaluated.
    pub fn find_free_weights(&mut self) {
        let mut free = std::mem::take(&mut self.free);
        let found = self.find_weights(&free);
        self.exits.copy_from_slice(&self.weights);
        if self.dependent {
            self.find_common_exit(found);
        } else if self.surfaces.len() > BILINEAR && !self.affine {
            self.find_exits(&mut free);
        }
        self.free = free;
    }

    /// Finds where a motion on three and more surfaces leaves one of them: where the mixture along the others, on one of its sides, no longer
    /// drives it back (the first-order exit conditions). So it leaves where it would not come back, and leaves nothing that it would come back to.
    fn find_exits(&mut self, free: &mut [Option<f64>]) {
        self.kept.0.copy_from_slice(&self.shares);
        self.kept.1.copy_from_slice(&self.weights);
        for i in 0..self.surfaces.len() {
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

    /// How fast the mixture along all others, on one side of a surface, drives the motion back to it. Where there is no such mixture, none leads away.
    fn drive_back(&mut self, surface: usize, side: f64, free: &mut [Option<f64>]) -> f64 {
        self.weights.copy_from_slice(&self.kept.1);
        free[surface] = Some(if side > 0.0 { 1.0 } else { 0.0 });
        let found = self.find_weights(free) && self.is_convex();
        free[surface] = None;
        let rate = -side * self.weighted_rate(surface);
        if found { rate } else { rate.abs().max(self.noise[surface]) }
    }

    /// Where no mixture stays on all surfaces any more, the one is left that is nearest to it.
    fn leave_nearest(&mut self) {
        let least = self.shares.iter().copied().fold(0.0, f64::min);
        let edge = |w: f64| w.min(1.0 - w);
        let nearest = self.exits.iter_mut().min_by(|a, b| edge(**a).total_cmp(&edge(**b)));
        if let Some(exit) = nearest.filter(|exit| (0.0..=1.0).contains(*exit)) {
            *exit = if *exit > 0.5 { 1.0 - least } else { least };
        }
    }

    /// Finds the weights with which all surfaces stay zero; some weights can be fixed. False if there are none, or if the rates of a surface that is
    /// not fixed do not depend on the side at all: then they do not tell where the motion goes.
    pub fn find_weights(&mut self, fixed: &[Option<f64>]) -> bool {
        for (weight, fixed) in self.weights.iter_mut().zip(fixed) {
            // Far from the surfaces they can have gone anywhere.
            let old = if weight.abs() < 3.0 { *weight } else { 0.5 };
            *weight = fixed.unwrap_or(old);
        }
        if self.dependent && self.find_leads(|i| fixed[i].is_none(), 1.0) > 0 {
            return self.find_dependent_weights(fixed);
        }
        let free = fixed.iter().filter(|fixed| fixed.is_none()).count();
        let idle =
            free > 1 && !self.adds_up() && (0..fixed.len()).any(|i| fixed[i].is_none() && self.is_idle(i));
        if (free > BILINEAR && !self.affine) || idle {
            return self.find_least_norm(fixed) && !idle;
        }
        let found = if self.surfaces.len() == 1 && free == 1 {
            self.find_only_weight()
        } else {
            self.iterate_weights(fixed)
        };
        self.find_shares();
        found
    }

    /// Whether, with some weights fixed, the motion runs along a surface that it leaves, or has all weight on one side of a surface that it stays on.
    pub fn is_tangent(&mut self, fixed: &[Option<f64>]) -> bool {
        self.find_weights(fixed);
        let sides = self.sides();
        let largest = |i: usize| {
            let rates = &self.rates[i * sides..(i + 1) * sides];
            rates.iter().fold(0.0_f64, |a, b| a.max(b.abs()))
        };
        fixed.iter().enumerate().any(|(i, fixed)| match fixed {
            Some(_) => self.weighted_rate(i).abs() <= TANGENT * largest(i),
            None => self.weights[i].min(1.0 - self.weights[i]) <= TANGENT,
        })
    }

    /// Whether the mixture is a convex one.
    pub fn is_convex(&self) -> bool {
        self.adds_up() || LeastNorm::is_convex(&self.shares)
    }

    /// Whether each sign stands in a term of its own: then the weights tell everything, and the product of weights does as well as any other mixture.
    pub(super) fn is_affine(&self) -> bool {
        if self.adds_up() {
            return true;
        }
        let n = self.point.len();
        let field = |b: usize| &self.fields[b * n..(b + 1) * n];
        let largest = self.fields.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        (0..self.sides()).all(|b| {
            // The field without the first of the signs, and the change that this one makes alone.
            let first = b & b.wrapping_neg();
            let (all, less, one, none) = (field(b), field(b ^ first), field(first), field(0));
            (0..n).all(|j| {
                let size = all[j].abs() + less[j].abs() + one[j].abs() + none[j].abs();
                (all[j] - less[j] - one[j] + none[j]).abs() <= AFFINE * size + 0.01 * AFFINE * largest
            })
        })
    }

    /// Where the mixture of all fields in equal parts takes a state in a time `h`.
    pub fn go_between(&self, h: f64, y: &mut [f64]) {
        let part = h / self.sides() as f64;
        for field in self.fields.chunks_exact(self.n) {
            y.iter_mut().zip(field).for_each(|(y, f)| *y += part * f);
        }
    }

    /// Whether the rates of a surface do not depend on the side.
    pub fn is_idle(&self, surface: usize) -> bool {
        let sides = self.sides();
        let rates = &self.rates[surface * sides..(surface + 1) * sides];
        let (least, most) =
            rates.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &r| (a.min(r), b.max(r)));
        most - least <= self.noise[surface]
    }

    /// The weight on a single surface.
    fn find_only_weight(&mut self) -> bool {
        let weight = self.rates[0] / (self.rates[0] - self.rates[1]);
        if weight.is_finite() {
            self.weights[0] = weight;
            return true;
        }
        // Both fields are the same and no mixture keeps the motion on the surface: it leaves, unless both run along it.
        self.weights[0] = 0.5 + if self.rates[0] == 0.0 { 0.0 } else { self.rates[0].signum() };
        false
    }

    /// Newton's method for the weights, from where they were.
    fn iterate_weights(&mut self, fixed: &[Option<f64>]) -> bool {
        let mut last = f64::INFINITY;
        for _ in 0..MOST_ROUNDS {
            match self.improve_weights(fixed) {
                Some(change) if change > 1e-14 && change < last => last = change,
                // With many surfaces rounding may not let it become smaller.
                Some(change) => return change <= 1e-10,
                None => return false,
            }
        }
        last <= 1e-10
    }

    /// One step of Newton's method for the weights that are not fixed. Gives the largest change, or none if it is not possible.
    fn improve_weights(&mut self, fixed: &[Option<f64>]) -> Option<f64> {
        let k = self.surfaces.len();
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
        let sides = self.sides();
        if self.dependent {
            self.find_leads(|i| fixed[i].is_none(), 1.0);
        }
        let (rates, noise, dependence) = (&self.rates, &self.noise, &self.dependence);
        let counts = |i: usize| fixed[i].is_none() && (!self.dependent || dependence.leads[i]);
        let row = |i: usize| counts(i).then(|| (&rates[i * sides..(i + 1) * sides], noise[i]));
        let on_side = |b: usize, i: usize| fixed[i].is_none_or(|weight| (b >> i & 1 == 1) == (weight > 0.5));
        let uses = |b: usize| (0..fixed.len()).all(|i| on_side(b, i));
        let found = self.least_norm.solve(row, uses, &mut self.shares);
        for i in 0..self.surfaces.len() {
            let positive = (0..sides).filter(|b| b >> i & 1 == 1);
            self.weights[i] = positive.map(|b| self.shares[b]).sum();
        }
        found
    }

    /// Whether there is a convex mixture that stays on all surfaces, those included whose rates do not depend on the side.
    pub fn can_stay_on_all(&mut self) -> bool {
        let free = std::mem::take(&mut self.free);
        let found = !self.adds_up() && self.find_least_norm(&free);
        self.free = free;
        found && self.is_convex()
    }

    /// The rate of a surface along the field of one side.
    pub fn rate(&self, surface: usize, side: usize) -> f64 {
        self.rates[surface * self.sides() + side]
    }

    /// Whether no other mixture of the fields that have a share stays on the surfaces whose weights are not fixed: the fields then depend on the
    /// side in no other way than the rates of these surfaces do.
    pub fn has_only_mixture(&mut self, fixed: &[Option<f64>]) -> bool {
        self.find_weights(fixed);
        let sides = self.sides();
        let used: Vec<usize> = (0..sides).filter(|&b| self.shares[b] > SAME_FIELD).collect();
        let mut known: Vec<Vec<f64>> = vec![vec![1.0; used.len()]];
        let free = (0..fixed.len()).filter(|&i| fixed[i].is_none());
        known.extend(free.map(|i| used.iter().map(|&b| self.rate(i, b)).collect()));
        let basis = orthogonal(known);
        let n = self.point.len();
        let largest = self.fields.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        (0..n).all(|j| {
            let mut entries: Vec<f64> = used.iter().map(|&b| self.fields[b * n + j]).collect();
            let size = entries.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
            take_off(&mut entries, &basis);
            entries.iter().all(|rest| rest.abs() <= SAME_FIELD * size + 1e-12 * largest)
        })
    }

    /// The shares that follow from the weights.
    pub(super) fn find_shares(&mut self) {
        for b in 0..self.sides() {
            self.shares[b] = self.share(b, None);
        }
    }

    /// The share of the field of a side by the weights; with a weight left out, its derivative by that weight.
    fn share(&self, side: usize, left_out: Option<usize>) -> f64 {
        if !self.adds_up() {
            return share(&self.weights, side, left_out);
        }
        match (side.checked_sub(1), left_out) {
            (None, None) => 1.0 - self.weights.iter().sum::<f64>(),
            (None, Some(_)) => -1.0,
            (Some(i), None) => self.weights[i],
            (Some(i), Some(j)) => f64::from(u8::from(i == j)),
        }
    }

    /// The rate of a surface along the mixture.
    pub fn weighted_rate(&self, surface: usize) -> f64 {
        let sides = self.sides();
        let rates = &self.rates[surface * sides..(surface + 1) * sides];
        rates.iter().zip(&self.shares).map(|(rate, share)| share * rate).sum()
    }

    /// How the rate of a surface changes from its negative to its positive side, with the weights of the others as they are.
    pub fn own_push(&self, surface: usize) -> f64 {
        self.weighted(surface, Some(surface))
    }

    /// How the rate of a surface changes with the weight of another, with all others as they are.
    pub(super) fn push(&self, surface: usize, other: usize) -> f64 {
        self.weighted(surface, Some(other))
    }

    fn weighted(&self, surface: usize, left_out: Option<usize>) -> f64 {
        let sides = self.sides();
        let rates = &self.rates[surface * sides..(surface + 1) * sides];
        rates.iter().enumerate().map(|(b, rate)| self.share(b, left_out) * rate).sum()
    }
}

/// The share of the field with the given signs; with a factor left out, its derivative by that weight.
fn share(weights: &[f64], signs: usize, left_out: Option<usize>) -> f64 {
    let factor = |(i, w): (usize, &f64)| match (signs >> i & 1 == 1, left_out == Some(i)) {
        (true, true) => 1.0,
        (false, true) => -1.0,
        (true, false) => *w,
        (false, false) => 1.0 - w,
    };
    weights.iter().enumerate().map(factor).product()
}

/// Unit vectors that span the same as the given ones.
fn orthogonal(vectors: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for mut vector in vectors {
        let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let before = norm(&vector);
        // Twice, for rounding.
        take_off(&mut vector, &basis);
        take_off(&mut vector, &basis);
        let size = norm(&vector);
        if size > 1e-12 * before {
            for x in &mut vector {
                *x /= size;
            }
            basis.push(vector);
        }
    }
    basis
}

/// Takes off from a vector what lies along others.
fn take_off(vector: &mut [f64], basis: &[Vec<f64>]) {
    for unit in basis {
        let along: f64 = unit.iter().zip(&*vector).map(|(a, b)| a * b).sum();
        vector.iter_mut().zip(unit).for_each(|(x, u)| *x -= along * u);
    }
}
