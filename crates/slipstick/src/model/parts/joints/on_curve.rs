//! A point stays on a smooth curve.

use super::{ALONG, JointKind, TrackKind};

pub(super) const KIND: JointKind = JointKind {
    word: "on_curve",
    keys: &["start"],
    relative: |ends, pose| ends.on_track(pose),
    joins_points: false,
    places: false,
    coordinate: Some(ALONG),
    reaction: |ends, multiplier| ends.track_reaction(multiplier, false),
    track: Some(&TrackKind { takes_disc: false, rolls: false, second: "the second end must be a curve" }),
};
