//! Sensors: outputs with a frame. A position or a velocity may be relative to a body, and along its axes.

use super::bodies::{BodyList, BodyPlace, Pose, check_keys};
use super::holding::Held;
use super::lowered::LoweredParts;
use super::source::PartSource;
use super::term::{Pair, Term, left_of, length, minus, plus, scaled, turned};
use crate::model::Setting;
use std::collections::BTreeMap;

const SENSOR_KEYS: &[&str] = &[
    "position",
    "velocity",
    "acceleration",
    "distance",
    "force",
    "energy",
    "relative_to",
    "in",
    "on",
    "mirror",
];
const KINDS: &[&str] = &["position", "velocity", "acceleration", "distance", "force", "energy"];

/// Reads sensors.
struct SensorReader<'r> {
    source: &'r mut PartSource,
    name: &'r str,
    part: &'r Setting,
    bodies: &'r BodyList,
    held: &'r BTreeMap<&'r str, Held<'r>>,
    lowered: &'r LoweredParts,
}

/// Adds the outputs of all sensors.
pub(super) fn lower_sensors(
    source: &mut PartSource,
    section: Option<&Setting>,
    (bodies, held): (&BodyList, &BTreeMap<&str, Held<'_>>),
    lowered: &mut LoweredParts,
) {
    for (name, part) in section.into_iter().flat_map(Setting::entries) {
        check_keys(source, part, SENSOR_KEYS, &format!("sensor `{name}`"));
        source.copies((name, part), |source, name| {
            let found = SensorReader { source, name, part, bodies, held, lowered }.read();
            for (suffix, term) in found.unwrap_or_default() {
                lowered.output(&format!("{name}{suffix}"), &term, &part.key_span);
            }
        });
    }
}

impl SensorReader<'_> {
    /// The endings of the names of its outputs, with their formulas.
    fn read(&mut self) -> Option<Vec<(&'static str, Term)>> {
        let kind = KINDS.iter().find_map(|kind| Some((*kind, self.part.get(kind)?)));
        let Some((kind, value)) = kind else {
            let message = format!("sensor `{}` does not say what it measures", self.name);
            let hint = format!("give one of {}", KINDS.join(", "));
            self.source.error("missing-key", self.part.span.clone(), message, hint);
            return None;
        };
        match kind {
            "acceleration" => {
                let place = self.place(value)?;
                let vector = match self.part.get("relative_to") {
                    Some(value) => self.bodies.seen_acceleration(&self.place(value)?, &place),
                    None => self.bodies.acceleration(&place),
                };
                self.along_axes(vector)
            }
            "position" | "velocity" => {
                let place = self.place(value)?;
                let vector = self.relative(kind == "velocity", &place)?;
                self.along_axes(vector)
            }
            "distance" => self.distance(value),
            "force" => self.force(value),
            _ => self.energy(value),
        }
    }

    fn place(&mut self, value: &Setting) -> Option<BodyPlace> {
        let name = self.source.name(value)?;
        self.bodies.find(self.source, &name, &value.span).map(|(place, _)| place)
    }

    /// Where a place is, or how fast it moves, as seen from another.
    fn relative(&mut self, is_velocity: bool, place: &BodyPlace) -> Option<Pair> {
        let position = self.bodies.position(place, Pose::Moving);
        let own = if is_velocity { self.bodies.velocity(place) } else { position.clone() };
        let Some(value) = self.part.get("relative_to") else { return Some(own) };
        let from = self.place(value)?;
        if !is_velocity {
            return Some(minus(&own, &self.bodies.position(&from, Pose::Moving)));
        }
        // A body that turns carries what is around it.
        let between = minus(&position, &self.bodies.position(&from, Pose::Moving));
        let turning = self.bodies.turning(&from);
        let carried = plus(&self.bodies.velocity(&from), &scaled(&left_of(&between), &turning));
        Some(minus(&own, &carried))
    }

    /// Along the axes of a body, or of the ground.
    fn along_axes(&mut self, vector: Pair) -> Option<Vec<(&'static str, Term)>> {
        let [x, y] = match self.part.get("in") {
            Some(value) => {
                let frame = self.place(value)?;
                turned(&vector, &-&self.bodies.angle(&frame, Pose::Moving))
            }
            None => vector,
        };
        let mirror = self.part.get("mirror").and_then(|value| self.source.keep(value.boolean()));
        let x = if mirror == Some(true) { -&x } else { x };
        Some(vec![(".x", x), (".y", y)])
    }

    /// The energy of all bodies, with that of weights and springs.
    fn energy(&mut self, value: &Setting) -> Option<Vec<(&'static str, Term)>> {
        let words = [("total", [true, true]), ("kinetic", [true, false]), ("potential", [false, true])];
        let [kinetic, potential] = self.source.keep(value.word(&words))?;
        let lists = [(kinetic, &self.lowered.kinetic), (potential, &self.lowered.potential)];
        let terms = lists.into_iter().filter(|(is_asked, _)| *is_asked).flat_map(|(_, list)| list);
        let texts: Vec<&str> = terms.map(Term::text).collect();
        let sum = if texts.is_empty() { Term::zero() } else { Term::formula(&texts.join(" + ")) };
        Some(vec![("", sum)])
    }

    fn distance(&mut self, value: &Setting) -> Option<Vec<(&'static str, Term)>> {
        let list = self.source.keep(value.list("two points", "distance = [\"ground\", \"crank.tip\"]"))?;
        let [first, second] = list else {
            let message = format!("sensor `{}` needs two points, has {}", self.name, list.len());
            let hint = "for example `distance = [\"ground\", \"crank.tip\"]`";
            self.source.error("wrong-type", value.span.clone(), message, hint);
            return None;
        };
        let places = [self.place(first)?, self.place(second)?];
        let [first, second] = places.map(|place| self.bodies.position(&place, Pose::Moving));
        Some(vec![("", length(&minus(&second, &first)))])
    }

    /// The force in a joint on one of its bodies.
    fn force(&mut self, value: &Setting) -> Option<Vec<(&'static str, Term)>> {
        let name = self.source.name(value)?;
        let Some(joint) = self.held.get(name.as_str()) else {
            let known = self.held.keys().copied();
            let error = crate::model::unknown_name(&name, value.span.clone(), known, "among the joints");
            self.source.errors.push(error);
            return None;
        };
        let (force, _) = joint.reaction();
        let on = self.source.name_of(self.part, "on");
        let bodies = [&joint.ends.first, &joint.ends.second].map(|end| &self.bodies.of(end.body).name);
        let force = match on {
            Some(on) if on == *bodies[0] => force.map(|part| -&part),
            Some(on) if on != *bodies[1] => {
                let message = format!("joint `{name}` does not act on `{on}`");
                let hint = format!("it acts on `{}` and `{}`", bodies[0], bodies[1]);
                self.source.error("bad-joint", self.part.span.clone(), message, hint);
                return None;
            }
            _ => force,
        };
        self.along_axes(force)
    }
}
