//! States that do not move stay as they are to the bit when a point is brought to surfaces to evaluate fields
//! there (rule 21): fields may ask whether they are equal to a number.

use super::SurfaceSet;
use super::local::LocalSurfaces;
use crate::formulation::FieldEnv;

/// The states that do not move where surfaces are met.
#[derive(Clone, Debug)]
pub(super) struct StillStates {
    /// Whether fields are the rates of states: after a mass matrix they tell nothing of single ones.
    fields_are_rates: bool,
    is_known: bool,
    is_still: Vec<bool>,
}

impl StillStates {
    /// Nothing is known of `n` states.
    pub(super) fn new(n: usize, fields_are_rates: bool) -> Self {
        Self { fields_are_rates, is_known: false, is_still: vec![false; n] }
    }

    /// Nothing is known any more.
    pub(super) fn renew(&mut self) {
        self.is_known = false;
        self.is_still.fill(false);
    }

    /// Finds them if they are not known yet: by the field on the side that the point is on, where it is
    /// defined. Values and gradients must be known at the point.
    pub(super) fn find(
        &mut self,
        env: &mut FieldEnv<'_>,
        set: &SurfaceSet,
        local: &LocalSurfaces,
        field: &mut [f64],
    ) {
        if !self.are_wanted(local) {
            return;
        }
        let held = env.mode.clone();
        set.lock(env.mode, |i| if local.values[i] >= 0.0 { 1.0 } else { -1.0 });
        env.derivative(local.point(), field);
        *env.mode = held;
        self.take(field);
    }

    /// Whether they are to be found now. That is only of interest if a surface depends on more than one
    /// state.
    pub(super) fn are_wanted(&mut self, local: &LocalSurfaces) -> bool {
        let several = |gradient: &[f64]| gradient.iter().filter(|g| **g != 0.0).count() > 1;
        let is_new = !std::mem::replace(&mut self.is_known, true);
        let n = self.is_still.len();
        is_new && self.fields_are_rates && local.gradients().chunks_exact(n.max(1)).any(several)
    }

    /// The field on the side that the point is on is this one.
    pub(super) fn take(&mut self, field: &[f64]) {
        self.is_still.iter_mut().zip(field).for_each(|(still, f)| *still = *f == 0.0);
    }

    /// The part of a gradient by states that move; all of it if there are none.
    pub(super) fn moving_part(&self, gradient: &[f64], out: &mut [f64]) {
        let still = |j: usize| self.is_still[j];
        let moves = gradient.iter().enumerate().any(|(j, g)| *g != 0.0 && !still(j));
        for (j, (out, g)) in out.iter_mut().zip(gradient).enumerate() {
            *out = if still(j) && moves { 0.0 } else { *g };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_move_has_no_part_in_a_gradient_unless_nothing_else_has() {
        let mut still = StillStates::new(2, true);
        let (mut out, gradient) = ([0.0; 2], [1.0, -1e5]);
        still.moving_part(&gradient, &mut out);
        assert_eq!(out, gradient);
        still.take(&[3.0, 0.0]);
        still.moving_part(&gradient, &mut out);
        assert_eq!(out, [1.0, 0.0]);
        still.moving_part(&[0.0, 2.0], &mut out);
        assert_eq!(out, [0.0, 2.0]);
    }
}
