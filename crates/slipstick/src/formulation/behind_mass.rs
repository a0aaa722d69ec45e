//! Rates behind a mass matrix: where `M y' = f`, the state changes at `M⁻¹ f`.
//!
//! A singular matrix leaves the rates of algebraic states open (`algebraic.rs`). Guards that do not depend on
//! those have rates all the same; of all others nothing is known.

use super::algebraic::Algebraic;
use crate::equations::{At, Evaluator, Locked};
use crate::math::{RealLu, dot};

/// The scratch for rates behind a mass matrix.
pub(super) struct BehindMass {
    mass: RealLu,
    slope: Vec<f64>,
    ahead: Vec<f64>,
    gradient: Vec<f64>,
    /// The matrix next to the point of interest, for differences.
    beside: Vec<f64>,
    /// What is algebraic, if something is, and whether the matrix determines everything else where it was
    /// last looked at.
    algebraic: Option<Algebraic>,
    regular: bool,
}

impl BehindMass {
    pub(super) fn new(n: usize) -> Self {
        let room = || vec![0.0; n];
        Self {
            mass: RealLu::new(n),
            slope: room(),
            ahead: room(),
            gradient: room(),
            beside: vec![0.0; n * n],
            algebraic: None,
            regular: false,
        }
    }

    /// Nothing is known of the matrix any more.
    pub(super) fn forget(&mut self) {
        (self.algebraic, self.regular) = (None, false);
    }

    /// What is algebraic, if something is.
    pub(super) fn algebraic(&mut self) -> Option<&mut Algebraic> {
        self.algebraic.as_mut()
    }

    /// Whether the matrix determines the rates of all states that are not algebraic, where it was last looked
    /// at.
    pub(super) fn is_regular(&self) -> bool {
        self.regular
    }

    /// Factors the matrix at a point.
    pub(super) fn look(&mut self, evaluator: &mut dyn Evaluator, locked: Locked<'_>, t: f64, y: &[f64]) {
        evaluator.mass(locked, t, y, self.mass.entries_mut());
        if self.algebraic.is_none() {
            self.algebraic = Algebraic::of(self.mass.entries_mut(), y.len());
        }
        if let Some(algebraic) = &self.algebraic {
            algebraic.complete(self.mass.entries_mut());
        }
        self.regular = self.mass.factor().is_ok();
    }

    /// `∂(M rate)/∂y` by rows and `∂(M rate)/∂t`: exact where the system knows them, else by forward
    /// differences.
    pub(super) fn mass_slopes(
        &mut self,
        evaluator: &mut dyn Evaluator,
        at: At<'_>,
        rate: &[f64],
        (by_state, by_time): (&mut [f64], &mut [f64]),
    ) {
        if evaluator.mass_slopes(at, rate, (by_state, by_time)) {
            return;
        }
        let (locked, t, y) = at;
        let n = y.len();
        evaluator.mass(locked, t, y, &mut self.beside);
        times(&self.beside, rate, &mut self.slope);
        self.ahead.copy_from_slice(y);
        for j in 0..n {
            self.ahead[j] = y[j] + difference(y[j]);
            evaluator.mass(locked, t, &self.ahead, &mut self.beside);
            times(&self.beside, rate, &mut self.gradient);
            let h = self.ahead[j] - y[j];
            for i in 0..n {
                by_state[i * n + j] = (self.gradient[i] - self.slope[i]) / h;
            }
            self.ahead[j] = y[j];
        }
        let later = t + difference(t);
        evaluator.mass(locked, later, y, &mut self.beside);
        times(&self.beside, rate, by_time);
        by_time.iter_mut().zip(&self.slope).for_each(|(x, here)| *x = (*x - here) / (later - t));
    }
}

/// `out = M x`.
fn times(mass: &[f64], x: &[f64], out: &mut [f64]) {
    for (out, row) in out.iter_mut().zip(mass.chunks_exact(x.len().max(1))) {
        *out = dot(row, x);
    }
}

/// The distance for a forward difference at `x`: half the digits for the step, half for the change (as in
/// RADAU5).
pub(super) fn difference(x: f64) -> f64 {
    (f64::EPSILON * x.abs().max(1e-5)).sqrt()
}
