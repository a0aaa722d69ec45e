//! The first of all crossings in a step, and everything that fires with it.
//!
//! A crossing is narrowed on the dense output to a bracket `(lo, hi]`. If another guard turns out to have crossed before, the search goes
//! back to that one (case II of the try-catch model, paper 000 table 5.1). The event is placed at `lo` if a guard that must not
//! cross fires (CEL⁻), else at `hi` (CEL⁺): an end of the bracket is a stronger guarantee than an offset.

use super::Detector;
use super::detect::BadGuard;
use super::levels::Level;
use crate::equations::{GuardKind, Side};
use crate::formulation::Flow;
use crate::math::{Bracket, Probe, narrow};
use crate::step::Trial;

/// How events are placed.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Placing {
    /// The width of a bracket in time; zero is as narrow as doubles allow.
    pub width: f64,
    /// Whether nearly concurrent events become one.
    pub concurrency: Option<Concurrency>,
    /// Whether it is enough to know between which points sliding ends: it will be looked at again on a finer dense output.
    pub rough_exits: bool,
    /// Where in a step it is looked for crossings.
    pub level: Level,
}

/// The region of concurrency (paper 000, section 5.2.3): events of guards that may be crossed become one if they are this near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Concurrency {
    /// How long after the first event the last may be.
    pub time: f64,
    /// How far beyond zero each guard may be then.
    pub amplitude: f64,
}

/// The first bracket of a step in which guards fire; `fired` of the detector lists them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// The bracket, as offsets from the start of the step.
    pub offsets: Bracket,
    /// The end of the bracket at which the event is placed.
    pub offset: f64,
}

/// A guard that crosses once between two offsets; a touch has the same point twice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub(super) guard: usize,
    pub(super) side: f64,
    pub(super) lo: Probe,
    pub(super) hi: Probe,
}

impl Candidate {
    fn is_touch(&self) -> bool {
        self.lo.x == self.hi.x
    }
}

/// Times of a step that are nearer to each other than this are one instant: a touch, and what doubles make of it.
pub(super) fn one_instant(trial: &Trial) -> f64 {
    8.0 * f64::EPSILON * (trial.t.abs() + trial.h)
}

impl Detector {
    /// Locates the first of the candidates and lists all that fire in its bracket. `to` is where the search has ended.
    pub(super) fn locate(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        to: f64,
        placing: &Placing,
    ) -> Result<Option<Crossing>, BadGuard> {
        let mut offsets = loop {
            let Some((current, offsets)) = self.first(flow, trial, placing) else { return Ok(None) };
            self.fired.clear();
            self.gather(flow, trial, current, offsets);
            if !self.drop_poles(flow, trial, offsets, to)? {
                break offsets;
            }
            self.fired.clear();
        };
        let guards = flow.system().guards();
        let unilateral = self.fired.iter().any(|&g| guards[g].side == Side::Before);
        if let (Some(concurrency), false) = (placing.concurrency, unilateral) {
            offsets.hi = self.gather_concurrent(flow, trial, offsets.hi, concurrency, placing);
        }
        self.fired.sort_unstable();
        Ok(Some(Crossing { offsets, offset: if unilateral { offsets.lo } else { offsets.hi } }))
    }

    /// The first of the candidates, and its bracket.
    fn first(&mut self, flow: &mut Flow<'_>, trial: &Trial, placing: &Placing) -> Option<(usize, Bracket)> {
        let by_end = |a: &usize, b: &usize| self.candidates[*a].hi.x.total_cmp(&self.candidates[*b].hi.x);
        let mut current = (0..self.candidates.len()).min_by(by_end)?;
        loop {
            let offsets = self.narrow(flow, trial, current, placing);
            if let Some(other) = self.earlier(flow, trial, current, offsets.lo) {
                self.surprises.went_back += 1;
                current = other;
            } else if let Some(other) = self.beside_touch(flow, trial, current) {
                current = other;
            } else {
                return Some((current, offsets));
            }
        }
    }

    /// A crossing at the same instant as a touch, which is then placed with it: only a crossing has a bracket.
    fn beside_touch(&mut self, flow: &mut Flow<'_>, trial: &Trial, current: usize) -> Option<usize> {
        let touch = self.candidates[current];
        let x = touch.hi.x + one_instant(trial);
        if !touch.is_touch() {
            return None;
        }
        for i in 0..self.candidates.len() {
            let other = self.candidates[i];
            if other.is_touch() || other.lo.x > x {
                continue;
            }
            let probe = Probe { x, value: self.value_at(flow, trial, other.guard, x) };
            if other.hi.x <= x || probe.value * other.side < 0.0 {
                self.candidates[i].hi = if other.hi.x <= x { other.hi } else { probe };
                return Some(i);
            }
        }
        None
    }

    fn narrow(&mut self, flow: &mut Flow<'_>, trial: &Trial, index: usize, placing: &Placing) -> Bracket {
        let Candidate { guard, side, lo, hi } = self.candidates[index];
        let slides = flow.mode.structure.sliding.contains(&guard);
        if lo.x == hi.x || (slides && placing.rough_exits) {
            return Bracket { lo: lo.x, hi: hi.x };
        }
        if slides {
            return self.narrow_exit(flow, trial, self.candidates[index], placing.width);
        }
        // What changes something, or must not cross, is placed as narrowly as doubles allow: what is left of a guard would be taken for a side.
        let own = &flow.system().guards()[guard];
        let only_logs = own.side == Side::After && !own.response.acts() && own.response.switch.is_none();
        let width = if only_logs { placing.width } else { 0.0 };
        narrow(lo, hi, side, width, |offset| self.value_at(flow, trial, guard, offset))
    }

    /// Another candidate that crosses before an offset, if there is one; the windows of all others are moved up to it.
    fn earlier(&mut self, flow: &mut Flow<'_>, trial: &Trial, current: usize, offset: f64) -> Option<usize> {
        for i in 0..self.candidates.len() {
            let other = self.candidates[i];
            let room = if other.is_touch() { one_instant(trial) } else { 0.0 };
            if i == current || other.lo.x + room >= offset {
                continue;
            }
            if other.is_touch() || other.hi.x <= offset {
                return Some(i);
            }
            let probe = Probe { x: offset, value: self.value_at(flow, trial, other.guard, offset) };
            if probe.value * other.side < 0.0 {
                self.candidates[i].hi = probe;
                return Some(i);
            }
            self.candidates[i].lo = probe;
        }
        None
    }

    /// Lists the candidates that have crossed at the end of the bracket.
    fn gather(&mut self, flow: &mut Flow<'_>, trial: &Trial, current: usize, offsets: Bracket) {
        for i in 0..self.candidates.len() {
            let other = self.candidates[i];
            if i == current && flow.mode.structure.sliding.contains(&other.guard) {
                // That a motion leaves a surface has no resolution, and costs right-hand sides to look at.
                self.fire(other.guard, 0.0);
                continue;
            }
            let room = if other.is_touch() { one_instant(trial) } else { 0.0 };
            let within = other.lo.x <= offsets.hi + room;
            let crossed = |value: f64| value * other.side < 0.0 || (other.is_touch() && within);
            let value =
                if within { self.value_at(flow, trial, other.guard, offsets.hi) } else { other.lo.value };
            if i == current || crossed(value) {
                let before = self.value_at(flow, trial, other.guard, offsets.lo);
                // A touch has no resolution: it has not crossed.
                self.fire(other.guard, if other.is_touch() { 0.0 } else { (before - value).abs() });
            }
        }
    }

    /// The crossing that was found is taken: what fires there comes from the side that it crosses from.
    pub fn accept(&mut self) {
        self.pass_poles();
        for candidate in &self.candidates {
            if self.fired.contains(&candidate.guard) {
                self.sides[candidate.guard] = candidate.side;
                let extents = &mut self.extents[candidate.guard];
                *extents = [0.0, extents[0]];
            }
        }
        self.remember_touches();
    }

    /// How far the guards that have fired by crossing are beyond zero at a point: the least of all; NaN if there are none.
    pub fn crossed_by(&self, flow: &mut Flow<'_>, t: f64, y: &[f64]) -> f64 {
        let mut least = f64::NAN;
        for &g in &self.fired {
            if self.has_crossed(flow, g) {
                least = least.min(-self.sides[g] * flow.guard(g, t, y));
            }
        }
        least
    }

    /// What is left of guards that have fired by crossing, at the state of the event, is zero to the locator.
    pub fn settle_resolution(&mut self, flow: &mut Flow<'_>, t: f64, y: &[f64]) {
        for i in 0..self.fired.len() {
            let g = self.fired[i];
            if flow.is_mechanism() && self.has_crossed(flow, g) {
                self.resolution[g] = self.resolution[g].max(flow.guard(g, t, y).abs());
            }
        }
    }

    /// Whether a guard that fires has crossed zero: it has not where its time has come, where it touches, and where a motion leaves its surface.
    fn has_crossed(&self, flow: &Flow<'_>, g: usize) -> bool {
        let is_surface = flow.system().guards()[g].kind == GuardKind::Surface;
        is_surface && self.resolution[g] > 0.0 && !flow.mode.structure.sliding.contains(&g)
    }

    /// Takes back guards whose formula turned back or came to rest at a lock that fires with them: with the new lock they have not crossed at `t`. Where touches
    /// count, such a kink is one.
    pub fn take_back(&mut self, flow: &mut Flow<'_>, t: f64, y: &[f64]) {
        let guards = flow.system().guards();
        let locks: Vec<(usize, usize)> =
            self.fired.iter().filter_map(|&g| guards[g].response.switch.map(|switch| (g, switch))).collect();
        if locks.is_empty() || locks.len() == self.fired.len() {
            return;
        }
        let old = flow.mode.values.signs.clone();
        for &(g, switch) in &locks {
            flow.mode.values.signs[switch] = -self.sides[g].signum();
        }
        self.find_plateaus(flow, t, y);
        let mut fired = std::mem::take(&mut self.fired);
        let is_lock = |g: &usize| locks.iter().any(|(lock, _)| lock == g);
        fired.retain(|&g| {
            let stays = is_lock(&g)
                || guards[g].kind != GuardKind::Surface
                || (self.plateaus[g] == 0.0 && flow.guard(g, t, y) * self.sides[g] < 0.0);
            if !stays && guards[g].touches {
                self.resolution[g] = 0.0;
            }
            stays || guards[g].touches
        });
        self.fired = fired;
        flow.mode.values.signs = old;
    }

    fn fire(&mut self, g: usize, resolution: f64) {
        if self.fired.contains(&g) {
            return;
        }
        self.resolution[g] = resolution;
        self.size[g] = self.last.values[g].abs() + self.next.values[g].abs();
        self.fired.push(g);
    }

    /// Adds the guards that cross soon after `first`, as long as none that fires is too far beyond zero then. Gives the new end of the bracket.
    fn gather_concurrent(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        first: f64,
        concurrency: Concurrency,
        placing: &Placing,
    ) -> f64 {
        let mut near: Vec<(f64, usize)> = Vec::new();
        for i in 0..self.candidates.len() {
            let Candidate { guard, lo, .. } = self.candidates[i];
            let bilateral = flow.system().guards()[guard].side == Side::After;
            if bilateral && !self.fired.contains(&guard) && lo.x <= first + concurrency.time {
                let root = self.narrow(flow, trial, i, placing).hi;
                near.push((root, guard));
            }
        }
        near.retain(|(root, _)| *root <= first + concurrency.time);
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut end = first;
        for (root, guard) in near {
            if self.fired.iter().any(|&g| flow.system().guards()[g].side == Side::Before) {
                break;
            }
            let mut within = true;
            for i in 0..self.fired.len() {
                let g = self.fired[i];
                within &= self.value_at(flow, trial, g, root).abs() <= concurrency.amplitude;
            }
            if !within {
                break;
            }
            self.fire(guard, 0.0);
            end = root;
        }
        end
    }
}
