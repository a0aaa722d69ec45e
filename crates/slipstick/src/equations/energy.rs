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
use crate::expr::{Arena, ExprId, InputId};
use crate::model::Model;

/// What an energy observer shows first; behind these comes the power of the applied force on each coordinate.
pub const KINETIC: usize = 0;
/// The potential energy.
pub const POTENTIAL: usize = 1;
/// The power that comes in from outside, all in all.
pub const POWER: usize = 2;

/// The formulas for each mode, in which side states have these derivatives; once if they do not matter.
pub(super) fn energies(
    lowering: &mut Lowering<'_>,
    model: &Model,
    parts: &MechanismParts,
    derivatives: &Derivatives,
) -> Vec<Vec<ExprId>> {
    let (kinetic, potential) = (kinetic(lowering, model, parts), potential(lowering, model));
    let powers: Vec<ExprId> =
        (0..parts.applied.len()).map(|i| power_of(&mut lowering.arena, parts, i)).collect();
    let differ = derivatives.differ();
    let differs = |input: &InputId| input.index().checked_sub(1).and_then(|i| differ.get(i)) == Some(&true);
    let modes = if lowering.arena.inputs_of(&[kinetic, potential]).iter().any(differs) {
        derivatives.modes()
    } else {
        1
    };
    let in_mode = |mode: usize| {
        let power = power(&mut lowering.arena, parts, &derivatives.in_mode(mode), (kinetic, potential));
        [kinetic, potential, power].into_iter().chain(powers.iter().copied()).collect()
    };
    (0..modes).map(in_mode).collect()
}

/// What is written, and half of `vᵀ M v` for the entries of `inertia`.
fn kinetic(lowering: &mut Lowering<'_>, model: &Model, parts: &MechanismParts) -> ExprId {
    let n = parts.applied.len();
    let mut sum = match &model.mechanism.kinetic {
        Some(kinetic) => lowering.plain(kinetic),
        None => lowering.arena.constant(0.0),
    };
    if let Some(of_trees) = parts.kinetic_of_trees {
        sum = lowering.arena.add(sum, of_trees);
    }
    for &FormulaEntry { row: i, column: j, value: mass } in &parts.entries {
        let (a, b) = (input(&mut lowering.arena, 1 + n + i), input(&mut lowering.arena, 1 + n + j));
        let half = lowering.arena.constant(if i == j { 0.5 } else { 1.0 });
        let product = lowering.arena.mul(a, b);
        let weighed = lowering.arena.mul(mass, product);
        let term = lowering.arena.mul(half, weighed);
        sum = lowering.arena.add(sum, term);
    }
    sum
}

fn potential(lowering: &mut Lowering<'_>, model: &Model) -> ExprId {
    match &model.mechanism.potential {
        Some(potential) => lowering.plain(potential),
        None => lowering.arena.constant(0.0),
    }
}

fn power_of(arena: &mut Arena, parts: &MechanismParts, i: usize) -> ExprId {
    let speed = input(arena, 1 + parts.applied.len() + i);
    arena.mul(parts.applied[i], speed)
}

/// `d(T + V)/dt + λᵀ ġ`.
fn power(
    arena: &mut Arena,
    parts: &MechanismParts,
    derivatives: &[ExprId],
    (kinetic, potential): (ExprId, ExprId),
) -> ExprId {
    let mut seeds = vec![(InputId(0), arena.constant(1.0))];
    seeds.extend(derivatives.iter().zip(1_u32..).map(|(derivative, i)| (InputId(i), *derivative)));
    let energy = arena.add(kinetic, potential);
    let mut power = arena.derivative_along(&[energy], &seeds)[0];
    for (k, &rate) in parts.velocity.iter().enumerate() {
        let multiplier = of_motion(arena, parts.applied.len() + k);
        let term = arena.mul(multiplier, rate);
        power = arena.add(power, term);
    }
    power
}
