//! Saddle-point systems with two gradients, dense: `[M Hᵀ; G 0] [a; λ] = [f; c]`, by the null spaces of both.
//!
//! Half-explicit methods need them (paper 001, equation (31)): forces act along the gradients `H` of one stage, and the constraints have those of the next, `G`. `a` is what
//! meets the level and, in the directions `Z` that `G` leaves free, what the forces do in the directions `Y` that `H` leaves free: `Yᵀ M Z w = Yᵀ (f - M a)`. The multipliers carry
//! what is left. `M` need not be symmetric: in a generalized-α method the matrix of Newton's iteration stands there. Both gradients must have the same rank; rows that follow from others do no harm. Where one stage begins with the gradients that the last one ended
//! with, their reflections are kept.

use super::RealLu;
use super::dense_kkt::{DenseKkt, multiply};
use super::dot;

/// A system with its factors.
#[derive(Clone, Debug)]
pub struct DensePair {
    mass: Vec<f64>,
    ahead: DenseKkt,
    here: DenseKkt,
    /// The gradients that each of both is of.
    of_ahead: Vec<f64>,
    of_here: Vec<f64>,
    /// `Yᵀ M Z`, for as many directions as there were last.
    reduced: RealLu,
    directions: usize,
    scratch: Vec<f64>,
    along: Vec<f64>,
    moved: Vec<f64>,
}

impl DensePair {
    /// Room for matrices with `n` columns and `m` rows of constraints.
    pub fn new(n: usize, m: usize) -> Self {
        let (mut ahead, mut here) = (DenseKkt::new(n, m), DenseKkt::new(n, m));
        // Without rows none is ever new.
        ahead.reflect_rows(&vec![0.0; m * n]);
        here.reflect_rows(&vec![0.0; m * n]);
        Self {
            mass: vec![0.0; n * n],
            ahead,
            here,
            of_ahead: vec![f64::NAN; m * n],
            of_here: vec![f64::NAN; m * n],
            reduced: RealLu::new(n),
            directions: n,
            scratch: vec![0.0; n],
            along: vec![0.0; n],
            moved: vec![0.0; n],
        }
    }

    /// From now on these rows do not count as independent beside the others.
    pub fn hold(&mut self, redundant: &[usize]) {
        self.ahead.hold(redundant);
        self.here.hold(redundant);
        // What is known of gradients was found without that.
        self.of_ahead.fill(f64::NAN);
        self.of_here.fill(f64::NAN);
    }

    /// The independent row of `G` that has least left beside the others, and what that is, as a part of the row.
    pub fn narrowest(&self) -> (usize, f64) {
        self.ahead.narrowest()
    }

    /// The rows of `G` that are independent, in the order in which they were taken.
    pub fn independent(&self) -> &[usize] {
        self.ahead.independent()
    }

    /// The rows of `G` that follow from others, in no particular order.
    pub fn redundant(&self) -> &[usize] {
        self.ahead.redundant()
    }

    /// The length of each row of `G`.
    pub fn lengths(&self) -> &[f64] {
        self.ahead.lengths()
    }

    /// Factors the system with the given matrices, by rows; false if that cannot be done so.
    pub fn factor(&mut self, mass: &[f64], ahead: &[f64], here: &[f64]) -> bool {
        if mass.iter().chain(ahead).chain(here).any(|x| !x.is_finite()) {
            return false;
        }
        self.mass.copy_from_slice(mass);
        if self.of_here != here {
            std::mem::swap(&mut self.ahead, &mut self.here);
            std::mem::swap(&mut self.of_ahead, &mut self.of_here);
        }
        if self.of_here != here {
            self.of_here.copy_from_slice(here);
            self.here.reflect_rows(here);
        }
        if self.of_ahead != ahead {
            self.of_ahead.copy_from_slice(ahead);
            self.ahead.reflect_rows(ahead);
        }
        self.here.rank() == self.ahead.rank() && self.reduce()
    }

    fn reduce(&mut self) -> bool {
        let (n, d) = (self.scratch.len(), self.scratch.len() - self.ahead.rank());
        if d != self.directions {
            (self.reduced, self.directions) = (RealLu::new(d), d);
        }
        for j in 0..d {
            multiply(&self.mass, self.ahead.free(j), &mut self.scratch[..n]);
            for i in 0..d {
                self.reduced.entries_mut()[i * d + j] = dot(self.here.free(i), &self.scratch);
            }
        }
        self.reduced.factor().is_ok()
    }

    /// Replaces the right-hand sides by the solution: `force` by `a`, `level` by `λ`. Of redundant rows the level is not used, and they share their multipliers.
    pub fn solve(&mut self, force: &mut [f64], level: &mut [f64]) {
        self.solve_with(DenseKkt::carry, force, level);
    }

    /// The same where redundant rows carry nothing.
    pub fn solve_alone(&mut self, force: &mut [f64], level: &mut [f64]) {
        self.solve_with(DenseKkt::carry_alone, force, level);
    }

    fn solve_with(
        &mut self,
        carry: impl Fn(&mut DenseKkt, &mut [f64], &mut [f64]),
        force: &mut [f64],
        level: &mut [f64],
    ) {
        let d = self.directions;
        let (mut a, mut moved) = (std::mem::take(&mut self.scratch), std::mem::take(&mut self.moved));
        self.ahead.meet_level(level, &mut a);
        self.take_off_inertia(&a, force);
        for (i, along) in self.along[..d].iter_mut().enumerate() {
            *along = dot(self.here.free(i), force);
        }
        self.reduced.solve(&mut self.along[..d]);
        moved.fill(0.0);
        for (j, along) in self.along[..d].iter().enumerate() {
            moved.iter_mut().zip(self.ahead.free(j)).for_each(|(a, direction)| *a += along * direction);
        }
        // What is left of the forces is carried by the constraints.
        self.take_off_inertia(&moved, force);
        carry(&mut self.here, force, level);
        force.iter_mut().zip(&a).zip(&moved).for_each(|((force, a), moved)| *force = a + moved);
        (self.scratch, self.moved) = (a, moved);
    }

    fn take_off_inertia(&self, a: &[f64], force: &mut [f64]) {
        for (force, row) in force.iter_mut().zip(self.mass.chunks_exact(a.len().max(1))) {
            *force -= dot(row, a);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two joints of four coordinates at two points, with a row that is there twice; numbers that mean nothing.
    fn matrices(doubled: bool) -> [Vec<f64>; 3] {
        let mass = vec![3.0, 0.5, 0.0, 0.1, 0.5, 2.0, 0.3, 0.0, 0.0, 0.3, 4.0, 0.2, 0.1, 0.0, 0.2, 1.0];
        let mut ahead = vec![1.0, 2.0, -1.0, 0.5, 0.0, 1.0, 1.0, -2.0];
        let mut here = vec![1.1, 1.9, -0.9, 0.4, 0.1, 1.2, 0.9, -1.8];
        if doubled {
            ahead.extend([2.0, 4.0, -2.0, 1.0]);
            here.extend([2.2, 3.8, -1.8, 0.8]);
        }
        [mass, ahead, here]
    }

    #[test]
    fn forces_act_along_one_gradient_and_constraints_have_the_other() {
        let (force, level) = ([1.0, -2.0, 0.5, 3.0], [0.3, -0.7, 0.6]);
        let mut motions = Vec::new();
        for doubled in [false, true] {
            let [mass, ahead, here] = matrices(doubled);
            let m = ahead.len() / 4;
            let mut pair = DensePair::new(4, m);
            assert!(pair.factor(&mass, &ahead, &here));
            let (mut a, mut lambda) = (force.to_vec(), level[..m].to_vec());
            pair.solve(&mut a, &mut lambda);
            for i in 0..4 {
                let carried: f64 = (0..m).map(|k| here[k * 4 + i] * lambda[k]).sum();
                assert!((dot(&mass[i * 4..][..4], &a) + carried - force[i]).abs() < 1e-14);
            }
            for k in 0..m {
                assert!((dot(&ahead[k * 4..][..4], &a) - level[k]).abs() < 1e-14);
            }
            motions.push(a);
        }
        assert!(motions[0].iter().zip(&motions[1]).all(|(a, b)| (a - b).abs() < 1e-14), "{motions:?}");
    }

    #[test]
    fn gradients_of_different_rank_are_not_solved_so() {
        let [mass, ahead, mut here] = matrices(false);
        here.copy_within(..4, 4);
        assert!(!DensePair::new(4, 2).factor(&mass, &ahead, &here));
    }
}
