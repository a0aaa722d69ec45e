//! Resets of guards that fire together (rule 13): all read the values before; two different values for one state are a conflict.

use crate::formulation::Flow;

/// Two guards that set one state to different values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conflict {
    /// The state.
    pub state: usize,
    /// The guards.
    pub guards: (usize, usize),
    /// What they would set it to.
    pub values: (f64, f64),
}

/// What resets leave behind, and who has set what.
#[derive(Clone, Debug, Default)]
pub struct Resets {
    /// What one guard makes of the state.
    one: Vec<f64>,
    /// The guard that has set each state, if any.
    owners: Vec<Option<usize>>,
}

impl Resets {
    /// Applies the resets of the guards that fired to `after`, which comes in as the state before.
    pub fn apply(
        &mut self,
        flow: &mut Flow<'_>,
        fired: &[usize],
        (t, before): (f64, &[f64]),
        after: &mut [f64],
    ) -> Result<(), Conflict> {
        self.owners.clear();
        self.owners.resize(before.len(), None);
        let guards = flow.system().guards();
        for &g in fired.iter().filter(|&&g| guards[g].response.reset) {
            self.one.clear();
            self.one.extend_from_slice(before);
            flow.reset(g, t, before, &mut self.one);
            self.merge(g, before, after)?;
        }
        Ok(())
    }

    /// Adds what one guard has set to what others have.
    fn merge(&mut self, guard: usize, before: &[f64], after: &mut [f64]) -> Result<(), Conflict> {
        for (state, &value) in self.one.iter().enumerate() {
            if value.to_bits() == before[state].to_bits() {
                continue;
            }
            if let Some(first) = self.owners[state].filter(|_| after[state].to_bits() != value.to_bits()) {
                return Err(Conflict { state, guards: (first, guard), values: (after[state], value) });
            }
            self.owners[state] = Some(guard);
            after[state] = value;
        }
        Ok(())
    }
}
