//! Trees of bodies: where a body is follows from the coordinates of the joints that carry it.

use super::{Definition, Formula, ModeRule, Model, Versions};
use std::collections::BTreeSet;

/// What stands before the name of a row in the name of the way that its joint does not give.
pub(super) const SLACK: &str = "slack.";

/// The bodies of a model with the coordinates of joints.
#[derive(Clone, Debug, Default)]
pub struct TreeRule {
    /// All bodies, each after the one that carries it.
    pub bodies: Vec<TreeBody>,
    /// What joints that carry bodies hold, of those whose forces are looked at: by the names that the constraints
    /// would have, `joint.tip.x`.
    pub holds: Vec<String>,
    /// The names of where bodies are that joints carry.
    pub places: BTreeSet<String>,
}

/// A body of a tree.
#[derive(Clone, Debug)]
pub struct TreeBody {
    /// The body that carries it, by its place in the list; none is the ground.
    pub parent: Option<usize>,
    /// The names of where its centre of mass is, and of its angle: x, y, angle.
    pub place: [String; 3],
    /// Its mass, and its moment of inertia about the centre of mass.
    pub masses: [Formula; 2],
    /// From the centre of mass of the body that carries it to its own.
    pub lever: [Formula; 2],
    /// How it moves against the body that carries it.
    pub motions: Vec<TreeMotion>,
}

/// One way in which a body moves against the one that carries it.
#[derive(Clone, Debug)]
pub struct TreeMotion {
    /// The coordinate, or what holds.
    pub along: Along,
    /// How fast it turns for each unit of the rate: 1, -1 or 0.
    pub turn: f64,
    /// How fast its centre of mass moves for each unit of the rate.
    pub push: [Formula; 2],
}

/// What a motion in a tree is along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Along {
    /// A coordinate, by name.
    Coordinate(String),
    /// A way that the joint does not give, by its place among those of the tree.
    Held(usize),
}

impl Model {
    /// The formulas of the motion that use where bodies of trees are.
    pub(crate) fn tree_formulas(&self) -> impl Iterator<Item = &Formula> {
        let rule = self.tree().map(|_| &self.mechanism).into_iter();
        rule.flat_map(|rule| {
            let constraints = rule.constraints.iter().chain(self.modes.iter().flat_map(|m| &m.constraints));
            let own = rule.tree.iter().flat_map(|tree| &tree.bodies).flat_map(|body| {
                let pushes = body.motions.iter().flat_map(|motion| &motion.push);
                body.masses.iter().chain(&body.lever).chain(pushes)
            });
            rule.kinetic.iter().chain(&rule.potential).chain(constraints.map(|d| &d.formula)).chain(own)
        })
    }

    /// The trees of bodies, if bodies have the coordinates of joints.
    pub fn tree(&self) -> Option<&TreeRule> {
        self.mechanism.tree.as_ref()
    }

    /// Whether a name is where a body of a tree is, and no coordinate.
    pub(super) fn is_place(&self, name: &str) -> bool {
        self.tree().is_some_and(|tree| tree.places.contains(name))
    }

    /// The forces on where bodies of trees are, which are none of the coordinates: for each body along x and y and
    /// about its centre of mass.
    pub(crate) fn place_force_versions(&self) -> Vec<[Versions<'_>; 3]> {
        let common = super::names::places(self.mechanism.forces.iter().map(|force| &force.name));
        let of_mode =
            |mode: &'_ ModeRule, name: &str| mode.forces.iter().position(|d: &Definition| d.name == name);
        let of = |name: &String| {
            if !self.is_place(name) {
                return Versions::default();
            }
            let modes = self.modes.iter().enumerate();
            Versions {
                common: common.get(name.as_str()).map(|&i| &self.mechanism.forces[i].formula),
                modes: modes
                    .filter_map(|(k, mode)| Some((k, &mode.forces[of_mode(mode, name)?].formula)))
                    .collect(),
            }
        };
        let bodies = self.tree().into_iter().flat_map(|tree| &tree.bodies);
        bodies.map(|body| body.place.each_ref().map(of)).collect()
    }
}
