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
        let before = self.step.method();
        self.meter.is_ggl = self.step.is_ggl();
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
        self.change_method(before, h);
        true
    }

    fn change_method(&mut self, before: Method, h: f64) {
        self.share_out();
        let now = self.step.method();
        self.meter.method = now;
        self.meter.explicit = if before.facts().implicit { self.meter.explicit } else { Some(before) };
        self.control = Controller::for_method(now, self.options.control, self.options.safety);
        if self.options.fixed_step.is_none() {
            self.h = h;
        }
    }

    /// The run ends: what the last method did is added too.
    pub(super) fn meter_end(&mut self) {
        self.meter.is_ggl = self.step.is_ggl();
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
