//! Consistent states of a mechanism: at the start of a run, and after an event has reset something.
//!
//! What was set on purpose stays: coordinates that are pinned at the start, and those that an event resets. The others move as little as they can in the
//! metric of the mass matrix. After an impact on one coordinate this is what the joints do to the others.

use super::Error;
use super::run::Run;
use crate::formulation::Refusal;
use crate::trajectory::Note;

/// Changes below this part of a state are not worth a note.
const WORTH_A_NOTE: f64 = 1e-8;

impl Run<'_> {
    /// Makes the start consistent, and says what was changed.
    pub(super) fn assemble_start(&mut self) -> Result<(), Error> {
        if !self.flow.is_mechanism() {
            return Ok(());
        }
        let (t, mut y) = (self.trial.t, self.trial.start.clone());
        if self.reaches() {
            self.approach_surfaces(t, &y);
            self.note_redundant(t, &y);
            return Ok(());
        }
        let assembled = self.flow.assemble(t, &mut y, &self.options.pinned);
        assembled.map_err(|refusal| self.not_consistent("the start", t, &refusal))?;
        self.note_changes(t, &self.trial.start.clone(), &y);
        self.trial.restart(t, &y);
        self.note_redundant(t, &y);
        Ok(())
    }

    /// Has the algebraic states of the start follow from the others, and says what was changed. What the equations are depends on locks.
    pub(super) fn solve_start(&mut self) {
        let (t, mut y) = (self.trial.t, self.trial.start.clone());
        if self.flow.is_mechanism() || self.detector.lock(&mut self.flow, t, &y).is_err() {
            return;
        }
        if self.flow.solve_algebraic(t, &mut y) {
            self.note_changes(t, &self.trial.start.clone(), &y);
            self.trial.restart(t, &y);
        }
    }

    /// Next to a position in which a constraint fixes nothing, the direction of the motion hangs on rounding: that is worth a note, once.
    pub(super) fn note_singular(&mut self) {
        let Some(row) = self.flow.shrunk_constraint().filter(|_| !self.singular_is_noted) else { return };
        self.singular_is_noted = true;
        let text = format!(
            "the mechanism comes next to a singular position: there the constraint `{}` fixes nothing, and how the motion goes on may hang on rounding; \
             check the energy, or write the constraint in another way",
            self.flow.system().constraints()[row].name
        );
        self.record.notes.push(Note { t: self.trial.t, code: "singular-position", text });
    }

    fn note_redundant(&mut self, t: f64, y: &[f64]) {
        let (rows, share) = self.flow.redundant_constraints(t, y);
        if rows.is_empty() {
            return;
        }
        let constraints = self.flow.system().constraints();
        let names: Vec<String> = rows.iter().map(|&k| format!("`{}`", constraints[k].name)).collect();
        let forces =
            if share { "equal ones share their forces" } else { "as there are so many, they have no forces" };
        let text = format!(
            "{} of {} constraints follow from the others ({}); the motion is the same without them, and {forces}",
            rows.len(),
            constraints.len(),
            names.join(", ")
        );
        self.record.notes.push(Note { t, code: "redundant-constraints", text });
    }

    /// Makes the state after an event consistent, if the event has reset it, and says what was changed beside that.
    pub(super) fn assemble_after_event(&mut self, t: f64) -> Result<(), Error> {
        if !self.flow.is_mechanism() || self.before == self.after {
            return Ok(());
        }
        if self.flow.is_reaching() {
            let after = self.after.clone();
            self.approach_surfaces(t, &after);
            return Ok(());
        }
        let layout = self.flow.system().layout();
        let changed = |i: usize| self.before[i] != self.after[i];
        let was_reset = |i: &usize| changed(layout.q + i) || layout.q == layout.v && changed(*i);
        let pinned: Vec<usize> = (0..layout.v).filter(was_reset).collect();
        let mut y = self.after.clone();
        let assembled = self.flow.assemble(t, &mut y, &pinned);
        let what = self.fired_in_words();
        assembled.map_err(|refusal| self.not_consistent(&what, t, &refusal))?;
        self.after.copy_from_slice(&y);
        Ok(())
    }

    fn fired_in_words(&self) -> String {
        let guards = self.flow.system().guards();
        let names: Vec<String> =
            self.detector.fired().iter().map(|&g| format!("`{}`", guards[g].name)).collect();
        format!("the state after {}", names.join(" and "))
    }

    fn not_consistent(&self, what: &str, t: f64, refusal: &Refusal) -> Error {
        let constraints = self.flow.system().constraints();
        let left = match refusal {
            Refusal::Open(rows) => {
                let one =
                    |(k, left): &(usize, f64)| format!("`{}` is off by {left:.3e}", constraints[*k].name);
                rows.iter().map(one).collect::<Vec<_>>().join(", ")
            }
            Refusal::Singular(_) => "the masses do not determine the motion".to_owned(),
        };
        Error::NotConsistent { what: what.to_owned(), t, left }
    }

    fn note_changes(&mut self, t: f64, before: &[f64], after: &[f64]) {
        let names = self.flow.system().state_names();
        let changed = |i: &usize| (before[*i] - after[*i]).abs() > WORTH_A_NOTE * (1.0 + before[*i].abs());
        let one = |i: usize| format!("`{}` from {} to {}", names[i], before[i], after[i]);
        let list: Vec<String> = (0..names.len()).filter(changed).map(one).collect();
        if !list.is_empty() {
            let what = if self.flow.is_mechanism() { "constraints" } else { "algebraic equations" };
            let text = format!("the start does not meet the {what} and was changed: {}", list.join(", "));
            self.record.notes.push(Note { t, code: "start-adjusted", text });
        }
    }
}
