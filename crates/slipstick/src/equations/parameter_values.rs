//! What is known before a run: the values of parameters, and of formulas of parameters.

use crate::expr::{Arena, ExprId};
use crate::model::{Definition, Diagnostic, Formula, Model, Quantity, Scope, dependency_order};
use std::collections::BTreeMap;

/// What is known before the run: the values of parameters, and of formulas of parameters.
pub struct ParameterValues<'a> {
    pub(super) scope: Scope<'a>,
    pub(super) parameters: Vec<f64>,
    /// The parameters, each after those that it uses.
    pub(super) order: Vec<usize>,
}

impl<'a> ParameterValues<'a> {
    /// Evaluates the parameters in the order in which they use each other. `overrides` replace their values.
    pub fn evaluate(model: &'a Model, overrides: &[(String, f64)]) -> Result<Self, Vec<Diagnostic>> {
        let names: Vec<&str> = model.parameters.iter().map(|d| d.name.as_str()).collect();
        let uses = |i: usize| model.parameters[i].formula.syntax.names().map(|(n, _)| n).collect();
        let order = dependency_order(&names, uses).unwrap_or_default();
        let mut fixed = Self { scope: Scope::new(model), parameters: vec![f64::NAN; names.len()], order };
        let mut errors = structural(model, overrides);
        for k in 0..fixed.order.len() {
            let i = fixed.order[k];
            let definition = &model.parameters[i];
            let given = overrides.iter().rev().find(|(name, _)| *name == definition.name);
            match given.map_or_else(|| fixed.value(definition, "parameter"), |(_, value)| Ok(*value)) {
                Ok(value) => fixed.parameters[i] = value,
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(fixed) } else { Err(errors) }
    }

    /// The value of one formula of parameters, which must be finite.
    pub fn formula(&self, formula: &Formula, what: &str) -> Result<f64, Diagnostic> {
        let mut arena = Arena::new();
        let mut names: BTreeMap<&str, ExprId> = BTreeMap::new();
        for (name, _) in formula.syntax.names() {
            if let Some(Quantity::Parameter(i)) = self.scope.meaning(name) {
                names.insert(name, arena.constant(self.parameters[i]));
            }
        }
        let mut resolve = |name: &str| names.get(name).copied();
        let lowered = formula.syntax.lower(&mut arena, &mut resolve);
        let value = lowered.map_or(f64::NAN, |id| arena.evaluate(&[id], &[])[0]);
        if value.is_finite() {
            return Ok(value);
        }
        let message = format!("{what} is {value}, not a finite number");
        let hint = "look for a division by zero, or a root or logarithm of a negative number";
        Err(Diagnostic::new("value-not-finite", formula.place.span.clone(), message).hint(hint))
    }

    fn value(&self, definition: &Definition, kind: &str) -> Result<f64, Diagnostic> {
        self.formula(&definition.formula, &format!("{kind} `{}`", definition.name))
    }

    pub(super) fn values(&self, definitions: &[Definition], kind: &str) -> Result<Vec<f64>, Vec<Diagnostic>> {
        let (mut values, mut errors) = (Vec::new(), Vec::new());
        for definition in definitions {
            match self.value(definition, kind) {
                Ok(value) => values.push(value),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(values) } else { Err(errors) }
    }
}

/// How many parts there are is a matter of the model: no run can change it.
fn structural(model: &Model, overrides: &[(String, f64)]) -> Vec<Diagnostic> {
    let changed = overrides.iter().filter(|(name, _)| model.mechanism.structural.contains(name));
    let error = |(name, _): &(String, f64)| {
        let message =
            format!("`{name}` says how many parts there are, or which, and cannot be changed for a run");
        let place = model.parameters.iter().find(|d| d.name == *name).map_or(0..0, |d| d.span.clone());
        Diagnostic::new("structural-parameter", place, message).hint("change its value in the model file")
    };
    changed.map(error).collect()
}
