//! The second body slides along an axis of the first and does not turn against it.

use super::{JointKind, POSITION, Pose};
use crate::model::parts::term::{dot, scaled};

pub(super) const KIND: JointKind = JointKind {
    word: "prismatic",
    keys: &["axis"],
    relative: |ends, pose| {
        let [_, across] = ends.axes(pose);
        vec![("across", dot(&across, &ends.between(pose))), ("angle", ends.turn(pose))]
    },
    joins_points: false,
    places: true,
    coordinate: Some(POSITION),
    reaction: |ends, multiplier| {
        let [_, across] = ends.axes(Pose::Moving);
        (scaled(&across, &-&multiplier("across")), -&multiplier("angle"))
    },
    track: None,
};
