//! What a run does with a crossing that it has found in a step: place the event at the right point of an accurate solution.
//!
//! On dense output alone the event is as accurate as the dense output. Where the solution is better, the step is made again so that it ends
//! right behind the event: near its end the dense output is as good as the solution (the re-integration of paper 000, section 5.2.2, without
//! its iteration). One-sided, the step ends before the event, which is found by looking ahead: beyond the event
//! the equations may not even be defined (paper 002).

use super::run::Run;
use super::{Error, Keep};
use crate::event::{Crossing, Level, Placing};
use crate::math::Bracket;
use crate::model::Location;
use crate::step::Fault;

/// How far behind the event a step made again ends, as a part of the step. The error of dense output falls with the square of it.
const MARGIN: f64 = 1e-3;
/// How often a step is made again for one event.
const MOST_TIMES: usize = 8;
/// How far ahead of a step its dense output is trusted, and where an event ahead is aimed at, in steps.
const AHEAD: (f64, f64) = (1.3, 1.15);
/// The same for methods whose dense output is poor: next to the end it is as good as the solution.
const JUST_AHEAD: (f64, f64) = (1.0 + 3.0 * MARGIN, 1.0 + MARGIN);

impl Run<'_> {
    pub(super) fn placing(&self) -> Placing {
        let (width, concurrency) = (self.options.event_tolerance.unwrap_or(0.0), self.options.concurrency);
        let level = Level { detection: self.options.detection, nodes: self.step.method().nodes() };
        Placing { width, concurrency, rough_exits: false, level }
    }

    /// As [`placing`](Self::placing), before a closer look.
    pub(super) fn first_placing(&self) -> Placing {
        Placing { rough_exits: self.looks_closer(), ..self.placing() }
    }

    /// Whether events are looked at once more, on a finer dense output.
    fn looks_closer(&self) -> bool {
        let facts = self.step.method().facts();
        let finer = !facts.implicit && facts.dense_order < facts.order && !self.has_poor_dense_output();
        finer && self.location() != Location::Integrate && self.options.location != Some(Location::Dense)
    }

    /// Where events are located: as asked, or on the dense output unless that would cost the method its order, or a mechanism its joints: only the ends of steps
    /// are put back to where they are shut.
    pub(super) fn location(&self) -> Location {
        let ends_are_better = self.has_poor_dense_output() || self.flow.is_mechanism();
        let default = if ends_are_better { Location::Integrate } else { Location::Dense };
        let default = if self.flow.stays_on_this_side() { Location::OneSided } else { default };
        self.options.location.unwrap_or(default)
    }

    /// Whether an event on dense output costs the method its order.
    fn has_poor_dense_output(&self) -> bool {
        let facts = self.step.method().facts();
        // The high orders have nothing finer than their dense output.
        facts.dense_order + 1 < facts.order || (facts.dense_order < facts.order && facts.order > 6)
    }

    fn ahead(&self) -> (f64, f64) {
        if self.has_poor_dense_output() { JUST_AHEAD } else { AHEAD }
    }

    /// Takes the trial up to the event in it, or a part of it if there turns out to be none. Gives the bracket of the event.
    pub(super) fn pursue(&mut self, crossing: Crossing) -> Result<Option<Bracket>, Error> {
        // Where sliding ends, the fields of both sides hold on: nothing is to be approached.
        let leaves = self.detector.fired().iter().any(|g| self.flow.mode.structure.sliding.contains(g));
        let vanished = std::mem::take(&mut self.vanished);
        match self.location() {
            // Made again, the last step had no event: it is a matter of rounding, and the dense output decides.
            Location::Integrate if vanished => Ok(Some(self.take_step_up_to(&crossing))),
            Location::OneSided if leaves => self.look_closer(crossing),
            Location::Dense => self.look_closer(crossing),
            Location::Integrate => self.integrate_again(crossing),
            Location::OneSided => self.approach(crossing),
        }
    }

    /// Locates the event on the most accurate dense output of the step.
    fn look_closer(&mut self, crossing: Crossing) -> Result<Option<Bracket>, Error> {
        if !self.looks_closer() {
            return Ok(Some(self.take_step_up_to(&crossing)));
        }
        let before = self.flow.derivative_count;
        self.step.interpolate_finely(&mut self.flow, &mut self.trial);
        self.record.statistics.locating += self.flow.derivative_count - before;
        let placing = self.placing();
        match self.detector.scan(&mut self.flow, &self.trial, &placing) {
            Ok(Some(crossing)) => Ok(Some(self.take_step_up_to(&crossing))),
            Ok(None) => Ok(self.end_step(None)),
            Err(bad) => self.retreat(bad).map(|()| None),
        }
    }

    /// Makes the step again until it ends right behind its event.
    fn integrate_again(&mut self, mut crossing: Crossing) -> Result<Option<Bracket>, Error> {
        for _ in 0..MOST_TIMES {
            if crossing.offsets.hi >= (1.0 - 2.0 * MARGIN) * self.trial.h || self.is_at_start(&crossing) {
                break;
            }
            match self.attempt_again(crossing.offsets.hi * (1.0 + MARGIN))? {
                Again::Crossing(next) => crossing = next,
                Again::Nothing => {
                    self.vanished = true;
                    return Ok(self.end_step(None));
                }
                Again::Rejected => return Ok(None),
            }
        }
        Ok(Some(self.take_step_up_to(&crossing)))
    }

    /// Makes the step again so that the event lies a little ahead of its end.
    fn approach(&mut self, mut crossing: Crossing) -> Result<Option<Bracket>, Error> {
        for _ in 0..MOST_TIMES {
            if self.is_at_start(&crossing) {
                break;
            }
            match self.attempt_again(crossing.offsets.hi / self.ahead().1)? {
                Again::Crossing(next) => crossing = next,
                Again::Nothing => return Ok(self.end_step(None)),
                Again::Rejected => return Ok(None),
            }
        }
        Ok(Some(self.take_step_up_to(&crossing)))
    }

    /// The size of the next try after a step that went behind a switching surface: it ends before the surface. A field that is not finite may just not
    /// be defined there, so the same step is tried once more with a watch on the surfaces.
    pub(super) fn step_before_surface(&mut self) -> Option<f64> {
        let fault = matches!(self.trial.fault, Some(Fault::NotFinite { .. }));
        if let Some((t, guard)) = self.flow.take_crossed() {
            self.blocked_by = Some(guard);
            let to_surface = (t - self.trial.t) / self.ahead().1;
            return Some(to_surface.clamp(0.02 * self.trial.h, 0.9 * self.trial.h));
        }
        let watch = fault && self.options.location.is_none() && self.flow.stay_on_this_side();
        watch.then_some(self.trial.h)
    }

    /// Whether an event is so near to the start of the step that a step up to it would not move the time.
    fn is_at_start(&self, crossing: &Crossing) -> bool {
        let scale = self.trial.t.abs().max(1e-6 * self.options.until.abs());
        crossing.offsets.lo == 0.0 || crossing.offsets.hi <= 64.0 * f64::EPSILON * scale
    }

    fn attempt_again(&mut self, h: f64) -> Result<Again, Error> {
        self.record.statistics.relocations += 1;
        self.flow.forget_trial();
        self.detector.forget_crossing();
        self.trial.h = h;
        self.try_step();
        if !self.is_acceptable() {
            return self.reject().map(|()| Again::Rejected);
        }
        self.step.interpolate(&mut self.flow, &mut self.trial);
        let placing = self.placing();
        match self.detector.scan(&mut self.flow, &self.trial, &placing) {
            Err(bad) => self.retreat(bad).map(|()| Again::Rejected),
            Ok(Some(crossing)) => Ok(Again::Crossing(crossing)),
            Ok(None) => Ok(Again::Nothing),
        }
    }

    /// Takes a trial without events, which ends at `goal` if that is given. One-sided, an event may lie ahead of it; at the goal, scheduled
    /// events happen.
    pub(super) fn end_step(&mut self, goal: Option<f64>) -> Option<Bracket> {
        if goal.is_none() && self.location() == Location::OneSided {
            let placing = self.placing();
            let to = self.ahead().0 * self.trial.h;
            let mut ahead = self.detector.look_ahead(&mut self.flow, &self.trial, to, &placing);
            if matches!(ahead, Ok(Some(_))) {
                let before = self.flow.derivative_count;
                self.step.interpolate_finely(&mut self.flow, &mut self.trial);
                self.record.statistics.locating += self.flow.derivative_count - before;
                ahead = self.detector.look_ahead(&mut self.flow, &self.trial, to, &placing);
            }
            // A guard that is not defined ahead is looked at again in the next step.
            if let Ok(Some(crossing)) = ahead {
                let end = self.options.until.min(self.detector.next_scheduled(self.trial.t));
                if self.trial.t + crossing.offset <= end {
                    return Some(self.take_step_up_to(&crossing));
                }
            }
        }
        self.take_step(goal);
        let t = goal?;
        self.detector.fire_scheduled(&self.flow, t);
        self.before.copy_from_slice(&self.trial.start);
        self.close_before_reset(t);
        self.segment.extend(self.trial.t, &self.before);
        (!self.detector.fired().is_empty()).then_some(Bracket { lo: 0.0, hi: 0.0 })
    }

    /// Takes the trial up to the end of the bracket that was chosen for the event.
    fn take_step_up_to(&mut self, crossing: &Crossing) -> Bracket {
        self.detector.accept();
        let landed = self.land_crossing(crossing);
        let crossing = landed.unwrap_or(*crossing);
        let offset = crossing.offset;
        let hi = crossing.offsets.hi;
        // What is scheduled within the bracket happens with it.
        let due = self.detector.next_scheduled(self.trial.t);
        let t_event = self.trial.t + offset;
        let t_event = if t_event >= due - 2.0 * f64::EPSILON * due.abs() { due } else { t_event };
        self.detector.fire_scheduled(&self.flow, t_event);
        match landed {
            Some(_) => self.landed_state_at(hi),
            None => self.trial.state_at(hi, &mut self.before),
        }
        self.detector.take_back(&mut self.flow, self.trial.t + hi, &self.before);
        self.landed_state_at(offset);
        self.close_before_reset(t_event);
        self.detector.settle_resolution(&mut self.flow, t_event, &self.before);
        match self.options.keep {
            Keep::Dense | Keep::Steps if offset > 0.0 => {
                self.segment.push(self.trial.h, &self.trial.dense, t_event, &self.before);
            }
            _ => self.segment.extend(t_event, &self.before),
        }
        if offset > 0.0 {
            self.record.statistics.count_step(offset, true);
            self.record.statistics.slid += u64::from(self.flow.sliding().is_some());
            self.cascade.clear();
        } else {
            self.record.statistics.rejected += 1;
        }
        self.note_guards();
        crossing.offsets
    }
}

/// What came of making a step again.
enum Again {
    Crossing(Crossing),
    Nothing,
    Rejected,
}
