//! The Taylor series of accelerations and multipliers: `M a + Gᵀ λ = f`, `G a = γ`, one order at a time.
//!
//! At order k the unknowns stand before the same matrix as at order zero; all other products of coefficients
//! are known. So the matrix is inverted once, in full. Only constraints that hold have rows. Those that
//! follow from others have no pivot: their multipliers are zero, and the accelerations are the same without
//! them. The bound of a solution x is `|K⁻¹| |r - K x|`, where the residual has all errors of the terms in
//! it.

use super::ActiveRows;
use super::expand::HIGHEST_ORDER;
use super::mechanism::{MechanismTapes, Places};
use crate::expr::{Inexact, Series, UNIT_ROUNDOFF};
use crate::math::{Matrix, Saddle};

/// How many coefficients each series has.
const ORDERS: usize = HIGHEST_ORDER + 1;

/// A mechanism with more unknowns has no series: its matrix is inverted in full, which takes the third power
/// of this.
const MOST_UNKNOWNS: usize = 200;

/// The motion of a mechanism at one point.
pub(super) struct MechanismSeries {
    pub(super) terms: Series,
    coordinates: usize,
    /// The constraints that have rows; none if all do.
    rows: Option<ActiveRows>,
    places: Places,
    /// Accelerations and behind them multipliers, by orders.
    unknowns: Vec<Inexact>,
    /// The matrix and its inverse, by rows.
    matrix: Vec<Inexact>,
    inverse: Vec<f64>,
    /// `M` and `G`, where their entries are in the whole matrix, and what solves with them.
    blocks: [Matrix; 2],
    slots: Vec<usize>,
    saddle: Saddle,
    right: Vec<Inexact>,
}

impl Places {
    /// The entries of the matrix with their outputs: `M`, `G` below it and `Gᵀ` beside it.
    fn entries(&self, coordinates: usize) -> impl Iterator<Item = ((usize, usize), usize)> + '_ {
        let first = self.masses.len() + self.forces.len();
        let masses = self.masses.iter().copied().zip(0..);
        let gradients = self.gradients.iter().zip(first..).flat_map(move |(&(row, column), output)| {
            let below = coordinates + row;
            [((below, column), output), ((column, below), output)]
        });
        masses.chain(gradients)
    }

    /// The entries of the right-hand side with their outputs: forces and levels.
    fn right(&self, coordinates: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let last = self.masses.len() + self.forces.len() + self.gradients.len();
        let levels = self.levels.iter().map(move |row| coordinates + row).zip(last..);
        self.forces.iter().copied().zip(self.masses.len()..).chain(levels)
    }
}

impl MechanismTapes {
    /// The motion of a mechanism with this many states, from its tapes for some rows; none if it is too large
    /// or forces depend on multipliers.
    pub(super) fn series(&self, states: usize, rows: Option<&ActiveRows>) -> Option<MechanismSeries> {
        let (n, m) = (self.coordinates, self.constraints.len());
        let (masses, gradients) = (&self.places.masses, &self.places.gradients);
        let (size, blocks) =
            (n + m, [Matrix::with_places(n, n, masses), Matrix::with_places(m, n, gradients)]);
        let slots = |first: usize, block: &Matrix| -> Vec<usize> {
            block.places().map(|(row, column)| (first + row) * size + column).collect()
        };
        let slots = [slots(0, &blocks[0]), slots(n, &blocks[1])].concat();
        (size <= MOST_UNKNOWNS && self.places.feedback.is_empty()).then(|| MechanismSeries {
            terms: Series::new(&self.terms, HIGHEST_ORDER - 1, &|input| input <= states),
            unknowns: vec![Inexact::ZERO; size * ORDERS],
            matrix: vec![Inexact::ZERO; size * size],
            inverse: vec![0.0; size * size],
            saddle: Saddle::new(&blocks[0], &blocks[1]),
            blocks,
            slots,
            right: vec![Inexact::ZERO; size],
            coordinates: self.coordinates,
            rows: rows.filter(|rows| !rows.is_all()).cloned(),
            places: self.places.clone(),
        })
    }
}

impl MechanismSeries {
    /// How many accelerations and multipliers there are.
    pub(super) fn len(&self) -> usize {
        self.right.len()
    }

    /// How many accelerations, multipliers of all constraints and reactions formulas have as inputs.
    pub(super) fn input_count(&self) -> usize {
        2 * self.coordinates + self.rows.as_ref().map_or(self.len() - self.coordinates, ActiveRows::of_all)
    }

    /// The coefficient of such an input; reactions are not known.
    pub(super) fn input(&self, input: usize, order: usize) -> Inexact {
        match (&self.rows, input.checked_sub(self.coordinates)) {
            (Some(rows), Some(constraint)) if constraint < rows.of_all() => rows
                .row(constraint)
                .map_or(Inexact::ZERO, |row| self.coefficient(self.coordinates + row, order)),
            (Some(_), Some(_)) => Inexact::UNDEFINED,
            _ => self.coefficient(input, order),
        }
    }

    /// All unknowns at order zero.
    pub(super) fn forces(&self) -> impl Iterator<Item = Inexact> + '_ {
        self.unknowns.iter().step_by(ORDERS).copied()
    }

    /// Takes over what was found before at the same point for order zero.
    pub(super) fn recall(&mut self, forces: &[Inexact]) {
        let places = self.unknowns.iter_mut().step_by(ORDERS);
        places.zip(forces).for_each(|(place, force)| *place = *force);
    }

    fn coefficient(&self, unknown: usize, order: usize) -> Inexact {
        self.unknowns.get(unknown * ORDERS + order).copied().unwrap_or(Inexact::UNDEFINED)
    }

    /// Finds one order of all unknowns, from that of the terms' inputs and from the orders below.
    pub(super) fn extend(&mut self, order: usize) {
        self.terms.extend(order);
        if order == 0 {
            self.invert();
        }
        self.find_right(order);
        self.solve(order);
    }

    fn term(&self, output: usize, order: usize) -> Inexact {
        self.terms.output(output, order).unwrap_or(Inexact::UNDEFINED)
    }

    fn invert(&mut self) {
        let size = self.len();
        self.matrix.fill(Inexact::ZERO);
        for ((row, column), output) in self.places.entries(self.coordinates) {
            self.matrix[row * size + column] = self.terms.output(output, 0).unwrap_or(Inexact::UNDEFINED);
        }
        let [mass, gradients] = &mut self.blocks;
        let values = mass.values.iter_mut().chain(&mut gradients.values);
        values.zip(&self.slots).for_each(|(to, &slot)| *to = self.matrix[slot].value);
        let is_factored = self.saddle.factor(mass, gradients).is_ok();
        for (k, row) in self.inverse.chunks_mut(size.max(1)).enumerate() {
            row.fill(if is_factored { 0.0 } else { f64::NAN });
            if is_factored {
                row[k] = 1.0;
                let (force, level) = row.split_at_mut(self.coordinates);
                self.saddle.solve(force, level);
            }
        }
    }

    /// The right-hand side less what is known of the products.
    fn find_right(&mut self, order: usize) {
        let mut right = std::mem::take(&mut self.right);
        right.fill(Inexact::ZERO);
        for (row, output) in self.places.right(self.coordinates) {
            right[row] = self.term(output, order);
        }
        for ((row, column), output) in self.places.entries(self.coordinates) {
            for k in 1..=order {
                let product = self.term(output, k) * self.coefficient(column, order - k);
                right[row] = right[row] - product;
            }
        }
        self.right = right;
    }

    fn solve(&mut self, order: usize) {
        let size = self.len();
        for (x, row) in self.inverse.chunks(size.max(1)).enumerate() {
            let value = row.iter().zip(&self.right).map(|(inverse, right)| inverse * right.value).sum();
            self.unknowns[x * ORDERS + order] = Inexact::exact(value);
        }
        // What is left with these unknowns, and how much of that may be wrong.
        for row in 0..size {
            let mut left = self.right[row];
            for column in 0..size {
                let entry = self.matrix[row * size + column];
                if entry != Inexact::ZERO {
                    left = left - entry * self.unknowns[column * ORDERS + order];
                }
            }
            self.right[row] = Inexact::exact(left.value.abs() + left.bound);
        }
        for (x, row) in self.inverse.chunks(size.max(1)).enumerate() {
            let left: f64 =
                row.iter().zip(&self.right).map(|(inverse, left)| inverse.abs() * left.value).sum();
            let unknown = &mut self.unknowns[x * ORDERS + order];
            unknown.bound = left + UNIT_ROUNDOFF * unknown.value.abs();
        }
    }
}
