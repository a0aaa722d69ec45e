//! Systems written as formulas: a checked [`Model`], lowered into one shared arena and compiled to tapes.
//!
//! The inputs of every tape are `[t, states…, parameters…, switch signs…]`: parameters stay inputs, so that one compiled
//! system can serve many runs.

use super::{Evaluator, Guard, Layout, Locked, Observer, Response, System};
use crate::expr::{Arena, ExprId, InputId, NodeId, Registers, Syntax, Tape};
use crate::model::{Definition, Diagnostic, EventRule, Formula, Meaning, Model, Scope, dependency_order};

/// The derivatives and guards of one mode.
#[derive(Clone, Debug)]
struct ModeTapes {
    derivative: Tape,
    /// The entries of `∂f/∂y` that are not zero, as places in the matrix by rows.
    jacobian_places: Vec<usize>,
    jacobian: Tape,
    /// `∂f/∂t`.
    time: Tape,
    /// The guards that are watched in this mode, in the order of the tapes' outputs.
    watched: Vec<usize>,
    guards: Tape,
    /// First derivatives along the flow, then second ones.
    rates: Tape,
}

/// The new values of some states.
#[derive(Clone, Debug)]
struct ResetTape {
    tape: Tape,
    targets: Vec<usize>,
}

/// A system compiled from a model.
#[derive(Clone, Debug)]
pub struct FormulaSystem {
    state_names: Vec<String>,
    mode_names: Vec<String>,
    switch_names: Vec<String>,
    parameters: Vec<f64>,
    start: Vec<f64>,
    guards: Vec<Guard>,
    modes: Vec<ModeTapes>,
    resets: Vec<Option<ResetTape>>,
    outputs: Tape,
    audit: Tape,
}

impl FormulaSystem {
    /// Compiles a model that has been checked, with what is known before the run.
    pub fn compile(model: &Model, fixed: Fixed<'_>) -> Result<Self, Vec<Diagnostic>> {
        let start = fixed.values(&model.states, "start value of")?;
        let mut lowering = Lowering::new(model);
        let mode_count = model.modes.len().max(1);
        let guards = guards_of(model);
        let surfaces = lowering.surfaces(model);
        let modes = (0..mode_count).map(|mode| lowering.mode(model, mode, &guards, &surfaces)).collect();
        let outputs: Vec<ExprId> = model.outputs.iter().map(|d| lowering.meaning_of(&d.name)).collect();
        let audit: Vec<ExprId> =
            model.audit.iter().map(|a| lowering.formula(&a.definition.formula)).collect();
        let names = |list: &[Definition]| list.iter().map(|d| d.name.clone()).collect::<Vec<_>>();
        let mode_names = model.modes.iter().map(|m| m.name.clone());
        Ok(Self {
            state_names: names(&model.states),
            mode_names: if model.modes.is_empty() { vec![String::new()] } else { mode_names.collect() },
            switch_names: names(&model.switches),
            parameters: fixed.parameters,
            start,
            modes,
            resets: lowering.resets(model),
            outputs: lowering.compile(&outputs),
            audit: lowering.compile(&audit),
            guards,
        })
    }

    /// The start values.
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// The values of the parameters, in the order of the model.
    pub fn parameters(&self) -> &[f64] {
        &self.parameters
    }

    /// The scratch to evaluate the outputs with.
    pub fn outputs(&self) -> Observer<'_> {
        Observer::new(&self.outputs, &self.parameters)
    }

    /// The scratch to evaluate the audited quantities with.
    pub fn audit(&self) -> Observer<'_> {
        Observer::new(&self.audit, &self.parameters)
    }
}

/// What is known before the run: the values of parameters, and of formulas of parameters.
pub struct Fixed<'a> {
    scope: Scope<'a>,
    parameters: Vec<f64>,
}

impl<'a> Fixed<'a> {
    /// Evaluates the parameters in the order in which they use each other. `overrides` replace their values.
    pub fn evaluate(model: &'a Model, overrides: &[(String, f64)]) -> Result<Self, Vec<Diagnostic>> {
        let names: Vec<&str> = model.parameters.iter().map(|d| d.name.as_str()).collect();
        let uses = |i: usize| model.parameters[i].formula.syntax.names().map(|(n, _)| n).collect();
        let order = dependency_order(&names, uses).unwrap_or_default();
        let mut fixed = Self { scope: Scope::new(model), parameters: vec![f64::NAN; names.len()] };
        let mut errors = Vec::new();
        for i in order {
            let definition = &model.parameters[i];
            let given = overrides.iter().rev().find(|(name, _)| *name == definition.name);
            match given.map_or_else(|| fixed.value(definition, "parameter"), |(_, value)| Ok(*value)) {
                Ok(value) => fixed.parameters[i] = value,
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(fixed) } else { Err(errors) }
    }

    /// The value of one formula of parameters, which must be finite.
    pub fn formula(&self, formula: &Formula, what: &str) -> Result<f64, Diagnostic> {
        let mut arena = Arena::new();
        let mut names: Vec<(&str, ExprId)> = Vec::new();
        for (name, _) in formula.syntax.names() {
            if let Some(Meaning::Parameter(i)) = self.scope.meaning(name) {
                names.push((name, arena.constant(self.parameters[i])));
            }
        }
        let mut resolve = |name: &str| names.iter().find(|(n, _)| *n == name).map(|(_, id)| *id);
        let lowered = formula.syntax.lower(&mut arena, &mut resolve);
        let value = lowered.map_or(f64::NAN, |id| arena.evaluate(&[id], &[])[0]);
        if value.is_finite() {
            return Ok(value);
        }
        let message = format!("{what} is {value}, not a finite number");
        let hint = "look for a division by zero, or a root or logarithm of a negative number";
        Err(Diagnostic::new("value-not-finite", formula.place.span.clone(), message).hint(hint))
    }

    fn value(&self, definition: &Definition, kind: &str) -> Result<f64, Diagnostic> {
        self.formula(&definition.formula, &format!("{kind} `{}`", definition.name))
    }

    fn values(&self, definitions: &[Definition], kind: &str) -> Result<Vec<f64>, Vec<Diagnostic>> {
        let (mut values, mut errors) = (Vec::new(), Vec::new());
        for definition in definitions {
            match self.value(definition, kind) {
                Ok(value) => values.push(value),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(values) } else { Err(errors) }
    }
}

/// The guards of a model: switches first, then events, common ones before those of the modes.
fn guards_of(model: &Model) -> Vec<Guard> {
    let switches = model.switches.iter().enumerate().map(|(i, switch)| Guard {
        name: switch.name.clone(),
        direction: super::Direction::Both,
        side: super::Side::After,
        response: Response { switch: Some(i), ..Response::default() },
        mode: None,
    });
    let events = model.all_events().map(|(mode, event)| Guard {
        name: event.name.clone(),
        direction: event.direction,
        side: event.side,
        response: Response {
            reset: !event.reset.is_empty(),
            switch: None,
            mode: event.goto.as_ref().and_then(|r| model.modes.iter().position(|m| m.name == r.name)),
            stop_after: event.stop_after,
        },
        mode,
    });
    switches.chain(events).collect()
}

/// Formulas on their way into one arena.
struct Lowering<'a> {
    arena: Arena,
    scope: Scope<'a>,
    /// The first input of states, parameters and switch signs, and the number of all inputs.
    first_parameter: usize,
    first_switch: usize,
    input_count: usize,
    outputs: Vec<ExprId>,
}

impl<'a> Lowering<'a> {
    fn new(model: &'a Model) -> Self {
        let first_parameter = 1 + model.states.len();
        let first_switch = first_parameter + model.parameters.len();
        let mut lowering = Self {
            arena: Arena::new(),
            scope: Scope::new(model),
            first_parameter,
            first_switch,
            input_count: first_switch + model.switches.len(),
            outputs: Vec::new(),
        };
        lowering.lower_outputs(model);
        lowering
    }

    fn lower_outputs(&mut self, model: &Model) {
        let names: Vec<&str> = model.outputs.iter().map(|d| d.name.as_str()).collect();
        let uses = |i: usize| model.outputs[i].formula.syntax.names().map(|(n, _)| n).collect();
        self.outputs = vec![self.arena.constant(0.0); names.len()];
        for i in dependency_order(&names, uses).unwrap_or_default() {
            self.outputs[i] = self.formula(&model.outputs[i].formula);
        }
    }

    fn input(&mut self, index: usize) -> ExprId {
        self.arena.input(InputId(u32::try_from(index).unwrap_or(u32::MAX)))
    }

    fn meaning_of(&mut self, name: &str) -> ExprId {
        match self.scope.meaning(name) {
            Some(Meaning::Time) => self.input(0),
            Some(Meaning::State(i)) => self.input(1 + i),
            Some(Meaning::Parameter(i)) => self.input(self.first_parameter + i),
            Some(Meaning::Switch(i)) => self.input(self.first_switch + i),
            Some(Meaning::Output(i)) => self.outputs[i],
            // A checked model has no such names.
            None => self.arena.constant(f64::NAN),
        }
    }

    fn formula(&mut self, formula: &Formula) -> ExprId {
        self.node(&formula.syntax, formula.syntax.root())
    }

    fn node(&mut self, syntax: &Syntax, node: NodeId) -> ExprId {
        let mut names: Vec<(&str, ExprId)> = Vec::new();
        for (name, _) in syntax.names() {
            if !names.iter().any(|(n, _)| *n == name) {
                let id = self.meaning_of(name);
                names.push((name, id));
            }
        }
        let mut resolve = |name: &str| names.iter().find(|(n, _)| *n == name).map(|(_, id)| *id);
        match syntax.lower_node(node, &mut self.arena, &mut resolve) {
            Ok(id) => id,
            Err(_) => self.arena.constant(f64::NAN),
        }
    }

    /// The surface of each guard: the formula itself, or left minus right of a comparison.
    fn surfaces(&mut self, model: &Model) -> Vec<ExprId> {
        let switches = model.switches.iter().map(|d| &d.formula);
        let events = model.all_events().map(|(_, e)| &e.guard);
        let formulas: Vec<&Formula> = switches.chain(events).collect();
        formulas.into_iter().map(|formula| self.surface(formula)).collect()
    }

    fn surface(&mut self, formula: &Formula) -> ExprId {
        match formula.syntax.comparison() {
            Some((_, left, right)) => {
                let left = self.node(&formula.syntax, left);
                let right = self.node(&formula.syntax, right);
                self.arena.sub(left, right)
            }
            None => self.formula(formula),
        }
    }

    fn mode(&mut self, model: &Model, mode: usize, guards: &[Guard], surfaces: &[ExprId]) -> ModeTapes {
        let derivatives = self.derivatives(model, mode);
        let watched: Vec<usize> =
            (0..guards.len()).filter(|&g| guards[g].mode.is_none_or(|own| own == mode)).collect();
        let values: Vec<ExprId> = watched.iter().map(|&g| surfaces[g]).collect();
        let mut seeds = vec![(InputId(0), self.arena.constant(1.0))];
        seeds.extend(derivatives.iter().zip(1_u32..).map(|(d, i)| (InputId(i), *d)));
        let first = self.arena.derivative_along(&values, &seeds);
        let second = self.arena.derivative_along(&first, &seeds);
        let rates: Vec<ExprId> = first.into_iter().chain(second).collect();
        let (jacobian_places, jacobian) = self.jacobian(&derivatives);
        let one = self.arena.constant(1.0);
        let time = self.arena.derivative_along(&derivatives, &[(InputId(0), one)]);
        ModeTapes {
            derivative: self.compile(&derivatives),
            jacobian_places,
            jacobian: self.compile(&jacobian),
            time: self.compile(&time),
            guards: self.compile(&values),
            rates: self.compile(&rates),
            watched,
        }
    }

    /// The entries of `∂f/∂y` that are not identically zero, with their places.
    fn jacobian(&mut self, derivatives: &[ExprId]) -> (Vec<usize>, Vec<ExprId>) {
        let (n, one) = (derivatives.len(), self.arena.constant(1.0));
        let mut entries = Vec::new();
        for (j, input) in (0..n).zip(1..) {
            let column = self.arena.derivative_along(derivatives, &[(InputId(input), one)]);
            let known =
                column.into_iter().enumerate().filter(|(_, e)| self.arena.is_constant(*e) != Some(0.0));
            entries.extend(known.map(|(i, e)| (i * n + j, e)));
        }
        entries.into_iter().unzip()
    }

    /// The derivative of each state in a mode: its own, or the common one.
    fn derivatives(&mut self, model: &Model, mode: usize) -> Vec<ExprId> {
        let find = |list: &'_ [Definition], name: &str| list.iter().position(|d| d.name == name);
        let own = model.modes.get(mode).map_or(&[][..], |m| &m.derivatives);
        let mut list = Vec::new();
        for state in &model.states {
            let common = || find(&model.derivatives, &state.name).map(|i| &model.derivatives[i]);
            let definition = find(own, &state.name).map(|i| &own[i]).or_else(common);
            list.push(match definition {
                Some(definition) => self.formula(&definition.formula),
                // A checked model lacks none.
                None => self.arena.constant(f64::NAN),
            });
        }
        list
    }

    fn resets(&mut self, model: &Model) -> Vec<Option<ResetTape>> {
        let none = model.switches.iter().map(|_| None);
        let events: Vec<&EventRule> = model.all_events().map(|(_, e)| e).collect();
        none.chain(events.into_iter().map(|event| self.reset(model, event))).collect()
    }

    fn reset(&mut self, model: &Model, event: &EventRule) -> Option<ResetTape> {
        let targets =
            event.reset.iter().filter_map(|d| model.states.iter().position(|s| s.name == d.name)).collect();
        let values: Vec<ExprId> = event.reset.iter().map(|d| self.formula(&d.formula)).collect();
        (!values.is_empty()).then(|| ResetTape { tape: self.compile(&values), targets })
    }

    fn compile(&self, outputs: &[ExprId]) -> Tape {
        Tape::compile(&self.arena, self.input_count, outputs)
    }
}

/// Writes the inputs of a tape: `[t, states…, parameters…, switch signs…]`.
pub(super) fn load(registers: &mut Registers, t: f64, y: &[f64], parameters: &[f64], signs: &[f64]) {
    let inputs = registers.inputs_mut();
    let (n, p) = (y.len(), parameters.len());
    inputs[0] = t;
    inputs[1..=n].copy_from_slice(y);
    inputs[n + 1..=n + p].copy_from_slice(parameters);
    inputs[n + p + 1..].copy_from_slice(signs);
}

impl System for FormulaSystem {
    fn layout(&self) -> Layout {
        Layout::first_order(self.state_names.len())
    }
    fn state_names(&self) -> &[String] {
        &self.state_names
    }
    fn mode_names(&self) -> &[String] {
        &self.mode_names
    }
    fn switch_names(&self) -> &[String] {
        &self.switch_names
    }
    fn guards(&self) -> &[Guard] {
        &self.guards
    }
    fn evaluator(&self) -> Box<dyn Evaluator + '_> {
        let modes = self.modes.iter().map(ModeRegisters::new).collect();
        let resets = self.resets.iter().map(|r| r.as_ref().map(|r| r.tape.registers())).collect();
        let entries = self.modes.iter().map(|m| m.jacobian_places.len()).max().unwrap_or(0);
        let longest = (2 * self.guards.len()).max(self.state_names.len()).max(entries);
        Box::new(FormulaEvaluator { system: self, modes, resets, out: vec![0.0; longest] })
    }
}

struct ModeRegisters {
    derivative: Registers,
    jacobian: Registers,
    time: Registers,
    guards: Registers,
    rates: Registers,
}

impl ModeRegisters {
    fn new(tapes: &ModeTapes) -> Self {
        Self {
            derivative: tapes.derivative.registers(),
            jacobian: tapes.jacobian.registers(),
            time: tapes.time.registers(),
            guards: tapes.guards.registers(),
            rates: tapes.rates.registers(),
        }
    }
}

struct FormulaEvaluator<'a> {
    system: &'a FormulaSystem,
    modes: Vec<ModeRegisters>,
    resets: Vec<Option<Registers>>,
    out: Vec<f64>,
}

impl Evaluator for FormulaEvaluator<'_> {
    fn derivative(&mut self, locked: Locked<'_>, t: f64, y: &[f64], dy: &mut [f64]) {
        let registers = &mut self.modes[locked.mode].derivative;
        load(registers, t, y, &self.system.parameters, locked.signs);
        self.system.modes[locked.mode].derivative.run(registers, dy);
    }

    fn jacobian(&mut self, locked: Locked<'_>, t: f64, y: &[f64], jacobian: &mut [f64]) -> bool {
        let tapes = &self.system.modes[locked.mode];
        let registers = &mut self.modes[locked.mode].jacobian;
        load(registers, t, y, &self.system.parameters, locked.signs);
        let out = &mut self.out[..tapes.jacobian_places.len()];
        tapes.jacobian.run(registers, out);
        jacobian.fill(0.0);
        for (&place, value) in tapes.jacobian_places.iter().zip(out) {
            jacobian[place] = *value;
        }
        true
    }

    fn time_derivative(&mut self, locked: Locked<'_>, t: f64, y: &[f64], out: &mut [f64]) -> bool {
        let registers = &mut self.modes[locked.mode].time;
        load(registers, t, y, &self.system.parameters, locked.signs);
        self.system.modes[locked.mode].time.run(registers, out);
        true
    }

    fn guards(&mut self, locked: Locked<'_>, t: f64, y: &[f64], values: &mut [f64]) {
        let tapes = &self.system.modes[locked.mode];
        let registers = &mut self.modes[locked.mode].guards;
        load(registers, t, y, &self.system.parameters, locked.signs);
        let out = &mut self.out[..tapes.watched.len()];
        tapes.guards.run(registers, out);
        for (&g, value) in tapes.watched.iter().zip(out) {
            values[g] = *value;
        }
    }

    fn guard_rates(&mut self, locked: Locked<'_>, t: f64, y: &[f64], first: &mut [f64], second: &mut [f64]) {
        let tapes = &self.system.modes[locked.mode];
        let registers = &mut self.modes[locked.mode].rates;
        load(registers, t, y, &self.system.parameters, locked.signs);
        let count = tapes.watched.len();
        let out = &mut self.out[..2 * count];
        tapes.rates.run(registers, out);
        for (i, &g) in tapes.watched.iter().enumerate() {
            (first[g], second[g]) = (out[i], out[count + i]);
        }
    }

    fn reset(&mut self, locked: Locked<'_>, guard: usize, t: f64, before: &[f64], after: &mut [f64]) {
        let (Some(reset), Some(registers)) = (&self.system.resets[guard], &mut self.resets[guard]) else {
            return;
        };
        load(registers, t, before, &self.system.parameters, locked.signs);
        let out = &mut self.out[..reset.targets.len()];
        reset.tape.run(registers, out);
        for (&target, value) in reset.targets.iter().zip(out) {
            after[target] = *value;
        }
    }
}
