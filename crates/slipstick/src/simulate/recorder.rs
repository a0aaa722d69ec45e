//! Writes down what a run does: segments, events, notes, work counts. Nothing in here decides anything.

use super::guards::locks;
use super::invariants::{Broken, agrees, is_monotone};
use super::{Error, Keep, Options};
use crate::contact::Impact;
use crate::equations::{Border, Guard, GuardKind, System};
use crate::formulation::Stabilisation;
use crate::mode::Mode;
use crate::model::ContactChange;
use crate::step::{Counts, Method, Share, Trial};
use crate::trajectory::{Event, EventKind, Note, Round, Segment, Statistics, Trajectory};
use crate::transition::Transition;

/// The record of a run.
pub(super) struct Recorder {
    keep: Keep,
    /// The segment that is being integrated.
    pub(super) segment: Segment,
    pub(super) record: Trajectory,
    /// What happens at this instant, until the motion goes on.
    event: Option<Event>,
    /// How often each guard has fired.
    fired: Vec<u64>,
    meter: Meter,
}

/// What was counted when the method at work began.
struct Meter {
    method: Method,
    is_ggl: bool,
    steps: (u64, u64),
    counts: Counts,
    /// The explicit method that was at work last.
    explicit: Option<Method>,
}

impl Meter {
    fn new(method: Method) -> Self {
        let explicit = (!method.facts().implicit).then_some(method);
        Self { method, is_ggl: false, steps: (0, 0), counts: Counts::default(), explicit }
    }
}

impl Recorder {
    /// Goes on with an empty record; a method begins with this segment.
    pub(super) fn new(record: Trajectory, keep: Keep, segment: Segment, method: Method) -> Self {
        let (fired, meter) = (vec![0; record.guard_names.len()], Meter::new(method));
        Self { keep, segment, event: None, fired, record, meter }
    }

    /// Becomes as new, for another run; the record of the last was handed out when that was finished.
    pub(super) fn renew(&mut self, segment: Segment, method: Method) {
        self.fired.fill(0);
        let names = &mut self.record.guard_names;
        if names.len() > self.fired.len() {
            *names = names[..self.fired.len()].into();
        }
        (self.segment, self.event) = (segment, None);
        self.meter = Meter::new(method);
    }

    pub(super) fn statistics(&mut self) -> &mut Statistics {
        &mut self.record.statistics
    }

    /// Makes a note.
    pub(super) fn note(&mut self, t: f64, code: &'static str, text: String) {
        self.record.notes.push(Note { t, code, text });
    }

    /// Makes a note unless there is one of this code about this subject.
    pub(super) fn note_once(
        &mut self,
        t: f64,
        (code, subject): (&'static str, &str),
        text: impl FnOnce() -> String,
    ) {
        self.record.notes.once(code, subject, t, text);
    }

    /// Adds the step just tried, or the part of it up to `t_end`, to the segment.
    pub(super) fn add_step(&mut self, trial: &Trial, t_end: f64, end: &[f64]) -> Result<(), Error> {
        self.close_event(trial.t, &trial.start)?;
        self.holds(trial.t, is_monotone(self.segment.end_time, t_end))?;
        if self.keep == Keep::Ends || t_end == self.segment.end_time {
            self.segment.extend(t_end, end);
        } else {
            self.segment.push(trial.h, &trial.dense, t_end, end);
        }
        Ok(())
    }

    /// These guards have fired.
    fn count_firing(&mut self, guards: &[usize]) {
        for &g in guards {
            self.fired[g] += 1;
        }
    }

    /// How often a guard has fired.
    pub(super) fn times_fired(&self, guard: usize) -> u64 {
        self.fired[guard]
    }

    /// A round has happened: that of a new event, or one more of the event that happens at this instant.
    pub(super) fn add_round(&mut self, round: Round, begin: impl FnOnce() -> Event) {
        self.event.get_or_insert_with(begin).add(round);
    }

    /// All has happened at this instant, and the motion goes on from here: the event ends the segment.
    pub(super) fn close_event(&mut self, t: f64, y: &[f64]) -> Result<(), Error> {
        let Some(event) = &self.event else { return Ok(()) };
        let Segment { end_time, end, .. } = &self.segment;
        let log = [is_monotone(*end_time, event.t), is_monotone(event.t, t)];
        let states = [agrees(&event.before, end), agrees(&event.after, y)];
        log.into_iter().chain(states).try_for_each(|invariant| self.holds(t, invariant))?;
        self.end_segment();
        Ok(())
    }

    /// What must hold in every run, or the error that it does not.
    fn holds(&self, t: f64, invariant: Result<(), Broken>) -> Result<(), Error> {
        invariant.map_err(|broken| broken.at(t, &self.record.state_names))
    }

    /// The event ends the segment, and the next begins after it.
    fn end_segment(&mut self) {
        let Some(event) = self.event.take() else { return };
        let mode = event.rounds.last().map_or(&self.segment.mode, |round| &round.mode);
        let next = Segment::new(mode.clone(), event.t, &event.after);
        self.record.segments.push(std::mem::replace(&mut self.segment, next));
        self.record.statistics.count_event(&event);
        self.record.events.push(event);
    }

    /// Logs a round; `mode` and `y` are what it has come to.
    pub(super) fn log(&mut self, transition: &Transition, guards: &[Guard], (mode, y): (&Mode, &[f64])) {
        let Transition { t, firing, before, mode_before, contacts, .. } = transition;
        let left = mode_before.structure.sliding.iter().filter(|g| !mode.structure.sliding.contains(g));
        let mut fired = transition.happened(guards);
        self.count_firing(&fired);
        fired.extend(left.filter(|_| !firing.exits.is_empty()));
        fired.sort_unstable();
        fired.dedup();
        let kinds = self.kinds(transition, guards, mode);
        let impact = contacts.impact.clone();
        let round = Round { guards: fired, kinds, after: y.to_vec(), mode: mode.clone(), impact };
        self.add_round(round, || Event::new(*t, firing.window, before, mode_before.values.place));
    }

    fn kinds(&self, transition: &Transition, guards: &[Guard], mode: &Mode) -> Vec<EventKind> {
        let any = |f: &dyn Fn(&Guard) -> bool| transition.firing.guards.iter().any(|&g| f(&guards[g]));
        let (was, now) = (&transition.mode_before.structure.sliding, &mode.structure.sliding);
        let happens = |change: ContactChange| {
            let happened = transition.contacts.happened.iter();
            happened.filter_map(|&g| guards[g].contact).any(|of| of.change == change)
                || any(&|guard| guard.response.of_contact == Some(change))
        };
        let begins = now.iter().any(|g| !was.contains(g));
        let ends = was.iter().any(|g| !now.contains(g));
        let all = [
            (EventKind::Reset, any(&|guard| guard.response.reset)),
            (EventKind::Impulse, any(&|guard| guard.response.impulse.is_some())),
            (
                EventKind::Switch,
                any(&|guard| locks(guard) && guard.border == Border::Switch) && !begins && !ends,
            ),
            (EventKind::Corner, any(&|guard| guard.border == Border::Corner) && !begins && !ends),
            (EventKind::Zone, any(&|guard| matches!(guard.border, Border::Zones(_))) && !begins && !ends),
            (EventKind::Mode, any(&|guard| guard.response.mode.is_some())),
            (EventKind::Rest, any(&|guard| guard.kind == GuardKind::Rest) || happens(ContactChange::Rest)),
            (EventKind::Hit, happens(ContactChange::Hit)),
            (EventKind::Lift, happens(ContactChange::Lift)),
            (EventKind::Slip, happens(ContactChange::Slip)),
            (EventKind::Stick, happens(ContactChange::Stick)),
            (EventKind::Reverse, happens(ContactChange::Reverse)),
            (EventKind::ImpactWithoutCollision, transition.contacts.jams()),
            (EventKind::Stop, transition.firing.guards.iter().any(|&g| self.stops(guards, g))),
            (EventKind::Slide, begins),
            (EventKind::Leave, ends),
        ];
        let kinds: Vec<EventKind> =
            all.into_iter().filter(|(_, holds)| *holds).map(|(kind, _)| kind).collect();
        if kinds.is_empty() { vec![EventKind::Record] } else { kinds }
    }

    /// Logs that time stepping begins or ends here, by a name of its own; `mode` and `y` are what comes after it. It
    /// ends with what impulses have done meanwhile, and the state before.
    pub(super) fn log_capture(
        &mut self,
        (t, place): (f64, usize),
        (mode, y): (&Mode, &[f64]),
        meanwhile: Option<(Impact, &[f64])>,
    ) {
        let kind = if meanwhile.is_some() { EventKind::Resume } else { EventKind::Capture };
        let guards = vec![self.place_of(kind)];
        let (impact, before) = meanwhile.map_or((None, y), |(impact, before)| (Some(impact), before));
        let round = Round { guards, kinds: vec![kind], after: y.to_vec(), mode: mode.clone(), impact };
        self.add_round(round, || Event::new(t, None, before, place));
    }

    /// The place of a kind among the names of guards, which it is added to when it happens first.
    fn place_of(&mut self, kind: EventKind) -> usize {
        let names = &mut self.record.guard_names;
        let first = self.fired.len();
        if let Some(known) = names[first..].iter().position(|name| name == kind.name()) {
            return first + known;
        }
        let more = names.iter().cloned().chain([kind.name().to_owned()]);
        *names = more.collect();
        names.len() - 1
    }

    /// What happens at this instant has not happened.
    pub(super) fn forget_event(&mut self) {
        self.event = None;
    }

    /// Whether a guard has fired as often as it takes to stop the run.
    pub(super) fn stops(&self, guards: &[Guard], g: usize) -> bool {
        guards[g].response.stop_after.is_some_and(|n| self.fired[g] >= n)
    }

    /// Says once that what should be held by a guard passes through (rule 16).
    pub(super) fn note_passing(&mut self, t: f64, guard: &str) {
        self.note_once(t, ("passes-through", guard), || {
            format!(
                "the event `{guard}` changes the motion of its own guard, and still the guard goes on to its true side: \
                 what should be held passes through; does the reset turn the motion round?"
            )
        });
    }

    /// More has come of the last round than was logged.
    pub(super) fn amend_round(&mut self, kind: EventKind, y: &[f64], mode: &Mode) {
        if let Some(event) = &mut self.event {
            event.amend(kind, y, mode);
        }
    }

    /// The motion has come to this state before what happens next, and not only near it.
    pub(super) fn correct_end(&mut self, t: f64, y: &[f64]) {
        match &mut self.event {
            Some(event) => event.correct_end(y),
            None => self.segment.extend(t, y),
        }
    }

    /// The segment begins at this state; what was known of its beginning is forgotten. One that no event has ended
    /// goes on.
    pub(super) fn begin_segment(&mut self, mode: &Mode, t: f64, y: &[f64]) {
        if self.segment.end_time == self.segment.start_time {
            self.segment.begin(mode, t, y);
        }
    }

    /// Adds what was done since the last change of methods to the share of the method that did it. `counts`
    /// is what was done so far.
    pub(super) fn share_out(&mut self, counts: Counts) {
        let statistics = &mut self.record.statistics;
        let steps = (statistics.accepted, statistics.rejected);
        let share = Share {
            method: self.meter.method,
            is_ggl: self.meter.is_ggl,
            accepted: steps.0 - self.meter.steps.0,
            rejected: steps.1 - self.meter.steps.1,
            counts: counts.since(&self.meter.counts),
        };
        share.join(&mut statistics.shares);
        (self.meter.steps, self.meter.counts) = (steps, counts);
    }

    /// Takes note of which method has made the step just tried, and whether on the stabilised form: it shows
    /// only then, and while the motion slides there is none. Gives whether it is another method than before.
    pub(super) fn notice_method(
        &mut self,
        (method, is_ggl): (Method, bool),
        counts: impl FnOnce() -> Counts,
    ) -> bool {
        if (self.meter.method, self.meter.is_ggl) == (method, is_ggl) {
            return false;
        }
        let Statistics { accepted, rejected, .. } = self.record.statistics;
        // The step just tried is counted already.
        let others = accepted + rejected > self.meter.steps.0 + self.meter.steps.1 + 1;
        if others {
            self.share_out(counts());
        }
        self.meter.is_ggl = is_ggl;
        let is_other = self.meter.method != method;
        self.work_with(method);
        is_other
    }

    /// What comes from here on is the work of this method.
    pub(super) fn work_with(&mut self, method: Method) {
        self.meter.method = method;
        if !method.facts().implicit {
            self.meter.explicit = Some(method);
        }
    }

    /// The explicit method that was at work last.
    pub(super) fn last_explicit(&self) -> Option<Method> {
        self.meter.explicit
    }

    /// Closes the record at a state, when this much was done.
    pub(super) fn finish(&mut self, t: f64, y: &[f64], counts: Counts) -> Trajectory {
        self.end_segment();
        self.share_out(counts);
        if self.keep == Keep::Ends {
            self.segment.extend(t, y);
        }
        self.record.segments.push(std::mem::take(&mut self.segment));
        let empty = self.record.emptied();
        std::mem::replace(&mut self.record, empty)
    }
}

/// A record with nothing in it yet.
pub(super) fn empty_trajectory(system: &dyn System, options: &Options) -> Trajectory {
    let guards = system.guards().iter().map(|guard| guard.name.clone());
    // Under sliding-mode control the surfaces of constraints are met as events.
    let surfaces = options.constraints.stabilisation == Stabilisation::SlidingMode;
    let constraints = system.constraints().iter().filter(|_| surfaces).map(|c| c.name.clone());
    Trajectory {
        state_names: system.state_names().into(),
        guard_names: guards.chain(constraints).collect(),
        ..Trajectory::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorder(keep: Keep) -> Recorder {
        let record = Trajectory {
            state_names: ["x".to_owned()].into(),
            guard_names: ["g".to_owned()].into(),
            ..Trajectory::default()
        };
        Recorder::new(record, keep, Segment::new(Mode::new(0, 0, 0), 0.0, &[1.0]), Method::DormandPrince5)
    }

    fn line(t: f64, h: f64, y: (f64, f64)) -> Trial {
        let mut trial = Trial::new(t, &[y.0]);
        (trial.h, trial.end) = (h, vec![y.1]);
        trial.fill_line();
        trial
    }

    fn round(guard: usize, after: f64) -> Round {
        Round {
            guards: vec![guard],
            kinds: vec![EventKind::Switch],
            after: vec![after],
            mode: Mode::new(0, 0, 0),
            impact: None,
        }
    }

    #[test]
    fn an_event_ends_a_segment_and_the_next_begins_after_it() {
        let mut recorder = recorder(Keep::Dense);
        recorder.add_step(&line(0.0, 1.0, (1.0, 2.0)), 1.0, &[2.0]).expect("invariants hold");
        recorder.add_round(round(0, 2.0), || Event::new(1.0, None, &[2.0], 0));
        recorder.count_firing(&[0]);
        recorder.amend_round(EventKind::Slide, &[3.0], &Mode::new(0, 0, 0));
        recorder.add_step(&line(1.0, 1.0, (3.0, 4.0)), 2.0, &[4.0]).expect("invariants hold");
        assert_eq!((recorder.times_fired(0), recorder.statistics().events), (1, 1));
        let run = recorder.finish(2.0, &[4.0], Counts::default());
        assert_eq!((run.segments.len(), run.end_state()), (2, &[4.0][..]));
        assert_eq!(run.segments[0].state(0.5), [1.5]);
        assert_eq!(run.segments[1].state(1.0), [3.0]);
        assert_eq!(run.events[0].kinds, [EventKind::Slide], "a switch that has come to sliding is that");
    }

    #[test]
    fn rounds_are_one_event_until_the_motion_goes_on() {
        let mut recorder = recorder(Keep::Dense);
        recorder.add_step(&line(0.0, 1.0, (1.0, 2.0)), 1.0, &[2.0]).expect("invariants hold");
        recorder.correct_end(1.0, &[2.5]);
        let at = |t| move || Event::new(t, None, &[2.5], 0);
        recorder.add_round(round(0, 3.0), at(1.0));
        recorder.correct_end(1.0, &[3.5]);
        recorder.add_round(round(0, 5.0), at(1.0));
        recorder.add_step(&line(1.0, 1.0, (5.0, 6.0)), 2.0, &[6.0]).expect("invariants hold");
        recorder.add_round(round(0, 7.0), at(2.0));
        let run = recorder.finish(2.0, &[7.0], Counts::default());
        let seen: Vec<_> = run.events.iter().map(|event| (event.t, event.guards.len())).collect();
        assert_eq!(seen, [(1.0, 2), (2.0, 1)]);
        assert_eq!((run.statistics.events, run.event_times("g").count(), run.segments.len()), (2, 3, 3));
        assert_eq!((run.segments[0].end[0], run.segments[1].start[0]), (2.5, 5.0));
        assert_eq!(run.events[0].rounds[0].after, [3.5], "what a round finds is what the one before it left");
    }

    #[test]
    fn work_is_shared_among_the_methods_that_did_it() {
        let mut recorder = recorder(Keep::Ends);
        let done = |derivatives| Counts { derivatives, ..Counts::default() };
        for (method, counts) in [(Method::DormandPrince5, 7), (Method::Radau5, 7), (Method::Radau5, 20)] {
            recorder.statistics().count_step(1.0, false);
            let is_other = recorder.notice_method((method, false), || done(counts));
            assert_eq!(is_other, (method, counts) == (Method::Radau5, 7));
        }
        assert_eq!(recorder.last_explicit(), Some(Method::DormandPrince5));
        let run = recorder.finish(3.0, &[4.0], done(20));
        // The step that shows another method is its own; the first was all that there was.
        let shares: Vec<_> = run.statistics.shares.iter().map(|s| (s.method, s.accepted)).collect();
        assert_eq!(shares, [(Method::DormandPrince5, 2), (Method::Radau5, 1)]);
        assert_eq!(run.segments[0].end_time, 3.0);
    }

    #[test]
    fn a_note_is_made_once_for_each_subject() {
        let mut recorder = recorder(Keep::Ends);
        for subject in ["a", "b", "a"] {
            recorder.note_once(1.0, ("slides", subject), || subject.to_owned());
        }
        assert_eq!(recorder.record.notes.len(), 2);
    }
}
