//! Notices when events pile up: many in a row with next to no time between them (Zeno, chattering).

/// How many events in a row without progress end a run.
const MOST_IN_A_ROW: u32 = 100;

/// Less time than this between two events, relative to the time, is no progress.
const NO_PROGRESS: f64 = 1e-12;

/// Watches the times of events.
#[derive(Clone, Debug)]
pub struct Accumulation {
    last: f64,
    in_a_row: u32,
}

impl Accumulation {
    /// A watch that begins at the given time.
    pub fn new(t: f64) -> Self {
        Self { last: t, in_a_row: 0 }
    }

    /// Takes note of an event; true when events pile up at this time.
    pub fn record(&mut self, t: f64) -> bool {
        let progress = (t - self.last) > NO_PROGRESS * t.abs().max(1.0);
        self.in_a_row = if progress { 0 } else { self.in_a_row + 1 };
        self.last = t;
        self.in_a_row >= MOST_IN_A_ROW
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_with_time_between_them_never_pile_up() {
        let mut watch = Accumulation::new(0.0);
        assert!((1..1000).all(|k| !watch.record(f64::from(k) * 1e-9)));
    }

    #[test]
    fn a_hundred_events_at_one_time_pile_up() {
        let mut watch = Accumulation::new(0.0);
        assert_eq!((0..200).position(|_| watch.record(1.0)), Some(100));
    }
}
