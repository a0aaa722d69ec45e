//! `defaults.bodies = { density = "7850 kg/m^3" }`: what holds for every entry of a section that says nothing else. It is
//! put into the entries before anything reads them.

use super::super::{Diagnostic, unknown_key};
use super::instance::GROUND;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The sections that may have defaults.
const SECTIONS: &[&str] = &[
    "bodies",
    "joints",
    "drives",
    "forces",
    "shapes",
    "contacts",
    "sensors",
    "events",
    "materials",
    "pairs",
];
/// What says as much as a key, so that its default does not hold.
const INSTEAD: &[(&str, &[&str])] = &[("mass", &["density"]), ("density", &["mass"])];
/// Joints between joints, which have none of what joints between bodies have.
const RATIOS: &[&str] = &["gear", "belt", "rack"];

/// Puts the defaults of a file into its entries.
pub(super) fn apply(table: &mut DeTable<'_>) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let Some(defaults) = table.remove("defaults") else { return errors };
    let span = defaults.span();
    let DeValue::Table(defaults) = defaults.into_inner() else {
        let message = "`defaults` must be a table";
        let hint = "for example `defaults.bodies = { density = \"7850 kg/m^3\" }`";
        return vec![Diagnostic::new("wrong-type", span, message).hint(hint)];
    };
    for (key, of_section) in defaults {
        let section = key.get_ref().as_ref();
        if !SECTIONS.contains(&section) {
            errors.push(unknown_key(section, key.span(), SECTIONS, "`defaults`"));
            continue;
        }
        let DeValue::Table(given) = of_section.get_ref() else {
            let message = format!("the defaults of `{section}` must be a table");
            let hint = "give keys with their values, for example `defaults.bodies = { depth = \"10 mm\" }`";
            errors.push(Diagnostic::new("wrong-type", of_section.span(), message).hint(hint));
            continue;
        };
        if let Some(DeValue::Table(entries)) = table.get_mut(section).map(Spanned::get_mut) {
            let entries = entries.iter_mut().filter(|(name, _)| name.get_ref() != GROUND);
            entries.for_each(|(_, entry)| complete(entry.get_mut(), given));
        }
        if section == "shapes" {
            complete_shapes_of_bodies(table, given);
        }
    }
    errors
}

/// Adds what an entry does not say.
fn complete<'i>(entry: &mut DeValue<'i>, given: &DeTable<'i>) {
    let DeValue::Table(entry) = entry else { return };
    if RATIOS.iter().any(|kind| entry.contains_key(*kind)) {
        return;
    }
    let said: Vec<String> = entry.keys().map(|key| key.get_ref().to_string()).collect();
    let is_said = |key: &str| said.iter().any(|own| own == key);
    for (key, value) in given {
        let name = key.get_ref().as_ref();
        let instead = INSTEAD.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, others)| others);
        if !is_said(name) && !instead.iter().any(|other| is_said(other)) {
            entry.insert(key.clone(), value.clone());
        }
    }
}

/// The shape in a body is a shape too.
fn complete_shapes_of_bodies<'i>(table: &mut DeTable<'i>, given: &DeTable<'i>) {
    let Some(DeValue::Table(bodies)) = table.get_mut("bodies").map(Spanned::get_mut) else { return };
    for (_, body) in bodies.iter_mut() {
        let DeValue::Table(body) = body.get_mut() else { continue };
        if let Some(shape) = body.get_mut("shape") {
            complete(shape.get_mut(), given);
        }
    }
}
