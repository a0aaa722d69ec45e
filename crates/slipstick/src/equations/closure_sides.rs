//! Closures that switch by themselves (black boxes): they look at the state, not at locked signs.
//!
//! A point that is on a surface, or behind it while its sign is still locked, is moved to the locked side,
//! the shortest way and by as little as rounding leaves no doubt about. So the field on each side of a
//! surface is known where the motion is on it, and goes on continuously behind it.

use super::closure_guard::ClosureSurface;
use super::differences::gradient_by_differences;
use super::{Guard, GuardKind, Locked};

/// By how many spacings of doubles a point is moved away from a surface.
const SPACINGS: f64 = 64.0;
/// The same where all terms of a surface are zero.
const TINY: f64 = 1e-100;
/// A guard that is larger than this part of the state is not next to zero.
const NEAR: f64 = 1e-9;
/// How often a point is moved towards the right side of a surface.
const MOST_MOVES: usize = 8;

/// The scratch for a point on the sides that are locked.
#[derive(Clone, Debug)]
pub(super) struct LockedSides {
    point: Vec<f64>,
    gradient: Vec<f64>,
}

impl LockedSides {
    pub(super) fn new(n: usize) -> Self {
        Self { point: vec![0.0; n], gradient: vec![0.0; n] }
    }

    /// The point next to `y` that is on the locked sides of all switches.
    pub(super) fn point(
        &mut self,
        guards: &[Guard],
        surfaces: &[ClosureSurface],
        (locked, t, y): (Locked<'_>, f64, &[f64]),
    ) -> &[f64] {
        self.point.copy_from_slice(y);
        let near = NEAR * y.iter().fold(t.abs(), |a, b| a.max(b.abs()));
        for (guard, surface) in guards.iter().zip(surfaces) {
            if let (Some(k), GuardKind::Surface) = (guard.response.switch, guard.kind) {
                self.move_to_side(&mut |t, y| surface.value(locked, t, y), t, locked.signs[k], near);
            }
        }
        &self.point
    }

    fn move_to_side(&mut self, surface: &mut dyn FnMut(f64, &[f64]) -> f64, t: f64, side: f64, near: f64) {
        for _ in 0..MOST_MOVES {
            let ahead = side * surface(t, &self.point);
            // NaN moves nothing.
            if ahead > near || ahead.is_nan() {
                return;
            }
            let rate = gradient_by_differences(surface, t, &mut self.point, &mut self.gradient);
            let square: f64 = self.gradient.iter().map(|g| g * g).sum();
            let terms: f64 = self.gradient.iter().zip(&self.point).map(|(g, y)| (g * y).abs()).sum();
            let margin = SPACINGS * f64::EPSILON * (terms + (rate * t).abs()) + TINY * square.sqrt();
            // A surface in time alone has no side to move to.
            if ahead >= margin || square == 0.0 {
                return;
            }
            let far = side * (2.0 * margin - ahead) / square;
            self.point.iter_mut().zip(&self.gradient).for_each(|(y, g)| *y += far * g);
        }
    }
}
