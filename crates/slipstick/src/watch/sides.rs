//! What is known of each comparison, and which guards read it. Transitions put comparisons on sides here.

use super::condition::{Condition, Fires, GuardSpec};
use super::decide::Pinned;
use super::guards::{Cause, GuardTable, Snapshot};
use super::horizon::Horizon;
use super::scan::Touch;
use super::side::{Input, SideState, turn};
use super::signals::{Banded, NotFinite};

/// What has decided the side of a comparison inside its band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecidedBy {
    /// Nothing yet.
    Open,
    /// The first derivative.
    Slope,
    /// A derivative of order two or more, which the dense output can contradict.
    Soft,
    /// A rule of the transition at hand, so that its motion is not asked.
    Placed,
}

impl DecidedBy {
    pub(super) fn is_soft(self) -> bool {
        matches!(self, Self::Soft | Self::Placed)
    }

    /// After a step at whose end the comparison is inside its band, or is not.
    pub(super) fn after_step(self, inside: bool) -> Self {
        match self {
            _ if !inside => Self::Open,
            Self::Placed => Self::Soft,
            other => other,
        }
    }
}

/// What is known of one comparison beside its side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// How many guards that are on read it.
    pub(super) readers: u32,
    /// How far it is outside its band at least, at the start of the step.
    pub(super) reach: f64,
    /// How far from zero it was put when it fired, as floats of time are not dense. That counts as
    /// inside until it has left.
    pub(super) slack: f64,
    /// How fast it may still have moved where a touch of it was an event. A slower motion decides nothing
    /// until it has left.
    pub(super) slowness: f64,
    /// Its band has grown since it became undecided.
    pub(super) pinned: Pinned,
    /// What has decided its side since it came into its band.
    pub(super) decision: DecidedBy,
    /// Whether it is inside its band and came into it by motion.
    pub(super) entered: bool,
    /// The largest value since it last fired.
    pub(super) peak: Banded,
}

/// The comparisons with their sides, and the guards over them.
#[derive(Clone, Debug)]
pub(super) struct SideTable {
    pub(super) table: GuardTable,
    pub(super) records: Vec<Record>,
    pub(super) now: Snapshot,
    /// The comparisons that guards which are on read, in rising order, and those of them that are inside
    /// their bands without a decision.
    pub(super) watched: Vec<usize>,
    pub(super) undecided: Vec<usize>,
    pub(super) horizon: Horizon,
    /// Guards that fire by value or at the start, and those that are asked.
    pub(super) fired: Vec<usize>,
    affected: Vec<usize>,
    /// Guards that are to be asked although none of their comparisons has changed: they have just been put on, or
    /// something fixed has changed.
    renewed: Vec<usize>,
}

impl Record {
    const NEW: Self = Self {
        readers: 0,
        reach: 0.0,
        slack: 0.0,
        slowness: 0.0,
        pinned: Pinned::NONE,
        decision: DecidedBy::Open,
        entered: false,
        peak: Banded { value: 0.0, band: 0.0 },
    };

    pub(super) fn is_watched(&self) -> bool {
        self.readers > 0
    }

    /// The largest value, with that of another stretch.
    pub(super) fn raised(&self, peak: Banded) -> Banded {
        Banded::new(self.peak.value.max(peak.value), self.peak.band.max(peak.band))
    }
}

impl SideTable {
    /// All guards are off, no comparison has a past.
    pub(super) fn new(comparisons: usize, fixed: usize, guards: Vec<GuardSpec>) -> Self {
        let now = Snapshot { sides: vec![SideState::Unknown; comparisons], past: vec![None; guards.len()] };
        Self {
            table: GuardTable::new(comparisons, fixed, guards),
            records: vec![Record::NEW; comparisons],
            now,
            watched: Vec::with_capacity(comparisons),
            undecided: Vec::with_capacity(comparisons),
            horizon: Horizon::new(comparisons),
            fired: Vec::new(),
            affected: Vec::new(),
            renewed: Vec::new(),
        }
    }

    /// Becomes as new.
    pub(super) fn reset(&mut self) {
        self.table.on.fill(false);
        self.table.fixed.fill(false);
        self.records.fill(Record::NEW);
        self.now.sides.fill(SideState::Unknown);
        self.now.past.fill(None);
        self.horizon.reset();
        self.renewed.clear();
        self.watched.clear();
        self.undecided.clear();
    }

    /// Puts a guard on, without a past. Its comparisons become `u0` unless another guard that is on reads
    /// them.
    pub(super) fn enter(&mut self, guard: usize) {
        if !std::mem::replace(&mut self.table.on[guard], true) {
            for index in 0..self.table.reads(guard).len() {
                let comparison = self.table.reads(guard)[index];
                self.records[comparison].readers += 1;
                self.update_watched(comparison);
            }
        }
        self.now.past[guard] = None;
        self.renewed.push(guard);
        for index in 0..self.table.reads(guard).len() {
            let comparison = self.table.reads(guard)[index];
            if self.records[comparison].readers == 1 {
                self.forget(comparison);
            }
        }
    }

    /// Takes a guard off.
    pub(super) fn leave(&mut self, guard: usize) {
        if std::mem::replace(&mut self.table.on[guard], false) {
            for index in 0..self.table.reads(guard).len() {
                let comparison = self.table.reads(guard)[index];
                self.records[comparison].readers -= 1;
                self.update_watched(comparison);
            }
        }
        self.now.past[guard] = None;
    }

    /// Makes a comparison `u0`, without a past; guards that read it have none either.
    fn forget(&mut self, comparison: usize) {
        for guard in self.table.readers(comparison) {
            self.now.past[guard] = None;
        }
        let Record { readers, .. } = self.records[comparison];
        self.records[comparison] = Record { readers, ..Record::NEW };
        self.now.sides[comparison] = SideState::Unknown;
        self.horizon.rouse(comparison);
    }

    /// Keeps the list of what is watched; what is not has no past.
    fn update_watched(&mut self, comparison: usize) {
        match (self.watched.binary_search(&comparison), self.records[comparison].is_watched()) {
            (Err(place), true) => {
                self.watched.insert(place, comparison);
                self.forget(comparison);
            }
            (Ok(place), false) => {
                self.watched.remove(place);
                self.forget(comparison);
                self.undecided.retain(|&other| other != comparison);
            }
            _ => {}
        }
    }

    /// Takes the values of all comparisons that are watched after a transition; guards may fire by them.
    pub(super) fn jump(&mut self, values: &[Banded]) -> Result<(), NotFinite> {
        let watched = std::mem::take(&mut self.watched);
        let put = self.put(&watched, values);
        self.watched = watched;
        self.affected.clear();
        self.affected.extend((0..self.table.specs.len()).filter(|&guard| self.table.on[guard]));
        self.fire_by_value();
        put
    }

    /// The same, with values of some comparisons in rising order: the others are outside their bands, where
    /// they were.
    pub(super) fn jump_some(&mut self, which: &[usize], values: &[Banded]) -> Result<(), NotFinite> {
        let put = self.put(which, values);
        self.table.affected(which, &mut self.affected);
        if !self.renewed.is_empty() {
            self.affected.extend(self.renewed.iter().filter(|&&guard| self.table.on[guard]));
            self.affected.sort_unstable();
            self.affected.dedup();
        }
        self.fire_by_value();
        put
    }

    /// Sets a fixed part of conditions: guards that join conditions may have changed with it.
    pub(super) fn set_fixed(&mut self, slot: usize, holds: bool) {
        if std::mem::replace(&mut self.table.fixed[slot], holds) != holds {
            let joins = |guard: &usize| !matches!(self.table.specs[*guard].condition, Condition::Is(_));
            self.renewed.extend((0..self.table.specs.len()).filter(joins));
        }
    }

    /// The guards that may have changed are read.
    fn fire_by_value(&mut self) {
        self.renewed.clear();
        self.table.firing(&self.affected, &self.now, Cause::Value, &mut self.fired);
        self.remember_firing();
    }

    /// Puts comparisons where their values are.
    fn put(&mut self, which: &[usize], values: &[Banded]) -> Result<(), NotFinite> {
        self.undecided.clear();
        for (&comparison, value) in which.iter().zip(values) {
            if !value.is_finite() {
                return Err(NotFinite { comparison, s: 0.0 });
            }
            let record = &mut self.records[comparison];
            let band = value.band.max(record.slack) + record.pinned.constant;
            let input = match value.value {
                v if v > band => Input::PutPlus,
                v if v < -band => Input::PutMinus,
                _ => Input::PutInside,
            };
            let side = &mut self.now.sides[comparison];
            *side = turn(*side, input).0;
            if side.is_inside() {
                self.undecided.extend((record.decision != DecidedBy::Placed).then_some(comparison));
            } else {
                (record.pinned, record.slack, record.decision) = (Pinned::default(), 0.0, DecidedBy::Open);
                record.slowness = 0.0;
            }
            if record.decision != DecidedBy::Placed {
                record.decision = DecidedBy::Open;
            }
            record.entered = false;
            record.reach = value.value.abs() - value.band;
            record.peak = record.raised(Banded::new(value.value.abs(), value.band));
            self.horizon.rouse(comparison);
        }
        Ok(())
    }

    /// Comparisons were `decided` by motion: guards are read after all decisions. What has changed and made
    /// one fire is `f`, and will be decided again after the transition.
    pub(super) fn fire_by_motion(&mut self, decided: impl Iterator<Item = usize>, changed: &[usize]) {
        self.affected.clear();
        for comparison in decided {
            self.affected.extend(self.table.readers(comparison));
        }
        self.affected.sort_unstable();
        self.affected.dedup();
        self.table.firing(&self.affected, &self.now, Cause::Motion, &mut self.fired);
        for &comparison in changed {
            if self.fired.iter().any(|&guard| self.table.reads(guard).contains(&comparison)) {
                self.now.sides[comparison] = SideState::Fired;
                self.records[comparison].decision = DecidedBy::Open;
                self.undecided.push(comparison);
            }
        }
        self.undecided.sort_unstable();
        self.remember_firing();
    }

    /// Guards remember what they are. The largest values of comparisons that have made one fire count from
    /// now on.
    fn remember_firing(&mut self) {
        self.table.remember(&self.affected, &self.fired, &mut self.now);
        for &guard in &self.fired {
            for &comparison in self.table.reads(guard) {
                self.records[comparison].peak = Banded::default();
            }
        }
    }

    /// Puts a comparison on a side without firing: a rule of the transition has decided it. `surely`: by more
    /// than its own motion can tell, which is not asked any more at this instant; the dense output may
    /// contradict it. Values up to `slack` count as inside the band until it has left.
    pub(super) fn place(&mut self, comparison: usize, plus: bool, surely: bool, slack: f64) {
        self.now.sides[comparison] = if plus { SideState::NearPlus } else { SideState::NearMinus };
        self.undecided.retain(|&other| other != comparison);
        let record = &mut self.records[comparison];
        (record.peak, record.entered) = (Banded::default(), false);
        record.decision = if surely { DecidedBy::Placed } else { DecidedBy::Open };
        record.slack = slack.max(record.slack);
        self.horizon.rouse(comparison);
        self.remember(comparison);
    }

    /// The touch of a comparison was an event: leaving its band on the same side is not another one, and as
    /// far from zero as it is there, it is inside.
    pub(super) fn leave_touch(&mut self, touch: &Touch) {
        let record = &mut self.records[touch.comparison];
        (record.entered, record.slack, record.slowness) = (false, touch.height, touch.slope);
        let side = &mut self.now.sides[touch.comparison];
        *side = turn(*side, Input::Enters).0;
    }

    /// Something holds comparisons in their bands since they have fired: those of these may fire again.
    pub(super) fn arm_held(&mut self, which: &dyn Fn(usize, &Record) -> bool) {
        for index in 0..self.undecided.len() {
            let comparison = self.undecided[index];
            let has_fired = self.now.sides[comparison] == SideState::Fired;
            if !has_fired || !which(comparison, &self.records[comparison]) {
                continue;
            }
            let one_sided = |guard: usize| {
                let spec = &self.table.specs[guard];
                spec.condition == Condition::Is(comparison) && spec.fires == Fires::WhenTrue
            };
            let known = self.table.readers(comparison).all(one_sided);
            self.now.sides[comparison] = if known { SideState::NearMinus } else { SideState::Unknown };
            self.remember(comparison);
        }
    }

    /// A comparison has fired at the state that the transition begins with, so far from zero, although the
    /// last scan did not find it there.
    pub(super) fn fire(&mut self, comparison: usize, distance: f64) {
        self.now.sides[comparison] = SideState::Fired;
        self.records[comparison].slack = distance;
        self.horizon.rouse(comparison);
        if let Err(place) = self.undecided.binary_search(&comparison) {
            self.undecided.insert(place, comparison);
        }
        self.affected.clear();
        self.affected.extend(self.table.readers(comparison));
        self.table.remember(&self.affected, &self.affected, &mut self.now);
    }

    /// Guards take the truth of a comparison that was put on a side.
    fn remember(&mut self, comparison: usize) {
        self.affected.clear();
        self.affected.extend(self.table.readers(comparison));
        self.table.remember(&self.affected, &[], &mut self.now);
    }
}

#[cfg(test)]
mod tests {
    use super::super::condition::{OnEntry, Placement, Touches};
    use super::*;

    fn sides() -> SideTable {
        let spec = GuardSpec {
            condition: Condition::Is(0),
            fires: Fires::WhenTrue,
            placement: Placement::After,
            on_entry: OnEntry::FiresByMotion,
            touches: Touches::Ignored,
            poles: false,
        };
        let mut sides = SideTable::new(1, 0, vec![spec]);
        sides.enter(0);
        sides
    }

    fn put(sides: &mut SideTable, value: f64) -> Vec<usize> {
        sides.jump(&[Banded::new(value, 0.1)]).expect("finite values");
        sides.fired.clone()
    }

    #[test]
    fn values_put_a_comparison_on_sides_and_fire_once() {
        let mut sides = sides();
        assert_eq!((put(&mut sides, -1.0), sides.now.sides[0]), (vec![], SideState::Minus));
        assert_eq!((put(&mut sides, 1.0), sides.now.sides[0]), (vec![0], SideState::Plus));
        assert_eq!(put(&mut sides, 2.0), []);
        assert!(sides.jump(&[Banded::new(f64::NAN, 0.1)]).is_err());
    }

    #[test]
    fn inside_its_band_it_is_undecided_unless_it_was_placed() {
        let mut sides = sides();
        put(&mut sides, 0.05);
        assert_eq!(sides.undecided, [0]);
        sides.place(0, true, true, 0.0);
        assert!(sides.undecided.is_empty() && sides.now.sides[0] == SideState::NearPlus);
        assert_eq!((put(&mut sides, 0.05), sides.undecided.as_slice()), (vec![], &[][..]));
        sides.leave(0);
        assert!(sides.watched.is_empty() && sides.now.sides[0] == SideState::Unknown);
    }

    #[test]
    fn what_fires_by_motion_is_decided_again_after_the_transition() {
        let mut sides = sides();
        put(&mut sides, 0.05);
        sides.undecided.clear();
        sides.now.sides[0] = SideState::NearPlus;
        sides.fire_by_motion([0].into_iter(), &[0]);
        assert_eq!((sides.fired.as_slice(), sides.undecided.as_slice()), (&[0][..], &[0][..]));
        assert_eq!(sides.now.sides[0], SideState::Fired);
    }
}
