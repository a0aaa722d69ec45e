//! Dimensions: exponents of the base units, their words and their units.
//!
//! A dimension counts mass, length, time, current, temperature and angle. Roots of them exist too (the root
//! of an area per time), so exponents are counted in twelfths: halves, thirds and quarters are exact.

use std::fmt;

/// What exponents are counted in: twelfths.
const WHOLE: i16 = 12;

/// The base units, in the order of the exponents.
const BASES: [&str; 6] = ["kg", "m", "s", "A", "K", "rad"];

/// The place of the angle among the base units.
const ANGLE_PLACE: usize = 5;

/// The largest difference, in twelfths, between an exponent and the one that a double such as 1/3 stands for.
const ROUNDING: f64 = 1e-9;

/// The dimension of a quantity: its exponents of kg, m, s, A, K and rad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dimension {
    twelfths: [i16; 6],
}

/// A dimension that has a word: the word, its unit, its exponents.
type NamedDimension = (&'static str, &'static str, Dimension);

/// Dimensions with words of their own. Units that differ in the angle alone stand side by side.
const NAMED: &[NamedDimension] = &[
    ("a plain number", "a plain number", Dimension::NUMBER),
    ("an angle", "rad", Dimension::ANGLE),
    ("a mass", "kg", Dimension::MASS),
    ("a length", "m", Dimension::LENGTH),
    ("an area", "m^2", Dimension::new([0, 2, 0, 0, 0, 0])),
    ("a volume", "m^3", Dimension::new([0, 3, 0, 0, 0, 0])),
    ("a time", "s", Dimension::TIME),
    ("a frequency", "Hz", Dimension::FREQUENCY),
    ("an angular velocity", "rad/s", Dimension::ANGULAR_VELOCITY),
    ("an angular acceleration", "rad/s^2", Dimension::ANGULAR_ACCELERATION),
    ("a velocity", "m/s", Dimension::VELOCITY),
    ("an acceleration", "m/s^2", Dimension::ACCELERATION),
    ("a moment of inertia", "kg*m^2", Dimension::MOMENT_OF_INERTIA),
    ("a density", "kg/m^3", Dimension::DENSITY),
    ("a force", "N", Dimension::FORCE),
    ("a torque or an energy", "N*m", Dimension::TORQUE),
    ("a power", "W", Dimension::POWER),
    ("a pressure", "Pa", Dimension::PRESSURE),
    ("an impulse", "N*s", Dimension::IMPULSE),
    ("an angular impulse", "N*m*s", Dimension::new([1, 2, -1, 0, 0, 0])),
    ("a stiffness", "N/m", Dimension::STIFFNESS),
    ("a damping", "N*s/m", Dimension::DAMPING),
    ("a torsional stiffness", "N*m/rad", Dimension::TORSIONAL_STIFFNESS),
    ("a torsional damping", "N*m*s/rad", Dimension::TORSIONAL_DAMPING),
    ("a current", "A", Dimension::new([0, 0, 0, 1, 0, 0])),
    ("a charge", "A*s", Dimension::new([0, 0, 1, 1, 0, 0])),
    ("a voltage", "V", Dimension::new([1, 2, -3, -1, 0, 0])),
    ("a resistance", "ohm", Dimension::new([1, 2, -3, -2, 0, 0])),
    ("a temperature", "K", Dimension::new([0, 0, 0, 0, 1, 0])),
];

impl Dimension {
    /// What has no unit.
    pub const NUMBER: Self = Self::new([0; 6]);
    /// kg
    pub const MASS: Self = Self::new([1, 0, 0, 0, 0, 0]);
    /// m
    pub const LENGTH: Self = Self::new([0, 1, 0, 0, 0, 0]);
    /// s
    pub const TIME: Self = Self::new([0, 0, 1, 0, 0, 0]);
    /// rad
    pub const ANGLE: Self = Self::new([0, 0, 0, 0, 0, 1]);
    /// Hz
    pub const FREQUENCY: Self = Self::new([0, 0, -1, 0, 0, 0]);
    /// rad/s
    pub const ANGULAR_VELOCITY: Self = Self::new([0, 0, -1, 0, 0, 1]);
    /// rad/s^2
    pub const ANGULAR_ACCELERATION: Self = Self::new([0, 0, -2, 0, 0, 1]);
    /// m/s
    pub const VELOCITY: Self = Self::new([0, 1, -1, 0, 0, 0]);
    /// m/s^2
    pub const ACCELERATION: Self = Self::new([0, 1, -2, 0, 0, 0]);
    /// kg*m^2
    pub const MOMENT_OF_INERTIA: Self = Self::new([1, 2, 0, 0, 0, 0]);
    /// kg/m^3
    pub const DENSITY: Self = Self::new([1, -3, 0, 0, 0, 0]);
    /// N
    pub const FORCE: Self = Self::new([1, 1, -2, 0, 0, 0]);
    /// N*m
    pub const TORQUE: Self = Self::new([1, 2, -2, 0, 0, 0]);
    /// W
    pub const POWER: Self = Self::new([1, 2, -3, 0, 0, 0]);
    /// Pa
    pub const PRESSURE: Self = Self::new([1, -1, -2, 0, 0, 0]);
    /// N*s
    pub const IMPULSE: Self = Self::new([1, 1, -1, 0, 0, 0]);
    /// N/m
    pub const STIFFNESS: Self = Self::new([1, 0, -2, 0, 0, 0]);
    /// N*s/m
    pub const DAMPING: Self = Self::new([1, 0, -1, 0, 0, 0]);
    /// N*m/rad
    pub const TORSIONAL_STIFFNESS: Self = Self::new([1, 2, -2, 0, 0, -1]);
    /// N*m*s/rad
    pub const TORSIONAL_DAMPING: Self = Self::new([1, 2, -1, 0, 0, -1]);

    /// A dimension by its exponents of kg, m, s, A, K and rad.
    pub const fn new(exponents: [i8; 6]) -> Self {
        let (mut twelfths, mut k) = ([0; 6], 0);
        while k < exponents.len() {
            twelfths[k] = WHOLE * exponents[k] as i16;
            k += 1;
        }
        Self { twelfths }
    }

    /// The dimension of a product; none if exponents grow out of all range.
    pub fn times(self, other: Self) -> Option<Self> {
        self.combined(other, i16::checked_add)
    }

    /// The dimension of a quotient; none if exponents grow out of all range.
    pub fn per(self, other: Self) -> Option<Self> {
        self.combined(other, i16::checked_sub)
    }

    fn combined(self, other: Self, by: fn(i16, i16) -> Option<i16>) -> Option<Self> {
        let mut twelfths = [0; 6];
        for (k, exponent) in twelfths.iter_mut().enumerate() {
            *exponent = by(self.twelfths[k], other.twelfths[k])?;
        }
        Some(Self { twelfths })
    }

    /// The dimension of a power; none if it is no whole number of twelfths.
    #[expect(clippy::cast_possible_truncation, reason = "it is a whole number within the range")]
    pub fn to_power(self, exponent: f64) -> Option<Self> {
        let mut twelfths = [0; 6];
        for (k, raised) in twelfths.iter_mut().enumerate() {
            let exact = f64::from(self.twelfths[k]) * exponent;
            let whole = exact.round();
            if !((exact - whole).abs() <= ROUNDING && whole.abs() <= f64::from(i16::MAX)) {
                return None;
            }
            *raised = whole as i16;
        }
        Some(Self { twelfths })
    }

    /// The same without its angle: inside formulas an angle is a plain number.
    #[must_use]
    pub fn without_angle(mut self) -> Self {
        self.twelfths[ANGLE_PLACE] = 0;
        self
    }

    /// Whether something with this dimension may stand where `needed` is. Angles count only if it is a
    /// quantity by itself; what is per angle may be written without.
    pub(super) fn fits(self, needed: Self, is_quantity: bool) -> bool {
        let (angle, wanted) = (self.twelfths[ANGLE_PLACE], needed.twelfths[ANGLE_PLACE]);
        let angles_fit = !is_quantity || angle == wanted || (angle == 0 && wanted < 0);
        self.without_angle() == needed.without_angle() && angles_fit
    }

    /// The word for it with its article, such as `a length`, if it has one.
    pub fn word(self) -> Option<&'static str> {
        self.named().map(|(word, ..)| *word)
    }

    fn named(self) -> Option<&'static NamedDimension> {
        NAMED.iter().find(|(.., dimension)| *dimension == self)
    }

    /// The base units whose exponents have a sign, as a product.
    fn product(self, is_wanted: fn(i16) -> bool) -> String {
        let factors = BASES.iter().zip(self.twelfths).filter(|(_, exponent)| is_wanted(*exponent));
        let factors = factors.map(|(base, exponent)| match f64::from(exponent.abs()) / f64::from(WHOLE) {
            1.0 => (*base).to_owned(),
            exponent => format!("{base}^{exponent}"),
        });
        factors.collect::<Vec<_>>().join("*")
    }
}

impl fmt::Display for Dimension {
    /// The unit: `N` or `kg*m/s`. What has none is `a plain number`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((_, unit, _)) = self.named() {
            return out.write_str(unit);
        }
        let above = self.product(|exponent| exponent > 0);
        let below = self.product(|exponent| exponent < 0);
        out.write_str(if above.is_empty() { "1" } else { &above })?;
        // A unit reads from the left: every base below has a slash of its own.
        below.split('*').filter(|base| !base.is_empty()).try_for_each(|base| write!(out, "/{base}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_quotients_and_powers_count_exponents() {
        let force = Dimension::MASS.times(Dimension::ACCELERATION).unwrap();
        assert_eq!(force, Dimension::FORCE);
        assert_eq!(force.per(Dimension::LENGTH), Some(Dimension::STIFFNESS));
        assert_eq!(Dimension::LENGTH.to_power(3.0).map(|v| v.to_string()).as_deref(), Some("m^3"));
        let root = Dimension::LENGTH.to_power(0.5).unwrap();
        assert_eq!(root.times(root), Some(Dimension::LENGTH));
        let third = Dimension::LENGTH.to_power(1.0 / 3.0).unwrap();
        assert_eq!(third.to_power(3.0), Some(Dimension::LENGTH));
        assert_eq!(Dimension::LENGTH.to_power(0.37), None);
        assert_eq!(Dimension::LENGTH.to_power(1e9), None);
        assert_eq!(Dimension::LENGTH.to_power(f64::NAN), None);
    }

    #[test]
    fn every_dimension_with_a_word_has_it_once() {
        for (word, unit, dimension) in NAMED {
            assert_eq!(dimension.word(), Some(*word), "{unit}");
            assert_eq!(dimension.to_string(), *unit);
        }
    }

    #[test]
    fn units_are_written_as_products_and_quotients() {
        assert_eq!(Dimension::new([1, 1, -1, 0, 0, 0]).to_string(), "N*s");
        assert_eq!(Dimension::new([2, 1, -3, 0, -1, 0]).to_string(), "kg^2*m/s^3/K");
        assert_eq!(Dimension::new([0, 0, -3, 0, 0, 0]).to_string(), "1/s^3");
        assert_eq!(Dimension::LENGTH.to_power(0.5).unwrap().to_string(), "m^0.5");
    }

    #[test]
    fn angles_count_only_for_a_quantity_by_itself() {
        let fits = Dimension::fits;
        assert!(!fits(Dimension::FREQUENCY, Dimension::ANGULAR_VELOCITY, true));
        assert!(fits(Dimension::FREQUENCY, Dimension::ANGULAR_VELOCITY, false));
        assert!(!fits(Dimension::ANGULAR_VELOCITY, Dimension::FREQUENCY, true));
        assert!(fits(Dimension::TORQUE, Dimension::TORSIONAL_STIFFNESS, true));
        assert!(fits(Dimension::TORSIONAL_STIFFNESS, Dimension::TORSIONAL_STIFFNESS, true));
        assert!(!fits(Dimension::TORSIONAL_STIFFNESS, Dimension::TORQUE, true));
        assert!(!fits(Dimension::LENGTH, Dimension::MASS, false));
    }
}
