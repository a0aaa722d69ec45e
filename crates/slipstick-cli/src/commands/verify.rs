//! `slipstick verify`: runs a model in ways that must not matter, and says what of its run can be trusted.

use super::Finish;
use super::check::count;
use crate::arguments::VerifyArguments;
use crate::model_file::{ModelFile, find_method};
use crate::talk::{Trouble, data};
use serde_json::{Value, json};
use slipstick::problems::{Cause, FragileEvent, Tried, Trust, Verification};
use slipstick::simulate::{Overrides, Plan};
use slipstick::step::Tolerances;

/// Runs the variants and prints what came of them.
pub(crate) fn verify(arguments: &VerifyArguments, json: bool) -> Result<Finish, Trouble> {
    let file = ModelFile::load(&arguments.model)?;
    file.check_settings(&arguments.settings)?;
    let method = arguments.method.as_deref().map(find_method).transpose()?;
    let overrides = Overrides { parameters: arguments.settings.clone(), until: arguments.until, method };
    let adjust = |plan: &mut Plan| {
        if let Some(rtol) = arguments.rtol {
            plan.options.tolerances = Tolerances::uniform(rtol, rtol * 1e-2);
        }
    };
    // What is wrong with the model is said as `run` says it.
    file.plan(&arguments.model, &overrides)?;
    let trust = Verification::new(&file.model, &overrides, &adjust).verify();
    let trust = trust.map_err(|diagnostics| Trouble::model(&arguments.model, &file.sources, diagnostics))?;
    if json {
        data(as_json(&file, &trust));
    } else {
        in_words(&file, &trust).into_iter().for_each(data);
    }
    Ok(Finish::done_if(trust.holds()))
}

/// An end state that is not known to this part of its size is not known.
const UNTRUSTED: f64 = 1e-2;

/// "14 events, the same in 12 of 12 variants; end state to 3e-9", and what is not so.
fn in_words(file: &ModelFile, trust: &Trust) -> Vec<String> {
    if let Some(failure) = &trust.failure {
        let head = format!("{}: nothing to compare with: {failure}", file.title());
        let slow = trust.slow.as_ref().map(|(name, cause)| format!("  not robust   `{name}`: {cause}"));
        return std::iter::once(head).chain(slow).collect();
    }
    let (same, all) = (trust.same(), trust.tried.len());
    let events = if trust.events == 0 { "no events".to_owned() } else { count(trust.events, "event") };
    let end = match trust.apart {
        _ if same == 0 => String::new(),
        apart if apart < UNTRUSTED => format!("; end state to {apart:.0e}"),
        _ => "; the end state cannot be trusted".to_owned(),
    };
    let mut lines = vec![format!("{}: {events}, the same in {same} of {all} variants{end}", file.title())];
    lines.extend(trust.growth.map(|growth| {
        let from =
            growth.from.map_or(String::new(), |from| format!("after t = {from:.4} the motion is chaotic: "));
        format!("  growth       {from}errors grow tenfold every {:.2}", growth.tenfold)
    }));
    lines.extend(trust.fragile.as_ref().map(fragile_in_words));
    let differs = |tried: &Tried| {
        let difference = tried.difference.as_ref()?;
        Some(format!("  differs      {}: {}", tried.variant, difference.text))
    };
    lines.extend(trust.tried.iter().filter_map(differs));
    lines
}

fn fragile_in_words(fragile: &FragileEvent) -> String {
    let name = match fragile.difference.name.as_str() {
        "" => "the end".to_owned(),
        name => format!("`{name}`"),
    };
    format!("  not robust   {name} at t = {:.6}: {}", fragile.difference.t, fragile.cause)
}

fn as_json(file: &ModelFile, trust: &Trust) -> Value {
    let finite = |x: f64| x.is_finite().then_some(x);
    let difference = |tried: &Tried| {
        tried.difference.as_ref().map(|d| {
            json!({ "what": d.what.name(), "t": finite(d.t), "name": d.name, "size": finite(d.size), "text": d.text })
        })
    };
    let variant = |tried: &Tried| {
        json!({
            "variant": tried.variant.to_string(),
            "same": tried.difference.is_none(),
            "explained": tried.is_explained,
            "end_apart": finite(tried.apart),
            "difference": difference(tried),
        })
    };
    json!({
        "model": file.name,
        "ok": trust.holds(),
        "outcome": trust.outcome,
        "failure": trust.failure,
        "end_t": finite(trust.end_time),
        "events": trust.events,
        "same": trust.same(),
        "end_apart": finite(trust.apart),
        "growth": trust.growth.map(|growth| json!({ "tenfold": growth.tenfold, "from": growth.from })),
        "slow": trust.slow.as_ref().map(slow_json),
        "fragile": trust.fragile.as_ref().map(|fragile| json!({
            "name": fragile.difference.name,
            "t": finite(fragile.difference.t),
            "variant": fragile.variant.to_string(),
            "cause": fragile.cause.name(),
            "text": fragile.cause.to_string(),
        })),
        "variants": trust.tried.iter().map(variant).collect::<Vec<_>>(),
    })
}

fn slow_json((name, cause): &(String, Cause)) -> Value {
    json!({ "name": name, "cause": cause.name(), "text": cause.to_string() })
}
