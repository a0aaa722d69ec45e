//! How exact the rates of surfaces are.

use super::Sliding;
use crate::equations::{Evaluator, rate_error};
use crate::mode::Mode;

/// Rates below this part of the largest entry of a field are rounding.
const ROUNDING: f64 = 2e-15;

impl Sliding {
    /// How large rates are by rounding alone, where those of other components cancel or vanish, and by the error of gradients from differences. The
    /// fields and gradients must be known.
    pub(super) fn find_noise(&mut self, evaluator: &dyn Evaluator, mode: &Mode, t: f64) {
        let largest = self.fields.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        for i in 0..self.surfaces.len() {
            let steep = sum_of_sizes(&self.duals[i * self.n..(i + 1) * self.n]);
            self.noise[i] = ROUNDING * steep * largest;
            if evaluator.differences_guard(mode.locked(&self.parameters), self.surfaces[i].guard) {
                let gradient = sum_of_sizes(&self.gradients[i * self.n..(i + 1) * self.n]);
                let behind_mass = if gradient > 0.0 { steep / gradient } else { 1.0 };
                self.noise[i] += behind_mass * self.noise_of_differences(i, t);
            }
        }
    }

    /// How much the error of a gradient from differences changes the rate of a surface along any of the fields.
    fn noise_of_differences(&self, i: usize, t: f64) -> f64 {
        let gradient = &self.gradients[i * self.n..(i + 1) * self.n];
        let fastest = |j: usize| self.fields.chunks_exact(self.n).fold(0.0_f64, |a, f| a.max(f[j].abs()));
        rate_error(gradient, self.time_rates[i], (t, &self.point), fastest)
    }
}

fn sum_of_sizes(values: &[f64]) -> f64 {
    values.iter().map(|value| value.abs()).sum()
}

#[cfg(test)]
mod tests {
    use super::super::Surface;
    use super::*;
    use crate::equations::{ClosureSystem, System};

    /// On a circle the true rates are known.
    #[test]
    fn rates_from_differences_are_as_exact_as_is_said() {
        let system = ClosureSystem::switched(["x", "y"], |_, y, signs, dy| {
            (dy[0], dy[1]) = (-signs[0] * y[0] - 5.0 * y[1], -signs[0] * y[1] + 5.0 * y[0]);
        })
        .switch("circle", |_, y| y[0] * y[0] + y[1] * y[1] - 1.0);
        let mut mode = Mode::new(0, 1, 0);
        let mut sliding = Sliding::new(&system, vec![Surface::of_switch(0, 0)]);
        let mut worst = 0.0_f64;
        for k in 0..200 {
            let angle = 0.05 * f64::from(k);
            sliding.evaluate(&mut *system.evaluator(), &mut mode, 0.0, &[angle.cos(), angle.sin()]);
            worst = worst.max((sliding.rate(0, 0) - 2.0).abs() / sliding.rounding(0));
        }
        assert!(worst < 1.0 && worst > 0.01, "{worst:e}");
    }
}
