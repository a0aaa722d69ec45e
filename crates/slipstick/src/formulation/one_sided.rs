//! Keeps a method from using a field where it does not hold: behind a surface that the motion has not crossed
//! yet, where another field, mode or state begins (paper 002, section 3.2).
//!
//! Before each evaluation the sides of all switches are looked at, and of all guards that would change the
//! mode or the state. Where one is behind its surface, the field is not evaluated: the step fails, and where
//! it would have crossed is estimated, so that the next one can end before that.

use super::{FieldEnv, Surface};
use crate::equations::{GuardKind, System};
use crate::math::dot;
use crate::mode::Mode;

/// The watch over the sides of guards that change the equations or the state. It is off until a form turns it
/// on.
pub struct OneSided {
    on: bool,
    watches: Vec<OneSidedSurface>,
    /// Whether it is not known yet if the motion goes on to the sides that it has entered.
    turning: bool,
    /// The last time at which a point was on the right side of all surfaces.
    time: f64,
    /// When the motion would have crossed, and the surface of which guard.
    crossed: Option<(f64, usize)>,
    /// A surface that the last point is behind, although the motion has just left it.
    beside: Option<Surface>,
}

/// A surface with what is known about it.
struct OneSidedSurface {
    guard: usize,
    /// The switch whose sign tells the side, if there is one.
    switch: Option<usize>,
    /// Whether the motion depends on it.
    matters: bool,
    /// The side of a surface without a switch, zero if it may be crossed.
    side: f64,
    /// The side that the motion has just gone to with a change of the mode, zero if it has not.
    entered: f64,
    /// The last value where all surfaces were on the right side, and the value at the last point.
    value: f64,
    seen: f64,
    /// Whether the motion stands on it at the start of the step. A stage of a step along the tangent can be a
    /// little behind it.
    fresh: bool,
}

impl OneSidedSurface {
    fn new(guard: usize, switch: Option<usize>) -> Self {
        Self { guard, switch, matters: true, side: 0.0, entered: 0.0, value: 0.0, seen: 0.0, fresh: false }
    }

    /// Whether the guard is behind its surface where it has the given value.
    fn is_behind(&self, mode: &Mode, value: f64) -> bool {
        match self.switch {
            Some(switch) => value * mode.values.signs[switch] < 0.0,
            None if self.entered != 0.0 => value * self.entered < 0.0,
            None => value * self.side < 0.0,
        }
    }

    fn may_be_crossed(&self) -> bool {
        self.switch.is_none() && self.side == 0.0 && self.entered == 0.0
    }

    /// When the guard was zero, if it has the given value at `t`.
    fn zero(&self, last: f64, t: f64, value: f64) -> f64 {
        let share = self.value / (self.value - value);
        let known = last.is_finite() && t > last && (0.0..=1.0).contains(&share);
        if known { last + share * (t - last) } else { t }
    }
}

impl OneSided {
    pub(super) fn new(system: &dyn System) -> Self {
        let guards = system.guards();
        let changes = |g: &usize| {
            let response = &guards[*g].response;
            response.switch.is_some() || response.mode.is_some() || response.sets_state()
        };
        let is_surface = |g: &usize| guards[*g].kind == GuardKind::Surface;
        let watched = (0..guards.len()).filter(is_surface).filter(changes);
        let watches = watched.map(|g| OneSidedSurface::new(g, guards[g].response.switch)).collect();
        let time = f64::NEG_INFINITY;
        Self { on: false, watches, turning: false, time, crossed: None, beside: None }
    }

    /// Becomes as new: it is off, and nothing is known.
    pub(super) fn renew(&mut self) {
        let Self { on, watches, turning, time, crossed, beside } = self;
        (*on, *turning, *time, *crossed, *beside) = (false, false, f64::NEG_INFINITY, None, None);
        for watch in watches {
            *watch = OneSidedSurface::new(watch.guard, watch.switch);
        }
    }

    /// Begins to watch; false if there is nothing to be watched, or it is watched already.
    pub(super) fn turn_on(&mut self) -> bool {
        let new = !self.on && !self.watches.is_empty();
        self.on |= new;
        new
    }

    /// Whether the field is not used behind surfaces that the motion has not crossed.
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// The motion stands on the surfaces of these guards.
    pub fn stand_on(&mut self, guards: &[usize]) {
        for watch in &mut self.watches {
            watch.fresh = guards.contains(&watch.guard);
        }
    }

    /// The side that the motion has just gone to through the surface of each guard that has changed the mode,
    /// zero for all others. In the next step the field is not used behind those.
    pub fn enter(&mut self, side_of: impl Fn(usize) -> f64) {
        for watch in &mut self.watches {
            watch.entered = side_of(watch.guard);
        }
        self.turning = self.watches.iter().any(|watch| watch.entered != 0.0);
    }

    /// A step was taken: the motion is no longer next to the surfaces that it met or came through.
    pub fn move_on(&mut self) {
        self.stand_on(&[]);
        self.enter(|_| 0.0);
    }

    pub(super) fn may_turn_back(&self) -> bool {
        self.turning
    }

    /// A motion that turns back at once, as with hysteresis, may go behind the surface that it came through.
    /// The first field tells.
    pub(super) fn look_where_it_goes(&mut self, env: &mut FieldEnv<'_>, y: &[f64], dy: &[f64]) {
        let (mut y, mut gradient) = (y.to_vec(), vec![0.0; y.len()]);
        for watch in self.watches.iter_mut().filter(|watch| watch.entered != 0.0) {
            let rate = env.gradient(watch.guard, &mut y, &mut gradient);
            if (rate + dot(&gradient, dy)) * watch.entered <= 0.0 {
                watch.entered = 0.0;
            }
        }
        self.turning = false;
    }

    /// Takes note of the side that each guard must not leave without its event, zero if it may. What was
    /// before is of no interest any more.
    pub fn know_sides(&mut self, side_of: impl Fn(usize) -> f64) {
        self.crossed = None;
        for watch in &mut self.watches {
            watch.side = side_of(watch.guard);
        }
    }

    /// A surface that the last point is behind, although the motion has just left it: the field has to be
    /// taken on its right side.
    pub(super) fn beside(&self) -> Option<Surface> {
        self.beside
    }

    /// When the motion would have crossed a surface in the last step, if that step failed for it, and that of
    /// which guard.
    pub fn take_crossed(&mut self) -> Option<(f64, usize)> {
        self.crossed.take()
    }

    /// Which guards matter: a lock in a branch that is not taken may be on any side.
    pub(super) fn know_needed(&mut self, needed: &[bool]) {
        for watch in &mut self.watches {
            watch.matters = needed[watch.guard];
        }
    }

    /// Whether a point is behind a surface that is not slid on.
    pub(super) fn is_behind(&mut self, env: &mut FieldEnv<'_>, y: &[f64]) -> bool {
        self.beside = None;
        if y.iter().any(|y| !y.is_finite()) {
            return true;
        }
        let mut behind = false;
        for watch in &mut self.watches {
            let slides = || env.mode.structure.sliding.contains(&watch.guard);
            if !watch.matters || watch.may_be_crossed() || slides() {
                continue;
            }
            watch.seen = env.guard(watch.guard, y);
            if !watch.is_behind(env.mode, watch.seen) {
                continue;
            }
            if let (true, Some(switch)) = (watch.fresh, watch.switch) {
                self.beside = Some(Surface::of_switch(watch.guard, switch));
            } else {
                let zero = watch.zero(self.time, env.t, watch.seen);
                if self.crossed.is_none_or(|(earlier, _)| zero < earlier) {
                    self.crossed = Some((zero, watch.guard));
                }
                behind = true;
            }
        }
        if !behind {
            self.time = env.t;
            self.watches.iter_mut().for_each(|watch| watch.value = watch.seen);
        }
        behind
    }
}

#[cfg(test)]
mod tests {
    use super::super::WorkCounts;
    use super::*;
    use crate::equations::ClosureSystem;

    #[test]
    fn a_point_behind_a_surface_tells_when_it_was_crossed() {
        let system = ClosureSystem::switched(["x"], |_, _, _, dy| dy[0] = 1.0).switch("s", |_, y| y[0] - 1.0);
        let (mut eval, mut mode, mut counts) =
            (system.evaluator(), Mode::new(0, 1, 0), WorkCounts::default());
        mode.values.signs[0] = -1.0;
        let mut one_sided = OneSided::new(&system);
        assert!(one_sided.turn_on() && !one_sided.turn_on(), "once");
        let mut is_behind = |one_sided: &mut OneSided, t: f64, x: f64| {
            let (eval, mode, counts) = (&mut *eval, &mut mode, &mut counts);
            one_sided.is_behind(&mut FieldEnv { eval, mode, parameters: &[], t, counts }, &[x])
        };
        assert!(!is_behind(&mut one_sided, 0.0, 0.0));
        assert_eq!(one_sided.take_crossed(), None);
        assert!(is_behind(&mut one_sided, 2.0, 2.0) && is_behind(&mut one_sided, 3.0, f64::NAN));
        assert_eq!(one_sided.take_crossed(), Some((1.0, 0)));
        one_sided.stand_on(&[0]);
        assert!(!is_behind(&mut one_sided, 2.0, 1.1), "a stage next to where it stands");
        assert_eq!(one_sided.beside(), Some(Surface::of_switch(0, 0)));
        one_sided.renew();
        assert!(one_sided.beside().is_none() && one_sided.turn_on(), "off, as when it was made");
    }
}
