//! Contacts and joints of a model as the places of what belongs to them among constraints, guards and discrete variables.

use super::binding::{BoundFormulas, BoundGuard};
use super::{Constraint, ContactGap, ContactShape};
use crate::model::{ContactChange, ContactRule, Model, PressRule, contact_name};
use std::collections::BTreeMap;

/// The constraints whose impulses are kept, each with its discrete variable.
pub(super) fn kept_impulses(model: &Model, constraints: &[Constraint]) -> Vec<(usize, usize)> {
    let places = model.mechanism.kept_impulses.iter().filter_map(|[row, kept]| {
        let row = constraints.iter().position(|constraint| constraint.name == *row)?;
        Some((row, model.discrete.iter().position(|variable| variable.name == *kept)?))
    });
    places.collect()
}

/// What there is to know about all contacts.
pub(super) fn contact_shapes(
    model: &Model,
    bound: &BoundFormulas,
    constraints: &[Constraint],
) -> Vec<ContactShape> {
    let rows = constraints.iter().enumerate().map(|(k, constraint)| (constraint.name.as_str(), k)).collect();
    let is_hit = |(g, guard): (usize, &BoundGuard)| {
        let of = guard.guard.contact.filter(|of| of.change == ContactChange::Hit)?;
        Some((of.contact, g))
    };
    // Of several guards of a contact, the first says when it is hit.
    let hits: BTreeMap<usize, usize> = bound.guards.iter().enumerate().rev().filter_map(is_hit).collect();
    let contacts = model.mechanism.contacts.iter().enumerate();
    contacts.map(|(k, rule)| contact_shape(rule, &rows, hits.get(&k).copied())).collect()
}

/// What there is to know about a contact, with the constraints by their names and the guard that says that it is hit.
fn contact_shape(rule: &ContactRule, rows: &BTreeMap<&str, usize>, hit: Option<usize>) -> ContactShape {
    let row = |property: &str| rows.get(contact_name(&rule.name, property).as_str()).copied();
    ContactShape {
        name: rule.name.clone(),
        gap: rule.normal().and_then(|_| Some(ContactGap { normal: row("normal")?, hit: hit? })),
        pressed_by: match &rule.press {
            PressRule::Joint { row, .. } => rows.get(row.as_str()).copied(),
            _ => None,
        },
        tangent: rule.tangent().and_then(|_| row("tangent")),
        state: rule.state,
        law: rule.law,
    }
}
