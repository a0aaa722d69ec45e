//! What contacts add to the equations: rows that hold while they touch, friction while they slide, the surfaces of
//! their events, and the numbers of their laws.
//!
//! `M v' = f - Gᵀ λ`: the force that pushes two sides apart is `N = -λ` of the gap, and `T = -λ` of the slip acts on
//! the side whose velocity counts positive there. While a contact slides in direction s, `T = -μ s N`.

use super::locking::{LockName, Locks};
use super::lowering::{Lowering, discrete_input};
use crate::expr::{BinaryOp, ExprId, InputId, Smoothness};
use crate::model::{
    ContactChange, ContactRule, Diagnostic, Formula, FrictionRule, ImpactLaw, Model, contact_name,
};

/// What there is to know about a contact before anything is evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContactShape {
    /// The name in the user's words.
    pub name: String,
    /// Its gap; none where a given force presses its sides together, as in a joint: they never part.
    pub gap: Option<ContactGap>,
    /// The constraint whose force presses them together, if it is not given as it stands.
    pub pressed_by: Option<usize>,
    /// The constraint that holds its slip at zero, if it has friction.
    pub tangent: Option<usize>,
    /// Its state among the discrete variables; the direction in which it slides is behind it.
    pub state: usize,
    /// The impact law.
    pub law: ImpactLaw,
}

/// The gap of a contact among the constraints and the guards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactGap {
    /// The constraint.
    pub normal: usize,
    /// The guard.
    pub hit: usize,
}

impl ContactShape {
    /// The constraint of its gap, if it has one.
    pub fn normal(&self) -> Option<usize> {
        self.gap.map(|gap| gap.normal)
    }

    /// The guard of its gap, if it has one.
    pub fn hit(&self) -> Option<usize> {
        self.gap.map(|gap| gap.hit)
    }

    /// The force that presses its sides together, by the first number of its law and all multipliers.
    pub fn pressing(&self, first: f64, multipliers: &[f64]) -> f64 {
        match (self.normal(), self.pressed_by) {
            (Some(normal), _) => 0.0 - multipliers[normal],
            (None, Some(row)) => first * multipliers[row].abs(),
            (None, None) => first,
        }
    }

    /// Whether a constraint is one of its rows.
    pub fn owns(&self, constraint: usize) -> bool {
        self.normal() == Some(constraint) || self.tangent == Some(constraint)
    }
}

/// The contact that a guard belongs to, and what happens to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContactGuard {
    /// Which contact.
    pub contact: usize,
    /// Its state among the discrete variables.
    pub state: usize,
    /// What happens.
    pub change: ContactChange,
}

/// How many numbers the law of a contact has: restitution, or the force that is given, and friction while it sticks and while it slides.
pub const LAW_NUMBERS: usize = 3;

/// The state of a contact from which on it is closed.
const CLOSED: f64 = 0.5;
/// The state of a contact that sticks.
const STICKS: f64 = 2.0;

impl Lowering<'_> {
    /// A constraint of the model, if it belongs to a contact: zero while that does not hold.
    pub(super) fn while_contact(&mut self, model: &Model, constraint: usize, row: ExprId) -> ExprId {
        let owner =
            |contact: &&ContactRule| [contact.normal(), contact.tangent()].contains(&Some(constraint));
        let Some(contact) = model.mechanism.contacts.iter().find(owner) else { return row };
        if contact.normal() == Some(constraint) {
            return self.while_closed(contact, row);
        }
        let (state, sticks) = (self.arena.input(discrete_input(contact.state)), self.arena.constant(STICKS));
        let (holds, zero) = (self.arena.binary(BinaryOp::Equal, state, sticks), self.arena.constant(0.0));
        self.arena.select(holds, row, zero)
    }

    /// Whether neither gap nor slip of a contact jumps anywhere. Then branches in them matter only while it is closed:
    /// an open contact is one guard, which is read as it is written.
    fn is_continuous(&mut self, contact: &ContactRule) -> bool {
        if contact.is_of_parts {
            return true;
        }
        let formulas: Vec<ExprId> =
            contact.gap().into_iter().chain(&contact.slip).map(|formula| self.plain(formula)).collect();
        let arena = &self.arena;
        arena.reachable(&formulas).into_iter().all(|id| arena.node(id).smoothness() != Smoothness::Jump)
    }

    /// The gap or the slip of a contact as its rows have them.
    pub(super) fn locked_row(&mut self, contact: &ContactRule, formula: &Formula) -> ExprId {
        self.locked_of(contact, formula, &format!("constraints.contact.{}", contact.name))
    }

    /// The slip of a contact. Its branches matter while the contact is closed, unless it jumps.
    fn locked_slip(&mut self, contact: &ContactRule, slip: &Formula) -> ExprId {
        let key = format!("contacts.{}.slip", contact.name);
        let locked = self.locked_of(contact, slip, &key);
        if self.is_continuous(contact) { self.while_closed(contact, locked) } else { locked }
    }

    /// What can switch in formulas of shapes is at corners of their outlines.
    fn locked_of(&mut self, contact: &ContactRule, formula: &Formula, key: &str) -> ExprId {
        if !contact.is_of_parts {
            return self.locked(formula, key);
        }
        self.locked_as(formula, LockName::Corner(&contact_name(&contact.name, "corner")))
    }

    fn while_closed(&mut self, contact: &ContactRule, value: ExprId) -> ExprId {
        let (state, closed) = (self.arena.input(discrete_input(contact.state)), self.arena.constant(CLOSED));
        let (holds, zero) = (self.arena.binary(BinaryOp::Less, closed, state), self.arena.constant(0.0));
        self.arena.select(holds, value, zero)
    }

    /// The multiplier of a gap: minus the force that presses the sides together, which may be given.
    fn normal_multiplier(&mut self, contact: &ContactRule) -> ExprId {
        if let Some(row) = contact.normal() {
            return self.names.multiplier(&mut self.arena, row);
        }
        let force = contact.pressing().unwrap_or(contact.first_number());
        let force = self.locked(force, &format!("contacts.{}.friction", contact.name));
        self.arena.neg(force)
    }

    /// The force of friction while each contact slides, `μ s λ` of its normal, with its slip.
    pub(super) fn sliding_frictions(&mut self, model: &Model) -> Vec<(ExprId, ExprId)> {
        let mut forces = Vec::new();
        for contact in &model.mechanism.contacts {
            let (Some(slip), Some(FrictionRule { sliding, .. })) = (&contact.slip, &contact.friction) else {
                continue;
            };
            let key = format!("contacts.{}", contact.name);
            let ratio = self.locked(sliding, &format!("{key}.friction"));
            let slip = self.locked_slip(contact, slip);
            let direction = self.arena.input(discrete_input(contact.state + 1));
            let normal = self.normal_multiplier(contact);
            let along = self.arena.mul(ratio, direction);
            forces.push((self.arena.mul(along, normal), slip));
        }
        forces
    }

    /// The first compliant contact with a stiffness or a damping that is out of range with these parameters.
    pub(super) fn bad_compliance(&mut self, model: &Model, parameters: &[f64]) -> Option<Diagnostic> {
        model.mechanism.compliant.iter().find_map(|contact| {
            contact.numbers.iter().find_map(|(number, is_stiffness)| {
                let value = self.known_value(number, parameters)?;
                let is_wrong = value.is_nan() || value < 0.0 || *is_stiffness && value == 0.0;
                let (what, least) = if *is_stiffness {
                    ("stiffness", "greater than zero")
                } else {
                    ("damping", "zero or greater")
                };
                let message = format!("the {what} of contact `{}` is {value}", contact.name);
                let error = Diagnostic::new("bad-contact", number.place.span.clone(), message);
                is_wrong.then(|| error.hint(format!("choose a number {least}")))
            })
        })
    }

    /// The locks of branches in the friction of contacts, each with its contact.
    pub(super) fn zones(&mut self, model: &Model) -> Vec<(usize, usize)> {
        let mut zones = Vec::new();
        for (k, contact) in model.mechanism.contacts.iter().enumerate() {
            let Some(FrictionRule { sticking, sliding }) = &contact.friction else { continue };
            let key = format!("contacts.{}.friction", contact.name);
            let ratios = [sticking, sliding].map(|ratio| self.locked(ratio, &key));
            let locks = self.arena.inputs_of(&ratios).into_iter().filter_map(Locks::index);
            zones.extend(locks.map(|lock| (lock, k)));
        }
        zones
    }

    /// The first contact whose slip is not linear in the speeds.
    pub(super) fn nonlinear_slip<'m>(&mut self, model: &'m Model) -> Option<&'m ContactRule> {
        let n = model.mechanism.coordinates;
        let is_speed = |input: &InputId| (1 + n..1 + 2 * n).contains(&input.index());
        model.mechanism.contacts.iter().find(|contact| {
            let Some(slip) = &contact.slip else { return false };
            let slip = self.locked_slip(contact, slip);
            let speeds: Vec<InputId> = self.arena.inputs_of(&[slip]).into_iter().filter(is_speed).collect();
            let slopes: Vec<ExprId> =
                speeds.iter().map(|&speed| self.arena.derivative(slip, speed)).collect();
            self.arena.inputs_of(&slopes).iter().any(is_speed)
        })
    }

    /// The surface of an event of a contact, which falls to zero where it happens.
    pub(super) fn contact_surface(&mut self, contact: &ContactRule, change: ContactChange) -> ExprId {
        let key = format!("contacts.{}", contact.name);
        let normal = self.normal_multiplier(contact);
        match (change, &contact.slip, &contact.friction, contact.tangent()) {
            (change, ..) if !change.has_surface() => self.arena.constant(f64::NAN),
            (ContactChange::Lift, ..) => self.arena.neg(normal),
            (ContactChange::Stick, Some(slip), ..) => {
                let slip = self.locked_slip(contact, slip);
                let direction = self.arena.input(discrete_input(contact.state + 1));
                self.arena.mul(direction, slip)
            }
            (ContactChange::Slip, _, Some(friction), Some(tangent)) => {
                let ratio = self.locked(&friction.sticking, &format!("{key}.friction"));
                let most = self.arena.mul(ratio, normal);
                let tangent = self.names.multiplier(&mut self.arena, tangent);
                // (μ N)² - T², which falls to zero at both ends of the cone.
                let (less, more) = (self.arena.sub(most, tangent), self.arena.add(most, tangent));
                self.arena.mul(less, more)
            }
            _ => match contact.gap() {
                Some(gap) if self.is_continuous(contact) => self.plain(gap),
                Some(gap) => self.locked(gap, &format!("{key}.gap")),
                None => self.arena.constant(f64::NAN),
            },
        }
    }

    /// The numbers of the laws of all contacts.
    pub(super) fn contact_laws(&mut self, model: &Model) -> Vec<ExprId> {
        let mut numbers = Vec::new();
        for contact in &model.mechanism.contacts {
            numbers.push(self.plain(contact.first_number()));
            let zero = self.arena.constant(0.0);
            let key = format!("contacts.{}.friction", contact.name);
            match &contact.friction {
                Some(FrictionRule { sticking, sliding }) => {
                    numbers.extend([sticking, sliding].map(|ratio| self.locked(ratio, &key)));
                }
                None => numbers.extend([zero, zero]),
            }
        }
        numbers
    }
}
