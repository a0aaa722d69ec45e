//! The mixture on surfaces of which some depend on the others (`dependence.rs`): there are fewer conditions than weights.
//!
//! Of the mixtures the one of least norm is taken. The motion stays as long as there is any; where there is none, all ways to go on have to be looked
//! at anew, because none of the surfaces can be left alone.

use super::Sliding;

/// How large what is left of a rate may be, as a part of the largest one.
const LEFT: f64 = 1e-9;
/// How far beyond 0 and 1 weights may be by rounding.
const ROUNDED: f64 = 1e-12;

impl Sliding {
    /// Whether some of the surfaces depend on the others, where the fields were last evaluated.
    pub fn is_dependent(&self) -> bool {
        self.dependent
    }

    /// Whether a motion that stays on the surfaces whose weights are not fixed cannot leave this one.
    pub fn is_bound(&mut self, surface: usize, fixed: &[Option<f64>]) -> bool {
        if !self.dependent {
            return false;
        }
        let rank = |sliding: &mut Self, more: usize| {
            sliding.find_leads(|i| i == more || fixed[i].is_none(), 1.0);
            sliding.dependence.leads.iter().filter(|leads| **leads).count()
        };
        let any_free = (0..fixed.len()).find(|&i| fixed[i].is_none());
        any_free.is_some_and(|free| rank(self, free) == rank(self, surface))
    }

    /// Finds the weights of least norm with which all surfaces stay zero whose weights are not fixed. False if there are none.
    pub(super) fn find_dependent_weights(&mut self, fixed: &[Option<f64>]) -> bool {
        let found = if self.affine { self.find_least_weights(fixed) } else { self.find_least_norm(fixed) };
        found && (0..fixed.len()).all(|i| fixed[i].is_some() || self.stays_zero(i))
    }

    /// Whether the rate of a surface along the mixture is zero: a surface that depends on others can be carried away from them by its own rate in time.
    fn stays_zero(&self, surface: usize) -> bool {
        let rates = (0..self.sides()).map(|side| self.rate(surface, side).abs());
        let largest = rates.fold(0.0, f64::max);
        self.weighted_rate(surface).abs() <= LEFT * largest + self.noise[surface]
    }

    /// Tells of all surfaces at once whether the motion can stay.
    pub(super) fn find_common_exit(&mut self, found: bool) {
        let stays = found && self.is_convex();
        self.exits.fill(if stays { 0.5 } else { -0.5 });
    }

    /// Where each sign stands in a term of its own: the weights nearest to one half. Those that would be beyond 0 or 1 stay there, one after the other.
    fn find_least_weights(&mut self, fixed: &[Option<f64>]) -> bool {
        let mut held = fixed.to_vec();
        loop {
            for (weight, held) in self.weights.iter_mut().zip(&held) {
                *weight = held.unwrap_or(0.5);
            }
            let solved = self.step_least(fixed, &held);
            let beyond = |i: &usize| held[*i].is_none() && (self.weights[*i] - 0.5).abs() > 0.5 + ROUNDED;
            let far = |i: usize| (self.weights[i] - 0.5).abs();
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
        self.find_leads(|i| fixed[i].is_none(), 1.0);
        let pushes: Vec<f64> =
            (0..k * k).map(|e| if held[e % k].is_some() { 0.0 } else { self.push(e / k, e % k) }).collect();
        for i in 0..k {
            let leads = self.dependence.leads[i];
            for j in 0..k {
                let (a, b) = (&pushes[i * k..(i + 1) * k], &pushes[j * k..(j + 1) * k]);
                let entry = a.iter().zip(b).map(|(a, b)| a * b).sum();
                let identity = if i == j { 1.0 } else { 0.0 };
                let counts = leads && self.dependence.leads[j];
                self.matrix.entries_mut()[i * k + j] = if counts { entry } else { identity };
            }
            self.step[i] = if leads { self.weighted_rate(i) } else { 0.0 };
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
