//! Sliding-mode control of a mechanism whose start does not meet its constraints (paper 000, sections 3.2 and
//! 3.4).
//!
//! The surface of a constraint is `s = ġ + σ g`, or the constraint itself if it is one of speeds (3.21).
//! While a surface is approached, `|s|` falls by `η` per unit of time, so it is met after `|s(0)| / η`
//! (3.20). A step ends there, at the time that follows from `s` at its start; from then on the surface is
//! kept by the equivalent control and corrections of speeds, without `η`: the sign never chatters. Positions
//! then close as `exp(-σ t)`, and are corrected as usual once that takes no more than the error of a step.

use super::Error;
use super::consistency::Consistency;
use super::error::IN_MOTION;
use super::integrator::Integrator;
use super::recorder::Recorder;
use crate::formulation::Flow;
use crate::trajectory::{Event, EventKind, Round};
use crate::transition::Transition;

/// A surface that is reached within this part of the run is met.
const MET: f64 = 1e-12;

/// The part of the error of a step within which positions count as closed: with them goes a speed that is
/// some times as large, and they come nearer quickly.
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

impl Approach {
    /// Decides which surfaces have to be approached, and from which side.
    pub(super) fn begin(&mut self, integrator: &mut Integrator<'_>, t: f64, y: &[f64]) -> Result<(), Error> {
        let surfaces = finite_surfaces(&mut integrator.flow, t, y, "the start")?;
        let is_met = |(k, s): (usize, &f64)| {
            let span = integrator.options.until - integrator.start_time;
            s.abs() <= MET * span * integrator.options.constraints.reach.get(k)
        };
        let side = |(k, s): (usize, &f64)| if is_met((k, s)) { 0.0 } else { s.signum() };
        let sides: Vec<f64> = surfaces.iter().enumerate().map(side).collect();
        self.begun = surfaces.iter().map(|s| (t, s.abs())).collect();
        integrator.flow.reach(&sides);
        if self.closes(integrator, t, y) {
            integrator.flow.reach(&[]);
        }
        Ok(())
    }

    /// Looks where the next surface will be met; if one is met here, or the positions are closed, that is an
    /// event. Gives whether there was one.
    pub(super) fn check_reached(
        &mut self,
        integrator: &mut Integrator<'_>,
        recorder: &mut Recorder,
    ) -> Result<bool, Error> {
        let (t, start) = (integrator.trial.t, integrator.trial.start.clone());
        let met = if t == self.next { std::mem::take(&mut self.aimed) } else { Vec::new() };
        self.next = f64::INFINITY;
        let sides = integrator.flow.mode.structure.reaching.clone();
        let left = sides.iter().enumerate().filter(|(k, side)| **side != 0.0 && !met.contains(k)).count();
        if !met.is_empty() || (left == 0 && self.closes(integrator, t, &start)) {
            self.meet(&met, integrator, recorder)?;
            return Ok(true);
        }
        let surfaces = finite_surfaces(&mut integrator.flow, t, &start, IN_MOTION)?;
        for (k, side) in sides.iter().enumerate().filter(|(_, side)| **side != 0.0) {
            // Rounding can bring it to the other side.
            let time = t + (side * surfaces[k]).max(0.0) / integrator.options.constraints.reach.get(k);
            if time < self.next {
                (self.next, self.aimed) = (time, Vec::new());
            }
            if time == self.next {
                self.aimed.push(k);
            }
        }
        if self.next <= t {
            self.next = t;
            return self.check_reached(integrator, recorder);
        }
        Ok(false)
    }

    /// Goes on without `η` for the surfaces that are met.
    fn meet(
        &mut self,
        met: &[usize],
        integrator: &mut Integrator<'_>,
        recorder: &mut Recorder,
    ) -> Result<(), Error> {
        let t = integrator.trial.t;
        let mut transition = Transition::new(t, &integrator.trial.start, &integrator.flow.mode);
        let mut sides = integrator.flow.mode.structure.reaching.clone();
        for &k in met {
            sides[k] = 0.0;
            recorder.note(t, "surface-reached", self.reached_in_words(integrator, k));
        }
        integrator.flow.reach(&sides);
        let after = &mut transition.after;
        integrator.flow.projection().project_end(t, after);
        // Without a surface that is met here, the positions are closed.
        if met.is_empty() || self.closes(integrator, t, after) {
            integrator.flow.reach(&[]);
        }
        integrator.flow.projection().project_end(t, after);
        integrator.trial.restart(t, after);
        if integrator.flow.mode.structure.reaching.is_empty() {
            // Rows that follow from others are told from others only where the constraints are met.
            Consistency { integrator, recorder }.enter_form();
        }
        record_reach(met, &transition, integrator, recorder)
    }

    /// Whether all surfaces are met and the positions, too, are closed: within what a step leaves uncertain
    /// it is enough that the positions come no nearer: the errors of steps then keep them open.
    fn closes(&mut self, integrator: &mut Integrator<'_>, t: f64, y: &[f64]) -> bool {
        let distances = integrator.flow.projection().distances(t, y);
        let rounding = |i: usize| 16.0 * f64::EPSILON * (1.0 + y[i].abs());
        let largest = |bound: &dyn Fn(usize) -> f64| {
            let more = distances.iter().enumerate().filter(|(i, distance)| **distance > rounding(*i));
            more.map(|(i, distance)| distance / bound(i)).fold(0.0, f64::max)
        };
        let now = largest(&|i| integrator.step_error(i, y[i]));
        let is_certain = largest(&|i| integrator.uncertainty_of(i, y[i])) > 1.0;
        let before = std::mem::replace(&mut self.looked, (t, now));
        let met = integrator.flow.mode.structure.reaching.iter().all(|side| *side == 0.0);
        met && (now <= CLOSED || (!is_certain && t > before.0 && now >= before.1))
    }

    fn reached_in_words(&self, integrator: &Integrator<'_>, k: usize) -> String {
        let (since, size) = self.begun[k];
        format!(
            "the surface of the constraint `{}` was reached after {:.9}; |s| / η = {:.9}",
            integrator.flow.system().constraints()[k].name,
            integrator.trial.t - since,
            size / integrator.options.constraints.reach.get(k)
        )
    }
}

/// The surfaces at a point. One that is not a finite number cannot be approached.
fn finite_surfaces(flow: &mut Flow<'_>, t: f64, y: &[f64], what: &str) -> Result<Vec<f64>, Error> {
    let surfaces = flow.constraints().surfaces(t, y);
    let Some(k) = surfaces.iter().position(|s| !s.is_finite()) else { return Ok(surfaces) };
    let left = format!("`{}` is off by {}", flow.system().constraints()[k].name, surfaces[k]);
    Err(Error::NotConsistent { what: what.to_owned(), t, left, about: Vec::new() })
}

/// Logs that surfaces were met, or that positions are closed.
fn record_reach(
    met: &[usize],
    transition: &Transition,
    integrator: &Integrator<'_>,
    recorder: &mut Recorder,
) -> Result<(), Error> {
    let (t, flow) = (transition.t, &integrator.flow);
    let constraints = flow.system().constraints();
    let first = flow.system().guards().len();
    let of_positions = (0..constraints.len()).filter(|&k| constraints[k].holonomic);
    let guards: Vec<usize> = if met.is_empty() { of_positions.collect() } else { met.to_vec() };
    let closed = flow.mode.structure.reaching.is_empty();
    let kinds = [(EventKind::Reach, !met.is_empty()), (EventKind::Close, closed)];
    let round = Round {
        guards: guards.into_iter().map(|k| first + k).collect(),
        kinds: kinds.into_iter().filter(|(_, holds)| *holds).map(|(kind, _)| kind).collect(),
        after: transition.after.clone(),
        mode: flow.mode.clone(),
        impact: None,
    };
    recorder.add_round(round, || Event::new(t, None, &transition.before, flow.mode.values.place));
    recorder.close_event(t, &transition.after)
}

/// Says at the end of a run which surfaces are still ahead.
pub(super) fn note_not_reached(integrator: &mut Integrator<'_>, recorder: &mut Recorder) {
    let sides = integrator.flow.mode.structure.reaching.clone();
    if sides.iter().all(|side| *side == 0.0) {
        return;
    }
    let Integrator { flow, trial, options, .. } = integrator;
    let surfaces = flow.constraints().surfaces(trial.t, &trial.start);
    let constraints = flow.system().constraints();
    let ahead = sides.iter().zip(&surfaces).enumerate().filter(|(_, (side, _))| **side != 0.0);
    let one = |(k, (_, s)): (usize, (&f64, &f64))| {
        let time = s.abs() / options.constraints.reach.get(k);
        format!("`{}` (|s| = {:.3e}, |s| / η = {time:.3e})", constraints[k].name, s.abs())
    };
    let list: Vec<String> = ahead.map(one).collect();
    let text =
        format!("the run ends before the surfaces of these constraints are reached: {}", list.join(", "));
    recorder.note(trial.t, "surface-not-reached", text);
}

#[cfg(test)]
mod tests {
    use super::super::Plan;
    use super::super::recorder::empty_trajectory;
    use super::*;
    use crate::trajectory::Segment;

    #[test]
    fn a_surface_is_met_when_its_distance_says() {
        let plan = Plan::of(
            r#"
            coordinates = { x = 0.9, y = 0 }
            kinetic = "(x'^2 + y'^2) / 2"
            constraints.rod = "sqrt(x^2 + y^2) - 1"
            run = { until = 5, stabilisation = { reach = 2, speed = 8 } }"#,
        );
        let mut integrator = Integrator::of(&plan);
        let segment = Segment::new(integrator.flow.mode.clone(), 0.0, &plan.start.y);
        let (empty, method) = (empty_trajectory(&plan.system, &plan.options), integrator.selector.method());
        let mut recorder = Recorder::new(empty, plan.options.keep, segment, method);
        let mut approach = Approach::default();
        approach.begin(&mut integrator, 0.0, &plan.start.y).expect("finite surfaces");
        assert_eq!(integrator.flow.mode.structure.reaching, [-1.0]);
        assert_eq!(approach.check_reached(&mut integrator, &mut recorder), Ok(false));
        // s = 8 (0.9 - 1), which falls by 2 in each second.
        assert!((approach.next - 0.4).abs() < 1e-12, "{}", approach.next);
        integrator.trial.restart(approach.next, &[1.0, 0.0, 0.0, 0.0]);
        recorder.correct_end(approach.next, &[1.0, 0.0, 0.0, 0.0]);
        assert_eq!(approach.check_reached(&mut integrator, &mut recorder), Ok(true), "it is met, and closed");
        assert_eq!(recorder.record.events[0].kinds, [EventKind::Reach, EventKind::Close]);
        assert!(!integrator.flow.is_reaching());
    }
}
