//! Sliding-mode control of a mechanism whose start does not meet its constraints (paper 000, sections 3.2 and 3.4).
//!
//! The surface of a constraint is `s = ġ + σ g`, or the constraint itself if it is one of speeds (3.21). While a surface is approached, `|s|` falls by `η` per unit of
//! time, so it is met after `|s(0)| / η` (3.20). A step ends there, at the time that follows from `s` at its start; from then on the surface is kept by the
//! equivalent control and corrections of speeds, without `η`: the sign never chatters. Positions then close as `exp(-σ t)`, and are corrected as usual once that takes no
//! more than the error of a step.

use super::Error;
use super::error::IN_MOTION;
use super::integrator::Restart;
use super::simulator::Simulator;
use crate::formulation::Stabilisation;
use crate::math::Bracket;
use crate::trajectory::{Event, EventKind};

/// The part of the error of a step within which positions count as closed: with them goes a speed that is some times as large, and they come nearer quickly.
const CLOSED: f64 = 1e-3;

/// How far the approach has come.
#[derive(Clone, Debug)]
pub(super) struct Approach {
    /// When the surface of each constraint began to be approached, and how far it was.
    begun: Vec<(f64, f64)>,
    /// When the next surfaces will be met, and which; never if there are none.
    pub(super) next: f64,
    aimed: Vec<usize>,
    /// The time of the last look, and how far the positions were from closed then, in errors of a step.
    looked: (f64, f64),
}

impl Default for Approach {
    fn default() -> Self {
        Self {
            begun: Vec::new(),
            next: f64::INFINITY,
            aimed: Vec::new(),
            looked: (f64::NEG_INFINITY, f64::INFINITY),
        }
    }
}

impl Simulator<'_> {
    /// Whether a start that does not meet the constraints is left as it is.
    pub(super) fn reaches(&self) -> bool {
        self.integrator.options.stabilisation == Stabilisation::SlidingMode
    }

    /// Decides which surfaces have to be approached, and from which side.
    pub(super) fn approach_surfaces(&mut self, t: f64, y: &[f64]) -> Result<(), Error> {
        let surfaces = self.finite_surfaces(t, y, "the start")?;
        let is_met = |(k, s): (usize, &f64)| {
            let span = self.integrator.options.until - self.integrator.start_time;
            s.abs() <= 1e-12 * span * self.integrator.options.reach.get(k)
        };
        let side = |(k, s): (usize, &f64)| if is_met((k, s)) { 0.0 } else { s.signum() };
        let sides: Vec<f64> = surfaces.iter().enumerate().map(side).collect();
        self.approach.begun = surfaces.iter().map(|s| (t, s.abs())).collect();
        self.integrator.flow.reach(&sides);
        if self.closes(t, y) {
            self.integrator.flow.reach(&[]);
        }
        Ok(())
    }

    /// The surfaces at a point. One that is not a finite number cannot be approached.
    fn finite_surfaces(&mut self, t: f64, y: &[f64], what: &str) -> Result<Vec<f64>, Error> {
        let surfaces = self.integrator.flow.surfaces(t, y);
        let Some(k) = surfaces.iter().position(|s| !s.is_finite()) else { return Ok(surfaces) };
        let left = format!("`{}` is off by {}", self.system().constraints()[k].name, surfaces[k]);
        Err(Error::NotConsistent { what: what.to_owned(), t, left })
    }

    /// Looks where the next surface will be met; if one is met here, or the positions are closed, that is an event. Gives whether there was one.
    pub(super) fn look_at_surfaces(&mut self) -> Result<bool, Error> {
        let t = self.integrator.trial.t;
        let met = if t == self.approach.next { std::mem::take(&mut self.approach.aimed) } else { Vec::new() };
        self.approach.next = f64::INFINITY;
        let sides = self.integrator.flow.mode.structure.reaching.clone();
        let left = sides.iter().enumerate().filter(|(k, side)| **side != 0.0 && !met.contains(k)).count();
        let start = self.integrator.trial.start.clone();
        if !met.is_empty() || (left == 0 && self.closes(t, &start)) {
            self.meet_surfaces(&met);
            return Ok(true);
        }
        let surfaces = self.finite_surfaces(t, &start, IN_MOTION)?;
        for (k, side) in sides.iter().enumerate().filter(|(_, side)| **side != 0.0) {
            // Rounding can bring it to the other side.
            let time = t + (side * surfaces[k]).max(0.0) / self.integrator.options.reach.get(k);
            if time < self.approach.next {
                (self.approach.next, self.approach.aimed) = (time, Vec::new());
            }
            if time == self.approach.next {
                self.approach.aimed.push(k);
            }
        }
        if self.approach.next <= t {
            self.approach.next = t;
            return self.look_at_surfaces();
        }
        Ok(false)
    }

    /// Goes on without `η` for the surfaces that are met.
    fn meet_surfaces(&mut self, met: &[usize]) {
        let (t, before) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        let mut sides = self.integrator.flow.mode.structure.reaching.clone();
        for &k in met {
            sides[k] = 0.0;
            self.note_reached(k);
        }
        self.integrator.flow.reach(&sides);
        let mut after = before.clone();
        self.integrator.flow.land(t, &mut after);
        // Without a surface that is met here, the positions are closed.
        if met.is_empty() || self.closes(t, &after) {
            self.integrator.flow.reach(&[]);
        }
        self.integrator.flow.land(t, &mut after);
        let closed = self.integrator.flow.mode.structure.reaching.is_empty();
        if closed {
            // Rows that follow from others are told from others only where the constraints are met.
            self.integrator.flow.enter_form(t, &after);
            self.note_redundant(t);
        }
        self.record_reach(met, closed, (t, &before, &after));
        self.integrator.trial.restart(t, &after);
        self.begin_segment(Restart::Discontinuous, None);
    }

    /// Whether all surfaces are met and the positions, too, are closed: within what a step leaves uncertain it is enough that the positions come no nearer: the errors of steps then keep them open.
    fn closes(&mut self, t: f64, y: &[f64]) -> bool {
        let distances = self.integrator.flow.closing_distances(t, y);
        let rounding = |i: usize| 16.0 * f64::EPSILON * (1.0 + y[i].abs());
        let largest = |bound: &dyn Fn(usize) -> f64| {
            let more = distances.iter().enumerate().filter(|(i, distance)| **distance > rounding(*i));
            more.map(|(i, distance)| distance / bound(i)).fold(0.0, f64::max)
        };
        let now = largest(&|i| self.integrator.step_error(i, y[i]));
        let is_certain = largest(&|i| self.integrator.uncertainty_of(i, y[i])) > 1.0;
        let before = std::mem::replace(&mut self.approach.looked, (t, now));
        let met = self.integrator.flow.mode.structure.reaching.iter().all(|side| *side == 0.0);
        met && (now <= CLOSED || (!is_certain && t > before.0 && now >= before.1))
    }

    fn record_reach(&mut self, met: &[usize], closed: bool, (t, before, after): (f64, &[f64], &[f64])) {
        let constraints = self.integrator.flow.system().constraints();
        let first = self.integrator.flow.system().guards().len();
        let of_positions = (0..constraints.len()).filter(|&k| constraints[k].holonomic);
        let guards: Vec<usize> = if met.is_empty() { of_positions.collect() } else { met.to_vec() };
        let kinds = [(EventKind::Reach, !met.is_empty()), (EventKind::Close, closed)];
        let mode = self.integrator.flow.mode.values.place;
        let event = Event {
            t,
            bracket: Bracket { lo: t, hi: t },
            width: 0.0,
            guards: guards.into_iter().map(|k| first + k).collect(),
            kinds: kinds.into_iter().filter(|(_, holds)| *holds).map(|(kind, _)| kind).collect(),
            before: before.to_vec(),
            after: after.to_vec(),
            mode_before: mode,
            mode_after: mode,
        };
        let mode = self.integrator.flow.mode.clone();
        self.recorder.add_event(event, &mode);
    }

    fn note_reached(&mut self, k: usize) {
        let (since, size) = self.approach.begun[k];
        let text = format!(
            "the surface of the constraint `{}` was reached after {:.9}; |s| / η = {:.9}",
            self.integrator.flow.system().constraints()[k].name,
            self.integrator.trial.t - since,
            size / self.integrator.options.reach.get(k)
        );
        self.recorder.note(self.integrator.trial.t, "surface-reached", text);
    }

    /// Says at the end of a run which surfaces are still ahead.
    pub(super) fn note_not_reached(&mut self) {
        let sides = self.integrator.flow.mode.structure.reaching.clone();
        if sides.iter().all(|side| *side == 0.0) {
            return;
        }
        let (t, y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        let surfaces = self.integrator.flow.surfaces(t, &y);
        let constraints = self.integrator.flow.system().constraints();
        let ahead = sides.iter().zip(&surfaces).enumerate().filter(|(_, (side, _))| **side != 0.0);
        let one = |(k, (_, s)): (usize, (&f64, &f64))| {
            let time = s.abs() / self.integrator.options.reach.get(k);
            format!("`{}` (|s| = {:.3e}, |s| / η = {time:.3e})", constraints[k].name, s.abs())
        };
        let list: Vec<String> = ahead.map(one).collect();
        let text =
            format!("the run ends before the surfaces of these constraints are reached: {}", list.join(", "));
        self.recorder.note(t, "surface-not-reached", text);
    }
}
