//! Notices when events pile up: many in a row with next to no time between them (Zeno, chattering).

/// How many events in a row without progress end a run.
const MOST_IN_A_ROW: u32 = 100;

/// Watches the times of events.
#[derive(Clone, Debug)]
pub struct Accumulation {
    last: f64,
    in_a_row: u32,
    /// Less than this is no progress, whatever the time.
    least: f64,
}

impl Accumulation {
    /// A watch over a run between two times.
    pub fn new(from: f64, until: f64) -> Self {
        Self { last: from, in_a_row: 0, least: 1e-3 * f64::EPSILON * (until - from) }
    }

    /// Takes note of an event; true when events pile up at this time.
    pub fn record(&mut self, t: f64) -> bool {
        // A few spacings of doubles at this time are no progress.
        let progress = (t - self.last) > self.least + 16.0 * f64::EPSILON * t.abs();
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
        for scale in [1e-12, 1e-9, 1.0, 1e9] {
            let mut watch = Accumulation::new(0.0, 1000.0 * scale);
            assert!((1..1000).all(|k| !watch.record(f64::from(k) * scale)));
        }
    }

    #[test]
    fn a_hundred_events_at_one_time_pile_up() {
        let mut watch = Accumulation::new(0.0, 2.0);
        assert_eq!((0..200).position(|_| watch.record(1.0)), Some(100));
    }
}
