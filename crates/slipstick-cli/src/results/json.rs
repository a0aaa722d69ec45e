//! `run.json`, and events for programs.

use super::{AuditResult, RunResult};
use serde_json::{Map, Value, json};
use slipstick::equations::System;
use slipstick::mode::Mode;
use slipstick::simulate::{OptionValue, RUN_OPTIONS};
use slipstick::step::Share;
use slipstick::trajectory::{Event, EventKind, ModeEdge, ModeGraph, ReachedMode, Round, Severity};

/// Everything about a run but its trajectory.
pub(crate) fn run_json(result: &RunResult<'_>) -> Value {
    let (file, trajectory) = (result.file, &result.trajectory);
    let mut value = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "model": { "file": file.name, "title": file.title(), "sha256": file.hash },
        "options": options(result),
        "outcome": {
            "code": result.outcome_code(),
            "complete": result.is_complete(),
            "text": result.outcome_text(),
            "hint": result.outcome_hint(),
            "t": trajectory.end_time(),
            "estimated_t": trajectory.outcome.estimated_time(),
        },
        "statistics": statistics(result),
        "end": end_state(result),
        "joints": result.joints_json(),
        "energy": result.energy_json(),
        "audit": result.audit.iter().map(AuditResult::json).collect::<Vec<_>>(),
        "warnings": result.notes_json(Severity::Warning),
        "notes": result.notes_json(Severity::Note),
        "wall_s": result.wall_s,
    });
    if !result.contacts().is_empty() {
        value["contacts"] = result.contacts_json();
    }
    value
}

/// Every run option, and the parameters.
fn options(result: &RunResult<'_>) -> Value {
    let all = RUN_OPTIONS.iter().map(|option| (option.key.to_owned(), value(option.value(result.plan))));
    let mut all: Map<String, Value> = all.collect();
    let parameters = result.file.model.parameters.iter().zip(&result.plan.system.shape().parameters);
    let parameters: Map<String, Value> =
        parameters.map(|(d, value)| (d.name.clone(), json!(value))).collect();
    all.insert("parameters".to_owned(), Value::Object(parameters));
    Value::Object(all)
}

/// The value of an option as JSON.
fn value(of: OptionValue) -> Value {
    match of {
        OptionValue::Nothing => Value::Null,
        OptionValue::Number(number) => json!(number),
        OptionValue::Count(count) => json!(count),
        OptionValue::Word(word) => json!(word),
        OptionValue::List(list) => list.into_iter().map(value).collect(),
        OptionValue::Table(table) => {
            Value::Object(table.into_iter().map(|(key, inner)| (key.to_owned(), value(inner))).collect())
        }
    }
}

fn statistics(result: &RunResult<'_>) -> Value {
    let s = &result.trajectory.statistics;
    json!({
        "accepted": s.accepted,
        "rejected": s.rejected,
        "right_hand_sides": s.derivatives,
        "jacobians": s.jacobians,
        "factorisations": s.factorisations,
        "guard_evaluations": s.guards,
        "first_step_estimates": s.starts.estimates,
        "reused_right_hand_sides": s.starts.reused,
        "steps_made_again": s.locating.relocations,
        "settling_right_hand_sides": s.starts.settling,
        "locating_right_hand_sides": s.locating.derivatives,
        "corrected_steps": s.corrected,
        "motion_factorisations": s.motion_factorisations,
        "phantoms": s.locating.phantoms,
        "sliding_steps": s.sliding.accepted,
        "sliding_steps_rejected": s.sliding.rejected,
        "events": s.events,
        "resets": s.kinds.resets,
        "mode_changes": s.kinds.mode_changes,
        "switchings": s.kinds.switchings,
        "records": s.kinds.records,
        "smallest_step": s.sizes.smallest.is_finite().then_some(s.sizes.smallest),
        "largest_step": s.sizes.largest,
        "methods": s.shares.iter().map(share).collect::<Vec<_>>(),
    })
}

/// What one method did; `auto` is made of several.
fn share(share: &Share) -> Value {
    json!({
        "method": share.method.name(),
        "form": share.is_ggl.then_some("ggl"),
        "accepted": share.accepted,
        "rejected": share.rejected,
        "right_hand_sides": share.counts.derivatives,
    })
}

fn end_state(result: &RunResult<'_>) -> Value {
    let mode = result.trajectory.segments.last().map(|segment| &segment.mode);
    values_json(result, result.trajectory.end_state(), mode)
}

/// States and discrete variables by name.
fn values_json(result: &RunResult<'_>, state: &[f64], mode: Option<&Mode>) -> Value {
    let values = result.named_values(state, mode);
    Value::Object(values.map(|(name, value)| (name.to_owned(), json!(value))).collect())
}

/// One event; `rounds` says what came of what.
pub(crate) fn event_json(result: &RunResult<'_>, index: usize) -> Value {
    let event = &result.trajectory.events[index];
    let (before, after) = result.modes_at(index);
    let mode = |index| result.has_modes().then(|| result.mode_name(index));
    let mut value = json!({
        "number": index + 1,
        "t": event.t,
        "t_lo": event.bracket.lo,
        "t_hi": event.bracket.hi,
        "names": result.guard_names(&event.guards),
        "kinds": kind_names(&event.kinds),
        "mode_before": mode(event.mode_before),
        "mode_after": mode(event.mode_after),
        "before": values_json(result, &event.before, Some(before)),
        "after": values_json(result, &event.after, Some(after)),
        "rounds": rounds_json(result, event, before),
    });
    if result.has_impacts() {
        value["impacts"] = json!(result.impacts_json(event));
    }
    value
}

/// The modes that were reached, counted from one, and the events between them.
pub(crate) fn mode_graph_json(graph: &ModeGraph) -> Value {
    let mode = |(i, mode): (usize, &ReachedMode)| json!({ "number": i + 1, "name": mode.name, "entered": mode.entered, "time": mode.time });
    let edge = |edge: &ModeEdge| json!({ "from": edge.from + 1, "to": edge.to + 1, "event": edge.event, "count": edge.count });
    let modes: Vec<Value> = graph.modes.iter().enumerate().map(mode).collect();
    json!({ "modes": modes, "edges": graph.edges.iter().map(edge).collect::<Vec<_>>() })
}

fn kind_names(kinds: &[EventKind]) -> Vec<&'static str> {
    kinds.iter().map(|kind| kind.name()).collect()
}

/// What fired in each round of an event, and what of the state it changed.
fn rounds_json(result: &RunResult<'_>, event: &Event, mode_before: &Mode) -> Vec<Value> {
    let begun = std::iter::once((&event.before, mode_before));
    let begun = begun.chain(event.rounds.iter().map(|round| (&round.after, &round.mode)));
    let one = |((state, mode), round): ((&Vec<f64>, &Mode), &Round)| {
        let before = result.named_values(state, Some(mode));
        let pairs = before.zip(result.named_values(&round.after, Some(&round.mode)));
        let changed = pairs.filter(|((_, before), (_, after))| before != after);
        let changed: Map<String, Value> =
            changed.map(|(_, (name, after))| (name.to_owned(), json!(after))).collect();
        json!({
            "names": result.guard_names(&round.guards),
            "kinds": kind_names(&round.kinds),
            "mode_after": result.has_modes().then(|| result.mode_name(round.mode.values.place)),
            "changed": changed,
        })
    };
    begun.zip(&event.rounds).map(one).collect()
}
