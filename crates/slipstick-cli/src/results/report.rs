//! `report.html`: one file that opens offline. The page draws itself from the data that is put into it here.

use super::table::{ColumnKind, Sampler, Table, keep_shown, shown_columns};
use super::{AuditResult, RunResult, contact_report, number, picture};
use serde_json::{Value, json};
use slipstick::equations::System;
use slipstick::simulate::{OptionValue, RUN_OPTIONS};
use slipstick::trajectory::{Event, Severity};

const TEMPLATE: &str = include_str!("../../assets/report/report.html");
const PARTS: &[(&str, &str)] = &[
    ("/*{{css}}*/", include_str!("../../assets/report/report.css")),
    (
        "/*{{plot.js}}*/",
        concat!(include_str!("../../assets/report/plot.js"), include_str!("../../assets/report/theme.js")),
    ),
    ("/*{{panels.js}}*/", include_str!("../../assets/report/panels.js")),
];
const SCRIPT: &str = include_str!("../../assets/report/report.js");
/// The style and the script of the sections about contacts, which are in the page only where there are contacts.
const CONTACTS: [&str; 2] = [
    include_str!("../../assets/report/contacts.css"),
    concat!(include_str!("../../assets/report/contacts.js"), include_str!("../../assets/report/graph.js")),
];

/// What a page has beyond what all pages have: styles and scripts of its sections, and its own script.
#[derive(Clone, Copy)]
pub(super) struct PageParts {
    /// Of contacts, and of the picture: style and script, empty without them.
    pub(super) sections: [[&'static str; 2]; 2],
    pub(super) script: &'static str,
}

/// The page.
pub(crate) fn report(result: &RunResult<'_>) -> String {
    let nothing = ["", ""];
    let contacts = if result.contacts().is_empty() { nothing } else { CONTACTS };
    let data = data(result);
    let picture = if data.get("picture").is_some() { picture::PARTS } else { nothing };
    page(result.file.title(), &data, PageParts { sections: [contacts, picture], script: SCRIPT })
}

/// A page from its data.
pub(super) fn page(title: &str, data: &Value, parts: PageParts) -> String {
    // A model can hold any text: no `<` of it may end the script that it stands in.
    let data = data.to_string().replace('<', "\\u003c");
    let title = escape(title);
    let [contacts, picture] = parts.sections;
    let own = [
        ("{{title}}", title.as_str()),
        ("{{data}}", data.as_str()),
        ("/*{{contacts.css}}*/", contacts[0]),
        ("/*{{contacts.js}}*/", contacts[1]),
        ("/*{{picture.css}}*/", picture[0]),
        ("/*{{picture.js}}*/", picture[1]),
        ("/*{{report.js}}*/", parts.script),
    ];
    fill(TEMPLATE, &PARTS.iter().copied().chain(own).collect::<Vec<_>>())
}

/// Replaces markers in one pass: what is filled in is not searched again, so it may hold anything.
pub(crate) fn fill(template: &str, parts: &[(&str, &str)]) -> String {
    let mut page = String::new();
    let mut rest = template;
    while let Some((at, marker, text)) =
        parts.iter().filter_map(|(m, t)| rest.find(m).map(|at| (at, *m, *t))).min_by_key(|(at, _, _)| *at)
    {
        page += &rest[..at];
        page += text;
        rest = &rest[at + marker.len()..];
    }
    page + rest
}

/// Text as it may stand in a page.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn data(result: &RunResult<'_>) -> Value {
    let (file, model) = (result.file, &result.file.model);
    let table = Table::plot(result);
    let mut value = json!({
        "title": file.title(),
        "description": model.about.description,
        "model_file": file.name,
        "model_text": file.sources.text(),
        "model_hash": file.hash,
        "version": env!("CARGO_PKG_VERSION"),
        "outcome": {
            "code": result.outcome_code(),
            "ok": result.is_complete(),
            "text": result.outcome_with_time(|t| with_unit(t, model.unit("t"))),
            "hint": result.outcome_hint(),
        },
        "time_unit": model.unit("t"),
        "summary": summary(result),
        "options": options(result),
        "statistics": statistics(result),
        "series": series(&table),
        "segments": segments(&table),
        "modes": table.modes,
        "events": events(result),
        "steps": steps(result),
        "audit": audit(result),
        "warnings": result.notes_json(Severity::Warning),
        "notes": result.notes_json(Severity::Note),
    });
    if !result.contacts().is_empty() {
        value["contacts"] = contact_report::data(result);
    }
    if let Some(picture) = picture::data(result) {
        value["picture"] = picture;
    }
    value
}

pub(super) fn with_unit(x: f64, unit: Option<&str>) -> String {
    unit.map_or_else(|| number(x), |unit| format!("{} {unit}", number(x)))
}

fn summary(result: &RunResult<'_>) -> Vec<[String; 2]> {
    let (trajectory, s) = (&result.trajectory, &result.trajectory.statistics);
    let row = |label: &str, value: String| [label.to_owned(), value];
    let mut rows = vec![
        row("end time", with_unit(trajectory.end_time(), result.file.model.unit("t"))),
        row("events", s.events.to_string()),
        row("steps taken", s.accepted.to_string()),
        row("right-hand sides", s.derivatives.to_string()),
    ];
    if let Some(opening) = result.joints.and_then(|joints| joints.position) {
        rows.push(row("joints open by", format!("{:.1e}", opening.value)));
    }
    if let Some(energy) = &result.energy {
        rows.push(row("error of the energy", format!("{:.1e}", energy.error)));
    }
    if let Some(contacts) = &result.contact_audit {
        rows.push(row("contacts penetrate by", format!("{:.1e}", contacts.penetration.value)));
    }
    for audit in result.audit.iter().take(2) {
        rows.push(row(&format!("drift of {}", audit.name), format!("{:.1e}", audit.drift.drift)));
    }
    rows
}

/// The options that a reader looks for first, those that the model speaks of, and the parameters.
fn options(result: &RunResult<'_>) -> Vec<[String; 2]> {
    const FIRST: [&str; 5] = ["from", "until", "method", "rtol", "atol"];
    let (plan, model) = (result.plan, &result.file.model);
    let is_shown = |key: &str| FIRST.contains(&key) || model.run.setting(key).is_some();
    let shown = RUN_OPTIONS.iter().filter(|option| is_shown(option.key));
    let mut rows: Vec<[String; 2]> =
        shown.map(|option| [option.key.to_owned(), in_words(&option.value(plan))]).collect();
    let parameters = model.parameters.iter().zip(&plan.system.shape().parameters);
    rows.extend(parameters.map(|(d, value)| [d.name.clone(), with_unit(*value, model.unit(&d.name))]));
    rows
}

fn in_words(value: &OptionValue) -> String {
    match value {
        OptionValue::Nothing => "–".to_owned(),
        OptionValue::Number(x) => number(*x),
        OptionValue::Count(count) => count.to_string(),
        OptionValue::Word(word) => word.clone(),
        OptionValue::List(list) => list.iter().map(in_words).collect::<Vec<_>>().join(", "),
        OptionValue::Table(table) => {
            let parts: Vec<String> = table.iter().map(|(key, v)| format!("{key} {}", in_words(v))).collect();
            parts.join(", ")
        }
    }
}

fn statistics(result: &RunResult<'_>) -> Vec<[String; 2]> {
    let s = &result.trajectory.statistics;
    let row = |label: &str, value: String| [label.to_owned(), value];
    let smallest = if s.sizes.smallest.is_finite() { short(s.sizes.smallest) } else { "–".to_owned() };
    vec![
        row("steps taken", s.accepted.to_string()),
        row("steps rejected", s.rejected.to_string()),
        row("methods", result.methods_in_words()),
        row("right-hand sides", s.derivatives.to_string()),
        row("Jacobians", s.jacobians.to_string()),
        row("factorisations", (s.factorisations + s.motion_factorisations).to_string()),
        row("guard evaluations", s.guards.to_string()),
        row("steps made again for events", s.locating.relocations.to_string()),
        row("steps while sliding", s.sliding.accepted.to_string()),
        row("resets", s.kinds.resets.to_string()),
        row("mode changes", s.kinds.mode_changes.to_string()),
        row("switchings", s.kinds.switchings.to_string()),
        row("recorded only", s.kinds.records.to_string()),
        row("smallest step", smallest),
        row("largest step", short(s.sizes.largest)),
    ]
}

fn series(table: &Table) -> Vec<Value> {
    let kind = |kind| match kind {
        ColumnKind::State => "state",
        ColumnKind::Discrete => "discrete",
        ColumnKind::Output => "output",
        ColumnKind::Switch => "switch",
    };
    table.columns.iter().map(|c| json!({ "name": c.name, "unit": c.unit, "kind": kind(c.kind) })).collect()
}

fn segments(table: &Table) -> Vec<Value> {
    let one = |piece: &super::table::Piece| {
        let t: Vec<f64> = piece.t.iter().map(|t| shorten(*t, 12)).collect();
        let values: Vec<Vec<f64>> =
            piece.values.iter().map(|list| list.iter().map(|v| shorten(*v, 9)).collect()).collect();
        json!({ "mode": table.modes.get(piece.mode), "t": t, "values": values })
    };
    table.pieces.iter().map(one).collect()
}

/// Four digits, for tables.
fn short(x: f64) -> String {
    number(shorten(x, 4))
}

/// Fewer digits, for plots: a report with all of them would be twice as large.
fn shorten(x: f64, digits: usize) -> f64 {
    format!("{x:.*e}", digits - 1).parse().unwrap_or(x)
}

fn events(result: &RunResult<'_>) -> Vec<Value> {
    let trajectory = &result.trajectory;
    let (mut sampler, shown) = (Sampler::new(result), shown_columns(result));
    let mode = |index| result.has_modes().then(|| result.mode_name(index));
    let one = |(i, event): (usize, &Event)| {
        let rounds = event.rounds.iter().map(|round| result.guard_names(&round.guards));
        let kinds: Vec<&str> = event.kinds.iter().map(|k| k.name()).collect();
        let (mode_before, mode_after) = result.modes_at(i);
        let mut before = sampler.of(mode_before, event.t, &event.before).to_vec();
        let mut after = sampler.of(mode_after, event.t, &event.after).to_vec();
        keep_shown(&mut before, &shown);
        keep_shown(&mut after, &shown);
        let mut value = json!({
            "number": i + 1,
            "t": event.t,
            "rounds": rounds.collect::<Vec<_>>(),
            "kinds": kinds,
            "mode_before": mode(event.mode_before),
            "mode_after": mode(event.mode_after),
            "bracket_width": event.width,
            "before": before,
            "after": after,
        });
        if !result.contacts().is_empty() {
            value["words"] = json!(contact_report::words(result, i));
        }
        value
    };
    trajectory.events.iter().enumerate().map(one).collect()
}

/// Start and length of the accepted steps, thinned where there are very many; the last of a segment is cut by
/// the event.
fn steps(result: &RunResult<'_>) -> Value {
    let (mut t, mut h) = (Vec::new(), Vec::new());
    let stride = super::table::plot_density(&result.trajectory).stride;
    for segment in &result.trajectory.segments {
        for step in segment.steps().iter().step_by(stride) {
            t.push(shorten(step.t, 12));
            h.push(shorten(step.h.min(segment.end_time - step.t), 4));
        }
    }
    json!({ "t": t, "h": h })
}

fn audit(result: &RunResult<'_>) -> Vec<Value> {
    let one = |audit: &AuditResult| {
        let mut value = audit.json();
        value["unit"] = json!(audit.unit);
        value["drifts"] = json!(audit.drifts);
        value
    };
    result.audit.iter().map(one).collect()
}
