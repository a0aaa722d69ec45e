//! A ball and something convex with corners: the face that the ball is highest above, and between two faces their corner.
//!
//! Which of two faces is the highest changes where the distance to both is the same. A ball without a radius at corners
//! without a radius touches faces only: at a corner their distance has no direction, and the height above the faces says
//! the same about who touches. All corners are asked for wherever the ball is, so that a switch is never behind what it
//! switches.

use super::walls::height;
use super::{ShapeContact, View, beyond};
use crate::model::parts::outline::Edge;
use crate::model::parts::term::{Term, dot};

pub(super) fn touch(view: &View, edges: &[Edge], radius: &Term) -> ShapeContact {
    let reach = &view.radius + radius;
    let faces: Vec<(Term, Term)> =
        edges.iter().map(|edge| (height(view, &edge.line), view.slip(&edge.line.normal))).collect();
    let (high, slip) = highest(&faces);
    let face = ShapeContact { gap: &high - &reach, slip };
    if view.radius.is_zero() && radius.is_zero() {
        return face;
    }
    // At most one of the corners counts, and the face where none does.
    let (mut on_face, mut of_corners) = (Term::one(), [Term::zero(), Term::zero()]);
    for (i, edge) in edges.iter().enumerate() {
        let before = &edges[(i + edges.len() - 1) % edges.len()];
        let away = view.from(&edge.from);
        let [ahead, past] = [-&dot(&edge.along, &away), dot(&before.along, &away)];
        let here = &beyond(&ahead, &Term::one()) * &beyond(&past, &Term::one());
        let corner = view.touch_point(&edge.from, radius);
        on_face = &on_face - &here;
        of_corners = [&of_corners[0] + &(&here * &corner.gap), &of_corners[1] + &(&here * &corner.slip)];
    }
    let [gap, slip] = of_corners;
    ShapeContact { gap: &(&on_face * &face.gap) + &gap, slip: &(&on_face * &face.slip) + &slip }
}

/// The height above the face that the ball is highest above with its slip, found by halves: formulas may not nest too
/// deeply.
fn highest(faces: &[(Term, Term)]) -> (Term, Term) {
    let (left, right) = faces.split_at(faces.len() / 2);
    if left.is_empty() {
        return right.first().cloned().unwrap_or_else(|| (Term::zero(), Term::zero()));
    }
    let ((left, of_left), (right, of_right)) = (highest(left), highest(right));
    let condition = format!("{} > {}", left.text(), right.text());
    (Term::call("max", &[&left, &right]), of_left.when(&condition, &of_right))
}
