//! What modes may define for themselves: outputs, constraints, forces. A name has a formula per mode, or one
//! for all.

use super::names::{FormulaContext, check_formula, places, smooth_room};
use super::{Definition, Diagnostic, Formula, ModeRule, Model, Scope};
use std::collections::BTreeSet;

/// All formulas of one thing.
#[derive(Clone, Debug, Default)]
pub struct Versions<'a> {
    /// The one that holds in all modes that have none of their own.
    pub common: Option<&'a Formula>,
    /// Those of modes, by index.
    pub modes: Vec<(usize, &'a Formula)>,
}

impl<'a> Versions<'a> {
    /// All of them.
    pub fn formulas(&self) -> impl Iterator<Item = &'a Formula> + '_ {
        self.common.into_iter().chain(self.modes.iter().map(|(_, formula)| *formula))
    }

    /// The names that any of them uses.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.formulas().flat_map(|formula| formula.syntax.names().map(|(name, _)| name))
    }
}

/// One entry for each of `all`, of which the last `of_modes` stand in modes only.
fn versions<'a>(
    all: &'a [Definition],
    of_modes: usize,
    modes: &'a [ModeRule],
    own: fn(&'a ModeRule) -> &'a [Definition],
) -> Vec<Versions<'a>> {
    let common = all.len().saturating_sub(of_modes);
    let one = |(i, d): (usize, &'a Definition)| Versions {
        common: (i < common).then_some(&d.formula),
        modes: Vec::new(),
    };
    let mut list: Vec<Versions<'a>> = all.iter().enumerate().map(one).collect();
    if modes.iter().all(|mode| own(mode).is_empty()) {
        return list;
    }
    let places = places(all.iter().map(|d| &d.name));
    for (k, mode) in modes.iter().enumerate() {
        for definition in own(mode) {
            if let Some(&i) = places.get(definition.name.as_str()) {
                list[i].modes.push((k, &definition.formula));
            }
        }
    }
    list
}

/// Puts behind `all` what stands in modes only, and gives how much that is.
pub(super) fn gather(
    all: &mut Vec<Definition>,
    modes: &[ModeRule],
    own: fn(&ModeRule) -> &[Definition],
) -> usize {
    let common = all.len();
    let mut known: BTreeSet<String> = all.iter().map(|d| d.name.clone()).collect();
    for definition in modes.iter().flat_map(own) {
        if known.insert(definition.name.clone()) {
            all.push(definition.clone());
        }
    }
    all.len() - common
}

impl Model {
    /// The formulas of each output.
    pub fn output_versions(&self) -> Vec<Versions<'_>> {
        versions(&self.outputs, self.outputs_of_modes, &self.modes, |mode| &mode.outputs)
    }

    /// The formulas of each constraint; where it has none, it does not hold.
    pub fn constraint_versions(&self) -> Vec<Versions<'_>> {
        let rule = &self.mechanism;
        versions(&rule.constraints, rule.constraints_of_modes, &self.modes, |mode| &mode.constraints)
    }

    /// The forces on each coordinate, which add up: the common one, and one of the mode that holds.
    pub fn force_versions(&self) -> Vec<Versions<'_>> {
        let coordinates = self.coordinates();
        let mut list = versions(coordinates, coordinates.len(), &self.modes, |mode| &mode.forces);
        let places = places(coordinates.iter().map(|d| &d.name));
        for force in &self.mechanism.forces {
            if let Some(&i) = places.get(force.name.as_str()) {
                list[i].common = Some(&force.formula);
            }
        }
        list
    }

    /// Outputs that hold in every mode unless it has its own.
    pub(super) fn common_outputs(&self) -> &[Definition] {
        &self.outputs[..self.outputs.len().saturating_sub(self.outputs_of_modes)]
    }

    /// Constraints that hold in every mode.
    pub(super) fn common_constraints(&self) -> &[Definition] {
        let rule = &self.mechanism;
        &rule.constraints[..rule.constraints.len().saturating_sub(rule.constraints_of_modes)]
    }
}

/// Names in the formulas of modes, and things that only some modes have.
pub(super) fn check_versions(model: &Model, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    for mode in &model.modes {
        for output in &mode.outputs {
            check_formula(&output.formula, scope, FormulaContext::observing("an output"), errors);
        }
        for constraint in &mode.constraints {
            check_formula(&constraint.formula, scope, smooth_room("a constraint"), errors);
        }
        for force in &mode.forces {
            check_formula(&force.formula, scope, FormulaContext::pushing(), errors);
        }
        check_mechanism_of(mode, model, scope, errors);
    }
    check_outputs(model, errors);
    check_levels(model, scope, errors);
}

/// Constraints and forces are those of a mechanism, and forces those on its coordinates.
fn check_mechanism_of(mode: &ModeRule, model: &Model, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    if model.mechanism.is_empty() {
        for (section, list) in [("constraints", &mode.constraints), ("forces", &mode.forces)] {
            if let Some(first) = list.first() {
                let message = format!("`{section}` of mode `{}` needs `coordinates`", mode.name);
                let hint = "add `coordinates = { x = 0 }`";
                errors.push(Diagnostic::new("missing-key", first.span.clone(), message).hint(hint));
            }
        }
        return;
    }
    let is_free =
        |force: &&Definition| scope.coordinate(&force.name).is_none() && !model.is_place(&force.name);
    for force in mode.forces.iter().filter(is_free) {
        let names = model.coordinates().iter().map(|c| c.name.as_str());
        errors.push(scope.unknown(&force.name, force.span.clone(), names, "among the coordinates"));
    }
}

/// An output has a formula in every mode.
fn check_outputs(model: &Model, errors: &mut Vec<Diagnostic>) {
    for (output, versions) in model.outputs.iter().zip(model.output_versions()) {
        if versions.common.is_some() || versions.modes.len() == model.modes.len() {
            continue;
        }
        // Modes come in their order: the first gap is the first that lacks it.
        let gap = versions.modes.iter().enumerate().find(|(k, (mode, _))| k != mode);
        let lacking = gap.map_or(versions.modes.len(), |(k, _)| k);
        if let Some(lacking) = model.modes.get(lacking).map(|mode| &mode.name) {
            let message = format!("output `{}` has no formula in mode `{lacking}`", output.name);
            let hint = format!("add it to `[modes.{lacking}.outputs]`, or one for all modes to `[outputs]`");
            errors.push(Diagnostic::new("missing-key", output.span.clone(), message).hint(hint));
        }
    }
}

/// One constraint is of positions in all modes, or of speeds in all.
fn check_levels(model: &Model, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    for (constraint, versions) in model.mechanism.constraints.iter().zip(model.constraint_versions()) {
        let mut levels = versions.formulas().map(|formula| model.is_of_speeds(formula, scope));
        let first = levels.next();
        if levels.any(|level| Some(level) != first) {
            let message = format!(
                "constraint `{}` is one of positions in one mode and one of speeds in another",
                constraint.name
            );
            let hint = "give them different names";
            errors.push(Diagnostic::new("duplicate-name", constraint.span.clone(), message).hint(hint));
        }
    }
}
