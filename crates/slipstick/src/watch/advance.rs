//! What the guards do with each step: decide at its start, sleep, scan, accept.

use super::condition::Touches;
use super::decide::{Pinned, decide};
use super::guards::Cause;
use super::scan::{Brief, Found};
use super::search::Widening;
use super::side::{Effect, Input, SideState, turn};
use super::signals::{Banded, DenseError, NotFinite, Signals};
use super::state::{Begun, Decided, DecidedBy, Watch};

/// What the error of the dense output adds to the band after a decision by a higher derivative, in units of
/// that error (rule 6).
const DENSE: f64 = 16.0;
/// Where it is looked whether the dense output begins as the motion does, as parts of the step.
const LOOKS: [f64; 7] = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1.0 / 64.0];
/// How much larger the error of the dense output can be within a step than at its ends, where it is asked
/// for first.
const NEAR: f64 = 4.0;
/// The first derivative whose decision the dense output can contradict (rule 6). Steps that begin wrongly by their slope are too long.
const SOFT_ORDER: usize = 2;

impl Watch {
    /// Whether there is something to decide.
    pub fn is_undecided(&self) -> bool {
        !self.undecided.is_empty()
    }

    /// Decides comparisons inside their bands by motion (rules 6 and 8): at the start of a segment, when no
    /// guard fires by value any more, and at the start of each step. Costs nothing if none is undecided.
    pub fn begin(&mut self, signals: &mut dyn Signals) -> Begun<'_> {
        self.decided.clear();
        self.fired.clear();
        self.changed.clear();
        if !self.undecided.is_empty() {
            self.decide_all(signals);
            self.fire_by_motion();
        }
        Begun { fired: &self.fired, decided: &self.decided, pinned: &self.undecided }
    }

    /// Gives sides to comparisons that the motion decides; the others stay undecided.
    fn decide_all(&mut self, signals: &mut dyn Signals) {
        let mut undecided = std::mem::take(&mut self.undecided);
        undecided.retain(|&comparison| {
            let record = &mut self.records[comparison];
            let before = self.now.sides[comparison];
            let (constant, linear) =
                (record.pinned.constant + record.slack, record.pinned.linear + record.slowness);
            let pinned = Pinned { constant, linear, ..record.pinned };
            let verdict = decide(signals, comparison, &pinned, &mut self.series);
            let Some(verdict) = verdict else {
                let band = |k: usize| self.series.get(k).map_or(0.0, |c| c.band);
                let held = signals.dense_error(comparison, 0.0).linear;
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
            self.now.sides[comparison] = turn(side, input).0;
            if matches!(effect, Effect::Rises | Effect::Falls) {
                self.changed.push(comparison);
            }
            self.decided.push(Decided { comparison, before, plus: verdict.plus, order: verdict.order });
            false
        });
        self.undecided = undecided;
    }

    /// Guards are read after all decisions. What has made one fire is `f` and will be decided again after the
    /// transition.
    fn fire_by_motion(&mut self) {
        self.affected.clear();
        for decided in &self.decided {
            self.affected.extend(self.table.readers(decided.comparison));
        }
        self.affected.sort_unstable();
        self.affected.dedup();
        self.table.firing(&self.affected, &self.now, Cause::Motion, &mut self.fired);
        for &comparison in &self.changed {
            if self.fired.iter().any(|&guard| self.table.reads(guard).contains(&comparison)) {
                self.now.sides[comparison] = SideState::Fired;
                self.records[comparison].decision = DecidedBy::Open;
                self.undecided.push(comparison);
            }
        }
        self.undecided.sort_unstable();
        self.table.remember(&self.affected, &self.fired, &mut self.now);
        self.forget_peaks();
    }

    /// The comparisons that can leave or enter their band within a step in which time and states go a path
    /// of this length, by the horizon. If there are none, the step needs no [`scan`](Self::scan).
    pub fn due(&mut self, signals: &mut dyn Signals, path: f64) -> &[usize] {
        self.due.clear();
        self.path = path;
        if self.horizon.is_quiet(path) {
            return &self.due;
        }
        let mut quiet = f64::INFINITY;
        for &comparison in &self.watched {
            let record = &mut self.records[comparison];
            let outside = !self.now.sides[comparison].is_inside();
            let asleep = if outside {
                self.horizon
                    .sleeps(comparison, record.reach, path, |length| signals.fastest(comparison, length))
            } else {
                None
            };
            if let Some(safe) = asleep {
                quiet = quiet.min(safe);
                // While it sleeps it goes no further than it could come near.
                let farthest = 2.0 * record.reach + record.peak.band;
                record.peak.value = record.peak.value.max(farthest);
                // When it wakes up, it is somewhere else.
                record.reach = 0.0;
            } else {
                self.due.push(comparison);
            }
        }
        self.horizon.set_quiet(if self.due.is_empty() { quiet } else { 0.0 });
        &self.due
    }

    /// Whether the dense output of a step of this length begins another way than the motion has decided: then the
    /// step is too long. The first point that is clearly on a side tells.
    pub fn is_contradicted(&self, signals: &mut dyn Signals, h: f64) -> bool {
        let mut value = [Banded::default()];
        self.watched.iter().any(|&comparison| {
            let (side, record) = (self.now.sides[comparison], &self.records[comparison]);
            let decided = side.is_inside() && record.decision != DecidedBy::Open;
            let Some(plus) = side.truth().filter(|_| decided) else { return false };
            let slope = if record.decision.is_soft() {
                DENSE * signals.dense_error(comparison, 0.0).linear
            } else {
                0.0
            };
            let first = LOOKS.iter().find_map(|&part| {
                signals.values(&[comparison], part * h, &mut value);
                let [Banded { value, band }] = value;
                Banded::new(value, band + slope * part).sign()
            });
            first.is_some_and(|sign| (sign > 0.0) != plus)
        })
    }

    /// Whether something was found that the motion had decided at the start of the step: it comes back at once.
    pub fn comes_back(&self, found: &Found) -> bool {
        let decided = |c: &usize| self.records[*c].decision != DecidedBy::Open;
        found.changed.iter().any(|c| self.now.sides[*c].is_inside() && decided(c))
    }

    /// The first firing of any guard in the step, up to the local time `limit`, among the comparisons that
    /// are [`due`](Self::due). Nothing changes before [`accept`](Self::accept); a step that is tried again is
    /// scanned again.
    pub fn scan(
        &mut self,
        signals: &mut dyn Signals,
        h: f64,
        limit: f64,
    ) -> Result<Option<&Found>, NotFinite> {
        self.scanner.clear();
        self.scanned = false;
        if self.due.is_empty() || !(h > 0.0 && h.is_finite() && limit > 0.0) {
            return Ok(None);
        }
        let limit = limit.min(h);
        self.scanner.look_at(signals.points());
        for index in 0..self.due.len() {
            let comparison = self.due[index];
            let side = self.now.sides[comparison];
            let plus = side == SideState::Plus;
            if side.is_inside() || !self.scanner.passes(signals, comparison, plus, (h, limit)) {
                let brief = self.brief(signals, comparison, h);
                self.scanner.follow(signals, brief, side, (h, limit))?;
            }
        }
        self.scanned = true;
        if !self.scanner.follows() {
            return Ok(None);
        }
        self.next.copy(&self.now);
        let found = self.scanner.resolve(signals, &self.table, &mut self.next)?;
        let Found { s, hi, .. } = self.scanner.found;
        self.scanner.finish(if found { (s, hi) } else { (limit, limit) }, &mut self.next);
        if !found {
            return Ok(None);
        }
        self.measure_peaks();
        Ok(Some(&self.scanner.found))
    }

    /// What the scan is to know of a comparison.
    fn brief(&self, signals: &mut dyn Signals, comparison: usize, h: f64) -> Brief {
        let record = &self.records[comparison];
        let touches = self.table.readers(comparison).map(|guard| self.table.specs[guard].touches).max();
        let touches = touches.unwrap_or(Touches::Ignored);
        let near = match touches {
            Touches::Count => {
                NEAR * [0.0, h]
                    .map(|s| signals.dense_error(comparison, s).higher)
                    .into_iter()
                    .fold(0.0, f64::max)
            }
            _ => 0.0,
        };
        let Pinned { constant, linear, .. } = record.pinned;
        let constant = constant + record.slack;
        let loose = record.decision.is_soft() || self.undecided.binary_search(&comparison).is_ok();
        let error = if loose { signals.dense_error(comparison, 0.0) } else { DenseError::default() };
        let error = if record.decision.is_soft() { error } else { DenseError { higher: 0.0, ..error } };
        let [slope, dense] =
            [error.linear, error.higher].map(|e| if e.is_finite() { DENSE * e.abs() } else { 0.0 });
        let widening = Widening { constant, linear: linear * h + slope, dense, h };
        Brief { comparison, widening, touches, near, entered: record.entered }
    }

    /// The largest values of the comparisons that have changed.
    fn measure_peaks(&mut self) {
        let (found, ends) = (&mut self.scanner.found, &self.scanner.ends);
        for &comparison in &found.changed {
            let end = ends.iter().find(|(other, _)| *other == comparison);
            let peak = end.map_or(Banded::default(), |(_, end)| end.peak);
            found.peaks.push(self.records[comparison].raised(peak));
        }
    }

    /// The step is taken up to `s`: the time that the scan found, or its limit. Sides move on to it; what
    /// fired is `f`.
    pub fn accept(&mut self, s: f64) {
        self.horizon.advance(self.path);
        if !std::mem::replace(&mut self.scanned, false) {
            return;
        }
        // Without tracks no side has changed.
        let next = if self.scanner.follows() { &self.next } else { &self.now };
        for &(comparison, end) in &self.scanner.ends {
            let record = &mut self.records[comparison];
            let (was, is) = (self.now.sides[comparison].is_inside(), next.sides[comparison].is_inside());
            record.entered = is && (record.entered || !was);
            record.reach = end.reach;
            record.peak = record.raised(end.peak);
            // Until it has left its band, the dense output may contradict the decision.
            record.decision = record.decision.after_step(is);
            if !is {
                (record.slack, record.slowness) = (0.0, 0.0);
            }
        }
        for (&comparison, &slack) in self.scanner.found.changed.iter().zip(&self.scanner.slacks) {
            self.records[comparison].peak = Banded::default();
            self.records[comparison].pinned = Pinned::default();
            self.records[comparison].slack = slack;
            // It has crossed: leaving its band is no touch.
            self.records[comparison].entered = false;
        }
        if self.scanner.follows() {
            std::mem::swap(&mut self.now, &mut self.next);
        }
        let (sides, records) = (&self.now.sides, &mut self.records);
        self.undecided.retain(|&comparison| {
            let record = &mut records[comparison];
            if sides[comparison].is_inside() {
                record.pinned.grow(s);
                return true;
            }
            record.pinned = Pinned::default();
            false
        });
        // What has fired inside its band is decided anew at the start of the next step.
        for &comparison in &self.scanner.found.changed {
            let place = self.undecided.binary_search(&comparison);
            if let (SideState::Fired, Err(place)) = (self.now.sides[comparison], place) {
                self.undecided.insert(place, comparison);
            }
        }
    }

    /// Comparisons of guards that have fired at the start: their largest value counts from now on.
    pub(super) fn forget_peaks(&mut self) {
        for &guard in &self.fired {
            for &comparison in self.table.reads(guard) {
                self.records[comparison].peak = Banded::default();
            }
        }
    }
}
