//! One use of a part file: its names get the name of the part before them, and its places and directions are those of the
//! frame that it stands in.
//!
//! A part that is mirrored has x -> -x in its own frame: points, directions and angles change their signs where they are
//! written. Coordinates of joints keep theirs, so that what is said of them holds on both sides.

use super::keys::{Role, SECTIONS};
use super::names::renamed;
use std::collections::BTreeSet;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

type Value<'i> = Spanned<DeValue<'i>>;
type Key<'i> = Spanned<DeString<'i>>;

/// Names of the kinds of things whose own names stand after them: `joint.main.angle`.
const KINDS: &[&str] = &["joint.", "contact.", "drive.", "stop.", "constraint.", "lambda.", "reaction."];
/// What changes its sign in the mirror, of contacts.
const ODD_OF_CONTACTS: &[&str] = &[".force.t", ".slip", ".impulse.t"];
pub(super) const GROUND: &str = "ground";

/// One use of a part file.
pub(super) struct Instance {
    /// The name of the part.
    pub(super) name: String,
    /// The body that its frame is on.
    pub(super) on: String,
    /// Whether its frame is another than that of the body.
    pub(super) is_placed: bool,
    pub(super) is_mirrored: bool,
    /// The bodies of the part.
    pub(super) bodies: BTreeSet<String>,
}

impl Instance {
    /// The place that is `ground` for the part.
    pub(super) fn frame(&self) -> String {
        if self.is_placed { format!("{}.{}", self.on, self.point("")) } else { GROUND.to_owned() }
    }

    /// What a point of the part's ground is called on the body that it is on.
    fn point(&self, name: &str) -> String {
        let own = self.name.replace('.', "_");
        if name.is_empty() { own } else { format!("{own}_{name}") }
    }

    fn own(&self, name: &str) -> String {
        format!("{}.{name}", self.name)
    }

    /// A body, a point of one, a joint, a shape.
    fn reference(&self, text: &str) -> String {
        renamed(text, &|name| match name.strip_prefix(GROUND).map(|point| point.strip_prefix('.')) {
            Some(None) if name == GROUND => self.frame(),
            Some(Some(point)) => format!("{}.{}", self.on, self.point(point)),
            _ if name == "k" => name.to_owned(),
            _ => self.own(name),
        })
    }

    /// A formula; `locals` are names that it has of its own.
    fn formula(&self, text: &str, locals: &[&str]) -> String {
        renamed(text, &|name| if locals.contains(&name) { name.to_owned() } else { self.in_formula(name) })
    }

    /// A name in a formula. What is a place or a direction is so in the frame of the part.
    fn in_formula(&self, name: &str) -> String {
        for (word, mirrored) in [("sees", "mirrors"), ("mirrors", "sees")] {
            let Some((frame, seen)) = name.split_once(&format!(".{word}.")) else { continue };
            let word = if self.is_mirrored { mirrored } else { word };
            return format!("{}.{word}.{}", self.reference(frame), self.plain(seen));
        }
        let plain = self.plain(name);
        let is_odd = self.is_mirrored && ODD_OF_CONTACTS.iter().any(|end| name.ends_with(end));
        match () {
            () if name.starts_with("contact.") && is_odd => format!("(-{plain})"),
            () if !self.is_placed || !self.has_direction(name) => plain,
            () if self.is_mirrored => format!("{}.mirrors.{plain}", self.frame()),
            () => format!("{}.sees.{plain}", self.frame()),
        }
    }

    /// A name with that of the part in it.
    fn plain(&self, name: &str) -> String {
        if let Some(kind) = KINDS.iter().find(|kind| name.starts_with(**kind)) {
            let inner = &name[kind.len()..];
            let is_of_another = matches!(*kind, "lambda." | "reaction.");
            return format!("{kind}{}", if is_of_another { self.plain(inner) } else { self.own(inner) });
        }
        if name.starts_with("ground.") { self.reference(name) } else { self.own(name) }
    }

    /// Whether a name is that of a place, of a velocity or of a force.
    fn has_direction(&self, name: &str) -> bool {
        let path = name.trim_end_matches('\'');
        if let Some(joint) = path.strip_prefix("joint.") {
            return [".force.x", ".force.y", ".moment"].iter().any(|end| joint.ends_with(end));
        }
        let owner = path.split(['.', '[']).next().unwrap_or_default();
        let is_place = [".x", ".y", ".angle"].iter().any(|end| path.ends_with(end));
        is_place && (owner == GROUND || self.is_body(path))
    }

    /// Whether a path begins with a body; those of parts inside have dots in their names.
    fn is_body(&self, path: &str) -> bool {
        let ends = path.match_indices(['.', '[']).map(|(at, _)| at);
        ends.into_iter().any(|end| self.bodies.contains(&path[..end]))
    }

    /// A section of the part, whose entries have the names of the model then.
    pub(super) fn section<'i>(&self, role: Role, table: DeTable<'i>) -> DeTable<'i> {
        if matches!(role, Role::Definitions) {
            return self.definitions(table);
        }
        let mut result = DeTable::new();
        for (key, value) in table {
            let name = self.plain(key.get_ref());
            let value = self.value(role, value);
            result.insert(Spanned::new(key.span(), name.into()), value);
        }
        result
    }

    /// Names with formulas; tables in it stand for dotted names.
    fn definitions<'i>(&self, table: DeTable<'i>) -> DeTable<'i> {
        let mut result = DeTable::new();
        self.collect("", table, &mut result);
        result
    }

    /// The TOML parser limits how deep tables nest, and so how deep this goes.
    fn collect<'i>(&self, prefix: &str, table: DeTable<'i>, result: &mut DeTable<'i>) {
        for (key, value) in table {
            let (name, span) = (format!("{prefix}{}", key.get_ref()), value.span());
            match value.into_inner() {
                DeValue::Table(inner) => self.collect(&format!("{name}."), inner, result),
                other => {
                    let value = self.any(Spanned::new(span, other), &[]);
                    result.insert(Spanned::new(key.span(), self.plain(&name).into()), value);
                }
            }
        }
    }

    /// A value with its role.
    fn value<'i>(&self, role: Role, value: Value<'i>) -> Value<'i> {
        let span = value.span();
        let changed = match (role, value.into_inner()) {
            (Role::Table(keys), DeValue::Table(table)) => DeValue::Table(self.keys(keys, table)),
            (Role::Each(role), DeValue::Table(table)) => {
                let one = |(key, value)| (key, self.value(*role, value));
                DeValue::Table(table.into_iter().map(one).collect())
            }
            (Role::Definitions, DeValue::Table(table)) => DeValue::Table(self.definitions(table)),
            (Role::Word, other) => other,
            (Role::Name, DeValue::String(name)) => DeValue::String(self.reference(&name).into()),
            (Role::Cause, DeValue::String(name)) => DeValue::String(self.plain(&name).into()),
            (Role::JointPlace, DeValue::String(word)) if word == "here" => DeValue::String(word),
            (Role::Curve, DeValue::Table(table)) => DeValue::Table(self.curve(table)),
            (Role::Odd, other) => return self.mirrored(self.any(Spanned::new(span, other), &[])),
            (role, DeValue::Array(list)) => {
                let items: Vec<Value<'i>> = list.into_iter().collect();
                DeValue::Array(self.list(role, items).into_iter().collect())
            }
            (_, other) => return self.any(Spanned::new(span, other), &[]),
        };
        Spanned::new(span, changed)
    }

    fn list<'i>(&self, role: Role, items: Vec<Value<'i>>) -> Vec<Value<'i>> {
        let is_vector = matches!(role, Role::Vector | Role::JointPlace | Role::Force);
        let of_item = if matches!(role, Role::Points | Role::Segment) { Role::Vector } else { role };
        let one = |(i, item): (usize, Value<'i>)| match is_vector {
            true if i == 0 => self.mirrored(self.any(item, &[])),
            true => self.any(item, &[]),
            false => self.value(of_item, item),
        };
        let mut items: Vec<Value<'i>> = items.into_iter().enumerate().map(one).collect();
        if self.is_mirrored && matches!(role, Role::Segment) {
            items.reverse();
        }
        items
    }

    /// A table with its keys, and what the frame of the part adds to it.
    fn keys<'i>(&self, keys: &[(&str, Role)], table: DeTable<'i>) -> DeTable<'i> {
        let is_couple = table.contains_key("couple");
        let mut result = DeTable::new();
        for (key, value) in table {
            let role = keys.iter().find(|(known, _)| *known == key.get_ref().as_ref()).map(|(_, role)| *role);
            let value = match role {
                Some(Role::Torque) if is_couple => self.value(Role::Odd, value),
                Some(Role::Torque) | None => self.any(value, &[]),
                Some(role) => self.value(role, value),
            };
            result.insert(key, value);
        }
        result
    }

    /// Formulas, and lists and tables of them.
    fn any<'i>(&self, value: Value<'i>, locals: &[&str]) -> Value<'i> {
        let span = value.span();
        let changed = match value.into_inner() {
            DeValue::String(text) => DeValue::String(self.formula(&text, locals).into()),
            DeValue::Array(list) => {
                DeValue::Array(list.into_iter().map(|item| self.any(item, locals)).collect())
            }
            DeValue::Table(table) => {
                DeValue::Table(table.into_iter().map(|(key, value)| (key, self.any(value, locals))).collect())
            }
            other => other,
        };
        Spanned::new(span, changed)
    }

    /// A curve: in the mirror its left is on its right.
    fn curve<'i>(&self, mut table: DeTable<'i>) -> DeTable<'i> {
        if self.is_mirrored
            && let Some(span) = table.get("x").map(Spanned::span)
        {
            let was = table.remove("mirror").is_some_and(|value| value.get_ref().as_bool() == Some(true));
            insert(&mut table, "mirror", DeValue::Boolean(!was), &span);
        }
        let one = |(key, value): (Key<'i>, Value<'i>)| {
            let locals: &[&str] = if key.get_ref() == "s" { &[] } else { &["s"] };
            let value = self.any(value, locals);
            let value = if key.get_ref() == "x" { self.mirrored(value) } else { value };
            (key, value)
        };
        table.into_iter().map(one).collect()
    }

    /// A number with the other sign, if the part is mirrored.
    fn mirrored<'i>(&self, value: Value<'i>) -> Value<'i> {
        if !self.is_mirrored {
            return value;
        }
        let number = |text: &str| match text.parse::<f64>() {
            Ok(0.0) => Some("0".to_owned()),
            Ok(number) if number.is_finite() => Some(format!("{:?}", -number)),
            _ => None,
        };
        let text = match value.get_ref() {
            DeValue::String(text) if !text.trim().is_empty() => Some(format!("-({text})")),
            DeValue::Integer(whole) => number(whole.as_str()),
            DeValue::Float(float) => number(float.as_str()),
            _ => None,
        };
        match text {
            Some(text) => Spanned::new(value.span(), DeValue::String(text.into())),
            None => value,
        }
    }

    /// What the frame of the part adds to the entries of a section.
    pub(super) fn place(&self, section: &str, table: &mut DeTable<'_>) {
        if !self.is_placed {
            return;
        }
        for (_, value) in table.iter_mut() {
            let span = value.span();
            let DeValue::Table(entry) = value.get_mut() else { continue };
            let has = |key: &str| entry.contains_key(key);
            let is_moving = has("position") || has("velocity") || has("acceleration");
            let (frame, sees) = match section {
                "bodies" | "joints" => (Some("within"), None),
                "forces" if has("point") => (Some("in"), None),
                "sensors" if has("force") => (Some("in"), None),
                "sensors" if is_moving => (Some("in"), Some("relative_to")),
                _ => continue,
            };
            for key in [frame, sees]
                .into_iter()
                .flatten()
                .filter(|key| !entry.contains_key(*key))
                .collect::<Vec<_>>()
            {
                insert(entry, key, DeValue::String(self.frame().into()), &span);
            }
            if self.is_mirrored && matches!(section, "joints" | "sensors") {
                let was = entry.remove("mirror").is_some_and(|value| value.get_ref().as_bool() == Some(true));
                insert(entry, "mirror", DeValue::Boolean(!was), &span);
            }
        }
    }

    /// The points and frames of the part's ground, as frames of the body that its frame is on.
    pub(super) fn ground<'i>(&self, ground: DeTable<'i>) -> DeTable<'i> {
        let mut frames = DeTable::new();
        for (section, of_section) in ground {
            let is_point = section.get_ref() == "points";
            let span = of_section.span();
            let DeValue::Table(list) = of_section.into_inner() else { continue };
            for (key, value) in list {
                let mut frame = match (is_point, value.into_inner()) {
                    (true, at) => {
                        let mut frame = DeTable::new();
                        let at = self.value(Role::Vector, Spanned::new(key.span(), at));
                        frame.insert(Spanned::new(key.span(), "at".into()), at);
                        frame
                    }
                    (false, DeValue::Table(frame)) => {
                        let keys = [("at", Role::Vector), ("angle", Role::Odd), ("on", Role::Word)];
                        self.keys(&keys, frame)
                    }
                    _ => continue,
                };
                let inner = frame.remove("on").and_then(|on| on.get_ref().as_str().map(|on| self.point(on)));
                let on = inner.or_else(|| self.is_placed.then(|| self.point("")));
                if let Some(on) = on {
                    insert(&mut frame, "on", DeValue::String(on.into()), &span);
                }
                let name = self.point(key.get_ref());
                frames.insert(
                    Spanned::new(key.span(), name.into()),
                    Spanned::new(span.clone(), DeValue::Table(frame)),
                );
            }
        }
        frames
    }
}

/// Puts a value into a table, at a place that something else has.
pub(super) fn insert<'i>(table: &mut DeTable<'i>, key: &str, value: DeValue<'i>, span: &Range<usize>) {
    table.insert(Spanned::new(span.clone(), key.to_owned().into()), Spanned::new(span.clone(), value));
}

/// What the entries of a section are.
pub(super) fn role_of(section: &str) -> Option<Role> {
    SECTIONS.iter().find(|(known, _)| *known == section).map(|(_, role)| *role)
}
