//! When all formulas are read and all locks known: which locks are needed and where, which input holds each, and the guards.
//!
//! Guards come in this order: switches and locks, each after those that its surface uses; events, common ones before those of the modes;
//! what happens at rest.

use super::conditions::Compared;
use super::lagrange::motion_input;
use super::locking::{Lock, Locks, Rule};
use super::lowering::{Lowering, Parts, discrete_input, input};
use super::needs::needs;
use super::schedule::find_time;
use super::surfaces::{Making, surfaces};
use super::{Condition, Count, Direction, Guard, GuardKind, OnEntry, Response};
use crate::expr::{ExprId, InputId, InputKind};
use crate::model::{Definition, EventRule, Model, Reference};
use std::collections::BTreeSet;

/// A guard with its surface, and the time of its crossing if that is known.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    pub(super) guard: Guard,
    pub(super) surface: ExprId,
    pub(super) time: Option<ExprId>,
    /// The slope of its surface in time if that depends on parameters, and whether it is positive with those of the model.
    pub(super) slope: Option<(ExprId, bool)>,
    /// For each mode, a formula that is zero where the motion does not depend on it; none if it always matters.
    pub(super) needs: Vec<ExprId>,
}

/// What tapes are made from: every input has its place.
#[derive(Clone, Debug)]
pub(super) struct Settled {
    pub(super) parts: Parts,
    pub(super) watches: Vec<Watch>,
    pub(super) switch_names: Vec<String>,
    pub(super) count_number: usize,
    pub(super) input_count: usize,
}

impl Settled {
    /// The inputs that events change: signs, counts, discrete variables and the index of the mode. `motion` inputs follow them.
    pub(super) fn locks(&self, motion: usize) -> std::ops::Range<usize> {
        let end = self.input_count - motion;
        end - self.switch_names.len() - self.count_number - self.parts.discrete - 1..end
    }

    /// The first input of the motion; that before it is the index of the mode.
    pub(super) fn first_of_motion(&self) -> usize {
        self.input_count - self.parts.mechanism.motion()
    }

    /// How fast each surface can change at most, see [`System::guard_growth`](super::System::guard_growth).
    pub(super) fn growth(&self, lowering: &Lowering<'_>, parameters: &[f64]) -> Vec<f64> {
        let (first_parameter, first_switch) = (lowering.names.first_parameter, lowering.names.first_switch);
        let first_count = first_switch + self.switch_names.len();
        let surfaces: Vec<ExprId> = self.watches.iter().map(|watch| watch.surface).collect();
        lowering.arena.growth(&surfaces, |input| match input {
            k if k < first_parameter => InputKind::Varying,
            k if k < first_switch => InputKind::Fixed(parameters[k - first_parameter]),
            k if k < first_count => InputKind::Locked(1.0),
            _ => InputKind::Locked(f64::INFINITY),
        })
    }
}

/// Gives every lock that is needed its input, and makes the guards. `parameters` tell which way the surfaces of known times go.
pub(super) fn settle(
    lowering: &mut Lowering<'_>,
    model: &Model,
    mut parts: Parts,
    parameters: &[f64],
) -> Settled {
    let slots = Slots::assign(lowering, model, &parts);
    for (output, plain) in parts.outputs.iter_mut().zip(lowering.plain_outputs()) {
        if !slots.hold_everywhere(lowering, *output) {
            *output = *plain;
        }
    }
    let mut watches = slots.lock_watches(lowering);
    let first_comparison = watches.len();
    watches.extend(parts.conditions.comparisons.iter().map(compared_watch));
    watches.extend(slots.event_watches(model, &parts, first_comparison));
    add_rest(model, &mut watches, lowering.arena.constant(f64::NAN));
    slots.mark_used(lowering, &parts, &mut watches);
    slots.place_inputs(lowering, &mut parts, &mut watches);
    let count_number = slots.counts.len();
    let first_count = lowering.names.first_switch + slots.signs.len();
    let motion = first_count + count_number + parts.discrete + 1;
    for watch in &mut watches {
        find_time(lowering, watch, first_count..motion, parameters);
    }
    let list = &lowering.locks.list;
    let switch_names = slots.signs.iter().map(|&k| list[k].name.clone()).collect();
    let input_count = motion + parts.mechanism.motion();
    Settled { parts, watches, switch_names, count_number, input_count }
}

/// Which locks are needed, and where.
struct Slots {
    /// The locks that are signs, those with a name first, and those that are counts.
    signs: Vec<usize>,
    counts: Vec<usize>,
    /// For each mode, whether each lock is needed in it, and when.
    used: Vec<Vec<bool>>,
    needs: Vec<Vec<ExprId>>,
}

impl Slots {
    fn assign(lowering: &mut Lowering<'_>, model: &Model, parts: &Parts) -> Self {
        let modes = 0..parts.derivatives.len();
        let needs: Vec<Vec<ExprId>> = modes.map(|mode| needs(lowering, model, parts, mode)).collect();
        let zero = lowering.arena.constant(0.0);
        let is_used = |need: &ExprId| *need != zero;
        let used: Vec<Vec<bool>> = needs.iter().map(|needs| needs.iter().map(is_used).collect()).collect();
        let list = &lowering.locks.list;
        let needed = |k: &usize| used.iter().any(|used| used[*k]);
        let is_sign = |k: &usize| matches!(list[*k].rule, Rule::Sign(_));
        let named = |k: &usize| list[*k].named;
        let automatic = (0..list.len()).filter(|k| !named(k) && is_sign(k) && needed(k));
        let signs = (0..list.len()).filter(named).chain(automatic).collect();
        let counts = (0..list.len()).filter(|k| !is_sign(k) && needed(k)).collect();
        Self { signs, counts, used, needs }
    }

    /// Whether all locks of an expression always hold: then it can be looked at with its branches locked.
    fn hold_everywhere(&self, lowering: &Lowering<'_>, id: ExprId) -> bool {
        let always = |need: ExprId| lowering.arena.is_constant(need).is_some_and(|need| need != 0.0);
        locks_of(lowering, &[id]).all(|k| self.needs.iter().all(|needs| always(needs[k])))
    }

    /// The mode in which a lock is watched: the only one that needs it, or every mode.
    fn mode(&self, lock: usize) -> Option<usize> {
        let mut modes = (0..self.used.len()).filter(|&mode| self.used[mode][lock]);
        let first = modes.next().filter(|_| self.used.len() > 1);
        if modes.next().is_some() { None } else { first }
    }

    /// The guards of all locks that have guards of their own.
    fn lock_watches(&self, lowering: &mut Lowering<'_>) -> Vec<Watch> {
        let mut watches = Vec::new();
        for k in 0..lowering.locks.list.len() {
            let lock = lowering.locks.list[k].clone();
            let Some(response) = self.response(k).filter(|_| !lock.soft) else { continue };
            let mode = if lock.named { None } else { self.mode(k) };
            let mut making = Making { arena: &mut lowering.arena, locks: &mut lowering.locks };
            for (surface, direction) in surfaces(&mut making, &lock) {
                let mut response = response.clone();
                if let Some(count) = &mut response.count {
                    count.up = direction == Direction::Rising;
                }
                let needs = self.needs.iter().map(|needs| needs[k]).collect();
                watches.push(Watch { needs, ..watch(&lock, direction, response, mode, surface) });
            }
        }
        watches
    }

    /// Tells which locks other guards have in their formulas.
    fn mark_used(&self, lowering: &Lowering<'_>, parts: &Parts, watches: &mut [Watch]) {
        let mut surfaces: Vec<ExprId> = watches.iter().map(|watch| watch.surface).collect();
        surfaces.extend(&parts.conditions.discrete);
        let inside: BTreeSet<usize> = locks_of(lowering, &surfaces).collect();
        for guard in watches.iter_mut().map(|watch| &mut watch.guard) {
            guard.is_used = guard.response.switch.is_some_and(|switch| inside.contains(&self.signs[switch]));
        }
    }

    /// What the guards of a lock do; none if it is not needed.
    fn response(&self, lock: usize) -> Option<Response> {
        let switch = self.signs.iter().position(|&k| k == lock);
        let count = self.count(lock);
        let known = switch.is_some() || count.is_some();
        known.then(|| Response { switch, count, ..Response::default() })
    }

    fn count(&self, lock: usize) -> Option<Count> {
        let index = self.counts.iter().position(|&k| k == lock)?;
        Some(Count { index, up: true, clock: false })
    }

    /// The guards of events; the first comparison has this place in the list.
    fn event_watches(&self, model: &Model, parts: &Parts, first_comparison: usize) -> Vec<Watch> {
        let events = model.all_events().zip(&parts.events);
        let watch = |((mode, event), surface): ((Option<usize>, &EventRule), &super::lowering::Surface)| {
            let mut response = act(model, &event.reset, event.goto.as_ref());
            response.stop_after = event.stop_after;
            let count = surface.clock.and_then(|clock| self.count(clock));
            response.count = count.map(|count| Count { clock: true, ..count });
            let condition = surface.condition.clone().shifted(first_comparison);
            let crosses = condition == Condition::Crossing;
            let guard = Guard {
                side: event.side,
                response,
                mode,
                kind: if crosses { GuardKind::Surface } else { GuardKind::Compound },
                touches: event.touches,
                closed: event.includes_zero(),
                condition,
                on_entry: if event.on_entry { OnEntry::Fires } else { OnEntry::Waits },
                priority: event.priority,
                ..Guard::new(&event.name, event.direction)
            };
            Watch { guard, surface: surface.value, time: surface.time, slope: None, needs: Vec::new() }
        };
        events.map(watch).collect()
    }

    /// Puts the inputs of signs and counts in the place of those that stood for locks so far.
    fn place_inputs(&self, lowering: &mut Lowering<'_>, parts: &mut Parts, watches: &mut [Watch]) {
        let first = lowering.names.first_switch;
        let places = self.signs.iter().chain(&self.counts).enumerate();
        let mut replacements: Vec<(InputId, ExprId)> =
            places.map(|(place, &k)| (Locks::input(k), input(&mut lowering.arena, first + place))).collect();
        let first = first + replacements.len();
        // The index of the mode stands behind the discrete variables.
        for i in 0..=parts.discrete {
            replacements.push((discrete_input(i), input(&mut lowering.arena, first + i)));
        }
        let first = first + parts.discrete + 1;
        for i in 0..parts.mechanism.motion() {
            replacements.push((motion_input(i), input(&mut lowering.arena, first + i)));
        }
        let mut all: Vec<&mut ExprId> = parts.derivatives.iter_mut().flatten().collect();
        all.extend(parts.mass.iter_mut().chain(&mut parts.outputs).chain(&mut parts.audit));
        let resets = parts.resets.iter_mut().flatten().flat_map(|reset| &mut reset.values);
        all.extend(parts.switches.iter_mut().chain(&mut parts.conditions.discrete).chain(resets));
        all.extend(parts.mechanism.all_mut());
        for watch in watches {
            all.extend(std::iter::once(&mut watch.surface).chain(&mut watch.time).chain(&mut watch.needs));
        }
        let ids: Vec<ExprId> = all.iter().map(|id| **id).collect();
        let placed = lowering.arena.substitute_all(&ids, &replacements);
        for (id, placed) in all.into_iter().zip(placed) {
            *id = placed;
        }
    }
}

fn locks_of(lowering: &Lowering<'_>, ids: &[ExprId]) -> impl Iterator<Item = usize> + use<> {
    lowering.arena.inputs_of(ids).into_iter().filter_map(Locks::index)
}

fn watch(
    lock: &Lock,
    direction: Direction,
    response: Response,
    mode: Option<usize>,
    surface: ExprId,
) -> Watch {
    let guard = Guard { response, mode, ..Guard::new(&lock.name, direction) };
    Watch { guard, surface, time: None, slope: None, needs: Vec::new() }
}

/// The guard of a comparison that others use.
fn compared_watch(compared: &Compared) -> Watch {
    let guard = Guard {
        mode: compared.mode,
        kind: GuardKind::Comparison { scheduled: None },
        closed: compared.closed,
        ..Guard::new(&compared.name, Direction::Both)
    };
    Watch { guard, surface: compared.surface, time: None, slope: None, needs: Vec::new() }
}

/// What an event does to the state and the mode.
fn act(model: &Model, reset: &[Definition], goto: Option<&Reference>) -> Response {
    let mode = goto.and_then(|r| model.modes.iter().position(|m| m.name == r.name));
    Response { reset: !reset.is_empty(), mode, ..Response::default() }
}

/// Adds a guard for each event that says what happens at rest. It has no surface.
fn add_rest(model: &Model, watches: &mut Vec<Watch>, nowhere: ExprId) {
    let first_event = watches.len() - model.all_events().count();
    for (i, (mode, event)) in model.all_events().enumerate() {
        let Some(rest) = &event.at_rest else { continue };
        watches[first_event + i].guard.response.at_rest = Some(watches.len());
        let guard = Guard {
            side: event.side,
            response: act(model, &rest.reset, rest.goto.as_ref()),
            mode,
            kind: GuardKind::Rest,
            ..Guard::new(format!("{} at rest", event.name), event.direction)
        };
        watches.push(Watch { guard, surface: nowhere, time: None, slope: None, needs: Vec::new() });
    }
}
