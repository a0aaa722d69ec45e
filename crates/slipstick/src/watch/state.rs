//! The guards of a run with their sides: what the loop calls.

use super::condition::GuardSpec;
use super::decide::Pinned;
use super::guards::{Cause, GuardTable, Snapshot};
use super::horizon::Horizon;
use super::scan::{Scanner, Touch};
use super::side::{Input, SideState, turn};
use super::signals::{Banded, NotFinite};

/// A comparison that the motion has decided (rule 6).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decided {
    /// The comparison.
    pub comparison: usize,
    /// Its side before the decision. `Fired` with `plus`: see rule 16.
    pub before: SideState,
    /// Whether the motion goes to +.
    pub plus: bool,
    /// The first derivative that is known to differ from zero.
    pub order: usize,
}

/// What the motion decided at the start of a step.
#[derive(Clone, Copy, Debug)]
pub struct Begun<'a> {
    /// Guards that fire at the start, in rising order.
    pub fired: &'a [usize],
    /// Comparisons that were decided.
    pub decided: &'a [Decided],
    /// Comparisons that stay undecided (rule 8), and those that have just fired.
    pub pinned: &'a [usize],
}

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

/// The guards of a run: one small state machine per comparison, the horizon, the search.
#[derive(Clone, Debug)]
pub struct Watch {
    pub(super) table: GuardTable,
    pub(super) records: Vec<Record>,
    pub(super) now: Snapshot,
    /// The sides at the end of the scan, until the step is accepted.
    pub(super) next: Snapshot,
    pub(super) scanned: bool,
    pub(super) watched: Vec<usize>,
    pub(super) undecided: Vec<usize>,
    pub(super) horizon: Horizon,
    pub(super) due: Vec<usize>,
    /// How far time and states go in the step.
    pub(super) path: f64,
    pub(super) scanner: Scanner,
    pub(super) decided: Vec<Decided>,
    /// Guards that fire by value or at the start.
    pub(super) fired: Vec<usize>,
    pub(super) affected: Vec<usize>,
    /// Comparisons that change at the start, and coefficients of one of them.
    pub(super) changed: Vec<usize>,
    pub(super) series: Vec<Banded>,
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

    fn is_watched(&self) -> bool {
        self.readers > 0
    }

    /// The largest value, with that of another stretch.
    pub(super) fn raised(&self, peak: Banded) -> Banded {
        Banded::new(self.peak.value.max(peak.value), self.peak.band.max(peak.band))
    }
}

impl Watch {
    /// Guards over some comparisons and fixed parts. All guards are off, no comparison has a past, all fixed
    /// parts are false.
    pub fn new(comparisons: usize, fixed: usize, guards: Vec<GuardSpec>) -> Self {
        let now = Snapshot { sides: vec![SideState::Unknown; comparisons], past: vec![None; guards.len()] };
        Self {
            table: GuardTable::new(comparisons, fixed, guards),
            records: vec![Record::NEW; comparisons],
            next: now.clone(),
            now,
            scanned: false,
            watched: Vec::with_capacity(comparisons),
            undecided: Vec::with_capacity(comparisons),
            horizon: Horizon::new(comparisons),
            due: Vec::with_capacity(comparisons),
            path: 0.0,
            scanner: Scanner::default(),
            decided: Vec::with_capacity(comparisons),
            fired: Vec::new(),
            affected: Vec::new(),
            changed: Vec::with_capacity(comparisons),
            series: Vec::new(),
        }
    }

    /// Becomes as new, for another run: all guards are off, no comparison has a past, all fixed parts are
    /// false.
    pub fn reset(&mut self) {
        self.table.on.fill(false);
        self.table.fixed.fill(false);
        self.records.fill(Record::NEW);
        self.now.sides.fill(SideState::Unknown);
        self.now.past.fill(None);
        self.horizon.reset();
        self.scanned = false;
        self.watched.clear();
        self.undecided.clear();
        self.due.clear();
        self.scanner.clear();
    }

    /// Puts a guard on, without a past (start of a run, mode entered). Its comparisons become `u0` unless
    /// another guard that is on reads them.
    pub fn enter(&mut self, guard: usize) {
        if !std::mem::replace(&mut self.table.on[guard], true) {
            for index in 0..self.table.reads(guard).len() {
                let comparison = self.table.reads(guard)[index];
                self.records[comparison].readers += 1;
                self.update_watched(comparison);
            }
        }
        self.now.past[guard] = None;
        for index in 0..self.table.reads(guard).len() {
            let comparison = self.table.reads(guard)[index];
            if self.records[comparison].readers == 1 {
                self.forget(comparison);
            }
        }
    }

    /// Takes a guard off.
    pub fn leave(&mut self, guard: usize) {
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
    pub fn forget(&mut self, comparison: usize) {
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

    /// Sets a fixed part of conditions. The next [`jump`](Self::jump) sees it.
    pub fn set_fixed(&mut self, slot: usize, holds: bool) {
        self.table.fixed[slot] = holds;
    }

    /// The comparisons that are watched, in rising order: those of guards that are on, in branches that are
    /// taken.
    pub fn watched(&self) -> &[usize] {
        &self.watched
    }

    /// The guards, as they were given.
    pub fn guards(&self) -> &[GuardSpec] {
        &self.table.specs
    }

    /// Whether a guard is on.
    pub fn is_on(&self, guard: usize) -> bool {
        self.table.on[guard]
    }

    /// The side of a comparison.
    pub fn side(&self, comparison: usize) -> SideState {
        self.now.sides[comparison]
    }

    /// Whether a guard holds, if that is known.
    pub fn holds(&self, guard: usize) -> Option<bool> {
        self.table.holds(guard, &self.now.sides)
    }

    /// The sides and the past, for the detection of cycles.
    pub fn snapshot(&self) -> &Snapshot {
        &self.now
    }

    /// Touches before the end of the last scan, in order of time, of guards that ask for them.
    pub fn touches(&self) -> &[Touch] {
        &self.scanner.touches
    }

    /// Comparisons for which the last scan could not prove that it missed nothing.
    pub fn unproved(&self) -> &[usize] {
        &self.scanner.unproved
    }

    /// Takes the values after a transition, or at the start of a run, in the order of
    /// [`watched`](Self::watched); gives the guards that fire by value. To be called again after their
    /// transition, until none fires.
    pub fn jump(&mut self, values: &[Banded]) -> Result<&[usize], NotFinite> {
        self.scanned = false;
        self.undecided.clear();
        for (&comparison, value) in self.watched.iter().zip(values) {
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
        self.affected.clear();
        self.affected.extend((0..self.table.specs.len()).filter(|&guard| self.table.on[guard]));
        self.table.firing(&self.affected, &self.now, Cause::Value, &mut self.fired);
        self.table.remember(&self.affected, &self.fired, &mut self.now);
        self.forget_peaks();
        Ok(&self.fired)
    }
}
