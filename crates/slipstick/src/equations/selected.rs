//! The tapes of the constraints that hold: what an open joint has in them is not computed.

use super::ActiveRows;
use super::constraint_tapes::ConstraintTapes;
use super::mechanism::{MechanismTapes, Places, Turning};
use crate::expr::Tape;

/// Tapes are kept for this many sets of constraints: joints shut and open again and again.
const MOST_KEPT: usize = 8;

/// The tapes of sets of constraints that have held, the last one first.
#[derive(Clone, Debug, Default)]
pub(super) struct Selected {
    kept: Vec<(ActiveRows, MechanismTapes)>,
}

impl Selected {
    /// The tapes for some constraints; all of them if none are named.
    pub(super) fn tapes<'a>(
        &'a mut self,
        all: &'a MechanismTapes,
        rows: Option<&ActiveRows>,
    ) -> &'a MechanismTapes {
        let Some(rows) = rows.filter(|rows| !rows.is_all()) else { return all };
        if self.kept.first().is_none_or(|(last, _)| last != rows) {
            self.bring_first(all, rows);
        }
        &self.kept[0].1
    }

    #[cold]
    fn bring_first(&mut self, all: &MechanismTapes, rows: &ActiveRows) {
        let known = self.kept.iter().position(|(kept, _)| kept == rows);
        let tapes = match known {
            Some(place) => self.kept.remove(place).1,
            None => all.select(rows),
        };
        self.kept.insert(0, (rows.clone(), tapes));
        self.kept.truncate(MOST_KEPT);
    }
}

/// Which of the outputs of tapes belong to constraints that hold, by their numbers in each list.
struct Kept {
    gradients: Vec<usize>,
    levels: Vec<usize>,
    offsets: Vec<usize>,
    slopes: Vec<usize>,
    feedback: Vec<usize>,
    turning: Vec<usize>,
}

impl Places {
    /// The places for some constraints alone.
    pub(super) fn of_rows(&self, rows: &ActiveRows) -> Self {
        self.select(rows).1
    }

    fn select(&self, rows: &ActiveRows) -> (Kept, Self) {
        let (gradients, gradient_places) = entries_of(&self.gradients, rows);
        let (levels, level_places) = rows_of(&self.levels, rows);
        let (offsets, offset_places) = rows_of(&self.offsets, rows);
        let (slopes, slope_places) = entries_of(&self.slopes, rows);
        let (feedback, feedback_places) = entries_of(&self.feedback, rows);
        let own = |(k, turning): (usize, &Turning)| {
            let number = gradients.binary_search(&turning.number).ok()?;
            Some((k, Turning { number, states: turning.states.clone() }))
        };
        let (turning, turning_places) = self.turning.iter().enumerate().filter_map(own).unzip();
        let places = Self {
            masses: self.masses.clone(),
            forces: self.forces.clone(),
            gradients: gradient_places,
            levels: level_places,
            offsets: offset_places,
            slopes: slope_places,
            feedback: feedback_places,
            tangents: self.tangents.clone(),
            turning: turning_places,
        };
        (Kept { gradients, levels, offsets, slopes, feedback, turning }, places)
    }
}

/// The entries of matrices in the rows of constraints that hold: their numbers, and their places there.
fn entries_of(places: &[(usize, usize)], rows: &ActiveRows) -> (Vec<usize>, Vec<(usize, usize)>) {
    let own = |(k, &(row, column)): (usize, &(usize, usize))| Some((k, (rows.row(row)?, column)));
    places.iter().enumerate().filter_map(own).unzip()
}

/// The same of lists by constraints.
fn rows_of(places: &[usize], rows: &ActiveRows) -> (Vec<usize>, Vec<usize>) {
    places.iter().enumerate().filter_map(|(k, &row)| Some((k, rows.row(row)?))).unzip()
}

/// The first outputs, and of those from a place on the ones that are named.
fn outputs(first: usize, parts: &[(usize, &[usize])]) -> Vec<usize> {
    let named = parts.iter().flat_map(|(from, numbers)| numbers.iter().map(move |number| from + number));
    (0..first).chain(named).collect()
}

impl MechanismTapes {
    /// The tapes of some constraints, over the same registers.
    fn select(&self, rows: &ActiveRows) -> Self {
        let (kept, places) = self.places.select(rows);
        let (n, holonomic) = (self.coordinates, self.rows.positions.output_count());
        let forces = places.masses.len() + places.forces.len();
        let (of_positions, of_all) = (&rows.constraints()[..rows.holonomic()], rows.constraints());
        let levels = self.driving.output_count();
        let turns = if self.turns.output_count() > 0 { &kept.gradients[..] } else { &[] };
        let [terms, residuals_of_terms, turns] = Tape::select(
            [&self.terms, &self.residuals_of_terms, &self.turns],
            [
                &outputs(forces, &[(forces, &kept.gradients), (levels, &kept.levels)]),
                &outputs(0, &[(0, of_positions), (holonomic, &kept.offsets)]),
                turns,
            ],
        );
        let part = |tape: &Tape, first: usize, parts: &[(usize, &[usize])]| {
            let [part] = Tape::select([tape], [&outputs(first, parts)]);
            part
        };
        let offsets = (self.rows.jacobian.output_count(), &kept.offsets[..]);
        Self {
            constraints: of_all.iter().map(|&k| self.constraints[k].clone()).collect(),
            coordinates: n,
            states: self.states,
            places,
            terms,
            driving: part(&self.driving, forces, &[(forces, &kept.gradients)]),
            residuals_of_terms,
            turns,
            rows: ConstraintTapes {
                jacobian: part(&self.rows.jacobian, 0, &[(0, &kept.gradients)]),
                residuals: part(&self.rows.residuals, 0, &[(0, of_positions), (holonomic, of_all)]),
                positions: part(&self.rows.positions, 0, &[(0, of_positions)]),
                rates: part(&self.rows.rates, 0, &[(0, &kept.gradients), offsets]),
                slopes: part(&self.rows.slopes, 0, &[(0, &kept.slopes)]),
                holds: None,
            },
            tangent: part(&self.tangent, n, &[(n, &kept.turning)]),
            feedback: part(&self.feedback, 0, &[(0, &kept.feedback)]),
            laws: self.laws.clone(),
            drives: Vec::new(),
        }
    }
}
