//! Switching surfaces around a point.

use super::SurfaceSet;
use crate::formulation::FieldEnv;
use crate::math::dot;

/// Switching surfaces to first order around a point.
#[derive(Clone, Debug)]
pub(super) struct LocalSurfaces {
    n: usize,
    point: Vec<f64>,
    pub(super) values: Vec<f64>,
    /// The gradients by rows.
    gradients: Vec<f64>,
    pub(super) time_rates: Vec<f64>,
    /// Whether the gradients are those at the point.
    has_gradients: bool,
    /// Whether all values are zero to the last bit.
    is_on_all: bool,
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
            has_gradients: false,
            is_on_all: false,
        }
    }

    /// The point.
    pub(super) fn point(&self) -> &[f64] {
        &self.point
    }

    /// Looks at another point.
    pub(super) fn place(&mut self, y: &[f64]) {
        self.point.copy_from_slice(y);
        self.has_gradients = false;
    }

    /// Moves the point back by some parts of as many directions, which are rows.
    pub(super) fn move_back(&mut self, parts: &[f64], directions: &[f64]) {
        for (part, direction) in parts.iter().zip(directions.chunks_exact(self.n.max(1))) {
            for (point, way) in self.point.iter_mut().zip(direction) {
                *point -= part * way;
            }
        }
        self.has_gradients = false;
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

    /// Whether the point is on all surfaces to the last bit; the values must be known there.
    pub(super) fn is_on_all(&self) -> bool {
        self.is_on_all
    }

    /// The values at the point.
    pub(super) fn find_values(&mut self, env: &mut FieldEnv<'_>, set: &SurfaceSet) {
        for (value, surface) in self.values.iter_mut().zip(set.surfaces()) {
            *value = env.guard(surface.guard, &self.point);
        }
        self.is_on_all = self.values.iter().all(|value| *value == 0.0);
    }

    /// About how far the point is from the farthest surface, by values and gradients.
    pub(super) fn distance(&self) -> f64 {
        let steep = |i: usize| self.gradient(i).iter().map(|g| g.abs()).sum::<f64>();
        let far = self.values.iter().enumerate().map(|(i, value)| value.abs() / steep(i));
        far.fold(0.0, f64::max)
    }

    /// The gradients and rates in time at the point, if they are not known there.
    pub(super) fn find_gradients(&mut self, env: &mut FieldEnv<'_>, set: &SurfaceSet) {
        if std::mem::replace(&mut self.has_gradients, true) {
            return;
        }
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
        local.place(&[1.0, 1.0]);
        local.find_gradients(&mut env, &set);
        local.find_values(&mut env, &set);
        assert!(!local.is_on_all());
        assert_eq!(local.values, [5.0]);
        assert!((local.distance() - 5.0 / 7.0).abs() < 1e-6);
        assert!((local.rate_along(0, &[1.0, 1.0]) - 5.0).abs() < 1e-6);
        assert_eq!((counts.guards, counts.derivatives), (1, 0), "gradients are not counted");
    }
}
