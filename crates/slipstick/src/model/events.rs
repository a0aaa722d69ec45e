//! The events of a model file: when they happen, what they do, and which keys go together.

use super::read::{Reader, Value};
use super::{Direction, EventRule, Formula, RestRule, Side, Trigger};
use crate::expr::{Kind, Relation};
use toml::Spanned;
use toml::de::{DeString, DeTable};

const EVENT_KEYS: &[&str] = &[
    "guard",
    "at",
    "every",
    "direction",
    "side",
    "touches",
    "reset",
    "goto",
    "stop",
    "stop_after",
    "at_rest",
    "on_entry",
    "priority",
];
const REST_KEYS: &[&str] = &["goto", "reset"];

impl Reader<'_> {
    pub(super) fn events(&mut self, value: &Value<'_>) -> Vec<EventRule> {
        let Some(table) = self.table(value, "events", "[events.floor]") else { return Vec::new() };
        table.iter().filter_map(|(key, value)| self.event(key, value)).collect()
    }

    fn event(&mut self, key: &Spanned<DeString<'_>>, value: &Value<'_>) -> Option<EventRule> {
        let name = key.get_ref().to_string();
        let table = self.table(value, &format!("events.{name}"), &format!("[events.{name}]"))?;
        self.check_keys(table, EVENT_KEYS, &format!("event `{name}`"));
        let trigger = self.trigger(key, table);
        let get = |k: &str| table.get(k);
        let reset = get("reset").map_or_else(Vec::new, |v| self.definitions(v, "reset"));
        let sides = &[("before", Side::Before), ("after", Side::After)];
        let side = get("side").and_then(|v| self.word(v, "side", sides));
        // A thing that is thrown back is not to be found behind the wall; a time is simply reached.
        let thrown_back = !reset.is_empty() && matches!(trigger, Some(Trigger::Guard(_)));
        let side = side.unwrap_or(if thrown_back { Side::Before } else { Side::After });
        let direction = match &trigger {
            Some(Trigger::Guard(guard)) => self.direction(get("direction"), guard),
            _ => Direction::Rising,
        };
        let goto = get("goto").and_then(|v| self.reference(v, "goto", "goto = \"rest\""));
        let stop_after = self.stop_after(table);
        let touches = self.touches(get("touches"), trigger.as_ref());
        let at_rest = get("at_rest").and_then(|v| self.at_rest(v));
        let on_entry = get("on_entry").and_then(|v| self.boolean(v, "on_entry")).unwrap_or(true);
        let priority = get("priority").and_then(|v| self.integer(v, "priority")).unwrap_or(0);
        Some(EventRule {
            name,
            span: key.span(),
            trigger: trigger?,
            direction,
            side,
            reset,
            goto,
            stop_after,
            touches,
            at_rest,
            on_entry,
            priority,
        })
    }

    /// Whether a touch is an event: only of a surface that is crossed or not.
    fn touches(&mut self, value: Option<&Value<'_>>, trigger: Option<&Trigger>) -> bool {
        let Some(value) = value else { return false };
        let joined =
            |guard: &Formula| guard.syntax.kind() == Kind::Condition && guard.syntax.comparison().is_none();
        if matches!(trigger, Some(Trigger::Guard(guard)) if joined(guard)) {
            let message = "`touches` is about one surface, and the guard joins several conditions".to_owned();
            self.error(
                "bad-guard",
                value.span(),
                message,
                "remove `touches`, or make an event with one comparison",
            );
        }
        self.boolean(value, "touches").unwrap_or(false)
    }

    /// A guard, or one or two times.
    fn trigger(&mut self, key: &Spanned<DeString<'_>>, table: &DeTable<'_>) -> Option<Trigger> {
        let (guard, at, every) = (table.get("guard"), table.get("at"), table.get("every"));
        let timed = every.map(|v| ("every", v)).or(at.map(|v| ("at", v)));
        if let Some((word, value)) = timed {
            self.check_timed(word, value, table);
        }
        let mut number = |value: &Value<'_>, key: &str| self.formula(value, key, Kind::Number);
        let at = at.map(|v| number(v, "at"));
        let every = every.map(|v| number(v, "every"));
        match (guard, every, at) {
            (Some(guard), _, _) => Some(Trigger::Guard(self.formula(guard, "guard", Kind::Condition))),
            (None, Some(period), first) => Some(Trigger::Every { period, first }),
            (None, None, Some(at)) => Some(Trigger::At(at)),
            (None, None, None) => {
                let hint = "add `guard = \"y < 0\"`: the event happens when this becomes true; or `at = 5`, or `every = 0.1`";
                self.error(
                    "missing-key",
                    key.span(),
                    format!("event `{}` has no guard", key.get_ref()),
                    hint,
                );
                None
            }
        }
    }

    /// A known time goes through no zero: what is said of guards cannot be said of it.
    fn check_timed(&mut self, word: &str, value: &Value<'_>, table: &DeTable<'_>) {
        if table.contains_key("guard") {
            let message = format!("`guard` and `{word}` both say when the event happens");
            let hint = "keep one of them, or make two events";
            self.error("bad-guard", value.span(), message, hint);
            return;
        }
        for key in ["direction", "side", "touches", "at_rest", "on_entry"] {
            if let Some(other) = table.get(key) {
                let message = format!("`{key}` says something about a guard, and `{word}` is a time");
                self.error("bad-guard", other.span(), message, format!("remove `{key}`"));
            }
        }
    }

    /// The name of a mode, or a table of what happens.
    fn at_rest(&mut self, value: &Value<'_>) -> Option<RestRule> {
        let example = "at_rest = { goto = \"resting\", reset = { v = 0 } }";
        if value.get_ref().as_str().is_some() {
            let goto = self.reference(value, "at_rest", example);
            return Some(RestRule { reset: Vec::new(), goto });
        }
        let Some(table) = value.get_ref().as_table() else {
            self.wrong_type(value, "at_rest", "the name of a mode or a table", example);
            return None;
        };
        self.check_keys(table, REST_KEYS, "`at_rest`");
        let reset = table.get("reset").map_or_else(Vec::new, |v| self.definitions(v, "reset"));
        let goto = table.get("goto").and_then(|v| self.reference(v, "goto", "goto = \"resting\""));
        if reset.is_empty() && goto.is_none() {
            let message = "`at_rest` says neither where to go nor what to set".to_owned();
            self.error("bad-guard", value.span(), message, format!("for example `{example}`"));
        }
        Some(RestRule { reset, goto })
    }

    /// A comparison says itself which way it fires; a plain formula can be given a direction.
    fn direction(&mut self, value: Option<&Value<'_>>, guard: &Formula) -> Direction {
        let words =
            &[("rising", Direction::Rising), ("falling", Direction::Falling), ("both", Direction::Both)];
        let given = value.and_then(|v| self.word(v, "direction", words));
        let implied = match guard.syntax.comparison().map(|(relation, _, _)| relation) {
            Some(Relation::Less | Relation::LessEqual) => Some(Direction::Falling),
            Some(Relation::Greater | Relation::GreaterEqual) => Some(Direction::Rising),
            // It fires when it becomes true.
            _ if guard.syntax.kind() == Kind::Condition => Some(Direction::Rising),
            _ => None,
        };
        if let (Some(_), Some(_), Some(value)) = (implied, given, value) {
            let message = "the condition in `guard` says already which way it fires".to_owned();
            self.error(
                "bad-guard",
                value.span(),
                message,
                "remove `direction`, or write the guard as a number that crosses zero",
            );
        }
        implied.or(given).unwrap_or_default()
    }

    fn stop_after(&mut self, table: &DeTable<'_>) -> Option<u64> {
        let stop = table.get("stop").and_then(|v| self.boolean(v, "stop"));
        let after = table.get("stop_after").and_then(|v| self.count(v, "stop_after"));
        if let (Some(_), Some(_), Some(value)) = (stop, after, table.get("stop_after")) {
            let message = "`stop` and `stop_after` are both given".to_owned();
            self.error(
                "bad-guard",
                value.span(),
                message,
                "`stop = true` is the same as `stop_after = 1`: keep one",
            );
        }
        after.or((stop == Some(true)).then_some(1))
    }
}
