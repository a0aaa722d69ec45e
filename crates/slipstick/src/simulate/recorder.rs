//! Writes down what a run does: segments, events, notes, work counts. Nothing in here decides anything.

use super::integrator::Integrator;
use super::{Keep, Options};
use crate::equations::System;
use crate::formulation::Stabilisation;
use crate::mode::Mode;
use crate::step::{Counts, Method, Share};
use crate::trajectory::{Event, EventKind, Note, Notes, Outcome, Segment, Statistics, Trajectory};

/// The record of a run.
pub(super) struct Recorder {
    keep: Keep,
    /// The segment that is being integrated.
    pub(super) segment: Segment,
    pub(super) record: Trajectory,
    meter: Meter,
}

/// What was counted when the method at work began.
struct Meter {
    method: Method,
    is_ggl: bool,
    steps: (u64, u64),
    counts: Counts,
    /// The explicit method that was at work last.
    explicit: Option<Method>,
}

impl Recorder {
    pub(super) fn new(
        system: &dyn System,
        options: &Options,
        start: (Mode, f64, &[f64]),
        method: Method,
    ) -> Self {
        let (mode, t, y) = start;
        Self {
            keep: options.keep,
            segment: Segment::new(mode, t, y),
            record: empty_trajectory(system, options),
            meter: Meter {
                method,
                is_ggl: false,
                steps: (0, 0),
                counts: Counts::default(),
                explicit: (!method.facts().implicit).then_some(method),
            },
        }
    }

    pub(super) fn statistics(&mut self) -> &mut Statistics {
        &mut self.record.statistics
    }

    /// Makes a note.
    pub(super) fn note(&mut self, t: f64, code: &'static str, text: String) {
        self.record.notes.push(Note { t, code, text });
    }

    /// Makes a note unless there is one of this code about this subject.
    pub(super) fn note_once(
        &mut self,
        t: f64,
        (code, subject): (&'static str, &str),
        text: impl FnOnce() -> String,
    ) {
        self.record.notes.once(code, subject, t, text);
    }

    /// Adds the step just tried, or the part of it up to `t_end`, to the segment.
    pub(super) fn add_step(&mut self, integrator: &Integrator<'_>, t_end: f64, end: &[f64]) {
        if self.keep == Keep::Ends || t_end == self.segment.end_time {
            self.segment.extend(t_end, end);
        } else {
            self.segment.push(integrator.trial.h, &integrator.trial.dense, t_end, end);
        }
    }

    /// Ends the segment with an event.
    pub(super) fn add_event(&mut self, event: Event, mode: &Mode) {
        let next = Segment::new(mode.clone(), event.t, &event.after);
        self.record.segments.push(std::mem::replace(&mut self.segment, next));
        self.record.statistics.count_event(&event);
        self.record.events.push(event);
    }

    /// Adds to the last event what has come of it.
    pub(super) fn add_kind(&mut self, kind: EventKind) {
        if let Some(event) = self.record.events.last_mut() {
            event.kinds.retain(|known| *known != EventKind::Switch);
            event.kinds.push(kind);
        }
    }

    /// The segment begins at this state; what was known of its beginning is forgotten.
    pub(super) fn begin_segment(&mut self, mode: &Mode, t: f64, y: &[f64]) {
        self.segment.begin(mode, t, y);
    }

    /// Adds what was done since the last change of methods to the share of the method that did it.
    pub(super) fn share_out(&mut self, integrator: &Integrator<'_>) {
        let statistics = &mut self.record.statistics;
        let counts = Counts::of(&integrator.flow, integrator.step.factorisations());
        let steps = (statistics.accepted, statistics.rejected);
        let share = Share {
            method: self.meter.method,
            is_ggl: self.meter.is_ggl,
            accepted: steps.0 - self.meter.steps.0,
            rejected: steps.1 - self.meter.steps.1,
            counts: counts.since(&self.meter.counts),
        };
        share.join(&mut statistics.shares);
        (self.meter.steps, self.meter.counts) = (steps, counts);
    }

    /// Takes note of which method has made the step just tried, and on which form: it shows only then, and while the motion slides
    /// there is no stabilised one. Gives whether it is another method than before.
    pub(super) fn notice_method(&mut self, integrator: &Integrator<'_>) -> bool {
        let (method, is_ggl) = (integrator.step.method(), integrator.step.is_ggl());
        if (self.meter.method, self.meter.is_ggl) == (method, is_ggl) {
            return false;
        }
        let Statistics { accepted, rejected, .. } = self.record.statistics;
        // The step just tried is counted already.
        let others = accepted + rejected > self.meter.steps.0 + self.meter.steps.1 + 1;
        if others {
            self.share_out(integrator);
        }
        self.meter.is_ggl = is_ggl;
        let is_other = self.meter.method != method;
        self.work_with(method);
        is_other
    }

    /// What comes from here on is the work of this method.
    pub(super) fn work_with(&mut self, method: Method) {
        self.meter.method = method;
        if !method.facts().implicit {
            self.meter.explicit = Some(method);
        }
    }

    /// The explicit method that was at work last.
    pub(super) fn last_explicit(&self) -> Option<Method> {
        self.meter.explicit
    }

    /// Closes the record with the work counts.
    pub(super) fn finish(mut self, integrator: &Integrator<'_>) -> Trajectory {
        self.share_out(integrator);
        if self.keep == Keep::Ends {
            self.segment.extend(integrator.trial.t, &integrator.trial.start);
        }
        self.record.segments.push(self.segment);
        let (flow, statistics) = (&integrator.flow, &mut self.record.statistics);
        statistics.derivatives = flow.derivative_count;
        statistics.jacobians = flow.jacobian_count;
        statistics.factorisations = integrator.step.factorisations();
        statistics.guards = flow.guard_count;
        statistics.corrected = flow.corrected();
        statistics.motion_factorisations = flow.motion_factorisations();
        statistics.settling += flow.heading_count;
        statistics.reused = flow.reused();
        self.record
    }
}

/// A record with nothing in it yet.
pub(super) fn empty_trajectory(system: &dyn System, options: &Options) -> Trajectory {
    let guards = system.guards().iter().map(|guard| guard.name.clone());
    // Under sliding-mode control the surfaces of constraints are met as events.
    let surfaces = options.stabilisation == Stabilisation::SlidingMode;
    let constraints = system.constraints().iter().filter(|_| surfaces).map(|c| c.name.clone());
    Trajectory {
        state_names: system.state_names().to_vec(),
        guard_names: guards.chain(constraints).collect(),
        segments: Vec::new(),
        events: Vec::new(),
        notes: Notes::default(),
        adjustment: None,
        statistics: Statistics::default(),
        outcome: Outcome::Failed,
    }
}
