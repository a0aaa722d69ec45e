//! The mass matrix of a model, `M(t, y) y' = f`, as tapes: its entries, and for one that varies its
//! derivatives by time and states.

use super::inputs::load;
use super::tapes::Compiler;
use super::{At, MassKind};
use crate::expr::{ExprId, Registers, Tape, gradients};
use crate::model::{Model, Scope};
use std::ops::Range;

/// The entries of the mass matrix that are not those of the identity.
#[derive(Clone, Debug)]
pub(super) struct MassTape {
    pub(super) kind: MassKind,
    /// Whether each row is given; the others are those of the identity.
    given: Vec<bool>,
    places: Vec<usize>,
    tape: Tape,
    /// The derivatives that are not identically zero: the place of the entry, and the input (0 is time,
    /// states follow).
    slope_places: Vec<(usize, usize)>,
    slopes: Tape,
}

/// The scratch to evaluate them with.
pub(super) struct MassScratch {
    tape: Registers,
    slopes: Registers,
    out: Vec<f64>,
}

impl MassTape {
    /// Compiles that of a model, if it has one; `fixed` tells which inputs do not change during a run.
    pub(super) fn compile(compiler: &mut Compiler<'_>, model: &Model, fixed: &Range<usize>) -> Option<Self> {
        let n = model.states.len();
        if model.mass.is_empty() {
            return None;
        }
        let scope = Scope::new(model);
        let mut given = vec![false; n];
        let mut places = Vec::new();
        for definition in &model.mass {
            let (row, column) = scope.mass_place(&definition.name)?;
            given[row] = true;
            places.push(row * n + column);
        }
        // Parameters do not change during a run; time, states, switch signs and counts do.
        let entries = &compiler.bound.parts.mass;
        let constant = compiler.arena.inputs_of(entries).iter().all(|input| fixed.contains(&input.index()));
        let kind = if constant { MassKind::Constant } else { MassKind::Varying };
        let (slope_places, slopes) = mass_slopes(compiler, &places, n);
        let (tape, slopes) = (compiler.compile(entries), compiler.compile(&slopes));
        Some(Self { kind, given, places, tape, slope_places, slopes })
    }

    pub(super) fn scratch(&self) -> MassScratch {
        let longest = self.places.len().max(self.slope_places.len());
        let (tape, slopes) = (self.tape.registers(), self.slopes.registers());
        MassScratch { tape, slopes, out: vec![0.0; longest] }
    }

    pub(super) fn matrix(&self, scratch: &mut MassScratch, (locked, t, y): At<'_>, mass: &mut [f64]) {
        load(&mut scratch.tape, t, y, locked);
        let out = &mut scratch.out[..self.places.len()];
        self.tape.run(&mut scratch.tape, out);
        mass.fill(0.0);
        let n = self.given.len();
        for row in (0..n).filter(|&row| !self.given[row]) {
            mass[row * n + row] = 1.0;
        }
        for (&place, value) in self.places.iter().zip(out) {
            mass[place] = *value;
        }
    }

    /// `∂(M rate)/∂y` by rows, and `∂(M rate)/∂t`.
    pub(super) fn slopes(
        &self,
        scratch: &mut MassScratch,
        (locked, t, y): At<'_>,
        rate: &[f64],
        (by_state, by_time): (&mut [f64], &mut [f64]),
    ) {
        let n = y.len();
        load(&mut scratch.slopes, t, y, locked);
        let out = &mut scratch.out[..self.slope_places.len()];
        self.slopes.run(&mut scratch.slopes, out);
        by_state.fill(0.0);
        by_time.fill(0.0);
        for (&(place, input), value) in self.slope_places.iter().zip(out) {
            let (row, column) = (place / n, place % n);
            let target = if input == 0 { &mut by_time[row] } else { &mut by_state[row * n + input - 1] };
            *target += *value * rate[column];
        }
    }
}

/// The derivatives of the entries by time and by the states, those that are not identically zero.
fn mass_slopes(
    compiler: &mut Compiler<'_>,
    places: &[usize],
    states: usize,
) -> (Vec<(usize, usize)>, Vec<ExprId>) {
    let entries = gradients(compiler.arena, &compiler.bound.parts.mass, |input| input.index() <= states);
    let slopes = places.iter().zip(entries).flat_map(|(&place, entries)| {
        entries.into_iter().map(move |(input, slope)| ((place, input.index()), slope))
    });
    slopes.unzip()
}
