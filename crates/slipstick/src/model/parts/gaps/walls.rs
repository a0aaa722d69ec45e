//! A ball and a half-plane.

use super::{ShapeContact, View};
use crate::model::parts::outline::BorderLine;
use crate::model::parts::term::{Term, dot};

/// How far the centre of a ball is above a line.
pub(super) fn height(view: &View, line: &BorderLine) -> Term {
    &dot(&line.normal, &view.place) - &line.offset
}

pub(super) fn touch(view: &View, line: &BorderLine) -> ShapeContact {
    ShapeContact::plain(&height(view, line) - &view.radius, view.slip(&line.normal))
}
