//! A mechanism as it is put together at the start, without a run: degrees of freedom, redundant constraints, and what
//! was moved.

use super::{Error, Plan, Simulator};
use crate::equations::System;

/// A mechanism that has been put together.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembly {
    /// How many velocities there are.
    pub velocities: usize,
    /// How many constraints hold, beside those of drives.
    pub rows: usize,
    /// How many of them are independent.
    pub rank: usize,
    /// The constraints that follow from others, by name.
    pub redundant: Vec<String>,
    /// How many drives there are.
    pub driven: usize,
    /// Every coordinate that was moved, with where it was and where it is.
    pub moved: Vec<(String, f64, f64)>,
    /// The state that was reached.
    pub state: Vec<f64>,
}

impl Assembly {
    /// How many velocities the constraints leave free, those that are driven among them.
    pub fn degrees_of_freedom(&self) -> usize {
        self.velocities.saturating_sub(self.rank)
    }

    /// The same as counted without looking at which constraints are independent (Grübler's criterion).
    pub fn gruebler(&self) -> i64 {
        let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
        count(self.velocities) - count(self.rows)
    }
}

/// What the names of the constraints of drives begin with.
const DRIVE: &str = "drive.";
/// A coordinate has moved if it did by more than this part of itself, or of one.
const MOVED: f64 = 1e-9;

/// Puts the mechanism of a plan together; none if the model has no mechanism.
pub fn assemble(plan: &Plan) -> Result<Option<Assembly>, Error> {
    // What is drawn is put together with three coordinates for each body.
    let plan = plan.drawing.as_ref().map_or(plan, |drawing| &drawing.plan);
    let system: &dyn System = &plan.system;
    if system.mechanism().is_none() {
        return Ok(None);
    }
    let state = Simulator::new(system, &plan.options).assemble(&plan.start)?;
    Ok(Some(Assembly::of(system, plan, state)))
}

impl Assembly {
    fn of(system: &dyn System, plan: &Plan, put: PutTogether) -> Self {
        let names = system.state_names();
        let layout = system.layout();
        let constraints = system.constraints();
        let moved = |i: &usize| {
            let (from, to) = (plan.start.y[*i], put.state[*i]);
            (from - to).abs() > MOVED * (1.0 + from.abs())
        };
        let is_drive = |k: &usize| constraints[*k].name.starts_with(DRIVE);
        let driven = (0..constraints.len()).filter(is_drive).count();
        let repeated = put.redundant.iter().filter(|k| is_drive(k)).count();
        let rank = put.rank - (driven - repeated);
        Self {
            velocities: layout.v,
            rows: rank + put.redundant.len() - repeated,
            rank,
            redundant: put.redundant.iter().map(|&k| constraints[k].name.clone()).collect(),
            driven,
            moved: (0..layout.q)
                .filter(moved)
                .map(|i| (names[i].clone(), plan.start.y[i], put.state[i]))
                .collect(),
            state: put.state,
        }
    }
}

/// What a simulator says of a start that it has put together.
pub(super) struct PutTogether {
    pub(super) state: Vec<f64>,
    pub(super) rank: usize,
    pub(super) redundant: Vec<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pendulum with a rod that is written twice, drawn where it is too long.
    const TWICE: &str = r#"
        coordinates = { x = 1.5, y = 0 }
        kinetic = "(x'^2 + y'^2)/2"
        constraints = { rod = "x^2 + y^2 - 1", again = "2*x^2 + 2*y^2 - 2" }
        run.until = 1
    "#;

    #[test]
    fn redundant_constraints_take_no_freedom() {
        let assembly = assemble(&Plan::of(TWICE)).expect("a start").expect("a mechanism");
        assert_eq!((assembly.degrees_of_freedom(), assembly.gruebler()), (1, 0));
        assert_eq!((assembly.rows, assembly.rank, assembly.redundant.len()), (2, 1, 1));
        assert_eq!(assembly.moved.len(), 1);
        assert!((assembly.state[0] - 1.0).abs() < 1e-14, "{:?}", assembly.state);
    }
}
