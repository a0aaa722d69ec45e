//! One-sided location: the field is not used beyond a surface that the motion has not crossed. A step ends before its event, which is found by
//! looking ahead on the dense output: beyond the event the equations may not even be defined (Dieci and Lopez, 2012).

use super::Error;
use super::integrate::{Look, MOST_TIMES};
use super::integrator::Integrator;
use super::simulator::{Firing, Simulator};
use crate::formulation::Surface;
use crate::model::{Direction, Location, Side};
use crate::step::Fault;
use crate::watch::SideState;

/// How far ahead of a step its dense output is trusted, and where an event ahead is aimed at, in steps.
const AHEAD: (f64, f64) = (1.3, 1.15);
/// The same for methods whose dense output is poor: next to the end it is as good as the solution.
const JUST_AHEAD: (f64, f64) = (1.003, 1.001);
/// The part of a step that the next try has at least and at most, when the last went beyond a surface.
const NEXT_TRY: (f64, f64) = (0.02, 0.9);

impl Simulator<'_> {
    /// Tells the form on which side of each surface its field may be used. Next to a surface rounding decides
    /// on which side a value is: there either will do.
    pub(super) fn show_sides(&mut self) {
        if !self.integrator.flow.stays_on_this_side() {
            return;
        }
        let (watch, comparisons, guards) = (&self.watch, &self.comparisons, self.system().guards());
        self.integrator.flow.know_sides(|g| match watch.side(g) {
            SideState::Minus => -comparisons.orientation(g),
            SideState::Plus if guards[g].direction == Direction::Both => comparisons.orientation(g),
            _ => 0.0,
        });
    }

    /// Tells the form which surfaces the motion has just come through into another mode, and which it stands on.
    pub(super) fn show_entered_sides(&mut self, fired: &[usize]) {
        if !self.integrator.flow.stays_on_this_side() {
            return;
        }
        let guards = self.system().guards();
        let entered = |g: usize| {
            let changed = guards[g].side == Side::After && guards[g].response.mode.is_some();
            if changed && fired.contains(&g) { self.comparisons.orientation(g) } else { 0.0 }
        };
        self.integrator.flow.enter(entered);
        let stands: Vec<usize> = (0..guards.len()).filter(|&g| self.watch.side(g).is_inside()).collect();
        self.integrator.flow.stand_on(&stands);
    }

    /// The size of the next try after a step that went beyond a surface: it ends before the surface. A field that is not finite may just not
    /// be defined there, so the same step is tried once more with a watch on the surfaces.
    pub(super) fn step_before_surface(&mut self) -> Option<f64> {
        let integrator = &mut self.integrator;
        let fault = matches!(integrator.trial.fault, Some(Fault::NotFinite { .. }));
        if let Some((t, guard)) = integrator.flow.take_crossed() {
            self.blocked_by = Some(guard);
            let to_surface = (t - integrator.trial.t) / integrator.ahead().1;
            return Some(to_surface.clamp(NEXT_TRY.0 * integrator.trial.h, NEXT_TRY.1 * integrator.trial.h));
        }
        let watch = fault && integrator.flow.stay_on_this_side();
        watch.then_some(integrator.trial.h)
    }

    /// Whether events are looked for ahead of a step. Where sliding ends, the fields of both sides hold on: exits need not be approached.
    pub(super) fn looks_ahead(&self) -> bool {
        let guards = self.comparisons.guards();
        self.integrator.location() == Location::OneSided
            && self.watch.watched().iter().any(|&comparison| comparison < guards)
    }

    /// Looks for the first event in the step just tried and a little ahead of it. A step with an event in it is made again so that the event lies
    /// ahead of its end.
    pub(super) fn stop_short_of_event(&mut self) -> Result<Look, Error> {
        let look = self.look_ahead()?;
        let h = self.integrator.trial.h;
        if matches!(look, Look::Nothing) {
            // What changes its side ahead has not done so where the step ends.
            let found = self.scan_to(h).ok().flatten();
            return Ok(found.map_or(Look::Nothing, Look::Found));
        }
        Ok(look)
    }

    fn look_ahead(&mut self) -> Result<Look, Error> {
        for attempt in 0..=MOST_TIMES {
            let h = self.integrator.trial.h;
            let found = match self.scan_to(h * self.integrator.ahead().0) {
                Ok(found) => found,
                // A guard that is not defined ahead is looked at again in the next step.
                Err(bad) if bad.s > h => None,
                Err(bad) => return self.retreat(bad).map(|()| Look::Rejected),
            };
            let Some(found) = found else { return Ok(Look::Nothing) };
            if found.s <= h && self.firing(&found.fired).guards.is_empty() {
                return self.refine_dense_output(found);
            }
            if found.s > h || attempt == MOST_TIMES || found.s <= self.smallest_step() {
                return Ok(self.accept_ahead(h));
            }
            self.recorder.statistics().relocations += 1;
            self.integrator.flow.forget_trial();
            self.integrator.attempt(found.s / self.integrator.ahead().1);
            if !self.integrator.is_acceptable() {
                return self.reject().map(|()| Look::Rejected);
            }
            self.integrator.interpolate();
        }
        Ok(Look::Nothing)
    }

    /// Locates an event ahead of the step on the finest dense output. One beyond the next goal has to wait.
    fn accept_ahead(&mut self, h: f64) -> Look {
        let taken = self.integrator.interpolate_finely();
        self.recorder.statistics().locating += taken;
        // On another dense output it is somewhere else, or so far ahead that the next step meets it.
        let Some(found) = self.scan_to(h * self.integrator.ahead().0).ok().flatten() else {
            return Look::Nothing;
        };
        let goal = self.integrator.options.until.min(self.calendar.next());
        if self.integrator.trial.t + found.s <= goal { Look::Found(found) } else { Look::Nothing }
    }

    /// Where a motion dies out on a surface, no step can reach it without looking beyond it. When steps cannot shrink any more and it is as near as
    /// can be told, the guard fires where the motion stands.
    pub(super) fn arrives(&mut self) -> Option<usize> {
        let guard = self.blocked_by.take()?;
        let (t, mut y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        let tolerances = &self.integrator.options.tolerances;
        let widths: Vec<f64> = y.iter().enumerate().map(|(i, y)| tolerances.scale(i, y.abs())).collect();
        let near = self.integrator.flow.spread_of(guard, t, &mut y, &widths);
        (self.integrator.flow.guard(guard, t, &y).abs() <= near).then_some(guard)
    }
}

impl Simulator<'_> {
    /// The motion is put onto the surface that it has come to as near as can be told, and the guard fires there.
    pub(super) fn arrive(&mut self, guard: usize) -> Firing {
        let (t, mut y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        let (guards, flow) = (self.system().guards(), &mut self.integrator.flow);
        if let Some(surface) = Surface::of(guards, &flow.mode, guard) {
            flow.step_aside(surface, surface.sign(&flow.mode), t, &mut y);
            self.integrator.trial.restart(t, &y);
        }
        let distance = self.signal(guard, 0.0).value.abs();
        self.watch.fire(guard, distance);
        Firing { guards: vec![guard], ..Firing::default() }
    }
}

impl Integrator<'_> {
    fn ahead(&self) -> (f64, f64) {
        if self.has_poor_dense_output() { JUST_AHEAD } else { AHEAD }
    }
}
