//! Guards that change sign through infinity.
//!
//! `tan(x)` is positive before a quarter turn and negative behind it, but it is never zero there. Between the ends of a bracket around a root a
//! guard is small against what it is elsewhere; around a pole it is large. A guard that stands for a branch switches there all the same.

use super::Detector;
use super::detect::BadGuard;
use super::locate::Candidate;
use crate::formulation::Flow;
use crate::math::{Bracket, Probe, narrow};
use crate::step::Trial;

/// A guard that is larger at its change of sign than anywhere else it was looked at, by this factor, has a pole there.
const LARGE: f64 = 1e3;

impl Detector {
    /// Takes out guards that fire where they have a pole, and searches the rest of the step for their roots. Tells whether there was one.
    pub(super) fn drop_poles(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        offsets: Bracket,
        to: f64,
    ) -> Result<bool, BadGuard> {
        let mut dropped = false;
        for i in (0..self.candidates.len()).rev() {
            let candidate = self.candidates[i];
            if self.fired.contains(&candidate.guard) && self.is_pole(flow, trial, candidate, offsets) {
                self.candidates.swap_remove(i);
                self.pass_pole(flow, trial, candidate, (offsets.hi, to))?;
                dropped = true;
            }
        }
        Ok(dropped)
    }

    fn is_pole(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        candidate: Candidate,
        offsets: Bracket,
    ) -> bool {
        let Candidate { guard: g, side, lo, hi } = candidate;
        let response = &flow.system().guards()[g].response;
        if response.switch.is_some()
            || response.count.is_some()
            || lo.x == hi.x
            || self.resolution[g] <= self.range_of(g)
        {
            return false;
        }
        // The bracket may be wider than doubles allow.
        let (mut lo, mut hi) = (lo, hi);
        (lo.x, hi.x) = (lo.x.max(offsets.lo), hi.x.min(offsets.hi));
        let mut value = |x: f64| self.value_at(flow, trial, g, x);
        let bracket = narrow(lo, hi, side, 0.0, &mut value);
        let least = value(bracket.lo).abs().min(value(bracket.hi).abs());
        least > LARGE * self.range_of(g)
    }

    fn pass_pole(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        candidate: Candidate,
        (from, to): (f64, f64),
    ) -> Result<(), BadGuard> {
        let Candidate { guard: g, side, .. } = candidate;
        let at = Probe { x: from, value: self.value_at(flow, trial, g, from) };
        let start = self.sample_behind(flow, trial, g, (at, to));
        self.poles.retain(|(guard, _)| *guard != g);
        self.poles.push((g, -side));
        self.find_crossing_behind(flow, trial, (g, -side), (start, to))
    }

    /// Brings the sides of guards up to date that have passed poles.
    pub(super) fn pass_poles(&mut self) {
        for &(g, side) in &self.poles {
            self.sides[g] = side;
        }
    }

    /// How large a guard was seen to be in the step.
    pub(super) fn range_of(&self, g: usize) -> f64 {
        let ends = self.last.values[g].abs().max(self.next.values[g].abs());
        self.between.iter().fold(ends, |range, values| range.max(values[g].abs()))
    }
}
