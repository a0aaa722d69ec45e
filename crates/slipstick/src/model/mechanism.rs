//! Mechanisms: coordinates with their speeds, energies or a mass matrix, forces, constraints.
//!
//! A coordinate `x` has the speed `x'`. Both are states of the model: all coordinates first, then all speeds, then the states of `states`. The
//! equations of motion follow from the energies (Lagrange) or from `inertia` and `forces`.

use super::names::{Room, check_formula, outputs_that_use, unknown_name};
use super::read::Reader;
use super::{
    Definition, Diagnostic, EventRule, Formula, Meaning, Model, Place, Scope, Trigger, dependency_order,
};
use crate::expr::Kind;
use toml::de::DeTable;

/// What a mechanism is made of.
#[derive(Clone, Debug, Default)]
pub struct MechanismRule {
    /// How many coordinates there are; they are the first states, their speeds the next.
    pub coordinates: usize,
    /// The kinetic energy.
    pub kinetic: Option<Formula>,
    /// The potential energy.
    pub potential: Option<Formula>,
    /// Entries of the mass matrix, beside those from the kinetic energy.
    pub inertia: Vec<Definition>,
    /// Generalised forces, by coordinate.
    pub forces: Vec<Definition>,
    /// What must stay zero: a formula of coordinates and time, or one of speeds too.
    pub constraints: Vec<Definition>,
}

impl MechanismRule {
    /// Whether there is anything in it.
    pub fn is_empty(&self) -> bool {
        self.coordinates == 0
    }
}

/// The name of the speed of a coordinate.
pub fn speed_of(coordinate: &str) -> String {
    format!("{coordinate}'")
}

impl Model {
    /// The coordinates of the mechanism.
    pub fn coordinates(&self) -> &[Definition] {
        &self.states[..self.mechanism.coordinates]
    }

    /// The states that have a derivative of their own.
    pub fn first_order_states(&self) -> &[Definition] {
        &self.states[2 * self.mechanism.coordinates..]
    }

    /// What an entry of `inertia` is about: `x` is the diagonal entry, `x.y` that of row `x` and column `y`, and of row `y` and column `x`.
    pub fn inertia_place(&self, name: &str) -> Option<(usize, usize)> {
        let coordinate = |name: &str| self.coordinates().iter().position(|c| c.name == name);
        let diagonal = coordinate(name).map(|i| (i, i));
        let split = |(at, _): (usize, &str)| Some((coordinate(&name[..at])?, coordinate(&name[at + 1..])?));
        diagonal.or_else(|| name.match_indices('.').find_map(split))
    }

    /// The formulas that the motion depends on: derivatives, forces, mass entries and guards. Switches cannot use outputs.
    pub fn moving_formulas(&self) -> impl Iterator<Item = &Formula> {
        let modes = self.modes.iter().flat_map(|m| &m.derivatives);
        let mechanism = self.mechanism.forces.iter().chain(&self.mechanism.inertia);
        let definitions = self.derivatives.iter().chain(&self.mass).chain(mechanism).chain(modes);
        let guards = self.all_events().filter_map(|(_, event)| match &event.trigger {
            Trigger::Guard(guard) => Some(guard),
            Trigger::At(_) | Trigger::Every { .. } => None,
        });
        definitions.map(|d| &d.formula).chain(guards)
    }

    /// The outputs, each after those that it uses; none if they are defined in a circle.
    pub fn outputs_in_order(&self) -> Vec<usize> {
        let names: Vec<&str> = self.outputs.iter().map(|d| d.name.as_str()).collect();
        let uses = |i: usize| self.outputs[i].formula.syntax.names().map(|(n, _)| n).collect();
        dependency_order(&names, uses).unwrap_or_default()
    }

    /// The formulas that events set states to.
    fn resets<'a>(&'a self) -> impl Iterator<Item = &'a Formula> {
        let of = |event: &'a EventRule| event.reset.iter().chain(event.at_rest.iter().flat_map(|r| &r.reset));
        self.all_events().flat_map(move |(_, event)| of(event)).map(|d| &d.formula)
    }

    /// Whether a constraint is one of speeds: its formula uses one, and not only to choose.
    pub fn is_of_speeds(&self, constraint: &Definition, scope: &Scope<'_>) -> bool {
        let n = self.mechanism.coordinates;
        let is_speed =
            |name: &str| matches!(scope.meaning(name), Some(Meaning::State(i)) if (n..2 * n).contains(&i));
        constraint.formula.syntax.names_of_values().any(|(name, _)| is_speed(name))
    }
}

impl Reader<'_> {
    /// Reads the sections of a mechanism, if there are coordinates, and puts its states before the others.
    pub(super) fn mechanism(&mut self, table: &DeTable<'_>, model: &mut Model) {
        let Some(value) = table.get("coordinates") else {
            return self.check_no_mechanism(table);
        };
        if let Some((key, _)) = table.get_key_value("mass") {
            let message = "`mass` and `coordinates` cannot be used together".to_owned();
            self.error("wrong-type", key.span(), message, "give the masses of coordinates as `inertia`");
        }
        let coordinates = self.definitions(value, "coordinates");
        let speeds = table.get("speeds").map_or_else(Vec::new, |v| self.definitions(v, "speeds"));
        let mut list = |key: &str| table.get(key).map_or_else(Vec::new, |v| self.definitions(v, key));
        let (inertia, forces, constraints) = (list("inertia"), list("forces"), list("constraints"));
        let mut energy = |key: &str| table.get(key).map(|v| self.formula(v, key, Kind::Number));
        let (kinetic, potential) = (energy("kinetic"), energy("potential"));
        let rates: Vec<Definition> = coordinates.iter().map(|c| start_speed(c, &speeds)).collect();
        self.check_speeds(&coordinates, &speeds);
        let count = coordinates.len();
        model.states =
            coordinates.into_iter().chain(rates).chain(std::mem::take(&mut model.states)).collect();
        model.mechanism =
            MechanismRule { coordinates: count, kinetic, potential, inertia, forces, constraints };
        if model.mechanism.kinetic.is_none() && model.mechanism.inertia.is_empty() {
            let message = "the mechanism has no mass: nothing says how it moves".to_owned();
            let hint = "add `kinetic = \"m / 2 * x'^2\"`, or `inertia = { x = \"m\" }`";
            self.error("missing-key", value.span(), message, hint);
        }
    }

    fn check_no_mechanism(&mut self, table: &DeTable<'_>) {
        for key in ["speeds", "kinetic", "potential", "inertia", "forces", "constraints"] {
            if let Some((key, _)) = table.get_key_value(key) {
                let message = format!("`{}` needs `coordinates`", key.get_ref());
                self.error("missing-key", key.span(), message, "add `coordinates = { x = 0 }`");
            }
        }
        let Some(run) = table.get("run").and_then(|run| run.get_ref().as_table()) else { return };
        for key in ["stabilisation", "metric", "datol"] {
            if let Some((key, _)) = run.get_key_value(key) {
                let message =
                    format!("`{}` is about constraints, and there are no `coordinates`", key.get_ref());
                self.error("missing-key", key.span(), message, "leave it out");
            }
        }
    }

    fn check_speeds(&mut self, coordinates: &[Definition], speeds: &[Definition]) {
        for speed in speeds {
            if !coordinates.iter().any(|c| c.name == speed.name) {
                let names = coordinates.iter().map(|c| c.name.as_str());
                self.errors.push(unknown_name(
                    &speed.name,
                    speed.span.clone(),
                    names,
                    "among the coordinates",
                ));
            }
        }
    }
}

/// The start value of a coordinate's speed: as given, or zero.
fn start_speed(coordinate: &Definition, speeds: &[Definition]) -> Definition {
    let given = speeds.iter().find(|s| s.name == coordinate.name);
    let (span, formula) = if let Some(speed) = given {
        (speed.span.clone(), speed.formula.clone())
    } else {
        let place = Place { span: coordinate.span.clone(), text_start: None };
        (coordinate.span.clone(), Reader::zero(place))
    };
    Definition { name: speed_of(&coordinate.name), span, formula }
}

/// Names in the formulas of a mechanism.
pub(super) fn check_mechanism(model: &Model, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    let rule = &model.mechanism;
    for formula in rule.kinetic.iter().chain(&rule.potential) {
        check_formula(formula, scope, smooth_room("an energy"), errors);
    }
    for definition in &rule.constraints {
        check_formula(&definition.formula, scope, smooth_room("a constraint"), errors);
    }
    for definition in rule.forces.iter().chain(&rule.inertia) {
        check_formula(&definition.formula, scope, Room::running("a formula"), errors);
    }
    let names = || model.coordinates().iter().map(|c| c.name.as_str());
    check_no_side_states(model, scope, errors);
    check_outputs_of_motion(model, scope, errors);
    for force in rule.forces.iter().filter(|f| !names().any(|n| n == f.name)) {
        errors.push(unknown_name(&force.name, force.span.clone(), names(), "among the coordinates"));
    }
    for entry in rule.inertia.iter().filter(|d| model.inertia_place(&d.name).is_none()) {
        let error = unknown_name(&entry.name, entry.span.clone(), names(), "in `inertia`");
        let hint = "write `x = …` for the diagonal entry of coordinate `x`, or `x.y = …` for that of row `x` and column `y`";
        errors.push(error.hint(hint));
    }
    check_both_halves(model, errors);
}

/// The matrix of `inertia` is symmetric: an entry is given once, and stands in both halves.
fn check_both_halves(model: &Model, errors: &mut Vec<Diagnostic>) {
    let place = |entry: &Definition| model.inertia_place(&entry.name).map(|(i, j)| (i.min(j), i.max(j)));
    let entries = &model.mechanism.inertia;
    for (k, entry) in entries.iter().enumerate() {
        let same = |other: &&Definition| place(other).is_some() && place(other) == place(entry);
        if let Some(first) = entries[..k].iter().find(same) {
            let message = format!(
                "`{}` is the same entry of `inertia` as `{}`: the matrix is symmetric",
                entry.name, first.name
            );
            let hint = "give one of them; it stands in both halves";
            errors.push(Diagnostic::new("duplicate-name", entry.span.clone(), message).hint(hint));
        }
    }
}

/// Kinetic energy and constraints are differentiated along the motion: they depend on time, coordinates and speeds only.
fn check_no_side_states(model: &Model, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    let rule = &model.mechanism;
    let constraints = rule.constraints.iter().map(|d| &d.formula);
    for formula in rule.kinetic.iter().chain(constraints) {
        for (name, span) in formula.syntax.names_of_values() {
            if matches!(scope.meaning(name), Some(Meaning::State(i)) if i >= 2 * rule.coordinates) {
                let message =
                    format!("`{name}` is a state and cannot be used in a kinetic energy or a constraint");
                let hint = "only `t`, coordinates, speeds and parameters can be used here, and other states to choose: `if latched > 0.5 then x - 1 else 0`";
                errors.push(Diagnostic::new("unknown-name", formula.place.part(&span), message).hint(hint));
            }
        }
    }
}

/// What follows from the motion cannot be a cause of it: an output that uses a multiplier or a reaction is not used in formulas that move something.
fn check_outputs_of_motion(model: &Model, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    let known = outputs_that_use(model, scope, Meaning::follows_from_motion);
    for formula in model.moving_formulas().chain(model.resets()) {
        for (name, span) in formula.syntax.names() {
            if matches!(scope.meaning(name), Some(Meaning::Output(i)) if known[i]) {
                let message = format!("`{name}` follows from the motion and cannot be a cause of it");
                let hint = "outputs that use a multiplier or a reaction can be written out and audited, but not used in derivatives, forces, guards and resets";
                errors.push(Diagnostic::new("unknown-name", formula.place.part(&span), message).hint(hint));
            }
        }
    }
}

/// A formula that is differentiated twice along the motion, with switches as they are locked.
fn smooth_room(place: &'static str) -> Room {
    let allows = |m: Meaning| !matches!(m, Meaning::Output(_)) && !m.follows_from_motion();
    let usable = "only `t`, coordinates, speeds, states, discrete variables, switches and parameters";
    Room { place, usable, allows }
}
