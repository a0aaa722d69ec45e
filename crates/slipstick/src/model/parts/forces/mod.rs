//! Named forces, one file for each kind: what each does to the coordinates of bodies, and its potential energy.

mod bushing;
mod couple;
mod drag;
mod motor;
mod point;
mod spring;

use super::bodies::{BodyList, BodyPlace, check_keys};
use super::holding::Held;
use super::lowered::LoweredParts;
use super::source::{PartSource, dimension_of};
use super::term::Term;
use crate::expr::Dimension;
use crate::model::Setting;
use std::collections::BTreeMap;
use std::ops::Range;

/// The kinds of forces.
const KINDS: &[ForceKind] =
    &[spring::SPRING, spring::DAMPER, bushing::KIND, motor::KIND, point::KIND, couple::KIND, drag::KIND];

/// A kind of forces.
struct ForceKind {
    /// The key that names it.
    word: &'static str,
    keys: &'static [&'static str],
    lower: fn(&mut ForceReader<'_>) -> Option<()>,
}

/// What a force is made of.
struct ForceReader<'r> {
    source: &'r mut PartSource,
    name: &'r str,
    part: &'r Setting,
    /// What stands behind the kind.
    value: &'r Setting,
    bodies: &'r BodyList,
    held: &'r BTreeMap<&'r str, Held<'r>>,
    lowered: &'r mut LoweredParts,
}

/// Whether an entry of `[forces]` is a named force; otherwise it is the force on a coordinate.
pub(super) fn is_named(part: &Setting) -> bool {
    KINDS.iter().any(|kind| part.get(kind.word).is_some())
}

/// Reads all named forces.
pub(super) fn lower_forces(
    source: &mut PartSource,
    section: Option<&Setting>,
    (bodies, held): (&BodyList, &BTreeMap<&str, Held<'_>>),
    lowered: &mut LoweredParts,
) {
    for (name, part) in section.into_iter().flat_map(Setting::entries).filter(|(_, part)| is_named(part)) {
        let mut kinds = KINDS.iter().filter_map(|kind| Some((kind, part.get(kind.word)?)));
        let (Some((kind, value)), None) = (kinds.next(), kinds.next()) else {
            let message = format!("force `{name}` has two kinds");
            source.error("two-kinds", part.span.clone(), message, "keep one of them");
            continue;
        };
        let keys: Vec<&str> = [kind.word, "repeat"].iter().chain(kind.keys).copied().collect();
        check_keys(source, part, &keys, &format!("force `{name}`"));
        source.copies((name, part), |source, name| {
            (kind.lower)(&mut ForceReader {
                source,
                name,
                part,
                value,
                bodies,
                held,
                lowered: &mut *lowered,
            });
        });
    }
}

impl<'r> ForceReader<'r> {
    /// An amount that has to be there, and may move.
    fn needed(&mut self, key: &str, example: &str) -> Option<Term> {
        let dimension = self.part.get(key).and_then(|value| dimension_of(value.last_key()));
        self.needed_as(key, example, dimension)
    }

    /// The same with a dimension that its key does not say.
    fn needed_as(&mut self, key: &str, example: &str, dimension: Option<Dimension>) -> Option<Term> {
        let Some(value) = self.part.get(key) else {
            let message = format!("force `{}` has no `{key}`", self.name);
            self.source.error(
                "missing-key",
                self.part.span.clone(),
                message,
                format!("add `{key} = {example}`"),
            );
            return None;
        };
        Some(self.source.moving_as(value, dimension))
    }

    fn span(&self) -> Range<usize> {
        self.part.key_span.clone()
    }

    /// The place that a value names.
    fn place(&mut self, value: &Setting) -> Option<BodyPlace> {
        let name = self.source.name(value)?;
        self.bodies.find(self.source, &name, &value.span).map(|(place, _)| place)
    }

    /// The two places that the value names.
    fn places(&mut self) -> Option<[BodyPlace; 2]> {
        let value = self.value;
        let example = "[\"ground\", \"crank.tip\"]";
        let list = self.source.keep(value.list("two points", example))?;
        let [first, second] = list else {
            let message = format!("force `{}` needs two points, has {}", self.name, list.len());
            self.source.error("wrong-type", value.span.clone(), message, format!("for example `{example}`"));
            return None;
        };
        Some([self.place(first)?, self.place(second)?])
    }

    /// The joint that the value names.
    fn joint(&mut self) -> Option<&'r Held<'r>> {
        let name = self.source.name(self.value)?;
        let held = self.held;
        let found = held.get(name.as_str());
        if found.is_none() {
            let known = held.keys().copied();
            let error = crate::model::unknown_name(&name, self.value.span.clone(), known, "among the joints");
            self.source.errors.push(error);
        }
        found.filter(|joint| {
            let is_free = joint.coordinate().is_some() && joint.joint.track.is_none();
            if !is_free {
                let message =
                    format!("force `{}` acts on joint `{name}`, which leaves nothing free", self.name);
                let hint = "name a joint with an angle or a position";
                self.source.error("bad-joint", self.value.span.clone(), message, hint);
            }
            is_free
        })
    }

    /// Equal and opposite forces at two places, on the second as given.
    fn push_apart(&mut self, [first, second]: &[BodyPlace; 2], force: &super::term::Pair) {
        let span = self.span();
        let back = [-&force[0], -&force[1]];
        self.lowered.push(self.bodies.force_at(second, force), &span);
        self.lowered.push(self.bodies.force_at(first, &back), &span);
    }
}
