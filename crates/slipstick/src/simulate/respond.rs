//! What a run does at an event, and what it says when something is amiss.

use super::Error;
use super::run::Run;
use crate::event::{BadGuard, Conflict, resolve};
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

impl Run<'_> {
    /// Applies what fired at the state `before`, closes the segment and writes the log. Gives how much has changed, and the guard that ends the
    /// run, if any.
    pub(super) fn handle_event(&mut self, offsets: Bracket) -> Result<(Change, Option<usize>), Error> {
        let t0 = self.trial.t;
        let t = self.segment.end_time.max(t0);
        for &g in self.detector.fired() {
            self.fired[g] += 1;
        }
        let mode_before = self.flow.mode.index;
        let resolution =
            resolve(&mut self.flow, &self.detector, &self.fired, t, &self.before, &mut self.after);
        self.check_reset(t)?;
        let mut event = Event {
            t,
            bracket: Bracket { lo: t0 + offsets.lo, hi: t0 + offsets.hi },
            width: offsets.width(),
            guards: self.detector.fired().to_vec(),
            kinds: Vec::new(),
            before: self.before.clone(),
            after: self.after.clone(),
            mode_before,
            mode_after: self.flow.mode.index,
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
        add(EventKind::Switch, any(&|g| guards[g].response.switch.is_some()));
        add(EventKind::Mode, any(&|g| guards[g].response.mode.is_some()));
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

    pub(super) fn outcome_of_event(&mut self, stop: Option<usize>) -> Option<Outcome> {
        let name = |g: usize| self.flow.system().guards()[g].name.clone();
        if let Some(guard) = stop {
            return Some(Outcome::StoppedByEvent { guard: name(guard) });
        }
        let last = self.detector.fired().first().copied()?;
        if self.accumulation.record(self.trial.t) {
            let switch = self.flow.system().guards()[last].response.switch.is_some();
            return Some(Outcome::Accumulation { guard: name(last), switch });
        }
        let limit = self.options.limits.events;
        (self.record.statistics.events >= limit).then(|| Outcome::EventLimit { limit, guard: name(last) })
    }

    pub(super) fn bad_guard(&self, bad: BadGuard) -> Error {
        let name = self.flow.system().guards()[bad.guard].name.clone();
        Error::GuardNotFinite { name, value: bad.value, t: bad.t }
    }

    /// A guard that stands behind its zero, or was carried there by a reset, does not fire: that is worth a note, once.
    pub(super) fn note_guards_that_will_not_fire(&mut self) {
        let (t, guards) = (self.trial.t, self.flow.system().guards());
        for (g, guard) in guards.iter().enumerate().filter(|(_, guard)| guard.response.acts()) {
            let side = self.detector.side(g);
            let behind = side != 0.0 && !guard.direction.admits(side) && !self.detector.has_just_fired(g);
            let new = self.detector.is_new(g) || self.detector.was_carried(g);
            if !behind || !new || !self.flow.watches(g) || std::mem::replace(&mut self.noted[g], true) {
                continue;
            }
            let name = &guard.name;
            let carried = self.detector.was_carried(g);
            let code = if carried { "carried-across" } else { "already-past" };
            let why = if carried {
                "was carried across its zero by a jump of the state"
            } else {
                "is past its zero when it begins to be watched"
            };
            let text = format!(
                "the guard of `{name}` {why}; the event happens only when the guard crosses zero again"
            );
            self.record.notes.push(Note { t, code, text });
        }
    }

    /// The step is limited by stability: an implicit method would make longer steps, or makes them from now on.
    pub(super) fn note_stiffness(&mut self, before: Method, now: Method) {
        let (from, to) = (before.name(), now.name());
        let text = if now == before {
            format!(
                "the problem is stiff: stability and not accuracy limits the steps of `{from}`; `radau5` may take far fewer"
            )
        } else {
            format!("the problem is stiff: `{to}` goes on where `{from}` was limited by stability")
        };
        self.record.notes.push(Note { t: self.trial.t, code: "stiff", text });
    }

    /// Why the smallest step is still not good.
    pub(super) fn giving_up(&self) -> Error {
        let name = |component: usize| self.flow.system().state_names()[component].clone();
        let (t, h, error) = (self.trial.t, self.trial.h, self.trial.error);
        match self.trial.fault {
            Some(Fault::NotFinite { component, t, value }) => {
                Error::DerivativeNotFinite { name: name(component), value, t, state: self.describe_state() }
            }
            Some(Fault::NoConvergence) => Error::NoConvergence { t, h },
            Some(Fault::SingularMatrix { component }) => {
                Error::SingularMatrix { name: name(component), t, h }
            }
            None => Error::StepTooSmall { name: name(self.trial.worst), t, h, error },
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
