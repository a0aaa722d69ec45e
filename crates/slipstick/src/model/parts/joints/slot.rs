//! A point of the second body is on a line of the first.

use super::{JointKind, POSITION, Pose};
use crate::model::parts::term::{Term, dot, scaled};

pub(super) const KIND: JointKind = JointKind {
    word: "slot",
    keys: &["axis"],
    relative: |ends, pose| {
        let [_, across] = ends.axes(pose);
        vec![("across", dot(&across, &ends.between(pose)))]
    },
    joins_points: false,
    places: true,
    coordinate: Some(POSITION),
    reaction: |ends, multiplier| {
        let [_, across] = ends.axes(Pose::Moving);
        (scaled(&across, &-&multiplier("across")), Term::zero())
    },
    track: None,
};
