//! Trees of bodies: their mass matrix, and what forces on bodies do to the coordinates of joints.
//!
//! Each body has motions against the one that carries it: the rate of a coordinate turns it with `ω` and moves its
//! centre of mass with `u`. The part of the tree behind a body is one body with the mass `m`, the first moment `h` and
//! the moment of inertia `I` about the centre of that body; going towards the ground these add up, and so do forces
//! `F` and moments `τ` (the composite-body algorithm of Walker and Orin, 1982, in the plane). With the momentum
//! `p = m u + ω × h` and `L = h × u + ω I` of one motion, the entry of two motions is `ω' L + u' · p`, and the force
//! along a coordinate `ω τ + u · F`. Only what is between bodies is in these sums, so it does not matter how far from
//! the origin a machine is.

use super::lowering::{Lowering, input};
use crate::expr::{Arena, ExprId, InputId};
use crate::model::{Along, Model};
use std::collections::BTreeMap;

/// Inputs that stand for what joints hold bodies with, and for the ways that they do not give; below those of
/// discrete variables.
const FIRST_HOLD: u32 = 1 << 26;
const FIRST_SLACK: u32 = 1 << 27;

/// The input that stands for what a joint holds with.
pub(super) fn hold_input(k: usize) -> InputId {
    InputId(FIRST_HOLD + u32::try_from(k).unwrap_or(0))
}

/// The input of a way that a joint does not give, which is zero, and behind it that of its rate.
pub(super) fn slack_input(k: usize) -> InputId {
    InputId(FIRST_SLACK + u32::try_from(k).unwrap_or(0))
}

/// A force along x and y and a moment about the centre of mass.
type Wrench = [ExprId; 3];

/// A motion of a body against the one that carries it.
struct NodeMotion {
    /// The coordinate, or behind these what is held.
    along: usize,
    turn: ExprId,
    push: [ExprId; 2],
}

struct TreeNode {
    parent: Option<usize>,
    masses: [ExprId; 2],
    lever: [ExprId; 2],
    /// How fast it moves: x, y, angle.
    rates: [ExprId; 3],
    motions: Vec<NodeMotion>,
}

/// The bodies of a model, each after the one that carries it.
pub(super) struct BodyTree {
    bodies: Vec<TreeNode>,
    /// How many coordinates there are, and how much is held.
    coordinates: usize,
    holds: usize,
}

impl BodyTree {
    /// Reads the trees of a model; without any there are no bodies.
    pub(super) fn read(lowering: &mut Lowering<'_>, model: &Model) -> Self {
        let coordinates = model.mechanism.coordinates;
        let mut tree = Self { bodies: Vec::new(), coordinates, holds: 0 };
        let Some(rule) = model.tree() else { return tree };
        tree.holds = rule.holds.len();
        for body in &rule.bodies {
            let key = |what: &str| format!("bodies.{}.{what}", body.place[2]);
            let mut pair =
                |pair: &[_; 2], what| pair.each_ref().map(|formula| lowering.locked(formula, &key(what)));
            let (masses, lever) = (pair(&body.masses, "mass"), pair(&body.lever, "lever"));
            let mut motions = Vec::new();
            for motion in &body.motions {
                let along = match &motion.along {
                    Along::Coordinate(name) => lowering.names.coordinate(name),
                    Along::Held(k) => Some(coordinates + k),
                };
                let push = motion.push.each_ref().map(|formula| lowering.locked(formula, &key("motion")));
                let turn = lowering.arena.constant(motion.turn);
                motions.extend(along.map(|along| NodeMotion { along, turn, push }));
            }
            let rates = body.place.each_ref().map(|name| {
                let rate = lowering.names.locked(&mut lowering.arena, &format!("{name}'"));
                rate.unwrap_or_else(|| lowering.arena.constant(f64::NAN))
            });
            tree.bodies.push(TreeNode { parent: body.parent, masses, lever, rates, motions });
        }
        tree
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Adds the entries of the mass matrix of the coordinates.
    pub(super) fn add_masses(&self, arena: &mut Arena, mass: &mut BTreeMap<(usize, usize), ExprId>) {
        let zero = arena.constant(0.0);
        let composites = self.composites(arena);
        let mut add = |arena: &mut Arena, place: (usize, usize), entry: ExprId| {
            let known = mass.get(&place).copied().unwrap_or(zero);
            mass.insert(place, arena.add(known, entry));
        };
        for (b, body) in self.bodies.iter().enumerate() {
            for motion in body.motions.iter().filter(|motion| motion.along < self.coordinates) {
                let mut momentum = momentum(arena, composites[b], motion);
                let mut at = b;
                loop {
                    for other in &self.bodies[at].motions {
                        // Of two motions of one body each pair is met twice.
                        let is_met =
                            other.along < self.coordinates && (at != b || other.along <= motion.along);
                        if !is_met {
                            continue;
                        }
                        let entry = along(arena, other, momentum);
                        if entry == zero {
                            continue;
                        }
                        add(arena, (motion.along, other.along), entry);
                        if other.along != motion.along {
                            add(arena, (other.along, motion.along), entry);
                        }
                    }
                    let Some(parent) = self.bodies[at].parent else { break };
                    momentum = carried(arena, momentum, self.bodies[at].lever);
                    at = parent;
                }
            }
        }
    }

    /// The mass, first moment and moment of inertia of each body with all behind it.
    fn composites(&self, arena: &mut Arena) -> Vec<[ExprId; 4]> {
        let zero = arena.constant(0.0);
        let mut all: Vec<[ExprId; 4]> =
            self.bodies.iter().map(|body| [body.masses[0], zero, zero, body.masses[1]]).collect();
        for (b, body) in self.bodies.iter().enumerate().rev() {
            let Some(parent) = body.parent else { continue };
            let ([mass, hx, hy, inertia], [dx, dy]) = (all[b], body.lever);
            let [mx, my] = [dx, dy].map(|d| arena.mul(mass, d));
            // I + 2 d·h + m d², the moment of what is not at the centre.
            let own = dot(arena, [dx, dy], [hx, hy]);
            let twice = arena.add(own, own);
            let far = dot(arena, [dx, dy], [mx, my]);
            let shifted = arena.add(twice, far);
            let [hx, hy] = [arena.add(hx, mx), arena.add(hy, my)];
            let moved = [mass, hx, hy, arena.add(inertia, shifted)];
            for (sum, part) in all[parent].iter_mut().zip(moved) {
                *sum = arena.add(*sum, part);
            }
        }
        all
    }

    /// What forces on the bodies do along all coordinates, and behind those along what is held.
    pub(super) fn spread(&self, arena: &mut Arena, mut wrenches: Vec<Wrench>) -> Vec<ExprId> {
        let mut forces = vec![arena.constant(0.0); self.coordinates + self.holds];
        for (b, body) in self.bodies.iter().enumerate().rev() {
            for motion in &body.motions {
                let part = along(arena, motion, wrenches[b]);
                forces[motion.along] = arena.add(forces[motion.along], part);
            }
            let Some(parent) = body.parent else { continue };
            let moved = carried(arena, wrenches[b], body.lever);
            for (sum, part) in wrenches[parent].iter_mut().zip(moved) {
                *sum = arena.add(*sum, part);
            }
        }
        forces
    }

    /// What the masses of the bodies push with while rates change as the seeds say: `-m a`.
    pub(super) fn inertial(&self, arena: &mut Arena, seeds: &[(InputId, ExprId)]) -> Vec<Wrench> {
        let rates: Vec<ExprId> = self.bodies.iter().flat_map(|body| body.rates).collect();
        let accelerations = arena.derivative_along(&rates, seeds);
        let of = |(body, a): (&TreeNode, &[ExprId])| {
            let [mass, inertia] = body.masses.map(|mass| arena.neg(mass));
            [arena.mul(mass, a[0]), arena.mul(mass, a[1]), arena.mul(inertia, a[2])]
        };
        self.bodies.iter().zip(accelerations.chunks_exact(3)).map(of).collect()
    }

    /// Half of `m v²` of all bodies.
    pub(super) fn kinetic(&self, arena: &mut Arena) -> ExprId {
        let mut sum = arena.constant(0.0);
        for body in &self.bodies {
            let [mass, inertia] = body.masses;
            for (mass, rate) in [mass, mass, inertia].into_iter().zip(body.rates) {
                let momentum = arena.mul(mass, rate);
                let term = arena.mul(momentum, rate);
                sum = arena.add(sum, term);
            }
        }
        let half = arena.constant(0.5);
        arena.mul(half, sum)
    }

    /// How coordinates and rates change along the motion, with these accelerations or with none.
    pub(super) fn seeds(
        &self,
        arena: &mut Arena,
        acceleration: Option<fn(&mut Arena, usize) -> ExprId>,
    ) -> Vec<(InputId, ExprId)> {
        let n = self.coordinates;
        let mut seeds = vec![(InputId(0), arena.constant(1.0))];
        let place = |i: usize| InputId(u32::try_from(i).unwrap_or(u32::MAX));
        for i in 0..n {
            seeds.push((place(1 + i), input(arena, 1 + n + i)));
            if let Some(acceleration) = acceleration {
                seeds.push((place(1 + n + i), acceleration(arena, i)));
            }
        }
        seeds
    }
}

/// The momentum that a motion of rate one gives to all behind a body.
fn momentum(arena: &mut Arena, [mass, hx, hy, inertia]: [ExprId; 4], motion: &NodeMotion) -> Wrench {
    let [ux, uy] = motion.push;
    let [mx, my] = [ux, uy].map(|u| arena.mul(mass, u));
    let [tx, ty, turned] = [hx, hy, inertia].map(|part| arena.mul(motion.turn, part));
    let (left, right) = (arena.mul(hx, uy), arena.mul(hy, ux));
    let swung = arena.sub(left, right);
    [arena.sub(mx, ty), arena.add(my, tx), arena.add(swung, turned)]
}

/// A force along a motion.
fn along(arena: &mut Arena, motion: &NodeMotion, [fx, fy, moment]: Wrench) -> ExprId {
    let (turned, pushed) = (arena.mul(motion.turn, moment), dot(arena, motion.push, [fx, fy]));
    arena.add(turned, pushed)
}

/// A force on what is at a lever.
fn carried(arena: &mut Arena, [fx, fy, moment]: Wrench, [dx, dy]: [ExprId; 2]) -> Wrench {
    let (left, right) = (arena.mul(dx, fy), arena.mul(dy, fx));
    let swung = arena.sub(left, right);
    [fx, fy, arena.add(moment, swung)]
}

fn dot(arena: &mut Arena, [ax, ay]: [ExprId; 2], [bx, by]: [ExprId; 2]) -> ExprId {
    let (x, y) = (arena.mul(ax, bx), arena.mul(ay, by));
    arena.add(x, y)
}

/// Puts what joints hold bodies with, now that it is known, into what looks at it.
pub(super) fn put_holds(lowering: &mut Lowering<'_>, holds: &[ExprId], looking: Vec<&mut ExprId>) {
    if holds.is_empty() {
        return;
    }
    let replacements: Vec<_> = holds.iter().enumerate().map(|(k, hold)| (hold_input(k), *hold)).collect();
    let all: Vec<&mut ExprId> = looking.into_iter().chain(lowering.names.plain_outputs_mut()).collect();
    let ids: Vec<ExprId> = all.iter().map(|id| **id).collect();
    let placed = lowering.arena.substitute_all(&ids, &replacements);
    for (id, placed) in all.into_iter().zip(placed) {
        *id = placed;
    }
}
