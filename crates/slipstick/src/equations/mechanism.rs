//! What a formulation asks of a mechanism: `q' = v`, `M v' = f - Gᵀ λ`, constraints on positions and on speeds.

use super::Locked;
use super::inputs::load;
use super::lagrange::{Entry, MechanismParts};
use super::tapes::{Compiler, Modes};
use crate::expr::{Arena, ExprId, InputId, Registers, Tape};
use crate::math::Matrix;

/// A constraint of a mechanism.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// The name in the user's words.
    pub name: String,
    /// Whether it is one of positions, `g(t, q) = 0`, or of speeds, `b(t, q, v) = 0`. Those of positions come first.
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
}

impl Terms {
    /// Room for a mechanism with such matrices.
    pub fn new(mass: Matrix, jacobian: Matrix) -> Self {
        let (force, level) = (vec![0.0; mass.rows()], vec![0.0; jacobian.rows()]);
        Self { mass, force, jacobian, level }
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

/// The formulas of a mechanism, compiled.
#[derive(Clone, Debug)]
pub(super) struct MechanismTapes {
    pub(super) constraints: Vec<Constraint>,
    pub(super) coordinates: usize,
    states: usize,
    /// The terms that are not identically zero, with their places: of `M`, `f`, `G` and the level, one after the other.
    pub(super) masses: Vec<(usize, usize)>,
    pub(super) forces: Vec<usize>,
    pub(super) gradients: Vec<(usize, usize)>,
    pub(super) levels: Vec<usize>,
    pub(super) terms: Tape,
    /// Of the terms, all but the level.
    driving: Tape,
    /// The residuals of positions and the offsets, from where the terms have ended.
    residuals_of_terms: Tape,
    /// How the gradients change along a change of positions, from there on.
    turns: Tape,
    /// `G` alone, at the places of `gradients`.
    jacobian: Tape,
    residuals: Tape,
    /// Those of positions alone.
    positions: Tape,
    /// The constraints whose rates are not all of `G v`, what they have beside it (or, of speeds, the constraints themselves), and these with `G`.
    offsets: Vec<usize>,
    rates: Tape,
    /// The derivatives of the rates of constraints by coordinates, where they are not always zero.
    pub(super) slope_places: Vec<(usize, usize)>,
    slopes: Tape,
    /// How `M a - f + Gᵀ λ` changes along a change of the state, which is a further input for each state behind all others; and the states that are in each of its rows.
    tangent: Tape,
    tangent_places: Vec<(usize, usize)>,
}

/// The scratch to evaluate a mechanism with, and the motion that was last found.
pub(super) struct MechanismScratch {
    terms: Registers,
    driving: Registers,
    jacobian: Registers,
    residuals: Registers,
    positions: Registers,
    rates: Registers,
    slopes: Registers,
    tangent: Registers,
    out: Vec<f64>,
    /// Accelerations, and behind them multipliers and reactions.
    pub(super) motion: Vec<f64>,
}

impl Compiler<'_> {
    pub(super) fn mechanism(&mut self, parts: &MechanismParts, states: usize) -> Option<MechanismTapes> {
        let coordinates = parts.force.len();
        let mut terms: Vec<ExprId> = Vec::new();
        let is_zero = |id: ExprId| self.arena.is_constant(id) == Some(0.0);
        let places = |of: &[ExprId], terms: &mut Vec<ExprId>| -> Vec<usize> {
            let known = of.iter().enumerate().filter(|(_, id)| !is_zero(**id));
            let (places, ids): (Vec<usize>, Vec<ExprId>) = known.unzip();
            terms.extend(ids);
            places
        };
        let by_rows = |of: &[Entry], terms: &mut Vec<ExprId>| -> Vec<(usize, usize)> {
            let known: Vec<&Entry> = of.iter().filter(|entry| !is_zero(entry.value)).collect();
            terms.extend(known.iter().map(|entry| entry.value));
            known.into_iter().map(|entry| (entry.row, entry.column)).collect()
        };
        let (masses, forces) = (by_rows(&parts.mass, &mut terms), places(&parts.force, &mut terms));
        let (gradients, levels) = (by_rows(&parts.jacobian, &mut terms), places(&parts.level, &mut terms));
        let offsets = places(&parts.offset, &mut terms);
        let slope_places = by_rows(&parts.slopes, &mut terms);
        let slopes = terms.split_off(terms.len() - slope_places.len());
        let offset = terms.split_off(terms.len() - offsets.len());
        let before = masses.len() + forces.len();
        let jacobian = &terms[before..before + gradients.len()];
        let residuals = [&parts.position[..], &parts.velocity].concat();
        let rates = self.compile(&[jacobian, &offset].concat());
        let driving = self.compile(&terms[..before + gradients.len()]);
        let turns = if offsets.is_empty() { self.turns(jacobian, coordinates) } else { Vec::new() };
        let jacobian = self.compile(jacobian);
        let residuals_of_terms = [&parts.position[..], &offset].concat();
        let inputs = self.settled.input_count + coordinates;
        let [terms, residuals_of_terms, turns] =
            Tape::compile_continued(self.arena, inputs, [&terms, &residuals_of_terms, &turns]);
        let names = parts.names.iter().enumerate();
        let locks = self.settled.locks(parts.motion());
        let constraint = |(i, name): (usize, &String)| {
            let inputs = self.arena.inputs_of(&[parts.position.get(i).copied().unwrap_or(parts.velocity[i])]);
            let switches = inputs.iter().any(|input| locks.contains(&input.index()));
            Constraint { name: name.clone(), holonomic: i < parts.holonomic, switches }
        };
        let constraints = names.map(constraint).collect();
        let (tangent, tangent_places) = self.tangent(parts, states);
        (coordinates > 0).then(|| MechanismTapes {
            constraints,
            coordinates,
            states,
            masses,
            forces,
            gradients,
            levels,
            terms,
            driving,
            residuals_of_terms,
            turns,
            jacobian,
            residuals: self.compile(&residuals),
            positions: self.compile(&parts.position),
            offsets,
            rates,
            slope_places,
            slopes: self.compile(&slopes),
            tangent,
            tangent_places,
        })
    }

    /// How each entry of `G` that is given changes along a change of positions, which is a further input for each behind all others.
    fn turns(&mut self, jacobian: &[ExprId], coordinates: usize) -> Vec<ExprId> {
        let first = self.settled.input_count;
        let seed = |(i, q): (usize, u32)| (InputId(q), super::lowering::input(self.arena, first + i));
        let seeds: Vec<(InputId, ExprId)> = (0..coordinates).zip(1..).map(seed).collect();
        self.arena.derivative_along(jacobian, &seeds)
    }

    /// The derivative of `M a - f + Gᵀ λ` along a change of the state, and the states in each row; accelerations and multipliers are inputs, and stay as they are.
    fn tangent(&mut self, parts: &MechanismParts, states: usize) -> (Tape, Vec<(usize, usize)>) {
        let (n, inputs) = (parts.force.len(), self.settled.input_count);
        let motion = inputs - parts.motion();
        let mut left: Vec<ExprId> = parts.force.iter().map(|&force| self.arena.neg(force)).collect();
        for mass in &parts.mass {
            self.add_product(&mut left[mass.row], mass.value, motion + mass.column);
        }
        for gradient in &parts.jacobian {
            self.add_product(&mut left[gradient.column], gradient.value, motion + n + gradient.row);
        }
        let change = |arena: &mut Arena, i: usize| super::lowering::input(arena, inputs + i);
        let seeds: Vec<(InputId, ExprId)> =
            (0..states).zip(1_u32..).map(|(i, state)| (InputId(state), change(self.arena, i))).collect();
        let tangent = self.arena.derivative_along(&left, &seeds);
        let changes = |&row: &ExprId| self.arena.inputs_of(&[row]);
        let in_row = |(i, row): (usize, &ExprId)| {
            let changes = changes(row).into_iter().map(InputId::index);
            changes
                .filter_map(move |input| input.checked_sub(inputs).map(|state| (i, state)))
                .collect::<Vec<_>>()
        };
        let places = tangent.iter().enumerate().flat_map(in_row).collect();
        (Tape::compile(self.arena, inputs + states, &tangent), places)
    }

    /// Adds an entry times an input, unless the entry is zero.
    fn add_product(&mut self, sum: &mut ExprId, entry: ExprId, of: usize) {
        if self.arena.is_constant(entry) != Some(0.0) {
            let of = super::lowering::input(self.arena, of);
            let product = self.arena.mul(entry, of);
            *sum = self.arena.add(*sum, product);
        }
    }
}

impl MechanismTapes {
    fn term_count(&self) -> usize {
        self.masses.len() + self.forces.len() + self.gradients.len() + self.levels.len()
    }

    /// Room for the terms, with the places that are not always zero.
    pub(super) fn room_for_terms(&self) -> Terms {
        let (n, m) = (self.coordinates, self.constraints.len());
        Terms::new(Matrix::with_places(n, n, &self.masses), Matrix::with_places(m, n, &self.gradients))
    }

    pub(super) fn scratch(&self) -> MechanismScratch {
        let longest = self.term_count().max(2 * self.constraints.len());
        MechanismScratch {
            terms: self.terms.registers(),
            driving: self.driving.registers(),
            jacobian: self.jacobian.registers(),
            residuals: self.residuals.registers(),
            positions: self.positions.registers(),
            rates: self.rates.registers(),
            slopes: self.slopes.registers(),
            tangent: self.tangent.registers(),
            out: vec![0.0; longest],
            motion: vec![0.0; 2 * self.coordinates + self.constraints.len()],
        }
    }

    pub(super) fn terms(
        &self,
        scratch: &mut MechanismScratch,
        (locked, t, y): (Locked<'_>, f64, &[f64]),
        terms: &mut Terms,
    ) {
        load(&mut scratch.terms, t, y, locked);
        let out = &mut scratch.out[..self.term_count()];
        self.terms.run(&mut scratch.terms, out);
        let (driving, levels) = out.split_at(out.len() - self.levels.len());
        self.take_driving(driving, terms);
        for (&place, value) in self.levels.iter().zip(levels) {
            terms.level[place] = *value;
        }
    }

    /// Of the terms, all but the level.
    pub(super) fn driving_terms(
        &self,
        scratch: &mut MechanismScratch,
        (locked, t, y): (Locked<'_>, f64, &[f64]),
        terms: &mut Terms,
    ) {
        load(&mut scratch.driving, t, y, locked);
        let out = &mut scratch.out[..self.term_count() - self.levels.len()];
        self.driving.run(&mut scratch.driving, out);
        self.take_driving(out, terms);
    }

    fn take_driving(&self, values: &[f64], terms: &mut Terms) {
        let (masses, rest) = values.split_at(terms.mass.values.len());
        terms.mass.values.copy_from_slice(masses);
        let (forces, gradients) = rest.split_at(self.forces.len());
        for (&place, value) in self.forces.iter().zip(forces) {
            terms.force[place] = *value;
        }
        terms.jacobian.values.copy_from_slice(gradients);
    }

    /// Of the terms, `G` alone.
    pub(super) fn gradients(
        &self,
        scratch: &mut MechanismScratch,
        (locked, t, y): (Locked<'_>, f64, &[f64]),
        terms: &mut Terms,
    ) {
        load(&mut scratch.jacobian, t, y, locked);
        self.jacobian.run(&mut scratch.jacobian, &mut terms.jacobian.values);
    }

    pub(super) fn residuals(
        &self,
        scratch: &mut MechanismScratch,
        (locked, t, y): (Locked<'_>, f64, &[f64]),
        position: &mut [f64],
        velocity: &mut [f64],
    ) {
        load(&mut scratch.residuals, t, y, locked);
        let out = &mut scratch.out[..position.len() + velocity.len()];
        self.residuals.run(&mut scratch.residuals, out);
        position.copy_from_slice(&out[..position.len()]);
        velocity.copy_from_slice(&out[position.len()..]);
    }

    /// The residuals where the terms, which these are, were evaluated last.
    pub(super) fn residuals_of_terms(
        &self,
        scratch: &mut MechanismScratch,
        terms: &Terms,
        y: &[f64],
        (position, velocity): (&mut [f64], &mut [f64]),
    ) {
        let out = &mut scratch.out[..position.len() + self.offsets.len()];
        self.residuals_of_terms.run(&mut scratch.terms, out);
        position.copy_from_slice(&out[..position.len()]);
        self.find_rates(terms, y, &out[position.len()..], velocity);
    }

    /// How `G` changes along a change of positions, where the terms were evaluated last. False if there is more than constraints `g(q) = 0`: rates then are more than `G v`.
    pub(super) fn turn(&self, scratch: &mut MechanismScratch, change: &[f64], turned: &mut [f64]) -> bool {
        if !self.offsets.is_empty() {
            return false;
        }
        let inputs = scratch.terms.inputs_mut();
        let last = inputs.len() - change.len();
        inputs[last..].copy_from_slice(change);
        self.turns.run(&mut scratch.terms, turned);
        true
    }

    /// `G v`, and what there is beside it.
    fn find_rates(&self, terms: &Terms, y: &[f64], offsets: &[f64], velocity: &mut [f64]) {
        let speeds = &y[self.coordinates..2 * self.coordinates];
        terms.jacobian.times(speeds, velocity);
        for (&row, offset) in self.offsets.iter().zip(offsets) {
            velocity[row] = if self.constraints[row].holonomic { velocity[row] + offset } else { *offset };
        }
    }

    pub(super) fn positions(
        &self,
        scratch: &mut MechanismScratch,
        (locked, t, y): (Locked<'_>, f64, &[f64]),
        position: &mut [f64],
    ) {
        load(&mut scratch.positions, t, y, locked);
        self.positions.run(&mut scratch.positions, position);
    }

    /// The rates of all constraints, and of the terms `G`.
    pub(super) fn rates(
        &self,
        scratch: &mut MechanismScratch,
        (locked, t, y): (Locked<'_>, f64, &[f64]),
        velocity: &mut [f64],
        terms: &mut Terms,
    ) {
        load(&mut scratch.rates, t, y, locked);
        let out = &mut scratch.out[..self.gradients.len() + self.offsets.len()];
        self.rates.run(&mut scratch.rates, out);
        let (gradients, offsets) = out.split_at(self.gradients.len());
        terms.jacobian.values.copy_from_slice(gradients);
        self.find_rates(terms, y, offsets, velocity);
    }

    pub(super) fn slopes(
        &self,
        scratch: &mut MechanismScratch,
        (locked, t, y): (Locked<'_>, f64, &[f64]),
        slopes: &mut [f64],
    ) {
        load(&mut scratch.slopes, t, y, locked);
        self.slopes.run(&mut scratch.slopes, slopes);
    }

    /// Writes slopes to an array by rows, zero elsewhere.
    pub(super) fn spread_slopes(&self, values: &[f64], slopes: &mut [f64]) {
        slopes.fill(0.0);
        for (&(row, column), value) in self.slope_places.iter().zip(values) {
            slopes[row * self.coordinates + column] = *value;
        }
    }

    /// The states that are in each row of the equations of motion, and behind them of the rates of further states, in any mode.
    pub(super) fn places_of_tangents(&self, modes: &Modes) -> Vec<(usize, usize)> {
        let (q, states) = (self.coordinates, self.states);
        // Without further states there is nothing to look for in the modes.
        let modes = (states > 2 * q).then_some(modes);
        let all = modes.into_iter().flat_map(Modes::all).flat_map(|mode| &mode.jacobian_places);
        let of_others = all.filter(|&&place| place / states >= 2 * q);
        let others = of_others.map(|place| (place / states - q, place % states));
        self.tangent_places.iter().copied().chain(others).collect()
    }

    /// How `M a - f + Gᵀ λ` changes along a change of the state, with the motion that was set.
    pub(super) fn tangent(
        &self,
        scratch: &mut MechanismScratch,
        (locked, t, y): (Locked<'_>, f64, &[f64]),
        change: &[f64],
        out: &mut [f64],
    ) {
        load(&mut scratch.tangent, t, y, locked);
        let inputs = scratch.tangent.inputs_mut();
        let last = inputs.len() - change.len();
        inputs[last..].copy_from_slice(change);
        inputs[last - scratch.motion.len()..last].copy_from_slice(&scratch.motion);
        self.tangent.run(&mut scratch.tangent, out);
    }
}
