//! Loops of joints: which joints close one, and how far its links reach.

use super::parts::Indices;
use super::{Formula, Model};
use std::collections::BTreeMap;
use std::ops::Range;

/// A joint between two bodies.
#[derive(Clone, Debug)]
pub struct JointRule {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub span: Range<usize>,
    /// The bodies of its ends; none is the ground.
    pub bodies: [Option<usize>; 2],
    /// Where its ends are on them.
    pub at: [[Formula; 2]; 2],
    /// Whether its ends are one point, and nothing else.
    pub is_pin: bool,
}

/// Joints that lead from a body back to it.
#[derive(Clone, Debug, PartialEq)]
pub struct JointLoop {
    /// The joints, by name.
    pub joints: Vec<String>,
    /// How far all links but the longest reach, and how long that is, if they do not reach so far.
    pub short: Option<(f64, f64)>,
}

impl Model {
    /// The joint that a constraint is of, if it is of one.
    pub fn joint_of(&self, constraint: &str) -> Option<&JointRule> {
        let (joint, _) = constraint.strip_prefix("joint.")?.rsplit_once('.')?;
        self.mechanism.joints.iter().find(|rule| rule.name == joint)
    }

    /// The shortest loop that a joint closes, if it closes one.
    pub fn loop_of(&self, joint: &JointRule) -> Option<JointLoop> {
        let joints = &self.mechanism.joints;
        let own = joints.iter().position(|rule| rule.name == joint.name)?;
        let [goal, start] = joint.bodies;
        // Breadth first, with the joint by which each body was reached.
        let mut reached: BTreeMap<Option<usize>, usize> = BTreeMap::from([(start, own)]);
        let mut front = vec![start];
        while !front.is_empty() && !reached.contains_key(&goal) {
            let mut next = Vec::new();
            for (k, rule) in joints.iter().enumerate().filter(|(k, _)| *k != own) {
                for (from, to) in [(0, 1), (1, 0)].map(|(a, b)| (rule.bodies[a], rule.bodies[b])) {
                    if front.contains(&from) && !reached.contains_key(&to) {
                        reached.insert(to, k);
                        next.push(to);
                    }
                }
            }
            front = next;
        }
        let (mut body, mut list) = (goal, vec![own]);
        while body != start {
            let k = *reached.get(&body)?;
            list.push(k);
            let [a, b] = joints[k].bodies;
            body = if a == body { b } else { a };
        }
        list.sort_unstable();
        let short = self.shortage(&list);
        Some(JointLoop { joints: list.into_iter().map(|k| joints[k].name.clone()).collect(), short })
    }

    /// Whether the longest link of a loop of pins is longer than all others together.
    fn shortage(&self, list: &[usize]) -> Option<(f64, f64)> {
        let joints = list.iter().map(|&k| &self.mechanism.joints[k]);
        let known = Indices::new(&self.parameters);
        let mut ends: BTreeMap<Option<usize>, Vec<[f64; 2]>> = BTreeMap::new();
        for joint in joints {
            if !joint.is_pin {
                return None;
            }
            for (body, at) in joint.bodies.iter().zip(&joint.at) {
                let [x, y] = [&at[0], &at[1]].map(|formula| known.value(formula.syntax.text()));
                ends.entry(*body).or_default().push([x?, y?]);
            }
        }
        let length = |ends: &Vec<[f64; 2]>| match ends[..] {
            [a, b] => Some((a[0] - b[0]).hypot(a[1] - b[1])),
            _ => None,
        };
        let lengths: Option<Vec<f64>> = ends.values().map(length).collect();
        let lengths = lengths?;
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        let others = lengths.iter().sum::<f64>() - longest;
        (others < longest).then_some((others, longest))
    }
}
