//! Which method is at work: `auto` changes it, a first step may show another, and stiffness that an explicit one suffers from is told.

use super::guards::Guards;
use super::integrator::Integrator;
use super::recorder::Recorder;
use crate::step::{Method, StiffnessCount};

/// Keeps an eye on the method at work.
#[derive(Default)]
pub(super) struct Selector {
    stiffness: StiffnessCount,
}

impl Selector {
    /// A step was taken, the last of so many.
    pub(super) fn after_step(
        &mut self,
        accepted: u64,
        integrator: &mut Integrator<'_>,
        guards: &mut Guards,
        recorder: &mut Recorder,
    ) {
        if integrator.options.method == Method::Automatic {
            self.reconsider(true, integrator, guards, recorder);
        } else if self.stiffness.is_due(accepted) {
            self.look_at_stiffness(integrator, recorder);
        }
    }

    /// Lets `auto` choose the method of the next step. Gives whether another one goes on.
    pub(super) fn reconsider(
        &mut self,
        is_taken: bool,
        integrator: &mut Integrator<'_>,
        guards: &mut Guards,
        recorder: &mut Recorder,
    ) -> bool {
        if integrator.options.method != Method::Automatic {
            return false;
        }
        let Some(change) = integrator.step.reconsider(&integrator.trial, is_taken) else {
            return false;
        };
        let now = integrator.step.method();
        if change.is_settled
            && now.facts().implicit
            && let Some(explicit) = recorder.last_explicit()
        {
            note_stiffness((explicit, now), integrator, recorder);
        }
        let Some(h) = change.h else { return false };
        recorder.share_out(integrator.counts());
        recorder.work_with(now);
        take_over(integrator, guards);
        integrator.sizes.begin_with(h);
        true
    }

    /// The step just tried has been counted. The first one may have shown that another method has to make it.
    pub(super) fn notice(
        &self,
        integrator: &mut Integrator<'_>,
        guards: &mut Guards,
        recorder: &mut Recorder,
    ) {
        let at_work = (integrator.step.method(), integrator.step.is_ggl());
        if recorder.notice_method(at_work, || integrator.counts()) {
            take_over(integrator, guards);
        }
    }

    /// Says once when stability and not accuracy limits the steps.
    fn look_at_stiffness(&mut self, integrator: &mut Integrator<'_>, recorder: &mut Recorder) {
        let stiff = self.stiffness.record(integrator.step.stiffness(&integrator.trial));
        let method = integrator.step.method();
        if stiff && !method.facts().implicit {
            note_stiffness((method, method), integrator, recorder);
        }
    }
}

/// Sizes of steps and what is looked at are those of the method at work.
fn take_over(integrator: &mut Integrator<'_>, guards: &mut Guards) {
    integrator.sizes.change_method(integrator.step.method());
    guards.follow_method(integrator);
}

fn note_stiffness((before, now): (Method, Method), integrator: &Integrator<'_>, recorder: &mut Recorder) {
    let (from, to) = (before.name(), now.name());
    let form = if integrator.step.is_ggl() { " on the stabilised form (`ggl`)" } else { "" };
    recorder.note_once(integrator.trial.t, ("stiff", ""), || {
        if now == before {
            format!(
                "the problem is stiff: stability and not accuracy limits the steps of `{from}`; `radau5` may take far fewer"
            )
        } else {
            format!("the problem is stiff: `{to}`{form} goes on, where stability would limit the steps of `{from}`")
        }
    });
}
