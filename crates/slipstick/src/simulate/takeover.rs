//! What follows where another method is at work: sizes, what is looked at, notes and counts are its own; and
//! stiffness that an explicit one suffers from is told.

use super::guards::Guards;
use super::integrator::Integrator;
use super::recorder::Recorder;
use super::stiffness::StiffnessCount;
use crate::step::Method;

/// Lets the others follow the method at work.
pub(super) struct Takeover<'r, 'a> {
    pub(super) integrator: &'r mut Integrator<'a>,
    pub(super) guards: &'r mut Guards,
    pub(super) recorder: &'r mut Recorder,
}

impl Takeover<'_, '_> {
    /// Lets `auto` choose the method of the next step. Gives whether another one goes on.
    pub(super) fn reconsider(&mut self, is_taken: bool) -> bool {
        let Some(change) = self.integrator.selector.reconsider(&self.integrator.trial, is_taken) else {
            return false;
        };
        let now = self.integrator.selector.method();
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
        let at_work = (integrator.selector.method(), integrator.selector.is_ggl());
        if self.recorder.notice_method(at_work, || integrator.counts()) {
            self.take_over();
        }
    }

    /// Sizes of steps and what is looked at are those of the method at work.
    fn take_over(&mut self) {
        self.integrator.sizes.change_method(self.integrator.selector.method());
        self.guards.follow_method(self.integrator);
    }

    /// Says once when stability and not accuracy limits the steps.
    pub(super) fn look_at_stiffness(&mut self, count: &mut StiffnessCount) {
        let stiff = count.record(self.integrator.selector.stiffness(&self.integrator.trial));
        let method = self.integrator.selector.method();
        if stiff && !method.facts().implicit {
            self.note_stiffness(method, method);
        }
    }

    fn note_stiffness(&mut self, before: Method, now: Method) {
        let (from, to) = (before.name(), now.name());
        let form = if self.integrator.selector.is_ggl() { " on the stabilised form (`ggl`)" } else { "" };
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
