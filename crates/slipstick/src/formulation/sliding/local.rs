//! Switching surfaces around a point.

use super::SurfaceSet;
use crate::formulation::FieldEnv;
use crate::math::dot;

/// Switching surfaces to first order around a point.
#[derive(Clone, Debug)]
pub(super) struct LocalSurfaces {
    n: usize,
    pub(super) point: Vec<f64>,
    pub(super) values: Vec<f64>,
    /// The gradients by rows.
    gradients: Vec<f64>,
    pub(super) time_rates: Vec<f64>,
}

impl LocalSurfaces {
    /// Room for `k` surfaces of `n` states.
    pub(super) fn new(k: usize, n: usize) -> Self {
        Self {
            n,
            point: vec![0.0; n],
            values: vec![0.0; k],
            gradients: vec![0.0; k * n],
            time_rates: vec![0.0; k],
        }
    }

    /// The largest entry of the point.
    pub(super) fn size(&self) -> f64 {
        self.point.iter().fold(0.0_f64, |a, b| a.max(b.abs()))
    }

    /// The gradient of a surface.
    pub(super) fn gradient(&self, surface: usize) -> &[f64] {
        &self.gradients[surface * self.n..(surface + 1) * self.n]
    }

    /// The gradients of all surfaces, by rows.
    pub(super) fn gradients(&self) -> &[f64] {
        &self.gradients
    }

    /// The rate of a surface where the state changes at the rate `dy`.
    pub(super) fn rate_along(&self, surface: usize, dy: &[f64]) -> f64 {
        self.time_rates[surface] + dot(self.gradient(surface), dy)
    }

    /// The values at the point. Gives about how far it is from the farthest surface.
    pub(super) fn find_values(&mut self, env: &mut FieldEnv<'_>, set: &SurfaceSet) -> f64 {
        let mut farthest = 0.0_f64;
        for (i, surface) in set.surfaces().iter().enumerate() {
            self.values[i] = env.guard(surface.guard, &self.point);
            let steep: f64 = self.gradient(i).iter().map(|g| g.abs()).sum();
            farthest = farthest.max(self.values[i].abs() / steep);
        }
        farthest
    }

    /// The gradients and rates in time at the point.
    pub(super) fn find_gradients(&mut self, env: &mut FieldEnv<'_>, set: &SurfaceSet) {
        for (i, surface) in set.surfaces().iter().enumerate() {
            let gradient = &mut self.gradients[i * self.n..(i + 1) * self.n];
            self.time_rates[i] = env.gradient(surface.guard, &mut self.point, gradient);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Surface;
    use super::*;
    use crate::equations::{ClosureSystem, System};
    use crate::formulation::WorkCounts;
    use crate::mode::Mode;

    #[test]
    fn a_moving_surface_has_a_value_a_gradient_and_a_rate_in_time() {
        let system = ClosureSystem::switched(["x", "y"], |_, _, _, dy| dy.fill(0.0))
            .switch("s", |t, y| 3.0 * y[0] + 4.0 * y[1] - 2.0 * t);
        let set = SurfaceSet::of(vec![Surface::of_switch(0, 0)]);
        let (mut eval, mut mode, mut counts) =
            (system.evaluator(), Mode::new(0, 1, 0), WorkCounts::default());
        let mut env =
            FieldEnv { eval: &mut *eval, mode: &mut mode, parameters: &[], t: 1.0, counts: &mut counts };
        let mut local = LocalSurfaces::new(1, 2);
        local.point.copy_from_slice(&[1.0, 1.0]);
        local.find_gradients(&mut env, &set);
        let distance = local.find_values(&mut env, &set);
        assert_eq!(local.values, [5.0]);
        assert!((distance - 5.0 / 7.0).abs() < 1e-6);
        assert!((local.rate_along(0, &[1.0, 1.0]) - 5.0).abs() < 1e-6);
        assert_eq!((counts.guards, counts.derivatives), (1, 0), "gradients are not counted");
    }
}
