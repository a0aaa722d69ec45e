//! Where a motion that slides on a surface leaves it.
//!
//! The weight of a side must stay between 0 and 1. It is known wherever the step has evaluated the field along the surface, and costs further
//! right-hand sides elsewhere; so what is known is looked at first: a cubic through some of the points that meets the others excludes a
//! way out by its bounds. Only else it is searched like any other guard.

use super::Detector;
use super::locate::Candidate;
use super::search::{Found, Sample, Search};
use crate::formulation::{Flow, Sliding};
use crate::math::{Bracket, Cubic, Probe, narrow};
use crate::step::Trial;

/// The width of the bracket around the end of sliding, as a part of the step.
const END_OF_SLIDING: f64 = 1e-9;

/// The bound of the cubic must exceed its error by this factor.
const SURE: f64 = 5.0;

impl Detector {
    /// Looks for the end of sliding in a step.
    pub(super) fn collect_exits(&mut self, flow: &mut Flow<'_>, trial: &Trial, part: (f64, f64)) {
        // Where surfaces are only left together, it is known whether the motion stays, but not how far it is from leaving.
        let together = flow.sliding().is_some_and(Sliding::is_dependent);
        for i in 0..flow.sliding().map_or(0, |sliding| sliding.surfaces().len()) {
            let mut known = std::mem::take(&mut self.known);
            find_visits(flow, trial, i, part, &mut known);
            let likeness = Likeness::of(&known, part, &mut self.points);
            let found = match known.iter().position(|probe| probe.value <= 0.0) {
                Some(k) if together || likeness.shows_all() => {
                    self.confirm_exit(flow, trial, i, &known, k, part)
                }
                None if likeness.excludes_exits() => None,
                _ => self.search_exit(flow, trial, i, part),
            };
            self.known = known;
            let Some(guard) = slid_on(flow, i) else { continue };
            if let Some((lo, hi)) = found {
                self.candidates.push(Candidate { guard, side: 1.0, lo, hi });
            }
        }
    }

    /// A stage has seen a way out. Stages are not as accurate as the solution: the dense output decides.
    fn confirm_exit(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        i: usize,
        known: &[Probe],
        k: usize,
        (from, to): (f64, f64),
    ) -> Option<(Probe, Probe)> {
        let g = slid_on(flow, i)?;
        let lo = if k > 0 { known[k - 1] } else { Probe { x: from, value: 0.25 } };
        for x in [known[k].x, to] {
            let hi = Probe { x, value: self.value_at(flow, trial, g, x) };
            if hi.value <= 0.0 && hi.x >= lo.x {
                return Some((lo, hi));
            }
        }
        self.surprises.phantoms += 1;
        None
    }

    /// Narrows the end of sliding. The surface is left to the side whose field no longer drives the motion back: on a single surface only that field has to
    /// be looked at.
    pub(super) fn narrow_exit(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        candidate: Candidate,
        width: f64,
    ) -> Bracket {
        let Candidate { guard, side, lo, hi } = candidate;
        // It costs right-hand sides to look at, and comes with a tangent: nothing is gained by the last digits.
        let width = width.max(END_OF_SLIDING * trial.h);
        let to = if self.leaves_upwards(flow, trial, guard, hi.x) { 1.0 } else { -1.0 };
        let mut distance = |x: f64| {
            trial.state_at(x, &mut self.state);
            match flow.drive_back(to, trial.t + x, &self.state) {
                Some(distance) => distance,
                None => self.value_at(flow, trial, guard, x),
            }
        };
        let bracket = narrow(lo, hi, side, width, &mut distance);
        if bracket.lo > lo.x || lo.x == 0.0 {
            return bracket;
        }
        // A stage has seen the motion slide where the dense output has left already.
        let (start, hi) =
            (Probe { x: 0.0, value: lo.value }, Probe { x: bracket.hi, value: distance(bracket.hi) });
        narrow(start, hi, side, width, &mut distance)
    }

    /// Whether a motion that no longer slides at an offset has gone to the positive side.
    fn leaves_upwards(&mut self, flow: &mut Flow<'_>, trial: &Trial, guard: usize, offset: f64) -> bool {
        let _ = self.value_at(flow, trial, guard, offset);
        let weight = flow.sliding().and_then(|sliding| Some(sliding.exits()[sliding.index_of(guard)?]));
        weight.is_some_and(|weight| weight > 0.5)
    }

    fn search_exit(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        i: usize,
        (from, to): (f64, f64),
    ) -> Option<(Probe, Probe)> {
        let g = slid_on(flow, i)?;
        let near = 1e-4 * (to - from);
        let mut f = |x: f64| self.value_at(flow, trial, g, x);
        let mut sample = |x: f64, beside: f64| {
            let value = begun(f(x), x == from);
            Sample { x, value, slope: (f(beside) - value) / (beside - x) }
        };
        let (u, v) = (sample(from, from + near), sample(to, to - near));
        match Search::first(&mut f, 1.0, u, v).0 {
            Found::Crossing { lo, hi } => Some((lo, hi)),
            _ => None,
        }
    }
}

/// The guard of one of the surfaces that the motion slides on.
pub(super) fn slid_on(flow: &Flow<'_>, index: usize) -> Option<usize> {
    Some(flow.sliding()?.surfaces().get(index)?.guard)
}

/// Where the step has evaluated the field along the surfaces, in order: the product of the weights of both sides of one of them.
fn find_visits(flow: &Flow<'_>, trial: &Trial, i: usize, (from, to): (f64, f64), known: &mut Vec<Probe>) {
    // By rounding a stage at the end of the step can be a little behind it.
    let offset = |t: f64| if t > trial.t + trial.h * (1.0 - 1e-12) { trial.h } else { t - trial.t };
    let visit = |(t, weights): &(f64, Vec<f64>)| {
        let x = offset(*t);
        Probe { x, value: begun(weights[i] * (1.0 - weights[i]), x == from) }
    };
    known.clear();
    known.extend(flow.visits().iter().map(visit).filter(|p| p.x >= from && p.x <= to));
    insertion_sort(known);
}

/// A motion that has just begun to slide, where a field ran along the surface, has not left it by rounding.
fn begun(value: f64, at_start: bool) -> f64 {
    if at_start && value.abs() <= 1e-9 { value.abs().max(f64::MIN_POSITIVE) } else { value }
}

/// A cubic through four of the points: how near it comes to zero, and by how much it misses the others.
struct Likeness {
    lower_bound: f64,
    error: f64,
    /// By how much the points differ.
    range: f64,
}

impl Likeness {
    /// Compares with what is known; `points` is room for it.
    fn of(known: &[Probe], (from, to): (f64, f64), points: &mut Vec<Probe>) -> Self {
        points.clear();
        points.extend_from_slice(known);
        points.dedup_by(|a, b| (a.x - b.x).abs() <= 1e-9 * (to - from));
        let n = points.len();
        if n < 5 || points[0].x > from + 0.25 * (to - from) || points[n - 1].x < to {
            return Self { lower_bound: 0.0, error: f64::INFINITY, range: 0.0 };
        }
        let middle = |share: f64| {
            let far = |k: &usize| (points[*k].x - from - share * (to - from)).abs();
            (1..n - 1).min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(1)
        };
        let nodes = [points[0], points[middle(0.35)], points[middle(0.75)], points[n - 1]];
        let polynomial = |x: f64| lagrange(&nodes, x);
        let miss = |p: &Probe| (p.value - polynomial(p.x)).abs();
        let error =
            points.iter().map(miss).fold(0.0, |a, b| if b.is_nan() { f64::INFINITY } else { f64::max(a, b) });
        let (near, width) = (1e-5 * (to - from), to - from);
        let slope = |x: f64| (polynomial(x + near) - polynomial(x - near)) / (2.0 * near) * width;
        let cubic = Cubic::new([polynomial(from), polynomial(to)], [slope(from), slope(to)]);
        let least = points.iter().fold(f64::INFINITY, |a, b| a.min(b.value));
        let greatest = points.iter().fold(f64::NEG_INFINITY, |a, b| a.max(b.value));
        Self { lower_bound: cubic.lower_bound(), error, range: greatest - least }
    }

    /// Whether the points follow the cubic so well that nothing is hidden between them.
    fn shows_all(&self) -> bool {
        self.error <= 0.01_f64.max(0.03 * self.range)
    }

    /// Whether the points alone tell that the motion goes on sliding. The product of weights is a quarter at most.
    fn excludes_exits(&self) -> bool {
        self.error <= 0.01 && self.lower_bound > SURE * self.error
    }
}

/// Sorts the few points of a step by place, without the room that a stable sort takes.
fn insertion_sort(points: &mut [Probe]) {
    for k in 1..points.len() {
        let behind = points[..k].partition_point(|p| p.x.total_cmp(&points[k].x).is_le());
        points[behind..=k].rotate_right(1);
    }
}

fn lagrange(nodes: &[Probe; 4], x: f64) -> f64 {
    let basis = |i: usize| -> f64 {
        (0..4).filter(|&j| j != i).map(|j| (x - nodes[j].x) / (nodes[i].x - nodes[j].x)).product()
    };
    (0..4).map(|i| nodes[i].value * basis(i)).sum()
}
