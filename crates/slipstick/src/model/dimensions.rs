//! Checks the dimensions of a model with units: formulas add only what is alike, and fit where they stand.
//!
//! A name has the dimension of its formula: a parameter that of its value, a state or a discrete variable
//! that of its start value, a speed that of its coordinate per time. What has plain numbers only is free,
//! and so is all of a model without a unit: nothing in it can be wrong.

use super::compliant::CompliantRule;
use super::versions::Versions;
use super::{
    Along, Definition, Diagnostic, EventRule, Formula, ImpulseAmount, Model, PressRule, Quantity, Scope,
    Trigger, contact_name, dependency_order,
};
use crate::expr::{Dimension, DimensionError};
use std::collections::{BTreeMap, BTreeSet};

/// All errors of dimensions in a model.
pub(super) fn check_dimensions(model: &Model, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    let list = FormulaList::new(model, scope).list;
    if !list.iter().any(|placed| placed.formula.syntax.has_units()) {
        return;
    }
    let dimensions = Dimensions::new(model, scope);
    errors.extend(list.iter().filter_map(|placed| placed.error(&dimensions)));
    errors.extend(model.mechanism.compliant.iter().filter_map(|contact| dimensions.wrong_damping(contact)));
}

/// The dimension that a place needs.
#[derive(Clone, Copy)]
enum Needed {
    Any,
    This(Dimension),
    /// That of a name.
    Like(Quantity),
    /// That of a state, per time.
    Rate(usize),
}

/// A formula with the name of its place.
struct PlacedFormula<'a> {
    formula: &'a Formula,
    section: &'a str,
    name: &'a str,
    needed: Needed,
}

impl PlacedFormula<'_> {
    fn error(&self, dimensions: &Dimensions<'_>) -> Option<Diagnostic> {
        let syntax = &self.formula.syntax;
        let found = match syntax.dimension(&mut |name| dimensions.of_name(name)) {
            Ok(found) => found,
            Err(error) => return Some(dimension_error("mixed-units", self.formula, error)),
        };
        let needed = match self.needed {
            Needed::Any => None,
            Needed::This(dimension) => Some(dimension),
            Needed::Like(quantity) => dimensions.of(quantity),
            Needed::Rate(state) => dimensions.rate(state),
        };
        let error = syntax.check_dimension(found, needed?, &key(self.section, self.name)).err()?;
        Some(dimension_error("wrong-dimension", self.formula, error))
    }
}

/// Every formula that the user has written. Those that contacts and parts make of them are not looked at.
struct FormulaList<'a> {
    model: &'a Model,
    scope: &'a Scope<'a>,
    list: Vec<PlacedFormula<'a>>,
}

impl<'a> FormulaList<'a> {
    fn new(model: &'a Model, scope: &'a Scope<'a>) -> Self {
        let mut formulas = Self { model, scope, list: Vec::new() };
        formulas.values();
        formulas.rates();
        formulas.of_mechanism();
        formulas.of_contacts();
        for amount in &model.mechanism.amounts {
            let needed = amount.needed.map_or(Needed::Any, Needed::This);
            formulas.add(&amount.formula, "", &amount.key, needed);
        }
        for (_, event) in model.all_events().filter(|(_, event)| event.of_contact.is_none()) {
            formulas.of_event(event);
        }
        formulas
    }

    fn add(&mut self, formula: &'a Formula, section: &'a str, name: &'a str, needed: Needed) {
        if !formula.place.is_made {
            self.list.push(PlacedFormula { formula, section, name, needed });
        }
    }

    fn add_all(&mut self, definitions: &'a [Definition], section: &'a str) {
        for definition in definitions {
            self.add(&definition.formula, section, &definition.name, Needed::Any);
        }
    }

    /// What gives names their dimensions, and the times of the run.
    fn values(&mut self) {
        let model = self.model;
        let n = model.mechanism.coordinates;
        self.add_all(&model.parameters, "parameters");
        self.add_all(&model.discrete, "discrete");
        for (i, state) in model.states.iter().enumerate() {
            let needed = if (n..2 * n).contains(&i) { Needed::Rate(i - n) } else { Needed::Any };
            self.add(&state.formula, "", &state.name, needed);
        }
        let generated: BTreeSet<String> =
            model.mechanism.compliant.iter().flat_map(generated_outputs).collect();
        for (i, (output, versions)) in model.outputs.iter().zip(model.output_versions()).enumerate() {
            for formula in versions.formulas().filter(|_| !generated.contains(&output.name)) {
                self.add(formula, "outputs", &output.name, Needed::Like(Quantity::Output(i)));
            }
        }
        self.add_all(&model.switches, "switches");
        for audit in &model.audit {
            self.add(&audit.definition.formula, "audit", &audit.definition.name, Needed::Any);
        }
        let run =
            [(&model.run.from, "from"), (&model.run.until, "until"), (&model.run.output_step, "output_step")];
        for (formula, key) in run {
            if let Some(formula) = formula {
                self.add(formula, "", key, Needed::This(Dimension::TIME));
            }
        }
    }

    /// Derivatives. With an entry of `mass` in its row, one is the rate of something else.
    fn rates(&mut self) {
        let (model, scope) = (self.model, self.scope);
        let rows: BTreeSet<usize> =
            model.mass.iter().filter_map(|entry| scope.mass_place(&entry.name)).map(|(row, _)| row).collect();
        let modes = model.modes.iter().flat_map(|mode| &mode.derivatives);
        for definition in model.derivatives.iter().chain(modes) {
            let state = scope.state(&definition.name).filter(|state| !rows.contains(state));
            let needed = state.map_or(Needed::Any, Needed::Rate);
            self.add(&definition.formula, "derivatives", &definition.name, needed);
        }
        self.add_all(&model.mass, "mass");
    }

    fn of_mechanism(&mut self) {
        let (model, rule) = (self.model, &self.model.mechanism);
        for (energy, key) in [(&rule.kinetic, "kinetic"), (&rule.potential, "potential")] {
            if let Some(formula) = energy {
                self.add(formula, "", key, Needed::Any);
            }
        }
        self.add_all(&rule.inertia, "inertia");
        self.add_all(&rule.forces, "forces");
        self.add_all(model.common_constraints(), "constraints");
        for mode in &model.modes {
            self.add_all(&mode.forces, "forces");
            self.add_all(&mode.constraints, "constraints");
        }
    }

    fn of_contacts(&mut self) {
        let number = Needed::This(Dimension::NUMBER);
        for contact in &self.model.mechanism.contacts {
            let friction =
                contact.friction.iter().flat_map(|friction| [&friction.sticking, &friction.sliding]);
            // Forces in joints have been checked as they are written.
            let PressRule::Gap { gap, restitution } = &contact.press else { continue };
            self.add(gap, "gap", "", Needed::Any);
            if let Some(slip) = &contact.slip {
                self.add(slip, "slip", "", Needed::Any);
            }
            self.add(restitution, "restitution", "", number);
            for ratio in friction {
                self.add(ratio, "friction", "", number);
            }
        }
        for contact in &self.model.mechanism.compliant {
            self.add(&contact.gap, "gap", "", Needed::Any);
            for (number, _) in &contact.numbers {
                self.add(number, "", "", Needed::Any);
            }
        }
    }

    fn of_event(&mut self, event: &'a EventRule) {
        let time = Needed::This(Dimension::TIME);
        match &event.trigger {
            Trigger::Guard(guard) => self.add(guard, "guard", "", Needed::Any),
            Trigger::At(at) => self.add(at, "at", "", time),
            Trigger::Every { period, first } => {
                self.add(period, "every", "", time);
                if let Some(first) = first {
                    self.add(first, "at", "", time);
                }
            }
            Trigger::On(_) | Trigger::Contact { .. } => {}
        }
        if let Some(impulse) = &event.impulse {
            self.add(&impulse.along, "along", "", Needed::Any);
            match &impulse.amount {
                ImpulseAmount::Restitution(part) => {
                    self.add(part, "restitution", "", Needed::This(Dimension::NUMBER));
                }
                ImpulseAmount::Size(size) => self.add(size, "size", "", Needed::Any),
            }
        }
        for reset in event.reset.iter().chain(event.at_rest.iter().flat_map(|rest| &rest.reset)) {
            let needed = self.scope.meaning(&reset.name).map_or(Needed::Any, Needed::Like);
            self.add(&reset.formula, "reset", &reset.name, needed);
        }
    }
}

/// The outputs that a compliant contact makes: its velocity and its force.
fn generated_outputs(contact: &CompliantRule) -> [String; 2] {
    ["velocity", "force.n"].map(|property| contact_name(&contact.name, property))
}

/// The dimensions of the names of a model with units; none is free.
pub(super) struct Dimensions<'a> {
    scope: &'a Scope<'a>,
    parameters: Vec<Option<Dimension>>,
    states: Vec<Option<Dimension>>,
    discrete: Vec<Option<Dimension>>,
    outputs: Vec<Option<Dimension>>,
}

/// The dimensions of the coordinates of joints that carry bodies, by name.
fn of_joints(model: &Model) -> impl Iterator<Item = (&str, Dimension)> {
    let motions = model.tree().into_iter().flat_map(|tree| &tree.bodies).flat_map(|body| &body.motions);
    motions.filter_map(|motion| match &motion.along {
        Along::Coordinate(name) if motion.turn == 0.0 => Some((name.as_str(), Dimension::LENGTH)),
        Along::Coordinate(name) => Some((name.as_str(), Dimension::NUMBER)),
        Along::Held(_) => None,
    })
}

/// The dimensions of where bodies are that joints carry, and of their rates.
fn of_places(model: &Model) -> impl Iterator<Item = (String, Option<Dimension>)> {
    let bodies = model.tree().into_iter().flat_map(|tree| &tree.bodies);
    let places = bodies
        .flat_map(|body| body.place.iter().zip([Dimension::LENGTH, Dimension::LENGTH, Dimension::NUMBER]));
    places.flat_map(|(name, dimension)| {
        let rate = dimension.per(Dimension::TIME);
        let second = rate.and_then(|rate| rate.per(Dimension::TIME));
        [(name.clone(), Some(dimension)), (format!("{name}'"), rate), (format!("{name}''"), second)]
    })
}

impl<'a> Dimensions<'a> {
    /// Finds them. What is wrong is free here: its error is reported where it stands, and once.
    pub(super) fn new(model: &Model, scope: &'a Scope<'a>) -> Self {
        let free = |list: &[Definition]| vec![None; list.len()];
        let mut dimensions = Self {
            scope,
            parameters: free(&model.parameters),
            states: free(&model.states),
            discrete: free(&model.discrete),
            outputs: free(&model.outputs),
        };
        let names: Vec<&str> = model.parameters.iter().map(|d| d.name.as_str()).collect();
        let uses = |i: usize| model.parameters[i].formula.syntax.names().map(|(name, _)| name).collect();
        for i in dependency_order(&names, uses).unwrap_or_default() {
            dimensions.parameters[i] = dimensions.of_formula(&model.parameters[i].formula);
        }
        dimensions.states = model.states.iter().map(|d| dimensions.of_formula(&d.formula)).collect();
        dimensions.discrete = model.discrete.iter().map(|d| dimensions.of_formula(&d.formula)).collect();
        for body in &model.mechanism.bodies {
            let [x, y, angle] = body.coordinates;
            for (state, dimension) in
                [(x, Dimension::LENGTH), (y, Dimension::LENGTH), (angle, Dimension::NUMBER)]
            {
                dimensions.states[state] = Some(dimension);
            }
        }
        for (name, dimension) in of_joints(model) {
            if let Some(state) = scope.coordinate(name) {
                dimensions.states[state] = Some(dimension);
            }
        }
        dimensions.join_speeds(model.mechanism.coordinates);
        dimensions.find_outputs(model);
        dimensions
    }

    /// A coordinate and its speed know the dimension of one another.
    fn join_speeds(&mut self, coordinates: usize) {
        for i in 0..coordinates {
            let (position, speed) = (self.states[i], self.states[coordinates + i]);
            self.states[i] = position.or_else(|| speed?.times(Dimension::TIME));
            let rate = self.states[i].and_then(|position| position.per(Dimension::TIME));
            self.states[coordinates + i] = rate;
        }
    }

    fn find_outputs(&mut self, model: &Model) {
        let mut made = self.of_compliant_contacts(model);
        made.extend(of_places(model));
        let versions = model.output_versions();
        for i in model.outputs_in_order() {
            let made = made.get(&model.outputs[i].name).copied();
            self.outputs[i] = made.unwrap_or_else(|| self.of_versions(&versions[i]));
        }
    }

    /// The dimensions of the outputs that compliant contacts make.
    fn of_compliant_contacts(&self, model: &Model) -> BTreeMap<String, Option<Dimension>> {
        let of = |contact: &CompliantRule| {
            let [velocity, force] = generated_outputs(contact);
            let rate = self.of_formula(&contact.gap).and_then(|gap| gap.per(Dimension::TIME));
            [(velocity, rate), (force, self.force(contact))]
        };
        model.mechanism.compliant.iter().flat_map(of).collect()
    }

    fn of_versions(&self, versions: &Versions<'_>) -> Option<Dimension> {
        versions.formulas().find_map(|formula| self.of_formula(formula))
    }

    fn of_formula(&self, formula: &Formula) -> Option<Dimension> {
        formula.syntax.dimension(&mut |name| self.of_name(name)).ok().flatten()
    }

    /// The dimension of a name; none is free.
    pub(super) fn of_name(&self, name: &str) -> Option<Dimension> {
        self.of(self.scope.meaning(name)?)
    }

    fn of(&self, quantity: Quantity) -> Option<Dimension> {
        match quantity {
            Quantity::Time => Some(Dimension::TIME),
            Quantity::Parameter(i) => self.parameters[i],
            Quantity::State(i) => self.states[i],
            Quantity::Discrete(i) => self.discrete[i],
            Quantity::Output(i) => self.outputs[i],
            Quantity::Acceleration(i) => self.rate(i + self.scope.model().mechanism.coordinates),
            Quantity::Switch(_)
            | Quantity::Multiplier(_)
            | Quantity::Reaction(_)
            | Quantity::Hold(_)
            | Quantity::Slack(_) => None,
        }
    }

    /// The dimension of the rate of a state.
    fn rate(&self, state: usize) -> Option<Dimension> {
        self.states[state]?.per(Dimension::TIME)
    }

    /// The dimension of the force of a compliant contact.
    fn force(&self, contact: &CompliantRule) -> Option<Dimension> {
        let (stiffness, _) = contact.numbers.first()?;
        let [power, _] = contact.law.powers_of_depth();
        self.of_formula(stiffness)?.times(self.of_formula(&contact.gap)?.to_power(power)?)
    }

    /// The damping of a compliant contact whose force is not that of its stiffness.
    fn wrong_damping(&self, contact: &CompliantRule) -> Option<Diagnostic> {
        let [(stiffness, _), (damping, _)] = contact.numbers.as_slice() else { return None };
        let [elastic, viscous] = contact.law.powers_of_depth();
        let depth = self.of_formula(&contact.gap)?.to_power(elastic - viscous - 1.0)?;
        let needed = self.of_formula(stiffness)?.times(Dimension::TIME)?.times(depth)?;
        let error = damping.syntax.check_dimension(self.of_formula(damping), needed, "damping").err()?;
        Some(dimension_error("wrong-dimension", damping, error))
    }
}

fn dimension_error(code: &'static str, formula: &Formula, error: DimensionError) -> Diagnostic {
    Diagnostic::new(code, formula.place.part(&error.span), error.message).hint(error.hint)
}

/// The names of a place, joined by a dot.
fn key(section: &str, name: &str) -> String {
    let dot = if section.is_empty() || name.is_empty() { "" } else { "." };
    format!("{section}{dot}{name}")
}
