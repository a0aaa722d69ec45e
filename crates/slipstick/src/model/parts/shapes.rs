//! Shapes of bodies: what they are, and how mass is spread in them.

use super::bodies::check_keys;
use super::source::Source;
use super::term::{Pair, Term, cross, dot, origin, plus, scaled, turned};
use crate::model::Setting;
use std::f64::consts::PI;
use std::ops::Range;

const SHAPE_KEYS: &[&str] = &[
    "body",
    "at",
    "turn",
    "move",
    "material",
    "contact",
    "repeat",
    "radius",
    "solid",
    "disc",
    "box",
    "capsule",
    "segment",
    "half_plane",
    "polygon",
    "ellipse",
];
/// The kinds of shapes, which are keys.
const KINDS: &[&str] = &["disc", "box", "capsule", "segment", "half_plane", "polygon", "ellipse"];

/// A shape in the drawn frame of its body.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) name: String,
    pub(super) span: Range<usize>,
    /// Its body; none is the ground.
    pub(super) body: Option<usize>,
    pub(super) form: ShapeForm,
    /// It is placed, then turned about the origin of the body.
    pub(super) at: Pair,
    pub(super) turn: Term,
    pub(super) material: Option<String>,
    /// Whether anything can touch it.
    pub(super) touches: bool,
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
}

/// Reads a shape.
pub(super) fn read_shape(source: &mut Source, part: &Setting, name: &str) -> Option<Shape> {
    check_keys(source, part, SHAPE_KEYS, &format!("shape `{name}`"));
    let mut kinds = part.entries().filter(|(key, _)| KINDS.contains(key));
    let (kind, value) = match (kinds.next(), kinds.next()) {
        (Some(kind), None) => kind,
        (None, _) => {
            let message = format!("shape `{name}` does not say what it is");
            let hint = format!("give one of {}", KINDS.join(", "));
            source.error("missing-key", part.span.clone(), message, hint);
            return None;
        }
        (Some((first, _)), Some((second, value))) => {
            let message = format!("shape `{name}` has two kinds, `{first}` and `{second}`");
            source.error("two-kinds", value.key_span.clone(), message, "keep one of them");
            return None;
        }
    };
    let form = read_form(source, part, kind, value)?;
    let moved = source.pair_of(part, "move").unwrap_or_else(origin);
    let at = plus(&source.pair_of(part, "at").unwrap_or_else(origin), &moved);
    Some(Shape {
        name: name.to_owned(),
        span: part.key_span.clone(),
        body: None,
        form,
        at,
        turn: source.amount_of(part, "turn").unwrap_or_else(Term::zero),
        material: source.name_of(part, "material"),
        touches: part.get("contact").and_then(|value| source.keep(value.boolean())).unwrap_or(true),
    })
}

fn read_form(source: &mut Source, part: &Setting, kind: &str, value: &Setting) -> Option<ShapeForm> {
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

impl Shape {
    /// A point of the shape in the frame of its body: placed, then turned about the body's origin.
    pub(super) fn placed(&self, point: &Pair) -> Pair {
        turned(&plus(point, &self.at), &self.turn)
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
            ShapeForm::Polygon(..) | ShapeForm::Segment(..) | ShapeForm::HalfPlane(_) => return None,
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
