//! The sides of surfaces that meet, and how weights share the fields out among them.

/// Up to this many surfaces may depend on each other in any way: two to this power fields are evaluated.
pub const MOST_SURFACES: usize = 6;

/// The sides of surfaces that meet: one for each choice of signs.
///
/// Where those would be too many, every sign must stand in a term of its own. Then the first side is negative
/// everywhere, and each other one positive on one surface: these tell all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceSides {
    surfaces: usize,
}

impl SurfaceSides {
    /// The sides of this many surfaces.
    pub fn of(surfaces: usize) -> Self {
        Self { surfaces }
    }

    /// How many surfaces meet.
    pub fn surfaces(self) -> usize {
        self.surfaces
    }

    /// How many sides there are.
    pub fn count(self) -> usize {
        if self.add_up() { self.surfaces + 1 } else { 1 << self.surfaces }
    }

    /// Whether every sign must stand in a term of its own, because there are too many surfaces for all
    /// choices of signs.
    pub fn add_up(self) -> bool {
        self.surfaces > MOST_SURFACES
    }

    /// The sign of a surface on a side.
    pub(super) fn sign(self, side: usize, surface: usize) -> f64 {
        let positive = if self.add_up() { side == surface + 1 } else { side >> surface & 1 == 1 };
        if positive { 1.0 } else { -1.0 }
    }

    /// By how much the field of a side counts in the jump across a surface.
    pub(super) fn part_in_jump(self, side: usize, surface: usize) -> f64 {
        match (self.add_up(), side) {
            (true, 0) => -1.0,
            (true, _) => f64::from(side == surface + 1),
            (false, _) => self.sign(side, surface),
        }
    }

    /// The share of the field of a side by the weights of the positive sides; with a weight left out, its
    /// derivative by that weight.
    pub(super) fn share(self, weights: &[f64], side: usize, left_out: Option<usize>) -> f64 {
        if !self.add_up() {
            return product(weights, side, left_out);
        }
        match (side.checked_sub(1), left_out) {
            (None, None) => 1.0 - weights.iter().sum::<f64>(),
            (None, Some(_)) => -1.0,
            (Some(i), None) => weights[i],
            (Some(i), Some(j)) => f64::from(u8::from(i == j)),
        }
    }
}

/// The product of the weights of the signs of a side; with a factor left out, its derivative by that weight.
fn product(weights: &[f64], signs: usize, left_out: Option<usize>) -> f64 {
    let factor = |(i, w): (usize, &f64)| match (signs >> i & 1 == 1, left_out == Some(i)) {
        (true, true) => 1.0,
        (false, true) => -1.0,
        (true, false) => *w,
        (false, false) => 1.0 - w,
    };
    weights.iter().enumerate().map(factor).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_sum_to_one_and_change_without_changing_that() {
        for surfaces in [1, 2, 3, MOST_SURFACES + 1] {
            let sides = SurfaceSides::of(surfaces);
            let weights: Vec<f64> = (0..surfaces).map(|i| 0.1 + 0.05 * i as f64).collect();
            let sum = |left_out| (0..sides.count()).map(|b| sides.share(&weights, b, left_out)).sum::<f64>();
            assert!((sum(None) - 1.0).abs() < 1e-15);
            assert!((0..surfaces).all(|i| sum(Some(i)).abs() < 1e-15));
        }
    }

    #[test]
    fn a_side_is_a_choice_of_signs_or_a_term() {
        let (two, many) = (SurfaceSides::of(2), SurfaceSides::of(9));
        assert_eq!((two.count(), many.count()), (4, 10));
        assert_eq!([0, 1, 2, 3].map(|side| two.sign(side, 1)), [-1.0, -1.0, 1.0, 1.0]);
        assert_eq!([0, 4, 5].map(|side| many.sign(side, 4)), [-1.0, -1.0, 1.0]);
        assert_eq!([0, 4, 5].map(|side| many.part_in_jump(side, 4)), [-1.0, 0.0, 1.0]);
    }
}
