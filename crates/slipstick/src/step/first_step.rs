//! The first step size: Hairer, Nørsett, Wanner I, section II.4 ("starting step size").

use super::{Tolerances, Trial};
use crate::formulation::{Field, Flow};
use crate::math::scaled_rms;

/// The numbers of the book. An Euler step changes the state by this part of its size, or of the tolerance.
const EULER_PART: f64 = 0.01;
/// Sizes and slopes below this part of the tolerance are no measure of a step; then this one is tried, in the
/// unit of time, or as a part of the longest.
const SMALL: f64 = 1e-5;
const LAST_RESORT: f64 = 1e-6;
/// The step is at most this many times the rough one.
const MOST_GROWTH: f64 = 100.0;
/// What would change the state by less than this part of the tolerance, all the way, is rounding.
const REST: f64 = 1e-3;

/// Up to this many states there is room on the stack, which costs next to nothing.
const FEW: usize = 8;

/// A first step from the start of a trial, at most `longest`, for which an Euler step has a small error. None
/// if the motion is at rest and, as far as the field tells, stays so.
///
/// It evaluates the field twice: for starts, and after events of a new kind.
pub fn first_step(
    field: &mut Flow<'_>,
    trial: &Trial,
    longest: f64,
    order: u32,
    tolerances: &Tolerances,
) -> Option<f64> {
    let (t, y, n) = (trial.t, trial.start.as_slice(), trial.start.len());
    let scales = || y.iter().enumerate().map(|(i, y)| tolerances.scale(i, y.abs()));
    let (mut on_stack, mut on_heap) = ([0.0; 3 * FEW], Vec::new());
    let scratch = if n <= FEW {
        &mut on_stack[..3 * n]
    } else {
        on_heap.resize(3 * n, 0.0);
        &mut on_heap[..]
    };
    let (f0, rest) = scratch.split_at_mut(n);
    let (f1, ahead) = rest.split_at_mut(n);
    field.first_derivative(t, y, f0);
    let (size, slope) = (scaled_rms(y, scales()), scaled_rms(f0, scales()));
    let rough = if size < SMALL || slope < SMALL { LAST_RESORT } else { EULER_PART * size / slope };
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
    let fine = (EULER_PART / slope.max(curvature)).powf(1.0 / f64::from(order + 1));
    let step = (MOST_GROWTH * rough).min(fine).min(longest);
    Some(if step.is_finite() && step > 0.0 { step } else { longest * LAST_RESORT })
}
