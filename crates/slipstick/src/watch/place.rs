//! What a transition knows of comparisons better than values and motion tell.

use super::side::SideState;
use super::signals::Banded;
use super::state::Watch;

impl Watch {
    /// Whether a comparison has a side, or has just fired.
    pub fn has_past(&self, comparison: usize) -> bool {
        self.now.sides[comparison] != SideState::Unknown
    }

    /// Puts a comparison on a side without firing: a rule of the transition has decided it. `surely`: by more than
    /// its own motion can tell, which is not asked any more at this instant; the dense output may contradict it.
    /// Values up to `slack` count as inside the band until it has left.
    pub fn place(&mut self, comparison: usize, plus: bool, surely: bool, slack: f64) {
        self.now.sides[comparison] = if plus { SideState::NearPlus } else { SideState::NearMinus };
        self.undecided.retain(|&other| other != comparison);
        let record = &mut self.records[comparison];
        (record.peak, record.entered) = (Banded::default(), false);
        (record.placed, record.soft, record.slack) = (surely, surely, slack.max(record.slack));
        self.horizon.rouse(comparison);
        self.remember(comparison);
    }

    /// The touch of a comparison was an event: leaving its band on the same side is not another one.
    pub fn leave_touch(&mut self, comparison: usize) {
        self.records[comparison].entered = false;
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
