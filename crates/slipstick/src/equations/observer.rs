//! What is looked at but not integrated: outputs, audited quantities, energies, forces in joints.

use super::Locked;
use super::closure_energy::ClosureEnergy;
use super::inputs::load;
use crate::expr::{Registers, Tape};

/// A set of quantities with the scratch to evaluate them.
pub struct Observer<'a> {
    kind: Observed<'a>,
    /// Accelerations and multipliers of a mechanism.
    motion: Vec<f64>,
}

/// Formulas, or the energy of a mechanism in closures.
enum Observed<'a> {
    Formulas {
        tape: &'a Tape,
        registers: Registers,
    },
    Energy(Box<ClosureEnergy<'a>>),
    /// What stands behind the accelerations, of which there are so many.
    Forces {
        speeds: usize,
    },
}

impl<'a> Observer<'a> {
    pub(super) fn new(tape: &'a Tape) -> Self {
        let kind = Observed::Formulas { tape, registers: tape.registers() };
        Self { kind, motion: Vec::new() }
    }

    pub(super) fn of_energy(energy: ClosureEnergy<'a>) -> Self {
        Self { kind: Observed::Energy(Box::new(energy)), motion: Vec::new() }
    }

    /// The multipliers of a mechanism with so many speeds, and behind them the reactions.
    pub fn of_forces(speeds: usize) -> Self {
        Self { kind: Observed::Forces { speeds }, motion: Vec::new() }
    }

    /// Accelerations and multipliers at the point where the values are asked for next.
    pub fn set_motion(&mut self, motion: &[f64]) {
        self.motion.clear();
        self.motion.extend_from_slice(motion);
    }

    /// The values at a point of a trajectory.
    pub fn observe(&mut self, locked: Locked<'_>, t: f64, y: &[f64], out: &mut [f64]) {
        match &mut self.kind {
            Observed::Formulas { tape, registers } => {
                load(registers, t, y, locked);
                let inputs = registers.inputs_mut();
                let first = inputs.len() - self.motion.len();
                inputs[first..].copy_from_slice(&self.motion);
                tape.run(registers, out);
            }
            Observed::Energy(energy) => energy.observe(locked, (t, y), &self.motion, out),
            Observed::Forces { speeds } => out.copy_from_slice(&self.motion[*speeds..]),
        }
    }
}
