//! The equations of a mechanism, linearised: the stiffness `K_t` and the damping `C_t` of paper 001, equation
//! (19), with masses and gradients.
//!
//! Only entries that can be other than zero are kept, and columns that share no row are found together
//! (`math/colouring.rs`): exactly for formulas, which know their entries, and by differences for closures,
//! which do not. A small mechanism of closures is taken to have an entry everywhere. In a large one those are
//! tried first that follow from the places of mass matrix and gradients; whether they are all is seen along
//! one direction in which everything changes, each time the equations are linearised, and what is missing is
//! found by halves.

use super::env::Env;
use super::index1::Index1;
use super::linear_system::MechanismSizes;
use super::tangent_differences::{TangentDifferences, part};
use super::{MotionPoint, MotionResidual, SecondOrderView};
use crate::equations::{ActiveRows, System};
use crate::math::{Matrix, Saddle, colours};

/// How often entries are looked for at one point.
const MOST_LOOKS: usize = 3;

/// The equations, linearised.
#[derive(Clone, Debug)]
pub struct Tangents {
    /// `M`, and ones for further states.
    pub mass: Matrix,
    /// `K_t`, by changes of positions, and behind it `C_t`, by speeds and further states.
    pub forces: Matrix,
    /// `G`.
    pub gradients: Matrix,
    /// What each multiplier adds to the forces.
    pub feedback: Matrix,
    /// The gradients of the rates of constraints by changes of positions; none where they are not known.
    pub slopes: Matrix,
    /// How often places were added to `forces`.
    pub grown: usize,
    /// Whether the places of `forces` are a guess.
    guessed: bool,
    /// Whether there are terms, or just a field.
    with_terms: bool,
    groups: Vec<Group>,
    /// A change of the state, and how the equations change along it.
    change: Vec<f64>,
    column: Vec<f64>,
    /// Where entries are not known exactly.
    differences: TangentDifferences,
}

/// Columns that are found together, with their entries: row, column, and number.
#[derive(Clone, Debug)]
struct Group {
    columns: Vec<usize>,
    entries: Vec<(usize, usize, usize)>,
    slopes: Vec<(usize, usize, usize)>,
}

impl Tangents {
    /// For a system with some of its constraints, whose motion follows from the terms of one mode, or from a
    /// field alone.
    pub fn new(system: &dyn System, rows: &ActiveRows, with_terms: bool) -> Self {
        Self::of(system, rows, with_terms, false)
    }

    /// The same with the gradients of the velocity residuals, by differences where they are not known: a
    /// constraint is taken to have the same positions in its velocity residual as in its gradient.
    pub fn with_slopes(system: &dyn System, rows: &ActiveRows) -> Self {
        Self::of(system, rows, true, !system.has_formulas())
    }

    fn of(system: &dyn System, active: &ActiveRows, with_terms: bool, slopes_by_differences: bool) -> Self {
        let (layout, m) = (system.layout(), active.len());
        let (n, size) = (layout.v, layout.v + layout.z);
        let (structure, terms) = (system.mechanism(), system.room_for_terms(active));
        let ones = |from: usize| (from..size).map(|i| (i, i));
        let (masses, rows, slopes) = if with_terms {
            let masses = terms.mass.places().chain(ones(n)).collect();
            let rows: Vec<(usize, usize)> = terms.jacobian.places().collect();
            let known = structure.filter(|_| !slopes_by_differences);
            let slopes = known.map_or_else(|| rows.clone(), |known| known.rate_slope_places(active));
            (masses, rows, slopes)
        } else {
            (ones(0).collect::<Vec<_>>(), Vec::new(), Vec::new())
        };
        let places = structure.and_then(|known| known.tangent_places(active));
        let (forces, guessed) = if let Some(places) = places.filter(|_| with_terms) {
            // Positions are as many as speeds there.
            (Matrix::with_places(size, n + size, &places), false)
        } else {
            let few = guess(&terms.mass, &terms.jacobian, size);
            let saves = slopes_by_differences && colours(&few).len() + 1 < n + size;
            let is_guessed = with_terms && (Saddle::is_worth_counting(n, m) || saves);
            (if is_guessed { few } else { Matrix::full(size, n + size) }, is_guessed)
        };
        let pushes: Vec<_> = terms.feedback.places().filter(|_| with_terms).collect();
        let mut mass = Matrix::with_places(size, size, &masses);
        mass.values.fill(1.0);
        let slopes = Matrix::with_places(m, size, &slopes);
        Self {
            mass,
            groups: groups(&forces, &slopes),
            forces,
            gradients: Matrix::with_places(m, size, &rows),
            feedback: Matrix::with_places(m, size, &pushes),
            slopes,
            grown: 0,
            guessed,
            with_terms,
            change: vec![0.0; layout.dimension()],
            column: vec![0.0; size],
            differences: TangentDifferences::new(layout, m, slopes_by_differences),
        }
    }

    /// Whether these are for equations with terms.
    pub fn with_terms(&self) -> bool {
        self.with_terms
    }

    /// How many groups of columns there are: as many evaluations a linearisation by differences takes.
    pub fn evaluations(&self) -> usize {
        self.groups.len()
    }

    /// Room for `M`, `C_t` and `K_t` in one, and for gradients and slopes in one.
    pub fn joined(&self) -> (Matrix, Matrix) {
        let (size, m) = (self.mass.rows(), self.gradients.rows());
        let forces = self.forces.places().map(|place| self.by_unknowns(place));
        let places: Vec<(usize, usize)> = self.mass.places().chain(forces).collect();
        let rows: Vec<(usize, usize)> = self.gradients.places().chain(self.slopes.places()).collect();
        (Matrix::with_places(size, size, &places), Matrix::with_places(m, size, &rows))
    }

    /// The place in a matrix by speeds and further states of one in `forces`.
    pub fn by_unknowns(&self, (row, column): (usize, usize)) -> (usize, usize) {
        let n = self.forces.columns() - self.forces.rows();
        (row, if column < n { column } else { column - n })
    }

    fn grow(&mut self, places: &[(usize, usize)]) {
        let places: Vec<(usize, usize)> = self.forces.places().chain(places.iter().copied()).collect();
        self.forces = Matrix::with_places(self.forces.rows(), self.forces.columns(), &places);
        self.guessed = !self.forces.is_full();
        self.groups = groups(&self.forces, &self.slopes);
        self.grown += 1;
    }
}

/// Coordinates that share an entry of the mass matrix or a constraint are taken to act on each other, by
/// position and by velocity.
fn guess(mass: &Matrix, gradients: &Matrix, size: usize) -> Matrix {
    let n = mass.rows();
    let mut places: Vec<(usize, usize)> = mass.places().collect();
    for row in 0..gradients.rows() {
        let of_row = gradients.places_of(row);
        places.extend(of_row.iter().flat_map(|&i| of_row.iter().map(move |&j| (i, j))));
    }
    let by_speeds: Vec<(usize, usize)> = places.iter().map(|(i, j)| (*i, n + j)).collect();
    places.extend(by_speeds);
    Matrix::with_places(size, n + size, &places)
}

fn groups(forces: &Matrix, slopes: &Matrix) -> Vec<Group> {
    let columns = colours(forces);
    let mut group_of = vec![usize::MAX; forces.columns()];
    for (group, columns) in columns.iter().enumerate() {
        for &column in columns {
            group_of[column] = group;
        }
    }
    let group = |columns| Group { columns, entries: Vec::new(), slopes: Vec::new() };
    let mut groups: Vec<Group> = columns.into_iter().map(group).collect();
    for (number, (row, column)) in forces.places().enumerate() {
        groups[group_of[column]].entries.push((row, column, number));
    }
    for (number, (row, column)) in slopes.places().enumerate() {
        // Without an entry in `forces` a column is in no group: then velocity residuals do not change with it
        // either.
        if let Some(group) = groups.get_mut(group_of[column]) {
            group.slopes.push((row, column, number));
        }
    }
    groups
}

impl SecondOrderView<'_, '_> {
    /// Linearises the equations. `left` is scratch.
    pub fn tangents(&mut self, at: MotionPoint<'_>, left: &mut MotionResidual, out: &mut Tangents) {
        self.flow.counts.jacobians += 1;
        if out.with_terms
            && self
                .flow
                .in_mode()
                .on_form(at.t, at.y, |form, env, _| out.fill_exactly(&mut form.index1, env, at))
                == Some(true)
        {
            return;
        }
        for _ in 0..MOST_LOOKS {
            self.tangents_by_differences(at, left, out);
            let missing = if out.guessed { self.missing_places(at, left, out) } else { Vec::new() };
            if missing.is_empty() {
                return;
            }
            out.grow(&missing);
        }
    }

    /// Group by group, by forward differences.
    fn tangents_by_differences(
        &mut self,
        at: MotionPoint<'_>,
        left: &mut MotionResidual,
        out: &mut Tangents,
    ) {
        self.residual(at, left);
        let Tangents { groups, differences, forces, slopes, .. } = out;
        differences.begin(at.y, left);
        for group in groups {
            self.step_beside(at, group.columns.iter().map(|&column| (column, 1.0)), left, differences);
            differences.fill_forces(&group.entries, left, forces);
            differences.fill_slopes(&group.slopes, left, slopes);
        }
    }

    /// The residual where some columns have changed by multiples of their steps.
    fn step_beside(
        &mut self,
        at: MotionPoint<'_>,
        columns: impl Iterator<Item = (usize, f64)>,
        left: &mut MotionResidual,
        differences: &mut TangentDifferences,
    ) {
        let shift = |q: &mut [f64], change: &[f64]| self.flow.evaluator.shift_positions(at.t, q, change);
        let beside = differences.step_beside(at.y, columns, shift);
        self.residual(MotionPoint { y: beside, ..at }, left);
    }

    /// The places of entries that are not there, among all columns: those in which nothing is missed are
    /// left, others halved.
    fn missing_places(
        &mut self,
        at: MotionPoint<'_>,
        left: &mut MotionResidual,
        out: &mut Tangents,
    ) -> Vec<(usize, usize)> {
        let Tangents { differences, forces, mass, gradients, .. } = out;
        differences.find_sizes(at, mass, gradients);
        let (mut found, mut ranges) = (Vec::new(), Vec::new());
        let mut next = Some(0..forces.columns());
        while let Some(range) = next.take().or_else(|| ranges.pop()) {
            self.step_beside(at, range.clone().map(|column| (column, part(column))), left, differences);
            let mut rows = differences.missed_rows(forces, &left.motion, range.clone()).peekable();
            if rows.peek().is_none() {
                continue;
            }
            if range.len() == 1 {
                found.extend(rows.map(|row| (row, range.start)));
            } else {
                let middle = range.start.midpoint(range.end);
                ranges.extend([range.start..middle, middle..range.end]);
            }
        }
        found
    }
}

/// Where stiffness and damping are known exactly.
impl Tangents {
    /// The tangents with the terms of a form; false if they are not known exactly.
    fn fill_exactly(&mut self, form: &mut Index1, env: &mut Env<'_>, at: MotionPoint<'_>) -> bool {
        let terms = &mut form.linear.terms;
        env.terms(at.y, terms);
        // The ones of further states stand after them.
        self.mass.values[..terms.mass.values.len()].copy_from_slice(&terms.mass.values);
        self.gradients.values.copy_from_slice(&terms.jacobian.values);
        self.feedback.values.copy_from_slice(&terms.feedback.values);
        env.rate_slope_entries(at.y, &mut self.slopes.values);
        form.set_motion(env, at);
        let sizes = form.linear.sizes;
        self.fill_motion(sizes, env, at) && self.fill_further_states(sizes, env, at)
    }

    /// Stiffness and damping of the equations of motion.
    fn fill_motion(&mut self, sizes: MechanismSizes, env: &mut Env<'_>, at: MotionPoint<'_>) -> bool {
        let n = sizes.velocities;
        self.change.fill(0.0);
        for group in &self.groups {
            group.columns.iter().for_each(|&column| self.change[column] = 1.0);
            if !env.tangent(at.y, &self.change, &mut self.column[..n]) {
                return false;
            }
            group.columns.iter().for_each(|&column| self.change[column] = 0.0);
            for &(row, _, number) in group.entries.iter().filter(|(row, ..)| *row < n) {
                self.forces.values[number] = self.column[row];
            }
        }
        true
    }

    /// `-∂k/∂y`.
    fn fill_further_states(&mut self, sizes: MechanismSizes, env: &mut Env<'_>, at: MotionPoint<'_>) -> bool {
        let (n, q, states) = (sizes.velocities, sizes.positions, at.y.len());
        if at.rates.len() == n {
            return true;
        }
        for row in n..at.rates.len() {
            self.forces.row_mut(row).fill(0.0);
        }
        env.jacobian_entries(at.y, &mut |place, slope| {
            let slot = (place / states).checked_sub(q).filter(|row| *row >= n);
            if let Some(slot) = slot.and_then(|row| self.forces.slot(row, place % states)) {
                self.forces.values[slot] = -slope;
            }
        })
    }
}
