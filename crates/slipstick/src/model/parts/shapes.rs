//! Shapes of bodies: what they are, and how mass is spread in them.

use super::bodies::{BodyList, BodyPlace, check_keys};
use super::curve::SmoothCurve;
use super::source::PartSource;
use super::term::{Pair, Term, cross, dot, origin, plus, scaled, turned};
use crate::model::Setting;
use std::collections::BTreeSet;
use std::f64::consts::PI;
use std::ops::Range;

/// Keys of all shapes beside their kinds.
const SHAPE_KEYS: &[&str] = &["at", "turn", "material", "contact"];
/// Keys of a shape that stands in `[shapes]`.
const OWN_KEYS: &[&str] = &["body", "move", "repeat"];
/// The kinds of shapes, which are keys, with the further keys that each takes.
const KINDS: &[(&str, &[&str])] = &[
    ("disc", &["solid"]),
    ("box", &["solid"]),
    ("capsule", &[]),
    ("segment", &[]),
    ("half_plane", &["solid"]),
    ("polygon", &["radius", "solid"]),
    ("ellipse", &[]),
    ("curve", &["solid"]),
];
const SOLID: &[(&str, bool)] = &[("inside", false), ("outside", true)];

/// A shape on its body.
#[derive(Clone, Debug)]
pub(super) struct BodyShape {
    pub(super) name: String,
    pub(super) span: Range<usize>,
    /// The body, or the point or the frame of it, where the shape is.
    pub(super) place: BodyPlace,
    pub(super) form: ShapeForm,
    /// It is placed there, then turned about that place.
    pub(super) at: Pair,
    pub(super) turn: Term,
    pub(super) material: Option<String>,
    /// Whether anything can touch it.
    pub(super) touches: bool,
    /// Whether it is solid outside: other things are in it.
    pub(super) is_hollow: bool,
}

/// What a shape is, before it is placed.
#[derive(Clone, Debug)]
pub(super) enum ShapeForm {
    /// The radius.
    Disc(Term),
    /// Half of both sizes.
    Box(Pair),
    /// Half of the length between the centres, and the radius.
    Capsule(Term, Term),
    /// From the first to the second point; solid on its right.
    Segment(Pair, Pair),
    /// The direction that points out of it.
    HalfPlane(Pair),
    /// Corners, and the radius by which they are rounded.
    Polygon(Vec<Pair>, Term),
    /// Both semi-axes.
    Ellipse(Pair),
    /// A smooth curve.
    Curve(Box<SmoothCurve>),
}

/// Reads the section, and puts its shapes behind those that bodies have.
pub(super) fn read_shapes(
    source: &mut PartSource,
    section: Option<&Setting>,
    bodies: &BodyList,
    shapes: &mut Vec<BodyShape>,
) {
    let mut known: BTreeSet<String> = shapes.iter().map(|shape| shape.name.clone()).collect();
    for (name, part) in section.into_iter().flat_map(Setting::entries) {
        if part.as_table().is_none() {
            let message = format!("shape `{name}` must be a table");
            let hint = "for example `{ body = \"ground\", half_plane = [0, 1] }`";
            source.error("wrong-type", part.span.clone(), message, hint);
            continue;
        }
        source.copies((name, part), |source, name| {
            let Some(shape) = section_shape(source, part, name, bodies) else { return };
            if known.insert(name.to_owned()) {
                shapes.push(shape);
                return;
            }
            let message = format!("there are two shapes `{name}`: a body's own shape has its name");
            source.error("duplicate-name", part.key_span.clone(), message, "give this one another name");
        });
    }
}

/// A shape that says where it is.
fn section_shape(
    source: &mut PartSource,
    part: &Setting,
    name: &str,
    bodies: &BodyList,
) -> Option<BodyShape> {
    let mut shape = read_shape(source, part, name, OWN_KEYS)?;
    let Some(body) = part.get("body") else {
        let message = format!("shape `{name}` does not say on which body it is");
        let hint = "add `body = \"ground\"`, or the name of a body, of a point or of a frame";
        source.error("missing-key", part.key_span.clone(), message, hint);
        return None;
    };
    let of_body = source.name(body)?;
    shape.place = bodies.find(source, &of_body, &body.span)?.0;
    let material = || shape.place.body.and_then(|i| bodies.list[i].material.clone());
    shape.material = shape.material.take().or_else(material);
    Some(shape)
}

/// Reads a shape; `own` are further keys of the place where it stands.
pub(super) fn read_shape(
    source: &mut PartSource,
    part: &Setting,
    name: &str,
    own: &[&str],
) -> Option<BodyShape> {
    let mut kinds =
        part.entries().filter_map(|(key, value)| Some((KINDS.iter().find(|(kind, _)| *kind == key)?, value)));
    let ((kind, further), value) = match (kinds.next(), kinds.next()) {
        (Some((kind, value)), None) => (*kind, value),
        (None, _) => {
            let message = format!("shape `{name}` does not say what it is");
            let words: Vec<&str> = KINDS.iter().map(|(kind, _)| *kind).collect();
            source.error(
                "missing-key",
                part.span.clone(),
                message,
                format!("give one of {}", words.join(", ")),
            );
            return None;
        }
        (Some(((first, _), _)), Some(((second, _), value))) => {
            let message = format!("shape `{name}` has two kinds, `{first}` and `{second}`");
            source.error("two-kinds", value.key_span.clone(), message, "keep one of them");
            return None;
        }
    };
    let keys: Vec<&str> = [kind].iter().chain(further).chain(SHAPE_KEYS).chain(own).copied().collect();
    check_keys(source, part, &keys, &format!("the {kind} `{name}`"));
    let form = if kind == "curve" {
        ShapeForm::Curve(Box::new(SmoothCurve::read(source, name, value)?))
    } else {
        read_form(source, part, kind, value)?
    };
    let moved = source.pair_of(part, "move").unwrap_or_else(origin);
    let at = plus(&source.pair_of(part, "at").unwrap_or_else(origin), &moved);
    let solid = part.get("solid").and_then(|value| source.keep(value.word(SOLID)));
    Some(BodyShape {
        name: name.to_owned(),
        span: part.key_span.clone(),
        place: BodyPlace { body: None, at: origin(), angle: Term::zero() },
        form,
        at,
        turn: source.amount_of(part, "turn").unwrap_or_else(Term::zero),
        material: source.name_of(part, "material"),
        touches: part.get("contact").and_then(|value| source.keep(value.boolean())).unwrap_or(true),
        is_hollow: solid == Some(true),
    })
}

fn read_form(source: &mut PartSource, part: &Setting, kind: &str, value: &Setting) -> Option<ShapeForm> {
    let half = Term::number(0.5);
    Some(match kind {
        "disc" => ShapeForm::Disc(source.amount(value)),
        "box" => ShapeForm::Box(scaled(&source.pair(value)?, &half)),
        "capsule" => {
            let [length, radius] = source.pair(value)?;
            ShapeForm::Capsule(&length * &half, radius)
        }
        "half_plane" => ShapeForm::HalfPlane(source.pair_as(value, None)?),
        "ellipse" => ShapeForm::Ellipse(source.pair(value)?),
        _ => {
            let example = format!("{kind} = [[0, 0], [\"10 mm\", 0]]");
            let list = source.keep(value.list("a list of points", &example))?.to_vec();
            let points: Vec<Pair> = list.iter().filter_map(|point| source.pair(point)).collect();
            match (kind, &points[..]) {
                ("segment", [from, to]) => ShapeForm::Segment(from.clone(), to.clone()),
                ("polygon", [_, _, _, ..]) => {
                    let radius = source.amount_of(part, "radius").unwrap_or_else(Term::zero);
                    ShapeForm::Polygon(points, radius)
                }
                _ => {
                    let wanted = if kind == "segment" { "two points" } else { "three corners or more" };
                    let message = format!("`{kind}` must have {wanted}, not {}", points.len());
                    source.error(
                        "wrong-type",
                        value.span.clone(),
                        message,
                        format!("for example `{example}`"),
                    );
                    return None;
                }
            }
        }
    })
}

impl ShapeForm {
    /// The key that names it.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Disc(_) => "disc",
            Self::Box(_) => "box",
            Self::Capsule(..) => "capsule",
            Self::Segment(..) => "segment",
            Self::HalfPlane(_) => "half_plane",
            Self::Polygon(..) => "polygon",
            Self::Ellipse(_) => "ellipse",
            Self::Curve(_) => "curve",
        }
    }
}

impl BodyShape {
    /// A point of the shape in the frame of its place: put there, then turned about it.
    pub(super) fn placed(&self, point: &Pair) -> Pair {
        turned(&plus(point, &self.at), &self.turn)
    }

    /// Where its own axes are on the body.
    pub(super) fn own_place(&self) -> BodyPlace {
        let at = plus(&self.place.at, &turned(&self.placed(&origin()), &self.place.angle));
        BodyPlace { body: self.place.body, at, angle: &self.place.angle + &self.turn }
    }

    /// The points that a body has from its own shape.
    pub(super) fn points(&self) -> Vec<(&'static str, Pair)> {
        let mut points = vec![("centre", self.placed(&origin()))];
        if let ShapeForm::Capsule(half, _) = &self.form {
            points.push(("left", self.placed(&[-half, Term::zero()])));
            points.push(("right", self.placed(&[half.clone(), Term::zero()])));
        }
        points
    }

    /// The area, its centre in the frame of the body, and the moment of inertia about that for each unit of mass.
    /// What has no area has no mass, and that of rounded corners is not known here.
    pub(super) fn spread(&self) -> Option<(Term, Pair, Term)> {
        let pi = Term::whole("pi");
        let (area, centre, gyration) = match &self.form {
            ShapeForm::Disc(radius) => {
                (&pi * &radius.squared(), origin(), radius.squared().over(&Term::number(2.0)))
            }
            ShapeForm::Box([a, b]) => {
                let gyration = (&a.squared() + &b.squared()).over(&Term::number(3.0));
                (&Term::number(4.0) * &(a * b), origin(), gyration)
            }
            ShapeForm::Ellipse([a, b]) => {
                let gyration = (&a.squared() + &b.squared()).over(&Term::number(4.0));
                (&pi * &(a * b), origin(), gyration)
            }
            ShapeForm::Capsule(half, radius) => {
                let (area, gyration) = capsule(half, radius);
                (area, origin(), gyration)
            }
            ShapeForm::Polygon(corners, radius) if radius.is_zero() => polygon(corners),
            ShapeForm::Polygon(..)
            | ShapeForm::Segment(..)
            | ShapeForm::HalfPlane(_)
            | ShapeForm::Curve(_) => {
                return None;
            }
        };
        Some((area, self.placed(&centre), gyration))
    }
}

/// A box between two halves of a disc.
fn capsule(half: &Term, radius: &Term) -> (Term, Term) {
    let (number, squared) = (Term::number, radius.squared());
    let middle = &number(4.0) * &(half * radius);
    let ends = &Term::whole("pi") * &squared;
    let area = &middle + &ends;
    let of_middle = (&half.squared() + &squared).over(&number(3.0));
    // The centres of the halves are 4 r / (3 pi) from their straight sides.
    let beyond = &number(8.0 / (3.0 * PI)) * &(half * radius);
    let of_ends = &(&squared.over(&number(2.0)) + &half.squared()) + &beyond;
    let gyration = (&(&middle * &of_middle) + &(&ends * &of_ends)).over(&area);
    (area, gyration)
}

/// By triangles from the origin to each side; the order of corners does not matter.
fn polygon(corners: &[Pair]) -> (Term, Pair, Term) {
    let (mut twice, mut first, mut second) = (Term::zero(), origin(), Term::zero());
    for (i, a) in corners.iter().enumerate() {
        let b = &corners[(i + 1) % corners.len()];
        let triangle = cross(a, b);
        twice = &twice + &triangle;
        first = plus(&first, &scaled(&plus(a, b), &triangle));
        second = &second + &(&(&(&dot(a, a) + &dot(a, b)) + &dot(b, b)) * &triangle);
    }
    let number = Term::number;
    let centre = first.map(|term| term.over(&(&number(3.0) * &twice)));
    let about_origin = second.over(&(&number(6.0) * &twice));
    let gyration = &about_origin - &dot(&centre, &centre);
    (Term::call("abs", &[&twice]).over(&number(2.0)), centre, gyration)
}
