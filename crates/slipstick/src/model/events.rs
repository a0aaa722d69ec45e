//! The events of a model file: when they happen, what they do, and which keys go together.

use super::impulses::read_impulse;
use super::read::{Reader, Value};
use super::{Direction, EventRule, Formula, RestRule, Side, SwitchRule, Trigger};
use crate::expr::{Kind, Relation};
use toml::Spanned;
use toml::de::{DeString, DeTable};

const EVENT_KEYS: &[&str] = &[
    "guard",
    "on",
    "at",
    "every",
    "direction",
    "side",
    "touches",
    "reset",
    "impulse",
    "goto",
    "stop",
    "stop_after",
    "at_rest",
    "on_entry",
    "priority",
    "open",
    "close",
];
const REST_KEYS: &[&str] = &["goto", "reset"];

/// Reads one event from its table.
struct EventTable<'r, 't, 'v, 'i> {
    reader: &'r mut Reader<'t>,
    key: &'v Spanned<DeString<'i>>,
    table: &'v DeTable<'i>,
}

/// Reads all events of a section, in the order of the file.
pub(super) fn read_events_of_all_modes(reader: &mut Reader<'_>, value: &Value<'_>) -> Vec<EventRule> {
    let events = read_events(reader, value);
    let waits = |event: &&EventRule| !event.on_entry && matches!(event.trigger, Trigger::Guard(_));
    for event in events.iter().filter(waits) {
        let message = format!("event `{}` is watched in every mode and none is entered with it", event.name);
        let hint = "move the event to a mode, `[modes.NAME.events]`, or remove `on_entry`";
        reader.error("bad-guard", event.span.clone(), message, hint);
    }
    events
}

/// Reads the events of a mode.
pub(super) fn read_events(reader: &mut Reader<'_>, value: &Value<'_>) -> Vec<EventRule> {
    let Some(table) = reader.table(value, "events", "[events.floor]") else { return Vec::new() };
    let event = |(key, value): (&Spanned<DeString<'_>>, &Value<'_>)| {
        let name = key.get_ref().as_ref();
        let table = reader.table(value, &format!("events.{name}"), &format!("[events.{name}]"))?;
        EventTable { reader, key, table }.read()
    };
    table.iter().filter_map(event).collect()
}

impl EventTable<'_, '_, '_, '_> {
    fn read(&mut self) -> Option<EventRule> {
        let (name, table) = (self.key.get_ref().to_string(), self.table);
        self.reader.check_keys(table, EVENT_KEYS, &format!("event `{name}`"));
        let trigger = self.trigger();
        let get = |k: &str| table.get(k);
        let reset = get("reset").map_or_else(Vec::new, |v| self.reader.definitions(v, "reset"));
        let impulse = get("impulse").and_then(|v| read_impulse(self.reader, v));
        let sides = &[("before", Side::Before), ("after", Side::After)];
        let side = get("side").and_then(|v| self.reader.word(v, "side", sides));
        // A thing that is thrown back is not to be found beyond the wall; a time is simply reached.
        let sets_state = !reset.is_empty() || impulse.is_some();
        let thrown_back = sets_state && matches!(trigger, Some(Trigger::Guard(_)));
        let side = side.unwrap_or(if thrown_back { Side::Before } else { Side::After });
        let direction = match &trigger {
            Some(Trigger::Guard(guard)) => self.direction(get("direction"), guard),
            _ => Direction::Rising,
        };
        let goto = get("goto").and_then(|v| self.reader.reference(v, "goto", "goto = \"rest\""));
        let stop_after = self.stop_after();
        let touches = self.touches(get("touches"), trigger.as_ref());
        let at_rest = get("at_rest").and_then(|v| self.at_rest(v));
        let on_entry = get("on_entry").and_then(|v| self.reader.boolean(v, "on_entry")).unwrap_or(true);
        let priority = get("priority").and_then(|v| self.reader.integer(v, "priority")).unwrap_or(0);
        Some(EventRule {
            name,
            span: self.key.span(),
            trigger: trigger?,
            direction,
            side,
            reset,
            impulse,
            goto,
            stop_after,
            touches,
            at_rest,
            on_entry,
            priority,
            of_contact: None,
            joints: self.joints(),
        })
    }

    /// The joints that it opens and shuts: a name, or a list of names.
    fn joints(&mut self) -> Vec<SwitchRule> {
        let mut joints = Vec::new();
        for (key, shuts) in [("open", false), ("close", true)] {
            let Some(value) = self.table.get(key) else { continue };
            let list = value.get_ref().as_array().map_or_else(|| vec![value], |list| list.iter().collect());
            let read = |value| self.reader.reference(value, key, &format!("{key} = \"latch\""));
            joints.extend(list.into_iter().filter_map(read).map(|joint| SwitchRule { joint, shuts }));
        }
        joints
    }

    /// Whether a touch is an event: only of a surface that is crossed or not.
    fn touches(&mut self, value: Option<&Value<'_>>, trigger: Option<&Trigger>) -> bool {
        let Some(value) = value else { return false };
        let joined =
            |guard: &Formula| guard.syntax.kind() == Kind::Condition && guard.syntax.comparison().is_none();
        if matches!(trigger, Some(Trigger::Guard(guard)) if joined(guard)) {
            let message = "`touches` is about one surface, and the guard joins several conditions".to_owned();
            self.reader.error(
                "bad-guard",
                value.span(),
                message,
                "remove `touches`, or make an event with one comparison",
            );
        }
        self.reader.boolean(value, "touches").unwrap_or(false)
    }

    /// A guard, another event, or one or two times.
    fn trigger(&mut self) -> Option<Trigger> {
        let table = self.table;
        if let Some(value) = table.get("on") {
            self.check_without_guard("on", value, "another event");
            let event = self.reader.reference(value, "on", "on = \"contact.floor.hit\"")?;
            return Some(Trigger::On(event));
        }
        let (guard, at, every) = (table.get("guard"), table.get("at"), table.get("every"));
        let timed = every.map(|v| ("every", v)).or(at.map(|v| ("at", v)));
        if let Some((word, value)) = timed {
            self.check_without_guard(word, value, "a time");
        }
        let mut number = |value: &Value<'_>, key: &str| self.reader.formula(value, key, Kind::Number);
        let at = at.map(|v| number(v, "at"));
        let every = every.map(|v| number(v, "every"));
        match (guard, every, at) {
            (Some(guard), _, _) => Some(Trigger::Guard(self.reader.formula(guard, "guard", Kind::Condition))),
            (None, Some(period), first) => Some(Trigger::Every { period, first }),
            (None, None, Some(at)) => Some(Trigger::At(at)),
            (None, None, None) => {
                let hint = "add `guard = \"y < 0\"`: the event happens when this becomes true; or `at = 5`, `every = 0.1`, `on = \"contact.floor.hit\"`";
                self.reader.error(
                    "missing-key",
                    self.key.span(),
                    format!("event `{}` has no guard", self.key.get_ref()),
                    hint,
                );
                None
            }
        }
    }

    /// A known time or another event goes through no zero: what is said of guards cannot be said of it.
    fn check_without_guard(&mut self, word: &str, value: &Value<'_>, kind: &str) {
        let others = ["guard", "at", "every"];
        let other = others.into_iter().find(|other| self.table.contains_key(*other));
        if let Some(other) = other.filter(|other| *other == "guard" || word == "on") {
            let message = format!("`{other}` and `{word}` both say when the event happens");
            let hint = "keep one of them, or make two events";
            self.reader.error("bad-guard", value.span(), message, hint);
            return;
        }
        for key in ["direction", "side", "touches", "at_rest", "on_entry"] {
            if let Some(other) = self.table.get(key) {
                let message = format!("`{key}` says something about a guard, and `{word}` is {kind}");
                self.reader.error("bad-guard", other.span(), message, format!("remove `{key}`"));
            }
        }
    }

    /// The name of a mode, or a table of what happens.
    fn at_rest(&mut self, value: &Value<'_>) -> Option<RestRule> {
        let example = "at_rest = { goto = \"resting\", reset = { v = 0 } }";
        if value.get_ref().as_str().is_some() {
            let goto = self.reader.reference(value, "at_rest", example);
            return Some(RestRule { reset: Vec::new(), goto });
        }
        let Some(table) = value.get_ref().as_table() else {
            self.reader.wrong_type(value, "at_rest", "the name of a mode or a table", example);
            return None;
        };
        self.reader.check_keys(table, REST_KEYS, "`at_rest`");
        let reset = table.get("reset").map_or_else(Vec::new, |v| self.reader.definitions(v, "reset"));
        let goto = table.get("goto").and_then(|v| self.reader.reference(v, "goto", "goto = \"resting\""));
        if reset.is_empty() && goto.is_none() {
            let message = "`at_rest` says neither where to go nor what to set".to_owned();
            self.reader.error("bad-guard", value.span(), message, format!("for example `{example}`"));
        }
        Some(RestRule { reset, goto })
    }

    /// A comparison says itself which way it fires; a plain formula can be given a direction.
    fn direction(&mut self, value: Option<&Value<'_>>, guard: &Formula) -> Direction {
        let words =
            &[("rising", Direction::Rising), ("falling", Direction::Falling), ("both", Direction::Both)];
        let given = value.and_then(|v| self.reader.word(v, "direction", words));
        let implied = match guard.syntax.comparison().map(|(relation, _, _)| relation) {
            Some(Relation::Less | Relation::LessEqual) => Some(Direction::Falling),
            Some(Relation::Greater | Relation::GreaterEqual) => Some(Direction::Rising),
            // It fires when it becomes true.
            _ if guard.syntax.kind() == Kind::Condition => Some(Direction::Rising),
            _ => None,
        };
        if let (Some(_), Some(_), Some(value)) = (implied, given, value) {
            let message = "the condition in `guard` says already which way it fires".to_owned();
            self.reader.error(
                "bad-guard",
                value.span(),
                message,
                "remove `direction`, or write the guard as a number that crosses zero",
            );
        }
        implied.or(given).unwrap_or_default()
    }

    fn stop_after(&mut self) -> Option<u64> {
        let table = self.table;
        let stop = table.get("stop").and_then(|v| self.reader.boolean(v, "stop"));
        let after = table.get("stop_after").and_then(|v| self.reader.count(v, "stop_after"));
        if let (Some(_), Some(_), Some(value)) = (stop, after, table.get("stop_after")) {
            let message = "`stop` and `stop_after` are both given".to_owned();
            self.reader.error(
                "bad-guard",
                value.span(),
                message,
                "`stop = true` is the same as `stop_after = 1`: keep one",
            );
        }
        after.or((stop == Some(true)).then_some(1))
    }
}
