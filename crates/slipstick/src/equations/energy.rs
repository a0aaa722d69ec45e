//! The energy of a mechanism and what changes it, as formulas: kinetic, potential, the power of each applied
//! force, and that of whatever else moves the mechanism.
//!
//! Along the motion, `d(T + V)/dt` is the power of the applied forces, less what the constraint forces take,
//! `λᵀ G v`, plus what moves constraints and energies in time (and side states that an energy depends on). On
//! the constraints `G v` is minus their rate in time, so of the constraint forces only what moves them
//! counts: `d(T + V)/dt + λᵀ ġ`, where `ġ` is the residual, is the power that comes in from outside, whether
//! the constraints are met or not.

use super::derivatives::Derivatives;
use super::lagrange::{FormulaEntry, MechanismParts, of_motion};
use super::lowering::{Lowering, input};
use super::tapes::Compiler;
use crate::expr::{ExprId, InputId, Tape};
use crate::model::Model;

/// What an energy observer shows first; behind these comes the power of the applied force on each coordinate.
pub const KINETIC: usize = 0;
/// The potential energy.
pub const POTENTIAL: usize = 1;
/// The power that comes in from outside, all in all.
pub const POWER: usize = 2;

impl Lowering<'_> {
    /// The formulas for each mode, in which side states have these derivatives; once if they do not matter.
    pub(super) fn energies(
        &mut self,
        model: &Model,
        parts: &MechanismParts,
        derivatives: &Derivatives,
    ) -> Vec<Vec<ExprId>> {
        let (kinetic, potential) = (self.kinetic(model, parts), self.potential(model));
        let powers: Vec<ExprId> = (0..parts.applied.len()).map(|i| self.power_of(parts, i)).collect();
        let differ = derivatives.differ();
        let differs =
            |input: &InputId| input.index().checked_sub(1).and_then(|i| differ.get(i)) == Some(&true);
        let modes = if self.arena.inputs_of(&[kinetic, potential]).iter().any(differs) {
            derivatives.modes()
        } else {
            1
        };
        let in_mode = |mode: usize| {
            let power = self.power(parts, &derivatives.in_mode(mode), kinetic, potential);
            [kinetic, potential, power].into_iter().chain(powers.iter().copied()).collect()
        };
        (0..modes).map(in_mode).collect()
    }

    /// What is written, and half of `vᵀ M v` for the entries of `inertia`.
    fn kinetic(&mut self, model: &Model, parts: &MechanismParts) -> ExprId {
        let n = parts.applied.len();
        let mut sum = match &model.mechanism.kinetic {
            Some(kinetic) => self.plain(kinetic),
            None => self.arena.constant(0.0),
        };
        for &FormulaEntry { row: i, column: j, value: mass } in &parts.entries {
            let (a, b) = (input(&mut self.arena, 1 + n + i), input(&mut self.arena, 1 + n + j));
            let half = self.arena.constant(if i == j { 0.5 } else { 1.0 });
            let product = self.arena.mul(a, b);
            let weighed = self.arena.mul(mass, product);
            let term = self.arena.mul(half, weighed);
            sum = self.arena.add(sum, term);
        }
        sum
    }

    fn potential(&mut self, model: &Model) -> ExprId {
        match &model.mechanism.potential {
            Some(potential) => self.plain(potential),
            None => self.arena.constant(0.0),
        }
    }

    fn power_of(&mut self, parts: &MechanismParts, i: usize) -> ExprId {
        let speed = input(&mut self.arena, 1 + parts.applied.len() + i);
        self.arena.mul(parts.applied[i], speed)
    }

    /// `d(T + V)/dt + λᵀ ġ`.
    fn power(
        &mut self,
        parts: &MechanismParts,
        derivatives: &[ExprId],
        kinetic: ExprId,
        potential: ExprId,
    ) -> ExprId {
        let mut seeds = vec![(InputId(0), self.arena.constant(1.0))];
        seeds.extend(derivatives.iter().zip(1_u32..).map(|(derivative, i)| (InputId(i), *derivative)));
        let energy = self.arena.add(kinetic, potential);
        let mut power = self.arena.derivative_along(&[energy], &seeds)[0];
        for (k, &rate) in parts.velocity.iter().enumerate() {
            let multiplier = of_motion(&mut self.arena, parts.applied.len() + k);
            let term = self.arena.mul(multiplier, rate);
            power = self.arena.add(power, term);
        }
        power
    }
}

impl Compiler<'_> {
    /// The tapes of the energies: one for each mode, or one for all.
    pub(super) fn energies(&self, parts: &MechanismParts) -> Vec<Tape> {
        parts.energies.iter().map(|formulas| self.compile(formulas)).collect()
    }
}
