//! Impulses that events give: those of a given size at once, the others as a part of the impact.
//!
//! An impulse acts through the joints that hold. Closed contacts answer to it as to any other sudden change of speeds:
//! one that is pressed is hit, with its restitution and friction; one that sticks slides if nothing presses it.

use super::problem::move_by;
use crate::contact::{GivenImpulse, Impact, ImpactResult, Unsolved};
use crate::formulation::{Amount, Flow, GivenRow, TouchPoint};
use crate::transition::rule::{Impossible, ImpossibleContact, Transition};

/// Gives the impulses of the events that fired whose size is known. The others are left, in the order of the events.
pub(super) fn give_sizes(
    flow: &mut Flow<'_>,
    transition: &mut Transition,
    delta: &[f64],
) -> Result<Vec<GivenRow>, Impossible> {
    let guards = flow.system().guards();
    let of_guard = |&g: &usize| guards[g].response.impulse;
    let which: Vec<usize> = transition.firing.guards.iter().filter_map(of_guard).collect();
    if which.is_empty() {
        return Ok(Vec::new());
    }
    check_resets(flow, transition, flow.system().impulses()[which[0]].guard)?;
    let rows = read(flow, transition, (&which, delta))?;
    let (sized, _): (Vec<GivenRow>, Vec<GivenRow>) = rows.into_iter().partition(has_size);
    if !sized.is_empty() {
        give(flow, transition, (&sized, delta))?;
    }
    // The others act along velocities that these have changed.
    let rows = read(flow, transition, (&which, delta))?.into_iter().filter(|row| !has_size(row));
    Ok(rows.map(GivenRow::closing).collect())
}

fn has_size(row: &GivenRow) -> bool {
    matches!(row.amount, Amount::Size(_))
}

/// The impulses of some places among those of the system, with numbers that make sense.
fn read(
    flow: &mut Flow<'_>,
    transition: &Transition,
    (which, delta): (&[usize], &[f64]),
) -> Result<Vec<GivenRow>, Impossible> {
    let Transition { t, before, after, mode_before, .. } = transition;
    let point = TouchPoint { t: *t, y: after, before, mode_before, delta };
    let rows: Vec<GivenRow> = which.iter().filter_map(|&k| flow.contacts().given(k, point)).collect();
    let is_wrong = |row: &&GivenRow| match row.amount {
        Amount::Restitution(part) => !(0.0..=1.0).contains(&part),
        Amount::Size(size) => !size.is_finite(),
    };
    match rows.iter().find(is_wrong) {
        Some(row) => Err(ImpossibleContact::Impulse { guard: row.guard, amount: row.amount }.into()),
        None => Ok(rows),
    }
}

/// A speed that was reset would not be what it was set to after an impulse.
fn check_resets(flow: &Flow<'_>, transition: &Transition, impulse: usize) -> Result<(), Impossible> {
    let (system, layout) = (flow.system(), flow.system().layout());
    let Some(state) = transition.moved().find(|i| (layout.q..layout.q + layout.v).contains(i)) else {
        return Ok(());
    };
    let sets = |&g: &usize| system.reset_targets(g).is_some_and(|targets| targets.states.contains(&state));
    let reset = transition.firing.guards.iter().copied().find(sets).unwrap_or(impulse);
    Err(ImpossibleContact::ResetWithImpulse { guards: (reset, impulse), state }.into())
}

/// Changes the speeds by impulses of known sizes.
fn give(
    flow: &mut Flow<'_>,
    transition: &mut Transition,
    (rows, delta): (&[GivenRow], &[f64]),
) -> Result<(), Impossible> {
    let unsolved = || ImpossibleContact::Contacts {
        which: Vec::new(),
        events: rows.iter().map(|row| row.guard).collect(),
        why: Unsolved::Impact,
    };
    let Transition { t, before, after, mode_before, .. } = &*transition;
    let point = TouchPoint { t: *t, y: after, before, mode_before, delta };
    let touching = flow.contacts().touching(point, (&[], &[]), rows).ok_or_else(unsolved)?;
    let size = |row: &GivenRow| if let Amount::Size(size) = row.amount { size } else { 0.0 };
    let impulses: Vec<f64> = rows.iter().flat_map(|row| [size(row), 0.0]).collect();
    let layout = flow.system().layout();
    move_by(layout, (&impulses, &touching.responses), &mut transition.after);
    let joints = touching.joints.impulses(&impulses);
    let result = ImpactResult::of_impulses(&touching.relations, impulses, 0);
    let given = |(k, row): (usize, &GivenRow)| GivenImpulse {
        guard: row.guard,
        velocity: (row.velocity.value, result.velocity[2 * k].value),
        impulse: size(row),
    };
    let given = rows.iter().enumerate().map(given).collect();
    transition.contacts.append(Impact { given, joints, energy: result.energy, ..Impact::default() });
    Ok(())
}
