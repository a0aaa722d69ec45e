//! Coordinates in other units, for rows that are told apart by masses and hardly in coordinates as they are: an angle
//! beside lengths of 1e6. Units are powers of two, so that nothing is rounded by them.

use super::super::{rough_exp2, rough_log2};

/// Where less than this part is left of a row beside others, forces lose three digits or more.
pub(super) const WORTH_SCALING: f64 = 1e-3;

/// What each coordinate is in units of, as factors of its entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Scales(Vec<f64>);

impl Scales {
    /// So that all masses are about one, for weights that are inverse masses; one where there is no weight.
    pub(super) fn of_weights(weights: &[f64]) -> Self {
        let usual = |weight: f64| weight.is_normal() && weight > 0.0;
        let power = |weight: f64| rough_exp2((0.5 * rough_log2(weight)).round());
        Self(weights.iter().map(|&weight| if usual(weight) { power(weight) } else { 1.0 }).collect())
    }

    /// Forces to these units, or a motion from them.
    pub(super) fn apply(&self, to: &mut [f64]) {
        to.iter_mut().zip(&self.0).for_each(|(x, scale)| *x *= scale);
    }

    /// Rows to these units.
    pub(super) fn apply_to_rows(&self, rows: &mut [f64]) {
        rows.chunks_exact_mut(self.0.len().max(1)).for_each(|row| self.apply(row));
    }

    /// A square matrix to these units.
    pub(super) fn apply_to_both(&self, matrix: &mut [f64]) {
        self.apply_to_rows(matrix);
        for (row, scale) in matrix.chunks_exact_mut(self.0.len().max(1)).zip(&self.0) {
            for entry in row {
                *entry *= scale;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_powers_of_two_that_make_masses_about_one() {
        let Scales(scales) = Scales::of_weights(&[1.0, 1e-10, 3e8, 0.0, f64::INFINITY]);
        assert_eq!(scales, [1.0, 1.0 / 131_072.0, 16384.0, 1.0, 1.0]);
        let mut matrix = [1.0, 2.0, 3.0, 4.0];
        Scales(vec![2.0, 0.5]).apply_to_both(&mut matrix);
        assert_eq!(matrix, [4.0, 2.0, 3.0, 1.0]);
    }
}
