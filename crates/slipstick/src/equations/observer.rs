//! Formulas that are looked at but not integrated: outputs and audited quantities.

use super::Locked;
use super::formula::load;
use crate::expr::{Registers, Tape};

/// A set of formulas with the scratch to evaluate them.
pub struct Observer<'a> {
    tape: &'a Tape,
    parameters: &'a [f64],
    registers: Registers,
}

impl<'a> Observer<'a> {
    pub(super) fn new(tape: &'a Tape, parameters: &'a [f64]) -> Self {
        Self { tape, parameters, registers: tape.registers() }
    }

    /// The values at a point of a trajectory.
    pub fn observe(&mut self, locked: Locked<'_>, t: f64, y: &[f64], out: &mut [f64]) {
        load(&mut self.registers, t, y, self.parameters, locked);
        self.tape.run(&mut self.registers, out);
    }
}
