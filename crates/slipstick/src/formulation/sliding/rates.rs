//! How fast surfaces change along the fields on their sides, and how exact that is.

use super::SurfaceSides;
use crate::math::dot;

/// By how much the rounding of rates is multiplied where something is decided by it.
const CAUTION: f64 = 4.0;

/// The rate of each surface along the field of each side.
#[derive(Clone, Debug)]
pub struct SideRates {
    sides: usize,
    /// The rates by surfaces.
    rates: Vec<f64>,
    /// How large the rates of each surface are by rounding alone.
    pub(super) rounding: Vec<f64>,
}

impl SideRates {
    /// Room for the rates on these sides.
    pub(super) fn new(sides: SurfaceSides) -> Self {
        let (k, count) = (sides.surfaces(), sides.count());
        Self { sides: count, rates: vec![0.0; k * count], rounding: vec![0.0; k] }
    }

    /// The rates of a surface on all sides.
    pub(super) fn of(&self, surface: usize) -> &[f64] {
        &self.rates[surface * self.sides..(surface + 1) * self.sides]
    }

    pub(super) fn of_mut(&mut self, surface: usize) -> &mut [f64] {
        &mut self.rates[surface * self.sides..(surface + 1) * self.sides]
    }

    /// The rate of a surface along the field of one side.
    pub fn rate(&self, surface: usize, side: usize) -> f64 {
        self.rates[surface * self.sides + side]
    }

    /// The rate of a surface along the combination with these shares.
    pub(super) fn combined(&self, surface: usize, shares: &[f64]) -> f64 {
        dot(self.of(surface), shares)
    }

    /// The largest rate of a surface.
    pub(super) fn largest(&self, surface: usize) -> f64 {
        self.of(surface).iter().fold(0.0_f64, |a, b| a.max(b.abs()))
    }

    /// Whether the rates of a surface do not depend on the side.
    pub fn is_idle(&self, surface: usize) -> bool {
        self.spread(surface) <= self.rounding[surface]
    }

    /// How large the rate of a surface can be by rounding alone.
    pub fn rounding(&self, surface: usize) -> f64 {
        CAUTION * self.rounding[surface]
    }

    /// How far rounding of rates can have moved the weight of a surface.
    pub(in crate::formulation) fn band_of_weight(&self, surface: usize) -> f64 {
        let spread = self.spread(surface);
        CAUTION * if spread > 0.0 { self.rounding[surface] / spread } else { 0.0 }
    }

    /// By how much the rates of a surface differ.
    fn spread(&self, surface: usize) -> f64 {
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (least, most) = self.of(surface).iter().fold(ends, |(a, b), &r| (a.min(r), b.max(r)));
        most - least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surface_is_idle_where_its_rates_differ_by_no_more_than_rounding() {
        let mut rates = SideRates::new(SurfaceSides::of(2));
        rates.of_mut(0).fill(1.0);
        rates.of_mut(1).copy_from_slice(&[0.0, 0.5, 1.0, 1.5]);
        // A power of two, so that nothing is rounded.
        let unit = 8.0 * f64::EPSILON;
        rates.rounding.copy_from_slice(&[unit, 3.0 * unit]);
        assert!(rates.is_idle(0) && !rates.is_idle(1));
        assert_eq!((rates.largest(1), rates.rounding(1)), (1.5, 12.0 * unit));
        assert_eq!((rates.band_of_weight(0), rates.band_of_weight(1)), (0.0, 8.0 * unit));
        assert_eq!(rates.combined(1, &[0.25; 4]), 0.75);
    }
}
