//! Which method is at work: `auto` changes it, a first step may show another, and stiffness that an explicit
//! one suffers from is told.

use super::guards::Guards;
use super::integrator::Integrator;
use super::recorder::Recorder;
use crate::step::{Method, StiffnessCount};

/// Keeps an eye on the method at work.
pub(super) struct Selector<'r, 'a> {
    pub(super) integrator: &'r mut Integrator<'a>,
    pub(super) guards: &'r mut Guards,
    pub(super) recorder: &'r mut Recorder,
}

impl Selector<'_, '_> {
    /// Lets `auto` choose the method of the next step. Gives whether another one goes on.
    pub(super) fn reconsider(&mut self, is_taken: bool) -> bool {
        let Some(change) = self.integrator.step.reconsider(&self.integrator.trial, is_taken) else {
            return false;
        };
        let now = self.integrator.step.method();
        if change.is_settled
            && now.facts().implicit
            && let Some(explicit) = self.recorder.last_explicit()
        {
            self.note_stiffness(explicit, now);
        }
        let Some(h) = change.h else { return false };
        self.recorder.share_out(self.integrator.counts());
        self.recorder.work_with(now);
        self.take_over();
        self.integrator.sizes.begin_with(h);
        true
    }

    /// The step just tried has been counted. The first one may have shown that another method has to make it.
    pub(super) fn notice(&mut self) {
        let integrator = &*self.integrator;
        let at_work = (integrator.step.method(), integrator.step.is_ggl());
        if self.recorder.notice_method(at_work, || integrator.counts()) {
            self.take_over();
        }
    }

    /// Sizes of steps and what is looked at are those of the method at work.
    fn take_over(&mut self) {
        self.integrator.sizes.change_method(self.integrator.step.method());
        self.guards.follow_method(self.integrator);
    }

    /// Says once when stability and not accuracy limits the steps.
    pub(super) fn look_at_stiffness(&mut self, count: &mut StiffnessCount) {
        let stiff = count.record(self.integrator.step.stiffness(&self.integrator.trial));
        let method = self.integrator.step.method();
        if stiff && !method.facts().implicit {
            self.note_stiffness(method, method);
        }
    }

    fn note_stiffness(&mut self, before: Method, now: Method) {
        let (from, to) = (before.name(), now.name());
        let form = if self.integrator.step.is_ggl() { " on the stabilised form (`ggl`)" } else { "" };
        self.recorder.note_once(self.integrator.trial.t, ("stiff", ""), || {
            if now == before {
                format!(
                    "the problem is stiff: stability and not accuracy limits the steps of `{from}`; `radau5` may take far fewer"
                )
            } else {
                format!(
                    "the problem is stiff: `{to}`{form} goes on, where stability would limit the steps of `{from}`"
                )
            }
        });
    }
}
