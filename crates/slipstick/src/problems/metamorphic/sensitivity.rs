//! How far small changes of a model move its events and its end: what errors within the tolerance can do, and
//! no more, is no difference.

use super::account::Account;
use super::difference::{
    Allowance, Difference, DifferenceKind, Spread, event_difference, outcome_difference,
};
use super::growth::{ErrorGrowth, LARGE};
use super::subject::{Subject, account};

/// So many changes are tried, of each of two sizes.
const CHANGES: usize = 4;
/// A change at the level of rounding. What it does to events is chaos, or an error of the program.
const TINY: f64 = 1e-12;
/// Events further apart than this part of the run are others.
const COARSE: f64 = 1e-2;
/// Changes at the level of rounding that have grown to this part of a state's size have grown by themselves:
/// the motion is chaotic.
const GROWN: f64 = 1e-5;

/// What small changes do to a model.
#[derive(Clone, Debug)]
pub(super) struct Sensitivity {
    /// Changes of the size of errors within the tolerance.
    pub(super) spread: Spread,
    /// From when on changes at the level of rounding make other events, although they had not grown before.
    pub(super) erratic: Option<f64>,
    /// How errors within the tolerance grow, if they do.
    pub(super) growth: Option<ErrorGrowth>,
    /// From when on they are as large as the motion.
    large: Option<f64>,
}

impl Sensitivity {
    /// Measures what changes of a size do.
    pub(super) fn measure(subject: &dyn Subject, base: &Account, size: f64) -> Self {
        let cloud = |size: f64, first: usize| {
            let changed = |sequence| subject.changed(size, sequence, &base.guard_names);
            let setups = (first..first + CHANGES).filter_map(changed);
            setups.map(|setup| account(&setup)).collect::<Vec<_>>()
        };
        let (near, tiny) = (cloud(size, 1), cloud(TINY, 1 + CHANGES));
        let grown = first_above(&distances(base, &tiny), GROWN);
        let erratic = spread(base, &tiny).horizon.filter(|t| grown.is_none_or(|grown| *t < grown));
        let distances = distances(base, &near);
        let growth = ErrorGrowth::of(&distances, size);
        Self { spread: spread(base, &near), erratic, growth, large: first_above(&distances, LARGE) }
    }

    /// Whether a difference is there because errors within the tolerance make it.
    pub(super) fn explains(&self, difference: &Difference, span: f64) -> bool {
        let late = difference.t + COARSE * span;
        let is_after = |t: Option<f64>| t.is_some_and(|t| late >= t);
        // If every change makes other events, nothing is known of the end.
        let is_known = difference.what == DifferenceKind::End && self.spread.alike > 0;
        let has_other_events = is_after(self.spread.horizon) && !is_known;
        let is_made = has_other_events || is_after(self.large);
        difference.what != DifferenceKind::Broken && is_made && !is_after(self.erratic)
    }
}

fn first_above(distances: &[(f64, f64)], level: f64) -> Option<f64> {
    distances.iter().find(|(_, apart)| *apart > level).map(|(t, _)| *t)
}

/// How far accounts of changed models are from the base.
fn spread(base: &Account, cloud: &[Account]) -> Spread {
    let coarse = Allowance { time: COARSE * base.span(), end: f64::INFINITY, spread: None };
    let mut spread = Spread { end: vec![0.0; base.end.len()], span: base.span(), ..Spread::default() };
    let names = base.names().into_iter().map(|name| (name.to_owned(), vec![0.0; base.times(name).len()]));
    spread.times = names.collect();
    for other in cloud {
        let events = event_difference(base, other, &coarse);
        let first = [events, outcome_difference(base, other, &coarse)].into_iter().flatten();
        let differs = first.map(|difference| difference.t).min_by(f64::total_cmp);
        spread.widen(base, other, differs.unwrap_or(f64::INFINITY));
    }
    spread
}

impl Spread {
    /// Takes in another account, which has the same events as the base before a time.
    fn widen(&mut self, base: &Account, other: &Account, until: f64) {
        for (name, apart) in &mut self.times {
            let pairs = base.times(name).into_iter().zip(other.times(name));
            for (apart, (a, b)) in apart.iter_mut().zip(pairs.take_while(|(a, _)| *a < until)) {
                *apart = f64::max(*apart, (a - b).abs());
            }
        }
        if until.is_finite() {
            self.horizon = Some(self.horizon.map_or(until, |horizon| horizon.min(until)));
            return;
        }
        self.alike += 1;
        for (apart, (a, b)) in self.end.iter_mut().zip(base.end.iter().zip(&other.end)) {
            *apart = f64::max(*apart, (a - b).abs());
        }
        let ends = base.estimate.zip(other.estimate).unwrap_or((base.end_time, other.end_time));
        self.end_time = self.end_time.max((ends.0 - ends.1).abs());
    }
}

/// How far apart changed models are from the base at its samples, as a part of the states' sizes. Times
/// between an event of one and the same event of the other are left out.
fn distances(base: &Account, cloud: &[Account]) -> Vec<(f64, f64)> {
    let mut distances = Vec::new();
    for (k, (t, state)) in base.samples.iter().enumerate() {
        let alike = cloud.iter().filter(|other| other.events_before(*t) == base.events_before(*t));
        let apart = |other: &Account| {
            let (_, there) = other.samples.get(k)?;
            let pairs = state.iter().zip(there).zip(&base.sizes).filter(|(_, size)| **size > 0.0);
            Some(pairs.map(|((a, b), size)| (a - b).abs() / size).fold(0.0, f64::max))
        };
        distances.extend(alike.filter_map(apart).reduce(f64::max).map(|worst| (*t, worst)));
    }
    distances
}
