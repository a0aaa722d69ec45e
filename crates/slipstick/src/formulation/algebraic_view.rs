//! Algebraic states of a form, and the mass matrix that leaves them open.

use super::behind_mass::BehindMass;
use super::{FieldEnv, Sliding};

/// What a mass matrix leaves open at an instant: the rates of algebraic states.
pub struct AlgebraicView<'f> {
    pub(super) env: FieldEnv<'f>,
    /// The matrix, if there is one.
    pub(super) mass: Option<&'f mut BehindMass>,
    /// What the motion slides on, if it does.
    pub(super) sliding: Option<&'f mut Sliding>,
}

impl AlgebraicView<'_> {
    /// Looks at the mass matrix at a state, if there is one, to find out whether it determines the rates of
    /// all states.
    pub fn look(&mut self, y: &[f64]) {
        let FieldEnv { eval, mode, parameters, t, .. } = &mut self.env;
        if let Some(mass) = &mut self.mass {
            mass.look(*eval, mode.locked(parameters), *t, y);
        }
    }

    /// Whether a guard depends on a state that is algebraic, and so has no rate.
    pub fn is_read_by(&mut self, guard: usize, y: &mut [f64]) -> bool {
        let Some(algebraic) = self.mass.as_mut().and_then(|mass| mass.algebraic()) else { return false };
        let mut gradient = vec![0.0; y.len()];
        self.env.gradient(guard, y, &mut gradient);
        algebraic.columns.iter().any(|&column| gradient[column] != 0.0)
    }

    /// Solves for the algebraic states of a point, if there are some: those of the mode that holds, or their
    /// combination while sliding. Gives whether that was done.
    pub fn solve(&mut self, y: &mut [f64]) -> bool {
        let Some(algebraic) = self.mass.as_mut().and_then(|mass| mass.algebraic()) else { return false };
        if let Some(sliding) = &mut self.sliding {
            sliding.combine_algebraic(&mut self.env, y);
            return true;
        }
        let mut solved = y.to_vec();
        let FieldEnv { eval, mode, parameters, t, counts } = &mut self.env;
        let count = algebraic.solve(*eval, mode.locked(parameters), *t, &mut solved);
        counts.derivatives += count.unwrap_or(0);
        if count.is_some() {
            y.copy_from_slice(&solved);
        }
        count.is_some()
    }
}
