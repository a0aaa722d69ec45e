//! What evaluates a system: its own evaluator, or for a mechanism one that has the index-1 form around it.

use super::{Multibody, Upkeep};
use crate::equations::{Evaluator, System};

/// What evaluates a system: its own evaluator, or for a mechanism one that finds the accelerations too.
pub(super) enum Engine<'a> {
    Plain(Box<dyn Evaluator + 'a>),
    Mechanism(Box<Multibody<'a>>),
}

impl<'a> Engine<'a> {
    pub(super) fn new(system: &'a dyn System, upkeep: Upkeep) -> Self {
        if system.layout().v > 0 {
            Self::Mechanism(Box::new(Multibody::new(system, upkeep)))
        } else {
            Self::Plain(system.evaluator())
        }
    }

    /// Becomes as new, for another run. What an evaluator keeps follows from what it is given.
    pub(super) fn renew(&mut self) {
        match self {
            Self::Plain(_) => {}
            Self::Mechanism(mechanism) => mechanism.renew(),
        }
    }
}

impl<'a> std::ops::Deref for Engine<'a> {
    type Target = dyn Evaluator + 'a;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Plain(evaluator) => &**evaluator,
            Self::Mechanism(evaluator) => &**evaluator,
        }
    }
}

impl std::ops::DerefMut for Engine<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Plain(evaluator) => &mut **evaluator,
            Self::Mechanism(evaluator) => &mut **evaluator,
        }
    }
}
