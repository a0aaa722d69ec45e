//! Hits that are too dense to be located one by one are captured: time stepping goes on over them, and events
//! are located again once the same contacts have stayed closed for a while.
//!
//! Capturing begins and ends by a transition, which the log has. While it lasts, the mode says so: the
//! statuses of contacts are open, their guards are not watched, all others are.

use super::density::HitDensity;
use super::integrator::Restart;
use super::near_contacts::NearContacts;
use super::run_loop::RunLoop;
use super::time_stepping::{CapturedStep, TimeStepping, UnsolvedStep};
use super::{DenseEvents, Error};
use crate::contact::{Impact, Status, Unsolved};
use crate::equations::System;
use crate::formulation::Stabilisation;
use crate::mode::Mode;
use crate::step::first_step;
use crate::trajectory::Outcome;
use crate::transition::{Firing, Transition};

/// The parts of the step that the error would allow which time stepping makes of it.
const PARTS: f64 = 50.0;
/// After this many steps with the same active contacts, events are located again.
const UNCHANGED: u32 = 10;
/// Hits that end a run because they cannot be solved are dense if there were this many just before: as many
/// as rule 18 takes for hits in no order that could be told. So are those of contacts that have been let go too soon.
const GIVES_UP_AMONG: usize = 6;

/// Contacts that are captured, and how dense their events were.
#[derive(Default)]
pub(super) struct Capturing {
    episode: Option<Episode>,
    pub(super) density: HitDensity,
    series: Series,
    near: NearContacts,
    total: Total,
}

/// Stretches of time stepping that follow each other: events between them have lasted for less time than what had been
/// stepped over. A pile that still flows is calm for a moment again and again, and each time dozens of hits would be
/// located before it is captured anew.
#[derive(Default)]
struct Series {
    /// How long contacts have been captured in it, and when the last stretch has ended.
    captured: f64,
    ended: Option<f64>,
    /// For how many steps contacts have to be the same in the stretch at hand.
    patience: u32,
}

impl Series {
    /// Whether a stretch that begins now belongs to it.
    fn goes_on(&self, t: f64) -> bool {
        self.ended.is_some_and(|ended| t - ended < self.captured)
    }

    /// A stretch begins, with steps of this length. Where the last one ended too soon, it waits for twice as long, but
    /// for no longer than has been captured already.
    fn begin(&mut self, t: f64, h: f64) -> u32 {
        if !self.goes_on(t) {
            *self = Self { patience: UNCHANGED, ..Self::default() };
        } else if f64::from(self.patience) * h < 0.5 * self.captured {
            self.patience = self.patience.saturating_mul(2);
        }
        self.patience
    }

    /// A stretch ends that has lasted for so long.
    fn end(&mut self, t: f64, lasted: f64) {
        (self.captured, self.ended) = (self.captured + lasted, Some(t));
    }
}

/// One stretch of time stepping.
struct Episode {
    /// When it has begun, and the length of its steps.
    since: f64,
    h: f64,
    /// The active contacts of the last step, those whose gap stays closed, and for how many steps that has
    /// been so.
    active: Vec<usize>,
    stays: Vec<usize>,
    unchanged: u32,
    /// How long they have to be the same; longer after each attempt to go on with events that has failed.
    patience: u32,
    /// The sums of impulses, by contact, and their work.
    impulses: Vec<(f64, f64)>,
    energy: f64,
}

/// What all stretches of a run came to.
#[derive(Default)]
struct Total {
    times: Option<(f64, f64)>,
    stretches: usize,
    steps: usize,
    hits: usize,
    deepest: Option<(usize, f64)>,
    /// The energy that impulses have gained, and what all of them have changed it by.
    gained: f64,
    work: f64,
}

/// Where a transition began, to come back to.
type Before = (Mode, Vec<f64>);

impl Capturing {
    /// Becomes as new, for another run.
    pub(super) fn renew(&mut self) {
        *self = Self::default();
    }
}

impl Total {
    fn add(&mut self, step: &CapturedStep, t: f64) {
        self.steps += 1;
        self.hits += step.hits;
        self.gained += step.gain;
        self.work += step.energy;
        let deeper = |&(_, depth): &(usize, f64)| self.deepest.is_none_or(|(_, most)| depth > most);
        self.deepest = step.deepest.filter(deeper).or(self.deepest);
        self.times = self.times.map(|(begin, _)| (begin, t));
    }
}

/// Captures the contacts of a run whose events are dense, and lets them go.
pub(super) struct DenseEventCapture<'r, 'a> {
    pub(super) run: &'r mut RunLoop<'a>,
}

impl DenseEventCapture<'_, '_> {
    /// Whether the whole run is made by time stepping.
    pub(super) fn is_time_stepping(&self) -> bool {
        let options = self.run.integrator.options;
        options.contacts.time_step.is_some()
            && options.constraints.stabilisation != Stabilisation::SlidingMode
            && !self.run.integrator.flow.system().contacts().is_empty()
            && can_be_captured(self.run.integrator.flow.system())
    }

    /// Resolves what fired. Where contacts cannot be solved because their hits follow each other too fast,
    /// they are captured.
    pub(super) fn transition_or_capture(&mut self, firing: Firing) -> Result<Option<Outcome>, Error> {
        let system = self.run.integrator.flow.system();
        let of_contacts = firing.guards.iter().all(|&g| system.guards()[g].contact.is_some());
        if !of_contacts || !self.may_capture() {
            return self.run.transition(firing);
        }
        let before = self.here();
        match self.run.transition(firing) {
            Err(error) if self.is_for_density(&error) => {
                self.go_back(before);
                self.capture_or_stop()
            }
            result => result,
        }
    }

    /// What [`check_friction`](Self::check_friction) finds, or that contacts are captured because of it.
    pub(super) fn check_friction_or_capture(&mut self) -> Result<(), Error> {
        match self.run.contacts().check_friction() {
            Err(error) if self.may_capture() && self.is_for_density(&error) => {
                self.capture_or_stop().map(|_| ())
            }
            result => result,
        }
    }

    fn here(&self) -> Before {
        (self.run.integrator.flow.mode.clone(), self.run.integrator.trial.start.clone())
    }

    /// Nothing has happened since.
    fn go_back(&mut self, (mode, y): Before) {
        self.run.recorder.forget_event();
        self.run.integrator.flow.mode = mode;
        self.run.integrator.trial.restart(self.run.integrator.trial.t, &y);
        self.run.activate_guards();
    }

    /// Whether contacts may be captured here, if their events are dense.
    fn may_capture(&self) -> bool {
        let RunLoop { integrator, capturing, .. } = &*self.run;
        let structure = &integrator.flow.mode.structure;
        let events = integrator.options.contacts.dense_events;
        capturing.episode.is_none()
            && events != DenseEvents::Locate
            && !structure.captured
            && !self.slides()
            && structure.reaching.is_empty()
            && can_be_captured(integrator.flow.system())
    }

    /// Whether the motion slides on switching surfaces: time stepping has no part in that.
    fn slides(&self) -> bool {
        !self.run.integrator.flow.mode.structure.sliding.is_empty()
    }

    /// Whether an error says that contacts cannot be solved, and their events were dense just before, or once in
    /// this run: what has been captured may come to be dense again at once.
    fn is_for_density(&mut self, error: &Error) -> bool {
        let is_of_contacts = matches!(
            error,
            Error::EventCycle { .. }
                | Error::ContactPenetrates { .. }
                | Error::ContactsUnsolved {
                    why: Unsolved::Impact | Unsolved::Forces | Unsolved::Backwards,
                    ..
                }
        );
        if !is_of_contacts || self.run.capturing.total.stretches > 0 {
            return is_of_contacts;
        }
        if self.run.capturing.density.count() < GIVES_UP_AMONG {
            return false;
        }
        let allowed = self.allowed_step();
        self.run.capturing.density.latest(GIVES_UP_AMONG).is_some_and(|span| span <= allowed)
    }

    /// The step that the error would allow where the motion stands, by what the field says there: what the
    /// steps before were cut by does not matter.
    fn allowed_step(&mut self) -> f64 {
        let integrator = &mut self.run.integrator;
        let longest = (integrator.options.until - integrator.trial.t).max(f64::MIN_POSITIVE);
        let order = integrator.selector.method().facts().order;
        let (flow, tolerances) = (&mut integrator.flow, &integrator.options.tolerances);
        first_step(flow, &integrator.trial, longest, order, tolerances).unwrap_or(longest)
    }

    /// After a transition: captures contacts if their events are dense, or the whole run is to be stepped
    /// through. Gives the outcome if that ends the run.
    pub(super) fn capture_if_dense(&mut self) -> Option<Outcome> {
        if let Some(h) = self.run.integrator.options.contacts.time_step.filter(|_| self.is_time_stepping()) {
            if self.run.capturing.episode.is_none() && !self.slides() {
                self.begin_capture(h);
            }
            return None;
        }
        let Capturing { density, series, .. } = &self.run.capturing;
        let again = series.goes_on(self.run.integrator.trial.t) && density.has_new(GIVES_UP_AMONG);
        if !(density.is_full() || again) || !self.may_capture() {
            return None;
        }
        let allowed = self.allowed_step();
        let density = &mut self.run.capturing.density;
        let is_dense =
            if again { density.are_dense(GIVES_UP_AMONG, allowed) } else { density.judge(allowed) };
        if is_dense { self.stop_or_begin(allowed) } else { None }
    }

    /// Contacts are captured from here on, and a segment begins.
    fn capture_or_stop(&mut self) -> Result<Option<Outcome>, Error> {
        let allowed = self.allowed_step();
        if let Some(outcome) = self.stop_or_begin(allowed) {
            return Ok(Some(outcome));
        }
        self.run.recorder.close_event(self.run.integrator.trial.t, &self.run.integrator.trial.start)?;
        self.run.begin_segment(Restart::Discontinuous, None);
        Ok(None)
    }

    fn stop_or_begin(&mut self, allowed: f64) -> Option<Outcome> {
        if self.run.integrator.options.contacts.dense_events == DenseEvents::Stop {
            let events = self.run.capturing.density.count();
            return Some(Outcome::DenseEvents { events, allowed });
        }
        self.begin_capture(allowed / PARTS);
        None
    }

    /// The transition to time stepping with steps of this length.
    fn begin_capture(&mut self, h: f64) {
        let system = self.run.integrator.flow.system();
        let t = self.run.integrator.trial.t;
        let before = self.run.integrator.flow.mode.values.place;
        let mode = &mut self.run.integrator.flow.mode;
        mode.structure.captured = true;
        system.contacts().iter().for_each(|contact| mode.set_status(contact, Status::Open));
        let now = (&self.run.integrator.flow.mode, &self.run.integrator.trial.start[..]);
        self.run.recorder.log_capture((t, before), now, None);
        self.run.activate_guards();
        let contacts = system.contacts().len();
        let patience = self.run.capturing.series.begin(t, h);
        self.run.capturing.near = NearContacts::default();
        self.run.capturing.episode = Some(Episode::new((t, h), patience, contacts));
        let total = &mut self.run.capturing.total;
        total.stretches += 1;
        total.times = total.times.or(Some((t, t)));
    }

    /// Whether contacts are captured.
    pub(super) fn is_capturing(&self) -> bool {
        self.run.capturing.episode.is_some()
    }

    /// A step of time stepping, at most to a goal. Gives what fires at its end, or in it.
    pub(super) fn step_captured(&mut self, goal: f64) -> Result<Option<Firing>, Error> {
        let Some(episode) = &self.run.capturing.episode else { return Ok(None) };
        let t = self.run.integrator.trial.t;
        let shortest = self.run.integrator.smallest_step();
        self.run.integrator.sizes.begin_captured(episode.h.max(shortest));
        let due = self.run.guards.calendar.next();
        let (h, ends) = self.run.integrator.sizes.next(t, goal.min(due));
        let t_end = if ends { goal.min(due) } else { t + h };
        let RunLoop { integrator, capturing, .. } = &mut *self.run;
        let stepped = TimeStepping { integrator, near: &mut capturing.near }.attempt(h);
        let stepped = stepped.map_err(|unsolved| self.unsolved_step(unsolved))?;
        let firing = self.run.stepper().take_captured((t_end, ends))?;
        let t = self.run.integrator.trial.t;
        self.run.capturing.total.add(&stepped, t);
        let is_whole = t == t_end;
        if let Some(episode) = &mut self.run.capturing.episode {
            episode.add(stepped, is_whole);
        }
        Ok(firing)
    }

    fn unsolved_step(&self, (which, why): UnsolvedStep) -> Error {
        let contacts = self.run.integrator.flow.system().contacts();
        let names: Vec<String> = which.iter().map(|&k| format!("`{}`", contacts[k].name)).collect();
        Error::ContactsUnsolved { contacts: names.join(", "), why, t: self.run.integrator.trial.t }
    }

    /// Goes on with events once the same contacts have stayed closed for a while: these are closed from here
    /// on. Where that has no solution, time stepping goes on. Gives the outcome if an event ends the run.
    pub(super) fn end_capture_if_calm(&mut self) -> Result<Option<Outcome>, Error> {
        let (always, slides) = (self.is_time_stepping(), self.slides());
        let is_calm = |episode: &mut Episode| slides || !always && episode.unchanged >= episode.patience;
        let Some(episode) = self.run.capturing.episode.take_if(is_calm) else {
            return Ok(None);
        };
        let before = self.here();
        match self.end_capture(&episode) {
            Err(error) if !slides && !matches!(error, Error::InvariantBroken { .. }) => {
                self.go_back(before);
                let (unchanged, patience) = (0, episode.patience.saturating_mul(2));
                self.run.capturing.episode = Some(Episode { unchanged, patience, ..episode });
                Ok(None)
            }
            result => {
                let t = self.run.integrator.trial.t;
                self.run.capturing.density.renew();
                self.run.capturing.series.end(t, t - episode.since);
                result
            }
        }
    }

    fn end_capture(&mut self, episode: &Episode) -> Result<Option<Outcome>, Error> {
        let system = self.run.integrator.flow.system();
        self.log_end(episode, &episode.stays)?;
        let rests = episode
            .stays
            .iter()
            .filter_map(|&k| system.guards()[system.contacts()[k].hit()?].response.at_rest);
        let mut firing = Firing { guards: rests.collect(), ..Firing::default() };
        firing.guards.sort_unstable();
        self.run.guards.watch.begin_transition();
        self.run.guards.keep_known(&self.run.integrator);
        let firing = (!firing.is_empty()).then_some(firing);
        self.run.finish_instant(Restart::Discontinuous, firing)
    }

    /// The transition from time stepping: the gaps of some contacts are closed to rounding, and the log has
    /// what impulses came to.
    fn log_end(&mut self, episode: &Episode, closed: &[usize]) -> Result<(), Error> {
        let (t, before) = (self.run.integrator.trial.t, self.run.integrator.trial.start.clone());
        let (system, place) = (self.run.integrator.flow.system(), self.run.integrator.flow.mode.values.place);
        let mode = &mut self.run.integrator.flow.mode;
        mode.structure.captured = false;
        for (contact, impulse) in system.contacts().iter().zip(&episode.impulses) {
            mode.add_to_totals(contact, *impulse);
        }
        let mut after = before.clone();
        let moved = self.run.contacts().put_on_gaps(closed, &mut after);
        moved.map_err(|refusal| {
            self.run.consistency().not_consistent("the end of time stepping", t, &refusal)
        })?;
        let impact = Impact { energy: episode.energy, ..Impact::default() };
        let now = (&self.run.integrator.flow.mode, &after[..]);
        self.run.recorder.log_capture((t, place), now, Some((impact, &before)));
        self.run.integrator.trial.restart(t, &after);
        let mut transition = Transition::new(t, &before, &self.run.integrator.flow.mode);
        transition.after.copy_from_slice(&after);
        self.run.transition = transition;
        self.run.activate_guards();
        self.run.locks().lock_all()
    }

    /// At the end of the run: what impulses came to is logged, and what was captured is said.
    pub(super) fn note_captured(&mut self) -> Result<(), Error> {
        if let Some(episode) = self.run.capturing.episode.take() {
            self.log_end(&episode, &[])?;
            self.run.recorder.close_event(self.run.integrator.trial.t, &self.run.integrator.trial.start)?;
        }
        let contacts = self.run.integrator.flow.system().contacts();
        let Total { times: Some((from, to)), stretches, steps, hits, deepest, gained, work } =
            std::mem::take(&mut self.run.capturing.total)
        else {
            return Ok(());
        };
        let depth = deepest.map_or_else(
            || "no gap came below zero".to_owned(),
            |(k, depth)| {
                format!(
                    "the largest penetration before it was taken back was {depth:.1e}, of `{}`",
                    contacts[k].name
                )
            },
        );
        let text = format!(
            "{hits} hits from t = {from} to t = {to} were not located one by one: {steps} steps of time stepping \
             went over them, of first order, in {stretches} stretches; {depth}"
        );
        self.run.recorder.note(from, "events-captured", text);
        // What is lost makes up for what single steps are wrong by.
        let gained = gained.min(gained + work).max(work);
        if gained > 0.0 {
            let text = format!("impulses of captured contacts gain an energy of {gained:.3e} in all");
            self.run.recorder.note_once(from, ("impact-gains-energy", "captured"), || text);
        }
        Ok(())
    }
}

impl Episode {
    fn new((since, h): (f64, f64), patience: u32, contacts: usize) -> Self {
        Self {
            since,
            h,
            active: Vec::new(),
            stays: Vec::new(),
            unchanged: 0,
            patience,
            impulses: vec![(0.0, 0.0); contacts],
            energy: 0.0,
        }
    }

    /// A step was made; whether it was taken as a whole.
    fn add(&mut self, step: CapturedStep, is_whole: bool) {
        let is_same = is_whole && self.active == step.active && self.stays == step.stays && step.hits == 0;
        self.unchanged = if is_same { self.unchanged + 1 } else { 0 };
        for (&k, impulse) in step.active.iter().zip(&step.impulses) {
            self.impulses[k].0 += impulse.0;
            self.impulses[k].1 += impulse.1;
        }
        self.energy += step.energy;
        (self.active, self.stays) = (step.active, step.stays);
    }
}

/// Whether time stepping can take the place of the events of contacts: nothing follows them, nothing reads their
/// forces, and no joint has friction, which has no impulses.
fn can_be_captured(system: &dyn System) -> bool {
    let contacts = system.contacts();
    let is_row = |k: &usize| contacts.iter().any(|of| of.owns(*k));
    let all_have_gaps = contacts.iter().all(|contact| contact.gap.is_some());
    all_have_gaps
        && system.guards().iter().all(|guard| match guard.contact {
            Some(_) => guard.response.followers.is_empty() && guard.response.stop_after.is_none(),
            None => !guard.multipliers.iter().any(is_row),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_that_follow_each_other_wait_for_longer_and_longer() {
        let (mut series, h) = (Series::default(), 1e-3);
        assert_eq!(series.begin(1.0, h), UNCHANGED);
        series.end(1.2, 0.2);
        let mut waited = Vec::new();
        for k in 0..6 {
            let t = 1.25 + 0.06 * f64::from(k);
            assert!(series.goes_on(t));
            waited.push(series.begin(t, h));
            series.end(t + 0.01, 0.01);
        }
        // No longer than has been captured.
        assert_eq!(waited, [20, 40, 80, 160, 160, 160]);
        assert!(!series.goes_on(9.0) && series.begin(9.0, h) == UNCHANGED, "it was calm for long");
    }
}
