//! The numbers of laws: of contacts, and of impulses that events give.

use super::inputs::load;
use super::tapes::Compiler;
use super::{At, LawsWanted};
use crate::expr::{ExprId, Registers, Tape};

/// Their formulas.
#[derive(Clone, Debug, Default)]
pub(super) struct LawParts {
    /// [`LAW_NUMBERS`](super::LAW_NUMBERS) for each contact.
    pub(super) contacts: Vec<ExprId>,
    /// [`impulse_numbers`](super::impulse_numbers) for each event with an impulse.
    pub(super) impulses: Vec<ExprId>,
}

impl LawParts {
    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut ExprId> {
        self.contacts.iter_mut().chain(&mut self.impulses)
    }
}

/// The same, compiled.
#[derive(Clone, Debug)]
pub(super) struct LawTapes {
    contacts: Tape,
    impulses: Tape,
}

/// The scratch to run them.
pub(super) struct LawRegisters {
    contacts: Registers,
    impulses: Registers,
}

impl LawTapes {
    pub(super) fn compile(compiler: &mut Compiler<'_>, parts: &LawParts) -> Self {
        Self { contacts: compiler.compile(&parts.contacts), impulses: compiler.compile(&parts.impulses) }
    }

    pub(super) fn registers(&self) -> LawRegisters {
        LawRegisters { contacts: self.contacts.registers(), impulses: self.impulses.registers() }
    }

    /// The numbers of some laws at a point.
    pub(super) fn run(
        &self,
        registers: &mut LawRegisters,
        (locked, t, y): At<'_>,
        want: LawsWanted,
        out: &mut [f64],
    ) {
        let (tape, registers) = match want {
            LawsWanted::Contacts => (&self.contacts, &mut registers.contacts),
            LawsWanted::Impulses => (&self.impulses, &mut registers.impulses),
        };
        load(registers, t, y, locked);
        tape.run(registers, out);
    }
}
