//! What is certain of guards that are formulas.
//!
//! A few samples can be deceived by a guard that is steep somewhere between them. A formula can be evaluated for a whole piece of a step at
//! once, with intervals: if zero is not among the values, there is no root; if zero is not among the slopes, there is one at most, and the
//! ends tell. Else the piece is halved. So on the dense output no root is missed, but for pairs that lie closer together than
//! the narrowest piece.

use super::Detector;
use super::search::Found;
use crate::expr::{Bounds, Interval};
use crate::formulation::Flow;
use crate::math::Probe;
use crate::step::Trial;
use std::cell::Cell;

/// Pieces looked at before a guard is left to its samples.
const MOST_PIECES: u32 = 2000;
/// Pieces below this part of the step are not halved: a guard that touches zero would be halved for ever.
const NARROWEST: f64 = 1e-10;
/// Dense output has a lower degree than this.
const MOST_COEFFICIENTS: usize = 16;

/// What is certain of a guard in a piece of a step.
#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    /// It has this sign throughout.
    Sign(f64),
    /// It goes one way only.
    Monotone,
    /// The piece is as small as rounding.
    Blurred,
    /// It is not a formula.
    NoFormula,
    Unknown,
}

impl Detector {
    /// Mends what a search has found for a guard, which is on `side` from an offset on, if the guard certainly crosses before.
    pub(super) fn make_certain(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        g: usize,
        (side, from, to): (f64, f64, f64),
        found: Found,
    ) -> Found {
        let end = match found {
            Found::NotFinite(_) => return found,
            Found::Crossing { hi, .. } => hi.x,
            Found::Nothing => to,
        };
        let Some((first, behind)) = self.first_certain(flow, trial, g, side, (from, end)) else {
            return found;
        };
        match found {
            // The same crossing, and no other in its window.
            Found::Crossing { hi, .. } if behind.x >= hi.x => found,
            Found::Crossing { lo, .. } if lo.x > first.x && lo.x < behind.x => {
                Found::Crossing { lo, hi: behind }
            }
            _ => Found::Crossing { lo: first, hi: behind },
        }
    }

    /// The first crossing between two offsets, for a guard that is a formula and on `side` right after the first: the last point seen
    /// before it, and the first one behind it.
    pub(super) fn first_certain(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        g: usize,
        side: f64,
        (from, to): (f64, f64),
    ) -> Option<(Probe, Probe)> {
        let mut last = from.max(self.quiet_until(g));
        let (mut open, mut pieces) = (vec![(last, to)], 0);
        while let Some((a, b)) = open.pop().filter(|(a, b)| a < b) {
            pieces += 1;
            match verdict(flow, trial, g, side, (a, b)) {
                Verdict::NoFormula => return None,
                Verdict::Sign(sign) if sign == side => {}
                _ if pieces > MOST_PIECES => {
                    self.unproved.push(g);
                    return None;
                }
                Verdict::Unknown if b - a > NARROWEST * trial.h => {
                    let middle = 0.5 * (a + b);
                    open.extend([(middle, b), (a, middle)]);
                    continue;
                }
                _ => {
                    let hi = Probe { x: b, value: self.value_at(flow, trial, g, b) };
                    if hi.value * side < 0.0 {
                        let lo = Probe { x: last, value: self.value_at(flow, trial, g, last) };
                        return (lo.value * side >= 0.0).then_some((lo, hi));
                    }
                }
            }
            last = b;
        }
        None
    }

    /// The slope of a guard at an offset: exactly if it is a formula, else by a difference.
    pub(super) fn slope_at(&mut self, flow: &mut Flow<'_>, trial: &Trial, g: usize, offset: f64) -> f64 {
        let time = Bounds::moving(Interval::point(trial.t + offset), Interval::point(1.0));
        let input = |k: usize| if k == 0 { time } else { state_bounds(trial, k - 1, (offset, offset)).0 };
        if let Some(Bounds { slope, jumps: false, .. }) = flow.guard_bounds(g, &input)
            && slope.is_bounded()
        {
            return 0.5 * (slope.lo + slope.hi);
        }
        // A third of the digits for the distance, the rest for the change.
        let distance = 1e-5 * trial.h;
        let ahead = self.value_at(flow, trial, g, offset + distance);
        (ahead - self.value_at(flow, trial, g, offset - distance)) / (2.0 * distance)
    }

    /// Up to which offset the value of a guard is not taken as it is.
    fn quiet_until(&self, g: usize) -> f64 {
        let residue = if self.residues[g] == 0.0 { 0.0 } else { self.residue_ends[g] };
        let noise = if self.noise[g] == 0.0 { 0.0 } else { self.noise_ends[g] };
        residue.max(noise)
    }
}

/// What is certain of a guard that comes from `side` between two offsets. Zero is the old side.
fn verdict(flow: &mut Flow<'_>, trial: &Trial, g: usize, side: f64, (a, b): (f64, f64)) -> Verdict {
    let t = trial.t;
    let time = Interval::new((t + a).next_down(), (t + b).next_up());
    // Only what the guard depends on counts.
    let blurred = Cell::new(true);
    let input = |k: usize| {
        let (bounds, width) = match k {
            0 => (Bounds::moving(time, Interval::point(1.0)), 4.0 * f64::EPSILON * t.abs()),
            _ => state_bounds(trial, k - 1, (a, b)),
        };
        let own = if k == 0 { b - a } else { 0.25 * (bounds.value.hi - bounds.value.lo) };
        blurred.set(blurred.get() && own <= width);
        bounds
    };
    let Some(bounds) = flow.guard_bounds(g, &input) else { return Verdict::NoFormula };
    match bounds.value {
        value if value.lo > 0.0 || (value.lo == 0.0 && side > 0.0 && !value.nan) => Verdict::Sign(1.0),
        value if value.hi < 0.0 || (value.hi == 0.0 && side < 0.0 && !value.nan) => Verdict::Sign(-1.0),
        _ if bounds.is_monotone() => Verdict::Monotone,
        _ if blurred.get() => Verdict::Blurred,
        _ => Verdict::Unknown,
    }
}

/// Where a state and its rate lie between two offsets, by the dense output written around the middle between them; and how much of that is
/// rounding.
fn state_bounds(trial: &Trial, i: usize, (a, b): (f64, f64)) -> (Bounds, f64) {
    let coefficients = trial.dense.coefficients();
    let n = trial.start.len();
    let count = coefficients.len() / n;
    if count > MOST_COEFFICIENTS {
        return (Bounds::moving(Interval::WHOLE, Interval::WHOLE), 0.0);
    }
    let (middle, radius) = (0.5 * (a + b) / trial.h, 0.5 * (b - a) / trial.h + 4.0 * f64::EPSILON);
    let mut shifted = [0.0; MOST_COEFFICIENTS];
    let mut size = 0.0;
    // Horner's rule with polynomials in the distance from the middle.
    for k in (0..count).rev() {
        let (factor, growth) = if k % 2 == 0 { (middle, 1.0) } else { (1.0 - middle, -1.0) };
        for j in (0..count - k).rev() {
            let before = if j == 0 { 0.0 } else { shifted[j - 1] };
            shifted[j] = factor * shifted[j] + growth * before;
        }
        shifted[0] += coefficients[k * n + i];
        size += coefficients[k * n + i].abs();
    }
    let room = 16.0 * f64::EPSILON * size;
    let value = around(&shifted[..count], radius, room);
    for j in 1..count {
        shifted[j - 1] = j as f64 * shifted[j] / trial.h;
    }
    let rate = around(&shifted[..count - 1], radius, room * count as f64 / trial.h);
    (Bounds::moving(value, rate), room)
}

/// Where a polynomial lies within a radius, with some room for rounding.
fn around(coefficients: &[f64], radius: f64, room: f64) -> Interval {
    let (mut lo, mut hi) = (-room, room);
    let mut power = 1.0;
    for (j, &c) in coefficients.iter().enumerate() {
        let far = (c * power).abs();
        // Even powers have one sign.
        lo += if j == 0 {
            c
        } else if j % 2 == 1 {
            -far
        } else {
            (c * power).min(0.0)
        };
        hi += if j == 0 {
            c
        } else if j % 2 == 1 {
            far
        } else {
            (c * power).max(0.0)
        };
        power *= radius;
    }
    Interval::new(lo, hi)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_stays_within_its_bounds() {
        let mut trial = Trial::new(3.0, &[1.0, -2.0]);
        trial.h = 0.5;
        let coefficients = [1.0, -2.0, 0.3, 4.0, -1.5, 2.0, 0.7, -3.0, 0.2, 0.1];
        trial.end = vec![1.3, 2.0];
        trial.dense.coefficients_mut(4).copy_from_slice(&coefficients);
        let (mut y, mut dy) = ([0.0; 2], [0.0; 2]);
        for (a, b) in [(0.0, 0.5), (0.1, 0.3), (0.31, 0.32), (0.4, 0.65)] {
            for i in 0..2 {
                let (bounds, _) = state_bounds(&trial, i, (a, b));
                for k in 0..=100 {
                    trial.rate_at(a + (b - a) * f64::from(k) / 100.0, &mut y, &mut dy);
                    assert!(
                        bounds.value.contains(y[i]) && bounds.slope.contains(dy[i]),
                        "{bounds:?} {y:?} {dy:?}"
                    );
                }
                assert!(bounds.value.hi - bounds.value.lo < 40.0 * (b - a), "{bounds:?}");
            }
        }
    }
}
