//! Sums of stages, the inner loops of every explicit method: `y + h Σ w_j k_j`.
//!
//! The weights are known when the engine is compiled, so the sum over stages is written out: weights that are
//! zero vanish and the others become constants of the code, and what is left is one loop over components,
//! which can be vectorised.

use crate::math::ComponentCount;

/// No method has more stages than this, those for dense output included.
pub(super) const MOST_STAGES: usize = 16;

/// Evaluates an expression for each number of a stage, as a constant.
macro_rules! unrolled {
    ($i:ident => $body:expr) => {
        unrolled!(@each $i, $body, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (@each $i:ident, $body:expr, $($number:literal)*) => {
        $({
            const $i: usize = $number;
            $body;
        })*
    };
}
pub(super) use unrolled;

/// `out = base + h Σ w_j k_j`, for weights that are constants where it is called.
#[inline(always)]
pub(super) fn add_stages<D: ComponentCount>(
    dimension: D,
    weights: &[f64],
    stages: &[f64],
    h: f64,
    base: Option<&[f64]>,
    out: &mut [f64],
) {
    let n = dimension.get();
    let mut k: [&[f64]; MOST_STAGES] = [&[]; MOST_STAGES];
    unrolled!(J => if counts(weights, J) {
        k[J] = &stages[J * n..(J + 1) * n];
    });
    let (base, out) = (base.map(|base| &base[..n]), &mut out[..n]);
    for i in 0..n {
        // Minus zero, for it adds nothing to any number; the compiler knows that.
        let mut sum = -0.0;
        unrolled!(J => if counts(weights, J) {
            sum += weights[J] * k[J][i];
        });
        out[i] = base.map_or(h * sum, |base| base[i] + h * sum);
    }
}

/// Whether a stage has a weight that is not zero.
#[inline(always)]
fn counts(weights: &[f64], stage: usize) -> bool {
    stage < weights.len() && weights[stage] != 0.0
}

/// As [`add_stages`], compiled once for all weights: for sums that are not needed in every step.
#[inline(never)]
pub(super) fn add_stages_later(
    weights: &[f64],
    stages: &[f64],
    h: f64,
    base: Option<&[f64]>,
    out: &mut [f64],
) {
    let n = out.len();
    out.fill(0.0);
    for (w, k) in weights.iter().zip(stages.chunks_exact(n.max(1))).filter(|(w, _)| **w != 0.0) {
        out.iter_mut().zip(k).for_each(|(sum, k)| *sum += w * k);
    }
    match base {
        Some(base) => out.iter_mut().zip(base).for_each(|(sum, y)| *sum = y + h * *sum),
        None => out.iter_mut().for_each(|sum| *sum *= h),
    }
}
