//! Where bodies are drawn that nothing says the place of: a joint puts their point on that of a body that has its place.
//!
//! Breadth first from the ground and the bodies that are placed, those with the fewest joints between first and ties by
//! name, so that the order in the file does not matter. What no joint reaches is at the origin. What is drawn in the axes of
//! a place gets its own place when the body of that has one.

use super::bodies::{Body, BodyList, Pose};
use super::joint::Joint;
use super::lowered::LoweredParts;
use super::source::PartSource;
use super::term::{Term, minus, plus, scaled, turned};

/// Gives bodies their places.
struct Placer<'p> {
    bodies: &'p mut BodyList,
    joints: &'p [Joint],
    lowered: &'p mut LoweredParts,
    placed: Vec<bool>,
    /// The joints by which bodies were placed.
    used: Vec<bool>,
    /// The joints that say how bodies start which have their place already.
    begun: Vec<bool>,
    /// The joints whose start contradicts what is said of their bodies.
    unplaced: Vec<usize>,
    /// The joints of each body that can place one.
    of_body: Vec<Vec<usize>>,
    /// The joints of each body that say how it starts, with the end of the body.
    starting: Vec<Vec<(usize, usize)>>,
    /// The bodies that are drawn in the axes of each body.
    inside: Vec<Vec<usize>>,
}

/// Gives every body its place in the drawing, as parameters where that takes a formula. The joints by which bodies were
/// placed are told.
pub(super) fn place_bodies(
    source: &mut PartSource,
    bodies: &mut BodyList,
    joints: &[Joint],
    lowered: &mut LoweredParts,
) -> Vec<bool> {
    let count = bodies.list.len();
    let (mut of_body, mut inside) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for (k, joint) in joints.iter().enumerate().filter(|(_, joint)| can_place(joint)) {
        joint.ends.iter().filter_map(|end| end.body).for_each(|i| of_body[i].push(k));
    }
    let mut starting = vec![Vec::new(); count];
    for (k, joint) in joints.iter().enumerate().filter(|(_, joint)| starts(joint)) {
        (0..2).for_each(|end| joint.ends[end].body.into_iter().for_each(|i| starting[i].push((k, end))));
    }
    for (i, body) in bodies.list.iter().enumerate() {
        if let Some(outer) = body.within.as_ref().and_then(|place| place.body) {
            inside[outer].push(i);
        }
    }
    let (placed, used, begun) = (vec![false; count], vec![false; joints.len()], vec![false; joints.len()]);
    let unplaced = Vec::new();
    let placer = Placer { bodies, joints, lowered, placed, used, begun, unplaced, of_body, starting, inside };
    let (used, begun, unplaced) = placer.place_all();
    let is_lost = |k: &usize| starts(&joints[*k]) && (!used[*k] && !begun[*k] || unplaced.contains(k));
    for joint in (0..joints.len()).filter(is_lost).map(|k| &joints[k]) {
        let message = format!("the `start` of joint `{}` places no body", joint.name);
        let hint = "`start` is for a joint from a body that has its place, and moves as is known, to one of which nothing is said; otherwise give `x`, `y`, `angle`, `velocity` and `angular_velocity` of the bodies";
        source.error("bad-joint", joint.span.clone(), message, hint);
    }
    used
}

/// Whether a joint between bodies says how one of them starts.
fn starts(joint: &Joint) -> bool {
    joint.track.is_none() && joint.start.iter().any(Option::is_some)
}

impl Placer<'_> {
    fn place_all(mut self) -> (Vec<bool>, Vec<bool>, Vec<usize>) {
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
        (self.used, self.begun, self.unplaced)
    }

    fn is_reached(&self, joint: usize, end: usize) -> bool {
        self.joints[joint].ends[end].body.is_none_or(|i| self.placed[i])
    }

    /// Places what these joints reach, and gives the joints of that.
    fn next_front(&mut self, mut front: Vec<usize>) -> Vec<usize> {
        let joints = self.joints;
        // A joint that says where it starts comes before others that could place the same body.
        let says_nothing = |joint: &Joint| joint.start.iter().all(Option::is_none);
        front.sort_by_key(|&k| (says_nothing(&joints[k]), &joints[k].name));
        let mut next = Vec::new();
        for k in front {
            let moved = match [0, 1].map(|end| self.is_reached(k, end)) {
                [true, false] => 1,
                [false, true] => 0,
                _ => continue,
            };
            let joint = &self.joints[k];
            let Some(i) = joint.ends[moved].body.filter(|_| joint.named[moved]) else { continue };
            self.used[k] = true;
            if !put(self.bodies, (joint, moved), i) || !set_moving(self.bodies, (joint, moved), i) {
                self.unplaced.push(k);
            }
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
        let mut angle = &self.bodies.drawn_turn(within) + &angle;
        if let Some((k, moved)) = self.starting_joint(i) {
            let joint = &self.joints[k];
            let [place, velocity] = [0, 1].map(|what| joint.start[what].is_some());
            let found = turned_by(self.bodies, (joint, moved), i);
            self.begun[k] = true;
            if place && found.is_none() || velocity && !set_moving(self.bodies, (joint, moved), i) {
                self.unplaced.push(k);
            }
            angle = found.unwrap_or(angle);
        }
        self.bodies.list[i].drawn = [Some(x), Some(y), Some(angle)];
        self.settle(i)
    }

    /// Whether nothing has been made of a joint.
    fn is_open(&self, joint: usize) -> bool {
        !self.used[joint] && !self.begun[joint]
    }

    /// The joint from a body that has its place that says how this one starts.
    fn starting_joint(&self, body: usize) -> Option<(usize, usize)> {
        self.starting[body]
            .iter()
            .copied()
            .find(|&(k, moved)| self.is_open(k) && self.is_reached(k, 1 - moved))
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

/// Puts the point of a body on that of the other end, with the coordinate of the joint as it starts. Whether that could be.
fn put(bodies: &mut BodyList, (joint, moved): (&Joint, usize), body: usize) -> bool {
    let (end, other) = (&joint.ends[moved], &joint.ends[1 - moved]);
    let mut target = joint.place(bodies).unwrap_or_else(|| bodies.position(other, Pose::Drawn));
    let word = joint.kind.coordinate.map(|coordinate| coordinate.word);
    let start = joint.start[0].as_ref().map(|start| if moved == 1 { start.clone() } else { -start });
    let of_position = start.filter(|_| word != Some("angle"));
    let given = bodies.list[body].drawn[2].clone();
    let of_angle = turned_by(bodies, (joint, moved), body);
    let fits = of_angle.is_some() || of_position.is_some() || joint.start[0].is_none();
    let angle = match (given, of_angle) {
        (_, Some(angle)) => angle,
        (None, None) if word != Some("angle") => &bodies.angle(other, Pose::Drawn) - &end.angle,
        (given, _) => {
            let turn = bodies.drawn_turn(bodies.list[body].within.as_ref());
            &turn + &given.unwrap_or_else(Term::zero)
        }
    };
    if let Some(start) = of_position {
        let first = if moved == 1 { bodies.angle(other, Pose::Drawn) } else { &angle + &end.angle };
        target = plus(&target, &scaled(&turned(&joint.axis, &first), &start));
    }
    let [x, y] = minus(&target, &turned(&end.at, &angle));
    bodies.list[body].drawn = [Some(x), Some(y), Some(angle)];
    fits
}

/// The angle of a body by the angle that its joint starts with; none if it says none, or the body has one.
fn turned_by(bodies: &BodyList, (joint, moved): (&Joint, usize), body: usize) -> Option<Term> {
    let is_angle = joint.kind.coordinate.is_some_and(|coordinate| coordinate.word == "angle");
    let is_free = is_angle && bodies.list[body].drawn[2].is_none();
    let start = joint.start[0].as_ref().filter(|_| is_free)?;
    let start = if (moved == 1) == joint.is_mirrored { -start } else { start.clone() };
    Some(&(&bodies.angle(&joint.ends[1 - moved], Pose::Drawn) + &start) - &joint.ends[moved].angle)
}

/// Gives a body the velocity that the coordinate of its joint starts with. Whether that is known.
fn set_moving(bodies: &mut BodyList, (joint, moved): (&Joint, usize), body: usize) -> bool {
    let Some(velocity) = &joint.start[1] else { return true };
    let other = joint.ends[1 - moved].body;
    let spin = match other {
        None => Some(Term::zero()),
        Some(i) => bodies.list[i].angular_velocity.clone(),
    };
    let own = &bodies.list[body];
    let is_free = own.angular_velocity.is_none() && own.velocity.is_none();
    let Some(spin) = spin.filter(|_| is_free) else { return false };
    let velocity = if moved == 1 { velocity.clone() } else { -velocity };
    match joint.kind.word {
        "revolute" => {
            let own = if joint.is_mirrored { -&velocity } else { velocity };
            bodies.list[body].angular_velocity = Some(&spin + &own);
            true
        }
        "prismatic" if other.is_none() => {
            let first = bodies.angle(&joint.ends[0], Pose::Drawn);
            let turn = bodies.drawn_turn(own.within.as_ref());
            let along = turned(&joint.axis, &(&first - &turn));
            let body = &mut bodies.list[body];
            body.velocity = Some(scaled(&along, &velocity));
            body.angular_velocity = Some(spin);
            true
        }
        _ => false,
    }
}

/// Where a body is drawn becomes parameters, if it takes formulas.
fn fix(body: &mut Body, lowered: &mut LoweredParts) {
    for (i, what) in ["x", "y", "angle"].into_iter().enumerate() {
        let term = body.drawn[i].take().unwrap_or_else(Term::zero);
        let name = format!("{}.drawn.{what}", body.name);
        body.drawn[i] = Some(lowered.fixed(&name, term, &body.span));
    }
}
