//! A ball and something convex with corners: the face that the ball is highest above, and where that ends the corner.
//!
//! Which of two neighbours is the highest changes at the line that halves their corner, where the distance to both is the same. A ball
//! without a radius at corners without a radius touches faces only: at a corner their distance has no direction, and the
//! height above the faces says the same about who touches.

use super::walls::height;
use super::{Touch, View};
use crate::model::parts::outline::Edge;
use crate::model::parts::term::Term;

pub(super) fn touch(view: &View, edges: &[Edge], radius: &Term) -> Touch {
    let is_sharp = view.radius.is_zero() && radius.is_zero();
    let faces: Vec<(Term, Touch)> = edges
        .iter()
        .map(|edge| {
            let high = height(view, &edge.line);
            let reach = &view.radius + radius;
            let face = Touch { gap: &high - &reach, slip: view.slip(&edge.line.normal) };
            let touch = if is_sharp { face } else { super::wall::between_ends(view, edge, radius, &face) };
            (high, touch)
        })
        .collect();
    highest(&faces).1
}

/// The contact with the face that is the highest, found by halves: formulas may not nest too deeply.
fn highest(faces: &[(Term, Touch)]) -> (Term, Touch) {
    let (left, right) = faces.split_at(faces.len() / 2);
    if left.is_empty() {
        return match right {
            [(high, touch), ..] => (high.clone(), touch.clone()),
            [] => (Term::zero(), Touch { gap: Term::zero(), slip: Term::zero() }),
        };
    }
    let ((left, of_left), (right, of_right)) = (highest(left), highest(right));
    let condition = format!("{} > {}", left.text(), right.text());
    (Term::call("max", &[&left, &right]), of_left.when(&condition, &of_right))
}
