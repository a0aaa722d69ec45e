//! Impulses of events: the velocity that each acts along with its gradient, and how large it is.
//!
//! Of an impulse along the velocity `u(t, q, v)`, linear in the speeds, the direction is `∂u/∂v`.

use super::binding::BoundGuard;
use super::lagrange::is_of_motion;
use super::lowering::Lowering;
use crate::expr::{ExprId, InputId};
use crate::model::{Diagnostic, EventRule, Formula, ImpulseAmount, ImpulseRule, Model};

/// What there is to know about the impulse of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImpulseShape {
    /// The guard of the event.
    pub guard: usize,
    /// Whether its number is its size, and not a restitution.
    pub has_size: bool,
}

/// How many numbers there are of each impulse, with this many speeds: the velocity, the restitution or size, and the
/// gradient of the velocity by the speeds.
pub fn impulse_numbers(speeds: usize) -> usize {
    2 + speeds
}

/// The events with impulses, in the order of [`Model::all_events`].
fn with_impulse(model: &Model) -> impl Iterator<Item = (&EventRule, &ImpulseRule)> {
    model.all_events().filter_map(|(_, event)| Some((event, event.impulse.as_ref()?)))
}

/// What there is to know about all of them.
pub(super) fn impulse_shapes(model: &Model, guards: &[BoundGuard]) -> Vec<ImpulseShape> {
    let place = |k: usize| guards.iter().position(|bound| bound.guard.response.impulse == Some(k));
    let shape = |(k, (_, rule)): (usize, (&EventRule, &ImpulseRule))| ImpulseShape {
        guard: place(k).unwrap_or(usize::MAX),
        has_size: matches!(rule.amount, ImpulseAmount::Size(_)),
    };
    with_impulse(model).enumerate().map(shape).collect()
}

impl Lowering<'_> {
    /// The numbers of all impulses.
    pub(super) fn impulses(&mut self, model: &Model) -> Vec<ExprId> {
        let mut numbers = Vec::new();
        for (_, rule) in with_impulse(model) {
            let along = self.plain(&rule.along);
            numbers.extend([along, self.plain(rule.amount.formula())]);
            numbers.extend(self.slopes_by_speeds(model, along));
        }
        numbers
    }

    fn slopes_by_speeds(&mut self, model: &Model, along: ExprId) -> Vec<ExprId> {
        let n = model.mechanism.coordinates;
        let speeds = (1 + n..=2 * n).filter_map(|speed| u32::try_from(speed).ok());
        speeds.map(|speed| self.arena.derivative(along, InputId(speed))).collect()
    }

    /// The first impulse that cannot be given, in words: its velocity is not linear in the speeds, it follows from
    /// forces, or its restitution is out of range whatever happens. `parameters` are those of the model.
    pub(super) fn bad_impulse(&mut self, model: &Model, parameters: &[f64]) -> Option<Diagnostic> {
        with_impulse(model).find_map(|(event, rule)| {
            self.bad_direction(model, event, rule).or_else(|| self.bad_amount(event, rule, parameters))
        })
    }

    fn bad_direction(&mut self, model: &Model, event: &EventRule, rule: &ImpulseRule) -> Option<Diagnostic> {
        let n = model.mechanism.coordinates;
        let is_speed = |input: &InputId| (1 + n..1 + 2 * n).contains(&input.index());
        let along = self.plain(&rule.along);
        let slopes = self.slopes_by_speeds(model, along);
        let is_still = slopes.iter().all(|slope| self.arena.is_constant(*slope) == Some(0.0));
        let turns = self.arena.inputs_of(&slopes).iter().any(is_speed);
        let (what, hint) = match () {
            () if is_still => ("uses no speeds", "give the velocity that it changes: `along = \"x'\"`"),
            () if turns => (
                "is not linear in the speeds",
                "its direction is the gradient by the speeds: `along = \"x' * cos(a)\"`",
            ),
            () if self.reads_motion(along) => {
                ("follows from forces", "use coordinates and speeds, and no multipliers")
            }
            () => return None,
        };
        let message = format!("the velocity `along` which `{}` gives an impulse {what}", event.name);
        Some(Diagnostic::new("bad-impulse", rule.along.place.span.clone(), message).hint(hint))
    }

    /// The value of a formula that depends on these parameters alone.
    pub(super) fn known_value(&mut self, formula: &Formula, parameters: &[f64]) -> Option<f64> {
        let (value, first) = (self.plain(formula), self.names.first_parameter);
        let places = (first..).zip(parameters);
        let known: Vec<(InputId, ExprId)> = places
            .filter_map(|(input, value)| {
                Some((InputId(u32::try_from(input).ok()?), self.arena.constant(*value)))
            })
            .collect();
        let value = *self.arena.substitute_all(&[value], &known).first()?;
        self.arena.is_constant(value)
    }

    /// Whether an expression depends on accelerations or multipliers.
    fn reads_motion(&self, id: ExprId) -> bool {
        self.arena.inputs_of(&[id]).into_iter().any(is_of_motion)
    }

    fn bad_amount(
        &mut self,
        event: &EventRule,
        rule: &ImpulseRule,
        parameters: &[f64],
    ) -> Option<Diagnostic> {
        let amount = self.plain(rule.amount.formula());
        let span = rule.amount.formula().place.span.clone();
        if self.reads_motion(amount) {
            let message = format!("the impulse of `{}` follows from forces", event.name);
            let hint = "use coordinates and speeds, and no multipliers";
            return Some(Diagnostic::new("bad-impulse", span, message).hint(hint));
        }
        let ImpulseAmount::Restitution(_) = rule.amount else { return None };
        let known = self.known_value(rule.amount.formula(), parameters);
        let value = known.filter(|value| !(0.0..=1.0).contains(value))?;
        let message = format!("the restitution of event `{}` is {value}", event.name);
        let hint = "choose a restitution between 0 and 1";
        Some(Diagnostic::new("restitution-range", span, message).hint(hint))
    }
}
