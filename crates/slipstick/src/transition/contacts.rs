//! Contacts: impacts of those that approach, then which of them hold, stick, slide or open.
//!
//! All contacts of an instant are one problem: those that are closed, those that hit, and bystanders whose
//! gap is zero as far as can be told. Impacts come first; contacts whose gaps do not move after them take
//! part in the problem of accelerations.

use super::rule::{Impossible, Rule, Tools, Transition};
use crate::contact::{
    ImpactRemark, ImpactResult, LawNumbers, Relations, Status, Unsolved, Wish, end_hits,
    resolve_accelerations, resolve_impact,
};
use crate::equations::{ContactGuard, UncertainPoint};
use crate::expr::Inexact;
use crate::formulation::{Flow, TouchPoint, Touching};
use crate::model::ContactChange;
use crate::watch::NOTHING_LEFT;

/// Rounding of a sum of a few terms, in units of the sum of their sizes.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// In units of its band, how far a gap has to come out: the end of a shorter flight cannot be located.
const LEAST_FLIGHT: f64 = 16.0;

/// What happened to contacts in a round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactRecord {
    /// Impacts, one for each contact with an impulse.
    pub hits: Vec<Hit>,
    /// The guards of what has happened to contacts, whether or not they have fired.
    pub happened: Vec<usize>,
    /// What is worth a word.
    pub remarks: Vec<ContactRemark>,
}

/// An impulse in a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Which contact.
    pub contact: usize,
    /// The velocities of its gap before and after.
    pub gap: (f64, f64),
    /// The impulses along its normal and its tangent.
    pub impulse: (f64, f64),
    /// What the energy has changed by in the whole impact.
    pub energy: f64,
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
        let which = taking_part(tools.flow, point, &Fired { guards: &fired, window });
        if which.is_empty() {
            return Ok(());
        }
        Instant { flow: tools.flow, which, fired, delta: &self.delta }.resolve(transition)
    }
}

/// What has fired of contacts, and how long the window of that is.
struct Fired<'f> {
    guards: &'f [ContactGuard],
    window: f64,
}

impl Fired<'_> {
    fn is_of(&self, contact: usize) -> bool {
        self.guards.iter().any(|of| of.contact == contact)
    }

    /// In units of its band, below what a gap is zero. Where hits have come to nothing, so has what is as
    /// small.
    fn bands(&self) -> f64 {
        let rests = self.guards.iter().any(|of| of.change == ContactChange::Rest);
        if rests { NOTHING_LEFT } else { 1.0 }
    }
}

/// The contacts that take part: closed ones, those that hit, and those whose gap is zero as far as can be
/// told.
fn taking_part(flow: &mut Flow<'_>, point: UncertainPoint<'_>, fired: &Fired<'_>) -> Vec<usize> {
    let mut part = Vec::new();
    for (k, contact) in flow.system().contacts().iter().enumerate() {
        if flow.mode.status(contact).is_closed() || fired.is_of(k) {
            part.push(k);
            continue;
        }
        let gap = flow.guards().banded(contact.hit, point);
        let Some(gap) = gap else { continue };
        let window = fired.window;
        let moves = if window > 0.0 { gap_velocity(flow, point.t, point.y, k).abs() * window } else { 0.0 };
        if gap.value.abs() <= fired.bands() * gap.bound + moves {
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

fn gap_velocity(flow: &mut Flow<'_>, t: f64, y: &[f64], contact: usize) -> f64 {
    let touching = flow.contacts().touching(TouchPoint { t, y, before: y }, &[contact], &[Status::Open]);
    touching.map_or(0.0, |touching| touching.relations.velocity[0].value)
}

/// Contacts as numbers, and the round that they are found in.
type Known<'k> = (&'k Relations, &'k Transition);

/// The contacts that take part in what happens at one instant.
struct Instant<'r, 'a> {
    flow: &'r mut Flow<'a>,
    which: Vec<usize>,
    fired: Vec<ContactGuard>,
    /// How uncertain each state is by rounding.
    delta: &'r [f64],
}

impl Instant<'_, '_> {
    fn resolve(&mut self, transition: &mut Transition) -> Result<(), Impossible> {
        let before: Vec<Status> = self.statuses();
        let (mut rests, ended) = self.end_hits(transition, &before)?;
        let Touching { mut relations, responses } = self.touching(transition, &before)?;
        relations.velocity = ended.unwrap_or(relations.velocity);
        self.check_laws(&relations.laws)?;
        let mut wishes = self.wishes(&before, &relations);
        let mut after: Vec<Inexact> = relations.velocity.iter().step_by(2).copied().collect();
        if (0..self.which.len()).any(|i| relations.approaches(i)) {
            let restitution = self.restitutions(&relations);
            let impact = resolve_impact(&relations, &restitution).map_err(|why| self.unsolved(why))?;
            self.move_by(&impact.impulses, &responses, transition);
            self.record(&impact, &relations, transition);
            after = impact.velocity.iter().step_by(2).copied().collect();
            rests.fill(false);
            for (wish, slides) in wishes.iter_mut().zip(&impact.slides) {
                wish.direction = slides.unwrap_or(wish.direction);
            }
        }
        let mut stays = rests;
        for (i, velocity) in after.iter().enumerate() {
            // Hits that have accumulated leave no velocity of the gap that would count.
            stays[i] = stays[i]
                || velocity.value <= velocity.bound
                || self.comes_to_nothing(i, velocity.value, (&relations, transition));
        }
        self.set_statuses(transition, &wishes, &stays)
    }

    /// Where hits have accumulated, takes off what is left of the velocities of gaps. Others may come to
    /// approach by that. Gives which contacts rest, and the velocities after it if it has changed any.
    fn end_hits(
        &mut self,
        transition: &mut Transition,
        before: &[Status],
    ) -> Result<(Vec<bool>, Option<Vec<Inexact>>), Impossible> {
        let all = 0..self.which.len();
        let mut rests: Vec<bool> = all.clone().map(|i| self.has_fired(i, ContactChange::Rest)).collect();
        if !rests.contains(&true) {
            return Ok((rests, None));
        }
        let Touching { relations, responses } = self.touching(transition, before)?;
        for i in all {
            let velocity = relations.velocity[2 * i].value;
            rests[i] = rests[i] || self.comes_to_nothing(i, velocity, (&relations, transition));
        }
        let wishes = self.wishes(before, &relations);
        let ended = end_hits(&relations, &wishes, &rests).map_err(|why| self.unsolved(why))?;
        self.move_by(&ended.impulses, &responses, transition);
        Ok((rests, Some(ended.velocity)))
    }

    /// Whether a gap that moves with some velocity falls back before it comes out of what cannot be told from
    /// zero: then it is closed.
    fn comes_to_nothing(&mut self, i: usize, velocity: f64, (relations, transition): Known<'_>) -> bool {
        let contact = self.flow.system().contacts()[self.which[i]].hit;
        let Transition { t, after, .. } = transition;
        let point = UncertainPoint { t: *t, y: after, delta: self.delta };
        let Some(gap) = self.flow.guards().banded(contact, point) else { return false };
        let falls = -relations.free[2 * i].value;
        let bands = Fired { guards: &self.fired, window: 0.0 }.bands().max(LEAST_FLIGHT);
        velocity * velocity <= 2.0 * falls * (bands * gap.bound - gap.value)
    }

    fn wishes(&self, before: &[Status], relations: &Relations) -> Vec<Wish> {
        before.iter().enumerate().map(|(i, status)| self.wish(i, *status, relations)).collect()
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

    /// Where hits have accumulated, nothing is given back: neither by them, nor by what approaches because
    /// they end.
    fn restitutions(&self, relations: &Relations) -> Vec<f64> {
        let rests = self.fired.iter().any(|of| of.change == ContactChange::Rest);
        relations.laws.iter().map(|law| if rests { 0.0 } else { law.restitution }).collect()
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

    fn record(&self, impact: &ImpactResult, relations: &Relations, transition: &mut Transition) {
        let record = &mut transition.contacts;
        for (i, &contact) in self.which.iter().enumerate() {
            let impulse = (impact.impulses[2 * i], impact.impulses[2 * i + 1]);
            if impulse.0 != 0.0 {
                let gap = (relations.velocity[2 * i].value, impact.velocity[2 * i].value);
                record.hits.push(Hit { contact, gap, impulse, energy: impact.energy });
            }
        }
        let hit: Vec<usize> = record.hits.iter().map(|hit| hit.contact).collect();
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
            let is_hit = transition.contacts.hits.iter().any(|hit| hit.contact == k);
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
