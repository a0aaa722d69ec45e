//! Surfaces that meet although fewer of them would: of the speeds of two blocks on a floor and of the one against the other, any two tell the third.
//!
//! Their gradients are linearly dependent. A motion stays on all of them if it stays on as many as are independent, the rest follow; and it cannot
//! leave only one of them. So conditions are asked of independent ones alone, the first of them in order.

/// A gradient whose part across all others is below this part of it depends on them. Gradients of closures are differences.
const DEPENDENT: f64 = 1e-7;

/// Which of some surfaces are independent, with the scratch for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Dependence {
    /// Unit vectors that span the gradients of the independent ones.
    basis: Vec<f64>,
    width: usize,
    vector: Vec<f64>,
    /// Whether a condition is asked of a surface.
    pub(super) leads: Vec<bool>,
}

impl Dependence {
    /// Room for `k` vectors of this width.
    pub(super) fn new(k: usize, width: usize) -> Self {
        Self { basis: Vec::with_capacity(k * width), width, vector: vec![0.0; width], leads: vec![true; k] }
    }

    /// Finds the independent ones among those that count. Gives how many of these depend on them.
    pub(super) fn find(&mut self, row: impl Fn(usize, &mut [f64]), counts: impl Fn(usize) -> bool) -> usize {
        self.basis.clear();
        let mut dependent = 0;
        for i in 0..self.leads.len() {
            self.leads[i] = counts(i) && !self.spans(i, &row);
            if self.leads[i] {
                let size = norm(&self.vector);
                self.basis.extend(self.vector.iter().map(|x| x / size));
            }
            dependent += usize::from(counts(i) && !self.leads[i]);
        }
        dependent
    }

    /// Whether the gradient of a surface depends on the independent ones found. What is left of it across them is in `vector`.
    pub(super) fn spans(&mut self, surface: usize, row: &impl Fn(usize, &mut [f64])) -> bool {
        row(surface, &mut self.vector);
        let before = norm(&self.vector);
        // Twice, for rounding.
        for unit in self.basis.chunks_exact(self.width).chain(self.basis.chunks_exact(self.width)) {
            let along: f64 = unit.iter().zip(&self.vector).map(|(a, b)| a * b).sum();
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
    fn the_first_of_dependent_vectors_lead() {
        let rows = [[1.0, 0.0, 0.0], [0.3, 0.7, 0.0], [0.1, -0.4, 0.0], [0.0, 0.0, 2.0]];
        let row = |i: usize, out: &mut [f64]| out.copy_from_slice(&rows[i]);
        let mut dependence = Dependence::new(4, 3);
        assert_eq!(dependence.find(row, |_| true), 1);
        assert_eq!(dependence.leads, [true, true, false, true]);
        assert_eq!(dependence.find(row, |i| i > 0), 0);
        assert!(dependence.spans(0, &row));
        assert_eq!(dependence.find(row, |i| i > 1), 0);
        assert!(!dependence.spans(0, &row));
    }
}
