//! Which contacts can be closed within a step of time stepping: the others are not looked at.
//!
//! A gap that is so far from zero cannot be zero before time and states have gone that far, by how fast it can change
//! at most. Gaps are kept in a queue by when that may be; those of which nothing is known are looked at each time.

use super::integrator::Integrator;
use super::uncertainty::{CAUTION, ROUNDING};
use crate::equations::UncertainPoint;
use crate::expr::Inexact;
use crate::watch::NOTHING_LEFT;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// How much farther than the speeds say a step may go before contacts are looked for anew.
const FARTHER: f64 = 2.0;
/// In bands, how far from zero a gap is taken to be closed: what counts as closed, with a reserve.
const CLOSED: f64 = 2.0 * NOTHING_LEFT;

/// The contacts that are near, and when others may come to be.
#[derive(Default)]
pub(super) struct NearContacts {
    /// How far time and states have gone so far, and the point from where they go on.
    gone: f64,
    t: f64,
    state: Vec<f64>,
    /// What was locked there; none before the first step.
    stamp: Option<u64>,
    /// The contacts that can be closed before time and states have gone this far, ascending.
    reach: f64,
    near: Vec<usize>,
    /// The others, by when they may come near.
    others: BinaryHeap<Reverse<Coming>>,
}

/// A contact that cannot be closed before time and states have gone this far.
#[derive(Clone, Copy)]
struct Coming {
    after: f64,
    contact: usize,
}

impl Ord for Coming {
    fn cmp(&self, other: &Self) -> Ordering {
        self.after.total_cmp(&other.after).then(self.contact.cmp(&other.contact))
    }
}

impl PartialOrd for Coming {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Coming {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Coming {}

/// Gaps of contacts that are near, by contact; those of others are positive.
pub(super) struct Gaps {
    which: Vec<usize>,
    values: Vec<Option<Inexact>>,
}

impl Gaps {
    /// The gap of a contact that is near, if it is known.
    pub(super) fn of(&self, contact: usize) -> Option<Inexact> {
        self.which.binary_search(&contact).ok().and_then(|place| self.values[place])
    }

    /// The contacts whose gaps are so, ascending.
    pub(super) fn that(&self, is: impl Fn(Inexact) -> bool) -> Vec<usize> {
        let own = self.which.iter().zip(&self.values);
        own.filter(|(_, gap)| gap.is_some_and(&is)).map(|(&contact, _)| contact).collect()
    }
}

impl NearContacts {
    /// A step of this length begins where the integrator stands.
    pub(super) fn begin(&mut self, integrator: &mut Integrator<'_>, h: f64) {
        let layout = integrator.flow.system().layout();
        let stamp = integrator.flow.mode.values.stamp();
        let (t, start) = (integrator.trial.t, integrator.trial.start.clone());
        let fastest = start[layout.q..layout.q + layout.v].iter().fold(1.0_f64, |most, v| most.max(v.abs()));
        if self.stamp.replace(stamp) == Some(stamp) {
            self.gone += self.distance(integrator, t, &start);
        } else {
            self.others.clear();
            self.near = (0..integrator.flow.system().contacts().len()).collect();
        }
        (self.t, self.state, self.reach) = (t, start, FARTHER * h * fastest);
        let looked_at = std::mem::take(&mut self.near);
        self.sort(integrator, looked_at);
        self.extend(integrator);
    }

    /// All gaps at a point of the step that may be zero there, or below.
    pub(super) fn gaps(&mut self, integrator: &mut Integrator<'_>, t: f64, y: &[f64]) -> Gaps {
        let distance = self.distance(integrator, t, y);
        // What is not finite is near to everything.
        if distance.is_nan() || distance > self.reach {
            self.reach = FARTHER * distance;
            self.extend(integrator);
        }
        let values = self.near.iter().map(|&contact| gap(integrator, (t, y), contact)).collect();
        Gaps { which: self.near.clone(), values }
    }

    /// How far time or a state is from the start of the step: speeds are no part of gaps.
    fn distance(&self, integrator: &Integrator<'_>, t: f64, y: &[f64]) -> f64 {
        let layout = integrator.flow.system().layout();
        let speeds = layout.q..layout.q + layout.v;
        let pairs = self.state.iter().zip(y).enumerate().filter(|(i, _)| !speeds.contains(i));
        pairs.fold((t - self.t).abs(), |most, (_, (a, b))| {
            let moved = (a - b).abs();
            if moved <= most { most } else { moved }
        })
    }

    /// Takes the contacts that can be closed within the reach from among the others.
    fn extend(&mut self, integrator: &mut Integrator<'_>) {
        let mut coming = Vec::new();
        let end = self.gone + self.reach;
        while self.others.peek().is_some_and(|Reverse(first)| end.is_nan() || first.after <= end) {
            coming.extend(self.others.pop().map(|Reverse(first)| first.contact));
        }
        self.sort(integrator, coming);
    }

    /// Finds out how far contacts are from being closed where the step begins.
    fn sort(&mut self, integrator: &mut Integrator<'_>, contacts: Vec<usize>) {
        let state = std::mem::take(&mut self.state);
        for contact in contacts {
            let Some(hit) = integrator.flow.system().contacts()[contact].hit() else { continue };
            let growth = integrator.flow.system().guard_growth().get(hit).copied().unwrap_or(f64::INFINITY);
            let left =
                gap(integrator, (self.t, &state), contact).map_or(0.0, |gap| gap.value - CLOSED * gap.bound);
            let safe = if left > 0.0 && growth.is_finite() { left / growth } else { 0.0 };
            if safe > self.reach {
                self.others.push(Reverse(Coming { after: self.gone + safe, contact }));
            } else {
                self.near.push(contact);
            }
        }
        self.state = state;
        self.near.sort_unstable();
    }
}

/// A gap at a point, with what rounding makes of it.
fn gap(integrator: &mut Integrator<'_>, (t, y): (f64, &[f64]), contact: usize) -> Option<Inexact> {
    let hit = integrator.flow.system().contacts()[contact].hit()?;
    let delta = rounding_of(y);
    integrator.flow.guards().banded_anyway(hit, UncertainPoint { t, y, delta: &delta })
}

/// How far rounding may have moved each state.
pub(super) fn rounding_of(y: &[f64]) -> Vec<f64> {
    y.iter().map(|y| CAUTION * ROUNDING * y.abs()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Plan;
    use super::*;

    /// Three balls over a floor, far above each other.
    const BALLS: &str = r#"
        coordinates = { a = 0.1, b = 1.0, c = 50.0 }
        speeds = { a = -1.0, b = -1.0, c = -1.0 }
        kinetic = "(a'^2 + b'^2 + c'^2)/2"
        contacts.a = { gap = "a" }
        contacts.b = { gap = "b" }
        contacts.c = { gap = "c" }
        run.until = 9"#;

    #[test]
    fn contacts_are_looked_at_when_they_may_be_closed() {
        let plan = Plan::of(BALLS);
        let mut integrator = Integrator::of(&plan);
        let mut near = NearContacts::default();
        let at = |a: f64| [a, a + 0.9, a + 49.9, -1.0, -1.0, -1.0];
        near.begin(&mut integrator, 0.1);
        let gaps = near.gaps(&mut integrator, 0.05, &at(0.05));
        assert_eq!(gaps.which, [0], "two steps of 0.1 m are nearer than 0.9 m");
        assert_eq!(gaps.of(1).map(|gap| gap.value), None);
        assert_eq!(gaps.that(|gap| gap.value > 0.0), [0]);
        // A state that is farther from the start than was expected.
        assert_eq!(near.gaps(&mut integrator, 0.05, &at(-0.9)).which, [0, 1]);
        assert_eq!(near.gaps(&mut integrator, 0.05, &at(f64::NAN)).which, [0, 1, 2]);
        for step in 1..9 {
            integrator.trial.restart(0.1 * f64::from(step), &at(0.1 - 0.1 * f64::from(step)));
            near.begin(&mut integrator, 0.1);
            let gaps = near.gaps(&mut integrator, integrator_time(step), &at(0.1 - 0.1 * f64::from(step)));
            assert_eq!(gaps.of(1).is_some(), step >= 8, "{step}");
            assert!(gaps.of(2).is_none());
        }
    }

    fn integrator_time(step: i32) -> f64 {
        0.1 * f64::from(step)
    }
}
