//! Two points are one.

use super::{ANGLE, JointKind};
use crate::model::parts::term::Term;

pub(super) const KIND: JointKind = JointKind {
    word: "revolute",
    keys: &[],
    relative: |ends, pose| {
        let [x, y] = ends.between(pose);
        vec![("x", x), ("y", y)]
    },
    joins_points: true,
    places: true,
    coordinate: Some(ANGLE),
    reaction: |_, multiplier| ([-&multiplier("x"), -&multiplier("y")], Term::zero()),
    track: None,
};
