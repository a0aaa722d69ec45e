//! The sections of a model file, one function each, in the order of the reference page; events are next door.

use super::contacts::{ContactTables, add_gap, add_rubbing};
use super::events::{read_events, read_events_of_all_modes};
use super::parts::{Indices, PART_KEYS, PartSections};
use super::picture_table::read_picture;
use super::read::{Reader, Value, leaves};
use super::versions::gather;
use super::{AuditRule, Definition, Formula, ModeRule, Model, Reference, RunRule, Setting, SourceLocation};
use crate::expr::Kind;
use toml::Spanned;
use toml::de::{DeString, DeTable};

const MODEL_KEYS: &[&str] = &[
    "title",
    "description",
    "parameters",
    "coordinates",
    "speeds",
    "kinetic",
    "potential",
    "inertia",
    "forces",
    "constraints",
    "contacts",
    "states",
    "discrete",
    "derivatives",
    "mass",
    "outputs",
    "switches",
    "events",
    "modes",
    "audit",
    "picture",
    "units",
    "run",
];
const MODE_KEYS: &[&str] = &["derivatives", "forces", "constraints", "outputs", "events"];
const AUDIT_KEYS: &[&str] = &["formula", "tolerance"];
/// Whether a model can have this section.
pub(super) fn is_known(section: &str) -> bool {
    MODEL_KEYS.iter().chain(PART_KEYS).any(|known| *known == section)
}

impl Reader<'_> {
    pub(super) fn model(&mut self, table: &DeTable<'_>) -> Model {
        let keys: Vec<&str> = MODEL_KEYS.iter().chain(PART_KEYS).copied().collect();
        self.check_keys(table, &keys, "the model");
        let mut model = Model::default();
        if let Some(value) = table.get("parameters") {
            model.parameters = self.definitions(value, "parameters");
        }
        self.indices = table.contains_key("bodies").then(|| Indices::new(&model.parameters));
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "title" => model.about.title = self.string(value, "title", "title = \"A ball\""),
                "description" => {
                    model.about.description = self.string(value, "description", "description = \"…\"");
                }
                "states" => model.states = self.definitions(value, "states"),
                "discrete" => model.discrete = self.definitions(value, "discrete"),
                "derivatives" => model.derivatives = self.definitions(value, "derivatives"),
                "mass" => model.mass = self.definitions(value, "mass"),
                "outputs" => model.outputs = self.definitions(value, "outputs"),
                "switches" => model.switches = self.definitions(value, "switches"),
                "events" => model.events = read_events_of_all_modes(self, value),
                "modes" => model.modes = self.modes(value),
                "audit" => model.audit = self.audit(value),
                "picture" => model.about.picture = read_picture(self, value),
                "units" => model.units = self.units(value),
                "run" => model.run = self.run(value),
                _ => {}
            }
        }
        let parts = self.part_sections(table);
        self.mechanism(table, &mut model, parts.is_some());
        if let Some((parts, indices)) = parts.zip(self.indices.take()) {
            let (touching, mut errors) = parts.add_to(&mut model, indices, self.drawing);
            self.errors.append(&mut errors);
            let made = touching.gaps.into_iter().map(|contact| add_gap(&mut model, contact));
            self.errors.extend(made.filter_map(Result::err));
            touching.rubbing.into_iter().for_each(|joint| add_rubbing(&mut model, joint));
        }
        ContactTables { reader: self }.read(table, &mut model);
        model.outputs_of_modes = gather(&mut model.outputs, &model.modes, |mode| &mode.outputs);
        if !model.mechanism.is_empty() {
            let rule = &mut model.mechanism;
            rule.constraints_of_modes = gather(&mut rule.constraints, &model.modes, |mode| &mode.constraints);
        }
        self.check_required(table, &model);
        model
    }

    /// What is said of parts, if there are bodies.
    fn part_sections(&mut self, table: &DeTable<'_>) -> Option<PartSections> {
        let is_of_parts = |key: &str| PART_KEYS.contains(&key) || ["forces", "contacts"].contains(&key);
        let sections = table.iter().filter(|(key, _)| is_of_parts(key.get_ref()));
        let list: Vec<Setting> =
            sections.map(|(key, value)| self.setting(key.get_ref(), key.span(), value)).collect();
        let beside = list.iter().find(|section| PART_KEYS.contains(&section.key.as_str())).cloned();
        let parts = PartSections::of(list.into_iter());
        if let (None, Some(section)) = (&parts, beside) {
            let message = format!("`{}` needs `bodies`", section.key);
            self.error("missing-key", section.key_span, message, "add `[bodies]`, with a body or more");
        }
        parts
    }

    fn check_required(&mut self, table: &DeTable<'_>, model: &Model) {
        // A section of the wrong type has been reported already.
        let is_table = |key: &str| table.get(key).is_none_or(|value| value.get_ref().is_table());
        if model.states.is_empty() && is_table("states") {
            let span = table.keys().find(|k| k.get_ref() == "states").map_or(0..0, Spanned::span);
            self.error(
                "missing-key",
                span,
                "the model has no states".to_owned(),
                "add `states = { x = 1.0 }`",
            );
        }
        if model.run.until.is_none() && is_table("run") {
            let span = table.keys().find(|k| k.get_ref() == "run").map_or(0..0, Spanned::span);
            let message = "the model does not say until when to run".to_owned();
            self.error("missing-key", span, message, "add `until = 10` to [run]");
        }
    }

    fn modes(&mut self, value: &Value<'_>) -> Vec<ModeRule> {
        let Some(table) = self.table(value, "modes", "[modes.flight]") else { return Vec::new() };
        table.iter().filter_map(|(key, value)| self.mode(key, value)).collect()
    }

    fn mode(&mut self, key: &Spanned<DeString<'_>>, value: &Value<'_>) -> Option<ModeRule> {
        let name = key.get_ref().to_string();
        let table = self.table(value, &format!("modes.{name}"), &format!("[modes.{name}]"))?;
        self.check_keys(table, MODE_KEYS, &format!("mode `{name}`"));
        let mut list = |key: &str| table.get(key).map_or_else(Vec::new, |v| self.definitions(v, key));
        let (derivatives, outputs) = (list("derivatives"), list("outputs"));
        let (forces, constraints) = (list("forces"), list("constraints"));
        let events = table.get("events").map_or_else(Vec::new, |v| read_events(self, v));
        Some(ModeRule { name, span: key.span(), derivatives, forces, constraints, outputs, events })
    }

    fn audit(&mut self, value: &Value<'_>) -> Vec<AuditRule> {
        let Some(table) = self.table(value, "audit", "[audit]") else { return Vec::new() };
        let rules = table.iter().map(|(key, value)| {
            let (name, span) = (key.get_ref().to_string(), key.span());
            let place = format!("audit.{name}");
            let (formula, tolerance) = match value.get_ref().as_table() {
                Some(inner) => {
                    self.check_keys(inner, AUDIT_KEYS, &format!("audit `{name}`"));
                    let tolerance = inner.get("tolerance").and_then(|v| self.positive(v, "tolerance"));
                    (self.audit_formula(inner, &name, value), tolerance)
                }
                None => (self.formula(value, &place, Kind::Number), None),
            };
            AuditRule { definition: Definition { name, span, formula }, tolerance }
        });
        rules.collect()
    }

    fn audit_formula(&mut self, table: &DeTable<'_>, name: &str, value: &Value<'_>) -> Formula {
        if let Some(value) = table.get("formula") {
            return self.formula(value, &format!("audit.{name}.formula"), Kind::Number);
        }
        let message = format!("audit `{name}` has no formula");
        self.error("missing-key", value.span(), message, "add `formula = \"0.5 * v^2 + g * y\"`");
        Self::zero(SourceLocation::whole(value.span()))
    }

    fn units(&mut self, value: &Value<'_>) -> Vec<(Reference, String)> {
        let Some(table) = self.table(value, "units", "units = { y = \"m\" }") else { return Vec::new() };
        let unit = |(reference, value): (Reference, &Value<'_>)| {
            let example = format!("{} = \"m\"", reference.name);
            let unit = self.string(value, &format!("units.{}", reference.name), &example)?;
            Some((reference, unit))
        };
        leaves(table).into_iter().filter_map(unit).collect()
    }

    /// Reads what equations and times depend on; room `simulate` has the table of all options.
    fn run(&mut self, value: &Value<'_>) -> RunRule {
        let mut run = RunRule::default();
        let Some(table) = self.table(value, "run", "[run]") else { return run };
        for (key, value) in table {
            run.settings.push(self.setting(key.get_ref(), key.span(), value));
            match key.get_ref().as_ref() {
                key @ "from" => run.from = Some(self.formula(value, key, Kind::Number)),
                key @ "until" => run.until = Some(self.formula(value, key, Kind::Number)),
                key @ "output_step" => run.output_step = Some(self.formula(value, key, Kind::Number)),
                key @ "mode" => run.mode = self.reference(value, key, "mode = \"flight\""),
                key @ "regularise" => run.regularise = self.positive(value, key),
                key @ "coordinates" => {
                    let words = [("absolute", false), ("joint", true)];
                    run.joint_coordinates = self.word(value, key, &words) == Some(true);
                }
                _ => {}
            }
        }
        run
    }
}
