//! Contacts in a run: which of them are closed at the start, and what is worth saying of what happens to them.

use super::Error;
use super::run_loop::RunLoop;
use crate::contact::{Status, Unsolved, near_jam};
use crate::equations::{ContactShape, UncertainPoint};
use crate::formulation::{Refusal, TouchPoint};
use crate::model::ContactChange;
use crate::transition::{Contacts, Firing, MOST_DEEP, Tools, Transition};
use crate::watch::SideState;

/// Finds out what contacts of a run do where no event has asked, and says what is worth a word.
pub(super) struct RunContacts<'r, 'a> {
    pub(super) run: &'r mut RunLoop<'a>,
}

impl RunContacts<'_, '_> {
    /// Finds out what contacts do at the start. Gives what fires there, if some of them approach.
    pub(super) fn start_contacts(&mut self) -> Result<Option<Firing>, Error> {
        if self.run.integrator.flow.system().contacts().is_empty() {
            return Ok(None);
        }
        let closed = self.closed_at_start()?;
        if closed.is_empty() && self.run.integrator.flow.system().contacts().iter().all(|of| of.gap.is_some())
        {
            return Ok(None);
        }
        self.close_gaps(&closed)?;
        let system = self.run.integrator.flow.system();
        let guards = closed.iter().filter_map(|&k| system.contacts()[k].hit()).collect();
        let firing = Firing { guards, ..Firing::default() };
        let RunLoop { integrator, guards, .. } = &mut *self.run;
        let (t, y) = (integrator.trial.t, &integrator.trial.start);
        let mut transition = Transition::new(t, y, &integrator.flow.mode);
        transition.begin(&firing, t, y, &integrator.flow.mode);
        let delta = guards.uncertainty.of_rounding();
        let widths = integrator.tolerance_widths();
        let stops_at_painleve = integrator.options.events.stops_at_painleve;
        let applied = Contacts { delta, widths, stops_at_painleve, known: false }
            .begin(&mut Tools { flow: &mut integrator.flow, watch: &guards.watch }, &mut transition);
        applied.map_err(|impossible| Error::of_rule(impossible, t, system))?;
        if transition.contacts.has_impulses() {
            // An impact is an event.
            integrator.flow.mode.clone_from(&transition.mode_before);
            return Ok(Some(firing));
        }
        self.run.transition = transition;
        self.note_contacts();
        self.run.consistency().shut_joints(&firing)?;
        self.run.activate_guards();
        Ok(None)
    }

    /// The contacts whose gaps are zero at the start, or below by no more than can be made up for.
    fn closed_at_start(&mut self) -> Result<Vec<usize>, Error> {
        let (flow, tolerances) = (&mut self.run.integrator.flow, &self.run.integrator.options.tolerances);
        let (t, mut y) = (self.run.integrator.trial.t, self.run.integrator.trial.start.clone());
        let delta = self.run.guards.uncertainty.of_rounding();
        let mut closed = Vec::new();
        for (k, contact) in flow.system().contacts().iter().enumerate() {
            let Some(hit) = contact.hit() else { continue };
            let point = UncertainPoint { t, y: &y, delta: &delta };
            let Some(gap) = flow.guards().banded_anyway(hit, point) else { continue };
            if gap.value > gap.bound {
                continue;
            }
            closed.push(k);
            if gap.value >= -gap.bound {
                continue;
            }
            let mut gradient = vec![0.0; y.len()];
            flow.guards().gradient(hit, t, &mut y, &mut gradient);
            let of_terms =
                gradient.iter().enumerate().map(|(i, g)| g.abs() * tolerances.scale(i, y[i].abs()));
            let allowed = MOST_DEEP * of_terms.sum::<f64>();
            if gap.value < -gap.bound - allowed {
                let contact = contact.name.clone();
                return Err(Error::ContactPenetrates { contact, gap: gap.value, allowed, t });
            }
            let text =
                format!("contact `{}` starts at a gap of {:e}: it was closed", contact.name, gap.value);
            self.run.recorder.note(t, "contact-projected", text);
        }
        Ok(closed)
    }

    /// Moves the coordinates of the start so that some gaps are zero; speeds stay.
    fn close_gaps(&mut self, closed: &[usize]) -> Result<(), Error> {
        let (t, mut y) = (self.run.integrator.trial.t, self.run.integrator.trial.start.clone());
        let moved = self.put_on_gaps(closed, &mut y);
        moved.map_err(|refusal| self.run.consistency().not_consistent("the start", t, &refusal))?;
        self.run.integrator.trial.restart(t, &y);
        self.run.recorder.begin_segment(&self.run.integrator.flow.mode, t, &y);
        Ok(())
    }

    /// Moves the coordinates of a state so that some gaps are zero; speeds stay.
    pub(super) fn put_on_gaps(&mut self, closed: &[usize], y: &mut [f64]) -> Result<(), Refusal> {
        let integrator = &mut self.run.integrator;
        let (mode, start) = (integrator.flow.mode.clone(), y.to_vec());
        let system = integrator.flow.system();
        for &k in closed {
            integrator.flow.mode.set_status(&system.contacts()[k], Status::Frictionless);
        }
        let delta: Vec<f64> = y.iter().map(|y| f64::EPSILON * y.abs()).collect();
        integrator.flow.enter_branches(&mode, UncertainPoint { t: integrator.trial.t, y, delta: &delta });
        let assembled = integrator.flow.constraints().make_consistent(integrator.trial.t, y, &[]);
        integrator.flow.mode = mode;
        let q = system.layout().q;
        y[q..].copy_from_slice(&start[q..]);
        assembled
    }

    /// Checks the friction of contacts that slide or stick, which may be a formula.
    pub(super) fn check_friction(&mut self) -> Result<(), Error> {
        let flow = &mut self.run.integrator.flow;
        let contacts = flow.system().contacts();
        let rubs =
            |contact: &ContactShape| contact.tangent.is_some() && flow.mode.status(contact).is_closed();
        if !contacts.iter().any(rubs) {
            return Ok(());
        }
        let (t, y) = (self.run.integrator.trial.t, &self.run.integrator.trial.start);
        let laws = flow.contacts().laws(t, y);
        let tolerances = &self.run.integrator.options.tolerances;
        let widths: Vec<f64> = y.iter().enumerate().map(|(i, y)| tolerances.scale(i, y.abs())).collect();
        for (contact, law) in contacts.iter().zip(laws) {
            if let Some(values) = law.friction.filter(|_| flow.mode.status(contact).is_closed())
                && !law.has_friction_in_range()
            {
                return Err(Error::FrictionRange { contact: contact.name.clone(), values, t });
            }
        }
        for (g, guard) in flow.system().guards().iter().enumerate() {
            let Some(of) = guard.contact.filter(|of| of.change == ContactChange::Stick) else { continue };
            if !self.run.guards.watch.is_on(g) || self.run.guards.watch.side(g) != SideState::Plus {
                continue;
            }
            // Its guard is beyond zero without having fired: friction would push along the slip. What is below the
            // tolerance is rest.
            let (slip, mut y) = (flow.guards().value(g, t, y), y.clone());
            if slip < -flow.guards().spread(g, t, &mut y, &widths) {
                let contacts = format!("`{}`", contacts[of.contact].name);
                return Err(Error::ContactsUnsolved { contacts, why: Unsolved::Backwards, t });
            }
        }
        Ok(())
    }

    /// Names the contact whose force has grown without bound, where steps could not go on.
    pub(super) fn name_jam(&mut self, error: Error) -> Error {
        let is_of_steps = matches!(
            error,
            Error::DerivativeNotFinite { .. } | Error::StepTooSmall { .. } | Error::NoConvergence { .. }
        );
        let flow = &mut self.run.integrator.flow;
        let contacts = flow.system().contacts();
        if !is_of_steps || contacts.is_empty() {
            return error;
        }
        let (t, y) = (self.run.integrator.trial.t, &self.run.integrator.trial.start);
        let delta = self.run.guards.uncertainty.of_rounding();
        for (k, contact) in contacts.iter().enumerate() {
            let status = flow.mode.status(contact);
            let (Status::Slides(direction), Some(_)) = (status, contact.gap) else { continue };
            let mode = flow.mode.clone();
            let point = TouchPoint { t, y, before: y, mode_before: &mode, delta: &delta };
            let Some(touching) = flow.contacts().touching(point, (&[k], &[status]), &[]) else { continue };
            if let Some(friction) = near_jam(&touching.relations, direction) {
                return Error::Painleve { contact: contact.name.clone(), friction, t };
            }
        }
        error
    }

    /// Says what is worth a word of what happened to contacts.
    pub(super) fn note_contacts(&mut self) {
        let RunLoop { transition, recorder, integrator, .. } = &mut *self.run;
        let system = integrator.flow.system();
        let (contacts, guards) = (system.contacts(), system.guards());
        for remark in &transition.contacts.remarks {
            let of_contacts = remark.contacts().iter().map(|&k| &contacts[k].name);
            let given = transition.contacts.given().iter().filter(|_| remark.is_of_impact());
            let of_events = given.map(|given| &guards[given.guard].name);
            let names: Vec<String> = of_contacts.chain(of_events).map(|name| format!("`{name}`")).collect();
            let names = names.join(", ");
            recorder.note_once(transition.t, (remark.code(), &names), || remark.in_words(&names));
        }
    }
}
