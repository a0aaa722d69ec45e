//! Events whose times are known beforehand: clocks, and conditions of time alone.

use crate::equations::GuardKind;
use crate::formulation::Flow;

/// How many spacings of doubles apart two times can be that are meant to be one.
const HAIR: f64 = 4.0;

/// The times at which scheduled guards fire.
pub(super) struct Calendar {
    /// The scheduled guards, all of them.
    guards: Vec<usize>,
    /// The time of each guard of the system; only those of scheduled ones mean anything.
    times: Vec<f64>,
    /// Whether each guard has still to fire at its time.
    pending: Vec<bool>,
    /// The side of each scheduled guard; zero if it is not watched.
    sides: Vec<f64>,
    /// The end of the run: a strike that rounding has put after it belongs to it.
    until: f64,
}

impl Calendar {
    pub(super) fn new(flow: &Flow<'_>, until: f64) -> Self {
        let guards = flow.system().guards();
        let scheduled = |g: &usize| matches!(guards[*g].kind, GuardKind::Scheduled { .. });
        Self {
            guards: (0..guards.len()).filter(scheduled).collect(),
            times: vec![f64::NAN; guards.len()],
            pending: vec![false; guards.len()],
            sides: vec![0.0; guards.len()],
            until,
        }
    }

    /// Becomes as new, for another run.
    pub(super) fn renew(&mut self) {
        let Self { guards: _, times, pending, sides, until: _ } = self;
        times.fill(f64::NAN);
        pending.fill(false);
        sides.fill(0.0);
    }

    /// Reads the times anew: they depend on counts and parameters. A guard is pending if its time is ahead.
    /// What is a hair after another time, or after the end of the run, is at that time. Closures are promised
    /// their times to the last bit, so that only the end of the run draws them.
    pub(super) fn read(&mut self, flow: &mut Flow<'_>, t: f64) {
        if self.guards.is_empty() {
            return;
        }
        let fired = |calendar: &Self, g: usize| calendar.times[g] == t && !calendar.pending[g];
        let just_fired: Vec<usize> = self.guards.iter().copied().filter(|&g| fired(self, g)).collect();
        flow.guards().schedule(&mut self.times);
        for &g in &just_fired {
            if is_hair_after(self.times[g], t) {
                self.times[g] = t;
            }
        }
        let joins = flow.system().has_formulas();
        for i in 0..self.guards.len() {
            let g = self.guards[i];
            self.times[g] = self.meant_time(self.times[g], t, joins);
            self.pending[g] = flow.watches(g) && self.times[g] > t;
        }
    }

    /// The first of the times after `t` that a time can stand for.
    fn meant_time(&self, time: f64, t: f64, joins: bool) -> f64 {
        let strikes = self.guards.iter().filter(|_| joins).map(|&g| self.times[g]);
        let others = strikes.chain([self.until]);
        others.filter(|&other| other > t && is_hair_after(time, other)).fold(time, f64::min)
    }

    /// Guards that never fire at their zero have passed it without a word: their sides are those of their
    /// values before a transition.
    pub(super) fn keep_sides(&mut self, flow: &mut Flow<'_>, t: f64, y: &[f64]) {
        for &g in self.guards.iter().filter(|&&g| self.times[g] == f64::INFINITY) {
            let value = flow.guards().value(g, t, y);
            if value != 0.0 && self.sides[g] != 0.0 {
                self.sides[g] = value.signum();
            }
        }
    }

    /// The guards that what has happened has carried to their other side: their times were changed.
    pub(super) fn take_carried(&mut self, flow: &mut Flow<'_>, t: f64, y: &[f64], fired: &mut Vec<usize>) {
        let guards = flow.system().guards();
        for &g in &self.guards {
            let GuardKind::Scheduled { rising } = guards[g].kind else { continue };
            let slope = if rising { 1.0 } else { -1.0 };
            let value = if self.times[g] == t { 0.0 } else { flow.guards().value(g, t, y) };
            let now = match value {
                _ if !flow.watches(g) => 0.0,
                0.0 => slope,
                value => value.signum(),
            };
            let old = std::mem::replace(&mut self.sides[g], now);
            let locks = guards[g].response.switch.is_some() || guards[g].response.count.is_some();
            if !locks && old * now < 0.0 && guards[g].direction.admits(old) {
                fired.push(g);
            }
        }
        fired.sort_unstable();
    }

    /// The next time at which something is due; infinity if nothing is.
    pub(super) fn next(&self) -> f64 {
        let due = self.guards.iter().filter(|&&g| self.pending[g]);
        due.map(|&g| self.times[g]).fold(f64::INFINITY, f64::min)
    }

    /// The guards that are due at this time; they are not pending any more.
    pub(super) fn take_due(&mut self, flow: &Flow<'_>, t: f64, fired: &mut Vec<usize>) {
        for &g in &self.guards {
            if self.pending[g] && self.times[g] == t {
                let rising = flow.system().guards()[g].kind == GuardKind::Scheduled { rising: true };
                self.pending[g] = false;
                self.sides[g] = if rising { 1.0 } else { -1.0 };
                fired.push(g);
            }
        }
        fired.sort_unstable();
    }

    /// The time of a scheduled guard.
    pub(super) fn time(&self, guard: usize) -> f64 {
        self.times[guard]
    }
}

fn is_hair_after(time: f64, other: f64) -> bool {
    time > other && time - other <= HAIR * f64::EPSILON * other.abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hair_is_a_few_spacings() {
        assert!(is_hair_after(0.1 + 0.2, 0.3) && !is_hair_after(0.3, 0.1 + 0.2));
        assert!(!is_hair_after(0.3 + 1e-12, 0.3));
    }
}
