//! Guards that come to zero and turn back.

use super::Detector;
use super::detect::Touch;
use super::locate::Candidate;
use crate::formulation::Flow;
use crate::math::{Probe, narrow};
use crate::step::Trial;

/// A guard that is this near to zero at the start of a segment, as a part of its range in the step, begins there.
const AT_ZERO: f64 = 1e-9;
/// How far from a touch the same touch may be seen again, as a part of the step.
const AGAIN: f64 = 1e-3;

impl Detector {
    /// The offset from which on touches of a guard are new. A guard that begins at zero, because it has just fired or because an event has put it
    /// there, only leaves zero.
    pub(super) fn touches_from(&self, trial: &Trial, g: usize) -> f64 {
        let (first, last) = (self.last.values[g].abs(), self.next.values[g].abs());
        let begins = self.fresh[g] && (self.just_fired[g] || first <= AT_ZERO * last);
        let leaving = if begins { AGAIN * trial.h } else { 0.0 };
        leaving.max(self.touched[g] - trial.t + AGAIN * trial.h)
    }

    /// A touch becomes an event if that is asked for, else a note.
    pub(super) fn note_touch(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        g: usize,
        touch: Option<Probe>,
        side: f64,
    ) {
        let Some(seen) = touch else { return };
        let guard = &flow.system().guards()[g];
        if guard.response.switch.is_some() || guard.response.count.is_some() {
            return;
        }
        let probe = self.bottom_near(flow, trial, g, seen, side);
        if guard.touches && guard.direction.admits(side) {
            self.candidates.push(Candidate { guard: g, side, lo: probe, hi: probe });
        }
        self.touches.push(Touch { guard: g, t: trial.t + probe.x, value: probe.value });
    }

    /// Where a guard turns back. Its value says that only to the root of its rounding; its slope, which goes through zero there, says it to nearly
    /// all digits.
    fn bottom_near(&mut self, flow: &mut Flow<'_>, trial: &Trial, g: usize, seen: Probe, side: f64) -> Probe {
        let mut slope = |x: f64| Probe { x, value: self.slope_at(flow, trial, g, x) };
        for part in [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2] {
            let (lo, hi) = (slope(seen.x - part * trial.h), slope(seen.x + part * trial.h));
            if lo.value * side < 0.0 && hi.value * side > 0.0 {
                let x = narrow(lo, hi, -side, 0.0, |x| slope(x).value).hi;
                return Probe { x, value: self.value_at(flow, trial, g, x) };
            }
        }
        seen
    }

    /// The same touch is not to be seen twice.
    pub(super) fn remember_touches(&mut self) {
        for touch in &self.touches {
            self.touched[touch.guard] = touch.t;
        }
    }
}
