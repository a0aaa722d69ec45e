//! Two points stay as far apart as they are: a rod without mass.

use super::{CoordinateKind, Ends, JointKind, Pose};
use crate::model::parts::term::{Pair, Term, length, scaled};

pub(super) const KIND: JointKind = JointKind {
    word: "distance",
    keys: &["length"],
    relative: |ends, pose| vec![("length", length(&ends.between(pose)))],
    joins_points: false,
    places: false,
    coordinate: Some(CoordinateKind {
        word: "length",
        value: |ends, pose| length(&ends.between(pose)),
        gradient: |ends| ends.slope_along(&direction(ends), false),
    }),
    reaction: |ends, multiplier| (scaled(&direction(ends), &-&multiplier("length")), Term::zero()),
    track: None,
};

/// From the first point to the second, of length one.
fn direction(ends: &Ends<'_>) -> Pair {
    let between = ends.between(Pose::Moving);
    between.clone().map(|part| part.over(&length(&between)))
}
