//! What bodies look like: their shapes, links as bars through their points, joints as marks, springs as coils.

use super::bodies::{Body, BodyList, BodyPlace, Pose};
use super::curve::SmoothCurve;
use super::holding::Held;
use super::lowered::LoweredParts;
use super::shapes::{BodyShape, ShapeForm};
use super::term::{Pair, Term, length, minus, origin, plus, scaled};
use crate::model::{DrawnBody, DrawnLine, DrawnPoint, DrawnShape, Outline, Picture, PictureRule};
use std::collections::BTreeMap;

/// How wide a link is, as a part of its length, if nothing is said.
const WIDTH: f64 = 0.06;
/// Of how many pieces a curve is drawn.
const PIECES: usize = 96;
/// Points that bodies have without being given them: nothing leads there.
const OWN_POINTS: &[&str] = &["origin", "com", "centre", "left", "right"];

/// What is drawn of parts. What the model draws itself stands behind it.
pub(super) fn draw_parts(
    (bodies, shapes): (&BodyList, &[BodyShape]),
    held: &BTreeMap<&str, Held<'_>>,
    springs: &[(String, [Pair; 2])],
    lowered: &mut LoweredParts,
) -> PictureRule {
    let ground = draw_body(bodies, None, shapes);
    let moving = (0..bodies.list.len()).map(|i| draw_body(bodies, Some(i), shapes));
    let drawn = moving.chain([ground]).filter(|body| !body.shapes.is_empty() || body.pose.is_some());
    let joint = |held: &Held<'_>| DrawnPoint {
        name: held.joint.name.clone(),
        at: bodies.position(&held.ends.second, Pose::Moving),
    };
    let spring = |(name, through): &(String, [Pair; 2])| DrawnLine {
        name: name.clone(),
        is_spring: true,
        through: through.to_vec(),
        width: None,
        lights: Vec::new(),
    };
    let rods = held.values().filter(|held| held.joint.kind.word == "distance").map(|held| DrawnLine {
        name: held.joint.name.clone(),
        is_spring: false,
        through: [&held.ends.first, &held.ends.second].map(|end| bodies.position(end, Pose::Moving)).to_vec(),
        width: None,
        lights: Vec::new(),
    });
    let picture = Picture {
        bodies: drawn.collect(),
        lines: springs.iter().map(spring).chain(rods).collect(),
        points: held.values().filter(|held| held.joint.kind.places).map(joint).collect(),
    };
    picture.map(&mut |_, term| lowered.formula(term, &(0..0)))
}

/// A body with its shapes; none is the ground.
fn draw_body(bodies: &BodyList, index: Option<usize>, shapes: &[BodyShape]) -> DrawnBody<Term> {
    let body = bodies.of(index);
    let frame = BodyPlace { body: index, at: origin(), angle: Term::zero() };
    let pose = index.map(|_| {
        let [x, y] = bodies.position(&frame, Pose::Moving);
        [x, y, bodies.angle(&frame, Pose::Moving)]
    });
    let own = shapes.iter().filter(|shape| shape.place.body == index);
    let mut drawn: Vec<DrawnShape<Term>> = own.flat_map(draw_shape).collect();
    if index.is_some() {
        drawn.extend(bars(body));
    }
    let points = body.points.iter().filter(|(name, _)| !matches!(name.as_str(), "origin" | "com" | "centre"));
    let points = points.map(|(name, at)| DrawnPoint { name: name.clone(), at: at.clone() });
    DrawnBody { name: body.name.clone(), pose, shapes: drawn, points: points.collect(), lights: Vec::new() }
}

/// A shape where it is on its body.
fn draw_shape(shape: &BodyShape) -> Vec<DrawnShape<Term>> {
    let (two, full) = (Term::number(2.0), |half: &Term| &Term::number(2.0) * half);
    let outline = match &shape.form {
        ShapeForm::Disc(radius) => Outline::Disc(radius.clone()),
        ShapeForm::Box(half) => Outline::Box(scaled(half, &two)),
        ShapeForm::Capsule(half, radius) => Outline::Capsule([full(half), radius.clone()]),
        ShapeForm::Segment(from, to) => Outline::Segment([from.clone(), to.clone()]),
        ShapeForm::HalfPlane(normal) => Outline::HalfPlane(normal.clone()),
        ShapeForm::Polygon(corners, _) => Outline::Polygon(corners.clone()),
        ShapeForm::Ellipse(axes) => Outline::Ellipse(axes.clone()),
        ShapeForm::Curve(curve) => return draw_curve(shape, curve),
    };
    let BodyPlace { at, angle, .. } = &shape.place;
    let centre = plus(at, &super::term::turned(&shape.placed(&origin()), angle));
    vec![DrawnShape { outline, at: centre, turn: angle + &shape.turn, width: None }]
}

/// A curve as short pieces: only in the picture.
fn draw_curve(shape: &BodyShape, curve: &SmoothCurve) -> Vec<DrawnShape<Term>> {
    let corners: Vec<Pair> = (0..=PIECES).map(|i| curve.part(i as f64 / PIECES as f64)).collect();
    let place = shape.own_place();
    let one = |outline| DrawnShape { outline, at: place.at.clone(), turn: place.angle.clone(), width: None };
    if curve.is_closed {
        return vec![one(Outline::Polygon(corners[1..].to_vec()))];
    }
    corners.windows(2).map(|ends| one(Outline::Segment([ends[0].clone(), ends[1].clone()]))).collect()
}

/// The bars of a link between its points; any other body has lines from its origin to the points that it was given.
fn bars(body: &Body) -> Vec<DrawnShape<Term>> {
    if body.link.is_empty() {
        let given = body.points.iter().filter(|(name, _)| !OWN_POINTS.contains(&name.as_str()));
        return given.map(|(_, at)| drawn(Outline::Segment([origin(), at.clone()]))).collect();
    }
    let bar = |pair: &[Pair]| {
        let [from, to] = [&pair[0], &pair[1]];
        let along = minus(to, from);
        let length = length(&along);
        let width = body.width.clone().unwrap_or_else(|| &Term::number(WIDTH) * &length);
        let half = Term::number(0.5);
        DrawnShape {
            at: scaled(&plus(from, to), &half),
            turn: Term::call("atan2", &[&along[1], &along[0]]),
            ..drawn(Outline::Capsule([length, &half * &width]))
        }
    };
    body.link.windows(2).map(bar).collect()
}

/// An outline where it is in the axes of its body.
fn drawn(outline: Outline<Term>) -> DrawnShape<Term> {
    DrawnShape { outline, at: origin(), turn: Term::zero(), width: None }
}
