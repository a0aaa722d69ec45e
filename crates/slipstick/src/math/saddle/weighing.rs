//! Rows of constraints weighed by masses: how long they are, and what is left of them beside each other, in a
//! measure in which units of single coordinates do not matter.
//!
//! In the plain sum of squares a radian counts like a millimetre, and rows of which one entry is a thousand
//! are nearly parallel there, whatever the others are. With the inverse masses as weights, `Σ g² / M`, it is
//! all the same. That measure has a weakness of its own: a coordinate of next to no mass counts for more than
//! all others. So a row is next to nothing if it is so in both. A coordinate without mass is weighed by the
//! masses that hang on it, through the rows that it is in.

use crate::math::{Matrix, dot};

/// Rows of which less than this part is left in the plain measure are looked at by masses, and as
/// much counts as left of those that have plenty by these.
const WORTH_A_LOOK: f64 = 0.1;
/// As long as no more than this part is left by masses, too, the plain measure has the say; with twice as
/// much there is plenty.
const LITTLE: f64 = 0.1;
/// A row whose length has changed by less than this factor is not weighed again.
const ABOUT_THE_SAME: f64 = 1.5;

#[derive(Clone, Debug)]
pub(super) struct Weighing {
    /// The weight of each coordinate; of those without mass, first the mass that hangs on it.
    weights: Vec<f64>,
    hanging: Vec<f64>,
    /// For each row its lengths in coordinates and by weights where it was weighed.
    known: Vec<(f64, f64)>,
    /// Products of rows, then their Cholesky factor.
    products: Vec<f64>,
}

/// Rows of constraints that are compared by masses.
pub(super) struct WeighedRows<'a> {
    pub(super) mass: &'a Matrix,
    pub(super) jacobian: &'a Matrix,
    /// The gradients as a full matrix, and the order in which its rows are taken.
    pub(super) full: &'a [f64],
    pub(super) order: &'a [usize],
}

/// The weight of each coordinate by masses, in which rows may be multiplied with each other whatever units coordinates
/// have.
pub fn weights_by_masses(mass: &Matrix, jacobian: &Matrix) -> Vec<f64> {
    let mut weighing = Weighing::new(mass.rows(), 0);
    weighing.find_weights(mass, jacobian);
    weighing.weights
}

impl Weighing {
    pub(super) fn new(n: usize, m: usize) -> Self {
        Self {
            weights: vec![0.0; n],
            hanging: vec![0.0; n],
            known: vec![(0.0, 0.0); m],
            products: Vec::new(),
        }
    }

    /// With room for what is left of rows beside each other.
    pub(super) fn of_full(n: usize, m: usize) -> Self {
        Self { products: vec![0.0; m * m], ..Self::new(n, m) }
    }

    /// The length of a row by weights, where it has this one in coordinates. As long as that is about the
    /// same, so is this.
    pub(super) fn weigh(&mut self, row: usize, plain: f64, (mass, jacobian): (&Matrix, &Matrix)) -> f64 {
        let (then, weighed) = self.known[row];
        if plain <= ABOUT_THE_SAME * then && then <= ABOUT_THE_SAME * plain {
            return if then > 0.0 { weighed * (plain / then) } else { 0.0 };
        }
        self.find_weights(mass, jacobian);
        let length = jacobian.row(row).map(|(j, g)| g * g * self.weights[j]).sum::<f64>().sqrt();
        self.known[row] = (plain, length);
        length
    }

    /// Finds the weights of coordinates.
    fn find_weights(&mut self, mass: &Matrix, jacobian: &Matrix) {
        let mut is_massless = false;
        for (i, weight) in self.weights.iter_mut().enumerate() {
            let own = mass.slot(i, i).map_or(0.0, |slot| mass.values[slot]);
            *weight = if own > f64::MIN_POSITIVE { 1.0 / own } else { 0.0 };
            is_massless |= *weight == 0.0;
        }
        if is_massless {
            self.weigh_massless(jacobian);
        }
    }

    fn weigh_massless(&mut self, jacobian: &Matrix) {
        self.hanging.fill(0.0);
        for row in 0..jacobian.rows() {
            let others: f64 = jacobian.row(row).map(|(j, g)| g * g * self.weights[j]).sum();
            for (j, g) in jacobian.row(row).filter(|_| others > 0.0) {
                self.hanging[j] += g * g / others;
            }
        }
        for (weight, hanging) in self.weights.iter_mut().zip(&self.hanging) {
            if *weight == 0.0 && *hanging > f64::MIN_POSITIVE {
                *weight = 1.0 / hanging;
            }
        }
    }

    /// The row that has least left beside those before it, and what that is, where `plain` is so by the plain
    /// measure: more if there is plenty left by masses.
    pub(super) fn narrowest(&mut self, plain: (usize, f64), rows: &WeighedRows<'_>) -> (usize, f64) {
        if plain.1 >= WORTH_A_LOOK {
            return plain;
        }
        self.find_weights(rows.mass, rows.jacobian);
        let (row, left) = self.least_by_weights(rows.order, rows.full);
        let by_masses = WORTH_A_LOOK * (left / LITTLE - 1.0).min(1.0);
        if by_masses > plain.1 { (row, by_masses) } else { plain }
    }

    /// Whether plenty is left of each row by masses.
    pub(super) fn has_plenty(&mut self, rows: &WeighedRows<'_>) -> bool {
        self.find_weights(rows.mass, rows.jacobian);
        self.least_by_weights(rows.order, rows.full).1 >= 2.0 * LITTLE
    }

    /// The weight of each coordinate.
    pub(super) fn weights(&mut self, mass: &Matrix, jacobian: &Matrix) -> &[f64] {
        self.find_weights(mass, jacobian);
        &self.weights
    }

    /// The row that has least left beside those before it by weights, and what that is, as a part of it:
    /// nothing if it is next to nothing, or there are no masses at all.
    fn least_by_weights(&mut self, order: &[usize], jacobian: &[f64]) -> (usize, f64) {
        let (n, r, mut least) = (self.weights.len(), order.len(), (0, 1.0));
        for (k, &row) in order.iter().enumerate() {
            self.take_row(k, order, jacobian);
            let own = &jacobian[row * n..][..n];
            let part = self.products[k * r + k] / product(own, own, &self.weights).sqrt();
            if part.is_nan() || part <= LITTLE {
                return (row, 0.0);
            }
            if part < least.1 {
                least = (row, part);
            }
        }
        least
    }

    /// The next row of the Cholesky factor of `G W Gᵀ`.
    fn take_row(&mut self, k: usize, order: &[usize], jacobian: &[f64]) {
        let (n, r) = (self.weights.len(), order.len());
        let row = |i: usize| &jacobian[order[i] * n..][..n];
        let (done, rest) = self.products.split_at_mut(k * r);
        for i in 0..k {
            let before = &done[i * r..][..=i];
            rest[i] = (product(row(k), row(i), &self.weights) - dot(&before[..i], &rest[..i])) / before[i];
        }
        let left = product(row(k), row(k), &self.weights) - dot(&rest[..k], &rest[..k]);
        rest[k] = left.max(0.0).sqrt();
    }
}

fn product(a: &[f64], b: &[f64], weights: &[f64]) -> f64 {
    a.iter().zip(b).zip(weights).map(|((a, b), weight)| a * b * weight).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pendulum with its angle: coordinates x, y, angle.
    fn pendulum(length: f64, angle: f64) -> Matrix {
        let mut jacobian = Matrix::full(2, 3);
        jacobian.values = vec![1.0, 0.0, length * angle.sin(), 0.0, 1.0, -length * angle.cos()];
        jacobian
    }

    fn weighed(masses: [f64; 3], jacobian: &Matrix, plain: f64) -> (Vec<f64>, f64) {
        let mut mass = Matrix::identity(3);
        mass.values.copy_from_slice(&masses);
        let mut weighing = Weighing::of_full(3, 2);
        let length = |row: usize| jacobian.row(row).map(|(_, g)| g * g).sum::<f64>().sqrt();
        let lengths = [0, 1].map(|row| weighing.weigh(row, length(row), (&mass, jacobian)));
        let rows = WeighedRows { mass: &mass, jacobian, full: &jacobian.values, order: &[0, 1] };
        let (_, left) = weighing.narrowest((1, plain), &rows);
        (lengths.to_vec(), left)
    }

    /// Lengths in metres and in millimetres, with an inertia or without.
    #[test]
    fn units_of_single_coordinates_do_not_matter() {
        for inertia in [0.1, 0.0] {
            for angle in [0.0, 0.3, 0.785, 1.5] {
                let metres = weighed([1.0, 1.0, inertia], &pendulum(1.0, angle), 1e-3);
                let millimetres = weighed([1.0, 1.0, inertia * 1e6], &pendulum(1e3, angle), 1e-3);
                assert!((metres.1 - millimetres.1).abs() < 1e-12 && metres.1 > 0.09, "{metres:?}");
                for (a, b) in metres.0.iter().zip(&millimetres.0) {
                    assert!((a - b).abs() < 1e-12 && *a > 0.9 && *a < 4.0, "{metres:?} {millimetres:?}");
                }
            }
        }
    }

    #[test]
    fn rows_that_are_parallel_are_so_in_both_measures() {
        let mut jacobian = Matrix::full(2, 3);
        jacobian.values = vec![1.0, 2.0, 3.0, 1.0, 2.0, 3.0 + 1e-5];
        let (_, left) = weighed([1.0, 0.0, 7.0], &jacobian, 1e-6);
        assert!(left < 1e-4, "{left}");
        // Without any masses the plain measure has the say.
        assert_eq!(weighed([0.0; 3], &jacobian, 1e-6).1, 1e-6);
    }
}
