//! The size of the next step: from the error of the last, from what was learnt after the same event, cut
//! where something is due.

use super::Options;
use super::integrator::Restart;
use crate::step::{Controller, Fault, Method, Trial};

/// At time zero, where doubles have no spacing to speak of, that of this part of the run counts.
const PART_OF_SPAN: f64 = 1e-9;
/// No step is shorter than this, in the unit of time, also in a run of no length: doubles end not far below.
const SHORTEST: f64 = 1e-290;

/// The first step of a run that starts at rest.
const FIRST_STEP_AT_REST: f64 = 1e-6;
/// A rest of less than this part of a step would only cost another step.
const REST_OF_STEP: f64 = 1e-3;
/// How many times longer than the time from an event to the next of the same guard a first step is at most.
/// The dense output of a step rounds to the largest values in it: one that goes far beyond its event locates it
/// less exactly.
const BEYOND_EVENT: f64 = 4.0;
/// The smallest step, in spacings of doubles at the time.
const SPACINGS: f64 = 16.0;

/// Which event a segment begins with: the guard, the side that the motion goes to, and whether it slides from
/// there on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Beginning {
    pub(super) guard: usize,
    pub(super) below: bool,
    pub(super) slides: bool,
}

impl Beginning {
    fn place(self) -> usize {
        4 * self.guard + 2 * usize::from(self.slides) + usize::from(self.below)
    }
}

/// Chooses step sizes.
pub(super) struct Sizes<'a> {
    options: &'a Options,
    control: Controller,
    /// The step size to try next, before it is cut.
    pub(super) h: f64,
    /// The sizes that the first steps after each kind of event should have had, and the last of them after
    /// any event alike.
    first_steps: Vec<Option<f64>>,
    alike: [Option<f64>; 4],
    /// The event that the step being tried is the first after, and the one that the step just accepted was.
    beginning: Option<Beginning>,
    accepted: Option<Beginning>,
    /// The time that the whole run takes.
    span: f64,
}

impl<'a> Sizes<'a> {
    /// Sizes of the steps of a method, from a time on, with this many guards.
    pub(super) fn new(options: &'a Options, method: Method, t: f64, guards: usize) -> Self {
        Self {
            options,
            control: Controller::for_method(method, options.steps.control, options.steps.safety),
            h: 0.0,
            first_steps: vec![None; 4 * guards],
            alike: [None; 4],
            beginning: None,
            accepted: None,
            span: options.until - t,
        }
    }

    /// Becomes as new, for another run: steps of a method, from a time on.
    pub(super) fn renew(&mut self, method: Method, t: f64) {
        let Self { options, control: _, h, first_steps, alike, beginning, accepted, span } = self;
        (*h, *alike, *beginning, *accepted, *span) = (0.0, [None; 4], None, None, options.until - t);
        first_steps.fill(None);
        self.change_method(method);
    }

    /// Another method is at work.
    pub(super) fn change_method(&mut self, method: Method) {
        self.control = Controller::for_method(method, self.options.steps.control, self.options.steps.safety);
    }

    /// The method that goes on tries this step first.
    pub(super) fn begin_with(&mut self, h: f64) {
        if self.options.steps.fixed.is_none() {
            self.h = h;
        }
    }

    /// Steps of time stepping have this size.
    pub(super) fn begin_captured(&mut self, h: f64) {
        self.h = h;
    }

    /// Chooses the first step of a segment in which something else holds than before. What was learnt after
    /// the same event is best; otherwise the field is asked: `estimate` gives what it says for a longest
    /// step. Gives whether it was.
    pub(super) fn restart(
        &mut self,
        restart: Restart,
        t: f64,
        beginning: Option<Beginning>,
        estimate: impl FnOnce(f64) -> Option<f64>,
    ) -> bool {
        if restart == Restart::Continuous {
            return false;
        }
        self.control.restart();
        let first = self.options.steps.first.filter(|_| restart == Restart::Initial);
        if let Some(h) = self.options.steps.fixed.or(first) {
            self.h = h;
            return false;
        }
        self.beginning = beginning;
        if let Some(h) = beginning.and_then(|beginning| self.first_steps[beginning.place()]) {
            self.h = h;
            return false;
        }
        let longest = self.options.steps.longest.unwrap_or(self.options.until - t).max(f64::MIN_POSITIVE);
        let guess = self.beginning.and_then(|beginning| self.alike[beginning.place() % 4]);
        self.h = match estimate(longest) {
            Some(fresh) if restart == Restart::Initial => fresh,
            Some(fresh) => guess.unwrap_or(self.h).min(fresh),
            None if restart == Restart::Initial => longest.min(FIRST_STEP_AT_REST),
            None => self.h,
        };
        true
    }

    /// The size of the next try, and whether it ends at the goal.
    pub(super) fn next(&self, t: f64, goal: f64) -> (f64, bool) {
        let left = goal - t;
        let wanted = self.options.steps.longest.map_or(self.h, |longest| self.h.min(longest));
        if wanted * (1.0 + REST_OF_STEP) >= left { (left, true) } else { (wanted, false) }
    }

    /// A step is good: the next size follows from its error, also when only a part of it is taken, or is what
    /// the method proposes.
    pub(super) fn accept(&mut self, trial: &Trial, proposed: Option<f64>) {
        if self.options.steps.fixed.is_some() {
            return;
        }
        self.h = trial.h * self.control.accept(trial.h, trial.error);
        if let Some(proposed) = proposed {
            self.h = proposed;
            self.control.restart();
        }
        self.accepted = self.beginning.take();
        if let Some(beginning) = self.accepted {
            self.first_steps[beginning.place()] = Some(self.h);
            self.alike[beginning.place() % 4] = Some(self.h);
        }
    }

    /// The step just accepted is taken up to where these guards fire, at this offset. If it was the first after an event
    /// of one of them, the next such step does not have to be much longer.
    pub(super) fn cut_at(&mut self, (t, s): (f64, f64), fired: &[usize]) {
        let again = self.accepted.filter(|beginning| fired.contains(&beginning.guard));
        let h = BEYOND_EVENT * s;
        if let Some(beginning) = again.filter(|_| self.can_be(t, h)) {
            self.first_steps[beginning.place()] = Some(self.h.min(h));
        }
    }

    /// A step is not good: tries a shorter one. False if it cannot shrink any more.
    pub(super) fn reject(&mut self, trial: &Trial) -> bool {
        let factor = match trial.fault {
            Some(Fault::NoConvergence) => self.control.reject_by_half(),
            _ => self.control.reject(trial.error),
        };
        self.shrink_to(trial.t, trial.h * factor)
    }

    /// As [`reject`](Self::reject), where something else than the error is wrong with the step.
    pub(super) fn retreat(&mut self, trial: &Trial) -> bool {
        let factor = self.control.reject(f64::NAN);
        self.shrink_to(trial.t, trial.h * factor)
    }

    /// Tries a step of this size next. False if that is too short to be of use, or steps are fixed: then nothing changes.
    pub(super) fn shrink_to(&mut self, t: f64, h: f64) -> bool {
        let can_shrink = self.can_be(t, h);
        if can_shrink {
            self.h = h;
        }
        can_shrink
    }

    /// Whether a step can be as short as this, and is not fixed.
    fn can_be(&self, t: f64, h: f64) -> bool {
        let scale = t.abs().max(PART_OF_SPAN * self.span);
        self.options.steps.fixed.is_none() && h >= (SPACINGS * f64::EPSILON * scale).max(SHORTEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const METHOD: Method = Method::DormandPrince5;

    fn trial(h: f64, error: f64) -> Trial {
        let mut trial = Trial::new(1.0, &[0.0]);
        (trial.h, trial.error) = (h, error);
        trial
    }

    #[test]
    fn a_step_ends_at_its_goal_if_little_would_be_left() {
        let options = Options::until(10.0);
        let mut sizes = Sizes::new(&options, METHOD, 0.0, 0);
        sizes.begin_with(1.0);
        assert_eq!(sizes.next(0.0, 1.0005), (1.0005, true));
        assert_eq!(sizes.next(0.0, 1.5), (1.0, false));
    }

    #[test]
    fn errors_shrink_and_grow_steps_unless_they_are_fixed() {
        let options = Options::until(10.0);
        let mut sizes = Sizes::new(&options, METHOD, 0.0, 0);
        assert!(sizes.reject(&trial(1.0, 32.0)) && sizes.h < 1.0);
        sizes.accept(&trial(0.1, 1e-6), None);
        assert_eq!(sizes.h, 0.1, "none grows right after a rejection");
        sizes.accept(&trial(0.1, 1e-6), None);
        assert!(sizes.h > 0.1);
        sizes.accept(&trial(0.1, 1e-6), Some(0.7));
        assert_eq!(sizes.h, 0.7);
        assert!(!sizes.shrink_to(1.0, 1e-18), "that does not move the time");
        let fixed = options.clone().fixed_step(0.25);
        let mut sizes = Sizes::new(&fixed, METHOD, 0.0, 0);
        sizes.restart(Restart::Initial, 0.0, None, |_| None);
        sizes.accept(&trial(0.25, 1e-6), None);
        assert!(sizes.h == 0.25 && !sizes.reject(&trial(0.25, 32.0)));
    }

    #[test]
    fn a_first_step_is_learnt_for_the_same_event_and_guessed_for_others() {
        let options = Options::until(10.0);
        let mut sizes = Sizes::new(&options, METHOD, 0.0, 2);
        let after = |guard| Some(Beginning { guard, below: false, slides: false });
        assert!(sizes.restart(Restart::Initial, 0.0, None, Some) && sizes.h == 10.0);
        assert!(sizes.restart(Restart::Discontinuous, 1.0, after(0), |_| Some(0.5)) && sizes.h == 0.5);
        sizes.accept(&trial(0.5, 1.0), None);
        let learnt = sizes.h;
        assert!(!sizes.restart(Restart::Discontinuous, 2.0, after(0), |_| unreachable!()));
        assert_eq!(sizes.h, learnt);
        sizes.begin_with(9.0);
        assert!(sizes.restart(Restart::Discontinuous, 3.0, after(1), |_| Some(5.0)));
        assert_eq!(sizes.h, learnt, "what another event alike has taught");
        assert!(!sizes.restart(Restart::Continuous, 4.0, after(1), |_| unreachable!()));
        sizes.restart(Restart::Discontinuous, 4.0, after(0), |_| unreachable!());
        sizes.accept(&trial(0.5, 1e-6), None);
        sizes.cut_at((1.0, 0.01), &[1]);
        assert_ne!(sizes.first_steps[0], Some(0.04), "another event");
        sizes.cut_at((1.0, 0.01), &[0]);
        sizes.restart(Restart::Discontinuous, 4.5, after(0), |_| unreachable!());
        assert_eq!(sizes.h, 0.04, "the same event was near");
        sizes.renew(METHOD, 5.0);
        assert!(
            sizes.restart(Restart::Discontinuous, 6.0, after(0), |_| Some(0.5)),
            "another run learns anew"
        );
        assert!(sizes.h == 0.0 && sizes.span == 5.0);
    }
}
