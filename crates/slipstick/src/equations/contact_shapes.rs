//! Contacts and joints of a model as the places of what belongs to them among constraints, guards and discrete variables.

use super::binding::{BoundFormulas, BoundGuard};
use super::mechanism::MechanismTapes;
use super::{ContactGap, ContactShape};
use crate::model::{ContactChange, ContactRule, Model, PressRule, contact_name};

/// The constraints whose impulses are kept, each with its discrete variable.
pub(super) fn kept_impulses(model: &Model, mechanism: Option<&MechanismTapes>) -> Vec<(usize, usize)> {
    let constraints = mechanism.map_or(&[][..], |mechanism| &mechanism.constraints);
    let places = model.mechanism.kept_impulses.iter().filter_map(|[row, kept]| {
        let row = constraints.iter().position(|constraint| constraint.name == *row)?;
        Some((row, model.discrete.iter().position(|variable| variable.name == *kept)?))
    });
    places.collect()
}

/// What there is to know about a contact.
pub(super) fn contact_shape(
    contact: usize,
    rule: &ContactRule,
    bound: &BoundFormulas,
    mechanism: Option<&MechanismTapes>,
) -> ContactShape {
    let constraints = mechanism.map_or(&[][..], |mechanism| &mechanism.constraints);
    let row = |property: &str| {
        let name = contact_name(&rule.name, property);
        constraints.iter().position(|constraint| constraint.name == name)
    };
    let is_hit = |guard: &BoundGuard| {
        let of = guard.guard.contact;
        of.is_some_and(|of| of.contact == contact && of.change == ContactChange::Hit)
    };
    ContactShape {
        name: rule.name.clone(),
        gap: rule.normal().and_then(|_| {
            let hit = bound.guards.iter().position(is_hit)?;
            Some(ContactGap { normal: row("normal")?, hit })
        }),
        pressed_by: match &rule.press {
            PressRule::Joint { row, .. } => constraints.iter().position(|constraint| constraint.name == *row),
            _ => None,
        },
        tangent: rule.tangent().and_then(|_| row("tangent")),
        state: rule.state,
        law: rule.law,
    }
}
