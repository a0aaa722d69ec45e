//! Makes steps: tries one, looks for events in it, and takes it, or the part of it up to its first event, if
//! it is good.

use super::Error;
use super::accumulating::Accumulating;
use super::consistency::Consistency;
use super::contradiction::Diagnosis;
use super::guards::{Guards, note_touch};
use super::integrator::{Integrator, Rejection};
use super::recorder::Recorder;
use super::search::{Detected, EventSearch};
use super::stiffness::StiffnessCount;
use super::takeover::Takeover;
use crate::math::Bracket;
use crate::step::{Method, Restart};
use crate::transition::Firing;
use crate::watch::{Found, NotFinite};

/// Makes the steps of a form.
pub(super) struct Stepper<'r, 'a> {
    pub(super) integrator: &'r mut Integrator<'a>,
    pub(super) guards: &'r mut Guards,
    pub(super) recorder: &'r mut Recorder,
    pub(super) stiffness: &'r mut StiffnessCount,
    pub(super) accumulating: &'r mut Accumulating,
}

impl<'a> Stepper<'_, 'a> {
    /// Tries one step and takes it, or the part of it up to its first event, if it is good. It ends at `goal`
    /// at the latest.
    pub(super) fn step(&mut self, goal: f64) -> Result<Option<Firing>, Error> {
        let (t, due) = (self.integrator.trial.t, self.guards.calendar.next());
        let goal = self.guards.see_drives(self.integrator, goal.min(due));
        let (h, ends_at_goal) = self.integrator.sizes.next(t, goal);
        self.guards.show_sides(self.integrator);
        self.integrator.attempt(h);
        if !self.integrator.is_acceptable() {
            return self.reject();
        }
        match self.search().find_first_event() {
            Detected::Nothing => {
                // A step that was made again may be shorter.
                let whole = ends_at_goal && self.integrator.trial.h == h;
                let t_end = if whole { goal } else { t + self.integrator.trial.h };
                self.take_step(t_end, ends_at_goal)?;
                let mut firing = Firing::default();
                if t_end == due {
                    self.guards.add_touches(self.integrator, &mut firing);
                    self.guards.calendar.take_due(&self.integrator.flow, due, &mut firing.guards);
                }
                Ok((!firing.is_empty()).then_some(firing))
            }
            Detected::Found(found) => self.take_concurrent(found).map(Some),
            Detected::Shortened => Ok(None),
            Detected::NotGood => self.reject(),
            Detected::NotFinite(bad) => self.retreat(bad),
        }
    }

    fn search(&mut self) -> EventSearch<'_, 'a> {
        let statistics = self.recorder.statistics();
        EventSearch { integrator: self.integrator, guards: self.guards, statistics }
    }

    fn takeover(&mut self) -> Takeover<'_, 'a> {
        Takeover { integrator: self.integrator, guards: self.guards, recorder: self.recorder }
    }

    /// Shrinks the step, or gives up when it cannot shrink any more. Gives what fires where the motion stands
    /// because no step comes to it.
    fn reject(&mut self) -> Result<Option<Firing>, Error> {
        let slides = self.integrator.flow.sliding().is_some();
        self.recorder.statistics().count_rejection(slides);
        self.takeover().notice();
        self.integrator.flow.singular().forget_trial();
        if self.integrator.options.method == Method::Automatic && self.takeover().reconsider(false) {
            return Ok(None);
        }
        match self.integrator.reject() {
            Rejection::Shorter => Ok(None),
            Rejection::Arrives(guard) => {
                let firing = self.guards.arrive(self.integrator, guard);
                self.recorder.correct_end(self.integrator.trial.t, &self.integrator.trial.start);
                Ok(Some(firing))
            }
            Rejection::Stuck => Err(Diagnosis { integrator: self.integrator }.find()),
        }
    }

    /// A guard was not finite somewhere in a good step: tries a shorter one, or gives up when it cannot
    /// shrink any more.
    fn retreat(&mut self, bad: NotFinite) -> Result<Option<Firing>, Error> {
        self.recorder.statistics().rejected += 1;
        self.integrator.flow.singular().forget_trial();
        if self.integrator.sizes.retreat(&self.integrator.trial) {
            return Ok(None);
        }
        Err(self.guards.not_finite(self.integrator, bad))
    }

    /// Takes a step in which contacts are captured, or the part of it up to the first event of something
    /// else. Gives what fires.
    pub(super) fn take_captured(&mut self, (t_end, cut): (f64, bool)) -> Result<Option<Firing>, Error> {
        let (h, due) = (self.integrator.trial.h, self.guards.calendar.next());
        if !self.guards.watch.watched().is_empty() {
            match self.search().scan_captured(h) {
                Ok(Some(found)) => return self.take_up_to(&found).map(Some),
                Ok(None) => {}
                Err(bad) => return Err(self.guards.not_finite(self.integrator, bad)),
            }
        }
        self.keep_step(t_end, cut)?;
        self.integrator.trial.advance(t_end);
        let mut firing = Firing::default();
        if t_end == due {
            self.guards.add_touches(self.integrator, &mut firing);
            self.guards.calendar.take_due(&self.integrator.flow, due, &mut firing.guards);
        }
        Ok((!firing.is_empty()).then_some(firing))
    }

    /// Writes the whole step just tried down, which is taken.
    fn keep_step(&mut self, t_end: f64, cut: bool) -> Result<(), Error> {
        let h = self.integrator.trial.h;
        if !self.guards.watch.watched().is_empty() {
            self.note_touches();
            self.guards.watch.accept(h);
        }
        self.accumulating.pass(h);
        let trial = &self.integrator.trial;
        self.recorder.add_step(trial, t_end, &trial.end)?;
        self.guards.uncertainty.take_step(self.integrator, h, &self.integrator.trial.end);
        let flow = &mut self.integrator.flow;
        let slides = flow.sliding().is_some();
        flow.move_along_jumps();
        let statistics = self.recorder.statistics();
        statistics.sliding.accepted += u64::from(slides);
        statistics.count_step(h, cut);
        Ok(())
    }

    /// Takes the whole step just tried. `cut` says that something else than its error decided its size.
    fn take_step(&mut self, t_end: f64, cut: bool) -> Result<(), Error> {
        self.keep_step(t_end, cut)?;
        if self.integrator.flow.has_constraints() {
            Consistency { integrator: self.integrator, recorder: self.recorder }.look_at_step();
        }
        let accepted = self.recorder.statistics().accepted;
        self.takeover().notice();
        if self.integrator.flow.one_sided.is_on() {
            self.integrator.flow.one_sided.move_on();
        }
        self.integrator.selector.advance();
        if self.integrator.options.method == Method::Automatic {
            self.takeover().reconsider(true);
        } else if self.stiffness.is_due(accepted) {
            let Self { integrator, guards, recorder, stiffness, .. } = self;
            Takeover { integrator, guards, recorder }.look_at_stiffness(stiffness);
        }
        self.integrator.trial.advance(t_end);
        Ok(())
    }

    /// Takes the step just tried up to what was found, and to what crosses soon after it if that is asked
    /// for.
    fn take_concurrent(&mut self, mut found: Found) -> Result<Firing, Error> {
        let concurrency = self.integrator.options.events.concurrency;
        let gathered = concurrency.map_or_else(Vec::new, |region| self.search().gather(&mut found, region));
        let firing = self.take_up_to(&found)?;
        for (comparison, distance) in gathered {
            self.guards.watch.fire(comparison, distance);
        }
        Ok(firing)
    }

    /// Takes the step just tried up to what fires in it.
    fn take_up_to(&mut self, found: &Found) -> Result<Firing, Error> {
        let (t0, due) = (self.integrator.trial.t, self.guards.calendar.next());
        // What is scheduled within the window happens with it.
        let t = t0 + found.s;
        let t = if t >= due - 2.0 * f64::EPSILON * due.abs() { due } else { t };
        self.note_touches();
        self.accumulating.pass_to(found);
        if found.s > 0.0 {
            self.integrator.sizes.cut_at((self.integrator.trial.t, found.s), &found.fired);
        }
        let watch = &mut self.guards.watch;
        watch.accept(found.s);
        found.touched.iter().for_each(|touch| watch.leave_touch(touch));
        let mut state = self.integrator.trial.start.clone();
        self.integrator.state_at(found.s, &mut state);
        self.recorder.add_step(&self.integrator.trial, t, &state)?;
        self.guards.uncertainty.take_step(self.integrator, found.s, &state);
        let slides = self.integrator.flow.sliding().is_some();
        let statistics = self.recorder.statistics();
        if found.s > 0.0 {
            statistics.count_step(found.s, true);
            statistics.sliding.accepted += u64::from(slides);
        } else {
            statistics.rejected += 1;
        }
        self.takeover().notice();
        self.integrator.trial.restart(t, &state);
        let mut firing = self.guards.comparisons.firing(&found.fired);
        for g in self.guards.take_back_kinks(self.integrator, &mut firing) {
            note_touch(self.integrator.flow.system().guards(), g, t, self.recorder);
        }
        self.guards.add_touches(self.integrator, &mut firing);
        firing.window = Some(Bracket { lo: t0 + found.lo, hi: t0 + found.hi });
        firing.by_motion = true;
        self.guards.calendar.take_due(&self.integrator.flow, t, &mut firing.guards);
        Ok(firing)
    }

    fn note_touches(&mut self) {
        let guards = self.integrator.flow.system().guards();
        self.guards.note_touches(guards, self.integrator.trial.t, self.recorder);
    }

    /// Takes a step to where events that are too many to be told come to their end, if nothing else happens
    /// before that.
    pub(super) fn let_time_pass(&mut self, left: f64) -> Result<(), Error> {
        let t = self.integrator.trial.t;
        let end = t + left;
        if end <= t || end > self.integrator.options.until.min(self.guards.calendar.next()) {
            return Ok(());
        }
        self.integrator.selector.restart(Restart::Continuous);
        self.integrator.attempt(left);
        if self.integrator.is_acceptable() {
            self.integrator.interpolate();
            self.take_step(end, true)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Plan;
    use super::super::recorder::empty_trajectory;
    use super::*;
    use crate::trajectory::Segment;

    #[test]
    fn steps_are_taken_up_to_the_first_event() {
        let plan = Plan::of(
            r#"
            states = { y = 1.0, v = 0.0 }
            derivatives = { y = "v", v = "-9.81" }
            events.floor = { guard = "y < 0", reset = { v = "-v" } }
            run = { until = 3, method = "dopri5" }"#,
        );
        let mut integrator = Integrator::of(&plan);
        let mut guards = Guards::new(&integrator);
        guards.activate(&mut integrator.flow, 0.0);
        guards.fires_by_value(&mut integrator).expect("finite values");
        integrator.sizes.begin_with(0.1);
        let segment = Segment::new(integrator.flow.mode.clone(), 0.0, &plan.start.y);
        let method = integrator.selector.method();
        let empty = empty_trajectory(&plan.system, &plan.options);
        let mut recorder = Recorder::new(empty, plan.options.keep, segment, method);
        let mut stepper = Stepper {
            integrator: &mut integrator,
            guards: &mut guards,
            recorder: &mut recorder,
            stiffness: &mut StiffnessCount::default(),
            accumulating: &mut Accumulating::new(1),
        };
        assert_eq!(stepper.step(0.05), Ok(None));
        assert_eq!(stepper.integrator.trial.t, 0.05, "the goal");
        let firing = (0..100).find_map(|_| stepper.step(3.0).expect("good steps")).expect("the floor");
        let root = (2.0_f64 / 9.81).sqrt();
        assert_eq!(firing.guards, [0]);
        assert!((integrator.trial.t - root).abs() < 1e-15 && integrator.trial.start[1] < -4.4);
        assert_eq!(recorder.segment.end_time, integrator.trial.t);
    }
}
