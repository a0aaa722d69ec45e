//! The size of the next step: from the error of the last, from what was learnt after the same event, cut where something is due.

use super::Options;
use super::integrator::{Integrator, Restart};
use crate::step::{Controller, Fault, first_step};

/// The first step of a run that starts at rest.
const FIRST_STEP_AT_REST: f64 = 1e-6;
/// A rest of less than this part of a step would only cost another step.
const REST_OF_STEP: f64 = 1e-3;
/// The smallest step, in spacings of doubles at the time.
const SPACINGS: f64 = 16.0;

/// Which event a segment begins with: the guard, the side that the motion goes to, and whether it slides from there on.
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
pub(super) struct Sizes {
    control: Controller,
    /// The step size to try next, before it is cut.
    pub(super) h: f64,
    /// The sizes that the first steps after each kind of event should have had, and the last of them after any event alike.
    first_steps: Vec<Option<f64>>,
    alike: [Option<f64>; 4],
    /// The event that the step being tried is the first after.
    beginning: Option<Beginning>,
    /// The time that the whole run takes.
    span: f64,
    until: f64,
}

impl Sizes {
    pub(super) fn new(guards: usize, integrator: &Integrator<'_>) -> Self {
        let (options, t) = (integrator.options, integrator.trial.t);
        Self {
            control: controller(integrator),
            h: 0.0,
            first_steps: vec![None; 4 * guards],
            alike: [None; 4],
            beginning: None,
            span: options.until - t,
            until: options.until,
        }
    }

    /// Another method is at work.
    pub(super) fn change_method(&mut self, integrator: &Integrator<'_>) {
        self.control = controller(integrator);
    }

    /// The method that goes on tries this step first.
    pub(super) fn begin_with(&mut self, integrator: &Integrator<'_>, h: f64) {
        if integrator.options.fixed_step.is_none() {
            self.h = h;
        }
    }

    /// Chooses the first step of a segment in which something else holds than before. What was learnt after the same event is best; otherwise the
    /// field is asked. Gives whether it was.
    pub(super) fn restart(
        &mut self,
        integrator: &mut Integrator<'_>,
        restart: Restart,
        beginning: Option<Beginning>,
    ) -> bool {
        if restart == Restart::Continuous {
            return false;
        }
        self.control.restart();
        let options = integrator.options;
        let first = options.first_step.filter(|_| restart == Restart::Initial);
        if let Some(h) = options.fixed_step.or(first) {
            self.h = h;
            return false;
        }
        self.beginning = beginning;
        if let Some(h) = beginning.and_then(|beginning| self.first_steps[beginning.place()]) {
            self.h = h;
            return false;
        }
        self.estimate(integrator, restart);
        true
    }

    fn estimate(&mut self, integrator: &mut Integrator<'_>, restart: Restart) {
        let (t, options) = (integrator.trial.t, integrator.options);
        let longest = options.longest_step.unwrap_or(self.until - t).max(f64::MIN_POSITIVE);
        let order = integrator.step.method().facts().order;
        let start = std::mem::take(&mut integrator.trial.start);
        let fresh = first_step(&mut integrator.flow, t, &start, longest, order, &options.tolerances);
        integrator.trial.start = start;
        let guess = self.beginning.and_then(|beginning| self.alike[beginning.place() % 4]);
        self.h = match fresh {
            Some(fresh) if restart == Restart::Initial => fresh,
            Some(fresh) => guess.unwrap_or(self.h).min(fresh),
            None if restart == Restart::Initial => longest.min(FIRST_STEP_AT_REST),
            None => self.h,
        };
    }

    /// The size of the next try, and whether it ends at the goal.
    pub(super) fn next(&self, t: f64, goal: f64, options: &Options) -> (f64, bool) {
        let left = goal - t;
        let wanted = options.longest_step.map_or(self.h, |longest| self.h.min(longest));
        if wanted * (1.0 + REST_OF_STEP) >= left { (left, true) } else { (wanted, false) }
    }

    /// The step just tried is good: the next size follows from its error, also when only a part of it is taken.
    pub(super) fn accept(&mut self, integrator: &Integrator<'_>) {
        if integrator.options.fixed_step.is_some() {
            return;
        }
        self.h = integrator.trial.h * self.control.accept(integrator.trial.h, integrator.trial.error);
        if let Some(proposed) = integrator.step.proposed_step() {
            self.h = proposed;
            self.control.restart();
        }
        if let Some(beginning) = self.beginning.take() {
            self.first_steps[beginning.place()] = Some(self.h);
            self.alike[beginning.place() % 4] = Some(self.h);
        }
    }

    /// The step just tried is not good: tries a shorter one. False if it cannot shrink any more.
    pub(super) fn reject(&mut self, integrator: &Integrator<'_>) -> bool {
        let trial = &integrator.trial;
        let factor = match trial.fault {
            Some(Fault::NoConvergence) => self.control.reject_by_half(),
            _ => self.control.reject(trial.error),
        };
        self.shrink_to(integrator, trial.h * factor)
    }

    /// As [`reject`](Self::reject), where something else than the error is wrong with the step.
    pub(super) fn retreat(&mut self, integrator: &Integrator<'_>) -> bool {
        let factor = self.control.reject(f64::NAN);
        self.shrink_to(integrator, integrator.trial.h * factor)
    }

    /// Tries a step of this size next. False if that is too short to be of use, or steps are fixed.
    pub(super) fn shrink_to(&mut self, integrator: &Integrator<'_>, h: f64) -> bool {
        self.h = h;
        // At t = 0 nothing can be told from the time itself.
        let scale = integrator.trial.t.abs().max(1e-9 * self.span);
        let smallest = (SPACINGS * f64::EPSILON * scale).max(1e-290);
        integrator.options.fixed_step.is_none() && self.h >= smallest
    }
}

fn controller(integrator: &Integrator<'_>) -> Controller {
    let options = integrator.options;
    Controller::for_method(integrator.step.method(), options.control, options.safety)
}
