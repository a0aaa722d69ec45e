//! How far small changes of a model move its events and its end: what errors within the tolerance can do, and no more, is no difference.

use super::account::Account;
use super::difference::{
    Allowance, Difference, DifferenceKind, Spread, event_difference, outcome_difference,
};
use super::subject::{Subject, account};

/// So many changes are tried, of each of two sizes.
const CHANGES: usize = 4;
/// A change at the level of rounding. What it does to events is chaos, or an error of the program.
const TINY: f64 = 1e-12;
/// Events further apart than this part of the run are others.
const COARSE: f64 = 1e-2;
/// Changes at the level of rounding that have grown to this part of a state's size have grown by themselves: the motion is chaotic.
const GROWN: f64 = 1e-5;

/// What small changes do to a model.
#[derive(Clone, Debug)]
pub(super) struct Sensitivity {
    /// Changes of the size of errors within the tolerance.
    pub(super) spread: Spread,
    /// From when on changes at the level of rounding make other events, although they had not grown before.
    pub(super) erratic: Option<f64>,
    /// How far apart changes at the level of rounding are, by time, as parts of their size at the start.
    pub(super) growth: Vec<(f64, f64)>,
}

impl Sensitivity {
    /// Measures what changes of a size do.
    pub(super) fn measure(subject: &dyn Subject, base: &Account, size: f64) -> Self {
        let cloud = |size: f64, first: usize| {
            let setups = (first..first + CHANGES)
                .filter_map(|sequence| subject.changed(size, sequence, &base.guard_names));
            setups.map(|setup| account(&setup)).collect::<Vec<_>>()
        };
        let (near, tiny) = (cloud(size, 1), cloud(TINY, 1 + CHANGES));
        let growth = growth(base, &tiny);
        let grown = growth.iter().find(|(_, factor)| factor * TINY > GROWN).map(|(t, _)| *t);
        let erratic = spread(base, &tiny).horizon.filter(|t| grown.is_none_or(|grown| *t < grown));
        Self { spread: spread(base, &near), erratic, growth }
    }

    /// Whether a difference is there because errors within the tolerance make it.
    pub(super) fn explains(&self, difference: &Difference, span: f64) -> bool {
        if matches!(difference.what, DifferenceKind::End | DifferenceKind::Broken) {
            return false;
        }
        let late = difference.t + COARSE * span;
        self.spread.horizon.is_some_and(|horizon| late >= horizon)
            && self.erratic.is_none_or(|erratic| late < erratic)
    }
}

/// How far accounts of changed models are from the base.
fn spread(base: &Account, cloud: &[Account]) -> Spread {
    let coarse = Allowance { time: COARSE * base.span(), end: f64::INFINITY, spread: None };
    let mut spread = Spread { end: vec![0.0; base.end.len()], ..Spread::default() };
    let names = base.names().into_iter().map(|name| (name.to_owned(), vec![0.0; base.times(name).len()]));
    spread.times = names.collect();
    for other in cloud {
        let events = event_difference(base, other, &coarse);
        let first = [events, outcome_difference(base, other, &coarse)].into_iter().flatten();
        let differs = first.map(|difference| difference.t).min_by(f64::total_cmp);
        spread.widen(base, other, differs.unwrap_or(f64::INFINITY));
    }
    if spread.alike == 0 {
        spread.end.fill(f64::INFINITY);
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

/// How far apart tiny changes are at the samples, as a multiple of the change; times between an event of one and the same event of the other are left
/// out.
fn growth(base: &Account, cloud: &[Account]) -> Vec<(f64, f64)> {
    let mut growth = Vec::new();
    for (k, (t, state)) in base.samples.iter().enumerate() {
        let mut worst: Option<f64> = None;
        for other in cloud {
            let Some((_, there)) = other.samples.get(k) else { continue };
            if other.events_before(*t) != base.events_before(*t) {
                continue;
            }
            let apart = state.iter().zip(there).zip(&base.sizes).filter(|(_, size)| **size > 0.0);
            let apart = apart.map(|((a, b), size)| (a - b).abs() / size).fold(0.0, f64::max);
            worst = Some(worst.map_or(apart, |worst| worst.max(apart)));
        }
        growth.extend(worst.map(|worst| (*t, worst / TINY)));
    }
    growth
}
