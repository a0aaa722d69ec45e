//! The formulas of constraints alone, compiled: their residuals, gradients and velocity residuals, and which
//! of them hold.

use super::inputs::load;
use super::{At, Locked};
use crate::expr::{Registers, Tape};

/// The tapes of constraints.
#[derive(Clone, Debug)]
pub(super) struct ConstraintTapes {
    /// `G`.
    pub(super) jacobian: Tape,
    /// Those of positions, and behind them those of velocities.
    pub(super) residuals: Tape,
    /// Those of positions alone.
    pub(super) positions: Tape,
    /// `G`, and the offsets.
    pub(super) rates: Tape,
    /// The derivatives of the velocity residuals by coordinates.
    pub(super) slopes: Tape,
    /// Whether each constraint holds; none if all always do.
    pub(super) holds: Option<Tape>,
}

/// The scratch to run them with.
#[derive(Clone, Debug)]
pub(super) struct ConstraintScratch {
    jacobian: Registers,
    residuals: Registers,
    positions: Registers,
    rates: Registers,
    slopes: Registers,
    holds: Option<Registers>,
    out: Vec<f64>,
}

impl ConstraintTapes {
    pub(super) fn scratch(&self) -> ConstraintScratch {
        let held = self.holds.as_ref().map_or(0, Tape::output_count);
        let longest = held.max(self.residuals.output_count()).max(self.rates.output_count());
        ConstraintScratch {
            jacobian: self.jacobian.registers(),
            residuals: self.residuals.registers(),
            positions: self.positions.registers(),
            rates: self.rates.registers(),
            slopes: self.slopes.registers(),
            holds: self.holds.as_ref().map(Tape::registers),
            out: vec![0.0; longest],
        }
    }

    /// Tells which constraints hold while everything discrete stays as it is; the state does not matter.
    pub(super) fn joints(
        &self,
        scratch: &mut ConstraintScratch,
        (locked, nowhere): (Locked<'_>, &[f64]),
        shut: &mut [bool],
    ) {
        let (Some(tape), Some(registers)) = (&self.holds, &mut scratch.holds) else {
            return shut.fill(true);
        };
        load(registers, 0.0, nowhere, locked);
        let out = &mut scratch.out[..shut.len()];
        tape.run(registers, out);
        shut.iter_mut().zip(out).for_each(|(shut, holds)| *shut = *holds != 0.0);
    }

    /// `G`.
    pub(super) fn gradients(&self, scratch: &mut ConstraintScratch, at: At<'_>, gradients: &mut [f64]) {
        let (locked, t, y) = at;
        load(&mut scratch.jacobian, t, y, locked);
        self.jacobian.run(&mut scratch.jacobian, gradients);
    }

    /// The residuals of positions and of velocities.
    pub(super) fn residuals(
        &self,
        scratch: &mut ConstraintScratch,
        at: At<'_>,
        (position, velocity): (&mut [f64], &mut [f64]),
    ) {
        let (locked, t, y) = at;
        load(&mut scratch.residuals, t, y, locked);
        let out = &mut scratch.out[..position.len() + velocity.len()];
        self.residuals.run(&mut scratch.residuals, out);
        position.copy_from_slice(&out[..position.len()]);
        velocity.copy_from_slice(&out[position.len()..]);
    }

    /// The residuals of positions alone.
    pub(super) fn positions(&self, scratch: &mut ConstraintScratch, at: At<'_>, position: &mut [f64]) {
        let (locked, t, y) = at;
        load(&mut scratch.positions, t, y, locked);
        self.positions.run(&mut scratch.positions, position);
    }

    /// `G`, and the offsets of velocity residuals that are more than `G v`.
    pub(super) fn rates<'s>(
        &self,
        scratch: &'s mut ConstraintScratch,
        at: At<'_>,
        gradients: &mut [f64],
    ) -> &'s [f64] {
        let (locked, t, y) = at;
        load(&mut scratch.rates, t, y, locked);
        let out = &mut scratch.out[..self.rates.output_count()];
        self.rates.run(&mut scratch.rates, out);
        let (of_gradients, offsets) = out.split_at(gradients.len());
        gradients.copy_from_slice(of_gradients);
        offsets
    }

    /// The derivatives of the velocity residuals by coordinates.
    pub(super) fn slopes(&self, scratch: &mut ConstraintScratch, at: At<'_>, slopes: &mut [f64]) {
        let (locked, t, y) = at;
        load(&mut scratch.slopes, t, y, locked);
        self.slopes.run(&mut scratch.slopes, slopes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Arena, InputId, parse};

    /// The constraint `x² + y² = 4` of positions `x`, `y` with velocities `u`, `v`; it holds in mode 1.
    fn circle() -> ConstraintTapes {
        let mut arena = Arena::new();
        // Time, four states, the index of the mode.
        let ids = [0, 1, 2, 3, 4, 5].map(|n| arena.input(InputId(n)));
        let mut tape = |texts: &[&str]| {
            let mut lower = |text: &&str| {
                let mut resolve = |name: &str| "txyuvm".find(name).map(|k| ids[k]);
                parse(text).unwrap().lower(&mut arena, &mut resolve).unwrap()
            };
            let outputs: Vec<_> = texts.iter().map(&mut lower).collect();
            Tape::compile(&arena, 6, &outputs)
        };
        ConstraintTapes {
            jacobian: tape(&["2 * x", "2 * y"]),
            residuals: tape(&["x^2 + y^2 - 4", "2 * x * u + 2 * y * v"]),
            positions: tape(&["x^2 + y^2 - 4"]),
            rates: tape(&["2 * x", "2 * y", "t"]),
            slopes: tape(&["2 * u", "2 * v"]),
            holds: Some(tape(&["if(m == 1, 1, 0)"])),
        }
    }

    #[test]
    fn each_part_is_that_of_the_constraint() {
        let (tapes, y) = (circle(), [1.0, 2.0, 3.0, 4.0]);
        let (mut scratch, at) = (tapes.scratch(), (Locked::default(), 0.5, &y[..]));
        let (mut position, mut velocity, mut gradients, mut slopes) = ([0.0], [0.0], [0.0; 2], [0.0; 2]);
        tapes.residuals(&mut scratch, at, (&mut position, &mut velocity));
        assert_eq!((position, velocity), ([1.0], [22.0]));
        tapes.positions(&mut scratch, at, &mut position);
        tapes.slopes(&mut scratch, at, &mut slopes);
        assert_eq!((position, slopes), ([1.0], [6.0, 8.0]));
        assert_eq!(tapes.rates(&mut scratch, at, &mut gradients), [0.5]);
        assert_eq!(gradients, [2.0, 4.0]);
        tapes.gradients(&mut scratch, at, &mut gradients);
        assert_eq!(gradients, [2.0, 4.0]);
    }

    #[test]
    fn what_holds_depends_on_what_is_discrete() {
        let tapes = circle();
        let (mut scratch, mut shut) = (tapes.scratch(), [true]);
        for mode in [0, 1] {
            let locked = Locked { mode, ..Locked::default() };
            tapes.joints(&mut scratch, (locked, &[0.0; 4]), &mut shut);
            assert_eq!(shut, [mode == 1]);
        }
        let always = ConstraintTapes { holds: None, ..tapes };
        always.joints(&mut always.scratch(), (Locked::default(), &[0.0; 4]), &mut shut);
        assert_eq!(shut, [true]);
    }
}
