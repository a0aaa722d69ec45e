//! Rule 18: events of one guard that accumulate (Zeno), judged by its own intervals.
//!
//! Intervals are added up in blocks of p = 1 to 4, so that a motion that bounces off two walls in turn is
//! seen too. Letters: d is the length of a block, r the ratio of one to the one before it, ρ the largest of
//! five ratios, R a bound of the time left.

/// The longest block, in intervals.
const LONGEST_BLOCK: usize = 4;
/// Blocks that are compared. Fewer would take a passing slow-down for a limit.
const BLOCKS: usize = 6;
/// Intervals that are kept.
const KEPT: usize = LONGEST_BLOCK * BLOCKS;
/// The time left, as a part of the length of the sequence, at which the guard counts as at rest.
const AT_REST: f64 = 1e-10;
/// Intervals that are no longer than this part of the sequence are next to nothing.
const NEXT_TO_NOTHING: f64 = 1e-3;
/// The largest value between two events, in units of its band, at which the guard counts as at rest: its
/// intervals are rounding to three digits.
pub const NOTHING_LEFT: f64 = 1024.0;
/// What comes to rest has lost its speed to this part of the fastest of its sequence.
const SLOWED: f64 = 1e-3;
/// Terms of the extrapolated sum before it is ended by a geometric one.
const MOST_TERMS: usize = 100_000;
/// Terms below this part of the sum no longer matter.
const NEGLIGIBLE: f64 = 1e-17;

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
    /// Whether the motion is stopped where the events end. Then its speed has to come to an end with them: what is struck
    /// ever faster by something else is not at rest.
    pub stops: bool,
}

/// Where the events of a guard accumulate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ZenoLimit {
    /// The time from the last event to the limit.
    pub after: f64,
    /// A bound of the error of that time.
    pub bound: f64,
    /// The ratio of blocks at the limit.
    pub ratio: f64,
    /// The intervals in a block.
    pub period: usize,
}

/// The latest intervals between the events of one guard.
#[derive(Clone, Copy, Debug, Default)]
pub struct ZenoRecord {
    events: usize,
    /// The latest intervals in a ring; the next one goes to `events % KEPT`.
    intervals: [f64; KEPT],
    /// The mean speeds in these intervals, and the largest since the sequence began.
    speeds: [f64; KEPT],
    fastest: f64,
    /// For each length of blocks, the length of the sequence since its ratios are all below 1.
    lengths: [f64; LONGEST_BLOCK],
}

impl ZenoRecord {
    /// Nothing has happened yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything: the mode has changed, and intervals before and after have nothing in common.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Whether the latest intervals shrink as those of events that accumulate do.
    pub fn shrinks(&self) -> bool {
        self.lengths.iter().any(|length| *length > 0.0)
    }

    /// The time of the latest events, as many as the longest block has, if there were so many.
    pub fn latest_block(&self) -> Option<f64> {
        let back = |back: usize| self.intervals[(self.events - 1 - back) % KEPT];
        (self.events >= LONGEST_BLOCK).then(|| (0..LONGEST_BLOCK).map(back).sum())
    }

    /// Takes the next event; gives the limit if the guard is at rest by rule 18. `elapsed` is the time since
    /// the start of the run.
    pub fn record(&mut self, between: Between, elapsed: f64) -> Option<ZenoLimit> {
        if between.interval == 0.0 && self.shrinks() {
            // The last intervals are too short to be told.
            return Some(ZenoLimit { after: 0.0, bound: between.location, ratio: 0.0, period: 1 });
        }
        if !(between.interval > 0.0 && between.interval.is_finite()) {
            return None;
        }
        self.intervals[self.events % KEPT] = between.interval;
        self.speeds[self.events % KEPT] = between.peak / between.interval;
        self.events += 1;
        let moves_on = between.stops && !self.slows();
        let still = between.peak < NOTHING_LEFT * between.band;
        let rounding = 0.5 * f64::EPSILON * elapsed.abs() * self.events as f64;
        let mut limit = None;
        for period in 1..=LONGEST_BLOCK {
            let found = self.judge(period, between.interval, (still, moves_on));
            limit = limit.or(found.map(|sequence| sequence.limit(between.location, rounding)));
        }
        limit
    }

    /// Whether the motion has lost its speed since the sequence began.
    fn slows(&mut self) -> bool {
        let kept = self.events.min(KEPT);
        let speed = |back: usize| self.speeds[(self.events - 1 - back) % KEPT];
        let fastest = (0..kept).map(speed).filter(|speed| speed.is_finite()).fold(0.0, f64::max);
        self.fastest = if self.shrinks() { self.fastest.max(fastest) } else { fastest };
        // How far a contact has been that others have closed is not known.
        speed(0) <= SLOWED * self.fastest || !speed(0).is_finite()
    }

    /// The sequence of blocks of some length, if it says that the guard is at rest.
    fn judge(&mut self, period: usize, interval: f64, (still, moves_on): (bool, bool)) -> Option<Sequence> {
        let sequence = self.sequence(period)?;
        let length = &mut self.lengths[period - 1];
        if !sequence.shrinks() {
            // Rounding may spoil a ratio when there is next to nothing left.
            let last = sequence.blocks[BLOCKS - 1];
            let goes_on = still && last <= NEXT_TO_NOTHING * *length && last < sequence.blocks[0];
            if !goes_on {
                *length = 0.0;
            }
            return goes_on.then_some(sequence);
        }
        *length = if *length > 0.0 { *length + interval } else { sequence.blocks.iter().sum() };
        let left = sequence.time_left();
        // Rounding at rest has no limit that is near.
        let near = still && left <= *length;
        (near || !moves_on && left <= AT_REST * (*length + left)).then_some(sequence)
    }

    /// The latest six blocks of some length, the oldest first.
    fn sequence(&self, period: usize) -> Option<Sequence> {
        if self.events < period * BLOCKS {
            return None;
        }
        let mut blocks = [0.0; BLOCKS];
        for back in 0..period * BLOCKS {
            blocks[BLOCKS - 1 - back / period] += self.intervals[(self.events - 1 - back) % KEPT];
        }
        Some(Sequence { blocks, period })
    }
}

/// Six blocks of intervals.
#[derive(Clone, Copy, Debug)]
struct Sequence {
    blocks: [f64; BLOCKS],
    period: usize,
}

impl Sequence {
    /// The ratio of a block to the one before it, from 1 to 5.
    fn ratio(&self, k: usize) -> f64 {
        self.blocks[k] / self.blocks[k - 1]
    }

    /// ρ, the largest ratio.
    fn largest_ratio(&self) -> f64 {
        (1..BLOCKS).map(|k| self.ratio(k)).fold(0.0, f64::max)
    }

    fn shrinks(&self) -> bool {
        self.largest_ratio() < 1.0
    }

    /// R = d ρ / (1 - ρ).
    fn time_left(&self) -> f64 {
        let ratio = self.largest_ratio();
        self.blocks[BLOCKS - 1] * ratio / (1.0 - ratio)
    }

    /// The ratio as a linear function of d, from the ratios k-1 and k: the value at d = 0, and the slope.
    fn line(&self, k: usize) -> (f64, f64) {
        let (d0, d1) = (self.blocks[k - 2], self.blocks[k - 1]);
        let (r0, r1) = (self.ratio(k - 1), self.ratio(k));
        let slope = if d0 == d1 { 0.0 } else { (r1 - r0) / (d1 - d0) };
        (r1 - slope * d1, slope)
    }

    /// The limit and the bound of its error.
    fn limit(&self, location: f64, rounding: f64) -> ZenoLimit {
        let last = BLOCKS - 1;
        let d = self.blocks[last];
        let (mut ratio, mut slope) = self.line(last);
        let expected = self.line(last - 1);
        let mut unexplained = (self.ratio(last) - (expected.0 + expected.1 * self.blocks[last - 1])).abs();
        if !(ratio > 0.0 && ratio < 1.0 && ratio + slope * d < 1.0 && ratio + slope * d > 0.0) {
            // The line is rounding: the mean ratio, with all its scatter as doubt.
            ratio = (d / self.blocks[0]).powf(1.0 / last as f64).min(1.0 - f64::EPSILON);
            slope = 0.0;
            unexplained = (1..BLOCKS).map(|k| (self.ratio(k) - ratio).abs()).fold(0.0, f64::max);
        }
        let rest = 1.0 - ratio;
        let bound = d * unexplained / (rest * rest) + location / rest + rounding;
        ZenoLimit { after: total(d, ratio, slope), bound, ratio, period: self.period }
    }
}

/// The sum of the blocks that follow: d ← d (r + κ d).
fn total(mut d: f64, ratio: f64, slope: f64) -> f64 {
    let mut sum = 0.0;
    for _ in 0..MOST_TERMS {
        d *= ratio + slope * d;
        sum += d;
        if d <= NEGLIGIBLE * sum {
            return sum;
        }
    }
    sum + d * ratio / (1.0 - ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds intervals until the guard is at rest: the number of the event, and the limit.
    fn rest(
        intervals: impl Iterator<Item = f64>,
        peak: impl Fn(f64) -> f64,
    ) -> Option<(usize, ZenoLimit, f64)> {
        let (mut record, mut t) = (ZenoRecord::new(), 0.0);
        for (k, interval) in intervals.enumerate() {
            t += interval;
            let between =
                Between { interval, peak: peak(interval), band: 1e-16, location: 1e-16, stops: false };
            if let Some(limit) = record.record(between, t) {
                return Some((k, limit, t));
            }
        }
        None
    }

    #[test]
    fn a_geometric_sequence_rests_at_its_limit() {
        for ratio in [0.1_f64, 0.5, 0.9, 0.99, 0.999] {
            let intervals = (0..100_000).map(|k| ratio.powi(k) * (1.0 - ratio));
            let (k, limit, t) = rest(intervals, |_| 1.0).unwrap();
            let expected = AT_REST.ln() / ratio.ln();
            assert!((k as f64 - expected.max(5.0)).abs() < 3.0, "{ratio}: {k} {expected}");
            assert!((t + limit.after - 1.0).abs() <= limit.bound + 1e-12 && limit.bound < 1e-7, "{limit:?}");
            assert!((limit.ratio - ratio).abs() < 1e-3 && limit.period == 1);
        }
    }

    #[test]
    fn scale_does_not_matter() {
        let at = |scale: f64| rest((0..1000).map(|k| scale * 0.8_f64.powi(k)), |_| 1.0).unwrap();
        let (one, small, large) = (at(1.0), at(2.0_f64.powi(-30)), at(2.0_f64.powi(30)));
        assert_eq!((one.0, one.0), (small.0, large.0));
        assert_eq!(one.1.after, small.1.after * 2.0_f64.powi(30));
    }

    #[test]
    fn constant_growing_and_harmonic_intervals_never_rest() {
        assert!(rest((0..20_000).map(|_| 1e-3), |_| 1.0).is_none());
        assert!(rest((0..2000).map(|k| 1.01_f64.powi(k)), |_| 1.0).is_none());
        assert!(rest((1..200_000).map(|k| 1.0 / f64::from(k)), |_| 1.0).is_none());
        assert!(rest((1..200_000).map(|k| f64::from(k).powf(-0.5)), |_| 1.0).is_none());
        assert!(rest((0..20_000).map(|_| 1e-3), |_| 1e-15).is_none(), "constant, though small");
    }

    #[test]
    fn two_walls_in_turn_rest_as_blocks_of_two() {
        // Each second interval is longer than the one before it.
        let intervals = (0..1000).map(|k| if k % 2 == 0 { 1.0 } else { 3.0 } * 0.7_f64.powi(k / 2));
        let (_, limit, t) = rest(intervals, |_| 1.0).unwrap();
        assert_eq!(limit.period, 2);
        assert!((t + limit.after - 4.0 / 0.3).abs() < 1e-9, "{limit:?} {t}");
        let three = (0..1000).flat_map(|k| [1.0, 3.0, 2.0].map(|d| d * 0.7_f64.powi(k)));
        assert_eq!(rest(three, |_| 1.0).unwrap().1.period, 3);
    }

    #[test]
    fn ratios_that_change_with_the_interval_are_extrapolated() {
        // r = 0.6 + 0.2 d.
        let mut intervals = vec![0.5_f64];
        for k in 0..400 {
            let d = intervals[k];
            intervals.push(d * (0.6 + 0.2 * d));
        }
        let all: f64 = intervals.iter().sum();
        let sequence = Sequence { blocks: intervals[4..10].try_into().unwrap(), period: 1 };
        let until: f64 = intervals[..10].iter().sum();
        let limit = sequence.limit(0.0, 0.0);
        assert!((until + limit.after - all).abs() < 1e-14, "{limit:?}");
        let geometric = sequence.time_left();
        assert!((until + geometric - all).abs() > 1e-4, "a plain ratio is far off");
    }

    #[test]
    fn a_motion_that_is_lost_in_rounding_rests() {
        // The height of a ball: as the square of the interval.
        let intervals = (0..100_000).map(|k| 0.95_f64.powi(k));
        let (k, limit, _) = rest(intervals, |d| d * d).unwrap();
        assert!((0.95_f64.powf(2.0 * k as f64) / 1024e-16 - 1.0).abs() < 0.2 && limit.after > 0.0, "{k}");
        // Rounding in the intervals does not keep it awake.
        let noisy = (0..1000).map(|k| 0.9_f64.powi(k) * (1.0 + if k % 2 == 0 { 0.2 } else { 0.0 }));
        assert!(rest(noisy, |d| d * d).is_some());
    }

    #[test]
    fn intervals_that_are_no_numbers_are_passed_over() {
        let mut record = ZenoRecord::new();
        for interval in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let between = Between { interval, peak: 0.0, band: 1.0, location: 0.0, stops: false };
            assert!((0..100).all(|_| record.record(between, 1.0).is_none()));
        }
    }
}
