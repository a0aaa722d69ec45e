//! A disc stays at a smooth curve, held both ways.

use super::{ALONG, JointKind, TrackKind};

pub(super) const KIND: JointKind = JointKind {
    word: "cam",
    keys: &["inside", "start"],
    relative: |ends, pose| ends.on_track(pose),
    joins_points: false,
    places: false,
    coordinate: Some(ALONG),
    reaction: |ends, multiplier| ends.track_reaction(multiplier, false),
    track: Some(&TrackKind { takes_disc: true, rolls: false, second: "the second end must be a curve" }),
};
