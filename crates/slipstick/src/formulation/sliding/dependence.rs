//! Surfaces that meet although fewer of them would: of the velocities of two blocks on a floor and of the one
//! against the other, any two tell the third.
//!
//! Their gradients are linearly dependent. A motion stays on all of them if it stays on as many as are
//! independent, the rest follow; and it cannot leave only one of them. So conditions are asked of independent
//! ones alone, the first of them in order.

use crate::math::dot;

/// A gradient whose part across all others is below this part of it depends on them. Gradients of closures
/// are differences.
const DEPENDENT: f64 = 1e-7;

/// Which of some gradients are independent.
#[derive(Clone, Debug)]
pub(super) struct Dependence {
    width: usize,
    /// The gradients by rows, each with a rate in time.
    rows: Vec<f64>,
    /// Unit vectors that span the gradients of the independent ones.
    basis: Vec<f64>,
    vector: Vec<f64>,
    /// Whether a condition is asked of a surface.
    pub(super) leads: Vec<bool>,
}

impl Dependence {
    /// Room for `k` gradients by `n` states and time.
    pub(super) fn new(k: usize, n: usize) -> Self {
        let width = n + 1;
        Self {
            width,
            rows: vec![0.0; k * width],
            basis: Vec::with_capacity(k * width),
            vector: vec![0.0; width],
            leads: vec![true; k],
        }
    }

    /// All are taken to be independent.
    pub(super) fn renew(&mut self) {
        self.leads.fill(true);
    }

    /// The gradient of a surface is this one.
    pub(super) fn set(&mut self, surface: usize, gradient: &[f64], time_rate: f64) {
        let row = &mut self.rows[surface * self.width..(surface + 1) * self.width];
        row[..gradient.len()].copy_from_slice(gradient);
        row[gradient.len()] = time_rate;
    }

    /// Finds the independent ones among those that count. Gives how many of these depend on them.
    pub(super) fn find(&mut self, counts: impl Fn(usize) -> bool) -> usize {
        self.basis.clear();
        let mut dependent = 0;
        for i in 0..self.leads.len() {
            self.leads[i] = counts(i) && !self.spans(i);
            if self.leads[i] {
                let size = norm(&self.vector);
                self.basis.extend(self.vector.iter().map(|x| x / size));
            }
            dependent += usize::from(counts(i) && !self.leads[i]);
        }
        dependent
    }

    /// How many of those that count are independent.
    pub(super) fn rank(&mut self, counts: impl Fn(usize) -> bool) -> usize {
        self.find(counts);
        self.leads.iter().filter(|leads| **leads).count()
    }

    /// Whether a gradient depends on the independent ones found. The rest of it across them is in `vector`.
    fn spans(&mut self, surface: usize) -> bool {
        self.vector.copy_from_slice(&self.rows[surface * self.width..(surface + 1) * self.width]);
        let before = norm(&self.vector);
        // Twice, for rounding.
        for unit in self.basis.chunks_exact(self.width).chain(self.basis.chunks_exact(self.width)) {
            let along = dot(unit, &self.vector);
            self.vector.iter_mut().zip(unit).for_each(|(x, u)| *x -= along * u);
        }
        norm(&self.vector) <= DEPENDENT * before
    }
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_dependent_gradients_lead() {
        let rows = [[1.0, 0.0], [0.3, 0.7], [0.1, -0.4], [0.0, 0.0]];
        let mut dependence = Dependence::new(4, 2);
        for (i, (row, time_rate)) in rows.iter().zip([0.0, 0.0, 0.0, 2.0]).enumerate() {
            dependence.set(i, row, time_rate);
        }
        assert_eq!(dependence.find(|_| true), 1);
        assert_eq!(dependence.leads, [true, true, false, true]);
        assert_eq!(dependence.find(|i| i > 0), 0);
        assert_eq!(dependence.rank(|i| i < 3), 2);
        assert_eq!(dependence.rank(|i| i > 1), 2);
    }
}
