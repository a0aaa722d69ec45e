//! The Taylor series of accelerations and multipliers: `M a + Gᵀ λ = f`, `G a = γ`, one order at a time.
//!
//! At order k the unknowns stand before the same matrix as at order zero; all other products of coefficients are known. So the matrix is inverted once,
//! in full. Joints that say nothing, and those that follow from others, have no pivot: their multipliers are zero, and the accelerations are the same
//! without them. The bound of a solution x is `|K⁻¹| |r - K x|`, where the residual has all errors of the terms in it.

use super::expand::HIGHEST_ORDER;
use super::mechanism::MechanismTapes;
use crate::expr::{Inexact, Series, UNIT_ROUNDOFF};

/// How many coefficients each series has.
const ORDERS: usize = HIGHEST_ORDER + 1;

/// A mechanism with more unknowns has no series: its matrix is inverted in full, which takes the third power of this.
const MOST_UNKNOWNS: usize = 200;

/// Pivots below this, in a matrix whose entries are scaled to one, are of rows that follow from others.
const LEAST_PIVOT: f64 = 1e-11;

/// The motion of a mechanism at one point.
pub(super) struct MechanismSeries {
    pub(super) terms: Series,
    places: TermPlaces,
    /// Accelerations and behind them multipliers, by orders.
    unknowns: Vec<Inexact>,
    /// The matrix and its inverse, by rows.
    matrix: Vec<Inexact>,
    inverse: Vec<f64>,
    right: Vec<Inexact>,
}

/// Where the outputs of the terms belong.
struct TermPlaces {
    coordinates: usize,
    constraints: usize,
    masses: Vec<(usize, usize)>,
    forces: Vec<usize>,
    gradients: Vec<(usize, usize)>,
    levels: Vec<usize>,
}

impl TermPlaces {
    fn unknowns(&self) -> usize {
        self.coordinates + self.constraints
    }

    /// The entries of the matrix with their outputs: `M`, `G` below it and `Gᵀ` beside it.
    fn entries(&self) -> impl Iterator<Item = ((usize, usize), usize)> + '_ {
        let first = self.masses.len() + self.forces.len();
        let masses = self.masses.iter().copied().zip(0..);
        let gradients = self.gradients.iter().zip(first..).flat_map(|(&(row, column), output)| {
            let below = self.coordinates + row;
            [((below, column), output), ((column, below), output)]
        });
        masses.chain(gradients)
    }

    /// The entries of the right-hand side with their outputs: forces and levels.
    fn right(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let last = self.masses.len() + self.forces.len() + self.gradients.len();
        let levels = self.levels.iter().map(|row| self.coordinates + row).zip(last..);
        self.forces.iter().copied().zip(self.masses.len()..).chain(levels)
    }
}

impl MechanismTapes {
    /// The motion of the mechanism with so many states; none if it is too large.
    pub(super) fn series(&self, states: usize) -> Option<MechanismSeries> {
        let places = TermPlaces {
            coordinates: self.coordinates,
            constraints: self.constraints.len(),
            masses: self.masses.clone(),
            forces: self.forces.clone(),
            gradients: self.gradients.clone(),
            levels: self.levels.clone(),
        };
        let size = places.unknowns();
        (size <= MOST_UNKNOWNS).then(|| MechanismSeries {
            terms: Series::new(&self.terms, HIGHEST_ORDER - 1, &|input| input <= states),
            unknowns: vec![Inexact::ZERO; size * ORDERS],
            matrix: vec![Inexact::ZERO; size * size],
            inverse: vec![0.0; size * size],
            right: vec![Inexact::ZERO; size],
            places,
        })
    }
}

impl MechanismSeries {
    /// How many accelerations and multipliers there are.
    pub(super) fn len(&self) -> usize {
        self.right.len()
    }

    /// How many inputs of formulas the motion has: accelerations, multipliers and reactions.
    pub(super) fn input_count(&self) -> usize {
        self.len() + self.places.coordinates
    }

    /// The coefficient of an acceleration or, behind them, of a multiplier; reactions are not known.
    pub(super) fn coefficient(&self, unknown: usize, order: usize) -> Inexact {
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
        for ((row, column), output) in self.places.entries() {
            self.matrix[row * size + column] = self.terms.output(output, 0).unwrap_or(Inexact::UNDEFINED);
        }
        let values: Vec<f64> = self.matrix.iter().map(|entry| entry.value).collect();
        self.inverse = inverse(values, size, self.places.coordinates);
    }

    /// The right-hand side less what is known of the products.
    fn find_right(&mut self, order: usize) {
        let mut right = std::mem::take(&mut self.right);
        right.fill(Inexact::ZERO);
        for (row, output) in self.places.right() {
            right[row] = self.term(output, order);
        }
        for ((row, column), output) in self.places.entries() {
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

/// The inverse of a matrix by rows, of which the first `masses` rows and columns are those of a mass matrix. Rows and columns without a pivot are zero in it.
fn inverse(mut a: Vec<f64>, size: usize, masses: usize) -> Vec<f64> {
    let scale = scales(&a, size, masses);
    for (place, entry) in a.iter_mut().enumerate() {
        *entry *= scale[place / size] * scale[place % size];
    }
    let mut column_of: Vec<Option<usize>> = vec![None; size];
    let mut taken = vec![false; size];
    while let Some((row, column)) = pivot(&a, &column_of, &taken) {
        exchange(&mut a, size, (row, column));
        (column_of[row], taken[column]) = (Some(column), true);
    }
    let mut inverse = vec![0.0; size * size];
    for (row, column) in column_of.iter().enumerate().filter_map(|(row, column)| Some((row, (*column)?))) {
        for (other, unknown) in column_of.iter().enumerate().filter_map(|(k, column)| Some((k, (*column)?))) {
            inverse[column * size + other] = scale[column] * scale[other] * a[row * size + unknown];
        }
    }
    inverse
}

/// Factors that bring masses to one on the diagonal, and the rows of joints to one at their largest entry.
fn scales(a: &[f64], size: usize, masses: usize) -> Vec<f64> {
    let inverse = |x: f64| if x > 0.0 { 1.0 / x } else { 0.0 };
    let largest = |row: usize, weight: &dyn Fn(usize) -> f64| {
        (0..masses).map(|column| a[row * size + column].abs() * weight(column)).fold(0.0, f64::max)
    };
    let mut scale: Vec<f64> = (0..masses).map(|row| inverse(largest(row, &|_| 1.0).sqrt())).collect();
    // A coordinate without a mass moves with those that have one.
    let common = scale.iter().copied().fold(0.0, f64::max);
    scale.iter_mut().filter(|scale| **scale == 0.0).for_each(|scale| *scale = common.max(f64::MIN_POSITIVE));
    for row in masses..size {
        let of_row = inverse(largest(row, &|column| scale[column]));
        scale.push(of_row);
    }
    scale
}

/// The largest entry in rows and columns that have no pivot yet, if it is not too small.
fn pivot(a: &[f64], column_of: &[Option<usize>], taken: &[bool]) -> Option<(usize, usize)> {
    let size = taken.len();
    let mut best = (LEAST_PIVOT, None);
    for row in (0..size).filter(|&row| column_of[row].is_none()) {
        for column in (0..size).filter(|&column| !taken[column]) {
            let entry = a[row * size + column].abs();
            if entry > best.0 {
                best = (entry, Some((row, column)));
            }
        }
    }
    best.1
}

/// Lets a row and a column of `y = A x` change places: afterwards the row gives x.
fn exchange(a: &mut [f64], size: usize, (row, column): (usize, usize)) {
    let inverse = 1.0 / a[row * size + column];
    let pivot_row: Vec<f64> = a[row * size..(row + 1) * size].to_vec();
    for (k, other) in a.chunks_mut(size).enumerate().filter(|(k, _)| *k != row) {
        debug_assert_ne!(k, row);
        let factor = other[column] * inverse;
        for (entry, pivot) in other.iter_mut().zip(&pivot_row) {
            *entry -= factor * pivot;
        }
        other[column] = factor;
    }
    for (entry, pivot) in a[row * size..(row + 1) * size].iter_mut().zip(&pivot_row) {
        *entry = -pivot * inverse;
    }
    a[row * size + column] = inverse;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_is_one_and_leaves_out_what_follows() {
        // Masses 2 and 3, one joint twice, and one that says nothing.
        let g = [1.0, -2.0];
        let mut a = vec![0.0; 25];
        (a[0], a[6]) = (2.0, 3.0);
        for (k, &g) in g.iter().enumerate() {
            (a[10 + k], a[k * 5 + 2]) = (g, g);
            (a[15 + k], a[k * 5 + 3]) = (1e6 * g, 1e6 * g);
        }
        let x = inverse(a.clone(), 5, 2);
        // a for f = (1, 1) and no level: along (2, 1), 3 = (8 + 3) c.
        let solve = |row: usize| x[row * 5] + x[row * 5 + 1];
        assert!((solve(0) - 6.0 / 11.0).abs() < 1e-15 && (solve(1) - 3.0 / 11.0).abs() < 1e-15);
        assert_eq!(solve(4), 0.0);
        assert!(solve(2) == 0.0 || solve(3) == 0.0, "one of two equal joints carries");
    }
}
