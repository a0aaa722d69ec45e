//! Watching a run from outside: progress, interrupts, limits on wall time.

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// The time it has come to.
    pub t: f64,
    /// The time it goes to.
    pub until: f64,
    /// The last step size.
    pub h: f64,
    /// Steps taken so far.
    pub steps: u64,
    /// Events so far.
    pub events: u64,
}

/// Why a monitor has a run stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// A stable word for the reason.
    pub code: &'static str,
    /// The reason, in words.
    pub reason: String,
}

/// Asked before every step.
pub trait Monitor {
    /// Looks at the progress; `Some` ends the run and keeps what was computed.
    fn watch(&mut self, progress: &Progress) -> Option<Stop>;
}

/// Nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Monitor for Unwatched {
    fn watch(&mut self, _progress: &Progress) -> Option<Stop> {
        None
    }
}

impl<F: FnMut(&Progress) -> Option<Stop>> Monitor for F {
    fn watch(&mut self, progress: &Progress) -> Option<Stop> {
        self(progress)
    }
}
