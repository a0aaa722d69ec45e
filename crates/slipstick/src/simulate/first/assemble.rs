//! Consistent states of a mechanism: at the start of a run, and after an event has reset something.
//!
//! What was set on purpose stays: coordinates that are pinned at the start, and those that an event resets. The others move as little as they can in the
//! metric of the mass matrix. After an impact on one coordinate this is what the joints do to the others.

use super::Error;
use super::contradiction::Redundant;
use super::run::Run;
use crate::formulation::Refusal;
use crate::math::SaddleFault;
use crate::trajectory::Note;

/// Changes below this part of a state are not worth a note.
const WORTH_A_NOTE: f64 = 1e-8;

/// A joint may shut where its parts are apart by no more than so many times the uncertainty of a coordinate.
pub(super) const MOST_APART: f64 = 10.0;

impl Run<'_> {
    /// Makes the start consistent, and says what was changed.
    pub(super) fn assemble_start(&mut self) -> Result<(), Error> {
        if self.flow.system().layout().v == 0 {
            return Ok(());
        }
        let (t, mut y) = (self.trial.t, self.trial.start.clone());
        if self.constraints_switch() {
            self.detector.lock(&mut self.flow, t, &y).map_err(|bad| self.bad_guard(bad))?;
        }
        if self.reaches() {
            self.approach_surfaces(t, &y);
            self.flow.enter_form(t, &y);
            self.note_redundant(t);
            return Ok(());
        }
        let assembled = self.flow.assemble(t, &mut y, &self.options.pinned);
        assembled.map_err(|refusal| self.not_consistent("the start", t, &refusal))?;
        self.note_changes(t, &self.trial.start.clone(), &y);
        self.trial.restart(t, &y);
        self.flow.enter_form(t, &y);
        self.note_redundant(t);
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
        if self.singular_is_noted {
            return;
        }
        let Some(shrunk) = self.flow.shrunk_constraint() else { return };
        let (t, y) = (self.trial.t, &self.trial.start);
        if !shrunk.beside_others && self.flow.is_only_scaled(shrunk.row, t, y) {
            return;
        }
        self.singular_is_noted = true;
        let text = format!(
            "the mechanism comes next to a singular position: there the constraint `{}` fixes nothing{}, and how the motion goes on may hang on rounding; \
             check the energy, or write the constraint in another way",
            self.flow.system().constraints()[shrunk.row].name,
            if shrunk.beside_others { " that others do not" } else { "" }
        );
        self.record.notes.push(Note { t: self.trial.t, code: "singular-position", text });
    }

    fn note_redundant(&mut self, t: f64) {
        let (rows, share) = self.flow.redundant_constraints();
        let constraints = self.flow.system().constraints();
        self.redundant = Redundant::new(constraints, &rows);
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
        self.record.notes.once("redundant-constraints", &names, t, || text);
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
        let left = self.take_branches(t)?;
        let layout = self.flow.system().layout();
        let changed = |i: usize| self.before[i] != self.after[i];
        let was_reset = |i: &usize| changed(layout.q + i) || layout.q == layout.v && changed(*i);
        let pinned: Vec<usize> = (0..layout.v).filter(was_reset).collect();
        let mut y = self.after.clone();
        let assembled = self.flow.assemble(t, &mut y, &pinned);
        let what = self.fired_in_words();
        match assembled {
            Err(Refusal::Pinned(moved)) => self.note_undone(t, &moved),
            assembled => assembled.map_err(|refusal| self.not_consistent(&what, t, &refusal))?,
        }
        self.check_shutting(t, &left, &y)?;
        self.after.copy_from_slice(&y);
        Ok(())
    }

    pub(super) fn constraints_switch(&self) -> bool {
        self.flow.system().constraints().iter().any(|constraint| constraint.switches)
    }

    /// Where an event may have changed what constraints say, brings the motion to those that hold now: a joint that shuts takes the speed across it away, as
    /// impulses in the joints do. Positions must meet already: what would have to jump is an error.
    pub(super) fn shut_joints(&mut self) -> Result<(), Error> {
        if !self.flow.is_mechanism() || !self.constraints_switch() || self.flow.is_reaching() {
            return Ok(());
        }
        let (t, mut y) = (self.trial.t, self.trial.start.clone());
        let (q, what) = (self.flow.system().layout().q, self.fired_in_words());
        self.flow.assemble(t, &mut y, &[]).map_err(|refusal| self.not_consistent(&what, t, &refusal))?;
        if let Some(i) = (0..q).find(|&i| self.is_apart(i, y[i])) {
            return Err(self.joint_open(what, t, (i, y[i])));
        }
        self.trial.restart(t, &y);
        if let Some(event) = self.record.events.last_mut().filter(|event| event.t == t) {
            event.after.copy_from_slice(&y);
        }
        self.flow.enter_form(t, &y);
        self.note_redundant(t);
        Ok(())
    }

    /// Whether a coordinate would have to move further to where it must be than a step leaves uncertain.
    pub(super) fn is_apart(&self, coordinate: usize, must: f64) -> bool {
        let bound = MOST_APART * self.uncertainty_of(coordinate, must);
        (must - self.trial.start[coordinate]).abs() > bound
    }

    /// A joint that is to be shut where its parts are not together; `must` is where a coordinate would have to jump to.
    pub(super) fn joint_open(&mut self, what: String, t: f64, (coordinate, must): (usize, f64)) -> Error {
        let y = self.trial.start.clone();
        let constraints = self.flow.system().constraints();
        let holonomic = constraints.iter().filter(|c| c.holonomic).count();
        let (mut position, mut velocity) = (vec![0.0; holonomic], vec![0.0; constraints.len()]);
        self.flow.residuals(t, &y, &mut position, &mut velocity);
        let largest = (0..holonomic).max_by(|&a, &b| position[a].abs().total_cmp(&position[b].abs()));
        let name = self.flow.system().state_names()[coordinate].clone();
        let left = largest.map_or_else(String::new, |k| self.open_in_words(&[(k, position[k])]));
        let left = format!("{left}, and `{name}` would have to jump from {} to {must}", y[coordinate]);
        Error::NotConsistent { what, t, left }
    }

    /// An event has set what the constraints do not let be. Once for each event and state is enough.
    fn note_undone(&mut self, t: f64, moved: &[(usize, f64, f64)]) {
        let names = self.flow.system().state_names();
        let one = |(i, set, is): &(usize, f64, f64)| format!("`{}` to {set} but it is {is}", names[*i]);
        let list: Vec<String> = moved.iter().map(one).collect();
        let fired = self.fired_in_words();
        let text = format!("in {fired}, the constraints do not let be what was set: {}", list.join(", "));
        self.record.notes.once("reset-adjusted", &fired, t, || text);
    }

    pub(super) fn fired_in_words(&self) -> String {
        let guards = self.flow.system().guards();
        // What fired is forgotten where a segment begins; there the event is in the log already.
        let fired = match self.detector.fired() {
            [] => self.record.events.last().map_or(&[][..], |event| &event.guards),
            fired => fired,
        };
        let names: Vec<String> = fired.iter().map(|&g| format!("`{}`", guards[g].name)).collect();
        format!("the state after {}", names.join(" and "))
    }

    fn not_consistent(&self, what: &str, t: f64, refusal: &Refusal) -> Error {
        let (what, system) = (what.to_owned(), self.flow.system());
        let names = system.state_names();
        let left = match refusal {
            Refusal::Open(rows) => self.open_in_words(rows),
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

    pub(super) fn open_in_words(&self, rows: &[(usize, f64)]) -> String {
        let constraints = self.flow.system().constraints();
        let one = |(k, left): &(usize, f64)| format!("`{}` is off by {left:.3e}", constraints[*k].name);
        rows.iter().map(one).collect::<Vec<_>>().join(", ")
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
