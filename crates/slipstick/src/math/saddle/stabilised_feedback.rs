//! What the systems of `stabilised.rs` have beside gradients: forces that multipliers cause, and that
//! corrections of positions do not go along constraints of speeds.
//!
//! With an orthonormal basis `Q` of the gradients of the latter, `Ĝᵀ μ = Gᵀ μ - Qᵀ Q Gᵀ μ`: pushes `Q` of the
//! first equation, whose sizes are `Q Gᵀ μ`.

use super::feedback::{ComplexFeedback, Feedback, multipliers_that_push};
use super::row_basis::RowBasis;
use super::stabilised::Linearised;
use crate::math::Matrix;

/// The pushes, in a real and in a complex system.
#[derive(Clone, Debug)]
pub(super) struct StabilisedFeedback {
    pub(super) real: Feedback,
    pub(super) complex: ComplexFeedback,
    /// `Q`, one direction for each constraint of speeds alone.
    basis: RowBasis,
}

impl StabilisedFeedback {
    /// For matrices with these places; none if there are no pushes.
    pub(super) fn new(of: &Linearised<'_>) -> Option<Self> {
        let ((n, further), m, h) = (of.size(), of.gradients.rows(), of.holonomic);
        let (multipliers, dimension) = (2 * n + further, 2 * n + further + m + h);
        let (pushes, measures) = multipliers_that_push(of.feedback, (n, multipliers), dimension);
        let (first, rolling) = (pushes.rows(), if h > 0 { m - h } else { 0 });
        let of_basis = |from: usize, length: usize| {
            let row = move |k: usize| (0..length).map(move |i| (first + k, from + i));
            (0..rolling).flat_map(row).collect::<Vec<_>>()
        };
        let joined = |own: &Matrix, more: Vec<(usize, usize)>| {
            let places: Vec<(usize, usize)> = own.places().chain(more).collect();
            let mut joined = Matrix::with_places(first + rolling, dimension, &places);
            joined.values[..own.values.len()].copy_from_slice(&own.values);
            joined
        };
        let measures = joined(&measures, of_basis(multipliers + m, h));
        let real = Feedback::new(joined(&pushes, of_basis(0, n)), measures)?;
        Some(Self { complex: ComplexFeedback::of(&real), real, basis: RowBasis::new(n, rolling) })
    }

    /// Takes the matrices.
    pub(super) fn linearise(&mut self, of: &Linearised<'_>) {
        let Self { real: Feedback { pushes, measures, .. }, basis, .. } = self;
        let rolling = basis.directions().count();
        basis.fill(of.gradients, of.holonomic..of.holonomic + rolling);
        let sizes = &mut measures.values[pushes.rows() - rolling..];
        let (friction, along) = pushes.values.split_at_mut(of.feedback.values.len());
        friction.copy_from_slice(&of.feedback.values);
        let n = of.size().0.max(1);
        let both = basis.directions().zip(along.chunks_exact_mut(n));
        for ((direction, along), sizes) in both.zip(sizes.chunks_exact_mut(of.holonomic.max(1))) {
            along.copy_from_slice(direction);
            for (row, size) in sizes.iter_mut().enumerate() {
                *size = of.gradients.row_times(row, direction);
            }
        }
    }
}
