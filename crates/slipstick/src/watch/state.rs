//! The guards of a run with their sides: what the loop calls.

use super::condition::GuardSpec;
use super::decisions::Decisions;
use super::guards::Snapshot;
use super::scan::{Found, Touch};
use super::side::SideState;
use super::sides::SideTable;
use super::signals::{Banded, NotFinite, Signals};
use super::step_scan::StepScan;

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

/// The guards of a run: their sides, what the motion decides, and the step at hand.
#[derive(Clone, Debug)]
pub struct Watch {
    sides: SideTable,
    decisions: Decisions,
    step: StepScan,
}

impl Watch {
    /// Guards over some comparisons and fixed parts. All guards are off, no comparison has a past, all fixed
    /// parts are false.
    pub fn new(comparisons: usize, fixed: usize, guards: Vec<GuardSpec>) -> Self {
        let sides = SideTable::new(comparisons, fixed, guards);
        Self { step: StepScan::new(&sides), decisions: Decisions::default(), sides }
    }

    /// Becomes as new, for another run: all guards are off, no comparison has a past, all fixed parts are
    /// false.
    pub fn reset(&mut self) {
        self.sides.reset();
        self.step.reset();
    }

    /// Puts a guard on, without a past (start of a run, mode entered). Its comparisons become `u0` unless
    /// another guard that is on reads them.
    pub fn enter(&mut self, guard: usize) {
        self.sides.enter(guard);
    }

    /// Takes a guard off.
    pub fn leave(&mut self, guard: usize) {
        self.sides.leave(guard);
    }

    /// Sets a fixed part of conditions. The next [`jump`](Self::jump) sees it.
    pub fn set_fixed(&mut self, slot: usize, holds: bool) {
        self.sides.set_fixed(slot, holds);
    }

    /// The comparisons that are watched, in rising order: those of guards that are on, in branches that are
    /// taken.
    pub fn watched(&self) -> &[usize] {
        &self.sides.watched
    }

    /// How many comparisons there are, watched or not.
    pub fn comparisons(&self) -> usize {
        self.sides.records.len()
    }

    /// The guards, as they were given.
    pub fn guards(&self) -> &[GuardSpec] {
        &self.sides.table.specs
    }

    /// Whether a guard is on.
    pub fn is_on(&self, guard: usize) -> bool {
        self.sides.table.on[guard]
    }

    /// The side of a comparison.
    pub fn side(&self, comparison: usize) -> SideState {
        self.sides.now.sides[comparison]
    }

    /// Whether a guard holds, if that is known.
    pub fn holds(&self, guard: usize) -> Option<bool> {
        self.sides.table.holds(guard, &self.sides.now.sides)
    }

    /// The sides and the past, for the detection of cycles.
    pub fn snapshot(&self) -> &Snapshot {
        &self.sides.now
    }

    /// Touches before the end of the last scan, in order of time, of guards that ask for them.
    pub fn touches(&self) -> &[Touch] {
        &self.step.scanner.touches
    }

    /// Comparisons for which the last scan could not prove that it missed nothing.
    pub fn unproved(&self) -> &[usize] {
        &self.step.scanner.unproved
    }

    /// Whether a comparison has a side, or has just fired.
    pub fn has_past(&self, comparison: usize) -> bool {
        self.sides.now.sides[comparison] != SideState::Unknown
    }

    /// Whether a value of a comparison counts as inside its band: where it was put when it fired does, as
    /// floats of time are not dense.
    pub fn is_inside(&self, comparison: usize, value: Banded) -> bool {
        value.value.abs() <= value.band.max(self.sides.records[comparison].slack)
    }

    /// Takes the values after a transition, or at the start of a run, in the order of
    /// [`watched`](Self::watched); gives the guards that fire by value. To be called again after their
    /// transition, until none fires.
    pub fn jump(&mut self, values: &[Banded]) -> Result<&[usize], NotFinite> {
        self.step.forget();
        self.sides.jump(values)?;
        Ok(&self.sides.fired)
    }

    /// The same, with values of some comparisons in rising order: the transition has not changed the values of
    /// the others, which are [outside](Self::is_outside) their bands.
    pub fn jump_some(&mut self, which: &[usize], values: &[Banded]) -> Result<&[usize], NotFinite> {
        self.step.forget();
        self.sides.jump_some(which, values)?;
        Ok(&self.sides.fired)
    }

    /// Whether a comparison is outside its band.
    pub fn is_outside(&self, comparison: usize) -> bool {
        !self.side(comparison).is_inside()
    }

    /// Whether a comparison of [known inputs](Signals::reads) is surely outside its band where time and states are these, as
    /// it sleeps and nothing else that it depends on has changed.
    pub fn sleeps_at(&self, comparison: usize, at: (f64, &[f64])) -> bool {
        self.sides.horizon.sleeps_at(comparison, at)
    }

    /// Whether a comparison is farther from its band than this many bands where time and states are these, and has been so in
    /// the last step: one that sleeps is.
    pub fn is_beyond(&self, comparison: usize, bands: f64, at: (f64, &[f64])) -> bool {
        let clearance = self.sides.horizon.clearance(comparison, at);
        self.is_outside(comparison) && clearance.is_some_and(|(reach, band)| reach > bands * band)
    }

    /// Puts a comparison on a side without firing: a rule of the transition has decided it. `surely`: by more
    /// than its own motion can tell, which is not asked any more at this instant; the dense output may
    /// contradict it. Values up to `slack` count as inside the band until it has left.
    pub fn place(&mut self, comparison: usize, plus: bool, surely: bool, slack: f64) {
        self.sides.place(comparison, plus, surely, slack);
    }

    /// The touch of a comparison was an event: leaving its band on the same side is not another one, and as
    /// far from zero as it is there, it is inside.
    pub fn leave_touch(&mut self, touch: &Touch) {
        self.sides.leave_touch(touch);
    }

    /// A comparison has fired at the state that the transition begins with, so far from zero, although the
    /// last scan did not find it there.
    pub fn fire(&mut self, comparison: usize, distance: f64) {
        self.sides.fire(comparison, distance);
    }

    /// Whether there is something to decide.
    pub fn is_undecided(&self) -> bool {
        !self.sides.undecided.is_empty()
    }

    /// Decides comparisons inside their bands by motion (rules 6 and 8): at the start of a segment, when no
    /// guard fires by value any more, and at the start of each step. Costs nothing if none is undecided.
    pub fn begin(&mut self, signals: &mut dyn Signals) -> Begun<'_> {
        self.decisions.make(&mut self.sides, signals);
        Begun { fired: &self.sides.fired, decided: &self.decisions.decided, pinned: &self.sides.undecided }
    }

    /// Comparisons that have come into their bands by motion and that a derivative of order two or more takes
    /// back to where they came from: those that count touch zero here, at the start of the step, as far as
    /// can be told.
    pub fn turning(
        &mut self,
        signals: &mut dyn Signals,
        counts: &dyn Fn(usize) -> bool,
        turning: &mut Vec<Touch>,
    ) {
        self.decisions.turning(&self.sides, signals, counts, turning);
    }

    /// Another transition begins: what has fired in an earlier one and has stayed in its band since then, as
    /// something held it there, may fire again.
    pub fn begin_transition(&mut self) {
        self.sides.arm_held(&|_, record| record.pinned.steps > 0);
    }

    /// The motion does not decide comparisons that have fired: those of these may fire again, as soon as it does.
    pub fn arm_held(&mut self, which: &dyn Fn(usize) -> bool) {
        self.sides.arm_held(&|comparison, _| which(comparison));
    }

    /// Whether a comparison may turn any number of times in a step; it may, if nothing else is said. Otherwise a step may
    /// be [crowded](Self::is_crowded).
    pub fn be_patient(&mut self, patient: bool) {
        self.step.be_patient(patient);
    }

    /// Whether a comparison turns so often in the step that was looked at that its first event is far from the end:
    /// nothing is known of it, and it should be shorter.
    pub fn is_crowded(&self) -> bool {
        self.step.is_crowded()
    }

    /// The comparisons that can leave or enter their band within a step in which time and states go a path
    /// of this length, by the horizon. If there are none, the step needs no [`scan`](Self::scan).
    pub fn due(&mut self, signals: &mut dyn Signals, path: f64) -> &[usize] {
        self.step.due(&mut self.sides, signals, path)
    }

    /// Whether the dense output of a step of this length begins another way than the motion has decided: then
    /// the step is too long. The first point that is clearly on a side tells.
    pub fn is_contradicted(&self, signals: &mut dyn Signals, h: f64) -> bool {
        self.sides.is_contradicted(signals, h)
    }

    /// Whether a guard may fire in the step, among the comparisons that are [`due`](Self::due), as far as
    /// polynomials tell: nothing is located. False is sure, and the step can be accepted; otherwise
    /// [`scan`](Self::scan) says what fires.
    pub fn may_fire(&mut self, signals: &mut dyn Signals, h: f64) -> Result<bool, NotFinite> {
        self.step.may_fire(&self.sides, signals, h)
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
        self.step.scan(&self.sides, signals, h, limit)
    }

    /// The step is taken up to `s`: the time that the scan found, or its limit. Sides move on to it; what
    /// fired is `f`.
    pub fn accept(&mut self, s: f64) {
        self.step.accept(&mut self.sides, s);
    }
}
