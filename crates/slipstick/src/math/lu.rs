//! Dense LU factorisation with partial pivoting, in place, of real and complex matrices kept by rows.
//!
//! Sizes are those of small machines (2 to 30 states): plain loops along rows, no blocking. A complex matrix
//! is kept as two real ones, so that the inner loops stay simple enough to be vectorised. Storage is made
//! once and used again. For small sizes the loops are compiled for the [`ComponentCount`].

use super::{Any, ComponentCount};

/// A real matrix and, once [`factor`](Self::factor) was called, its factors.
#[derive(Clone, Debug)]
pub struct RealLu<D = Any> {
    dimension: D,
    entries: Vec<f64>,
    pivots: Vec<usize>,
}

impl RealLu {
    /// Room for matrices with `n` rows.
    pub fn new(n: usize) -> Self {
        Self::sized(Any(n))
    }
}

impl<D: ComponentCount> RealLu<D> {
    /// Room for matrices of a dimension.
    pub fn sized(dimension: D) -> Self {
        let n = dimension.get();
        Self { dimension, entries: vec![0.0; n * n], pivots: vec![0; n] }
    }

    /// The entries by rows, to be filled in before factoring.
    pub fn entries_mut(&mut self) -> &mut [f64] {
        &mut self.entries
    }

    /// The entries of the matrix, or of its factors.
    pub fn entries(&self) -> &[f64] {
        &self.entries
    }

    /// Replaces the matrix by its factors; the error is the first column without a finite pivot.
    pub fn factor(&mut self) -> Result<(), usize> {
        let n = self.dimension.get();
        let (entries, pivots) = (&mut self.entries[..n * n], &mut self.pivots[..n]);
        for k in 0..n {
            let size = |i: usize| entries[i * n + k].abs();
            let p = largest(k, n, size).ok_or(k)?;
            pivots[k] = p;
            swap_rows(entries, n, k, p);
            let (upper, lower) = entries.split_at_mut((k + 1) * n);
            let pivot_row = &upper[k * n..];
            let inverse = 1.0 / pivot_row[k];
            for row in lower.chunks_exact_mut(n) {
                let factor = row[k] * inverse;
                row[k] = factor;
                for (x, p) in row[k + 1..].iter_mut().zip(&pivot_row[k + 1..]) {
                    *x -= factor * p;
                }
            }
        }
        Ok(())
    }

    /// Replaces the right-hand side by the solution. The matrix must have been factored.
    #[inline]
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.dimension.get();
        let (entries, x) = (&self.entries[..n * n], &mut x[..n]);
        for (k, &p) in self.pivots[..n].iter().enumerate() {
            x.swap(k, p);
        }
        for i in 1..n {
            let row = &entries[i * n..i * n + i];
            let sum: f64 = row.iter().zip(&x[..i]).map(|(a, x)| a * x).sum();
            x[i] -= sum;
        }
        for i in (0..n).rev() {
            let row = &entries[i * n..(i + 1) * n];
            let sum: f64 = row[i + 1..].iter().zip(&x[i + 1..]).map(|(a, x)| a * x).sum();
            x[i] = (x[i] - sum) / row[i];
        }
    }
}

/// A complex matrix as real and imaginary part and, once [`factor`](Self::factor) was called, its factors.
#[derive(Clone, Debug)]
pub struct ComplexLu<D = Any> {
    dimension: D,
    re: Vec<f64>,
    im: Vec<f64>,
    pivots: Vec<usize>,
}

impl ComplexLu {
    /// Room for matrices with `n` rows.
    pub fn new(n: usize) -> Self {
        Self::sized(Any(n))
    }
}

impl<D: ComponentCount> ComplexLu<D> {
    /// Room for matrices of a dimension.
    pub fn sized(dimension: D) -> Self {
        let n = dimension.get();
        Self { dimension, re: vec![0.0; n * n], im: vec![0.0; n * n], pivots: vec![0; n] }
    }

    /// Real and imaginary parts by rows, to be filled in before factoring.
    pub fn entries_mut(&mut self) -> (&mut [f64], &mut [f64]) {
        (&mut self.re, &mut self.im)
    }

    /// Replaces the matrix by its factors; the error is the first column without a finite pivot.
    pub fn factor(&mut self) -> Result<(), usize> {
        let n = self.dimension.get();
        let (re, im, pivots) = (&mut self.re[..n * n], &mut self.im[..n * n], &mut self.pivots[..n]);
        for k in 0..n {
            let size = |i: usize| re[i * n + k].abs() + im[i * n + k].abs();
            let p = largest(k, n, size).ok_or(k)?;
            pivots[k] = p;
            swap_rows(re, n, k, p);
            swap_rows(im, n, k, p);
            let (upper_re, lower_re) = re.split_at_mut((k + 1) * n);
            let (upper_im, lower_im) = im.split_at_mut((k + 1) * n);
            let (pivot_re, pivot_im) = (&upper_re[k * n..], &upper_im[k * n..]);
            let (a, b) = reciprocal(pivot_re[k], pivot_im[k]);
            for (row_re, row_im) in lower_re.chunks_exact_mut(n).zip(lower_im.chunks_exact_mut(n)) {
                let (c, d) = (row_re[k] * a - row_im[k] * b, row_re[k] * b + row_im[k] * a);
                (row_re[k], row_im[k]) = (c, d);
                let (row_re, row_im) = (&mut row_re[k + 1..], &mut row_im[k + 1..]);
                let pivots = pivot_re[k + 1..].iter().zip(&pivot_im[k + 1..]);
                for ((x, y), (p, q)) in row_re.iter_mut().zip(row_im).zip(pivots) {
                    *x -= c * p - d * q;
                    *y -= c * q + d * p;
                }
            }
        }
        Ok(())
    }

    /// Replaces the right-hand side `x + iy` by the solution. The matrix must have been factored.
    #[inline]
    pub fn solve(&self, x: &mut [f64], y: &mut [f64]) {
        let n = self.dimension.get();
        let (x, y) = (&mut x[..n], &mut y[..n]);
        for (k, &p) in self.pivots[..n].iter().enumerate() {
            x.swap(k, p);
            y.swap(k, p);
        }
        for i in 1..n {
            let (re, im) = self.product(i, 0..i, x, y);
            x[i] -= re;
            y[i] -= im;
        }
        for i in (0..n).rev() {
            let (re, im) = self.product(i, i + 1..n, x, y);
            let (a, b) = reciprocal(self.re[..n * n][i * n + i], self.im[..n * n][i * n + i]);
            let (p, q) = (x[i] - re, y[i] - im);
            x[i] = p * a - q * b;
            y[i] = p * b + q * a;
        }
    }

    /// The product of some columns of row `i` with `x + iy`.
    #[inline(always)]
    fn product(&self, i: usize, columns: std::ops::Range<usize>, x: &[f64], y: &[f64]) -> (f64, f64) {
        let n = self.dimension.get();
        let places = i * n + columns.start..i * n + columns.end;
        let entries = self.re[..n * n][places.clone()].iter().zip(&self.im[..n * n][places]);
        let values = x[columns.clone()].iter().zip(&y[columns]);
        entries
            .zip(values)
            .fold((0.0, 0.0), |(re, im), ((a, b), (x, y))| (re + (a * x - b * y), im + (a * y + b * x)))
    }
}

/// The row from `k` on with the largest entry; `None` if that is zero or not finite.
#[inline(always)]
fn largest(k: usize, n: usize, size: impl Fn(usize) -> f64) -> Option<usize> {
    let (mut best, mut at) = (0.0, None);
    for i in k..n {
        let size = size(i);
        if !size.is_finite() {
            return None;
        }
        if size > best {
            (best, at) = (size, Some(i));
        }
    }
    at
}

#[inline(always)]
fn swap_rows(entries: &mut [f64], n: usize, k: usize, p: usize) {
    if k != p {
        let (head, tail) = entries.split_at_mut(p * n);
        head[k * n..(k + 1) * n].swap_with_slice(&mut tail[..n]);
    }
}

/// `1 / (a + ib)`, scaled so that the square of its size neither overflows nor underflows.
#[inline(always)]
fn reciprocal(a: f64, b: f64) -> (f64, f64) {
    let scale = a.abs().max(b.abs());
    let (p, q) = (a / scale, b / scale);
    let square = scale * (p * p + q * q);
    (p / square, -q / square)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_matrix_that_needs_pivoting_is_solved() {
        let mut lu = RealLu::new(3);
        lu.entries_mut().copy_from_slice(&[0.0, 2.0, 1.0, 1.0, 0.0, 0.0, 3.0, 0.0, 1.0]);
        lu.factor().unwrap();
        let mut x = [7.0, 1.0, 6.0];
        lu.solve(&mut x);
        assert_eq!(x, [1.0, 2.0, 3.0]);
    }

    #[test]
    fn the_column_without_a_pivot_is_named() {
        let mut lu = RealLu::new(3);
        lu.entries_mut().copy_from_slice(&[1.0, 2.0, 1.0, 2.0, 4.0, 0.0, 3.0, 6.0, 1.0]);
        assert_eq!(lu.factor(), Err(1));
        lu.entries_mut().fill(f64::NAN);
        assert_eq!(lu.factor(), Err(0));
        let mut lu = ComplexLu::new(2);
        assert_eq!(lu.factor(), Err(0));
        lu.entries_mut().1.copy_from_slice(&[1.0, 0.0, 1.0, 0.0]);
        assert_eq!(lu.factor(), Err(1));
    }

    #[test]
    fn an_empty_matrix_has_an_empty_solution() {
        assert_eq!(RealLu::new(0).factor(), Ok(()));
        RealLu::new(0).solve(&mut []);
        assert_eq!(ComplexLu::new(0).factor(), Ok(()));
        ComplexLu::new(0).solve(&mut [], &mut []);
    }

    #[test]
    fn reciprocals_of_huge_and_tiny_numbers_are_finite() {
        let (a, b) = reciprocal(3e200, 4e200);
        assert!((a - 1.2e-201).abs() < 1e-215 && (b + 1.6e-201).abs() < 1e-215, "{a:e} {b:e}");
        let (a, b) = reciprocal(3e-200, 4e-200);
        assert!((a / 1.2e199 - 1.0).abs() < 1e-14 && (b / 1.6e199 + 1.0).abs() < 1e-14, "{a:e} {b:e}");
    }

    /// A size, and enough numbers for a complex matrix and a complex vector of that size.
    fn sized() -> impl Strategy<Value = (usize, Vec<f64>)> {
        (1_usize..24).prop_flat_map(|n| (Just(n), prop::collection::vec(-1.0..1.0_f64, 2 * n * n + 2 * n)))
    }

    proptest! {
        /// The residual of a solution by partial pivoting is of the size of rounding, however badly the
        /// matrix is conditioned (up to the growth of the entries, which is below n for random ones).
        #[test]
        fn residual_of_a_real_solution_is_of_the_size_of_rounding((n, numbers) in sized()) {
            let (a, right) = (&numbers[..n * n], &numbers[n * n..n * n + n]);
            let mut lu = RealLu::new(n);
            lu.entries_mut().copy_from_slice(a);
            prop_assume!(lu.factor().is_ok());
            let mut x = right.to_vec();
            lu.solve(&mut x);
            let size = x.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
            for i in 0..n {
                let sum: f64 = (0..n).map(|j| a[i * n + j] * x[j]).sum();
                let bound = 8.0 * (n * n) as f64 * f64::EPSILON * size;
                prop_assert!((sum - right[i]).abs() <= bound, "{} against {}", sum, right[i]);
            }
        }

        #[test]
        fn residual_of_a_complex_solution_is_of_the_size_of_rounding((n, numbers) in sized()) {
            let (a, rest) = numbers.split_at(n * n);
            let (b, right) = rest.split_at(n * n);
            let mut lu = ComplexLu::new(n);
            lu.entries_mut().0.copy_from_slice(a);
            lu.entries_mut().1.copy_from_slice(b);
            prop_assume!(lu.factor().is_ok());
            let (mut x, mut y) = (right[..n].to_vec(), right[n..].to_vec());
            lu.solve(&mut x, &mut y);
            let size = x.iter().chain(&y).fold(1.0_f64, |m, x| m.max(x.abs()));
            let bound = 32.0 * (n * n) as f64 * f64::EPSILON * size;
            for i in 0..n {
                let entry = |j: usize| (a[i * n + j], b[i * n + j]);
                let re: f64 = (0..n).map(|j| entry(j).0 * x[j] - entry(j).1 * y[j]).sum();
                let im: f64 = (0..n).map(|j| entry(j).0 * y[j] + entry(j).1 * x[j]).sum();
                prop_assert!((re - right[i]).abs() <= bound && (im - right[n + i]).abs() <= bound);
            }
        }
    }
}
