//! A disc rolls on a line, a disc or a smooth curve: it stays there and does not slip.

use super::{ALONG, JointKind, TrackKind};

pub(super) const KIND: JointKind = JointKind {
    word: "rolling",
    keys: &["inside", "start"],
    relative: |ends, pose| {
        let mut rows = ends.on_track(pose);
        rows.extend(ends.rolls(pose));
        rows
    },
    joins_points: false,
    places: false,
    coordinate: Some(ALONG),
    reaction: |ends, multiplier| ends.track_reaction(multiplier, true),
    track: Some(&TrackKind {
        takes_disc: true,
        rolls: true,
        second: "the second end must be a half-plane, a segment, a disc or a curve",
    }),
};
