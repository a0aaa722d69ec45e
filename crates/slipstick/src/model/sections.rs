//! The sections of a model file, one function each, in the order of the reference page; events are next door.

use super::read::{Reader, Value, leaves};
use super::versions::gather;
use super::{
    AuditRule, ConcurrencyRule, Definition, Detection, Formula, Location, ModeRule, Model, Place, Reference,
    RunRule, ToleranceRule,
};
use crate::expr::Kind;
use crate::math::Norm;
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
    "states",
    "discrete",
    "derivatives",
    "mass",
    "outputs",
    "switches",
    "events",
    "modes",
    "audit",
    "units",
    "run",
];
const MODE_KEYS: &[&str] = &["derivatives", "forces", "constraints", "outputs", "events"];
const AUDIT_KEYS: &[&str] = &["formula", "tolerance"];
const RUN_KEYS: &[&str] = &[
    "from",
    "until",
    "rtol",
    "atol",
    "norm",
    "method",
    "rho_infinity",
    "control",
    "safety",
    "output_step",
    "first_step",
    "longest_step",
    "fixed_step",
    "mode",
    "max_events",
    "max_steps",
    "detection",
    "location",
    "event_tolerance",
    "regularise",
    "stabilisation",
    "metric",
    "datol",
    "pinned",
    "concurrency",
];
const CONCURRENCY_KEYS: &[&str] = &["time", "amplitude"];

impl Reader<'_> {
    pub(super) fn model(&mut self, table: &DeTable<'_>) -> Model {
        self.check_keys(table, MODEL_KEYS, "the model");
        let mut model = Model::default();
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "title" => model.title = self.string(value, "title", "title = \"A ball\""),
                "description" => model.description = self.string(value, "description", "description = \"…\""),
                "parameters" => model.parameters = self.definitions(value, "parameters"),
                "states" => model.states = self.definitions(value, "states"),
                "discrete" => model.discrete = self.definitions(value, "discrete"),
                "derivatives" => model.derivatives = self.definitions(value, "derivatives"),
                "mass" => model.mass = self.definitions(value, "mass"),
                "outputs" => model.outputs = self.definitions(value, "outputs"),
                "switches" => model.switches = self.definitions(value, "switches"),
                "events" => model.events = self.events(value),
                "modes" => model.modes = self.modes(value),
                "audit" => model.audit = self.audit(value),
                "units" => model.units = self.units(value),
                "run" => model.run = self.run(value),
                _ => {}
            }
        }
        self.mechanism(table, &mut model);
        model.outputs_of_modes = gather(&mut model.outputs, &model.modes, |mode| &mode.outputs);
        if !model.mechanism.is_empty() {
            let rule = &mut model.mechanism;
            rule.constraints_of_modes = gather(&mut rule.constraints, &model.modes, |mode| &mode.constraints);
        }
        self.check_required(table, &model);
        model
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
        let events = table.get("events").map_or_else(Vec::new, |v| self.events(v));
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
        Self::zero(Place { span: value.span(), text_start: None })
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

    fn run(&mut self, value: &Value<'_>) -> RunRule {
        let mut run = RunRule::default();
        let Some(table) = self.table(value, "run", "[run]") else { return run };
        self.check_keys(table, RUN_KEYS, "`run`");
        for (key, value) in table {
            let key = key.get_ref().as_ref();
            run.said.push((key.to_owned(), value.span()));
            match key {
                "from" => run.from = Some(self.formula(value, key, Kind::Number)),
                "until" => run.until = Some(self.formula(value, key, Kind::Number)),
                "rtol" => run.rtol = self.tolerance(value, key),
                "atol" => run.atol = self.tolerance(value, key),
                "norm" => run.norm = self.norm(value, key),
                "method" => run.method = self.reference(value, key, "method = \"dopri5\""),
                "rho_infinity" => run.rho_infinity = self.rho(value, key),
                "control" => {
                    run.pid = self.word(value, key, &[("standard", false), ("pid", true)]).unwrap_or(false);
                }
                "safety" => run.safety = self.part(value, key, 0.9),
                "output_step" => run.output_step = Some(self.formula(value, key, Kind::Number)),
                "first_step" => run.first_step = self.positive(value, key),
                "longest_step" => run.longest_step = self.positive(value, key),
                "fixed_step" => run.fixed_step = self.positive(value, key),
                "mode" => run.mode = self.reference(value, key, "mode = \"flight\""),
                "max_events" => run.max_events = self.count(value, key),
                "max_steps" => run.max_steps = self.count(value, key),
                "detection" => run.detection = self.detection(value, key).unwrap_or_default(),
                "location" => run.location = self.location(value, key),
                "event_tolerance" => run.event_tolerance = self.positive(value, key),
                "stabilisation" => run.stabilisation = self.stabilisation(value, key).unwrap_or_default(),
                "metric" => run.metric = self.metric(value, key),
                "datol" => run.datol = self.not_negative(value, key).unwrap_or_default(),
                "pinned" => run.pinned = self.references(value, key),
                "regularise" => run.regularise = self.positive(value, key),
                "concurrency" => run.concurrency = self.concurrency(value, key),
                _ => {}
            }
        }
        run
    }

    fn norm(&mut self, value: &Value<'_>, key: &str) -> Option<Norm> {
        let words = &[("auto", None), ("worst", Some(Norm::Worst)), ("mean", Some(Norm::Mean))];
        self.word(value, key, words).flatten()
    }

    /// A word, or a number of samples.
    fn detection(&mut self, value: &Value<'_>, key: &str) -> Option<Detection> {
        if value.get_ref().as_str().is_none() {
            let count = u32::try_from(self.count(value, key)?).unwrap_or(u32::MAX);
            return Some(Detection::Samples(count));
        }
        let words =
            &[("whole-step", Detection::WholeStep), ("ends", Detection::Ends), ("stages", Detection::Stages)];
        self.word(value, key, words)
    }

    fn location(&mut self, value: &Value<'_>, key: &str) -> Option<Location> {
        let words = &[
            ("auto", None),
            ("dense", Some(Location::Dense)),
            ("integrate", Some(Location::Integrate)),
            ("one-sided", Some(Location::OneSided)),
        ];
        self.word(value, key, words).flatten()
    }

    fn concurrency(&mut self, value: &Value<'_>, key: &str) -> Option<ConcurrencyRule> {
        let example = "concurrency = { time = 1e-7, amplitude = 1e-6 }";
        let table = self.table(value, key, example)?;
        self.check_keys(table, CONCURRENCY_KEYS, "`concurrency`");
        let mut number = |key: &str| {
            if let Some(value) = table.get(key) {
                return self.positive(value, key);
            }
            let message = format!("`concurrency` has no `{key}`");
            self.error("missing-key", value.span(), message, format!("for example `{example}`"));
            None
        };
        let (time, amplitude) = (number("time"), number("amplitude"));
        Some(ConcurrencyRule { time: time?, amplitude: amplitude? })
    }

    /// A list of names.
    fn references(&mut self, value: &Value<'_>, key: &str) -> Vec<Reference> {
        let Some(list) = value.get_ref().as_array() else {
            self.wrong_type(value, key, "a list of names", &format!("{key} = [\"x\"]"));
            return Vec::new();
        };
        list.iter().filter_map(|value| self.reference(value, key, &format!("{key} = [\"x\"]"))).collect()
    }

    /// One number, or a table of numbers by state.
    pub(super) fn tolerance(&mut self, value: &Value<'_>, key: &str) -> Option<ToleranceRule> {
        let Some(table) = value.get_ref().as_table() else {
            return self.tolerance_number(value, key).map(ToleranceRule::Same);
        };
        let one = |(reference, value): (Reference, &Value<'_>)| {
            let name = format!("{key}.{}", reference.name);
            Some((reference, self.tolerance_number(value, &name)?))
        };
        Some(ToleranceRule::ByName(leaves(table).into_iter().filter_map(one).collect()))
    }

    /// A tolerance; a relative one must be one that doubles can hold.
    fn tolerance_number(&mut self, value: &Value<'_>, key: &str) -> Option<f64> {
        let number = self.positive(value, key)?;
        if key.starts_with("rtol") && number < 10.0 * f64::EPSILON {
            let message = format!("`{key}` is {number:e}, below what double precision can hold (2.2e-15)");
            self.error("bad-tolerance", value.span(), message, "tolerances between 1e-3 and 1e-12 are usual");
        }
        Some(number)
    }
}
