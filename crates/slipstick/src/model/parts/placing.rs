//! Where bodies are drawn that nothing says the place of: a joint puts their point on that of a body that has its place.
//!
//! Breadth first from the ground and the bodies that are placed, those with the fewest joints between first and ties by
//! name, so that the order in the file does not matter. What no joint reaches is at the origin.

use super::bodies::{Body, BodyList, Pose};
use super::joint::Joint;
use super::lowered::LoweredParts;
use super::term::{Term, minus, turned};

/// Gives every body its place in the drawing, as parameters where that takes a formula. The joints by which bodies were
/// placed are told.
pub(super) fn place_bodies(bodies: &mut BodyList, joints: &[Joint], lowered: &mut LoweredParts) -> Vec<bool> {
    let is_placed = |body: &Body| body.drawn[0].is_some() || body.drawn[1].is_some();
    let mut placed: Vec<bool> = bodies.list.iter().map(is_placed).collect();
    let mut used = vec![false; joints.len()];
    for i in (0..placed.len()).filter(|i| placed[*i]).collect::<Vec<_>>() {
        fix(&mut bodies.list[i], lowered);
    }
    let mut of_body = vec![Vec::new(); bodies.list.len()];
    for (k, joint) in joints.iter().enumerate().filter(|(_, joint)| can_place(joint)) {
        joint.ends.iter().filter_map(|end| end.body).for_each(|i| of_body[i].push(k));
    }
    let is_reached = |placed: &[bool], body: Option<usize>| body.is_none_or(|i| placed[i]);
    let mut front: Vec<usize> = (0..joints.len())
        .filter(|&k| can_place(&joints[k]) && joints[k].ends.iter().any(|end| is_reached(&placed, end.body)))
        .collect();
    let mut others = 0..placed.len();
    loop {
        while !front.is_empty() {
            front.sort_by_key(|&k| &joints[k].name);
            let mut next = Vec::new();
            for k in std::mem::take(&mut front) {
                let reached = [0, 1].map(|end| is_reached(&placed, joints[k].ends[end].body));
                let moved = match reached {
                    [true, false] => 1,
                    [false, true] => 0,
                    _ => continue,
                };
                let Some(i) = joints[k].ends[moved].body.filter(|_| joints[k].named[moved]) else { continue };
                put(bodies, (&joints[k], moved), i);
                fix(&mut bodies.list[i], lowered);
                (placed[i], used[k]) = (true, true);
                next.extend(of_body[i].iter().copied().filter(|other| *other != k));
            }
            front = next;
            front.dedup();
        }
        // What no joint joins to the ground is put together from the first of its bodies, at the origin.
        let Some(i) = others.find(|&i| !placed[i]) else { break };
        fix(&mut bodies.list[i], lowered);
        placed[i] = true;
        front.clone_from(&of_body[i]);
    }
    used
}

/// Whether a joint says where one of its bodies is, if the other has its place.
fn can_place(joint: &Joint) -> bool {
    joint.kind.places && !joint.holding.open && (joint.named == [true; 2] || joint.at.is_some())
}

/// Puts the point of a body on that of the other end.
fn put(bodies: &mut BodyList, (joint, moved): (&Joint, usize), body: usize) {
    let end = &joint.ends[moved];
    let target = match &joint.at {
        Some(at) => at.clone(),
        None => bodies.position(&joint.ends[1 - moved], Pose::Drawn),
    };
    let turns_along = joint.kind.coordinate.is_none_or(|coordinate| coordinate.word != "angle");
    if bodies.list[body].drawn[2].is_none() && turns_along {
        let angle = &bodies.angle(&joint.ends[1 - moved], Pose::Drawn) - &end.angle;
        bodies.list[body].drawn[2] = Some(angle);
    }
    let angle = bodies.list[body].drawing()[2].clone();
    let [x, y] = minus(&target, &turned(&end.at, &angle));
    bodies.list[body].drawn[0] = Some(x);
    bodies.list[body].drawn[1] = Some(y);
}

/// Where a body is drawn becomes parameters, if it takes formulas.
fn fix(body: &mut Body, lowered: &mut LoweredParts) {
    for (i, what) in ["x", "y", "angle"].into_iter().enumerate() {
        let term = body.drawn[i].take().unwrap_or_else(Term::zero);
        let name = format!("{}.drawn.{what}", body.name);
        body.drawn[i] = Some(lowered.fixed(&name, term, &body.span));
    }
}
