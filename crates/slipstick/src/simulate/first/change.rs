//! The change of methods in the middle of a run, where one is made of several, and what each of them did.

use super::run::Run;
use crate::step::{Controller, Counts, Method, Share, Step};

/// What was counted when the method at work began: steps taken and not taken, and the rest.
#[derive(Clone, Debug)]
pub(super) struct Meter {
    method: Method,
    is_ggl: bool,
    accepted: u64,
    rejected: u64,
    counts: Counts,
    /// The explicit method that was at work last.
    explicit: Option<Method>,
}

impl Meter {
    pub(super) fn new(step: &dyn Step) -> Self {
        let method = step.method();
        let explicit = (!method.facts().implicit).then_some(method);
        Self { method, is_ggl: false, accepted: 0, rejected: 0, counts: Counts::default(), explicit }
    }
}

impl Run<'_> {
    /// Lets the method change behind a step that was taken, or was not. Says once when a problem is stiff. Tells whether another method goes on.
    pub(super) fn reconsider_method(&mut self, is_taken: bool) -> bool {
        self.notice_form();
        self.notice_first();
        let Some(change) = self.step.reconsider(&self.trial, is_taken) else { return false };
        let now = self.step.method();
        if change.is_settled
            && now.facts().implicit
            && let Some(explicit) = self.meter.explicit
            && !std::mem::replace(&mut self.stiffness_is_noted, true)
        {
            self.note_stiffness(explicit, now);
        }
        let Some(h) = change.h else { return false };
        self.share_out();
        self.take_over();
        if self.options.fixed_step.is_none() {
            self.h = h;
        }
        true
    }

    /// A method that solves the stabilised form of a mechanism solves another while the motion slides: what it did in each is counted by itself.
    fn notice_form(&mut self) {
        let is_ggl = self.step.is_ggl();
        let steps = self.record.statistics.accepted + self.record.statistics.rejected;
        if self.meter.is_ggl != is_ggl && steps > self.meter.accepted + self.meter.rejected + 1 {
            self.share_out();
        }
        self.meter.is_ggl = is_ggl;
    }

    /// The first step may have shown that another method should make it.
    fn notice_first(&mut self) {
        if self.meter.method != self.step.method() {
            self.take_over();
        }
    }

    fn take_over(&mut self) {
        let method = self.step.method();
        self.meter.method = method;
        if !method.facts().implicit {
            self.meter.explicit = Some(method);
        }
        self.control = Controller::for_method(method, self.options.control, self.options.safety);
    }

    /// The run ends: what the last method did is added too.
    pub(super) fn meter_end(&mut self) {
        self.meter.is_ggl = self.step.is_ggl();
        self.notice_first();
        self.share_out();
    }

    /// Adds what was done since the last change to the part of the method that did it.
    fn share_out(&mut self) {
        let statistics = &mut self.record.statistics;
        let counts = Counts::of(&self.flow, self.step.factorisations());
        let share = Share {
            method: self.meter.method,
            is_ggl: self.meter.is_ggl,
            accepted: statistics.accepted - self.meter.accepted,
            rejected: statistics.rejected - self.meter.rejected,
            counts: counts.since(&self.meter.counts),
        };
        share.join(&mut statistics.shares);
        (self.meter.accepted, self.meter.rejected) = (statistics.accepted, statistics.rejected);
        self.meter.counts = counts;
    }
}
