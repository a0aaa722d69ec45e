//! The linear systems of implicit Runge-Kutta methods on the stabilised index-2 form of a mechanism (paper 001, equation (23)), for a real or a complex number `s`:
//!
//! `s x - D x - v + Gᵀ μ = a`, `K x + (s M + C) u + Gᵀ λ = b`, `L x + G v = c`, `G x = d` with `u = (v, z)`; in the last `G` has the rows of constraints of positions only.
//!
//! `x` is a change of positions of the speeds' kind, `D` how their rates change with it where they are more than the speeds. Small systems are solved by the null spaces of `G`
//! (`dense_stabilised.rs`), large ones with few entries as they stand (`sparse_stabilised.rs`), whichever takes less work. Rows that follow from others do no harm.

use super::dense_stabilised::DenseStabilised;
use super::kkt::{SPARSE_COST, WORTH_COUNTING, WORTH_HOLDING};
use super::sparse_stabilised::SparseStabilised;
use super::{Complex, Matrix};

/// The matrices.
#[derive(Clone, Copy, Debug)]
pub struct Linearised<'a> {
    /// `M`, by speeds and further states.
    pub mass: &'a Matrix,
    /// `K`, and behind it `C`.
    pub forces: &'a Matrix,
    /// `G`, by speeds and further states; the constraints of positions come first.
    pub gradients: &'a Matrix,
    /// `L`.
    pub slopes: &'a Matrix,
    /// `D` by rows; empty where it is zero.
    pub kinematics: &'a [f64],
    /// How many constraints are constraints of positions.
    pub holonomic: usize,
}

impl Linearised<'_> {
    /// How many speeds there are, and how many further states.
    pub(super) fn size(&self) -> (usize, usize) {
        let (size, columns) = (self.forces.rows(), self.forces.columns());
        (columns - size, 2 * size - columns)
    }
}

/// The right-hand sides of one part, real or imaginary, which become the solution.
#[derive(Debug)]
pub struct Sides<'a> {
    /// `a`, then `x`.
    pub positions: &'a mut [f64],
    /// `b`, then `u`.
    pub motion: &'a mut [f64],
    /// `c`, then `λ`.
    pub rates: &'a mut [f64],
    /// `d`, then `μ`.
    pub levels: &'a mut [f64],
}

/// A system with its factors for one real and one complex number.
#[derive(Clone, Debug)]
pub struct Stabilised {
    kind: Kind,
    work: [f64; 3],
}

#[derive(Clone, Debug)]
enum Kind {
    Dense(Box<DenseStabilised>),
    Sparse(Box<SparseStabilised>),
}

impl Stabilised {
    /// Room for matrices with these places. The rows that are held follow from others wherever constraints are met.
    pub fn new(of: &Linearised<'_>, held: &[usize]) -> Self {
        let (n, _) = of.size();
        let [linearising, factoring, _] = DenseStabilised::work(of);
        let full = linearising + 5.0 * factoring;
        if n + of.gradients.rows() >= WORTH_COUNTING && of.kinematics.is_empty() {
            let sparse = SparseStabilised::new(of);
            let work = 5.0 * SPARSE_COST * sparse.work();
            if work * if held.is_empty() { 1.0 } else { WORTH_HOLDING } < full {
                let work = [0.0, work, 5.0 * SPARSE_COST * sparse.entries()];
                return Self { kind: Kind::Sparse(Box::new(sparse)), work };
            }
        }
        Self::dense(of, held)
    }

    fn dense(of: &Linearised<'_>, held: &[usize]) -> Self {
        let [linearising, factoring, solving] = DenseStabilised::work(of);
        let dense = Box::new(DenseStabilised::new(of, held));
        Self { kind: Kind::Dense(dense), work: [linearising, 5.0 * factoring, 3.0 * solving] }
    }

    /// Whether the matrices are taken to have few entries.
    pub fn is_sparse(&self) -> bool {
        matches!(self.kind, Kind::Sparse(_))
    }

    /// About how long it takes to linearise, to factor for a real and a complex number, and to solve for both, in multiplications in a full matrix.
    pub fn work(&self) -> [f64; 3] {
        self.work
    }

    /// Takes the matrices.
    pub fn linearise(&mut self, of: &Linearised<'_>) {
        match &mut self.kind {
            Kind::Dense(dense) => dense.linearise(of),
            Kind::Sparse(_) => {}
        }
    }

    /// Factors for one real and one complex number; false if one of them cannot be. The matrices are those that were taken.
    pub fn factor(&mut self, of: &Linearised<'_>, real: f64, complex: Complex, held: &[usize]) -> bool {
        if let Kind::Sparse(sparse) = &mut self.kind {
            if sparse.factor(of, real, complex) {
                return true;
            }
            // Where coordinates without mass leave no pivot, exchanges are needed.
            *self = Self::dense(of, held);
            self.linearise(of);
        }
        match &mut self.kind {
            Kind::Dense(dense) => dense.factor(real, complex),
            Kind::Sparse(_) => false,
        }
    }

    /// Solves with the real factors.
    pub fn solve_real(&mut self, of: &Linearised<'_>, sides: Sides<'_>) {
        match &mut self.kind {
            Kind::Dense(dense) => dense.solve_real(of, sides),
            Kind::Sparse(sparse) => sparse.solve_real(sides),
        }
    }

    /// Solves with the complex factors.
    pub fn solve_complex(&mut self, of: &Linearised<'_>, re: Sides<'_>, im: Sides<'_>) {
        match &mut self.kind {
            Kind::Dense(dense) => dense.solve_complex(of, [re, im]),
            Kind::Sparse(sparse) => sparse.solve_complex([re, im]),
        }
    }

    /// The length of each row of `G`, and the independent one that has least left beside the others with what that is, as a part of it; none where that is not seen.
    pub fn rows(&self) -> Option<(&[f64], (usize, f64))> {
        match &self.kind {
            Kind::Dense(dense) => Some(dense.rows()),
            Kind::Sparse(_) => None,
        }
    }
}
