//! What a run does at an event, and what it says when something is amiss.

use super::Error;
use super::run::Run;
use crate::equations::{Guard, GuardKind};
use crate::event::{BadGuard, Conflict, Limit, resolve};
use crate::math::Bracket;
use crate::step::{Fault, Method};
use crate::trajectory::{Event, EventKind, Note, Outcome, Segment};

/// How much is different from before at the start of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Nothing: an event was recorded, the motion goes on.
    Nothing,
    /// The state, a switch or the mode.
    Motion,
    /// It is the start of the run.
    Everything,
}

/// How a run goes on after an event.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum After {
    /// With a new segment.
    GoOn(Change),
    /// Not at all.
    End(Outcome),
}

/// The most events without a step between them.
const MOST_IN_A_CASCADE: usize = 100;

/// 2^53: beyond, the next whole number is not a double.
const LARGEST_COUNT: f64 = 9_007_199_254_740_992.0;

impl Run<'_> {
    /// Applies what fired at the state `before`, closes the segment and writes the log. Gives how much has changed, and the guard that ends the
    /// run, if any.
    pub(super) fn handle_event(&mut self, offsets: Bracket) -> Result<(Change, Option<usize>), Error> {
        let t0 = self.trial.t;
        let t = self.segment.end_time.max(t0);
        for &g in self.detector.fired() {
            self.fired[g] += 1;
        }
        let mode_before = self.flow.mode.values.place;
        self.detector.look_at_clock(&mut self.flow, t, &self.before);
        let resolution =
            resolve(&mut self.flow, &self.detector, &self.fired, t, &self.before, &mut self.after);
        self.check_reset(t)?;
        self.assemble_after_event(t)?;
        let mut event = Event {
            t,
            bracket: Bracket { lo: t0 + offsets.lo, hi: t0 + offsets.hi },
            width: offsets.width(),
            guards: self.detector.fired().to_vec(),
            kinds: Vec::new(),
            before: self.before.clone(),
            after: self.after.clone(),
            mode_before,
            mode_after: self.flow.mode.values.place,
        };
        event.kinds = self.kinds(&event, resolution.stop.is_some());
        let acts = |kind: &EventKind| !matches!(kind, EventKind::Record | EventKind::Stop);
        let change = if event.kinds.iter().any(acts) { Change::Motion } else { Change::Nothing };
        self.note_conflicts(t, &resolution.conflicts);
        self.record.statistics.count_event(&event);
        self.record.events.push(event);
        let next = Segment::new(self.flow.mode.clone(), t, &self.after);
        self.record.segments.push(std::mem::replace(&mut self.segment, next));
        self.trial.restart(t, &self.after);
        Ok((change, resolution.stop))
    }

    fn kinds(&self, event: &Event, stops: bool) -> Vec<EventKind> {
        let guards = self.flow.system().guards();
        let any = |f: &dyn Fn(usize) -> bool| event.guards.iter().any(|&g| f(g));
        let mut kinds = Vec::new();
        let mut add = |kind, holds| {
            if holds {
                kinds.push(kind);
            }
        };
        add(EventKind::Reset, any(&|g| guards[g].response.reset));
        add(EventKind::Switch, any(&|g| locks(&guards[g])));
        add(EventKind::Mode, any(&|g| guards[g].response.mode.is_some()));
        add(EventKind::Rest, any(&|g| guards[g].kind == GuardKind::Rest));
        add(EventKind::Stop, stops);
        if kinds.is_empty() {
            kinds.push(EventKind::Record);
        }
        kinds
    }

    fn check_reset(&self, t: f64) -> Result<(), Error> {
        let Some(i) = self.after.iter().position(|y| !y.is_finite()) else { return Ok(()) };
        let system = self.flow.system();
        let guard = self.detector.fired().iter().find(|&&g| system.guards()[g].response.reset);
        let guard = guard.map_or_else(String::new, |&g| system.guards()[g].name.clone());
        Err(Error::ResetNotFinite { guard, name: system.state_names()[i].clone(), value: self.after[i], t })
    }

    fn note_conflicts(&mut self, t: f64, conflicts: &[Conflict]) {
        let system = self.flow.system();
        for conflict in conflicts {
            let state = &system.state_names()[conflict.component];
            let (winner, loser) =
                (&system.guards()[conflict.winner].name, &system.guards()[conflict.loser].name);
            let text = format!(
                "events `{loser}` and `{winner}` fired together and reset `{state}` to different values; `{winner}` holds"
            );
            self.record.notes.push(Note { t, code: "conflicting-resets", text });
        }
    }

    /// Decides how it goes on after an event.
    pub(super) fn after_event(&mut self, change: Change, stop: Option<usize>) -> Result<After, Error> {
        let name = |g: usize| self.flow.system().guards()[g].name.clone();
        if let Some(guard) = stop {
            return Ok(After::End(Outcome::StoppedByEvent { guard: name(guard) }));
        }
        let Some(last) = self.detector.fired().first().copied() else { return Ok(After::GoOn(change)) };
        let limit = if self.cascade.is_empty() {
            let fired = self.detector.fired().to_vec();
            let guards: Vec<(usize, bool)> =
                fired.into_iter().map(|g| (g, self.detector.has_hardly_moved(g))).collect();
            self.accumulation.record(self.trial.t, &guards)
        } else {
            None
        };
        if let Some(limit) = limit {
            return self.come_to_rest(limit);
        }
        let limit = self.options.limits.events;
        if self.record.statistics.events >= limit {
            return Ok(After::End(Outcome::EventLimit { limit, guard: name(last) }));
        }
        Ok(After::GoOn(change))
    }

    /// An event at the very start of a segment that has changed nothing that its guards depend on and fires again will do so for ever.
    pub(super) fn repeats(&self) -> Option<Limit> {
        let (event, fired) = (self.record.events.last()?, self.detector.fired());
        let again = event.guards == fired && !self.cascade.is_empty();
        let system = self.flow.system();
        let changed = |i: &usize| event.before[*i] != event.after[*i];
        let matters = |i: usize| fired.iter().any(|&g| system.guard_depends_on(event.mode_after, g, i));
        let still =
            event.mode_before == event.mode_after && !(0..event.after.len()).filter(changed).any(matters);
        let acts = event.kinds.iter().any(|kind| matches!(kind, EventKind::Reset | EventKind::Mode));
        let guard = fired.first().copied()?;
        (again && still && acts).then_some(Limit { guard, t: event.t })
    }

    /// Events pile up: goes on as the model says, or ends the run.
    pub(super) fn come_to_rest(&mut self, limit: Limit) -> Result<After, Error> {
        let guard = &self.flow.system().guards()[limit.guard];
        let t = self.trial.t;
        let last = std::mem::replace(&mut self.rest_times[limit.guard], t);
        // One that comes back at once does not stay there.
        let long_ago = t - last > 1e-6 * (self.options.until - self.record_start());
        if guard.response.switch.is_some() && long_ago && self.stand_in_corner() {
            return Ok(After::GoOn(Change::Motion));
        }
        let Some(rest) = guard.response.at_rest.filter(|_| long_ago) else {
            let switch = guard.response.switch.is_some();
            return Ok(After::End(Outcome::Accumulation { guard: guard.name.clone(), switch, t: limit.t }));
        };
        let text = format!("the events of `{}` accumulate at t = {}: it comes to rest", guard.name, limit.t);
        self.record.notes.push(Note { t, code: "came-to-rest", text });
        self.detector.fire_rest(rest);
        self.before.copy_from_slice(&self.trial.start);
        let (change, _) = self.handle_event(Bracket { lo: 0.0, hi: 0.0 })?;
        Ok(After::GoOn(change))
    }

    /// Counts events without a step between them.
    pub(super) fn check_cascade(&mut self) -> Result<(), Error> {
        self.cascade.push(self.detector.fired().to_vec());
        if self.cascade.len() <= MOST_IN_A_CASCADE {
            return Ok(());
        }
        let last = self.cascade.last().cloned().unwrap_or_default();
        let before = self.cascade.iter().rev().skip(1).position(|fired| *fired == last);
        let length = before.map_or(4, |k| k + 1).min(8);
        let guards = self.flow.system().guards();
        let names = |fired: &Vec<usize>| {
            fired.iter().map(|&g| format!("`{}`", guards[g].name)).collect::<Vec<_>>().join(" with ")
        };
        let cycle: Vec<String> = self.cascade.iter().rev().take(length + 1).rev().map(names).collect();
        let (t, count) = (self.trial.t, self.cascade.len());
        Err(Error::EventCycle { t, count, cycle: cycle.join(" → ") })
    }

    pub(super) fn bad_guard(&self, bad: BadGuard) -> Error {
        let name = self.flow.system().guards()[bad.guard].name.clone();
        Error::GuardNotFinite { name, value: bad.value, t: bad.t }
    }

    /// Whole numbers are counted up and down one by one: that needs doubles which can tell neighbours apart.
    pub(super) fn check_counts(&self) -> Result<(), Error> {
        let too_large = |guard: &&Guard| {
            guard
                .response
                .count
                .is_some_and(|count| self.flow.mode.values.counts[count.index].abs() > LARGEST_COUNT)
        };
        let Some(guard) = self.flow.system().guards().iter().find(too_large) else { return Ok(()) };
        let value = guard.response.count.map_or(0.0, |count| self.flow.mode.values.counts[count.index]);
        Err(Error::CountTooLarge { name: guard.name.clone(), value, t: self.trial.t })
    }

    /// A guard that stands behind its zero does not fire: that is worth a note, once.
    pub(super) fn note_guards_that_will_not_fire(&mut self) {
        let (t, guards) = (self.trial.t, self.flow.system().guards());
        for (g, guard) in guards.iter().enumerate().filter(|(_, guard)| matters(guard)) {
            let side = self.detector.side(g);
            let behind = side != 0.0 && !guard.direction.admits(side) && !self.detector.has_just_fired(g);
            let new = self.detector.is_new(g);
            if !behind || !new || !self.flow.watches(g) || std::mem::replace(&mut self.noted[g], true) {
                continue;
            }
            let name = &guard.name;
            let text = match guard.kind {
                GuardKind::Scheduled { .. } if self.detector.scheduled(g) <= t => format!(
                    "the event `{name}` is set for t = {}, which is past when it begins to be watched; it does not happen unless \
                     that time is later, or the run begins earlier (`from`)",
                    self.detector.scheduled(g)
                ),
                _ => format!(
                    "the guard of `{name}` is past its zero when it begins to be watched; the event happens only when the guard \
                     crosses zero again"
                ),
            };
            self.record.notes.push(Note { t, code: "already-past", text });
        }
    }

    /// What a scan has to say of guards beyond crossings.
    pub(super) fn note_guards(&mut self) {
        self.note_touches();
        self.note_unproved();
    }

    /// A guard that would take too much work to be sure of is looked at by samples: that is worth a note, once.
    fn note_unproved(&mut self) {
        let guards = self.flow.system().guards();
        for &g in self.detector.unproved() {
            if std::mem::replace(&mut self.noted_unproved[g], true) {
                continue;
            }
            let text = format!(
                "the guard of `{}` varies too wildly within a step to be sure of all its roots; it was looked at by samples",
                guards[g].name
            );
            self.record.notes.push(Note { t: self.trial.t, code: "roots-uncertain", text });
        }
    }

    /// A guard that comes to zero and turns back is no event unless that is asked for: that is worth a note, once.
    fn note_touches(&mut self) {
        let guards = self.flow.system().guards();
        for touch in self.detector.touches() {
            let guard = &guards[touch.guard];
            if guard.touches || std::mem::replace(&mut self.noted_touches[touch.guard], true) {
                continue;
            }
            let text = format!(
                "the guard of `{}` touches zero at t = {} and turns back; that is no event unless it says `touches = true`",
                guard.name, touch.t
            );
            self.record.notes.push(Note { t: touch.t, code: "touches-zero", text });
        }
    }

    /// The step is limited by stability: an implicit method would make longer steps, or makes them from now on.
    pub(super) fn note_stiffness(&mut self, before: Method, now: Method) {
        let (from, to) = (before.name(), now.name());
        let form = if self.step.is_ggl() { " on the stabilised form (`ggl`)" } else { "" };
        let text = if now == before {
            format!(
                "the problem is stiff: stability and not accuracy limits the steps of `{from}`; `radau5` may take far fewer"
            )
        } else {
            format!(
                "the problem is stiff: `{to}`{form} goes on, where stability would limit the steps of `{from}`"
            )
        };
        self.record.notes.push(Note { t: self.trial.t, code: "stiff", text });
    }

    /// Why the smallest step is still not good.
    pub(super) fn giving_up(&mut self) -> Error {
        if let Some(contradiction) = self.contradiction() {
            return contradiction;
        }
        let name = |component: usize| self.flow.system().state_names()[component].clone();
        let (t, h, error) = (self.trial.t, self.trial.h, self.trial.error);
        match self.trial.fault {
            Some(Fault::NotFinite { component, t, value }) => {
                Error::DerivativeNotFinite { name: name(component), value, t, state: self.describe_state() }
            }
            Some(Fault::NoConvergence) => {
                let (fixed, mechanism) = (self.options.fixed_step.is_some(), self.flow.is_mechanism());
                Error::NoConvergence { t, h, fixed, mechanism }
            }
            Some(Fault::LeftOpen { constraint, left }) => {
                let constraint = self.flow.system().constraints()[constraint].name.clone();
                Error::LeftOpen { t, h, constraint, left }
            }
            Some(Fault::SingularMatrix { component }) => {
                Error::SingularMatrix { name: name(component), t, h }
            }
            None => Error::StepTooSmall { name: name(self.trial.worst()), t, h, error },
        }
    }

    fn describe_state(&self) -> String {
        let names = self.flow.system().state_names();
        let list: Vec<_> =
            names.iter().zip(&self.trial.start).take(6).map(|(n, y)| format!("{n} = {y:e}")).collect();
        let more = if names.len() > list.len() { ", …" } else { "" };
        format!("{}{more}", list.join(", "))
    }
}

/// Whether it is worth a note that an event does not happen: it would do something, or was set for a time.
fn matters(guard: &Guard) -> bool {
    let timed = matches!(guard.kind, GuardKind::Scheduled { .. });
    guard.response.acts() || (timed && !locks(guard))
}

/// Whether a guard locks something in the equations. The count of a clock is not used there.
fn locks(guard: &Guard) -> bool {
    guard.response.switch.is_some() || guard.response.count.is_some_and(|count| !count.clock)
}
