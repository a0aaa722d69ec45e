//! Mechanisms: coordinates with their speeds, energies or a mass matrix, forces, constraints.
//!
//! A coordinate `x` has the speed `x'`. Both are states of the model: all coordinates first, then all speeds,
//! then the states of `states`. The equations of motion follow from the energies (Lagrange) or from `inertia`
//! and `forces`.

use super::names::{FormulaContext, check_formula, outputs_that_use, places, smooth_room};
use super::parts::PartSections;
use super::read::{Reader, Value};
use super::{
    CompliantRule, ContactRule, Definition, Diagnostic, Formula, JointRule, Model, PartAmount, Quantity,
    Reference, Scope, SourceLocation, TreeRule, Trigger, dependency_order,
};
use crate::expr::{Kind, nearest};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use toml::de::DeTable;

/// How many coordinates a misspelt speed is compared with.
const MOST_COMPARED: usize = 100;

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
    /// What must stay zero: a formula of time, coordinates and speeds. Those only in modes come last.
    pub constraints: Vec<Definition>,
    /// How many of the constraints stand in modes only.
    pub constraints_of_modes: usize,
    /// What can touch. Their constraints, discrete variables, outputs and events are among those of the model.
    pub contacts: Vec<ContactRule>,
    /// What pushes apart where it overlaps. Their outputs and events are among those of the model.
    pub compliant: Vec<CompliantRule>,
    /// What is kept while the start is put together.
    pub start: StartRule,
    /// The bodies, whose coordinates are among those of the model.
    pub bodies: Vec<BodyRule>,
    /// The joints between them.
    pub joints: Vec<JointRule>,
    /// The bodies as trees, if they have the coordinates of joints.
    pub tree: Option<TreeRule>,
    /// The formulas of parts, from which those of the motion are put together.
    pub amounts: Vec<PartAmount>,
    /// The parameters that say how many parts there are.
    pub structural: BTreeSet<String>,
}

/// A body of a mechanism.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyRule {
    /// The name.
    pub name: String,
    /// The states of its centre of mass and its angle: x, y, angle.
    pub coordinates: [usize; 3],
}

/// What is kept while the start of bodies is put together, by names of coordinates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StartRule {
    /// Coordinates that stay.
    pub pinned: Vec<String>,
    /// Coordinates that stay if the others can be put together without them.
    pub drawn: Vec<String>,
    /// Coordinates whose velocities stay.
    pub velocities: Vec<String>,
    /// What the user has pinned, with its place.
    pub pins: Vec<Reference>,
    /// On which side angles of joints are.
    pub branches: Vec<BranchRule>,
    /// How much more than others coordinates of bodies resist being moved.
    pub weights: Vec<(String, f64)>,
}

/// An angle of a joint that is positive or negative where the loop is put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchRule {
    /// The name of the angle.
    pub name: String,
    /// Where it stands.
    pub span: Range<usize>,
    /// The angles of bodies that it is the difference of; the ground has none.
    pub angles: [Option<String>; 2],
    /// Whether it is positive.
    pub positive: bool,
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

    /// The formulas that may use outputs.
    pub(super) fn observing_formulas(&self) -> impl Iterator<Item = &Formula> {
        let resets = self.all_events().flat_map(|(_, event)| {
            let rest = event.at_rest.iter().flat_map(|rest| &rest.reset);
            let impulse = event.impulse.iter();
            let impulse = impulse.flat_map(|impulse| [&impulse.along, impulse.amount.formula()]);
            event.reset.iter().chain(rest).map(|reset| &reset.formula).chain(impulse)
        });
        let of_modes = self.modes.iter().flat_map(|mode| &mode.outputs);
        let outputs = self.outputs.iter().chain(of_modes).map(|output| &output.formula);
        let audits = self.audit.iter().map(|audit| &audit.definition.formula);
        let constraints = self.mechanism.constraints.iter().map(|constraint| &constraint.formula);
        self.moving_formulas().chain(resets).chain(outputs).chain(audits).chain(constraints)
    }

    /// The formulas of the motion: derivatives, forces, mass entries and guards. Switches use no outputs.
    pub fn moving_formulas(&self) -> impl Iterator<Item = &Formula> {
        let guards = self.all_events().filter_map(|(_, event)| match &event.trigger {
            Trigger::Guard(guard) => Some(guard),
            _ => None,
        });
        let contacts = self.mechanism.contacts.iter().flat_map(ContactRule::formulas);
        let compliant = self.mechanism.compliant.iter().flat_map(|contact| [&contact.gap, &contact.force]);
        self.driving_formulas().chain(guards).chain(contacts).chain(compliant)
    }

    /// The formulas that the motion between events depends on: derivatives, forces and mass entries.
    fn driving_formulas(&self) -> impl Iterator<Item = &Formula> {
        let forces = self.mechanism.forces.iter().chain(self.modes.iter().flat_map(|mode| &mode.forces));
        self.formulas_before_forces().chain(forces.map(|d| &d.formula))
    }

    /// The formulas that multipliers depend on: derivatives and mass entries.
    fn formulas_before_forces(&self) -> impl Iterator<Item = &Formula> {
        let modes = self.modes.iter().flat_map(|mode| &mode.derivatives);
        let definitions =
            self.derivatives.iter().chain(&self.mass).chain(&self.mechanism.inertia).chain(modes);
        definitions.map(|d| &d.formula)
    }

    /// The outputs, each after those that it uses; none if they are defined in a circle.
    pub fn outputs_in_order(&self) -> Vec<usize> {
        self.order_of_outputs().unwrap_or_default()
    }

    /// The outputs, each after those that it uses, or every circle.
    pub(super) fn order_of_outputs(&self) -> Result<Vec<usize>, Vec<Vec<usize>>> {
        let names: Vec<&str> = self.outputs.iter().map(|d| d.name.as_str()).collect();
        let versions = self.output_versions();
        dependency_order(&names, |i| versions[i].names().collect())
    }

    /// Whether a constraint is one of speeds: its formula uses one, and not only to choose.
    pub fn is_of_speeds(&self, constraint: &Formula, scope: &Scope<'_>) -> bool {
        let n = self.mechanism.coordinates;
        // How fast a body of a tree moves is no state; it has the name of one.
        let is_rate = |name: &str| self.tree().is_some() && name.ends_with('\'');
        let is_speed = |name: &str| match scope.meaning(name) {
            Some(Quantity::State(i)) => (n..2 * n).contains(&i),
            Some(Quantity::Output(_)) => is_rate(name),
            _ => false,
        };
        constraint.syntax.names_of_values().any(|(name, _)| is_speed(name))
    }
}

impl Reader<'_> {
    /// Reads the sections of a mechanism, if there are coordinates, and puts its states before the others.
    /// With bodies, there may be none.
    pub(super) fn mechanism(&mut self, table: &DeTable<'_>, model: &mut Model, has_bodies: bool) {
        let value = table.get("coordinates");
        if value.is_none() && !has_bodies {
            return self.check_no_mechanism(table);
        }
        if let Some((key, _)) = table.get_key_value("mass") {
            let message = "`mass` and `coordinates` cannot be used together".to_owned();
            self.error("wrong-type", key.span(), message, "give the masses of coordinates as `inertia`");
        }
        let coordinates = value.map_or_else(Vec::new, |value| self.definitions(value, "coordinates"));
        let speeds = table.get("speeds").map_or_else(Vec::new, |v| self.definitions(v, "speeds"));
        let mut list = |key: &str| table.get(key).map_or_else(Vec::new, |v| self.definitions(v, key));
        let (inertia, constraints) = (list("inertia"), list("constraints"));
        let forces = table.get("forces").map_or_else(Vec::new, |v| self.forces(v, has_bodies));
        let mut energy = |key: &str| table.get(key).map(|v| self.formula(v, key, Kind::Number));
        let (kinetic, potential) = (energy("kinetic"), energy("potential"));
        let given: BTreeMap<&str, &Definition> = speeds.iter().map(|s| (s.name.as_str(), s)).collect();
        let speed = |c: &Definition| start_speed(c, given.get(c.name.as_str()).copied());
        let rates: Vec<Definition> = coordinates.iter().map(speed).collect();
        self.check_speeds(&coordinates, &speeds);
        let count = coordinates.len();
        model.states =
            coordinates.into_iter().chain(rates).chain(std::mem::take(&mut model.states)).collect();
        model.mechanism = MechanismRule {
            coordinates: count,
            kinetic,
            potential,
            inertia,
            forces,
            constraints,
            constraints_of_modes: 0,
            contacts: Vec::new(),
            compliant: Vec::new(),
            joints: Vec::new(),
            tree: None,
            start: StartRule::default(),
            bodies: Vec::new(),
            amounts: Vec::new(),
            structural: BTreeSet::new(),
        };
        if let Some(value) = value
            && model.mechanism.kinetic.is_none()
            && model.mechanism.inertia.is_empty()
        {
            let message = "the mechanism has no mass: nothing says how it moves".to_owned();
            let hint = "add `kinetic = \"m / 2 * x'^2\"`, or `inertia = { x = \"m\" }`";
            self.error("missing-key", value.span(), message, hint);
        }
    }

    /// Forces on coordinates. Beside bodies, those with a kind are forces on them.
    fn forces(&mut self, value: &Value<'_>, has_bodies: bool) -> Vec<Definition> {
        let (Some(table), true) = (value.get_ref().as_table(), has_bodies) else {
            return self.definitions(value, "forces");
        };
        let mut list = Vec::new();
        for (key, inner) in table {
            let name = key.get_ref().to_string();
            let setting = self.setting(&name, key.span(), inner);
            if inner.get_ref().is_table() && !PartSections::is_named_force(&setting) {
                let own = self.definitions(inner, "forces");
                list.extend(own.into_iter().map(|d| Definition { name: format!("{name}.{}", d.name), ..d }));
            } else if !inner.get_ref().is_table() {
                let formula = self.formula(inner, &format!("forces.{name}"), Kind::Number);
                list.push(Definition { name, span: key.span(), formula });
            }
        }
        list
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
        let known = places(coordinates.iter().map(|c| &c.name));
        for speed in speeds.iter().filter(|speed| !known.contains_key(speed.name.as_str())) {
            let message = format!("unknown name `{}` among the coordinates", speed.name);
            let near = nearest(&speed.name, coordinates.iter().map(|c| c.name.as_str()).take(MOST_COMPARED));
            let hint = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "speeds have the names of their coordinates".to_owned(),
            };
            self.error("unknown-name", speed.span.clone(), message, hint);
        }
    }
}

/// The start value of a coordinate's speed: as given, or zero.
fn start_speed(coordinate: &Definition, given: Option<&Definition>) -> Definition {
    let (span, formula) = if let Some(speed) = given {
        (speed.span.clone(), speed.formula.clone())
    } else {
        let place = SourceLocation::whole(coordinate.span.clone());
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
    for definition in model.common_constraints() {
        check_formula(&definition.formula, scope, smooth_room("a constraint"), errors);
    }
    for definition in &rule.forces {
        check_formula(&definition.formula, scope, FormulaContext::pushing(), errors);
    }
    for definition in &rule.inertia {
        check_formula(&definition.formula, scope, FormulaContext::running("a formula"), errors);
    }
    let names = || model.coordinates().iter().map(|c| c.name.as_str());
    check_no_side_states(model, scope, errors);
    check_outputs_of_motion(model, scope, errors);
    let is_free =
        |force: &&Definition| scope.coordinate(&force.name).is_none() && !model.is_place(&force.name);
    for force in rule.forces.iter().filter(is_free) {
        errors.push(scope.unknown(&force.name, force.span.clone(), names(), "among the coordinates"));
    }
    for entry in rule.inertia.iter().filter(|d| scope.inertia_place(&d.name).is_none()) {
        let error = scope.unknown(&entry.name, entry.span.clone(), names(), "in `inertia`");
        let hint = "write `x = …` for the diagonal entry of coordinate `x`, or `x.y = …` for that of row `x` and column `y`";
        errors.push(error.hint(hint));
    }
    check_both_halves(model, scope, errors);
}

/// The matrix of `inertia` is symmetric: an entry is given once, and stands in both halves.
fn check_both_halves(model: &Model, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    let mut given: BTreeMap<(usize, usize), &Definition> = BTreeMap::new();
    for entry in &model.mechanism.inertia {
        let Some((i, j)) = scope.inertia_place(&entry.name) else { continue };
        let first = *given.entry((i.min(j), i.max(j))).or_insert(entry);
        if first.name != entry.name {
            let message = format!(
                "`{}` is the same entry of `inertia` as `{}`: the matrix is symmetric",
                entry.name, first.name
            );
            let hint = "give one of them; it stands in both halves";
            errors.push(Diagnostic::new("duplicate-name", entry.span.clone(), message).hint(hint));
        }
    }
}

/// Kinetic energy and constraints are differentiated along the motion: they depend on time, coordinates and
/// speeds only.
fn check_no_side_states(model: &Model, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    let rule = &model.mechanism;
    if rule.is_empty() {
        return;
    }
    let of_modes = model.modes.iter().flat_map(|mode| &mode.constraints);
    let constraints = model.common_constraints().iter().chain(of_modes).map(|d| &d.formula);
    for formula in rule.kinetic.iter().chain(constraints) {
        for (name, span) in formula.syntax.names_of_values() {
            if matches!(scope.meaning(name), Some(Quantity::State(i)) if i >= 2 * rule.coordinates) {
                let message =
                    format!("`{name}` is a state and cannot be used in a kinetic energy or a constraint");
                let hint = "only `t`, coordinates, speeds and parameters can be used here, and other states to choose: `if latched > 0.5 then x - 1 else 0`";
                errors.push(Diagnostic::new("unknown-name", formula.place.part(&span), message).hint(hint));
            }
        }
    }
}

/// What follows from the motion cannot be a cause of it: an output that uses a multiplier or a reaction is
/// not used in derivatives and masses. Forces may be linear in multipliers; guards and resets look at the
/// motion as it is before an event.
fn check_outputs_of_motion(model: &Model, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    check_accelerations(model, scope, errors);
    let known = outputs_that_use(model, scope, Quantity::follows_from_motion);
    for formula in model.formulas_before_forces() {
        for (name, span) in formula.syntax.names() {
            if matches!(scope.meaning(name), Some(Quantity::Output(i)) if known[i]) {
                let message = format!("`{name}` follows from the motion and cannot be a cause of it");
                let hint = "outputs that use a multiplier or a reaction can be written out and audited, or used in forces, guards and resets, but not in derivatives and masses";
                errors.push(Diagnostic::new("unknown-name", formula.place.part(&span), message).hint(hint));
            }
        }
    }
}

/// An acceleration is looked at only: forces would be a part of what follows from them, and it jumps where they do, so
/// that no guard finds where it crosses something.
fn check_accelerations(model: &Model, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    let is_acceleration = |meaning| matches!(meaning, Quantity::Acceleration(_));
    let known = outputs_that_use(model, scope, is_acceleration);
    if !known.contains(&true)
        && !model.all_events().any(|(_, event)| matches!(event.trigger, Trigger::Guard(_)))
    {
        return;
    }
    let modes = model.modes.iter().flat_map(|mode| &mode.forces);
    let forces = model.mechanism.forces.iter().chain(modes).map(|force| ("a force", &force.formula));
    let guards = model.all_events().filter_map(|(_, event)| match &event.trigger {
        Trigger::Guard(guard) => Some(("a guard", guard)),
        _ => None,
    });
    for (place, formula) in forces.chain(guards) {
        for (name, span) in formula.syntax.names() {
            let is_one = match scope.meaning(name) {
                Some(Quantity::Output(i)) => known[i],
                other => place == "a guard" && other.is_some_and(is_acceleration),
            };
            if is_one {
                let message = format!("`{name}` is an acceleration and cannot be used in {place}");
                let hint = "accelerations can be written out, audited and used in resets; use a velocity, or the force of a joint";
                errors.push(Diagnostic::new("unknown-name", formula.place.part(&span), message).hint(hint));
            }
        }
    }
}
