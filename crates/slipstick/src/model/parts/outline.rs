//! Shapes as gaps see them: balls, which touch others, and what they touch, in the axes of the body.
//!
//! A corner is a ball without a radius, an end of a capsule is a ball. What is touched is measured from the body's centre of
//! mass; its numbers are parameters, so that formulas stay short.

use super::bodies::{BodyList, BodyPlace};
use super::curve::SmoothCurve;
use super::lowered::LoweredParts;
use super::shapes::{BodyShape, ShapeForm};
use super::source::PartSource;
use super::term::{Pair, Term, dot, left_of, length, minus, origin, plus, turned, unit};
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::ops::Range;

/// How far the sine of an angle may be below zero that is straight.
const STRAIGHT: f64 = 1e-12;

/// A shape as gaps see it.
#[derive(Clone, Debug)]
pub(super) struct TouchOutline {
    pub(super) body: Option<usize>,
    pub(super) balls: Vec<RoundEnd>,
    pub(super) target: Touched,
}

/// What touches: a place on a body, and how far the shape reaches around it.
#[derive(Clone, Debug)]
pub(super) struct RoundEnd {
    pub(super) place: BodyPlace,
    pub(super) reach: Reach,
}

/// How far a shape reaches around a place.
#[derive(Clone, Debug)]
pub(super) enum Reach {
    Radius(Term),
    /// Both semi-axes; the first is along the angle of the place.
    Axes(Pair),
}

/// What is touched.
#[derive(Clone, Debug)]
pub(super) enum Touched {
    /// A point with a radius.
    Point(Pair, Term),
    /// The inside of a circle.
    Ring(Pair, Term),
    /// Half-planes that are all touched.
    Walls(Vec<BorderLine>),
    /// A thin wall with a radius, which is touched from both sides.
    Wall(Edge, Term),
    /// The edges around something convex, with the radius by which it is rounded.
    Convex(Vec<Edge>, Term),
    /// One side of a smooth curve.
    Curve(Box<CurveBorder>),
}

/// A smooth curve with a free side.
#[derive(Clone, Debug)]
pub(super) struct CurveBorder {
    /// Where its axes begin, and how they are turned.
    pub(super) origin: Pair,
    pub(super) angle: Term,
    pub(super) curve: SmoothCurve,
    /// +1 if what is on its right is free, -1 if what is on its left is.
    pub(super) side: f64,
}

/// A line: the direction that points out of the solid, and how far along it the line is.
#[derive(Clone, Debug)]
pub(super) struct BorderLine {
    pub(super) normal: Pair,
    pub(super) offset: Term,
}

/// A piece of a line.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) line: BorderLine,
    pub(super) from: Pair,
    /// The direction from the first to the second.
    pub(super) along: Pair,
    pub(super) length: Term,
}

/// Makes the outline of one shape.
pub(super) struct Outliner<'o> {
    source: &'o mut PartSource,
    lowered: &'o mut LoweredParts,
    bodies: &'o BodyList,
    shape: &'o BodyShape,
    /// The parameters of the shape that there are.
    made: BTreeMap<String, Term>,
}

impl<'o> Outliner<'o> {
    pub(super) fn new(
        (source, lowered): (&'o mut PartSource, &'o mut LoweredParts),
        bodies: &'o BodyList,
        shape: &'o BodyShape,
    ) -> Self {
        Self { source, lowered, bodies, shape, made: BTreeMap::new() }
    }

    pub(super) fn outline(&mut self) -> Option<TouchOutline> {
        self.check_sizes()?;
        let shape = self.shape;
        let (balls, target) = match &shape.form {
            ShapeForm::Disc(radius) => {
                let centre = self.about_centre("centre", &origin());
                let target =
                    if shape.is_hollow { Touched::Ring } else { Touched::Point }(centre, radius.clone());
                (vec![self.ball("centre", &origin(), radius)], target)
            }
            ShapeForm::HalfPlane(out) => (Vec::new(), Touched::Walls(vec![self.half_plane(out)])),
            ShapeForm::Segment(from, to) => {
                let ends = [from.clone(), to.clone()];
                (self.ends(&ends, &Term::zero()), self.wall(&ends, &Term::zero()))
            }
            ShapeForm::Capsule(half, radius) => {
                let ends = [[-half, Term::zero()], [half.clone(), Term::zero()]];
                (self.ends(&ends, radius), self.wall(&ends, radius))
            }
            ShapeForm::Box([a, b]) => {
                let corner = |x: Term, y: Term| [x, y];
                let corners = [
                    corner(-a, -b),
                    corner(a.clone(), -b),
                    corner(a.clone(), b.clone()),
                    corner(-a, b.clone()),
                ];
                (self.ends(&corners, &Term::zero()), self.convex(&corners, &Term::zero(), false))
            }
            ShapeForm::Polygon(corners, radius) => {
                let is_clockwise = self.check_convex(corners)?;
                (self.ends(corners, radius), self.convex(corners, radius, is_clockwise))
            }
            ShapeForm::Curve(curve) => (Vec::new(), self.border((**curve).clone())),
            ShapeForm::Ellipse(axes) => {
                let place = self.place("centre", &origin());
                let ball = RoundEnd { place, reach: Reach::Axes(axes.clone()) };
                (vec![ball], self.border(SmoothCurve::ellipse(axes)))
            }
        };
        // Nothing else is known of what is in it.
        let balls = if shape.is_hollow { Vec::new() } else { balls };
        Some(TouchOutline { body: shape.place.body, balls, target })
    }

    fn fixed(&mut self, what: &str, term: Term) -> Term {
        let (shape, lowered) = (self.shape, &mut *self.lowered);
        let made = || lowered.fixed(&format!("shape.{}.{what}", shape.name), term, &shape.span);
        self.made.entry(what.to_owned()).or_insert_with(made).clone()
    }

    fn fixed_pair(&mut self, what: &str, [x, y]: Pair) -> Pair {
        [self.fixed(&format!("{what}.x"), x), self.fixed(&format!("{what}.y"), y)]
    }

    /// A point of the shape as a place on the body.
    fn place(&mut self, what: &str, point: &Pair) -> BodyPlace {
        let of_shape = &self.shape.place;
        let at = plus(&of_shape.at, &turned(&self.shape.placed(point), &of_shape.angle));
        let angle = &of_shape.angle + &self.shape.turn;
        let at = self.fixed_pair(&format!("{what}.at"), at);
        BodyPlace { body: of_shape.body, at, angle: self.fixed("angle", angle) }
    }

    fn ball(&mut self, what: &str, point: &Pair, radius: &Term) -> RoundEnd {
        RoundEnd { place: self.place(what, point), reach: Reach::Radius(radius.clone()) }
    }

    fn ends(&mut self, points: &[Pair], radius: &Term) -> Vec<RoundEnd> {
        points
            .iter()
            .enumerate()
            .map(|(i, point)| self.ball(&format!("corner[{i}]"), point, radius))
            .collect()
    }

    /// A point of the shape from the centre of mass.
    fn about_centre(&mut self, what: &str, point: &Pair) -> Pair {
        let place = self.place(what, point);
        let com = &self.bodies.of(place.body).com;
        self.fixed_pair(what, minus(&place.at, com))
    }

    fn border(&mut self, curve: SmoothCurve) -> Touched {
        let angle = &self.shape.place.angle + &self.shape.turn;
        let (origin, angle) = (self.about_centre("centre", &origin()), self.fixed("angle", angle));
        let is_left_free = curve.is_clockwise ^ curve.is_turned_over ^ self.shape.is_hollow;
        let side = if is_left_free { -1.0 } else { 1.0 };
        Touched::Curve(Box::new(CurveBorder { origin, angle, curve, side }))
    }

    fn half_plane(&mut self, out: &Pair) -> BorderLine {
        let angle = &self.shape.place.angle + &self.shape.turn;
        let normal = turned(&unit(out.clone()), &angle);
        let normal = if self.shape.is_hollow { [-&normal[0], -&normal[1]] } else { normal };
        let normal = self.fixed_pair("normal", normal);
        let point = self.about_centre("border", &origin());
        let offset = self.fixed("offset", dot(&normal, &point));
        BorderLine { normal, offset }
    }

    fn wall(&mut self, [from, to]: &[Pair; 2], radius: &Term) -> Touched {
        let ends =
            [("corner[0]", from), ("corner[1]", to)].map(|(what, point)| self.about_centre(what, point));
        Touched::Wall(self.edge("edge", &ends, false), radius.clone())
    }

    fn convex(&mut self, corners: &[Pair], radius: &Term, is_clockwise: bool) -> Touched {
        let at: Vec<Pair> = corners
            .iter()
            .enumerate()
            .map(|(i, corner)| self.about_centre(&format!("corner[{i}]"), corner))
            .collect();
        let edges: Vec<Edge> = (0..at.len())
            .map(|i| {
                let ends = [at[i].clone(), at[(i + 1) % at.len()].clone()];
                self.edge(&format!("edge[{i}]"), &ends, !is_clockwise)
            })
            .collect();
        if self.shape.is_hollow {
            let into = |line: BorderLine| BorderLine {
                normal: line.normal.map(|part| -&part),
                offset: &-&line.offset - radius,
            };
            return Touched::Walls(edges.into_iter().map(|edge| into(edge.line)).collect());
        }
        Touched::Convex(edges, radius.clone())
    }

    /// A piece of a line, with what is free on its right or on its left.
    fn edge(&mut self, what: &str, [from, to]: &[Pair; 2], is_free_on_its_right: bool) -> Edge {
        let between = minus(to, from);
        let length = self.fixed(&format!("{what}.length"), length(&between));
        let along = self.fixed_pair(&format!("{what}.along"), between.map(|part| part.over(&length)));
        let [x, y] = left_of(&along);
        let normal = if is_free_on_its_right { [-&x, -&y] } else { [x, y] };
        let offset = self.fixed(&format!("{what}.offset"), dot(&normal, from));
        Edge { line: BorderLine { normal, offset }, from: from.clone(), along, length }
    }

    fn value(&self, term: &Term) -> Option<f64> {
        self.source.indices.value(term.text())
    }

    fn error<T>(&mut self, message: String, hint: &str) -> Option<T> {
        let span: Range<usize> = self.shape.span.clone();
        self.source.error("bad-shape", span, message, hint);
        None
    }

    /// Sizes are greater than zero; radii by which things are rounded may be zero.
    fn check_sizes(&mut self) -> Option<()> {
        let zero = Term::zero();
        let (sizes, radius, what) = match &self.shape.form {
            ShapeForm::Disc(radius) => (vec![radius.clone()], zero, "radius"),
            ShapeForm::Box(sizes) => (sizes.to_vec(), zero, "sizes"),
            ShapeForm::Capsule(half, radius) => {
                (vec![half.clone(), radius.clone()], zero, "length and radius")
            }
            ShapeForm::Segment(from, to) => (vec![length(&minus(to, from))], zero, "length"),
            ShapeForm::HalfPlane(out) => (vec![length(out)], zero, "direction"),
            ShapeForm::Polygon(_, radius) => (Vec::new(), radius.clone(), "radius"),
            ShapeForm::Ellipse(axes) => (axes.to_vec(), zero, "semi-axes"),
            ShapeForm::Curve(_) => return Some(()),
        };
        let is_bad = |value: Option<f64>, least_is_allowed: bool| {
            value.is_some_and(|value| value.is_nan() || value < 0.0 || !least_is_allowed && value == 0.0)
        };
        if !radius.is_zero() && self.value(&radius) == Some(0.0) {
            let message = format!("polygon `{}` is rounded by a radius of zero", self.shape.name);
            return self.error(message, "leave out `radius` where corners are sharp");
        }
        if !radius.is_zero() && self.shape.is_hollow {
            let message = format!("polygon `{}` is solid outside and rounded", self.shape.name);
            return self.error(message, "leave out `radius`: the corners of what is hollow are sharp");
        }
        if sizes.iter().any(|size| is_bad(self.value(size), false)) || is_bad(self.value(&radius), true) {
            let message = format!("shape `{}` has no size: its {what} must be above zero", self.shape.name);
            return self.error(message, "give sizes greater than zero");
        }
        Some(())
    }

    /// Whether the corners are given clockwise; none, and an error, if they are not around something convex.
    fn check_convex(&mut self, corners: &[Pair]) -> Option<bool> {
        let at: Option<Vec<[f64; 2]>> =
            corners.iter().map(|[x, y]| Some([self.value(x)?, self.value(y)?])).collect();
        // Names that are not known are told elsewhere.
        let at = at?;
        let n = at.len();
        let side = |i: usize| [0, 1].map(|axis| at[(i + 1) % n][axis] - at[i % n][axis]);
        if let Some(i) = (0..n).find(|&i| side(i) == [0.0; 2]) {
            let message = format!("polygon `{}` has corner {i} twice", self.shape.name);
            return self.error(message, "leave out one of two corners at the same place");
        }
        let turn = |i: usize| {
            let ([ax, ay], [bx, by]) = (side(i + n - 1), side(i));
            f64::atan2(ax * by - ay * bx, ax * bx + ay * by)
        };
        let turns: Vec<f64> = (0..n).map(turn).collect();
        let all: f64 = turns.iter().sum();
        let is_clockwise = all < 0.0;
        let against = |turn: f64| if is_clockwise { turn > STRAIGHT } else { turn < -STRAIGHT };
        let wrong = turns.iter().position(|turn| against(*turn));
        let wrong = wrong.or_else(|| ((all.abs() - TAU).abs() > 1.0).then_some(0));
        let Some(corner) = wrong else { return Some(is_clockwise) };
        let message = format!("polygon `{}` is not convex at corner {corner}", self.shape.name);
        self.error(message, "corners count from 0; cut the polygon into convex ones, each a shape of its own")
    }
}
