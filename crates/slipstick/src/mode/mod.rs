//! The discrete state of a run: which mode of the automaton holds and which sign each switch is locked to.
//!
//! Index sets of contacts and sliding sets will live here too; a [`Mode`] changes only between steps.

use crate::equations::Locked;

/// The discrete state. It is fixed during a step and changed only by an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// The index of the automaton's mode.
    pub index: usize,
    /// The locked sign of each switch, +1 or -1.
    pub signs: Vec<f64>,
}

impl Mode {
    /// The given mode with all switches undecided (+1 until the start values decide).
    pub fn new(index: usize, switches: usize) -> Self {
        Self { index, signs: vec![1.0; switches] }
    }

    /// The view that equations are evaluated with.
    pub fn locked(&self) -> Locked<'_> {
        Locked { mode: self.index, signs: &self.signs }
    }
}
