//! Times that are known before they come: the crossings of surfaces that are straight lines in time.

use super::GuardKind;
use super::binding::BoundGuard;
use super::lowering::{Lowering, input};
use super::parameter_values::ParameterValues;
use crate::expr::{Arena, ExprId, InputId, Node};
use crate::model::{Diagnostic, EventRule, Formula, Model, Trigger};
use std::ops::Range;

const TIME: InputId = InputId(0);

/// Makes guards scheduled ones whose surfaces depend on time, parameters, counts and discrete variables only
/// (`known` are the inputs of the last two), and are straight lines in time.
///
/// Such a surface becomes `slope (t - T)`, so that rounding cannot separate it from its time `T`.
pub(super) fn find_times(
    lowering: &mut Lowering<'_>,
    watches: &mut [BoundGuard],
    known: &Range<usize>,
    parameters: &[f64],
) {
    let fixed = lowering.names.first_parameter..lowering.names.first_switch;
    let surfaces: Vec<ExprId> = watches.iter().map(|watch| watch.surface).collect();
    let mut is_known = vec![true; lowering.arena.len()];
    for id in lowering.arena.reachable(&surfaces) {
        is_known[id.index()] = match lowering.arena.node(id) {
            Node::Input(input) => {
                input == TIME || fixed.contains(&input.index()) || known.contains(&input.index())
            }
            node => node.operands().all(|operand| is_known[operand.index()]),
        };
    }
    for (watch, surface) in watches.iter_mut().zip(surfaces) {
        if watch.time.is_some() || is_known[surface.index()] {
            find_time(lowering, watch, &fixed, parameters);
        }
    }
}

fn find_time(lowering: &mut Lowering<'_>, watch: &mut BoundGuard, fixed: &Range<usize>, parameters: &[f64]) {
    if !watch.guard.kind.has_formula() {
        return;
    }
    if watch.time.is_some() {
        watch.guard.kind = GuardKind::Scheduled { rising: true };
        return;
    }
    let arena = &mut lowering.arena;
    let Some(slope) = slope_in_time(arena, watch.surface, fixed) else {
        return;
    };
    let mut inputs = vec![f64::NAN; fixed.start];
    inputs.extend(parameters);
    let steepness = arena.evaluate(&[slope], &inputs)[0];
    if steepness == 0.0 || !steepness.is_finite() {
        return;
    }
    let (zero, t) = (arena.constant(0.0), input(arena, 0));
    let at_zero = arena.substitute(watch.surface, &[(TIME, zero)]);
    let opposite = arena.neg(at_zero);
    let time = arena.div(opposite, slope);
    let left = arena.sub(t, time);
    watch.surface = arena.mul(slope, left);
    let rising = steepness > 0.0;
    watch.slope = arena.is_constant(slope).is_none().then_some((slope, rising));
    let admitted = watch.guard.direction.admits(if rising { -1.0 } else { 1.0 });
    // A count that only goes the other way still has to begin with the right number, which its surface tells.
    if admitted || watch.guard.response.count.is_none() {
        watch.time = Some(if admitted { time } else { arena.constant(f64::INFINITY) });
        watch.guard.kind = match watch.guard.kind {
            GuardKind::Comparison { .. } => GuardKind::Comparison { scheduled: Some(rising) },
            _ => GuardKind::Scheduled { rising },
        };
    }
}

/// The slope of a surface of what is known that is a straight line in time: a formula of parameters.
fn slope_in_time(arena: &mut Arena, surface: ExprId, parameters: &Range<usize>) -> Option<ExprId> {
    let is_parameter = |input: &InputId| parameters.contains(&input.index());
    if !arena.depends_on(surface, TIME) {
        return None;
    }
    // The derivative of a jump is zero, which says nothing.
    if arena.jumps_and_kinks(&[surface]).into_iter().any(|id| arena.depends_on(id, TIME)) {
        return None;
    }
    let slope = arena.derivative(surface, TIME);
    arena.inputs_of(&[slope]).iter().all(is_parameter).then_some(slope)
}

/// Times of events are finite, and the time between two is positive.
pub(super) fn check_times(model: &Model, fixed: &ParameterValues<'_>) -> Result<(), Vec<Diagnostic>> {
    let mut errors = Vec::new();
    for (_, event) in model.all_events() {
        let (at, every) = match &event.trigger {
            Trigger::Guard(_) | Trigger::On(_) | Trigger::Contact { .. } => (None, None),
            Trigger::At(at) => (Some(at), None),
            Trigger::Every { period, first } => (first.as_ref(), Some(period)),
        };
        let value = |formula: &Formula, key: &str| {
            fixed.formula(formula, &format!("`{key}` of event `{}`", event.name))
        };
        errors.extend(at.and_then(|at| value(at, "at").err()));
        match every.map(|every| (every, value(every, "every"))) {
            Some((_, Err(error))) => errors.push(error),
            Some((every, Ok(period))) if period <= 0.0 => errors.push(bad_period(event, every, period)),
            _ => {}
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn bad_period(event: &EventRule, every: &Formula, period: f64) -> Diagnostic {
    let message =
        format!("`every` of event `{}` is {period}: the event would never come, or never end", event.name);
    let hint = "the time between two events is greater than zero";
    Diagnostic::new("bad-period", every.place.span.clone(), message).hint(hint)
}
