//! The end of a step of the stabilised index-2 form, projected onto the constraints so that the next step
//! does not take the projection for an error.
//!
//! The least change in the metric of the masses moves light bodies most. If one of them hangs on a stiff
//! spring, the next step sees that as an error of its velocity, the larger the shorter it is. So positions
//! are moved by what is left of the change after it has been followed for `h/γ` by the linearised equations
//! instead, and what that leaves open is projected again.

use super::radau5::{GAMMA, SEEN};
use crate::math::larger_or_nan;

/// How often a projection is followed by the linearised equations.
pub(super) const FOLLOWED_ROUNDS: usize = 6;
/// What the next step sees of a projection after each round, at most, as a part of what it saw before.
const SEEN_LESS: f64 = 0.5;

/// What is to be done after a projection was followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Followed {
    /// The next step does not see it.
    Done,
    /// Something else than a stiff spring is at work: the plain projection stands.
    Plain,
    /// What it leaves open is to be projected again.
    Again,
}

/// The end of a step on its way to the constraints.
#[derive(Clone, Debug)]
pub(super) struct ProjectedEnd {
    positions: usize,
    /// The end as it is projected, as it would be without following that, and before.
    pub(super) state: Vec<f64>,
    plain: Vec<f64>,
    open: Vec<f64>,
    /// The change of positions, and what is left when it is followed.
    moved: Vec<f64>,
    followed: Vec<f64>,
    /// What the next step saw of the last round.
    seen: f64,
}

impl ProjectedEnd {
    /// For a state with positions first, in a system of equations of this dimension.
    pub(super) fn new(positions: usize, states: usize, dimension: usize) -> Self {
        let state = || vec![0.0; states];
        Self {
            positions,
            state: state(),
            plain: state(),
            open: state(),
            moved: state(),
            followed: vec![0.0; dimension],
            seen: f64::INFINITY,
        }
    }

    /// Takes the plain projection of the end of a step, with the residuals of positions there.
    pub(super) fn begin(&mut self, end: &[f64], residuals: &[f64]) {
        let states = self.state.len();
        self.plain.copy_from_slice(&self.state);
        self.open.copy_from_slice(&end[..states]);
        let first = self.followed.len() - residuals.len();
        self.followed[first..].copy_from_slice(residuals);
        self.seen = f64::INFINITY;
    }

    /// Whether the projection moves positions by so little that a step of size `h` cannot see it.
    pub(super) fn moves_little(&self, scales: &[f64], h: f64) -> bool {
        let (states, q) = (self.state.len(), self.positions);
        let finest = scales[q..states].iter().copied().fold(f64::INFINITY, f64::min);
        let moved = self.state[..q].iter().zip(&self.open).map(|(state, open)| (state - open).abs());
        moved.fold(0.0, larger_or_nan) * GAMMA <= SEEN * finest * h
    }

    /// The right-hand side of the linearised equations that follow the projection for `h/γ`; behind the
    /// states it has `velocities` zeros, for the velocity residuals.
    pub(super) fn right_hand_side(&mut self, velocities: usize, h: f64) -> Vec<f64> {
        let (states, q) = (self.state.len(), self.positions);
        let projected = self.state[..q].iter().zip(&self.open);
        self.moved.iter_mut().zip(projected).for_each(|(moved, (state, open))| *moved = state - open);
        let mut x = std::mem::take(&mut self.followed);
        x[q..states + velocities].fill(0.0);
        x[..q].iter_mut().zip(&self.moved).for_each(|(x, moved)| *x = GAMMA / h * moved);
        x
    }

    /// Takes the solution back, and judges the error that the next step would see in it.
    pub(super) fn judge(&mut self, x: Vec<f64>, scales: &[f64]) -> Followed {
        let states = self.state.len();
        let error = |i: usize| ((x[i] - self.moved[i]) / scales[i]).powi(2);
        let seen = ((0..states).map(error).sum::<f64>() / states.max(1) as f64).sqrt();
        self.followed = x;
        if seen <= SEEN {
            return Followed::Done;
        }
        if seen.is_nan() || seen > SEEN_LESS * self.seen {
            self.state.copy_from_slice(&self.plain);
            return Followed::Plain;
        }
        self.seen = seen;
        let moved = self.open[..self.positions].iter_mut().zip(&self.followed);
        moved.for_each(|(open, moved)| *open += moved);
        self.state.copy_from_slice(&self.open);
        Followed::Again
    }

    /// The end that is to be projected again, with room for the velocity residuals there, this many, and for
    /// those of positions behind them.
    pub(super) fn residuals(&mut self, velocities: usize) -> (&[f64], &mut [f64], &mut [f64]) {
        let (velocity, position) = self.followed[self.state.len()..].split_at_mut(velocities);
        (&self.open, velocity, position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One position and one velocity with one constraint of each.
    fn projected(by: f64) -> ProjectedEnd {
        let mut end = ProjectedEnd::new(1, 2, 4);
        end.state.copy_from_slice(&[1.0 + by, 0.0]);
        end.begin(&[1.0, 0.0, 0.0, 0.0], &[by]);
        end
    }

    #[test]
    fn a_projection_by_rounding_is_not_followed() {
        assert!(projected(1e-16).moves_little(&[1e-6; 2], 0.1));
        assert!(!projected(1e-3).moves_little(&[1e-6; 2], 0.1));
        assert!(!projected(f64::NAN).moves_little(&[1e-6; 2], 0.1));
    }

    #[test]
    fn a_projection_that_lasts_is_done() {
        let mut end = projected(1e-3);
        let mut x = end.right_hand_side(1, 0.1);
        assert_eq!(x[1..], [0.0, 0.0, 1e-3]);
        x[0] = end.state[0] - 1.0;
        assert_eq!(end.judge(x, &[1e-6; 2]), Followed::Done);
        assert_eq!(end.state[0], 1.001);
    }

    #[test]
    fn what_dies_out_is_projected_again_as_long_as_less_of_it_is_seen() {
        let mut end = projected(1e-3);
        let mut x = end.right_hand_side(1, 0.1);
        x[0] = 0.0;
        assert_eq!(end.judge(x, &[1e-6; 2]), Followed::Again);
        assert_eq!(end.state, [1.0, 0.0]);
        end.state[0] = 1.001;
        let mut x = end.right_hand_side(1, 0.1);
        x[0] = 0.0;
        assert_eq!(end.judge(x, &[1e-6; 2]), Followed::Plain);
        assert_eq!(end.state[0], 1.001);
    }
}
