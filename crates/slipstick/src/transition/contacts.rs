//! Contacts: impacts of those that approach, then which of them hold, stick, slide or open.
//!
//! All contacts of an instant are one problem: those that are closed, those that hit, and bystanders whose gap is zero
//! as far as can be told. Impacts come first; contacts whose gaps do not move after them take part in the problem of
//! accelerations.

use super::rule::{Impossible, Rule, Tools, Transition};
use crate::contact::{
    Hit, Impact, ImpactRemark, ImpactResult, LawNumbers, Relations, Status, Unsolved, Wish, end_hits,
    resolve_accelerations, resolve_impact,
};
use crate::equations::{ContactGuard, UncertainPoint};
use crate::formulation::{Flow, JointResponses, TouchPoint, Touching};
use crate::model::ContactChange;

/// Rounding of a sum of a few terms, in units of the sum of their sizes.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// What happened to contacts in a round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactRecord {
    /// The impact, if contacts were hit.
    pub impact: Option<Impact>,
    /// What takes off what is left of hits that have accumulated.
    pub rest: Option<Impact>,
    /// The guards of what has happened to contacts, whether or not they have fired.
    pub happened: Vec<usize>,
    /// What is worth a word.
    pub remarks: Vec<ContactRemark>,
}

impl ContactRecord {
    /// The contacts with an impulse.
    pub fn hits(&self) -> &[Hit] {
        self.impact.as_ref().map_or(&[], |impact| &impact.hits)
    }
}

/// What is worth a word.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactRemark {
    /// The impact of these contacts has more than one solution.
    ImpactNotUnique(Vec<usize>),
    /// The impact of these contacts did not come to an end, and restitution was given up.
    GaveUpRestitution(Vec<usize>),
    /// The impact of these contacts has raised the energy.
    GainsEnergy(Vec<usize>, f64),
    /// The motion of these contacts goes on in more than one way.
    MotionNotUnique(Vec<usize>),
}

/// Decides about contacts.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    /// How uncertain each state is by rounding.
    pub delta: Vec<f64>,
}

impl Rule for Contacts {
    fn apply(&mut self, tools: &mut Tools<'_, '_>, transition: &mut Transition) -> Result<(), Impossible> {
        let guards = tools.flow.system().guards();
        if tools.flow.system().contacts().is_empty() {
            return Ok(());
        }
        let fired: Vec<ContactGuard> =
            transition.firing.guards.iter().filter_map(|&g| guards[g].contact).collect();
        if fired.is_empty() && !transition.changes(&tools.flow.mode) {
            return Ok(());
        }
        let window = transition.firing.window.map_or(0.0, |window| window.hi - window.lo);
        let point = UncertainPoint { t: transition.t, y: &transition.after, delta: &self.delta };
        let which = taking_part(tools.flow, point, (&fired, window));
        if which.is_empty() {
            return Ok(());
        }
        Instant { flow: tools.flow, which, fired }.resolve(transition)
    }
}

/// The contacts that take part: closed ones, those that hit, and those whose gap is zero as far as can be told.
fn taking_part(
    flow: &mut Flow<'_>,
    point: UncertainPoint<'_>,
    (fired, window): (&[ContactGuard], f64),
) -> Vec<usize> {
    let mut part = Vec::new();
    let earlier = earlier(flow, point, window);
    for (k, contact) in flow.system().contacts().iter().enumerate() {
        if flow.mode.status(contact).is_closed() || fired.iter().any(|of| of.contact == k) {
            part.push(k);
            continue;
        }
        let gap = flow.guards().banded(contact.hit, point);
        let Some(gap) = gap else { continue };
        let before = flow.guards().value(contact.hit, point.t - window, &earlier);
        if gap.value.abs() <= gap.bound + (gap.value - before).abs() {
            part.push(k);
        }
    }
    part
}

/// Whether this has happened to a contact that comes from one status to another, and may have had an impulse.
fn happens(change: ContactChange, (before, after): (Status, Status), is_hit: bool) -> bool {
    match change {
        ContactChange::Hit => is_hit || !before.is_closed() && after.is_closed(),
        ContactChange::Lift => before.is_closed() && !after.is_closed(),
        ContactChange::Slip => before == Status::Sticks && matches!(after, Status::Slides(_)),
        ContactChange::Stick => matches!(before, Status::Slides(_)) && after == Status::Sticks,
        ContactChange::Rest => false,
    }
}

/// What the end of hits that accumulate comes to.
fn ending(relations: &Relations, impulses: Vec<f64>) -> ImpactResult {
    let velocity = relations.after(&relations.velocity, &impulses);
    let work = |(i, p): (usize, &f64)| 0.5 * p * (relations.velocity[i].value + velocity[i].value);
    let energy = impulses.iter().enumerate().map(work).sum();
    ImpactResult { impulses, velocity, energy, ..ImpactResult::default() }
}

/// Where the mechanism was when the window of an event began, as its speeds say.
fn earlier(flow: &Flow<'_>, point: UncertainPoint<'_>, window: f64) -> Vec<f64> {
    let layout = flow.system().layout();
    let mut earlier = point.y.to_vec();
    for i in 0..layout.q.min(layout.v) {
        earlier[i] -= window * point.y[layout.q + i];
    }
    earlier
}

/// The contacts that take part in what happens at one instant.
struct Instant<'r, 'a> {
    flow: &'r mut Flow<'a>,
    which: Vec<usize>,
    fired: Vec<ContactGuard>,
}

impl Instant<'_, '_> {
    fn resolve(&mut self, transition: &mut Transition) -> Result<(), Impossible> {
        let before: Vec<Status> = self.statuses();
        let Touching { relations, responses, joints } = self.touching(transition, &before)?;
        self.check_laws(&relations.laws)?;
        let mut wishes: Vec<Wish> =
            (0..self.which.len()).map(|i| self.wish(i, before[i], &relations)).collect();
        // Hits that have accumulated leave no velocity of the gap that would count.
        let mut stays: Vec<bool> = (0..self.which.len())
            .map(|i| !relations.separates(i) || self.has_fired(i, ContactChange::Rest))
            .collect();
        if (0..self.which.len()).any(|i| relations.approaches(i)) {
            let restitution = self.restitutions(&relations);
            let impact = resolve_impact(&relations, &restitution).map_err(|why| self.unsolved(why))?;
            self.move_by(&impact.impulses, &responses, transition);
            self.record(&impact, &relations, &joints, transition);
            for (i, velocity) in impact.velocity.iter().step_by(2).enumerate() {
                stays[i] = velocity.value <= velocity.bound;
            }
            for (wish, slides) in wishes.iter_mut().zip(&impact.slides) {
                wish.direction = slides.unwrap_or(wish.direction);
            }
        } else if self.fired.iter().any(|of| of.change == ContactChange::Rest) {
            let rests: Vec<bool> =
                (0..self.which.len()).map(|i| self.has_fired(i, ContactChange::Rest)).collect();
            let impulses = end_hits(&relations, &wishes, &rests).map_err(|why| self.unsolved(why))?;
            self.move_by(&impulses, &responses, transition);
            transition.contacts.rest = Some(self.logged(&ending(&relations, impulses), &relations, &joints));
        }
        self.set_statuses(transition, &wishes, &stays)
    }

    fn statuses(&self) -> Vec<Status> {
        let contacts = self.flow.system().contacts();
        self.which.iter().map(|&k| self.flow.mode.status(&contacts[k])).collect()
    }

    fn touching(&mut self, transition: &Transition, statuses: &[Status]) -> Result<Touching, Impossible> {
        let Transition { t, before, after, .. } = transition;
        let point = TouchPoint { t: *t, y: after, before };
        let touching = self.flow.contacts().touching(point, &self.which, statuses);
        touching.ok_or_else(|| self.unsolved(Unsolved::Impact))
    }

    fn has_fired(&self, i: usize, change: ContactChange) -> bool {
        self.fired.iter().any(|of| of.contact == self.which[i] && of.change == change)
    }

    /// What is known of a contact before forces are found.
    fn wish(&self, i: usize, status: Status, relations: &Relations) -> Wish {
        let slip = relations.velocity[2 * i + 1];
        let direction = match status {
            _ if self.has_fired(i, ContactChange::Stick) => 0.0,
            Status::Slides(direction) => direction,
            _ if slip.value.abs() <= slip.bound => 0.0,
            _ => slip.value.signum(),
        };
        let (lifts, slips) = (self.has_fired(i, ContactChange::Lift), self.has_fired(i, ContactChange::Slip));
        Wish { status, lifts, slips, direction }
    }

    /// A contact whose hits have accumulated gives nothing back.
    fn restitutions(&self, relations: &Relations) -> Vec<f64> {
        let given = |(i, law): (usize, &LawNumbers)| {
            if self.has_fired(i, ContactChange::Rest) { 0.0 } else { law.restitution }
        };
        relations.laws.iter().enumerate().map(given).collect()
    }

    fn check_laws(&self, laws: &[LawNumbers]) -> Result<(), Impossible> {
        for (law, &contact) in laws.iter().zip(&self.which) {
            let (sticking, sliding) = law.friction.unwrap_or_default();
            let in_range = (0.0..=1.0).contains(&law.restitution);
            if !in_range {
                return Err(Impossible::Restitution { contact, value: law.restitution });
            }
            if !(sliding >= 0.0 && sticking >= sliding && sticking.is_finite()) {
                return Err(Impossible::Friction { contact, values: (sticking, sliding) });
            }
        }
        Ok(())
    }

    /// Adds the changes of the speeds for all impulses. Where these cancel, a speed stays as it is.
    fn move_by(&self, impulses: &[f64], responses: &[Vec<f64>], transition: &mut Transition) {
        let layout = self.flow.system().layout();
        for (i, speed) in transition.after[layout.q..layout.q + layout.v].iter_mut().enumerate() {
            let (mut change, mut size) = (0.0, 0.0);
            for (p, response) in impulses.iter().zip(responses) {
                change += p * response[i];
                size += (p * response[i]).abs();
            }
            if change.abs() > ROUNDING * size {
                *speed += change;
            }
        }
    }

    fn record(
        &mut self,
        impact: &ImpactResult,
        relations: &Relations,
        joints: &JointResponses,
        transition: &mut Transition,
    ) {
        let logged = self.logged(impact, relations, joints);
        let contacts = self.flow.system().contacts();
        for hit in &logged.hits {
            self.flow.mode.add_impulse(&contacts[hit.contact], hit.impulse);
        }
        let hit: Vec<usize> = logged.hits.iter().map(|hit| hit.contact).collect();
        let record = &mut transition.contacts;
        record.impact = Some(logged);
        for remark in &impact.remarks {
            record.remarks.push(match remark {
                ImpactRemark::GaveUpRestitution => ContactRemark::GaveUpRestitution(hit.clone()),
                ImpactRemark::NotUnique => ContactRemark::ImpactNotUnique(hit.clone()),
            });
        }
        let size: f64 = impact
            .impulses
            .iter()
            .zip(&relations.velocity)
            .map(|(p, velocity)| (p * velocity.value).abs())
            .sum();
        if impact.energy > 1e-9 * size {
            record.remarks.push(ContactRemark::GainsEnergy(hit, impact.energy));
        }
    }

    /// What the log keeps of an impact.
    fn logged(&self, impact: &ImpactResult, relations: &Relations, joints: &JointResponses) -> Impact {
        let pair = |row: usize| (relations.velocity[row].value, impact.velocity[row].value);
        let hit = |(i, &contact): (usize, &usize)| {
            let impulse = (impact.impulses[2 * i], impact.impulses[2 * i + 1]);
            let hit = Hit { contact, gap: pair(2 * i), slip: pair(2 * i + 1), impulse };
            (impulse.0 != 0.0).then_some(hit)
        };
        let hits: Vec<Hit> = self.which.iter().enumerate().filter_map(hit).collect();
        let law = hits.first().map(|hit| self.flow.system().contacts()[hit.contact].law).unwrap_or_default();
        let (passes, energy) = (impact.passes, impact.energy);
        Impact { law, passes, hits, joints: joints.impulses(&impact.impulses), energy }
    }

    /// Finds out which contacts hold whose gaps stay, and sets what all of them do.
    fn set_statuses(
        &mut self,
        transition: &mut Transition,
        wishes: &[Wish],
        stays: &[bool],
    ) -> Result<(), Impossible> {
        let mut statuses = vec![Status::Open; self.which.len()];
        let staying: Vec<usize> = (0..self.which.len()).filter(|&i| stays[i]).collect();
        if !staying.is_empty() {
            let all = std::mem::take(&mut self.which);
            self.which = staying.iter().map(|&i| all[i]).collect();
            let wishes: Vec<Wish> = staying.iter().map(|&i| wishes[i]).collect();
            let before: Vec<Status> = wishes.iter().map(|wish| wish.status).collect();
            let Touching { relations, .. } = self.touching(transition, &before)?;
            let resolved = resolve_accelerations(&relations, &wishes).map_err(|why| self.unsolved(why))?;
            if resolved.is_ambiguous {
                transition.contacts.remarks.push(ContactRemark::MotionNotUnique(self.which.clone()));
            }
            self.which = all;
            staying.iter().zip(resolved.statuses).for_each(|(&i, status)| statuses[i] = status);
        }
        let contacts = self.flow.system().contacts();
        for (&k, status) in self.which.iter().zip(statuses) {
            let before = self.flow.mode.status(&contacts[k]);
            let rests = self.fired.iter().any(|of| of.contact == k && of.change == ContactChange::Rest);
            let is_hit = transition.contacts.hits().iter().any(|hit| hit.contact == k);
            let guards = self.flow.system().guards().iter().enumerate();
            let of_contact =
                guards.filter_map(|(g, guard)| Some((g, guard.contact.filter(|of| of.contact == k)?)));
            let happened =
                of_contact.filter(|(_, of)| !rests && happens(of.change, (before, status), is_hit));
            transition.contacts.happened.extend(happened.map(|(g, _)| g));
            self.flow.mode.set_status(&contacts[k], status);
        }
        Ok(())
    }

    fn unsolved(&self, why: Unsolved) -> Impossible {
        Impossible::Contacts { which: self.which.clone(), why }
    }
}
