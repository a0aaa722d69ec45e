//! A user's model in the variants that need no knowledge of it, and what can be trusted of its run.

use super::super::draw::Draw;
use super::account::{Account, Units};
use super::cause::{Cause, cause_of, zeno};
use super::difference::Difference;
use super::growth::ErrorGrowth;
use super::judge::{ERRORS, Trials, Tried};
use super::sensitivity::Sensitivity;
use super::subject::{Setup, Subject, account, constants};
use super::variant::{LONGEST, Variant};
use crate::model::{Diagnostic, EventRule, Location, Model, Trigger};
use crate::simulate::{Overrides, Plan};
use crate::step::{Method, PerComponent};

/// A model of a user, with the wishes for its run.
pub struct Verification<'a> {
    model: &'a Model,
    overrides: &'a Overrides,
    /// What a plan is changed by before it is run.
    adjust: &'a dyn Fn(&mut Plan),
    /// How many steps a variant may take.
    steps: u64,
}

/// The event that is not robust, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct FragileEvent {
    /// The variant in which it is another.
    pub variant: Variant,
    /// How.
    pub difference: Difference,
    /// Why.
    pub cause: Cause,
}

/// What can be trusted of a run.
#[derive(Clone, Debug)]
pub struct Trust {
    /// How the model as it is ended, and whether that is an end to compare with.
    pub outcome: String,
    /// Why there is nothing to compare with, if so.
    pub failure: Option<String>,
    /// How many events it has.
    pub events: usize,
    /// The time at which it ended.
    pub end_time: f64,
    /// Every variant that could be run.
    pub tried: Vec<Tried>,
    /// How far apart the ends of variants with the same events are at most, as a part of the states' sizes;
    /// those with looser tolerances left out.
    pub apart: f64,
    /// How fast errors grow, if they do.
    pub growth: Option<ErrorGrowth>,
    /// The first event that is not robust.
    pub fragile: Option<FragileEvent>,
    /// The event whose repetitions kept the model as it is from its end, and why.
    pub slow: Option<(String, Cause)>,
}

impl Trust {
    /// What is known from the model as it is.
    fn of(base: &Account) -> Self {
        let is_stop = base.is_complete || base.outcome == "accumulation";
        let stopped = || format!("{} at t = {}", base.outcome, base.end_time);
        Self {
            outcome: base.outcome.clone(),
            failure: base.broken.clone().or((!is_stop).then(stopped)),
            events: base.firings.len(),
            end_time: base.end_time,
            tried: Vec::new(),
            apart: 0.0,
            growth: None,
            fragile: None,
            slow: None,
        }
    }

    /// Whether nothing matters that should not.
    pub fn holds(&self) -> bool {
        self.failure.is_none() && self.same() == self.tried.len()
    }

    /// How many variants are the same.
    pub fn same(&self) -> usize {
        self.tried.iter().filter(|tried| tried.difference.is_none()).count()
    }
}

/// By how many times the span of the run times are later: as for drawn models.
const LATER_SPANS: f64 = 2e5;
/// A variant may take so many times the steps of the run as it is, and so many more: an explicit method on a
/// stiff problem is given up.
const MORE_STEPS: u64 = 20;
const FEW_STEPS: u64 = 20_000;
/// Tolerances are multiplied by these.
const TOLERANCES: [f64; 2] = [0.01, 10.0];
/// The methods that are tried.
const METHODS: [Method; 8] = [
    Method::DormandPrince5,
    Method::DormandPrince8,
    Method::Tsitouras5,
    Method::BogackiShampine3,
    Method::Radau5,
    Method::Rodas4,
    Method::Sdirk4,
    Method::HalfExplicit5,
];

impl<'a> Verification<'a> {
    /// Of a checked model. `adjust` changes each plan before it is run: what a command line wishes.
    pub fn new(model: &'a Model, overrides: &'a Overrides, adjust: &'a dyn Fn(&mut Plan)) -> Self {
        Self { model, overrides, adjust, steps: u64::MAX }
    }

    /// Runs the model in its variants; an error is one that a run of the model would have, too.
    pub fn verify(&self) -> Result<Trust, Vec<Diagnostic>> {
        let setup = self.setup(None)?;
        let base = account(&setup);
        let mut trust = Trust::of(&base);
        if trust.failure.is_some() {
            trust.slow = slow_zeno(&base);
            return Ok(trust);
        }
        let tolerance = smallest(&setup.options.tolerances.relative);
        let limited = Self { steps: MORE_STEPS * base.steps + FEW_STEPS, ..*self };
        let mut trials = Trials::run(&limited, base, &self.variants(&setup), tolerance);
        let sensitivity = Sensitivity::measure(&limited, &trials.base, ERRORS * tolerance);
        trials.explain(&limited, &sensitivity);
        trust.growth = sensitivity.growth;
        trust.fragile = limited.first_fragile(&setup, &trials, trust.growth);
        let is_close = |tried: &&Tried| tried.difference.is_none() && !is_looser(tried.variant);
        trust.apart = trials.tried.iter().filter(is_close).map(|tried| tried.apart).fold(0.0, f64::max);
        trust.tried = trials.tried;
        Ok(trust)
    }

    /// The first difference in time, and why it is there; one that small changes of the model do not make
    /// goes before all others.
    fn first_fragile(
        &self,
        base: &Setup,
        trials: &Trials,
        growth: Option<ErrorGrowth>,
    ) -> Option<FragileEvent> {
        let time = |tried: &Tried| Some((tried.is_explained, tried.difference.as_ref()?.t));
        let left = trials
            .tried
            .iter()
            .zip(&trials.accounts)
            .filter_map(|(tried, run)| Some((time(tried)?, tried, run)));
        let (_, first, run) = left.min_by(|a, b| a.0.0.cmp(&b.0.0).then(a.0.1.total_cmp(&b.0.1)))?;
        let difference = first.difference.clone()?;
        let setup = self.setup(Some(first.variant)).ok()?;
        let runs = [(base, &trials.base), (&setup, run)];
        let cause = cause_of(&difference, runs, growth, first.is_explained);
        Some(FragileEvent { variant: first.variant, difference, cause })
    }

    fn variants(&self, base: &Setup) -> Vec<Variant> {
        let own = base.options.method;
        let mut variants: Vec<Variant> =
            METHODS.iter().filter(|m| **m != own).copied().map(Variant::Method).collect();
        if base.options.steps.fixed.is_none() {
            variants.extend(LONGEST.map(Variant::LongestStep));
            variants.extend(TOLERANCES.map(Variant::Tolerance));
        }
        let events = self.model.all_events().count();
        let locations = [Location::Dense, Location::Integrate, Location::OneSided];
        variants.extend(
            locations
                .into_iter()
                .filter(|own| Some(*own) != base.options.events.location)
                .map(Variant::Located),
        );
        variants.extend([Variant::Clock, Variant::Still]);
        if events > 1 {
            variants.push(Variant::Order);
        }
        if !self.knows_time() {
            variants.push(Variant::Later(LATER_SPANS * (base.options.until - base.start.t)));
        }
        variants
    }

    /// Whether the model uses the time anywhere.
    fn knows_time(&self) -> bool {
        let is_timed = |event: &EventRule| matches!(event.trigger, Trigger::At(_) | Trigger::Every { .. });
        let has_times = self.model.all_events().any(|(_, event)| is_timed(event));
        has_times
            || super::formulas::formulas(self.model)
                .any(|formula| formula.syntax.names().any(|(name, _)| name == "t"))
    }

    fn setup(&self, variant: Option<Variant>) -> Result<Setup, Vec<Diagnostic>> {
        let mut model = self.model.clone();
        let mut overrides = self.overrides.clone();
        if let Some(Variant::Method(method)) = variant {
            overrides.method = Some(method);
        }
        let plain = Plan::new(&model, &overrides)?;
        let (from, span) = (plain.start.t, plain.options.until - plain.start.t);
        let mut plan = match variant {
            Some(variant @ (Variant::Clock | Variant::Order | Variant::Still)) => {
                variant.change_model(&mut model, span);
                Plan::new(&model, &overrides)?
            }
            _ => plain,
        };
        (self.adjust)(&mut plan);
        if let Some(variant) = variant {
            variant.change_options(&mut plan.options, from);
        }
        plan.options.limits.steps = plan.options.limits.steps.min(self.steps);
        let shift = if let Some(Variant::Later(shift)) = variant { shift } else { 0.0 };
        plan.start.t += shift;
        Ok(Setup::of(&model, plan, Units { shift, ..Units::default() }))
    }
}

/// The event that a run ended with, if its intervals shrink.
fn slow_zeno(base: &Account) -> Option<(String, Cause)> {
    let last = base.firings.last()?;
    let cause = zeno(&base.times(&last.name), base.end_time, base.span())?;
    Some((last.name.clone(), cause))
}

fn smallest(tolerance: &PerComponent) -> f64 {
    tolerance.values().iter().copied().fold(f64::INFINITY, f64::min)
}

fn is_looser(variant: Variant) -> bool {
    matches!(variant, Variant::Tolerance(factor) if factor > 1.0)
}

impl Subject for Verification<'_> {
    fn base(&self) -> Result<Setup, String> {
        self.setup(None).map_err(|errors| errors.first().map_or(String::new(), |error| error.message.clone()))
    }

    fn variant(&self, variant: Variant, _names: &[String]) -> Option<Result<Setup, String>> {
        self.setup(Some(variant)).ok().map(Ok)
    }

    fn may_be_sensitive(&self) -> bool {
        true
    }

    fn gives_up(&self) -> bool {
        true
    }

    fn may_accumulate(&self) -> bool {
        true
    }

    /// Parameters and start values that are plain numbers are changed, zeros and what never changes are not:
    /// a thing at rest stays so.
    fn changed(&self, part: f64, sequence: usize, names: &[String]) -> Option<Setup> {
        let mut draw = Draw::of("changes", sequence);
        let mut change = |value: f64| value * (1.0 + part * draw.within(1.0));
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|value| *value != 0.0);
        let mut overrides = self.overrides.clone();
        for parameter in &self.model.parameters {
            let is_set = overrides.parameters.iter().any(|(name, _)| *name == parameter.name);
            if let Some(value) = number(parameter.formula.syntax.text()).filter(|_| !is_set) {
                overrides.parameters.push((parameter.name.clone(), change(value)));
            }
        }
        let changed = Verification { overrides: &overrides, ..*self };
        let mut setup = changed.setup(None).ok()?;
        let constants = constants(self.model);
        let is_number = |i: &usize| {
            let start = self.model.states.get(*i).map(|state| state.formula.syntax.text());
            start.and_then(number).is_some() && !constants.contains(i)
        };
        for i in (0..setup.start.y.len()).filter(is_number) {
            setup.start.y[i] = change(setup.start.y[i]);
        }
        Some(setup.named(names))
    }

    fn tighter(&self, variant: Variant) -> Option<Setup> {
        let mut setup = self.setup(Some(variant)).ok()?;
        Variant::Tolerance(TOLERANCES[0]).change_options(&mut setup.options, setup.start.t);
        matches!(variant, Variant::Method(_) | Variant::Tolerance(_)).then_some(setup)
    }

    fn untruth(&self, _account: &Account) -> Option<String> {
        None
    }
}
