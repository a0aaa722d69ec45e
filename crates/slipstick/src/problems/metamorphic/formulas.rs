//! Every formula of a model.

use crate::model::{Definition, EventRule, Formula, Model, Trigger};

/// All formulas that are evaluated during a run.
pub(super) fn formulas(model: &Model) -> impl Iterator<Item = &Formula> {
    let mechanism = &model.mechanism;
    let lists: [&Vec<Definition>; 8] = [
        &model.derivatives,
        &model.mass,
        &model.outputs,
        &model.switches,
        &mechanism.inertia,
        &mechanism.forces,
        &mechanism.constraints,
        &model.states,
    ];
    let of_modes = model.modes.iter().flat_map(|mode| &mode.derivatives);
    let definitions = lists.into_iter().flatten().chain(of_modes).map(|definition| &definition.formula);
    let energies = mechanism.kinetic.iter().chain(&mechanism.potential);
    definitions.chain(energies).chain(model.all_events().flat_map(|(_, event)| of_event(event)))
}

fn of_event(event: &EventRule) -> impl Iterator<Item = &Formula> {
    let guard = if let Trigger::Guard(guard) = &event.trigger { Some(guard) } else { None };
    let at_rest = event.at_rest.iter().flat_map(|rest| &rest.reset);
    guard.into_iter().chain(event.reset.iter().chain(at_rest).map(|definition| &definition.formula))
}
