//! One correction of positions and velocities together (S-full of paper 003, equation (3.65)).
//!
//! With `H = [G 0; L G]` the gradients of `(g, ġ)` by `(q, v)`, the change is `Hᵀ (H Hᵀ)⁻¹ (g, ġ)`, or the
//! same in the metric of the masses.

use super::super::constrained_form::FormAt;
use super::super::linear_system::{LinearSystem, MechanismSizes};
use super::super::projection::{Corrector, take_off};
use super::super::residuals::velocity_slopes;
use super::super::{Metric, Upkeep};
use super::descriptor::StabilisationDescriptor;
use super::{End, EndProjection, EndRule};
use crate::math::{Matrix, Saddle};

pub(super) const DESCRIPTOR: StabilisationDescriptor =
    StabilisationDescriptor { name: NAME, is_word: true, terms: None, projection: Some(SFull::make) };

const NAME: &str = "s-full";

/// The linear system of positions and velocities together.
struct SFull {
    /// `H`, and `L` by rows.
    gradients: Matrix,
    slopes: Vec<f64>,
    /// The metric of both.
    metric: Metric,
    mass: Matrix,
    saddle: Saddle,
    change: Vec<f64>,
    level: Vec<f64>,
}

impl SFull {
    fn make(upkeep: &Upkeep, linear: &LinearSystem) -> EndRule {
        let MechanismSizes { velocities: n, holonomic, rows: m, .. } = linear.sizes;
        let mut mass = Matrix::full(2 * n, 2 * n);
        (0..2 * n).for_each(|i| mass.values[i * 2 * n + i] = 1.0);
        let gradients = Matrix::full(m + holonomic, 2 * n);
        let projection = Box::new(Self {
            saddle: Saddle::new(&mass, &gradients),
            gradients,
            slopes: vec![0.0; m * n],
            metric: upkeep.metric,
            mass,
            change: vec![0.0; 2 * n],
            level: vec![0.0; m + holonomic],
        });
        EndRule { projection, moves_positions: true, has_own_system: true }
    }

    /// Fills in `H` and the masses of both halves.
    fn fill(&mut self, at: &mut FormAt<'_, '_>, y: &[f64]) {
        let MechanismSizes { velocities: n, holonomic, .. } = at.linear.sizes;
        velocity_slopes(at.linear.sizes, at.env, y, &mut self.slopes);
        let terms = &at.linear.terms;
        self.gradients.values.fill(0.0);
        for (row, gradient) in self.gradients.values.chunks_exact_mut(2 * n).enumerate() {
            let (by_position, by_velocity) = gradient.split_at_mut(n);
            let (own, from) =
                if row < holonomic { (by_position, row) } else { (by_velocity, row - holonomic) };
            terms.jacobian.row(from).for_each(|(column, value)| own[column] = value);
            if row >= holonomic {
                gradient[..n].copy_from_slice(&self.slopes[(row - holonomic) * n..][..n]);
            }
        }
        if self.metric == Metric::Mass {
            for ((i, j), mass) in terms.mass.places().zip(&terms.mass.values) {
                self.mass.values[i * 2 * n + j] = *mass;
                self.mass.values[(n + i) * 2 * n + n + j] = *mass;
            }
        }
    }
}

impl EndProjection for SFull {
    fn project(&mut self, corrector: &mut Corrector, at: &mut FormAt<'_, '_>, end: End<'_>) {
        self.fill(at, end.y);
        at.env.counts.factorisations += 1;
        if self.saddle.factor(&self.mass, &self.gradients).is_err() {
            return;
        }
        let (of_positions, of_velocities) = self.level.split_at_mut(corrector.residuals.position.len());
        of_positions.copy_from_slice(&corrector.residuals.position);
        of_velocities.copy_from_slice(&corrector.residuals.velocity);
        self.change.fill(0.0);
        self.saddle.solve(&mut self.change, &mut self.level);
        let (q, rest) = end.y.split_at_mut(at.linear.sizes.positions);
        let (of_positions, of_velocities) = self.change.split_at(at.linear.sizes.velocities);
        at.env.shift_positions(q, of_positions);
        take_off(rest, of_velocities);
    }
}
