//! Which guards fire in a step, which of them first, and everything else that fires in the same bracket.
//!
//! Each guard has a side, +1 or -1, that it was last seen on. A guard that is zero (at the start of a run, or because it has
//! just fired) is on the side that its first non-zero derivative along the flow points to: nothing is nudged. The
//! dense output of a step is sampled at equal distances; the first change of side that a guard's direction admits is
//! narrowed to machine width (paper 000, sections 5.1.4, 5.1.5 and 5.2).

use crate::equations::{Guard, GuardRates, Side};
use crate::formulation::Flow;
use crate::math::{Bracket, Probe, narrow};
use crate::step::Trial;

/// How many equal parts of a step are looked at. A guard that dips through zero and back within one part is not seen.
const PARTS: u32 = 8;

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

/// The first bracket of a step in which guards fire; `fired` of the detector lists them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The bracket, as offsets from the start of the step.
    pub offsets: Bracket,
    /// The end of the bracket at which the event is placed.
    pub offset: f64,
}

/// Keeps the side of every guard, and finds changes of side.
pub struct Detector {
    sides: Vec<f64>,
    /// Values that count as zero: what is left of a guard that has just fired. They are taken off until the guard has moved away.
    residues: Vec<f64>,
    values: Vec<f64>,
    /// Values at the last point where no guard had fired.
    last: Vec<f64>,
    first_rates: Vec<f64>,
    second_rates: Vec<f64>,
    state: Vec<f64>,
    fired: Vec<usize>,
    /// Sides, residues and last values at the start of the step, to go back to.
    saved: [Vec<f64>; 3],
    /// How much each fired guard changes across its bracket: a value below this is zero to the locator.
    resolution: Vec<f64>,
    /// How large each guard is about its root: what is not small against this is not zero but a jump.
    size: Vec<f64>,
    /// Guards that fired just before this segment, and guards that were not watched before it.
    just_fired: Vec<bool>,
    new: Vec<bool>,
    /// Guards that changed side at an event without firing.
    carried: Vec<bool>,
}

impl Detector {
    /// A detector for the guards of `flow`, before its first start.
    pub fn new(flow: &Flow<'_>) -> Self {
        let (n, guards) = (flow.system().layout().dimension(), flow.system().guards().len());
        let zeros = || vec![0.0; guards];
        Self {
            sides: zeros(),
            residues: zeros(),
            values: zeros(),
            last: zeros(),
            first_rates: zeros(),
            second_rates: zeros(),
            state: vec![0.0; n],
            fired: Vec::with_capacity(guards),
            saved: [zeros(), zeros(), zeros()],
            resolution: zeros(),
            size: zeros(),
            just_fired: vec![false; guards],
            new: vec![true; guards],
            carried: vec![false; guards],
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

    /// Whether a guard fired just before this segment.
    pub fn has_just_fired(&self, guard: usize) -> bool {
        self.just_fired[guard]
    }

    /// Whether a guard begins to be watched with this segment.
    pub fn is_new(&self, guard: usize) -> bool {
        self.new[guard]
    }

    /// Whether a guard has changed side at the event before this segment without firing: a reset carried it.
    pub fn was_carried(&self, guard: usize) -> bool {
        self.carried[guard]
    }

    /// Evaluates the guards at the start of a segment and locks the signs of switches, as far as their values tell.
    pub fn lock_switches(&mut self, flow: &mut Flow<'_>, t: f64, y: &[f64]) -> Result<(), BadGuard> {
        for g in 0..self.just_fired.len() {
            self.just_fired[g] = self.fired.contains(&g);
        }
        self.fired.clear();
        if self.sides.is_empty() {
            return Ok(());
        }
        flow.guards(t, y, &mut self.values);
        self.check_finite(flow, t)?;
        for g in 0..self.sides.len() {
            if let Some(k) = flow.system().guards()[g].response.switch {
                let fired = if self.just_fired[g] { -self.sides[g] } else { 0.0 };
                let side = if self.is_zero(g) { fired } else { sign(self.values[g]) };
                flow.mode.signs[k] = if side == 0.0 { flow.mode.signs[k] } else { side };
            }
        }
        Ok(())
    }

    /// Whether the value of a guard counts as zero: exactly, or because it has just fired and this is what is left of it.
    fn is_zero(&self, g: usize) -> bool {
        let left = (4.0 * self.resolution[g]).min(1e-6 * self.size[g]);
        self.values[g].abs() <= if self.just_fired[g] { left } else { 0.0 }
    }

    /// Decides the side of every guard at the start of a segment; [`lock_switches`](Self::lock_switches) comes before. `reach` is about the
    /// step size.
    ///
    /// `fired` then lists the unilateral guards that stand at zero and are about to cross it: they fire at once. Guards that
    /// have just fired and still go the way they went are passing through and do not fire again.
    pub fn begin(&mut self, flow: &mut Flow<'_>, t: f64, y: &[f64], reach: f64) -> Result<(), BadGuard> {
        if self.sides.is_empty() {
            return Ok(());
        }
        flow.guards(t, y, &mut self.values);
        self.check_finite(flow, t)?;
        if (0..self.sides.len()).any(|g| flow.watches(g) && self.is_zero(g)) {
            let rates = GuardRates { first: &mut self.first_rates, second: &mut self.second_rates };
            flow.guard_rates(t, y, reach, rates);
        }
        for g in 0..self.sides.len() {
            let (guard, watched, old) = (&flow.system().guards()[g], flow.watches(g), self.sides[g]);
            self.decide(guard, g, watched && self.is_zero(g));
            let turned = watched && old * self.sides[g] < 0.0 && guard.direction.admits(old);
            self.carried[g] = turned && !self.just_fired[g];
            self.new[g] = watched && old == 0.0;
            self.sides[g] = if watched { self.sides[g] } else { 0.0 };
            if let (Some(k), true) = (guard.response.switch, self.sides[g] != 0.0) {
                flow.mode.signs[k] = self.sides[g];
            }
        }
        self.last.copy_from_slice(&self.values);
        Ok(())
    }

    /// Decides one guard's side at a start; see [`begin`](Self::begin).
    fn decide(&mut self, guard: &Guard, g: usize, is_zero: bool) {
        let just_fired = self.just_fired[g];
        let old_side = self.sides[g];
        self.residues[g] = 0.0;
        if !is_zero {
            self.sides[g] = sign(self.values[g]);
            return;
        }
        if guard.response.switch.is_some() && just_fired {
            // A switch that fired has changed sign: that is what it is for.
            self.sides[g] = -old_side;
            return;
        }
        let heading = first_sign(self.first_rates[g], self.second_rates[g]);
        self.residues[g] = self.values[g];
        self.values[g] = 0.0;
        self.sides[g] = heading;
        let passing = just_fired && sign(self.first_rates[g]) == -old_side;
        if guard.side == Side::Before && heading != 0.0 && guard.direction.admits(-heading) && !passing {
            self.sides[g] = -heading;
            (self.resolution[g], self.size[g]) = (self.residues[g].abs(), f64::INFINITY);
            self.fired.push(g);
        }
    }

    /// Looks for the first bracket of the step in which guards fire. Without one, the sides are carried to the end of the step.
    /// After an error everything is as before, so that a shorter step can be tried: a guard may be undefined behind its own event.
    pub fn scan(&mut self, flow: &mut Flow<'_>, trial: &Trial) -> Result<Option<Crossing>, BadGuard> {
        self.fired.clear();
        if self.sides.is_empty() {
            return Ok(None);
        }
        self.save();
        let found = self.scan_parts(flow, trial);
        if found.is_err() {
            self.restore();
        }
        found
    }

    fn save(&mut self) {
        let [sides, residues, last] = &mut self.saved;
        sides.copy_from_slice(&self.sides);
        residues.copy_from_slice(&self.residues);
        last.copy_from_slice(&self.last);
    }

    fn restore(&mut self) {
        let [sides, residues, last] = &self.saved;
        self.sides.copy_from_slice(sides);
        self.residues.copy_from_slice(residues);
        self.last.copy_from_slice(last);
    }

    fn scan_parts(&mut self, flow: &mut Flow<'_>, trial: &Trial) -> Result<Option<Crossing>, BadGuard> {
        let mut from = 0.0;
        for part in 1..=PARTS {
            let to = if part == PARTS { trial.h } else { trial.h * f64::from(part) / f64::from(PARTS) };
            self.sample(flow, trial, to);
            self.check_finite(flow, trial.t + to)?;
            self.collect_crossed(flow);
            if !self.fired.is_empty() {
                for (size, (a, b)) in self.size.iter_mut().zip(self.last.iter().zip(&self.values)) {
                    *size = a.abs() + b.abs();
                }
                let offsets = self.locate(flow, trial, from, to);
                return Ok(Some(self.place(flow, offsets)));
            }
            self.carry();
            from = to;
        }
        Ok(None)
    }

    /// Evaluates all guards at an offset into the step, less their residues.
    fn sample(&mut self, flow: &mut Flow<'_>, trial: &Trial, offset: f64) {
        trial.state_at(offset, &mut self.state);
        flow.guards(trial.t + offset, &self.state, &mut self.values);
        for (value, residue) in self.values.iter_mut().zip(&self.residues) {
            *value -= residue;
        }
    }

    fn check_finite(&self, flow: &Flow<'_>, t: f64) -> Result<(), BadGuard> {
        match (0..self.values.len()).find(|&g| flow.watches(g) && !self.values[g].is_finite()) {
            Some(guard) => Err(BadGuard { guard, t, value: self.values[guard] }),
            None => Ok(()),
        }
    }

    /// Lists the watched guards whose value has left their side in a direction that fires.
    fn collect_crossed(&mut self, flow: &Flow<'_>) {
        self.fired.clear();
        for (g, guard) in flow.system().guards().iter().enumerate() {
            if flow.watches(g) && self.has_crossed(g) && guard.direction.admits(self.sides[g]) {
                self.fired.push(g);
            }
        }
    }

    fn has_crossed(&self, guard: usize) -> bool {
        self.values[guard] * self.sides[guard] < 0.0
    }

    /// Carries sides and values on: nothing fired up to here.
    fn carry(&mut self) {
        for g in 0..self.sides.len() {
            let value = self.values[g];
            self.sides[g] = if value == 0.0 { self.sides[g] } else { sign(value) };
            if self.residues[g] != 0.0 && value.abs() > 4.0 * self.residues[g].abs() {
                self.values[g] += self.residues[g];
                self.residues[g] = 0.0;
            }
        }
        self.last.copy_from_slice(&self.values);
    }

    /// Narrows the first change of side between two offsets, and gathers all guards that fire in its bracket.
    ///
    /// On entry `fired` lists the guards that have crossed at `to`; one is located, and as long as others have crossed before its
    /// bracket, the earliest is sought among them (case II of the try-catch model, paper 000 table 5.1).
    fn locate(&mut self, flow: &mut Flow<'_>, trial: &Trial, from: f64, mut to: f64) -> Bracket {
        loop {
            let guard = self.fired[0];
            let lo = Probe { x: from, value: self.last[guard] };
            let hi = Probe { x: to, value: self.values[guard] };
            let side = self.sides[guard];
            let bracket = narrow(lo, hi, side, 0.0, |offset| {
                self.sample(flow, trial, offset);
                self.values[guard]
            });
            self.sample(flow, trial, bracket.lo);
            self.resolution.copy_from_slice(&self.values);
            self.collect_crossed(flow);
            if self.fired.is_empty() {
                self.sample(flow, trial, bracket.hi);
                self.collect_crossed(flow);
                for (r, v) in self.resolution.iter_mut().zip(&self.values) {
                    *r = (*r - v).abs();
                }
                return bracket;
            }
            to = bracket.lo;
        }
    }

    /// Chooses the end of the bracket: before the root if any guard that fires must not cross it.
    fn place(&self, flow: &Flow<'_>, offsets: Bracket) -> Crossing {
        let unilateral = self.fired.iter().any(|&g| flow.system().guards()[g].side == Side::Before);
        Crossing { offsets, offset: if unilateral { offsets.lo } else { offsets.hi } }
    }
}

/// -1, 0 or +1; zero has no sign.
fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

/// The sign of the first of two numbers that is not zero.
fn first_sign(first: f64, second: f64) -> f64 {
    if first == 0.0 { sign(second) } else { sign(first) }
}
