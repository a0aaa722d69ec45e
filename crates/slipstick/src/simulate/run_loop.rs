//! The loop: a run alternates between a form, which a method integrates, and a transition, which makes a new
//! state and mode.
//!
//! ```text
//! make the start consistent; lock switches; what fires at the start is a transition    (instant.rs)
//! until the end, within the limits:
//!     under sliding-mode control, go on where a surface of a constraint is met         (reaching.rs)
//!     what the motion takes out of its band here fires                                 (guards.rs)
//!     otherwise try a step; look for events in it; take it, or the part of it up to
//!     its first event, or try a shorter one                                            (stepper.rs, search.rs)
//!     where contacts are captured, try a step of time stepping instead; back to events
//!     when the same contacts have stayed closed for a while                            (capturing.rs)
//!     what fired is a transition: resets, switches, modes, sliding, consistency,
//!     again until nothing fires any more                                               (instant.rs)
//! ```

use super::accumulating::Accumulating;
use super::capturing::{Capturing, DenseEventCapture};
use super::consistency::Consistency;
use super::contacts::RunContacts;
use super::guards::Guards;
use super::integrator::{Integrator, Restart};
use super::locks::Locking;
use super::passing::Onward;
use super::reaching::{Approach, note_not_reached};
use super::recorder::{Recorder, empty_trajectory};
use super::stepper::Stepper;
use super::stiffness::StiffnessCount;
use super::surfaces::Surfaces;
use super::{Error, Failure, Monitor, Options, Progress};
use crate::equations::System;
use crate::mode::Mode;
use crate::trajectory::{Outcome, Segment, Trajectory};
use crate::transition::{Cascade, Firing, Resets, Transition};
use crate::watch::{Decided, Snapshot};

/// Everything that a run owns.
pub(super) struct RunLoop<'a> {
    pub(super) integrator: Integrator<'a>,
    pub(super) guards: Guards,
    pub(super) recorder: Recorder,
    pub(super) stiffness: StiffnessCount,
    /// How far sliding-mode control has come.
    pub(super) approach: Approach,
    pub(super) accumulating: Accumulating,
    pub(super) capturing: Capturing,
    /// The rounds of one instant, the last of them, and room for its resets.
    pub(super) cascade: Cascade<Snapshot>,
    pub(super) transition: Transition,
    pub(super) resets: Resets,
}

/// Where a run begins, and with which parameters.
#[derive(Clone, Copy)]
pub(super) struct Origin<'r> {
    pub(super) parameters: &'r [f64],
    pub(super) mode: &'r Mode,
    pub(super) t: f64,
    pub(super) y: &'r [f64],
}

impl<'a> RunLoop<'a> {
    /// Before the run that begins there.
    pub(super) fn new(system: &'a dyn System, origin: Origin<'_>, options: &'a Options) -> Self {
        let integrator = Integrator::new(system, origin, options);
        let Origin { mode, t, y, .. } = origin;
        Self {
            guards: Guards::new(&integrator),
            transition: Transition::new(t, y, mode),
            recorder: Recorder::new(
                empty_trajectory(system, options),
                options.keep,
                Segment::new(mode.clone(), t, y),
                integrator.selector.method(),
            ),
            stiffness: StiffnessCount::default(),
            approach: Approach::default(),
            accumulating: Accumulating::new(system.guards().len()),
            capturing: Capturing::default(),
            cascade: Cascade::default(),
            resets: Resets::default(),
            integrator,
        }
    }

    /// Becomes as new, before another run that begins there.
    pub(super) fn renew(&mut self, origin: Origin<'_>) {
        let Self { integrator, guards, recorder, accumulating, capturing, cascade, transition, .. } = self;
        let Origin { mode, t, y, .. } = origin;
        integrator.renew(origin);
        guards.renew(integrator);
        recorder.renew(Segment::new(mode.clone(), t, y), integrator.selector.method());
        accumulating.renew();
        capturing.renew();
        cascade.renew();
        transition.begin(&Firing::default(), t, y, mode);
        self.stiffness = StiffnessCount::default();
        self.approach = Approach::default();
    }

    /// The loop; see the head of this file.
    pub(super) fn go(&mut self, monitor: &mut dyn Monitor) -> Result<Outcome, Error> {
        if let Some(outcome) = self.start()? {
            return Ok(outcome);
        }
        while self.integrator.trial.t < self.integrator.options.until {
            if let Some(outcome) = self.check_limits(monitor) {
                return Ok(outcome);
            }
            if self.integrator.flow.is_reaching()
                && self.approach.check_reached(&mut self.integrator, &mut self.recorder)?
            {
                self.begin_segment(Restart::Discontinuous, None);
                continue;
            }
            let firing = self.advance()?;
            if let Some(firing) = firing
                && let Some(outcome) = self.dense_events().transition_or_capture(firing)?
            {
                return Ok(outcome);
            }
            if let Some(outcome) = self.dense_events().end_capture_if_calm()? {
                return Ok(outcome);
            }
        }
        note_not_reached(&mut self.integrator, &mut self.recorder);
        Ok(Outcome::ReachedEnd)
    }

    fn check_limits(&mut self, monitor: &mut dyn Monitor) -> Option<Outcome> {
        let options = self.integrator.options;
        let statistics = &self.recorder.record.statistics;
        let steps = statistics.accepted + statistics.rejected;
        if steps >= options.limits.steps {
            return Some(Outcome::StepLimit { limit: options.limits.steps });
        }
        let (t, h) = (self.integrator.trial.t, self.integrator.sizes.h);
        let stop =
            monitor.watch(&Progress { t, until: options.until, h, steps, events: statistics.events })?;
        Some(Outcome::Interrupted { code: stop.code, reason: stop.reason })
    }

    /// Goes on by a step, or not at all if something fires here.
    fn advance(&mut self) -> Result<Option<Firing>, Error> {
        if self.guards.watch.is_undecided() {
            let firing = self.decide_by_motion();
            if !firing.is_empty() {
                return Ok(Some(firing));
            }
            self.guards.arm_gaps(self.integrator.flow.system());
        }
        let goal = self.integrator.options.until.min(self.approach.next);
        if self.dense_events().is_capturing() {
            return self.dense_events().step_captured(goal);
        }
        let firing = self.stepper().step(goal)?;
        self.dense_events().check_friction_or_capture()?;
        Ok(firing)
    }

    /// What fires here by the motion. A guard that has just fired and goes on to its true side, although its
    /// reset has changed its motion, has come to a halt or passes through (rule 16).
    pub(super) fn decide_by_motion(&mut self) -> Firing {
        let (mut firing, through) = self.guards.decide_by_motion(&mut self.integrator);
        for Decided { comparison, order, .. } in through {
            let Some(g) = self.guards.comparisons.meaning(comparison).guard() else { continue };
            match Onward::of(g, order, &mut self.integrator, &self.transition) {
                Onward::Freely => {}
                Onward::Halts => self.accumulating.halt(g),
                Onward::Through => self.recorder.note_passing(self.integrator.trial.t, self.name(g)),
                Onward::Hits => {
                    let distance = self.guards.signal(&mut self.integrator, g, 0.0).value.abs();
                    self.guards.watch.fire(g, distance);
                    firing.guards.push(g);
                }
            }
        }
        firing.guards.sort_unstable();
        firing.guards.dedup();
        firing.by_motion = true;
        firing
    }

    /// The name of a guard.
    pub(super) fn name(&self, guard: usize) -> &'a str {
        &self.integrator.flow.system().guards()[guard].name
    }

    /// Closes the record.
    pub(super) fn finish(&mut self, result: Result<Outcome, Error>) -> Result<Trajectory, Box<Failure>> {
        let result = result.and_then(|outcome| self.dense_events().note_captured().map(|()| outcome));
        let result = result.map_err(|error| self.contacts().name_jam(error));
        let integrator = &self.integrator;
        integrator.add_work(self.recorder.statistics());
        let (t, y) = (integrator.trial.t, &integrator.trial.start);
        let mut trajectory = self.recorder.finish(t, y, integrator.counts());
        trajectory.parameters = integrator.flow.parameters().to_vec();
        match result {
            Ok(outcome) => {
                trajectory.outcome = outcome;
                Ok(trajectory)
            }
            Err(error) => Err(Box::new(Failure { error, trajectory })),
        }
    }

    /// What makes steps.
    pub(super) fn stepper(&mut self) -> Stepper<'_, 'a> {
        Stepper {
            integrator: &mut self.integrator,
            guards: &mut self.guards,
            recorder: &mut self.recorder,
            stiffness: &mut self.stiffness,
            accumulating: &mut self.accumulating,
        }
    }

    /// What captures contacts.
    pub(super) fn dense_events(&mut self) -> DenseEventCapture<'_, 'a> {
        DenseEventCapture { run: self }
    }

    /// What looks at contacts.
    pub(super) fn contacts(&mut self) -> RunContacts<'_, 'a> {
        RunContacts { run: self }
    }

    /// What locks signs and counts.
    pub(super) fn locks(&mut self) -> Locking<'_, 'a> {
        Locking { integrator: &mut self.integrator, guards: &mut self.guards }
    }

    /// What classifies surfaces.
    pub(super) fn surfaces(&mut self) -> Surfaces<'_, 'a> {
        Surfaces {
            integrator: &mut self.integrator,
            guards: &mut self.guards,
            recorder: &mut self.recorder,
            before: (&self.transition.before, &self.transition.mode_before),
            location: self.accumulating.location(),
        }
    }

    /// What makes states consistent.
    pub(super) fn consistency(&mut self) -> Consistency<'_, 'a> {
        Consistency { integrator: &mut self.integrator, recorder: &mut self.recorder }
    }
}
