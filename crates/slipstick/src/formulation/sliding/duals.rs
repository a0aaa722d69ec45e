//! Gradients of surfaces where a mass matrix stands before the rates of states: `M y' = f`.
//!
//! The rate of a surface along a field is `∇g · M⁻¹ f`, so that fields need not be solved for.

use super::local::LocalSurfaces;
use crate::equations::{MassKind, System};
use crate::formulation::FieldEnv;
use crate::formulation::algebraic::Algebraic;
use crate::math::RealLu;

/// The gradients of surfaces after a mass matrix, `M⁻ᵀ ∇g`.
#[derive(Clone, Debug)]
pub(super) struct Duals {
    n: usize,
    /// By rows.
    rows: Vec<f64>,
    /// The transposed mass matrix, if there is one.
    mass: Option<RealLu>,
    /// What is algebraic beside it.
    algebraic: Option<Algebraic>,
}

impl Duals {
    /// Room for `k` surfaces of a system.
    pub(super) fn new(system: &dyn System, k: usize) -> Self {
        let n = system.layout().dimension();
        let has_mass = system.mass_kind() != MassKind::Identity;
        Self { mass: has_mass.then(|| RealLu::new(n)), ..Self::identity(k, n) }
    }

    /// Room for `k` surfaces where the fields are the rates of `n` states.
    pub(super) fn identity(k: usize, n: usize) -> Self {
        Self { n, rows: vec![0.0; k * n], mass: None, algebraic: None }
    }

    /// Becomes as new.
    pub(super) fn renew(&mut self) {
        self.algebraic = None;
    }

    /// Whether there is no mass matrix.
    pub(super) fn are_gradients(&self) -> bool {
        self.mass.is_none()
    }

    /// The gradient of a surface by fields: what its rate is along them, but for its rate in time.
    pub(super) fn dual(&self, surface: usize) -> &[f64] {
        &self.rows[surface * self.n..(surface + 1) * self.n]
    }

    /// Finds them at a point. Where the matrix is singular they are not known.
    pub(super) fn find(&mut self, env: &mut FieldEnv<'_>, local: &LocalSurfaces) {
        self.rows.copy_from_slice(local.gradients());
        let Some(mass) = &mut self.mass else { return };
        env.mass(local.point(), mass.entries_mut());
        if self.algebraic.is_none() {
            self.algebraic = Algebraic::of(mass.entries_mut(), self.n);
        }
        if let Some(algebraic) = &self.algebraic {
            algebraic.complete(mass.entries_mut());
        }
        transpose(mass.entries_mut(), self.n);
        if mass.factor().is_err() {
            return self.rows.fill(f64::NAN);
        }
        for dual in self.rows.chunks_exact_mut(self.n.max(1)) {
            mass.solve(dual);
        }
    }

    /// Solves for the algebraic states of a point on the side that is locked.
    pub(super) fn solve_algebraic(&mut self, env: &mut FieldEnv<'_>, y: &mut [f64]) {
        let Some(algebraic) = &mut self.algebraic else { return };
        match algebraic.solve(env.eval, env.mode.locked(env.parameters), env.t, y) {
            Some(count) => env.counts.derivatives += count,
            None => y.fill(f64::NAN),
        }
    }

    /// The equation of an algebraic state becomes that it is the combination of those of all sides: `solved`
    /// has it on one side, `point` has the combination.
    pub(super) fn replace_algebraic(&self, point: &[f64], solved: &[f64], field: &mut [f64]) {
        for (row, column) in self.algebraic_places() {
            field[row] = solved[column] - point[column];
        }
    }

    /// The row and column of each algebraic state.
    pub(super) fn algebraic_places(&self) -> impl Iterator<Item = (usize, usize)> {
        self.algebraic.iter().flat_map(|a| a.rows.iter().copied().zip(a.columns.iter().copied()))
    }
}

/// Turns a square matrix of `n` rows over.
fn transpose(matrix: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..i {
            matrix.swap(i * n + j, j * n + i);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_mass_matrix_rates_are_those_along_gradients() {
        let mut duals = Duals::identity(2, 2);
        duals.rows.copy_from_slice(&[1.0, 2.0, 0.0, -1.0]);
        assert!(duals.are_gradients());
        assert_eq!([duals.dual(0), duals.dual(1)], [[1.0, 2.0], [0.0, -1.0]]);
        assert_eq!(duals.algebraic_places().count(), 0);
    }

    #[test]
    fn a_matrix_is_turned_over() {
        let mut matrix = [1.0, 2.0, 3.0, 4.0];
        transpose(&mut matrix, 2);
        assert_eq!(matrix, [1.0, 3.0, 2.0, 4.0]);
    }
}
