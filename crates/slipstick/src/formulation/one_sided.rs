//! Keeps a method from using a field where it does not hold: behind a switching surface that the motion has not crossed yet (paper 002,
//! section 3.2).
//!
//! Before each evaluation the sides of all switches are looked at. Where one is behind its surface, the field is not evaluated: the step fails, and
//! where it would have crossed is estimated, so that the next one can end before that.

use super::Surface;
use crate::equations::{Evaluator, GuardKind, System};
use crate::mode::Mode;

/// The watch over the sides of switches. It is off until [`turn_on`](Self::turn_on).
pub(super) struct OneSided {
    on: bool,
    surfaces: Vec<Surface>,
    /// The last values on the right side, and their time.
    values: Vec<f64>,
    time: f64,
    /// When the motion would have crossed.
    crossed: Option<f64>,
    /// The surfaces that the motion stands on at the start of the step. A stage of a step along the tangent can be a little behind them.
    fresh: Vec<bool>,
    /// A surface that the last point is behind, although the motion has just left it.
    beside: Option<Surface>,
}

impl OneSided {
    pub(super) fn new(system: &dyn System) -> Self {
        let guards = system.guards();
        let is_surface = |g: &usize| guards[*g].kind == GuardKind::Surface;
        let surfaces: Vec<Surface> =
            (0..guards.len()).filter(is_surface).filter_map(|g| Surface::of(guards, g)).collect();
        let values = vec![0.0; surfaces.len()];
        let fresh = vec![false; surfaces.len()];
        Self { on: false, surfaces, values, time: f64::NEG_INFINITY, crossed: None, fresh, beside: None }
    }

    /// Begins to watch; false if there is nothing to be watched, or it is watched already.
    pub(super) fn turn_on(&mut self) -> bool {
        let new = !self.on && !self.surfaces.is_empty();
        self.on |= new;
        new
    }

    pub(super) fn is_on(&self) -> bool {
        self.on
    }

    /// Takes note of the guards on whose surfaces the motion stands.
    pub(super) fn stand_on(&mut self, guards: &[usize]) {
        for (fresh, surface) in self.fresh.iter_mut().zip(&self.surfaces) {
            *fresh = guards.contains(&surface.guard);
        }
    }

    /// A surface that the last point is behind, although the motion has just left it: the field has to be taken on its right side.
    pub(super) fn beside(&self) -> Option<Surface> {
        self.beside
    }

    /// When the motion would have crossed a surface in the last step, if it would.
    pub(super) fn take_crossed(&mut self) -> Option<f64> {
        self.crossed.take()
    }

    /// Whether a point is behind a surface that is not slid on. Gives how many guards were evaluated, too.
    pub(super) fn is_behind(
        &mut self,
        evaluator: &mut dyn Evaluator,
        mode: &Mode,
        t: f64,
        y: &[f64],
    ) -> (bool, u64) {
        self.beside = None;
        if y.iter().any(|y| !y.is_finite()) {
            return (true, 0);
        }
        let (mut behind, mut count) = (false, 0);
        for ((surface, last), fresh) in self.surfaces.iter().zip(&mut self.values).zip(&self.fresh) {
            if mode.sliding.contains(&surface.guard) {
                continue;
            }
            let value = evaluator.guard(mode.locked(), surface.guard, t, y);
            count += 1;
            if value * mode.signs[surface.switch] < 0.0 && *fresh {
                self.beside = Some(*surface);
            } else if value * mode.signs[surface.switch] < 0.0 {
                let share = *last / (*last - value);
                let known = t > self.time && (0.0..=1.0).contains(&share);
                let time = if known { self.time + share * (t - self.time) } else { t };
                self.crossed = Some(self.crossed.map_or(time, |earlier| earlier.min(time)));
                behind = true;
            } else if !behind {
                *last = value;
            }
        }
        self.time = if behind { self.time } else { t };
        (behind, count)
    }
}
