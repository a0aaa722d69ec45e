//! Bodies with the coordinates of their joints: which joint carries which body, and where bodies are then.
//!
//! A spanning tree from the ground: of all joints that could come next the one that holds most, then one that is
//! driven, then the one nearest to the ground, then by name. So loops are cut where that leaves the fewest rows, and the
//! order in the file does not matter. What no joint carries is free and has its own three coordinates.

mod carried;
mod resets;

use super::bodies::BodyList;
use super::joint::Joint;
use super::source::PartSource;
use crate::model::{Model, Quantity, Scope};
use carried::RowsOf;
use std::collections::{BTreeMap, BTreeSet};

pub(super) use carried::{Carried, CarriedPlaces};
pub(super) use resets::CarriedResets;

/// The most coordinates of one tree: the mass matrix of a tree is full, so what a step takes grows with the cube of
/// this number, and three coordinates for each body soon take less.
const MOST_COORDINATES: usize = 32;

/// Which joint carries each body.
#[derive(Default)]
pub(super) struct JointTree {
    /// The bodies, each after the one that carries it.
    pub(super) order: Vec<usize>,
    /// For each body the joint that carries it with the end that is on it; none is free.
    pub(super) carriers: Vec<Option<(usize, usize)>>,
    /// The joints whose forces are looked at.
    pub(super) watched: BTreeSet<String>,
}

impl JointTree {
    /// Of joints that stay shut. `drawing` is the machine with three coordinates for each body.
    pub(super) fn grow(
        source: &mut PartSource,
        (bodies, joints): (&BodyList, &[Joint]),
        driven: &BTreeSet<String>,
        drawing: &Model,
    ) -> Self {
        for joint in joints.iter().filter(|joint| joint.can_open()) {
            let message =
                format!("joint `{}` opens or breaks, and the coordinates of joints cannot", joint.name);
            let hint = "leave out `coordinates = \"joint\"`: with three coordinates for each body, joints open, close and break";
            source.error("joint-coordinates", joint.span.clone(), message, hint);
        }
        let (causes, watched) = reactions(drawing);
        let can_carry =
            |joint: &Joint| joint.rows().is_some() && !joint.can_open() && !causes.contains(&joint.name);
        let carrying: Vec<usize> = (0..joints.len()).filter(|&k| can_carry(&joints[k])).collect();
        let mut of_body = vec![Vec::new(); bodies.list.len()];
        for &k in &carrying {
            joints[k].ends.iter().filter_map(|end| end.body).for_each(|i| of_body[i].push(k));
        }
        let grown = Growing { joints, driven, of_body, depth: vec![None; bodies.list.len()] };
        let (order, carriers) = grown.grow(bodies, &carrying);
        let tree = Self { order, carriers, watched };
        tree.check_size(source, joints);
        tree
    }

    /// Refuses trees whose full mass matrices cost more than other coordinates.
    fn check_size(&self, source: &mut PartSource, joints: &[Joint]) {
        let mut trees: Vec<(usize, &Joint)> = Vec::new();
        let mut tree_of: Vec<Option<usize>> = vec![None; self.carriers.len()];
        for &i in &self.order {
            let Some((k, end)) = self.carriers[i] else { continue };
            // What stands on the ground side by side are trees of their own.
            let tree = match joints[k].ends[1 - end].body {
                None => trees.len(),
                Some(parent) => *tree_of[parent].get_or_insert(trees.len()),
            };
            if tree == trees.len() {
                trees.push((0, &joints[k]));
            }
            trees[tree].0 += usize::from(joints[k].kind.coordinate.is_some());
            tree_of[i] = Some(tree);
        }
        for (count, joint) in trees.into_iter().filter(|(count, _)| *count > MOST_COORDINATES) {
            let message = format!(
                "the tree of joint `{}` has {count} coordinates of joints, and a tree may have {MOST_COORDINATES}",
                joint.name
            );
            let hint = "leave out `coordinates = \"joint\"`: with three coordinates for each body, what a step takes grows in proportion with the number of bodies";
            source.error("joint-coordinates", joint.span.clone(), message, hint);
        }
    }

    /// The joints that carry bodies.
    pub(super) fn carrying(&self) -> impl Iterator<Item = usize> + '_ {
        self.carriers.iter().flatten().map(|(joint, _)| *joint)
    }
}

/// A tree that grows.
struct Growing<'g> {
    joints: &'g [Joint],
    driven: &'g BTreeSet<String>,
    of_body: Vec<Vec<usize>>,
    /// How many joints each body of the tree is from its root.
    depth: Vec<Option<usize>>,
}

/// What says which joint comes next, the least first.
type Rank<'g> = (usize, bool, usize, &'g str);

impl<'g> Growing<'g> {
    fn grow(mut self, bodies: &BodyList, carrying: &[usize]) -> (Vec<usize>, Vec<Option<(usize, usize)>>) {
        let (mut order, mut carriers) = (Vec::new(), vec![None; bodies.list.len()]);
        let mut open: BTreeMap<Rank<'g>, usize> = BTreeMap::new();
        for &k in carrying.iter().filter(|&&k| self.joints[k].ends.iter().any(|end| end.body.is_none())) {
            open.insert(self.rank(k, 0), k);
        }
        let mut roots: Vec<usize> = (0..bodies.list.len()).collect();
        // Where nothing leads to the ground, the body in the middle of most joints is free.
        roots.sort_by_key(|&i| (usize::MAX - self.of_body[i].len(), &bodies.list[i].name));
        let mut roots = roots.into_iter();
        loop {
            while let Some((_, k)) = open.pop_first() {
                let Some(end) = self.free_end(k) else { continue };
                let [from, to] = [1 - end, end].map(|end| self.joints[k].ends[end].body);
                let depth = from.and_then(|i| self.depth[i]).map_or(0, |depth| depth + 1);
                let Some(body) = to else { continue };
                carriers[body] = Some((k, end));
                self.reach(body, depth, &mut open);
                order.push(body);
            }
            let Some(root) = roots.find(|&i| self.depth[i].is_none()) else { break };
            self.reach(root, 0, &mut open);
            order.push(root);
        }
        (order, carriers)
    }

    /// The end of a joint whose body is not reached, if the other is.
    fn free_end(&self, k: usize) -> Option<usize> {
        let reached = [0, 1].map(|end| self.joints[k].ends[end].body.is_none_or(|i| self.depth[i].is_some()));
        match reached {
            [true, false] => Some(1),
            [false, true] => Some(0),
            _ => None,
        }
    }

    fn reach(&mut self, body: usize, depth: usize, open: &mut BTreeMap<Rank<'g>, usize>) {
        self.depth[body] = Some(depth);
        for &k in &self.of_body[body] {
            open.insert(self.rank(k, depth + 1), k);
        }
    }

    fn rank(&self, k: usize, depth: usize) -> Rank<'g> {
        let joint = &self.joints[k];
        let rows = joint.rows().map_or(0, |rows: RowsOf| rows.len());
        (usize::MAX - rows, !self.driven.contains(&joint.name), depth, &joint.name)
    }
}

/// The joints whose forces are a cause of the motion, as one in a guard is, and those whose forces are looked at.
fn reactions(drawing: &Model) -> (BTreeSet<String>, BTreeSet<String>) {
    let scope = Scope::new(drawing);
    let mut outputs = vec![BTreeSet::new(); drawing.outputs.len()];
    let versions = drawing.output_versions();
    let joint_of = |name: &str| Some(drawing.joint_of(name.strip_prefix("lambda.")?)?.name.clone());
    let in_names = |names: &mut dyn Iterator<Item = &str>, outputs: &[BTreeSet<String>]| {
        let mut found = BTreeSet::new();
        for name in names {
            match scope.meaning(name) {
                Some(Quantity::Output(i)) => found.extend(outputs[i].iter().cloned()),
                Some(Quantity::Multiplier(_)) => found.extend(joint_of(name)),
                _ => {}
            }
        }
        found
    };
    for i in drawing.outputs_in_order() {
        outputs[i] = in_names(
            &mut versions[i].formulas().flat_map(|f| f.syntax.names().map(|(name, _)| name)),
            &outputs,
        );
    }
    let mut causes = drawing.moving_formulas().flat_map(|f| f.syntax.names().map(|(name, _)| name));
    let causes = in_names(&mut causes, &outputs);
    let mut observing = drawing.observing_formulas().flat_map(|f| f.syntax.names().map(|(name, _)| name));
    let watched = in_names(&mut observing, &outputs);
    let watched = watched.difference(&causes).cloned().collect();
    (causes, watched)
}
