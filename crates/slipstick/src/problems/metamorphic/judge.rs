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
    let mut judgement = Judgement { failure, events: base.firings.len(), tried: Vec::new() };
    if judgement.failure.is_some() {
        return judgement;
    }
    let (tried, accounts) = compare(subject, &base, variants, tolerance);
    judgement.tried = tried;
    if judgement.tried.iter().any(|tried| tried.difference.is_some()) {
        let sensitivity = Sensitivity::measure(subject, &base, ERRORS * tolerance);
        explain(subject, &base, (&mut judgement.tried, &accounts), &sensitivity, tolerance);
    }
    judgement
}

/// Runs a model in variants, and compares each with the model as it is. What takes too many steps says nothing.
pub(super) fn compare(
    subject: &dyn Subject,
    base: &Account,
    variants: &[Variant],
    tolerance: f64,
) -> (Vec<Tried>, Vec<Account>) {
    let (mut tried, mut accounts) = (Vec::new(), Vec::new());
    for &variant in variants {
        let Some(setup) = subject.variant(variant, &base.guard_names) else { continue };
        let other = setup.map_or_else(|why| refused(&why), |setup| account(&setup));
        if subject.gives_up() && (other.outcome == "step-limit" || other.end.is_empty()) {
            continue;
        }
        let difference = difference(base, &other, &allowance(variant, base, tolerance));
        let apart = distance_of_ends(base, &other);
        tried.push(Tried { variant, difference, is_explained: false, apart });
        accounts.push(other);
    }
    (tried, accounts)
}

/// Takes off all differences that small changes of the model make in times and ends, and marks those that they make in events.
pub(super) fn explain(
    subject: &dyn Subject,
    base: &Account,
    (tried, accounts): (&mut [Tried], &[Account]),
    sensitivity: &Sensitivity,
    tolerance: f64,
) {
    for (tried, other) in tried.iter_mut().zip(accounts).filter(|(tried, _)| tried.difference.is_some()) {
        let usual = allowance(tried.variant, base, tolerance);
        let left = difference(base, other, &Allowance { spread: Some(&sensitivity.spread), ..usual });
        let is_sensitive =
            |left: &Difference| subject.may_be_sensitive() && sensitivity.explains(left, base.span());
        tried.is_explained = left.as_ref().is_some_and(is_sensitive);
        tried.difference = left.filter(|left| !vanishes(subject, base, tried.variant, left, tolerance));
    }
}

/// A difference of a size that is at most a tenth with tolerances of a hundredth is one of accuracy.
const VANISHES: f64 = 0.1;

/// Whether a difference of times or ends is the error of a method, and vanishes with the tolerance.
fn vanishes(
    subject: &dyn Subject,
    base: &Account,
    variant: Variant,
    left: &Difference,
    tolerance: f64,
) -> bool {
    let Some(setup) = subject.tighter(variant).filter(|_| left.size.is_finite()) else { return false };
    let other = account(&setup);
    let usual = allowance(variant, base, tolerance);
    difference(base, &other, &usual)
        .is_none_or(|now| now.what == left.what && now.size <= VANISHES * left.size)
}

fn failure(base: &Account, may_accumulate: bool) -> Option<String> {
    let stops = base.is_complete || may_accumulate && base.outcome == "accumulation";
    base.broken.clone().or((!stops).then(|| format!("{} at t = {}", base.outcome, base.end_time)))
}

fn allowance(variant: Variant, base: &Account, tolerance: f64) -> Allowance<'static> {
    let factor = if let Variant::Tolerance(factor) = variant { factor.max(1.0) } else { 1.0 };
    let shift = if let Variant::Later(shift) = variant { shift } else { 0.0 };
    let errors = ERRORS * tolerance * factor;
    let rounding = SPACINGS * f64::EPSILON * (shift + base.end_time.abs());
    Allowance { time: errors * base.span() + rounding, end: errors + rounding / base.span(), spread: None }
}
