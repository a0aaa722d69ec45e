//! Consistent states of a mechanism: at the start of a run, and after an event has reset something.
//!
//! What was set on purpose stays: coordinates that are pinned at the start, and those that an event resets. The others move as little as they can in the
//! metric of the mass matrix. After an impact on one coordinate this is what the joints do to the others.

use super::Error;
use super::contradiction::{MOST_APART, Redundant};
use super::simulator::{Firing, Simulator};
use crate::formulation::Refusal;
use crate::math::SaddleFault;
use crate::trajectory::Adjustment;

/// By which part an event may raise the kinetic energy before that is worth a warning.
const WORTH_A_WARNING: f64 = 1e-6;

impl Simulator<'_> {
    /// Makes the start consistent, and says what was changed.
    pub(super) fn assemble_start(&mut self) -> Result<(), Error> {
        if self.integrator.flow.system().layout().v == 0 {
            return Ok(());
        }
        let (t, mut y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        if self.constraints_switch() {
            self.activate_guards();
            self.lock_by_value()?;
        }
        if self.reaches() {
            self.approach_surfaces(t, &y)?;
            self.integrator.flow.enter_form(t, &y);
            self.note_redundant(t);
            return Ok(());
        }
        let assembled = self.integrator.flow.assemble(t, &mut y, &self.integrator.options.pinned);
        assembled.map_err(|refusal| self.not_consistent("the start", t, &refusal))?;
        self.note_changes(t, &self.integrator.trial.start.clone(), &y);
        self.integrator.trial.restart(t, &y);
        self.integrator.flow.enter_form(t, &y);
        self.note_redundant(t);
        Ok(())
    }

    /// Has the algebraic states of the start follow from the others, and says what was changed. What the equations are depends on locks.
    pub(super) fn solve_start(&mut self) {
        let (t, mut y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        if self.integrator.flow.is_mechanism() {
            return;
        }
        if self.integrator.flow.solve_algebraic(t, &mut y) {
            self.note_changes(t, &self.integrator.trial.start.clone(), &y);
            self.integrator.trial.restart(t, &y);
        }
    }

    /// Next to a position in which a constraint fixes nothing, the direction of the motion hangs on rounding: that is worth a note, once.
    pub(super) fn note_singular(&mut self) {
        let Some(shrunk) = self.integrator.flow.shrunk_constraint() else { return };
        let (t, y) = (self.integrator.trial.t, &self.integrator.trial.start);
        if !shrunk.beside_others && self.integrator.flow.is_only_scaled(shrunk.row, t, y) {
            return;
        }
        let text = format!(
            "the mechanism comes next to a singular position: there the constraint `{}` fixes nothing{}, and how the motion goes on may hang on rounding; \
             check the energy, or write the constraint in another way",
            self.integrator.flow.system().constraints()[shrunk.row].name,
            if shrunk.beside_others { " that others do not" } else { "" }
        );
        self.recorder.note_once(t, ("singular-position", ""), || text);
    }

    /// Says which constraints followed from others where the form was entered.
    pub(super) fn note_redundant(&mut self, t: f64) {
        let (rows, share) = self.integrator.flow.redundant_constraints();
        let constraints = self.integrator.flow.system().constraints();
        self.integrator.redundant = Redundant::new(constraints, &rows);
        if rows.is_empty() {
            return;
        }
        let names: Vec<String> = rows.iter().map(|&k| format!("`{}`", constraints[k].name)).collect();
        let names = names.join(", ");
        let forces =
            if share { "equal ones share their forces" } else { "as there are so many, they have no forces" };
        let text = format!(
            "{} of {} constraints follow from the others ({names}); the motion is the same without them, and {forces}",
            rows.len(),
            constraints.len()
        );
        // Joints may shut again and again.
        self.recorder.note_once(t, ("redundant-constraints", &names), || text);
    }

    /// An event that sets states must find a mechanism that is closed: what a method leaves open is no part of what is set.
    pub(super) fn close_before_reset(&mut self, firing: &Firing, t: f64) {
        let flow = &mut self.integrator.flow;
        let guards = flow.system().guards();
        let resets = firing.guards.iter().any(|&g| guards[g].response.reset);
        if !resets || !flow.is_mechanism() || flow.is_reaching() {
            return;
        }
        self.after.copy_from_slice(&self.before);
        if flow.assemble(t, &mut self.after, &[]).is_ok() {
            self.before.copy_from_slice(&self.after);
            self.recorder.segment.extend(t, &self.before);
        }
    }

    /// Makes the state after an event consistent, if the event has reset it, and says what was changed beside that.
    pub(super) fn assemble_after_event(&mut self, firing: &Firing, t: f64) -> Result<(), Error> {
        if !self.integrator.flow.is_mechanism() || self.before == self.after {
            return Ok(());
        }
        if self.integrator.flow.is_reaching() {
            let after = self.after.clone();
            return self.approach_surfaces(t, &after);
        }
        let left = self.take_branches(t);
        let layout = self.integrator.flow.system().layout();
        let changed = |i: usize| self.before[i] != self.after[i];
        let was_reset = |i: &usize| changed(layout.q + i) || layout.q == layout.v && changed(*i);
        let pinned: Vec<usize> = (0..layout.v).filter(was_reset).collect();
        let mut y = self.after.clone();
        let flow = &mut self.integrator.flow;
        let (before, asked) = (flow.kinetic_energy(t, &self.before), flow.kinetic_energy(t, &y));
        let assembled = flow.assemble(t, &mut y, &pinned);
        let what = self.fired_in_words(firing);
        match assembled {
            Err(Refusal::Pinned(moved)) => self.note_undone(firing, t, &moved),
            assembled => assembled.map_err(|refusal| self.not_consistent(&what, t, &refusal))?,
        }
        self.check_shutting(firing, (t, &left), &y)?;
        self.after.copy_from_slice(&y);
        self.note_raised_energy(firing, t, (before, asked));
        Ok(())
    }

    /// What is set at some speeds the constraints pass on to others. An impact takes energy away or keeps it: where
    /// there is more than before and more than was set, the reset is hardly what was meant.
    fn note_raised_energy(&mut self, firing: &Firing, t: f64, (before, asked): (f64, f64)) {
        let after = self.integrator.flow.kinetic_energy(t, &self.after);
        if after <= before.max(asked) * (1.0 + WORTH_A_WARNING) {
            return;
        }
        let fired = self.fired_in_words(firing);
        self.recorder.note_once(t, ("energy-raised", &fired), || {
            format!(
                "{fired} has more kinetic energy than before: {after:.6} after {before:.6}; the constraints pass what \
                 the reset says of some speeds on to others"
            )
        });
    }

    pub(super) fn constraints_switch(&self) -> bool {
        self.integrator.flow.system().constraints().iter().any(|constraint| constraint.switches)
    }

    /// Where an event may have changed what constraints say, brings the motion to those that hold now: a joint that shuts takes the speed across it away, as
    /// impulses in the joints do. Positions must meet already: what would have to jump is an error.
    pub(super) fn shut_joints(&mut self, firing: &Firing) -> Result<(), Error> {
        if !self.integrator.flow.is_mechanism()
            || !self.constraints_switch()
            || self.integrator.flow.is_reaching()
        {
            return Ok(());
        }
        let (t, mut y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        let (q, what) = (self.integrator.flow.system().layout().q, self.fired_in_words(firing));
        self.integrator
            .flow
            .assemble(t, &mut y, &[])
            .map_err(|refusal| self.not_consistent(&what, t, &refusal))?;
        if let Some(i) = (0..q).find(|&i| self.integrator.is_apart(i, y[i])) {
            return Err(self.integrator.joint_open(what, t, (i, y[i])));
        }
        self.integrator.trial.restart(t, &y);
        self.integrator.flow.enter_form(t, &y);
        self.note_redundant(t);
        Ok(())
    }

    /// An event has set what the constraints do not let be. Once for each event and state is enough.
    fn note_undone(&mut self, firing: &Firing, t: f64, moved: &[(usize, f64, f64)]) {
        let names = self.integrator.flow.system().state_names();
        let one = |(i, set, is): &(usize, f64, f64)| format!("`{}` to {set} but it is {is}", names[*i]);
        let list: Vec<String> = moved.iter().map(one).collect();
        let fired = self.fired_in_words(firing);
        let text = format!("in {fired}, the constraints do not let be what was set: {}", list.join(", "));
        self.recorder.note_once(t, ("reset-adjusted", &fired), || text);
    }

    fn fired_in_words(&self, firing: &Firing) -> String {
        let names: Vec<String> = firing.guards.iter().map(|&g| format!("`{}`", self.guard(g).name)).collect();
        format!("the state after {}", names.join(" and "))
    }

    fn not_consistent(&self, what: &str, t: f64, refusal: &Refusal) -> Error {
        let (what, system) = (what.to_owned(), self.integrator.flow.system());
        let names = system.state_names();
        let left = match refusal {
            Refusal::Open(rows) => self.integrator.open_in_words(rows),
            Refusal::Pinned(moved) => {
                let one = |(i, pin, must): &(usize, f64, f64)| {
                    format!("`{}` is pinned at {pin} and would have to be {must}", names[*i])
                };
                moved.iter().map(one).collect::<Vec<_>>().join(", ")
            }
            Refusal::Singular(SaddleFault::NotFinite, _) => {
                let why = "a mass or the gradient of a constraint is not a finite number".to_owned();
                return Error::MotionNotDetermined { what, t, why };
            }
            Refusal::Singular(_, (i, mass)) => {
                let name = &names[system.layout().q + i];
                let why = format!(
                    "nothing resists some motion that the constraints allow; the mass of `{name}` is {mass}"
                );
                return Error::MotionNotDetermined { what, t, why };
            }
        };
        Error::NotConsistent { what, t, left }
    }

    fn note_changes(&mut self, t: f64, before: &[f64], after: &[f64]) {
        let names = self.integrator.flow.system().state_names();
        let tolerances = &self.integrator.options.tolerances;
        let changed = |i: &usize| (before[*i] - after[*i]).abs() > tolerances.scale(*i, before[*i].abs());
        let one = |i: usize| format!("`{}` from {} to {}", names[i], before[i], after[i]);
        let list: Vec<String> = (0..names.len()).filter(changed).map(one).collect();
        if !list.is_empty() {
            let what =
                if self.integrator.flow.is_mechanism() { "constraints" } else { "algebraic equations" };
            let text = format!("the start does not meet the {what} and was changed: {}", list.join(", "));
            self.recorder.note(t, "start-adjusted", text);
        }
    }

    /// Takes the branches of constraints that hold in the state which an event has set. Gives what was left of constraints of positions there before that.
    pub(super) fn take_branches(&mut self, t: f64) -> Vec<f64> {
        if !self.constraints_switch() {
            return Vec::new();
        }
        let left = self.left_of_positions(t);
        self.lock_switches_by_value();
        left
    }

    fn left_of_positions(&mut self, t: f64) -> Vec<f64> {
        let constraints = self.integrator.flow.system().constraints();
        let holonomic = constraints.iter().filter(|constraint| constraint.holonomic).count();
        let (mut position, mut velocity) = (vec![0.0; holonomic], vec![0.0; constraints.len()]);
        self.integrator.flow.residuals(t, &self.after, &mut position, &mut velocity);
        position
    }

    /// A joint that shuts must find its parts together: positions do not jump to it. `before` is what was left with the branches before, `shut` where all is met.
    pub(super) fn check_shutting(
        &mut self,
        firing: &Firing,
        (t, before): (f64, &[f64]),
        shut: &[f64],
    ) -> Result<(), Error> {
        if before.is_empty() {
            return Ok(());
        }
        let (q, left) = (self.integrator.flow.system().layout().q, self.left_of_positions(t));
        let bound =
            (0..q).map(|i| MOST_APART * self.integrator.uncertainty_of(i, shut[i])).fold(0.0, f64::max);
        let open = |k: &usize| left[*k] != before[*k] && left[*k].abs() > bound;
        let open: Vec<(usize, f64)> = (0..left.len()).filter(open).map(|k| (k, left[k])).collect();
        let jump = |i: usize| (shut[i] - self.after[i]).abs();
        let Some(i) = (0..q).max_by(|&a, &b| jump(a).total_cmp(&jump(b))).filter(|_| !open.is_empty()) else {
            return Ok(());
        };
        let (name, open) =
            (&self.integrator.flow.system().state_names()[i], self.integrator.open_in_words(&open));
        let left = format!("{open}, and `{name}` would have to jump from {} to {}", self.after[i], shut[i]);
        Err(Error::NotConsistent { what: self.fired_in_words(firing), t, left })
    }

    /// Keeps the largest adjustment of a step, and says when one is larger than what the step is uncertain by: it then steers the motion, and
    /// does not only keep it on the constraints (paper 000, section 3.4.1).
    pub(super) fn look_at_adjustment(&mut self) {
        let t = self.integrator.trial.t + self.integrator.trial.h;
        let mut worst: Option<(usize, f64, f64)> = None;
        for (state, &size) in self.integrator.flow.adjustment().iter().enumerate() {
            if self.recorder.record.adjustment.is_none_or(|known| size > known.size) && size > 0.0 {
                self.recorder.record.adjustment = Some(Adjustment { state, size, t });
            }
            let value = self.integrator.trial.end[state];
            if size <= self.integrator.step_error(state, value) {
                continue;
            }
            let bound = self.integrator.uncertainty_of(state, value);
            if size > bound && worst.is_none_or(|(_, s, b)| size / bound > s / b) {
                worst = Some((state, size, bound));
            }
        }
        if let Some((state, size, bound)) = worst {
            self.note_adjustment(t, state, size, bound);
        }
    }

    /// Once is enough.
    fn note_adjustment(&mut self, t: f64, state: usize, size: f64, bound: f64) {
        let text = format!(
            "to keep the constraints met, `{}` was moved by {size:.1e} after a step, which is more than the step is uncertain by ({bound:.1e}); \
             choose smaller steps or tolerances, or check the constraints",
            self.integrator.flow.system().state_names()[state]
        );
        self.recorder.note_once(t, ("large-adjustment", ""), || text);
    }
}
