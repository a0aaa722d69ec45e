//! What a transition knows of comparisons better than values and motion tell.

use super::condition::{Condition, Fires};
use super::decide::{Verdict, decide_by_motion};
use super::scan::Touch;
use super::side::{Input, SideState, turn};
use super::signals::{Banded, Signals};
use super::state::{DecidedBy, Watch};

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

    /// Puts a comparison on a side without firing: a rule of the transition has decided it. `surely`: by more than
    /// its own motion can tell, which is not asked any more at this instant; the dense output may contradict it.
    /// Values up to `slack` count as inside the band until it has left.
    pub fn place(&mut self, comparison: usize, plus: bool, surely: bool, slack: f64) {
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
    pub fn leave_touch(&mut self, touch: &Touch) {
        let record = &mut self.records[touch.comparison];
        (record.entered, record.slack, record.slowness) = (false, touch.height, touch.slope);
        let side = &mut self.now.sides[touch.comparison];
        *side = turn(*side, Input::Enters).0;
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
        turning: &mut Vec<Touch>,
    ) {
        for &comparison in &self.watched {
            let side = self.now.sides[comparison];
            if self.records[comparison].entered && side.is_inside() && counts(comparison) {
                let verdict = decide_by_motion(signals, comparison, &mut self.series);
                let back = |v: Verdict| v.order >= TURNS && Some(v.plus) == side.truth();
                let touch = Touch { comparison, s: 0.0, height: 0.0, slope: 0.0 };
                turning.extend(verdict.filter(|&v| back(v)).map(|_| touch));
            }
        }
    }

    /// A comparison has fired at the state that the transition begins with, so far from zero, although the
    /// last scan did not find it there.
    pub fn fire(&mut self, comparison: usize, distance: f64) {
        self.now.sides[comparison] = SideState::Fired;
        self.records[comparison].slack = distance;
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
