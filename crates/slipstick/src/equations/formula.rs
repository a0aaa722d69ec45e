//! Systems written as formulas: a checked [`Model`], lowered into one shared arena and compiled to tapes.
//!
//! The inputs of every tape are `[t, states…, parameters…, switch signs…, counts…]`: parameters stay inputs, so that one compiled
//! system can serve many runs.

use super::fixed::Fixed;
use super::lowering::{Lowering, MassTape, ModeTapes, ResetTape, guards_of};
use super::{Evaluator, Guard, GuardRates, Layout, Locked, MassKind, Observer, Point, System};
use crate::expr::{ExprId, Registers, Tape};
use crate::model::{Definition, Diagnostic, Model};

/// A system compiled from a model.
#[derive(Clone, Debug)]
pub struct FormulaSystem {
    state_names: Vec<String>,
    mode_names: Vec<String>,
    switch_names: Vec<String>,
    parameters: Vec<f64>,
    start: Vec<f64>,
    guards: Vec<Guard>,
    guard_growth: Vec<f64>,
    modes: Vec<ModeTapes>,
    resets: Vec<Option<ResetTape>>,
    mass: Option<MassTape>,
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
            start,
            guard_growth: lowering.growth(&surfaces, &fixed.parameters),
            parameters: fixed.parameters,
            modes,
            resets: lowering.resets(model),
            mass: lowering.mass(model),
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

/// Writes the inputs of a tape: `[t, states…, parameters…, switch signs…, counts…]`.
pub(super) fn load(registers: &mut Registers, t: f64, y: &[f64], parameters: &[f64], locked: Locked<'_>) {
    let inputs = registers.inputs_mut();
    let (n, p) = (y.len(), parameters.len());
    inputs[0] = t;
    inputs[1..=n].copy_from_slice(y);
    inputs[n + 1..=n + p].copy_from_slice(parameters);
    let s = locked.signs.len();
    inputs[n + p + 1..=n + p + s].copy_from_slice(locked.signs);
    inputs[n + p + s + 1..][..locked.counts.len()].copy_from_slice(locked.counts);
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
    fn guard_growth(&self) -> &[f64] {
        &self.guard_growth
    }
    fn mass_kind(&self) -> MassKind {
        self.mass.as_ref().map_or(MassKind::Identity, |mass| mass.kind)
    }
    fn evaluator(&self) -> Box<dyn Evaluator + '_> {
        let mass = self.mass.as_ref().map(|mass| mass.tape.registers());
        let modes = self.modes.iter().map(ModeRegisters::new).collect();
        let resets = self.resets.iter().map(|r| r.as_ref().map(|r| r.tape.registers())).collect();
        let entries = self.modes.iter().map(|m| m.jacobian_places.len()).max().unwrap_or(0);
        let entries = entries.max(self.mass.as_ref().map_or(0, |mass| mass.places.len()));
        let longest = (2 * self.guards.len()).max(1).max(self.state_names.len()).max(entries);
        Box::new(FormulaEvaluator { system: self, modes, resets, mass, out: vec![0.0; longest] })
    }
}

struct ModeRegisters {
    derivative: Registers,
    jacobian: Registers,
    time: Registers,
    guards: Registers,
    singles: Vec<Registers>,
    slopes: Registers,
    rates: Registers,
}

impl ModeRegisters {
    fn new(tapes: &ModeTapes) -> Self {
        Self {
            derivative: tapes.derivative.registers(),
            jacobian: tapes.jacobian.registers(),
            time: tapes.time.registers(),
            guards: tapes.guards.registers(),
            singles: tapes.singles.iter().map(Tape::registers).collect(),
            slopes: tapes.slopes.registers(),
            rates: tapes.rates.registers(),
        }
    }
}

struct FormulaEvaluator<'a> {
    system: &'a FormulaSystem,
    modes: Vec<ModeRegisters>,
    resets: Vec<Option<Registers>>,
    mass: Option<Registers>,
    out: Vec<f64>,
}

impl Evaluator for FormulaEvaluator<'_> {
    fn derivative(&mut self, locked: Locked<'_>, t: f64, y: &[f64], dy: &mut [f64]) {
        let registers = &mut self.modes[locked.mode].derivative;
        load(registers, t, y, &self.system.parameters, locked);
        self.system.modes[locked.mode].derivative.run(registers, dy);
    }

    fn jacobian(&mut self, locked: Locked<'_>, t: f64, y: &[f64], jacobian: &mut [f64]) -> bool {
        let tapes = &self.system.modes[locked.mode];
        let registers = &mut self.modes[locked.mode].jacobian;
        load(registers, t, y, &self.system.parameters, locked);
        let out = &mut self.out[..tapes.jacobian_places.len()];
        tapes.jacobian.run(registers, out);
        jacobian.fill(0.0);
        for (&place, value) in tapes.jacobian_places.iter().zip(out) {
            jacobian[place] = *value;
        }
        true
    }

    fn mass(&mut self, locked: Locked<'_>, t: f64, y: &[f64], mass: &mut [f64]) {
        let (Some(rule), Some(registers)) = (&self.system.mass, &mut self.mass) else { return };
        load(registers, t, y, &self.system.parameters, locked);
        let out = &mut self.out[..rule.places.len()];
        rule.tape.run(registers, out);
        mass.copy_from_slice(&rule.base);
        for (&place, value) in rule.places.iter().zip(out) {
            mass[place] = *value;
        }
    }

    fn time_derivative(&mut self, locked: Locked<'_>, t: f64, y: &[f64], out: &mut [f64]) -> bool {
        let registers = &mut self.modes[locked.mode].time;
        load(registers, t, y, &self.system.parameters, locked);
        self.system.modes[locked.mode].time.run(registers, out);
        true
    }

    fn guards(&mut self, locked: Locked<'_>, t: f64, y: &[f64], values: &mut [f64]) {
        let tapes = &self.system.modes[locked.mode];
        let registers = &mut self.modes[locked.mode].guards;
        load(registers, t, y, &self.system.parameters, locked);
        let out = &mut self.out[..tapes.watched.len()];
        tapes.guards.run(registers, out);
        for (&g, value) in tapes.watched.iter().zip(out) {
            values[g] = *value;
        }
    }

    fn guard(&mut self, locked: Locked<'_>, guard: usize, t: f64, y: &[f64]) -> f64 {
        let tapes = &self.system.modes[locked.mode];
        let Ok(i) = tapes.watched.binary_search(&guard) else { return f64::NAN };
        let registers = &mut self.modes[locked.mode].singles[i];
        load(registers, t, y, &self.system.parameters, locked);
        tapes.singles[i].run(registers, &mut self.out[..1]);
        self.out[0]
    }

    fn guard_slopes(
        &mut self,
        locked: Locked<'_>,
        point: Point<'_>,
        _reach: f64,
        _values: &[f64],
        slopes: &mut [f64],
    ) {
        let tapes = &self.system.modes[locked.mode];
        let registers = &mut self.modes[locked.mode].slopes;
        load(registers, point.t, point.y, &self.system.parameters, locked);
        let inputs = registers.inputs_mut();
        let first = inputs.len() - point.dy.len();
        inputs[first..].copy_from_slice(point.dy);
        let out = &mut self.out[..tapes.watched.len()];
        tapes.slopes.run(registers, out);
        for (&g, slope) in tapes.watched.iter().zip(out) {
            slopes[g] = *slope;
        }
    }

    fn guard_rates(
        &mut self,
        locked: Locked<'_>,
        t: f64,
        y: &[f64],
        _reach: f64,
        rates: GuardRates<'_>,
    ) -> u64 {
        let tapes = &self.system.modes[locked.mode];
        let registers = &mut self.modes[locked.mode].rates;
        load(registers, t, y, &self.system.parameters, locked);
        let count = tapes.watched.len();
        let out = &mut self.out[..2 * count];
        tapes.rates.run(registers, out);
        // Behind a mass matrix the formulas are not the derivatives: nothing is known.
        let known = self.system.mass.is_none();
        for (i, &g) in tapes.watched.iter().enumerate() {
            (rates.first[g], rates.second[g]) = if known { (out[i], out[count + i]) } else { (0.0, 0.0) };
        }
        0
    }

    fn reset(&mut self, locked: Locked<'_>, guard: usize, t: f64, before: &[f64], after: &mut [f64]) {
        let (Some(reset), Some(registers)) = (&self.system.resets[guard], &mut self.resets[guard]) else {
            return;
        };
        load(registers, t, before, &self.system.parameters, locked);
        let out = &mut self.out[..reset.targets.len()];
        reset.tape.run(registers, out);
        for (&target, value) in reset.targets.iter().zip(out) {
            after[target] = *value;
        }
    }
}
