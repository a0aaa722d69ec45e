//! Formulas on their way from a model into one arena, and from there to tapes.

use super::{Guard, GuardKind, MassKind, Response};
use crate::expr::{Arena, ExprId, InputId, InputKind, NodeId, Syntax, Tape};
use crate::model::{Definition, EventRule, Formula, Meaning, Model, Scope, dependency_order};

/// The derivatives and guards of one mode.
#[derive(Clone, Debug)]
pub(super) struct ModeTapes {
    pub(super) derivative: Tape,
    /// The entries of `∂f/∂y` that are not zero, as places in the matrix by rows.
    pub(super) jacobian_places: Vec<usize>,
    pub(super) jacobian: Tape,
    /// `∂f/∂t`.
    pub(super) time: Tape,
    /// The guards that are watched in this mode, in the order of the tapes' outputs.
    pub(super) watched: Vec<usize>,
    pub(super) guards: Tape,
    /// The same guards, one tape each.
    pub(super) singles: Vec<Tape>,
    /// Their rates; the rates of the states are further inputs behind all others.
    pub(super) slopes: Tape,
    /// First derivatives along the flow, then second ones.
    pub(super) rates: Tape,
}

/// The new values of some states.
#[derive(Clone, Debug)]
pub(super) struct ResetTape {
    pub(super) tape: Tape,
    pub(super) targets: Vec<usize>,
}

/// The entries of the mass matrix that are not those of the identity.
#[derive(Clone, Debug)]
pub(super) struct MassTape {
    pub(super) kind: MassKind,
    /// The matrix before the entries are put in: the identity, less the rows that are given.
    pub(super) base: Vec<f64>,
    pub(super) places: Vec<usize>,
    pub(super) tape: Tape,
}

/// The guards of a model: switches first, then events, common ones before those of the modes.
pub(super) fn guards_of(model: &Model) -> Vec<Guard> {
    let switches = model.switches.iter().enumerate().map(|(i, switch)| Guard {
        name: switch.name.clone(),
        direction: super::Direction::Both,
        side: super::Side::After,
        response: Response { switch: Some(i), ..Response::default() },
        mode: None,
        kind: GuardKind::Surface,
        touches: false,
    });
    let events = model.all_events().map(|(mode, event)| Guard {
        name: event.name.clone(),
        direction: event.direction,
        side: event.side,
        response: Response {
            reset: !event.reset.is_empty(),
            switch: None,
            count: None,
            mode: event.goto.as_ref().and_then(|r| model.modes.iter().position(|m| m.name == r.name)),
            stop_after: event.stop_after,
            at_rest: None,
        },
        mode,
        kind: GuardKind::Surface,
        touches: false,
    });
    switches.chain(events).collect()
}

/// Formulas on their way into one arena.
pub(super) struct Lowering<'a> {
    arena: Arena,
    scope: Scope<'a>,
    /// The first input of states, parameters and switch signs, and the number of all inputs.
    first_parameter: usize,
    first_switch: usize,
    input_count: usize,
    outputs: Vec<ExprId>,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
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

    pub(super) fn meaning_of(&mut self, name: &str) -> ExprId {
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

    pub(super) fn formula(&mut self, formula: &Formula) -> ExprId {
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
    pub(super) fn surfaces(&mut self, model: &Model) -> Vec<ExprId> {
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

    pub(super) fn mode(
        &mut self,
        model: &Model,
        mode: usize,
        guards: &[Guard],
        surfaces: &[ExprId],
    ) -> ModeTapes {
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
            singles: values.iter().map(|&value| self.compile(&[value])).collect(),
            slopes: self.slopes(&values, derivatives.len()),
            rates: self.compile(&rates),
            watched,
        }
    }

    /// How fast each surface can change at most, see [`System::guard_growth`](super::System::guard_growth).
    pub(super) fn growth(&self, surfaces: &[ExprId], parameters: &[f64]) -> Vec<f64> {
        let (first_parameter, first_switch) = (self.first_parameter, self.first_switch);
        self.arena.growth(surfaces, |input| match input {
            k if k < first_parameter => InputKind::Varying,
            k if k < first_switch => InputKind::Fixed(parameters[k - first_parameter]),
            _ => InputKind::Locked(f64::INFINITY),
        })
    }

    /// The rates of the guards when the states change at rates that are further inputs.
    fn slopes(&mut self, values: &[ExprId], states: usize) -> Tape {
        let mut seeds = vec![(InputId(0), self.arena.constant(1.0))];
        for (i, input) in (0..states).zip(1_u32..) {
            seeds.push((InputId(input), self.input(self.input_count + i)));
        }
        let slopes = self.arena.derivative_along(values, &seeds);
        Tape::compile(&self.arena, self.input_count + states, &slopes)
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

    pub(super) fn mass(&mut self, model: &Model) -> Option<MassTape> {
        let n = model.states.len();
        let mut base: Vec<f64> = (0..n * n).map(|k| if k / n == k % n { 1.0 } else { 0.0 }).collect();
        let (mut places, mut entries) = (Vec::new(), Vec::new());
        for definition in &model.mass {
            let (row, column) = model.mass_place(&definition.name)?;
            base[row * n..(row + 1) * n].fill(0.0);
            places.push(row * n + column);
            entries.push(self.formula(&definition.formula));
        }
        // Parameters do not change during a run; time, states and switch signs do.
        let fixed = |input: &InputId| (self.first_parameter..self.first_switch).contains(&input.index());
        let constant = self.arena.inputs_of(&entries).iter().all(fixed);
        let kind = if constant { MassKind::Constant } else { MassKind::Varying };
        (!places.is_empty()).then(|| MassTape { kind, base, places, tape: self.compile(&entries) })
    }

    pub(super) fn resets(&mut self, model: &Model) -> Vec<Option<ResetTape>> {
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

    pub(super) fn compile(&self, outputs: &[ExprId]) -> Tape {
        Tape::compile(&self.arena, self.input_count, outputs)
    }
}
