//! Gaps between two shapes, and how fast they slip: one file for each thing that can be touched.
//!
//! A gap is a formula of the place q of a ball in the axes of the other body, from its centre of mass. With the normal n
//! from the second to the first, t = n turned by -90 degrees, the velocity u of the ball's centre against the other's
//! centre of mass in these axes, and the radius r of the ball, the slip at the ball's surface is
//! `u·t + ω₂ (q·n - r) + ω₁ r`. Gap and slip do not depend on which of two shapes is the first: n and the relative
//! velocity change sign together.

mod convex;
mod curve;
mod point;
mod support;
mod wall;
mod walls;

use super::bodies::{BodyList, BodyPlace, Pose};
use super::outline::{CurveBorder, Edge, Reach, RoundEnd, TouchOutline, Touched};
use super::term::{Pair, Term, dot, length, minus, turned};

/// One contact of two shapes.
#[derive(Clone, Debug)]
pub(super) struct ShapeContact {
    pub(super) gap: Term,
    pub(super) slip: Term,
    /// The place of a curve that it is measured from.
    pub(super) foot: Option<Box<CurveFoot>>,
}

/// The place of a curve next to a ball.
#[derive(Clone, Debug)]
pub(super) struct CurveFoot {
    /// The coordinate along the curve.
    pub(super) name: String,
    /// Where the ball is, in the axes of the curve.
    pub(super) at: Pair,
    /// What is zero at the foot, and how far from there the centre of the ball is.
    pub(super) row: Term,
    pub(super) distance: Term,
    pub(super) border: CurveBorder,
}

impl ShapeContact {
    /// One that is known from where the bodies are.
    fn plain(gap: Term, slip: Term) -> Self {
        Self { gap, slip, foot: None }
    }
}

/// A ball as the other body sees it.
struct View {
    /// Where its centre is.
    place: Pair,
    /// How fast that moves against the other's centre of mass.
    velocity: Pair,
    radius: Term,
    /// How fast the ball turns, and how fast the other body does.
    spin: [Term; 2],
}

/// What a ball can touch: the list of all kinds.
fn touch(view: &View, target: &Touched, name: &str) -> Vec<ShapeContact> {
    match target {
        Touched::Point(centre, radius) => vec![point::outside(view, centre, radius)],
        Touched::Ring(centre, radius) => vec![point::inside(view, centre, radius)],
        Touched::Walls(lines) => lines.iter().map(|line| walls::touch(view, line)).collect(),
        Touched::Wall(edge, radius) => vec![wall::touch(view, edge, radius)],
        Touched::Convex(edges, radius) => vec![convex::touch(view, edges, radius)],
        Touched::Curve(border) => vec![curve::touch(view, border, name)],
    }
}

/// All contacts of two shapes, which have this name in common; none if they are not known.
pub(super) fn touches(
    bodies: &BodyList,
    [first, second]: [&TouchOutline; 2],
    name: &str,
) -> Option<Vec<ShapeContact>> {
    let (from_first, from_second) = (can_touch(first, second), can_touch(second, first));
    // A disc is one ball: what it touches has no corners for it.
    let is_enough = |outline: &TouchOutline| matches!(outline.target, Touched::Point(..));
    let pairs = match (from_first, from_second) {
        (true, _) if is_enough(first) => vec![(first, second)],
        (_, true) if is_enough(second) => vec![(second, first)],
        (true, true) => vec![(first, second), (second, first)],
        (true, false) if is_hull(second) => vec![(first, second)],
        (false, true) if is_hull(first) => vec![(second, first)],
        _ => return None,
    };
    let mut all = Vec::new();
    for (one, other) in pairs {
        for ball in &one.balls {
            match (&ball.reach, &other.target) {
                (Reach::Radius(radius), target) => {
                    let view = View::new(bodies, (&ball.place, radius), other.body);
                    all.extend(touch(&view, target, name));
                }
                (Reach::Axes(axes), Touched::Walls(lines)) => {
                    let support = support::Ellipse { bodies, place: &ball.place, axes };
                    all.extend(lines.iter().map(|line| support.touch(other.body, line)));
                }
                (Reach::Axes(_), _) => return None,
            }
        }
    }
    Some(all)
}

/// Whether balls alone decide about contact with it: lines have no corners that could touch.
fn is_hull(outline: &TouchOutline) -> bool {
    matches!(outline.target, Touched::Walls(_) | Touched::Ring(..))
}

/// Whether the balls of one shape can touch the other. A wall without a radius has no inside that a corner could be in.
fn can_touch(one: &TouchOutline, other: &TouchOutline) -> bool {
    let is_sharp = |ball: &RoundEnd| matches!(&ball.reach, Reach::Radius(radius) if radius.is_zero());
    let is_round = |ball: &RoundEnd| matches!(ball.reach, Reach::Radius(_));
    !one.balls.is_empty()
        && match &other.target {
            Touched::Walls(_) => true,
            Touched::Wall(_, radius) if radius.is_zero() => {
                one.balls.iter().all(|ball| is_round(ball) && !is_sharp(ball))
            }
            _ => one.balls.iter().all(is_round),
        }
}

impl View {
    fn new(bodies: &BodyList, (place, radius): (&BodyPlace, &Term), other: Option<usize>) -> Self {
        let com = BodyPlace { body: other, at: bodies.of(other).com.clone(), angle: Term::zero() };
        let away = minus(&bodies.position(place, Pose::Moving), &bodies.position(&com, Pose::Moving));
        let velocity = minus(&bodies.velocity(place), &bodies.velocity(&com));
        let back = -&bodies.angle(&com, Pose::Moving);
        Self {
            place: turned(&away, &back),
            velocity: turned(&velocity, &back),
            radius: radius.clone(),
            spin: [bodies.turning(place), bodies.turning(&com)],
        }
    }

    /// The slip of a contact with a normal.
    fn slip(&self, normal: &Pair) -> Term {
        self.slip_at(normal, &self.radius)
    }

    /// The same where the shape reaches this far against the normal.
    fn slip_at(&self, normal: &Pair, reach: &Term) -> Term {
        &self.sliding(normal) + &self.rolling_at(reach)
    }

    /// The part of a slip that is linear in the normal.
    fn sliding(&self, normal: &Pair) -> Term {
        let [x, y] = normal;
        let [u, v] = &self.velocity;
        &(&(u * y) - &(v * x)) + &(&self.spin[1] * &dot(&self.place, normal))
    }

    /// The other part, which follows from how fast the shapes turn.
    fn rolling(&self) -> Term {
        self.rolling_at(&self.radius)
    }

    fn rolling_at(&self, reach: &Term) -> Term {
        &(&self.spin[0] - &self.spin[1]) * reach
    }

    /// From a point of the other body to the centre.
    fn from(&self, point: &Pair) -> Pair {
        minus(&self.place, point)
    }

    /// The contact with a point of this radius around it.
    fn touch_point(&self, point: &Pair, radius: &Term) -> ShapeContact {
        let away = self.from(point);
        let distance = length(&away);
        let gap = &distance - &(&self.radius + radius);
        ShapeContact::plain(gap, self.slip(&away.map(|part| part.over(&distance))))
    }
}

/// How far a ball is past an end of an edge: positive past its second end, negative before its first.
fn past_ends(view: &View, edge: &Edge) -> Term {
    let along = dot(&edge.along, &view.from(&edge.from));
    let beyond = |past: Term| Term::call("max", &[&past, &Term::zero()]);
    &beyond(&along - &edge.length) - &beyond(-&along)
}
