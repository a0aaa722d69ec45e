//! Looks for events in a step just tried, and locates the first.

use super::Keep;
use super::guards::Guards;
use super::integrator::Integrator;
use crate::model::Location;
use crate::trajectory::Statistics;
use crate::watch::{Found, NotFinite, Touch};

/// How far after the event a step made again ends, as a part of the step. The error of dense output falls
/// with the square of it.
const MARGIN: f64 = 1e-3;
/// The size of the next try after a step whose dense output begins another way than the motion.
const SHORTER: f64 = 0.125;
/// How often a segment may make steps again because their dense output begins another way than the motion.
const MOST_CONTRADICTIONS: u32 = 200;
/// The part of a step in which nothing that the motion begins with may end.
const SOON: f64 = 1.0 / 64.0;
/// How far apart touches are that happen together, as a part of the time: an extremum is located to some
/// units of rounding.
const TOUCHES_APART: f64 = 16.0 * f64::EPSILON;
/// How often a step is made again for one event.
pub(super) const MOST_TIMES: usize = 8;

/// What came of looking for events in a step.
pub(super) enum Detected {
    /// The step is taken as a whole.
    Nothing,
    /// The step is taken up to this firing.
    Found(Found),
    /// The step is not taken: a shorter one will be tried.
    Shortened,
    /// The step was made again for an event, and is not good.
    NotGood,
    /// A guard is not finite in a good step.
    NotFinite(NotFinite),
}

/// Looks for events in the step that an integrator has just tried.
pub(super) struct EventSearch<'r, 'a> {
    pub(super) integrator: &'r mut Integrator<'a>,
    pub(super) guards: &'r mut Guards,
    pub(super) statistics: &'r mut Statistics,
}

impl EventSearch<'_, '_> {
    /// Looks for events in the step just tried, and locates the first. The size of the next step follows.
    pub(super) fn find_first_event(&mut self) -> Detected {
        if self.guards.watch.watched().is_empty() {
            match self.integrator.options.keep {
                Keep::Dense => self.integrator.interpolate(),
                Keep::Steps => self.integrator.trial.fill_line(),
                Keep::Ends => {}
            }
            self.integrator.accept();
            return Detected::Nothing;
        }
        self.integrator.interpolate();
        if self.is_nothing_due() {
            self.integrator.accept();
            return Detected::Nothing;
        }
        if self.begins_wrongly() {
            return Detected::Shortened;
        }
        if self.looks_ahead() {
            self.integrator.accept();
            return self.stop_short_of_event();
        }
        if self.locates_on_finer_output() {
            return match self.unless_crowded(Self::may_fire) {
                Ok(Some(fires)) => self.take_or_refine(fires),
                Ok(None) => Detected::Shortened,
                Err(bad) => Detected::NotFinite(bad),
            };
        }
        let found = match self.unless_crowded(Self::scan_with_touches) {
            Ok(Some(found)) => found,
            Ok(None) => return Detected::Shortened,
            Err(bad) => return Detected::NotFinite(bad),
        };
        if found.as_ref().is_some_and(|found| self.is_much_longer_than(found)) {
            return Detected::Shortened;
        }
        self.integrator.accept();
        let Some(found) = found else { return Detected::Nothing };
        match self.integrator.location() {
            Location::Integrate => self.reintegrate_to_event(found),
            _ => self.refine_dense_output(found),
        }
    }

    /// The first event in a step of time stepping, which is a straight line.
    pub(super) fn scan_captured(&mut self, h: f64) -> Result<Option<Found>, NotFinite> {
        if self.is_nothing_due() { Ok(None) } else { self.scan_to(h) }
    }

    /// Whether events are located on another dense output than the one that they are detected on, which begins
    /// as exactly.
    fn locates_on_finer_output(&mut self) -> bool {
        let finer =
            self.integrator.has_finer_dense_output() && self.integrator.location() != Location::Integrate;
        finer && self.guards.along(self.integrator).1.begins_exactly()
    }

    /// Looks at the step just tried; none if a guard turns so often in it that it is tried again with a shorter one, once.
    /// The error of a motion says nothing of that: a wheel under a constant torque has none, however often it turns. Of a
    /// guard that no step is short enough for, it is noted what is not known.
    fn unless_crowded<T>(
        &mut self,
        look: impl Fn(&mut Self) -> Result<T, NotFinite>,
    ) -> Result<Option<T>, NotFinite> {
        let begins = self.integrator.trial.t;
        self.guards.watch.be_patient(self.guards.crowded_at == begins);
        let seen = look(self);
        self.guards.watch.be_patient(true);
        if !self.guards.watch.is_crowded() {
            return seen.map(Some);
        }
        self.guards.crowded_at = begins;
        let shorter = SHORTER * self.integrator.trial.h;
        if self.shorten_to(shorter) { Ok(None) } else { look(self).map(Some) }
    }

    /// Whether an event may be in the step just tried, touches included.
    fn may_fire(&mut self) -> Result<bool, NotFinite> {
        let h = self.integrator.trial.h;
        let (watch, mut along) = self.guards.along(self.integrator);
        let fires = watch.may_fire(&mut along, h)?;
        let guards = self.integrator.flow.system().guards();
        let counts = |touch: &Touch| guards.get(touch.comparison).is_some_and(|guard| guard.touches);
        Ok(fires || self.guards.watch.touches().iter().any(counts))
    }

    /// Takes a good step without events, or locates the first.
    fn take_or_refine(&mut self, fires: bool) -> Detected {
        self.integrator.accept();
        if fires { self.locate_finely() } else { Detected::Nothing }
    }

    /// Whether the dense output of the step just tried begins another way than the motion, so that a shorter
    /// one has to be tried.
    fn begins_wrongly(&mut self) -> bool {
        let h = self.integrator.trial.h;
        let (watch, mut along) = self.guards.along(self.integrator);
        if along.begins_exactly() || !watch.is_contradicted(&mut along, h) {
            return false;
        }
        // A motion within rounding of its guard may be contradicted by every step: then the steps are believed.
        self.guards.contradictions += 1;
        self.guards.contradictions <= MOST_CONTRADICTIONS && self.shorten_to(SHORTER * h)
    }

    /// Whether the step is far longer than what it begins with lasts: such a motion is as small as the errors of a
    /// long step of a method whose dense output does not begin exactly.
    fn is_much_longer_than(&mut self, found: &Found) -> bool {
        let is_soon = found.s < SOON * self.integrator.trial.h;
        let (_, along) = self.guards.along(self.integrator);
        is_soon && !along.begins_exactly() && self.shorten_to(found.s / SHORTER)
    }

    /// Tries the step again with another length, if it can be that short.
    fn shorten_to(&mut self, h: f64) -> bool {
        if !self.integrator.sizes.shrink_to(self.integrator.trial.t, h) {
            return false;
        }
        self.statistics.rejected += 1;
        self.integrator.flow.singular().forget_trial();
        true
    }

    /// Whether no guard can fire within the step just tried, by how far it goes.
    fn is_nothing_due(&mut self) -> bool {
        // What lies ahead of a step is not bounded by what lies in it.
        let path = if self.looks_ahead() { f64::INFINITY } else { self.guards.path_of_step(self.integrator) };
        let (watch, mut along) = self.guards.along(self.integrator);
        watch.due(&mut along, path).is_empty()
    }

    /// The first event in the step just tried. Touches are events of guards that say so; within the window
    /// of others they happen with them.
    fn scan_with_touches(&mut self) -> Result<Option<Found>, NotFinite> {
        let h = self.integrator.trial.h;
        let found = self.scan_to(h)?;
        let guards = self.integrator.flow.system().guards();
        let counts = |touch: &&Touch| guards.get(touch.comparison).is_some_and(|guard| guard.touches);
        let mut touches = self.guards.watch.touches().iter().filter(counts).copied().peekable();
        let Some(&touch) = touches.peek() else { return Ok(found) };
        if let Some(mut found) = found.filter(|found| found.lo <= touch.s) {
            found.touched.extend(touches.filter(|touch| !found.fired.contains(&touch.comparison)));
            found.fired.extend(found.touched.iter().map(|touch| touch.comparison));
            found.fired.sort_unstable();
            return Ok(Some(found));
        }
        let together = TOUCHES_APART * (self.integrator.trial.t.abs() + h);
        let touched: Vec<Touch> = touches.take_while(|other| other.s <= touch.s + together).collect();
        // The sides of the others are those where the touch is.
        let (watch, mut along) = self.guards.along(self.integrator);
        watch.scan(&mut along, h, touch.s)?;
        let mut fired: Vec<usize> = touched.iter().map(|touch| touch.comparison).collect();
        fired.sort_unstable();
        let s = touch.s;
        Ok(Some(Found { s, lo: s, hi: s, fired, touched, ..Found::default() }))
    }

    /// The first event up to an offset, which may lie ahead of the step.
    pub(super) fn scan_to(&mut self, h: f64) -> Result<Option<Found>, NotFinite> {
        let (watch, mut along) = self.guards.along(self.integrator);
        watch.scan(&mut along, h, h).map(Option::<&Found>::cloned)
    }

    /// Locates the event on the most accurate dense output of the step.
    pub(super) fn refine_dense_output(&mut self, found: Found) -> Detected {
        if self.integrator.has_finer_dense_output() { self.locate_finely() } else { Detected::Found(found) }
    }

    /// Makes the most accurate dense output of the step, and locates the first event on it.
    fn locate_finely(&mut self) -> Detected {
        self.statistics.locating.derivatives += self.integrator.interpolate_finely();
        match self.scan_with_touches() {
            Ok(Some(found)) => Detected::Found(found),
            Ok(None) => Detected::Nothing,
            Err(bad) => Detected::NotFinite(bad),
        }
    }

    /// Makes the step again until it ends right after its event: near its end the dense output is as good
    /// as the solution.
    fn reintegrate_to_event(&mut self, mut found: Found) -> Detected {
        // What happens together has to be seen, too.
        let after = self.integrator.options.events.concurrency.map_or(0.0, |concurrency| concurrency.time);
        for _ in 0..MOST_TIMES {
            let h = (found.s * (1.0 + MARGIN)).max(found.s + after);
            if h >= self.integrator.trial.h
                || found.s >= (1.0 - 2.0 * MARGIN) * self.integrator.trial.h
                || h <= self.integrator.smallest_step()
            {
                break;
            }
            if !self.make_again(h) {
                return Detected::NotGood;
            }
            found = match self.scan_with_touches() {
                Ok(Some(next)) => next,
                // Only the dense output of the longer step had it: the next one is no longer than this one
                // lets expect.
                Ok(None) => {
                    self.statistics.locating.phantoms += 1;
                    self.integrator.accept();
                    return Detected::Nothing;
                }
                Err(bad) => return Detected::NotFinite(bad),
            };
        }
        Detected::Found(found)
    }

    /// Makes the step again with another length, and its dense output. False if it is not good.
    pub(super) fn make_again(&mut self, h: f64) -> bool {
        self.statistics.locating.relocations += 1;
        self.integrator.flow.singular().forget_trial();
        self.integrator.attempt(h);
        if !self.integrator.is_acceptable() {
            return false;
        }
        self.integrator.interpolate();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::Plan;
    use super::*;

    const BALL: &str = r#"
        states = { y = 0.1, v = 0.0 }
        derivatives = { y = "v", v = "-9.81" }
        events.floor = { guard = "y < 0", reset = { v = "-v" } }
        run = { until = 3, method = "dopri5" }"#;

    /// What is found in one step of this length, and what the step came to be.
    fn look(text: &str, h: f64) -> (Option<Found>, f64) {
        let plan = Plan::of(text);
        let mut integrator = Integrator::of(&plan);
        let mut guards = Guards::new(&integrator);
        guards.activate(&mut integrator.flow, 0.0);
        assert!(guards.fires_by_value(&mut integrator).expect("finite values").is_empty());
        integrator.sizes.begin_with(h);
        integrator.attempt(h);
        let mut statistics = Statistics::default();
        let mut search =
            EventSearch { integrator: &mut integrator, guards: &mut guards, statistics: &mut statistics };
        let found = match search.find_first_event() {
            Detected::Found(found) => Some(found),
            Detected::Nothing => None,
            _ => panic!("the step is good"),
        };
        (found, integrator.trial.h)
    }

    #[test]
    fn the_first_event_in_a_step_is_located() {
        let (found, h) = look(BALL, 0.2);
        let found = found.expect("the floor");
        let root = (0.2_f64 / 9.81).sqrt();
        assert!((found.s - root).abs() < 1e-15 && found.lo <= root && root <= found.hi, "{found:?}");
        assert_eq!((found.fired, h), (vec![0], 0.2));
        assert_eq!(look(BALL, 0.1).0, None);
    }

    #[test]
    fn a_guard_is_as_near_as_it_was_at_an_event_that_does_not_concern_it() {
        let text = r#"
            states = { x = 0.0, v = 2.0 }
            derivatives = { x = "v", v = "0" }
            events.left = { guard = "x < -1", reset = { v = "-0.5*v" } }
            events.right = { guard = "x > 1", reset = { v = "-0.5*v" } }
            run = { until = 9, method = "dopri5", location = "dense" }"#;
        let plan = Plan::of(text);
        let run = super::super::simulate(&plan.system, &plan.start, &plan.options).expect("a run");
        // To one wall, and to the other at half the speed, and back at a quarter of it.
        let times: Vec<f64> = run.events.iter().map(|event| event.t).collect();
        assert_eq!(times.len(), 3, "{times:?}");
        assert!(times.iter().zip([0.5, 2.5, 6.5]).all(|(t, exact)| (t - exact).abs() < 1e-12), "{times:?}");
    }

    #[test]
    fn the_step_is_made_again_to_end_at_its_event() {
        let again = BALL.replace("until = 3", "until = 3, location = \"integrate\"");
        let (found, h) = look(&again, 0.2);
        let found = found.expect("the floor");
        assert!(found.s < h && h < (1.0 + 2.0 * MARGIN) * found.s, "{} {h}", found.s);
    }

    #[test]
    fn a_step_on_one_side_ends_before_its_event() {
        let (found, h) = look(&BALL.replace("until = 3", "until = 3, location = \"one-sided\""), 0.2);
        assert!(found.is_some_and(|found| found.s > h));
    }
}
