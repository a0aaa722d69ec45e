//! How fast guards can change near the motion, where no bound holds everywhere.
//!
//! A formula such as `x*x - 4` can change as fast as you like, but not while x is between 0 and 1. In a box around the present time and
//! state, intervals tell that it has no zero there, or how fast it can change at most. That holds until the motion leaves the box;
//! then there is a new one. A box that lasts long spares work, a small one tells more: it grows while the guards sleep, and shrinks while
//! one is awake.

use crate::expr::{Bounds, Interval};
use crate::formulation::Flow;
use crate::step::Trial;
use std::cell::Cell;

/// How large the first box is, and how large one is at least, as multiples of what the step reaches.
const FIRST: f64 = 64.0;
const LEAST: f64 = 4.0;
/// By how much boxes grow and shrink, and by how much they grow that did not last.
const FACTOR: f64 = 4.0;
const LEAP: f64 = 16.0;
/// A guard that comes nearer to zero than this part of its values in the box may touch it, and is not proved away.
const NEAR: f64 = 1e-6;

/// What becomes of the size of a box.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Resize {
    Leap,
    Grow,
    Keep,
    Shrink,
    /// As before it grew.
    Back,
}

impl Resize {
    pub(super) fn grows(self) -> bool {
        matches!(self, Self::Leap | Self::Grow)
    }
}

/// One side of a box: time or a state.
#[derive(Clone, Default)]
struct Edge {
    center: f64,
    radius: f64,
    /// What the radius was before it last grew.
    smaller: f64,
    /// Whether a guard depends on it.
    read: Cell<bool>,
}

pub(super) struct Surroundings {
    /// The guards that are formulas and have no bound that holds everywhere.
    guards: Vec<usize>,
    concerned: Vec<bool>,
    /// Time, then the states.
    edges: Vec<Edge>,
    ranges: Vec<Interval>,
    known: bool,
}

impl Surroundings {
    pub(super) fn new(flow: &Flow<'_>, growth: &[f64]) -> Self {
        let formulas = flow.system().has_formulas();
        let concerned: Vec<bool> = growth.iter().map(|growth| formulas && growth.is_infinite()).collect();
        Self {
            guards: (0..growth.len()).filter(|&g| concerned[g]).collect(),
            concerned,
            edges: vec![Edge::default(); 1 + flow.system().layout().dimension()],
            ranges: vec![Interval::WHOLE; growth.len()],
            known: false,
        }
    }

    /// Whether a bound of this guard holds in the box only.
    pub(super) fn concern(&self, guard: usize) -> bool {
        self.concerned[guard]
    }

    /// What was known no longer holds: the formulas of guards may have changed, or the box is left.
    pub(super) fn forget(&mut self, growth: &mut [f64]) {
        if std::mem::take(&mut self.known) {
            self.guards.iter().for_each(|&g| growth[g] = f64::INFINITY);
        }
    }

    /// Whether the whole step is in the box.
    pub(super) fn hold(&self, trial: &Trial) -> bool {
        self.guards.is_empty() || (self.known && self.read().all(|(k, edge)| edge.holds(motion(trial, k))))
    }

    /// Whether the box is so much larger than the step that a smaller one may tell more.
    pub(super) fn can_shrink(&self, trial: &Trial) -> bool {
        self.read().any(|(k, edge)| edge.radius > FACTOR * LEAST * motion(trial, k).1)
    }

    /// The edges that guards depend on.
    fn read(&self) -> impl Iterator<Item = (usize, &Edge)> {
        self.edges.iter().enumerate().filter(|(_, edge)| edge.read.get())
    }

    /// Puts a new box around the start of the step, and bounds the guards in it. Tells whether none can be zero there; if a box that has grown is too
    /// large for that, nothing is known of the others.
    pub(super) fn renew(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        resize: Resize,
        watched: &[usize],
        growth: &mut [f64],
    ) -> bool {
        self.forget(growth);
        for (k, edge) in self.edges.iter_mut().enumerate() {
            edge.renew(motion(trial, k), resize);
        }
        let edges = &self.edges;
        let read = |k: usize| {
            edges[k].read.set(true);
            edges[k].range()
        };
        flow.guard_ranges(&read, &mut self.ranges);
        self.known = true;
        let mut concerned = watched.iter().filter(|&&g| self.concerned[g]);
        if resize.grows() && !concerned.all(|&g| excludes_zero(self.ranges[g])) {
            return false;
        }
        let moving = |k: usize| Bounds::moving(edges[k].range(), Interval::new(-1.0, 1.0));
        let mut none = true;
        for &g in watched.iter().filter(|&&g| self.concerned[g]) {
            growth[g] = if excludes_zero(self.ranges[g]) {
                0.0
            } else {
                none = false;
                let bounds = flow.guard_bounds(g, &moving);
                bounds.map_or(f64::INFINITY, growth_within)
            };
        }
        none
    }
}

/// Where time (0) or a state is at the start of a step, and how far from there it comes.
fn motion(trial: &Trial, k: usize) -> (f64, f64) {
    if k == 0 { (trial.t, trial.h) } else { (trial.start[k - 1], trial.reach_of(k - 1)) }
}

impl Edge {
    fn holds(&self, (start, reach): (f64, f64)) -> bool {
        (start - self.center).abs() + reach <= self.radius
    }

    /// Puts the middle to `start`, with room for several steps that reach this far.
    fn renew(&mut self, (start, reach): (f64, f64), resize: Resize) {
        let moved = (start - self.center).abs() + reach;
        let radius = match resize {
            _ if self.radius == 0.0 => FIRST * reach,
            Resize::Leap => self.radius.max(LEAP * moved),
            Resize::Grow => self.radius.max(FACTOR * moved),
            Resize::Keep => self.radius,
            Resize::Shrink => self.radius / FACTOR,
            Resize::Back => self.smaller,
        };
        if resize.grows() {
            self.smaller = self.radius;
        }
        (self.center, self.radius) = (start, radius.max(LEAST * reach));
        self.read.set(false);
    }

    /// What the box spans, with some room for rounding.
    fn range(&self) -> Interval {
        let radius = self.radius + 8.0 * f64::EPSILON * (self.center.abs() + self.radius);
        Interval::new(self.center - radius, self.center + radius)
    }
}

/// Whether a guard with these values neither crosses zero nor touches it.
fn excludes_zero(range: Interval) -> bool {
    !range.nan && (range.lo > NEAR * range.hi.abs() || range.hi < -NEAR * range.lo.abs())
}

/// How fast a guard can change for each unit of the path, by what is certain of it in a box.
fn growth_within(Bounds { value, slope, jumps }: Bounds) -> f64 {
    let steady = !jumps && value.is_bounded() && slope.is_bounded();
    if steady { slope.lo.abs().max(slope.hi.abs()) } else { f64::INFINITY }
}
