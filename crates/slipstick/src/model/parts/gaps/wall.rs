//! A ball and a thin wall with two ends: a segment, or the middle of a capsule.
//!
//! The distance is that to the nearest place of the wall, whichever side of it the ball is on: a ball that goes round an end is
//! never inside of anything. A wall that were solid all the way down on its right would catch what is far away from it.

use super::walls::height;
use super::{ShapeContact, View, past_ends};
use crate::model::parts::outline::Edge;
use crate::model::parts::term::{Term, length, plus, scaled};

pub(super) fn touch(view: &View, edge: &Edge, radius: &Term) -> ShapeContact {
    let away = [past_ends(view, edge), height(view, &edge.line)];
    let distance = length(&away);
    let [out, high] = away.map(|part| part.over(&distance));
    let normal = plus(&scaled(&edge.along, &out), &scaled(&edge.line.normal, &high));
    ShapeContact::plain(&distance - &(&view.radius + radius), view.slip(&normal))
}
