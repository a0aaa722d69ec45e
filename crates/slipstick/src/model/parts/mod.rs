//! Parts: bodies, joints, drives, forces and shapes, and what they are as coordinates, masses, constraints and forces.
//!
//! In: the sections `bodies`, `joints`, `drives`, `forces`, `shapes`, `materials`, `gravity`, `defaults`, `assemble`. Out: what
//! they add to a model ([`LoweredParts`]), in which a body has three coordinates, those of its centre of mass and its angle.
//! A kind of joints or forces is one file and one entry of a list.

mod bodies;
mod contacts;
mod curve;
mod drawing;
mod drives;
mod feet;
mod forces;
mod gaps;
mod holding;
mod indices;
mod joint;
mod joints;
mod lowered;
mod names;
mod outline;
mod overlap;
mod pairs;
mod placing;
mod sensors;
mod shapes;
mod source;
mod term;
mod track;

pub(super) use indices::Indices;
pub(super) use lowered::GapRule;
pub(super) use source::bad_index;

use super::{BranchRule, Diagnostic, Model, Reference, Setting, StartRule, SwitchRule};
use bodies::{BodyList, check_keys};
use contacts::{ContactSets, ShapeScene, lower_contacts};
use holding::Held;
use joint::JointList;
use lowered::LoweredParts;
use names::PartNames;
use pairs::Pairs;
use shapes::BodyShape;
use source::PartSource;
use std::collections::BTreeMap;
use term::{Pair, Term};

/// The sections of parts.
pub(super) const PART_KEYS: &[&str] = &[
    "dimension",
    "gravity",
    "materials",
    "pairs",
    "defaults",
    "parts",
    "bodies",
    "joints",
    "drives",
    "shapes",
    "sensors",
    "assemble",
];
const ASSEMBLE_KEYS: &[&str] = &["pinned", "branch", "weight"];
const NO_INERTIA: &str =
    "add `inertia`, or a `shape` or `link` that gives it; `inertia = 0` where joints hold the turn";
const MATERIAL_KEYS: &[&str] = &["density"];

/// What a model says of its parts.
pub(super) struct PartSections {
    sections: BTreeMap<String, Setting>,
}

/// Everything that was read of parts, with what it adds to the model.
struct Building<'a> {
    sections: &'a PartSections,
    source: PartSource,
    lowered: LoweredParts,
    model: &'a mut Model,
}

impl PartSections {
    /// The sections of a model that are about parts; none if there are no bodies.
    pub(super) fn of(sections: impl Iterator<Item = Setting>) -> Option<Self> {
        let sections: BTreeMap<String, Setting> =
            sections.map(|section| (section.key.clone(), section)).collect();
        sections.contains_key("bodies").then_some(Self { sections })
    }

    fn get(&self, key: &str) -> Option<&Setting> {
        self.sections.get(key)
    }

    /// Whether an entry of `[forces]` is a named force; otherwise it is the force on a coordinate.
    pub(super) fn is_named_force(part: &Setting) -> bool {
        forces::is_named(part)
    }

    /// Reads all parts and adds them to the model, which has everything else already.
    /// Contacts are given back: those with a `gap` stand beside them.
    pub(super) fn add_to(&self, model: &mut Model, indices: Indices) -> (Vec<GapRule>, Vec<Diagnostic>) {
        let source = PartSource::new(indices);
        Building { sections: self, source, lowered: LoweredParts::default(), model }.build()
    }
}

impl Building<'_> {
    fn build(mut self) -> (Vec<GapRule>, Vec<Diagnostic>) {
        self.check_dimension();
        let sections = self.sections;
        let densities = self.densities();
        let mut shapes = Vec::new();
        let mut bodies = BodyList::read(&mut self.source, sections.get("bodies"), (&mut shapes, &densities));
        shapes::read_shapes(&mut self.source, sections.get("shapes"), &bodies, &mut shapes);
        let mut joints = JointList::read(&mut self.source, sections.get("joints"), (&bodies, &shapes));
        for joint in &mut joints.list {
            joint.holding.is_opened = self.is_opened(&joint.name);
        }
        let given: Vec<[bool; 3]> =
            bodies.list.iter().map(|body| [0, 1, 2].map(|i| body.drawn[i].is_some())).collect();
        let placed = placing::place_bodies(&mut self.source, &mut bodies, &joints.list, &mut self.lowered);
        let held = holding::held(&self.source, &joints, &bodies, &mut self.lowered);
        let (source, lowered) = (&mut self.source, &mut self.lowered);
        for (joint, was_placed) in joints.list.iter().zip(placed) {
            let is_nowhere = |body: usize| given[body] == [false; 3];
            let was_placed = was_placed || joint.ends.iter().any(|end| end.body.is_some_and(is_nowhere));
            if let Some(held) = held.get(joint.name.as_str()) {
                holding::lower_joint(source, held, was_placed, lowered);
            }
        }
        for ratio in &joints.ratios {
            holding::lower_ratio(source, ratio, &held, lowered);
        }
        let driven = drives::lower_drives(source, sections.get("drives"), &held, lowered);
        forces::lower_forces(source, sections.get("forces"), (&bodies, &held), lowered);
        self.lower_bodies(&bodies, &joints.list);
        let (source, lowered) = (&mut self.source, &mut self.lowered);
        sensors::lower_sensors(source, sections.get("sensors"), (&bodies, &held), lowered);
        let contacts = self.lower_contacts(&bodies, &joints, &shapes);
        self.draw((&bodies, &shapes), &held);
        self.model.mechanism.start = self.start(&bodies, &given, driven);
        self.model.mechanism.start.branches = self.branches(&held);
        self.model.mechanism.start.weights = self.weights(&bodies);
        start_of_tracks(&held, &mut self.model.mechanism.start);
        self.model.mechanism.joints = held.values().map(|held| held.rule(&mut self.lowered)).collect();
        self.switch_joints(&held);
        let names = PartNames { bodies: &bodies, held: &held, contacts: &contacts };
        self.lowered.merge_into(self.model);
        names.define(self.model, std::mem::take(&mut self.lowered.columns));
        self.model.mechanism.structural = self.source.indices.structural();
        self.model.mechanism.amounts.append(&mut self.source.amounts);
        self.source.errors.append(&mut self.lowered.errors);
        (self.lowered.contacts, self.source.errors)
    }

    /// Shapes, and what they do where they touch.
    fn lower_contacts(&mut self, bodies: &BodyList, joints: &JointList, shapes: &[BodyShape]) -> ContactSets {
        let (sections, source, lowered) = (self.sections, &mut self.source, &mut self.lowered);
        let of_pairs = [sections.get("materials"), sections.get("pairs")];
        let pairs = Pairs::read(source, of_pairs, (bodies, shapes));
        let scene = ShapeScene { bodies, joints: &joints.list, shapes, pairs: &pairs };
        let (sets, overlaps) = lower_contacts(source, sections.get("contacts"), &scene, lowered);
        overlaps.check(source, lowered);
        sets
    }

    /// What bodies look like, before what the model draws itself.
    fn draw(&mut self, parts: (&BodyList, &[BodyShape]), held: &BTreeMap<&str, Held<'_>>) {
        let springs = std::mem::take(&mut self.lowered.springs);
        let mut picture = drawing::draw_parts(parts, held, &springs, &mut self.lowered);
        let own = std::mem::take(&mut self.model.about.picture);
        picture.bodies.extend(own.bodies);
        picture.lines.extend(own.lines);
        picture.points.extend(own.points);
        self.model.about.picture = picture;
    }

    /// What is kept while the bodies of the drawing are put together.
    fn start(&mut self, bodies: &BodyList, given: &[[bool; 3]], driven: Vec<String>) -> StartRule {
        let mut start = StartRule { pinned: driven, ..StartRule::default() };
        start.pins = self.pinned();
        start.pinned.extend(start.pins.iter().map(|pin| pin.name.clone()));
        for (body, given) in bodies.list.iter().zip(given) {
            let names = body.coordinates();
            // Where the frame is not at the centre of mass, that is known where the angle is.
            let turns = given[2] || body.is_drawn_at_its_centre();
            let is_known = |i: usize| given[i] && (i == 2 || turns);
            start.drawn.extend((0..3).filter(|&i| is_known(i)).map(|i| names[i].clone()));
            let spins = body.angular_velocity.is_some();
            let moves = body.velocity.is_some() && (spins || body.is_drawn_at_its_centre());
            let is_given = |i: usize| if i == 2 { spins } else { moves };
            start.velocities.extend((0..3).filter(|&i| is_given(i)).map(|i| names[i].clone()));
        }
        start
    }

    /// How much more than others bodies resist being moved.
    fn weights(&mut self, bodies: &BodyList) -> Vec<(String, f64)> {
        let (sections, source) = (self.sections, &mut self.source);
        let weight = sections.get("assemble").and_then(|assemble| assemble.get("weight"));
        let mut weights = Vec::new();
        for (name, value) in weight.into_iter().flat_map(Setting::entries) {
            let Some(number) = source.keep(value.positive()) else { continue };
            let Some(i) = bodies.index(name) else {
                let error =
                    super::unknown_name(name, value.key_span.clone(), bodies.names(), "among the bodies");
                source.errors.push(error);
                continue;
            };
            weights.extend(bodies.list[i].coordinates().map(|coordinate| (coordinate, number)));
        }
        weights
    }

    /// The angles of joints that are to be positive or negative.
    fn branches(&mut self, held: &BTreeMap<&str, Held<'_>>) -> Vec<BranchRule> {
        let (sections, source) = (self.sections, &mut self.source);
        let branch = sections.get("assemble").and_then(|assemble| assemble.get("branch"));
        let mut rules = Vec::new();
        for (name, value) in branch.into_iter().flat_map(Setting::entries) {
            let words = [("positive", true), ("negative", false)];
            let Some(positive) = source.keep(value.word(&words)) else { continue };
            let joint = name.strip_prefix("joint.").and_then(|name| name.strip_suffix(".angle"));
            let found = joint.and_then(|joint| held.get(joint)).filter(|held| held.has_plain_angle());
            let Some(found) = found else {
                let message = format!("`{name}` is no angle of a joint between bodies");
                let hint =
                    "write `branch = { \"joint.NAME.angle\" = \"positive\" }`, with ends that are not turned";
                source.error("bad-joint", value.key_span.clone(), message, hint);
                continue;
            };
            let angles = [&found.ends.second, &found.ends.first]
                .map(|end| end.body.map(|i| found.ends.bodies.list[i].coordinates()[2].clone()));
            rules.push(BranchRule { name: name.to_owned(), span: value.key_span.clone(), angles, positive });
        }
        rules
    }

    /// Whether an event opens a joint.
    fn is_opened(&self, joint: &str) -> bool {
        let mut switches = self.model.all_events().flat_map(|(_, event)| &event.joints);
        switches.any(|switch| !switch.shuts && switch.joint.name == joint)
    }

    /// Events open and shut joints by resets.
    fn switch_joints(&mut self, held: &BTreeMap<&str, Held<'_>>) {
        let modes = self.model.modes.iter_mut().flat_map(|mode| &mut mode.events);
        for event in self.model.events.iter_mut().chain(modes) {
            for SwitchRule { joint, shuts } in event.joints.clone() {
                let Some(found) = held.get(joint.name.as_str()) else {
                    let known = held.keys().copied();
                    let error = super::unknown_name(&joint.name, joint.span, known, "among the joints");
                    self.source.errors.push(error);
                    continue;
                };
                if !found.is_switched() {
                    let message = format!("joint `{}` is never open", joint.name);
                    let hint = "an event can shut it again after another one has opened it; or begin with `open = true`";
                    self.source.error("bad-joint", joint.span.clone(), message, hint);
                    continue;
                }
                let reset = if shuts { found.shut(&mut self.lowered) } else { found.open(&mut self.lowered) };
                event.reset.extend(reset);
            }
        }
    }

    fn check_dimension(&mut self) {
        let (Some(dimension), source) = (self.sections.get("dimension"), &mut self.source) else { return };
        if source.keep(dimension.count()).is_some_and(|count| count != 2) {
            let message =
                "bodies move in the plane: `dimension` is 2, and other dimensions are not there yet";
            source.error(
                "not-yet",
                dimension.span.clone(),
                message.to_owned(),
                "leave out `dimension`, or write 2",
            );
        }
    }

    fn densities(&mut self) -> BTreeMap<String, Term> {
        let (sections, source) = (self.sections, &mut self.source);
        let mut densities = BTreeMap::new();
        for (name, part) in sections.get("materials").into_iter().flat_map(Setting::entries) {
            check_keys(source, part, MATERIAL_KEYS, &format!("material `{name}`"));
            if let Some(density) = source.amount_of(part, "density") {
                densities.insert(name.to_owned(), density);
            }
        }
        densities
    }

    /// The coordinates that stay as they are drawn, by names.
    fn pinned(&mut self) -> Vec<Reference> {
        let (sections, source) = (self.sections, &mut self.source);
        let Some(assemble) = sections.get("assemble") else { return Vec::new() };
        check_keys(source, assemble, ASSEMBLE_KEYS, "`assemble`");
        let Some(list) = assemble.get("pinned") else { return Vec::new() };
        let list = source.keep(list.list("a list of coordinates", "pinned = [\"crank.angle\"]"));
        list.map_or_else(Vec::new, <[Setting]>::to_vec)
            .iter()
            .filter_map(|value| Some(Reference { name: source.name(value)?, span: value.span.clone() }))
            .collect()
    }

    /// Coordinates, masses and weights.
    fn lower_bodies(&mut self, bodies: &BodyList, joints: &[joint::Joint]) {
        let (sections, source, lowered) = (self.sections, &mut self.source, &mut self.lowered);
        let gravity = sections.get("gravity").and_then(|value| source.pair(value));
        for (i, body) in bodies.list.iter().enumerate() {
            let is_free = !joints.iter().any(|joint| joint.ends.iter().any(|end| end.body == Some(i)));
            let mut lacks = |what, hint| {
                let free = if is_free { " and is free along x" } else { "" };
                let message = format!("body `{}` has no {what}{free}", body.name);
                source.error("no-mass", body.span.clone(), message, hint);
                // So that everything else can be looked at.
                Term::one()
            };
            let [mass, inertia] = match (&body.mass, &body.inertia) {
                (None, _) => {
                    let one = lacks("mass", "add `mass`, or a `shape` or `link` with `density` and `depth`");
                    [one.clone(), one]
                }
                (Some(mass), None) => [mass.clone(), lacks("moment of inertia", NO_INERTIA)],
                (Some(mass), Some(inertia)) => [mass.clone(), inertia.clone()],
            };
            let [mass, inertia] = [&mass, &inertia];
            for (what, term) in [("mass", mass), ("moment of inertia", inertia)] {
                let value = source.indices.value(term.text()).filter(|value| *value < 0.0);
                let Some(value) = value else { continue };
                let message = format!(
                    "body `{}` has the {what} {value}, and no real body has one below zero",
                    body.name
                );
                source.error("no-mass", body.span.clone(), message, "give zero or more");
            }
            body_start(body, &bodies.drawn_turn(body.within.as_ref()), lowered);
            lowered.kinetic.extend(kinetic(body, [mass, mass, inertia]));
            lowered.bodies.push(body.name.clone());
            for (coordinate, mass) in body.coordinates().iter().zip([mass, mass, inertia]) {
                let entry = lowered.definition(coordinate, mass, &body.span);
                lowered.inertia.push(entry);
            }
            if let Some(gravity) = &gravity {
                lowered.potential.extend(weight(body, mass, gravity));
            }
        }
    }
}

/// What is said of places along curves stays, as what is said of bodies does.
fn start_of_tracks(held: &BTreeMap<&str, Held<'_>>, start: &mut StartRule) {
    for held in held.values() {
        let Some((_, name, _)) = &held.ends.track else { continue };
        let [place, velocity] = held.joint.start.each_ref().map(Option::is_some);
        start.drawn.extend(place.then(|| name.clone()));
        start.velocities.extend(velocity.then(|| name.clone()));
    }
}

/// The potential energy of a weight.
fn weight(body: &bodies::Body, mass: &Term, gravity: &Pair) -> Option<Term> {
    let [x, y, _] = body.coordinates().map(Term::whole);
    let height = &(&gravity[0] * &x) + &(&gravity[1] * &y);
    let energy = -&(mass * &height);
    (!energy.is_zero()).then_some(energy)
}

/// The kinetic energy of a body.
fn kinetic(body: &bodies::Body, masses: [&Term; 3]) -> Vec<Term> {
    let half = Term::number(0.5);
    let one = |(name, mass): (String, &Term)| &(&half * mass) * &Term::whole(format!("{name}'")).squared();
    body.coordinates().into_iter().zip(masses).map(one).filter(|term| !term.is_zero()).collect()
}

/// The start of a body: its coordinates are those of its centre of mass, and it is drawn by its frame.
fn body_start(body: &bodies::Body, turn: &Term, lowered: &mut LoweredParts) {
    let [x, y, angle] = body.drawing();
    let arm = term::turned(&body.com, &angle);
    let spin = body.angular_velocity.clone().unwrap_or_else(Term::zero);
    let velocity = term::turned(&body.velocity.clone().unwrap_or_else(term::origin), turn);
    let carried = term::scaled(&term::left_of(&arm), &spin);
    let positions = [&x + &arm[0], &y + &arm[1], angle];
    let velocities = [&velocity[0] + &carried[0], &velocity[1] + &carried[1], spin];
    for (i, name) in body.coordinates().iter().enumerate() {
        let coordinate = lowered.definition(name, &positions[i], &body.span);
        lowered.coordinates.push(coordinate);
        let speed = lowered.definition(name, &velocities[i], &body.span);
        lowered.speeds.push(speed);
    }
    if !body.is_drawn_at_its_centre() {
        let columns = ["x", "y", "x'", "y'"].map(|what| format!("{}.{what}", body.name));
        lowered.columns.extend(columns);
    }
}
