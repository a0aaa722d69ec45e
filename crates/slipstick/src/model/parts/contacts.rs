//! Contacts between shapes: which touch, and what each pair of them is as contacts with a gap.

use super::bodies::{BodyList, check_keys};
use super::feet::CurveFeet;
use super::gaps::{ShapeContact, touches};
use super::joint::Joint;
use super::lowered::{GapRule, LoweredParts};
use super::outline::{Outliner, TouchOutline};
use super::overlap::Overlaps;
use super::pairs::{Pairs, SurfacePair};
use super::shapes::BodyShape;
use super::source::PartSource;
use super::term::Term;
use crate::model::compliant::{Compliance, FORCE_LAWS};
use crate::model::contacts::{CORNER, LAWS, PARTIES};
use crate::model::{ImpactLaw, Setting, contact_name, unknown_name};
use std::collections::{BTreeMap, BTreeSet};

const CONTACT_KEYS: &[&str] = &["between", "among", "restitution", "friction", "law", "compliant"];
const COMPLIANT_KEYS: &[&str] = &["stiffness", "damping"];
/// Each pair of shapes is a contact of its own, with formulas for its gap, rows and guards: half a millisecond and fifty
/// kilobytes before the run begins. This many take half a minute and two and a half gigabytes.
const MOST_PAIRS: usize = 50_000;
/// What a name ends with that stands for all copies of a shape.
const ALL: &str = "[*]";

/// What contacts are made between.
pub(super) struct ShapeScene<'a> {
    pub(super) bodies: &'a BodyList,
    pub(super) joints: &'a [Joint],
    pub(super) shapes: &'a [BodyShape],
    pub(super) pairs: &'a Pairs,
}

/// Names of sets of contacts: what outputs are put together from.
#[derive(Default)]
pub(super) struct ContactSets {
    /// The contacts of each set.
    members: BTreeMap<String, Vec<String>>,
    /// The slips of contacts without friction.
    slips: BTreeMap<String, Term>,
}

/// What a contact says of itself.
struct ContactPart<'s> {
    name: &'s str,
    part: &'s Setting,
    own: SurfacePair,
    law: ImpactLaw,
    compliance: Option<&'s Setting>,
}

/// Shapes on one side of a contact.
struct Party {
    shapes: Vec<usize>,
    is_many: bool,
}

/// Makes contacts out of pairs of shapes.
struct ContactMaker<'m> {
    source: &'m mut PartSource,
    lowered: &'m mut LoweredParts,
    scene: &'m ShapeScene<'m>,
    /// The shapes by name, and all copies of those that have some.
    names: BTreeMap<String, Vec<usize>>,
    outlines: BTreeMap<usize, Option<TouchOutline>>,
    joined: BTreeSet<[Option<usize>; 2]>,
    sets: ContactSets,
    overlaps: Overlaps,
    /// How many pairs there are so far.
    count: usize,
}

/// Adds all contacts between shapes.
pub(super) fn lower_contacts(
    source: &mut PartSource,
    section: Option<&Setting>,
    scene: &ShapeScene<'_>,
    lowered: &mut LoweredParts,
) -> (ContactSets, Overlaps) {
    let mut names: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (i, shape) in scene.shapes.iter().enumerate() {
        names.insert(shape.name.clone(), vec![i]);
        if let Some((all, _)) = shape.name.rsplit_once('[').filter(|(_, end)| end.ends_with(']')) {
            names.entry(format!("{all}{ALL}")).or_default().push(i);
        }
    }
    let joined = scene.joints.iter().map(|joint| in_order([0, 1].map(|end| joint.ends[end].body))).collect();
    let (outlines, sets, overlaps) = (BTreeMap::new(), ContactSets::default(), Overlaps::default());
    let mut maker =
        ContactMaker { source, lowered, scene, names, outlines, joined, sets, overlaps, count: 0 };
    for (name, part) in section.into_iter().flat_map(Setting::entries) {
        if PARTIES.iter().any(|key| part.get(key).is_some()) {
            maker.contact(name, part);
        }
    }
    (maker.sets, maker.overlaps)
}

fn in_order(mut bodies: [Option<usize>; 2]) -> [Option<usize>; 2] {
    bodies.sort();
    bodies
}

impl ContactMaker<'_> {
    fn contact(&mut self, name: &str, part: &Setting) {
        check_keys(self.source, part, CONTACT_KEYS, &format!("contact `{name}` of shapes"));
        let contact = self.read(name, part);
        match (part.get("between"), part.get("among")) {
            (Some(between), None) => self.between(&contact, between),
            (None, Some(among)) => self.among(&contact, among),
            _ => {
                let message = format!("contact `{name}` has both `between` and `among`");
                self.source.error("two-kinds", part.span.clone(), message, "make two contacts of it");
            }
        }
    }

    fn read<'s>(&mut self, name: &'s str, part: &'s Setting) -> ContactPart<'s> {
        let source = &mut *self.source;
        let (own, compliance) = (SurfacePair::read(source, part), part.get("compliant"));
        let mut error = |message: String, hint: &str| {
            source.error("bad-contact", part.key_span.clone(), message, hint);
        };
        if compliance.is_some() && (own.restitution.is_some() || own.friction.is_some()) {
            let message =
                format!("contact `{name}` is compliant and takes no `restitution` and no `friction`");
            error(message, "it gives back less with `damping`; hard contacts have the others");
        }
        let law = part.get("law").filter(|_| compliance.is_none());
        let law = law.and_then(|value| source.keep(value.word(LAWS))).unwrap_or_default();
        ContactPart { name, part, own, law, compliance }
    }

    fn between(&mut self, contact: &ContactPart<'_>, value: &Setting) {
        let example = "between = [\"pin\", \"tooth[*]\"]";
        let Some([first, second]) =
            self.source.keep(value.list("two shapes", example)).map(<[_]>::to_vec).as_deref().map(|list| {
                match list {
                    [first, second] => [Some(first.clone()), Some(second.clone())],
                    _ => [None, None],
                }
            })
        else {
            return;
        };
        let (Some(first), Some(second)) = (first, second) else {
            let message = format!("contact `{}` needs two sides", contact.name);
            self.source.error("wrong-type", value.span.clone(), message, format!("for example `{example}`"));
            return;
        };
        let (Some(first), Some(second)) = (self.party(&first), self.party(&second)) else { return };
        if !self.admits(contact, value, first.shapes.len().saturating_mul(second.shapes.len())) {
            return;
        }
        let mut members = Vec::new();
        for (i, &one) in first.shapes.iter().enumerate() {
            for (j, &other) in second.shapes.iter().enumerate() {
                let index = match (first.is_many, second.is_many) {
                    (false, false) => String::new(),
                    (true, false) => format!("[{i}]"),
                    (false, true) => format!("[{j}]"),
                    (true, true) => format!("[{i},{j}]"),
                };
                let [a, b] = [one, other].map(|i| &self.scene.shapes[i]);
                if a.place.body == b.place.body {
                    let message = format!("`{}` and `{}` are on one body and cannot touch", a.name, b.name);
                    let hint = "leave one of them out of the contact";
                    self.source.error("bad-contact", value.span.clone(), message, hint);
                    return;
                }
                members.extend(self.pair(contact, &index, [one, other]));
            }
        }
        self.set(contact.name, members);
    }

    /// Every shape with every other on another body, but where a joint joins the bodies.
    fn among(&mut self, contact: &ContactPart<'_>, value: &Setting) {
        let Some(party) = self.party(value) else { return };
        let count = party.shapes.len();
        if !self.admits(contact, value, count.saturating_mul(count.saturating_sub(1)) / 2) {
            return;
        }
        let mut members = Vec::new();
        for (i, &one) in party.shapes.iter().enumerate() {
            for (j, &other) in party.shapes.iter().enumerate().skip(i + 1) {
                let bodies = in_order([one, other].map(|i| self.scene.shapes[i].place.body));
                if bodies[0] != bodies[1] && !self.joined.contains(&bodies) {
                    members.extend(self.pair(contact, &format!("[{i},{j}]"), [one, other]));
                }
            }
        }
        if members.is_empty() {
            let message = format!("nothing touches in contact `{}`", contact.name);
            let hint = "`among` needs shapes on two bodies that no joint joins";
            self.source.error("bad-contact", value.span.clone(), message, hint);
        }
        self.set(contact.name, members);
    }

    /// Refuses pairs that are too many to be contacts each.
    fn admits(&mut self, contact: &ContactPart<'_>, value: &Setting, pairs: usize) -> bool {
        self.count = self.count.saturating_add(pairs);
        if self.count <= MOST_PAIRS {
            return true;
        }
        let message = format!(
            "contact `{}` makes it {} pairs of shapes: each is a contact of its own, and at most {MOST_PAIRS} can be \
             watched",
            contact.name, self.count
        );
        let hint = "name only shapes that can meet, such as neighbours in a chain, or take fewer: 300 shapes among each \
                    other are 44850 pairs";
        self.source.error("too-many-pairs", value.span.clone(), message, hint);
        false
    }

    /// A set has more than one contact, or one that has another name.
    fn set(&mut self, name: &str, members: Vec<String>) {
        if members.iter().any(|member| member != name) {
            self.sets.members.insert(name.to_owned(), members);
        }
    }

    /// The shapes that a name, or a list of names, stands for.
    fn party(&mut self, value: &Setting) -> Option<Party> {
        let list = if value.is_list() {
            self.source.keep(value.list("names of shapes", ""))?.to_vec()
        } else {
            vec![value.clone()]
        };
        let (mut shapes, mut is_many) = (Vec::new(), value.is_list());
        for value in &list {
            let name = self.source.name(value)?;
            is_many |= name.ends_with(ALL);
            let Some(found) = self.names.get(&name) else {
                self.unknown(&name, value);
                return None;
            };
            for &i in found.iter().filter(|i| !shapes.contains(*i)).collect::<Vec<_>>() {
                if !self.scene.shapes[i].touches {
                    let message = format!("nothing touches shape `{name}`, which has `contact = false`");
                    let hint = "leave it out of the contact, or leave out `contact = false`";
                    self.source.error("bad-contact", value.span.clone(), message, hint);
                    return None;
                }
                shapes.push(i);
            }
        }
        Some(Party { shapes, is_many })
    }

    fn unknown(&mut self, name: &str, value: &Setting) {
        let all = format!("{name}{ALL}");
        let is_body = self.scene.bodies.index(name.trim_end_matches(ALL)).is_some();
        let known = self.names.keys().map(String::as_str);
        let error = unknown_name(name, value.span.clone(), known, "among the shapes");
        self.source.errors.push(if self.names.contains_key(&all) {
            error.hint(format!("write `{all}` for all of them, or `{name}[0]` for the first"))
        } else if is_body {
            error.hint(format!("body `{name}` has no shape: give it one, or add one in `[shapes]`"))
        } else {
            error
        });
    }

    fn outline(&mut self, i: usize) -> Option<TouchOutline> {
        if !self.outlines.contains_key(&i) {
            let ShapeScene { bodies, shapes, .. } = self.scene;
            let outline = Outliner::new((self.source, self.lowered), bodies, &shapes[i]).outline();
            self.outlines.insert(i, outline);
        }
        self.outlines.get(&i).cloned().flatten()
    }

    /// The contacts of two shapes: their names without those of what they have.
    fn pair(&mut self, contact: &ContactPart<'_>, index: &str, pair: [usize; 2]) -> Option<String> {
        let [first, second] = pair.map(|i| self.outline(i));
        let (first, second) = (first?, second?);
        let shapes = pair.map(|i| &self.scene.shapes[i]);
        let name = format!("{}{index}", contact.name);
        let full = format!("contact.{name}");
        let Some(all) = touches(self.scene.bodies, [&first, &second], &full) else {
            let [a, b] = shapes.map(|shape| (shape.form.word(), &shape.name));
            let message = format!("{} `{}` and {} `{}` cannot touch yet", a.0, a.1, b.0, b.1);
            let hint = if shapes.iter().any(|shape| ["curve", "ellipse"].contains(&shape.form.word())) {
                "curves and ellipses touch discs; ellipses touch half-planes, too"
            } else {
                "use shapes that can: discs, half-planes, capsules, boxes and polygons; or write the gap as a formula, `gap = \"…\"`"
            };
            self.source.error("not-yet", contact.part.key_span.clone(), message, hint);
            return None;
        };
        let is_one = all.len() == 1;
        let mut members = Vec::new();
        for (k, touch) in all.into_iter().enumerate() {
            let member = if is_one { name.clone() } else { format!("{name}{CORNER}[{k}]") };
            self.touch(contact, &member, (&touch, shapes))?;
            members.push(member);
        }
        // What gives way may be deep in each other.
        if contact.compliance.is_none() {
            self.overlaps.watch(shapes, members.iter().cloned());
        }
        self.set(&name, members);
        Some(name)
    }

    fn touch(
        &mut self,
        contact: &ContactPart<'_>,
        name: &str,
        (touch, shapes): (&ShapeContact, [&BodyShape; 2]),
    ) -> Option<()> {
        let span = &contact.part.key_span;
        let compliance = match contact.compliance {
            Some(value) => Some(self.compliance(contact, value)?),
            None => None,
        };
        let surfaces = match &compliance {
            Some(_) => SurfacePair::default(),
            None => self.scene.pairs.between(self.source, (contact.name, contact.part, &contact.own), shapes),
        };
        if surfaces.friction.is_some() && !contact.law.takes_friction() {
            let message =
                format!("contact `{}` has friction, which its impact law does not take", contact.name);
            let hint = "use `law = \"moreau\"` or `law = \"smith\"`, or remove `friction`";
            self.source.error("bad-contact", span.clone(), message, hint);
            return None;
        }
        if let Some(foot) = &touch.foot {
            CurveFeet { source: self.source, lowered: self.lowered, span }.add(contact.name, foot)?;
        }
        if surfaces.friction.is_none() {
            self.sets.slips.insert(name.to_owned(), touch.slip.clone());
        }
        let lowered = &mut *self.lowered;
        let mut formula = |term: &Term| lowered.formula(term, span);
        let rule = GapRule {
            name: name.to_owned(),
            span: span.clone(),
            gap: formula(&touch.gap),
            slip: surfaces.friction.is_some().then(|| formula(&touch.slip)),
            restitution: formula(&surfaces.restitution.unwrap_or_else(Term::zero)),
            friction: surfaces.friction.map(|both| both.map(|term| formula(&term))),
            law: contact.law,
            compliance,
        };
        self.lowered.contacts.push(rule);
        Some(())
    }

    fn compliance(&mut self, contact: &ContactPart<'_>, value: &Setting) -> Option<Compliance> {
        let (source, lowered, span) = (&mut *self.source, &mut *self.lowered, &value.span);
        check_keys(source, value, COMPLIANT_KEYS, "`compliant`");
        let law = contact.part.get("law").and_then(|value| source.keep(value.word(FORCE_LAWS)));
        let (stiffness, damping) = (source.moving_of(value, "stiffness"), source.moving_of(value, "damping"));
        let Some(stiffness) = stiffness else {
            let message = format!("`compliant` of contact `{}` has no stiffness", contact.name);
            source.error("missing-key", span.clone(), message, "add `stiffness`, in N/m");
            return None;
        };
        let mut formula = |term: &Term| lowered.formula(term, span);
        let (stiffness, damping) = (formula(&stiffness), damping.as_ref().map(&mut formula));
        Some(Compliance { law: law.unwrap_or_default(), stiffness, damping })
    }
}

impl ContactSets {
    /// What a name of a set stands for: `contact.C.gap` is the smallest gap, forces and impulses are sums.
    pub(super) fn meaning(&self, name: &str) -> Option<Term> {
        let path = name.strip_prefix("contact.")?;
        if let Some(slip) = path.strip_suffix(".slip").and_then(|contact| self.slips.get(contact)) {
            return Some(slip.clone());
        }
        let property = ["gap", "force.n", "force.t", "impulse.n", "impulse.t"]
            .into_iter()
            .find(|property| path.strip_suffix(property).is_some_and(|owner| owner.ends_with('.')))?;
        let members = self.members.get(&path[..path.len() - property.len() - 1])?;
        let terms: Vec<Term> =
            members.iter().map(|member| Term::whole(contact_name(member, property))).collect();
        Some(by_halves(&terms, property == "gap"))
    }
}

/// The smallest of all, or their sum, by halves: formulas may not nest too deeply.
fn by_halves(terms: &[Term], smallest: bool) -> Term {
    if let [one] = terms {
        return one.clone();
    }
    let (left, right) = terms.split_at(terms.len() / 2);
    let both = [left, right].map(|half| by_halves(half, smallest));
    if smallest {
        Term::call("min", &[&both[0], &both[1]])
    } else {
        Term::formula(&format!("{} + {}", both[0].text(), both[1].text()))
    }
}
