//! Contacts: impacts of those that approach, then which of them hold, stick, slide or open.
//!
//! All contacts of an instant are one problem: those that are closed, those that hit, and bystanders whose gap is zero
//! as far as can be told. Impulses that events give take part as contacts without friction would. Impacts come first; contacts whose gaps do not move after them take part in the problem of
//! accelerations.

mod given;
mod problem;
mod remark;

use super::rule::{Impossible, ImpossibleContact, Rule, Tools, Transition};
use crate::contact::{GivenImpulse, Hit, Impact, Status};
use crate::equations::{ContactGuard, UncertainPoint};
use crate::expr::Inexact;
use crate::formulation::{Flow, GivenRow};
use crate::model::ContactChange;
use crate::watch::{Banded, NOTHING_LEFT};
use given::give_sizes;
use problem::ContactProblem;
pub use remark::ContactRemark;

/// What happened to contacts in a round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactRecord {
    /// The impact, if contacts were hit.
    pub impact: Option<Impact>,
    /// The guards of what has happened to contacts, whether or not they have fired.
    pub happened: Vec<usize>,
    /// What is worth a word.
    pub remarks: Vec<ContactRemark>,
}

impl ContactRecord {
    /// Whether the slip of a contact was stopped because no forces are possible with it.
    pub fn jams(&self) -> bool {
        self.remarks.iter().any(|remark| matches!(remark, ContactRemark::Painleve(..)))
    }

    /// The impulses that events have given.
    pub fn given(&self) -> &[GivenImpulse] {
        self.impact.as_ref().map_or(&[], |impact| &impact.given)
    }

    /// Whether there were impulses, in contacts or by events.
    pub fn has_impulses(&self) -> bool {
        self.impact.as_ref().is_some_and(Impact::has_impulses)
    }

    /// That no contact slides with more friction than its motion can have.
    fn check_painleve(&self) -> Result<(), Impossible> {
        let jam = self.remarks.iter().find_map(|remark| match *remark {
            ContactRemark::Painleve(contact, jam) => Some((contact, jam, false)),
            ContactRemark::PainleveNotUnique(contact, jam) => Some((contact, jam, true)),
            _ => None,
        });
        let Some((contact, jam, has_forces)) = jam else { return Ok(()) };
        Err(ImpossibleContact::Painleve { contact, jam, has_forces }.into())
    }

    /// Adds an impact to those of this round.
    pub fn append(&mut self, other: Impact) {
        match &mut self.impact {
            Some(impact) => impact.append(other),
            none => *none = Some(other),
        }
    }

    /// The contacts with an impulse.
    pub fn hits(&self) -> &[Hit] {
        self.impact.as_ref().map_or(&[], |impact| &impact.hits)
    }
}

/// Decides about contacts.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    /// How uncertain each state is by rounding.
    pub delta: Vec<f64>,
    /// The tolerance of each state.
    pub widths: Vec<f64>,
    /// Whether a contact that slides with more friction than its motion can have ends the run.
    pub stops_at_painleve: bool,
    /// Whether the sides of guards are known at the positions of this round: contacts that are far from being closed take
    /// no part then, and are not looked at.
    pub known: bool,
}

/// In bands of a gap, how far from zero it is at least while it is not looked at: as far as contacts that rest take others
/// with them, with a reserve for what bands grow by.
const FAR_APART: f64 = 64.0 * NOTHING_LEFT;

/// In units of the tolerance of its terms, how far a gap may be below zero and still be closed.
pub const MOST_DEEP: f64 = 1e3;

impl Rule for Contacts {
    fn apply(&mut self, tools: &mut Tools<'_, '_>, transition: &mut Transition) -> Result<(), Impossible> {
        let given = give_sizes(tools.flow, transition, &self.delta)?;
        let guards = tools.flow.system().guards();
        let has_fired = transition.firing.guards.iter().any(|&g| guards[g].contact.is_some());
        // While contacts are captured, steps and not transitions decide about them.
        let is_of_contacts = !tools.flow.mode.structure.captured
            && !tools.flow.system().contacts().is_empty()
            && (has_fired || transition.changes(&tools.flow.mode));
        if !is_of_contacts && given.is_empty() {
            return Ok(());
        }
        self.resolve(tools, transition, given)?;
        keep_impulses(tools.flow, transition);
        Ok(())
    }
}

impl Contacts {
    /// Decides about contacts where a run begins.
    pub fn begin(
        &mut self,
        tools: &mut Tools<'_, '_>,
        transition: &mut Transition,
    ) -> Result<(), Impossible> {
        self.resolve(tools, transition, Vec::new())
    }

    /// Decides about the contacts that take part, with impulses that events give.
    fn resolve(
        &mut self,
        tools: &mut Tools<'_, '_>,
        transition: &mut Transition,
        given: Vec<GivenRow>,
    ) -> Result<(), Impossible> {
        let guards = tools.flow.system().guards();
        let is_captured = tools.flow.mode.structure.captured;
        let fired: Vec<ContactGuard> =
            transition.firing.guards.iter().filter_map(|&g| guards[g].contact).collect();
        self.open_what_has_jumped(tools, transition)?;
        let window = transition.firing.window.map(|window| window.hi - window.lo);
        let point = UncertainPoint { t: transition.t, y: &transition.after, delta: &self.delta };
        let mut which = self.taking_part(tools, point, (&fired, window.unwrap_or(0.0)))?;
        which.retain(|_| !is_captured);
        if which.is_empty() && given.is_empty() {
            return Ok(());
        }
        let by_motion = transition.firing.by_motion;
        let mut problem =
            ContactProblem { flow: tools.flow, which, given, fired, delta: &self.delta, window, by_motion };
        problem.resolve(transition)?;
        if self.stops_at_painleve { transition.contacts.check_painleve() } else { Ok(()) }
    }

    /// A closed contact whose gap jumps, because the body is put elsewhere or its surface is, is what its gap is then:
    /// open, or too deep. Without a jump it is closed, however far the method has let it drift.
    fn open_what_has_jumped(
        &self,
        tools: &mut Tools<'_, '_>,
        transition: &mut Transition,
    ) -> Result<(), Impossible> {
        let system = tools.flow.system();
        let flow = &mut *tools.flow;
        let t = transition.t;
        for (contact, shape) in system.contacts().iter().enumerate() {
            let Some(hit) = shape.hit().filter(|_| flow.mode.status(shape).is_closed()) else { continue };
            let point = UncertainPoint { t, y: &transition.after, delta: &self.delta };
            let Some(gap) = flow.guards().banded_anyway(hit, point) else { continue };
            std::mem::swap(&mut flow.mode, &mut transition.mode_before);
            let before = flow.guards().value(hit, t, &transition.before);
            std::mem::swap(&mut flow.mode, &mut transition.mode_before);
            if (gap.value - before).abs() <= gap.bound {
                continue;
            }
            if gap.value > gap.bound {
                flow.mode.set_status(shape, Status::Open);
                let guards = system.guards().iter();
                let is_lift = |of: ContactGuard| of.contact == contact && of.change == ContactChange::Lift;
                let lift = guards.enumerate().filter(|(_, guard)| guard.contact.is_some_and(is_lift));
                transition.contacts.happened.extend(lift.map(|(g, _)| g));
            } else {
                self.check_depth(flow, (contact, hit), gap, point)?;
            }
        }
        Ok(())
    }

    /// Refuses a gap that is further below zero than tolerances explain.
    fn check_depth(
        &self,
        flow: &mut Flow<'_>,
        (contact, hit): (usize, usize),
        gap: Inexact,
        point: UncertainPoint<'_>,
    ) -> Result<(), Impossible> {
        let allowed = MOST_DEEP * flow.guards().spread(hit, point.t, &mut point.y.to_vec(), &self.widths);
        if gap.value < -NOTHING_LEFT * gap.bound - allowed {
            return Err(ImpossibleContact::Penetrates { contact, gap: gap.value, allowed }.into());
        }
        Ok(())
    }

    /// The contacts that take part: closed ones, those without a gap, those that hit, and those whose gap is zero as far as can be told. A gap
    /// below that has been put there by a reset, which cannot be made good.
    fn taking_part(
        &self,
        tools: &mut Tools<'_, '_>,
        point: UncertainPoint<'_>,
        (fired, window): (&[ContactGuard], f64),
    ) -> Result<Vec<usize>, Impossible> {
        let Tools { flow, watch } = tools;
        let mut part = Vec::new();
        // Where hits have come to nothing, so has what is as small.
        let rests = fired.iter().any(|of| of.change == ContactChange::Rest);
        let bands = if rests { NOTHING_LEFT } else { 1.0 };
        let earlier = earlier(flow, point, window);
        for (contact, shape) in flow.system().contacts().iter().enumerate() {
            let Some(hit) = shape.hit().filter(|_| !flow.mode.status(shape).is_closed()) else {
                part.push(contact);
                continue;
            };
            let has_fired = fired.iter().any(|of| of.contact == contact);
            if self.known && !has_fired && watch.is_beyond(hit, FAR_APART, (point.t, point.y)) {
                continue;
            }
            let Some(gap) = flow.guards().banded_anyway(hit, point) else { continue };
            let before = flow.guards().value(hit, point.t - window, &earlier);
            let is_zero = gap.value.abs() <= bands * gap.bound + (gap.value - before).abs()
                || watch.is_inside(hit, Banded::new(gap.value, gap.bound));
            if !is_zero && gap.value < 0.0 {
                self.check_depth(flow, (contact, hit), gap, point)?;
            }
            if is_zero || gap.value < 0.0 || has_fired {
                part.push(contact);
            }
        }
        Ok(part)
    }
}

/// Joints keep what they bore of a hit.
fn keep_impulses(flow: &mut Flow<'_>, transition: &Transition) {
    let Some(impact) = transition.contacts.impact.as_ref().filter(|impact| impact.has_impulses()) else {
        return;
    };
    for &(constraint, variable) in &flow.system().shape().mechanism.kept_impulses {
        let borne = impact.joints.iter().find(|(joint, _)| *joint == constraint);
        flow.mode.values.discrete[variable] = borne.map_or(0.0, |(_, impulse)| *impulse);
    }
}

/// Where the mechanism was when the window of an event began, as its speeds say.
fn earlier(flow: &mut Flow<'_>, point: UncertainPoint<'_>, window: f64) -> Vec<f64> {
    let mut earlier = point.y.to_vec();
    for (coordinate, rate) in earlier.iter_mut().zip(flow.position_rates(point.t, point.y)) {
        *coordinate -= window * rate;
    }
    earlier
}
