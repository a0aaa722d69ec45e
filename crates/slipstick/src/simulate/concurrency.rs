//! The region of concurrency: events of guards that may be crossed become one if they are near to each
//! other (Eich-Soellner and Führer, 1998, and the 100 balls of the papers). It is off unless it is asked
//! for.

use super::search::EventSearch;
use crate::math::{Probe, narrow};
use crate::watch::{Fires, Found, Placement};

/// The region of concurrency: events of guards that may be crossed become one if they are this near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Concurrency {
    /// How long after the first event the last may be.
    pub time: f64,
    /// How far beyond zero each guard may be then.
    pub amplitude: f64,
}

impl EventSearch<'_, '_> {
    /// Adds the guards that cross soon after those found, as long as none of these is too far beyond zero
    /// then, and places all at the last. Gives how far from zero each that has changed is put, if there are
    /// any.
    pub(super) fn gather(&mut self, found: &mut Found, concurrency: Concurrency) -> Vec<(usize, f64)> {
        let first = found.s;
        let last = (first + concurrency.time).min(self.integrator.trial.h);
        if !found.fired.iter().all(|g| self.may_be_crossed(*g)) {
            return Vec::new();
        }
        let mut others: Vec<usize> = self.guards.watch.watched().to_vec();
        others.retain(|g| !found.fired.contains(g) && self.may_be_crossed(*g));
        let mut near: Vec<(f64, usize)> = Vec::new();
        for g in others {
            near.extend(self.root_between(g, (first, last)).map(|root| (root, g)));
        }
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        let count = found.fired.len();
        for (root, g) in near {
            if found.fired.iter().any(|&g| self.distance(g, root) > concurrency.amplitude) {
                break;
            }
            found.fired.push(g);
            found.changed.push(g);
            (found.s, found.hi) = (root, found.hi.max(root));
        }
        found.fired.sort_unstable();
        found.changed.sort_unstable();
        if found.fired.len() == count {
            return Vec::new();
        }
        found.changed.iter().map(|&g| (g, self.distance(g, found.s))).collect()
    }

    fn may_be_crossed(&self, g: usize) -> bool {
        self.guards.watch.guards()[g].placement == Placement::After && g < self.guards.comparisons.guards()
    }

    fn distance(&mut self, comparison: usize, s: f64) -> f64 {
        self.guards.signal(self.integrator, comparison, s).value.abs()
    }

    /// Where a comparison changes its side between two offsets, if it fires then.
    fn root_between(&mut self, comparison: usize, (first, last): (f64, f64)) -> Option<f64> {
        let rises = self.guards.watch.side(comparison).truth() == Some(false);
        if !rises && self.guards.watch.guards()[comparison].fires == Fires::WhenTrue {
            return None;
        }
        let up = if rises { 1.0 } else { -1.0 };
        let mut value = |x: f64| up * self.guards.signal(self.integrator, comparison, x).value;
        let [lo, hi] = [first, last].map(|x| Probe { x, value: value(x) });
        let crosses = lo.value <= 0.0 && hi.value > 0.0;
        crosses.then(|| narrow(lo, hi, -1.0, 0.0, value).hi)
    }
}
