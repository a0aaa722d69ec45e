//! Forward differences of the residual of the equations of motion, for entries of the tangents that are not
//! known exactly.

use super::{MotionPoint, MotionResidual};
use crate::equations::Layout;
use crate::math::Matrix;
use std::ops::Range;

/// What may be left of a row along the direction of the check: of the part that is known, and of the size of
/// its terms, in which differences round.
const OFF: f64 = 1e-3;
const NOISE: f64 = 1e3 * f64::EPSILON;

/// States are taken to be at least this large, in their unit, where steps are chosen by them.
const SMALLEST: f64 = 1e-3;

/// A direction without zeros in which no two entries are likely to make up for each other: this far from one,
/// by an angle that is no part of a turn.
const SPREAD: f64 = 0.7;
const ANGLE: f64 = 1.7;

/// An entry: row, column, and number.
pub(super) type EntryPlace = (usize, usize, usize);

/// The residual around a point.
#[derive(Clone, Debug)]
pub(super) struct TangentDifferences {
    positions: usize,
    velocities: usize,
    /// Whether the gradients of velocity residuals are found, too.
    finds_slopes: bool,
    /// The residuals at the point: of the equations, and of velocities.
    base: Vec<f64>,
    rates: Vec<f64>,
    /// The step of each column, and the size of the terms in each row.
    steps: Vec<f64>,
    sizes: Vec<f64>,
    /// A state next to the point, and how positions get there.
    beside: Vec<f64>,
    change: Vec<f64>,
}

impl TangentDifferences {
    pub(super) fn new(layout: Layout, constraints: usize, finds_slopes: bool) -> Self {
        let size = layout.v + layout.z;
        Self {
            positions: layout.q,
            velocities: layout.v,
            finds_slopes,
            base: vec![0.0; size],
            rates: vec![0.0; constraints],
            steps: vec![0.0; layout.v + size],
            sizes: vec![0.0; size],
            beside: vec![0.0; layout.dimension()],
            change: vec![0.0; layout.v],
        }
    }

    /// Takes the residual at a point, and chooses steps.
    pub(super) fn begin(&mut self, y: &[f64], left: &MotionResidual) {
        let (q, n) = (self.positions, self.velocities);
        self.base.copy_from_slice(&left.motion);
        self.rates.copy_from_slice(&left.velocity);
        let farthest = y[..q].iter().fold(SMALLEST, |size: f64, q| size.max(q.abs()));
        self.steps[..n].fill(f64::EPSILON.sqrt() * farthest);
        for (step, here) in self.steps[n..].iter_mut().zip(&y[q..]) {
            *step = (here + f64::EPSILON.sqrt() * here.abs().max(SMALLEST)) - here;
        }
    }

    /// The state in which some columns have changed by multiples of their steps; `shift` takes a change off
    /// positions.
    pub(super) fn step_beside(
        &mut self,
        y: &[f64],
        columns: impl Iterator<Item = (usize, f64)>,
        shift: impl FnOnce(&mut [f64], &[f64]),
    ) -> &[f64] {
        let (q, n) = (self.positions, self.velocities);
        self.beside.copy_from_slice(y);
        self.change.fill(0.0);
        let mut moves = false;
        for (column, multiple) in columns {
            let step = multiple * self.steps[column];
            if column < n {
                (self.change[column], moves) = (-step, true);
            } else {
                self.beside[q + column - n] += step;
            }
        }
        if moves {
            shift(&mut self.beside[..q], &self.change);
        }
        &self.beside
    }

    /// Entries of columns that have changed by their steps.
    pub(super) fn fill_forces(&self, entries: &[EntryPlace], left: &MotionResidual, forces: &mut Matrix) {
        for &(row, column, number) in entries {
            forces.values[number] = (left.motion[row] - self.base[row]) / self.steps[column];
        }
    }

    /// The same of the gradients of velocity residuals, if they are found.
    pub(super) fn fill_slopes(&self, entries: &[EntryPlace], left: &MotionResidual, slopes: &mut Matrix) {
        for &(row, column, number) in entries.iter().filter(|_| self.finds_slopes) {
            slopes.values[number] = (left.velocity[row] - self.rates[row]) / self.steps[column];
        }
    }

    /// Finds the size of the terms that each row is made of.
    pub(super) fn find_sizes(&mut self, at: MotionPoint<'_>, mass: &Matrix, gradients: &Matrix) {
        for (row, size) in self.sizes.iter_mut().enumerate() {
            let inertia = mass.row(row).map(|(column, mass)| (mass * at.rates[column]).abs());
            *size = inertia.sum::<f64>() + self.base[row].abs();
        }
        for (k, multiplier) in at.multipliers.iter().enumerate() {
            gradients.row(k).for_each(|(column, g)| self.sizes[column] += (g * multiplier).abs());
        }
    }

    /// The rows of which `ahead` is not what the entries in some columns say, when these change by their steps
    /// times [`part`].
    pub(super) fn missed_rows(
        &self,
        forces: &Matrix,
        ahead: &[f64],
        columns: Range<usize>,
    ) -> impl Iterator<Item = usize> {
        let is_missed = move |row: usize| {
            let (mut known, mut size) = (0.0, 0.0);
            for (column, slope) in forces.row(row).filter(|(column, _)| columns.contains(column)) {
                let change = slope * self.steps[column] * part(column);
                known += change;
                size += change.abs();
            }
            let off = (ahead[row] - self.base[row] - known).abs();
            off > OFF * size + NOISE * self.sizes[row]
        };
        (0..ahead.len()).filter(move |&row| is_missed(row))
    }
}

/// How far a column is changed in the direction of the check.
pub(super) fn part(column: usize) -> f64 {
    1.0 + SPREAD * (ANGLE * column as f64).sin()
}

#[cfg(test)]
mod tests {
    use super::super::testing::pendulum;
    use super::*;
    use crate::equations::{ActiveRows, System};

    /// The residual of `m x'' + k x = 0` for two coordinates with springs of their own.
    fn springs(y: &[f64], left: &mut MotionResidual) {
        (left.motion[0], left.motion[1]) = (3.0 * y[0], 5.0 * y[1]);
    }

    #[test]
    fn entries_come_from_differences_and_missing_ones_are_seen() {
        let system: &dyn System = &pendulum();
        let rows = ActiveRows::of(system.constraints(), |_| true);
        let mut left = MotionResidual::new(system, &rows);
        let mut differences = TangentDifferences::new(system.layout(), 1, false);
        let (y, mut forces) = ([1.0, 2.0, 0.0, 0.0], Matrix::with_places(2, 4, &[(0, 0)]));
        springs(&y, &mut left);
        differences.begin(&y, &left);
        let shift = |q: &mut [f64], change: &[f64]| q.iter_mut().zip(change).for_each(|(q, by)| *q -= by);
        springs(differences.step_beside(&y, [(0, 1.0)].into_iter(), shift), &mut left);
        differences.fill_forces(&[(0, 0, 0)], &left, &mut forces);
        assert!((forces.values[0] - 3.0).abs() < 1e-7);
        let all = (0..4).map(|column| (column, part(column)));
        springs(differences.step_beside(&y, all, shift), &mut left);
        let missed: Vec<usize> = differences.missed_rows(&forces, &left.motion, 0..4).collect();
        assert_eq!(missed, [1], "the second spring has no entry");
    }
}
