//! What a transition knows of comparisons better than values and motion tell.

use super::condition::{Condition, Fires};
use super::decide::{Pinned, Verdict, decide_by_motion};
use super::side::SideState;
use super::signals::{Banded, Signals};
use super::state::Watch;

/// The least derivative by which a motion turns.
const TURNS: usize = 2;

impl Watch {
    /// Whether a comparison has a side, or has just fired.
    pub fn has_past(&self, comparison: usize) -> bool {
        self.now.sides[comparison] != SideState::Unknown
    }

    /// Whether a value of a comparison counts as inside its band: where it was put when it fired does, as floats of time are not dense.
    pub fn is_inside(&self, comparison: usize, value: Banded) -> bool {
        value.value.abs() <= value.band.max(self.records[comparison].slack)
    }

    /// Puts a comparison on a side without firing: a rule of the transition has decided it, and knows that its rate
    /// is zero up to `rate_band`, besides the band of the rate itself.
    pub fn place(&mut self, comparison: usize, plus: bool, rate_band: f64) {
        self.now.sides[comparison] = if plus { SideState::NearPlus } else { SideState::NearMinus };
        self.undecided.retain(|&other| other != comparison);
        let record = &mut self.records[comparison];
        (record.peak, record.entered) = (Banded::default(), false);
        record.pinned = Pinned { linear: rate_band, ..Pinned::default() };
        self.horizon.rouse(comparison);
        self.remember(comparison);
    }

    /// The touch of a comparison was an event: leaving its band on the same side is not another one.
    pub fn leave_touch(&mut self, comparison: usize) {
        self.records[comparison].entered = false;
    }

    /// Another transition begins: what has fired in an earlier one and has stayed in its band since then, as something held it there, may fire again.
    pub fn begin_transition(&mut self) {
        for index in 0..self.undecided.len() {
            let comparison = self.undecided[index];
            if self.now.sides[comparison] != SideState::Fired || self.records[comparison].pinned.steps == 0 {
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

    /// Comparisons that have come into their bands by motion and that a derivative of order two or more takes back to
    /// where they came from: those that count touch zero here, at the start of the step, as far as can be told.
    pub fn turning(
        &mut self,
        signals: &mut dyn Signals,
        counts: &dyn Fn(usize) -> bool,
        turning: &mut Vec<usize>,
    ) {
        for &comparison in &self.watched {
            let side = self.now.sides[comparison];
            if self.records[comparison].entered && side.is_inside() && counts(comparison) {
                let verdict = decide_by_motion(signals, comparison, &mut self.series);
                let back = |v: Verdict| v.order >= TURNS && Some(v.plus) == side.truth();
                turning.extend(verdict.filter(|&v| back(v)).map(|_| comparison));
            }
        }
    }

    /// A comparison has fired at the state that the transition begins with, although the last scan did not find it.
    pub fn fire(&mut self, comparison: usize) {
        self.now.sides[comparison] = SideState::Fired;
        if let Err(place) = self.undecided.binary_search(&comparison) {
            self.undecided.insert(place, comparison);
        }
        self.remember(comparison);
    }

    /// Guards take the truth of a comparison that was put on a side.
    fn remember(&mut self, comparison: usize) {
        self.affected.clear();
        self.affected.extend(self.table.readers(comparison));
        self.table.remember(&self.affected, &[], &mut self.now);
    }
}
