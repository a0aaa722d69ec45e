//! Contacts: impacts of those that approach, then which of them hold, stick, slide or open.
//!
//! All contacts of an instant are one problem: those that are closed, those that hit, and bystanders whose gap is zero
//! as far as can be told. Impacts come first; contacts whose gaps do not move after them take part in the problem of
//! accelerations.

mod problem;
mod remark;

use super::rule::{Impossible, Rule, Tools, Transition};
use crate::contact::{Hit, Impact};
use crate::equations::{ContactGuard, UncertainPoint};
use crate::formulation::Flow;
use crate::model::ContactChange;
use crate::watch::{Banded, NOTHING_LEFT};
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
}

/// In units of the tolerance of its terms, how far a gap may be below zero and still be closed.
pub const MOST_DEEP: f64 = 1e3;

impl Rule for Contacts {
    fn apply(&mut self, tools: &mut Tools<'_, '_>, transition: &mut Transition) -> Result<(), Impossible> {
        let guards = tools.flow.system().guards();
        // While contacts are captured, steps and not transitions decide about them.
        if tools.flow.system().contacts().is_empty() || tools.flow.mode.structure.captured {
            return Ok(());
        }
        let fired: Vec<ContactGuard> =
            transition.firing.guards.iter().filter_map(|&g| guards[g].contact).collect();
        if fired.is_empty() && !transition.changes(&tools.flow.mode) {
            return Ok(());
        }
        let window = transition.firing.window.map(|window| window.hi - window.lo);
        let point = UncertainPoint { t: transition.t, y: &transition.after, delta: &self.delta };
        let which = taking_part(tools, point, (&fired, window.unwrap_or(0.0), &self.widths))?;
        if which.is_empty() {
            return Ok(());
        }
        ContactProblem { flow: tools.flow, which, fired, delta: &self.delta, window }.resolve(transition)
    }
}

/// The contacts that take part: closed ones, those that hit, and those whose gap is zero as far as can be told. A gap
/// below that has been put there by a reset, which cannot be made good.
fn taking_part(
    tools: &mut Tools<'_, '_>,
    point: UncertainPoint<'_>,
    (fired, window, widths): (&[ContactGuard], f64, &[f64]),
) -> Result<Vec<usize>, Impossible> {
    let Tools { flow, watch } = tools;
    let mut part = Vec::new();
    // Where hits have come to nothing, so has what is as small.
    let rests = fired.iter().any(|of| of.change == ContactChange::Rest);
    let bands = if rests { NOTHING_LEFT } else { 1.0 };
    let earlier = earlier(flow, point, window);
    for (contact, shape) in flow.system().contacts().iter().enumerate() {
        if flow.mode.status(shape).is_closed() {
            part.push(contact);
            continue;
        }
        let Some(gap) = flow.guards().banded(shape.hit, point) else { continue };
        let before = flow.guards().value(shape.hit, point.t - window, &earlier);
        let is_zero = gap.value.abs() <= bands * gap.bound + (gap.value - before).abs()
            || watch.is_inside(shape.hit, Banded::new(gap.value, gap.bound));
        if !is_zero && gap.value < 0.0 {
            let allowed = MOST_DEEP * flow.guards().spread(shape.hit, point.t, &mut point.y.to_vec(), widths);
            if gap.value < -NOTHING_LEFT * gap.bound - allowed {
                return Err(Impossible::Penetrates { contact, gap: gap.value, allowed });
            }
        }
        if is_zero || gap.value < 0.0 || fired.iter().any(|of| of.contact == contact) {
            part.push(contact);
        }
    }
    Ok(part)
}

/// Where the mechanism was when the window of an event began, as its speeds say.
fn earlier(flow: &Flow<'_>, point: UncertainPoint<'_>, window: f64) -> Vec<f64> {
    let layout = flow.system().layout();
    let mut earlier = point.y.to_vec();
    for (coordinate, speed) in earlier[..layout.q].iter_mut().zip(&point.y[layout.q..layout.q + layout.v]) {
        *coordinate -= window * speed;
    }
    earlier
}
