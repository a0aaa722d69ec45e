//! Guards over sides: which of them fire when comparisons change (rules 1 and 9), and what they remember.

use super::condition::{Condition, Fires, GuardSpec, OnEntry};
use super::side::SideState;

/// The sides of all comparisons and the past of all guards, to recognise a cycle (rule 11).
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Snapshot {
    pub(super) sides: Vec<SideState>,
    /// The last truth of each guard that was known. It is kept while the guard is undecided.
    pub(super) past: Vec<Option<bool>>,
}

/// Taken at every step and round: `clone_from` uses the room that there is.
impl Clone for Snapshot {
    fn clone(&self) -> Self {
        Self { sides: self.sides.clone(), past: self.past.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.sides.clone_from(&other.sides);
        self.past.clone_from(&other.past);
    }
}

/// Why comparisons have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// A transition has put values.
    Value,
    /// The motion decides at the start of a step.
    Motion,
    /// The motion has left a band within a step.
    Crossing,
}

/// The guards of a run, which of them are on, and who reads which comparison.
#[derive(Clone, Debug)]
pub(super) struct GuardTable {
    pub(super) specs: Vec<GuardSpec>,
    pub(super) on: Vec<bool>,
    /// The comparisons of each guard, in rising order.
    reads: Vec<Vec<usize>>,
    /// The guards that read each comparison, in rising order.
    readers: Vec<Vec<usize>>,
    /// What only changes in transitions.
    pub(super) fixed: Vec<bool>,
}

impl GuardTable {
    /// All guards are off. Comparisons that do not exist are never known.
    pub(super) fn new(comparisons: usize, fixed: usize, specs: Vec<GuardSpec>) -> Self {
        let mut readers = vec![Vec::new(); comparisons];
        let mut reads = Vec::with_capacity(specs.len());
        for (guard, spec) in specs.iter().enumerate() {
            let mut own: Vec<usize> = Vec::new();
            spec.condition.comparisons(&mut |comparison| own.push(comparison));
            own.retain(|&comparison| comparison < comparisons);
            own.sort_unstable();
            own.dedup();
            for &comparison in &own {
                readers[comparison].push(guard);
            }
            reads.push(own);
        }
        let on = vec![false; specs.len()];
        Self { specs, on, reads, readers, fixed: vec![false; fixed] }
    }

    /// The comparisons of a guard.
    pub(super) fn reads(&self, guard: usize) -> &[usize] {
        &self.reads[guard]
    }

    /// The guards that are on and read a comparison.
    pub(super) fn readers(&self, comparison: usize) -> impl Iterator<Item = usize> {
        self.readers[comparison].iter().copied().filter(|&guard| self.on[guard])
    }

    /// Whether a guard holds, if that is known.
    pub(super) fn holds(&self, guard: usize, sides: &[SideState]) -> Option<bool> {
        let is = |comparison: usize| sides.get(comparison).and_then(|side| side.truth());
        self.specs[guard].condition.holds(&is, &self.fixed)
    }

    /// The guards that are on and read one of some comparisons, in rising order.
    pub(super) fn affected(&self, changed: &[usize], guards: &mut Vec<usize>) {
        guards.clear();
        for &comparison in changed {
            guards.extend(self.readers(comparison));
        }
        guards.sort_unstable();
        guards.dedup();
    }

    /// Those of some guards that fire now.
    pub(super) fn firing(&self, guards: &[usize], now: &Snapshot, cause: Cause, fired: &mut Vec<usize>) {
        fired.clear();
        let fires = |&guard: &usize| {
            let holds = self.holds(guard, &now.sides);
            self.on[guard] && fires(&self.specs[guard], now.past[guard], holds, cause)
        };
        fired.extend(guards.iter().copied().filter(fires));
    }

    /// Whether a guard fires when a comparison changes to a side, whatever the others do.
    pub(super) fn fires_alone(&self, comparison: usize, plus: bool, now: &Snapshot) -> bool {
        self.readers(comparison).any(|guard| {
            let alone = matches!(self.specs[guard].condition, Condition::Is(read) if read == comparison);
            alone && fires(&self.specs[guard], now.past[guard], Some(plus), Cause::Crossing)
        })
    }

    /// Guards remember what they are, after the sides have been set. `fired` are those that have just fired.
    ///
    /// A guard `Both` that has fired on a comparison which is now undecided takes its next truth without
    /// firing.
    pub(super) fn remember(&self, guards: &[usize], fired: &[usize], now: &mut Snapshot) {
        for &guard in guards {
            let holds = self.holds(guard, &now.sides);
            let has_fired = fired.contains(&guard);
            now.past[guard] = match (self.specs[guard].fires, has_fired) {
                (Fires::WhenTrue, true) => holds.or(Some(true)),
                (Fires::Both, true) => holds,
                (_, false) => holds.or(now.past[guard]),
            };
        }
    }
}

/// Whether a guard fires, from its past and its truth now.
fn fires(spec: &GuardSpec, past: Option<bool>, now: Option<bool>, cause: Cause) -> bool {
    match (spec.fires, past, now) {
        (_, _, None) | (Fires::Both, None, _) | (Fires::WhenTrue, _, Some(false)) => false,
        (Fires::Both, Some(past), Some(now)) => past != now,
        (Fires::WhenTrue, Some(past), Some(true)) => !past,
        (Fires::WhenTrue, None, Some(true)) => match spec.on_entry {
            OnEntry::Fires => true,
            OnEntry::FiresByMotion => cause != Cause::Value,
            OnEntry::Waits => cause == Cause::Crossing,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::{Placement, Touches};
    use Condition::{And, Is, Not, Or};

    fn spec(condition: Condition, fires: Fires) -> GuardSpec {
        let placement = Placement::After;
        GuardSpec {
            condition,
            fires,
            placement,
            on_entry: OnEntry::FiresByMotion,
            touches: Touches::Ignored,
            poles: false,
        }
    }

    #[test]
    fn a_guard_without_a_past_fires_as_its_entry_says() {
        let on_entry = |on_entry| GuardSpec { on_entry, ..spec(Is(0), Fires::WhenTrue) };
        let all = [Cause::Value, Cause::Motion, Cause::Crossing];
        let fired = |on: OnEntry| all.map(|cause| fires(&on_entry(on), None, Some(true), cause));
        assert_eq!(fired(OnEntry::Fires), [true, true, true]);
        assert_eq!(fired(OnEntry::FiresByMotion), [false, true, true]);
        assert_eq!(fired(OnEntry::Waits), [false, false, true]);
        let both = spec(Is(0), Fires::Both);
        assert!(all.iter().all(|&cause| !fires(&both, None, Some(true), cause)));
    }

    #[test]
    fn a_guard_with_a_past_fires_on_what_it_is_for() {
        let truths = [None, Some(false), Some(true)];
        for (past, now) in truths[1..].iter().flat_map(|&past| truths.map(|now| (past, now))) {
            let changed = now.is_some() && now != past;
            assert_eq!(fires(&spec(Is(0), Fires::Both), past, now, Cause::Value), changed);
            let risen = changed && now == Some(true);
            assert_eq!(fires(&spec(Is(0), Fires::WhenTrue), past, now, Cause::Value), risen);
        }
    }

    #[test]
    fn undecided_guards_keep_their_past() {
        let table = GuardTable::new(1, 0, vec![spec(Not(Box::new(Is(0))), Fires::WhenTrue)]);
        let mut now = Snapshot { sides: vec![SideState::Fired], past: vec![Some(true)] };
        table.remember(&[0], &[], &mut now);
        assert_eq!(now.past, [Some(true)]);
        now.sides[0] = SideState::NearPlus;
        table.remember(&[0], &[], &mut now);
        assert_eq!(now.past, [Some(false)]);
    }

    #[test]
    fn only_a_guard_of_one_comparison_fires_whatever_the_others_do() {
        let conditions = [Is(0), And(vec![Is(1), Is(2)]), Is(1)];
        let specs = conditions.map(|condition| spec(condition, Fires::WhenTrue)).to_vec();
        let mut table = GuardTable::new(3, 0, specs);
        table.on = vec![true, true, false];
        let now = Snapshot { sides: vec![SideState::Minus; 3], past: vec![Some(false); 3] };
        let alone = |comparison| [true, false].map(|plus| table.fires_alone(comparison, plus, &now));
        assert_eq!([0, 1, 2].map(alone), [[true, false], [false, false], [false, false]]);
    }

    #[test]
    fn readers_are_found_once_and_only_if_they_are_on() {
        let conditions = [And(vec![Is(0), Is(1)]), Or(vec![Is(1), Is(1)]), Is(7)];
        let specs = conditions.map(|condition| spec(condition, Fires::WhenTrue)).to_vec();
        let mut table = GuardTable::new(2, 0, specs);
        let mut guards = Vec::new();
        table.affected(&[0, 1], &mut guards);
        assert!(guards.is_empty());
        table.on = vec![true; 3];
        table.affected(&[1, 0], &mut guards);
        assert_eq!(guards, [0, 1]);
        assert!(table.reads(2).is_empty() && table.holds(2, &[SideState::Plus; 2]).is_none());
    }
}
