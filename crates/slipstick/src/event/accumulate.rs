//! Notices when events pile up: intervals between the events of one guard that shrink towards zero (Zeno), or many events in a row with no
//! time between them (chattering).
//!
//! If the last two intervals are `d` and `r d` with `r < 1`, the geometric series says that the events end after another
//! `r d · r / (1 - r)`: Aitken's estimate of the limit. It is believed when the intervals have shrunk many times in a row
//! and the rest is next to nothing; so the estimate hardly matters to the motion. It also counts if a guard has moved by no more than its
//! rounding between several events in a row: a ball on a floor at 1000 m bounces lower than doubles can tell long before its times do.

/// How many events in a row without progress end a run.
const MOST_IN_A_ROW: u32 = 100;
/// How often in a row the intervals of a guard must have shrunk.
const SHRUNK: u32 = 6;
/// How often in a row a guard must have moved by no more than its rounding between events.
const STILL: u32 = 2;
/// The time to the limit, as a part of the time since the intervals began to shrink, that is next to nothing.
const NEXT_TO_NOTHING: f64 = 1e-10;

/// Events pile up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The guard that fires again and again.
    pub guard: usize,
    /// The time at which its events accumulate.
    pub t: f64,
}

/// The events of one guard.
#[derive(Clone, Copy, Debug)]
struct History {
    last: f64,
    interval: f64,
    /// When its intervals began to shrink, and how often they have.
    since: f64,
    shrunk: u32,
    /// How often in a row the guard has hardly moved between its events.
    still: u32,
}

/// Watches the times of events.
#[derive(Clone, Debug)]
pub struct Accumulation {
    last: f64,
    in_a_row: u32,
    /// Less than this is no progress, whatever the time.
    least: f64,
    histories: Vec<History>,
}

impl Accumulation {
    /// A watch over a run between two times.
    pub fn new(from: f64, until: f64, guards: usize) -> Self {
        let history =
            History { last: f64::NEG_INFINITY, interval: f64::INFINITY, since: from, shrunk: 0, still: 0 };
        let least = 1e-3 * f64::EPSILON * (until - from);
        Self { last: from, in_a_row: 0, least, histories: vec![history; guards] }
    }

    /// Takes note of an event of some guards, each with whether it has hardly moved since its last; tells when events pile up.
    pub fn record(&mut self, t: f64, guards: &[(usize, bool)]) -> Option<Limit> {
        // A few spacings of doubles at this time are no progress.
        let progress = (t - self.last) > self.least + 16.0 * f64::EPSILON * t.abs();
        self.in_a_row = if progress { 0 } else { self.in_a_row + 1 };
        self.last = t;
        let stuck = guards.first().filter(|_| self.in_a_row >= MOST_IN_A_ROW);
        let stuck = stuck.map(|&(guard, _)| Limit { guard, t });
        guards.iter().fold(stuck, |found, &(guard, still)| {
            let limit = self.histories[guard].record(t, still);
            found.or(limit.map(|t| Limit { guard, t }))
        })
    }
}

impl History {
    /// The limit of a guard's events, if it is next to nothing away.
    fn record(&mut self, t: f64, still: bool) -> Option<f64> {
        let interval = t - self.last;
        let ratio = interval / self.interval;
        if ratio < 1.0 {
            self.shrunk += 1;
        } else {
            (self.shrunk, self.since) = (0, t);
        }
        (self.last, self.interval) = (t, interval);
        let rest = interval * ratio / (1.0 - ratio);
        self.still = if still { self.still + 1 } else { 0 };
        if self.still >= STILL {
            return Some(if ratio < 1.0 { t + rest } else { t });
        }
        (self.shrunk >= SHRUNK && rest <= NEXT_TO_NOTHING * (t - self.since)).then_some(t + rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_with_time_between_them_never_pile_up() {
        for scale in [1e-12, 1e-9, 1.0, 1e9] {
            let mut watch = Accumulation::new(0.0, 1000.0 * scale, 1);
            assert!((1..1000).all(|k| watch.record(f64::from(k) * scale, &[(0, false)]).is_none()));
        }
    }

    #[test]
    fn a_hundred_events_at_one_time_pile_up() {
        let mut watch = Accumulation::new(0.0, 2.0, 1);
        assert_eq!((0..200).position(|_| watch.record(1.0, &[(0, false)]).is_some()), Some(100));
    }

    #[test]
    fn the_limit_of_a_geometric_series_is_foretold() {
        for ratio in [0.1, 0.5, 0.9, 0.99] {
            let mut watch = Accumulation::new(0.0, 10.0, 2);
            let (mut t, mut interval) = (0.0, 1.0 - ratio);
            let limit = (0..10_000).find_map(|_| {
                t += interval;
                interval *= ratio;
                watch.record(t, &[(1, false)])
            });
            let limit = limit.expect("a limit");
            assert!((limit.t - 1.0).abs() < 1e-9 && limit.guard == 1, "{ratio}: {limit:?}");
        }
    }

    #[test]
    fn a_chirp_does_not_accumulate() {
        let mut watch = Accumulation::new(0.0, 1e4, 1);
        assert!((1..100_000).all(|k| watch.record(f64::from(k).sqrt(), &[(0, false)]).is_none()));
    }
}
