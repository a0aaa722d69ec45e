//! What tests of saddle-point systems share: a chain of links with numbers that mean nothing, and the
//! comparison of solutions.

use crate::math::Matrix;

pub(super) fn number(k: usize) -> f64 {
    ((k * k + 3 * k) as f64 * 0.37).sin()
}

/// The gradients of a chain of links in the plane: three coordinates and two constraints each.
pub(super) fn joints(links: usize) -> Matrix {
    let places: Vec<(usize, usize)> = (0..2 * links)
        .flat_map(|k| (0..6).map(move |c| (k, 3 * (k / 2) + c)))
        .filter(|(_, c)| *c < 3 * links)
        .collect();
    let mut joints = Matrix::with_places(2 * links, 3 * links, &places);
    joints.values.iter_mut().enumerate().for_each(|(k, x)| *x = number(k + 5));
    joints
}

/// A matrix with each row twice.
pub(super) fn doubled(single: &Matrix) -> Matrix {
    let places: Vec<(usize, usize)> =
        single.places().flat_map(|(k, j)| [(2 * k, j), (2 * k + 1, j)]).collect();
    let mut twice = Matrix::with_places(2 * single.rows(), single.columns(), &places);
    for k in 0..single.rows() {
        let row: Vec<f64> = single.row(k).map(|(_, x)| x).collect();
        twice.row_mut(2 * k).copy_from_slice(&row);
        twice.row_mut(2 * k + 1).copy_from_slice(&row);
    }
    twice
}

pub(super) fn right_side(n: usize, m: usize) -> (Vec<f64>, Vec<f64>) {
    ((0..n).map(|i| (i as f64).cos()).collect(), (0..m).map(|k| (k as f64).sin()).collect())
}

/// How far two vectors are apart at most, beside the largest number of the second.
pub(super) fn apart(a: &[f64], b: &[f64]) -> f64 {
    let size = b.iter().fold(1.0_f64, |size, b| size.max(b.abs()));
    a.iter().zip(b).map(|(a, b)| (a - b).abs() / size).fold(0.0, f64::max)
}

/// Both parts of two solutions are the same, to within these bounds.
pub(super) fn assert_same((a, lambda): (&[f64], &[f64]), (b, mu): (&[f64], &[f64]), within: [f64; 2]) {
    let far = (apart(a, b), apart(lambda, mu));
    assert!(far.0 < within[0] && far.1 < within[1], "{far:?}");
}
