//! The step at hand: which comparisons are due in it, what fires in it, and how they stand at its end.

use super::condition::Touches;
use super::decide::Pinned;
use super::decisions::DENSE;
use super::guards::Snapshot;
use super::scan::{Brief, Found, Scanner};
use super::search::Widening;
use super::side::SideState;
use super::sides::SideTable;
use super::signals::{Banded, NotFinite, Signals};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// How much larger the error of the dense output can be within a step than at its ends, where it is asked
/// for first.
const NEAR: f64 = 4.0;

/// How much longer than until the end of a window comparisons are looked at, as a part of the step: windows are
/// not exact.
const LATER: f64 = 1e-3;

/// The part of a step that is looked at first where comparisons are covered part by part: what comes after an event does not
/// matter, and it is no longer than the longest part that values are taken of.
const EARLY: f64 = 0.125;

/// How much further than it goes at most a comparison has to be from its band, which may grow by rounding.
const SAFE: f64 = 1.001;

/// When a comparison can come to its band at the earliest, in local time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) comparison: usize,
    pub(super) earliest: f64,
}

/// The earliest is the greatest: it is looked at first. Of several, that with the least index is.
impl Ord for Arrival {
    fn cmp(&self, other: &Self) -> Ordering {
        other.earliest.total_cmp(&self.earliest).then(other.comparison.cmp(&self.comparison))
    }
}

impl PartialOrd for Arrival {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Arrival {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Arrival {}

/// What comparisons are followed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// Whether any guard fires.
    Any,
    /// Which one is the first, and those that fire with it, if no comparison has to be covered part by part.
    AtOnce,
    /// The same at the beginning of the step alone.
    Early,
    /// The same in all of it.
    First,
    /// How all of them go on.
    All,
}

/// Why not all comparisons of a step were followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// One has to be covered part by part.
    InParts,
    /// One turns too often, so that nothing is known of the step.
    Crowded,
}

/// Looks at one step after the other.
#[derive(Clone, Debug)]
pub(super) struct StepScan {
    pub(super) scanner: Scanner,
    /// The sides at the end of the scan, until the step is accepted.
    next: Snapshot,
    scanned: bool,
    /// Whether a comparison may turn any number of times in a step.
    patient: bool,
    /// Why not all comparisons were followed.
    stopped: Option<Stop>,
    due: Vec<usize>,
    /// The comparisons that are due, in the order in which they are looked at.
    queue: BinaryHeap<Arrival>,
    /// How far those that are due go at most.
    travels: Vec<f64>,
    /// Until when all of them were looked at.
    looked: f64,
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
            patient: true,
            stopped: None,
            due: Vec::with_capacity(sides.records.len()),
            queue: BinaryHeap::new(),
            travels: Vec::new(),
            looked: 0.0,
            path: 0.0,
        }
    }

    /// Becomes as new.
    pub(super) fn reset(&mut self) {
        self.scanned = false;
        self.due.clear();
        self.scanner.clear();
    }

    /// Whether a comparison may turn any number of times in the steps that are looked at from here on.
    pub(super) fn be_patient(&mut self, patient: bool) {
        self.patient = patient;
    }

    /// Whether a comparison turns too often in the step that was looked at, so that nothing is known of it.
    pub(super) fn is_crowded(&self) -> bool {
        self.stopped == Some(Stop::Crowded)
    }

    /// A transition has put comparisons: what was scanned does not hold.
    pub(super) fn forget(&mut self) {
        self.scanned = false;
    }

    /// The comparisons that can leave or enter their band within a step in which time and states go a path
    /// of this length, by the horizon. If there are none, the step needs no [`scan`](Self::scan).
    pub(super) fn due(&mut self, sides: &mut SideTable, signals: &mut dyn Signals, path: f64) -> &[usize] {
        // What was seen of a step that was tried before, and is not taken, is not what this one does.
        self.scanned = false;
        self.due.clear();
        self.path = path;
        let SideTable { watched, records, now, horizon, .. } = sides;
        horizon.begin_step(watched, signals, path);
        for index in 0..horizon.awake().len() {
            let comparison = horizon.awake()[index];
            let record = &mut records[comparison];
            let (outside, mut band) = (!now.sides[comparison].is_inside(), record.peak.band);
            if horizon.has_woken(comparison) && outside {
                let start = reach_at_start(signals, comparison, now.sides[comparison]);
                (record.reach, band) = (start.value, band.max(start.band));
            }
            if outside && horizon.falls_asleep(comparison, (record.reach, band), signals) {
                // While it sleeps it goes no further than it could come near.
                let farthest = 2.0 * record.reach + record.peak.band;
                record.peak.value = record.peak.value.max(farthest);
                // Where it is when it wakes up is found out then.
                record.reach = 0.0;
            } else {
                self.due.push(comparison);
            }
        }
        horizon.set_awake(&self.due);
        &self.due
    }

    /// Whether a guard may fire in the step, as far as polynomials tell: nothing is located. False is sure, and
    /// the step can be accepted; otherwise [`scan`](Self::scan) says what fires.
    pub(super) fn may_fire(
        &mut self,
        sides: &SideTable,
        signals: &mut dyn Signals,
        h: f64,
    ) -> Result<bool, NotFinite> {
        if !self.begins(signals, h, h) {
            return Ok(false);
        }
        if self.follow(sides, signals, (h, h), Purpose::Any)? < f64::INFINITY {
            return Ok(true);
        }
        if self.stopped.is_some() {
            return Ok(false);
        }
        if self.scanner.follows() {
            self.next.clone_from(&sides.now);
            if self.scanner.may_fire(signals, &sides.table, &mut self.next)? {
                return Ok(true);
            }
            self.scanner.finish((h, h), &mut self.next);
        }
        self.scanned = true;
        Ok(false)
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
        if !self.begins(signals, h, limit) {
            return Ok(None);
        }
        let limit = limit.min(h);
        let mut found = None;
        if limit == h {
            found = self.find_until(sides, signals, (h, h), Purpose::AtOnce)?;
        }
        if self.stopped == Some(Stop::InParts) {
            self.stopped = None;
            found = self.find_until(sides, signals, (h, EARLY * h), Purpose::Early)?;
        }
        if found.is_none() && self.stopped.is_none() {
            found = self.find_until(sides, signals, (h, limit), Purpose::First)?;
        }
        let Some(found) = found else { return Ok(None) };
        self.scanned = true;
        if !self.scanner.follows() {
            return Ok(None);
        }
        let Found { s, hi, .. } = self.scanner.found;
        self.scanner.finish(if found { (s, hi) } else { (limit, limit) }, &mut self.next);
        if !found {
            return Ok(None);
        }
        self.measure_peaks(sides);
        Ok(Some(&self.scanner.found))
    }

    /// Whether a guard fires up to a local time, with the sides there; none if that does not tell.
    fn find_until(
        &mut self,
        sides: &SideTable,
        signals: &mut dyn Signals,
        (h, limit): (f64, f64),
        purpose: Purpose,
    ) -> Result<Option<bool>, NotFinite> {
        self.scanner.clear();
        let cut = self.follow(sides, signals, (h, limit), purpose)?;
        if self.stopped.is_some() {
            return Ok(None);
        }
        let found = self.resolve(sides, signals)?;
        let Found { lo, hi, .. } = self.scanner.found;
        let over = hi + (hi - lo);
        let is_first = found && over <= cut;
        if purpose == Purpose::Early {
            return Ok((is_first && over <= limit).then_some(true));
        }
        // What seemed to fire does not, or later: then others may fire before it.
        if cut < limit && !is_first {
            self.scanner.clear();
            self.follow(sides, signals, (h, limit), Purpose::All)?;
            return self.resolve(sides, signals).map(Some);
        }
        Ok(Some(found))
    }

    /// Forgets the last step. False: there is nothing to look for in this one.
    fn begins(&mut self, signals: &mut dyn Signals, h: f64, limit: f64) -> bool {
        self.scanner.clear();
        (self.scanned, self.stopped) = (false, None);
        self.scanner.look_at(signals.points());
        !self.due.is_empty() && h > 0.0 && h.is_finite() && limit > 0.0
    }

    /// Follows the comparisons that are due, as far as they matter for a purpose, in the order in which they can
    /// come to their bands. Gives until when all of them were looked at: infinite if none was left out.
    fn follow(
        &mut self,
        sides: &SideTable,
        signals: &mut dyn Signals,
        (h, limit): (f64, f64),
        purpose: Purpose,
    ) -> Result<f64, NotFinite> {
        self.line_up(sides, signals, h);
        let mut cut = f64::INFINITY;
        while let Some(arrival) = self.queue.pop() {
            let (Arrival { comparison, earliest }, until) = (arrival, limit.min(cut));
            if earliest > until {
                self.queue.push(arrival);
                self.queue.iter().for_each(|&arrival| self.scanner.keep_away(sides, arrival, until));
                break;
            }
            let side = sides.now.sides[comparison];
            self.scanner.describe(signals, comparison, h);
            if !side.is_inside() && self.scanner.passes(comparison, side == SideState::Plus, until / h) {
                continue;
            }
            if purpose == Purpose::AtOnce && self.scanner.needs_parts() {
                self.stopped = Some(Stop::InParts);
                break;
            }
            let brief = Brief { until, patient: self.patient, ..brief(sides, signals, comparison, h) };
            if purpose == Purpose::Any && self.ends_beyond(sides, signals, &brief, h)? {
                return Ok(h);
            }
            if !self.scanner.follow(signals, brief, side, (h, limit))? {
                self.stopped = Some(Stop::Crowded);
                break;
            }
            let fires = self.scanner.fires_by(&sides.table, &sides.now);
            if let Some(over) = fires.filter(|_| purpose != Purpose::All) {
                cut = cut.min(over + LATER * h);
                if purpose == Purpose::Any {
                    break;
                }
            }
        }
        self.looked = limit.min(cut);
        Ok(cut)
    }

    /// Puts the comparisons that are due in the order in which they can come to their bands at the earliest, by
    /// how far they go at most.
    fn line_up(&mut self, sides: &SideTable, signals: &mut dyn Signals, h: f64) {
        let mut arrivals = std::mem::take(&mut self.queue).into_vec();
        arrivals.clear();
        self.travels.clear();
        self.travels.resize(self.due.len(), f64::INFINITY);
        signals.travels(&self.due, &mut self.travels);
        for (&comparison, travel) in self.due.iter().zip(&self.travels) {
            let reach = sides.records[comparison].reach;
            let outside = reach > 0.0 && !sides.now.sides[comparison].is_inside();
            let needed = if outside { SAFE * travel } else { f64::INFINITY };
            let earliest = if needed > 0.0 { h * (reach / needed).max(0.0) } else { f64::INFINITY };
            arrivals.push(Arrival { comparison, earliest });
        }
        self.queue = BinaryHeap::from(arrivals);
    }

    /// Whether a guard surely fires because a comparison ends the step on the other side, whatever others do.
    fn ends_beyond(
        &self,
        sides: &SideTable,
        signals: &mut dyn Signals,
        brief: &Brief,
        h: f64,
    ) -> Result<bool, NotFinite> {
        let Some(plus) = sides.now.sides[brief.comparison].truth() else { return Ok(false) };
        let fires = sides.table.fires_alone(brief.comparison, !plus, &sides.now);
        Ok(fires && self.scanner.ends_beyond(signals, brief, plus, h)?)
    }

    /// Sides move on to the first firing, if there is one.
    fn resolve(&mut self, sides: &SideTable, signals: &mut dyn Signals) -> Result<bool, NotFinite> {
        if !self.scanner.follows() {
            return Ok(false);
        }
        self.next.clone_from(&sides.now);
        self.scanner.resolve(signals, &sides.table, &mut self.next)
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
            record.reach = end.reach_at(s, self.looked);
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

/// How far outside its band a comparison begins the step: zero unless it surely is on its side. And that band.
fn reach_at_start(signals: &mut dyn Signals, comparison: usize, side: SideState) -> Banded {
    let mut start = [Banded::default()];
    signals.values(&[comparison], 0.0, &mut start);
    let [Banded { value, band }] = start;
    let outside = if side == SideState::Plus { value } else { -value } - band;
    Banded::new(if outside > 0.0 { outside } else { 0.0 }, band)
}

/// What the scan is to know of a comparison.
fn brief(sides: &SideTable, signals: &mut dyn Signals, comparison: usize, h: f64) -> Brief {
    let record = &sides.records[comparison];
    let touches = sides.table.readers(comparison).map(|guard| sides.table.specs[guard].touches).max();
    let touches = touches.unwrap_or(Touches::Ignored);
    let near = match touches {
        Touches::Count => {
            NEAR * [0.0, h].map(|s| signals.dense_error(comparison, s)).into_iter().fold(0.0, f64::max)
        }
        _ => 0.0,
    };
    let Pinned { constant, linear, .. } = record.pinned;
    let constant = constant + record.slack;
    let loose = record.decision.is_soft() || sides.undecided.binary_search(&comparison).is_ok();
    // What is not asked for is not computed: errors of forces are costly.
    let slope = if loose { signals.slope_error(comparison) } else { 0.0 };
    let dense = if record.decision.is_soft() { signals.dense_error(comparison, 0.0) } else { 0.0 };
    let [slope, dense] = [slope, dense].map(|e| if e.is_finite() { DENSE * e.abs() } else { 0.0 });
    let widening = Widening { constant, linear: linear * h + slope, dense, h };
    Brief { comparison, widening, touches, near, entered: record.entered, until: h, patient: true }
}
