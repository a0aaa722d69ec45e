//! States that do not move stay as they are to the bit when a point is brought to surfaces to evaluate fields there (rule 21): fields may ask whether they
//! are equal to a number.

use super::Sliding;
use crate::equations::Evaluator;
use crate::mode::Mode;

impl Sliding {
    /// Finds the states that do not move where the surfaces are met, if that is not known yet: by the field on the side that the point is on, where it is
    /// defined. The gradients must be known at the point.
    pub(super) fn find_still(&mut self, evaluator: &mut dyn Evaluator, mode: &Mode, t: f64) {
        if !self.looks_for_still() {
            return;
        }
        let mut mode = mode.clone();
        self.find_values(evaluator, &mode, t);
        for (surface, value) in self.surfaces.iter().zip(&self.values) {
            surface.lock(&mut mode, side_of(*value));
        }
        for follower in &self.followers {
            follower.surface.lock(&mut mode, follower.orientation * side_of(self.values[follower.leader]));
        }
        evaluator.derivative(mode.locked(&self.parameters), t, &self.point, &mut self.beside);
        self.effort.derivatives += 1;
        self.still.iter_mut().zip(&self.beside).for_each(|(still, f)| *still = *f == 0.0);
    }

    /// Whether it is to be found which states do not move. That is only of interest if a surface depends on more than one state.
    fn looks_for_still(&mut self) -> bool {
        let several = |gradient: &[f64]| gradient.iter().filter(|g| **g != 0.0).count() > 1;
        let is_new = self.still.is_empty();
        self.still.resize(self.n, false);
        is_new && self.mass.is_none() && self.gradients.chunks_exact(self.n).any(several)
    }

    /// The same where all fields are evaluated: the first of them is that of the side that the point is on. Gives that side.
    pub(super) fn evaluate_own_side(
        &mut self,
        evaluator: &mut dyn Evaluator,
        mode: &mut Mode,
        t: f64,
    ) -> Option<usize> {
        if self.adds_up() || !self.looks_for_still() {
            return None;
        }
        let own = self.values.iter().enumerate().map(|(i, value)| usize::from(*value >= 0.0) << i).sum();
        self.evaluate_field(evaluator, mode, t, own);
        let field = &self.fields[own * self.n..(own + 1) * self.n];
        self.still.iter_mut().zip(field).for_each(|(still, f)| *still = *f == 0.0);
        Some(own)
    }

    /// The part of the gradient of a surface by states that move; all of it if there are none.
    pub(super) fn find_moving_gradient(&mut self, i: usize) {
        let gradient = &self.gradients[i * self.n..(i + 1) * self.n];
        let still = |j: usize| self.still.get(j).copied().unwrap_or(false);
        let moves = gradient.iter().enumerate().any(|(j, g)| *g != 0.0 && !still(j));
        let direction = &mut self.directions[i * self.n..(i + 1) * self.n];
        for (j, (direction, g)) in direction.iter_mut().zip(gradient).enumerate() {
            *direction = if still(j) && moves { 0.0 } else { *g };
        }
    }
}

/// The sign of the side that a point with this value is on.
fn side_of(value: f64) -> f64 {
    if value >= 0.0 { 1.0 } else { -1.0 }
}

#[cfg(test)]
mod tests {
    use super::super::Surface;
    use super::*;
    use crate::equations::{ClosureSystem, System};

    #[test]
    fn a_state_without_motion_keeps_every_bit_where_fields_are_evaluated() {
        let system = ClosureSystem::switched(["v", "gear"], |_, y, signs, dy| {
            dy[0] = if y[1] == 1.0 { 2.0 - signs[0] } else { f64::NAN };
            dy[1] = 0.0;
        })
        .switch("fast", |_, y| y[0] - 1e5 * y[1]);
        let mut mode = Mode::new(0, 1, 0);
        mode.values.signs[0] = 1.0;
        let mut sliding = Sliding::new(&system, vec![Surface::of_switch(0, 0)]);
        sliding.evaluate(&mut *system.evaluator(), &mut mode, 0.0, &[1e5 + 1e-11, 1.0]);
        assert_eq!([sliding.rate(0, 0), sliding.rate(0, 1)], [3.0, 1.0]);
    }
}
