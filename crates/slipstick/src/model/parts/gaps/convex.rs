//! A ball and something convex with corners: the face that the ball is highest above, and beyond its ends their corner.
//!
//! The nearest place of the outline is on that face or at one of its ends: seen from outside, the face that a place is
//! highest above is next to the nearest corner. Where a place is as high above two faces, both lead to the same corner. A
//! ball without a radius at corners without a radius touches faces only: at a corner their distance has no direction, and
//! the height above the faces says the same about who touches.

use super::walls::height;
use super::{ShapeContact, View, past_ends};
use crate::model::parts::outline::Edge;
use crate::model::parts::term::Term;

/// What there is to know of one face.
#[derive(Clone)]
struct Face {
    high: Term,
    /// How far the ball is past an end of it.
    past: Term,
    /// The slip where it touches the face, and what a step along the face adds.
    slip: Term,
    along: Term,
}

pub(super) fn touch(view: &View, edges: &[Edge], radius: &Term) -> ShapeContact {
    let is_sharp = view.radius.is_zero() && radius.is_zero();
    let faces: Vec<Face> = edges.iter().map(|edge| face(view, edge)).collect();
    let Face { high, past, slip, along } = highest(&faces);
    let reach = &view.radius + radius;
    let rolling = view.rolling();
    if is_sharp {
        return ShapeContact::plain(&high - &reach, &slip + &rolling);
    }
    // Inside there are no corners.
    let is_outside = format!("{} > 0", high.text());
    let beyond = past.when(&is_outside, &Term::zero());
    let distance = (&high.squared() + &beyond.squared()).sqrt();
    let distance = distance.when(&is_outside, &high);
    let turned = (&(&slip * &high) + &(&along * &past)).over(&distance);
    ShapeContact::plain(&distance - &reach, &turned.when(&is_outside, &slip) + &rolling)
}

fn face(view: &View, edge: &Edge) -> Face {
    Face {
        high: height(view, &edge.line),
        past: past_ends(view, edge),
        slip: view.sliding(&edge.line.normal),
        along: view.sliding(&edge.along),
    }
}

/// The face that the ball is highest above, found by halves: formulas may not nest too deeply.
fn highest(faces: &[Face]) -> Face {
    let (left, right) = faces.split_at(faces.len().div_ceil(2));
    if right.is_empty() {
        let nothing =
            || Face { high: Term::zero(), past: Term::zero(), slip: Term::zero(), along: Term::zero() };
        return left.first().cloned().unwrap_or_else(nothing);
    }
    let (left, right) = (highest(left), highest(right));
    let condition = format!("{} > {}", left.high.text(), right.high.text());
    Face {
        high: Term::call("max", &[&left.high, &right.high]),
        past: left.past.when(&condition, &right.past),
        slip: left.slip.when(&condition, &right.slip),
        along: left.along.when(&condition, &right.along),
    }
}
