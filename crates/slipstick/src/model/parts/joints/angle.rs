//! The second body does not turn against the first.

use super::{ANGLE, JointKind};
use crate::model::parts::term::origin;

pub(super) const KIND: JointKind = JointKind {
    word: "angle",
    keys: &[],
    relative: |ends, pose| vec![("angle", ends.turn(pose))],
    joins_points: false,
    places: false,
    coordinate: Some(ANGLE),
    reaction: |_, multiplier| (origin(), -&multiplier("angle")),
    track: None,
};
