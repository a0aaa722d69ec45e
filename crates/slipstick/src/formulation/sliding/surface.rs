//! A switching surface: the guard whose zero it is, and what is locked differently on its two sides.

use crate::equations::{Guard, GuardKind};
use crate::mode::Mode;
use crate::model::Direction;

/// What tells the sides of a surface apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SideLock {
    /// The sign of the switch of this index.
    Switch(usize),
    /// A whole number, as that of `floor`: one more on the positive side than `below`.
    Count {
        /// Which count.
        index: usize,
        /// What it is on the negative side.
        below: f64,
    },
    /// The mode: a guard of one leads to the other, and another one back (rule 11).
    Modes {
        /// The mode on the negative side.
        below: usize,
        /// The mode on the positive side.
        above: usize,
        /// The one of the two in which the guard is watched.
        home: usize,
    },
}

/// A switching surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// The index of the guard. That of a count is the one at which it goes up, and has to be looked at with
    /// the count of the negative side.
    pub guard: usize,
    /// What tells its sides apart.
    pub sides: SideLock,
}

impl Surface {
    /// The surface of a guard in a mode, if it has one that can be slid on. A count must be locked to that of
    /// the negative side.
    pub fn of(guards: &[Guard], mode: &Mode, guard: usize) -> Option<Self> {
        let response = &guards[guard].response;
        if let Some(switch) = response.switch {
            return Some(Self::of_switch(guard, switch));
        }
        if let (Some(home), Some(target)) = (guards[guard].mode, response.mode) {
            let falls = guards[guard].direction == Direction::Falling;
            let (below, above) = if falls { (target, home) } else { (home, target) };
            return Some(Self { guard, sides: SideLock::Modes { below, above, home } });
        }
        let count = response.count.filter(|count| count.up && is_jump(&guards[guard]))?;
        Some(Self {
            guard,
            sides: SideLock::Count { index: count.index, below: mode.values.counts[count.index] },
        })
    }

    /// The surface of a switch.
    pub fn of_switch(guard: usize, switch: usize) -> Self {
        Self { guard, sides: SideLock::Switch(switch) }
    }

    /// The switch whose sign tells the side, if it is one.
    pub fn switch(&self) -> Option<usize> {
        match self.sides {
            SideLock::Switch(switch) => Some(switch),
            SideLock::Count { .. } | SideLock::Modes { .. } => None,
        }
    }

    /// Locks a mode to the side with this sign.
    pub fn lock(&self, mode: &mut Mode, sign: f64) {
        match self.sides {
            SideLock::Switch(switch) => mode.values.signs[switch] = sign,
            SideLock::Count { index, below } => {
                mode.values.counts[index] = below + if sign > 0.0 { 1.0 } else { 0.0 };
            }
            SideLock::Modes { below, above, .. } => {
                mode.values.place = if sign > 0.0 { above } else { below };
            }
        }
    }

    /// The sign of the side that a mode is locked to.
    pub fn sign(&self, mode: &Mode) -> f64 {
        match self.sides {
            SideLock::Switch(switch) => mode.values.signs[switch],
            SideLock::Count { index, below } => {
                if mode.values.counts[index] > below {
                    1.0
                } else {
                    -1.0
                }
            }
            SideLock::Modes { above, .. } => {
                if mode.values.place == above {
                    1.0
                } else {
                    -1.0
                }
            }
        }
    }

    /// Locks a mode as it is while the motion slides: a count to that of the negative side, the mode to the
    /// one that watches the guard.
    pub fn rest(&self, mode: &mut Mode) {
        match self.sides {
            SideLock::Switch(_) => {}
            SideLock::Count { index, below } => mode.values.counts[index] = below,
            SideLock::Modes { home, .. } => mode.values.place = home,
        }
    }
}

/// Whether a guard stands for a jump of a whole number that the equations depend on, at a place that the
/// motion comes to.
pub fn is_jump(guard: &Guard) -> bool {
    guard.kind == GuardKind::Surface && guard.response.count.is_some_and(|count| !count.clock)
}
