//! A graph of bodies in the plane and what joins them, put together so that every joint is shut at the start.
//!
//! Links are given by where their points are, and joined point to point: there is nothing to be solved.
//! Speeds at the start are drawn and moved to the nearest that the joints allow, in the metric of the masses,
//! and are then scaled.

use super::Counts;
use super::draw::Draw;
use super::force::Force;
use super::joint::{Joint, Place, turn};
use super::touching::{Sides, Touch};
use crate::equations::{ClosureSystem, Mechanism};
use crate::formulation::{Flow, Stabilisation};
use crate::mode::Mode;
use crate::simulate::Start;

/// Mass for each metre of a link.
const DENSITY: f64 = 2.0;

/// Bodies, joints, forces.
#[derive(Clone, Debug)]
pub(super) struct Linkage {
    gravity: f64,
    masses: Vec<f64>,
    q: Vec<f64>,
    /// The points of each body, in its frame.
    points: Vec<Vec<[f64; 2]>>,
    joints: Vec<Joint>,
    /// Those among them of which a row follows from the other joints.
    spare: Vec<usize>,
    forces: Vec<Force>,
    touches: Vec<Touch>,
}

/// A point of a body: which body, which of its points.
pub(super) type Point = (usize, usize);

impl Linkage {
    pub(super) fn new(gravity: f64) -> Self {
        let (masses, q, points) = (Vec::new(), Vec::new(), Vec::new());
        let (joints, spare, forces, touches) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { gravity, masses, q, points, joints, spare, forces, touches }
    }

    /// A body with the given mass and inertia about its centre.
    pub(super) fn body(&mut self, [x, y, angle]: [f64; 3], mass: f64, inertia: f64) -> usize {
        self.q.extend([x, y, angle]);
        self.masses.extend([mass, mass, inertia]);
        self.points.push(vec![[0.0; 2]]);
        self.points.len() - 1
    }

    /// A link through points, in the direction from the first to the second. A link of two points is a rod;
    /// others are rods from the centre to each.
    pub(super) fn link(&mut self, points: &[[f64; 2]]) -> usize {
        let count = points.len() as f64;
        let centre = [0, 1].map(|i| points.iter().map(|p| p[i]).sum::<f64>() / count);
        let angle = (points[1][1] - points[0][1]).atan2(points[1][0] - points[0][0]);
        let arms = points.iter().map(|p| (p[0] - centre[0]).hypot(p[1] - centre[1]));
        let (length, inertia) =
            arms.fold((0.0, 0.0), |(l, i), arm| (l + arm, i + DENSITY * arm * arm * arm / 3.0));
        let body = self.body([centre[0], centre[1], angle], DENSITY * length, inertia);
        let inside = |p: &[f64; 2]| turn([p[0] - centre[0], p[1] - centre[1]], -angle);
        self.points[body] = points.iter().map(inside).collect();
        body
    }

    /// A block with its point at the centre.
    pub(super) fn block(&mut self, [x, y]: [f64; 2], mass: f64) -> usize {
        self.body([x, y, 0.0], mass, 0.02 * mass)
    }

    /// Another point of a body, in its frame.
    pub(super) fn add_point(&mut self, body: usize, at: [f64; 2]) -> Point {
        self.points[body].push(at);
        (body, self.points[body].len() - 1)
    }

    /// The place of a point of a body.
    pub(super) fn place(&self, (body, point): Point) -> Place {
        Place { body: Some(body), at: self.points[body][point] }
    }

    /// The place on the ground where a point is now.
    pub(super) fn below(&self, point: Point) -> Place {
        Place { body: None, at: self.place(point).point_and_arm(&self.q).0 }
    }

    /// Joins two points.
    pub(super) fn pin(&mut self, a: Point, b: Point) {
        self.joints.push(Joint::Pin(self.place(a), self.place(b)));
    }

    /// Joins a point to the end of a bar whose length follows from the other joints.
    pub(super) fn pin_spare(&mut self, a: Point, end: Point) {
        self.spare.push(self.joints.len());
        self.pin(a, end);
    }

    /// The same with no rows that follow from others: what was joined to the end of a spare bar may slide
    /// along it.
    pub(super) fn relieved(&self) -> Self {
        let mut relieved = self.clone();
        for k in relieved.spare.drain(..) {
            if let Joint::Pin(a, end) = relieved.joints[k] {
                relieved.joints[k] = Joint::Slot(a, end, 0.0);
            }
        }
        relieved
    }

    /// Joins a point to the ground.
    pub(super) fn pivot(&mut self, point: Point) {
        self.joints.push(Joint::Pin(self.place(point), self.below(point)));
    }

    /// Lets a body slide on the ground through the place of its first point, and not turn.
    pub(super) fn guide(&mut self, body: usize, direction: f64) {
        let (place, on) = (self.place((body, 0)), self.below((body, 0)));
        self.joints.push(Joint::Slider(place, on, direction, self.q[3 * body + 2]));
    }

    /// Lets a point slide on the ground.
    pub(super) fn slot(&mut self, point: Point, direction: f64) {
        self.joints.push(Joint::Slot(self.place(point), self.below(point), direction));
    }

    /// Lets a point slide along the line through a point of another body, in a direction of that body.
    pub(super) fn slot_in(&mut self, point: Point, on: Point, direction: f64) {
        self.joints.push(Joint::Slot(self.place(point), self.place(on), direction));
    }

    /// Keeps a body from turning.
    pub(super) fn upright(&mut self, body: usize) {
        self.joints.push(Joint::Angle(Some(body), None, self.q[3 * body + 2]));
    }

    pub(super) fn force(&mut self, force: Force) {
        self.forces.push(force);
    }

    /// A spring between two places that is `strain` times longer than it would like to be.
    pub(super) fn spring(&mut self, a: Place, b: Place, stiffness: f64, strain: f64) {
        let ((pa, _), (pb, _)) = (a.point_and_arm(&self.q), b.point_and_arm(&self.q));
        let length = (pa[0] - pb[0]).hypot(pa[1] - pb[1]) / strain;
        self.force(Force::Spring { ends: (a, b), stiffness, damping: 0.0, length });
    }

    /// A spring that holds a body at the angle that it has to another, or to the ground.
    pub(super) fn hold(&mut self, body: usize, to: Option<usize>, stiffness: f64) {
        let angle = self.q[3 * body + 2] - to.map_or(0.0, |to| self.q[3 * to + 2]);
        self.force(Force::Turn { bodies: (body, to), stiffness, damping: 0.0, angle });
    }

    /// A torque about a body.
    pub(super) fn torque(&mut self, body: usize, mean: f64, swing: f64, rate: f64) {
        self.force(Force::Torque { body, mean, swing, rate });
    }

    /// Friction at every pin.
    pub(super) fn rub(&mut self, damping: f64) {
        let pins = self.joints.iter().filter_map(|joint| match joint {
            Joint::Pin(a, b) => a.body.map(|body| (body, b.body)),
            _ => None,
        });
        let turns = pins.map(|bodies| Force::Turn { bodies, stiffness: 0.0, damping, angle: 0.0 });
        self.forces.extend(turns.collect::<Vec<_>>());
    }

    /// Lets the angle of a body against another, or the ground, change by no more than so much from where it is.
    pub(super) fn stop(&mut self, body: usize, to: Option<usize>, room: f64, restitution: f64) {
        let angle = self.q[3 * body + 2] - to.map_or(0.0, |to| self.q[3 * to + 2]);
        for sign in [1.0, -1.0] {
            let sides = Sides::Stop { bodies: (body, to), limit: angle + sign * room, sign };
            self.touches.push(Touch { sides, restitution, friction: 0.0 });
        }
    }

    /// A string from a point to another, or to the ground so far above it, a bit longer than they are apart.
    pub(super) fn string(
        &mut self,
        point: Point,
        to: Option<Point>,
        (above, slack): (f64, f64),
        restitution: f64,
    ) {
        let (place, [x, y]) = (self.place(point), self.below(point).at);
        let other = to.map_or(Place { body: None, at: [x, y + above] }, |to| self.place(to));
        let [ox, oy] = other.point_and_arm(&self.q).0;
        let sides = Sides::String { ends: (place, other), length: (x - ox).hypot(y - oy) + slack };
        self.touches.push(Touch { sides, restitution, friction: 0.0 });
    }

    /// A wall so far behind a point, with a normal that points to where it may be; restitution and friction.
    pub(super) fn wall(
        &mut self,
        point: Point,
        normal: [f64; 2],
        room: f64,
        (restitution, friction): (f64, f64),
    ) {
        let (place, [x, y]) = (self.place(point), self.below(point).at);
        let offset = normal[0] * x + normal[1] * y - room;
        self.touches.push(Touch { sides: Sides::Wall { place, normal, offset }, restitution, friction });
    }

    pub(super) fn bodies(&self) -> usize {
        self.points.len()
    }

    /// How large it is.
    pub(super) fn counts(&self) -> Counts {
        let rows: usize = self.joints.iter().map(|joint| joint.rows()).sum();
        let (joints, redundant) = (self.joints.len(), self.spare.len());
        Counts { freedoms: 3 * self.bodies() + redundant - rows, joints, redundant }
    }

    /// The mechanism, and its start at rest.
    pub(super) fn at_rest(&self) -> (ClosureSystem, Start) {
        let start = Start::at([self.q.as_slice(), &vec![0.0; self.q.len()]].concat());
        (self.system(), start)
    }

    /// The mechanism, and a start in which the fastest body turns at the given rate.
    pub(super) fn turning(&self, draw: &mut Draw, rate: f64) -> (ClosureSystem, Start) {
        let (system, mut start) = self.at_rest();
        let n = self.q.len();
        start.y[n..].fill_with(|| draw.within(1.0));
        let mut flow = Flow::stabilised(&system, Mode::start(&system, 0), Stabilisation::Twice);
        // The joints are shut, so that only the speeds are moved.
        if flow.constraints().make_consistent(0.0, &mut start.y, &[]).is_err() {
            start.y[n..].fill(0.0);
        }
        drop(flow);
        let fastest = start.y[n..].iter().skip(2).step_by(3).fold(0.0_f64, |w, x| w.max(x.abs()));
        if fastest > 0.0 {
            start.y[n..].iter_mut().for_each(|v| *v *= rate / fastest);
        }
        (system, start)
    }

    /// The mechanism.
    pub(super) fn system(&self) -> ClosureSystem {
        let Self { masses, joints, forces, gravity, .. } = self.clone();
        let (places, order) = self.places();
        let weights: Vec<f64> = masses.iter().skip(1).step_by(3).map(|m| -gravity * m).collect();
        let of_gradient = joints.clone();
        let mechanism = Mechanism::new(names(self.bodies()))
            .masses(move |_, _, m| m.copy_from_slice(&masses))
            .forces(move |t, y, f| {
                let (q, v) = y.split_at(f.len());
                f.iter_mut().skip(1).step_by(3).zip(&weights).for_each(|(f, weight)| *f = *weight);
                for force in &forces {
                    force.add(t, q, v, f);
                }
            })
            .joints(self.row_names(), move |_, q, g| {
                let mut rest = g;
                for joint in &joints {
                    let (own, others) = rest.split_at_mut(joint.rows());
                    joint.evaluate(q, own);
                    rest = others;
                }
            })
            .gradient(&places, move |_, q, values| {
                let mut order = order.iter();
                for joint in &of_gradient {
                    joint.gradient(q, |(_, _, value)| {
                        if let Some(&place) = order.next() {
                            values[place] = value;
                        }
                    });
                }
            });
        let named = |(k, touch): (usize, &Touch)| touch.contact(&format!("touch{k}"));
        self.touches.iter().enumerate().map(named).fold(mechanism, Mechanism::contact).system()
    }

    /// The places of the entries of the gradient by rows and columns, and for each entry, in the order in
    /// which joints give them, where it is among these.
    fn places(&self) -> (Vec<(usize, usize)>, Vec<usize>) {
        let (mut given, mut first) = (Vec::new(), 0);
        for joint in &self.joints {
            joint.gradient(&self.q, |(row, column, _)| given.push((first + row, column)));
            first += joint.rows();
        }
        let mut places = given.clone();
        places.sort_unstable();
        let order = given.iter().map(|place| places.partition_point(|p| p < place)).collect();
        (places, order)
    }

    fn row_names(&self) -> Vec<String> {
        let one = |(k, joint): (usize, &Joint)| -> Vec<String> {
            let words: &[&str] = match joint {
                Joint::Pin(..) => &["x", "y"],
                Joint::Slot(..) => &["beside"],
                Joint::Slider(..) => &["beside", "angle"],
                Joint::Angle(..) => &["angle"],
            };
            words.iter().map(|word| format!("joint{k}.{word}")).collect()
        };
        self.joints.iter().enumerate().flat_map(one).collect()
    }
}

fn names(bodies: usize) -> impl Iterator<Item = String> {
    (0..bodies).flat_map(|i| ["x", "y", "angle"].map(|name| format!("{name}{i}")))
}
