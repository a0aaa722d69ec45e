//! What the report shows of contacts: when each was closed and how, its hits, the audit, the modes that were
//! reached.

use super::report::with_unit;
use super::{RunResult, mode_graph_json, number};
use serde_json::{Value, json};
use slipstick::contact::{Hit, Impact};
use slipstick::equations::ContactShape;
use slipstick::trajectory::{ContactResidual, Event, ModeGraph};

/// Work below this part of all energies is rounding.
const ROUNDING: f64 = 1e-11;

/// The data of the sections about contacts.
pub(super) fn data(result: &RunResult<'_>) -> Value {
    let contact = |contact: &ContactShape| {
        let has_friction = contact.tangent.is_some();
        json!({ "name": contact.name, "friction": has_friction, "spans": spans(result, contact) })
    };
    let events = || result.trajectory.events.iter().enumerate();
    let hits: Vec<Value> = events().flat_map(|(i, event)| hits(i, event)).collect();
    let is_impact = |(_, event): &(usize, &Event)| event.impacts().next().is_some();
    let loss =
        |(i, event): (usize, &Event)| json!({ "event": i + 1, "t": event.t, "lost": event.energy_lost() });
    json!({
        "contacts": result.contacts().iter().map(contact).collect::<Vec<_>>(),
        "hits": hits,
        "losses": events().filter(is_impact).map(loss).collect::<Vec<_>>(),
        "audit": facts(result),
        "balance": balance(result),
        "graph": mode_graph_json(&ModeGraph::of(&result.plan.system, &result.trajectory)),
    })
}

/// What a contact did from when to when; it may do the same on both sides of an event.
fn spans(result: &RunResult<'_>, contact: &ContactShape) -> Vec<Value> {
    let mut spans: Vec<(f64, f64, &str)> = Vec::new();
    for segment in &result.trajectory.segments {
        let word = segment.mode.status(contact).word();
        match spans.last_mut() {
            Some(last) if last.2 == word => last.1 = segment.end_time,
            _ => spans.push((segment.start_time, segment.end_time, word)),
        }
    }
    spans.into_iter().map(|(from, to, does)| json!({ "from": from, "to": to, "does": does })).collect()
}

/// How well contacts kept their laws: what is said, the number, and where it was worst.
fn facts(result: &RunResult<'_>) -> Vec<[String; 2]> {
    let Some(audit) = result.contact_audit else { return Vec::new() };
    let worst = |label: &str, of: ContactResidual| {
        let (name, relative) = (&result.contacts()[of.contact].name, of.relative());
        let moment = with_unit(of.t, result.file.model.unit("t"));
        let place = format!(" ({name}, t = {moment}), {relative:.1e} of its size");
        let text = if of.value > 0.0 { format!("{:.2e}{place}", of.value) } else { "none".to_owned() };
        [label.to_owned(), text]
    };
    vec![worst("largest penetration", audit.penetration), worst("largest pull of a normal force", audit.pull)]
}

/// Where the energy came from and where it went.
fn balance(result: &RunResult<'_>) -> Vec<[String; 2]> {
    let Some((energy, parts)) = result.energy.zip(result.contact_audit.and_then(|audit| audit.energy)) else {
        return Vec::new();
    };
    let parts_of = [parts.surfaces, parts.other, parts.friction, parts.impacts, energy.start.total()];
    let rounding = ROUNDING * parts_of.into_iter().map(f64::abs).sum::<f64>();
    let row = |label: &str, value: f64| {
        let shown = if value.abs() > rounding { value } else { 0.0 };
        [label.to_owned(), number(format!("{shown:.6e}").parse().unwrap_or(shown))]
    };
    vec![
        row("at the start", energy.start.total()),
        row("+ put in by moving surfaces", parts.surfaces),
        row("+ put in by other forces and resets", parts.other),
        row("− lost by friction", parts.friction),
        row("− lost in impacts", parts.impacts),
        row("at the end", energy.end.total()),
        ["off by".to_owned(), format!("{:.1e}", parts.error.abs())],
    ]
}

/// What an event did to contacts, in words.
pub(super) fn words(result: &RunResult<'_>, number: usize) -> Vec<String> {
    let mut words = result.status_changes(number);
    words.extend(result.impacts_in_words(&result.trajectory.events[number]));
    words
}

/// The hits of an event, whose number is counted from zero.
fn hits(number: usize, event: &Event) -> Vec<Value> {
    let one = |hit: &Hit| {
        json!({
            "event": number + 1,
            "t": event.t,
            "contact": hit.contact,
            "before": hit.gap.0,
            "after": hit.gap.1,
            "normal": hit.impulse.0,
            "tangent": hit.impulse.1,
        })
    };
    event.impacts().flat_map(Impact::pushes).map(one).collect()
}
