//! Consistent states of a mechanism: at the start of a run, and after an event has reset something.
//!
//! What was set on purpose stays: coordinates that are pinned at the start, and those that an event resets.
//! The others move as little as they can in the metric of the mass matrix. After an impact on one coordinate
//! this is what the joints do to the others.

use super::Error;
use super::contradiction::{MOST_APART, Redundant, joint_of, joint_open, open_in_words};
use super::integrator::Integrator;
use super::invariants::takes_energy;
use super::recorder::Recorder;
use crate::contact::Impact;
use crate::equations::{StartBranch, System};
use crate::formulation::Refusal;
use crate::math::SaddleFault;
use crate::trajectory::Adjustment;
use crate::transition::{Firing, Transition};

/// By which part an event may raise the kinetic energy before that is worth a warning.
const WORTH_A_WARNING: f64 = 1e-6;

/// How many states of the start that were changed are named.
const MOST_LISTED: usize = 6;

/// The same angle between -pi and pi.
fn wrapped(angle: f64) -> f64 {
    angle - std::f64::consts::TAU * (angle / std::f64::consts::TAU).round()
}

/// Makes states meet the constraints and algebraic equations that hold.
pub(super) struct Consistency<'r, 'a> {
    pub(super) integrator: &'r mut Integrator<'a>,
    pub(super) recorder: &'r mut Recorder,
}

/// Whether what some constraints say depends on switches.
pub(super) fn constraints_switch(system: &dyn System) -> bool {
    system.constraints().iter().any(|constraint| constraint.switches)
}

impl Consistency<'_, '_> {
    /// Makes the start of a mechanism consistent, and says what was changed.
    pub(super) fn make_start_consistent(&mut self) -> Result<(), Error> {
        let (t, mut y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        let assembled = self.assemble(t, &mut y);
        assembled.map_err(|refusal| self.not_consistent("the start", t, &refusal))?;
        self.check_branches(t, &y)?;
        self.note_changes(t, &y);
        self.integrator.trial.restart(t, &y);
        self.enter_form();
        Ok(())
    }

    /// Puts the parts of a mechanism together: what is drawn stays if the rest can be put together without it.
    fn assemble(&mut self, t: f64, y: &mut Vec<f64>) -> Result<(), Refusal> {
        let Integrator { flow, options, .. } = &mut *self.integrator;
        let pinned = &options.constraints.pinned;
        let start = &flow.system().shape().mechanism.start;
        let kept = [&pinned[..], &start.pinned].concat();
        let velocities = [&pinned[..], &start.velocities].concat();
        if !start.drawn.is_empty() {
            let (before, drawn) = (y.clone(), [&kept[..], &start.drawn].concat());
            if flow.constraints().assemble(t, y, (&drawn, &velocities)).is_ok() {
                return Ok(());
            }
            y.clone_from(&before);
        }
        if kept == velocities {
            flow.constraints().make_consistent(t, y, &kept)
        } else {
            flow.constraints().assemble(t, y, (&kept, &velocities))
        }
    }

    /// A loop may be put together in two ways, and the model can say which.
    fn check_branches(&self, t: f64, y: &[f64]) -> Result<(), Error> {
        let branches = &self.integrator.flow.system().shape().mechanism.start.branches;
        for StartBranch { name, angles, positive } in branches {
            let [second, first] = angles.map(|i| i.map_or(0.0, |i| y[i]));
            let angle = wrapped(second - first);
            if (angle > 0.0) != *positive {
                let [is, asked] = if *positive { ["negative", "positive"] } else { ["positive", "negative"] };
                let left =
                    format!("it closes with `{name}` {is} ({angle:.4} rad), and `branch` asks for {asked}");
                let about = vec![name.clone()];
                return Err(Error::NotConsistent { what: "the start".to_owned(), t, left, about });
            }
        }
        Ok(())
    }

    /// Has the algebraic states of the start follow from the others, and says what was changed. What the
    /// equations are depends on locks.
    pub(super) fn solve_start(&mut self) {
        let (t, mut y) = (self.integrator.trial.t, self.integrator.trial.start.clone());
        if self.integrator.flow.has_constraints() {
            return;
        }
        if self.integrator.flow.algebraic(t).solve(&mut y) {
            self.note_changes(t, &y);
            self.integrator.trial.restart(t, &y);
        }
    }

    /// The form is entered where the motion stands; says which constraints follow from others there.
    pub(super) fn enter_form(&mut self) {
        let Integrator { flow, trial, .. } = &mut *self.integrator;
        flow.constraints().enter(trial.t, &trial.start);
        self.note_redundant();
    }

    /// Next to a position in which a constraint fixes nothing, the direction of the motion hangs on rounding:
    /// that is worth a note, once.
    fn note_singular(&mut self) {
        let Some(shrunk) = self.integrator.flow.singular().take_shrunk() else { return };
        let (t, y) = (self.integrator.trial.t, &self.integrator.trial.start);
        if !shrunk.beside_others && self.integrator.flow.singular().is_only_scaled(shrunk.row, t, y) {
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
    fn note_redundant(&mut self) {
        let t = self.integrator.trial.t;
        let (rows, share) = self.integrator.flow.constraints().redundant();
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

    /// An event that sets states must find a mechanism that is closed: what a method leaves open is no part
    /// of what is set.
    pub(super) fn close_before_reset(&mut self, transition: &mut Transition) {
        let flow = &mut self.integrator.flow;
        let guards = flow.system().guards();
        let resets = transition.firing.guards.iter().any(|&g| guards[g].response.sets_state());
        if !resets || !flow.has_constraints() || flow.is_reaching() {
            return;
        }
        let Transition { t, before, after, .. } = transition;
        if flow.constraints().make_consistent(*t, after, &[]).is_ok() {
            before.copy_from_slice(after);
            self.recorder.correct_end(*t, before);
        } else {
            after.copy_from_slice(before);
        }
    }

    /// Makes the state after an event that has reset it consistent, and says what was changed beside that.
    /// `left` is what was left of constraints of positions with the branches that held before, if branches
    /// may have changed.
    pub(super) fn make_reset_consistent(
        &mut self,
        transition: &mut Transition,
        left: &[f64],
    ) -> Result<(), Error> {
        let (t, layout) = (transition.t, self.integrator.flow.system().layout());
        let changed = |i: usize| transition.before[i] != transition.after[i];
        let was_reset = |i: &usize| changed(layout.q + i) || layout.q == layout.v && changed(*i);
        // An impact sets all speeds.
        let is_impact = transition.contacts.has_impulses();
        let pinned: Vec<usize> =
            if is_impact { Vec::new() } else { (0..layout.v).filter(was_reset).collect() };
        let mut y = transition.after.clone();
        let flow = &mut self.integrator.flow;
        let (before, asked) = (
            flow.constraints().kinetic_energy(t, &transition.before),
            flow.constraints().kinetic_energy(t, &y),
        );
        let assembled = flow.constraints().make_consistent(t, &mut y, &pinned);
        let what = self.fired_in_words(&transition.firing);
        match assembled {
            Err(Refusal::Pinned(moved)) => self.note_undone(&what, t, &moved),
            assembled => assembled.map_err(|refusal| self.not_consistent(&what, t, &refusal))?,
        }
        self.check_shutting(transition, left, &y)?;
        if pinned.is_empty() {
            // Nothing moves but by impulses in joints.
            self.check_shutting_energy(t, &y)?;
        }
        transition.after.copy_from_slice(&y);
        self.note_raised_energy(&what, transition, (before, asked));
        Ok(())
    }

    /// What is set at some speeds the constraints pass on to others. An impact takes energy away or keeps it:
    /// where there is more than before and more than was set, the reset is hardly what was meant.
    fn note_raised_energy(&mut self, fired: &str, transition: &Transition, (before, asked): (f64, f64)) {
        let t = transition.t;
        let after = self.integrator.flow.constraints().kinetic_energy(t, &transition.after);
        if after <= before.max(asked) * (1.0 + WORTH_A_WARNING) {
            return;
        }
        self.recorder.note_once(t, ("energy-raised", fired), || {
            format!(
                "{fired} has more kinetic energy than before: {after:.6} after {before:.6}; the constraints pass what \
                 the reset says of some speeds on to others"
            )
        });
    }

    /// Where an event may have changed what constraints say, brings the motion to those that hold now: a
    /// joint that shuts takes the speed across it away, as impulses in the joints do. Positions must meet
    /// already: what would have to jump is an error.
    pub(super) fn shut_joints(&mut self, firing: &Firing) -> Result<(), Error> {
        let Integrator { flow, trial, .. } = &mut *self.integrator;
        if !flow.has_constraints() || !constraints_switch(flow.system()) || flow.is_reaching() {
            return Ok(());
        }
        let (t, mut y) = (trial.t, trial.start.clone());
        let assembled = flow.constraints().make_consistent(t, &mut y, &[]);
        let (q, what) = (flow.system().layout().q, self.fired_in_words(firing));
        assembled.map_err(|refusal| self.not_consistent(&what, t, &refusal))?;
        if let Some(i) = (0..q).find(|&i| self.integrator.is_apart(i, y[i])) {
            return Err(joint_open(self.integrator, what, t, (i, y[i])));
        }
        self.check_shutting_energy(t, &y)?;
        self.integrator.trial.restart(t, &y);
        self.enter_form();
        Ok(())
    }

    /// Joints that shut take energy away: the state that they lead to has no more than the speeds before have
    /// at its positions. Joints that move by themselves may do work.
    fn check_shutting_energy(&mut self, t: f64, shut: &[f64]) -> Result<(), Error> {
        let Integrator { flow, trial, .. } = &mut *self.integrator;
        let layout = flow.system().layout();
        let speeds = layout.q..layout.q + layout.v;
        let mut open = shut.to_vec();
        open[speeds.clone()].copy_from_slice(&trial.start[speeds.clone()]);
        let (before, after) =
            (flow.constraints().kinetic_energy(t, &open), flow.constraints().kinetic_energy(t, shut));
        let Err(broken) = takes_energy(before, after) else { return Ok(()) };
        open[speeds].fill(0.0);
        let constraints = flow.system().constraints();
        let holonomic = constraints.iter().filter(|constraint| constraint.holonomic).count();
        let (mut position, mut velocity) = (vec![0.0; holonomic], vec![0.0; constraints.len()]);
        flow.constraints().residuals(t, &open, &mut position, &mut velocity);
        if velocity.iter().any(|v| *v != 0.0) {
            return Ok(());
        }
        Err(broken.at(t, flow.system().state_names()))
    }

    /// Takes note of the energy that joints have taken which hold from here on and did not before. `open` has the speeds
    /// that they were met with.
    pub(super) fn note_shutting(&mut self, transition: &mut Transition, open: &[f64]) {
        let Integrator { flow, trial, .. } = &mut *self.integrator;
        let can_shut = flow.has_constraints() && constraints_switch(flow.system()) && !flow.is_reaching();
        if !can_shut || !flow.contacts().shuts(&transition.mode_before) {
            return;
        }
        let (t, q) = (trial.t, flow.system().layout().q);
        let mut before = trial.start.clone();
        before[q..].copy_from_slice(&open[q..]);
        let mut kinetic = |y: &[f64]| flow.constraints().kinetic_energy(t, y);
        let energy = kinetic(&trial.start) - kinetic(&before);
        if energy < 0.0 {
            transition.contacts.append(Impact { energy, ..Impact::default() });
        }
    }

    /// After something has changed, algebraic states follow from the others.
    pub(super) fn solve_algebraic_states(&mut self, transition: &mut Transition) {
        let Integrator { flow, trial, .. } = &mut *self.integrator;
        if flow.has_constraints() {
            return;
        }
        transition.after.copy_from_slice(&trial.start);
        if flow.algebraic(trial.t).solve(&mut transition.after) {
            trial.restart(trial.t, &transition.after);
        }
    }

    /// An event has set what the constraints do not let be. Once for each event and state is enough.
    fn note_undone(&mut self, fired: &str, t: f64, moved: &[(usize, f64, f64)]) {
        let names = self.integrator.flow.system().state_names();
        let one = |(i, set, is): &(usize, f64, f64)| format!("`{}` to {set} but it is {is}", names[*i]);
        let list: Vec<String> = moved.iter().map(one).collect();
        let text = format!("in {fired}, the constraints do not let be what was set: {}", list.join(", "));
        self.recorder.note_once(t, ("reset-adjusted", fired), || text);
    }

    fn fired_in_words(&self, firing: &Firing) -> String {
        let guards = self.integrator.flow.system().guards();
        let names: Vec<String> = firing.guards.iter().map(|&g| format!("`{}`", guards[g].name)).collect();
        format!("the state after {}", names.join(" and "))
    }

    pub(super) fn not_consistent(&self, what: &str, t: f64, refusal: &Refusal) -> Error {
        let (what, system) = (what.to_owned(), self.integrator.flow.system());
        let names = system.state_names();
        let left = match refusal {
            Refusal::Open(rows) => open_in_words(system.constraints(), rows),
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
        let about = match refusal {
            Refusal::Open(rows) => rows.iter().map(|(k, _)| system.constraints()[*k].name.clone()).collect(),
            Refusal::Pinned(moved) => moved.iter().map(|(i, ..)| names[*i].clone()).collect(),
            Refusal::Singular(..) => Vec::new(),
        };
        Error::NotConsistent { what, t, left, about }
    }

    fn note_changes(&mut self, t: f64, after: &[f64]) {
        let before = &self.integrator.trial.start;
        let names = self.integrator.flow.system().state_names();
        let tolerances = &self.integrator.options.tolerances;
        let changed = |i: &usize| (before[*i] - after[*i]).abs() > tolerances.scale(*i, before[*i].abs());
        let one = |i: usize| format!("`{}` from {} to {}", names[i], before[i], after[i]);
        let mut list: Vec<String> = (0..names.len()).filter(changed).map(one).collect();
        if let Some(more) = list.len().checked_sub(MOST_LISTED).filter(|more| *more > 1) {
            list.truncate(MOST_LISTED);
            list.push(format!("and {more} more"));
        }
        if !list.is_empty() {
            let what =
                if self.integrator.flow.has_constraints() { "constraints" } else { "algebraic equations" };
            let text = format!("the start does not meet the {what} and was changed: {}", list.join(", "));
            self.recorder.note(t, "start-adjusted", text);
        }
    }

    /// What is left of constraints of positions at a state.
    pub(super) fn left_of_positions(&mut self, t: f64, y: &[f64]) -> Vec<f64> {
        let constraints = self.integrator.flow.system().constraints();
        let holonomic = constraints.iter().filter(|constraint| constraint.holonomic).count();
        let (mut position, mut velocity) = (vec![0.0; holonomic], vec![0.0; constraints.len()]);
        self.integrator.flow.constraints().residuals(t, y, &mut position, &mut velocity);
        position
    }

    /// A joint that shuts must find its parts together: positions do not jump to it. `before` is what was
    /// left with the branches before, `shut` where all is met.
    fn check_shutting(&mut self, transition: &Transition, before: &[f64], shut: &[f64]) -> Result<(), Error> {
        if before.is_empty() {
            return Ok(());
        }
        let Transition { t, after, firing, .. } = transition;
        let (q, left) = (self.integrator.flow.system().layout().q, self.left_of_positions(*t, after));
        let bound =
            (0..q).map(|i| MOST_APART * self.integrator.uncertainty_of(i, shut[i])).fold(0.0, f64::max);
        let open = |k: &usize| left[*k] != before[*k] && left[*k].abs() > bound;
        let open: Vec<(usize, f64)> = (0..left.len()).filter(open).map(|k| (k, left[k])).collect();
        let jump = |i: usize| (shut[i] - after[i]).abs();
        let Some(i) = (0..q).max_by(|&a, &b| jump(a).total_cmp(&jump(b))).filter(|_| !open.is_empty()) else {
            return Ok(());
        };
        let (what, system) = (self.fired_in_words(firing), self.integrator.flow.system());
        let constraints = system.constraints();
        let about: Vec<String> = open.iter().map(|(k, _)| constraints[*k].name.clone()).collect();
        if let Some(joint) = joint_of(&about[0]) {
            let (joint, apart) =
                (joint.to_owned(), open.iter().map(|(_, left)| left.abs()).fold(0.0, f64::max));
            return Err(Error::JointApart { joint, apart, what, t: *t });
        }
        let (name, open) = (&system.state_names()[i], open_in_words(constraints, &open));
        let left = format!("{open}, and `{name}` would have to jump from {} to {}", after[i], shut[i]);
        Err(Error::NotConsistent { what, t: *t, left, about })
    }

    /// Looks at a step of a mechanism that is taken: what is worth saying of its end.
    pub(super) fn look_at_step(&mut self) {
        self.note_singular();
        self.look_at_adjustment();
    }

    /// Keeps the largest adjustment of a step, and says when one is larger than what the step is uncertain
    /// by: it then steers the motion, and does not only keep it on the constraints (paper 000, section
    /// 3.4.1).
    fn look_at_adjustment(&mut self) {
        let t = self.integrator.trial.t + self.integrator.trial.h;
        let mut worst: Option<(usize, f64, f64)> = None;
        for (state, &size) in self.integrator.flow.projected().adjustment().iter().enumerate() {
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

#[cfg(test)]
mod tests {
    use super::super::Plan;
    use super::super::recorder::empty_trajectory;
    use super::*;
    use crate::trajectory::Segment;

    const BOB: &str = r#"
        coordinates = { x = 0.6, y = 0.9 }
        speeds = { x = 0.5 }
        kinetic = "(x'^2 + y'^2) / 2"
        constraints.rod = "x^2 + y^2 - 1"
        run = { until = 3 }"#;

    fn recorder(plan: &Plan, integrator: &Integrator<'_>) -> Recorder {
        let segment = Segment::new(integrator.flow.mode.clone(), 0.0, &plan.start.y);
        let empty = empty_trajectory(&plan.system, &plan.options);
        Recorder::new(empty, plan.options.keep, segment, integrator.selector.method())
    }

    #[test]
    fn a_start_is_moved_to_its_constraints_unless_it_is_pinned() {
        let plan = Plan::of(BOB);
        let mut integrator = Integrator::of(&plan);
        let mut recorder = recorder(&plan, &integrator);
        let mut consistency = Consistency { integrator: &mut integrator, recorder: &mut recorder };
        consistency.make_start_consistent().expect("a start");
        let [x, y, vx, vy] = integrator.trial.start[..] else { panic!("four states") };
        assert!((x * x + y * y - 1.0).abs() < 1e-14 && (x * vx + y * vy).abs() < 1e-14);
        assert_eq!(recorder.record.notes.len(), 1, "what was changed is said");
    }

    #[test]
    fn what_an_event_has_set_stays_and_the_rest_follows() {
        let plan = Plan::of(&BOB.replace("x = 0.6, y = 0.9", "x = 0.6, y = 0.8").replace("x = 0.5", "x = 0"));
        let mut integrator = Integrator::of(&plan);
        let mut recorder = recorder(&plan, &integrator);
        let mut consistency = Consistency { integrator: &mut integrator, recorder: &mut recorder };
        consistency.make_start_consistent().expect("a start");
        let mode = &consistency.integrator.flow.mode;
        let mut transition = Transition::new(0.0, &[0.6, 0.8, 0.0, 0.0], mode);
        transition.after[2] = 4.0;
        consistency.make_reset_consistent(&mut transition, &[]).expect("a state");
        assert!((transition.after[2] - 4.0).abs() < 1e-12 && (transition.after[3] + 3.0).abs() < 1e-12);
    }
}
