//! Comparisons inside their bands are decided by the motion at the start of a step (rules 6 and 8).

use super::decide::{Pinned, Verdict, decide, decide_by_motion};
use super::scan::Touch;
use super::side::{Effect, Input, turn};
use super::sides::{DecidedBy, SideTable};
use super::signals::{Banded, Signals};
use super::state::Decided;

/// Where it is looked whether the dense output begins as the motion does, as parts of the step.
const LOOKS: [f64; 7] = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1.0 / 64.0];
/// The first derivative whose decision the dense output can contradict (rule 6). Steps that begin wrongly by
/// their slope are too long.
const SOFT_ORDER: usize = 2;
/// The least derivative by which a motion turns.
const TURNS: usize = 2;
/// What the error of the dense output adds to the band after a decision by a higher derivative, in units of
/// that error (rule 6).
pub(super) const DENSE: f64 = 16.0;

/// What the motion has decided.
#[derive(Clone, Debug, Default)]
pub(super) struct Decisions {
    pub(super) decided: Vec<Decided>,
    /// Comparisons that change at the start, and coefficients of one of them.
    changed: Vec<usize>,
    series: Vec<Banded>,
}

impl Decisions {
    /// Decides what is undecided; guards may fire by it.
    pub(super) fn make(&mut self, sides: &mut SideTable, signals: &mut dyn Signals) {
        self.decided.clear();
        self.changed.clear();
        sides.fired.clear();
        if !sides.undecided.is_empty() {
            self.decide_all(sides, signals);
            sides.fire_by_motion(self.decided.iter().map(|decided| decided.comparison), &self.changed);
        }
    }

    /// Gives sides to comparisons that the motion decides; the others stay undecided.
    fn decide_all(&mut self, sides: &mut SideTable, signals: &mut dyn Signals) {
        let mut undecided = std::mem::take(&mut sides.undecided);
        undecided.retain(|&comparison| {
            let record = &mut sides.records[comparison];
            let before = sides.now.sides[comparison];
            let (constant, linear) =
                (record.pinned.constant + record.slack, record.pinned.linear + record.slowness);
            let pinned = Pinned { constant, linear, ..record.pinned };
            let verdict = decide(signals, comparison, &pinned, &mut self.series);
            let Some(verdict) = verdict else {
                let band = |k: usize| self.series.get(k).map_or(0.0, |c| c.band);
                let held = signals.slope_error(comparison);
                record.pinned.latest = [band(0), band(1)].map(|b| if b.is_finite() { b } else { 0.0 });
                // What holds it there is only as exact as the method.
                record.pinned.held = if held.is_finite() { held } else { 0.0 };
                return true;
            };
            // Where it was held is inside its band until it has left.
            record.slack = self.series.first().map_or(record.slack, |c| record.slack.max(c.value.abs()));
            record.decision = if verdict.order >= SOFT_ORDER { DecidedBy::Soft } else { DecidedBy::Slope };
            record.pinned = Pinned::default();
            let input = if verdict.plus { Input::DecidesPlus } else { Input::DecidesMinus };
            let (side, effect) = turn(before, input);
            sides.now.sides[comparison] = turn(side, input).0;
            if matches!(effect, Effect::Rises | Effect::Falls) {
                self.changed.push(comparison);
            }
            self.decided.push(Decided { comparison, before, plus: verdict.plus, order: verdict.order });
            false
        });
        sides.undecided = undecided;
    }

    /// Comparisons that have come into their bands by motion and that a derivative of order two or more takes
    /// back to where they came from: those that count touch zero here, at the start of the step, as far as
    /// can be told.
    pub(super) fn turning(
        &mut self,
        sides: &SideTable,
        signals: &mut dyn Signals,
        counts: &dyn Fn(usize) -> bool,
        turning: &mut Vec<Touch>,
    ) {
        for &comparison in &sides.watched {
            let side = sides.now.sides[comparison];
            if sides.records[comparison].entered && side.is_inside() && counts(comparison) {
                let verdict = decide_by_motion(signals, comparison, &mut self.series);
                let back = |v: Verdict| v.order >= TURNS && Some(v.plus) == side.truth();
                let touch = Touch { comparison, s: 0.0, height: 0.0, slope: 0.0 };
                turning.extend(verdict.filter(|&v| back(v)).map(|_| touch));
            }
        }
    }
}

impl SideTable {
    /// Whether the dense output of a step of this length begins another way than the motion has decided: then
    /// the step is too long. The first point that is clearly on a side tells.
    pub(super) fn is_contradicted(&self, signals: &mut dyn Signals, h: f64) -> bool {
        let mut value = [Banded::default()];
        self.watched.iter().any(|&comparison| {
            let (side, record) = (self.now.sides[comparison], &self.records[comparison]);
            let decided = side.is_inside() && record.decision != DecidedBy::Open;
            let Some(plus) = side.truth().filter(|_| decided) else { return false };
            let slope = if record.decision.is_soft() { DENSE * signals.slope_error(comparison) } else { 0.0 };
            let first = LOOKS.iter().find_map(|&part| {
                signals.values(&[comparison], part * h, &mut value);
                let [Banded { value, band }] = value;
                Banded::new(value, band + slope * part).sign()
            });
            first.is_some_and(|sign| (sign > 0.0) != plus)
        })
    }
}
