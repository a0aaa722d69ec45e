//! What a ray of Lemke's method proves.
//!
//! A direction `v ≥ 0` with `Mᵀv ≤ 0` and `q·v < 0` proves that no `z ≥ 0` has `M z + q ≥ 0` (Farkas). For
//! copositive-plus matrices, among them all semidefinite ones, the growth of `z` along the ray is such a
//! direction (Cottle, Pang, Stone, chapter 4). It is checked, so that no class has to be believed.

use super::scaled::Scaled;
use super::{LcpOutcome, Problem, Proof, Ray};

/// How far, in units in the last place of their terms, the sums of a proof may be off: the direction is a
/// computed solution of equations, not as exact as a judged one.
const ROUNDINGS: f64 = 4096.0;
/// A pivot of the symmetric part counts as zero below this many roundings for each row.
const PIVOT_ROUNDINGS: f64 = 16.0;

/// The outcome of a ray, along which `z` grows by `growth` (scaled).
pub(super) fn outcome(problem: &Problem, scaled: &Scaled, growth: &[f64]) -> LcpOutcome {
    let semidefinite = is_semidefinite(problem.matrix, scaled.n);
    let found = scaled.multipliers(growth).into_iter().find(|v| proves_infeasible(scaled, v));
    let proof = match (&found, semidefinite) {
        (Some(_), true) => Proof::Semidefinite,
        (Some(_), false) => Proof::Infeasible,
        // The ray should have proved something: rounding has led there.
        (None, true) => return LcpOutcome::Limit,
        (None, false) => Proof::Nothing,
    };
    let certificate = found.map(|v| scaled.multipliers_in_units(&v)).unwrap_or_default();
    LcpOutcome::Ray(Ray { proof, certificate })
}

fn proves_infeasible(problem: &Scaled, v: &[f64]) -> bool {
    let n = problem.n;
    let tolerance = ROUNDINGS * f64::EPSILON;
    let terms = |terms: &mut dyn Iterator<Item = f64>| {
        terms.fold((0.0, 0.0), |(sum, size): (f64, f64), x| (sum + x, size + x.abs()))
    };
    let (sum, size) = terms(&mut v.iter().zip(&problem.q).map(|(v, q)| v * q));
    let falls = sum < -tolerance * size;
    let no_column_rises = || {
        (0..n).all(|j| {
            let (sum, size) = terms(&mut (0..n).map(|i| v[i] * problem.m[i * n + j]));
            sum <= tolerance * size
        })
    };
    falls && v.iter().all(|v| *v >= 0.0) && no_column_rises()
}

/// Whether the symmetric part of a matrix is positive semidefinite to rounding: Cholesky's factorisation with
/// pivots from the diagonal, scaled to ones.
pub(super) fn is_semidefinite(matrix: &[f64], n: usize) -> bool {
    let Some(mut a) = symmetric_part(matrix, n) else { return false };
    let zero = PIVOT_ROUNDINGS * f64::EPSILON * n as f64;
    let mut left: Vec<usize> = (0..n).collect();
    while let Some(place) = (0..left.len()).max_by(|p, q| {
        let diagonal = |p: &usize| a[left[*p] * n + left[*p]];
        diagonal(p).total_cmp(&diagonal(q))
    }) {
        let k = left[place];
        let pivot = a[k * n + k];
        if pivot <= zero {
            // Nothing may be left beside zeros in the diagonal.
            let root = zero.sqrt();
            return left
                .iter()
                .all(|i| a[i * n + i] >= -zero && left.iter().all(|j| i == j || a[i * n + j].abs() <= root));
        }
        left.swap_remove(place);
        for &i in &left {
            let factor = a[i * n + k] / pivot;
            for &j in &left {
                a[i * n + j] -= factor * a[k * n + j];
            }
        }
    }
    true
}

/// The symmetric part, scaled to ones in the diagonal; none if it has a negative diagonal entry, or something
/// beside a zero in the diagonal.
fn symmetric_part(matrix: &[f64], n: usize) -> Option<Vec<f64>> {
    let diagonal = |i: usize| matrix[i * n + i];
    let mut a = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            let (x, y) = (matrix[i * n + j], matrix[j * n + i]);
            let skew = (x + y).abs() <= PIVOT_ROUNDINGS * f64::EPSILON * (x.abs() + y.abs());
            let (p, q) = (diagonal(i), diagonal(j));
            if p < 0.0 || (!skew && (p == 0.0 || q == 0.0)) {
                return None;
            }
            a[i * n + j] = if skew { 0.0 } else { (0.5 * x + 0.5 * y) / p.sqrt() / q.sqrt() };
        }
    }
    Some(a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semidefinite_matrices_are_recognised_in_any_units() {
        let cases: [(&[f64], bool); 7] = [
            (&[1.0, 1.0, 1.0, 1.0], true),
            (&[1.0, -1.0, -1.0, 1.0], true),
            (&[0.0, 5.0, -5.0, 0.0], true),
            (&[1.0, 2.0, 2.0, 1.0], false),
            (&[0.0, 1.0, 0.0, 0.0], false),
            (&[1.0, 3.0, -1.0, 1.0], true),
            (&[1.0, 3.1, -1.0, 1.0], false),
        ];
        for (matrix, expected) in cases {
            for units in [[1.0, 1.0], [1e9, 1e-9], [1e-9, 1e-9]] {
                let scaled: Vec<f64> = (0..4).map(|k| matrix[k] * units[k / 2] * units[k % 2]).collect();
                assert_eq!(is_semidefinite(&scaled, 2), expected, "{scaled:?}");
            }
        }
    }
}
