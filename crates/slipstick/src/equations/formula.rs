//! Systems written as formulas: a checked [`Model`], lowered into one shared arena and compiled to tapes.
//!
//! The inputs of every tape are `[t, states…, parameters…, switch signs…, counts…, discrete…, mode]`. All but
//! time and states come from outside with every call, so that one compiled system serves many runs.

use super::binding::{BoundFormulas, bind};
use super::contact_shapes::{contact_shapes, kept_impulses};
use super::differences::gradient_by_differences;
use super::drives::hidden_peak;
use super::expand_formula::Expansions;
use super::formula_mechanism::FormulaMechanism;
use super::impulses::impulse_shapes;
use super::initial_values::{InitialTape, InitialValues, start_values};
use super::inputs::{load, load_motion, load_motion_read, load_read, locked_input};
use super::lowering::Lowering;
use super::mass::{MassScratch, MassTape};
use super::mechanism::MechanismTapes;
use super::parameter_values::ParameterValues;
use super::parts::Parts;
use super::picture_sizes::check_sizes;
use super::schedule::check_times;
use super::tapes::{Compiler, Modes, RegistersByMode, ResetTape, ScheduleTape};
use super::{
    ActiveRows, At, BadContact, BadPlace, Evaluator, FieldSlopes, GuardFunctions, Layout, Locked, MassKind,
    MechanismShape, MechanismStructure, MechanismTerms, Observer, PlainField, Reset, ResetTargets, Shape,
    StartBranch, StartPins, System, Terms, WrongGradient,
};
use crate::expr::{Bounds, Boxes, Interval, Registers, Tape};
use crate::model::{BranchRule, ContactRule, Definition, Diagnostic, Model};
use std::collections::BTreeMap;

/// The rates of a guard that say where it goes: position, speed and acceleration.
const RATES: usize = 2;

/// A system compiled from a model.
#[derive(Clone, Debug)]
pub struct FormulaSystem {
    shape: Shape,
    named_switches: usize,
    initial: InitialValues,
    initial_tape: InitialTape,
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
    picture: Tape,
    /// The energies of a mechanism: for each mode, or for all.
    energies: Vec<Tape>,
}

impl FormulaSystem {
    /// Compiles a model that has been checked, with what is known before the run.
    pub fn compile(model: &Model, fixed: ParameterValues<'_>) -> Result<Self, Vec<Diagnostic>> {
        let (state, discrete) = start_values(model, &fixed)?;
        check_times(model, &fixed)?;
        check_sizes(model, &fixed)?;
        let mut lowering = Lowering::new(model);
        let parts = Parts::read(&mut lowering, model);
        if let Some(wrong) = first_wrong(&mut lowering, model, &parts, &fixed.parameters) {
            return Err(vec![wrong]);
        }
        let bound = bind(&mut lowering, model, parts, &fixed.parameters);
        let parameter_inputs = lowering.names.first_parameter..lowering.names.first_switch;
        let guard_growth = bound.growth(&lowering);
        let mut compiler = Compiler { arena: &mut lowering.arena, bound: &bound };
        let resets = compiler.resets();
        let mass = MassTape::compile(&mut compiler, model, &parameter_inputs);
        let mechanism = MechanismTapes::compile(&mut compiler, model.states.len());
        let shown = ShownTapes {
            outputs: compiler.compile(&bound.parts.outputs),
            audit: compiler.compile(&bound.parts.audit),
            picture: compiler.compile(&bound.parts.picture.0),
            energies: bound.parts.mechanism.energies.iter().map(|e| compiler.compile(e)).collect(),
            switches: compiler.compile(&bound.parts.switches),
        };
        let schedule = compiler.schedule();
        let conditions = compiler.compile(&bound.parts.conditions.discrete);
        let shape = Shape {
            parameters: fixed.parameters.clone(),
            discrete_start: discrete.clone(),
            condition_number: conditions.output_count(),
            mass_kind: mass.as_ref().map_or(MassKind::Identity, |mass| mass.kind),
            guard_growth,
            ..shape_of(model, &bound, mechanism.as_ref())
        };
        Ok(Self {
            shape,
            named_switches: model.switches.len(),
            initial_tape: InitialTape::new(model, &fixed),
            initial: InitialValues { parameters: fixed.parameters, state, discrete },
            modes: Modes::new(lowering.arena, bound, model.start_mode()),
            resets,
            mass,
            mechanism,
            schedule,
            conditions,
            shown,
        })
    }

    /// How many switches are named. They come first; switches of formulas follow.
    pub fn named_switches(&self) -> usize {
        self.named_switches
    }

    /// Whether where a guard goes, its value or its first rates along the flow, depends on what a reset sets.
    fn guard_depends_on(&self, mode: usize, guard: usize, reset: &ResetTape) -> bool {
        let (tapes, n) = (self.modes.of(mode), self.shape.state_names.len());
        // Behind a mass matrix every rate may depend on everything.
        let Some(k) = tapes.place_of(guard).filter(|_| !self.is_coupled()) else { return true };
        let reached = tapes.reach(k, n, RATES);
        let on_discrete = |i: &usize| self.modes.reaches_discrete(mode, (k, n, RATES), *i);
        reset.targets.iter().any(|&state| reached[state]) || reset.discrete.iter().any(on_discrete)
    }

    /// Whether a mass matrix stands before the derivatives.
    pub(super) fn is_coupled(&self) -> bool {
        self.mass.is_some() || self.mechanism.is_some()
    }

    /// The start values.
    pub fn start(&self) -> &[f64] {
        &self.initial.state
    }

    /// What a run begins with, as the model says.
    pub fn initial_values(&self) -> &InitialValues {
        &self.initial
    }

    /// The start of a run with these parameter values, by index; whatever uses them follows. None if this
    /// compiled system cannot make that run: a value is not finite, a period not positive, or a formula that
    /// is linear in time turns round. Then the model must be compiled with these values, which succeeds or
    /// says why not.
    pub fn prepare(&self, given: &[(usize, f64)]) -> Option<InitialValues> {
        let values = self.initial_tape.values(given)?;
        self.schedule.admits(&values.parameters, self.shape.state_names.len()).then_some(values)
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

    /// The scratch to evaluate the numbers of the model's picture with, in the order of
    /// [`Picture::map`](crate::model::Picture::map).
    pub fn picture(&self) -> Observer<'_> {
        Observer::new(&self.shown.picture)
    }
}

/// The first formula of a mechanism that cannot be solved for or has no meaning.
fn first_wrong(
    lowering: &mut Lowering<'_>,
    model: &Model,
    parts: &Parts,
    parameters: &[f64],
) -> Option<Diagnostic> {
    let force = parts.mechanism.nonlinear_force(&lowering.arena);
    let wrong = force.map(|coordinate| nonlinear_force(model, coordinate));
    let wrong = wrong.or_else(|| lowering.nonlinear_slip(model).map(nonlinear_slip));
    let wrong = wrong.or_else(|| lowering.bad_impulse(model, parameters));
    wrong.or_else(|| lowering.bad_compliance(model, parameters))
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

/// Friction acts along the slip, whose velocity follows from impulses: it is linear in the speeds.
fn nonlinear_slip(contact: &ContactRule) -> Diagnostic {
    let message = format!("the slip of contact `{}` is not linear in the speeds", contact.name);
    let span = contact.slip.as_ref().map_or(contact.span.clone(), |slip| slip.place.span.clone());
    Diagnostic::new("slip-not-linear", span, message)
        .hint("a slip is the velocity of the two sides along each other: `slip = \"x' - v_belt\"`")
}

/// What the model and its formulas say of a system; parameters, masses and the like are left open.
fn shape_of(model: &Model, bound: &BoundFormulas, mechanism: Option<&MechanismTapes>) -> Shape {
    let n = mechanism.map_or(0, |mechanism| mechanism.coordinates);
    let names = |list: &[Definition]| list.iter().map(|d| d.name.clone()).collect();
    let modes = model.modes.iter().map(|mode| mode.name.clone());
    Shape {
        layout: Layout { q: n, v: n, z: model.states.len() - 2 * n },
        state_names: names(&model.states),
        mode_names: if model.modes.is_empty() { vec![String::new()] } else { modes.collect() },
        switch_names: bound.switch_names.clone(),
        parameters: Vec::new(),
        discrete_names: names(&model.discrete),
        discrete_start: Vec::new(),
        condition_number: 0,
        count_number: bound.count_number,
        mass_kind: MassKind::Identity,
        mechanism: mechanism_shape(model, bound, mechanism),
        guards: bound.guards.iter().map(|bound| bound.guard.clone()).collect(),
        guard_growth: Vec::new(),
        // Their periods have been checked.
        clocks: Vec::new(),
        has_formulas: true,
    }
}

/// What holds a mechanism.
fn mechanism_shape(
    model: &Model,
    bound: &BoundFormulas,
    mechanism: Option<&MechanismTapes>,
) -> MechanismShape {
    let constraints = mechanism.map_or(&[][..], |mechanism| &mechanism.constraints);
    MechanismShape {
        constraints: constraints.to_vec(),
        contacts: contact_shapes(model, bound, constraints),
        kept_impulses: kept_impulses(model, constraints),
        impulses: impulse_shapes(model, &bound.guards),
        start: start_pins(model),
    }
}

/// What is kept while the start is put together.
fn start_pins(model: &Model) -> StartPins {
    let places: BTreeMap<&str, usize> =
        model.coordinates().iter().enumerate().map(|(i, d)| (d.name.as_str(), i)).collect();
    let of = |names: &[String]| names.iter().filter_map(|name| places.get(name.as_str()).copied()).collect();
    let start = &model.mechanism.start;
    let branch = |rule: &BranchRule| StartBranch {
        name: rule.name.clone(),
        angles: rule.angles.clone().map(|name| places.get(name?.as_str()).copied()),
        positive: rule.positive,
    };
    StartPins {
        pinned: of(&start.pinned),
        drawn: of(&start.drawn),
        velocities: of(&start.velocities),
        branches: start.branches.iter().map(branch).collect(),
        weights: start
            .weights
            .iter()
            .filter_map(|(name, weight)| Some((*places.get(name.as_str())?, *weight)))
            .collect(),
    }
}

impl System for FormulaSystem {
    fn shape(&self) -> &Shape {
        &self.shape
    }
    fn mechanism(&self) -> Option<&dyn MechanismStructure> {
        self.mechanism.is_some().then_some(self)
    }
    fn reset_targets(&self, guard: usize) -> Option<ResetTargets<'_>> {
        let reset = self.resets[guard].as_ref();
        Some(reset.map_or_else(ResetTargets::default, |reset| ResetTargets {
            states: &reset.targets,
            discrete: &reset.discrete,
        }))
    }
    fn reset_can_turn(&self, mode: usize, reset: usize, guard: usize) -> bool {
        // An impulse sets all speeds.
        let is_impulse = self.shape.guards[reset].response.impulse.is_some();
        is_impulse
            || self.resets[reset].as_ref().is_some_and(|reset| self.guard_depends_on(mode, guard, reset))
    }
    fn admits(&self, parameters: &[f64]) -> bool {
        let states = self.shape.state_names.len();
        self.schedule.admits(parameters, states) && self.initial_tape.admits(parameters)
    }
    fn plain_field(&self) -> Option<&PlainField> {
        None
    }
    fn evaluator(&self) -> Box<dyn Evaluator + '_> {
        let (states, guards) = (self.shape.state_names.len(), self.shape.guards.len());
        let reset = self.resets.iter().flatten().map(ResetTape::len).max().unwrap_or(0);
        let longest = guards.max(1 + states).max(reset).max(self.shape.mechanism.constraints.len());
        Box::new(FormulaEvaluator {
            system: self,
            modes: RegistersByMode::new(&self.modes),
            resets: self.resets.iter().map(|r| r.as_ref().map(|r| r.tape.registers())).collect(),
            mass: self.mass.as_ref().map(MassTape::scratch),
            mechanism: self.mechanism.as_ref().map(|tapes| FormulaMechanism::new(tapes, states)),
            schedule: self.schedule.tape.registers(),
            conditions: self.conditions.registers(),
            nowhere: vec![0.0; states],
            boxes: Boxes::default(),
            out: vec![0.0; longest],
            expansions: Expansions::default(),
        })
    }
}

/// Lent by [`System::mechanism`] only where there is one.
impl MechanismStructure for FormulaSystem {
    fn energies(&self, mode: usize) -> Option<Observer<'_>> {
        let energies = &self.shown.energies;
        Some(Observer::new(energies.get(mode).or_else(|| energies.first())?))
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
    fn bad_place(&self) -> Option<BadPlace> {
        None
    }
    fn wrong_gradient(&self, _t: f64, _y: &[f64]) -> Option<WrongGradient> {
        None
    }
    fn bad_contact(&self, _t: f64, _y: &[f64]) -> Option<(usize, BadContact)> {
        None
    }
    fn uneven_mass(&self, _t: f64, _y: &[f64]) -> Option<(usize, usize, (f64, f64))> {
        None
    }
}

pub(super) struct FormulaEvaluator<'a> {
    pub(super) system: &'a FormulaSystem,
    modes: RegistersByMode,
    resets: Vec<Option<Registers>>,
    mass: Option<MassScratch>,
    pub(super) mechanism: Option<FormulaMechanism<'a>>,
    schedule: Registers,
    conditions: Registers,
    /// A state for formulas that do not depend on it.
    nowhere: Vec<f64>,
    boxes: Boxes,
    out: Vec<f64>,
    pub(super) expansions: Expansions,
}

impl Evaluator for FormulaEvaluator<'_> {
    fn derivative(&mut self, locked: Locked<'_>, t: f64, y: &[f64], dy: &mut [f64]) {
        let tapes = self.system.modes.of(locked.mode);
        let registers = &mut self.modes.of(locked.mode, tapes).derivative;
        load_read(registers, tapes.derivative.read_list(), t, y, locked);
        load_motion(registers, self.mechanism.as_ref());
        tapes.derivative.run(registers, dy);
    }

    fn mechanism(&mut self) -> Option<&mut dyn MechanismTerms> {
        self.mechanism.as_mut().map(|mechanism| mechanism as &mut dyn MechanismTerms)
    }

    fn has_kinematics(&self) -> bool {
        false
    }

    fn allow(&mut self, _: Locked<'_>, _: f64, _: &[f64], _: &mut [f64]) {}

    fn reset(&mut self, locked: Locked<'_>, guard: usize, t: f64, before: &[f64], after: Reset<'_>) {
        let locked = locked.in_mode_of(&self.system.shape.guards[guard]);
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

impl FieldSlopes for FormulaEvaluator<'_> {
    fn jacobian_entries(&mut self, at: At<'_>, each: &mut dyn FnMut(usize, f64)) -> bool {
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

    fn jacobian(&mut self, locked: Locked<'_>, t: f64, y: &[f64], jacobian: &mut [f64]) -> bool {
        jacobian.fill(0.0);
        self.jacobian_entries((locked, t, y), &mut |place, value| jacobian[place] = value)
    }

    fn time_derivative(&mut self, locked: Locked<'_>, t: f64, y: &[f64], out: &mut [f64]) -> bool {
        let tapes = self.system.modes.of(locked.mode);
        let registers = &mut self.modes.of(locked.mode, tapes).time;
        load(registers, t, y, locked);
        tapes.time.run(registers, out);
        true
    }

    fn hidden_peaks(&mut self, locked: Locked<'_>, between: (f64, f64), each: &mut dyn FnMut(f64)) {
        let Some(mechanism) = &self.system.mechanism else { return };
        let n = self.system.shape.state_names.len();
        for tape in &mechanism.drives {
            let inputs = self.boxes.inputs_of(tape);
            for k in tape.reads().filter(|&k| k > n) {
                inputs[k] = Bounds::fixed(locked_input(locked, k - n - 1).unwrap_or(f64::NAN));
            }
            let mut enclose = |lo: f64, hi: f64| {
                self.boxes.inputs_of(tape)[0] = Bounds::moving(Interval::new(lo, hi), Interval::point(1.0));
                self.boxes.run(tape)
            };
            hidden_peak(&mut enclose, between).into_iter().for_each(&mut *each);
        }
    }

    fn mass(&mut self, locked: Locked<'_>, t: f64, y: &[f64], mass: &mut [f64]) {
        if let (Some(rule), Some(scratch)) = (&self.system.mass, &mut self.mass) {
            rule.matrix(scratch, (locked, t, y), mass);
        }
    }

    fn mass_slopes(
        &mut self,
        (locked, t, y): At<'_>,
        rate: &[f64],
        slopes: (&mut [f64], &mut [f64]),
    ) -> bool {
        let (Some(rule), Some(scratch)) = (&self.system.mass, &mut self.mass) else { return false };
        rule.slopes(scratch, (locked, t, y), rate, slopes);
        true
    }
}

impl GuardFunctions for FormulaEvaluator<'_> {
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
        let locked = locked.in_mode_of(&self.system.shape.guards[guard]);
        let tapes = self.system.modes.of(locked.mode);
        let Some(i) = tapes.place_of(guard) else { return f64::NAN };
        let (tape, shared) = (&tapes.singles[i], &mut self.modes.of(locked.mode, tapes).single);
        let registers = shared.get_or_insert_with(|| tape.registers());
        load_read(registers, tape.read_list(), t, y, locked);
        if !self.system.shape.guards[guard].multipliers.is_empty() {
            load_motion_read(registers, tape.read_list(), self.mechanism.as_ref());
        }
        tape.run_in(registers, &mut self.out[..1]);
        self.out[0]
    }

    fn guard_gradient(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        t: f64,
        y: &mut [f64],
        gradient: &mut [f64],
    ) -> f64 {
        let locked = locked.in_mode_of(&self.system.shape.guards[guard]);
        let tapes = self.system.modes.of(locked.mode);
        let Some(i) = tapes.place_of(guard) else { return f64::NAN };
        let (Some(tape), Some(registers)) =
            (&tapes.gradients[i], &mut self.modes.of(locked.mode, tapes).gradients[i])
        else {
            return gradient_by_differences(&mut |t, y| self.guard(locked, guard, t, y), t, y, gradient);
        };
        load_read(registers, tape.tape.read_list(), t, y, locked);
        let out = &mut self.out[..tape.inputs.len()];
        tape.tape.run(registers, out);
        gradient.fill(0.0);
        let mut rate = 0.0;
        for (&input, value) in tape.inputs.iter().zip(out) {
            *input.checked_sub(1).map_or(&mut rate, |state| &mut gradient[state]) = *value;
        }
        rate
    }

    fn differences_guard(&self, locked: Locked<'_>, guard: usize) -> bool {
        let locked = locked.in_mode_of(&self.system.shape.guards[guard]);
        let tapes = self.system.modes.of(locked.mode);
        tapes.watched.binary_search(&guard).is_ok_and(|i| tapes.gradients[i].is_none())
    }

    fn guard_bounds(
        &mut self,
        locked: Locked<'_>,
        guard: usize,
        input: &dyn Fn(usize) -> Bounds,
    ) -> Option<Bounds> {
        let locked = locked.in_mode_of(&self.system.shape.guards[guard]);
        let tapes = self.system.modes.of(locked.mode);
        let tape = &tapes.singles[tapes.watched.binary_search(&guard).ok()?];
        // Of multipliers only their values are known.
        if !self.system.shape.guards[guard].multipliers.is_empty() {
            return None;
        }
        let n = self.system.shape.state_names.len();
        let inputs = self.boxes.inputs_of(tape);
        for k in tape.reads() {
            inputs[k] = match k {
                k if k <= n => input(k),
                k => Bounds::fixed(locked_input(locked, k - n - 1).unwrap_or(f64::NAN)),
            };
        }
        Some(self.boxes.run(tape))
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
}
