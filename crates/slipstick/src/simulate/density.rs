//! How dense the events of contacts are: the times of the latest of them.

use crate::math::RunningSum;
use std::collections::VecDeque;

/// More events than this within one step that the error would allow are dense.
const DENSE: usize = 50;
/// Hits of fewer contacts than this are no cluster: those of one or two follow each other in a way that can
/// be told, for ever or to a limit.
const CLUSTER: usize = 3;

/// The latest events of contacts that follow no rule.
#[derive(Default)]
pub(super) struct HitDensity {
    /// When they were, and of which contact.
    latest: VecDeque<(RunningSum, usize)>,
    /// How many there were since their density was judged last.
    since: usize,
}

impl HitDensity {
    /// Forgets all.
    pub(super) fn renew(&mut self) {
        self.latest.clear();
        self.since = 0;
    }

    /// An event of a contact.
    pub(super) fn record(&mut self, at: RunningSum, contact: usize) {
        if self.latest.len() > DENSE {
            self.latest.pop_front();
        }
        self.latest.push_back((at, contact));
        self.since += 1;
    }

    /// How many are known, at most one more than are dense.
    pub(super) fn count(&self) -> usize {
        self.latest.len()
    }

    /// Whether there were as many events since the last judgement as it takes, so that it costs next to
    /// nothing.
    pub(super) fn is_full(&self) -> bool {
        self.since > DENSE
    }

    /// The time that the latest events have taken; none if there were fewer.
    pub(super) fn latest(&self, count: usize) -> Option<f64> {
        let first = self.latest.len().checked_sub(count)?;
        Some(self.latest.back()?.0.since(self.latest.get(first)?.0))
    }

    /// Whether there were so many events since the last judgement.
    pub(super) fn has_new(&self, count: usize) -> bool {
        self.since >= count
    }

    /// Whether the events are dense where the error would allow a step of this length.
    pub(super) fn judge(&mut self, allowed: f64) -> bool {
        self.are_dense(DENSE + 1, allowed)
    }

    /// The same of so many of the latest ones.
    pub(super) fn are_dense(&mut self, count: usize, allowed: f64) -> bool {
        self.since = 0;
        let latest = self.latest.iter().rev().take(count);
        let mut contacts: Vec<usize> = latest.map(|(_, contact)| *contact).collect();
        contacts.sort_unstable();
        contacts.dedup();
        contacts.len() >= CLUSTER && self.latest(count).is_some_and(|span| span < allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(intervals: impl Iterator<Item = (f64, usize)>) -> HitDensity {
        let (mut density, mut at) = (HitDensity::default(), RunningSum::default());
        for (interval, contact) in intervals {
            at = at.plus(interval);
            density.record(at, contact);
        }
        density
    }

    #[test]
    fn fifty_events_of_a_cluster_within_a_step_are_dense() {
        let mut dense = after((0..51).map(|k| (0.01, k % 3)));
        assert!(dense.is_full() && (dense.latest(51).unwrap_or(0.0) - 0.5).abs() < 1e-12);
        assert!(!dense.judge(0.4) && dense.judge(0.6) && !dense.is_full());
        assert!(!after((0..50).map(|k| (0.01, k % 3))).judge(9.0), "too few");
        assert!(!after((0..99).map(|k| (0.01, k % 2))).judge(9.0), "no cluster");
    }
}
