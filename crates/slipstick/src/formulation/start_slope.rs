//! The right-hand side where a segment begins.
//!
//! It is wanted several times there: to find how the motion goes on at a switching surface and where guards
//! are heading, to choose the size of the first step, and by that step. It is evaluated once.

use crate::mode::Mode;

/// Points that differ by no more than this part, in each component, are the same to rounding.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The right-hand side at one point in one mode.
#[derive(Clone, Debug)]
pub(super) struct StartSlope {
    is_known: bool,
    t: f64,
    y: Vec<f64>,
    mode: Mode,
    slope: Vec<f64>,
}

impl StartSlope {
    /// None is known yet.
    pub(super) fn new(mode: Mode) -> Self {
        Self { is_known: false, t: 0.0, y: Vec::new(), mode, slope: Vec::new() }
    }

    /// It is not known any more.
    pub(super) fn forget(&mut self) {
        self.is_known = false;
    }

    /// Keeps it for a point.
    pub(super) fn keep(&mut self, mode: &Mode, t: f64, y: &[f64], slope: &[f64]) {
        self.y.clear();
        self.y.extend_from_slice(y);
        self.slope.clear();
        self.slope.extend_from_slice(slope);
        self.mode.clone_from(mode);
        (self.is_known, self.t) = (true, t);
    }

    /// The right-hand side at a point, if it is known.
    pub(super) fn at(&self, mode: &Mode, t: f64, y: &[f64]) -> Option<&[f64]> {
        let same = |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= ROUNDING * b.abs();
        let known = self.is_known && self.t == t && self.mode == *mode && self.y.iter().zip(y).all(same);
        known.then_some(&self.slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slope_is_known_at_its_point_in_its_mode_alone() {
        let (mut mode, y) = (Mode::new(0, 1, 0), [1.0, 2.0]);
        let mut start = StartSlope::new(mode.clone());
        assert_eq!(start.at(&mode, 0.0, &y), None);
        start.keep(&mode, 3.0, &y, &[5.0, 6.0]);
        assert_eq!(start.at(&mode, 3.0, &[1.0 + f64::EPSILON, 2.0]), Some(&[5.0, 6.0][..]), "by rounding");
        assert_eq!(start.at(&mode, 3.0, &[1.0, 2.1]), None);
        assert_eq!(start.at(&mode, 3.1, &y), None);
        mode.values.signs[0] = -1.0;
        assert_eq!(start.at(&mode, 3.0, &y), None);
    }
}
