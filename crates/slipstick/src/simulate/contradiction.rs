//! Constraints that contradict each other while a mechanism moves: those that followed from others and do so
//! no longer, those that corrections cannot close after a step, and those that cannot be met a little later,
//! however the mechanism moves.
//!
//! A step after which constraints are open is not good, whatever its error: it is made again and shorter. So
//! all methods come to the time from which on no motion meets the constraints, and what is said there is the
//! same.

use super::Error;
use super::error::IN_MOTION;
use super::integrator::Integrator;
use crate::equations::{Constraint, Layout};
use crate::formulation::{Flow, Refusal};
use crate::step::Fault;

/// A constraint that followed from others does so no longer if it is further off than these by so much.
const CONTRADICTS: f64 = 1e3;
/// Less than this part of positions, or of speeds, is no contradiction.
const NEGLIGIBLE: f64 = 1e-6;
/// How far ahead it is looked whether constraints can be met, as parts of the time of the run; and whether
/// positions would have to jump.
const AHEAD: [f64; 2] = [1e-4, 1e-6];
const AT_ONCE: f64 = 1e-12;
/// A joint may shut where its parts are apart by no more than this many times the uncertainty of a
/// coordinate.
pub(super) const MOST_APART: f64 = 10.0;

/// Constraints that are off, and whether that is at the level of speeds.
pub(super) type Open = (Vec<(usize, f64)>, bool);

/// The constraints that followed from others when a run began, and room for what is left of all.
#[derive(Clone, Debug, Default)]
pub(super) struct Redundant {
    rows: Vec<usize>,
    position: Vec<f64>,
    velocity: Vec<f64>,
    lengths: Vec<f64>,
}

/// How large positions or speeds are, and what of them is no contradiction.
#[derive(Clone, Copy)]
struct Size {
    size: f64,
    negligible: f64,
}

impl Redundant {
    pub(super) fn new(constraints: &[Constraint], rows: &[usize]) -> Self {
        let holonomic = constraints.iter().filter(|c| c.holonomic).count();
        let by_constraints = || vec![0.0; constraints.len()];
        let (velocity, lengths) = (by_constraints(), by_constraints());
        Self { rows: rows.to_vec(), position: vec![0.0; holonomic], velocity, lengths }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Finds what is left of all constraints at a state.
    pub(super) fn measure(&mut self, flow: &mut Flow<'_>, t: f64, y: &[f64]) {
        flow.constraints().residuals(t, y, &mut self.position, &mut self.velocity);
        flow.constraints().row_lengths(t, y, &mut self.lengths);
    }

    /// Those that are off by far more than the constraints that they followed from, all measured in
    /// coordinates or speeds of a state. `error` is what a step leaves uncertain in each of them.
    pub(super) fn open(&self, layout: Layout, y: &[f64], error: impl Fn(usize) -> f64) -> Open {
        let size = |range: std::ops::Range<usize>| {
            let size = y[range.clone()].iter().fold(0.0, |most: f64, y| most.max(y.abs()));
            let uncertain = range.map(&error).fold(0.0, f64::max);
            Size { size, negligible: NEGLIGIBLE * size + uncertain }
        };
        let (positions, speeds) = (size(0..layout.q), size(layout.q..layout.q + layout.v));
        let lengths = &self.lengths[..];
        let drift = self.others(&self.position, lengths);
        let open = self.far_off(&self.position, lengths, (CONTRADICTS * drift).max(positions.negligible));
        if !open.is_empty() {
            return (open, false);
        }
        // Where positions are off, so are the gradients by which rows of speeds follow from each other.
        let turned = if positions.size > 0.0 { drift / positions.size * speeds.size } else { 0.0 };
        let drift = self.others(&self.velocity, lengths).max(turned);
        (self.far_off(&self.velocity, lengths, (CONTRADICTS * drift).max(speeds.negligible)), true)
    }

    /// How far those are off at most that the others followed from.
    fn others(&self, left: &[f64], lengths: &[f64]) -> f64 {
        let others = (0..left.len()).filter(|k| self.rows.binary_search(k).is_err());
        others.filter(|&k| lengths[k] > 0.0).fold(0.0, |most, k| most.max(left[k].abs() / lengths[k]))
    }

    fn far_off(&self, left: &[f64], lengths: &[f64], bound: f64) -> Vec<(usize, f64)> {
        let rows = self.rows.iter().filter(|&&k| k < left.len());
        rows.filter(|&&k| left[k].abs() > bound * lengths[k]).map(|&k| (k, left[k])).collect()
    }
}

/// Finds out why an integrator can make no good step.
pub(super) struct Diagnosis<'r, 'a> {
    pub(super) integrator: &'r mut Integrator<'a>,
}

impl Diagnosis<'_, '_> {
    /// Why the smallest step is still not good.
    pub(super) fn find(&mut self) -> Error {
        if let Some(contradiction) = self.contradiction() {
            return contradiction;
        }
        let Integrator { trial, flow, options, .. } = &*self.integrator;
        let names = flow.system().state_names();
        let (t, h, error) = (trial.t, trial.h, trial.error);
        match trial.fault {
            Some(Fault::NotFinite { component, t, value }) => {
                let (name, state) = (names[component].clone(), describe_state(names, &trial.start));
                Error::DerivativeNotFinite { name, value, t, state }
            }
            Some(Fault::EndNotFinite { component, value }) => {
                let (name, state) = (names[component].clone(), describe_state(names, &trial.start));
                Error::StateNotFinite { name, value, t: t + h, state }
            }
            Some(Fault::NoConvergence) => {
                let fixed = options.steps.fixed.is_some();
                Error::NoConvergence { t, h, fixed, mechanism: flow.has_constraints() }
            }
            Some(Fault::LeftOpen { constraint, left }) => {
                let constraint = flow.system().constraints()[constraint].name.clone();
                Error::LeftOpen { t, h, constraint, left }
            }
            Some(Fault::SingularMatrix { component }) => {
                Error::SingularMatrix { name: names[component].clone(), t, h }
            }
            None => Error::StepTooSmall { name: names[trial.worst()].clone(), t, h, error },
        }
    }

    /// Constraints that no motion can meet from here on, if that is why.
    fn contradiction(&mut self) -> Option<Error> {
        if !self.integrator.flow.has_constraints() || self.integrator.flow.is_reaching() {
            return None;
        }
        let left = self.powerless().or_else(|| self.parted()).or_else(|| self.impossible_ahead());
        match left.or_else(|| self.contrary_accelerations()) {
            Some(left) => Some(self.motion_not_consistent(left)),
            None => self.jump_ahead().or_else(|| self.left_open()),
        }
    }

    fn motion_not_consistent(&self, left: String) -> Error {
        Error::NotConsistent {
            what: IN_MOTION.to_owned(),
            t: self.integrator.trial.t,
            left,
            about: Vec::new(),
        }
    }

    fn in_words(&self, rows: &[(usize, f64)]) -> String {
        open_in_words(self.integrator.flow.system().constraints(), rows)
    }

    /// A constraint that no force can meet here.
    fn powerless(&mut self) -> Option<String> {
        let Integrator { trial, flow, .. } = &mut *self.integrator;
        let name = &flow.system().constraints()[flow.constraints().powerless(trial.t, &trial.start)?].name;
        Some(format!(
            "no force meets `{name}`, as the forces that use `lambda.{name}` take back all that it pushes"
        ))
    }

    /// Constraints that have parted after the step that is not good for that.
    fn parted(&mut self) -> Option<String> {
        let is_open = matches!(self.integrator.trial.fault, Some(Fault::LeftOpen { .. }));
        let (open, of_speeds) = if is_open { self.integrator.open_redundant() } else { (Vec::new(), false) };
        let level = if of_speeds { " at the level of speeds" } else { "" };
        (!open.is_empty()).then(|| format!("{}{level}", self.in_words(&open)))
    }

    /// Constraints that cannot be met a little later, wherever the mechanism goes.
    fn impossible_ahead(&mut self) -> Option<String> {
        let span = self.integrator.options.until - self.integrator.start_time;
        AHEAD.iter().find_map(|part| {
            let (t, mut y) = (self.integrator.trial.t + part * span, self.integrator.trial.start.clone());
            match self.integrator.flow.constraints().make_consistent(t, &mut y, &[]) {
                Err(Refusal::Open(rows)) => {
                    Some(format!("however it moves, {:.1e} later {}", part * span, self.in_words(&rows)))
                }
                _ => None,
            }
        })
    }

    /// Constraints that follow from each other but do not let be the same accelerations.
    fn contrary_accelerations(&mut self) -> Option<String> {
        let (t, y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        let open = self.integrator.flow.constraints().contradicting(t, &y);
        (!open.is_empty()).then(|| format!("{} at the level of accelerations", self.in_words(&open)))
    }

    /// Constraints that can be met in a moment only where the mechanism is not now.
    fn jump_ahead(&mut self) -> Option<Error> {
        let Integrator { trial, flow, options, start_time, .. } = &mut *self.integrator;
        let t = trial.t + AT_ONCE * (options.until - *start_time).max(trial.t.abs());
        let mut y = trial.start.clone();
        flow.constraints().make_consistent(t, &mut y, &[]).ok()?;
        let jumps = (0..flow.system().layout().q).find(|&i| self.integrator.is_apart(i, y[i]))?;
        Some(joint_open(self.integrator, IN_MOTION.to_owned(), t, (jumps, y[jumps])))
    }

    /// What corrections have left open after a step that could shrink; one of fixed size is simply too long.
    fn left_open(&self) -> Option<Error> {
        match self.integrator.trial.fault {
            Some(Fault::LeftOpen { constraint, left }) if self.integrator.options.steps.fixed.is_none() => {
                Some(self.motion_not_consistent(self.in_words(&[(constraint, left)])))
            }
            _ => None,
        }
    }
}

/// A joint that is to be shut where its parts are not together; `must` is where a coordinate would have to
/// jump to.
pub(super) fn joint_open(
    integrator: &mut Integrator<'_>,
    what: String,
    t: f64,
    (coordinate, must): (usize, f64),
) -> Error {
    let (flow, y) = (&mut integrator.flow, &integrator.trial.start);
    let constraints = flow.system().constraints();
    let holonomic = constraints.iter().filter(|c| c.holonomic).count();
    let (mut position, mut velocity) = (vec![0.0; holonomic], vec![0.0; constraints.len()]);
    flow.constraints().residuals(t, y, &mut position, &mut velocity);
    let largest = (0..holonomic).max_by(|&a, &b| position[a].abs().total_cmp(&position[b].abs()));
    let joint = largest.and_then(|k| joint_of(&constraints[k].name)).filter(|_| what != IN_MOTION);
    if let Some((joint, k)) = joint.zip(largest) {
        return Error::JointApart { joint: joint.to_owned(), apart: position[k].abs(), what, t };
    }
    let name = &flow.system().state_names()[coordinate];
    let left = largest.map_or_else(String::new, |k| open_in_words(constraints, &[(k, position[k])]));
    let left = format!("{left}, and `{name}` would have to jump from {} to {must}", y[coordinate]);
    let about = largest.map(|k| constraints[k].name.clone()).into_iter().collect();
    Error::NotConsistent { what, t, left, about }
}

/// The joint of bodies that a constraint is of, if it is of one.
pub(super) fn joint_of(constraint: &str) -> Option<&str> {
    constraint.strip_prefix("joint.")?.rsplit_once('.').map(|(joint, _)| joint)
}

/// Constraints by how far they are off, in words.
pub(super) fn open_in_words(constraints: &[Constraint], rows: &[(usize, f64)]) -> String {
    let one = |(k, left): &(usize, f64)| format!("`{}` is off by {left:.3e}", constraints[*k].name);
    rows.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn describe_state(names: &[String], y: &[f64]) -> String {
    let list: Vec<_> = names.iter().zip(y).take(6).map(|(n, y)| format!("{n} = {y:e}")).collect();
    let more = if names.len() > list.len() { ", …" } else { "" };
    format!("{}{more}", list.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constraint_that_is_off_by_far_more_than_those_it_followed_from_has_parted() {
        let layout = Layout { q: 1, v: 1, z: 0 };
        let off = |position: [f64; 2], velocity: [f64; 2]| Redundant {
            rows: vec![1],
            position: position.to_vec(),
            velocity: velocity.to_vec(),
            lengths: vec![1.0, 2.0],
        };
        let open = |redundant: Redundant| redundant.open(layout, &[1.0, 1.0], |_| 0.0);
        assert_eq!(open(off([1e-9, 1e-7], [0.0; 2])), (vec![], true), "that is negligible");
        assert_eq!(open(off([1e-9, 0.1], [0.0; 2])), (vec![(1, 0.1)], false));
        assert_eq!(open(off([0.01, 0.1], [0.0; 2])), (vec![], true), "the others are off, too");
        assert_eq!(open(off([0.0; 2], [0.0, 0.1])), (vec![(1, 0.1)], true));
    }
}
