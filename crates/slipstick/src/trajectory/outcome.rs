//! Why a run ended, when it did not fail.

use std::fmt;

/// Why a run ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Outcome {
    /// It came to the end time.
    ReachedEnd,
    /// An event that says `stop` fired.
    StoppedByEvent {
        /// The name of the guard.
        guard: String,
    },
    /// It had as many events as allowed.
    EventLimit {
        /// The limit.
        limit: u64,
        /// The guard that fired last.
        guard: String,
    },
    /// It made as many steps as allowed.
    StepLimit {
        /// The limit.
        limit: u64,
    },
    /// Events pile up at one time.
    Accumulation {
        /// The guard that fires again and again.
        guard: String,
        /// Whether it is a switch, and not an event.
        switch: bool,
        /// The time at which its events accumulate, as estimated from their intervals.
        t: f64,
    },
    /// Events of contacts follow each other faster than they are to be located one by one.
    DenseEvents {
        /// How many there were just before.
        events: usize,
        /// The step that the error would allow.
        allowed: f64,
    },
    /// Whoever watches the run had it stop: an interrupt, a limit on time.
    Interrupted {
        /// A stable word for the reason.
        code: &'static str,
        /// The reason, in words.
        reason: String,
    },
    /// The run failed; the error says why and this trajectory is what was computed before.
    #[default]
    Failed,
}

impl Outcome {
    /// Whether the run did all that was asked of it.
    pub fn is_complete(&self) -> bool {
        matches!(self, Self::ReachedEnd | Self::StoppedByEvent { .. })
    }

    /// A stable word that `slipstick explain` knows.
    pub fn code(&self) -> &'static str {
        match self {
            Self::ReachedEnd => "reached-end",
            Self::StoppedByEvent { .. } => "stopped-by-event",
            Self::EventLimit { .. } => "event-limit",
            Self::StepLimit { .. } => "step-limit",
            Self::Accumulation { .. } => "accumulation",
            Self::DenseEvents { .. } => "dense-events",
            Self::Interrupted { code, .. } => code,
            Self::Failed => "failed",
        }
    }

    /// The time that it is about, where that is an estimate and not the end of the trajectory.
    pub fn estimated_time(&self) -> Option<f64> {
        if let Self::Accumulation { t, .. } = self { Some(*t) } else { None }
    }

    /// What to do about it, if anything.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::EventLimit { .. } => Some(
                "raise it with `--max-events`, or look at the last events in the report: does the guard chatter?",
            ),
            Self::StepLimit { .. } => {
                Some("raise it with `--max-steps`, loosen `rtol`, or look at the step sizes in the report")
            }
            Self::Accumulation { switch: true, .. } => Some(
                "the motion is pushed against the switch from both sides and cannot slide along it here (does its surface depend on an algebraic state?); \
                 describe the sliding as a mode of its own",
            ),
            Self::Accumulation { .. } => Some(
                "say what holds from then on: `at_rest` of the event names the mode in which the thing rests; or stop the run \
                 (`stop_after`)",
            ),
            Self::DenseEvents { .. } => Some(
                "`dense_events = \"capture\"` in `run` goes over them by time stepping, `\"locate\"` goes on event by event",
            ),
            Self::Interrupted { .. } => Some("what was computed up to there is kept"),
            _ => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReachedEnd => write!(f, "reached the end"),
            Self::StoppedByEvent { guard } => write!(f, "stopped by event `{guard}`"),
            Self::EventLimit { limit, guard } => {
                write!(f, "stopped early: the limit of {limit} events is reached, the last was `{guard}`")
            }
            Self::StepLimit { limit } => write!(f, "stopped early: the limit of {limit} steps is reached"),
            Self::Accumulation { guard, switch, .. } => {
                let kind = if *switch { "switch" } else { "event" };
                write!(f, "stopped early: the times of {kind} `{guard}` accumulate")
            }
            Self::DenseEvents { events, allowed } => {
                write!(
                    f,
                    "stopped early: {events} events of contacts fall into less than a step of {allowed:.1e}"
                )
            }
            Self::Interrupted { reason, .. } => write!(f, "stopped early: {reason}"),
            Self::Failed => write!(f, "failed"),
        }
    }
}
