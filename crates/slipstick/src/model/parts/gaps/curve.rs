//! A ball and a smooth curve: the distance along the normal at the foot, the place of the curve next to the ball.
//!
//! The foot is a coordinate without a mass that the constraint `(q - c(s))·c'(s) = 0` holds, also while the contact is open: an
//! open contact costs a row. The gap does not change with it, as the normal is across the curve, so it takes no force. It
//! is one place as long as the ball is nearer to the curve than its reach: where the ball is in a hollow, that is the least of its
//! radii of curvature and of half of what is between two places that face each other (Federer, Curvature measures, 1959).
//! What comes farther away ends the run: which place would be the nearest could not be told.

use super::{CurveFoot, ShapeContact, View};
use crate::model::parts::outline::CurveBorder;
use crate::model::parts::term::{Term, dot, length, minus, scaled, turned};

pub(super) fn touch(view: &View, border: &CurveBorder, name: &str) -> ShapeContact {
    let foot = format!("{name}.s");
    let s = Term::whole(foot.clone());
    let at = turned(&view.from(&border.origin), &-&border.angle);
    let away = minus(&at, &border.curve.at(0, &s));
    let [dx, dy] = border.curve.at(1, &s);
    let speed = length(&[dx.clone(), dy.clone()]);
    let along = [dx.over(&speed), dy.over(&speed)];
    let out = scaled(&[along[1].clone(), -&along[0]], &Term::number(border.side));
    let distance = dot(&out, &away);
    let gap = &distance - &view.radius;
    let slip = view.slip(&turned(&out, &border.angle));
    let foot = CurveFoot { name: foot, at, row: dot(&along, &away), distance, border: border.clone() };
    ShapeContact { gap, slip, foot: Some(Box::new(foot)) }
}
