//! Formulas that are looked at but not integrated: outputs and audited quantities.

use super::Locked;
use super::formula::load;
use crate::expr::{Registers, Tape};

/// A set of formulas with the scratch to evaluate them.
pub struct Observer<'a> {
    tape: &'a Tape,
    parameters: &'a [f64],
    registers: Registers,
    /// Accelerations and multipliers of a mechanism.
    motion: Vec<f64>,
}

impl<'a> Observer<'a> {
    pub(super) fn new(tape: &'a Tape, parameters: &'a [f64]) -> Self {
        Self { tape, parameters, registers: tape.registers(), motion: Vec::new() }
    }

    /// Accelerations and multipliers at the point where the values are asked for next.
    pub fn set_motion(&mut self, motion: &[f64]) {
        self.motion.clear();
        self.motion.extend_from_slice(motion);
    }

    /// The values at a point of a trajectory.
    pub fn observe(&mut self, locked: Locked<'_>, t: f64, y: &[f64], out: &mut [f64]) {
        load(&mut self.registers, t, y, self.parameters, locked);
        let inputs = self.registers.inputs_mut();
        let first = inputs.len() - self.motion.len();
        inputs[first..].copy_from_slice(&self.motion);
        self.tape.run(&mut self.registers, out);
    }
}
