//! What keeps the constraints of a mechanism met, as the section `run` of a model file states it.

use super::names::places;
use super::read::{Reader, Value};
use super::{Diagnostic, Model, Reference, Scope, ToleranceRule};
use toml::de::DeTable;

/// What keeps the constraints of a mechanism met; the equations stand with the choices of the formulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum StabilisationRule {
    /// Nothing.
    None,
    /// One correction after each step (S-both of paper 003).
    Once,
    /// Two corrections after each step (`PStab` of paper 003).
    #[default]
    Twice,
    /// One correction of positions and speeds together (S-full of paper 003).
    Full,
    /// Corrections of speeds alone.
    Speeds,
    /// Corrections until nothing is left.
    Project,
    /// Terms in the equations, with the factors of the rate and of the position.
    Terms {
        /// Of the rate.
        rate: f64,
        /// Of the position.
        position: f64,
        /// What they pull along.
        along: Along,
    },
    /// Terms for constraints that were reduced to their rates first.
    Reduced {
        /// How fast positions close.
        decay: f64,
        /// How strongly they are pulled.
        rate: f64,
    },
    /// The stabilised index-2 form.
    Ggl,
    /// Sliding-mode control until all constraints are met.
    SlidingMode {
        /// How fast each surface is approached, for all constraints or by name.
        reach: ToleranceRule,
        /// How fast positions close then, for all constraints or by name.
        speed: ToleranceRule,
    },
}

/// What terms in the equations pull along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// The forces of the constraints (Baumgarte).
    Forces,
    /// The shortest way.
    Normal,
    /// The gradients of the constraints, as steep as they are.
    Gradient,
}

/// The metric in which a correction is the least change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MetricRule {
    /// That of the mass matrix.
    #[default]
    Mass,
    /// That of the coordinates.
    Identity,
}

/// The keys of the tables: Baumgarte's and its improvements, the reduced form, sliding-mode control.
const TERMS_KEYS: &[&str] = &["rate", "position", "along"];
const REDUCED_KEYS: &[&str] = &["decay", "rate"];
const SLIDING_KEYS: &[&str] = &["reach", "speed"];

impl Reader<'_> {
    /// A word, or a table with the numbers of terms in the equations.
    pub(super) fn stabilisation(&mut self, value: &Value<'_>, key: &str) -> Option<StabilisationRule> {
        let Some(table) = value.get_ref().as_table() else { return self.stabilisation_word(value, key) };
        if table.contains_key("reach") || table.contains_key("speed") {
            return self.sliding_mode(table, value);
        }
        if table.contains_key("decay") {
            self.check_keys(table, REDUCED_KEYS, "`stabilisation`");
            let [decay, rate] = self.numbers(table, [("decay", 10.0), ("rate", 1.0)])?;
            return Some(StabilisationRule::Reduced { decay, rate });
        }
        self.check_keys(table, TERMS_KEYS, "`stabilisation`");
        let [rate, position] = self.numbers(table, [("rate", 20.0), ("position", 100.0)])?;
        let words = &[("forces", Along::Forces), ("normal", Along::Normal), ("gradient", Along::Gradient)];
        let along = table.get("along").map_or(Some(Along::Forces), |v| self.word(v, "along", words))?;
        Some(StabilisationRule::Terms { rate, position, along })
    }

    fn stabilisation_word(&mut self, value: &Value<'_>, key: &str) -> Option<StabilisationRule> {
        let rules = [
            ("pstab", StabilisationRule::Twice),
            ("s-both", StabilisationRule::Once),
            ("s-full", StabilisationRule::Full),
            ("s-speed", StabilisationRule::Speeds),
            ("project", StabilisationRule::Project),
            ("ggl", StabilisationRule::Ggl),
            ("none", StabilisationRule::None),
        ];
        let words: Vec<(&str, usize)> = rules.iter().enumerate().map(|(i, (word, _))| (*word, i)).collect();
        self.word(value, key, &words).map(|i| rules[i].1.clone())
    }

    /// Numbers greater than zero, or what is usual where one is not given.
    fn numbers(&mut self, table: &DeTable<'_>, keys: [(&str, f64); 2]) -> Option<[f64; 2]> {
        let [first, second] =
            keys.map(|(key, usual)| table.get(key).map_or(Some(usual), |value| self.positive(value, key)));
        Some([first?, second?])
    }

    fn sliding_mode(&mut self, table: &DeTable<'_>, value: &Value<'_>) -> Option<StabilisationRule> {
        self.check_keys(table, SLIDING_KEYS, "`stabilisation`");
        let Some(reach) = table.get("reach") else {
            let message = "`stabilisation` has no `reach`".to_owned();
            self.error("missing-key", value.span(), message, "for example `{ reach = 0.1, speed = 10 }`");
            return None;
        };
        let reach = self.tolerance(reach, "reach");
        let usual = Some(ToleranceRule::Same(10.0));
        let speed = table.get("speed").map_or(usual, |speed| self.tolerance(speed, "speed"));
        Some(StabilisationRule::SlidingMode { reach: reach?, speed: speed? })
    }

    pub(super) fn metric(&mut self, value: &Value<'_>, key: &str) -> MetricRule {
        let words = &[("mass", MetricRule::Mass), ("identity", MetricRule::Identity)];
        self.word(value, key, words).unwrap_or_default()
    }
}

/// Names in the numbers of sliding-mode control are those of constraints, and all of them.
pub(super) fn check_upkeep(model: &Model, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    let StabilisationRule::SlidingMode { reach, speed } = &model.run.stabilisation else { return };
    let constraints = &model.mechanism.constraints;
    let names = || constraints.iter().map(|c| c.name.as_str());
    let known = places(constraints.iter().map(|c| &c.name));
    for rule in [reach, speed] {
        let ToleranceRule::ByName(list) = rule else { continue };
        let unknown = |reference: &&Reference| !known.contains_key(reference.name.as_str());
        for reference in list.iter().map(|(reference, _)| reference).filter(unknown) {
            let span = reference.span.clone();
            errors.push(scope.unknown(&reference.name, span, names(), "among the constraints"));
        }
    }
    if let ToleranceRule::ByName(list) = reach {
        let given = places(list.iter().map(|(reference, _)| &reference.name));
        for missing in constraints.iter().filter(|c| !given.contains_key(c.name.as_str())) {
            let message = format!("`reach` has no number for the constraint `{}`", missing.name);
            let hint = "give one number for all constraints, or one for each";
            errors.push(Diagnostic::new("missing-key", missing.span.clone(), message).hint(hint));
        }
    }
}
