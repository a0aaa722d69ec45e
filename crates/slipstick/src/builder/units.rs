//! Numbers in other units than those of SI, with the factors that model files use.

use crate::expr::{Form, parse};

/// This many of a unit, in SI. As in a model file, the product is rounded once.
fn of(number: f64, unit: &str) -> f64 {
    let syntax = parse(&format!("{:e} {unit}", number.abs()));
    let found = syntax.ok().and_then(|syntax| match syntax.node(syntax.root()).form {
        Form::Quantity(value, _) => Some(value),
        _ => None,
    });
    // What is no number, or out of range, is found by the check of the model.
    found.map_or(number * f64::NAN, |value| value.copysign(number))
}

/// Millimetres in metres.
pub fn mm(length: f64) -> f64 {
    of(length, "mm")
}

/// Degrees in radians.
pub fn deg(angle: f64) -> f64 {
    of(angle, "deg")
}

/// Revolutions in a minute, in radians in a second.
pub fn rpm(speed: f64) -> f64 {
    of(speed, "rpm")
}

/// Grams in kilograms.
pub fn grams(mass: f64) -> f64 {
    of(mass, "g")
}

/// Milliseconds in seconds.
pub fn ms(time: f64) -> f64 {
    of(time, "ms")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_those_of_model_files() {
        assert_eq!(mm(50.0), 0.05);
        assert_eq!(mm(-30.0), -0.03);
        assert_eq!(deg(180.0), std::f64::consts::PI);
        assert_eq!(rpm(60.0), 2.0 * std::f64::consts::PI);
        assert_eq!((grams(0.0), ms(250.0)), (0.0, 0.25));
        assert!(mm(f64::NAN).is_nan() && deg(f64::INFINITY).is_nan() && mm(1e-323).is_nan());
    }
}
