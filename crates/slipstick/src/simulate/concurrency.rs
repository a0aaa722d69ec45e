//! The region of concurrency: events of guards that may be crossed become one if they are near to each
//! other (Eich-Soellner and Führer, 1998, and the 100 balls of the papers). It is off unless it is asked
//! for.

use super::simulator::{Firing, Simulator};
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

impl Simulator<'_> {
    /// Takes the step up to what was found, and to what crosses soon after it.
    pub(super) fn take_concurrent(&mut self, found: Found) -> Firing {
        let Some(concurrency) = self.integrator.options.concurrency else { return self.take_up_to(&found) };
        let count = found.fired.len();
        let found = self.gather(found, concurrency);
        if found.fired.len() == count {
            return self.take_up_to(&found);
        }
        let distances: Vec<(usize, f64)> =
            found.changed.iter().map(|&g| (g, self.signal(g, found.s).value.abs())).collect();
        let firing = self.take_up_to(&found);
        for (comparison, distance) in distances {
            self.watch.fire(comparison, distance);
        }
        firing
    }

    /// Adds the guards that cross soon after those found, as long as none of these is too far beyond zero
    /// then, and places all at the last.
    fn gather(&mut self, mut found: Found, concurrency: Concurrency) -> Found {
        let first = found.s;
        let last = (first + concurrency.time).min(self.integrator.trial.h);
        let may_be_crossed = |simulator: &Self, g: &usize| {
            simulator.watch.guards()[*g].placement == Placement::After && *g < simulator.comparisons.guards()
        };
        if !found.fired.iter().all(|g| may_be_crossed(self, g)) {
            return found;
        }
        let mut others: Vec<usize> = self.watch.watched().to_vec();
        others.retain(|g| !found.fired.contains(g) && may_be_crossed(self, g));
        let mut near: Vec<(f64, usize)> = Vec::new();
        for g in others {
            near.extend(self.root_between(g, (first, last)).map(|root| (root, g)));
        }
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (root, g) in near {
            let fired = found.fired.clone();
            if fired.iter().any(|&g| self.signal(g, root).value.abs() > concurrency.amplitude) {
                break;
            }
            found.fired.push(g);
            found.changed.push(g);
            (found.s, found.hi) = (root, found.hi.max(root));
        }
        found.fired.sort_unstable();
        found.changed.sort_unstable();
        found
    }

    /// Where a comparison changes its side between two offsets, if it fires then.
    fn root_between(&mut self, comparison: usize, (first, last): (f64, f64)) -> Option<f64> {
        let rises = self.watch.side(comparison).truth() == Some(false);
        if !rises && self.watch.guards()[comparison].fires == Fires::WhenTrue {
            return None;
        }
        let up = if rises { 1.0 } else { -1.0 };
        let [lo, hi] = [first, last].map(|x| Probe { x, value: up * self.signal(comparison, x).value });
        let crosses = lo.value <= 0.0 && hi.value > 0.0;
        crosses.then(|| narrow(lo, hi, -1.0, 0.0, |x| up * self.signal(comparison, x).value).hi)
    }
}
