//! Bodies: their mass, where they are drawn, and the points and frames on them.

use super::shapes::{BodyShape, read_shape};
use super::source::PartSource;
use super::term::{Pair, Term, cross, left_of, minus, origin, plus, scaled, turned};
use crate::expr::Dimension;
use crate::model::{Setting, unknown_key};
use std::collections::BTreeMap;
use std::ops::Range;

const BODY_KEYS: &[&str] = &[
    "mass",
    "inertia",
    "com",
    "shape",
    "density",
    "depth",
    "link",
    "width",
    "points",
    "frames",
    "x",
    "y",
    "angle",
    "velocity",
    "angular_velocity",
    "material",
    "within",
    "repeat",
];
const FRAME_KEYS: &[&str] = &["at", "angle", "on"];
const GROUND_KEYS: &[&str] = &["points", "frames"];
/// The name of what does not move.
pub(super) const GROUND: &str = "ground";

/// A body, or the ground.
#[derive(Clone, Debug)]
pub(super) struct Body {
    pub(super) name: String,
    pub(super) span: Range<usize>,
    /// The centre of mass in the drawn frame.
    pub(super) com: Pair,
    /// Mass, and moment of inertia about the centre of mass.
    pub(super) mass: Option<Term>,
    pub(super) inertia: Option<Term>,
    /// Where it is drawn, as far as that is given: x, y, angle.
    pub(super) drawn: [Option<Term>; 3],
    /// The place in whose axes it is drawn and its velocities are given, if it is not the ground.
    pub(super) within: Option<BodyPlace>,
    pub(super) velocity: Option<Pair>,
    pub(super) angular_velocity: Option<Term>,
    pub(super) points: BTreeMap<String, Pair>,
    pub(super) frames: BTreeMap<String, (Pair, Term)>,
    pub(super) material: Option<String>,
    /// How wide a link is drawn.
    pub(super) width: Option<Term>,
    /// The points of a link, in order.
    pub(super) link: Vec<Pair>,
}

/// Whether a pose is that of the motion, or that of the drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pose {
    Moving,
    Drawn,
}

/// A place on a body, or on the ground: where it is in the drawn frame, and how it is turned there.
#[derive(Clone, Debug)]
pub(super) struct BodyPlace {
    pub(super) body: Option<usize>,
    pub(super) at: Pair,
    pub(super) angle: Term,
}

impl Body {
    fn new(name: &str, span: Range<usize>) -> Self {
        Self {
            name: name.to_owned(),
            span,
            com: origin(),
            mass: None,
            inertia: None,
            drawn: [None, None, None],
            within: None,
            velocity: None,
            angular_velocity: None,
            points: BTreeMap::from([("origin".to_owned(), origin())]),
            frames: BTreeMap::new(),
            material: None,
            width: None,
            link: Vec::new(),
        }
    }

    /// The names of its coordinates. They are those of the centre of mass.
    pub(super) fn coordinates(&self) -> [String; 3] {
        let centre = if self.is_drawn_at_its_centre() { "" } else { "com." };
        let [x, y] = ["x", "y"].map(|axis| format!("{}.{centre}{axis}", self.name));
        [x, y, format!("{}.angle", self.name)]
    }

    /// Whether the origin of the drawn frame is the centre of mass.
    pub(super) fn is_drawn_at_its_centre(&self) -> bool {
        self.com.iter().all(Term::is_zero)
    }

    /// Where it is drawn: x, y, angle.
    pub(super) fn drawing(&self) -> [Term; 3] {
        self.drawn.clone().map(|term| term.unwrap_or_else(Term::zero))
    }

    /// A point of it, or a frame.
    pub(super) fn place(&self, name: &str) -> Option<(Pair, Term)> {
        let point = || self.points.get(name).map(|at| (at.clone(), Term::zero()));
        point().or_else(|| self.frames.get(name).cloned())
    }
}

/// All bodies. The ground is none of them; it has points too.
#[derive(Clone, Debug)]
pub(super) struct BodyList {
    pub(super) list: Vec<Body>,
    pub(super) ground: Body,
    places: BTreeMap<String, usize>,
}

impl BodyList {
    /// Reads the section. The shapes that bodies have are put behind `shapes`.
    pub(super) fn read(
        source: &mut PartSource,
        section: Option<&Setting>,
        (shapes, densities): (&mut Vec<BodyShape>, &BTreeMap<String, Term>),
    ) -> Self {
        let mut bodies = Self { list: Vec::new(), ground: Body::new(GROUND, 0..0), places: BTreeMap::new() };
        let mut within = Vec::new();
        for (name, part) in section.into_iter().flat_map(Setting::entries) {
            if part.as_table().is_none() {
                let message = format!("body `{name}` must be a table");
                source.error("wrong-type", part.span.clone(), message, "for example `{ mass = \"1 kg\" }`");
                continue;
            }
            if name == GROUND {
                check_keys(source, part, GROUND_KEYS, "`ground`, which has points, frames and shapes only");
                read_places(source, part, &mut bodies.ground);
                continue;
            }
            source.copies((name, part), |source, name| {
                let index = bodies.list.len();
                let mut reader = BodyReader { source, part, densities };
                let body = reader.body(name, index, shapes);
                bodies.places.insert(name.to_owned(), index);
                bodies.list.push(body);
                if let Some(value) = part.get("within") {
                    within.extend(source.name(value).map(|place| (index, place, value.span.clone())));
                }
            });
        }
        for (index, place, span) in within {
            bodies.list[index].within = bodies.find(source, &place, &span).map(|(place, _)| place);
        }
        bodies
    }

    pub(super) fn index(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    pub(super) fn of(&self, body: Option<usize>) -> &Body {
        body.map_or(&self.ground, |i| &self.list[i])
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|body| body.name.as_str())
    }

    /// What `body.point`, `body.frame` or `body` stands for; with whether a place on the body is named.
    pub(super) fn find(
        &self,
        source: &mut PartSource,
        name: &str,
        span: &Range<usize>,
    ) -> Option<(BodyPlace, bool)> {
        let whole = |name: &str| (name == GROUND).then_some(None).or_else(|| self.index(name).map(Some));
        if let Some(body) = whole(name) {
            return Some((BodyPlace { body, at: origin(), angle: Term::zero() }, false));
        }
        let (owner, point) = name.rsplit_once('.').unwrap_or((name, ""));
        let Some(body) = whole(owner) else {
            let known = self.names().chain([GROUND]);
            let error = crate::model::unknown_name(owner, span.clone(), known, "among the bodies");
            source.errors.push(error);
            return None;
        };
        if let Some((at, angle)) = self.of(body).place(point) {
            return Some((BodyPlace { body, at, angle }, true));
        }
        let body = self.of(body);
        let known: Vec<String> =
            body.points.keys().chain(body.frames.keys()).map(|name| format!("`{name}`")).collect();
        let message = format!("body `{owner}` has no point `{point}`; it has {}", known.join(", "));
        let hint = format!("add it: `points = {{ {point} = [0, 0] }}`");
        source.error("unknown-name", span.clone(), message, hint);
        None
    }

    /// The angle of a place.
    pub(super) fn angle(&self, place: &BodyPlace, pose: Pose) -> Term {
        let own = match (place.body, pose) {
            (None, _) => Term::zero(),
            (Some(i), Pose::Moving) => Term::whole(self.list[i].coordinates()[2].clone()),
            (Some(i), Pose::Drawn) => self.list[i].drawing()[2].clone(),
        };
        &own + &place.angle
    }

    /// From the centre of mass to a place, in ground axes.
    pub(super) fn arm(&self, place: &BodyPlace) -> Pair {
        let Some(i) = place.body else { return origin() };
        let body = &self.list[i];
        turned(&minus(&place.at, &body.com), &Term::whole(body.coordinates()[2].clone()))
    }

    /// Where a place is.
    pub(super) fn position(&self, place: &BodyPlace, pose: Pose) -> Pair {
        let Some(i) = place.body else { return place.at.clone() };
        match pose {
            Pose::Moving => {
                let [x, y, _] = self.list[i].coordinates().map(Term::whole);
                plus(&[x, y], &self.arm(place))
            }
            Pose::Drawn => {
                let [x, y, angle] = self.list[i].drawing();
                plus(&[x, y], &turned(&place.at, &angle))
            }
        }
    }

    /// How fast a place moves.
    pub(super) fn velocity(&self, place: &BodyPlace) -> Pair {
        let Some(i) = place.body else { return origin() };
        let [x, y, angle] = self.list[i].coordinates().map(|name| Term::whole(format!("{name}'")));
        plus(&[x, y], &scaled(&left_of(&self.arm(place)), &angle))
    }

    /// The acceleration of a place.
    pub(super) fn acceleration(&self, place: &BodyPlace) -> Pair {
        let Some(i) = place.body else { return origin() };
        let [x, y, angle] = self.list[i].coordinates().map(|name| Term::whole(format!("{name}''")));
        let arm = self.arm(place);
        let swung = plus(&[x, y], &scaled(&left_of(&arm), &angle));
        minus(&swung, &scaled(&arm, &self.turning(place).squared()))
    }

    /// How fast the turning of the body of a place changes.
    pub(super) fn spin_up(&self, place: &BodyPlace) -> Term {
        let rate = |i: usize| Term::whole(format!("{}''", self.list[i].coordinates()[2]));
        place.body.map_or_else(Term::zero, rate)
    }

    /// The acceleration of a place as what turns with a frame sees it, in ground axes.
    pub(super) fn seen_acceleration(&self, frame: &BodyPlace, place: &BodyPlace) -> Pair {
        let between = minus(&self.position(place, Pose::Moving), &self.position(frame, Pose::Moving));
        let spin = self.turning(frame);
        let carried = plus(&self.velocity(frame), &scaled(&left_of(&between), &spin));
        let moving = minus(&self.velocity(place), &carried);
        let own = minus(&self.acceleration(place), &self.acceleration(frame));
        let swung = minus(&own, &scaled(&left_of(&between), &self.spin_up(frame)));
        let turned = plus(&swung, &scaled(&between, &spin.squared()));
        minus(&turned, &scaled(&left_of(&moving), &(&Term::number(2.0) * &spin)))
    }

    /// Where a place is in the axes of a frame and how it is turned there, or how fast these change.
    pub(super) fn seen(&self, frame: &BodyPlace, place: &BodyPlace, order: usize) -> [Term; 3] {
        let back = -&self.angle(frame, Pose::Moving);
        if order == 2 {
            let [x, y] = turned(&self.seen_acceleration(frame, place), &back);
            return [x, y, &self.spin_up(place) - &self.spin_up(frame)];
        }
        let between = minus(&self.position(place, Pose::Moving), &self.position(frame, Pose::Moving));
        if order == 0 {
            let [x, y] = turned(&between, &back);
            return [x, y, &self.angle(place, Pose::Moving) + &back];
        }
        let spin = self.turning(frame);
        let carried = plus(&self.velocity(frame), &scaled(&left_of(&between), &spin));
        let [x, y] = turned(&minus(&self.velocity(place), &carried), &back);
        [x, y, &self.turning(place) - &spin]
    }

    /// How fast the body of a place turns.
    pub(super) fn turning(&self, place: &BodyPlace) -> Term {
        let rate = |i: usize| Term::whole(format!("{}'", self.list[i].coordinates()[2]));
        place.body.map_or_else(Term::zero, rate)
    }

    /// How fast the centre of mass of a body moves where it is drawn, and how fast the body turns: x, y, angle.
    pub(super) fn drawn_rates(&self, body: &Body) -> [Term; 3] {
        let (arm, turn) = (turned(&body.com, &body.drawing()[2]), self.drawn_turn(body.within.as_ref()));
        let spin = body.angular_velocity.clone().unwrap_or_else(Term::zero);
        let velocity = turned(&body.velocity.clone().unwrap_or_else(origin), &turn);
        let [x, y] = plus(&velocity, &scaled(&left_of(&arm), &spin));
        [x, y, spin]
    }

    /// How fast a place moves where its body is drawn.
    pub(super) fn drawn_velocity(&self, place: &BodyPlace) -> Pair {
        let Some(i) = place.body else { return origin() };
        let body = &self.list[i];
        let [x, y, spin] = self.drawn_rates(body);
        let arm = turned(&minus(&place.at, &body.com), &body.drawing()[2]);
        plus(&[x, y], &scaled(&left_of(&arm), &spin))
    }

    /// How fast the body of a place turns where it is drawn.
    pub(super) fn drawn_turning(&self, place: &BodyPlace) -> Term {
        place.body.map_or_else(Term::zero, |i| self.drawn_rates(&self.list[i])[2].clone())
    }

    /// What a force at a place does to the coordinates of its body.
    pub(super) fn force_at(&self, place: &BodyPlace, force: &Pair) -> Vec<(String, Term)> {
        let Some(i) = place.body else { return Vec::new() };
        let [x, y, angle] = self.list[i].coordinates();
        let moment = cross(&self.arm(place), force);
        let all = [(x, force[0].clone()), (y, force[1].clone()), (angle, moment)];
        all.into_iter().filter(|(_, term)| !term.is_zero()).collect()
    }

    /// What a moment does to the coordinates of the body of a place.
    pub(super) fn moment_on(&self, place: &BodyPlace, moment: &Term) -> Vec<(String, Term)> {
        let Some(i) = place.body else { return Vec::new() };
        vec![(self.list[i].coordinates()[2].clone(), moment.clone())]
    }

    /// A place of the drawing, in the drawn frame of a body.
    pub(super) fn drawn_place(&self, body: Option<usize>, position: &Pair) -> Pair {
        let Some(i) = body else { return position.clone() };
        let [x, y, angle] = self.list[i].drawing();
        turned(&minus(position, &[x, y]), &-&angle)
    }

    /// A place of the drawing that is given in the axes of another, in ground axes.
    pub(super) fn drawn_within(&self, within: Option<&BodyPlace>, at: &Pair) -> Pair {
        let Some(frame) = within else { return at.clone() };
        plus(&self.position(frame, Pose::Drawn), &turned(at, &self.angle(frame, Pose::Drawn)))
    }

    /// How a place in whose axes something is drawn is turned.
    pub(super) fn drawn_turn(&self, within: Option<&BodyPlace>) -> Term {
        within.map_or_else(Term::zero, |frame| self.angle(frame, Pose::Drawn))
    }
}

/// Reports every key that is not known.
pub(super) fn check_keys(source: &mut PartSource, part: &Setting, known: &[&str], place: &str) {
    for (key, value) in part.entries().filter(|(key, _)| !known.contains(key)) {
        source.errors.push(unknown_key(key, value.key_span.clone(), known, place));
    }
}

/// Reads points and frames.
fn read_places(source: &mut PartSource, part: &Setting, body: &mut Body) {
    for (name, value) in part.get("points").into_iter().flat_map(Setting::entries) {
        if let Some(at) = source.pair_as(value, Some(Dimension::LENGTH)) {
            body.points.insert(name.to_owned(), at);
        }
    }
    let frames: Vec<(&str, &Setting)> = part.get("frames").into_iter().flat_map(Setting::entries).collect();
    // A frame may be on another that stands after it.
    let mut open: Vec<usize> = (0..frames.len()).collect();
    while !open.is_empty() {
        let before = open.len();
        open.retain(|&i| !read_frame(source, frames[i], body));
        if open.len() == before {
            break;
        }
    }
    for (name, value) in open.into_iter().map(|i| frames[i]) {
        let message = format!("frame `{name}` of body `{}` is on no point and no frame of it", body.name);
        let hint = "`on` is another point or frame of the same body, and no frame is on itself";
        source.error("unknown-name", value.span.clone(), message, hint);
    }
}

/// Reads a frame, if what it is on is known.
fn read_frame(source: &mut PartSource, (name, value): (&str, &Setting), body: &mut Body) -> bool {
    let on = match value.get("on").map(|on| on.string("on = \"hip\"")) {
        None => (origin(), Term::zero()),
        Some(Err(error)) => {
            source.errors.push(error);
            return true;
        }
        Some(Ok(on)) => match body.place(on) {
            Some(place) => place,
            None => return false,
        },
    };
    check_keys(source, value, FRAME_KEYS, &format!("frame `{name}`"));
    let at = source.pair_of(value, "at").unwrap_or_else(origin);
    let angle = source.amount_of(value, "angle").unwrap_or_else(Term::zero);
    body.frames.insert(name.to_owned(), (plus(&on.0, &turned(&at, &on.1)), &on.1 + &angle));
    true
}

/// Reads one body.
struct BodyReader<'r, 's> {
    source: &'r mut PartSource,
    part: &'s Setting,
    densities: &'r BTreeMap<String, Term>,
}

/// What the shape of a body says of its mass: how much there is of it for each unit of density and depth, its
/// centre, and the moment of inertia about that for each unit of mass.
struct MassSpread {
    area: Option<Term>,
    centre: Pair,
    gyration: Term,
}

impl<'s> BodyReader<'_, 's> {
    fn setting(&self, key: &str) -> Option<&'s Setting> {
        self.part.get(key)
    }

    fn amount(&mut self, key: &str) -> Option<Term> {
        self.setting(key).map(|value| self.source.amount(value))
    }

    fn body(&mut self, name: &str, index: usize, shapes: &mut Vec<BodyShape>) -> Body {
        check_keys(self.source, self.part, BODY_KEYS, &format!("body `{name}`"));
        let mut body = Body::new(name, self.part.key_span.clone());
        body.drawn = ["x", "y", "angle"].map(|key| self.amount(key));
        body.velocity = self.part.get("velocity").and_then(|value| self.source.pair(value));
        body.angular_velocity = self.amount("angular_velocity");
        body.width = self.amount("width");
        body.material = self.setting("material").and_then(|value| self.source.name(value));
        read_places(self.source, self.part, &mut body);
        let spread = match (self.part.get("shape"), self.part.get("link")) {
            (Some(shape), None) => self.own_shape(shape, (&mut body, index), shapes),
            (None, Some(link)) => self.link(link, &mut body),
            (None, None) => None,
            (Some(_), Some(link)) => {
                let message = format!("body `{name}` has both `shape` and `link`");
                let hint = "keep one of them; further shapes stand in `[shapes]`";
                self.source.error("two-kinds", link.key_span.clone(), message, hint);
                None
            }
        };
        self.mass(&mut body, spread.as_ref());
        body.points.insert("com".to_owned(), body.com.clone());
        body
    }

    /// A shape that has the name of its body.
    fn own_shape(
        &mut self,
        shape: &Setting,
        (body, index): (&mut Body, usize),
        shapes: &mut Vec<BodyShape>,
    ) -> Option<MassSpread> {
        let mut shape = read_shape(self.source, shape, &body.name, &[])?;
        shape.place.body = Some(index);
        shape.material = shape.material.or_else(|| body.material.clone());
        for (name, at) in shape.points() {
            body.points.insert(name.to_owned(), at);
        }
        let spread = shape.spread();
        shapes.push(shape);
        let (area, centre, gyration) = spread?;
        Some(MassSpread { area: Some(area), centre, gyration })
    }

    /// A rod through its points, from the first to the last.
    fn link(&mut self, link: &Setting, body: &mut Body) -> Option<MassSpread> {
        for (name, value) in link.entries() {
            let at = self.source.pair_as(value, Some(Dimension::LENGTH))?;
            body.points.insert(name.to_owned(), at.clone());
            body.link.push(at);
        }
        let (Some(first), Some(last)) = (body.link.first(), body.link.last()) else { return None };
        if body.link.len() < 2 {
            let message = format!("the link of body `{}` needs two points or more", body.name);
            let hint = "for example `link = { pin = [0, 0], tip = [\"50 mm\", 0] }`";
            self.source.error("missing-key", link.span.clone(), message, hint);
            return None;
        }
        let ([x, y], half) = (minus(last, first), Term::number(0.5));
        let squared = &x.squared() + &y.squared();
        let area = self.setting("width").is_some().then(|| body.width.clone()).flatten();
        Some(MassSpread {
            area: area.map(|width| &squared.sqrt() * &width),
            centre: scaled(&plus(first, last), &half),
            gyration: squared.over(&Term::number(12.0)),
        })
    }

    /// The moment of inertia; a body in space has three, or a matrix of them.
    fn inertia(&mut self, name: &str) -> Option<Term> {
        let value = self.setting("inertia")?;
        let Ok(list) = value.list("", "") else { return Some(self.source.amount(value)) };
        let own = |(i, value): (usize, &Setting)| match value.list("", "") {
            Ok(row) => self.source.indices.value(&row.get(i)?.formula_text().ok()?),
            Err(_) => self.source.indices.value(&value.formula_text().ok()?),
        };
        let axes: Vec<Option<f64>> = list.iter().enumerate().map(own).collect();
        let message = match axes[..] {
            [Some(x), Some(y), Some(z)] if x > y + z || y > x + z || z > x + y => {
                format!("the inertia of body `{name}`: no real body has Izz > Ixx + Iyy, about any axis")
            }
            _ => format!("the inertia of body `{name}` needs `dimension = 3`, which is not there yet"),
        };
        let hint = "in the plane `inertia` is one number, about the axis out of the plane";
        self.source.error("not-yet", value.span.clone(), message, hint);
        Some(Term::one())
    }

    /// Mass, inertia and centre of mass: what is given wins.
    fn mass(&mut self, body: &mut Body, spread: Option<&MassSpread>) {
        let (given, inertia) = (self.part.get("mass").is_some(), self.inertia(&body.name));
        let com = self.part.get("com").and_then(|value| self.source.pair(value));
        let of_material = body.material.as_ref().and_then(|material| self.densities.get(material));
        let density = self.amount("density").or_else(|| of_material.cloned());
        let depth = self.amount("depth");
        let area = spread.and_then(|spread| spread.area.clone());
        let found = match (area, density, depth) {
            (Some(area), Some(density), Some(depth)) => Some(&(&area * &density) * &depth),
            _ => None,
        };
        body.mass = if given { self.amount("mass") } else { found.or_else(|| self.amount("mass")) };
        let centre = spread.map(|spread| spread.centre.clone());
        let of_spread = || body.mass.as_ref().zip(spread).map(|(mass, spread)| mass * &spread.gyration);
        body.inertia = inertia.or_else(of_spread);
        body.com = com.or(centre).unwrap_or_else(origin);
    }
}
