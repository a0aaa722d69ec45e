//! Parts from other files: `parts.left = { use = "leg.toml" }`.
//!
//! In: the tables of all files of a model. Out: one table without `parts`, in which the entries of each part stand under the name
//! of the part, with their places in their own file. Nothing that reads a model knows of files.

mod defaults;
mod instance;
mod keys;
mod names;
mod sources;

pub use sources::{FilePlace, Sources};

use super::{Diagnostic, unknown_key, unknown_name};
use instance::{GROUND, Instance, insert, role_of};
use keys::{LEFT_OUT, Role, SECTIONS, SHARED};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

const USE_KEYS: &[&str] = &["use", "set", "x", "y", "angle", "mirror", "on"];
/// The most parts from files: those in which parts use parts multiply.
const MOST_PARTS: usize = 10_000;

type Value<'i> = Spanned<DeValue<'i>>;

/// Puts the files of a model together.
pub(super) struct Inclusion<'s, 'i> {
    sources: &'s Sources,
    /// The tables of all files.
    tables: Vec<DeTable<'i>>,
    errors: Vec<Diagnostic>,
    /// What parts say that holds for whole models only.
    left_out: Vec<String>,
    count: usize,
    is_complete: bool,
}

/// What became of the files of a model.
pub(super) struct Included<'i> {
    pub(super) table: DeTable<'i>,
    pub(super) errors: Vec<Diagnostic>,
    pub(super) left_out: Vec<String>,
    /// Whether all parts are in it.
    pub(super) is_complete: bool,
}

/// The part that is read.
struct UsedPart<'u, 'i> {
    name: &'u str,
    span: Range<usize>,
    table: &'u DeTable<'i>,
    instance: Instance,
}

/// What is added to the model, and from where.
struct Added<'a> {
    section: &'a str,
    part: &'a str,
    /// Whether its names are the same everywhere.
    is_shared: bool,
    span: Range<usize>,
}

impl<'s, 'i> Inclusion<'s, 'i> {
    pub(super) fn new(sources: &'s Sources, tables: Vec<DeTable<'i>>) -> Self {
        let errors = sources.errors.clone();
        Self { sources, tables, errors, left_out: Vec::new(), count: 0, is_complete: true }
    }

    /// The table of the model's own file, with everything that its parts are.
    pub(super) fn include_all(mut self) -> Included<'i> {
        let table = self.include(0, &mut Vec::new());
        Included { table, errors: self.errors, left_out: self.left_out, is_complete: self.is_complete }
    }

    /// The table of a file with that of its parts; `stack` are the files that use it.
    fn include(&mut self, file: usize, stack: &mut Vec<usize>) -> DeTable<'i> {
        let mut table = self.tables[file].clone();
        self.errors.extend(defaults::apply(&mut table));
        let Some(parts) = table.remove("parts") else { return table };
        let Some(list) = parts.get_ref().as_table() else {
            let example = "for example `[parts]` with `left = { use = \"leg.toml\" }`";
            self.error("wrong-type", parts.span(), "`parts` must be a table".to_owned(), example);
            return table;
        };
        stack.push(file);
        let mut frames = Vec::new();
        for (key, value) in list {
            let Some(entry) = value.get_ref().as_table() else {
                let message = format!("part `{}` must be a table", key.get_ref());
                self.error(
                    "wrong-type",
                    value.span(),
                    message,
                    "for example `left = { use = \"leg.toml\" }`",
                );
                continue;
            };
            let (name, span) = (key.get_ref().as_ref(), key.span());
            if let Some(child) = self.used_table((name, &span), entry, stack)
                && let Some(instance) = self.instance((name, &span), entry, &child)
            {
                let part = UsedPart { name, span, table: entry, instance };
                self.merge(&part, child, &mut table, &mut frames);
            } else {
                self.is_complete = false;
            }
        }
        stack.pop();
        for (body, frame) in frames {
            self.add_frames(&mut table, &body, frame);
        }
        table
    }

    fn error(&mut self, code: &'static str, span: Range<usize>, message: String, hint: &str) {
        self.errors.push(Diagnostic::new(code, span, message).hint(hint));
    }

    /// The table of the file that a part uses.
    fn used_table(
        &mut self,
        (name, span): (&str, &Range<usize>),
        part: &DeTable<'i>,
        stack: &mut Vec<usize>,
    ) -> Option<DeTable<'i>> {
        for key in part.keys().filter(|key| !USE_KEYS.contains(&key.get_ref().as_ref())) {
            let place = format!("part `{name}`");
            self.errors.push(unknown_key(key.get_ref(), key.span(), USE_KEYS, &place));
        }
        let Some(used) = part.get("use").filter(|used| used.get_ref().is_str()) else {
            let message = format!("part `{name}` does not say which file it is");
            self.error("missing-key", span.clone(), message, "add `use = \"leg.toml\"`");
            return None;
        };
        // That a file cannot be read has been said already.
        let of = *stack.last()?;
        let file = self.sources.used(of, used.get_ref().as_str()?)?;
        if stack.contains(&file) {
            let message =
                format!("part `{name}` uses `{}`, in which it stands itself", self.sources.path(file));
            self.error(
                "part-file",
                used.span(),
                message,
                "parts cannot be parts of themselves: cut the circle of files",
            );
            return None;
        }
        self.count += 1;
        if self.count > MOST_PARTS {
            let message = format!("the model has more than {MOST_PARTS} parts from files");
            self.error("part-file", used.span(), message, "use `repeat`, or fewer parts in parts");
            return None;
        }
        Some(self.include(file, stack))
    }

    /// Where a part is.
    fn instance(
        &mut self,
        (name, span): (&str, &Range<usize>),
        part: &DeTable<'i>,
        child: &DeTable<'i>,
    ) -> Option<Instance> {
        let is_name = name.chars().all(|letter| letter == '_' || letter.is_alphanumeric());
        if !is_name || name.starts_with(|letter: char| letter.is_ascii_digit()) || name.is_empty() {
            let message = format!("`{name}` cannot be the name of a part");
            self.error(
                "reserved-name",
                span.clone(),
                message,
                "use letters, digits and `_`, beginning with a letter",
            );
            return None;
        }
        let mirror = part.get("mirror").map(|mirror| (mirror.get_ref().as_bool(), mirror.span()));
        if let Some((None, span)) = &mirror {
            let message = format!("`mirror` of part `{name}` must be true or false");
            self.error("wrong-type", span.clone(), message, "for example `mirror = true`");
        }
        let on = part.get("on").map_or(Some(GROUND), |on| on.get_ref().as_str());
        let Some(on) = on else {
            let message = format!("`on` of part `{name}` must be the name of a body, a point or a frame");
            self.error("wrong-type", span.clone(), message, "for example `on = \"trunk.hip\"`");
            return None;
        };
        let of_child = child.get("bodies").and_then(|bodies| bodies.get_ref().as_table());
        let bodies = of_child.into_iter().flat_map(DeTable::keys).map(|key| key.get_ref().to_string());
        Some(Instance {
            name: name.to_owned(),
            on: on
                .split_once('.')
                .map_or(on, |_| on.rsplit_once('.').map_or(on, |(body, _)| body))
                .to_owned(),
            is_placed: ["x", "y", "angle", "mirror", "on"].iter().any(|key| part.contains_key(*key)),
            is_mirrored: mirror.is_some_and(|(mirror, _)| mirror == Some(true)),
            bodies: bodies.collect(),
        })
    }

    /// Puts the entries of a part into those of the model.
    fn merge(
        &mut self,
        part: &UsedPart<'_, 'i>,
        child: DeTable<'i>,
        table: &mut DeTable<'i>,
        frames: &mut Vec<(Value<'i>, DeTable<'i>)>,
    ) {
        let mut ground = frame_of(part);
        self.check_set(part, &child);
        for (key, value) in child {
            let (section, span) = (key.get_ref().as_ref(), value.span());
            if LEFT_OUT.contains(&section) {
                if !["title", "description"].contains(&section) {
                    self.left_out.push(format!("part `{}` leaves out `{section}` of its file", part.name));
                }
                continue;
            }
            let is_shared = SHARED.contains(&section);
            let role = role_of(section).or((is_shared || section == "dimension").then_some(Role::Word));
            let Some(role) = role else {
                self.refuse(part.name, section, key.span());
                continue;
            };
            let DeValue::Table(mut entries) = value.into_inner() else {
                self.check_dimension(section, span);
                continue;
            };
            if section == "bodies"
                && let Some(own) = entries.remove(GROUND)
                && let DeValue::Table(own) = own.into_inner()
            {
                ground.extend(part.instance.ground(own));
            }
            self.check_forces(section, part, &entries);
            let mut own = if is_shared { entries } else { part.instance.section(role, entries) };
            part.instance.place(section, &mut own);
            if section == "parameters" {
                set_parameters(part, &mut own);
            }
            self.add(&Added { section, part: part.name, is_shared, span }, own, table);
        }
        if !ground.is_empty() {
            let on = part.table.get("on");
            let span = on.map_or(part.span.clone(), Spanned::span);
            frames.push((Spanned::new(span, DeValue::String(part.instance.on.clone().into())), ground));
        }
    }

    /// What is no table, and should be one.
    fn check_dimension(&mut self, section: &str, span: Range<usize>) {
        let hint = "check the file of the part on its own: `slipstick check`";
        if section != "dimension" {
            self.error("wrong-type", span, format!("`{section}` must be a table"), hint);
        }
    }

    fn refuse(&mut self, name: &str, section: &str, span: Range<usize>) {
        if !super::sections::is_known(section) {
            let known: Vec<&str> = SECTIONS.iter().map(|(section, _)| *section).collect();
            self.errors.push(unknown_key(section, span, &known, &format!("the file of part `{name}`")));
            return;
        }
        let message = format!("a part cannot have `{section}`, and the file of part `{name}` has");
        let hint = "a part has bodies, joints, drives, forces, shapes, contacts, sensors, events, states and outputs";
        self.error("part-file", span, message, hint);
    }

    /// A force on a coordinate is along an axis of the ground, which is not that of the part.
    fn check_forces(&mut self, section: &str, part: &UsedPart<'_, 'i>, entries: &DeTable<'i>) {
        if section != "forces" || !part.instance.is_placed {
            return;
        }
        for (key, value) in entries.iter().filter(|(_, value)| !value.get_ref().is_table()) {
            let message = format!("the force on `{}` of part `{}` has no frame", key.get_ref(), part.name);
            let hint = "a part that is placed or mirrored has forces at points and couples on bodies: `{ point = \"crank.tip\", force = [1, 0] }`";
            self.error("part-file", value.span(), message, hint);
        }
    }

    /// Every parameter that is set must be one of the part.
    fn check_set(&mut self, part: &UsedPart<'_, 'i>, child: &DeTable<'i>) {
        let Some(set) = part.table.get("set") else { return };
        let Some(list) = set.get_ref().as_table() else {
            let message = format!("`set` of part `{}` must be a table", part.name);
            self.error("wrong-type", set.span(), message, "for example `set = { r = \"20 mm\" }`");
            return;
        };
        let known = child.get("parameters").and_then(|known| known.get_ref().as_table());
        let known: Vec<String> = known
            .into_iter()
            .flat_map(|table| super::read::leaves(table))
            .map(|(name, _)| name.name)
            .collect();
        for key in list.keys().filter(|key| !known.iter().any(|name| name == key.get_ref())) {
            let place = format!("among the parameters of part `{}`", part.name);
            self.errors.push(unknown_name(
                key.get_ref(),
                key.span(),
                known.iter().map(String::as_str),
                &place,
            ));
        }
    }

    /// Adds entries to a section of the model.
    fn add(&mut self, added: &Added<'_>, entries: DeTable<'i>, table: &mut DeTable<'i>) {
        let Added { section, part, is_shared, span } = added;
        let (section, is_shared) = (*section, *is_shared);
        if table.get(section).is_none() {
            insert(table, section, DeValue::Table(DeTable::new()), span);
        }
        let Some(DeValue::Table(known)) = table.get_mut(section).map(Spanned::get_mut) else { return };
        for (key, value) in entries {
            match known.get(key.get_ref().as_ref()) {
                None => {
                    known.insert(key, value);
                }
                Some(other) if is_shared && is_same(other.get_ref(), value.get_ref()) => {}
                Some(_) => {
                    let name = key.get_ref();
                    let message = if is_shared {
                        format!("`{name}` in `{section}` is another in the file of part `{part}`")
                    } else {
                        format!("there is a `{name}` in `{section}` beside that of part `{part}`")
                    };
                    let hint = "give one of them another name, or the same values";
                    self.errors.push(Diagnostic::new("duplicate-name", key.span(), message).hint(hint));
                }
            }
        }
    }

    /// Adds the frames of parts to a body.
    fn add_frames(&mut self, table: &mut DeTable<'i>, on: &Value<'i>, frames: DeTable<'i>) {
        let (name, span) = (on.get_ref().as_str().unwrap_or_default(), on.span());
        if table.get("bodies").is_none() {
            insert(table, "bodies", DeValue::Table(DeTable::new()), &span);
        }
        let Some(DeValue::Table(bodies)) = table.get_mut("bodies").map(Spanned::get_mut) else { return };
        if name == GROUND && !bodies.contains_key(GROUND) {
            insert(bodies, GROUND, DeValue::Table(DeTable::new()), &span);
        }
        let all = name.split('[').next().unwrap_or_default();
        let known: Vec<String> = bodies.keys().map(|key| key.get_ref().to_string()).collect();
        let Some(DeValue::Table(body)) = bodies.get_mut(all).map(Spanned::get_mut) else {
            let known = known.iter().map(String::as_str).chain([GROUND]);
            self.errors.push(unknown_name(name, span, known, "among the bodies"));
            return;
        };
        if body.get("frames").is_none() {
            insert(body, "frames", DeValue::Table(DeTable::new()), &span);
        }
        let Some(DeValue::Table(own)) = body.get_mut("frames").map(Spanned::get_mut) else { return };
        for (key, value) in frames {
            if own.contains_key(key.get_ref().as_ref()) {
                let message = format!("body `{name}` has a frame `{}` beside that of a part", key.get_ref());
                self.error("duplicate-name", key.span(), message, "give one of them another name");
                continue;
            }
            own.insert(key, value);
        }
    }
}

/// The frame that a part stands in, on its body; none if it is that of the body.
fn frame_of<'i>(part: &UsedPart<'_, 'i>) -> DeTable<'i> {
    let mut frames = DeTable::new();
    if !part.instance.is_placed {
        return frames;
    }
    let zero = || Spanned::new(part.span.clone(), DeValue::String("0".into()));
    let get = |key: &str| part.table.get(key).cloned();
    let mut frame = DeTable::new();
    let at: Vec<Value<'i>> = ["x", "y"].map(|axis| get(axis).unwrap_or_else(zero)).into();
    insert(&mut frame, "at", DeValue::Array(at.into_iter().collect()), &part.span);
    if let Some(angle) = get("angle") {
        frame.insert(Spanned::new(part.span.clone(), "angle".into()), angle);
    }
    let on = part.table.get("on").and_then(|on| on.get_ref().as_str());
    if let Some((_, point)) = on.and_then(|on| on.rsplit_once('.')) {
        insert(&mut frame, "on", DeValue::String(point.to_owned().into()), &part.span);
    }
    insert(&mut frames, part.name, DeValue::Table(frame), &part.span);
    frames
}

/// Parameters that the model sets, in place of what the file of the part says.
fn set_parameters<'i>(part: &UsedPart<'_, 'i>, parameters: &mut DeTable<'i>) {
    let set = part.table.get("set").and_then(|set| set.get_ref().as_table());
    for (key, value) in set.into_iter().flat_map(DeTable::iter) {
        if let Some(own) = parameters.get_mut(&*format!("{}.{}", part.name, key.get_ref())) {
            *own = value.clone();
        }
    }
}

/// Whether two values say the same.
fn is_same(one: &DeValue<'_>, other: &DeValue<'_>) -> bool {
    match (one, other) {
        (DeValue::String(a), DeValue::String(b)) => a == b,
        (DeValue::Integer(a), DeValue::Integer(b)) => a.as_str() == b.as_str() && a.radix() == b.radix(),
        (DeValue::Float(a), DeValue::Float(b)) => a.as_str() == b.as_str(),
        (DeValue::Boolean(a), DeValue::Boolean(b)) => a == b,
        (DeValue::Table(a), DeValue::Table(b)) => {
            let in_other = |(key, value): (&Spanned<_>, &Value<'_>)| {
                b.get(key).is_some_and(|other| is_same(value.get_ref(), other.get_ref()))
            };
            a.len() == b.len() && a.iter().all(in_other)
        }
        _ => false,
    }
}
