//! Systems written as formulas: a checked [`Model`], lowered into one shared arena and compiled to tapes.
//!
//! The inputs of every tape are `[t, states…, parameters…, switch signs…, counts…]`: parameters stay inputs, so that one compiled
//! system can serve many runs.

use super::fixed::Fixed;
use super::lowering::Lowering;
use super::mass::{MassScratch, MassTape};
use super::mechanism::{MechanismScratch, MechanismTapes};
use super::schedule::check_times;
use super::selected::Selected;
use super::settling::settle;
use super::system::gradient_by_differences;
use super::tapes::{Compiler, ModeTapes, ResetParts, ResetTape, ScheduleTape, lower_reset};
use super::{
    ActiveRows, Constraint, Evaluator, Guard, GuardRates, Layout, Locked, MassKind, Observer, Point, System,
    Terms,
};
use crate::expr::{Bounds, Boxes, Interval, Ranges, Registers, Tape};
use crate::model::{Definition, Diagnostic, Model};

/// A system compiled from a model.
#[derive(Clone, Debug)]
pub struct FormulaSystem {
    state_names: Vec<String>,
    mode_names: Vec<String>,
    switch_names: Vec<String>,
    named_switches: usize,
    count_number: usize,
    parameters: Vec<f64>,
    start: Vec<f64>,
    guards: Vec<Guard>,
    guard_growth: Vec<f64>,
    modes: Vec<ModeTapes>,
    resets: Vec<Option<ResetTape>>,
    mass: Option<MassTape>,
    mechanism: Option<MechanismTapes>,
    schedule: ScheduleTape,
    outputs: Tape,
    switches: Tape,
    audit: Tape,
    /// The energies of a mechanism, for each mode.
    energies: Vec<Tape>,
}

impl FormulaSystem {
    /// Compiles a model that has been checked, with what is known before the run.
    pub fn compile(model: &Model, fixed: Fixed<'_>) -> Result<Self, Vec<Diagnostic>> {
        let start = fixed.values(&model.states, "start value of")?;
        check_times(model, &fixed)?;
        let mut lowering = Lowering::new(model);
        let parts = lowering.parts(model);
        let settled = settle(&mut lowering, model, parts, &fixed.parameters);
        let switches = lowering.shown_switches(model);
        let resets = resets(&mut lowering, model, settled.watches.len());
        let parameter_inputs = lowering.names.first_parameter..lowering.names.first_switch;
        let guard_growth = settled.growth(&lowering, &fixed.parameters);
        let mut compiler = Compiler { arena: &mut lowering.arena, settled: &settled };
        let names = |list: &[Definition]| list.iter().map(|d| d.name.clone()).collect::<Vec<_>>();
        let mode_names = model.modes.iter().map(|m| m.name.clone());
        Ok(Self {
            state_names: names(&model.states),
            mode_names: if model.modes.is_empty() { vec![String::new()] } else { mode_names.collect() },
            modes: (0..settled.parts.derivatives.len()).map(|mode| compiler.mode(mode)).collect(),
            resets: resets.into_iter().map(|reset| reset.map(|reset| compiler.reset(reset))).collect(),
            mass: compiler.mass(model, &parameter_inputs),
            mechanism: compiler.mechanism(&settled.parts.mechanism, model.states.len()),
            outputs: compiler.compile(&settled.parts.outputs),
            audit: compiler.compile(&settled.parts.audit),
            energies: compiler.energies(&settled.parts.mechanism),
            switches: compiler.compile(&switches),
            schedule: compiler.schedule(),
            guard_growth,
            parameters: fixed.parameters,
            start,
            named_switches: model.switches.len(),
            guards: settled.watches.into_iter().map(|watch| watch.guard).collect(),
            switch_names: settled.switch_names,
            count_number: settled.count_number,
        })
    }

    /// How many switches have a name of their own. They come first; the others are made by formulas that switch.
    pub fn named_switches(&self) -> usize {
        self.named_switches
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

    /// The scratch to evaluate the named switches with, where they are softened and not signs.
    pub fn switches(&self) -> Observer<'_> {
        Observer::new(&self.switches, &self.parameters)
    }

    /// The scratch to evaluate the audited quantities with.
    pub fn audit(&self) -> Observer<'_> {
        Observer::new(&self.audit, &self.parameters)
    }
}

/// The resets of events and of what happens at rest; the locks, which come first, have none.
fn resets(lowering: &mut Lowering<'_>, model: &Model, guards: usize) -> Vec<Option<ResetParts>> {
    let events = model.all_events().map(|(_, event)| &event.reset);
    let rest = model.all_events().filter_map(|(_, event)| event.at_rest.as_ref().map(|rest| &rest.reset));
    let rules: Vec<&Vec<Definition>> = events.chain(rest).collect();
    let locks = guards - rules.len();
    let none = std::iter::repeat_with(|| None).take(locks);
    none.chain(rules.into_iter().map(|reset| lower_reset(lowering, model, reset))).collect()
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

/// Writes accelerations and multipliers behind all other inputs.
fn load_motion(registers: &mut Registers, mechanism: Option<&MechanismScratch>) {
    if let Some(scratch) = mechanism {
        let inputs = registers.inputs_mut();
        let first = inputs.len() - scratch.motion.len();
        inputs[first..].copy_from_slice(&scratch.motion);
    }
}

/// One entry of several lists behind each other.
fn entry(lists: [&[f64]; 3], mut index: usize) -> f64 {
    for list in lists {
        match list.get(index) {
            Some(&value) => return value,
            None => index -= list.len(),
        }
    }
    f64::NAN
}

impl System for FormulaSystem {
    fn energies(&self, mode: usize) -> Option<Observer<'_>> {
        Some(Observer::new(self.energies.get(mode)?, &self.parameters))
    }
    fn layout(&self) -> Layout {
        let n = self.mechanism.as_ref().map_or(0, |mechanism| mechanism.coordinates);
        Layout { q: n, v: n, z: self.state_names.len() - 2 * n }
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
    fn count_number(&self) -> usize {
        self.count_number
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
        let tapes = &self.modes[mode];
        // Behind a mass matrix every rate may depend on every state.
        let coupled = self.mass.is_some() || self.mechanism.is_some();
        let own = tapes.watched.iter().position(|&g| g == guard).filter(|_| !coupled);
        own.is_none_or(|k| tapes.reach(k, self.state_names.len())[state])
    }
    fn reset_can_turn(&self, mode: usize, reset: usize, guard: usize) -> bool {
        let Some(reset) = &self.resets[reset] else { return false };
        reset.targets.iter().any(|&state| self.guard_depends_on(mode, guard, state))
    }
    fn mass_kind(&self) -> MassKind {
        self.mass.as_ref().map_or(MassKind::Identity, |mass| mass.kind)
    }
    fn evaluator(&self) -> Box<dyn Evaluator + '_> {
        let mass = self.mass.as_ref().map(MassTape::scratch);
        let modes = self.modes.iter().map(ModeRegisters::new).collect();
        let resets = self.resets.iter().map(|r| r.as_ref().map(|r| r.tape.registers())).collect();
        let entries = self.modes.iter().map(|m| m.jacobian_places.len()).max().unwrap_or(0);
        let longest = (2 * self.guards.len()).max(1 + self.state_names.len()).max(entries);
        let schedule = self.schedule.tape.registers();
        let nowhere = vec![0.0; self.state_names.len()];
        Box::new(FormulaEvaluator {
            system: self,
            modes,
            resets,
            mass,
            mechanism: self.mechanism.as_ref().map(MechanismTapes::scratch),
            selected: Selected::default(),
            schedule,
            nowhere,
            boxes: Boxes::default(),
            ranges: Ranges::default(),
            out: vec![0.0; longest],
            slopes: vec![0.0; self.mechanism.as_ref().map_or(0, |tapes| tapes.places.slopes.len())],
        })
    }
}

struct ModeRegisters {
    derivative: Registers,
    jacobian: Registers,
    time: Registers,
    guards: Registers,
    singles: Vec<Registers>,
    slopes: Registers,
    gradients: Vec<Option<Registers>>,
    rates: Registers,
    needs: Option<Registers>,
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
            gradients: tapes.gradients.iter().map(|tape| tape.as_ref().map(Tape::registers)).collect(),
            rates: tapes.rates.registers(),
            needs: tapes.needs.as_ref().map(Tape::registers),
        }
    }
}

struct FormulaEvaluator<'a> {
    system: &'a FormulaSystem,
    modes: Vec<ModeRegisters>,
    resets: Vec<Option<Registers>>,
    mass: Option<MassScratch>,
    mechanism: Option<MechanismScratch>,
    /// The tapes of the constraints that hold.
    selected: Selected,
    schedule: Registers,
    /// A state for formulas that do not depend on it.
    nowhere: Vec<f64>,
    boxes: Boxes,
    ranges: Ranges,
    out: Vec<f64>,
    /// The slopes of the rates of constraints that are not always zero.
    slopes: Vec<f64>,
}

impl Evaluator for FormulaEvaluator<'_> {
    fn derivative(&mut self, locked: Locked<'_>, t: f64, y: &[f64], dy: &mut [f64]) {
        let registers = &mut self.modes[locked.mode].derivative;
        load(registers, t, y, &self.system.parameters, locked);
        load_motion(registers, self.mechanism.as_ref());
        self.system.modes[locked.mode].derivative.run(registers, dy);
    }

    fn terms(&mut self, locked: Locked<'_>, t: f64, y: &[f64], terms: &mut Terms) {
        if let (Some(all), Some(scratch)) = (&self.system.mechanism, &mut self.mechanism) {
            let mechanism = self.selected.tapes(all, locked.rows);
            mechanism.terms(scratch, (locked, t, y, &self.system.parameters), terms);
        }
    }

    fn driving_terms(&mut self, locked: Locked<'_>, t: f64, y: &[f64], terms: &mut Terms) {
        if let (Some(all), Some(scratch)) = (&self.system.mechanism, &mut self.mechanism) {
            let mechanism = self.selected.tapes(all, locked.rows);
            mechanism.driving_terms(scratch, (locked, t, y, &self.system.parameters), terms);
        }
    }

    fn gradients(&mut self, locked: Locked<'_>, t: f64, y: &[f64], terms: &mut Terms) {
        if let (Some(all), Some(scratch)) = (&self.system.mechanism, &mut self.mechanism) {
            let mechanism = self.selected.tapes(all, locked.rows);
            mechanism.gradients(scratch, (locked, t, y, &self.system.parameters), terms);
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
            mechanism.residuals(scratch, (locked, t, y, &self.system.parameters), position, velocity);
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

    fn find_active(&mut self, locked: Locked<'_>, active: &mut [bool]) {
        if let (Some(mechanism), Some(scratch)) = (&self.system.mechanism, &mut self.mechanism) {
            mechanism.find_active(scratch, (locked, &self.nowhere, &self.system.parameters), active);
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
            mechanism.positions(scratch, (locked, t, y, &self.system.parameters), position);
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
            mechanism.rates(scratch, (locked, t, y, &self.system.parameters), velocity, terms);
        }
        true
    }

    fn rate_slopes(&mut self, locked: Locked<'_>, t: f64, y: &[f64], slopes: &mut [f64]) -> bool {
        if let (Some(all), Some(scratch)) = (&self.system.mechanism, &mut self.mechanism) {
            let mechanism = self.selected.tapes(all, locked.rows);
            let values = &mut self.slopes[..mechanism.places.slopes.len()];
            mechanism.slopes(scratch, (locked, t, y, &self.system.parameters), values);
            mechanism.spread_slopes(values, slopes);
        }
        true
    }

    fn rate_slope_entries(&mut self, locked: Locked<'_>, t: f64, y: &[f64], slopes: &mut [f64]) -> bool {
        if let (Some(all), Some(scratch)) = (&self.system.mechanism, &mut self.mechanism) {
            let mechanism = self.selected.tapes(all, locked.rows);
            mechanism.slopes(scratch, (locked, t, y, &self.system.parameters), slopes);
        }
        true
    }

    fn tangent(&mut self, locked: Locked<'_>, t: f64, y: &[f64], change: &[f64], out: &mut [f64]) -> bool {
        if let (Some(all), Some(scratch)) = (&self.system.mechanism, &mut self.mechanism) {
            let mechanism = self.selected.tapes(all, locked.rows);
            mechanism.tangent(scratch, (locked, t, y, &self.system.parameters), change, out);
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
        let tapes = &self.system.modes[locked.mode];
        let registers = &mut self.modes[locked.mode].jacobian;
        load(registers, t, y, &self.system.parameters, locked);
        let out = &mut self.out[..tapes.jacobian_places.len()];
        tapes.jacobian.run(registers, out);
        for (&place, value) in tapes.jacobian_places.iter().zip(out) {
            each(place, *value);
        }
        true
    }

    fn mass(&mut self, locked: Locked<'_>, t: f64, y: &[f64], mass: &mut [f64]) {
        if let (Some(rule), Some(scratch)) = (&self.system.mass, &mut self.mass) {
            rule.matrix(scratch, (locked, t, y, &self.system.parameters), mass);
        }
    }

    fn mass_slopes(
        &mut self,
        (locked, t, y): (Locked<'_>, f64, &[f64]),
        rate: &[f64],
        slopes: (&mut [f64], &mut [f64]),
    ) -> bool {
        let (Some(rule), Some(scratch)) = (&self.system.mass, &mut self.mass) else { return false };
        rule.slopes(scratch, (locked, t, y, &self.system.parameters), rate, slopes);
        true
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

    fn guard_bounds(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        input: &dyn Fn(usize) -> Bounds,
    ) -> Option<Bounds> {
        let tapes = &self.system.modes[locked.mode];
        let tape = &tapes.singles[tapes.watched.binary_search(&guard).ok()?];
        let fixed = [&self.system.parameters, locked.signs, locked.counts];
        let n = self.system.state_names.len();
        let inputs = self.boxes.inputs_of(tape);
        for k in tape.reads() {
            inputs[k] = match k {
                k if k <= n => input(k),
                k => Bounds::fixed(entry(fixed, k - n - 1)),
            };
        }
        Some(tape.bounds(&mut self.boxes))
    }

    fn guard_ranges(
        &mut self,
        locked: Locked<'_>,
        input: &dyn Fn(usize) -> Interval,
        ranges: &mut [Interval],
    ) {
        let tapes = &self.system.modes[locked.mode];
        let fixed = [&self.system.parameters, locked.signs, locked.counts];
        let n = self.system.state_names.len();
        let inputs = self.ranges.inputs_of(&tapes.guards);
        for k in tapes.guards.reads() {
            inputs[k] = if k <= n { input(k) } else { Interval::point(entry(fixed, k - n - 1)) };
        }
        for (&g, range) in tapes.watched.iter().zip(tapes.guards.ranges(&mut self.ranges)) {
            ranges[g] = range;
        }
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

    fn guard_gradient(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        t: f64,
        y: &mut [f64],
        gradient: &mut [f64],
    ) -> f64 {
        let tapes = &self.system.modes[locked.mode];
        let Ok(i) = tapes.watched.binary_search(&guard) else { return f64::NAN };
        let (Some(tape), Some(registers)) = (&tapes.gradients[i], &mut self.modes[locked.mode].gradients[i])
        else {
            return gradient_by_differences(&mut |t, y| self.guard(locked, guard, t, y), t, y, gradient);
        };
        load(registers, t, y, &self.system.parameters, locked);
        let n = y.len();
        tape.run(registers, &mut self.out[..=n]);
        gradient.copy_from_slice(&self.out[..n]);
        self.out[n]
    }

    fn find_needed(&mut self, locked: Locked<'_>, needed: &mut [bool]) {
        let tapes = &self.system.modes[locked.mode];
        let (Some(tape), Some(registers)) = (&tapes.needs, &mut self.modes[locked.mode].needs) else {
            return needed.fill(true);
        };
        load(registers, 0.0, &self.nowhere, &self.system.parameters, locked);
        let out = &mut self.out[..tapes.watched.len()];
        tape.run(registers, out);
        for (&g, need) in tapes.watched.iter().zip(out) {
            needed[g] = *need != 0.0;
        }
    }

    fn schedule(&mut self, locked: Locked<'_>, times: &mut [f64]) {
        let schedule = &self.system.schedule;
        load(&mut self.schedule, 0.0, &self.nowhere, &self.system.parameters, locked);
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
        let tapes = &self.system.modes[locked.mode];
        let registers = &mut self.modes[locked.mode].rates;
        load(registers, t, y, &self.system.parameters, locked);
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
