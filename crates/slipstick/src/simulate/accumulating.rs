//! Events that accumulate (rule 18): each guard is judged by its own intervals. They end in rest, on the
//! surfaces where they meet, or the run.

use super::density::HitDensity;
use crate::equations::{Guard, GuardKind};
use crate::math::RunningSum;
use crate::model::ContactChange;
use crate::transition::Firing;
use crate::watch::{Banded, Between, Found, NOTHING_LEFT, ZenoLimit, ZenoRecord};

/// How often a motion may come back to a guard in less time than can be told, before its events have
/// accumulated.
const MOST_AT_ONCE: u32 = 6;
/// How often in a row a contact is hit without a gap in between that can be told, before it gives nothing back any more.
const MOST_UNSEEN: u32 = 6;
/// Events of two guards accumulate together where the latest of one take at most this many times as long as those of
/// the other.
const AS_FAST: f64 = 16.0;
/// The limit of events that follow each other without any time between.
pub(super) const NOW: ZenoLimit = ZenoLimit { after: 0.0, bound: 0.0, ratio: 0.0, period: 1 };

/// What is known of the last event of a guard.
#[derive(Clone, Debug)]
struct History {
    record: ZenoRecord,
    /// When it was.
    last: Option<RunningSum>,
    /// How often the motion has come back to it in no time at all.
    at_once: u32,
    /// How often it has come back without having been farther away than can be told to three digits.
    unseen: u32,
}

impl History {
    fn new() -> Self {
        Self { record: ZenoRecord::new(), last: None, at_once: 0, unseen: 0 }
    }

    fn renew(&mut self) {
        self.record.clear();
        (self.last, self.at_once, self.unseen) = (None, 0, 0);
    }
}

/// What is known of the intervals between the events of each guard.
pub(super) struct Accumulating {
    /// The time since the start of the run.
    elapsed: RunningSum,
    histories: Vec<History>,
    /// For each guard, the largest value in the last step before it fired, with its band, and how exactly the
    /// event was located.
    peaks: Vec<(usize, Banded)>,
    location: f64,
    /// Guards whose events have brought their motion to a halt at their own zero, from where it goes on to
    /// the true side.
    halted: Vec<usize>,
}

impl Accumulating {
    pub(super) fn new(guards: usize) -> Self {
        Self {
            elapsed: RunningSum::default(),
            histories: vec![History::new(); guards],
            peaks: Vec::new(),
            location: 0.0,
            halted: Vec::new(),
        }
    }

    /// Becomes as new, for another run.
    pub(super) fn renew(&mut self) {
        let Self { elapsed, histories, peaks, location, halted } = self;
        (*elapsed, *location) = (RunningSum::default(), 0.0);
        histories.iter_mut().for_each(History::renew);
        peaks.clear();
        halted.clear();
    }

    /// Time passes without events.
    pub(super) fn pass(&mut self, time: f64) {
        self.elapsed = self.elapsed.plus(time);
    }

    /// Time passes up to what was found. How far comparisons that fire have moved since they last did is
    /// kept, and how exactly that was located.
    pub(super) fn pass_to(&mut self, found: &Found) {
        self.peaks.clear();
        self.peaks.extend(found.changed.iter().copied().zip(found.peaks.iter().copied()));
        self.location = found.hi - found.lo;
        self.pass(found.s);
    }

    /// How exactly the last event was located.
    pub(super) fn location(&self) -> f64 {
        self.location
    }

    /// A guard has brought its own motion to a halt, as a plastic impact does: its events would follow each
    /// other without any time between.
    pub(super) fn halt(&mut self, guard: usize) {
        self.halted.push(guard);
    }

    /// The guards that have halted since this was last asked.
    pub(super) fn take_halted(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.halted)
    }

    /// Counts the hits of contacts that do not follow each other towards a limit.
    pub(super) fn count_dense(&self, guards: &[Guard], firing: &Firing, density: &mut HitDensity) {
        let follows_none = |g: &&usize| !self.histories[**g].record.shrinks();
        let contacts = firing.guards.iter().filter(follows_none).filter_map(|&g| guards[g].contact);
        if let Some(of) = contacts.into_iter().find(|of| of.change == ContactChange::Hit) {
            density.record(self.elapsed, of.contact);
        }
    }

    /// Takes note of what fired. Gives a guard whose events accumulate and their limit, if that ends them.
    pub(super) fn record_firing(&mut self, guards: &[Guard], firing: &Firing) -> Option<(usize, ZenoLimit)> {
        let mut found = None;
        // What follows another event comes to its end with that.
        for &g in firing.guards.iter().filter(|&&g| guards[g].kind != GuardKind::Follows) {
            let since = self.histories[g].last;
            let limit = self.record(g, (firing.window.is_some(), guards[g].contact.is_some()));
            // Contacts of many bodies hit each other in no order that could be told.
            let unseen = guards[g].contact.is_some() && self.histories[g].unseen >= MOST_UNSEEN;
            let limit = limit.or(unseen.then_some(NOW));
            let rests = guards[g].response.at_rest.is_some();
            // What says how it rests comes before what accumulates with it: a switch that changes where it
            // fires, or the tops of a ball that bounces.
            let ends = rests || (firing.guards.len() == 1 && !self.rests_with_another(guards, since));
            found = limit.filter(|_| ends).map(|limit| (g, limit)).or(found);
        }
        found
    }

    /// Whether a guard that says how it rests fires in turn with one that last fired before this time, and
    /// its events accumulate, too: then it comes to rest.
    fn rests_with_another(&self, guards: &[Guard], since: Option<RunningSum>) -> bool {
        let mut guards = guards.iter().enumerate();
        guards.any(|(g, guard)| guard.response.at_rest.is_some() && self.goes_with(g, since))
    }

    /// Whether the events of a guard shrink towards a limit, too, and the last of them lies within the last
    /// interval of another's.
    fn goes_with(&self, guard: usize, since: Option<RunningSum>) -> bool {
        let History { record, last, .. } = &self.histories[guard];
        let (Some(last), Some(since)) = (*last, since) else { return false };
        record.shrinks() && last.since(since) >= 0.0
    }

    /// The guards that come to rest with this one: their latest events lie between its own, and follow each other as
    /// fast. None of them can have a limit of its own that is not the same, as far as can be told.
    pub(super) fn rest_together(&self, guards: &[Guard], guard: usize) -> Vec<usize> {
        (0..guards.len())
            .filter(|&g| g == guard || guards[g].response.at_rest.is_some() && self.goes_along(g, guard))
            .collect()
    }

    /// A guard comes to rest, and not for the first time: what it rests on lets go again and again. Where that
    /// accumulates, too, gives the guards that come to rest with it for good.
    pub(super) fn record_rest(&mut self, guards: &[Guard], guard: usize) -> Option<Vec<usize>> {
        let own = guards[guard].response.at_rest?;
        self.record(own, (true, false))?;
        let goes_along = |rest: usize| rest == own || self.goes_along(rest, own);
        Some((0..guards.len()).filter(|&g| guards[g].response.at_rest.is_some_and(goes_along)).collect())
    }

    /// Whether the latest events of a guard lie between those of another, and follow each other as fast.
    fn goes_along(&self, guard: usize, with: usize) -> bool {
        let own = self.histories[with].record.latest_block();
        let History { record, last, .. } = &self.histories[guard];
        let (Some(last), Some(own), Some(other)) = (*last, own, record.latest_block()) else {
            return false;
        };
        self.elapsed.since(last) <= own && other <= AS_FAST * own
    }

    /// The time of the latest events of a guard.
    pub(super) fn latest_block(&self, guard: usize) -> Option<f64> {
        self.histories[guard].record.latest_block()
    }

    /// Takes note of an event of a guard, whether the motion has crossed it, and whether it stops where its events
    /// accumulate; gives their limit if they do.
    fn record(&mut self, guard: usize, (crosses, stops): (bool, bool)) -> Option<ZenoLimit> {
        let history = &mut self.histories[guard];
        let before = history.last.replace(self.elapsed);
        let then = before?;
        history.at_once = if crosses && then == self.elapsed { history.at_once + 1 } else { 0 };
        if history.at_once >= MOST_AT_ONCE {
            return Some(NOW);
        }
        let far = Banded::new(f64::INFINITY, 0.0);
        let peak = self.peaks.iter().find(|(g, _)| *g == guard).map_or(far, |(_, peak)| *peak);
        history.unseen = if peak.value.abs() < NOTHING_LEFT * peak.band { history.unseen + 1 } else { 0 };
        let between = Between {
            interval: self.elapsed.since(then),
            peak: peak.value.abs(),
            band: peak.band,
            location: self.location,
            stops,
        };
        history.record.record(between, self.elapsed.since(RunningSum::default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Bracket;
    use crate::model::Direction;

    fn guards(at_rest: Option<usize>) -> [Guard; 1] {
        let mut guard = Guard::new("floor", Direction::Falling);
        guard.response.at_rest = at_rest;
        [guard]
    }

    /// After how many events, each half as long after the last as that one was, they have accumulated.
    fn halving(ratio: f64) -> Option<(usize, f64)> {
        let (guards, mut accumulating) = (guards(Some(1)), Accumulating::new(1));
        let firing =
            Firing { guards: vec![0], window: Some(Bracket { lo: 0.0, hi: 0.0 }), ..Firing::default() };
        let mut s = 1.0;
        (0..200).find_map(|k| {
            let found = Found { s, changed: vec![0], peaks: vec![Banded::new(s, 1e-16)], ..Found::default() };
            accumulating.pass_to(&found);
            s *= ratio;
            accumulating.record_firing(&guards, &firing).map(|(_, limit)| (k, limit.after))
        })
    }

    #[test]
    fn intervals_that_shrink_have_a_limit_and_others_have_none() {
        let (count, after) = halving(0.5).expect("a limit");
        assert!((20..60).contains(&count) && after < 1e-9, "{count} {after}");
        assert_eq!(halving(1.0), None);
    }

    #[test]
    fn a_guard_that_comes_back_in_no_time_has_accumulated() {
        let (guards, mut accumulating) = (guards(None), Accumulating::new(1));
        let crossing = Firing { window: Some(Bracket { lo: 1.0, hi: 1.0 }), ..Firing::one(0) };
        accumulating.pass(1.0);
        let rounds = (0..20).position(|_| accumulating.record_firing(&guards, &crossing) == Some((0, NOW)));
        assert_eq!(rounds, Some(MOST_AT_ONCE as usize));
        accumulating.pass(1.0);
        assert!(
            (0..20).all(|_| accumulating.record_firing(&guards, &Firing::one(0)).is_none()),
            "it has crossed nothing"
        );
    }

    #[test]
    fn another_run_has_no_events_behind_it() {
        let (guards, mut accumulating) = (guards(None), Accumulating::new(1));
        let crossing = Firing { window: Some(Bracket { lo: 1.0, hi: 1.0 }), ..Firing::one(0) };
        accumulating.halt(0);
        for _ in 0..3 {
            (0..MOST_AT_ONCE).for_each(|_| assert_eq!(accumulating.record_firing(&guards, &crossing), None));
            accumulating.renew();
        }
        assert!(accumulating.take_halted().is_empty());
    }

    #[test]
    fn what_has_halted_is_told_once() {
        let mut accumulating = Accumulating::new(1);
        accumulating.halt(0);
        assert_eq!((accumulating.take_halted(), accumulating.take_halted()), (vec![0], vec![]));
    }
}
