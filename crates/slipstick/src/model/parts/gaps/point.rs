//! A ball and a disc, outside of it or in a ring: the distance of the centres.

use super::{ShapeContact, View};
use crate::model::parts::term::{Pair, Term, length};

pub(super) fn outside(view: &View, centre: &Pair, radius: &Term) -> ShapeContact {
    view.touch_point(centre, radius)
}

/// The normal points from the ring to its centre.
pub(super) fn inside(view: &View, centre: &Pair, radius: &Term) -> ShapeContact {
    let away = view.from(centre);
    let distance = length(&away);
    let gap = &(radius - &view.radius) - &distance;
    ShapeContact::plain(gap, view.slip(&away.map(|part| -&part.over(&distance))))
}
