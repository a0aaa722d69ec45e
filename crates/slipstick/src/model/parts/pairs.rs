//! Materials, and what happens between two of them.
//!
//! There is no rule by which numbers of two materials are combined: a pair is given, or it is missing.

use super::bodies::{BodyList, check_keys};
use super::shapes::BodyShape;
use super::source::PartSource;
use super::term::Term;
use crate::model::{Setting, unknown_name};
use std::collections::BTreeMap;

const PAIR_KEYS: &[&str] = &["restitution", "friction"];
const FRICTION_KEYS: &[&str] = &["static", "sliding"];

/// What two surfaces do to each other.
#[derive(Clone, Debug, Default)]
pub(super) struct SurfacePair {
    pub(super) restitution: Option<Term>,
    /// Static and sliding.
    pub(super) friction: Option<[Term; 2]>,
}

/// All pairs of materials that are given.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    list: BTreeMap<[String; 2], SurfacePair>,
}

impl SurfacePair {
    pub(super) fn read(source: &mut PartSource, part: &Setting) -> Self {
        let restitution = source.moving_of(part, "restitution");
        let friction = part.get("friction").and_then(|value| friction(source, value));
        Self { restitution, friction }
    }
}

/// One number for both coefficients, or a table of two.
fn friction(source: &mut PartSource, value: &Setting) -> Option<[Term; 2]> {
    if value.as_table().is_none() {
        let both = source.moving(value);
        return Some([both.clone(), both]);
    }
    check_keys(source, value, FRICTION_KEYS, "`friction`");
    let (sticking, sliding) = (source.moving_of(value, "static"), source.moving_of(value, "sliding"));
    let both = sticking.zip(sliding).map(|(sticking, sliding)| [sticking, sliding]);
    if both.is_none() {
        let message = "`friction` needs both `static` and `sliding`".to_owned();
        let hint = "for example `friction = { static = 0.6, sliding = 0.4 }`, or one number for both";
        source.error("missing-key", value.span.clone(), message, hint);
    }
    both
}

impl Pairs {
    /// Reads the section; materials that it names, and those of bodies and shapes, must be known.
    pub(super) fn read(
        source: &mut PartSource,
        [materials, pairs]: [Option<&Setting>; 2],
        (bodies, shapes): (&BodyList, &[BodyShape]),
    ) -> Self {
        let known: Vec<&str> =
            materials.into_iter().flat_map(Setting::entries).map(|(name, _)| name).collect();
        let of_bodies = bodies.list.iter().map(|body| (&body.material, &body.span));
        let of_shapes = shapes.iter().map(|shape| (&shape.material, &shape.span));
        for (material, span) in of_bodies.chain(of_shapes) {
            let Some(material) = material.as_deref().filter(|material| !known.contains(material)) else {
                continue;
            };
            let known = known.iter().copied();
            source.errors.push(unknown_name(material, span.clone(), known, "among the materials"));
        }
        let mut all = Self::default();
        for (key, part) in pairs.into_iter().flat_map(Setting::entries) {
            let names: Vec<&str> = key.split_whitespace().collect();
            let [first, second] = names[..] else {
                let message = format!("`{key}` in `pairs` is not the names of two materials");
                let hint = "write them with a blank between: `\"steel wood\" = { friction = 0.4 }`";
                source.error("wrong-type", part.key_span.clone(), message, hint);
                continue;
            };
            for name in [first, second].into_iter().filter(|name| !known.contains(name)) {
                let known = known.iter().copied();
                source.errors.push(unknown_name(name, part.key_span.clone(), known, "among the materials"));
            }
            check_keys(source, part, PAIR_KEYS, &format!("the pair `{key}`"));
            let surfaces = SurfacePair::read(source, part);
            if all.list.insert(in_order(first, second), surfaces).is_some() {
                let message = format!("the pair `{key}` is given twice");
                source.error("duplicate-name", part.key_span.clone(), message, "keep one of them");
            }
        }
        all
    }

    /// What holds between two shapes of a contact: what it says itself, and what the pair of their materials says.
    pub(super) fn between(
        &self,
        source: &mut PartSource,
        (contact, part, own): (&str, &Setting, &SurfacePair),
        [first, second]: [&BodyShape; 2],
    ) -> SurfacePair {
        let is_said = own.restitution.is_some() && own.friction.is_some();
        let given = match (&first.material, &second.material) {
            (Some(a), Some(b)) if !is_said => self.list.get(&in_order(a, b)).or_else(|| {
                let message = format!("contact `{contact}` is between `{a}` and `{b}`, and no pair says more");
                let hint = format!("add to [pairs]: `\"{a} {b}\" = {{ restitution = 0, friction = 0 }}`, or give both to the contact");
                source.error("no-pair", part.key_span.clone(), message, hint);
                None
            }),
            (Some(_), None) | (None, Some(_)) if !is_said && !self.list.is_empty() => {
                let without = if first.material.is_none() { first } else { second };
                let message = format!("shape `{}` of contact `{contact}` has no material, and no pair says more", without.name);
                let hint = "add `material` to the shape, or `restitution` and `friction` to the contact";
                source.error("no-pair", part.key_span.clone(), message, hint);
                None
            }
            _ => None,
        };
        let given = given.cloned().unwrap_or_default();
        SurfacePair {
            restitution: own.restitution.clone().or(given.restitution),
            friction: own.friction.clone().or(given.friction),
        }
    }
}

fn in_order(first: &str, second: &str) -> [String; 2] {
    let mut both = [first.to_owned(), second.to_owned()];
    both.sort();
    both
}
