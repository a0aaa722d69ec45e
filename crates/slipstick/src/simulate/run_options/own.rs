//! Run options that are read in a way of their own: the method, generalized-α, concurrency, and what keeps
//! constraints met.

use super::OptionValue;
use super::kind::Draft;
use crate::equations::System;
use crate::formulation::{PerConstraint, Stabilisation};
use crate::model::{Diagnostic, Model, Setting};
use crate::simulate::Concurrency;
use crate::simulate::options::USUAL_SPEED;
use crate::simulate::{Error, Options, Plan, method_hint};
use crate::step::{Method, USUAL_RHO};

pub(super) fn method(draft: &mut Draft<'_>, setting: &Setting) -> Result<(), Diagnostic> {
    let name = setting.string("method = \"dopri5\"")?;
    let unknown =
        || setting.error("unknown-method", format!("unknown method `{name}`")).hint(method_hint(name));
    draft.options.method = Method::from_name(name).ok_or_else(unknown)?;
    Ok(())
}

pub(super) fn rho(draft: &mut Draft<'_>, setting: &Setting) -> Result<(), Diagnostic> {
    let value = setting.part(USUAL_RHO)?;
    if !(0.0..=1.0).contains(&value) {
        let error = Error::BadRho { value };
        return Err(setting.error(error.code(), error.to_string()).hint(error.hint()));
    }
    draft.options.rho_infinity = Some(value);
    Ok(())
}

pub(super) fn safety(draft: &mut Draft<'_>, setting: &Setting) -> Result<(), Diagnostic> {
    draft.options.steps.safety = setting.part(crate::step::SAFETY)?;
    Ok(())
}

pub(super) fn pinned(draft: &mut Draft<'_>, setting: &Setting) -> Result<(), Diagnostic> {
    let names_of =
        |model: &'_ Model| model.coordinates().iter().map(|c| c.name.clone()).collect::<Vec<String>>();
    // A drawing is put together with coordinates of its own.
    let known = names_of(draft.model.drawing.as_deref().unwrap_or(draft.model));
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    let (pinned, own) = (setting.names()?, names_of(draft.model));
    let places = pinned.iter().filter_map(|name| draft.place(&names, name, "among the coordinates"));
    let places: Vec<usize> = places.collect();
    let in_own = |place: usize| own.iter().position(|name| *name == known[place]);
    draft.options.constraints.pinned = places.into_iter().filter_map(in_own).collect();
    Ok(())
}

pub(super) fn concurrency(draft: &mut Draft<'_>, setting: &Setting) -> Result<(), Diagnostic> {
    const EXAMPLE: &str = "concurrency = { time = 1e-7, amplitude = 1e-6 }";
    setting.table(EXAMPLE)?;
    draft.errors.extend(setting.unknown_keys(&["time", "amplitude"]));
    let number = |key: &str| {
        let missing = || {
            let error = setting.error("missing-key", format!("`concurrency` has no `{key}`"));
            error.hint(format!("for example `{EXAMPLE}`"))
        };
        setting.get(key).ok_or_else(missing)
    };
    let time = draft.keep(number("time").and_then(Setting::time));
    let amplitude = draft.keep(number("amplitude").and_then(Setting::positive));
    draft.options.events.concurrency =
        time.zip(amplitude).map(|(time, amplitude)| Concurrency { time, amplitude });
    Ok(())
}

/// Makes terms in the equations of their two numbers.
type MakeTerms = fn(f64, f64) -> Stabilisation;

/// What terms in the equations pull along.
const ALONG: [(&str, MakeTerms); 3] = [
    ("forces", |rate, position| Stabilisation::Baumgarte { rate, position }),
    ("normal", |rate, position| Stabilisation::Normal { rate, position }),
    ("gradient", |rate, position| Stabilisation::Gradient { rate, position }),
];

/// The usual numbers of Baumgarte's terms and of the reduced form, in the unit of the model's time.
const USUAL_TERMS: (f64, f64) = (20.0, 100.0);
const USUAL_REDUCED: (f64, f64) = (10.0, 1.0);

/// A word, or a table with the numbers of terms in the equations.
pub(super) fn stabilisation(draft: &mut Draft<'_>, setting: &Setting) -> Result<(), Diagnostic> {
    draft.options.constraints.stabilisation_is_said = true;
    draft.options.constraints.stabilisation = if setting.as_table().is_none() {
        setting.word(&Stabilisation::words().collect::<Vec<_>>())?
    } else if setting.get("reach").is_some() || setting.get("speed").is_some() {
        sliding_mode(draft, setting)?
    } else if setting.get("decay").is_some() {
        draft.errors.extend(setting.unknown_keys(&["decay", "rate"]));
        let decay = number(setting, "decay", USUAL_REDUCED.0)?;
        Stabilisation::Reduced { decay, rate: number(setting, "rate", USUAL_REDUCED.1)? }
    } else {
        draft.errors.extend(setting.unknown_keys(&["rate", "position", "along"]));
        let rate = number(setting, "rate", USUAL_TERMS.0)?;
        let position = number(setting, "position", USUAL_TERMS.1)?;
        setting.get("along").map_or(Ok(ALONG[0].1), |along| along.word(&ALONG))?(rate, position)
    };
    Ok(())
}

/// A number greater than zero, or what is usual where it is not given.
fn number(table: &Setting, key: &str, usual: f64) -> Result<f64, Diagnostic> {
    table.get(key).map_or(Ok(usual), Setting::positive)
}

fn sliding_mode(draft: &mut Draft<'_>, setting: &Setting) -> Result<Stabilisation, Diagnostic> {
    draft.errors.extend(setting.unknown_keys(&["reach", "speed"]));
    let Some(reach) = setting.get("reach") else {
        let error = setting.error("missing-key", "`stabilisation` has no `reach`");
        return Err(error.hint("for example `{ reach = 0.1, speed = 10 }`"));
    };
    draft.options.constraints.reach = per_constraint(draft, reach, None)?;
    draft.options.constraints.speed = match setting.get("speed") {
        Some(speed) => per_constraint(draft, speed, Some(USUAL_SPEED))?,
        None => PerConstraint::Same(USUAL_SPEED),
    };
    Ok(Stabilisation::SlidingMode)
}

/// One number, or numbers by constraint. Without a usual one, each constraint needs its own.
fn per_constraint(
    draft: &mut Draft<'_>,
    setting: &Setting,
    usual: Option<f64>,
) -> Result<PerConstraint, Diagnostic> {
    if setting.as_table().is_none() {
        return Ok(PerConstraint::Same(setting.positive()?));
    }
    let mut values = vec![usual; draft.constraints.len()];
    for (name, value) in setting.leaves() {
        let place = draft.place(draft.constraints, &name, "among the constraints");
        if let (Some(k), Some(number)) = (place, draft.keep(value.positive())) {
            values[k] = Some(number);
        }
    }
    let missing = draft.constraints.iter().zip(&values).filter(|(_, value)| value.is_none());
    draft.errors.extend(missing.map(|(name, _)| {
        let message = format!("`reach` has no number for the constraint `{name}`");
        let hint = "give one number for all constraints, or one for each";
        setting.error("missing-key", message).hint(hint)
    }));
    Ok(PerConstraint::Each(values.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect()))
}

/// The word of the model file; nothing without friction in contacts.
pub(super) fn show_painleve(plan: &Plan) -> OptionValue {
    let has_friction = plan.system.shape().mechanism.contacts.iter().any(|c| c.tangent.is_some());
    match plan.options.events.stops_at_painleve {
        _ if !has_friction => OptionValue::Nothing,
        true => "stop".into(),
        false => "continue".into(),
    }
}

/// The word of the model file; nothing without contacts.
pub(super) fn show_dense_events(plan: &Plan) -> OptionValue {
    let has_contacts = !plan.system.shape().mechanism.contacts.is_empty();
    if has_contacts { plan.options.contacts.dense_events.name().into() } else { OptionValue::Nothing }
}

/// The word of the model file, or the numbers of terms in the equations.
pub(super) fn show_stabilisation(plan: &Plan) -> OptionValue {
    let options = &plan.options;
    let terms = |rate: f64, position: f64, along: &str| {
        OptionValue::Table(vec![
            ("rate", rate.into()),
            ("position", position.into()),
            ("along", along.into()),
        ])
    };
    match options.constraints.stabilisation {
        _ if !is_mechanism(plan) => OptionValue::Nothing,
        Stabilisation::Baumgarte { rate, position } => terms(rate, position, ALONG[0].0),
        Stabilisation::Normal { rate, position } => terms(rate, position, ALONG[1].0),
        Stabilisation::Gradient { rate, position } => terms(rate, position, ALONG[2].0),
        Stabilisation::Reduced { decay, rate } => {
            OptionValue::Table(vec![("decay", decay.into()), ("rate", rate.into())])
        }
        Stabilisation::SlidingMode => OptionValue::Table(vec![
            ("reach", (&options.constraints.reach).into()),
            ("speed", (&options.constraints.speed).into()),
        ]),
        _ if options.method.keeps_positions() => "none".into(),
        word => word.name().into(),
    }
}

fn is_mechanism(plan: &Plan) -> bool {
    plan.system.shape().layout.v > 0
}

/// A value that applies only where the ends of steps are corrected.
pub(super) fn if_corrected(plan: &Plan, value: fn(&Options) -> OptionValue) -> OptionValue {
    let applies = is_mechanism(plan) && plan.options.makes_corrections();
    if applies { value(&plan.options) } else { OptionValue::Nothing }
}
