//! The main loop.
//!
//! ```text
//! decide the side of every guard; the mode is locked
//! until the end, within the limits:
//!     try a step                                    too much error, or not finite: shrink it, try again
//!     look for events over the whole dense step     none: take the step
//!     some: take the step up to the bracket's end, apply everything that fired there, begin a new segment
//! ```

use super::respond::Change;
use super::{Error, Failure, Keep, Monitor, Options, Progress, Start, Unwatched, initialise};
use crate::equations::System;
use crate::event::{Accumulation, BadGuard, Crossing, Detector};
use crate::formulation::Flow;
use crate::math::Bracket;
use crate::mode::Mode;
use crate::step::{Controller, Fault, Method, Step, StiffnessCount, Trial, first_step};
use crate::trajectory::{Outcome, Segment, Statistics, Trajectory};

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
pub(super) struct Run<'a> {
    pub(super) options: &'a Options,
    pub(super) flow: Flow<'a>,
    pub(super) step: Box<dyn Step>,
    pub(super) trial: Trial,
    pub(super) control: Controller,
    pub(super) detector: Detector,
    pub(super) accumulation: Accumulation,
    /// The step size to try next, before it is cut to the end time.
    pub(super) h: f64,
    /// How often each guard has fired.
    pub(super) fired: Vec<u64>,
    /// The guards about which there is a note already: one is enough.
    pub(super) noted: Vec<bool>,
    pub(super) stiffness: StiffnessCount,
    pub(super) stiffness_is_noted: bool,
    /// The state at an event: before, and after.
    pub(super) before: Vec<f64>,
    pub(super) after: Vec<f64>,
    pub(super) segment: Segment,
    pub(super) record: Trajectory,
}

impl<'a> Run<'a> {
    fn new(system: &'a dyn System, start: &Start, options: &'a Options) -> Self {
        let mode = Mode::new(start.mode, system.switch_names().len());
        let flow = Flow::new(system, mode.clone());
        let step = options.method.build_for(start.y.len(), &options.tolerances, system.mass_kind());
        Self {
            options,
            trial: Trial::new(start.t, &start.y),
            control: Controller::for_method(step.method(), options.control),
            detector: Detector::new(&flow),
            accumulation: Accumulation::new(start.t, options.until),
            step,
            h: 0.0,
            fired: vec![0; system.guards().len()],
            noted: vec![false; system.guards().len()],
            stiffness: StiffnessCount::default(),
            stiffness_is_noted: false,
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
        self.begin_segment(Change::Everything)?;
        while self.trial.t < self.options.until {
            if let Some(outcome) = self.check_limits(monitor) {
                return Ok(outcome);
            }
            if let Some(offsets) = self.next_event()? {
                let (change, stop) = self.handle_event(offsets)?;
                if let Some(outcome) = self.outcome_of_event(stop) {
                    return Ok(outcome);
                }
                self.begin_segment(change)?;
            }
        }
        Ok(Outcome::ReachedEnd)
    }

    /// Decides switch signs, the step size and the sides of guards at the trial's start.
    fn begin_segment(&mut self, change: Change) -> Result<(), Error> {
        self.detector
            .lock_switches(&mut self.flow, self.trial.t, &self.trial.start)
            .map_err(|b| self.bad_guard(b))?;
        // Even where nothing changes, the segment begins in the middle of a step.
        self.step.restart();
        if change != Change::Nothing {
            self.control.restart();
            self.choose_restart_step(change);
        }
        let (t, y) = (self.trial.t, &self.trial.start);
        self.detector.begin(&mut self.flow, t, y, self.h).map_err(|bad| self.bad_guard(bad))?;
        self.segment = Segment::new(self.flow.mode.clone(), t, &self.trial.start);
        self.note_guards_that_will_not_fire();
        Ok(())
    }

    /// The first step of a run, or of a segment in which something else holds than before: what was learnt is an upper limit only, because
    /// the new motion may be much faster.
    fn choose_restart_step(&mut self, change: Change) {
        let (t, options) = (self.trial.t, self.options);
        let first = options.first_step.filter(|_| change == Change::Everything);
        if let Some(h) = options.fixed_step.or(first) {
            self.h = h;
            return;
        }
        let longest = options.longest_step.unwrap_or(options.until - t).max(f64::MIN_POSITIVE);
        let order = self.step.method().facts().order;
        let fresh = first_step(&mut self.flow, t, &self.trial.start, longest, order, &options.tolerances);
        self.h = if change == Change::Everything { fresh } else { self.h.min(fresh) };
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

    /// Tries one step and takes it, or the part of it up to its first event, if it is good. Gives the bracket of that event as offsets from
    /// the step's start. Guards that are about to cross at the very start of a segment fire without a step.
    fn next_event(&mut self) -> Result<Option<Bracket>, Error> {
        if !self.detector.fired().is_empty() {
            self.before.copy_from_slice(&self.trial.start);
            return Ok(Some(Bracket { lo: 0.0, hi: 0.0 }));
        }
        let cut = self.attempt();
        if !self.is_acceptable() {
            return self.reject().map(|()| None);
        }
        let has_guards = !self.fired.is_empty();
        if self.options.keep == Keep::Dense || has_guards {
            self.step.interpolate(&mut self.flow, &mut self.trial);
        }
        if !has_guards {
            self.take_step(cut);
            return Ok(None);
        }
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

    /// Tries a step of the wanted size. Tells whether the end time cut it short.
    fn attempt(&mut self) -> bool {
        let left = self.options.until - self.trial.t;
        let wanted = self.options.longest_step.map_or(self.h, |longest| self.h.min(longest));
        // A rest of less than a thousandth of a step would only cost another step.
        let cut = wanted * 1.001 >= left;
        self.trial.h = if cut { left } else { wanted };
        self.step.attempt(&mut self.flow, &self.options.tolerances, &mut self.trial);
        cut
    }

    fn is_acceptable(&self) -> bool {
        if self.options.fixed_step.is_some() { self.trial.error.is_finite() } else { self.trial.is_good() }
    }

    /// Shrinks the step, or gives up when it cannot shrink any more.
    fn reject(&mut self) -> Result<(), Error> {
        self.record.statistics.rejected += 1;
        let factor = match self.trial.fault {
            Some(Fault::NoConvergence) => self.control.reject_by_half(),
            _ => self.control.reject(self.trial.error),
        };
        self.h = self.trial.h * factor;
        if self.cannot_shrink() { Err(self.giving_up()) } else { Ok(()) }
    }

    /// A guard was not finite somewhere in a good step: tries a shorter one, or gives up when it cannot shrink any more.
    fn retreat(&mut self, bad: BadGuard) -> Result<(), Error> {
        self.record.statistics.rejected += 1;
        self.h = self.trial.h * self.control.reject(f64::NAN);
        if self.cannot_shrink() { Err(self.bad_guard(bad)) } else { Ok(()) }
    }

    /// A fixed step must not shrink, and a step that does not move the time is of no use.
    fn cannot_shrink(&self) -> bool {
        let smallest = (16.0 * f64::EPSILON * self.trial.t.abs()).max(1e-290);
        self.options.fixed_step.is_some() || self.h < smallest
    }

    /// Takes the whole trial.
    fn take_step(&mut self, cut: bool) {
        let h = self.trial.h;
        let t_end = if cut { self.options.until } else { self.trial.t + h };
        if self.options.keep == Keep::Dense {
            self.segment.push(h, &self.trial.dense, t_end, &self.trial.end);
        }
        self.record.statistics.count_step(h, cut);
        self.choose_next_step();
        self.step.advance();
        self.reconsider_method();
        self.trial.advance(t_end);
    }

    /// Lets an automatic method change, and says once when a problem is stiff.
    fn reconsider_method(&mut self) {
        let may_change = self.options.method == Method::Automatic;
        if !may_change && !self.stiffness.is_due(self.record.statistics.accepted) {
            return;
        }
        let before = self.step.method();
        let stiff = self.stiffness.record(self.step.stiffness(&self.trial)) && !before.facts().implicit;
        self.step.reconsider(&self.trial);
        let now = self.step.method();
        if now != before {
            self.control = Controller::for_method(now, self.options.control);
        }
        if stiff && !std::mem::replace(&mut self.stiffness_is_noted, true) {
            self.note_stiffness(before, now);
        }
    }

    /// Takes the trial up to the end of the bracket that was chosen for the event.
    fn take_step_up_to(&mut self, crossing: &Crossing) {
        let offset = crossing.offset;
        self.trial.state_at(offset, &mut self.before);
        let t_event = self.trial.t + offset;
        match self.options.keep {
            Keep::Dense if offset > 0.0 => {
                self.segment.push(self.trial.h, &self.trial.dense, t_event, &self.before);
            }
            _ => self.segment.extend(t_event, &self.before),
        }
        if offset > 0.0 {
            self.record.statistics.count_step(offset, true);
        } else {
            self.record.statistics.rejected += 1;
        }
        self.choose_next_step();
    }

    /// The next step size follows from the error of the whole trial, also when only a part of it is taken: what was learnt before an
    /// event is kept.
    fn choose_next_step(&mut self) {
        if self.options.fixed_step.is_none() {
            self.h = self.trial.h * self.control.accept(self.trial.h, self.trial.error);
        }
    }

    /// Closes the record.
    fn finish(mut self, result: Result<Outcome, Error>) -> Result<Trajectory, Box<Failure>> {
        if self.options.keep == Keep::Ends {
            self.segment.extend(self.trial.t, &self.trial.start);
        }
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
