//! The main loop.
//!
//! ```text
//! decide the side of every guard; the mode is locked
//! until the end, within the limits:
//!     try a step                                    too much error, or not finite: shrink it, try again
//!     look for events over the whole dense step     none: take the step
//!     some: take the step up to the bracket's end, apply everything that fired there, begin a new segment
//! ```

use super::beginnings::{Beginning, Beginnings};
use super::change::Meter;
use super::contradiction::Redundant;
use super::reach::Approach;
use super::respond::{After, Change};
use super::{Error, Failure, Keep, Monitor, Options, Progress, Start, Unwatched, initialise};
use crate::equations::System;
use crate::event::{Accumulation, BadGuard, Detector};
use crate::formulation::{Flow, Stabilisation};
use crate::math::Bracket;
use crate::mode::Mode;
use crate::model::Location;
use crate::step::{Controller, Fault, Method, Step, StiffnessCount, Trial, first_step};
use crate::trajectory::{Notes, Outcome, Segment, Statistics, Trajectory};

/// Runs a system from its start to the end time, or as far as it goes.
pub fn simulate(system: &dyn System, start: &Start, options: &Options) -> Result<Trajectory, Box<Failure>> {
    simulate_watched(system, start, options, &mut Unwatched)
}

/// As [`simulate`], asking a monitor before every step.
pub fn simulate_watched(
    system: &dyn System,
    start: &Start,
    options: &Options,
    monitor: &mut dyn Monitor,
) -> Result<Trajectory, Box<Failure>> {
    if let Err(error) = initialise::check(system, start, options) {
        let trajectory = Run::empty_trajectory(system, options);
        return Err(Box::new(Failure { error, trajectory }));
    }
    let mut run = Run::new(system, start, options);
    let result = run.go(monitor);
    run.finish(result)
}

/// The first step of a run that starts at rest.
const FIRST_STEP_AT_REST: f64 = 1e-6;

/// Everything that changes during a run.
pub(super) struct Run<'a> {
    pub(super) options: &'a Options,
    pub(super) flow: Flow<'a>,
    pub(super) step: Box<dyn Step>,
    pub(super) trial: Trial,
    pub(super) control: Controller,
    pub(super) detector: Detector,
    /// What is known of first steps, and what the one that is being tried will teach.
    beginnings: Beginnings,
    beginning: Option<Beginning>,
    pub(super) accumulation: Accumulation,
    /// The step size to try next, before it is cut to the end time.
    pub(super) h: f64,
    /// The time that cuts the step short which is being tried, if one does.
    cut: Option<f64>,
    /// The largest error with which a step is taken: any finite one if steps are fixed.
    largest_error: f64,
    /// How often each guard has fired.
    pub(super) fired: Vec<u64>,
    /// The guards about which there is a note already: one is enough.
    pub(super) noted: Vec<bool>,
    /// The guards about whose sliding there is a note already.
    pub(super) noted_sliding: Vec<bool>,
    /// The guards at whose surfaces there is a note already that the motion can go on in more than one way.
    pub(super) noted_choices: Vec<bool>,
    /// The guards about whose touches there is a note already.
    pub(super) noted_touches: Vec<bool>,
    /// The guards about whose uncertain roots there is a note already.
    pub(super) noted_unproved: Vec<bool>,
    /// What was counted when the method at work began.
    pub(super) meter: Meter,
    /// The guards that have fired since the last step, event by event.
    pub(super) cascade: Vec<Vec<usize>>,
    /// The time at which each guard's events last came to rest.
    pub(super) rest_times: Vec<f64>,
    /// Whether there is a note already that a mechanism comes next to a singular position.
    pub(super) singular_is_noted: bool,
    /// The constraints of a mechanism that followed from others at the start.
    pub(super) redundant: Redundant,
    /// How far sliding-mode control has come.
    pub(super) approach: Approach,
    /// The guard whose surface the last step would have gone behind.
    pub(super) blocked_by: Option<usize>,
    /// Whether the event of the last step was not there when the step was made again.
    pub(super) vanished: bool,
    pub(super) stiffness: StiffnessCount,
    pub(super) stiffness_is_noted: bool,
    /// The state at an event: before, and after.
    pub(super) before: Vec<f64>,
    pub(super) after: Vec<f64>,
    /// The end of a step as corrections leave it that do not care for what is stiff.
    pub(super) plain_end: Vec<f64>,
    pub(super) segment: Segment,
    pub(super) record: Trajectory,
}

impl<'a> Run<'a> {
    fn new(system: &'a dyn System, start: &Start, options: &'a Options) -> Self {
        let mode = Mode::start(system, start.mode);
        let flow = Flow::stabilised(system, mode.clone(), options.upkeep());
        let step = options.build_method(system, start.t);
        Self {
            options,
            trial: Trial::new(start.t, &start.y),
            control: Controller::for_method(step.method(), options.control, options.safety),
            detector: Detector::new(&flow, &options.tolerances, options.until),
            beginnings: Beginnings::new(system.guards().len()),
            beginning: None,
            accumulation: Accumulation::new(start.t, options.until, system.guards().len()),
            h: 0.0,
            cut: None,
            largest_error: if options.fixed_step.is_some() { f64::MAX } else { 1.0 },
            fired: vec![0; system.guards().len()],
            noted: vec![false; system.guards().len()],
            noted_sliding: vec![false; system.guards().len()],
            noted_choices: vec![false; system.guards().len()],
            noted_touches: vec![false; system.guards().len()],
            noted_unproved: vec![false; system.guards().len()],
            meter: Meter::new(step.as_ref()),
            cascade: Vec::new(),
            vanished: false,
            blocked_by: None,
            singular_is_noted: false,
            redundant: Redundant::default(),
            approach: Approach::default(),
            rest_times: vec![f64::NEG_INFINITY; system.guards().len()],
            stiffness: StiffnessCount::default(),
            stiffness_is_noted: false,
            before: start.y.clone(),
            after: start.y.clone(),
            plain_end: start.y.clone(),
            segment: Segment::new(mode, start.t, &start.y),
            record: Self::empty_trajectory(system, options),
            step,
            flow,
        }
    }

    fn empty_trajectory(system: &dyn System, options: &Options) -> Trajectory {
        let guards = system.guards().iter().map(|guard| guard.name.clone());
        // Under sliding-mode control the surfaces of constraints are met as events.
        let surfaces = options.stabilisation == Stabilisation::SlidingMode;
        let constraints = system.constraints().iter().filter(|_| surfaces).map(|c| c.name.clone());
        Trajectory {
            state_names: system.state_names().to_vec(),
            guard_names: guards.chain(constraints).collect(),
            segments: Vec::new(),
            events: Vec::new(),
            notes: Notes::default(),
            adjustment: None,
            statistics: Statistics::default(),
            outcome: Outcome::Failed,
        }
    }

    /// The loop; see the head of this file.
    fn go(&mut self, monitor: &mut dyn Monitor) -> Result<Outcome, Error> {
        if self.options.location == Some(Location::OneSided) {
            self.flow.stay_on_this_side();
        }
        self.assemble_start()?;
        self.flow.look_at_mass(self.trial.t, &self.trial.start);
        self.solve_start();
        self.begin_segment(Change::Everything)?;
        while self.trial.t < self.options.until {
            if let Some(outcome) = self.check_limits(monitor) {
                return Ok(outcome);
            }
            if self.flow.is_mechanism() && self.flow.is_reaching() && self.look_at_surfaces()? {
                continue;
            }
            let after = if !self.has_guards() {
                self.step_freely()?;
                continue;
            } else if let Some(limit) = self.repeats() {
                self.come_to_rest(limit)?
            } else if let Some(offsets) = self.next_event()? {
                let (change, stop) = self.handle_event(offsets)?;
                self.after_event(change, stop)?
            } else {
                continue;
            };
            match after {
                After::End(outcome) => return Ok(outcome),
                After::GoOn(change) => self.begin_segment(change)?,
            }
        }
        self.note_not_reached();
        Ok(Outcome::ReachedEnd)
    }

    /// Decides switch signs, the step size and the sides of guards at the trial's start.
    pub(super) fn begin_segment(&mut self, change: Change) -> Result<(), Error> {
        self.detector.lock(&mut self.flow, self.trial.t, &self.trial.start).map_err(|b| self.bad_guard(b))?;
        self.check_counts()?;
        self.settle_switches()?;
        if change == Change::Motion {
            self.shut_joints()?;
        }
        if change != Change::Nothing {
            self.make_consistent();
        }
        if self.flow.stays_on_this_side() {
            self.detector.show_first_sides(&mut self.flow);
        }
        // Even where nothing changes, the segment begins in the middle of a step.
        self.step.restart();
        if change != Change::Nothing {
            self.step.expect_change();
            self.control.restart();
            self.choose_restart_step(change);
        }
        self.hold_guards();
        let (t, y) = (self.trial.t, &self.trial.start);
        let unchanged = change == Change::Nothing;
        self.detector.begin(&mut self.flow, t, y, self.h, unchanged).map_err(|bad| self.bad_guard(bad))?;
        self.segment.begin(&self.flow.mode, t, y);
        self.note_guards_that_will_not_fire();
        Ok(())
    }

    /// The first step of a run, or of a segment in which something else holds than before: what was learnt is an upper limit only, because
    /// the new motion may be much faster.
    fn choose_restart_step(&mut self, change: Change) {
        let (t, options) = (self.trial.t, self.options);
        let first = options.first_step.filter(|_| change == Change::Everything);
        if let Some(h) = options.fixed_step.or(first) {
            self.h = h;
            return;
        }
        self.beginning = Some(Beginnings::key(&self.detector, change, self.flow.sliding().is_some()));
        if let Some(h) = self.beginnings.recall(self.beginning) {
            self.h = h;
            return;
        }
        self.record.statistics.estimates += 1;
        let longest = options.longest_step.unwrap_or(options.until - t).max(f64::MIN_POSITIVE);
        let order = self.step.method().facts().order;
        let fresh = first_step(&mut self.flow, t, &self.trial.start, longest, order, &options.tolerances);
        self.h = match fresh {
            Some(fresh) if change == Change::Everything => fresh,
            Some(fresh) => self.beginnings.guess(self.beginning).unwrap_or(self.h).min(fresh),
            None if change == Change::Everything => longest.min(FIRST_STEP_AT_REST),
            None => self.h,
        };
    }

    fn check_limits(&self, monitor: &mut dyn Monitor) -> Option<Outcome> {
        let statistics = &self.record.statistics;
        let steps = statistics.accepted + statistics.rejected;
        if steps >= self.options.limits.steps {
            return Some(Outcome::StepLimit { limit: self.options.limits.steps });
        }
        let (t, until, h, events) = (self.trial.t, self.options.until, self.h, statistics.events);
        let stop = monitor.watch(&Progress { t, until, h, steps, events })?;
        Some(Outcome::Interrupted { code: stop.code, reason: stop.reason })
    }

    /// Tries one step and takes it, or the part of it up to its first event, if it is good. Gives the bracket of that event as offsets from
    /// the step's start. Guards that cross at the very start of a segment fire without a step.
    fn next_event(&mut self) -> Result<Option<Bracket>, Error> {
        if !self.detector.fired().is_empty() {
            self.before.copy_from_slice(&self.trial.start);
            self.check_cascade()?;
            return Ok(Some(Bracket { lo: 0.0, hi: 0.0 }));
        }
        self.size_step(self.options.until.min(self.detector.next_scheduled(self.trial.t)));
        self.try_step();
        if !self.is_acceptable() {
            return self.reject().map(|()| None);
        }
        self.step.interpolate(&mut self.flow, &mut self.trial);
        let placing = self.first_placing();
        let crossing = match self.detector.scan(&mut self.flow, &self.trial, &placing) {
            Ok(crossing) => crossing,
            Err(bad) => return self.retreat(bad).map(|()| None),
        };
        self.choose_next_step();
        match crossing {
            None => {
                self.vanished = false;
                Ok(self.end_step(self.cut))
            }
            Some(crossing) => self.pursue(crossing),
        }
    }

    /// Tries one step where there are no guards, and takes it if it is good.
    #[inline]
    fn step_freely(&mut self) -> Result<(), Error> {
        self.size_step(self.options.until);
        self.flow.watch_rank(self.trial.t, &self.trial.start);
        self.step.attempt(&mut self.flow, &self.options.tolerances, &mut self.trial);
        self.land();
        if !self.is_acceptable() {
            return self.reject();
        }
        self.choose_next_step();
        let t_end = self.cut.unwrap_or(self.trial.t + self.trial.h);
        match self.options.keep {
            Keep::Dense => self.step.interpolate(&mut self.flow, &mut self.trial),
            Keep::Steps => self.trial.fill_line(),
            Keep::Ends => {}
        }
        self.keep_step(t_end);
        self.advance(t_end, self.cut.is_some());
        Ok(())
    }

    /// Gives the step the wanted size, unless the given time cuts it short.
    #[inline]
    fn size_step(&mut self, goal: f64) {
        let goal = if self.approach.next < goal { self.approach.next } else { goal };
        let left = goal - self.trial.t;
        let wanted = self.options.longest_step.map_or(self.h, |longest| self.h.min(longest));
        // A rest of less than a thousandth of a step would only cost another step.
        if wanted * 1.001 >= left {
            (self.trial.h, self.cut) = (left, Some(goal));
        } else {
            (self.trial.h, self.cut) = (wanted, None);
        }
    }

    /// Tries the step that the trial describes. A motion that slides on surfaces is put back onto them.
    pub(super) fn try_step(&mut self) {
        self.flow.forget_visits();
        if self.flow.stays_on_this_side() {
            self.detector.show_sides(&mut self.flow);
        }
        self.flow.watch_rank(self.trial.t, &self.trial.start);
        self.step.attempt(&mut self.flow, &self.options.tolerances, &mut self.trial);
        self.land();
        if self.flow.sliding().is_some() && self.trial.error.is_finite() {
            let keeps_joints = self.keeps_joints();
            self.flow.land_on_surfaces(self.trial.t + self.trial.h, &mut self.trial.end, keeps_joints);
        }
    }

    /// Puts the end of a step that is taken back to where the constraints of a mechanism are met; methods that solve for constraints have done so themselves.
    ///
    /// Where the derivative at the end is known, its factors are used, and it stays the first of the next step. It is that of the end before: the two
    /// differ by a multiple of the error of the step, and the step size times that is beyond the order (paper 003, (4.11) to (4.14)).
    #[inline]
    fn land(&mut self) {
        if !self.flow.is_mechanism() {
            return;
        }
        if self.is_acceptable() && !self.lands_by_itself() {
            let t_end = self.trial.t + self.trial.h;
            let has_derivative = self.step.knows_derivative_at_end();
            if self.step.method() == Method::HalfExplicit5 {
                self.flow.land_half_explicit(t_end, &mut self.trial.end, has_derivative);
            } else if has_derivative {
                self.flow.land_from_derivative(t_end, &mut self.trial.end);
            } else {
                self.land_calmly(t_end);
            }
        }
        self.land_by_best_rows();
        self.check_landing();
    }

    /// Where some constraints follow from others, those that lead must fix the end of a step well for the others to be met to rounding.
    fn land_by_best_rows(&mut self) {
        if self.flow.has_redundant_constraints() && self.keeps_joints() && self.is_acceptable() {
            let t_end = self.trial.t + self.trial.h;
            if self.flow.choose_rows(t_end, &self.trial.end) {
                self.flow.land_within(t_end, &mut self.trial.end, true);
            }
        }
    }

    fn lands_by_itself(&self) -> bool {
        self.step.method().lands_by_itself() || self.step.is_ggl()
    }

    pub(super) fn is_acceptable(&self) -> bool {
        self.trial.error <= self.largest_error
    }

    /// Shrinks the step, or gives up when it cannot shrink any more.
    pub(super) fn reject(&mut self) -> Result<(), Error> {
        self.record.statistics.count_rejection(self.flow.sliding().is_some());
        self.flow.forget_trial();
        if self.options.method == Method::Automatic && self.reconsider_method(false) {
            return Ok(());
        }
        if let Some(shorter) = self.step_before_surface() {
            self.h = shorter;
            return if self.cannot_shrink() && !self.arrives() { Err(self.giving_up()) } else { Ok(()) };
        }
        let factor = match self.trial.fault {
            Some(Fault::NoConvergence) => self.control.reject_by_half(),
            _ => self.control.reject(self.trial.error),
        };
        self.h = self.trial.h * factor;
        if self.cannot_shrink() { Err(self.giving_up()) } else { Ok(()) }
    }

    /// A guard was not finite somewhere in a good step: tries a shorter one, or gives up when it cannot shrink any more.
    pub(super) fn retreat(&mut self, bad: BadGuard) -> Result<(), Error> {
        self.record.statistics.rejected += 1;
        self.flow.forget_trial();
        self.h = self.trial.h * self.control.reject(f64::NAN);
        if self.cannot_shrink() { Err(self.bad_guard(bad)) } else { Ok(()) }
    }

    /// A fixed step must not shrink, and a step that does not move the time is of no use.
    fn cannot_shrink(&self) -> bool {
        // At t = 0 nothing can be told from the time itself.
        let scale = self.trial.t.abs().max(1e-9 * (self.options.until - self.record_start()));
        let smallest = (16.0 * f64::EPSILON * scale).max(1e-290);
        self.options.fixed_step.is_some() || self.h < smallest
    }

    pub(super) fn record_start(&self) -> f64 {
        self.record.segments.first().unwrap_or(&self.segment).start_time
    }

    /// Takes the whole trial, which ends at `goal` if that is given, where there are guards.
    pub(super) fn take_step(&mut self, goal: Option<f64>) {
        let t_end = goal.unwrap_or(self.trial.t + self.trial.h);
        self.keep_step(t_end);
        self.record.statistics.slid += u64::from(self.flow.sliding().is_some());
        self.cascade.clear();
        self.note_guards();
        if self.flow.stays_on_this_side() {
            self.flow.move_on();
        }
        self.advance(t_end, goal.is_some());
    }

    fn has_guards(&self) -> bool {
        !self.fired.is_empty()
    }

    fn keep_step(&mut self, t_end: f64) {
        if self.options.keep != Keep::Ends {
            self.segment.push(self.trial.h, &self.trial.dense, t_end, &self.trial.end);
        }
    }

    /// Makes the end of the trial the start of the next. `cut` tells that something else than its error decided its size.
    #[inline(always)]
    fn advance(&mut self, t_end: f64, cut: bool) {
        if self.flow.is_mechanism() {
            self.note_singular();
            self.look_at_adjustment();
        }
        self.record.statistics.count_step(self.trial.h, cut);
        self.step.advance();
        if self.options.method == Method::Automatic {
            self.reconsider_method(true);
        } else if self.stiffness.is_due(self.record.statistics.accepted) {
            self.look_at_stiffness();
        }
        self.trial.advance(t_end);
    }

    /// Says once when a problem is stiff.
    fn look_at_stiffness(&mut self) {
        let stiff = self.stiffness.record(self.step.stiffness(&self.trial));
        let method = self.step.method();
        if stiff && !method.facts().implicit && !std::mem::replace(&mut self.stiffness_is_noted, true) {
            self.note_stiffness(method, method);
        }
    }

    /// The next step size follows from the error of the whole trial, also when only a part of it is taken: what was learnt before an
    /// event is kept.
    #[inline(always)]
    fn choose_next_step(&mut self) {
        if self.options.fixed_step.is_none() {
            self.h = self.trial.h * self.control.accept(self.trial.h, self.trial.error);
            if let Some(wanted) = self.step.wanted_step() {
                self.h = wanted;
                self.control.restart();
            }
            if let Some(beginning) = self.beginning {
                self.beginnings.learn(beginning, self.h);
                self.beginning = None;
            }
        }
    }

    /// Closes the record.
    fn finish(mut self, result: Result<Outcome, Error>) -> Result<Trajectory, Box<Failure>> {
        if self.options.keep == Keep::Ends {
            self.segment.extend(self.trial.t, &self.trial.start);
        }
        self.meter_end();
        self.record.segments.push(self.segment);
        self.record.statistics.derivatives = self.flow.derivative_count;
        self.record.statistics.jacobians = self.flow.jacobian_count;
        self.record.statistics.factorisations = self.step.factorisations();
        self.record.statistics.guards = self.flow.guard_count;
        self.record.statistics.corrected = self.flow.corrected();
        self.record.statistics.motion_factorisations = self.flow.motion_factorisations();
        self.record.statistics.settling += 2 * self.detector.compared() + self.flow.heading_count;
        self.record.statistics.reused = self.flow.reused();
        self.record.statistics.went_back = self.detector.surprises().went_back;
        self.record.statistics.phantoms = self.detector.surprises().phantoms;
        match result {
            Ok(outcome) => {
                self.record.outcome = outcome;
                Ok(self.record)
            }
            Err(error) => Err(Box::new(Failure { error, trajectory: self.record })),
        }
    }
}
