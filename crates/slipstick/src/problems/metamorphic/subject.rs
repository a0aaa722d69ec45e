//! What is judged: a model that can be run as it is, in variants, and a little changed.

use super::account::{Account, Units};
use super::variant::Variant;
use crate::equations::System;
use crate::model::Model;
use crate::simulate::{Options, Plan, Start, simulate};
use crate::step::Tolerances;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Everything that one run needs.
pub(super) struct Setup {
    pub(super) system: Box<dyn System>,
    pub(super) start: Start,
    pub(super) options: Options,
    pub(super) units: Units,
}

impl Setup {
    /// The run of a plan of a model.
    pub(super) fn of(model: &Model, plan: Plan, mut units: Units) -> Self {
        let Plan { system, start, options, .. } = plan;
        let Tolerances { relative, absolute, .. } = &options.tolerances;
        let scale =
            |i: usize| 10_f64.powi(-units.powers.get(i).map_or(0, |power| power * units.rendering.length));
        units.floors = (0..start.y.len()).map(|i| scale(i) * absolute.get(i) / relative.get(i)).collect();
        units.constants = constants(model);
        Self { system: Box::new(system), start, options, units }
    }
}

impl Setup {
    /// The same with guards named as in another run.
    pub(super) fn named(mut self, names: &[String]) -> Self {
        self.units.names = Some(names.to_vec());
        self
    }
}

/// The states whose derivative is written as zero, in every mode.
pub(super) fn constants(model: &Model) -> Vec<usize> {
    let rates = |name: &str| {
        let of_modes = model.modes.iter().flat_map(|mode| &mode.derivatives);
        let rates = model.derivatives.iter().chain(of_modes).filter(|rate| rate.name == name);
        rates.map(|rate| rate.formula.syntax.text().trim().parse::<f64>() == Ok(0.0)).collect::<Vec<_>>()
    };
    let is_constant = |i: &usize| {
        let rates = rates(&model.states[*i].name);
        !rates.is_empty() && rates.into_iter().all(|is_zero| is_zero)
    };
    (2 * model.coordinates().len()..model.states.len()).filter(is_constant).collect()
}

/// A model that is judged.
pub(super) trait Subject {
    /// The run that others are compared with.
    fn base(&self) -> Result<Setup, String>;
    /// The same in a variant: none if it cannot be run so, an error if it should be.
    fn variant(&self, variant: Variant, names: &[String]) -> Option<Result<Setup, String>>;
    /// Whether its events can depend on small changes, as where a guard may touch zero.
    fn may_be_sensitive(&self) -> bool;
    /// Whether a variant may be one that the model cannot be run in, or needs too many steps: explicit
    /// methods where the model is stiff.
    fn gives_up(&self) -> bool;
    /// Whether its events may accumulate without an end.
    fn may_accumulate(&self) -> bool;
    /// The same with its numbers changed by at most this part of them; there are many sequences of changes.
    /// None if nothing can be changed.
    fn changed(&self, part: f64, sequence: usize, names: &[String]) -> Option<Setup>;
    /// A variant with tighter tolerances, to see whether a difference of it vanishes with them; none if that
    /// is not to be asked.
    fn tighter(&self, variant: Variant) -> Option<Setup>;
    /// What of an account is known to be wrong.
    fn untruth(&self, account: &Account) -> Option<String>;
}

/// What a run did.
pub(super) fn account(setup: &Setup) -> Account {
    let run =
        catch_unwind(AssertUnwindSafe(|| simulate(setup.system.as_ref(), &setup.start, &setup.options)));
    match run {
        Ok(Ok(run)) => Account::of(&run, &setup.units, run.outcome.code(), run.outcome.is_complete()),
        Ok(Err(failure)) => Account::of(&failure.trajectory, &setup.units, failure.error.code(), false),
        Err(_) => refused("panic"),
    }
}

/// The account of what was never run.
pub(super) fn refused(outcome: &str) -> Account {
    Account {
        firings: Vec::new(),
        from: 0.0,
        end_time: 0.0,
        end: Vec::new(),
        sizes: Vec::new(),
        mode: 0,
        outcome: outcome.to_owned(),
        estimate: None,
        is_complete: false,
        broken: None,
        samples: Vec::new(),
        guard_names: Vec::new(),
        state_names: Vec::new(),
        steps: 0,
        rests: Vec::new(),
        captured: None,
    }
}
