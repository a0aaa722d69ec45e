//! Where bodies are drawn that nothing says the place of: a joint puts their point on that of a body that has its place.
//!
//! Breadth first from the ground and the bodies that are placed, those with the fewest joints between first and ties by
//! name, so that the order in the file does not matter. What no joint reaches is at the origin. What is drawn in the axes of
//! a place gets its own place when the body of that has one.

use super::bodies::{Body, BodyList, Pose};
use super::joint::Joint;
use super::lowered::LoweredParts;
use super::term::{Term, minus, turned};

/// Gives bodies their places.
struct Placer<'p> {
    bodies: &'p mut BodyList,
    joints: &'p [Joint],
    lowered: &'p mut LoweredParts,
    placed: Vec<bool>,
    /// The joints by which bodies were placed.
    used: Vec<bool>,
    /// The joints of each body that can place one.
    of_body: Vec<Vec<usize>>,
    /// The bodies that are drawn in the axes of each body.
    inside: Vec<Vec<usize>>,
}

/// Gives every body its place in the drawing, as parameters where that takes a formula. The joints by which bodies were
/// placed are told.
pub(super) fn place_bodies(bodies: &mut BodyList, joints: &[Joint], lowered: &mut LoweredParts) -> Vec<bool> {
    let count = bodies.list.len();
    let (mut of_body, mut inside) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for (k, joint) in joints.iter().enumerate().filter(|(_, joint)| can_place(joint)) {
        joint.ends.iter().filter_map(|end| end.body).for_each(|i| of_body[i].push(k));
    }
    for (i, body) in bodies.list.iter().enumerate() {
        if let Some(outer) = body.within.as_ref().and_then(|place| place.body) {
            inside[outer].push(i);
        }
    }
    let (placed, used) = (vec![false; count], vec![false; joints.len()]);
    Placer { bodies, joints, lowered, placed, used, of_body, inside }.place_all()
}

impl Placer<'_> {
    fn place_all(mut self) -> Vec<bool> {
        let is_free = |body: &Body| body.within.as_ref().is_none_or(|place| place.body.is_none());
        let count = self.placed.len();
        for i in (0..count).filter(|&i| is_free(&self.bodies.list[i])).collect::<Vec<_>>() {
            if is_drawn(&self.bodies.list[i]) && !self.placed[i] {
                self.put_where_drawn(i);
            }
        }
        let mut front: Vec<usize> = (0..self.joints.len())
            .filter(|&k| can_place(&self.joints[k]) && [0, 1].iter().any(|&end| self.is_reached(k, end)))
            .collect();
        let mut others = 0..count;
        loop {
            while !front.is_empty() {
                front = self.next_front(front);
            }
            // What no joint joins to the ground is put together from the first of its bodies, at the origin.
            let Some(i) = others.find(|&i| !self.placed[i]) else { break };
            front = self.put_where_drawn(i);
        }
        self.used
    }

    fn is_reached(&self, joint: usize, end: usize) -> bool {
        self.joints[joint].ends[end].body.is_none_or(|i| self.placed[i])
    }

    /// Places what these joints reach, and gives the joints of that.
    fn next_front(&mut self, mut front: Vec<usize>) -> Vec<usize> {
        let joints = self.joints;
        front.sort_by_key(|&k| &joints[k].name);
        let mut next = Vec::new();
        for k in front {
            let moved = match [0, 1].map(|end| self.is_reached(k, end)) {
                [true, false] => 1,
                [false, true] => 0,
                _ => continue,
            };
            let joint = &self.joints[k];
            let Some(i) = joint.ends[moved].body.filter(|_| joint.named[moved]) else { continue };
            put(self.bodies, (joint, moved), i);
            self.used[k] = true;
            next.extend(self.settle(i).into_iter().filter(|other| *other != k));
        }
        next.dedup();
        next
    }

    /// Puts a body where it is drawn, in the axes that it is drawn in.
    fn put_where_drawn(&mut self, i: usize) -> Vec<usize> {
        let body = &self.bodies.list[i];
        let [x, y, angle] = body.drawing();
        let within = body.within.as_ref();
        let [x, y] = self.bodies.drawn_within(within, &[x, y]);
        let angle = &self.bodies.drawn_turn(within) + &angle;
        self.bodies.list[i].drawn = [Some(x), Some(y), Some(angle)];
        self.settle(i)
    }

    /// A body has its place, and so has what is drawn in its axes. Their joints are given.
    fn settle(&mut self, first: usize) -> Vec<usize> {
        fix(&mut self.bodies.list[first], self.lowered);
        self.placed[first] = true;
        let mut joints = self.of_body[first].clone();
        for i in self.inside[first].clone() {
            if !self.placed[i] && is_drawn(&self.bodies.list[i]) {
                joints.extend(self.put_where_drawn(i));
            }
        }
        joints
    }
}

/// Whether something is said of where a body is.
fn is_drawn(body: &Body) -> bool {
    body.drawn[0].is_some() || body.drawn[1].is_some()
}

/// Whether a joint says where one of its bodies is, if the other has its place.
fn can_place(joint: &Joint) -> bool {
    joint.kind.places && !joint.holding.open && (joint.named == [true; 2] || joint.at.is_some())
}

/// Puts the point of a body on that of the other end.
fn put(bodies: &mut BodyList, (joint, moved): (&Joint, usize), body: usize) {
    let end = &joint.ends[moved];
    let target = joint.place(bodies).unwrap_or_else(|| bodies.position(&joint.ends[1 - moved], Pose::Drawn));
    let turns_along = joint.kind.coordinate.is_none_or(|coordinate| coordinate.word != "angle");
    let angle = match bodies.list[body].drawn[2].clone() {
        None if turns_along => &bodies.angle(&joint.ends[1 - moved], Pose::Drawn) - &end.angle,
        given => {
            let turn = bodies.drawn_turn(bodies.list[body].within.as_ref());
            &turn + &given.unwrap_or_else(Term::zero)
        }
    };
    let [x, y] = minus(&target, &turned(&end.at, &angle));
    bodies.list[body].drawn = [Some(x), Some(y), Some(angle)];
}

/// Where a body is drawn becomes parameters, if it takes formulas.
fn fix(body: &mut Body, lowered: &mut LoweredParts) {
    for (i, what) in ["x", "y", "angle"].into_iter().enumerate() {
        let term = body.drawn[i].take().unwrap_or_else(Term::zero);
        let name = format!("{}.drawn.{what}", body.name);
        body.drawn[i] = Some(lowered.fixed(&name, term, &body.span));
    }
}
