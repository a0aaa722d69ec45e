//! The guards of a run with their sides.

use super::condition::GuardSpec;
use super::side::SideState;
use super::signals::{Banded, NotFinite, Signals};

/// The first firing in a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Where the state is put, in local time of the step; it can be 0.
    pub s: f64,
    /// The last time surely before it.
    pub lo: f64,
    /// The first time surely after it.
    pub hi: f64,
    /// The guards that fire together, in rising order.
    pub fired: Vec<usize>,
    /// The comparisons whose change makes them fire, in rising order.
    pub changed: Vec<usize>,
}

/// The peak of a comparison that came into its band and left it on the same side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// The comparison.
    pub comparison: usize,
    /// Where, in local time.
    pub s: f64,
}

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
    /// Comparisons that stay undecided (rule 8).
    pub pinned: &'a [usize],
}

/// The sides of all comparisons and the past of all guards, to recognise a cycle (rule 11).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Snapshot {
    sides: Vec<SideState>,
    past: Vec<Option<bool>>,
}

/// The guards of a run: one small state machine per comparison, the horizon, the search.
#[derive(Clone, Debug)]
pub struct Watch {
    guards: Vec<GuardSpec>,
    sides: Vec<SideState>,
    found: Found,
}

impl Watch {
    /// Guards over some comparisons and fixed parts. All guards are off, no comparison has a past, all fixed parts are false.
    pub fn new(comparisons: usize, _fixed: usize, guards: Vec<GuardSpec>) -> Self {
        Self { guards, sides: vec![SideState::Unknown; comparisons], found: Found::default() }
    }

    /// Puts a guard on, without a past (start of a run, mode entered). Its comparisons become `u0` unless another guard that is on uses
    /// them.
    pub fn enter(&mut self, _guard: usize) {}

    /// Takes a guard off.
    pub fn leave(&mut self, _guard: usize) {}

    /// Whether a comparison may be evaluated: false in branches that are not taken (rule 10). It starts without a past when it comes back.
    pub fn set_taken(&mut self, _comparison: usize, _taken: bool) {}

    /// Makes a comparison `u0`, without a past.
    pub fn forget(&mut self, _comparison: usize) {}

    /// Sets a fixed part of conditions. The next [`jump`](Self::jump) sees it.
    pub fn set_fixed(&mut self, _slot: usize, _holds: bool) {}

    /// The comparisons that are watched, in rising order: those of guards that are on, in branches that are taken.
    pub fn watched(&self) -> &[usize] {
        &[]
    }

    /// The guards, as they were given.
    pub fn guards(&self) -> &[GuardSpec] {
        &self.guards
    }

    /// The side of a comparison.
    pub fn side(&self, comparison: usize) -> SideState {
        self.sides[comparison]
    }

    /// Whether a guard holds, if that is known.
    pub fn holds(&self, _guard: usize) -> Option<bool> {
        None
    }

    /// Takes the values after a transition, or at the start of a run, in the order of [`watched`](Self::watched); gives the guards that
    /// fire by value. To be called again after their transition, until none fires.
    pub fn jump(&mut self, _values: &[Banded]) -> Result<&[usize], NotFinite> {
        Ok(&[])
    }

    /// Decides comparisons inside their bands by motion (rules 6 and 8): at the start of a segment, when no guard fires by value any more,
    /// and at the start of each step. Costs nothing if none is undecided.
    pub fn begin(&mut self, _signals: &mut dyn Signals) -> Result<Begun<'_>, NotFinite> {
        Ok(Begun { fired: &[], decided: &[], pinned: &[] })
    }

    /// The comparisons that can leave or enter their band within a step of size `h`, by the horizon. If there are none, the step needs no
    /// dense output and no [`scan`](Self::scan).
    pub fn due(&mut self, _signals: &mut dyn Signals, _h: f64) -> Result<&[usize], NotFinite> {
        Ok(&[])
    }

    /// The first firing of any guard in the step, up to the local time `limit`, among the comparisons that are [`due`](Self::due). Nothing
    /// changes before [`accept`](Self::accept); a step that is tried again is scanned again.
    pub fn scan(
        &mut self,
        _signals: &mut dyn Signals,
        _h: f64,
        _limit: f64,
    ) -> Result<Option<&Found>, NotFinite> {
        Ok(None)
    }

    /// Touches before the end of the last scan, in order of time, of guards that ask for them.
    pub fn touches(&self) -> &[Touch] {
        &[]
    }

    /// Comparisons for which the last scan could not prove that it missed nothing.
    pub fn unproved(&self) -> &[usize] {
        &[]
    }

    /// The step is taken up to `s`: the time that the scan found, or its limit. Sides move on to it; what fired is `f`.
    pub fn accept(&mut self, _s: f64) {}

    /// The largest `|g|` of a comparison since it last fired, with its band (rule 18). It is a bound where values were not needed.
    pub fn peak(&self, _comparison: usize) -> Banded {
        Banded::default()
    }

    /// The sides and the past, for the detection of cycles.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { sides: self.sides.clone(), past: Vec::new() }
    }
}
