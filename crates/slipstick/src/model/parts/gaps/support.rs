//! An ellipse and a half-plane: how far the ellipse reaches against a direction.

use super::{ShapeContact, View};
use crate::model::parts::bodies::{BodyList, BodyPlace, Pose};
use crate::model::parts::outline::BorderLine;
use crate::model::parts::term::{Pair, Term, dot, left_of, turned};

/// An ellipse at a place, with its semi-axes.
pub(super) struct Ellipse<'a> {
    pub(super) bodies: &'a BodyList,
    pub(super) place: &'a BodyPlace,
    pub(super) axes: &'a Pair,
}

impl Ellipse<'_> {
    pub(super) fn touch(&self, other: Option<usize>, line: &BorderLine) -> ShapeContact {
        let view = View::new(self.bodies, (self.place, &Term::zero()), other);
        let own = self.bodies.angle(self.place, Pose::Moving);
        let com = BodyPlace { body: other, at: self.bodies.of(other).com.clone(), angle: Term::zero() };
        let angle = &own - &self.bodies.angle(&com, Pose::Moving);
        let first = turned(&[Term::one(), Term::zero()], &angle);
        let across = dot(&line.normal, &left_of(&first));
        let [a, b] = self.axes;
        let parts = [a * &dot(&line.normal, &first), b * &across];
        let reach = (&parts[0].squared() + &parts[1].squared()).sqrt();
        let high = super::walls::height(&view, line);
        ShapeContact::plain(&high - &reach, view.slip_at(&line.normal, &reach))
    }
}
