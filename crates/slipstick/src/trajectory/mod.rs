//! What a run leaves behind: segments with dense output, the event log, statistics, notes, the outcome.
//!
//! `Trajectory = [Segment, Event, Segment, …]`. It can be evaluated at any time and knows both sides of every
//! jump.

mod audit;
mod contacts;
mod energy;
mod event;
mod joints;
mod linearised;
mod mode_graph;
mod note;
mod outcome;
mod path;
mod sample;
mod segment;
mod statistics;

pub use audit::{Audit, Drift};
pub use contacts::{ContactAudit, ContactEnergy, ContactResidual};
pub use energy::{Energy, EnergyBalance};
pub use event::{Event, EventKind, Round};
pub use joints::{Adjustment, Joints, Opening};
pub use linearised::LinearisedEvent;
pub use mode_graph::{ModeEdge, ModeGraph, ReachedMode};
pub use note::{NOTE_KINDS, Note, NoteKind, Notes, Severity};
pub use outcome::Outcome;
pub use path::{ContactForces, JointForces, Path};
pub use sample::{Density, sample_times};
pub use segment::{Segment, SegmentStep};
pub use statistics::{KindCounts, LocatingCounts, SlidingSteps, StartCounts, Statistics, StepRange};

use crate::mode::State;
use std::sync::Arc;

/// The record of a run.
#[derive(Clone, Debug, Default)]
pub struct Trajectory {
    /// The name of each component of the state.
    pub state_names: Arc<[String]>,
    /// The name of each guard, as events refer to them.
    pub guard_names: Arc<[String]>,
    /// The values of the parameters that it was run with.
    pub parameters: Vec<f64>,
    /// The pieces between events, in order; segment `i` ends at event `i`.
    pub segments: Vec<Segment>,
    /// The events, in order; each is a transition, with all that it has caused at its instant.
    pub events: Vec<Event>,
    /// Warnings and notes, in order of time.
    pub notes: Notes,
    /// The largest change that was made after a step to keep the constraints of a mechanism met, if one was.
    pub adjustment: Option<Adjustment>,
    /// The work done.
    pub statistics: Statistics,
    /// Why the run ended.
    pub outcome: Outcome,
}

impl Trajectory {
    /// One with the same names and nothing else.
    pub(crate) fn emptied(&self) -> Self {
        let (state_names, guard_names) = (Arc::clone(&self.state_names), Arc::clone(&self.guard_names));
        Self { state_names, guard_names, ..Self::default() }
    }

    /// The time at which the run began.
    pub fn start_time(&self) -> f64 {
        self.segments.first().map_or(f64::NAN, |s| s.start_time)
    }

    /// The time that the run has come to.
    pub fn end_time(&self) -> f64 {
        self.segments.last().map_or(f64::NAN, |s| s.end_time)
    }

    /// The state that the run has come to.
    pub fn end_state(&self) -> &[f64] {
        self.segments.last().map_or(&[], |s| &s.end)
    }

    /// The state at a time, after any event at that time; `None` outside the run. [`of`](Self::of) puts it
    /// onto the surfaces it slides on.
    pub fn state_after(&self, t: f64) -> Option<State> {
        let after = self.segments.partition_point(|s| s.start_time <= t);
        self.segments[..after].last().filter(|s| s.covers(t)).map(|s| s.state_at(t))
    }

    /// The state at a time, before any event at that time; `None` outside the run.
    pub fn state_before(&self, t: f64) -> Option<State> {
        let before = self.segments.partition_point(|s| s.end_time < t);
        self.segments[before..].first().filter(|s| s.covers(t)).map(|s| s.state_at(t))
    }

    /// What fired at an event: `a + b -> c` where `a` and `b` fired together and made `c` fire.
    pub fn names_of(&self, event: &Event) -> String {
        let name = |&guard: &usize| self.guard_names[guard].as_str();
        let round = |guards: &[usize]| guards.iter().map(name).collect::<Vec<_>>().join(" + ");
        event.rounds.iter().map(|of| round(&of.guards)).collect::<Vec<_>>().join(" -> ")
    }

    /// The times at which the named guard fired; one that fired in several rounds of an event is there as
    /// often.
    pub fn event_times<'a>(&'a self, guard: &'a str) -> impl Iterator<Item = f64> + 'a {
        let fired = move |e: &'a Event| e.guards.iter().filter(move |&&g| self.guard_names[g] == guard);
        self.events.iter().flat_map(move |e| fired(e).map(|_| e.t))
    }
}
