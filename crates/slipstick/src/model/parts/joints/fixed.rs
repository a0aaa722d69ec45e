//! The second body stays where it is on the first.

use super::{JointKind, Pose};
use crate::model::parts::term::{dot, plus, scaled};

pub(super) const KIND: JointKind = JointKind {
    word: "fixed",
    keys: &[],
    relative: |ends, pose| {
        let ([along, across], between) = (ends.axes(pose), ends.between(pose));
        vec![("along", dot(&along, &between)), ("across", dot(&across, &between)), ("angle", ends.turn(pose))]
    },
    joins_points: false,
    places: true,
    coordinate: None,
    reaction: |ends, multiplier| {
        let [along, across] = ends.axes(Pose::Moving);
        let force = plus(&scaled(&along, &-&multiplier("along")), &scaled(&across, &-&multiplier("across")));
        (force, -&multiplier("angle"))
    },
    track: None,
};
