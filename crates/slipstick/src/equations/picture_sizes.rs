//! Sizes of a picture follow from parameters: what cannot be drawn is refused before the run.

use super::parameter_values::ParameterValues;
use crate::model::{Diagnostic, DrawnNumber, Formula, Model, Picture};

/// Sizes must be finite, and most of them greater than zero.
pub(super) fn check_sizes(model: &Model, fixed: &ParameterValues<'_>) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut value = |number: DrawnNumber, formula: &Formula| match number {
        // Where something is follows from the run.
        DrawnNumber::Place => 0.0,
        DrawnNumber::Size => fixed.formula(formula, "a size of the picture").unwrap_or_else(|error| {
            errors.push(error);
            f64::NAN
        }),
    };
    let sizes: Picture<f64> = model.about.picture.map(&mut value);
    if !errors.is_empty() {
        return Err(errors);
    }
    for (body, rule) in sizes.bodies.iter().zip(&model.about.picture.bodies) {
        let faults = body.shapes.iter().zip(&rule.shapes);
        errors.extend(faults.filter_map(|(shape, rule)| {
            let message = format!("`{}` cannot be drawn: {}", body.name, shape.fault()?);
            Some(Diagnostic::new("bad-picture", rule.turn.place.span.clone(), message).hint(CURE))
        }));
    }
    for (line, rule) in sizes.lines.iter().zip(&model.about.picture.lines) {
        let width = rule.width.as_ref().filter(|_| line.width.is_some_and(|width| width <= 0.0));
        errors.extend(width.map(|width| {
            let message = format!("`{}` cannot be drawn: a width is greater than zero", line.name);
            Diagnostic::new("bad-picture", width.place.span.clone(), message).hint(CURE)
        }));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

const CURE: &str = "look at the values of the parameters that the sizes are made of";
