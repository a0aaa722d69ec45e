//! Joints: one file for each kind, with what the two ends have to do with each other, its coordinate, and its reaction.
//!
//! A joint between two places keeps some relative quantities of its second end against its first as they are drawn. A
//! joint between two joints keeps a ratio of their coordinates.

mod angle;
mod cam;
mod distance;
mod fixed;
mod on_curve;
mod prismatic;
mod ratio;
mod revolute;
mod rolling;
mod slot;

pub(super) use ratio::RATIO_KINDS;
pub(super) use ratio::RatioKind;

use super::bodies::{BodyList, BodyPlace, Pose};
use super::term::{Pair, Term, dot, left_of, minus, turned};
use super::track::CurveTrack;
use crate::expr::Dimension;

/// The kinds of joints between two places.
pub(super) const KINDS: &[JointKind] = &[
    revolute::KIND,
    prismatic::KIND,
    fixed::KIND,
    distance::KIND,
    slot::KIND,
    angle::KIND,
    on_curve::KIND,
    cam::KIND,
    rolling::KIND,
];

/// Kinds of other programs, and of space, with what to write instead.
pub(super) const FOREIGN: &[(&str, &str)] = &[
    ("hinge", "write `revolute`"),
    ("pin", "write `revolute`"),
    ("slide", "write `prismatic`"),
    ("slider", "write `prismatic`"),
    ("weld", "write `fixed`"),
    ("ball", "`ball` needs `dimension = 3`, which is not there yet; in the plane it is a `revolute`"),
    ("universal", "`universal` needs `dimension = 3`, which is not there yet"),
    ("cylindrical", "`cylindrical` needs `dimension = 3`, which is not there yet"),
    ("planar", "`planar` needs `dimension = 3`, which is not there yet"),
    ("screw", "`screw` needs `dimension = 3`, which is not there yet"),
    ("free", "a body without joints is free: leave the joint out"),
];

/// From the ends of a joint and its multipliers, by the names of what it keeps, to a force and a moment.
type Reaction = fn(&Ends<'_>, &dyn Fn(&str) -> Term) -> (Pair, Term);

/// A kind of joints between two places.
pub(super) struct JointKind {
    /// The key that names it.
    pub(super) word: &'static str,
    /// Further keys that it takes.
    pub(super) keys: &'static [&'static str],
    /// What it keeps of the second end against the first, each with its name.
    pub(super) relative: fn(&Ends<'_>, Pose) -> Vec<(&'static str, Term)>,
    /// Whether the points of its ends are one wherever they are drawn.
    pub(super) joins_points: bool,
    /// Whether a body that is drawn nowhere can be put with its point on that of the other end.
    pub(super) places: bool,
    /// The coordinate that it leaves free, if it has one.
    pub(super) coordinate: Option<CoordinateKind>,
    /// Force and moment on the second body at its point, from the multipliers of what it keeps.
    pub(super) reaction: Reaction,
    /// What it runs along, if its ends are shapes.
    pub(super) track: Option<&'static TrackKind>,
}

impl JointKind {
    /// What it keeps whose multiplier is all of its force, if there is one: of those that leave a position along a line.
    pub(super) fn bears(&self) -> Option<&'static str> {
        ["prismatic", "slot"].contains(&self.word).then_some("across")
    }
}

/// What the ends of a joint are that runs along a shape.
pub(super) struct TrackKind {
    /// Whether its first end is a disc; otherwise a point.
    pub(super) takes_disc: bool,
    /// Whether it does not slip.
    pub(super) rolls: bool,
    /// What its second end must be.
    pub(super) second: &'static str,
}

/// The two ends of a joint.
pub(super) struct Ends<'a> {
    pub(super) bodies: &'a BodyList,
    pub(super) first: BodyPlace,
    pub(super) second: BodyPlace,
    /// A direction in the drawn frame of the first body.
    pub(super) axis: Pair,
    /// Whether the angle counts the other way round.
    pub(super) is_mirrored: bool,
    /// What it runs along, with the name of the place there and where that is at the start.
    pub(super) track: Option<(&'a CurveTrack, String, Term)>,
}

/// What a joint leaves free.
#[derive(Clone, Copy)]
pub(super) struct CoordinateKind {
    /// Its name: `angle`, `position`, `length`.
    pub(super) word: &'static str,
    pub(super) value: fn(&Ends<'_>, Pose) -> Term,
    /// Its derivative by each coordinate of the bodies that it depends on.
    pub(super) gradient: fn(&Ends<'_>) -> Vec<(String, Term)>,
}

/// How fast changes what has this gradient.
pub(super) fn rate_along(gradient: &[(String, Term)]) -> Term {
    let product = |(name, slope): &(String, Term)| slope * &Term::whole(format!("{name}'"));
    gradient.iter().map(product).fold(Term::zero(), |sum, term| &sum + &term)
}

impl CoordinateKind {
    /// What it is measured in, its rate, and the force along it, as far as that is always the same.
    pub(super) fn dimensions(&self) -> Option<[Dimension; 3]> {
        match self.word {
            "angle" => Some([Dimension::ANGLE, Dimension::ANGULAR_VELOCITY, Dimension::TORQUE]),
            "s" => None,
            _ => Some([Dimension::LENGTH, Dimension::VELOCITY, Dimension::FORCE]),
        }
    }
}

/// The angle of the second end against the first.
const ANGLE: CoordinateKind = CoordinateKind {
    word: "angle",
    value: |ends, pose| if ends.is_mirrored { -&ends.turn(pose) } else { ends.turn(pose) },
    gradient: |ends| {
        let [one, other] = if ends.is_mirrored { [1.0, -1.0] } else { [-1.0, 1.0] };
        let mut gradient = ends.bodies.moment_on(&ends.second, &Term::number(other));
        gradient.extend(ends.bodies.moment_on(&ends.first, &Term::number(one)));
        gradient
    },
};

/// How far along its curve it is.
const ALONG: CoordinateKind = CoordinateKind {
    word: "s",
    value: |ends, pose| ends.along_track(pose),
    gradient: |ends| vec![(ends.along_track(Pose::Moving).text().to_owned(), Term::one())],
};

/// How far the second point is along the axis of the first end.
const POSITION: CoordinateKind = CoordinateKind {
    word: "position",
    value: |ends, pose| dot(&ends.axes(pose)[0], &ends.between(pose)),
    gradient: |ends| ends.slope_along(&ends.axes(Pose::Moving)[0], true),
};

impl Ends<'_> {
    /// From the point of the first end to that of the second.
    pub(super) fn between(&self, pose: Pose) -> Pair {
        minus(&self.bodies.position(&self.second, pose), &self.bodies.position(&self.first, pose))
    }

    /// The angle of the second end against the first.
    pub(super) fn turn(&self, pose: Pose) -> Term {
        &self.bodies.angle(&self.second, pose) - &self.bodies.angle(&self.first, pose)
    }

    /// The axis in ground axes, and the direction on its left.
    pub(super) fn axes(&self, pose: Pose) -> [Pair; 2] {
        let along = turned(&self.axis, &self.bodies.angle(&self.first, pose));
        let across = left_of(&along);
        [along, across]
    }

    /// The derivative of a distance along a direction that turns with the first body, or with nothing.
    pub(super) fn slope_along(&self, direction: &Pair, turns: bool) -> Vec<(String, Term)> {
        let back = [-&direction[0], -&direction[1]];
        let mut slopes = self.bodies.force_at(&self.second, direction);
        slopes.extend(self.bodies.force_at(&self.first, &back));
        if turns {
            let across = left_of(direction);
            let moment = dot(&across, &self.between(Pose::Moving));
            slopes.extend(self.bodies.moment_on(&self.first, &moment));
        }
        slopes
    }
}
