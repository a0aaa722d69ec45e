//! The main loop.
//!
//! ```text
//! decide the side of every guard; the mode is locked
//! until the end:
//!     try a step                                    too much error, or not finite: a smaller one
//!     look for events over the whole dense step     none: take the step
//!     some: take the step up to the bracket's end, apply everything that fired there, begin a new segment
//! ```

use super::{Error, Failure, Monitor, Options, Progress, Start, Unwatched, initialise};
use crate::equations::{Side, System};
use crate::event::{Accumulation, BadGuard, Crossing, Detector, resolve};
use crate::formulation::Flow;
use crate::math::Bracket;
use crate::mode::Mode;
use crate::step::{Controller, Fault, Step, Trial, first_step};
use crate::trajectory::{Event, EventKind, Note, Outcome, Segment, Statistics, Trajectory};

/// Runs a system from its start to the end time, or as far as it goes.
pub fn simulate(system: &dyn System, start: &Start, options: &Options) -> Result<Trajectory, Box<Failure>> {
    simulate_watched(system, start, options, &mut Unwatched)
}

/// As [`simulate`], asking a monitor before every step.
pub fn simulate_watched(
    system: &dyn System,
    start: &Start,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Trajectory, Box<Failure>> {
    if let Err(error) = initialise::check(system, start, options) {
        let trajectory = Run::empty_trajectory(system);
        return Err(Box::new(Failure { error, trajectory }));
    }
    let mut run = Run::new(system, start, options);
    let result = run.go(monitor);
    run.finish(result)
}

/// Everything that changes during a run.
struct Run<'a> {
    options: &'a Options,
    flow: Flow<'a>,
    step: Box<dyn Step>,
    trial: Trial,
    control: Controller,
    detector: Detector,
    accumulation: Accumulation,
    /// The step size to try next, before it is cut to the end time.
    h: f64,
    /// How often each guard has fired.
    fired: Vec<u64>,
    /// The state at an event: before, and after.
    before: Vec<f64>,
    after: Vec<f64>,
    segment: Segment,
    record: Trajectory,
}

impl<'a> Run<'a> {
    fn new(system: &'a dyn System, start: &Start, options: &'a Options) -> Self {
        let mode = Mode::new(start.mode, system.switch_names().len());
        let flow = Flow::new(system, mode.clone());
        Self {
            options,
            step: options.method.build(start.y.len()),
            trial: Trial::new(start.t, &start.y),
            control: Controller::for_method(options.method),
            detector: Detector::new(&flow),
            accumulation: Accumulation::new(start.t),
            h: 0.0,
            fired: vec![0; system.guards().len()],
            before: start.y.clone(),
            after: start.y.clone(),
            segment: Segment::new(mode, start.t, &start.y),
            record: Self::empty_trajectory(system),
            flow,
        }
    }

    fn empty_trajectory(system: &dyn System) -> Trajectory {
        Trajectory {
            state_names: system.state_names().to_vec(),
            guard_names: system.guards().iter().map(|g| g.name.clone()).collect(),
            segments: Vec::new(),
            events: Vec::new(),
            notes: Vec::new(),
            statistics: Statistics::default(),
            outcome: Outcome::Failed,
        }
    }

    /// The loop; see the head of this file.
    fn go(&mut self, monitor: &mut dyn Monitor) -> Result<Outcome, Error> {
        self.begin_segment()?;
        self.note_guards_behind_their_zero();
        self.h = self.choose_first_step();
        while self.trial.t < self.options.until {
            if let Some(outcome) = self.check_limits(monitor) {
                return Ok(outcome);
            }
            if let Some(offsets) = self.next_event()? {
                let stop = self.handle_event(offsets)?;
                if let Some(outcome) = self.outcome_of_event(stop) {
                    return Ok(outcome);
                }
                self.begin_segment()?;
            }
        }
        Ok(Outcome::ReachedEnd)
    }

    /// Decides sides and switch signs at the trial's start, where something has changed.
    fn begin_segment(&mut self) -> Result<(), Error> {
        self.step.restart();
        self.control.restart();
        let (t, y) = (self.trial.t, &self.trial.start);
        self.detector.begin(&mut self.flow, t, y).map_err(|bad| self.bad_guard(bad))?;
        self.segment = Segment::new(self.flow.mode.clone(), t, &self.trial.start);
        Ok(())
    }

    /// A unilateral guard that starts on the far side of its zero will not stop anything: that is rarely meant.
    fn note_guards_behind_their_zero(&mut self) {
        let t = self.trial.t;
        for (g, guard) in self.flow.system().guards().iter().enumerate() {
            let side = self.detector.side(g);
            let behind = side != 0.0 && !guard.direction.admits(side) && guard.side == Side::Before;
            if behind && self.flow.watches(g) {
                let name = &guard.name;
                let text = format!(
                    "the guard of `{name}` is past its zero at the start; the event happens only when the guard crosses zero again"
                );
                self.record.notes.push(Note { t, code: "already-past", text });
            }
        }
    }

    /// Makes one step, or the part of it up to its first event; gives the bracket of that event as offsets from the step's
    /// start. Guards that are about to cross at the very start of a segment fire without a step.
    fn next_event(&mut self) -> Result<Option<Bracket>, Error> {
        if !self.detector.fired().is_empty() {
            self.before.copy_from_slice(&self.trial.start);
            return Ok(Some(Bracket { lo: 0.0, hi: 0.0 }));
        }
        let cut = self.make_good_trial()?;
        let crossing = match self.detector.scan(&mut self.flow, &self.trial) {
            Ok(crossing) => crossing,
            Err(bad) => return self.retreat(bad).map(|()| None),
        };
        match &crossing {
            None => self.take_step(cut),
            Some(crossing) => self.take_step_up_to(crossing),
        }
        Ok(crossing.map(|crossing| crossing.offsets))
    }

    fn choose_first_step(&mut self) -> f64 {
        let (t, options) = (self.trial.t, self.options);
        if let Some(h) = options.fixed_step.or(options.first_step) {
            return h;
        }
        let longest = options.longest_step.unwrap_or(options.until - t);
        let order = options.method.facts().order;
        first_step(&mut self.flow, t, &self.trial.start, longest, order, &options.tolerances)
    }

    fn check_limits(&self, monitor: &mut dyn Monitor) -> Option<Outcome> {
        let statistics = &self.record.statistics;
        let steps = statistics.accepted + statistics.rejected;
        if steps >= self.options.limits.steps {
            return Some(Outcome::StepLimit { limit: self.options.limits.steps });
        }
        let (t, until, h, events) = (self.trial.t, self.options.until, self.h, statistics.events);
        let stop = monitor.watch(&Progress { t, until, h, steps, events })?;
        Some(Outcome::Interrupted { code: stop.code, reason: stop.reason })
    }

    /// Tries steps until one is good, and fills in its dense output. Tells whether the end time cut it short.
    fn make_good_trial(&mut self) -> Result<bool, Error> {
        loop {
            let left = self.options.until - self.trial.t;
            let longest = self.options.longest_step.unwrap_or(f64::INFINITY);
            let wanted = self.h.min(longest);
            // A rest of less than a thousandth of a step would only cost another step.
            let cut = wanted * 1.001 >= left;
            self.trial.h = if cut { left } else { wanted };
            self.step.attempt(&mut self.flow, &self.options.tolerances, &mut self.trial);
            if self.is_acceptable() {
                self.step.interpolate(&mut self.flow, &mut self.trial);
                return Ok(cut);
            }
            self.reject()?;
        }
    }

    fn is_acceptable(&self) -> bool {
        if self.options.fixed_step.is_some() { self.trial.error.is_finite() } else { self.trial.is_good() }
    }

    /// Shrinks the step, or gives up when it cannot shrink any more.
    fn reject(&mut self) -> Result<(), Error> {
        self.record.statistics.rejected += 1;
        let steps = self.record.statistics.accepted + self.record.statistics.rejected;
        let hopeless = self.options.fixed_step.is_some() || steps >= 2 * self.options.limits.steps;
        self.h = self.trial.h
            * match self.trial.fault {
                Some(Fault::NoConvergence) => self.control.reject_by_half(),
                _ => self.control.reject(self.trial.error),
            };
        if self.h >= self.smallest_step() && !hopeless {
            return Ok(());
        }
        Err(self.giving_up())
    }

    /// Why the smallest step is still not good.
    fn giving_up(&self) -> Error {
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

    /// A guard was not finite somewhere in a good step: tries a shorter one, or gives up when it cannot shrink any more.
    fn retreat(&mut self, bad: BadGuard) -> Result<(), Error> {
        self.record.statistics.rejected += 1;
        self.h = self.trial.h * self.control.reject(f64::NAN);
        let hopeless = self.options.fixed_step.is_some() || self.h < self.smallest_step();
        if hopeless { Err(self.bad_guard(bad)) } else { Ok(()) }
    }

    /// Below this a step does not move the time.
    fn smallest_step(&self) -> f64 {
        (16.0 * f64::EPSILON * self.trial.t.abs()).max(1e-290)
    }

    fn describe_state(&self) -> String {
        let names = self.flow.system().state_names();
        let list: Vec<_> =
            names.iter().zip(&self.trial.start).take(6).map(|(n, y)| format!("{n} = {y:e}")).collect();
        let more = if names.len() > list.len() { ", …" } else { "" };
        format!("{}{more}", list.join(", "))
    }

    /// Takes the whole trial.
    fn take_step(&mut self, cut: bool) {
        let h = self.trial.h;
        let t_end = if cut { self.options.until } else { self.trial.t + h };
        self.segment.push(h, &self.trial.dense, t_end, &self.trial.end);
        self.record.statistics.count_step(h, cut);
        self.choose_next_step();
        self.trial.advance(t_end);
        self.step.advance();
    }

    /// Takes the trial up to the end of the bracket that was chosen for the event.
    fn take_step_up_to(&mut self, crossing: &Crossing) {
        let offset = crossing.offset;
        self.trial.state_at(offset, &mut self.before);
        let t_event = self.trial.t + offset;
        if offset > 0.0 {
            self.segment.push(self.trial.h, &self.trial.dense, t_event, &self.before);
        }
        self.record.statistics.count_step(offset, true);
        self.choose_next_step();
    }

    /// The next step size follows from the error of the whole trial, also when only a part of it is taken: what was learnt before an
    /// event is kept.
    fn choose_next_step(&mut self) {
        if self.options.fixed_step.is_none() {
            self.h = self.trial.h * self.control.accept(self.trial.h, self.trial.error);
        }
    }

    /// Applies what fired at the state `before`, closes the segment and writes the log. Gives the guard that ends the run, if any.
    fn handle_event(&mut self, offsets: Bracket) -> Result<Option<usize>, Error> {
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
        self.note_conflicts(t, &resolution.conflicts);
        self.record.statistics.count_event(&event);
        self.record.events.push(event);
        let next = Segment::new(self.flow.mode.clone(), t, &self.after);
        self.record.segments.push(std::mem::replace(&mut self.segment, next));
        self.trial.restart(t, &self.after);
        Ok(resolution.stop)
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

    fn note_conflicts(&mut self, t: f64, conflicts: &[crate::event::Conflict]) {
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

    fn outcome_of_event(&mut self, stop: Option<usize>) -> Option<Outcome> {
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

    fn bad_guard(&self, bad: BadGuard) -> Error {
        let name = self.flow.system().guards()[bad.guard].name.clone();
        Error::GuardNotFinite { name, value: bad.value, t: bad.t }
    }

    /// Closes the record.
    fn finish(mut self, result: Result<Outcome, Error>) -> Result<Trajectory, Box<Failure>> {
        self.record.segments.push(self.segment);
        self.record.statistics.derivatives = self.flow.derivative_count;
        self.record.statistics.jacobians = self.flow.jacobian_count;
        self.record.statistics.factorisations = self.step.factorisations();
        self.record.statistics.guards = self.flow.guard_count;
        match result {
            Ok(outcome) => {
                self.record.outcome = outcome;
                Ok(self.record)
            }
            Err(error) => Err(Box::new(Failure { error, trajectory: self.record })),
        }
    }
}
