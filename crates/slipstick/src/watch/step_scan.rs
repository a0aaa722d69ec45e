//! The step at hand: which comparisons are due in it, what fires in it, and how they stand at its end.

use super::condition::Touches;
use super::decide::Pinned;
use super::decisions::DENSE;
use super::guards::Snapshot;
use super::scan::{Brief, Found, Scanner};
use super::search::Widening;
use super::side::SideState;
use super::sides::SideTable;
use super::signals::{Banded, DenseError, NotFinite, Signals};

/// How much larger the error of the dense output can be within a step than at its ends, where it is asked
/// for first.
const NEAR: f64 = 4.0;

/// Looks at one step after the other.
#[derive(Clone, Debug)]
pub(super) struct StepScan {
    pub(super) scanner: Scanner,
    /// The sides at the end of the scan, until the step is accepted.
    next: Snapshot,
    scanned: bool,
    due: Vec<usize>,
    /// How far time and states go in the step.
    path: f64,
}

impl StepScan {
    /// Over the comparisons of these sides.
    pub(super) fn new(sides: &SideTable) -> Self {
        Self {
            scanner: Scanner::default(),
            next: sides.now.clone(),
            scanned: false,
            due: Vec::with_capacity(sides.records.len()),
            path: 0.0,
        }
    }

    /// Becomes as new.
    pub(super) fn reset(&mut self) {
        self.scanned = false;
        self.due.clear();
        self.scanner.clear();
    }

    /// A transition has put comparisons: what was scanned does not hold.
    pub(super) fn forget(&mut self) {
        self.scanned = false;
    }

    /// The comparisons that can leave or enter their band within a step in which time and states go a path
    /// of this length, by the horizon. If there are none, the step needs no [`scan`](Self::scan).
    pub(super) fn due(&mut self, sides: &mut SideTable, signals: &mut dyn Signals, path: f64) -> &[usize] {
        self.due.clear();
        self.path = path;
        if sides.horizon.is_quiet(path) {
            return &self.due;
        }
        let mut quiet = f64::INFINITY;
        let SideTable { watched, records, now, horizon, .. } = sides;
        for &comparison in &*watched {
            let record = &mut records[comparison];
            let outside = !now.sides[comparison].is_inside();
            let asleep = if outside {
                horizon.sleeps(comparison, record.reach, path, |length| signals.fastest(comparison, length))
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
        horizon.set_quiet(if self.due.is_empty() { quiet } else { 0.0 });
        &self.due
    }

    /// The first firing of any guard in the step, up to the local time `limit`, among the comparisons that
    /// are [`due`](Self::due). Nothing changes before [`accept`](Self::accept); a step that is tried again is
    /// scanned again.
    pub(super) fn scan(
        &mut self,
        sides: &SideTable,
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
            let side = sides.now.sides[comparison];
            let plus = side == SideState::Plus;
            if side.is_inside() || !self.scanner.passes(signals, comparison, plus, (h, limit)) {
                let brief = brief(sides, signals, comparison, h);
                self.scanner.follow(signals, brief, side, (h, limit))?;
            }
        }
        self.scanned = true;
        if !self.scanner.follows() {
            return Ok(None);
        }
        self.next.copy(&sides.now);
        let found = self.scanner.resolve(signals, &sides.table, &mut self.next)?;
        let Found { s, hi, .. } = self.scanner.found;
        self.scanner.finish(if found { (s, hi) } else { (limit, limit) }, &mut self.next);
        if !found {
            return Ok(None);
        }
        self.measure_peaks(sides);
        Ok(Some(&self.scanner.found))
    }

    /// The largest values of the comparisons that have changed.
    fn measure_peaks(&mut self, sides: &SideTable) {
        let (found, ends) = (&mut self.scanner.found, &self.scanner.ends);
        for &comparison in &found.changed {
            let end = ends.iter().find(|(other, _)| *other == comparison);
            let peak = end.map_or(Banded::default(), |(_, end)| end.peak);
            found.peaks.push(sides.records[comparison].raised(peak));
        }
    }

    /// The step is taken up to `s`: the time that the scan found, or its limit. Sides move on to it; what
    /// fired is `f`.
    pub(super) fn accept(&mut self, sides: &mut SideTable, s: f64) {
        sides.horizon.advance(self.path);
        if !std::mem::replace(&mut self.scanned, false) {
            return;
        }
        // Without tracks no side has changed.
        let next = if self.scanner.follows() { &self.next } else { &sides.now };
        for &(comparison, end) in &self.scanner.ends {
            let record = &mut sides.records[comparison];
            let (was, is) = (sides.now.sides[comparison].is_inside(), next.sides[comparison].is_inside());
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
            sides.records[comparison].peak = Banded::default();
            sides.records[comparison].pinned = Pinned::default();
            sides.records[comparison].slack = slack;
            // It has crossed: leaving its band is no touch.
            sides.records[comparison].entered = false;
        }
        if self.scanner.follows() {
            std::mem::swap(&mut sides.now, &mut self.next);
        }
        let SideTable { now, records, undecided, .. } = sides;
        undecided.retain(|&comparison| {
            let record = &mut records[comparison];
            if now.sides[comparison].is_inside() {
                record.pinned.grow(s);
                return true;
            }
            record.pinned = Pinned::default();
            false
        });
        // What has fired inside its band is decided anew at the start of the next step.
        for &comparison in &self.scanner.found.changed {
            let place = undecided.binary_search(&comparison);
            if let (SideState::Fired, Err(place)) = (now.sides[comparison], place) {
                undecided.insert(place, comparison);
            }
        }
    }
}

/// What the scan is to know of a comparison.
fn brief(sides: &SideTable, signals: &mut dyn Signals, comparison: usize, h: f64) -> Brief {
    let record = &sides.records[comparison];
    let touches = sides.table.readers(comparison).map(|guard| sides.table.specs[guard].touches).max();
    let touches = touches.unwrap_or(Touches::Ignored);
    let near = match touches {
        Touches::Count => {
            NEAR * [0.0, h].map(|s| signals.dense_error(comparison, s).higher).into_iter().fold(0.0, f64::max)
        }
        _ => 0.0,
    };
    let Pinned { constant, linear, .. } = record.pinned;
    let constant = constant + record.slack;
    let loose = record.decision.is_soft() || sides.undecided.binary_search(&comparison).is_ok();
    let error = if loose { signals.dense_error(comparison, 0.0) } else { DenseError::default() };
    let error = if record.decision.is_soft() { error } else { DenseError { higher: 0.0, ..error } };
    let [slope, dense] =
        [error.linear, error.higher].map(|e| if e.is_finite() { DENSE * e.abs() } else { 0.0 });
    let widening = Widening { constant, linear: linear * h + slope, dense, h };
    Brief { comparison, widening, touches, near, entered: record.entered }
}
