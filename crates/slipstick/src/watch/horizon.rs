//! The guard horizon: comparisons that cannot reach their band for a while sleep.
//!
//! A comparison that is `reach` outside its band, and changes by at most `speed` per unit of what its inputs go, is not
//! inside it while none of them leaves a room of `reach / speed` around where it is. So a comparison sleeps until a step
//! may take one of the inputs that it depends on out of its room: what it does not depend on may begin to move, oscillate
//! or be set by an event without waking it. Where its inputs are not known, the room is a length of path that
//! everything has gone together.
//!
//! Asking for the speed costs more than a polynomial, so that it is only done where it pays. A formula such as `x*x - 4`
//! can change as fast as you like, but not in a room of width 1 around `x = 0`. A wide room spares questions, in a narrow
//! one the comparison is slower: the width that is asked for, as the time in which inputs cross it, follows what the last
//! answer allowed.

use super::signals::{Extent, Signals, SpeedBound};
use crate::math::RunningSum;

/// Steps of sleep that pay for one question.
const WORTH: u64 = 4;
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
/// Of how far a comparison was from its band when it fell asleep, the part that is surely left of it while it sleeps: with
/// nothing but the knowledge that it is not zero, it may have come as near as this.
const SURE_PART: f64 = 1.0 - CAREFUL;
/// The most steps between two questions that did not pay.
const LONGEST_WAIT: u32 = 64;

/// How one comparison sleeps.
#[derive(Clone, Copy, Debug, Default)]
struct Sleeper {
    /// Where its inputs are not known: when it fell asleep, and how long after that it cannot reach its band.
    since: RunningSum,
    safe: f64,
    /// Steps until it is asked again, and how many it will be the next time.
    wait: u32,
    next_wait: u32,
    /// How far outside its band it was when it fell asleep, and that band.
    reach: f64,
    band: f64,
    /// The step in which it fell asleep.
    slept_from: u64,
    asleep: bool,
    /// Whether it has woken up, and nobody has looked since where it is.
    woken: bool,
    /// Whether its speed is known everywhere: then a question costs next to nothing.
    known: bool,
    /// The length of path that will be asked for, and one that was too long; 0 if there is none yet.
    length: f64,
    too_long: f64,
}

/// For how long a path the comparison does not reach its band, of one that was asked for.
#[derive(Clone, Copy, Debug)]
struct Answer {
    allowed: f64,
    length: f64,
}

/// Where an input may be while a comparison sleeps.
#[derive(Clone, Copy, Debug)]
struct Room {
    input: u32,
    lo: f64,
    hi: f64,
}

/// When comparisons have to be looked at again.
#[derive(Clone, Debug)]
pub(super) struct Horizon {
    clock: RunningSum,
    steps: u64,
    sleepers: Vec<Sleeper>,
    /// Where the inputs of each comparison that sleeps may be; none if they are not known.
    rooms: Vec<Vec<Room>>,
    /// Where all comparisons that sleep go on sleeping: as long as this after then, and with inputs there.
    quiet: f64,
    quiet_since: RunningSum,
    quiet_rooms: Vec<(f64, f64)>,
    /// The comparisons that do not sleep, in rising order, unless others have been woken since.
    awake: Vec<usize>,
    roused: bool,
    /// The step at hand.
    extents: Vec<Extent>,
    path: f64,
}

impl Horizon {
    pub(super) fn new(comparisons: usize) -> Self {
        let clock = RunningSum::default();
        Self {
            clock,
            steps: 0,
            sleepers: vec![Sleeper::default(); comparisons],
            rooms: vec![Vec::new(); comparisons],
            quiet: f64::INFINITY,
            quiet_since: clock,
            quiet_rooms: Vec::new(),
            awake: Vec::with_capacity(comparisons),
            roused: true,
            extents: Vec::new(),
            path: 0.0,
        }
    }

    /// Nothing is known, and no time has passed.
    pub(super) fn reset(&mut self) {
        (self.clock, self.steps, self.roused) = (RunningSum::default(), 0, true);
        self.sleepers.fill(Sleeper::default());
    }

    /// A step is taken.
    pub(super) fn advance(&mut self, s: f64) {
        self.clock = self.clock.plus(s);
    }

    /// A comparison is somewhere else: what was known of it is no longer true.
    pub(super) fn rouse(&mut self, comparison: usize) {
        self.roused = true;
        self.sleepers[comparison].rise(self.steps);
        self.sleepers[comparison].woken = false;
    }

    /// Begins a step in which everything goes a path of this length, and wakes the comparisons that cannot sleep over it.
    pub(super) fn begin_step(&mut self, watched: &[usize], signals: &mut dyn Signals, path: f64) {
        self.steps += 1;
        self.path = path;
        signals.extents(&mut self.extents);
        if self.roused || !self.is_quiet() {
            self.wake(watched);
        }
    }

    /// The comparisons that do not sleep.
    pub(super) fn awake(&self) -> &[usize] {
        &self.awake
    }

    /// These comparisons did not fall asleep, of those that did not sleep.
    pub(super) fn set_awake(&mut self, awake: &[usize]) {
        self.awake.clear();
        self.awake.extend_from_slice(awake);
    }

    /// Whether a comparison has slept, so that it is not known where it is. It is looked at now.
    pub(super) fn has_woken(&mut self, comparison: usize) -> bool {
        std::mem::replace(&mut self.sleepers[comparison].woken, false)
    }

    /// Whether a comparison whose inputs are known sleeps, and goes on to do so where the motion stands.
    pub(super) fn sleeps_at(&self, comparison: usize, (t, y): (f64, &[f64])) -> bool {
        let at = |input: u32| (input as usize).checked_sub(1).map_or(Some(t), |state| y.get(state).copied());
        let holds = |room: &Room| at(room.input).is_none_or(|at| room.lo <= at && at <= room.hi);
        self.sleepers[comparison].asleep && self.rooms[comparison].iter().all(holds)
    }

    /// How far outside its band a comparison is at least, with its band as it was when it fell asleep, and has been during
    /// the last step. None if it does not sleep, or it is not known what it depends on.
    pub(super) fn clearance(&self, comparison: usize, at: (f64, &[f64])) -> Option<(f64, f64)> {
        let Sleeper { reach, band, .. } = self.sleepers[comparison];
        let is_known = !self.rooms[comparison].is_empty();
        (is_known && self.sleeps_at(comparison, at)).then_some((SURE_PART * reach, band))
    }

    /// Whether all that sleep sleep over the step.
    fn is_quiet(&self) -> bool {
        let within = |(room, extent): (&(f64, f64), &Extent)| extent.is_within(*room);
        self.clock.since(self.quiet_since) + self.path < self.quiet
            && self.path < f64::INFINITY
            && self.quiet_rooms.iter().zip(&self.extents).all(within)
    }

    /// Looks at all comparisons that sleep.
    fn wake(&mut self, watched: &[usize]) {
        self.roused = false;
        (self.quiet, self.quiet_since) = (f64::INFINITY, self.clock);
        self.quiet_rooms.clear();
        self.quiet_rooms.resize(self.extents.len(), (f64::NEG_INFINITY, f64::INFINITY));
        self.awake.clear();
        for &comparison in watched {
            if self.sleeps_on(comparison) {
                self.keep_quiet(comparison);
                continue;
            }
            let sleeper = &mut self.sleepers[comparison];
            sleeper.woken |= sleeper.asleep;
            sleeper.rise(self.steps);
            self.awake.push(comparison);
        }
    }

    /// Whether a comparison sleeps over the step.
    fn sleeps_on(&self, comparison: usize) -> bool {
        let sleeper = &self.sleepers[comparison];
        sleeper.asleep
            && self.path < f64::INFINITY
            && sleeper.safe - self.clock.since(sleeper.since) > self.path
            && self.rooms[comparison].iter().all(|room| room.holds(&self.extents))
    }

    /// Quiet lasts no longer than a comparison sleeps.
    fn keep_quiet(&mut self, comparison: usize) {
        let sleeper = &self.sleepers[comparison];
        let left = sleeper.safe - self.clock.since(sleeper.since);
        self.quiet = self.quiet.min(left + self.clock.since(self.quiet_since));
        for &Room { input, lo, hi } in &self.rooms[comparison] {
            if let Some(quiet) = self.quiet_rooms.get_mut(input as usize) {
                *quiet = (quiet.0.max(lo), quiet.1.min(hi));
            }
        }
    }

    /// Lets a comparison sleep that is at least `reach` outside its band, which is this wide, if that lasts over the step.
    pub(super) fn falls_asleep(
        &mut self,
        comparison: usize,
        (reach, band): (f64, f64),
        signals: &mut dyn Signals,
    ) -> bool {
        let (clock, sleeper) = (self.clock, &mut self.sleepers[comparison]);
        if sleeper.wait > 0 {
            sleeper.wait -= 1;
            return false;
        }
        let rooms = &mut self.rooms[comparison];
        rooms.clear();
        let inputs = signals.reads(comparison);
        let is_known = inputs.is_some();
        let moving = |input: &&u32| (**input as usize) < self.extents.len();
        let inputs = inputs.unwrap_or_default().iter().filter(moving);
        rooms.extend(inputs.map(|&input| Room { input, lo: 0.0, hi: 0.0 }));
        let step =
            if is_known { self.extents.first().map_or(self.path, |time| time.radius) } else { self.path };
        let Answer { allowed, length } =
            sleeper.ask(reach, step, &mut |length| signals.fastest(comparison, length));
        let safe = if is_known { f64::INFINITY } else { allowed };
        let (asleep, slept_from) = (allowed > 0.0, self.steps);
        *sleeper = Sleeper { since: clock, safe, reach, band, asleep, slept_from, ..*sleeper };
        // Where the speed is known everywhere, the room is as wide as that allows.
        let (asked, part) = if length < f64::INFINITY { (length, allowed / length) } else { (allowed, 1.0) };
        for room in rooms.iter_mut() {
            let start = self.extents[room.input as usize].start;
            let radius = part * signals.radius(comparison, room.input as usize, asked);
            (room.lo, room.hi) = (start - radius, start + radius);
        }
        if self.sleeps_on(comparison) {
            self.keep_quiet(comparison);
            return true;
        }
        let sleeper = &mut self.sleepers[comparison];
        sleeper.asleep = false;
        sleeper.did_not_pay();
        false
    }
}

impl Room {
    /// Whether the input stays in it.
    fn holds(&self, extents: &[Extent]) -> bool {
        extents.get(self.input as usize).is_none_or(|extent| extent.is_within((self.lo, self.hi)))
    }
}

impl Sleeper {
    /// For how long a path the comparison does not reach its band; 0 if that is not known.
    fn ask(&mut self, reach: f64, h: f64, pace: &mut dyn FnMut(f64) -> Option<SpeedBound>) -> Answer {
        const NOTHING: Answer = Answer { allowed: 0.0, length: 1.0 };
        for _ in 0..MOST_QUESTIONS {
            let asked = if self.length > 0.0 { self.length.max(LEAST_LENGTH * h) } else { FIRST_LENGTH * h };
            let known = pace(asked).filter(|bound| bound.speed.is_finite() && bound.length > 0.0);
            let Some(SpeedBound { speed, length }) = known else {
                (self.too_long, self.length) = (asked, asked / LONGER);
                if self.length < LEAST_LENGTH * h {
                    return NOTHING;
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
            return Answer { allowed: CAREFUL * allowed.min(length), length };
        }
        NOTHING
    }

    /// It wakes up; whether its sleep was worth the question says when it is asked again.
    fn rise(&mut self, step: u64) {
        if self.asleep && step - self.slept_from < WORTH && !self.known {
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
    use super::super::signals::{Banded, Described, StepPolynomial};
    use super::*;

    /// A comparison of one state, and what is known of it.
    struct Known<'a> {
        /// Its state, and how far that goes in the step.
        state: f64,
        goes: f64,
        /// Whether it is known what it depends on.
        inputs: &'a [u32],
        reads: bool,
        pace: &'a mut dyn FnMut(f64) -> Option<SpeedBound>,
    }

    impl Signals for Known<'_> {
        fn values(&mut self, _: &[usize], _: f64, _: &mut [Banded]) {}
        fn series(&mut self, _: usize, _: usize, _: &mut Vec<Banded>) -> bool {
            false
        }
        fn trial_series(&mut self, _: usize, _: usize, _: &mut Vec<Banded>) -> bool {
            false
        }
        fn polynomial(&mut self, _: usize, _: (f64, f64), _: &mut StepPolynomial) -> Described {
            Described::Never
        }
        fn points(&self) -> &[f64] {
            &[]
        }
        fn dense_error(&mut self, _: usize, _: f64) -> f64 {
            0.0
        }
        fn slope_error(&mut self, _: usize) -> f64 {
            0.0
        }
        fn travels(&mut self, _: &[usize], out: &mut [f64]) {
            out.fill(f64::INFINITY);
        }
        fn extents(&mut self, out: &mut Vec<Extent>) {
            out.clear();
            out.extend([Extent { start: 0.0, radius: 1.0 }, Extent { start: self.state, radius: self.goes }]);
        }
        fn reads(&self, _: usize) -> Option<&[u32]> {
            self.reads.then_some(self.inputs)
        }
        fn fastest(&mut self, _: usize, length: f64) -> Option<SpeedBound> {
            (self.pace)(length)
        }
        fn radius(&self, _: usize, _: usize, length: f64) -> f64 {
            length
        }
    }

    /// A speed that holds everywhere.
    fn everywhere(speed: f64) -> SpeedBound {
        SpeedBound { speed, length: f64::INFINITY }
    }

    /// Whether a comparison of unknown inputs sleeps over a step of this path. So far outside its band it is, if it is
    /// not asleep.
    fn sleeps(
        horizon: &mut Horizon,
        (reach, path): (f64, f64),
        pace: &mut dyn FnMut(f64) -> Option<SpeedBound>,
    ) -> bool {
        let mut signals = Known { state: 0.0, goes: 0.0, inputs: &[], reads: false, pace };
        horizon.begin_step(&[0], &mut signals, path);
        let asleep = horizon.awake().is_empty() || horizon.falls_asleep(0, (reach, 0.0), &mut signals);
        horizon.set_awake(if asleep { &[] } else { &[0] });
        asleep
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
            assert!(sleeps(&mut horizon, (20.0, 1.0), &mut speed), "step {k}");
            horizon.advance(1.0);
        }
        assert!(!sleeps(&mut horizon, (1.0, 1.0), &mut speed), "it may arrive at 10");
        assert_eq!(asked, 2);
    }

    #[test]
    fn what_is_not_known_does_not_sleep() {
        let sleeps = |h, pace: Option<SpeedBound>| sleeps(&mut Horizon::new(1), (1.0, h), &mut |_| pace);
        assert!(!sleeps(4.0, None) && !sleeps(1.0, Some(everywhere(f64::NAN))));
        assert!(sleeps(1.0, Some(everywhere(0.0))));
        assert!(!sleeps(f64::INFINITY, Some(everywhere(0.0))), "nobody knows what lies ahead");
    }

    #[test]
    fn questions_that_do_not_pay_become_rare() {
        let mut horizon = Horizon::new(1);
        let mut asked = 0;
        for _ in 0..1000 {
            sleeps(&mut horizon, (1.0, 1.0), &mut |_| {
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
        assert!(sleeps(&mut horizon, (1e-9, 1e-12), &mut |_| Some(everywhere(1.0))));
        (0..1000).for_each(|_| horizon.advance(1e-12));
        assert!(!sleeps(&mut horizon, (0.0, 1e-12), &mut |_| None));
    }

    #[test]
    fn a_jump_wakes_it() {
        let mut horizon = Horizon::new(1);
        assert!(sleeps(&mut horizon, (1.0, 1.0), &mut |_| Some(everywhere(0.0))));
        assert!(sleeps(&mut horizon, (1.0, 1e9), &mut |_| None));
        horizon.rouse(0);
        assert!(!sleeps(&mut horizon, (1.0, 1e-9), &mut |_| None));
    }

    #[test]
    fn only_what_it_depends_on_wakes_it() {
        let mut horizon = Horizon::new(1);
        let mut sleeps = |state: f64, goes: f64, inputs: &[u32], speed: Option<f64>| {
            let mut pace = |_: f64| speed.map(everywhere);
            let mut signals = Known { state, goes, inputs, reads: true, pace: &mut pace };
            horizon.begin_step(&[0], &mut signals, 1.0);
            let asleep = horizon.awake().is_empty() || horizon.falls_asleep(0, (2.0, 0.0), &mut signals);
            horizon.set_awake(if asleep { &[] } else { &[0] });
            asleep
        };
        // It may be as far as 1 from 5, as often as it likes.
        assert!(sleeps(5.0, 0.5, &[1], Some(2.0)));
        assert!([5.5, 4.5, 5.4, 4.6, 5.5].iter().all(|&state| sleeps(state, 0.4, &[1], None)));
        assert!(!sleeps(5.5, 0.6, &[1], None));
        // What depends on no state.
        assert!(sleeps(5.0, 1.0, &[2], Some(1e9)) && sleeps(1e9, 1e9, &[2], None));
    }

    #[test]
    fn where_a_long_path_is_not_bounded_a_shorter_one_is_asked_for() {
        let mut horizon = Horizon::new(1);
        let mut asked = Vec::new();
        let mut pace = |length: f64| {
            asked.push(length);
            (length < 20.0).then_some(SpeedBound { speed: 0.0, length })
        };
        assert!(sleeps(&mut horizon, (0.0, 1.0), &mut pace));
        horizon.advance(6.9);
        assert!(sleeps(&mut horizon, (0.0, 1.0), &mut pace), "8 are safe");
        horizon.advance(1.0);
        assert!(sleeps(&mut horizon, (0.0, 1.0), &mut pace));
        assert_eq!(asked[..2], [FIRST_LENGTH, FIRST_LENGTH / LONGER]);
        assert!((3..=4).contains(&asked.len()), "{asked:?}");
    }
}
