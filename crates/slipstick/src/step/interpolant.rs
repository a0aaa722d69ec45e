//! Dense output of any method as one kind of polynomial.
//!
//! With θ = (time - start) / h the solution within a step is
//! `c₀ + θ (c₁ + (1-θ) (c₂ + θ (c₃ + (1-θ) (c₄ + …))))`, the nested form of Hairer, Nørsett, Wanner I,
//! section II.6. It meets the start exactly at θ = 0 and `c₀ + c₁` at θ = 1, whatever the degree, so every
//! method can use it.

/// The highest degree of dense output that any method has.
pub const DENSE_DEGREE: usize = 8;

/// The coefficients of one step, `c₀ … c_d`, each a vector as long as the state.
#[derive(Clone, Debug)]
pub struct Interpolant {
    dimension: usize,
    coefficients: Vec<f64>,
}

impl Interpolant {
    /// An interpolant of degree zero for states of the given length.
    pub fn new(dimension: usize) -> Self {
        Self { dimension, coefficients: vec![0.0; dimension] }
    }

    /// Becomes as new.
    pub(super) fn renew(&mut self) {
        self.coefficients.clear();
        self.coefficients.resize(self.dimension, 0.0);
    }

    /// All coefficients, `c₀` first.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// The coefficients, resized to the given degree, to be filled in by a method.
    pub fn coefficients_mut(&mut self, degree: usize) -> &mut [f64] {
        self.coefficients.resize((degree + 1) * self.dimension, 0.0);
        &mut self.coefficients
    }

    /// The state at θ and its slope with respect to θ.
    pub fn evaluate_with_slope(&self, theta: f64, y: &mut [f64], dy: &mut [f64]) {
        let n = self.dimension;
        let Some(degree) = (self.coefficients.len() / n.max(1)).checked_sub(1) else { return };
        y.copy_from_slice(&self.coefficients[degree * n..]);
        dy.fill(0.0);
        for k in (0..degree).rev() {
            let (factor, growth) = if k % 2 == 0 { (theta, 1.0) } else { (1.0 - theta, -1.0) };
            let c = &self.coefficients[k * n..(k + 1) * n];
            for i in 0..n {
                dy[i] = growth * y[i] + factor * dy[i];
                y[i] = c[i] + factor * y[i];
            }
        }
    }

    /// For each component, a bound on how far it is from its start within the step: in the nested form every
    /// coefficient behind the second has the factor θ (1-θ), which is at most a quarter.
    pub fn reaches(&self, reaches: &mut [f64]) {
        let mut rows = self.coefficients.chunks_exact(self.dimension.max(1)).skip(1);
        reaches.fill(0.0);
        if let Some(first) = rows.next() {
            reaches.iter_mut().zip(first).for_each(|(reach, c)| *reach = c.abs());
        }
        for row in rows {
            reaches.iter_mut().zip(row).for_each(|(reach, c)| *reach += 0.25 * c.abs());
        }
    }

    /// For each component, the sum of the sizes of all terms but the first: what rounding is measured by.
    pub fn terms(&self, sums: &mut [f64]) {
        sums.fill(0.0);
        for row in self.coefficients.chunks_exact(self.dimension.max(1)).skip(1) {
            sums.iter_mut().zip(row).for_each(|(sum, c)| *sum += c.abs());
        }
    }

    /// The coefficients of one component as powers of θ; gives the degree.
    pub fn powers_of(&self, component: usize, powers: &mut [f64; DENSE_DEGREE + 1]) -> usize {
        let n = self.dimension.max(1);
        powers.fill(0.0);
        let Some(degree) = (self.coefficients.len() / n).checked_sub(1) else { return 0 };
        powers[0] = self.coefficients[degree * n + component];
        for (known, k) in (0..degree).rev().enumerate() {
            // c_k + θ p, or c_k + (1 - θ) p, where p has the degree `known`.
            if k % 2 == 0 {
                powers.copy_within(0..=known, 1);
                powers[0] = self.coefficients[k * n + component];
            } else {
                (0..=known).rev().for_each(|j| powers[j + 1] -= powers[j]);
                powers[0] += self.coefficients[k * n + component];
            }
        }
        degree
    }

    /// One component of the state at θ, with the same bits as in all of it.
    pub fn component_at(&self, component: usize, theta: f64) -> f64 {
        let n = self.dimension.max(1);
        let Some(degree) = (self.coefficients.len() / n).checked_sub(1) else { return 0.0 };
        (0..degree).rev().fold(self.coefficients[degree * n + component], |y, k| {
            let factor = if k % 2 == 0 { theta } else { 1.0 - theta };
            self.coefficients[k * n + component] + factor * y
        })
    }

    /// The state at θ; 0 is the start of the step, 1 its end.
    pub fn evaluate(&self, theta: f64, y: &mut [f64]) {
        interpolate_at(&self.coefficients, theta, y);
    }
}

/// Evaluates stored coefficients (see [`Interpolant::coefficients`]) at θ.
pub fn interpolate_at(coefficients: &[f64], theta: f64, y: &mut [f64]) {
    let n = y.len();
    let Some(degree) = (coefficients.len() / n.max(1)).checked_sub(1) else { return };
    y.copy_from_slice(&coefficients[degree * n..]);
    for k in (0..degree).rev() {
        let factor = if k % 2 == 0 { theta } else { 1.0 - theta };
        for (y, c) in y.iter_mut().zip(&coefficients[k * n..(k + 1) * n]) {
            *y = c + factor * *y;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_met_exactly_whatever_the_degree() {
        for degree in 1..9 {
            let mut dense = Interpolant::new(1);
            for (k, c) in dense.coefficients_mut(degree).iter_mut().enumerate() {
                *c = 0.1 + k as f64;
            }
            let mut y = [0.0];
            dense.evaluate(0.0, &mut y);
            assert_eq!(y[0], 0.1);
            dense.evaluate(1.0, &mut y);
            assert_eq!(y[0], 0.1 + 1.1);
        }
    }

    #[test]
    fn the_slope_is_that_of_the_polynomial() {
        let mut dense = Interpolant::new(1);
        dense.coefficients_mut(5).copy_from_slice(&[1.0, 2.0, 3.0, 4.0, 5.0, -7.0]);
        let [mut y, mut dy, mut near, mut far, mut reach] = [[0.0]; 5];
        dense.reaches(&mut reach);
        for theta in [0.0, 0.2, 0.7, 1.0, 1.3] {
            dense.evaluate_with_slope(theta, &mut y, &mut dy);
            dense.evaluate(theta - 1e-6, &mut near);
            dense.evaluate(theta + 1e-6, &mut far);
            assert!((y[0] - 1.0).abs() <= reach[0] || theta > 1.0);
            assert!((dy[0] - (far[0] - near[0]) / 2e-6).abs() < 1e-8);
        }
    }

    #[test]
    fn powers_are_the_same_polynomial() {
        let mut dense = Interpolant::new(2);
        for (k, c) in dense.coefficients_mut(7).iter_mut().enumerate() {
            *c = ((k * 7) % 5) as f64 - 1.5;
        }
        let (mut powers, mut y) = ([0.0; DENSE_DEGREE + 1], [0.0; 2]);
        assert_eq!(dense.powers_of(1, &mut powers), 7);
        for theta in [0.0_f64, 0.3, 0.8, 1.0] {
            dense.evaluate(theta, &mut y);
            let sum = powers.iter().rev().fold(0.0, |sum, c| c + theta * sum);
            assert!((sum - y[1]).abs() < 1e-13, "{theta}: {sum} {}", y[1]);
        }
    }

    #[test]
    fn nested_form_is_the_written_polynomial() {
        let mut dense = Interpolant::new(1);
        dense.coefficients_mut(4).copy_from_slice(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        let (mut y, s) = ([0.0], 0.3);
        dense.evaluate(s, &mut y);
        let r = 1.0 - s;
        assert!((y[0] - (1.0 + s * (2.0 + r * (3.0 + s * (4.0 + r * 5.0))))).abs() < 1e-15);
    }
}
