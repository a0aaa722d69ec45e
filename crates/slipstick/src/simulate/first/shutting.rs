//! Joints that an event opens or shuts by what it sets: what it sets holds with the constraints behind it, not with those before.

use super::Error;
use super::assemble::MOST_APART;
use super::run::Run;

impl Run<'_> {
    /// Takes the branches of constraints that hold in the state which an event has set. Gives what was left of constraints of positions there before that.
    pub(super) fn take_branches(&mut self, t: f64) -> Result<Vec<f64>, Error> {
        if !self.constraints_switch() {
            return Ok(Vec::new());
        }
        let left = self.left_of_positions(t);
        let after = self.after.clone();
        let locked = self.detector.lock_behind_event(&mut self.flow, t, &after);
        locked.map_err(|bad| self.bad_guard(bad))?;
        Ok(left)
    }

    fn left_of_positions(&mut self, t: f64) -> Vec<f64> {
        let constraints = self.flow.system().constraints();
        let holonomic = constraints.iter().filter(|constraint| constraint.holonomic).count();
        let (mut position, mut velocity) = (vec![0.0; holonomic], vec![0.0; constraints.len()]);
        self.flow.residuals(t, &self.after, &mut position, &mut velocity);
        position
    }

    /// A joint that shuts must find its parts together: positions do not jump to it. `before` is what was left with the branches before, `shut` where all is met.
    pub(super) fn check_shutting(&mut self, t: f64, before: &[f64], shut: &[f64]) -> Result<(), Error> {
        if before.is_empty() {
            return Ok(());
        }
        let (q, left) = (self.flow.system().layout().q, self.left_of_positions(t));
        let bound = (0..q).map(|i| MOST_APART * self.uncertainty_of(i, shut[i])).fold(0.0, f64::max);
        let open = |k: &usize| left[*k] != before[*k] && left[*k].abs() > bound;
        let open: Vec<(usize, f64)> = (0..left.len()).filter(open).map(|k| (k, left[k])).collect();
        let jump = |i: usize| (shut[i] - self.after[i]).abs();
        let Some(i) = (0..q).max_by(|&a, &b| jump(a).total_cmp(&jump(b))).filter(|_| !open.is_empty()) else {
            return Ok(());
        };
        let (name, open) = (&self.flow.system().state_names()[i], self.open_in_words(&open));
        let left = format!("{open}, and `{name}` would have to jump from {} to {}", self.after[i], shut[i]);
        Err(Error::NotConsistent { what: self.fired_in_words(), t, left })
    }
}
