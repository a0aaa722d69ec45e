//! The first step size: Hairer, Nørsett, Wanner I, section II.4 ("starting step size").

use super::Tolerances;
use crate::formulation::{Field, Flow};
use crate::math::scaled_rms;

/// What would change the state by less than this part of the tolerance, all the way, is rounding.
const REST: f64 = 1e-3;

/// A first step, at most `longest`, for which an Euler step has a small error. None if the motion is at rest
/// and, as far as the field tells, stays so.
///
/// It allocates and evaluates the field twice: for starts, and after events of a new kind.
pub fn first_step(
    field: &mut Flow<'_>,
    t: f64,
    y: &[f64],
    longest: f64,
    order: u32,
    tolerances: &Tolerances,
) -> Option<f64> {
    let n = y.len();
    let scales = || y.iter().enumerate().map(|(i, y)| tolerances.scale(i, y.abs()));
    let mut scratch = vec![0.0; 3 * n];
    let (f0, rest) = scratch.split_at_mut(n);
    let (f1, ahead) = rest.split_at_mut(n);
    field.first_derivative(t, y, f0);
    let (size, slope) = (scaled_rms(y, scales()), scaled_rms(f0, scales()));
    let rough = if size < 1e-5 || slope < 1e-5 { 1e-6 } else { 0.01 * size / slope };
    let rough = rough.min(longest);
    for ((a, y), f) in ahead.iter_mut().zip(y).zip(&*f0) {
        *a = y + rough * f;
    }
    field.derivative(t + rough, ahead, f1);
    for (f1, f0) in f1.iter_mut().zip(&*f0) {
        *f1 -= f0;
    }
    let curvature = scaled_rms(f1, scales()) / rough;
    if (slope + curvature * longest) * longest <= REST {
        return None;
    }
    let fine = (0.01 / slope.max(curvature)).powf(1.0 / f64::from(order + 1));
    let step = (100.0 * rough).min(fine).min(longest);
    Some(if step.is_finite() && step > 0.0 { step } else { longest * 1e-6 })
}
