//! Binds formulas to inputs once all locks are known: which locks are needed, their inputs, and the guards.
//!
//! Guards come in this order: switches and locks, each after those that its surface uses; events, common ones
//! before those of the modes; what happens at rest.

use super::conditions::Compared;
use super::lagrange::motion_input;
use super::locking::{Discontinuity, Lock, Locks};
use super::lowering::{Lowering, Names, discrete_input, input};
use super::needs::Needs;
use super::parts::{EventSurface, Parts};
use super::schedule::find_times;
use super::surfaces::{Making, surfaces};
use super::tree::slack_input;
use super::{Border, ContactGuard, Count, Direction, EntryRule, Guard, GuardCondition, GuardKind, Response};
use crate::expr::{ExprId, InputId, InputKind, Node, growth};
use crate::model::{ContactChange, Definition, EventRule, Model, Reference, Trigger, is_meant};
use std::collections::BTreeSet;

/// A guard with its surface, and the time of its crossing if that is known.
#[derive(Clone, Debug)]
pub(super) struct BoundGuard {
    pub(super) guard: Guard,
    pub(super) surface: ExprId,
    pub(super) time: Option<ExprId>,
    /// The slope of its surface in time if that depends on parameters, and whether the model's make it
    /// positive.
    pub(super) slope: Option<(ExprId, bool)>,
    /// The lock that it belongs to: it matters where that is needed, and always if there is none.
    pub(super) lock: Option<usize>,
}

/// What tapes are made from: every input has its place.
#[derive(Clone, Debug)]
pub(super) struct BoundFormulas {
    pub(super) parts: Parts,
    pub(super) guards: Vec<BoundGuard>,
    pub(super) needs: Needs,
    pub(super) switch_names: Vec<String>,
    pub(super) count_number: usize,
    pub(super) input_count: usize,
}

impl BoundFormulas {
    /// The inputs that events change: signs, counts, discrete variables, mode. `motion` inputs follow them.
    pub(super) fn locks(&self, motion: usize) -> std::ops::Range<usize> {
        let end = self.input_count - motion;
        end - self.switch_names.len() - self.count_number - self.parts.discrete - 1..end
    }

    /// The first input of the motion; that before it is the index of the mode.
    pub(super) fn first_of_motion(&self) -> usize {
        self.input_count - self.parts.mechanism.motion()
    }

    /// How fast each surface can change at most, see [`System::guard_growth`](super::System::guard_growth).
    /// It holds for all values of parameters.
    pub(super) fn growth(&self, lowering: &Lowering<'_>) -> Vec<f64> {
        let (first_parameter, first_switch) = (lowering.names.first_parameter, lowering.names.first_switch);
        let first_count = first_switch + self.switch_names.len();
        let first_motion = self.first_of_motion();
        let surfaces: Vec<ExprId> = self.guards.iter().map(|watch| watch.surface).collect();
        growth(&lowering.arena, &surfaces, |input| match input {
            k if k < first_parameter => InputKind::Varying,
            k if (first_switch..first_count).contains(&k) => InputKind::Locked(1.0),
            k if k >= first_motion => InputKind::Unknown,
            _ => InputKind::Locked(f64::INFINITY),
        })
    }
}

/// Gives every needed lock its input, and makes the guards. `parameters` give known times their direction.
pub(super) fn bind(
    lowering: &mut Lowering<'_>,
    model: &Model,
    mut parts: Parts,
    parameters: &[f64],
) -> BoundFormulas {
    let mut slots = LockSlots::assign(lowering, model, &parts);
    slots.keep_held(lowering, &mut parts.outputs, lowering.plain_outputs());
    let (picture, as_written) = &mut parts.picture;
    slots.keep_held(lowering, picture, as_written);
    let mut guards = slots.lock_guards(lowering);
    for (lock, contact) in lowering.zones(model) {
        let own = guards.iter_mut().filter(|bound| bound.lock == Some(lock));
        for bound in own {
            let mut zones = bound.guard.border.zones().to_vec();
            zones.push(contact);
            bound.guard.border = Border::Zones(zones);
        }
    }
    let first_comparison = guards.len();
    guards.extend(parts.conditions.comparisons.iter().map(comparison_guard));
    guards.extend(slots.event_guards(model, &lowering.names, &parts, first_comparison));
    let nowhere = lowering.arena.constant(f64::NAN);
    let first_event = guards.len() - model.all_events().count();
    add_rest(model, &lowering.names, (&mut guards, first_event), nowhere);
    add_followers(model, &mut guards, first_event);
    slots.mark_used(lowering, &parts, &mut guards);
    for bound in &mut guards {
        bound.guard.multipliers = parts.mechanism.multipliers_in(&lowering.arena, bound.surface);
    }
    slots.place_inputs(lowering, &mut parts, &mut guards);
    let count_number = slots.counts.len();
    let first_count = lowering.names.first_switch + slots.signs.len();
    let motion = first_count + count_number + parts.discrete + 1;
    find_times(lowering, &mut guards, &(first_count..motion), parameters);
    let list = &lowering.locks.list;
    let switch_names = slots.signs.iter().map(|&k| list[k].name.clone()).collect();
    let input_count = motion + parts.mechanism.motion();
    BoundFormulas { parts, guards, needs: slots.needs, switch_names, count_number, input_count }
}

/// Which locks are needed, and where.
struct LockSlots {
    /// The locks that are signs, those with a name first, and those that are counts.
    signs: Vec<usize>,
    counts: Vec<usize>,
    /// The place of each lock among one of these.
    places: Vec<Option<usize>>,
    /// The mode in which each lock is watched: the only one that needs it, or every mode.
    modes: Vec<Option<usize>>,
    needs: Needs,
}

impl LockSlots {
    fn assign(lowering: &mut Lowering<'_>, model: &Model, parts: &Parts) -> Self {
        let needs = Needs::find(lowering, model, parts);
        let list = &lowering.locks.list;
        let (mut needed, mut modes) = (vec![false; list.len()], vec![None; list.len()]);
        for (lock, mode) in needs.all() {
            // A second mode makes it every mode.
            modes[lock] = if needed[lock] { None } else { mode.filter(|_| parts.derivatives.modes() > 1) };
            needed[lock] = true;
        }
        let is_sign = |k: &usize| matches!(list[*k].rule, Discontinuity::Sign(_));
        let named = |k: &usize| list[*k].named;
        let automatic = (0..list.len()).filter(|k| !named(k) && is_sign(k) && needed[*k]);
        let signs: Vec<usize> = (0..list.len()).filter(named).chain(automatic).collect();
        let counts: Vec<usize> = (0..list.len()).filter(|k| !is_sign(k) && needed[*k]).collect();
        let mut places = vec![None; list.len()];
        for list in [&signs, &counts] {
            list.iter().enumerate().for_each(|(place, lock)| places[*lock] = Some(place));
        }
        Self { signs, counts, places, modes, needs }
    }

    /// For each expression, whether all of its locks always hold, so that it can be evaluated locked.
    fn hold_everywhere(&self, lowering: &Lowering<'_>, ids: &[ExprId]) -> Vec<bool> {
        let always = self.needs.always(&lowering.arena, lowering.locks.list.len());
        let mut holds = vec![true; lowering.arena.len()];
        for id in lowering.arena.reachable(ids) {
            holds[id.index()] = match lowering.arena.node(id) {
                Node::Input(input) => Locks::index(input).is_none_or(|lock| always[lock]),
                node => node.operands().all(|operand| holds[operand.index()]),
            };
        }
        ids.iter().map(|id| holds[id.index()]).collect()
    }

    /// Takes a formula as it is written where not all of its locks hold everywhere.
    fn keep_held(&self, lowering: &Lowering<'_>, locked: &mut [ExprId], as_written: &[ExprId]) {
        let hold = self.hold_everywhere(lowering, locked);
        for ((locked, plain), hold) in locked.iter_mut().zip(as_written).zip(hold) {
            *locked = if hold { *locked } else { *plain };
        }
    }

    /// The guards of all locks that have guards of their own.
    fn lock_guards(&self, lowering: &mut Lowering<'_>) -> Vec<BoundGuard> {
        let mut guards = Vec::new();
        for k in 0..lowering.locks.list.len() {
            let lock = lowering.locks.list[k].clone();
            let Some(response) = self.response(k).filter(|_| !lock.soft) else { continue };
            let mode = if lock.named { None } else { self.modes[k] };
            let mut making = Making { arena: &mut lowering.arena, locks: &mut lowering.locks };
            for (surface, direction) in surfaces(&mut making, &lock) {
                let mut response = response.clone();
                if let Some(count) = &mut response.count {
                    count.up = direction == Direction::Rising;
                }
                let mut bound = bound_guard(&lock, direction, response, mode, surface);
                bound.lock = Some(k);
                bound.guard.border = if lock.is_corner { Border::Corner } else { Border::Switch };
                guards.push(bound);
            }
        }
        guards
    }

    /// Tells which locks other guards have in their formulas.
    fn mark_used(&self, lowering: &Lowering<'_>, parts: &Parts, guards: &mut [BoundGuard]) {
        let mut surfaces: Vec<ExprId> = guards.iter().map(|watch| watch.surface).collect();
        surfaces.extend(&parts.conditions.discrete);
        let inside: BTreeSet<usize> = locks_of(lowering, &surfaces).collect();
        for guard in guards.iter_mut().map(|watch| &mut watch.guard) {
            guard.is_used = guard.response.switch.is_some_and(|switch| inside.contains(&self.signs[switch]));
        }
    }

    /// What the guards of a lock do; none if it is not needed.
    fn response(&self, lock: usize) -> Option<Response> {
        let place = self.places[lock]?;
        let is_sign = self.signs.get(place) == Some(&lock);
        let (switch, count) = (is_sign.then_some(place), self.count(lock));
        Some(Response { switch, count, ..Response::default() })
    }

    fn count(&self, lock: usize) -> Option<Count> {
        let index = self.places[lock].filter(|place| self.counts.get(*place) == Some(&lock))?;
        Some(Count { index, up: true, clock: false })
    }

    /// The guards of events; the first comparison has this place in the list.
    fn event_guards(
        &self,
        model: &Model,
        names: &Names<'_>,
        parts: &Parts,
        first_comparison: usize,
    ) -> Vec<BoundGuard> {
        let events = model.all_events().zip(&parts.events);
        let mut impulses = 0..;
        let watch = |((mode, event), surface): ((Option<usize>, &EventRule), &EventSurface)| {
            let mut response = act(names, &event.reset, event.goto.as_ref());
            response.stop_after = event.stop_after;
            response.of_contact = event.of_contact;
            response.impulse = event.impulse.as_ref().and_then(|_| impulses.next());
            let count = surface.clock.and_then(|clock| self.count(clock));
            response.count = count.map(|count| Count { clock: true, ..count });
            let condition = surface.condition.clone().shifted(first_comparison);
            let crosses = condition == GuardCondition::Crossing;
            let guard = Guard {
                side: event.side,
                response,
                mode,
                kind: match (&event.trigger, crosses) {
                    (Trigger::On(_), _) => GuardKind::Follows,
                    (Trigger::Contact { change, .. }, _) if !change.has_surface() => GuardKind::Follows,
                    (_, true) => GuardKind::Surface,
                    (_, false) => GuardKind::Compound,
                },
                touches: event.touches,
                closed: event.includes_zero(),
                condition,
                on_entry: if event.on_entry { EntryRule::Fires } else { EntryRule::Waits },
                priority: event.priority,
                contact: contact_of(model, event),
                ..Guard::new(&event.name, event.direction)
            };
            BoundGuard { guard, surface: surface.value, time: surface.time, slope: None, lock: None }
        };
        events.map(watch).collect()
    }

    /// Puts the inputs of signs and counts in the place of those that stood for locks so far.
    fn place_inputs(&mut self, lowering: &mut Lowering<'_>, parts: &mut Parts, guards: &mut [BoundGuard]) {
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
        // What joints do not give is nowhere but in directions.
        let nothing = lowering.arena.constant(0.0);
        replacements.extend((0..2 * parts.mechanism.holds.len()).map(|k| (slack_input(k), nothing)));
        let mut all: Vec<&mut ExprId> = parts.derivatives.all_mut().collect();
        all.extend(parts.mass.iter_mut().chain(&mut parts.outputs).chain(&mut parts.audit));
        let resets = parts.resets.iter_mut().flatten().flat_map(|reset| &mut reset.values);
        all.extend(&mut parts.picture.0);
        all.extend(parts.switches.iter_mut().chain(&mut parts.conditions.discrete).chain(resets));
        all.extend(parts.mechanism.all_mut());
        for watch in guards {
            all.extend(std::iter::once(&mut watch.surface).chain(&mut watch.time));
        }
        all.extend(self.needs.all_mut());
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

fn bound_guard(
    lock: &Lock,
    direction: Direction,
    response: Response,
    mode: Option<usize>,
    surface: ExprId,
) -> BoundGuard {
    let guard = Guard { response, mode, ..Guard::new(&lock.name, direction) };
    BoundGuard { guard, surface, time: None, slope: None, lock: None }
}

/// The guard of a comparison that others use.
fn comparison_guard(compared: &Compared) -> BoundGuard {
    let guard = Guard {
        mode: compared.mode,
        kind: GuardKind::Comparison { scheduled: None },
        closed: compared.closed,
        ..Guard::new(&compared.name, Direction::Both)
    };
    BoundGuard { guard, surface: compared.surface, time: None, slope: None, lock: None }
}

/// What an event does to the state and the mode.
fn act(names: &Names<'_>, reset: &[Definition], goto: Option<&Reference>) -> Response {
    let mode = goto.and_then(|reference| names.mode(&reference.name));
    Response { reset: !reset.is_empty(), mode, ..Response::default() }
}

/// The contact that an event belongs to.
fn contact_of(model: &Model, event: &EventRule) -> Option<ContactGuard> {
    let Trigger::Contact { contact, change } = event.trigger else { return None };
    Some(ContactGuard { contact, state: model.mechanism.contacts[contact].state, change })
}

/// Adds a guard for each event that says what happens at rest. It has no surface.
fn add_rest(
    model: &Model,
    names: &Names<'_>,
    (guards, first_event): (&mut Vec<BoundGuard>, usize),
    nowhere: ExprId,
) {
    for (i, (mode, event)) in model.all_events().enumerate() {
        let Some(rest) = &event.at_rest else { continue };
        guards[first_event + i].guard.response.at_rest = Some(guards.len());
        let guard = Guard {
            side: event.side,
            response: act(names, &rest.reset, rest.goto.as_ref()),
            mode,
            kind: GuardKind::Rest,
            contact: contact_of(model, event).map(|of| ContactGuard { change: ContactChange::Rest, ..of }),
            ..Guard::new(event.name_at_rest(model), event.direction)
        };
        guards.push(BoundGuard { guard, surface: nowhere, time: None, slope: None, lock: None });
    }
}

/// Tells guards which others follow them.
fn add_followers(model: &Model, guards: &mut [BoundGuard], first_event: usize) {
    for (i, (_, event)) in model.all_events().enumerate() {
        let Trigger::On(other) = &event.trigger else { continue };
        for bound in guards.iter_mut().filter(|bound| is_meant(&bound.guard.name, &other.name)) {
            bound.guard.response.followers.push(first_event + i);
        }
    }
}
