//! The combination on surfaces of which some depend on the others (`dependence.rs`): there are fewer
//! conditions than weights.
//!
//! Of the combinations the one of least norm is taken. The motion stays as long as there is any; where there
//! is none, all ways to go on have to be looked at anew, because none of the surfaces can be left alone.

use super::FilippovCombination;
use crate::math::dot;

/// How large a rate may remain, as a part of the largest one.
const LEFT: f64 = 1e-9;
/// How far beyond 0 and 1 weights may be by rounding.
const ROUNDED: f64 = 1e-12;

impl FilippovCombination {
    /// Whether some of the surfaces depend on the others.
    pub fn is_dependent(&self) -> bool {
        self.is_dependent
    }

    /// Whether a motion that stays on the surfaces whose weights are not fixed cannot leave this one.
    pub fn is_bound(&mut self, surface: usize, fixed: &[Option<f64>]) -> bool {
        if !self.is_dependent {
            return false;
        }
        let mut rank = |more: usize| self.dependence.rank(|i| i == more || fixed[i].is_none());
        let any_free = (0..fixed.len()).find(|&i| fixed[i].is_none());
        any_free.is_some_and(|free| rank(free) == rank(surface))
    }

    /// Finds the weights of least norm with which all surfaces stay zero whose weights are not fixed. False
    /// if there are none.
    pub(super) fn find_dependent_weights(&mut self, fixed: &[Option<f64>]) -> bool {
        let found = if self.is_affine { self.find_least_weights(fixed) } else { self.find_least_norm(fixed) };
        found && (0..fixed.len()).all(|i| fixed[i].is_some() || self.stays_zero(i))
    }

    /// Whether the rate of a surface along the combination is zero: a surface that depends on others can be
    /// carried away from them by its own rate in time.
    fn stays_zero(&self, surface: usize) -> bool {
        let most = LEFT * self.rates.largest(surface) + self.rates.rounding[surface];
        self.combined_rate(surface).abs() <= most
    }

    /// Tells of all surfaces at once whether the motion can stay.
    pub(super) fn find_common_exit(&mut self, found: bool) {
        let stays = found && self.is_convex();
        self.exits.fill(if stays { 0.5 } else { -0.5 });
    }

    /// Where each sign stands in a term of its own: the weights nearest to one half. Those that would be
    /// beyond 0 or 1 stay there, one after the other.
    fn find_least_weights(&mut self, fixed: &[Option<f64>]) -> bool {
        let mut held = fixed.to_vec();
        loop {
            for (weight, held) in self.weights.iter_mut().zip(&held) {
                *weight = held.unwrap_or(0.5);
            }
            let solved = self.step_least(fixed, &held);
            let far = |i: usize| (self.weights[i] - 0.5).abs();
            let beyond = |i: &usize| held[*i].is_none() && far(*i) > 0.5 + ROUNDED;
            let farthest = (0..held.len()).filter(beyond).max_by(|&a, &b| far(a).total_cmp(&far(b)));
            match farthest {
                Some(i) if solved => held[i] = Some(if self.weights[i] > 0.5 { 1.0 } else { 0.0 }),
                _ => break self.keep_between(solved),
            }
        }
    }

    /// Takes off what rounding has left beyond 0 and 1.
    fn keep_between(&mut self, solved: bool) -> bool {
        self.weights.iter_mut().for_each(|weight| *weight = weight.clamp(0.0, 1.0));
        self.find_shares();
        solved
    }

    /// The least change of the weights that are not held with which all rates become zero that are asked for.
    fn step_least(&mut self, fixed: &[Option<f64>], held: &[Option<f64>]) -> bool {
        let k = fixed.len();
        self.find_shares();
        self.dependence.find(|i| fixed[i].is_none());
        let pushes: Vec<f64> =
            (0..k * k).map(|e| if held[e % k].is_some() { 0.0 } else { self.push(e / k, e % k) }).collect();
        let row = |i: usize| &pushes[i * k..(i + 1) * k];
        for i in 0..k {
            let leads = self.dependence.leads[i];
            for j in 0..k {
                let identity = if i == j { 1.0 } else { 0.0 };
                let counts = leads && self.dependence.leads[j];
                self.matrix.entries_mut()[i * k + j] = if counts { dot(row(i), row(j)) } else { identity };
            }
            self.step[i] = if leads { self.combined_rate(i) } else { 0.0 };
        }
        if self.matrix.factor().is_err() {
            return false;
        }
        self.matrix.solve(&mut self.step);
        for (e, push) in pushes.iter().enumerate() {
            self.weights[e % k] -= push * self.step[e / k];
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::SurfaceSides;
    use super::super::dependence::Dependence;
    use super::*;

    /// Two blocks, each held by a sign of its own, and the velocity of the one against the other.
    fn blocks(push: f64) -> FilippovCombination {
        let sides = SurfaceSides::of(3);
        let sign = |i: usize, b: usize| sides.sign(b, i);
        let first = |b: usize| push - sign(0, b) - 0.5 * sign(2, b);
        let second = |b: usize| -sign(1, b) + 0.5 * sign(2, b);
        let all = [0, 1, 2, 3, 4, 5, 6, 7];
        let rates = [all.map(first), all.map(second), all.map(|b| first(b) - second(b))];
        let mut blocks = FilippovCombination::of_rates(&rates.each_ref().map(|row| &row[..]), true);
        blocks.dependence = Dependence::new(3, 2);
        for (i, gradient) in [[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]].iter().enumerate() {
            blocks.dependence.set(i, gradient, 0.0);
        }
        blocks.is_dependent = blocks.dependence.find(|_| true) > 0;
        blocks
    }

    #[test]
    fn dependent_surfaces_are_kept_or_left_together() {
        let mut stays = blocks(1.2);
        stays.find_free_weights();
        assert!(stays.is_dependent() && stays.exits() == [0.5; 3]);
        assert!((0..3).all(|i| stays.combined_rate(i).abs() < 1e-14));
        assert!(
            stays.is_bound(2, &[None, None, Some(1.0)]) && !stays.is_bound(2, &[None, Some(0.0), Some(1.0)])
        );
        let mut leaves = blocks(2.5);
        leaves.find_free_weights();
        assert_eq!(leaves.exits(), [-0.5; 3]);
    }
}
