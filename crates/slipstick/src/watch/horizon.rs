//! The guard horizon: comparisons that cannot reach their band for a while sleep.
//!
//! The path is how far time and states have gone since the guards were made. A comparison that is `reach`
//! outside its band and changes by at most `speed` per unit of it cannot be inside it before a path of
//! `reach / speed`. Asking for the speed costs more than a polynomial, so that it is only done where it
//! pays.
//!
//! A formula such as `x*x - 4` can change as fast as you like, but not on a path of length 1 from `x = 0`.
//! A long path spares questions, on a short one the comparison is slower: the length that is asked for
//! follows what the last answer allowed.
//!
//! Comparisons that sleep are in a queue by when they wake up, and are not looked at before: a step costs what is
//! awake in it, however many sleep.

use super::signals::SpeedBound;
use crate::math::RunningSum;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Steps of sleep that pay for one question.
const WORTH: u32 = 4;
/// The length of path that is first asked for, and the least, in steps.
const FIRST_LENGTH: f64 = 32.0;
const LEAST_LENGTH: f64 = 2.0;
/// By how much a length grows that was too short, and shrinks that was too long; and how far beyond what
/// the speed allows it is chosen otherwise.
const LONGER: f64 = 4.0;
const BEYOND: f64 = 2.0;
/// How near to a length of which nothing was known the next ones come, and by how much they may come nearer
/// each time that it pays.
const BELOW: f64 = 0.6;
const NEARER: f64 = 1.25;
/// Questions in a row, each for a shorter path.
const MOST_QUESTIONS: usize = 3;
/// The part of a safe path that is used, for rounding.
const CAREFUL: f64 = 0.999_999;
/// The most steps between two questions that did not pay.
const LONGEST_WAIT: u32 = 64;
/// Of how far a comparison was from its band when it fell asleep, the part that is surely left of it while it sleeps: with
/// nothing but the knowledge that it is not zero, it may have come as near as this.
const SURE_PART: f64 = 1e-6;
/// How far before its time a comparison is looked for in the queue, as a part of the clock: for its rounding.
const EARLY: f64 = 16.0 * f64::EPSILON;

/// How one comparison sleeps.
#[derive(Clone, Copy, Debug, Default)]
struct Sleeper {
    /// When it fell asleep, and how long after that it cannot reach its band.
    since: RunningSum,
    safe: f64,
    /// How far outside its band it was then, and that band.
    reach: f64,
    band: f64,
    /// Steps until it is asked again, and how many it will be the next time.
    wait: u32,
    next_wait: u32,
    /// The step in which it fell asleep.
    asleep_in: u64,
    asleep: bool,
    /// Whether it is in the list of those that are awake.
    listed: bool,
    /// Whether its speed is known everywhere: then a question costs next to nothing.
    known: bool,
    /// The length of path that will be asked for, and one that was too long; 0 if there is none yet.
    length: f64,
    too_long: f64,
}

/// When a comparison wakes up, on the clock.
#[derive(Clone, Copy, Debug)]
struct Waking {
    at: f64,
    comparison: usize,
}

impl Ord for Waking {
    fn cmp(&self, other: &Self) -> Ordering {
        self.at.total_cmp(&other.at).then(self.comparison.cmp(&other.comparison))
    }
}

impl PartialOrd for Waking {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waking {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waking {}

/// When comparisons have to be looked at again.
#[derive(Clone, Debug)]
pub(super) struct Horizon {
    clock: RunningSum,
    /// The last path that the clock went on by.
    last: f64,
    /// The steps in which something was looked at.
    steps: u64,
    sleepers: Vec<Sleeper>,
    /// Those that are awake, those that sleep by when they wake up, and those that wake up now. A comparison that was
    /// roused stays in the queue until its turn comes.
    awake: Vec<usize>,
    queue: BinaryHeap<Reverse<Waking>>,
    waking: Vec<usize>,
}

impl Horizon {
    pub(super) fn new(comparisons: usize) -> Self {
        Self {
            clock: RunningSum::default(),
            last: 0.0,
            steps: 0,
            sleepers: vec![Sleeper::default(); comparisons],
            awake: Vec::with_capacity(comparisons),
            queue: BinaryHeap::with_capacity(comparisons),
            waking: Vec::with_capacity(comparisons),
        }
    }

    /// Nothing is known, and no time has passed.
    pub(super) fn reset(&mut self) {
        (self.clock, self.last, self.steps) = (RunningSum::default(), 0.0, 0);
        self.sleepers.fill(Sleeper::default());
        self.awake.clear();
        self.queue.clear();
    }

    /// Paths are measured in other units from here on: what was a path of one is at least this short now. What cannot
    /// be told from that is forgotten.
    pub(super) fn rescale(&mut self, by: f64) {
        let clock = self.clock;
        if by.is_finite() && by > 0.0 {
            for sleeper in &mut self.sleepers {
                sleeper.safe = by * (sleeper.safe - clock.since(sleeper.since));
                // Which length pays is found out anew from what it is in steps.
                (sleeper.since, sleeper.too_long) = (clock, 0.0);
            }
            self.last *= by;
            return self.line_up();
        }
        // Nothing is known any more, and no time has passed. Whatever is listed stays so.
        (self.clock, self.last) = (RunningSum::default(), 0.0);
        self.queue.clear();
        for comparison in 0..self.sleepers.len() {
            let Sleeper { asleep, listed, .. } = self.sleepers[comparison];
            self.sleepers[comparison] = Sleeper { listed: listed || asleep, ..Sleeper::default() };
            if asleep && !listed {
                self.awake.push(comparison);
            }
        }
    }

    /// Puts all that sleep into the queue anew.
    fn line_up(&mut self) {
        self.queue.clear();
        for comparison in 0..self.sleepers.len() {
            if self.sleepers[comparison].asleep {
                self.enqueue(comparison);
            }
        }
    }

    fn enqueue(&mut self, comparison: usize) {
        let Sleeper { since, safe, .. } = self.sleepers[comparison];
        // Its own time is kept to more digits.
        let since = since.since(RunningSum::default());
        let early = EARLY * (since.abs() + safe.abs());
        let at = match since.is_finite() {
            true if safe.is_finite() => since + safe - early,
            true => safe,
            // After a path without an end it is asked each time.
            false => f64::NEG_INFINITY,
        };
        self.queue.push(Reverse(Waking { at, comparison }));
    }

    /// A step is taken.
    pub(super) fn advance(&mut self, s: f64) {
        self.clock = self.clock.plus(s);
        self.last = s;
    }

    /// Whether all sleep over a step.
    pub(super) fn is_quiet(&self, h: f64) -> bool {
        let end = self.clock.since(RunningSum::default()) + h;
        self.awake.is_empty() && self.queue.peek().is_none_or(|Reverse(first)| first.at > end)
    }

    /// The comparisons that are not known to sleep over a step, ascending, beside those that surely do. Each has to be
    /// [put to sleep](Self::sleeps), [kept awake](Self::keep_awake) or left out; those that are left out are
    /// [roused](Self::rouse) when they matter again.
    pub(super) fn begin(&mut self, h: f64, open: &mut Vec<usize>) {
        self.steps += 1;
        open.clear();
        open.append(&mut self.awake);
        let end = self.clock.since(RunningSum::default()) + h;
        self.waking.clear();
        let wakes = |first: &Waking| end.is_nan() || first.at <= end;
        while let Some(&Reverse(first)) = self.queue.peek().filter(|Reverse(first)| wakes(first)) {
            self.queue.pop();
            // One that was roused and sleeps again may be there twice.
            if self.sleepers[first.comparison].asleep {
                self.waking.push(first.comparison);
            }
        }
        open.append(&mut self.waking);
        open.sort_unstable();
        open.dedup();
        for &comparison in &*open {
            self.sleepers[comparison].listed = false;
        }
    }

    /// A comparison stays awake.
    pub(super) fn keep_awake(&mut self, comparison: usize) {
        self.sleepers[comparison].rise(self.steps);
        self.list(comparison);
    }

    fn list(&mut self, comparison: usize) {
        if !std::mem::replace(&mut self.sleepers[comparison].listed, true) {
            self.awake.push(comparison);
        }
    }

    /// A comparison is somewhere else: what was known of it is no longer true.
    pub(super) fn rouse(&mut self, comparison: usize) {
        self.sleepers[comparison].rise(self.steps + 1);
        self.list(comparison);
    }

    /// Whether a comparison that sleeps cannot sleep over a step without a look at where it is.
    pub(super) fn wakes(&self, comparison: usize, h: f64) -> bool {
        let sleeper = &self.sleepers[comparison];
        let left = sleeper.safe - self.clock.since(sleeper.since);
        sleeper.asleep && (left <= h || left.is_nan())
    }

    /// How far outside its band a comparison surely is while it sleeps, with its band as it was when it fell asleep; and
    /// has been during the last step. None if it is awake.
    pub(super) fn clearance(&self, comparison: usize) -> Option<(f64, f64)> {
        let Sleeper { since, safe, reach, band, asleep, .. } = self.sleepers[comparison];
        let left = safe - self.clock.since(since);
        let part = if safe == f64::INFINITY { 1.0 } else { left / safe };
        (asleep && left > self.last).then_some((SURE_PART * part * reach, band))
    }

    /// Whether a comparison sleeps over a step. It is at least `reach` outside its band, which is this wide.
    pub(super) fn sleeps(
        &mut self,
        comparison: usize,
        (reach, band): (f64, f64),
        h: f64,
        mut pace: impl FnMut(f64) -> Option<SpeedBound>,
    ) -> bool {
        let (clock, steps, sleeper) = (self.clock, self.steps, &mut self.sleepers[comparison]);
        if sleeper.asleep {
            if sleeper.safe - clock.since(sleeper.since) > h {
                self.enqueue(comparison);
                return true;
            }
            sleeper.rise(steps);
        }
        if sleeper.wait > 0 {
            sleeper.wait -= 1;
            return false;
        }
        let time = sleeper.ask(reach, h, &mut pace);
        if time > h {
            *sleeper =
                Sleeper { since: clock, safe: time, reach, band, asleep: true, asleep_in: steps, ..*sleeper };
            if self.queue.len() >= 2 * self.sleepers.len() {
                self.line_up();
            } else {
                self.enqueue(comparison);
            }
            return true;
        }
        sleeper.did_not_pay();
        false
    }
}

impl Sleeper {
    /// For how long a path the comparison does not reach its band; 0 if that is not known.
    fn ask(&mut self, reach: f64, h: f64, pace: &mut dyn FnMut(f64) -> Option<SpeedBound>) -> f64 {
        for _ in 0..MOST_QUESTIONS {
            let asked = if self.length > 0.0 { self.length.max(LEAST_LENGTH * h) } else { FIRST_LENGTH * h };
            let known = pace(asked).filter(|bound| bound.speed.is_finite() && bound.length > 0.0);
            let Some(SpeedBound { speed, length }) = known else {
                (self.too_long, self.length) = (asked, asked / LONGER);
                if self.length < LEAST_LENGTH * h {
                    return 0.0;
                }
                continue;
            };
            self.known = length == f64::INFINITY;
            // What does not change by any means need not be far away.
            let allowed = if speed == 0.0 { f64::INFINITY } else { reach / speed };
            if allowed < length {
                self.length = BEYOND * allowed;
            } else if length.is_finite() {
                let most = if self.too_long > 0.0 { BELOW * self.too_long } else { f64::INFINITY };
                (self.length, self.too_long) = ((LONGER * length).min(most), NEARER * self.too_long);
            }
            // A little less, for rounding.
            return CAREFUL * allowed.min(length);
        }
        0.0
    }

    /// It wakes up in a step; whether its sleep was worth the question says when it is asked again.
    fn rise(&mut self, step: u64) {
        if self.asleep && step < self.asleep_in + u64::from(WORTH) && !self.known {
            self.did_not_pay();
        } else if self.asleep {
            (self.wait, self.next_wait) = (0, 0);
        }
        self.asleep = false;
    }

    fn did_not_pay(&mut self) {
        self.wait = self.next_wait;
        self.next_wait = (2 * self.next_wait + 1).min(LONGEST_WAIT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A speed that holds everywhere.
    fn everywhere(speed: f64) -> SpeedBound {
        SpeedBound { speed, length: f64::INFINITY }
    }

    #[test]
    fn a_comparison_sleeps_as_long_as_it_cannot_reach_its_band() {
        let mut horizon = Horizon::new(1);
        let mut asked = 0;
        let mut speed = |_: f64| {
            asked += 1;
            Some(everywhere(2.0))
        };
        for k in 0..9 {
            assert!(horizon.sleeps(0, (20.0, 0.0), 1.0, &mut speed), "step {k}");
            horizon.advance(1.0);
            assert!(horizon.is_quiet(8.9 - f64::from(k)) && !horizon.is_quiet(9.0 - f64::from(k)));
        }
        assert!(!horizon.sleeps(0, (1.0, 0.0), 1.0, &mut speed), "it may arrive at 10");
        assert_eq!(asked, 2);
    }

    #[test]
    fn what_is_not_known_does_not_sleep() {
        assert!(!Horizon::new(1).sleeps(0, (1.0, 0.0), 4.0, |_| None));
        assert!(!Horizon::new(1).sleeps(0, (1.0, 0.0), 1.0, |_| Some(everywhere(f64::NAN))));
        let mut still = Horizon::new(1);
        assert!(still.sleeps(0, (1.0, 0.0), 1.0, |_| Some(everywhere(0.0))));
        assert!(still.is_quiet(f64::MAX));
    }

    #[test]
    fn questions_that_do_not_pay_become_rare() {
        let mut horizon = Horizon::new(1);
        let mut asked = 0;
        for _ in 0..1000 {
            horizon.sleeps(0, (1.0, 0.0), 1.0, |_| {
                asked += 1;
                Some(everywhere(10.0))
            });
        }
        assert!((15..30).contains(&asked), "{asked}");
    }

    #[test]
    fn small_steps_are_not_lost_after_a_long_time() {
        let mut horizon = Horizon::new(1);
        horizon.advance(1e9);
        assert!(horizon.sleeps(0, (1e-9, 0.0), 1e-12, |_| Some(everywhere(1.0))));
        let mut open = Vec::new();
        for _ in 0..998 {
            horizon.begin(1e-12, &mut open);
            assert_eq!(open, [0], "its turn in the queue has no more digits than the clock");
            assert!(horizon.sleeps(0, (0.0, 0.0), 1e-12, |_| None));
            horizon.advance(1e-12);
        }
        horizon.advance(2e-12);
        assert!(!horizon.sleeps(0, (0.0, 0.0), 1e-12, |_| None));
    }

    #[test]
    fn in_other_units_it_sleeps_as_long() {
        let mut horizon = Horizon::new(1);
        assert!(horizon.sleeps(0, (20.0, 0.0), 1.0, |_| Some(everywhere(2.0))));
        horizon.advance(4.0);
        horizon.rescale(0.5);
        assert!(horizon.is_quiet(2.99) && !horizon.is_quiet(3.01));
        horizon.rescale(0.0);
        assert!(!horizon.is_quiet(1e-9), "nothing can be told");
        assert!(!horizon.sleeps(0, (1.0, 0.0), 1.0, |_| None));
    }

    #[test]
    fn a_jump_wakes_it() {
        let mut horizon = Horizon::new(1);
        assert!(horizon.sleeps(0, (1.0, 0.0), 1.0, |_| Some(everywhere(0.0))));
        assert!(horizon.is_quiet(1e9));
        horizon.rouse(0);
        assert!(!horizon.is_quiet(1e-9) && !horizon.sleeps(0, (1.0, 0.0), 1.0, |_| None));
    }

    #[test]
    fn after_a_path_without_an_end_nothing_sleeps_until_paths_are_measured_anew() {
        let mut horizon = Horizon::new(1);
        let still = |horizon: &mut Horizon| horizon.sleeps(0, (1.0, 0.0), 1.0, |_| Some(everywhere(0.0)));
        assert!(still(&mut horizon));
        horizon.advance(f64::INFINITY);
        let mut open = Vec::new();
        for _ in 0..3 {
            assert!(!horizon.is_quiet(1.0));
            horizon.begin(1.0, &mut open);
            assert_eq!(open, [0]);
            horizon.keep_awake(0);
        }
        horizon.rescale(0.0);
        horizon.begin(1.0, &mut open);
        assert!(open == [0] && still(&mut horizon) && horizon.is_quiet(9.0));
    }

    #[test]
    fn only_those_that_are_awake_or_wake_up_are_looked_at() {
        let mut horizon = Horizon::new(3);
        (0..3).for_each(|k| horizon.rouse(k));
        let mut open = Vec::new();
        horizon.begin(1.0, &mut open);
        assert_eq!(open, [0, 1, 2]);
        assert!(horizon.sleeps(0, (4.0, 0.1), 1.0, |_| Some(everywhere(1.0))));
        assert!(horizon.sleeps(1, (9.0, 0.1), 1.0, |_| Some(everywhere(1.0))));
        horizon.keep_awake(2);
        let mut seen = Vec::new();
        for _ in 0..6 {
            horizon.advance(1.0);
            horizon.begin(1.0, &mut open);
            seen.push(open.clone());
            open.iter().for_each(|&k| horizon.keep_awake(k));
        }
        assert_eq!(seen, [vec![2], vec![2], vec![0, 2], vec![0, 2], vec![0, 2], vec![0, 2]]);
        let (clearance, band) = horizon.clearance(1).expect("it sleeps");
        assert!(band == 0.1 && (clearance / (3e-6) - 1.0).abs() < 1e-5, "{clearance}");
        assert_eq!(horizon.clearance(0), None);
    }

    #[test]
    fn where_a_long_path_is_not_bounded_a_shorter_one_is_asked_for() {
        let mut horizon = Horizon::new(1);
        let mut asked = Vec::new();
        let mut pace = |length: f64| {
            asked.push(length);
            (length < 20.0).then_some(SpeedBound { speed: 0.0, length })
        };
        assert!(horizon.sleeps(0, (0.0, 0.0), 1.0, &mut pace));
        assert!(horizon.is_quiet(7.9) && !horizon.is_quiet(8.0));
        horizon.advance(7.5);
        assert!(horizon.sleeps(0, (0.0, 0.0), 1.0, &mut pace));
        horizon.advance(1.0);
        assert!(!horizon.wakes(0, 1.9));
        assert_eq!(asked[..2], [FIRST_LENGTH, FIRST_LENGTH / LONGER]);
        assert!(asked.len() <= 4, "{asked:?}");
    }
}
