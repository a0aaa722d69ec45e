//! A ball and a thin wall with two ends: a segment, or the middle of a capsule.
//!
//! Beyond an end the distance is that to the end, between the ends that to the wall, whichever side of it the ball is on. So a
//! ball that goes round an end is never inside of anything: a wall that were solid all the way down on its right would catch
//! what is far away from it.

use super::walls::height;
use super::{Touch, View, opposite};
use crate::model::parts::outline::Edge;
use crate::model::parts::term::{Term, dot};

pub(super) fn touch(view: &View, edge: &Edge, radius: &Term) -> Touch {
    let high = height(view, &edge.line);
    let reach = &view.radius + radius;
    let above = Touch { gap: &high - &reach, slip: view.slip(&edge.line.normal) };
    let below = Touch { gap: &-&high - &reach, slip: view.slip(&opposite(&edge.line.normal)) };
    let face = above.when(&format!("{} > 0", high.text()), &below);
    between_ends(view, edge, radius, &face)
}

/// The contact with the face of an edge, or with the end that the ball is beyond.
pub(super) fn between_ends(view: &View, edge: &Edge, radius: &Term, face: &Touch) -> Touch {
    let along = dot(&edge.along, &view.from(&edge.from));
    let end = view.touch_point(&edge.to, radius);
    let beyond = end.when(&format!("{} > {}", along.text(), edge.length.text()), face);
    view.touch_point(&edge.from, radius).when(&below_zero(&along), &beyond)
}

fn below_zero(term: &Term) -> String {
    format!("{} < 0", term.text())
}
