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
mod tree;

pub(super) use indices::Indices;
pub(super) use lowered::{GapRule, RubbingRule, TouchingRules};
pub(super) use source::bad_index;

use super::{BranchRule, Diagnostic, Model, Reference, Setting, StartRule, SwitchRule};
use bodies::{BodyList, Pose, check_keys};
use contacts::{ContactSets, ShapeScene, lower_contacts};
use holding::Held;
use joint::JointList;
use lowered::LoweredParts;
use names::PartNames;
use pairs::Pairs;
use shapes::BodyShape;
use source::PartSource;
use std::collections::{BTreeMap, BTreeSet};
use term::{Pair, Term};
use tree::{Carried, CarriedPlaces, CarriedResets, JointTree};

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
    /// The machine with three coordinates for each body, if this one has those of joints.
    drawing: Option<&'a Model>,
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
    /// With the `drawing` of the same machine, bodies have the coordinates of joints.
    pub(super) fn add_to(
        &self,
        model: &mut Model,
        indices: Indices,
        drawing: Option<&Model>,
    ) -> (TouchingRules, Vec<Diagnostic>) {
        let source = PartSource::new(indices);
        Building { sections: self, source, lowered: LoweredParts::default(), model, drawing }.build()
    }
}

impl Building<'_> {
    fn build(mut self) -> (TouchingRules, Vec<Diagnostic>) {
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
        let is_nowhere = |body: usize| given[body] == [false; 3];
        let was_placed =
            |k: usize| placed[k] || joints.list[k].ends.iter().any(|end| end.body.is_some_and(is_nowhere));
        let mut held = holding::held(&self.source, &joints, &bodies, &mut self.lowered);
        self.show_coordinates(&held);
        let tree = self.tree((&bodies, &joints.list), &mut held);
        let carried = tree.as_ref().map_or_else(Vec::new, |tree| {
            let places = CarriedPlaces { tree, bodies: &bodies, joints: &joints.list, held: &held };
            self.carry(&places, was_placed)
        });
        self.lower_joints(&joints, &held, was_placed);
        let (source, lowered) = (&mut self.source, &mut self.lowered);
        let driven = drives::lower_drives(source, sections.get("drives"), &held, lowered);
        forces::lower_forces(source, sections.get("forces"), (&bodies, &held), lowered);
        self.lower_bodies((&bodies, &carried), &joints.list);
        let (source, lowered) = (&mut self.source, &mut self.lowered);
        sensors::lower_sensors(source, sections.get("sensors"), (&bodies, &held), lowered);
        let contacts = self.lower_contacts(&bodies, &joints, &shapes);
        self.draw((&bodies, &shapes), &held);
        self.set_start((&bodies, &held), &given, driven);
        self.model.mechanism.joints = held.values().map(|held| held.rule(&mut self.lowered)).collect();
        self.switch_joints(&held);
        if let Some(tree) = &tree {
            let links = self.links(&joints, &held);
            let (source, lowered, order) = (&mut self.source, &mut self.lowered, &tree.order[..]);
            CarriedResets { bodies: &bodies, carried: &carried, order, links: &links, source, lowered }
                .translate(self.model);
        }
        let names = PartNames { bodies: &bodies, held: &held, contacts: &contacts, carried: &carried };
        self.lowered.merge_into(self.model);
        names.define(self.model, std::mem::take(&mut self.lowered.columns));
        self.model.mechanism.structural = self.source.indices.structural();
        self.model.mechanism.amounts.append(&mut self.source.amounts);
        self.source.errors.append(&mut self.lowered.errors);
        let (gaps, rubbing) = (self.lowered.contacts, self.lowered.rubbing);
        (TouchingRules { gaps, rubbing }, self.source.errors)
    }

    /// Adds the coordinates of joints that carry bodies, and where these are then.
    fn carry<'h>(
        &mut self,
        places: &CarriedPlaces<'h>,
        was_placed: impl Fn(usize) -> bool,
    ) -> Vec<Option<Carried<'h>>> {
        let carried = places.lower(was_placed, &mut self.lowered);
        self.model.mechanism.tree = Some(places.rule(&carried, &mut self.lowered));
        carried
    }

    fn lower_joints(
        &mut self,
        joints: &JointList,
        held: &BTreeMap<&str, Held<'_>>,
        was_placed: impl Fn(usize) -> bool,
    ) {
        let (source, lowered) = (&mut self.source, &mut self.lowered);
        for (k, joint) in joints.list.iter().enumerate() {
            if let Some(held) = held.get(joint.name.as_str()) {
                holding::lower_joint(source, held, was_placed(k), lowered);
            }
        }
        for ratio in &joints.ratios {
            holding::lower_ratio(source, ratio, held, lowered);
        }
    }

    /// What is kept while the drawing is put together.
    fn set_start(
        &mut self,
        (bodies, held): (&BodyList, &BTreeMap<&str, Held<'_>>),
        given: &[[bool; 3]],
        driven: Vec<String>,
    ) {
        let mut start = self.start(bodies, given, driven);
        let branches = self.branches(held);
        // With the coordinates of joints, branches have been checked in the drawing.
        start.branches = if self.drawing.is_some() { Vec::new() } else { branches };
        start.weights = self.weights(bodies);
        start_of_tracks(held, &mut start);
        self.model.mechanism.start = start;
    }

    /// What a run with the coordinates of joints starts from.
    fn show_coordinates(&mut self, held: &BTreeMap<&str, Held<'_>>) {
        if !self.model.run.joint_coordinates || self.drawing.is_some() {
            return;
        }
        for held in held.values().filter(|held| held.joint.track.is_none()) {
            let Some(coordinate) = held.coordinate() else { continue };
            let name = held.own(coordinate.word);
            self.lowered.columns.extend([format!("{name}'"), name]);
        }
    }

    /// Which joints carry bodies, if bodies have the coordinates of joints.
    fn tree(
        &mut self,
        (bodies, joints): (&BodyList, &[joint::Joint]),
        held: &mut BTreeMap<&str, Held<'_>>,
    ) -> Option<JointTree> {
        let drawing = self.drawing?;
        let drives = self.sections.get("drives").into_iter().flat_map(Setting::entries);
        let driven: BTreeSet<String> =
            drives.filter_map(|(_, part)| Some(part.get("joint")?.string("").ok()?.to_owned())).collect();
        let tree = JointTree::grow(&mut self.source, (bodies, joints), &driven, drawing);
        for k in tree.carrying() {
            if let Some(held) = held.get_mut(joints[k].name.as_str()) {
                held.carries = true;
            }
        }
        Some(tree)
    }

    /// The bodies that each joint or drive joins, with how many constraints it is.
    fn links(&self, joints: &JointList, held: &BTreeMap<&str, Held<'_>>) -> Vec<(Vec<usize>, usize)> {
        let bodies = |name: &str| -> Vec<usize> {
            let held = held.get(name).into_iter();
            held.flat_map(|held| held.joint.ends.iter().filter_map(|end| end.body)).collect()
        };
        let own = held.values().map(|held| {
            let further = usize::from(held.joint.track.is_some());
            let rows = (held.joint.kind.relative)(&held.ends, Pose::Drawn).len().saturating_sub(further);
            (bodies(&held.joint.name), if held.carries { 0 } else { rows })
        });
        let ratios =
            joints.ratios.iter().map(|ratio| (ratio.ends.iter().flat_map(|name| bodies(name)).collect(), 1));
        let drives = self.sections.get("drives").into_iter().flat_map(Setting::entries);
        let driven = drives.filter_map(|(_, part)| Some((bodies(part.get("joint")?.string("").ok()?), 1)));
        own.chain(ratios).chain(driven).collect()
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
    fn lower_bodies(
        &mut self,
        (bodies, carried): (&BodyList, &[Option<Carried<'_>>]),
        joints: &[joint::Joint],
    ) {
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
            check_signs(source, body, [mass, inertia]);
            if carried.get(i).is_none_or(Option::is_none) {
                body_start(body, bodies, lowered);
                lowered.bodies.push(body.name.clone());
            }
            body_columns(body, lowered);
            lowered.kinetic.extend(kinetic(body, [mass, mass, inertia]));
            // The masses of trees are put together from all bodies.
            let masses = body.coordinates().into_iter().zip([mass, mass, inertia]);
            for (coordinate, mass) in masses.filter(|_| carried.is_empty()) {
                let entry = lowered.definition(&coordinate, mass, &body.span);
                lowered.inertia.push(entry);
            }
            if let Some(gravity) = &gravity {
                lowered.potential.extend(weight(body, mass, gravity));
            }
        }
    }
}

/// No mass and no moment of inertia is below zero.
fn check_signs(source: &mut PartSource, body: &bodies::Body, [mass, inertia]: [&Term; 2]) {
    for (what, term) in [("mass", mass), ("moment of inertia", inertia)] {
        let value = source.indices.value(term.text()).filter(|value| *value < 0.0);
        let Some(value) = value else { continue };
        let message =
            format!("body `{}` has the {what} {value}, and no real body has one below zero", body.name);
        source.error("no-mass", body.span.clone(), message, "give zero or more");
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
fn body_start(body: &bodies::Body, bodies: &BodyList, lowered: &mut LoweredParts) {
    let [x, y, angle] = body.drawing();
    let arm = term::turned(&body.com, &angle);
    let positions = [&x + &arm[0], &y + &arm[1], angle];
    let velocities = bodies.drawn_rates(body);
    for (i, name) in body.coordinates().iter().enumerate() {
        let coordinate = lowered.definition(name, &positions[i], &body.span);
        lowered.coordinates.push(coordinate);
        let speed = lowered.definition(name, &velocities[i], &body.span);
        lowered.speeds.push(speed);
    }
}

/// A body that is drawn by another point than its centre of mass has columns for that.
fn body_columns(body: &bodies::Body, lowered: &mut LoweredParts) {
    if !body.is_drawn_at_its_centre() {
        let columns = ["x", "y", "x'", "y'"].map(|what| format!("{}.{what}", body.name));
        lowered.columns.extend(columns);
    }
}
