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

use super::signals::SpeedBound;
use crate::math::RunningSum;

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

/// How one comparison sleeps.
#[derive(Clone, Copy, Debug, Default)]
struct Sleeper {
    /// When it fell asleep, and how long after that it cannot reach its band.
    since: RunningSum,
    safe: f64,
    /// Steps until it is asked again, and how many it will be the next time.
    wait: u32,
    next_wait: u32,
    /// Steps that it has slept since it was last asked.
    slept: u32,
    asleep: bool,
    /// Whether its speed is known everywhere: then a question costs next to nothing.
    known: bool,
    /// The length of path that will be asked for, and one that was too long; 0 if there is none yet.
    length: f64,
    too_long: f64,
}

/// When comparisons have to be looked at again.
#[derive(Clone, Debug)]
pub(super) struct Horizon {
    clock: RunningSum,
    /// How long no comparison is due, and since when.
    quiet: f64,
    quiet_since: RunningSum,
    sleepers: Vec<Sleeper>,
}

impl Horizon {
    pub(super) fn new(comparisons: usize) -> Self {
        let clock = RunningSum::default();
        Self { clock, quiet: 0.0, quiet_since: clock, sleepers: vec![Sleeper::default(); comparisons] }
    }

    /// Nothing is known, and no time has passed.
    pub(super) fn reset(&mut self) {
        (self.clock, self.quiet, self.quiet_since) = (RunningSum::default(), 0.0, RunningSum::default());
        self.sleepers.fill(Sleeper::default());
    }

    /// Paths are measured in other units from here on: what was a path of one is at least this short now. What cannot
    /// be told from that is forgotten.
    pub(super) fn rescale(&mut self, by: f64) {
        if !(by.is_finite() && by > 0.0) {
            return self.reset();
        }
        let clock = self.clock;
        self.quiet = by * (self.quiet - clock.since(self.quiet_since));
        self.quiet_since = clock;
        for sleeper in &mut self.sleepers {
            sleeper.safe = by * (sleeper.safe - clock.since(sleeper.since));
            // Which length pays is found out anew from what it is in steps.
            (sleeper.since, sleeper.too_long) = (clock, 0.0);
        }
    }

    /// A step is taken.
    pub(super) fn advance(&mut self, s: f64) {
        self.clock = self.clock.plus(s);
    }

    /// Whether all sleep over a step.
    pub(super) fn is_quiet(&self, h: f64) -> bool {
        self.clock.since(self.quiet_since) + h < self.quiet
    }

    /// All comparisons sleep, the first for this long; 0 if not all do.
    pub(super) fn set_quiet(&mut self, quiet: f64) {
        (self.quiet, self.quiet_since) = (quiet, self.clock);
    }

    /// A comparison is somewhere else: what was known of it is no longer true.
    pub(super) fn rouse(&mut self, comparison: usize) {
        self.quiet = 0.0;
        self.sleepers[comparison].rise();
    }

    /// Whether a comparison that sleeps cannot sleep over a step without a look at where it is.
    pub(super) fn wakes(&self, comparison: usize, h: f64) -> bool {
        let sleeper = &self.sleepers[comparison];
        let left = sleeper.safe - self.clock.since(sleeper.since);
        sleeper.asleep && (left <= h || left.is_nan())
    }

    /// How long a comparison sleeps, if that is longer than the step. It is at least `reach` outside its
    /// band.
    pub(super) fn sleeps(
        &mut self,
        comparison: usize,
        reach: f64,
        h: f64,
        mut pace: impl FnMut(f64) -> Option<SpeedBound>,
    ) -> Option<f64> {
        let (clock, sleeper) = (self.clock, &mut self.sleepers[comparison]);
        if sleeper.asleep {
            let left = sleeper.safe - clock.since(sleeper.since);
            if left > h {
                sleeper.slept += 1;
                return Some(left);
            }
            sleeper.rise();
        }
        if sleeper.wait > 0 {
            sleeper.wait -= 1;
            return None;
        }
        let time = sleeper.ask(reach, h, &mut pace);
        if time > h {
            *sleeper = Sleeper { since: clock, safe: time, asleep: true, slept: 1, ..*sleeper };
            return Some(time);
        }
        sleeper.did_not_pay();
        None
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

    /// It wakes up; whether its sleep was worth the question says when it is asked again.
    fn rise(&mut self) {
        if self.asleep && self.slept < WORTH && !self.known {
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
            let left = horizon.sleeps(0, 20.0, 1.0, &mut speed).unwrap_or(0.0);
            assert!((left - 10.0 + f64::from(k)).abs() < 1e-4, "step {k}: {left}");
            horizon.advance(1.0);
        }
        assert_eq!(horizon.sleeps(0, 1.0, 1.0, &mut speed), None, "it may arrive at 10");
        assert_eq!(asked, 2);
    }

    #[test]
    fn what_is_not_known_does_not_sleep() {
        assert_eq!(Horizon::new(1).sleeps(0, 1.0, 4.0, |_| None), None);
        assert_eq!(Horizon::new(1).sleeps(0, 1.0, 1.0, |_| Some(everywhere(f64::NAN))), None);
        assert_eq!(Horizon::new(1).sleeps(0, 1.0, 1.0, |_| Some(everywhere(0.0))), Some(f64::INFINITY));
    }

    #[test]
    fn questions_that_do_not_pay_become_rare() {
        let mut horizon = Horizon::new(1);
        let mut asked = 0;
        for _ in 0..1000 {
            horizon.sleeps(0, 1.0, 1.0, |_| {
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
        assert!(horizon.sleeps(0, 1e-9, 1e-12, |_| Some(everywhere(1.0))).is_some());
        (0..1000).for_each(|_| horizon.advance(1e-12));
        assert_eq!(horizon.sleeps(0, 0.0, 1e-12, |_| None), None);
    }

    #[test]
    fn in_other_units_it_sleeps_as_long() {
        let mut horizon = Horizon::new(1);
        assert!(horizon.sleeps(0, 20.0, 1.0, |_| Some(everywhere(2.0))).is_some());
        horizon.advance(4.0);
        horizon.rescale(0.5);
        let left = horizon.sleeps(0, 0.0, 1.0, |_| None);
        assert!(left.is_some_and(|left| (left - 3.0).abs() < 1e-4), "{left:?}");
        horizon.rescale(0.0);
        assert_eq!(horizon.sleeps(0, 1.0, 1.0, |_| None), None, "nothing can be told");
    }

    #[test]
    fn a_jump_wakes_it() {
        let mut horizon = Horizon::new(1);
        assert!(horizon.sleeps(0, 1.0, 1.0, |_| Some(everywhere(0.0))).is_some());
        horizon.set_quiet(f64::INFINITY);
        assert!(horizon.is_quiet(1e9));
        horizon.rouse(0);
        assert!(!horizon.is_quiet(1e-9) && horizon.sleeps(0, 1.0, 1.0, |_| None).is_none());
    }

    #[test]
    fn where_a_long_path_is_not_bounded_a_shorter_one_is_asked_for() {
        let mut horizon = Horizon::new(1);
        let mut asked = Vec::new();
        let mut pace = |length: f64| {
            asked.push(length);
            (length < 20.0).then_some(SpeedBound { speed: 0.0, length })
        };
        let safe = horizon.sleeps(0, 0.0, 1.0, &mut pace);
        assert!(safe.is_some_and(|safe| safe > 7.9 && safe < 8.0), "{safe:?}");
        horizon.advance(7.5);
        let next = horizon.sleeps(0, 0.0, 1.0, &mut pace);
        assert!(next.is_some_and(|safe| safe > 3.0), "{next:?}");
        assert_eq!(asked[..2], [FIRST_LENGTH, FIRST_LENGTH / LONGER]);
        assert!(asked.len() <= 4, "{asked:?}");
    }
}
