//! A model of formulas as closures: the same formulas, run from tapes, behind a black box.

use crate::equations::{ClosureGuard, ClosureRest, ClosureSystem};
use crate::expr::{Arena, ExprId, InputId, NodeId, Syntax, Tape};
use crate::model::{Direction, EventRule, Formula, Model, Trigger};
use std::sync::Arc;

/// The closures that say the same as a model without a mechanism, parameters and outputs, whose fields switch
/// by named switches alone; none if it is not such a model.
pub(super) fn closures(model: &Model, from: f64) -> Option<ClosureSystem> {
    let names = Arc::new(Inputs::of(model));
    let fields =
        (0..model.modes.len().max(1)).map(|mode| field(model, mode, &names)).collect::<Option<Vec<_>>>()?;
    let states = model.states.iter().map(|state| state.name.clone());
    let mut system = ClosureSystem::hybrid(states, move |locked, t, y, dy| {
        fields[locked.mode].run(t, y, locked.signs, dy);
    });
    if !model.modes.is_empty() {
        system = system.modes(model.modes.iter().map(|mode| mode.name.clone()));
    }
    for switch in &model.switches {
        let surface = names.tape(&[(&switch.formula.syntax, switch.formula.syntax.root())])?;
        system = system.switch(&switch.name, move |t, y| surface.value(t, y));
    }
    for (mode, event) in model.all_events() {
        let guard = guard(model, event, from, &names)?;
        system = system.guard(match mode {
            Some(mode) => guard.in_mode(mode),
            None => guard,
        });
    }
    Some(system)
}

/// The inputs of formulas: time, states, signs of switches.
struct Inputs {
    names: Vec<String>,
}

impl Inputs {
    fn of(model: &Model) -> Self {
        let states = model.states.iter().chain(&model.switches).map(|definition| definition.name.clone());
        Self { names: std::iter::once("t".to_owned()).chain(states).collect() }
    }

    /// The tape of some formulas or parts of them.
    fn tape(&self, formulas: &[(&Syntax, NodeId)]) -> Option<Compiled> {
        let mut arena = Arena::new();
        let inputs: Vec<ExprId> = (0..).map(InputId).take(self.names.len()).map(|i| arena.input(i)).collect();
        let mut resolve = |name: &str| self.names.iter().position(|own| own == name).map(|i| inputs[i]);
        let lower =
            |(syntax, node): &(&Syntax, NodeId)| syntax.lower_node(*node, &mut arena, &mut resolve).ok();
        let outputs = formulas.iter().map(lower).collect::<Option<Vec<_>>>()?;
        Some(Compiled { tape: Tape::compile(&arena, self.names.len(), &outputs) })
    }

    fn formulas<'a>(&self, formulas: impl IntoIterator<Item = &'a Formula>) -> Option<Compiled> {
        let parts: Vec<_> = formulas.into_iter().map(|f| (&f.syntax, f.syntax.root())).collect();
        self.tape(&parts)
    }
}

/// Formulas that can be run.
struct Compiled {
    tape: Tape,
}

impl Compiled {
    fn run(&self, t: f64, y: &[f64], signs: &[f64], out: &mut [f64]) {
        let mut registers = self.tape.registers();
        let inputs = registers.inputs_mut();
        inputs[0] = t;
        inputs[1..=y.len()].copy_from_slice(y);
        let signs = &signs[..signs.len().min(inputs.len() - 1 - y.len())];
        inputs[1 + y.len()..][..signs.len()].copy_from_slice(signs);
        self.tape.run(&mut registers, out);
    }

    fn value(&self, t: f64, y: &[f64]) -> f64 {
        let mut out = [0.0];
        self.run(t, y, &[], &mut out);
        out[0]
    }
}

/// The derivatives in a mode.
fn field(model: &Model, mode: usize, names: &Inputs) -> Option<Compiled> {
    let own = model.modes.get(mode).map_or(&[][..], |mode| &mode.derivatives);
    let rate = |name: &str| {
        let common = own.iter().chain(&model.derivatives);
        common.filter(|definition| definition.name == name).map(|definition| &definition.formula).next()
    };
    let rates = model.states.iter().map(|state| rate(&state.name)).collect::<Option<Vec<_>>>()?;
    names.formulas(rates)
}

/// A guard with its response.
fn guard(model: &Model, event: &EventRule, from: f64, names: &Inputs) -> Option<ClosureGuard> {
    let mut guard = trigger(event, from, names)?;
    if !event.reset.is_empty() {
        let reset = reset(model, &event.reset, names)?;
        guard = guard.reset(move |t, before, after| reset.apply(t, before, after));
    }
    guard = guard.side(event.side);
    let place = |name: &str| model.modes.iter().position(|mode| mode.name == name);
    if let Some(goto) = &event.goto {
        guard = guard.goto(place(&goto.name)?);
    }
    if let Some(times) = event.stop_after {
        guard = guard.stop_after(times);
    }
    if let Some(rest) = &event.at_rest {
        let goto = rest.goto.as_ref().and_then(|goto| place(&goto.name));
        let mut closure = goto.map_or_else(ClosureRest::default, ClosureRest::goto);
        let reset = reset(model, &rest.reset, names)?;
        closure = closure.reset(move |t, before, after| reset.apply(t, before, after));
        guard = guard.at_rest(closure);
    }
    Some(guard)
}

fn trigger(event: &EventRule, from: f64, names: &Inputs) -> Option<ClosureGuard> {
    let constant = |formula: &Formula| Some(names.formulas([formula])?.value(0.0, &[]));
    let guard = match &event.trigger {
        Trigger::At(time) => return Some(ClosureGuard::at(&event.name, constant(time)?)),
        Trigger::Every { period, first } => {
            let period = constant(period)?;
            let first = first.as_ref().map_or(Some(from + period), constant)?;
            return Some(ClosureGuard::every(&event.name, first, period));
        }
        Trigger::Guard(guard) => &guard.syntax,
        Trigger::On(_) | Trigger::Contact { .. } => return None,
    };
    let surface = surface(guard, names)?;
    Some(match event.direction {
        Direction::Rising => ClosureGuard::rising(&event.name, surface),
        Direction::Falling => ClosureGuard::falling(&event.name, surface),
        Direction::Both => ClosureGuard::both(&event.name, surface),
    })
}

type GuardFunction = Box<dyn Fn(f64, &[f64]) -> f64 + Send + Sync>;

/// The difference of both sides of a comparison, or the formula itself.
fn surface(guard: &Syntax, names: &Inputs) -> Option<GuardFunction> {
    let Some((_, left, right)) = guard.comparison() else {
        let value = names.tape(&[(guard, guard.root())])?;
        return Some(Box::new(move |t, y| value.value(t, y)));
    };
    let sides = names.tape(&[(guard, left), (guard, right)])?;
    Some(Box::new(move |t, y| {
        let mut out = [0.0; 2];
        sides.run(t, y, &[], &mut out);
        out[0] - out[1]
    }))
}

/// The states that a reset sets, and their new values.
struct NewValues {
    places: Vec<usize>,
    values: Compiled,
}

impl NewValues {
    fn apply(&self, t: f64, before: &[f64], after: &mut [f64]) {
        let mut out = vec![0.0; self.places.len()];
        self.values.run(t, before, &[], &mut out);
        for (place, value) in self.places.iter().zip(out) {
            after[*place] = value;
        }
    }
}

fn reset(model: &Model, definitions: &[crate::model::Definition], names: &Inputs) -> Option<NewValues> {
    let place = |name: &str| model.states.iter().position(|state| state.name == name);
    let places = definitions.iter().map(|definition| place(&definition.name)).collect::<Option<Vec<_>>>()?;
    let values = names.formulas(definitions.iter().map(|definition| &definition.formula))?;
    Some(NewValues { places, values })
}
