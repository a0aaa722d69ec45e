//! Which guards cross zero in a step.
//!
//! Each guard has a side, +1 or -1, that it was last seen on. Over a step, values and slopes at both ends and two values in between are
//! compared with a cubic: where its bounds exclude a root, nothing more is done (paper 000, section 5.2.1). What is left is
//! searched one by one (`search.rs`), and of all crossings the first is located (`locate.rs`). Samples can be deceived: for guards that are
//! formulas, what lies between them is proved (`proof.rs`).

use super::locate::{Candidate, Crossing, Placing, one_instant};
use super::search::{Found, Sample, TESTS, step_excludes_roots};
use super::sleep::{Next, Sleep};
use crate::equations::{Point, Side};
use crate::formulation::Flow;
use crate::math::{Cubic, Probe};
use crate::model::Detection;
use crate::step::{Tolerances, Trial};

/// A guard whose value is not a finite number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadGuard {
    /// The index of the guard.
    pub guard: usize,
    /// The time at which it was evaluated.
    pub t: f64,
    /// NaN or an infinity.
    pub value: f64,
}

/// A guard that comes to zero and turns back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// The index of the guard.
    pub guard: usize,
    /// The time.
    pub t: f64,
    /// How near it comes to zero.
    pub value: f64,
}

/// How often things were not as they looked at first (paper 000, table 5.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Surprises {
    /// Case II: the crossing that was located was not the first, and the search went back.
    pub went_back: u64,
    /// Case III: a guard that could have crossed did not.
    pub phantoms: u64,
}

/// Values and slopes of all guards at one point of a step.
pub(super) struct Row {
    pub(super) values: Vec<f64>,
    pub(super) slopes: Vec<f64>,
}

/// How far a motion has gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gone {
    Nowhere,
    /// Up to an event in a step.
    Part,
    /// A whole step, or more.
    Step,
}

/// Keeps the side of every guard, and finds changes of side.
pub struct Detector {
    pub(super) sides: Vec<f64>,
    /// The sides before the event that began the segment.
    pub(super) old_sides: Vec<f64>,
    /// Values that count as zero: what is left of a guard that has just fired. They are taken off up to `residue_ends`, an offset into the
    /// step: until the guard has moved away from zero.
    pub(super) residues: Vec<f64>,
    pub(super) residue_ends: Vec<f64>,
    /// Below this the sign of a guard means nothing, up to an offset into the step: it stands at zero and has not moved away yet.
    pub(super) noise: Vec<f64>,
    pub(super) noise_ends: Vec<f64>,
    /// How large each guard is by rounding alone, as found when it last fired, and how far from zero it was about to go then.
    pub(super) rounding: Vec<f64>,
    /// How far a motion that leaves a surface can seem to be behind it by the error of dense output.
    pub(super) slack: Vec<f64>,
    pub(super) apexes: Vec<f64>,
    /// The guards at the last point where none had fired, and further on.
    pub(super) last: Row,
    pub(super) next: Row,
    /// The guards at two points in between.
    pub(super) between: [Vec<f64>; 2],
    /// Whether the slopes at the start are known.
    pub(super) slopes_known: bool,
    pub(super) first_rates: Vec<f64>,
    pub(super) second_rates: Vec<f64>,
    pub(super) state: Vec<f64>,
    rate: Vec<f64>,
    pub(super) fired: Vec<usize>,
    pub(super) candidates: Vec<Candidate>,
    /// Points of a step that slides at which its end is looked for.
    pub(super) known: Vec<Probe>,
    pub(super) points: Vec<Probe>,
    /// Guards that have changed sign through infinity in the last scan, and the sides that they are on from there.
    pub(super) poles: Vec<(usize, f64)>,
    pub(super) touches: Vec<Touch>,
    /// Guards of the last scan about which too little is certain.
    pub(super) unproved: Vec<usize>,
    /// How large guards can be that rest at zero; zero for all others.
    pub(super) plateaus: Vec<f64>,
    /// Below this the sign of a guard means nothing all along the segment: constraints hold it at zero. Zero for all others.
    pub(super) held: Vec<f64>,
    /// When each guard was last seen to touch zero.
    pub(super) touched: Vec<f64>,
    /// Guards that have not been watched through a step of this segment.
    pub(super) fresh: Vec<bool>,
    /// How much each fired guard changes across its bracket: a value below this is zero to the locator.
    pub(super) resolution: Vec<f64>,
    /// How large each guard is about its root: what is not small against this is not zero but a jump.
    pub(super) size: Vec<f64>,
    /// Guards that have fired since the last step, and guards among them that fired in the last event.
    pub(super) just_fired: Vec<bool>,
    pub(super) fired_last: Vec<bool>,
    /// Locks that can be let go, how often fields were compared for that, and the errors that are allowed.
    pub(super) kinks: Vec<bool>,
    pub(super) compared: u64,
    /// How far from zero each lock was seen since it last fired, and between that and the time before.
    pub(super) extents: Vec<[f64; 2]>,
    pub(super) tolerances: Tolerances,
    /// Whether the last event has changed nothing.
    pub(super) unchanged: bool,
    /// How far the motion has gone since the last event.
    pub(super) gone: Gone,
    /// Guards that were not watched before this segment.
    pub(super) new: Vec<bool>,
    /// The surfaces and the scheduled guards watched in this segment, and the times of the latter.
    pub(super) surfaces: Vec<usize>,
    pub(super) scheduled: Vec<usize>,
    pub(super) schedule: Vec<f64>,
    /// The end of the run.
    pub(super) until: f64,
    pub(super) surprises: Surprises,
    pub(super) sleep: Sleep,
}

impl Detector {
    /// A detector for the guards of `flow`, before its first start. What is slight against the tolerances is told by them, what is at the end of the run by its
    /// time.
    pub fn new(flow: &Flow<'_>, tolerances: &Tolerances, until: f64) -> Self {
        let (n, guards) = (flow.system().layout().dimension(), flow.system().guards().len());
        let zeros = || vec![0.0; guards];
        let n = if guards == 0 { 0 } else { n };
        let row = || Row { values: zeros(), slopes: zeros() };
        Self {
            sides: zeros(),
            old_sides: zeros(),
            residues: zeros(),
            residue_ends: zeros(),
            noise: zeros(),
            noise_ends: zeros(),
            rounding: zeros(),
            slack: zeros(),
            apexes: vec![f64::INFINITY; guards],
            last: row(),
            next: row(),
            between: [zeros(), zeros()],
            slopes_known: false,
            first_rates: zeros(),
            second_rates: zeros(),
            state: vec![0.0; n],
            rate: vec![0.0; n],
            fired: Vec::with_capacity(guards),
            candidates: Vec::with_capacity(guards),
            known: Vec::new(),
            points: Vec::new(),
            poles: Vec::new(),
            touches: Vec::new(),
            unproved: Vec::new(),
            plateaus: zeros(),
            held: zeros(),
            touched: vec![f64::NEG_INFINITY; guards],
            fresh: vec![true; guards],
            resolution: zeros(),
            size: zeros(),
            just_fired: vec![false; guards],
            fired_last: vec![false; guards],
            kinks: flow.system().guards().iter().map(|g| g.response.switch.is_some() && !g.is_used).collect(),
            compared: 0,
            extents: vec![[0.0; 2]; guards],
            tolerances: tolerances.clone(),
            unchanged: false,
            gone: Gone::Step,
            new: vec![true; guards],
            surfaces: Vec::with_capacity(guards),
            scheduled: Vec::new(),
            schedule: vec![f64::INFINITY; guards],
            until,
            surprises: Surprises::default(),
            sleep: Sleep::new(flow),
        }
    }

    /// The guards that fire together, in the order in which they are declared.
    pub fn fired(&self) -> &[usize] {
        &self.fired
    }

    /// The side that a guard is on, or was on before it fired.
    pub fn side(&self, guard: usize) -> f64 {
        self.sides[guard]
    }

    /// The value of a guard at the start of the segment.
    pub fn value(&self, guard: usize) -> f64 {
        self.last.values[guard]
    }

    /// Tells the flow which side each guard cannot leave without firing.
    pub fn show_sides(&self, flow: &mut Flow<'_>) {
        let guards = flow.system().guards();
        flow.know_sides(|g| {
            let fires = guards[g].direction.admits(self.sides[g]);
            (if fires { self.sides[g] } else { 0.0 }, self.noise[g].max(self.residues[g].abs()))
        });
    }

    /// As [`show_sides`](Self::show_sides), at the start of a segment: what the values tell before the sides are decided.
    pub fn show_first_sides(&self, flow: &mut Flow<'_>) {
        let guards = flow.system().guards();
        let known: Vec<bool> = (0..guards.len()).map(|g| flow.watches(g) && !self.is_zero(flow, g)).collect();
        flow.know_sides(|g| {
            let side = if known[g] { sign(self.last.values[g]) } else { 0.0 };
            (if guards[g].direction.admits(side) { side } else { 0.0 }, 0.0)
        });
        let passed = |g: usize| self.fired_last[g] && guards[g].side == Side::After;
        let changed = |g: usize| passed(g) && guards[g].response.mode.is_some();
        flow.enter(|g| if changed(g) { -self.sides[g] } else { 0.0 });
    }

    /// Whether a guard fired just before this segment.
    pub fn has_just_fired(&self, guard: usize) -> bool {
        self.just_fired[guard]
    }

    /// The first of the guards that fired just before this segment, and the side that it came from.
    pub fn fired_last(&self) -> Option<(usize, f64)> {
        let guard = self.fired_last.iter().position(|&fired| fired)?;
        Some((guard, self.sides[guard]))
    }

    /// The guards that fired just before this segment.
    pub fn fired_before(&self) -> Vec<usize> {
        (0..self.fired_last.len()).filter(|&g| self.fired_last[g]).collect()
    }

    /// Whether a guard begins to be watched with this segment.
    pub fn is_new(&self, guard: usize) -> bool {
        self.new[guard]
    }

    /// The touches seen in the last scan, up to its crossing if there is one.
    pub fn touches(&self) -> &[Touch] {
        &self.touches
    }

    /// The guards of the last scan whose roots could not be told within the work that is allowed.
    pub fn unproved(&self) -> &[usize] {
        &self.unproved
    }

    /// Whether a guard that fires has hardly been away from zero since it last fired: by little more than its rounding.
    pub fn has_hardly_moved(&mut self, guard: usize) -> bool {
        let apex = std::mem::replace(&mut self.apexes[guard], f64::INFINITY);
        apex <= 1e4 * self.rounding[guard]
    }

    /// How often things were not as they looked at first.
    pub fn surprises(&self) -> Surprises {
        self.surprises
    }

    /// Looks for the first bracket of the step in which guards fire. Without one, the sides are carried to the end of the step.
    /// After an error or a crossing everything is as before, so that another step can be tried from the same start.
    pub fn scan(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        placing: &Placing,
    ) -> Result<Option<Crossing>, BadGuard> {
        if self.sleeps(flow, trial)? {
            self.rest();
            self.gone = Gone::Step;
            return Ok(None);
        }
        let crossing = self.look(flow, trial, (0.0, trial.h), placing)?;
        if crossing.is_none() {
            self.gone = Gone::Step;
            self.carry(trial.h);
            self.sleep.set_at_end(&self.surfaces, &self.last.values);
        }
        Ok(crossing)
    }

    /// Looks for crossings beyond the end of a step that was scanned and has none, up to `to`, by extrapolation.
    pub fn look_ahead(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        to: f64,
        placing: &Placing,
    ) -> Result<Option<Crossing>, BadGuard> {
        if !self.sleep.last_known {
            return Ok(None);
        }
        self.look(flow, trial, (trial.h, to), placing)
    }

    /// Whether no guard can come to zero in the step, so that none has to be looked at within.
    fn sleeps(&mut self, flow: &mut Flow<'_>, trial: &Trial) -> Result<bool, BadGuard> {
        if !flow.mode.structure.sliding.is_empty() {
            self.sleep.forget_surroundings();
            return Ok(false);
        }
        if self.sleep.through(trial) {
            return Ok(true);
        }
        match self.sleep.look_around(flow, trial, &self.surfaces) {
            Next::Sleep => Ok(true),
            Next::Look => Ok(false),
            Next::Ask => {
                self.know_last(flow, trial)?;
                Ok(self.sleep.set_at_start(&self.surfaces, &self.last.values))
            }
        }
    }

    /// Evaluates the guards at the start of the step, unless that has been done.
    pub(super) fn know_last(&mut self, flow: &mut Flow<'_>, trial: &Trial) -> Result<(), BadGuard> {
        if !self.sleep.last_known {
            flow.guards(trial.t, &trial.start, &mut self.last.values);
            check_finite(&self.surfaces, &self.last.values, trial.t)?;
            (self.sleep.last_known, self.slopes_known) = (true, false);
        }
        Ok(())
    }

    /// A step in which nothing has been seen yet.
    fn rest(&mut self) {
        self.gone = self.gone.max(Gone::Part);
        self.fired.clear();
        self.touches.clear();
        self.unproved.clear();
        self.candidates.clear();
        self.poles.clear();
    }

    fn look(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        part: (f64, f64),
        placing: &Placing,
    ) -> Result<Option<Crossing>, BadGuard> {
        self.rest();
        if placing.level.detection == Detection::WholeStep {
            self.look_at_whole_step(flow, trial, part)?;
        } else {
            self.look_at_samples(flow, trial, part, placing.level)?;
        }
        let crossing = self.locate(flow, trial, part.1, placing)?;
        let end = crossing.map_or(part.1, |crossing| crossing.offsets.hi + one_instant(trial));
        self.touches.retain(|touch| touch.t <= trial.t + end);
        Ok(crossing)
    }

    fn look_at_whole_step(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        part: (f64, f64),
    ) -> Result<(), BadGuard> {
        if part.0 == 0.0 {
            self.collect_exits(flow, trial, part);
        }
        if !self.surfaces.is_empty() {
            self.sample(flow, trial, part)?;
            self.collect_candidates(flow, trial, part)?;
        }
        Ok(())
    }

    /// Evaluates all guards at the end of a part of the step and at two points within.
    fn sample(&mut self, flow: &mut Flow<'_>, trial: &Trial, (from, to): (f64, f64)) -> Result<(), BadGuard> {
        self.know_last(flow, trial)?;
        if !self.slopes_known {
            trial.rate_at(from, &mut self.state, &mut self.rate);
            let point = Point { t: trial.t + from, y: &self.state, dy: &self.rate };
            flow.guard_slopes(point, trial.h, &self.last.values, &mut self.last.slopes);
            self.slopes_known = true;
        }
        for (theta, values) in TESTS.into_iter().zip(&mut self.between) {
            let offset = from + theta * (to - from);
            trial.state_at(offset, &mut self.state);
            flow.guards(trial.t + offset, &self.state, values);
            check_finite(&self.surfaces, values, trial.t + offset)?;
            for &g in self.surfaces.iter().filter(|&&g| offset <= self.noise_ends[g]) {
                values[g] = quiet(values[g], self.noise[g], self.sides[g]);
            }
        }
        trial.rate_at(to, &mut self.state, &mut self.rate);
        flow.guards(trial.t + to, &self.state, &mut self.next.values);
        check_finite(&self.surfaces, &self.next.values, trial.t + to)?;
        let point = Point { t: trial.t + to, y: &self.state, dy: &self.rate };
        flow.guard_slopes(point, trial.h, &self.next.values, &mut self.next.slopes);
        for &g in self.surfaces.iter().filter(|&&g| to <= self.noise_ends[g]) {
            self.next.values[g] = quiet(self.next.values[g], self.noise[g], self.sides[g]);
        }
        self.settle_residues(to);
        Ok(())
    }

    /// Decides how far what is left of fired guards is taken off: all along the step from guards that are still at zero at its end.
    pub(super) fn settle_residues(&mut self, to: f64) {
        for &g in self.surfaces.iter().filter(|&&g| self.residues[g] != 0.0) {
            let residue = self.residues[g];
            let still = self.next.values[g].abs() <= 4.0 * residue.abs();
            if still {
                self.residue_ends[g] = to;
                self.next.values[g] -= residue;
                self.between.iter_mut().for_each(|values| values[g] -= residue);
            }
        }
    }

    fn collect_candidates(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        part: (f64, f64),
    ) -> Result<(), BadGuard> {
        // The bound on the path does not hold beyond the end of the step.
        let path = if part.0 == 0.0 { part.1 + trial.reach() } else { f64::INFINITY };
        let formulas = flow.system().has_formulas();
        for i in 0..self.surfaces.len() {
            let g = self.surfaces[i];
            if self.sides[g] == 0.0 {
                self.find_departure(flow, g, part.0);
            } else if self.is_let_go(g) {
                self.catch_kink(flow, trial, g, part.0);
            } else if !self.stays_at_zero(g)
                && !self.sleep.is_far(g, self.last.values[g], path)
                && (!self.is_excluded(g, part.1 - part.0)
                    || formulas && self.first_certain(flow, trial, g, self.sides[g], part).is_some())
            {
                self.find_crossing(flow, trial, g, part)?;
            }
        }
        Ok(())
    }

    /// Whether a guard is zero wherever it was looked at: it does not move.
    fn stays_at_zero(&self, g: usize) -> bool {
        let between = self.between.iter().all(|values| values[g] == 0.0);
        between && self.last.values[g] == 0.0 && self.next.values[g] == 0.0 && self.next.slopes[g] == 0.0
    }

    /// A guard that began at zero without a known heading shows it now. One that must not cross should have fired where it was zero.
    pub(super) fn find_departure(&mut self, flow: &Flow<'_>, g: usize, from: f64) {
        let heading = sign(self.between[0][g]);
        let guard = &flow.system().guards()[g];
        let due = heading != 0.0 && !self.just_fired[g];
        if due && guard.side == Side::Before && guard.direction.admits(-heading) {
            let start = Probe { x: from, value: 0.0 };
            self.candidates.push(Candidate { guard: g, side: -heading, lo: start, hi: start });
        }
    }

    /// The interval test: whether a guard certainly stays on its side.
    fn is_excluded(&self, g: usize, width: f64) -> bool {
        let side = self.sides[g];
        let (a, b) = (side * self.last.values[g], side * self.next.values[g]);
        let seen = [0, 1].map(|k: usize| side * self.between[k][g]);
        if !(b > 0.0 && seen[0] > 0.0 && seen[1] > 0.0) {
            return false;
        }
        let slopes = [side * self.last.slopes[g] * width, side * self.next.slopes[g] * width];
        let cubic = Cubic::new([a, b], slopes);
        step_excludes_roots(&cubic, a, seen)
    }

    /// Searches one guard for the first crossing that its direction admits.
    fn find_crossing(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        g: usize,
        (from, to): (f64, f64),
    ) -> Result<(), BadGuard> {
        let start = Sample { x: from, value: self.last.values[g], slope: self.last.slopes[g] };
        self.find_crossing_behind(flow, trial, (g, self.sides[g]), (start, to))
    }

    /// The same from a point on, where the guard is on the given side.
    pub(super) fn find_crossing_behind(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        (g, mut side): (usize, f64),
        (mut u, to): (Sample, f64),
    ) -> Result<(), BadGuard> {
        let v = Sample { x: to, value: self.next.values[g], slope: self.next.slopes[g] };
        let direction = flow.system().guards()[g].direction;
        let touches_from = self.touches_from(flow, trial, g);
        while u.x < to {
            let (found, touch) = self.search(flow, trial, (g, side), (u, v), touches_from);
            self.note_touch(flow, trial, g, touch, side);
            let found = self.make_certain(flow, trial, g, (side, u.x, to), found);
            match found {
                Found::NotFinite(Probe { x, value }) => {
                    return Err(BadGuard { guard: g, t: trial.t + x, value });
                }
                Found::Nothing => {
                    self.surprises.phantoms += 1;
                    self.note_touch_at_end(flow, trial, (g, side), (v.probe(), touches_from));
                    return Ok(());
                }
                Found::Crossing { lo, hi } if direction.admits(side) => {
                    let crossing = Candidate { guard: g, side, lo, hi };
                    if !self.lets_go(flow, trial, crossing) {
                        self.candidates.push(crossing);
                    }
                    return Ok(());
                }
                Found::Crossing { hi, .. } => {
                    side = -side;
                    u = self.sample_behind(flow, trial, g, (hi, to));
                }
            }
        }
        Ok(())
    }

    /// A point behind a crossing, with its slope.
    pub(super) fn sample_behind(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        g: usize,
        (at, to): (Probe, f64),
    ) -> Sample {
        let ahead = (at.x + 1e-6 * trial.h).min(to);
        let slope = (self.value_at(flow, trial, g, ahead) - at.value) / (ahead - at.x);
        Sample { x: at.x, value: at.value, slope: if slope.is_finite() { slope } else { 0.0 } }
    }

    /// One guard at an offset into the step, less its residue.
    pub(super) fn value_at(&mut self, flow: &mut Flow<'_>, trial: &Trial, g: usize, offset: f64) -> f64 {
        trial.state_at(offset, &mut self.state);
        let residue = if offset <= self.residue_ends[g] { self.residues[g] } else { 0.0 };
        let noise = if offset <= self.noise_ends[g] { self.noise[g] } else { 0.0 };
        quiet(flow.guard(g, trial.t + offset, &self.state) - residue, noise, self.sides[g])
    }

    /// Carries sides and values on: nothing fired up to here.
    fn carry(&mut self, end: f64) {
        self.remember_touches();
        self.pass_poles();
        for i in 0..self.surfaces.len() {
            let g = self.surfaces[i];
            if self.kinks[g] {
                self.extents[g][0] = self.range_of(g).max(self.extents[g][0]);
            }
            self.fresh[g] = false;
            self.leave_plateau(g);
            let value = self.next.values[g];
            self.sides[g] = if value == 0.0 || self.kinks[g] { self.sides[g] } else { sign(value) };
            // The next step begins where this one ends.
            self.noise_ends[g] = (self.noise_ends[g] - end).max(0.0);
            self.noise[g] = if self.noise_ends[g] > 0.0 { self.noise[g] } else { 0.0 };
            if self.residue_ends[g] < end {
                self.residues[g] = 0.0;
            }
        }
        std::mem::swap(&mut self.last, &mut self.next);
    }
}

/// A value whose sign means nothing counts as one on the side of the guard.
pub(super) fn quiet(value: f64, noise: f64, side: f64) -> f64 {
    if value.abs() <= noise { side * value.abs() } else { value }
}

pub(super) fn check_finite(guards: &[usize], values: &[f64], t: f64) -> Result<(), BadGuard> {
    match guards.iter().find(|&&g| !values[g].is_finite()) {
        Some(&guard) => Err(BadGuard { guard, t, value: values[guard] }),
        None => Ok(()),
    }
}

/// -1, 0 or +1; zero has no sign.
pub(super) fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}
