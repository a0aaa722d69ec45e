//! Formulas become tapes: right-hand sides, Jacobians, guards, resets, the schedule.

use super::Guard;
use super::binding::BoundFormulas;
use super::resets::ResetParts;
use crate::expr::{Arena, ExprId, InputId, Registers, Tape, gradients};
use std::sync::{Arc, OnceLock};

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
    /// The gradient of each guard that has a switch or counts.
    pub(super) gradients: Vec<Option<GradientTape>>,
    /// Whether the motion depends on each of them; none if it always does.
    pub(super) needs: Option<Tape>,
}

impl ModeTapes {
    /// The place of a guard among those that are watched. In most models all are.
    pub(super) fn place_of(&self, guard: usize) -> Option<usize> {
        let same = self.watched.get(guard) == Some(&guard);
        if same { Some(guard) } else { self.watched.binary_search(&guard).ok() }
    }

    /// Which of `n` states the guard at place `k` and its first `rates` rates depend on, but for locks.
    pub(super) fn reach(&self, k: usize, n: usize, rates: usize) -> Vec<bool> {
        let mut reached = vec![false; n];
        self.singles[k]
            .reads()
            .filter(|input| (1..=n).contains(input))
            .for_each(|input| reached[input - 1] = true);
        for _ in 0..rates {
            let known = reached.clone();
            let places = self.jacobian_places.iter().filter(|&&place| known[place / n]);
            places.for_each(|&place| reached[place % n] = true);
        }
        reached
    }
}

/// The entries of a gradient that are not always zero.
#[derive(Clone, Debug)]
pub(super) struct GradientTape {
    /// What the surface depends on: 0 is time, states follow.
    pub(super) inputs: Vec<usize>,
    pub(super) tape: Tape,
}

/// The scratch for the tapes of one mode.
pub(super) struct ModeRegisters {
    pub(super) derivative: Registers,
    pub(super) jacobian: Registers,
    pub(super) time: Registers,
    pub(super) guards: Registers,
    /// Those of all tapes of one guard: they have the same inputs, and are run one after the other.
    pub(super) single: Option<Registers>,
    pub(super) gradients: Vec<Option<Registers>>,
    pub(super) needs: Option<Registers>,
}

impl ModeRegisters {
    /// Made once for each mode: kept apart, so that asking for them stays short.
    #[cold]
    #[inline(never)]
    pub(super) fn new(tapes: &ModeTapes) -> Self {
        Self {
            derivative: tapes.derivative.registers(),
            jacobian: tapes.jacobian.registers(),
            time: tapes.time.registers(),
            guards: tapes.guards.registers(),
            single: None,
            gradients: tapes
                .gradients
                .iter()
                .map(|tape| tape.as_ref().map(|gradient| gradient.tape.registers()))
                .collect(),
            needs: tapes.needs.as_ref().map(Tape::registers),
        }
    }
}

/// The tapes of all modes. Those of a mode are compiled where a run meets it first: each has all states and
/// guards in it, so that those of all modes together may be far longer than the model.
#[derive(Clone, Debug)]
pub(super) struct Modes {
    formulas: Arc<(Arena, BoundFormulas)>,
    tapes: Vec<OnceLock<ModeTapes>>,
}

impl Modes {
    /// Compiles the tapes of the mode that runs begin in.
    pub(super) fn new(arena: Arena, bound: BoundFormulas, start: usize) -> Self {
        let modes = bound.parts.derivatives.modes();
        let tapes = std::iter::repeat_with(OnceLock::new).take(modes).collect();
        let modes = Self { formulas: Arc::new((arena, bound)), tapes };
        modes.of(start);
        modes
    }

    /// How many modes there are.
    pub(super) fn len(&self) -> usize {
        self.tapes.len()
    }

    /// The tapes of a mode.
    pub(super) fn of(&self, mode: usize) -> &ModeTapes {
        self.tapes[mode].get_or_init(|| self.compile(mode))
    }

    /// Every mode begins with the same arena: which were met before does not matter.
    fn compile(&self, mode: usize) -> ModeTapes {
        let (arena, bound) = &*self.formulas;
        Compiler { arena: &mut arena.clone(), bound }.mode(mode)
    }

    /// Whether the guard at place `k` of a mode, with `n` states, or one of its first rates depends on a
    /// discrete variable, but for locks.
    pub(super) fn reaches_discrete(
        &self,
        mode: usize,
        (k, n, rates): (usize, usize, usize),
        i: usize,
    ) -> bool {
        let (tapes, (arena, bound)) = (self.of(mode), &*self.formulas);
        // The index of the mode stands behind the discrete variables.
        let input = bound.first_of_motion() - 1 - bound.parts.discrete + i;
        let reached = tapes.reach(k, n, rates.saturating_sub(1));
        let derivatives = bound.parts.derivatives.in_mode(mode).into_iter().zip(reached);
        let moving: Vec<ExprId> = derivatives.filter(|(_, reached)| *reached).map(|(id, _)| id).collect();
        let is_it = |read: &InputId| read.0 as usize == input;
        tapes.singles[k].reads().any(|read| read == input) || arena.inputs_of(&moving).iter().any(is_it)
    }

    /// The tapes of all modes.
    pub(super) fn all(&self) -> impl Iterator<Item = &ModeTapes> {
        (0..self.len()).map(|mode| self.of(mode))
    }
}

/// The scratch for the tapes of all modes, made where a mode is met first.
pub(super) struct RegistersByMode(Vec<Option<ModeRegisters>>);

impl RegistersByMode {
    pub(super) fn new(modes: &Modes) -> Self {
        Self(std::iter::repeat_with(|| None).take(modes.len()).collect())
    }

    /// The scratch for these tapes of a mode.
    #[inline]
    pub(super) fn of(&mut self, mode: usize, tapes: &ModeTapes) -> &mut ModeRegisters {
        self.0[mode].get_or_insert_with(|| ModeRegisters::new(tapes))
    }
}

/// The new values of some states, and behind them of some discrete variables.
#[derive(Clone, Debug)]
pub(super) struct ResetTape {
    pub(super) tape: Tape,
    pub(super) targets: Vec<usize>,
    pub(super) discrete: Vec<usize>,
}

impl ResetTape {
    /// How many values it sets.
    pub(super) fn len(&self) -> usize {
        self.targets.len() + self.discrete.len()
    }
}

/// The times of the scheduled guards.
#[derive(Clone, Debug)]
pub(super) struct ScheduleTape {
    pub(super) guards: Vec<usize>,
    pub(super) tape: Tape,
    /// The slopes in time that depend on parameters, and whether each is known to be positive.
    slopes: Tape,
    rising: Vec<bool>,
}

impl ScheduleTape {
    /// Whether every surface has the direction that it has with the parameters of the model.
    pub(super) fn admits(&self, parameters: &[f64], states: usize) -> bool {
        if self.rising.is_empty() {
            return true;
        }
        let (mut registers, mut slopes) = (self.slopes.registers(), vec![0.0; self.rising.len()]);
        registers.inputs_mut()[1 + states..][..parameters.len()].copy_from_slice(parameters);
        self.slopes.run(&mut registers, &mut slopes);
        let agrees = |(slope, &rising): (f64, &bool)| if rising { slope > 0.0 } else { slope < 0.0 };
        slopes.into_iter().zip(&self.rising).all(agrees)
    }
}

/// Compiles the bound formulas.
pub(super) struct Compiler<'a> {
    pub(super) arena: &'a mut Arena,
    pub(super) bound: &'a BoundFormulas,
}

impl Compiler<'_> {
    /// The guards that are watched in a mode, ascending.
    fn watched(&self, mode: usize) -> Vec<usize> {
        let is_watched = |guard: &Guard| guard.kind.has_formula() && guard.mode.is_none_or(|own| own == mode);
        let guards = self.bound.guards.iter().enumerate();
        guards.filter(|(_, watch)| is_watched(&watch.guard)).map(|(g, _)| g).collect()
    }

    pub(super) fn mode(&mut self, mode: usize) -> ModeTapes {
        let derivatives = &self.in_mode(mode, &self.bound.parts.derivatives.in_mode(mode));
        let watches = &self.bound.guards;
        let watched = self.watched(mode);
        let values: Vec<ExprId> = watched.iter().map(|&g| watches[g].surface).collect();
        let values = self.in_mode(mode, &values);
        let (jacobian_places, jacobian) = self.jacobian(derivatives);
        let one = self.arena.constant(1.0);
        let time = self.arena.derivative_along(derivatives, &[(InputId(0), one)]);
        ModeTapes {
            derivative: self.compile(derivatives),
            jacobian_places,
            jacobian: self.compile(&jacobian),
            time: self.compile(&time),
            guards: self.compile(&values),
            singles: values.iter().map(|&value| self.compile(&[value])).collect(),
            gradients: watched.iter().map(|&g| self.gradient(g, derivatives.len())).collect(),
            needs: self.needs(mode, &watched),
            watched,
        }
    }

    /// Formulas as they are in a mode.
    fn in_mode(&mut self, mode: usize, formulas: &[ExprId]) -> Vec<ExprId> {
        if !self.bound.parts.depends_on_mode {
            return formulas.to_vec();
        }
        let place = InputId(u32::try_from(self.bound.first_of_motion() - 1).unwrap_or(u32::MAX));
        let index = self.arena.constant(mode as f64);
        self.arena.substitute_all(formulas, &[(place, index)])
    }

    fn needs(&mut self, mode: usize, watched: &[usize]) -> Option<Tape> {
        let (zero, one) = (self.arena.constant(0.0), self.arena.constant(1.0));
        let need = |&g: &usize| {
            let lock = self.bound.guards[g].lock;
            lock.map_or(one, |lock| self.bound.needs.of(mode, lock).unwrap_or(zero))
        };
        let needs: Vec<ExprId> = watched.iter().map(need).collect();
        needs.iter().any(|&need| need != one).then(|| self.compile(&needs))
    }

    /// The gradient of the surface of a switch or of a jump.
    fn gradient(&mut self, guard: usize, states: usize) -> Option<GradientTape> {
        let watch = &self.bound.guards[guard];
        let response = &watch.guard.response;
        if response.switch.is_none() && response.count.is_none() {
            return None;
        }
        let entries = gradients(self.arena, &[watch.surface], |input| input.index() <= states).pop()?;
        let (inputs, entries): (Vec<usize>, Vec<ExprId>) =
            entries.into_iter().map(|(input, entry)| (input.index(), entry)).unzip();
        Some(GradientTape { inputs, tape: self.compile(&entries) })
    }

    /// The entries of `∂f/∂y` that are not identically zero, with their places.
    fn jacobian(&mut self, derivatives: &[ExprId]) -> (Vec<usize>, Vec<ExprId>) {
        let n = derivatives.len();
        let rows = gradients(self.arena, derivatives, |input| (1..=n).contains(&input.index()));
        let entries = rows.into_iter().enumerate();
        entries.flat_map(|(i, row)| row.into_iter().map(move |(j, e)| (i * n + j.index() - 1, e))).unzip()
    }

    pub(super) fn schedule(&self) -> ScheduleTape {
        let watches = self.bound.guards.iter().enumerate();
        let (guards, times): (Vec<usize>, Vec<ExprId>) =
            watches.filter_map(|(g, w)| Some((g, w.time?))).unzip();
        let slopes = self.bound.guards.iter().filter_map(|watch| watch.slope);
        let (slopes, rising): (Vec<ExprId>, Vec<bool>) = slopes.unzip();
        ScheduleTape { guards, tape: self.compile(&times), slopes: self.compile(&slopes), rising }
    }

    /// The resets of all guards: the locks, which come first, have none.
    pub(super) fn resets(&self) -> Vec<Option<ResetTape>> {
        let resets = &self.bound.parts.resets;
        let locks = self.bound.guards.len() - resets.len();
        let none = std::iter::repeat_with(|| None).take(locks);
        none.chain(resets.iter().map(|reset| reset.as_ref().map(|reset| self.reset(reset)))).collect()
    }

    fn reset(&self, reset: &ResetParts) -> ResetTape {
        let (targets, discrete) = (reset.states.clone(), reset.discrete.clone());
        ResetTape { tape: self.compile(&reset.values), targets, discrete }
    }

    pub(super) fn compile(&self, outputs: &[ExprId]) -> Tape {
        Tape::compile(self.arena, self.bound.input_count, outputs)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FormulaSystem, Locked, ParameterValues, System};
    use crate::model::Model;

    const MODES: &str = "states = { x = 1, y = 2 }\nderivatives = { x = \"y\", y = \"-x\" }\nrun.until = 1\n\
        modes.a.events = { b = { guard = \"x > 9\", goto = \"b\" }, c = { guard = \"y > 9\", goto = \"c\" } }\n\
        modes.b = { derivatives.y = \"3 * x\" }\nmodes.c = { derivatives.x = 7 }\n";

    #[test]
    fn a_mode_is_compiled_where_it_is_met_first() {
        let model = Model::from_toml(MODES).expect("a model");
        let fixed = ParameterValues::evaluate(&model, &[]).expect("numbers");
        let system = FormulaSystem::compile(&model, fixed).expect("a system");
        let met = || system.modes.tapes.iter().map(|tapes| tapes.get().is_some()).collect::<Vec<bool>>();
        assert_eq!(met(), [true, false, false]);
        let mut evaluator = system.evaluator();
        let mut derivative = |mode: usize| {
            let mut dy = [0.0; 2];
            let locked = Locked { mode, ..Locked::default() };
            evaluator.derivative(locked, 0.0, &[1.0, 2.0], &mut dy);
            dy
        };
        assert_eq!(derivative(2), [7.0, -1.0]);
        assert_eq!(met(), [true, false, true]);
        assert_eq!([derivative(1), derivative(0)], [[2.0, 3.0], [2.0, -1.0]]);
        assert_eq!(met(), [true; 3]);
    }
}
