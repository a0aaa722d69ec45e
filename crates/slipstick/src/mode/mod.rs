//! The state of a run, above all the discrete one: which mode of the automaton holds and which sign each switch is locked to.
//!
//! Index sets of contacts will live here too; a [`Mode`] changes only between steps.

use crate::equations::Locked;

/// The discrete state. It is fixed during a step and changed only by an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Mode {
    /// The index of the automaton's mode.
    pub index: usize,
    /// The locked sign of each switch, +1 or -1.
    pub signs: Vec<f64>,
    /// The counts: whole numbers.
    pub counts: Vec<f64>,
    /// The guards of the switches on whose surfaces the motion slides, ascending.
    pub sliding: Vec<usize>,
    /// While a mechanism does not meet its constraints yet: for each, the side on which its surface is approached from, or zero once that is
    /// met. Empty when all constraints are met.
    pub reaching: Vec<f64>,
}

/// What changes during a run, at one time: the continuous state and the discrete one.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The time.
    pub t: f64,
    /// The continuous state, flat.
    pub y: Vec<f64>,
    /// The discrete state.
    pub mode: Mode,
}

impl Mode {
    /// The given mode with all switches undecided (+1 until the start values decide) and all counts at zero.
    pub fn new(index: usize, switches: usize, counts: usize) -> Self {
        let (signs, counts) = (vec![1.0; switches], vec![0.0; counts]);
        Self { index, signs, counts, sliding: Vec::new(), reaching: Vec::new() }
    }

    /// The view that equations are evaluated with.
    pub fn locked(&self) -> Locked<'_> {
        Locked { mode: self.index, signs: &self.signs, counts: &self.counts, rows: None }
    }
}
