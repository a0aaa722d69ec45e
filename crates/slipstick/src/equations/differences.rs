//! Derivatives of functions that are known by their values only.

/// The distance for differences at `x`, as a part of it: errors are of the fourth order, so that a fifth of
/// the digits is for the distance and the rest for the change.
const WIDE: f64 = 6e-4;
/// The same where the function bends: errors are of the second order.
const NARROW: f64 = 6e-6;
/// Next to zero it is as if `x` were this.
const LEAST: f64 = 1e-3;
/// How much central differences of the distances one and two may differ from each other, as a part: their
/// error is less than a tenth of the square of that.
const BENDS: f64 = 1e-5;

/// How far a derivative by differences at `x` can be off by the rounding of a function whose terms are as
/// large as `size`.
pub fn difference_error(size: f64, x: f64) -> f64 {
    f64::EPSILON * size / (WIDE * x.abs().max(LEAST))
}

/// How far the rate of a function along a field can be off where its gradient and its rate in time come from
/// differences. `speed` is the size of an entry of the field.
pub fn rate_error(
    gradient: &[f64],
    by_time: f64,
    (t, y): (f64, &[f64]),
    speed: impl Fn(usize) -> f64,
) -> f64 {
    let terms = gradient.iter().zip(y).map(|(g, y)| (g * y).abs());
    let size = terms.sum::<f64>() + (by_time * t).abs();
    let along: f64 = y.iter().enumerate().map(|(j, y)| difference_error(size, *y) * speed(j)).sum();
    along + if by_time == 0.0 { 0.0 } else { difference_error(size, t) }
}

/// The derivative of a function by differences: of the fourth order, or of the second where the function
/// bends, has a kink or is not defined nearby.
fn derivative_by_differences(f: &mut dyn FnMut(f64) -> f64, x: f64) -> f64 {
    let mut central = |distance: f64| {
        let (ahead, behind) = (x + distance, x - distance);
        (f(ahead) - f(behind)) / (ahead - behind)
    };
    let size = x.abs().max(LEAST);
    let (near, far) = (central(WIDE * size), central(2.0 * WIDE * size));
    if (far - near).abs() <= BENDS * near.abs() { near + (near - far) / 3.0 } else { central(NARROW * size) }
}

/// The gradient of a function and its rate in time, by differences. `y` is restored.
pub fn gradient_by_differences(
    f: &mut dyn FnMut(f64, &[f64]) -> f64,
    t: f64,
    y: &mut [f64],
    gradient: &mut [f64],
) -> f64 {
    for j in 0..y.len() {
        let here = y[j];
        let mut along = |x: f64| {
            y[j] = x;
            f(t, y)
        };
        gradient[j] = derivative_by_differences(&mut along, here);
        y[j] = here;
    }
    derivative_by_differences(&mut |t| f(t, y), t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_exact_to_rounding_where_a_function_is_smooth_and_good_where_it_bends() {
        let error =
            |f: fn(f64) -> f64, exact: f64, x: f64| (derivative_by_differences(&mut { f }, x) - exact).abs();
        assert!(error(|x| x * x, 0.28, 0.14) <= difference_error(0.02, 0.14));
        assert!(error(f64::sin, 1.0_f64.cos(), 1.0) < 1e-12);
        assert!(error(|x| (100.0 * x).sin(), 100.0 * 1000.0_f64.cos(), 10.0) < 1e-3);
        assert!(error(|x| if x < 1.0003 { 2.0 * x } else { f64::NAN }, 2.0, 1.0) < 1e-9);
        assert!(error(f64::abs, 1.0, 1e-5) < 1e-6);
    }
}
