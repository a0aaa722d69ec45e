//! Resets of guards that fire together (rule 13): all read the values before; two different values for one
//! target are a conflict.

use super::rule::{Impossible, Rule, Tools, Transition};
use crate::equations::{Reset, ResetTargets};
use crate::formulation::Flow;
use std::cmp::Ordering;

/// What a reset sets: a state or a discrete variable, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A state.
    State(usize),
    /// A discrete variable.
    Discrete(usize),
}

/// Two guards that set one target to different values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conflict {
    /// What both set.
    pub target: Target,
    /// The guards.
    pub guards: (usize, usize),
    /// What they would set it to.
    pub values: (f64, f64),
}

/// A list of values that several guards may set, with who has set what.
#[derive(Clone, Debug, Default)]
struct Merged {
    /// What one guard makes of the values.
    one: Vec<f64>,
    /// The guard that has set each value, if any.
    owners: Vec<Option<usize>>,
}

/// Scratch to apply resets with.
#[derive(Clone, Debug, Default)]
pub struct Resets {
    state: Merged,
    discrete: Merged,
    discrete_before: Vec<f64>,
}

impl Rule for Resets {
    fn apply(&mut self, tools: &mut Tools<'_, '_>, transition: &mut Transition) -> Result<(), Impossible> {
        self.merge_all(tools.flow, transition).map_err(Impossible::Conflict)?;
        let Some(state) = transition.after.iter().position(|y| !y.is_finite()) else { return Ok(()) };
        let guards = tools.flow.system().guards();
        let guard = transition.firing.guards.iter().copied().find(|&g| guards[g].response.reset);
        Err(Impossible::NotFinite { guard, state, value: transition.after[state] })
    }
}

impl Resets {
    /// Applies the resets of the guards that fired to the state after, and to the discrete variables of the
    /// flow.
    fn merge_all(&mut self, flow: &mut Flow<'_>, transition: &mut Transition) -> Result<(), Conflict> {
        let (system, t) = (flow.system(), transition.t);
        let Transition { firing, before, after, .. } = transition;
        self.discrete_before.clone_from(&flow.mode.values.discrete);
        let mut discrete = self.discrete_before.clone();
        self.state.begin(before.len());
        self.discrete.begin(discrete.len());
        for &g in firing.guards.iter().filter(|&&g| system.guards()[g].response.reset) {
            self.state.copy(before);
            self.discrete.copy(&self.discrete_before);
            let set = Reset { state: &mut self.state.one, discrete: &mut self.discrete.one };
            flow.guards().reset(g, t, before, set);
            let ResetTargets { states, discrete: variables } = system.reset_targets(g).unwrap_or_default();
            let known = system.reset_targets(g).is_some();
            let conflict = |(i, guards, values), target: fn(usize) -> Target| Conflict {
                target: target(i),
                guards,
                values,
            };
            let priority = |g: usize| system.guards()[g].priority;
            let merged = self.state.merge(g, known.then_some(states), (before, after), &priority);
            merged.map_err(|found| conflict(found, Target::State))?;
            let both = (&self.discrete_before[..], &mut discrete[..]);
            let merged = self.discrete.merge(g, known.then_some(variables), both, &priority);
            merged.map_err(|found| conflict(found, Target::Discrete))?;
        }
        flow.mode.values.discrete = discrete;
        Ok(())
    }
}

/// The index, the two guards and the two values of a conflict.
type Clash = (usize, (usize, usize), (f64, f64));

impl Merged {
    fn begin(&mut self, count: usize) {
        self.owners.clear();
        self.owners.resize(count, None);
    }

    fn copy(&mut self, before: &[f64]) {
        self.one.clear();
        self.one.extend_from_slice(before);
    }

    /// Adds what one guard has set to what others have; of two values for one target that of the higher
    /// priority counts. Where it is not known what a guard sets, it is what has changed.
    fn merge(
        &mut self,
        guard: usize,
        targets: Option<&[usize]>,
        (before, after): (&[f64], &mut [f64]),
        priority: &dyn Fn(usize) -> i64,
    ) -> Result<(), Clash> {
        let mut set = |merged: &mut Self, i: usize| merged.set(i, guard, after, priority);
        match targets {
            Some(targets) => targets.iter().try_for_each(|&i| set(self, i)),
            None => (0..before.len()).try_for_each(|i| {
                let changed = self.one[i].to_bits() != before[i].to_bits();
                if changed { set(self, i) } else { Ok(()) }
            }),
        }
    }

    /// Sets one value to what a guard makes of it.
    fn set(
        &mut self,
        i: usize,
        guard: usize,
        after: &mut [f64],
        priority: &dyn Fn(usize) -> i64,
    ) -> Result<(), Clash> {
        let value = self.one[i];
        if let Some(first) = self.owners[i].filter(|_| after[i].to_bits() != value.to_bits()) {
            match priority(first).cmp(&priority(guard)) {
                Ordering::Greater => return Ok(()),
                Ordering::Equal => return Err((i, (first, guard), (after[i], value))),
                Ordering::Less => {}
            }
        }
        self.owners[i] = Some(guard);
        after[i] = value;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merge(merged: &mut Merged, guard: usize, one: &[f64], after: &mut [f64]) -> Result<(), Clash> {
        merged.copy(one);
        merged.merge(guard, None, (&[1.0, 2.0], after), &|guard| i64::from(guard == 9))
    }

    #[test]
    fn guards_that_set_different_states_or_the_same_value_do_not_conflict() {
        let (mut merged, mut after) = (Merged::default(), [1.0, 2.0]);
        merged.begin(2);
        assert_eq!(merge(&mut merged, 0, &[5.0, 2.0], &mut after), Ok(()));
        assert_eq!(merge(&mut merged, 1, &[1.0, 6.0], &mut after), Ok(()));
        assert_eq!(merge(&mut merged, 2, &[5.0, 2.0], &mut after), Ok(()));
        assert_eq!(after, [5.0, 6.0]);
    }

    #[test]
    fn the_higher_priority_decides_in_any_order() {
        for order in [[3, 9], [9, 3]] {
            let (mut merged, mut after) = (Merged::default(), [1.0, 2.0]);
            merged.begin(2);
            for guard in order {
                let set = if guard == 9 { 5.0 } else { 4.0 };
                assert_eq!(merge(&mut merged, guard, &[set, 2.0], &mut after), Ok(()));
            }
            assert_eq!(after, [5.0, 2.0]);
        }
    }

    #[test]
    fn two_values_for_one_state_are_a_conflict() {
        let (mut merged, mut after) = (Merged::default(), [1.0, 2.0]);
        merged.begin(2);
        assert_eq!(merge(&mut merged, 3, &[5.0, 2.0], &mut after), Ok(()));
        assert_eq!(merge(&mut merged, 7, &[4.0, 2.0], &mut after), Err((0, (3, 7), (5.0, 4.0))));
    }
}
