//! One-sided location: the field is not used beyond a surface that the motion has not crossed. A step ends
//! before its event, which is found by looking ahead on the dense output: beyond the event the equations may
//! not even be defined (Dieci and Lopez, 2012).

use super::guards::Guards;
use super::integrator::Integrator;
use super::search::{Detected, EventSearch, MOST_TIMES};
use crate::model::{Direction, Location, Side};
use crate::step::Fault;
use crate::watch::SideState;

/// How far ahead of a step its dense output is trusted, and where an event ahead is aimed at, in steps.
const AHEAD: (f64, f64) = (1.3, 1.15);
/// The same for methods whose dense output is poor: next to the end it is as good as the solution.
const JUST_AHEAD: (f64, f64) = (1.003, 1.001);
/// The part of a step that the next try has at least and at most, when the last went beyond a surface.
const NEXT_TRY: (f64, f64) = (0.02, 0.9);

impl Guards {
    /// Tells the form on which side of each surface its field may be used. Next to a surface rounding decides
    /// on which side a value is: there either will do.
    pub(super) fn show_sides(&self, integrator: &mut Integrator<'_>) {
        if !integrator.flow.one_sided.is_on() {
            return;
        }
        let (watch, comparisons) = (&self.watch, &self.comparisons);
        let guards = integrator.flow.system().guards();
        integrator.flow.one_sided.know_sides(|g| match watch.side(g) {
            SideState::Minus => -comparisons.orientation(g),
            SideState::Plus if guards[g].direction == Direction::Both => comparisons.orientation(g),
            _ => 0.0,
        });
    }

    /// Tells the form which surfaces the motion has just come through into another mode, by the guard that
    /// fired, and which it stands on. What resets of the same instant have taken back has come through
    /// nothing.
    pub(super) fn show_entered_sides(&self, integrator: &mut Integrator<'_>, fired: Option<usize>) {
        let Integrator { flow, trial, .. } = integrator;
        if !flow.one_sided.is_on() {
            return;
        }
        let guards = flow.system().guards();
        let changed = |g: &usize| guards[*g].side == Side::After && guards[*g].response.mode.is_some();
        let side = |g: usize| (g, self.comparisons.orientation(g));
        let is_beyond =
            |&(g, side): &(usize, f64)| flow.guards().value(g, trial.t, &trial.start) * side >= 0.0;
        let entered = fired.filter(changed).map(side).filter(is_beyond);
        flow.one_sided.enter(|g| entered.filter(|entered| entered.0 == g).map_or(0.0, |(_, side)| side));
        let stands: Vec<usize> = (0..guards.len()).filter(|&g| self.watch.side(g).is_inside()).collect();
        flow.one_sided.stand_on(&stands);
    }
}

impl EventSearch<'_, '_> {
    /// Whether events are looked for ahead of a step. Where sliding ends, the fields of both sides hold on:
    /// exits need not be approached.
    pub(super) fn looks_ahead(&self) -> bool {
        let guards = self.guards.comparisons.guards();
        self.integrator.location() == Location::OneSided
            && self.guards.watch.watched().iter().any(|&comparison| comparison < guards)
    }

    /// Looks for the first event in the step just tried and a little ahead of it. A step with an event in it
    /// is made again so that the event lies ahead of its end.
    pub(super) fn stop_short_of_event(&mut self) -> Detected {
        let look = self.look_ahead();
        let h = self.integrator.trial.h;
        if matches!(look, Detected::Nothing) {
            // What changes its side ahead has not done so where the step ends.
            let found = self.scan_to(h).ok().flatten();
            return found.map_or(Detected::Nothing, Detected::Found);
        }
        look
    }

    fn look_ahead(&mut self) -> Detected {
        for attempt in 0..=MOST_TIMES {
            let h = self.integrator.trial.h;
            let found = match self.scan_to(h * self.integrator.ahead().0) {
                Ok(found) => found,
                // A guard that is not defined ahead is looked at again in the next step.
                Err(bad) if bad.s > h => None,
                Err(bad) => return Detected::NotFinite(bad),
            };
            let Some(found) = found else { return Detected::Nothing };
            if found.s <= h && self.guards.comparisons.firing(&found.fired).guards.is_empty() {
                return self.refine_dense_output(found);
            }
            // What is looked at has to reach to where the event has certainly happened.
            let (ahead, aim) = self.integrator.ahead();
            let shorter = (found.s / aim).max(found.hi / aim.midpoint(ahead));
            let is_ahead = found.s > h || shorter >= h || found.s <= self.integrator.smallest_step();
            if is_ahead || attempt == MOST_TIMES {
                return self.accept_ahead(h);
            }
            if !self.make_again(shorter) {
                return Detected::NotGood;
            }
        }
        Detected::Nothing
    }

    /// Locates an event ahead of the step on the finest dense output. One beyond the next goal has to wait.
    fn accept_ahead(&mut self, h: f64) -> Detected {
        self.statistics.locating.derivatives += self.integrator.interpolate_finely();
        // On another dense output it is somewhere else, or so far ahead that the next step meets it.
        let Some(found) = self.scan_to(h * self.integrator.ahead().0).ok().flatten() else {
            return Detected::Nothing;
        };
        let goal = self.integrator.options.until.min(self.guards.calendar.next());
        if self.integrator.trial.t + found.s <= goal { Detected::Found(found) } else { Detected::Nothing }
    }
}

impl Integrator<'_> {
    fn ahead(&self) -> (f64, f64) {
        if self.has_poor_dense_output() { JUST_AHEAD } else { AHEAD }
    }

    /// The size of the next try after a step that went beyond a surface: it ends before the surface. A field
    /// that is not finite may just not be defined there, so the same step is tried once more with a watch on
    /// the surfaces.
    pub(super) fn step_before_surface(&mut self) -> Option<f64> {
        let fault = matches!(self.trial.fault, Some(Fault::NotFinite { .. }));
        if let Some((t, guard)) = self.flow.one_sided.take_crossed() {
            self.blocked_by = Some((guard, t));
            let to_surface = (t - self.trial.t) / self.ahead().1;
            return Some(to_surface.clamp(NEXT_TRY.0 * self.trial.h, NEXT_TRY.1 * self.trial.h));
        }
        let watch = fault && self.flow.stay_on_this_side();
        watch.then_some(self.trial.h)
    }

    /// Where a motion dies out on a surface, no step can reach it without looking beyond it. When steps
    /// cannot shrink any more and it is as near as can be told, in states or in time, the guard fires where the
    /// motion stands.
    pub(super) fn arrives(&mut self) -> Option<usize> {
        let (guard, crossing) = self.blocked_by.take()?;
        let (t, mut y) = (self.trial.t, self.trial.start.clone());
        if crossing - t <= self.smallest_step() {
            return Some(guard);
        }
        let widths = self.widths(&y);
        let near = self.flow.guards().spread(guard, t, &mut y, &widths);
        (self.flow.guards().value(guard, t, &y).abs() <= near).then_some(guard)
    }
}
