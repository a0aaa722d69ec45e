//! What happens to contacts at one instant: an impact if some of them approach, then the forces of those that stay.

use super::super::rule::{Impossible, ImpossibleContact, Transition};
use super::ContactRemark;
use crate::contact::{
    GivenImpulse, Hit, Impact, ImpactRemark, ImpactResult, Jam, LawNumbers, Relations, Resolved, Status,
    Unsolved, Wish, end_hits, jams, release, resolve_accelerations, resolve_impact, stop_slip,
};
use crate::equations::{ContactGuard, Layout, UncertainPoint};
use crate::expr::Inexact;
use crate::formulation::{Flow, GivenRow, JointResponses, TouchPoint, Touching};
use crate::model::ContactChange;
use crate::watch::NOTHING_LEFT;

/// Rounding of a sum of a few terms, in units of the sum of their sizes.
const ROUNDING: f64 = 64.0 * f64::EPSILON;
/// A bounce that rises by no more than this many bands of its gap cannot be seen: its end could not be located.
const UNSEEN: f64 = 16.0;
/// Forces of joints and the friction that follows from them settle within this many passes, or do not.
const MOST_PASSES: usize = 200;
/// Energy that an impact gains by rounding, as a part of that of its impulses.
const ROUNDED_GAIN: f64 = 1e-9;

/// The contacts that take part in what happens at one instant.
pub(super) struct ContactProblem<'r, 'a> {
    pub(super) flow: &'r mut Flow<'a>,
    pub(super) which: Vec<usize>,
    /// The impulses that events give as contacts would, behind the contacts.
    pub(super) given: Vec<GivenRow>,
    pub(super) fired: Vec<ContactGuard>,
    /// How uncertain each state is by rounding.
    pub(super) delta: &'r [f64],
    /// The length of the window of what fired, if the motion has come to it.
    pub(super) window: Option<f64>,
    /// Whether it fired because of the motion.
    pub(super) by_motion: bool,
}

/// What contacts come to.
struct Attempt {
    /// Impulses, in their order.
    impulses: Vec<Moved>,
    /// Contacts whose slip was stopped because no forces are possible with it.
    jammed: Vec<(usize, Jam)>,
    resolved: Resolved,
    /// The velocities of gaps after all impulses.
    velocity: Vec<f64>,
    /// Contacts that may as well slide as lift.
    ambiguous: Vec<(usize, Jam)>,
    /// What takes off the velocities that closed gaps were held with: impulses by rows, and the change of the speeds for
    /// one in each.
    release: (Vec<f64>, Vec<Vec<f64>>),
}

/// Impulses, with the contacts before them.
struct Moved {
    result: ImpactResult,
    relations: Relations,
    joints: JointResponses,
}

impl ContactProblem<'_, '_> {
    /// Decides what contacts do. Those that would bounce by less than can be seen end their hits here.
    pub(super) fn resolve(&mut self, transition: &mut Transition) -> Result<(), Impossible> {
        let start = transition.after.clone();
        let mut ends: Vec<bool> =
            (0..self.which.len()).map(|i| self.has_fired(i, ContactChange::Rest)).collect();
        loop {
            let attempt = self.attempt(transition, &ends)?;
            let unseen = self.unseen_bounces(transition, &attempt, &ends);
            if unseen.is_empty() {
                self.take(transition, &attempt, &ends);
                return Ok(());
            }
            for i in unseen {
                ends[i] = true;
            }
            transition.after.copy_from_slice(&start);
        }
    }

    /// The velocities and forces that follow if the hits of some contacts end here: first what is left of them is
    /// taken off, then contacts that approach hit, then forces are found.
    fn attempt(&mut self, transition: &mut Transition, ends: &[bool]) -> Result<Attempt, Impossible> {
        let before: Vec<Status> = self.statuses();
        let given = self.given.clone();
        let Touching { mut relations, responses, joints, .. } = self.touching(transition, &before, &given)?;
        self.check_laws(&relations.laws)?;
        let count = self.which.len();
        let mut wishes: Vec<Wish> = (0..count).map(|i| self.wish(i, before[i], &relations)).collect();
        if transition.mode_before.values.signs != self.flow.mode.values.signs {
            let_turned_go(&mut wishes, &relations);
        }
        // Contacts whose hits end here close, as those do that hit.
        wishes.iter_mut().zip(ends).for_each(|(wish, ends)| wish.hits |= ends);
        let left: Vec<bool> = (0..count).map(|i| ends[i] && !relations.approaches(i)).collect();
        let mut impulses = Vec::new();
        if left.contains(&true) {
            let result = end_hits(&relations, &wishes, &left).map_err(|why| self.unsolved(why))?;
            let (before, velocity) = (relations.clone(), result.velocity.clone());
            move_by(self.flow.system().layout(), (&result.impulses, &responses), &mut transition.after);
            turn_slips(&mut wishes, &before.velocity, &result);
            impulses.push(Moved { result, relations: before, joints: joints.clone() });
            relations.velocity = velocity;
        }
        if (0..relations.count()).any(|i| relations.approaches(i)) {
            let result = resolve_impact(&relations, &self.restitutions(&relations, ends));
            let result = result.map_err(|why| self.unsolved(why))?;
            move_by(self.flow.system().layout(), (&result.impulses, &responses), &mut transition.after);
            let (before, velocity) = (relations.clone(), result.velocity.clone());
            turn_slips(&mut wishes, &before.velocity, &result);
            impulses.push(Moved { result, relations: before, joints });
            relations.velocity = velocity;
        }
        for (i, wish) in wishes.iter_mut().enumerate() {
            // Hits that have come to their end leave no velocity of the gap that would count.
            let velocity = relations.velocity[2 * i];
            wish.stays = left[i] || velocity.value <= velocity.bound;
        }
        let velocity = relations.velocity.iter().step_by(2).map(|velocity| velocity.value).collect();
        self.find_forces(transition, wishes, (impulses, velocity))
    }

    /// What contacts give back. Where hits have accumulated, nothing: neither by them, nor by what approaches because
    /// they end.
    fn restitutions(&self, relations: &Relations, ends: &[bool]) -> Vec<f64> {
        let rests = self.is_rest();
        let given = |(i, law): (usize, &LawNumbers)| match ends.get(i) {
            Some(ends) if rests || *ends => 0.0,
            _ => law.restitution,
        };
        relations.laws.iter().enumerate().map(given).collect()
    }

    /// Whether the hits of a contact have accumulated.
    fn is_rest(&self) -> bool {
        self.fired.iter().any(|of| of.change == ContactChange::Rest)
    }

    /// Forces of the contacts that stay. Where there are none with the slip that they have, it is stopped by an impulse
    /// (impact without collision).
    fn find_forces(
        &mut self,
        transition: &mut Transition,
        mut wishes: Vec<Wish>,
        (mut impulses, velocity): (Vec<Moved>, Vec<f64>),
    ) -> Result<Attempt, Impossible> {
        let before: Vec<Status> = wishes.iter().map(|wish| wish.status).collect();
        let mut jammed: Vec<(usize, Jam)> = Vec::new();
        loop {
            let Touching { mut relations, responses, joints, held, .. } =
                self.touching(transition, &before, &[])?;
            self.widen_accelerations(&mut relations, transition, &wishes);
            let why = match self.resolve_pressed(&mut relations, &joints, &wishes) {
                Ok(resolved) => {
                    let ambiguous =
                        if resolved.is_ambiguous { jams(&relations, &wishes) } else { Vec::new() };
                    let release = (release(&relations, &before, &held), responses);
                    return Ok(Attempt { impulses, jammed, resolved, velocity, ambiguous, release });
                }
                Err(why) => self.unsolved(why),
            };
            let jams = jams(&relations, &wishes);
            let stopped = stop_slip(&relations, &wishes, &jams);
            let Some(result) = stopped.filter(|_| jammed.is_empty()) else { return Err(why) };
            for (i, _) in &jams {
                wishes[*i].direction = 0.0;
            }
            jammed = jams;
            move_by(self.flow.system().layout(), (&result.impulses, &responses), &mut transition.after);
            impulses.push(Moved { result, relations, joints });
        }
    }

    /// What contacts do, where some may be pressed by the forces of joints that follow from what all do: these are found
    /// one after the other, until they stay. Friction in joints that answers with more force than causes it has no end.
    fn resolve_pressed(
        &self,
        relations: &mut Relations,
        joints: &JointResponses,
        wishes: &[Wish],
    ) -> Result<Resolved, Unsolved> {
        let contacts = self.flow.system().contacts();
        let places = self.which.iter().enumerate();
        let pressed: Vec<(usize, usize, f64)> = places
            .filter_map(|(i, &k)| {
                Some((i, contacts[k].pressed_by?, relations.laws[i].given.filter(|part| *part > 0.0)?))
            })
            .collect();
        let mut forces = vec![0.0; 2 * relations.count()];
        for pass in 0..MOST_PASSES {
            let mut is_found = pass > 0;
            for &(i, row, part) in &pressed {
                let (force, size) = joints.force(row, &forces);
                let force = part * force.abs();
                let before = relations.laws[i].given.replace(force).unwrap_or(0.0);
                is_found &= (force - before).abs() <= ROUNDING * part * size;
            }
            let resolved = resolve_accelerations(relations, wishes)?;
            if is_found || pressed.is_empty() {
                return Ok(resolved);
            }
            forces.clone_from(&resolved.forces);
        }
        Err(Unsolved::Forces)
    }

    /// An event happens somewhere in its window. Coordinates and loads there are uncertain by that time, and so are
    /// accelerations of gaps: a closed contact that nothing presses together does not open by what is left of them, and one whose force
    /// has fallen to zero is not held by it. No window is shorter than the spacing of times.
    fn widen_accelerations(&mut self, relations: &mut Relations, transition: &Transition, wishes: &[Wish]) {
        let (system, y) = (self.flow.system(), &transition.after);
        for (i, wish) in wishes.iter().enumerate() {
            let free = relations.free[2 * i];
            let is_left = if wish.lifts { free.value < -free.bound } else { free.value > free.bound };
            let window = self.window.filter(|_| is_left && wish.stays && wish.status.is_closed());
            let Some((window, hit)) = window.zip(system.contacts()[self.which[i]].hit()) else { continue };
            let window = window.max(f64::EPSILON * transition.t.abs());
            let (mut moved, mut gradient) = (y.clone(), vec![0.0; y.len()]);
            self.flow.guards().gradient(hit, transition.t, &mut moved, &mut gradient);
            for (j, rate) in self.flow.position_rates(transition.t, y).into_iter().enumerate() {
                moved[j] += window * rate.abs() * sign(gradient[j]);
            }
            let Transition { t, before, mode_before, .. } = transition;
            let point = TouchPoint { t: *t + window, y: &moved, before, mode_before, delta: self.delta };
            let statuses = [wish.status];
            if let Some(there) = self.flow.contacts().touching(point, (&self.which[i..=i], &statuses), &[]) {
                relations.free[2 * i].bound += (there.relations.free[0].value - free.value).abs();
            }
        }
    }

    /// Contacts that open now, and would close again before that can be seen.
    fn unseen_bounces(&mut self, transition: &Transition, attempt: &Attempt, ends: &[bool]) -> Vec<usize> {
        let mut unseen = Vec::new();
        for (i, &k) in self.which.iter().enumerate() {
            let (velocity, acceleration) = (attempt.velocity[i], attempt.resolved.accelerations[i]);
            let opens = velocity > 0.0 && !attempt.resolved.statuses[i].is_closed();
            if ends[i] || !opens || acceleration >= 0.0 {
                continue;
            }
            let Some(hit) = self.flow.system().contacts()[k].hit() else { continue };
            let point = UncertainPoint { t: transition.t, y: &transition.after, delta: self.delta };
            let Some(gap) = self.flow.guards().banded_anyway(hit, point) else { continue };
            // Where hits have come to nothing, so has what is as small.
            let bands = if self.is_rest() { NOTHING_LEFT } else { UNSEEN };
            if velocity * velocity <= 2.0 * acceleration.abs() * (bands * gap.bound - gap.value) {
                unseen.push(i);
            }
        }
        unseen
    }

    fn statuses(&self) -> Vec<Status> {
        let contacts = self.flow.system().contacts();
        self.which.iter().map(|&k| self.flow.mode.status(&contacts[k])).collect()
    }

    fn touching(
        &mut self,
        transition: &Transition,
        statuses: &[Status],
        given: &[GivenRow],
    ) -> Result<Touching, Impossible> {
        let Transition { t, before, after, mode_before, .. } = transition;
        let point = TouchPoint { t: *t, y: after, before, mode_before, delta: self.delta };
        let touching = self.flow.contacts().touching(point, (&self.which, statuses), given);
        let mut touching = touching.ok_or_else(|| self.unsolved(Unsolved::Impact))?;
        // Where the guard of a gap has fired, its own motion has decided: what is left of it counts, however small.
        for i in (0..self.which.len()).filter(|&i| self.by_motion && self.has_fired(i, ContactChange::Hit)) {
            touching.relations.velocity[2 * i].bound = 0.0;
        }
        Ok(touching)
    }

    fn has_fired(&self, i: usize, change: ContactChange) -> bool {
        self.fired.iter().any(|of| of.contact == self.which[i] && of.change == change)
    }

    /// What is known of a contact before forces are found.
    fn wish(&self, i: usize, status: Status, relations: &Relations) -> Wish {
        let slip = relations.velocity[2 * i + 1];
        let is_zero = slip.value.abs() <= slip.bound;
        // A slip that the motion has brought to its end is zero; one that has jumped is what it is.
        let ends = self.has_fired(i, ContactChange::Stick) && (self.window.is_some() || is_zero);
        let direction = match status {
            _ if ends => 0.0,
            // What is pressed by a given force may slide by its friction alone, while others hold it where it is.
            Status::Slides(direction) if is_zero && relations.has_gap(i) => direction,
            _ if is_zero => 0.0,
            _ => slip.value.signum(),
        };
        let [hits, lifts, slips, sticks] =
            [ContactChange::Hit, ContactChange::Lift, ContactChange::Slip, ContactChange::Stick]
                .map(|change| self.has_fired(i, change));
        Wish { status, stays: true, hits, lifts, slips, sticks: sticks && ends, direction }
    }

    fn check_laws(&self, laws: &[LawNumbers]) -> Result<(), Impossible> {
        for (law, &contact) in laws.iter().zip(&self.which) {
            let in_range = (0.0..=1.0).contains(&law.restitution);
            if !in_range {
                return Err(ImpossibleContact::Restitution { contact, value: law.restitution }.into());
            }
            if !law.has_friction_in_range() {
                return Err(ImpossibleContact::Friction {
                    contact,
                    values: law.friction.unwrap_or_default(),
                }
                .into());
            }
        }
        Ok(())
    }

    /// Takes what contacts come to: the log of the impact, what is worth a word, what each of them does.
    fn take(&mut self, transition: &mut Transition, attempt: &Attempt, ends: &[bool]) {
        for moved in &attempt.impulses {
            self.record(moved, transition);
        }
        let named = |(i, jam): &(usize, Jam)| (self.which[*i], *jam);
        let remarks = &mut transition.contacts.remarks;
        remarks.extend(attempt.jammed.iter().map(named).map(|(k, jam)| ContactRemark::Painleve(k, jam)));
        let unclear = attempt.ambiguous.iter().map(named);
        remarks.extend(unclear.map(|(k, jam)| ContactRemark::PainleveNotUnique(k, jam)));
        if !attempt.resolved.shared.is_empty() {
            let shared = attempt.resolved.shared.iter().map(|&i| self.which[i]).collect();
            remarks.push(ContactRemark::ForcesNotUnique(shared));
        }
        if attempt.resolved.is_ambiguous && attempt.ambiguous.is_empty() {
            remarks.push(ContactRemark::MotionNotUnique(self.which.clone()));
        }
        let now = &attempt.resolved.statuses;
        let opens = self.statuses().iter().zip(now).any(|(was, is)| was.is_closed() && !is.is_closed());
        if opens {
            // A contact that opens has no velocity but that of impulses: what steps have left of zero would look like
            // a motion.
            let (impulses, responses) = &attempt.release;
            move_by(self.flow.system().layout(), (impulses, responses), &mut transition.after);
        }
        let before = self.flow.mode.clone();
        for (i, status) in now.iter().enumerate() {
            self.set_status(transition, i, (*status, ends[i], &attempt.impulses));
        }
        let point = UncertainPoint { t: transition.t, y: &transition.after, delta: self.delta };
        self.flow.enter_branches(&before, point);
    }

    fn record(&mut self, moved: &Moved, transition: &mut Transition) {
        let logged = self.logged(moved);
        let contacts = self.flow.system().contacts();
        for hit in logged.hits.iter().filter(|hit| hit.impulse.0 > 0.0) {
            self.flow.mode.add_impulse(&contacts[hit.contact], hit.impulse);
        }
        let hit: Vec<usize> = logged.hits.iter().map(|hit| hit.contact).collect();
        let record = &mut transition.contacts;
        record.append(logged);
        let Moved { result, relations, .. } = moved;
        for remark in &result.remarks {
            record.remarks.push(match remark {
                ImpactRemark::GaveUpRestitution => ContactRemark::GaveUpRestitution(hit.clone()),
                ImpactRemark::NotUnique => ContactRemark::ImpactNotUnique(hit.clone()),
            });
        }
        let pairs = result.impulses.iter().zip(&relations.velocity);
        let size: f64 = pairs.map(|(p, velocity)| (p * velocity.value).abs()).sum();
        // To take off what is left of hits that accumulate, with its friction, is no impact.
        if result.passes > 0 && result.energy > ROUNDED_GAIN * size {
            record.remarks.push(ContactRemark::GainsEnergy(hit, result.energy));
        }
    }

    /// What the log keeps of an impact.
    fn logged(&self, Moved { result, relations, joints }: &Moved) -> Impact {
        let pair = |row: usize| (relations.velocity[row].value, result.velocity[row].value);
        let hit = |(i, &contact): (usize, &usize)| {
            let impulse = (result.impulses[2 * i], result.impulses[2 * i + 1]);
            let hit = Hit { contact, gap: pair(2 * i), slip: pair(2 * i + 1), impulse };
            (impulse.0 != 0.0).then_some(hit)
        };
        let hits: Vec<Hit> = self.which.iter().enumerate().filter_map(hit).collect();
        let law = hits.first().map(|hit| self.flow.system().contacts()[hit.contact].law).unwrap_or_default();
        let (passes, energy) = (result.passes, result.energy);
        let given = self.given.iter().enumerate().filter_map(|(k, given)| {
            let row = 2 * (self.which.len() + k);
            // What is left of hits, and slips that are stopped, concern contacts alone.
            let impulse = given.sign * result.impulses.get(row).filter(|impulse| **impulse != 0.0)?;
            let (before, after) = pair(row);
            Some(GivenImpulse {
                guard: given.guard,
                velocity: (given.sign * before, given.sign * after),
                impulse,
            })
        });
        let given = given.collect();
        Impact { law, passes, hits, given, joints: joints.impulses(&result.impulses), energy }
    }

    /// Sets what a contact does from here on, and takes note of what has happened to it.
    fn set_status(
        &mut self,
        transition: &mut Transition,
        i: usize,
        (status, ends, impulses): (Status, bool, &[Moved]),
    ) {
        let (system, k) = (self.flow.system(), self.which[i]);
        let contact = &system.contacts()[k];
        let before = self.flow.mode.status(contact);
        // A closed contact that only passes an impulse on is not hit itself.
        let hits = |moved: &Moved| {
            moved.result.impulses[2 * i] > 0.0 && (!before.is_closed() || moved.relations.approaches(i))
        };
        let is_hit = impulses.iter().any(hits);
        let rests = self.has_fired(i, ContactChange::Rest);
        let guards = system.guards().iter().enumerate();
        let own = guards.filter_map(|(g, guard)| Some((g, guard.contact.filter(|of| of.contact == k)?)));
        let happened = own.filter(|(_, of)| match of.change {
            ContactChange::Rest => ends && status.is_closed(),
            // The last hit is not one more where hits end.
            ContactChange::Hit if rests => false,
            change => happens(change, (before, status), is_hit),
        });
        transition.contacts.happened.extend(happened.map(|(g, _)| g));
        self.flow.mode.set_status(contact, status);
    }

    fn unsolved(&self, why: Unsolved) -> Impossible {
        let events = self.given.iter().map(|given| given.guard).collect();
        ImpossibleContact::Contacts { which: self.which.clone(), events, why }.into()
    }
}

/// Adds the changes of the speeds for all impulses. Where these cancel, a speed stays as it is; where they stop it, it is
/// zero: rounding that is left of it would be as uncertain as what has cancelled, and could look like a motion.
pub(super) fn move_by(layout: Layout, (impulses, responses): (&[f64], &[Vec<f64>]), state: &mut [f64]) {
    for (i, speed) in state[layout.q..layout.q + layout.v].iter_mut().enumerate() {
        let (mut change, mut size) = (0.0, 0.0);
        for (p, response) in impulses.iter().zip(responses) {
            change += p * response[i];
            size += (p * response[i]).abs();
        }
        if change.abs() > ROUNDING * size {
            let after = *speed + change;
            let is_stopped = after.abs() <= ROUNDING * (speed.abs() + size);
            *speed = if is_stopped { 0.0 } else { after };
        }
    }
}

/// A closed contact that leaves because a switch has turned its gap, as at the end of a face, is open: what it has is no
/// rest of a velocity that could be taken off.
fn let_turned_go(wishes: &mut [Wish], relations: &Relations) {
    for (i, wish) in wishes.iter_mut().enumerate() {
        let velocity = relations.velocity[2 * i];
        if wish.status.is_closed() && velocity.value > velocity.bound {
            wish.status = Status::Open;
        }
    }
}

/// The directions in which contacts slide after impulses: those that the impulses say, and otherwise what they have made
/// of the slip. One that was about to slide is not any more where an impulse leaves it without slip.
fn turn_slips(wishes: &mut [Wish], before: &[Inexact], result: &ImpactResult) {
    for (i, wish) in wishes.iter_mut().enumerate() {
        let (before, after) = (before[2 * i + 1], result.velocity[2 * i + 1]);
        let is_moved = result.impulses[2 * i] != 0.0 || (after.value - before.value).abs() > after.bound;
        let left = match is_moved {
            false => wish.direction,
            true if after.value.abs() <= after.bound => 0.0,
            true => sign(after.value),
        };
        wish.direction = result.slides[i].unwrap_or(left);
    }
}

/// The sign of a number, zero for zero.
fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

/// Whether this has happened to a contact that comes from one status to another, and may have had an impulse.
fn happens(change: ContactChange, (before, after): (Status, Status), is_hit: bool) -> bool {
    let slides = |status: Status| matches!(status, Status::Slides(_));
    match change {
        ContactChange::Hit => is_hit || !before.is_closed() && after.is_closed(),
        ContactChange::Lift => before.is_closed() && !after.is_closed(),
        ContactChange::Slip => before == Status::Sticks && slides(after),
        ContactChange::Stick => slides(before) && after == Status::Sticks,
        ContactChange::Reverse => slides(before) && slides(after) && before != after,
        ContactChange::Rest => false,
    }
}
