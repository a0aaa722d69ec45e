//! Guards that come to zero and turn back.

use super::Detector;
use super::detect::Touch;
use super::locate::Candidate;
use super::search::{Found, Sample, Search, TOUCH};
use crate::formulation::Flow;
use crate::math::{Probe, narrow};
use crate::step::Trial;

/// A guard that is this near to zero at the start of a segment, as a part of its range in the step, begins there.
const AT_ZERO: f64 = 1e-9;
/// How far behind the end of a step, as a part of it, a guard may turn back at its end.
const AT_END: f64 = 1e-5;
/// What is this small against its rounding does not move.
const BLUR: f64 = 16.0;
/// How far from a touch the same touch may be seen again, as a part of the step.
const AGAIN: f64 = 1e-3;
/// A guard that is this far from zero, as a part of its range in the step, has left it.
const AWAY: f64 = 10.0 * TOUCH;

impl Detector {
    /// The offset from which on touches of a guard are new. A guard that begins at zero, because it has just fired or because an event has put it
    /// there, only leaves zero.
    pub(super) fn touches_from(&mut self, flow: &mut Flow<'_>, trial: &Trial, g: usize) -> f64 {
        let (first, last) = (self.last.values[g].abs(), self.next.values[g].abs());
        let begins = self.fresh[g] && (self.just_fired[g] || first <= AT_ZERO * last);
        let leaving = if begins { self.left_behind(flow, trial, g, 0.0) } else { 0.0 };
        let touched = self.touched[g] - trial.t;
        if touched + AGAIN * trial.h <= 0.0 {
            return leaving;
        }
        leaving.max(self.left_behind(flow, trial, g, touched))
    }

    /// From where on a guard that is at zero at an offset is away from it. A long step may hold the next touch soon behind that: where touches
    /// count, that is worth a look.
    fn left_behind(&mut self, flow: &mut Flow<'_>, trial: &Trial, g: usize, from: f64) -> f64 {
        if !flow.system().guards()[g].touches {
            return from + AGAIN * trial.h;
        }
        let far = AWAY * self.range_of(g);
        let ends = [1e-6, 1e-5, 1e-4].map(|part| from + part * trial.h);
        let left = ends.into_iter().find(|&x| x > 0.0 && self.value_at(flow, trial, g, x).abs() > far);
        left.unwrap_or(from + AGAIN * trial.h)
    }

    /// Searches a guard between two points. What it makes of rounding where it leaves zero is searched by itself: it would use up the splits.
    pub(super) fn search(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        (g, side): (usize, f64),
        (u, v): (Sample, Sample),
        touches_from: f64,
    ) -> (Found, Option<Probe>) {
        if !flow.system().guards()[g].touches || u.x >= touches_from || touches_from >= v.x {
            let mut f = |x: f64| self.value_at(flow, trial, g, x);
            return Search::first_with_touches(&mut f, side, (u, v), touches_from);
        }
        let value = self.value_at(flow, trial, g, touches_from);
        let middle = self.sample_behind(flow, trial, g, (Probe { x: touches_from, value }, v.x));
        let mut f = |x: f64| self.value_at(flow, trial, g, x);
        match Search::first_with_touches(&mut f, side, (u, middle), touches_from) {
            (Found::Nothing, None) => Search::first_with_touches(&mut f, side, (middle, v), touches_from),
            found => found,
        }
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
        if self.is_blurred(flow, trial, g, seen.x) {
            return;
        }
        let probe = self.bottom_near(flow, trial, g, seen, side).unwrap_or(seen);
        self.add_touch(flow, trial, (g, side), probe);
    }

    fn add_touch(&mut self, flow: &Flow<'_>, trial: &Trial, (g, side): (usize, f64), probe: Probe) {
        let guard = &flow.system().guards()[g];
        if guard.touches && guard.direction.admits(side) {
            self.candidates.push(Candidate { guard: g, side, lo: probe, hi: probe });
        }
        self.touches.push(Touch { guard: g, t: trial.t + probe.x, value: probe.value });
    }

    /// A guard that has come to zero at the end of a step and turns back there, as where a clock cuts the step: the next step would only see it
    /// leave.
    pub(super) fn note_touch_at_end(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        (g, side): (usize, f64),
        (end, touches_from): (Probe, f64),
    ) {
        let response = &flow.system().guards()[g].response;
        let locks = response.switch.is_some() || response.count.is_some();
        let near = end.value.abs() <= TOUCH * self.range_of(g) && end.x > touches_from;
        let known = self.touches.iter().any(|touch| touch.guard == g);
        if locks || !near || known || self.is_blurred(flow, trial, g, end.x) {
            return;
        }
        let bottom = self.bottom_near(flow, trial, g, end, side);
        if let Some(bottom) = bottom.filter(|bottom| bottom.x <= end.x + AT_END * trial.h) {
            let x = bottom.x.min(end.x);
            self.add_touch(flow, trial, (g, side), Probe { x, value: bottom.value });
        }
    }

    /// Whether a guard moves by no more than its rounding in the step: then what looks like a touch is none.
    fn is_blurred(&mut self, flow: &mut Flow<'_>, trial: &Trial, g: usize, x: f64) -> bool {
        trial.state_at(x, &mut self.state);
        self.range_of(g) <= BLUR * flow.noise_of(g, trial.t + x, &mut self.state)
    }

    /// Where a guard turns back, if it does. Its value says that only to the root of its rounding; its slope, which goes through zero there, says it
    /// to nearly all digits.
    fn bottom_near(
        &mut self,
        flow: &mut Flow<'_>,
        trial: &Trial,
        g: usize,
        seen: Probe,
        side: f64,
    ) -> Option<Probe> {
        let mut slope = |x: f64| Probe { x, value: self.slope_at(flow, trial, g, x) };
        for part in [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2] {
            let (lo, hi) = (slope(seen.x - part * trial.h), slope(seen.x + part * trial.h));
            if lo.value * side < 0.0 && hi.value * side > 0.0 {
                let x = narrow(lo, hi, -side, 0.0, |x| slope(x).value).hi;
                return Some(Probe { x, value: self.value_at(flow, trial, g, x) });
            }
        }
        None
    }

    /// The same touch is not to be seen twice.
    pub(super) fn remember_touches(&mut self) {
        for touch in &self.touches {
            self.touched[touch.guard] = touch.t;
        }
    }
}
