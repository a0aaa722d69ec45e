//! What a formulation asks of a mechanism: `q' = v`, `M v' = f - Gᵀ λ`, constraints on positions and on
//! speeds.

use super::ActiveRows;
use super::activity::say_something;
use super::constraint_tapes::{ConstraintScratch, ConstraintTapes};
use super::drives;
use super::lagrange::{FormulaEntry, MechanismParts};
use super::laws::{LawRegisters, LawTapes};
use super::selected::RowIndex;
use super::tapes::{Compiler, Modes};
use crate::expr::{Arena, ExprId, InputId, Registers, Tape};
use crate::math::Matrix;
use std::sync::OnceLock;

/// A constraint of a mechanism.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// The name in the user's words.
    pub name: String,
    /// Whether it is one of positions, `g(t, q) = 0`, which come first, or of speeds, `b(t, q, v) = 0`.
    pub holonomic: bool,
    /// Whether it has branches: then events can change what it says.
    pub switches: bool,
}

/// The terms of the equations of motion at one point, for `n` speeds and `m` constraints.
///
/// Matrices have entries only where they can be other than zero; a system fills in their values, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    /// `M`.
    pub mass: Matrix,
    /// `f`.
    pub force: Vec<f64>,
    /// `G`.
    pub jacobian: Matrix,
    /// `G v'` as the constraints want it: minus what they change by at constant speeds.
    pub level: Vec<f64>,
    /// What each multiplier adds to the forces, by rows of constraints. It has no entries in most mechanisms.
    pub feedback: Matrix,
}

impl Terms {
    /// Room for a mechanism with such matrices.
    pub fn new(mass: Matrix, jacobian: Matrix) -> Self {
        let (force, level) = (vec![0.0; mass.rows()], vec![0.0; jacobian.rows()]);
        let feedback = Matrix::with_places(jacobian.rows(), mass.rows(), &[]);
        Self { mass, force, jacobian, level, feedback }
    }

    /// Room for a mechanism with `n` speeds and `m` constraints of which nothing more is known.
    pub fn full(n: usize, m: usize) -> Self {
        Self::new(Matrix::full(n, n), Matrix::full(m, n))
    }
}

/// An entry that is outside of its matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadPlace {
    /// Which matrix.
    pub matrix: &'static str,
    /// Row and column.
    pub place: (usize, usize),
    /// How many rows and columns there are.
    pub size: (usize, usize),
}

/// The gradient of a joint that is not what the joint itself says, along some direction of the speeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrongGradient {
    /// The joint.
    pub constraint: usize,
    /// What the gradient says.
    pub given: f64,
    /// What the joint says.
    pub found: f64,
}

/// Why a contact in closures cannot be what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadContact {
    /// Its slip is not linear in the speeds.
    Slip,
    /// Its impact law is not defined with friction.
    Law,
}

/// The formulas of a mechanism, compiled: for all its constraints, or for those that hold.
#[derive(Clone, Debug)]
pub(super) struct MechanismTapes {
    pub(super) constraints: Vec<Constraint>,
    pub(super) coordinates: usize,
    pub(super) states: usize,
    pub(super) places: Places,
    pub(super) terms: Tape,
    /// Of the terms, all but the level.
    pub(super) driving: Tape,
    /// The residuals of positions and the offsets, from where the terms have ended.
    pub(super) residuals_of_terms: Tape,
    /// How the gradients change along a change of positions; none where rates are more than `G v`.
    pub(super) turns: Tape,
    /// How `M a - f` changes along a change of the state, which is a further input for each state behind all
    /// others; and how entries of `G` do.
    pub(super) tangent: Tape,
    /// What each multiplier adds to the forces.
    pub(super) feedback: Tape,
    /// What the constraints are by themselves.
    pub(super) rows: ConstraintTapes,
    /// The numbers of laws.
    pub(super) laws: LawTapes,
    /// Formulas of time alone in forces and levels.
    pub(super) drives: Vec<Tape>,
}

/// Where belongs what is not identically zero, in the order of the outputs of tapes.
#[derive(Clone, Debug)]
pub(super) struct Places {
    pub(super) masses: Vec<(usize, usize)>,
    pub(super) forces: Vec<usize>,
    pub(super) gradients: Vec<(usize, usize)>,
    pub(super) levels: Vec<usize>,
    /// The constraints whose rates are not all of `G v`: what they have beside it or, of speeds, the
    /// constraints themselves.
    pub(super) offsets: Vec<usize>,
    pub(super) slopes: Vec<(usize, usize)>,
    pub(super) feedback: Vec<(usize, usize)>,
    /// The states in each row of `M a - f`.
    pub(super) tangents: Vec<(usize, usize)>,
    pub(super) turning: Vec<Turning>,
    /// Which of them belong to each constraint, once that was asked for.
    pub(super) index: OnceLock<RowIndex>,
}

/// An entry of `G` that changes with states: its number, and these states.
#[derive(Clone, Debug)]
pub(super) struct Turning {
    pub(super) number: usize,
    pub(super) states: Vec<usize>,
}

/// The scratch to evaluate a mechanism with, and the motion that was last found.
pub(super) struct MechanismScratch {
    pub(super) terms: Registers,
    pub(super) driving: Registers,
    pub(super) tangent: Registers,
    pub(super) feedback: Registers,
    pub(super) rows: ConstraintScratch,
    pub(super) laws: LawRegisters,
    pub(super) out: Vec<f64>,
    /// Accelerations, and behind them the multipliers of all constraints and reactions.
    pub(super) motion: Vec<f64>,
}

/// Compiles the formulas of a mechanism.
struct MechanismCompiler<'c, 'a> {
    compiler: &'c mut Compiler<'a>,
    parts: &'a MechanismParts,
    states: usize,
}

impl MechanismCompiler<'_, '_> {
    fn tapes(&mut self) -> MechanismTapes {
        let (parts, coordinates) = (self.parts, self.parts.force.len());
        let (masses, mass) = self.entries(&parts.mass);
        let (forces, force) = self.rows(&parts.force);
        let (gradients, jacobian) = self.entries(&parts.jacobian);
        let (levels, level) = self.rows(&parts.level);
        let (offsets, offset) = self.rows(&parts.offset);
        let (slope_places, slopes) = self.entries(&parts.slopes);
        let driving = [&mass[..], &force, &jacobian].concat();
        let terms = [&driving[..], &level].concat();
        let driving = self.compiler.compile(&driving);
        let turns = if offsets.is_empty() { self.turns(&jacobian) } else { Vec::new() };
        let [terms, residuals_of_terms, turns] = Tape::compile_continued(
            self.compiler.arena,
            self.compiler.bound.input_count + coordinates,
            [&terms, &[&parts.position[..], &offset].concat(), &turns],
        );
        let constraints = self.constraints();
        let (tangent, tangents, turning) = self.tangent(&jacobian);
        let feedback: Vec<ExprId> = parts.feedback.iter().map(|entry| entry.value).collect();
        MechanismTapes {
            rows: self.rows_alone(&constraints, (&jacobian, &offset), &slopes),
            constraints,
            coordinates,
            states: self.states,
            places: Places {
                feedback: parts.feedback.iter().map(|entry| (entry.row, entry.column)).collect(),
                masses,
                forces,
                gradients,
                levels,
                offsets,
                slopes: slope_places,
                tangents,
                turning,
                index: OnceLock::new(),
            },
            terms,
            driving,
            residuals_of_terms,
            turns,
            tangent,
            feedback: self.compiler.compile(&feedback),
            laws: LawTapes::compile(self.compiler, &parts.laws),
            drives: Vec::new(),
        }
    }

    /// What constraints are by themselves, with their gradients, offsets and slopes that are not always zero.
    fn rows_alone(
        &mut self,
        constraints: &[Constraint],
        (jacobian, offset): (&[ExprId], &[ExprId]),
        slopes: &[ExprId],
    ) -> ConstraintTapes {
        let parts = self.parts;
        ConstraintTapes {
            holds: self.holds(constraints),
            rates: self.compiler.compile(&[jacobian, offset].concat()),
            jacobian: self.compiler.compile(jacobian),
            residuals: self.compiler.compile(&[&parts.position[..], &parts.velocity].concat()),
            positions: self.compiler.compile(&parts.position),
            slopes: self.compiler.compile(slopes),
        }
    }

    /// The places of what is not always zero, with it.
    fn rows(&self, of: &[ExprId]) -> (Vec<usize>, Vec<ExprId>) {
        let is_zero = |id: ExprId| self.compiler.arena.is_constant(id) == Some(0.0);
        of.iter().copied().enumerate().filter(|(_, id)| !is_zero(*id)).unzip()
    }

    /// The same of a matrix.
    fn entries(&self, of: &[FormulaEntry]) -> (Vec<(usize, usize)>, Vec<ExprId>) {
        let is_zero = |id: ExprId| self.compiler.arena.is_constant(id) == Some(0.0);
        let known = of.iter().filter(|entry| !is_zero(entry.value));
        known.map(|entry| ((entry.row, entry.column), entry.value)).unzip()
    }

    fn constraints(&self) -> Vec<Constraint> {
        let parts = self.parts;
        let locks = self.compiler.bound.locks(parts.motion());
        let constraint = |(i, name): (usize, &String)| {
            let inputs = self.compiler.arena.inputs_of(&[parts.constraint(i)]);
            let switches = inputs.iter().any(|input| locks.contains(&input.index()));
            Constraint { name: name.clone(), holonomic: i < parts.holonomic, switches }
        };
        parts.names.iter().enumerate().map(constraint).collect()
    }

    /// Whether each constraint holds, as a formula of what is discrete; none if all always do.
    fn holds(&mut self, constraints: &[Constraint]) -> Option<Tape> {
        let (parts, one) = (self.parts, self.compiler.arena.constant(1.0));
        let fixed = 1 + self.states..self.compiler.bound.locks(parts.motion()).end;
        let formulas: Vec<ExprId> = (0..constraints.len()).map(|k| parts.constraint(k)).collect();
        let mut holds = say_something(self.compiler.arena, &formulas, &fixed);
        // One that never says anything is not a joint that is open, but wrong.
        holds.iter_mut().zip(constraints).filter(|(_, c)| !c.switches).for_each(|(holds, _)| *holds = one);
        holds.iter().any(|&holds| holds != one).then(|| self.compiler.compile(&holds))
    }

    /// How each entry of `G` that is given changes along a change of positions, which is a further input for
    /// each behind all others.
    fn turns(&mut self, jacobian: &[ExprId]) -> Vec<ExprId> {
        let first = self.compiler.bound.input_count;
        let seed =
            |(i, q): (usize, u32)| (InputId(q), super::lowering::input(self.compiler.arena, first + i));
        let seeds: Vec<(InputId, ExprId)> = (0..self.parts.force.len()).zip(1..).map(seed).collect();
        self.compiler.arena.derivative_along(jacobian, &seeds)
    }

    /// The derivatives of `M a - f` and of entries of `G` along a change of the state, with the states in
    /// each row of the former, and in each of the latter that changes. Accelerations are inputs, and stay as
    /// they are.
    fn tangent(&mut self, gradients: &[ExprId]) -> (Tape, Vec<(usize, usize)>, Vec<Turning>) {
        let (parts, states) = (self.parts, self.states);
        let inputs = self.compiler.bound.input_count;
        let motion = inputs - parts.motion();
        let mut left: Vec<ExprId> = parts.force.iter().map(|&force| self.compiler.arena.neg(force)).collect();
        for mass in &parts.mass {
            self.add_product(&mut left[mass.row], mass.value, motion + mass.column);
        }
        for push in &parts.feedback {
            let against = self.compiler.arena.neg(push.value);
            self.add_product(&mut left[push.column], against, motion + parts.force.len() + push.row);
        }
        let change = |arena: &mut Arena, i: usize| super::lowering::input(arena, inputs + i);
        let seeds: Vec<(InputId, ExprId)> = (0..states)
            .zip(1_u32..)
            .map(|(i, state)| (InputId(state), change(self.compiler.arena, i)))
            .collect();
        let mut tangent = self.compiler.arena.derivative_along(&left, &seeds);
        let turns = self.compiler.arena.derivative_along(gradients, &seeds);
        let changing = |of: ExprId| -> Vec<usize> {
            let changes = self.compiler.arena.inputs_of(&[of]).into_iter();
            changes.filter_map(|input| input.index().checked_sub(inputs)).collect()
        };
        let of_row = |(i, row): (usize, &ExprId)| changing(*row).into_iter().map(move |state| (i, state));
        let places = tangent.iter().enumerate().flat_map(of_row).collect();
        let turning: Vec<Turning> = (0..turns.len())
            .map(|number| Turning { number, states: changing(turns[number]) })
            .filter(|turning| !turning.states.is_empty())
            .collect();
        tangent.extend(turning.iter().map(|turning| turns[turning.number]));
        (Tape::compile(self.compiler.arena, inputs + states, &tangent), places, turning)
    }

    /// Adds an entry times an input, unless the entry is zero.
    fn add_product(&mut self, sum: &mut ExprId, entry: ExprId, of: usize) {
        if self.compiler.arena.is_constant(entry) != Some(0.0) {
            let of = super::lowering::input(self.compiler.arena, of);
            let product = self.compiler.arena.mul(entry, of);
            *sum = self.compiler.arena.add(*sum, product);
        }
    }
}

impl MechanismTapes {
    /// Compiles those of the mechanism with this many states, if there is one.
    pub(super) fn compile(compiler: &mut Compiler<'_>, states: usize) -> Option<Self> {
        let parts = &compiler.bound.parts.mechanism;
        if parts.force.is_empty() {
            return None;
        }
        let drives = drives::compile(compiler, states);
        Some(Self { drives, ..MechanismCompiler { compiler, parts, states }.tapes() })
    }

    /// Room for the terms of some constraints, with the places that are not always zero.
    pub(super) fn room_for_terms(&self, rows: &ActiveRows) -> Terms {
        let (n, places) = (self.coordinates, self.places.of_rows(rows));
        let gradients = Matrix::with_places(rows.len(), n, &places.gradients);
        let feedback = Matrix::with_places(rows.len(), n, &places.feedback);
        Terms { feedback, ..Terms::new(Matrix::with_places(n, n, &places.masses), gradients) }
    }

    pub(super) fn scratch(&self) -> MechanismScratch {
        let continued = self.residuals_of_terms.output_count();
        let longest = self.terms.output_count().max(continued).max(self.tangent.output_count());
        MechanismScratch {
            terms: self.terms.registers(),
            driving: self.driving.registers(),
            tangent: self.tangent.registers(),
            feedback: self.feedback.registers(),
            rows: self.rows.scratch(),
            laws: self.laws.registers(),
            out: vec![0.0; longest],
            motion: vec![0.0; 2 * self.coordinates + self.constraints.len()],
        }
    }

    /// Puts masses, forces and gradients where they belong.
    pub(super) fn take_driving(&self, values: &[f64], terms: &mut Terms) {
        let (masses, rest) = values.split_at(terms.mass.values.len());
        terms.mass.values.copy_from_slice(masses);
        let (forces, gradients) = rest.split_at(self.places.forces.len());
        for (&place, value) in self.places.forces.iter().zip(forces) {
            terms.force[place] = *value;
        }
        terms.jacobian.values.copy_from_slice(gradients);
    }

    /// `G v`, and what there is beside it.
    pub(super) fn find_rates(&self, terms: &Terms, y: &[f64], offsets: &[f64], velocity: &mut [f64]) {
        let speeds = &y[self.coordinates..2 * self.coordinates];
        terms.jacobian.times(speeds, velocity);
        for (&row, offset) in self.places.offsets.iter().zip(offsets) {
            velocity[row] = if self.constraints[row].holonomic { velocity[row] + offset } else { *offset };
        }
    }

    /// The states that are in each row of the equations of motion with some constraints, and behind them of
    /// the rates of further states, in any mode.
    pub(super) fn places_of_tangents(&self, modes: &Modes, rows: &ActiveRows) -> Vec<(usize, usize)> {
        let (q, states) = (self.coordinates, self.states);
        // Without further states there is nothing to look for in the modes.
        let modes = (states > 2 * q).then_some(modes);
        let all = modes.into_iter().flat_map(Modes::all).flat_map(|mode| &mode.jacobian_places);
        let of_others = all.filter(|&&place| place / states >= 2 * q);
        let others = of_others.map(|place| (place / states - q, place % states));
        let Places { gradients, tangents, turning, .. } = self.places.of_rows(rows);
        let of_gradients = turning.into_iter().flat_map(|Turning { number, states }| {
            let column = gradients[number].1;
            states.into_iter().map(move |state| (column, state))
        });
        tangents.into_iter().chain(of_gradients).chain(others).collect()
    }
}
