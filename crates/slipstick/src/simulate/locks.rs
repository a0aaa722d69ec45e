//! Signs and counts that have no past are locked by their values (rule 10).

use super::Error;
use super::guards::{Guards, locks};
use super::integrator::Integrator;
use crate::equations::{Guard, GuardKind};
use crate::transition::is_searched;
use crate::watch::Banded;

/// How often locks are looked at again because they depend on each other.
const MOST_PASSES: usize = 64;
/// 2^53: beyond, the next whole number is not a double.
const LARGEST_COUNT: f64 = 9_007_199_254_740_992.0;

/// Locks what switches in the equations by the values where the motion stands.
pub(super) struct Locking<'r, 'a> {
    pub(super) integrator: &'r mut Integrator<'a>,
    pub(super) guards: &'r mut Guards,
}

impl Locking<'_, '_> {
    /// Locks signs and counts that have no past, in the order in which they depend on each other. Those
    /// inside their bands are classified afterwards.
    pub(super) fn lock_all(&mut self) -> Result<(), Error> {
        let guards = self.integrator.flow.system().guards();
        // The count of a clock begins with the strikes before the run.
        let counts = |guard: &Guard| locks(guard) || guard.response.count.is_some();
        if !guards.iter().any(counts) {
            return Ok(());
        }
        for _ in 0..MOST_PASSES {
            let mut changed = false;
            for g in (0..guards.len()).filter(|&g| counts(&guards[g])) {
                changed |= self.lock_one(g)?;
            }
            if !changed {
                break;
            }
            self.guards.activate(&mut self.integrator.flow, self.integrator.trial.t);
        }
        Ok(())
    }

    /// Locks the signs of switches outside their bands by the state after an event, where other constraints
    /// may hold than before.
    pub(super) fn lock_switches(&mut self) {
        for (g, guard) in self.integrator.flow.system().guards().iter().enumerate() {
            let Some(switch) = guard.response.switch.filter(|_| is_searched(guard)) else {
                continue;
            };
            let slides = self.integrator.flow.mode.structure.sliding.contains(&g);
            if let Some(side) = self.value_of(g).sign().filter(|_| self.integrator.flow.watches(g) && !slides)
            {
                self.integrator.flow.mode.values.signs[switch] =
                    side * self.guards.comparisons.orientation(g);
            }
        }
    }

    /// Locks one sign or count. Gives whether that changed it.
    fn lock_one(&mut self, g: usize) -> Result<bool, Error> {
        let (guard, t) = (&self.integrator.flow.system().guards()[g], self.integrator.trial.t);
        if !self.integrator.flow.watches(g) {
            return Ok(false);
        }
        if let GuardKind::Scheduled { rising } = guard.kind {
            return Ok(self.lock_scheduled(g, rising));
        }
        let watch = &mut self.guards.watch;
        if !is_searched(guard) || !watch.is_on(g) || watch.has_past(g) {
            return Ok(false);
        }
        let value = self.value_of(g);
        if !value.is_finite() {
            return Err(Error::GuardNotFinite { name: guard.name.clone(), value: value.value, t });
        }
        let Some(side) = value.sign() else { return Ok(false) };
        let surface = side * self.guards.comparisons.orientation(g);
        let values = &mut self.integrator.flow.mode.values;
        if let Some(switch) = guard.response.switch {
            let old = std::mem::replace(&mut values.signs[switch], surface);
            self.guards.watch.place(g, side > 0.0, false, 0.0);
            return Ok(old != surface);
        }
        let Some(count) = guard.response.count else { return Ok(false) };
        if side < 0.0 {
            return Ok(false);
        }
        let by = value.value.ceil();
        values.counts[count.index] += if count.up { by } else { -by };
        let value = values.counts[count.index];
        // Whole numbers are counted one by one: that needs doubles which can tell neighbours apart.
        if value.abs() > LARGEST_COUNT {
            return Err(Error::CountTooLarge { name: guard.name.clone(), value, t });
        }
        Ok(true)
    }

    /// What depends on time alone follows from the time.
    fn lock_scheduled(&mut self, g: usize, rising: bool) -> bool {
        let Integrator { flow, trial, .. } = &mut *self.integrator;
        let guard = &flow.system().guards()[g];
        let ahead = self.guards.calendar.time(g) > trial.t;
        if let Some(switch) = guard.response.switch {
            let sign = if rising == ahead { -1.0 } else { 1.0 };
            return std::mem::replace(&mut flow.mode.values.signs[switch], sign) != sign;
        }
        let Some(count) = guard.response.count.filter(|_| !ahead) else { return false };
        let by = flow.guards().value(g, trial.t, &trial.start).abs().ceil().max(1.0);
        flow.mode.values.counts[count.index] += if count.up { by } else { -by };
        true
    }

    /// The value of a comparison here.
    fn value_of(&mut self, comparison: usize) -> Banded {
        self.guards.signal(self.integrator, comparison, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Plan;
    use super::*;

    #[test]
    fn signs_and_whole_numbers_follow_from_where_the_motion_stands() {
        let plan = Plan::of(
            r#"
            states = { x = -1.5, y = 0.0 }
            derivatives = { x = "sign(x) + floor(2 * x)", y = "sign(y)" }
            run = { until = 3 }"#,
        );
        let mut integrator = Integrator::of(&plan);
        let mut guards = Guards::new(&integrator);
        guards.activate(&mut integrator.flow, 0.0);
        Locking { integrator: &mut integrator, guards: &mut guards }.lock_all().expect("finite values");
        let values = &integrator.flow.mode.values;
        assert_eq!((values.signs.as_slice(), values.counts.as_slice()), (&[-1.0, 1.0][..], &[-3.0][..]));
        assert!(!guards.watch.has_past(1), "inside its band it has no side yet");
    }
}
