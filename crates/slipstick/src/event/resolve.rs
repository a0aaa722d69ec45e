//! What happens at an event: resets, switch signs and counts, the mode, the stop, in this order.

use super::Detector;
use crate::equations::Reset;
use crate::formulation::Flow;

/// What an event did, apart from the state it left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resolution {
    /// Components that two guards reset to different values, with the guard that won and the one that lost.
    pub conflicts: Vec<Conflict>,
    /// The guard that ends the run here, if any.
    pub stop: Option<usize>,
}

/// Two guards that fire together and reset one component to different values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The component of the state.
    pub component: usize,
    /// The guard whose value holds: the one that is declared later.
    pub winner: usize,
    /// The guard whose value was overwritten.
    pub loser: usize,
}

/// Applies the responses of all guards that fired. `counts` holds how often each guard has fired, this time included.
pub fn resolve(
    flow: &mut Flow<'_>,
    detector: &Detector,
    counts: &[u64],
    t: f64,
    before: &[f64],
    after: &mut [f64],
) -> Resolution {
    let mut resolution = Resolution::default();
    let guards = flow.system().guards();
    apply_resets(flow, detector.fired(), t, before, after, &mut resolution.conflicts);
    for &g in detector.fired() {
        let response = &guards[g].response;
        if let Some(switch) = response.switch {
            flow.mode.values.signs[switch] = -detector.side(g).signum();
        }
        // A motion that leaves a jump is put to its side when that is known.
        if let Some(count) = response.count.filter(|_| !flow.mode.structure.sliding.contains(&g)) {
            flow.mode.values.counts[count.index] += if count.up { 1.0 } else { -1.0 };
        }
        if response.stop_after.is_some_and(|n| counts[g] >= n) {
            resolution.stop = resolution.stop.or(Some(g));
        }
    }
    // Read every response before the mode changes: the guards fired in the old mode.
    let next = detector.fired().iter().rev().find_map(|&g| guards[g].response.mode);
    flow.mode.values.place = next.unwrap_or(flow.mode.values.place);
    resolution
}

/// Applies all resets, each from the values before the event; a later guard overwrites an earlier one.
fn apply_resets(
    flow: &mut Flow<'_>,
    fired: &[usize],
    t: f64,
    before: &[f64],
    after: &mut [f64],
    conflicts: &mut Vec<Conflict>,
) {
    after.copy_from_slice(before);
    let mut set_by: Vec<Option<usize>> = vec![None; before.len()];
    let (mut proposal, mut discrete) = (before.to_vec(), flow.mode.values.discrete.clone());
    let guards = flow.system().guards();
    for &g in fired.iter().filter(|&&g| guards[g].response.reset) {
        proposal.copy_from_slice(before);
        flow.reset(g, t, before, Reset { state: &mut proposal, discrete: &mut discrete });
        for i in (0..before.len()).filter(|&i| proposal[i] != before[i]) {
            match set_by[i] {
                Some(loser) if after[i] != proposal[i] => {
                    conflicts.push(Conflict { component: i, winner: g, loser });
                }
                _ => {}
            }
            after[i] = proposal[i];
            set_by[i] = Some(g);
        }
    }
    flow.mode.values.discrete = discrete;
}
