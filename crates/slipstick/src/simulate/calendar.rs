//! Events whose times are known beforehand: clocks, and conditions of time alone.

use crate::equations::GuardKind;
use crate::formulation::Flow;

/// The times at which scheduled guards fire.
pub(super) struct Calendar {
    /// The scheduled guards, all of them.
    guards: Vec<usize>,
    /// The time of each guard of the system; only those of scheduled ones mean anything.
    times: Vec<f64>,
    /// Whether each guard has still to fire at its time.
    pending: Vec<bool>,
}

impl Calendar {
    pub(super) fn new(flow: &Flow<'_>) -> Self {
        let guards = flow.system().guards();
        let scheduled = |g: &usize| matches!(guards[*g].kind, GuardKind::Scheduled { .. });
        Self {
            guards: (0..guards.len()).filter(scheduled).collect(),
            times: vec![f64::NAN; guards.len()],
            pending: vec![false; guards.len()],
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.guards.is_empty()
    }

    /// Reads the times anew: they depend on counts and parameters. A guard is pending if its time is ahead.
    pub(super) fn read(&mut self, flow: &mut Flow<'_>, t: f64) {
        if self.guards.is_empty() {
            return;
        }
        flow.schedule(&mut self.times);
        for &g in &self.guards {
            self.pending[g] = flow.watches(g) && self.times[g] > t;
        }
    }

    /// The next time at which something is due; infinity if nothing is.
    pub(super) fn next(&self) -> f64 {
        let due = self.guards.iter().filter(|&&g| self.pending[g]);
        due.map(|&g| self.times[g]).fold(f64::INFINITY, f64::min)
    }

    /// The guards that are due at this time; they are not pending any more.
    pub(super) fn take_due(&mut self, t: f64, fired: &mut Vec<usize>) {
        for &g in &self.guards {
            if self.pending[g] && self.times[g] == t {
                self.pending[g] = false;
                fired.push(g);
            }
        }
        fired.sort_unstable();
    }

    /// The time of a scheduled guard.
    pub(super) fn time(&self, guard: usize) -> f64 {
        self.times[guard]
    }

    /// Whether a scheduled guard has still to fire.
    pub(super) fn is_pending(&self, guard: usize) -> bool {
        self.pending[guard]
    }
}
