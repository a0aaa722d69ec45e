//! An entry of the event log.

use crate::math::Bracket;

/// What an event does; one event can do several of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventKind {
    /// It is only recorded.
    Record,
    /// It changes the state.
    Reset,
    /// It changes the sign of a switch.
    Switch,
    /// From here on the motion slides along a switching surface.
    Slide,
    /// The motion leaves a switching surface that it slid along.
    Leave,
    /// It changes the mode.
    Mode,
    /// Events of a guard accumulate, and something comes to rest.
    Rest,
    /// The surface of a constraint is met that sliding-mode control has approached.
    Reach,
    /// From here on all constraints are met that were not at the start.
    Close,
    /// It ends the run.
    Stop,
}

impl EventKind {
    /// The word for it in logs and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Record => "record",
            Self::Reset => "reset",
            Self::Switch => "switch",
            Self::Slide => "slide",
            Self::Leave => "leave",
            Self::Mode => "mode",
            Self::Rest => "rest",
            Self::Reach => "reach",
            Self::Close => "close",
            Self::Stop => "stop",
        }
    }
}

/// Everything that fired in one bracket.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The time at which the event is placed: an end of the bracket.
    pub t: f64,
    /// The window `(lo, hi]` that holds the root, in time from the start of the run's clock; it can be
    /// narrower than the spacing of doubles near `t`, then both ends are equal.
    pub bracket: Bracket,
    /// The width of the window before its ends were rounded to time.
    pub width: f64,
    /// The guards that fired, in the order in which they are declared.
    pub guards: Vec<usize>,
    /// What the event did.
    pub kinds: Vec<EventKind>,
    /// The state before.
    pub before: Vec<f64>,
    /// The state after.
    pub after: Vec<f64>,
    /// The index of the mode before.
    pub mode_before: usize,
    /// The index of the mode after.
    pub mode_after: usize,
}
