//! Systems written as formulas: a checked [`Model`], lowered into one shared arena and compiled to tapes.
//!
//! The inputs of every tape are `[t, states…, parameters…, switch signs…, counts…, discrete…, mode]`. All but time and states come from outside
//! with every call, so that one compiled system serves many runs.

use super::differences::gradient_by_differences;
use super::expand_formula::Expansions;
use super::fixed::Fixed;
use super::inputs::{load, load_motion, locked_input};
use super::lowering::Lowering;
use super::mass::{MassScratch, MassTape};
use super::mechanism::{MechanismScratch, MechanismTapes};
use super::schedule::check_times;
use super::selected::Selected;
use super::setting::{Setting, SettingTape, start_values};
use super::settling::settle;
use super::system_names::SystemNames;
use super::tapes::{Compiler, Modes, RegistersByMode, ResetTape, ScheduleTape};
use super::{
    ActiveRows, Constraint, Evaluator, Guard, GuardRates, Layout, Locked, MassKind, Observer, Reset,
    ResetTargets, System, Terms,
};
use crate::expr::{Bounds, Boxes, Registers, Tape};
use crate::model::{Diagnostic, Model};

/// A system compiled from a model.
#[derive(Clone, Debug)]
pub struct FormulaSystem {
    names: SystemNames,
    count_number: usize,
    setting: Setting,
    setting_tape: SettingTape,
    guards: Vec<Guard>,
    guard_growth: Vec<f64>,
    pub(super) modes: Modes,
    pub(super) resets: Vec<Option<ResetTape>>,
    pub(super) mass: Option<MassTape>,
    pub(super) mechanism: Option<MechanismTapes>,
    schedule: ScheduleTape,
    conditions: Tape,
    shown: ShownTapes,
}

/// What is looked at and not integrated.
#[derive(Clone, Debug)]
struct ShownTapes {
    outputs: Tape,
    switches: Tape,
    audit: Tape,
    /// The energies of a mechanism: for each mode, or for all.
    energies: Vec<Tape>,
}

impl FormulaSystem {
    /// Compiles a model that has been checked, with what is known before the run.
    pub fn compile(model: &Model, fixed: Fixed<'_>) -> Result<Self, Vec<Diagnostic>> {
        let (state, discrete) = start_values(model, &fixed)?;
        check_times(model, &fixed)?;
        let mut lowering = Lowering::new(model);
        let parts = lowering.parts(model);
        if let Some(coordinate) = parts.mechanism.nonlinear_force(&lowering.arena) {
            return Err(vec![nonlinear_force(model, coordinate)]);
        }
        let settled = settle(&mut lowering, model, parts, &fixed.parameters);
        let parameter_inputs = lowering.names.first_parameter..lowering.names.first_switch;
        let guard_growth = settled.growth(&lowering, &fixed.parameters);
        let mut compiler = Compiler { arena: &mut lowering.arena, settled: &settled };
        Ok(Self {
            resets: compiler.resets(),
            mass: compiler.mass(model, &parameter_inputs),
            mechanism: compiler.mechanism(&settled.parts.mechanism, model.states.len()),
            shown: ShownTapes {
                outputs: compiler.compile(&settled.parts.outputs),
                audit: compiler.compile(&settled.parts.audit),
                energies: compiler.energies(&settled.parts.mechanism),
                switches: compiler.compile(&settled.parts.switches),
            },
            schedule: compiler.schedule(),
            conditions: compiler.compile(&settled.parts.conditions.discrete),
            guard_growth,
            setting_tape: SettingTape::new(model, &fixed),
            setting: Setting { parameters: fixed.parameters, state, discrete },
            guards: settled.watches.iter().map(|watch| watch.guard.clone()).collect(),
            names: SystemNames::new(model, settled.switch_names.clone()),
            count_number: settled.count_number,
            modes: Modes::new(lowering.arena, settled, model.start_mode()),
        })
    }

    /// How many switches have a name of their own. They come first; the others are made by formulas that switch.
    pub fn named_switches(&self) -> usize {
        self.names.named_switches
    }

    /// Whether a mass matrix stands before the derivatives.
    pub(super) fn is_coupled(&self) -> bool {
        self.mass.is_some() || self.mechanism.is_some()
    }

    /// The start values.
    pub fn start(&self) -> &[f64] {
        &self.setting.state
    }

    /// What a run begins with, as the model says.
    pub fn setting(&self) -> &Setting {
        &self.setting
    }

    /// What a run begins with whose parameters, by index, have other values; parameters and start values that use them follow.
    ///
    /// None if this compiled system cannot make that run: a value is not finite, a period not positive, or a formula that is linear in time turns
    /// round. Then the model has to be compiled with these values, which succeeds or says why not.
    pub fn prepare(&self, given: &[(usize, f64)]) -> Option<Setting> {
        let setting = self.setting_tape.setting(given)?;
        self.schedule.admits(&setting.parameters, self.names.states.len()).then_some(setting)
    }

    /// The scratch to evaluate the outputs with.
    pub fn outputs(&self) -> Observer<'_> {
        Observer::new(&self.shown.outputs)
    }

    /// The scratch to evaluate the named switches with, where they are softened and not signs.
    pub fn switches(&self) -> Observer<'_> {
        Observer::new(&self.shown.switches)
    }

    /// The scratch to evaluate the audited quantities with.
    pub fn audit(&self) -> Observer<'_> {
        Observer::new(&self.shown.audit)
    }
}

/// A force may depend on multipliers only so that they can be solved for.
fn nonlinear_force(model: &Model, coordinate: usize) -> Diagnostic {
    let name = &model.coordinates()[coordinate].name;
    let of_modes = model.modes.iter().flat_map(|mode| &mode.forces);
    let force = model.mechanism.forces.iter().chain(of_modes).find(|force| force.name == *name);
    let message = format!("the force on `{name}` is not linear in the multipliers");
    let span = force.map_or(0..0, |force| force.formula.place.span.clone());
    Diagnostic::new("nonlinear-force", span, message)
        .hint("multiply by `lambda` or `abs(lambda)`, as friction does; powers and products of multipliers cannot be solved for")
}

impl System for FormulaSystem {
    fn energies(&self, mode: usize) -> Option<Observer<'_>> {
        let energies = &self.shown.energies;
        Some(Observer::new(energies.get(mode).or_else(|| energies.first())?))
    }
    fn layout(&self) -> Layout {
        let n = self.mechanism.as_ref().map_or(0, |mechanism| mechanism.coordinates);
        Layout { q: n, v: n, z: self.names.states.len() - 2 * n }
    }
    fn state_names(&self) -> &[String] {
        &self.names.states
    }
    fn mode_names(&self) -> &[String] {
        &self.names.modes
    }
    fn switch_names(&self) -> &[String] {
        &self.names.switches
    }
    fn condition_number(&self) -> usize {
        self.conditions.output_count()
    }
    fn count_number(&self) -> usize {
        self.count_number
    }
    fn parameters(&self) -> &[f64] {
        &self.setting.parameters
    }
    fn discrete_names(&self) -> &[String] {
        &self.names.discrete
    }
    fn discrete_start(&self) -> &[f64] {
        &self.setting.discrete
    }
    fn reset_targets(&self, guard: usize) -> Option<ResetTargets<'_>> {
        let reset = self.resets[guard].as_ref();
        Some(reset.map_or_else(ResetTargets::default, |reset| ResetTargets {
            states: &reset.targets,
            discrete: &reset.discrete,
        }))
    }
    fn guards(&self) -> &[Guard] {
        &self.guards
    }
    fn guard_growth(&self) -> &[f64] {
        &self.guard_growth
    }
    fn constraints(&self) -> &[Constraint] {
        self.mechanism.as_ref().map_or(&[], |mechanism| &mechanism.constraints)
    }
    fn room_for_terms(&self, rows: &ActiveRows) -> Terms {
        self.mechanism.as_ref().map_or_else(|| Terms::full(0, 0), |tapes| tapes.room_for_terms(rows))
    }
    fn tangent_places(&self, rows: &ActiveRows) -> Option<Vec<(usize, usize)>> {
        Some(self.mechanism.as_ref()?.places_of_tangents(&self.modes, rows))
    }
    fn rate_slope_places(&self, rows: &ActiveRows) -> Vec<(usize, usize)> {
        self.mechanism.as_ref().map_or_else(Vec::new, |tapes| tapes.places.of_rows(rows).slopes)
    }
    fn has_formulas(&self) -> bool {
        true
    }
    fn guard_depends_on(&self, mode: usize, guard: usize, state: usize) -> bool {
        let tapes = self.modes.of(mode);
        // Behind a mass matrix every rate may depend on every state.
        let own = tapes.watched.iter().position(|&g| g == guard).filter(|_| !self.is_coupled());
        own.is_none_or(|k| tapes.reach(k, self.names.states.len())[state])
    }
    fn reset_can_turn(&self, mode: usize, reset: usize, guard: usize) -> bool {
        let Some(reset) = &self.resets[reset] else { return false };
        let mut states = reset.targets.iter();
        !reset.discrete.is_empty() || states.any(|&state| self.guard_depends_on(mode, guard, state))
    }
    fn mass_kind(&self) -> MassKind {
        self.mass.as_ref().map_or(MassKind::Identity, |mass| mass.kind)
    }
    fn evaluator(&self) -> Box<dyn Evaluator + '_> {
        let mass = self.mass.as_ref().map(MassTape::scratch);
        let modes = RegistersByMode::new(&self.modes);
        let resets = self.resets.iter().map(|r| r.as_ref().map(|r| r.tape.registers())).collect();
        let reset = self.resets.iter().flatten().map(ResetTape::len).max().unwrap_or(0);
        let longest =
            (2 * self.guards.len()).max(1 + self.names.states.len()).max(reset).max(self.constraints().len());
        let schedule = self.schedule.tape.registers();
        let conditions = self.conditions.registers();
        let nowhere = vec![0.0; self.names.states.len()];
        Box::new(FormulaEvaluator {
            system: self,
            modes,
            resets,
            mass,
            mechanism: self.mechanism.as_ref().map(MechanismTapes::scratch),
            selected: Selected::default(),
            schedule,
            conditions,
            nowhere,
            boxes: Boxes::default(),
            out: vec![0.0; longest],
            slopes: vec![0.0; self.mechanism.as_ref().map_or(0, |tapes| tapes.places.slopes.len())],
            expansions: Expansions::default(),
        })
    }
}

pub(super) struct FormulaEvaluator<'a> {
    pub(super) system: &'a FormulaSystem,
    modes: RegistersByMode,
    resets: Vec<Option<Registers>>,
    mass: Option<MassScratch>,
    pub(super) mechanism: Option<MechanismScratch>,
    /// The tapes of the constraints that hold.
    pub(super) selected: Selected,
    schedule: Registers,
    conditions: Registers,
    /// A state for formulas that do not depend on it.
    nowhere: Vec<f64>,
    boxes: Boxes,
    out: Vec<f64>,
    /// The slopes of the rates of constraints that are not always zero.
    slopes: Vec<f64>,
    pub(super) expansions: Expansions,
}

impl Evaluator for FormulaEvaluator<'_> {
    fn derivative(&mut self, locked: Locked<'_>, t: f64, y: &[f64], dy: &mut [f64]) {
        let tapes = self.system.modes.of(locked.mode);
        let registers = &mut self.modes.of(locked.mode, tapes).derivative;
        load(registers, t, y, locked);
        load_motion(registers, self.mechanism.as_ref());
        tapes.derivative.run(registers, dy);
    }

    fn terms(&mut self, locked: Locked<'_>, t: f64, y: &[f64], terms: &mut Terms) {
        if let (Some(all), Some(scratch)) = (&self.system.mechanism, &mut self.mechanism) {
            let mechanism = self.selected.tapes(all, locked.rows);
            mechanism.terms(scratch, (locked, t, y), terms);
        }
    }

    fn driving_terms(&mut self, locked: Locked<'_>, t: f64, y: &[f64], terms: &mut Terms) {
        if let (Some(all), Some(scratch)) = (&self.system.mechanism, &mut self.mechanism) {
            let mechanism = self.selected.tapes(all, locked.rows);
            mechanism.driving_terms(scratch, (locked, t, y), terms);
        }
    }

    fn gradients(&mut self, locked: Locked<'_>, t: f64, y: &[f64], terms: &mut Terms) {
        if let (Some(all), Some(scratch)) = (&self.system.mechanism, &mut self.mechanism) {
            let mechanism = self.selected.tapes(all, locked.rows);
            mechanism.gradients(scratch, (locked, t, y), terms);
        }
    }

    fn residuals(
        &mut self,
        locked: Locked<'_>,
        t: f64,
        y: &[f64],
        position: &mut [f64],
        velocity: &mut [f64],
    ) {
        if let (Some(all), Some(scratch)) = (&self.system.mechanism, &mut self.mechanism) {
            let mechanism = self.selected.tapes(all, locked.rows);
            mechanism.residuals(scratch, (locked, t, y), position, velocity);
        }
    }

    fn residuals_of_terms(
        &mut self,
        (locked, _, y): (Locked<'_>, f64, &[f64]),
        terms: &Terms,
        position: &mut [f64],
        velocity: &mut [f64],
    ) {
        if let (Some(all), Some(scratch)) = (&self.system.mechanism, &mut self.mechanism) {
            let mechanism = self.selected.tapes(all, locked.rows);
            mechanism.residuals_of_terms(scratch, terms, y, (position, velocity));
        }
    }

    fn turn(&mut self, locked: Locked<'_>, change: &[f64], turned: &mut [f64]) -> bool {
        match (&self.system.mechanism, &mut self.mechanism) {
            (Some(all), Some(scratch)) => self.selected.tapes(all, locked.rows).turn(scratch, change, turned),
            _ => false,
        }
    }

    fn position_residuals(
        &mut self,
        locked: Locked<'_>,
        t: f64,
        y: &[f64],
        position: &mut [f64],
        _: &mut [f64],
    ) {
        if let (Some(all), Some(scratch)) = (&self.system.mechanism, &mut self.mechanism) {
            let mechanism = self.selected.tapes(all, locked.rows);
            mechanism.positions(scratch, (locked, t, y), position);
        }
    }

    fn rates(
        &mut self,
        locked: Locked<'_>,
        t: f64,
        y: &[f64],
        _: &mut [f64],
        velocity: &mut [f64],
        terms: &mut Terms,
    ) -> bool {
        if let (Some(all), Some(scratch)) = (&self.system.mechanism, &mut self.mechanism) {
            let mechanism = self.selected.tapes(all, locked.rows);
            mechanism.rates(scratch, (locked, t, y), velocity, terms);
        }
        true
    }

    fn rate_slopes(&mut self, locked: Locked<'_>, t: f64, y: &[f64], slopes: &mut [f64]) -> bool {
        if let (Some(all), Some(scratch)) = (&self.system.mechanism, &mut self.mechanism) {
            let mechanism = self.selected.tapes(all, locked.rows);
            let values = &mut self.slopes[..mechanism.places.slopes.len()];
            mechanism.slopes(scratch, (locked, t, y), values);
            mechanism.spread_slopes(values, slopes);
        }
        true
    }

    fn rate_slope_entries(&mut self, locked: Locked<'_>, t: f64, y: &[f64], slopes: &mut [f64]) -> bool {
        if let (Some(all), Some(scratch)) = (&self.system.mechanism, &mut self.mechanism) {
            let mechanism = self.selected.tapes(all, locked.rows);
            mechanism.slopes(scratch, (locked, t, y), slopes);
        }
        true
    }

    fn tangent(&mut self, locked: Locked<'_>, t: f64, y: &[f64], change: &[f64], out: &mut [f64]) -> bool {
        if let (Some(all), Some(scratch)) = (&self.system.mechanism, &mut self.mechanism) {
            let mechanism = self.selected.tapes(all, locked.rows);
            mechanism.tangent(scratch, (locked, t, y), change, out);
        }
        true
    }

    fn set_motion(&mut self, motion: &[f64]) {
        if let Some(scratch) = &mut self.mechanism {
            scratch.motion.copy_from_slice(motion);
        }
    }

    fn jacobian_entries(&mut self, at: (Locked<'_>, f64, &[f64]), each: &mut dyn FnMut(usize, f64)) -> bool {
        let (locked, t, y) = at;
        let tapes = self.system.modes.of(locked.mode);
        let registers = &mut self.modes.of(locked.mode, tapes).jacobian;
        load(registers, t, y, locked);
        let entries = tapes.jacobian_places.len();
        self.out.resize(self.out.len().max(entries), 0.0);
        let out = &mut self.out[..entries];
        tapes.jacobian.run(registers, out);
        for (&place, value) in tapes.jacobian_places.iter().zip(out) {
            each(place, *value);
        }
        true
    }

    fn mass(&mut self, locked: Locked<'_>, t: f64, y: &[f64], mass: &mut [f64]) {
        if let (Some(rule), Some(scratch)) = (&self.system.mass, &mut self.mass) {
            rule.matrix(scratch, (locked, t, y), mass);
        }
    }

    fn mass_slopes(
        &mut self,
        (locked, t, y): (Locked<'_>, f64, &[f64]),
        rate: &[f64],
        slopes: (&mut [f64], &mut [f64]),
    ) -> bool {
        let (Some(rule), Some(scratch)) = (&self.system.mass, &mut self.mass) else { return false };
        rule.slopes(scratch, (locked, t, y), rate, slopes);
        true
    }

    fn time_derivative(&mut self, locked: Locked<'_>, t: f64, y: &[f64], out: &mut [f64]) -> bool {
        let tapes = self.system.modes.of(locked.mode);
        let registers = &mut self.modes.of(locked.mode, tapes).time;
        load(registers, t, y, locked);
        tapes.time.run(registers, out);
        true
    }

    fn guards(&mut self, locked: Locked<'_>, t: f64, y: &[f64], values: &mut [f64]) {
        let tapes = self.system.modes.of(locked.mode);
        let registers = &mut self.modes.of(locked.mode, tapes).guards;
        load(registers, t, y, locked);
        load_motion(registers, self.mechanism.as_ref());
        let out = &mut self.out[..tapes.watched.len()];
        tapes.guards.run(registers, out);
        for (&g, value) in tapes.watched.iter().zip(out) {
            values[g] = *value;
        }
    }

    fn guard(&mut self, locked: Locked<'_>, guard: usize, t: f64, y: &[f64]) -> f64 {
        let tapes = self.system.modes.of(locked.mode);
        let Ok(i) = tapes.watched.binary_search(&guard) else { return f64::NAN };
        let registers = &mut self.modes.of(locked.mode, tapes).singles[i];
        load(registers, t, y, locked);
        if !self.system.guards[guard].multipliers.is_empty() {
            load_motion(registers, self.mechanism.as_ref());
        }
        tapes.singles[i].run(registers, &mut self.out[..1]);
        self.out[0]
    }

    fn guard_bounds(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        input: &dyn Fn(usize) -> Bounds,
    ) -> Option<Bounds> {
        let tapes = self.system.modes.of(locked.mode);
        let tape = &tapes.singles[tapes.watched.binary_search(&guard).ok()?];
        // Of multipliers only their values are known.
        if !self.system.guards[guard].multipliers.is_empty() {
            return None;
        }
        let n = self.system.names.states.len();
        let inputs = self.boxes.inputs_of(tape);
        for k in tape.reads() {
            inputs[k] = match k {
                k if k <= n => input(k),
                k => Bounds::fixed(locked_input(locked, k - n - 1)),
            };
        }
        Some(tape.bounds(&mut self.boxes))
    }

    fn differences_guard(&self, locked: Locked<'_>, guard: usize) -> bool {
        let tapes = self.system.modes.of(locked.mode);
        tapes.watched.binary_search(&guard).is_ok_and(|i| tapes.gradients[i].is_none())
    }

    fn guard_gradient(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        t: f64,
        y: &mut [f64],
        gradient: &mut [f64],
    ) -> f64 {
        let tapes = self.system.modes.of(locked.mode);
        let Ok(i) = tapes.watched.binary_search(&guard) else { return f64::NAN };
        let (Some(tape), Some(registers)) =
            (&tapes.gradients[i], &mut self.modes.of(locked.mode, tapes).gradients[i])
        else {
            return gradient_by_differences(&mut |t, y| self.guard(locked, guard, t, y), t, y, gradient);
        };
        load(registers, t, y, locked);
        let out = &mut self.out[..tape.inputs.len()];
        tape.tape.run(registers, out);
        gradient.fill(0.0);
        let mut rate = 0.0;
        for (&input, value) in tape.inputs.iter().zip(out) {
            *input.checked_sub(1).map_or(&mut rate, |state| &mut gradient[state]) = *value;
        }
        rate
    }

    fn find_needed(&mut self, locked: Locked<'_>, needed: &mut [bool]) {
        let tapes = self.system.modes.of(locked.mode);
        let (Some(tape), Some(registers)) = (&tapes.needs, &mut self.modes.of(locked.mode, tapes).needs)
        else {
            return needed.fill(true);
        };
        load(registers, 0.0, &self.nowhere, locked);
        let out = &mut self.out[..tapes.watched.len()];
        tape.run(registers, out);
        for (&g, need) in tapes.watched.iter().zip(out) {
            needed[g] = *need != 0.0;
        }
    }

    fn joints(&mut self, locked: Locked<'_>, shut: &mut [bool]) {
        if let (Some(mechanism), Some(scratch)) = (&self.system.mechanism, &mut self.mechanism) {
            mechanism.joints(scratch, (locked, &self.nowhere), shut);
        }
    }

    fn conditions(&mut self, locked: Locked<'_>, values: &mut [f64]) {
        load(&mut self.conditions, 0.0, &self.nowhere, locked);
        self.system.conditions.run(&mut self.conditions, values);
    }

    fn schedule(&mut self, locked: Locked<'_>, times: &mut [f64]) {
        let schedule = &self.system.schedule;
        load(&mut self.schedule, 0.0, &self.nowhere, locked);
        let out = &mut self.out[..schedule.guards.len()];
        schedule.tape.run(&mut self.schedule, out);
        for (&g, time) in schedule.guards.iter().zip(out) {
            times[g] = *time;
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
        let tapes = self.system.modes.of(locked.mode);
        let registers = &mut self.modes.of(locked.mode, tapes).rates;
        load(registers, t, y, locked);
        load_motion(registers, self.mechanism.as_ref());
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

    fn reset(&mut self, locked: Locked<'_>, guard: usize, t: f64, before: &[f64], after: Reset<'_>) {
        let (Some(reset), Some(registers)) = (&self.system.resets[guard], &mut self.resets[guard]) else {
            return;
        };
        load(registers, t, before, locked);
        load_motion(registers, self.mechanism.as_ref());
        let out = &mut self.out[..reset.targets.len() + reset.discrete.len()];
        reset.tape.run(registers, out);
        let (states, discrete) = out.split_at(reset.targets.len());
        for (&target, value) in reset.targets.iter().zip(states) {
            after.state[target] = *value;
        }
        for (&target, value) in reset.discrete.iter().zip(discrete) {
            after.discrete[target] = *value;
        }
    }
}
