//! Checks names, missing and superfluous derivatives, cycles, and modes that cannot be reached.

use super::contacts::{check_contacts, is_meant};
use super::dimensions::check_dimensions;
use super::guard::check_guard;
use super::impulses::check_impulse;
use super::mechanism::check_mechanism;
use super::names::{FormulaContext, check_formula, check_names, outputs_that_use, places};
use super::picture_table::check_picture;
use super::versions::check_versions;
use super::{
    Definition, Diagnostic, EventRule, Model, Quantity, Reference, Scope, Trigger, dependency_order,
};
use crate::expr::nearest;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// All errors of a model that has the right shape.
pub(super) fn check(model: &Model) -> Vec<Diagnostic> {
    let scope = Scope::new(model);
    let mut errors = Vec::new();
    check_names(model, &scope, &mut errors);
    check_fixed_formulas(model, &scope, &mut errors);
    check_running_formulas(model, &scope, &mut errors);
    let uses = |i: usize| model.parameters[i].formula.syntax.names().map(|(name, _)| name).collect();
    let names: Vec<&str> = model.parameters.iter().map(|d| d.name.as_str()).collect();
    report_cycles(dependency_order(&names, uses).err(), &model.parameters, "parameter", &mut errors);
    report_cycles(model.order_of_outputs().err(), &model.outputs, "output", &mut errors);
    check_derivatives(model, &scope, &mut errors);
    check_mechanism(model, &scope, &mut errors);
    check_contacts(model, &scope, &mut errors);
    check_versions(model, &scope, &mut errors);
    let moving = outputs_that_use(model, &scope, Quantity::moves);
    let mut checker = Checker { model, scope: &scope, moving, in_mode: false };
    for (mode, event) in model.all_events() {
        checker.in_mode = mode.is_some();
        check_event(event, &checker, &mut errors);
    }
    check_event_names(model, &mut errors);
    check_modes(model, &scope, &mut errors);
    check_references(model, &scope, &mut errors);
    check_dimensions(model, &scope, &mut errors);
    check_picture(model, &scope, &mut errors);
    errors
}

/// Formulas that are computed once, before the run.
fn check_fixed_formulas(model: &Model, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    for definition in &model.parameters {
        check_formula(&definition.formula, scope, FormulaContext::fixed("a parameter"), errors);
    }
    for definition in model.states.iter().chain(&model.discrete) {
        check_formula(&definition.formula, scope, FormulaContext::fixed("a start value"), errors);
    }
    for amount in &model.mechanism.amounts {
        let context = if amount.moves {
            FormulaContext::running("a formula")
        } else {
            FormulaContext::fixed("the size or place of a part")
        };
        check_formula(&amount.formula, scope, context, errors);
    }
    let run = [&model.run.from, &model.run.until, &model.run.output_step];
    for formula in run.into_iter().flatten() {
        check_formula(formula, scope, FormulaContext::fixed("`run`"), errors);
    }
}

/// Formulas that are computed during the run.
fn check_running_formulas(model: &Model, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    let modes = model.modes.iter().flat_map(|m| &m.derivatives);
    let audit = model.audit.iter().map(|a| &a.definition);
    let common = model.derivatives.iter().chain(&model.mass);
    for definition in common.chain(modes) {
        check_formula(&definition.formula, scope, FormulaContext::running("a formula"), errors);
    }
    for definition in model.common_outputs().iter().chain(audit) {
        check_formula(&definition.formula, scope, FormulaContext::observing("an output"), errors);
    }
    // The sign of a switch follows from its surface; a surface that used it would bite its own tail.
    let allows =
        |m: Quantity| !matches!(m, Quantity::Switch(_) | Quantity::Output(_)) && !m.follows_from_motion();
    let surface = FormulaContext::of("a switch", "only `t`, states and parameters", allows);
    for definition in &model.switches {
        check_formula(&definition.formula, scope, surface, errors);
    }
}

fn report_cycles(
    cycles: Option<Vec<Vec<usize>>>,
    definitions: &[Definition],
    kind: &str,
    errors: &mut Vec<Diagnostic>,
) {
    for cycle in cycles.into_iter().flatten() {
        let first = &definitions[cycle[0]];
        let path: Vec<&str> =
            cycle.iter().chain(&cycle[..1]).map(|&i| definitions[i].name.as_str()).collect();
        let message = format!("{kind} `{}` is defined by itself: {}", first.name, path.join(" → "));
        let hint = "give one of them a value that does not use the others";
        errors.push(Diagnostic::new("cyclic-definition", first.span.clone(), message).hint(hint));
    }
}

/// Every state has a derivative in every mode, and every derivative belongs to a state.
fn check_derivatives(model: &Model, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    let first = 2 * model.mechanism.coordinates;
    let place = |d: &Definition| scope.state(&d.name).filter(|&i| i >= first);
    let modes = model.modes.iter().flat_map(|m| &m.derivatives);
    for definition in model.derivatives.iter().chain(modes).filter(|d| place(d).is_none()) {
        errors.push(no_such_state(definition, model, scope));
    }
    let mut has = vec![false; model.states.len()];
    model.derivatives.iter().filter_map(place).for_each(|i| has[i] = true);
    // For each state, the first mode that is not known to have a derivative for it.
    let mut lacking = vec![0; model.states.len()];
    for (k, mode) in model.modes.iter().enumerate() {
        for i in mode.derivatives.iter().filter_map(place) {
            if lacking[i] == k {
                lacking[i] += 1;
            }
        }
    }
    for (i, state) in model.states.iter().enumerate().skip(first).filter(|(i, _)| !has[*i]) {
        let mode = model.modes.get(lacking[i]).map(|m| Some(&m.name));
        if let Some(mode) = mode.or(model.modes.is_empty().then_some(None)) {
            let place = mode.map_or(String::new(), |m| format!(" in mode `{m}`"));
            let message = format!("state `{}` has no derivative{place}", state.name);
            let hint = format!(
                "add `{0} = \"…\"` to [derivatives], or make it one of `discrete` if it only changes at events",
                state.name
            );
            errors.push(Diagnostic::new("missing-derivative", state.span.clone(), message).hint(hint));
        }
    }
}

/// A derivative of what is no state.
fn no_such_state(definition: &Definition, model: &Model, scope: &Scope<'_>) -> Diagnostic {
    let (name, span) = (&definition.name, definition.span.clone());
    if scope.discrete(name).is_some() {
        let message = format!("`{name}` is a discrete variable and has no derivative");
        let hint = "remove it here: resets set it, and nothing else changes it";
        return Diagnostic::new("unknown-name", span, message).hint(hint);
    }
    let states = model.first_order_states().iter().map(|s| s.name.as_str());
    scope.unknown(name, span, states, "among the states")
}

/// What events are checked against.
pub(super) struct Checker<'a> {
    pub(super) model: &'a Model,
    pub(super) scope: &'a Scope<'a>,
    /// Which outputs change between events.
    moving: Vec<bool>,
    /// Whether the event that is checked belongs to a mode.
    in_mode: bool,
}

impl Checker<'_> {
    /// Whether a name stands for something that changes between events.
    pub(super) fn moves(&self, name: &str) -> bool {
        self.scope.meaning(name).is_some_and(|meaning| match meaning {
            Quantity::Output(i) => self.moving[i],
            other => other.moves(),
        })
    }
}

fn check_event(event: &EventRule, checker: &Checker<'_>, errors: &mut Vec<Diagnostic>) {
    let Checker { model, scope, .. } = *checker;
    match &event.trigger {
        Trigger::Guard(guard) => check_guard(event, guard, checker, errors),
        Trigger::At(time) => check_formula(time, scope, FormulaContext::fixed("`at`"), errors),
        Trigger::On(_) | Trigger::Contact { .. } => {}
        Trigger::Every { period, first } => {
            check_formula(period, scope, FormulaContext::fixed("`every`"), errors);
            if let Some(first) = first {
                check_formula(first, scope, FormulaContext::fixed("`at`"), errors);
            }
        }
    }
    check_response(&event.reset, event.goto.as_ref(), model, scope, errors);
    check_impulse(event, model, scope, errors);
    if let Some(rest) = &event.at_rest {
        check_response(&rest.reset, rest.goto.as_ref(), model, scope, errors);
    }
}

/// Events that others follow.
fn check_event_names(model: &Model, errors: &mut Vec<Diagnostic>) {
    let names: BTreeSet<String> = model.all_events().flat_map(|(_, event)| event.names(model)).collect();
    for (_, event) in model.all_events() {
        let Trigger::On(Reference { name, span }) = &event.trigger else { continue };
        if names.contains(name) || names.iter().any(|event| is_meant(event, name)) {
            continue;
        }
        let message = format!("there is no event `{name}` that `{}` could follow", event.name);
        let near = nearest(name, names.iter().map(String::as_str).filter(|name| *name != event.name));
        let hint = near.map_or_else(
            || "`on` takes the name of an event, or of a contact's: `contact.NAME.hit`".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        errors.push(Diagnostic::new("unknown-name", span.clone(), message).hint(hint));
    }
}

fn check_response(
    resets: &[Definition],
    goto: Option<&Reference>,
    model: &Model,
    scope: &Scope<'_>,
    errors: &mut Vec<Diagnostic>,
) {
    let targets = || model.states.iter().chain(&model.discrete).map(|s| s.name.as_str());
    let place = if model.discrete.is_empty() {
        "among the states"
    } else {
        "among the states and discrete variables"
    };
    for reset in resets {
        if scope.state(&reset.name).or(scope.discrete(&reset.name)).is_none() {
            errors.push(scope.unknown(&reset.name, reset.span.clone(), targets(), place));
        }
        check_formula(&reset.formula, scope, FormulaContext::observing("a reset"), errors);
    }
    if let Some(goto) = goto {
        check_mode_name(goto, scope, errors);
    }
}

pub(super) fn check_mode_name(reference: &Reference, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    if scope.mode(&reference.name).is_none() {
        let modes = || scope.model().modes.iter().map(|m| m.name.as_str());
        let error = scope.unknown(&reference.name, reference.span.clone(), modes(), "among the modes");
        let add = format!("the model has no modes: add `[modes.{}]`", reference.name);
        errors.push(if modes().next().is_none() { error.hint(add) } else { error });
    }
}

/// Follows every `goto` from the start mode; a mode that is never met is a mistake.
fn check_modes(model: &Model, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    let mut reached = vec![false; model.modes.len()];
    let targets = |events: &[EventRule]| -> Vec<usize> {
        let next = events.iter().flat_map(|e| e.goto.iter().chain(e.at_rest.iter().flat_map(|r| &r.goto)));
        next.filter_map(|r| scope.mode(&r.name)).collect()
    };
    let mut open = targets(&model.events);
    open.push(model.start_mode());
    while let Some(mode) = open.pop() {
        if mode < reached.len() && !std::mem::replace(&mut reached[mode], true) {
            open.extend(targets(&model.modes[mode].events));
        }
    }
    for (mode, _) in model.modes.iter().zip(&reached).filter(|(_, reached)| !**reached) {
        let start = &model.modes[model.start_mode()].name;
        let message = format!("mode `{}` cannot be reached from the start mode `{start}`", mode.name);
        let hint = format!("let an event `goto = \"{}\"`, or remove the mode", mode.name);
        errors.push(Diagnostic::new("unreachable-mode", mode.span.clone(), message).hint(hint));
    }
}

/// Multipliers and reactions are shown as outputs only, and those have units.
fn no_column(reference: &Reference) -> Diagnostic {
    let name = &reference.name;
    let message = format!("`{name}` is shown nowhere by itself and has no unit");
    let hint = format!("name an output, `outputs.force = \"{name}\"`, and give that the unit");
    Diagnostic::new("unknown-name", reference.span.clone(), message).hint(hint)
}

/// Names in `units`, in `run.mode` and in `run.atol`.
fn check_references(model: &Model, scope: &Scope<'_>, errors: &mut Vec<Diagnostic>) {
    let audits = || model.audit.iter().map(|a| &a.definition.name);
    let known_audits = places(audits());
    for (reference, _) in &model.units {
        if scope.meaning(&reference.name).is_some_and(Quantity::follows_from_motion) {
            errors.push(no_column(reference));
            continue;
        }
        if scope.meaning(&reference.name).is_none() && !known_audits.contains_key(reference.name.as_str()) {
            let known = scope.names(|_| true).chain(audits().map(|name| Cow::Borrowed(name.as_str())));
            errors.push(scope.unknown(&reference.name, reference.span.clone(), known, "in `units`"));
        }
    }
    if let Some(mode) = &model.run.mode {
        check_mode_name(mode, scope, errors);
    }
    let states = || model.states.iter().map(|s| s.name.as_str());
    for entry in model.mass.iter().filter(|d| scope.mass_place(&d.name).is_none()) {
        let error = scope.unknown(&entry.name, entry.span.clone(), states(), "in `mass`");
        errors.push(
            error.hint(
                "write `v = …` for the diagonal entry of state `v`, or `x.v = …` for row `x`, column `v`",
            ),
        );
    }
}
