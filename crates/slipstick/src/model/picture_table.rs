//! The section `picture` of a model file, and what is wrong with it.

use super::names::{FormulaContext, check_formula};
use super::picture::{DrawnBody, DrawnLine, DrawnNumber, DrawnPoint, DrawnShape, Outline, PictureRule};
use super::read::{Reader, Value};
use super::{Diagnostic, Formula, Model, Reference, Scope, SourceLocation, contact_name, unknown_name};
use crate::expr::Kind;
use std::collections::BTreeSet;
use toml::de::{DeTable, DeValue};

/// What an element can be. The kind is the key; its value says how large the element is or where it goes.
const KINDS: [(&str, &str); 10] = [
    ("disc", "disc = \"r\""),
    ("box", "box = [0.2, 0.1]"),
    ("capsule", "capsule = [1, 0.1]"),
    ("ellipse", "ellipse = [0.2, 0.1]"),
    ("polygon", "polygon = [[0, 0], [1, 0], [0, 1]]"),
    ("segment", "segment = [[0, 0], [1, 0]]"),
    ("half_plane", "half_plane = [0, 1]"),
    ("line", "line = [[0, 0], [\"x\", \"y\"]]"),
    ("spring", "spring = [[0, 0], [\"x\", \"y\"]]"),
    ("point", "point = [\"x\", \"y\"]"),
];
/// What else may be said of shapes, of what goes through places, and of points.
const SHAPE_KEYS: &[&str] = &["at", "angle", "width", "lights"];
const LINE_KEYS: &[&str] = &["width", "lights"];
/// The most places of a line, and corners of a polygon.
const MOST_PLACES: usize = 10_000;

/// Reads the elements of a picture, in the order of the file.
pub(super) fn read_picture(reader: &mut Reader<'_>, value: &Value<'_>) -> PictureRule {
    let mut picture = PictureRule::default();
    let Some(table) = reader.table(value, "picture", "[picture]") else { return picture };
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let example = format!("{name} = {{ disc = 0.1, at = [\"x\", \"y\"] }}");
        if let Some(table) = reader.table(value, &format!("picture.{name}"), &example) {
            ElementTable { reader, name, value, table }.read(&mut picture);
        }
    }
    picture
}

/// Reads one element from its table.
struct ElementTable<'r, 't, 'v, 'i> {
    reader: &'r mut Reader<'t>,
    name: &'v str,
    value: &'v Value<'i>,
    table: &'v DeTable<'i>,
}

impl<'v, 'i> ElementTable<'_, '_, 'v, 'i> {
    fn read(&mut self, picture: &mut PictureRule) {
        let Some((kind, example, value)) = self.kind() else { return };
        let keys = match kind {
            "line" | "spring" => LINE_KEYS,
            "point" => &[],
            _ => SHAPE_KEYS,
        };
        let known: Vec<&str> = std::iter::once(kind).chain(keys.iter().copied()).collect();
        self.reader.check_keys(self.table, &known, &format!("the {kind} `{}`", self.name));
        match kind {
            "line" | "spring" => {
                let most = if kind == "spring" { 2 } else { MOST_PLACES };
                let through = self.places(value, kind, (2, most), example);
                let (width, lights) = (self.width(), self.lights());
                let is_spring = kind == "spring";
                let name = self.name.to_owned();
                picture.lines.push(DrawnLine { name, is_spring, through, width, lights });
            }
            "point" => {
                let at = self.pair(value, kind, example);
                picture.points.push(DrawnPoint { name: self.name.to_owned(), at });
            }
            _ => {
                if let Some(outline) = self.outline(kind, example, value) {
                    picture.bodies.push(self.body(outline));
                }
            }
        }
    }

    /// The only kind of the element, with an example and its value.
    fn kind(&mut self) -> Option<(&'static str, &'static str, &'v Value<'i>)> {
        let mut given = KINDS.iter().filter_map(|(kind, text)| Some((*kind, *text, self.table.get(*kind)?)));
        let (first, second) = (given.next(), given.next());
        if let (Some((a, ..)), Some((b, ..))) = (first, second) {
            let message = format!("picture `{}` is both `{a}` and `{b}`", self.name);
            let hint = "give each its own name: an element has one kind";
            self.reader.error("wrong-type", self.value.span(), message, hint);
        }
        if first.is_none() {
            let kinds: Vec<&str> = KINDS.iter().map(|(kind, _)| *kind).collect();
            let message = format!("picture `{}` does not say what it is", self.name);
            let hint = format!("add `disc = 0.1`, or another kind: {}", kinds.join(", "));
            self.reader.error("missing-key", self.value.span(), message, hint);
        }
        first
    }

    fn outline(&mut self, kind: &str, example: &str, value: &Value<'_>) -> Option<Outline<Formula>> {
        Some(match kind {
            "disc" => Outline::Disc(self.reader.formula(value, &self.key(kind), Kind::Number)),
            "box" => Outline::Box(self.pair(value, kind, example)),
            "capsule" => Outline::Capsule(self.pair(value, kind, example)),
            "ellipse" => Outline::Ellipse(self.pair(value, kind, example)),
            "half_plane" => Outline::HalfPlane(self.pair(value, kind, example)),
            "polygon" => Outline::Polygon(self.places(value, kind, (3, MOST_PLACES), example)),
            "segment" => Outline::Segment(self.places(value, kind, (2, 2), example).try_into().ok()?),
            _ => return None,
        })
    }

    /// A body whose own axes are those of its only shape.
    fn body(&mut self, outline: Outline<Formula>) -> DrawnBody<Formula> {
        let [x, y] = match self.table.get("at") {
            Some(value) => self.pair(value, "at", "at = [\"x\", \"y\"]"),
            None => [self.zero(), self.zero()],
        };
        let angle = match self.table.get("angle") {
            Some(value) => self.reader.formula(value, &self.key("angle"), Kind::Number),
            None => self.zero(),
        };
        let at = [self.zero(), self.zero()];
        let shape = DrawnShape { outline, at, turn: self.zero(), width: self.width() };
        let (name, lights) = (self.name.to_owned(), self.lights());
        DrawnBody { name, pose: Some([x, y, angle]), shapes: vec![shape], points: Vec::new(), lights }
    }

    fn width(&mut self) -> Option<Formula> {
        let value = self.table.get("width")?;
        Some(self.reader.formula(value, &self.key("width"), Kind::Number))
    }

    /// One name, or a list of names.
    fn lights(&mut self) -> Vec<Reference> {
        let Some(value) = self.table.get("lights") else { return Vec::new() };
        let one = std::slice::from_ref(value);
        let list = value.get_ref().as_array().map_or(one, |list| &**list);
        let example = "lights = \"contact.floor\"";
        list.iter().filter_map(|name| self.reader.reference(name, "lights", example)).collect()
    }

    /// The places of a line or the corners of a polygon; what is missing after an error is at zero.
    fn places(
        &mut self,
        value: &Value<'_>,
        key: &str,
        (least, most): (usize, usize),
        example: &str,
    ) -> Vec<[Formula; 2]> {
        let list = value.get_ref().as_array().map_or(&[][..], |list| &**list);
        if !(least..=most).contains(&list.len()) {
            let wanted = match (least, most) {
                (2, 2) => "a list of two places".to_owned(),
                _ => format!("a list of {least} to {most} places"),
            };
            self.wrong_list(value, key, &wanted, example);
            return (0..least).map(|_| [self.zero(), self.zero()]).collect();
        }
        list.iter().map(|place| self.pair(place, key, example)).collect()
    }

    fn pair(&mut self, value: &Value<'_>, key: &str, example: &str) -> [Formula; 2] {
        let list = value.get_ref().as_array().map_or(&[][..], |list| &**list);
        let [x, y] = list else {
            self.wrong_list(value, key, "a list of two numbers or formulas", example);
            return [self.zero(), self.zero()];
        };
        let key = self.key(key);
        [x, y].map(|value| self.reader.formula(value, &key, Kind::Number))
    }

    /// Reports what is no list, or one of another length.
    fn wrong_list(&mut self, value: &Value<'_>, key: &str, wanted: &str, example: &str) {
        let key = self.key(key);
        let DeValue::Array(list) = value.get_ref() else {
            return self.reader.wrong_type(value, &key, wanted, example);
        };
        let message = format!("`{key}` must be {wanted}, and this list has {}", list.len());
        self.reader.error("wrong-type", value.span(), message, format!("for example `{example}`"));
    }

    fn key(&self, key: &str) -> String {
        format!("picture.{}.{key}", self.name)
    }

    fn zero(&self) -> Formula {
        Reader::zero(SourceLocation::whole(self.value.span()))
    }
}

/// Places may use everything, sizes only parameters; what lights up needs something that happens.
pub(super) fn check_picture(model: &Model, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    model.about.picture.visit(&mut |number, formula| {
        let context = match number {
            DrawnNumber::Place => FormulaContext::observing("a place of the picture"),
            DrawnNumber::Size => FormulaContext::fixed("a size of the picture"),
        };
        check_formula(formula, scope, context, errors);
    });
    let mechanism = &model.mechanism;
    let contacts = mechanism.contacts.iter().map(|contact| &contact.name);
    let contacts = contacts.chain(mechanism.compliant.iter().map(|contact| &contact.name));
    let events = model.all_events().flat_map(|(_, event)| event.names(model));
    let known: BTreeSet<String> =
        contacts.map(|name| contact_name(name, "").trim_end_matches('.').to_owned()).chain(events).collect();
    for light in model.about.picture.lights().filter(|light| !known.contains(&light.name)) {
        let names = known.iter().map(String::as_str);
        errors.push(unknown_name(&light.name, light.span.clone(), names, "among contacts and events"));
    }
}
