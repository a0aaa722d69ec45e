//! Integrates a form until a guard fires, or until the end.

use super::integrator::Integrator;
use super::simulator::{Firing, Simulator, locks};
use super::{Error, Keep, Monitor, Progress};
use crate::equations::Guard;
use crate::math::Bracket;
use crate::model::Location;
use crate::step::{Fault, Method};
use crate::trajectory::Outcome;
use crate::watch::{Found, NotFinite, Touch};

/// How far after the event a step made again ends, as a part of the step. The error of dense output falls
/// with the square of it.
const MARGIN: f64 = 1e-3;
/// The size of the next try after a step whose dense output begins another way than the motion.
const SHORTER: f64 = 0.125;
/// The part of a step in which nothing that the motion begins with may end.
const SOON: f64 = 1.0 / 64.0;
/// How far apart touches are that happen together, as a part of the time: an extremum is located to some units of rounding.
const TOUCHES_APART: f64 = 16.0 * f64::EPSILON;
/// How often a step is made again for one event.
pub(super) const MOST_TIMES: usize = 8;

/// What came of looking for events in a step.
pub(super) enum Look {
    /// The step is taken as a whole.
    Nothing,
    /// The step is taken up to this firing.
    Found(Found),
    /// The step is not taken.
    Rejected,
}

impl Simulator<'_> {
    /// Makes steps until something fires; the outcome if the run ends before that.
    pub(super) fn integrate(&mut self, monitor: &mut dyn Monitor) -> Result<Result<Firing, Outcome>, Error> {
        while self.integrator.trial.t < self.integrator.options.until {
            if let Some(outcome) = self.check_limits(monitor) {
                return Ok(Err(outcome));
            }
            if self.integrator.flow.is_reaching() && self.look_at_surfaces()? {
                continue;
            }
            if let Some(firing) = self.step()? {
                return Ok(Ok(firing));
            }
        }
        self.note_not_reached();
        Ok(Err(Outcome::ReachedEnd))
    }

    fn check_limits(&mut self, monitor: &mut dyn Monitor) -> Option<Outcome> {
        let options = self.integrator.options;
        let statistics = &self.recorder.record.statistics;
        let steps = statistics.accepted + statistics.rejected;
        if steps >= options.limits.steps {
            return Some(Outcome::StepLimit { limit: options.limits.steps });
        }
        let (t, until, h, events) = (self.integrator.trial.t, options.until, self.sizes.h, statistics.events);
        let stop = monitor.watch(&Progress { t, until, h, steps, events })?;
        Some(Outcome::Interrupted { code: stop.code, reason: stop.reason })
    }

    /// Tries one step and takes it, or the part of it up to its first event, if it is good.
    fn step(&mut self) -> Result<Option<Firing>, Error> {
        let (t, due) = (self.integrator.trial.t, self.calendar.next());
        let goal = self.integrator.options.until.min(due).min(self.approach.next);
        let (h, ends_at_goal) = self.sizes.next(t, goal, self.integrator.options);
        if self.watch.is_undecided() {
            let firing = self.decide_by_motion();
            if !firing.is_empty() {
                return Ok(Some(firing));
            }
        }
        self.show_sides();
        self.integrator.attempt(h);
        if !self.integrator.is_acceptable() {
            self.reject()?;
            let arrived = self.arrived.take();
            return Ok(arrived.map(|guard| self.arrive(guard)));
        }
        let look = self.look()?;
        match look {
            Look::Rejected => Ok(None),
            Look::Found(found) => Ok(Some(self.take_concurrent(found))),
            Look::Nothing => {
                // A step that was made again may be shorter.
                let whole = ends_at_goal && self.integrator.trial.h == h;
                let t_end = if whole { goal } else { t + self.integrator.trial.h };
                self.take_step(t_end, ends_at_goal);
                let mut firing = Firing::default();
                if t_end == due {
                    self.add_touches(&mut firing);
                    self.calendar.take_due(&self.integrator.flow, due, &mut firing.guards);
                }
                Ok((!firing.is_empty()).then_some(firing))
            }
        }
    }

    /// Looks for events in the step just tried, and locates the first.
    fn look(&mut self) -> Result<Look, Error> {
        if self.watch.watched().is_empty() {
            match self.integrator.options.keep {
                Keep::Dense => self.integrator.interpolate(),
                Keep::Steps => self.integrator.trial.fill_line(),
                Keep::Ends => {}
            }
            self.sizes.accept(&self.integrator);
            return Ok(Look::Nothing);
        }
        self.integrator.interpolate();
        if self.is_nothing_due() {
            self.sizes.accept(&self.integrator);
            return Ok(Look::Nothing);
        }
        if self.begins_wrongly() {
            return Ok(Look::Rejected);
        }
        if self.looks_ahead() {
            self.sizes.accept(&self.integrator);
            return self.stop_short_of_event();
        }
        let found = match self.scan_with_touches() {
            Ok(found) => found,
            Err(bad) => return self.retreat(bad).map(|()| Look::Rejected),
        };
        if found.as_ref().is_some_and(|found| self.is_much_longer_than(found)) {
            return Ok(Look::Rejected);
        }
        self.sizes.accept(&self.integrator);
        let Some(found) = found else { return Ok(Look::Nothing) };
        match self.integrator.location() {
            Location::Integrate => self.reintegrate_to_event(found),
            _ => self.refine_dense_output(found),
        }
    }

    /// Whether the dense output of the step just tried begins another way than the motion, so that a shorter
    /// one has to be tried.
    fn begins_wrongly(&mut self) -> bool {
        let h = self.integrator.trial.h;
        let (watch, mut along) = self.along();
        if along.begins_exactly() || !watch.is_contradicted(&mut along, h) {
            return false;
        }
        self.shorten_to(SHORTER * self.integrator.trial.h)
    }

    /// Whether the step is far longer than what it begins with lasts: a motion that comes back at once is as
    /// small as the errors of a long step of a method whose dense output does not begin exactly.
    fn is_much_longer_than(&mut self, found: &Found) -> bool {
        let h = self.integrator.trial.h;
        let (watch, along) = self.along();
        let returns = found.s < SOON * h && !along.begins_exactly() && watch.comes_back(found);
        returns && self.shorten_to(found.s / SHORTER)
    }

    /// Tries the step again with another length, if it can be that short.
    fn shorten_to(&mut self, h: f64) -> bool {
        if !self.sizes.shrink_to(&self.integrator, h) {
            return false;
        }
        self.recorder.statistics().rejected += 1;
        self.integrator.flow.forget_trial();
        true
    }

    /// Whether no guard can fire within the step just tried, by how far it goes.
    fn is_nothing_due(&mut self) -> bool {
        // What lies ahead of a step is not bounded by what lies in it.
        let trial = &self.integrator.trial;
        let path = if self.looks_ahead() { f64::INFINITY } else { trial.h + trial.reach() };
        let (watch, mut along) = self.along();
        watch.due(&mut along, path).is_empty()
    }

    /// The first event in the step just tried. Touches are events of guards that say so; within the window
    /// of others they happen with them.
    fn scan_with_touches(&mut self) -> Result<Option<Found>, NotFinite> {
        let h = self.integrator.trial.h;
        let found = self.scan_to(h)?;
        let guards = self.system().guards();
        let counts = |touch: &&Touch| guards.get(touch.comparison).is_some_and(|guard| guard.touches);
        let mut touches = self.watch.touches().iter().filter(counts).copied().peekable();
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
        let (watch, mut along) = self.along();
        watch.scan(&mut along, h, touch.s)?;
        let mut fired: Vec<usize> = touched.iter().map(|touch| touch.comparison).collect();
        fired.sort_unstable();
        let s = touch.s;
        Ok(Some(Found { s, lo: s, hi: s, fired, touched, ..Found::default() }))
    }

    /// The first event up to an offset, which may lie ahead of the step.
    pub(super) fn scan_to(&mut self, h: f64) -> Result<Option<Found>, NotFinite> {
        let (watch, mut along) = self.along();
        watch.scan(&mut along, h, h).map(Option::<&Found>::cloned)
    }

    /// Locates the event on the most accurate dense output of the step.
    pub(super) fn refine_dense_output(&mut self, found: Found) -> Result<Look, Error> {
        if !self.integrator.has_finer_dense_output() {
            return Ok(Look::Found(found));
        }
        let taken = self.integrator.interpolate_finely();
        self.recorder.statistics().locating += taken;
        match self.scan_with_touches() {
            Ok(Some(found)) => Ok(Look::Found(found)),
            Ok(None) => Ok(Look::Nothing),
            Err(bad) => self.retreat(bad).map(|()| Look::Rejected),
        }
    }

    /// Makes the step again until it ends right after its event: near its end the dense output is as good
    /// as the solution.
    fn reintegrate_to_event(&mut self, mut found: Found) -> Result<Look, Error> {
        // What happens together has to be seen, too.
        let after = self.integrator.options.concurrency.map_or(0.0, |concurrency| concurrency.time);
        for _ in 0..MOST_TIMES {
            let h = (found.s * (1.0 + MARGIN)).max(found.s + after);
            if h >= self.integrator.trial.h
                || found.s >= (1.0 - 2.0 * MARGIN) * self.integrator.trial.h
                || h <= self.smallest_step()
            {
                break;
            }
            self.recorder.statistics().relocations += 1;
            self.integrator.flow.forget_trial();
            self.integrator.attempt(h);
            if !self.integrator.is_acceptable() {
                return self.reject().map(|()| Look::Rejected);
            }
            self.integrator.interpolate();
            found = match self.scan_with_touches() {
                Ok(Some(next)) => next,
                // Only the dense output of the longer step had it: the next one is no longer than this one lets expect.
                Ok(None) => {
                    self.recorder.statistics().phantoms += 1;
                    self.sizes.accept(&self.integrator);
                    return Ok(Look::Nothing);
                }
                Err(bad) => return self.retreat(bad).map(|()| Look::Rejected),
            };
        }
        Ok(Look::Found(found))
    }

    /// A step that is shorter than this does not move the time.
    pub(super) fn smallest_step(&self) -> f64 {
        let scale = self.integrator.trial.t.abs().max(1e-6 * self.integrator.options.until.abs());
        64.0 * f64::EPSILON * scale
    }

    /// Shrinks the step, or gives up when it cannot shrink any more.
    pub(super) fn reject(&mut self) -> Result<(), Error> {
        let slides = self.integrator.flow.sliding().is_some();
        self.recorder.statistics().count_rejection(slides);
        self.notice_method();
        self.integrator.flow.forget_trial();
        if self.integrator.options.method == Method::Automatic && self.reconsider_method(false) {
            return Ok(());
        }
        let may_shrink = match self.step_before_surface() {
            Some(shorter) => self.sizes.shrink_to(&self.integrator, shorter),
            None => self.sizes.reject(&self.integrator),
        };
        if may_shrink {
            return Ok(());
        }
        self.arrived = self.arrives();
        if self.arrived.is_some() { Ok(()) } else { Err(self.giving_up()) }
    }

    /// A guard was not finite somewhere in a good step: tries a shorter one, or gives up when it cannot
    /// shrink any more.
    pub(super) fn retreat(&mut self, bad: NotFinite) -> Result<(), Error> {
        self.recorder.statistics().rejected += 1;
        self.integrator.flow.forget_trial();
        if self.sizes.retreat(&self.integrator) { Ok(()) } else { Err(self.guard_not_finite(bad)) }
    }

    pub(super) fn guard_not_finite(&mut self, bad: NotFinite) -> Error {
        let t = self.integrator.trial.t + bad.s;
        let guard = bad.comparison.min(self.comparisons.guards().saturating_sub(1));
        self.integrator.state_at(bad.s, &mut self.before);
        let value = self.integrator.flow.guard(guard, t, &self.before);
        Error::GuardNotFinite { name: self.guard(guard).name.clone(), value, t }
    }

    /// Takes the whole step just tried.
    pub(super) fn take_step(&mut self, t_end: f64, cut: bool) {
        let h = self.integrator.trial.h;
        if !self.watch.watched().is_empty() {
            self.note_touches();
            self.watch.accept(h);
        }
        if t_end > self.integrator.trial.t {
            self.cascade.clear();
        }
        self.accumulating.elapsed = self.accumulating.elapsed.plus(h);
        let end = std::mem::take(&mut self.integrator.trial.end);
        self.recorder.add_step(&self.integrator, t_end, &end);
        self.uncertainty.take_step(&self.integrator, h, &end);
        self.integrator.trial.end = end;
        let slides = self.integrator.flow.sliding().is_some();
        self.integrator.flow.move_along_jumps();
        if self.integrator.flow.is_mechanism() {
            self.note_singular();
            self.look_at_adjustment();
        }
        let statistics = self.recorder.statistics();
        statistics.slid += u64::from(slides);
        statistics.count_step(h, cut);
        let accepted = statistics.accepted;
        self.notice_method();
        if self.integrator.flow.stays_on_this_side() {
            self.integrator.flow.move_on();
        }
        self.integrator.step.advance();
        if self.integrator.options.method == Method::Automatic {
            self.reconsider_method(true);
        } else if self.stiffness.is_due(accepted) {
            self.look_at_stiffness();
        }
        self.integrator.trial.advance(t_end);
    }

    /// Takes the step just tried up to what fires in it.
    pub(super) fn take_up_to(&mut self, found: &Found) -> Firing {
        let mut t = self.integrator.trial.t + found.s;
        let due = self.calendar.next();
        // What is scheduled within the window happens with it.
        if t >= due - 2.0 * f64::EPSILON * due.abs() {
            t = due;
        }
        self.note_touches();
        self.keep_peaks(found);
        self.accumulating.location = found.hi - found.lo;
        self.accumulating.elapsed = self.accumulating.elapsed.plus(found.s);
        self.watch.accept(found.s);
        found.touched.iter().for_each(|touch| self.watch.leave_touch(touch));
        let mut state = std::mem::take(&mut self.before);
        self.integrator.state_at(found.s, &mut state);
        self.recorder.add_step(&self.integrator, t, &state);
        self.uncertainty.take_step(&self.integrator, found.s, &state);
        let slides = self.integrator.flow.sliding().is_some();
        let statistics = self.recorder.statistics();
        if t > self.integrator.trial.t {
            // Without time between them, events belong to one instant.
            self.cascade.clear();
        }
        if found.s > 0.0 {
            statistics.count_step(found.s, true);
            statistics.slid += u64::from(slides);
        } else {
            statistics.rejected += 1;
        }
        self.notice_method();
        let t0 = self.integrator.trial.t;
        self.integrator.trial.restart(t, &state);
        self.before = state;
        let mut firing = self.firing(&found.fired);
        self.take_back_kinks(&mut firing);
        self.add_touches(&mut firing);
        firing.window = Some(Bracket { lo: t0 + found.lo, hi: t0 + found.hi });
        self.calendar.take_due(&self.integrator.flow, t, &mut firing.guards);
        firing
    }

    /// Adds guards that touch zero at the end of what was taken, if that counts: what comes after it is not
    /// seen yet.
    fn add_touches(&mut self, firing: &mut Firing) {
        let guards = self.system().guards();
        let known = firing.guards.clone();
        let counts = |g: usize| guards.get(g).is_some_and(|guard| guard.touches) && !known.contains(&g);
        let mut turning = Vec::new();
        let (watch, mut along) = self.along();
        watch.turning(&mut along, &counts, &mut turning);
        for touch in &turning {
            watch.leave_touch(touch);
        }
        firing.guards.extend(turning.iter().map(|touch| touch.comparison));
        firing.guards.sort_unstable();
    }

    /// A guard that comes to zero and turns back is no event unless that is asked for: that is worth a
    /// note, once.
    fn note_touches(&mut self) {
        for k in 0..self.watch.touches().len() {
            let touch = self.watch.touches()[k];
            self.note_touch(touch.comparison, self.integrator.trial.t + touch.s);
        }
        for k in 0..self.watch.unproved().len() {
            let Some(guard) = self.system().guards().get(self.watch.unproved()[k]) else { continue };
            self.recorder.note_once(self.integrator.trial.t, ("roots-uncertain", &guard.name), || {
                format!(
                    "the guard of `{}` varies too wildly within a step to be sure of all its roots; it was looked at by samples",
                    guard.name
                )
            });
        }
    }

    pub(super) fn note_touch(&mut self, comparison: usize, t: f64) {
        // What stands for a branch of a formula is no event of its own that could say how it takes touches.
        let is_silent = |guard: &&Guard| !guard.touches && !locks(guard);
        let Some(guard) = self.system().guards().get(comparison).filter(is_silent) else { return };
        self.recorder.note_once(t, ("touches-zero", &guard.name), || {
            format!(
                "the guard of `{}` touches zero at t = {t} and turns back; that is no event unless it says `touches = true`",
                guard.name
            )
        });
    }

    /// Lets `auto` choose the method of the next step. Gives whether another one goes on.
    fn reconsider_method(&mut self, is_taken: bool) -> bool {
        let Some(change) = self.integrator.step.reconsider(&self.integrator.trial, is_taken) else {
            return false;
        };
        let now = self.integrator.step.method();
        if change.is_settled
            && now.facts().implicit
            && let Some(explicit) = self.recorder.last_explicit()
        {
            self.note_stiffness(explicit, now);
        }
        let Some(h) = change.h else { return false };
        self.recorder.share_out(&self.integrator);
        self.recorder.work_with(now);
        self.take_over();
        self.sizes.begin_with(&self.integrator, h);
        true
    }

    /// The step just tried has been counted. The first one may have shown that another method has to make it.
    fn notice_method(&mut self) {
        if self.recorder.notice_method(&self.integrator) {
            self.take_over();
        }
    }

    /// Sizes of steps and what is looked at are those of the method at work.
    fn take_over(&mut self) {
        self.sizes.change_method(&self.integrator);
        let nodes = self.integrator.step.method().nodes();
        self.comparisons.look_at(self.integrator.options.detection, nodes);
    }

    /// Says once when stability and not accuracy limits the steps.
    fn look_at_stiffness(&mut self) {
        let stiff = self.stiffness.record(self.integrator.step.stiffness(&self.integrator.trial));
        let method = self.integrator.step.method();
        if stiff && !method.facts().implicit {
            self.note_stiffness(method, method);
        }
    }

    fn note_stiffness(&mut self, before: Method, now: Method) {
        let (from, to) = (before.name(), now.name());
        let form = if self.integrator.step.is_ggl() { " on the stabilised form (`ggl`)" } else { "" };
        self.recorder.note_once(self.integrator.trial.t, ("stiff", ""), || {
            if now == before {
                format!(
                    "the problem is stiff: stability and not accuracy limits the steps of `{from}`; `radau5` may take far fewer"
                )
            } else {
                format!(
                    "the problem is stiff: `{to}`{form} goes on, where stability would limit the steps of `{from}`"
                )
            }
        });
    }

    /// Why the smallest step is still not good.
    fn giving_up(&mut self) -> Error {
        if let Some(contradiction) = self.integrator.contradiction() {
            return contradiction;
        }
        let names = self.system().state_names();
        let trial = &self.integrator.trial;
        let (t, h, error) = (trial.t, trial.h, trial.error);
        match trial.fault {
            Some(Fault::NotFinite { component, t, value }) => {
                let (name, state) = (names[component].clone(), self.describe_state());
                Error::DerivativeNotFinite { name, value, t, state }
            }
            Some(Fault::EndNotFinite { component, value }) => {
                let (name, state) = (names[component].clone(), self.describe_state());
                Error::StateNotFinite { name, value, t: t + h, state }
            }
            Some(Fault::NoConvergence) => {
                let fixed = self.integrator.options.fixed_step.is_some();
                Error::NoConvergence { t, h, fixed, mechanism: self.integrator.flow.is_mechanism() }
            }
            Some(Fault::LeftOpen { constraint, left }) => {
                let constraint = self.system().constraints()[constraint].name.clone();
                Error::LeftOpen { t, h, constraint, left }
            }
            Some(Fault::SingularMatrix { component }) => {
                Error::SingularMatrix { name: names[component].clone(), t, h }
            }
            None => Error::StepTooSmall { name: names[trial.worst()].clone(), t, h, error },
        }
    }

    fn describe_state(&self) -> String {
        let names = self.system().state_names();
        let start = &self.integrator.trial.start;
        let list: Vec<_> = names.iter().zip(start).take(6).map(|(n, y)| format!("{n} = {y:e}")).collect();
        let more = if names.len() > list.len() { ", …" } else { "" };
        format!("{}{more}", list.join(", "))
    }
}

impl Integrator<'_> {
    /// Where events are located: as asked, or on the dense output unless that would cost the method its
    /// order; and before what lies beyond them where the field is not defined there.
    pub(super) fn location(&self) -> Location {
        let poor = self.has_poor_dense_output() || self.flow.is_held();
        let default = if poor { Location::Integrate } else { Location::Dense };
        let asked = self.options.location.unwrap_or(default);
        if self.flow.stays_on_this_side() { Location::OneSided } else { asked }
    }

    /// Whether events are located once more, on a finer dense output.
    fn has_finer_dense_output(&self) -> bool {
        let facts = self.step.method().facts();
        let finer = !facts.implicit && facts.dense_order < facts.order && !self.has_poor_dense_output();
        finer && self.options.location != Some(Location::Dense)
    }

    /// Whether an event on dense output costs the method its order.
    pub(super) fn has_poor_dense_output(&self) -> bool {
        let facts = self.step.method().facts();
        // The high orders have nothing finer than their dense output.
        facts.dense_order + 1 < facts.order || (facts.dense_order < facts.order && facts.order > 6)
    }
}
