//! Whether what must not matter does not: every variant of a model against the model as it is.

use super::account::Account;
use super::difference::{Allowance, Difference, difference, distance_of_ends};
use super::sensitivity::Sensitivity;
use super::subject::{Subject, account, refused};
use super::variant::Variant;

/// One variant of a model, and how it differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// The variant.
    pub variant: Variant,
    /// The first difference that is larger than what errors within the tolerance make of events and end.
    pub difference: Option<Difference>,
    /// Whether small changes of the model make other events there as well.
    pub is_explained: bool,
    /// How far apart the ends are, as a part of the states' sizes.
    pub apart: f64,
}

/// What came of all variants of a model.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// Why the model as it is has no run to compare with, or a run that contradicts itself.
    pub failure: Option<String>,
    /// How many events it has.
    pub events: usize,
    /// The variants that could be run.
    pub tried: Vec<Tried>,
}

impl Judgement {
    /// A stable word for what came of it.
    pub fn verdict(&self) -> &'static str {
        let is_left = |tried: &Tried| tried.difference.is_some() && !tried.is_explained;
        match () {
            () if self.failure.is_some() => "fails",
            () if self.tried.iter().any(is_left) => "differs",
            () if self.tried.iter().any(|tried| tried.difference.is_some()) => "sensitive",
            () => "same",
        }
    }
}

/// Errors at the end of a run are at most this many times the tolerance, if nothing makes them grow.
pub(super) const ERRORS: f64 = 100.0;
/// Times are known to this many spacings of doubles.
const SPACINGS: f64 = 64.0;

/// Judges a model by its variants. `tolerance` is the relative one that it is run with.
pub(super) fn judge(subject: &dyn Subject, variants: &[Variant], tolerance: f64) -> Judgement {
    let base = match subject.base() {
        Ok(setup) => account(&setup),
        Err(why) => refused(&why),
    };
    let failure = failure(&base, subject.may_accumulate()).or_else(|| subject.untruth(&base));
    let events = base.firings.len();
    if failure.is_some() {
        return Judgement { failure, events, tried: Vec::new() };
    }
    let mut trials = Trials::run(subject, base, variants, tolerance);
    if trials.tried.iter().any(|tried| tried.difference.is_some()) {
        let sensitivity = Sensitivity::measure(subject, &trials.base, ERRORS * tolerance);
        trials.explain(subject, &sensitivity);
    }
    Judgement { failure, events, tried: trials.tried }
}

/// The runs of a model: as it is, and in its variants.
pub(super) struct Trials {
    pub(super) base: Account,
    pub(super) tried: Vec<Tried>,
    /// What each of the variants did.
    pub(super) accounts: Vec<Account>,
    tolerance: f64,
}

impl Trials {
    /// Runs a model in variants, and compares each with the model as it is. A variant that cannot be run, or
    /// takes too many steps, says nothing.
    pub(super) fn run(subject: &dyn Subject, base: Account, variants: &[Variant], tolerance: f64) -> Self {
        let mut trials = Self { base, tried: Vec::new(), accounts: Vec::new(), tolerance };
        for &variant in variants {
            let Some(setup) = subject.variant(variant, &trials.base.guard_names) else { continue };
            let other = setup.map_or_else(|why| refused(&why), |setup| account(&setup));
            let is_nothing = other.outcome == "step-limit" || other.end.is_empty();
            if subject.gives_up() && is_nothing {
                continue;
            }
            let difference = difference(&trials.base, &other, &trials.allowance(variant));
            let apart = distance_of_ends(&trials.base, &other);
            trials.tried.push(Tried { variant, difference, is_explained: false, apart });
            trials.accounts.push(other);
        }
        trials
    }

    /// Takes off all differences that small changes of the model make in times and ends, and marks those that
    /// they make in events.
    pub(super) fn explain(&mut self, subject: &dyn Subject, sensitivity: &Sensitivity) {
        for number in 0..self.tried.len() {
            let Tried { variant, difference: Some(_), .. } = self.tried[number] else { continue };
            let usual = self.allowance(variant);
            let allowed = Allowance { spread: Some(&sensitivity.spread), ..usual };
            let left = difference(&self.base, &self.accounts[number], &allowed);
            let explains = |left: &Difference| sensitivity.explains(left, self.base.span());
            let is_explained = subject.may_be_sensitive() && left.as_ref().is_some_and(explains);
            let left = left.filter(|left| !self.vanishes(subject, variant, left));
            let tried = &mut self.tried[number];
            (tried.difference, tried.is_explained) = (left, is_explained);
        }
    }

    /// Whether a difference of times or ends is the error of a method, and vanishes with the tolerance.
    fn vanishes(&self, subject: &dyn Subject, variant: Variant, left: &Difference) -> bool {
        let Some(setup) = subject.tighter(variant).filter(|_| left.size.is_finite()) else { return false };
        let now = difference(&self.base, &account(&setup), &self.allowance(variant));
        now.is_none_or(|now| now.what == left.what && now.size <= VANISHES * left.size)
    }

    /// How far a variant may be from the base where nothing makes errors grow.
    fn allowance(&self, variant: Variant) -> Allowance<'static> {
        let factor = if let Variant::Tolerance(factor) = variant { factor.max(1.0) } else { 1.0 };
        let shift = if let Variant::Later(shift) = variant { shift } else { 0.0 };
        let errors = ERRORS * self.tolerance * factor;
        let span = self.base.span();
        let rounding = SPACINGS * f64::EPSILON * (shift + self.base.end_time.abs());
        Allowance { time: errors * span + rounding, end: errors + rounding / span, spread: None }
    }
}

/// A difference of a size that is at most a tenth with tolerances of a hundredth is one of accuracy.
const VANISHES: f64 = 0.1;

fn failure(base: &Account, may_accumulate: bool) -> Option<String> {
    let stops = base.is_complete || may_accumulate && base.outcome == "accumulation";
    base.broken.clone().or((!stops).then(|| format!("{} at t = {}", base.outcome, base.end_time)))
}
