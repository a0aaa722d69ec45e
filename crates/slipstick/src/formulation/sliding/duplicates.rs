//! Duplicate guards: surfaces that are one surface, written twice, as `sign(w)` and `sign(r w)`, or `x > 1`
//! here and `1 - x` there.
//!
//! Their signs change together, so of the four sides of two surfaces only two exist. They are detected by
//! their gradients, which are multiples of each other, and by points of one around the place of interest that
//! are points of the other: surfaces that only touch each other are not one.

use crate::equations::Evaluator;
use crate::mode::Mode;

/// How parallel two gradients must be.
const PARALLEL: f64 = 1e-7;
/// How far around it is looked, as a part of the state, and how far a point of one surface may be from the
/// other, as a part of that.
const AROUND: f64 = 1e-3;
const AWAY: f64 = 1e-6;
/// The least time that counts as the size of a time, in its own unit: the run may begin at zero.
const LEAST_TIME: f64 = 1e-3;
/// Rounds of Newton's method that bring a point back to a surface.
const ROUNDS: usize = 8;

/// Where surfaces are compared.
pub(super) struct Place<'a> {
    pub(super) evaluator: &'a mut dyn Evaluator,
    pub(super) mode: &'a Mode,
    pub(super) parameters: &'a [f64],
    pub(super) t: f64,
    pub(super) y: &'a [f64],
}

impl Place<'_> {
    /// Whether the surfaces of two guards are the same one; +1 if they have the same positive side, otherwise
    /// -1.
    pub(super) fn same_surface(&mut self, first: usize, second: usize) -> Option<f64> {
        let (a, b) = (self.direction(first)?, self.direction(second)?);
        let cosine: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        let orientation = cosine.signum();
        let parallel = a.iter().zip(&b).all(|(a, b)| (a - orientation * b).abs() <= PARALLEL);
        let size = self.y.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        let size = if size > 0.0 { size } else { 1.0 };
        let same = |place: &mut Self, i: usize| {
            let far =
                AROUND * place.y.get(i).map_or(place.t.abs().max(LEAST_TIME), |y| y.abs().max(AROUND * size));
            place.is_on_both((first, second), i, far)
        };
        (parallel && (0..=self.y.len()).all(|i| same(self, i))).then_some(orientation)
    }

    /// The unit vector along which a guard grows, time included; none if it grows nowhere.
    fn direction(&mut self, guard: usize) -> Option<Vec<f64>> {
        let (mut y, mut gradient) = (self.y.to_vec(), vec![0.0; self.y.len()]);
        let rate = self.evaluator.guard_gradient(
            self.mode.locked(self.parameters),
            guard,
            self.t,
            &mut y,
            &mut gradient,
        );
        gradient.push(rate);
        let size = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        for g in &mut gradient {
            *g /= size;
        }
        gradient.iter().all(|g| g.is_finite()).then_some(gradient)
    }

    /// Whether a point of the first surface, some way off in one direction (the last one is time), is on the
    /// second surface too.
    fn is_on_both(&mut self, (first, second): (usize, usize), direction: usize, far: f64) -> bool {
        let n = self.y.len();
        let (mut y, mut gradient) = (self.y.to_vec(), vec![0.0; n]);
        let t = self.t + if direction == n { far } else { 0.0 };
        y.iter_mut().skip(direction).take(1).for_each(|y| *y += far);
        let locked = self.mode.locked(self.parameters);
        for _ in 0..ROUNDS {
            let value = self.evaluator.guard(locked, first, t, &y);
            self.evaluator.guard_gradient(locked, first, t, &mut y, &mut gradient);
            let square: f64 = gradient.iter().map(|g| g * g).sum();
            // A surface in time alone has no points beside it.
            if square == 0.0 {
                return false;
            }
            y.iter_mut().zip(&gradient).for_each(|(y, g)| *y -= value / square * g);
        }
        let value = self.evaluator.guard(locked, second, t, &y);
        self.evaluator.guard_gradient(locked, second, t, &mut y, &mut gradient);
        let steep = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        value.abs() <= AWAY * far * steep
    }
}
