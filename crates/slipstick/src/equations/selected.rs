//! The tapes of the constraints that hold: what an open joint has in them is not computed.

use super::ActiveRows;
use super::constraint_tapes::ConstraintTapes;
use super::mechanism::{MechanismTapes, Places, Turning};
use crate::expr::{Dependencies, Tape};
use std::sync::OnceLock;

/// Tapes are kept for this many sets of constraints: joints shut and open again and again.
const MOST_KEPT: usize = 8;

/// The tapes of sets of constraints that have held, the last one first.
#[derive(Clone, Debug, Default)]
pub(super) struct Selected {
    kept: Vec<(ActiveRows, MechanismTapes)>,
    /// What parts of the tapes need, once there was a part to be made.
    index: Option<Box<PartIndex>>,
}

/// Of the tapes of all constraints, what the outputs of each need of the others, and which outputs belong to a
/// constraint: a part for some constraints takes as long as these do.
#[derive(Clone, Debug)]
struct PartIndex {
    /// Of the terms, and what goes on from them.
    terms: Dependencies,
    driving: Dependencies,
    jacobian: Dependencies,
    residuals: Dependencies,
    positions: Dependencies,
    rates: Dependencies,
    slopes: Dependencies,
    tangent: Dependencies,
    feedback: Dependencies,
}

/// The numbers of outputs by constraints, in each list of places.
#[derive(Clone, Debug)]
pub(super) struct RowIndex {
    gradients: ByConstraint,
    levels: ByConstraint,
    offsets: ByConstraint,
    slopes: ByConstraint,
    feedback: ByConstraint,
}

/// For each constraint the numbers of its outputs, ascending.
#[derive(Clone, Debug)]
struct ByConstraint {
    starts: Vec<usize>,
    numbers: Vec<usize>,
}

impl ByConstraint {
    fn new(constraints: usize, of: impl Iterator<Item = usize> + Clone) -> Self {
        let mut starts = vec![0; constraints + 1];
        of.clone().for_each(|constraint| starts[constraint + 1] += 1);
        for k in 0..constraints {
            starts[k + 1] += starts[k];
        }
        let (mut next, mut numbers) = (starts.clone(), vec![0; starts[constraints]]);
        for (number, constraint) in of.enumerate() {
            numbers[next[constraint]] = number;
            next[constraint] += 1;
        }
        Self { starts, numbers }
    }

    /// The numbers of the outputs of constraints that hold, ascending.
    fn of(&self, rows: &ActiveRows) -> Vec<usize> {
        let own = |&k: &usize| self.numbers[self.starts[k]..self.starts[k + 1]].iter().copied();
        let mut numbers: Vec<usize> = rows.constraints().iter().flat_map(own).collect();
        numbers.sort_unstable();
        numbers
    }
}

impl RowIndex {
    fn of(places: &Places, constraints: usize) -> Self {
        let entries =
            |list: &[(usize, usize)]| ByConstraint::new(constraints, list.iter().map(|&(row, _)| row));
        let rows = |list: &[usize]| ByConstraint::new(constraints, list.iter().copied());
        Self {
            gradients: entries(&places.gradients),
            levels: rows(&places.levels),
            offsets: rows(&places.offsets),
            slopes: entries(&places.slopes),
            feedback: entries(&places.feedback),
        }
    }
}

impl PartIndex {
    fn of(all: &MechanismTapes) -> Self {
        let alone = |tape: &Tape| Dependencies::of(&[tape]);
        Self {
            terms: Dependencies::of(&[&all.terms, &all.residuals_of_terms, &all.turns]),
            driving: alone(&all.driving),
            jacobian: alone(&all.rows.jacobian),
            residuals: alone(&all.rows.residuals),
            positions: alone(&all.rows.positions),
            rates: alone(&all.rows.rates),
            slopes: alone(&all.rows.slopes),
            tangent: alone(&all.tangent),
            feedback: alone(&all.feedback),
        }
    }
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
        let tapes = if let Some(place) = known {
            self.kept.remove(place).1
        } else {
            let index = self.index.get_or_insert_with(|| Box::new(PartIndex::of(all)));
            all.select(rows, index)
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
        let index = self.index.get_or_init(|| RowIndex::of(self, rows.of_all()));
        let (gradients, gradient_places) = entries_of((&self.gradients, &index.gradients), rows);
        let (levels, level_places) = rows_of((&self.levels, &index.levels), rows);
        let (offsets, offset_places) = rows_of((&self.offsets, &index.offsets), rows);
        let (slopes, slope_places) = entries_of((&self.slopes, &index.slopes), rows);
        let (feedback, feedback_places) = entries_of((&self.feedback, &index.feedback), rows);
        // Both are in the order of the entries of `G`.
        let own = |(number, of): (usize, &usize)| {
            let k = self.turning.binary_search_by_key(of, |turning| turning.number).ok()?;
            Some((k, Turning { number, states: self.turning[k].states.clone() }))
        };
        let (turning, turning_places) = gradients.iter().enumerate().filter_map(own).unzip();
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
            index: OnceLock::new(),
        };
        (Kept { gradients, levels, offsets, slopes, feedback, turning }, places)
    }
}

/// The entries of matrices in the rows of constraints that hold: their numbers, and their places there.
fn entries_of(
    (places, index): (&[(usize, usize)], &ByConstraint),
    rows: &ActiveRows,
) -> (Vec<usize>, Vec<(usize, usize)>) {
    let own = |k: usize| Some((k, (rows.row(places[k].0)?, places[k].1)));
    index.of(rows).into_iter().filter_map(own).unzip()
}

/// The same of lists by constraints.
fn rows_of((places, index): (&[usize], &ByConstraint), rows: &ActiveRows) -> (Vec<usize>, Vec<usize>) {
    index.of(rows).into_iter().filter_map(|k| Some((k, rows.row(places[k])?))).unzip()
}

/// The first outputs, and of those from a place on the ones that are named.
fn outputs(first: usize, parts: &[(usize, &[usize])]) -> Vec<usize> {
    let named = parts.iter().flat_map(|(from, numbers)| numbers.iter().map(move |number| from + number));
    (0..first).chain(named).collect()
}

impl MechanismTapes {
    /// The tapes of some constraints, over the same registers.
    fn select(&self, rows: &ActiveRows, index: &PartIndex) -> Self {
        let (kept, places) = self.places.select(rows);
        let (n, holonomic) = (self.coordinates, self.rows.positions.output_count());
        let forces = places.masses.len() + places.forces.len();
        let (of_positions, of_all) = (&rows.constraints()[..rows.holonomic()], rows.constraints());
        let levels = self.driving.output_count();
        let turns = if self.turns.output_count() > 0 { &kept.gradients[..] } else { &[] };
        let [terms, residuals_of_terms, turns] = Tape::select(
            [&self.terms, &self.residuals_of_terms, &self.turns],
            &index.terms,
            [
                &outputs(forces, &[(forces, &kept.gradients), (levels, &kept.levels)]),
                &outputs(0, &[(0, of_positions), (holonomic, &kept.offsets)]),
                turns,
            ],
        );
        let part = |tape: &Tape, needs: &Dependencies, first: usize, parts: &[(usize, &[usize])]| {
            let [part] = Tape::select([tape], needs, [&outputs(first, parts)]);
            part
        };
        let offsets = (self.rows.jacobian.output_count(), &kept.offsets[..]);
        Self {
            constraints: of_all.iter().map(|&k| self.constraints[k].clone()).collect(),
            coordinates: n,
            states: self.states,
            places,
            terms,
            driving: part(&self.driving, &index.driving, forces, &[(forces, &kept.gradients)]),
            residuals_of_terms,
            turns,
            rows: ConstraintTapes {
                jacobian: part(&self.rows.jacobian, &index.jacobian, 0, &[(0, &kept.gradients)]),
                residuals: part(
                    &self.rows.residuals,
                    &index.residuals,
                    0,
                    &[(0, of_positions), (holonomic, of_all)],
                ),
                positions: part(&self.rows.positions, &index.positions, 0, &[(0, of_positions)]),
                rates: part(&self.rows.rates, &index.rates, 0, &[(0, &kept.gradients), offsets]),
                slopes: part(&self.rows.slopes, &index.slopes, 0, &[(0, &kept.slopes)]),
                holds: None,
            },
            tangent: part(&self.tangent, &index.tangent, n, &[(n, &kept.turning)]),
            feedback: part(&self.feedback, &index.feedback, 0, &[(0, &kept.feedback)]),
            laws: self.laws.clone(),
            drives: Vec::new(),
        }
    }
}
