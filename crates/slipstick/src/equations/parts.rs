//! The formulas of a model, each read once and in one order.

use super::GuardCondition;
use super::conditions::{Conditions, GuardPlace};
use super::derivatives::Derivatives;
use super::lagrange::MechanismParts;
use super::locking::Discontinuity;
use super::lowering::{Lowering, input};
use super::resets::ResetParts;
use super::tree::put_holds;
use crate::expr::ExprId;
use crate::model::{Definition, EventRule, ModeRule, Model, Trigger};

/// An event's surface, and its time if that is known.
#[derive(Clone, Debug)]
pub(super) struct EventSurface {
    /// When the event happens; the surface matters for a crossing only.
    pub(super) condition: GuardCondition,
    pub(super) value: ExprId,
    pub(super) time: Option<ExprId>,
    /// The lock that counts how often it has struck.
    pub(super) clock: Option<usize>,
}

/// The formulas of a model, locked.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    /// The derivative of each state in each mode.
    pub(super) derivatives: Derivatives,
    /// The entries of the mass matrix, in the order of the model.
    pub(super) mass: Vec<ExprId>,
    /// The surface of each event, in the order of [`Model::all_events`].
    pub(super) events: Vec<EventSurface>,
    /// The outputs.
    pub(super) outputs: Vec<ExprId>,
    /// What is audited, as it is written.
    pub(super) audit: Vec<ExprId>,
    /// The numbers of the picture: with the branches of the motion, and as they are written.
    pub(super) picture: (Vec<ExprId>, Vec<ExprId>),
    /// The named switches as they are shown.
    pub(super) switches: Vec<ExprId>,
    /// The resets of events, and behind them of what happens at rest.
    pub(super) resets: Vec<Option<ResetParts>>,
    /// How many discrete variables there are.
    pub(super) discrete: usize,
    /// What guards that join conditions are made of.
    pub(super) conditions: Conditions,
    /// Whether formulas depend on the index of the mode.
    pub(super) depends_on_mode: bool,
    /// The equations of motion of the mechanism; empty if there is none.
    pub(super) mechanism: MechanismParts,
}

impl Parts {
    /// Reads all formulas that the motion depends on.
    pub(super) fn read(lowering: &mut Lowering<'_>, model: &Model) -> Self {
        let derivatives = Derivatives::read(lowering, model);
        let entry = |d: &Definition| lowering.locked(&d.formula, &format!("mass.{}", d.name));
        let mass = model.mass.iter().map(entry).collect();
        let mut reader = EventReader { lowering, model, conditions: Conditions::default() };
        let events = model.all_events().enumerate().map(|(i, (mode, e))| reader.event(i, mode, e)).collect();
        let conditions = reader.conditions;
        let mechanism = MechanismParts::derive(lowering, model, &derivatives);
        let mut audit: Vec<ExprId> =
            model.audit.iter().map(|a| lowering.plain(&a.definition.formula)).collect();
        let (mut outputs, switches) = (lowering.lock_outputs(model), lowering.shown_switches(model));
        let (mut resets, discrete) = (ResetParts::read_all(lowering, model), model.discrete.len());
        let own = |mode: &ModeRule| {
            !(mode.outputs.is_empty() && mode.forces.is_empty() && mode.constraints.is_empty())
        };
        // The picture is read last: whoever draws a model runs the same equations.
        let numbers = model.about.picture.formulas();
        let locked = numbers.iter().map(|number| lowering.locked(number, "picture")).collect();
        let mut picture: (Vec<ExprId>, Vec<ExprId>) =
            (locked, numbers.iter().map(|number| lowering.plain(number)).collect());
        let looking = outputs.iter_mut().chain(&mut audit).chain(&mut picture.0).chain(&mut picture.1);
        let looking = looking.chain(resets.iter_mut().flatten().flat_map(|reset| &mut reset.values));
        put_holds(lowering, &mechanism.holds, looking.collect());
        let depends_on_mode = model.modes.iter().any(own);
        Self {
            derivatives,
            mass,
            events,
            outputs,
            audit,
            picture,
            switches,
            resets,
            discrete,
            conditions,
            depends_on_mode,
            mechanism,
        }
    }
}

/// Reads when events happen.
struct EventReader<'l, 'm> {
    lowering: &'l mut Lowering<'m>,
    model: &'l Model,
    conditions: Conditions,
}

impl EventReader<'_, '_> {
    /// A guard: one surface that crosses zero, or a condition.
    fn guard(&mut self, place: &GuardPlace<'_>) -> EventSurface {
        let (condition, value) = match self.conditions.read(self.lowering, self.model, place) {
            Some(condition) => (condition, self.lowering.unknown()),
            None => (GuardCondition::Crossing, self.lowering.surface(place.guard, place.key)),
        };
        EventSurface { condition, value, time: None, clock: None }
    }

    fn event(&mut self, index: usize, own: Option<usize>, event: &EventRule) -> EventSurface {
        let time = input(&mut self.lowering.arena, 0);
        match &event.trigger {
            Trigger::Guard(guard) => {
                let mode =
                    own.map_or_else(String::new, |mode| format!("modes.{}.", self.model.modes[mode].name));
                self.guard(&GuardPlace {
                    guard,
                    key: &format!("{mode}events.{}.guard", event.name),
                    mode: own,
                })
            }
            Trigger::Contact { contact, change } => {
                let value = self.lowering.contact_surface(&self.model.mechanism.contacts[*contact], *change);
                EventSurface { condition: GuardCondition::Crossing, value, time: None, clock: None }
            }
            Trigger::On(_) => {
                let value = self.lowering.arena.constant(f64::NAN);
                EventSurface { condition: GuardCondition::Crossing, value, time: None, clock: None }
            }
            Trigger::At(at) => {
                let at = self.lowering.plain(at);
                let value = self.lowering.arena.sub(time, at);
                EventSurface { condition: GuardCondition::Crossing, value, time: Some(at), clock: None }
            }
            Trigger::Every { period, first } => {
                let period = self.lowering.plain(period);
                // Without a first strike it is one period after the start of the run.
                let (first, passed) = match (first, &self.model.run.from) {
                    (Some(first), _) => (Some(self.lowering.plain(first)), 0.0),
                    (None, None) => (None, 1.0),
                    (None, Some(from)) => {
                        let from = self.lowering.plain(from);
                        (Some(self.lowering.arena.add(from, period)), 0.0)
                    }
                };
                self.clock(index, event, (first, passed), period)
            }
        }
    }

    /// The surface of an event at `first + (n + passed) period`, in periods. Periods are counted before they
    /// are summed, so that a time is rounded once.
    fn clock(
        &mut self,
        index: usize,
        event: &EventRule,
        (first, passed): (Option<ExprId>, f64),
        period: ExprId,
    ) -> EventSurface {
        let clock = self.lowering.locks.list.len();
        let count = self
            .lowering
            .locks
            .value(&mut self.lowering.arena, Discontinuity::Clock(index), || (event.name.clone(), false));
        let passed = self.lowering.arena.constant(passed);
        let periods = self.lowering.arena.add(count, passed);
        let since = self.lowering.arena.mul(periods, period);
        let next = first.map_or(since, |first| self.lowering.arena.add(first, since));
        let time = input(&mut self.lowering.arena, 0);
        let left = self.lowering.arena.sub(time, next);
        let value = self.lowering.arena.div(left, period);
        EventSurface { condition: GuardCondition::Crossing, value, time: Some(next), clock: Some(clock) }
    }
}
