//! Impulses of events: along which velocity, and how large.

use super::names::{FormulaContext, check_formula};
use super::read::{Reader, Value};
use super::{Diagnostic, EventRule, Formula, Model, Quantity, Scope};
use crate::expr::Kind;
use std::ops::Range;

const IMPULSE_KEYS: &[&str] = &["along", "restitution", "size"];
const EXAMPLE: &str = "impulse = { along = \"x'\", restitution = 0.8 }";

/// An impulse that an event gives to a mechanism.
#[derive(Clone, Debug)]
pub struct ImpulseRule {
    /// Where it stands.
    pub span: Range<usize>,
    /// The velocity that it acts along, linear in the speeds: its gradient by the speeds is the direction.
    pub along: Formula,
    /// How large it is.
    pub amount: ImpulseAmount,
}

/// How large an impulse is.
#[derive(Clone, Debug)]
pub enum ImpulseAmount {
    /// As it takes to give back this part of the velocity, in the other direction.
    Restitution(Formula),
    /// This much.
    Size(Formula),
}

impl ImpulseAmount {
    /// The formula of the number.
    pub fn formula(&self) -> &Formula {
        match self {
            Self::Restitution(formula) | Self::Size(formula) => formula,
        }
    }
}

/// Reads the impulse of an event.
pub(super) fn read_impulse(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<ImpulseRule> {
    let table = reader.table(value, "impulse", EXAMPLE)?;
    reader.check_keys(table, IMPULSE_KEYS, "`impulse`");
    let mut number =
        |key: &str| table.get(key).map(|v| reader.formula(v, &format!("impulse.{key}"), Kind::Number));
    let (along, restitution, size) = (number("along"), number("restitution"), number("size"));
    let span = value.span();
    let Some(along) = along else {
        let message = "`impulse` does not say along which velocity it acts".to_owned();
        reader.error("missing-key", span, message, "add `along = \"x'\"`: a velocity, linear in the speeds");
        return None;
    };
    let amount = match (restitution, size) {
        (Some(restitution), None) => ImpulseAmount::Restitution(restitution),
        (None, Some(size)) => ImpulseAmount::Size(size),
        (both, _) => {
            let how = if both.is_some() { "says twice" } else { "does not say" };
            let message = format!("`impulse` {how} how large it is");
            let hint = "give `restitution`, which part of the velocity is given back, or `size`, in N s";
            reader.error("bad-impulse", span, message, hint);
            return None;
        }
    };
    Some(ImpulseRule { span, along, amount })
}

/// What an impulse is made of, and what else its event does.
pub(super) fn check_impulse(
    event: &EventRule,
    model: &Model,
    scope: &Scope<'_>,
    errors: &mut Vec<Diagnostic>,
) {
    let Some(impulse) = &event.impulse else { return };
    let mut error = |span: &Range<usize>, message: String, hint: &str| {
        errors.push(Diagnostic::new("bad-impulse", span.clone(), message).hint(hint));
    };
    if model.mechanism.is_empty() {
        let message = format!("event `{}` has an impulse, and the model has no `coordinates`", event.name);
        error(&impulse.span, message, "impulses act on mechanisms; use `reset` here");
        return;
    }
    let n = model.mechanism.coordinates;
    for reset in event.reset.iter().filter(
        |reset| matches!(scope.meaning(&reset.name), Some(Quantity::State(i)) if (n..2 * n).contains(&i)),
    ) {
        let message = format!("event `{}` resets `{}`, which its impulse sets", event.name, reset.name);
        error(&reset.span, message, "an impulse changes all speeds: leave out this reset, or the impulse");
    }
    let of_modes = model.modes.iter().any(|mode| !mode.constraints.is_empty());
    if let Some(goto) = event.goto.as_ref().filter(|_| of_modes) {
        let message =
            format!("event `{}` has an impulse and changes the constraints with the mode", event.name);
        let hint =
            format!("change the mode after it: an event with `on = \"{}\"` and this `goto`", event.name);
        error(&goto.span, message, &hint);
    }
    let place = FormulaContext::running("an impulse");
    check_formula(&impulse.along, scope, place, errors);
    check_formula(impulse.amount.formula(), scope, place, errors);
}
