//! The cubic that has given values and slopes at both ends of an interval, on the unit interval.
//!
//! Its Bernstein form `b₀ (1-θ)³ + 3 b₁ θ (1-θ)² + 3 b₂ θ² (1-θ) + b₃ θ³` bounds it from both sides: that is the interval test which
//! excludes roots (paper 000, section 5.2.1).

/// A cubic on the unit interval by its Bernstein coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cubic {
    b: [f64; 4],
}

impl Cubic {
    /// The cubic with these values and slopes at 0 and 1.
    pub fn new(values: [f64; 2], slopes: [f64; 2]) -> Self {
        let [a, b] = values;
        Self { b: [a, a + slopes[0] / 3.0, b - slopes[1] / 3.0, b] }
    }

    /// The value at θ.
    pub fn at(&self, theta: f64) -> f64 {
        let [b0, b1, b2, b3] = self.b;
        let (s, r) = (theta, 1.0 - theta);
        r * r * (r * b0 + 3.0 * s * b1) + s * s * (3.0 * r * b2 + s * b3)
    }

    /// A number that the cubic is never below on the unit interval.
    pub fn lower_bound(&self) -> f64 {
        self.b.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// A bound as [`lower_bound`](Self::lower_bound) for the cubic divided by θ, if it is zero at 0.
    pub fn lower_bound_less_zero(&self) -> f64 {
        (3.0 * self.b[1]).min(1.5 * self.b[2]).min(self.b[3])
    }

    /// The least and the greatest slope that it can have on the unit interval.
    pub fn slope_bounds(&self) -> (f64, f64) {
        let [b0, b1, b2, b3] = self.b;
        let slopes = [3.0 * (b1 - b0), 3.0 * (b2 - b1), 3.0 * (b3 - b2)];
        (
            slopes.iter().copied().fold(f64::INFINITY, f64::min),
            slopes.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        )
    }

    /// At most how much it varies on the unit interval.
    pub fn spread(&self) -> f64 {
        self.b.iter().copied().fold(f64::NEG_INFINITY, f64::max) - self.lower_bound()
    }

    /// Where its slope is zero inside the unit interval, ascending.
    pub fn turning_points(&self) -> [Option<f64>; 2] {
        let [b0, b1, b2, b3] = self.b;
        // The slope is 3 (d₀ (1-θ)² + 2 d₁ θ (1-θ) + d₂ θ²) = 3 (p θ² - 2 q θ + d₀).
        let (d0, d1, d2) = (b1 - b0, b2 - b1, b3 - b2);
        let (p, q) = (d0 - 2.0 * d1 + d2, d0 - d1);
        let discriminant = q * q - p * d0;
        if discriminant.is_nan() || discriminant < 0.0 {
            return [None, None];
        }
        // The root that does not cancel, and the other one from their product.
        let far = q + discriminant.sqrt().copysign(q);
        let inside = |theta: f64| (theta > 0.0 && theta < 1.0).then_some(theta);
        let (one, two) = (inside(far / p), inside(d0 / far));
        match (one, two) {
            (Some(x), Some(y)) if x > y => [two, one],
            (None, Some(_)) => [two, None],
            _ => [one, two],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cubic_with_roots(r: [f64; 3]) -> Cubic {
        let value = |x: f64| (x - r[0]) * (x - r[1]) * (x - r[2]);
        let slope = |x: f64| (x - r[0]) * (x - r[1]) + (x - r[1]) * (x - r[2]) + (x - r[0]) * (x - r[2]);
        Cubic::new([value(0.0), value(1.0)], [slope(0.0), slope(1.0)])
    }

    proptest! {
        #[test]
        fn a_cubic_is_met_exactly_and_never_below_its_bound(r in [-1.0..2.0, -1.0..2.0, -1.0..2.0], x in 0.0..1.0) {
            let cubic = cubic_with_roots(r);
            prop_assert!((cubic.at(x) - (x - r[0]) * (x - r[1]) * (x - r[2])).abs() < 1e-13);
            prop_assert!(cubic.at(x) >= cubic.lower_bound() - 1e-14);
            prop_assert!(cubic.at(x) <= cubic.lower_bound() + cubic.spread() + 1e-14);
            let slope = (cubic.at(x + 1e-6) - cubic.at(x - 1e-6)) / 2e-6;
            let (least, greatest) = cubic.slope_bounds();
            prop_assert!(least - 1e-8 <= slope && slope <= greatest + 1e-8);
        }

        #[test]
        fn turning_points_have_no_slope(r in [-1.0..2.0, -1.0..2.0, -1.0..2.0]) {
            let cubic = cubic_with_roots(r);
            let points = cubic.turning_points();
            for x in points.into_iter().flatten() {
                let slope = (cubic.at(x + 1e-6) - cubic.at(x - 1e-6)) / 2e-6;
                prop_assert!(slope.abs() < 1e-8, "slope {slope} at {x}");
            }
            if let [Some(a), Some(b)] = points {
                prop_assert!(a <= b);
            }
        }
    }

    #[test]
    fn parabolas_and_lines_turn_where_they_should() {
        let parabola = Cubic::new([1.0, 1.0], [-4.0, 4.0]);
        assert_eq!(parabola.turning_points(), [Some(0.5), None]);
        assert_eq!(Cubic::new([0.0, 1.0], [1.0, 1.0]).turning_points(), [None, None]);
        assert_eq!(Cubic::new([1.0, 1.0], [0.0, 0.0]).turning_points(), [None, None]);
    }

    #[test]
    fn a_zero_at_the_start_is_divided_out() {
        // θ (2 - θ)
        let cubic = Cubic::new([0.0, 1.0], [2.0, 0.0]);
        assert!(cubic.lower_bound_less_zero() >= 1.0 - 1e-15);
    }
}
